"""What ``graycube demo`` tells: each chapter is a function, its docstring and what it returns.

Rules. The first line of a docstring is the title, the rest is the text, and the source below it
is the code that readers see: so it is short, and what it computes is what is printed. A chapter
whose figures are wrong fails.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import fft

import graycube as gc
from graycube.demo.flow import ShearFlow, plain_steps, shear_layers

N = 128
"""Points along each side of the field."""
STEPS, DT = 240, 0.025
MACHINE = gc.Machine(dims=6, ports="all", startup=2e-6, per_byte=1e-9)
"""A cube whose nodes send over all of their links at once."""


@dataclass
class Scene:
    """What the chapters hand on: the field, its layouts, and what to show and to draw.

    >>> Scene().gray.shape
    (128, 128)
    """

    values: Any = field(default_factory=lambda: shear_layers(N))
    gray: gc.Layout = field(default_factory=lambda: _mesh("gray"))
    binary: gc.Layout = field(default_factory=lambda: _mesh("binary"))
    shown: dict[str, Any] = field(default_factory=dict)
    frames: list[Any] = field(default_factory=list)


class WrongError(gc.GraycubeError):
    """Something that the demo computed is not what it should be.

    >>> print(WrongError("the plan is wrong", "the demo checks itself", "report it"))
    the plan is wrong: the demo checks itself; report it
    """


def _mesh(code: Literal["gray", "binary"]) -> gc.Layout:
    return gc.Layout.mesh((N, N), nodes=(8, 8), code=code)


def require(right: object, what: str) -> None:
    """Stop if something is not right.

    >>> require(True, "the transform")
    """
    if not right:
        raise WrongError(f"{what} is wrong", "the demo checks itself", "report it")


def transform(scene: Scene) -> str:
    """A transform that does not gather.

    Your solver keeps a field of 128 x 128 numbers on 64 ranks, and transforms it in every step.
    Many programs gather the whole field on every rank first, as they cannot transform an axis
    that is spread over ranks. graycube exchanges what the transform needs, and leaves the rest
    where it is. The result says in which layout it is: nothing is put in order until you ask.
    """
    field = gc.CubeArray.from_numpy(scene.values, scene.gray)
    spectrum = gc.fft2(field)
    error = abs(spectrum.to_numpy() - fft.fft2(scene.values)).max()
    require(error < 1e-9, "the transform")
    axes = (gc.plan_fft(scene.gray, axis=k, machine=MACHINE, itemsize=16) for k in (0, 1))
    gathered = N * N * 16 * 63 // 64
    sent = sum(plan.traffic.bytes for plan in axes) // 64
    require(sent < gathered, "what is sent")
    return (
        f"bytes to each rank, if all gather:   {gathered:8}\n"
        f"bytes to each rank, where data are:  {sent:8}\n"
        f"largest difference from scipy.fft: {error:.1e}"
    )


def solve(scene: Scene) -> str:
    """A whole solver: stencils and FFTs on one array.

    Two shear layers roll up into vortices. Every stage takes stencils of vorticity and stream
    function, and solves a Poisson equation by FFT. The field stays spread over 64 ranks all the
    time. Here one process plays all of them; under mpiexec the same lines run on real ranks.
    """
    flow = ShearFlow(gc.CubeArray.from_numpy(scene.values, scene.gray))
    scene.frames = [scene.values]
    for _ in range(2):
        scene.frames.append(flow.steps(STEPS // 2, DT).to_numpy())
    plain = plain_steps(scene.values, STEPS, DT)
    error = abs(scene.frames[-1] - plain).max() / abs(plain).max()
    require(error < 1e-9, "the flow")
    return (
        f"{STEPS} steps on {N} x {N} points and 64 nodes, to time {STEPS * DT:g}\n"
        f"relative difference from the same scheme on one node with NumPy: {error:.1e}"
    )


def where(scene: Scene) -> str:
    """Where everything is.

    Each rank has 16 x 16 points of the field. A stencil reads neighbours; an FFT pairs elements
    that are a power of two apart. On a cube of 2^6 nodes, which differ in one bit from each
    node that they have a link to, how many hops away are these partners? It depends on the
    order of the ranks. In Gray code neighbours are one hop apart. In binary code the FFT's
    partners are.
    """
    lines = [f"{'farthest partner, in hops':28}{'binary':>8}{'gray':>8}"]
    for name, distances in (
        ("mesh neighbours", gc.mesh_distances),
        ("FFT partners", gc.butterfly_distances),
    ):
        hops = (distances(layout).dilation for layout in (scene.binary, scene.gray))
        lines.append(f"{name:28}" + "".join(f"{far:8}" for far in hops))
    require(gc.mesh_distances(scene.gray).dilation == 1, "the Gray code")
    require(gc.butterfly_distances(scene.binary).dilation == 1, "the binary code")
    node, slot = scene.gray.locate(127, 127)
    require(scene.gray.coordinates(node, slot) == (127, 127), "the place")
    return "\n".join([*lines, f"element (127, 127) is in slot {slot} of node {node}"])


def renumber(scene: Scene) -> str:
    """Often nothing has to move.

    Ranks are only numbers. If all of your program wants one of the codes, number the ranks
    that way and move no data. This is the node at each place of an 8 x 8 mesh.
    """
    order = gc.rank_order((8, 8))
    places = scene.gray.locate(*16 * np.indices((8, 8)))[0]
    require(np.array_equal(order, places), "the order")
    return str(order)


def advise(scene: Scene) -> str:
    """Which layout to use, and when converting pays.

    Your program takes 100 steps. In each it smooths its field 20 times by a stencil, transforms
    it, and transforms it back. graycube prices each layout and every conversion between two,
    and takes the cheapest sequence; seconds are for one turn. A "place" is where a transform
    leaves the data. It need not put them back in order, so one exchange a step is enough.
    "Bi-sectioning" is how this one crosses nodes: each trades half of its block with a partner,
    then with the next. On this machine a message takes 2 microseconds a hop to start, and then
    10 GB each second; `graycube calibrate` measures yours. Where hops are free, both codes cost
    the same.
    """
    sweeps = gc.Loop([gc.Stencil()], times=20, name="sweeps")
    program = gc.Loop([sweeps, gc.FFT(), gc.Elementwise(), gc.FFT()], times=100)
    advice = gc.advise(
        program,
        machine=gc.Machine(dims=6, startup=2e-6, per_byte=1e-10),
        size=scene.values.shape,
        layouts={"gray": scene.gray, "binary": scene.binary},
    )
    require(all(advice.cost <= cost for _, cost in advice.alternatives), "the advice")
    scene.shown["advise"] = advice
    return advice.explain()


def convert(scene: Scene) -> str:
    """How to get from one layout to another.

    When data must move, a plan says who sends what to whom, and when. graycube prices all known
    algorithms and shows a bound that no schedule can beat. Rounds are messages in sequence,
    cycles are elements in sequence. The plan is proved by algebra, checked element by element,
    and then moves the field.
    """
    plan = gc.plan(scene.gray, scene.binary, block=256, itemsize=8, machine=MACHINE)
    report = plan.verify()
    moved = plan.apply(scene.gray.scatter(scene.values))
    require(report, "the plan")
    require(np.array_equal(scene.binary.gather(moved), scene.values), "what it moved")
    scene.shown["convert"] = plan
    return f"{plan.explain()}\n{report}\nThe field is where the new layout says."


CHAPTERS: tuple[Callable[[Scene], str], ...] = (
    transform,
    solve,
    where,
    renumber,
    advise,
    convert,
)
