"""Our side: every function makes contenders for one task, from what the library offers."""

import atexit
from collections.abc import Callable
from math import prod

import numpy as np
from contest import Contender
from mpi4py import MPI
from pairs import by_messages
from tasks import Array, Halo, Move, Transform

import graycube as gc
from graycube.fourier.bind import BoundCall


def fft1d(task: Transform) -> list[Contender]:
    (points,) = task.shape
    p, n = points.bit_length() - 1, task.comm.size.bit_length() - 1
    layouts = {
        "cyclic, binary": gc.Layout.cyclic(p, n),
        "cyclic, Gray": gc.Layout.cyclic(p, n, nodes="gray"),
        "consecutive, binary": gc.Layout.consecutive(p, n),
        "consecutive, Gray": gc.Layout.consecutive(p, n, nodes="gray"),
    }
    if n < 2:  # Gray and binary code of fewer nodes are the same
        layouts = {name: layouts[name] for name in layouts if name.endswith("binary")}
    binary = [name for name in layouts if name.endswith("binary")]
    ready = [make(task, layouts[name], name) for name in binary for make in BOUND]
    return [*ready, *(transform(task, layout, name) for name, layout in layouts.items())]


def fftnd(task: Transform) -> list[Contender]:
    ranks, axes = task.comm.size, len(task.shape)
    meshes = {"slabs": (ranks, *(1,) * (axes - 1))}
    if ranks > 1:
        meshes["pencils"] = (*gc.node_mesh(ranks, 2), *(1,) * (axes - 2))
    return [
        make(task, gc.Layout.mesh(task.shape, mesh, code="gray"), f"{name}, Gray")
        for name, mesh in meshes.items()
        for make in (*BOUND, transform)
        if prod(mesh) == ranks
    ]


def transform(task: Transform, layout: gc.Layout, name: str) -> Contender:
    """The result stays in the layout that is cheapest, and carries it."""
    a = given(task, layout)
    found: list[gc.CubeArray] = []

    def work() -> None:
        found[:] = [gc.fftn(a)]

    right = lambda: task.right(found[0].gather())  # noqa: E731
    return Contender(f"graycube, {name}", work, right, copied_in(a))


def by_ducc(task: Transform, layout: gc.Layout, name: str) -> Contender:
    """The same, made once and run many times."""
    a = given(task, layout)
    ready = copied_in(a)
    return result_of(gc.bind(gc.fftn, a), ready, task, f"{name}, bound")


def by_fftw(task: Transform, layout: gc.Layout, name: str) -> Contender:
    """With FFTW's measured plans, as its own library and mpi4py-fft have them."""
    a = given(task, layout)
    ready = copied_in(a)
    call = gc.bind(gc.fftn, a, fftw="measure")
    return result_of(call, ready, task, f"{name}, bound, FFTW")


def in_place(task: Transform, layout: gc.Layout, name: str) -> Contender:
    """The result is where the points were, as with FFTW-MPI in one array."""
    a = given(task, layout)
    ready = copied_in(a)
    with gc.fourier.by_fftw("measure"):
        there = gc.CubeArray(a.blocks, gc.fftn(a).layout, task.comm)
        call = gc.bind(gc.fftn, a, out=there)
    return result_of(call, ready, task, f"{name}, bound, FFTW, in place")


BOUND = by_ducc, by_fftw, in_place


def given(task: Transform, layout: gc.Layout) -> gc.CubeArray:
    return gc.CubeArray.from_numpy(task.whole, layout, task.comm)


def result_of(
    call: BoundCall, ready: Callable[[], object], task: Transform, name: str
) -> Contender:
    right = lambda: task.right(call.result.gather())  # noqa: E731
    return Contender(f"graycube, {name}", call.run, right, ready)


def copied_in(a: gc.CubeArray) -> Callable[[], object]:
    """Writes the points again, as before a transform in place: they are in the cache then."""
    points = a.blocks.copy()
    return lambda: np.copyto(a.blocks, points)


def moves(task: Move) -> list[Contender]:
    """A plan on fast circuits sends every block straight; the others go hop by hop."""
    n = task.comm.size.bit_length() - 1
    gray, binary = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    if n < 2:
        return []
    fast = gc.Machine(n, "all", "circuit", startup=1e-6, per_byte=1e-9)
    slow = gc.Machine(n, startup=1e-6, per_byte=1e-9)
    entered = []
    for name, machine in (("direct", fast), ("gb1", slow), ("gb3", slow)):
        items = task.nbytes // 8
        made = gc.plan(gray, binary, items, itemsize=8, machine=machine, algorithm=name)
        entered += [bound(task, made), executed(task, made)][: 2 if name == "direct" else 1]
    return [*entered, renumbered(task, made)]


def bound(task: Move, plan: gc.Plan) -> Contender:
    ready = plan.bind(task.block(task.destination), task.comm)
    atexit.register(ready.free)
    name = f"graycube, {plan.algorithm}, bound"
    return Contender(name, ready.run, lambda: task.right(ready.result))


def executed(task: Move, plan: gc.Plan) -> Contender:
    """Every call agrees on plan, shape and dtype first."""
    held, got = task.block(task.destination), task.block(-1)

    def work() -> Array:
        return plan.execute(held, task.comm, out=got)

    return Contender(f"graycube, {plan.algorithm}, execute", work, lambda: task.right(got))


def renumbered(task: Move, plan: gc.Plan) -> Contender:
    n, items, machine = plan.task.n, plan.task.block, plan.machine
    layouts = plan.task.source, plan.task.target
    made = gc.plan(*layouts, items, itemsize=8, machine=machine, algorithm="relabel")

    def work() -> None:
        made.renumbered(task.comm).Free()

    def right() -> bool:
        comm = made.renumbered(task.comm)
        same = comm.rank == task.destination and comm.size == 1 << n
        comm.Free()
        return bool(same)

    return Contender("graycube, new numbers", work, right)


def halo(task: Halo) -> list[Contender]:
    mesh = tuple(task.cart.dims)
    codes = ("binary", "gray") if max(mesh) > 2 else ("binary",)
    every = [borders(task, mesh, code, task.cart) for code in codes]
    return [*every, borders(task, mesh, "binary", by_messages(task.cart))]


def borders(task: Halo, mesh: tuple[int, ...], code: str, comm: MPI.Intracomm) -> Contender:
    side, way = task.side, "" if comm is task.cart else ", messages"
    layout = gc.Layout.mesh((side, side), mesh, code=code)  # type: ignore[arg-type]
    a = gc.CubeArray.from_function(lambda i, j: 1.0 * i * side + j, layout, comm)
    window = a.halo()

    def right() -> bool:
        i, j = (along.blocks for along in a.indices())
        return all(
            np.array_equal(
                window[step].blocks, (i + step[0]) % side * side + (j + step[1]) % side
            )
            for step in ((1, 0), (-1, 0), (0, 1), (0, -1))
        )

    return Contender(f"graycube, {code}{way}", window.exchange, right)
