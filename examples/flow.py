"""Flow of an incompressible fluid in a periodic box: stencils and FFTs on one Gray-coded array.

Run it as ``python examples/flow.py`` (16 nodes in this process) or, with one node a rank, as
``mpiexec -n 4 python examples/flow.py``. With ``--case shear --picture flow.png`` it draws.

The vorticity w is carried along by the velocity u = dp/dy, v = -dp/dx, and spreads by
viscosity: dw/dt = J(p, w) + viscosity Laplace(w). The stream function p has Laplace(p) = -w.

- Space: second order. The Jacobian J is Arakawa's, from the eight neighbours in halo windows;
  it conserves energy, and both equations have the same five-point Laplacian.
- The Poisson equation is solved by FFT, with the wave numbers in the layout of the spectrum.
- Time: the classical Runge-Kutta method of fourth order.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, exp, log2, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import graycube as gc

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

NODES = 16
"""So many nodes there are without mpiexec, all in this process."""
RING = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The neighbours of a point, once around: edge, corner, edge, corner ..."""


@dataclass(frozen=True)
class Case:
    """What flows, and until when; ``carried`` is a uniform velocity that comes on top."""

    title: str
    start: Callable[[Any, Any], Any]
    viscosity: float
    end: float
    carried: tuple[float, float] = (0.0, 0.0)

    def longest(self, n: int) -> float:
        """A time step that is stable on n x n points."""
        h = 2 * pi / n
        return min(0.5 * h, 0.2 * h**2 / self.viscosity)


CASES = {
    # Vortices that only fade and drift: the solution is known, and drifting tests every term.
    "taylor-green": Case(
        "Taylor-Green vortices in a uniform flow",
        lambda x, y: 2 * np.cos(x) * np.cos(y),
        viscosity=0.02,
        end=2.0,
        carried=(1.0, 0.5),
    ),
    # Two layers in which the velocity turns between -1 and 1, slightly bent: they roll up.
    "shear": Case(
        "A double shear layer rolls up",
        lambda x, y: 0.05 * np.sin(x) - np.sin(y) / 0.15 / np.cosh(np.cos(y) / 0.15) ** 2,
        viscosity=0.001,
        end=8.0,
    ),
}


class Flow:
    """The equations on n x n points: what is made once, and the rate of change."""

    def __init__(self, case: Case, n: int, comm: "Intracomm | None") -> None:
        self.case, self.h = case, 2 * pi / n
        layout = gc.Layout.mesh((n, n), nodes=mesh_of(comm), code="gray")
        self.start = gc.CubeArray.from_function(
            lambda i, j: case.start(self.h * i, self.h * j), layout, comm
        )
        # A spectrum comes in a layout of its own; its indices say which wave is where.
        waves = gc.fft2(self.start).indices()
        laplacian = sum((2 / self.h * np.sin(pi / n * k)) ** 2 for k in waves)
        self.inverse = (laplacian > 0) / (laplacian + (laplacian == 0))  # the mean of p is 0
        self.p, self.w = (self.start.halo(corners=True) for _ in range(2))

    def stream(self, w: gc.CubeArray) -> gc.CubeArray:
        """The stream function of a vorticity."""
        return gc.ifft2(gc.fft2(w) * self.inverse).real.relayout(w.layout)

    def rate(self, w: gc.CubeArray) -> Any:  # noqa: ANN401 - what mypy sees in sums of arrays
        """Arakawa's Jacobian: neighbours times differences of p around them; and viscosity."""
        self.p.update(self.stream(w))
        self.w.update(w)
        u, v = self.case.carried
        p = [self.p[i, j] + self.h * (u * j - v * i) for i, j in RING]
        around = [self.w[step] for step in RING]
        jacobian = 0 * w
        for k, neighbour in enumerate(around):
            turn = p[k - 1] - p[(k + 1) % 8]
            if k % 2 == 0:
                turn += p[k - 2] - p[(k + 2) % 8]
            jacobian += turn * neighbour
        laplacian = sum(around[::2]) - 4 * w
        return (jacobian / 12 + self.case.viscosity * laplacian) / self.h**2

    def step(self, w: Any, dt: float) -> Any:  # noqa: ANN401
        """The vorticity one step of Runge and Kutta later."""
        first = self.rate(w)
        second = self.rate(w + dt / 2 * first)
        third = self.rate(w + dt / 2 * second)
        return w + dt / 6 * (first + 2 * (second + third) + self.rate(w + dt * third))

    def faded(self, t: float) -> gc.CubeArray:
        """The exact vorticity of Taylor-Green vortices."""
        (u, v), fade = self.case.carried, exp(-2 * self.case.viscosity * t)
        x, y = (self.h * along for along in self.start.indices())
        return fade * self.case.start(x - u * t, y - v * t)  # type: ignore[no-any-return]

    def energy(self, w: gc.CubeArray) -> float:
        """The kinetic energy, as a mean over the box, without that of the uniform flow."""
        return float((self.stream(w) * w).mean() / 2)

    def rounding(self, w: gc.CubeArray) -> dict[str, float]:
        """What is 0 but for rounding, relative to the largest vorticity."""
        stream, largest = self.stream(w), float(abs(w).max())
        p = self.p.update(stream)
        u, v = ((p[0, 1] - p[0, -1]).halo(), (p[-1, 0] - p[1, 0]).halo())  # times 2 h
        divergence = (u[1, 0] - u[-1, 0] + v[0, 1] - v[0, -1]) / (2 * self.h) ** 2
        residual = w + (sum(p[step] for step in RING[::2]) - 4 * stream) / self.h**2
        balance = (stream * self.rate(w)).mean() + self.case.viscosity * (w * w).mean()
        return {
            "divergence": float(abs(divergence).max()) / largest,
            "residual of Poisson's equation": float(abs(residual).max()) / largest,
            "balance of energy": float(abs(balance)) / largest**2,
        }


def mesh_of(comm: "Intracomm | None") -> tuple[int, ...]:
    """The nodes along both axes, as square as can be."""
    return gc.node_mesh(NODES if comm is None else comm.size, 2)


def run(case: Case, n: int, comm: "Intracomm | None") -> tuple[Flow, list[Any]]:
    """The vorticity at the start and after each quarter of the time."""
    flow = Flow(case, n, comm)
    w, steps = flow.start, ceil(case.end / case.longest(n) - 1e-9)
    frames, bar = [w], is_root(comm) and sys.stderr.isatty()
    for k in range(1, steps + 1):
        w = flow.step(w, case.end / steps)
        frames += [w] * (4 * k // steps - 4 * (k - 1) // steps)
        if bar:
            line = f"{n} x {n} [{'#' * (40 * k // steps):<40}] {k}/{steps}"
            sys.stderr.write(f"\r{line if k < steps else ' ' * len(line)}\r")
    return flow, frames


def fading(case: Case, size: int, comm: "Intracomm | None") -> tuple[Flow, list[Any], bool]:
    """Three resolutions, compared with the solution that is known."""
    say(comm, f"{'points':>11}{'largest error':>15}{'order':>8}{'energy':>13}{'exact':>13}")
    errors: list[float] = []
    for n in (size // 4, size // 2, size):
        flow, frames = run(case, n, comm)
        errors.append(float(abs(frames[-1] - flow.faded(case.end)).max()))
        order = f"{log2(errors[-2] / errors[-1]):.3f}" if errors[1:] else ""
        energy, exact = flow.energy(frames[-1]), exp(-4 * case.viscosity * case.end) / 4
        say(comm, f"{n:>5} x {n:<3}{errors[-1]:15.4e}{order:>8}{energy:13.8f}{exact:13.8f}")
    return flow, frames, errors[-2] / errors[-1] > 2**1.9


def rolling(case: Case, size: int, comm: "Intracomm | None") -> tuple[Flow, list[Any], bool]:
    """The course of time on one grid."""
    flow, frames = run(case, size, comm)
    say(comm, f"{'time':>8}{'energy':>13}{'largest vorticity':>20}")
    energies = [flow.energy(w) for w in frames]
    for k, (w, energy) in enumerate(zip(frames, energies, strict=True)):
        say(comm, f"{k / 4 * case.end:8.3f}{energy:13.8f}{abs(w).max():20.6f}")
    return flow, frames, energies == sorted(energies, reverse=True)


def draw(path: Path, case: Case, fields: list[Any]) -> None:
    """The vorticity in the second half of the time."""
    try:
        from matplotlib import colors, figure  # noqa: PLC0415 - only pictures need it
    except ImportError:
        print("no picture: matplotlib is missing; run: pip install 'graycube[plot]'")
        return
    glow = ["#d8f6ff", "#5cc3f2", "#1d62b8", "#0b1026", "#b83a1d", "#f2a15c", "#fff3d8"]
    glowing = colors.LinearSegmentedColormap.from_list("glow", glow)
    shown = {"cmap": glowing, "interpolation": "bicubic", "extent": (0, 2, 0, 2)}
    page = figure.Figure(figsize=(10, 3.8), layout="constrained")
    axes, most, names = page.subplots(1, 3), abs(fields[-1]).max(), ("0", r"$\pi$", r"$2\pi$")
    for k, (ax, field) in enumerate(zip(axes, fields, strict=True), start=2):
        image = ax.imshow(field.T[::-1], vmin=-most, vmax=most, **shown)
        ax.set(title=f"t = {k / 4 * case.end:.3g}", xlabel="x", ylabel="y")
        ax.set(xticks=range(3), yticks=range(3), xticklabels=names, yticklabels=names)
        ax.label_outer()
    page.colorbar(image, ax=axes, label="vorticity", pad=0.01)
    page.suptitle(f"{case.title}: {len(fields[0])} x {len(fields[0])} points")
    page.savefig(path, dpi=120)
    print(f"picture: {path}")


def communicator() -> "Intracomm | None":
    """All processes that mpiexec started; None for a single one."""
    try:
        from mpi4py import MPI  # noqa: PLC0415 - optional, and it starts MPI
    except (ImportError, RuntimeError):  # no mpi4py, or no MPI for it
        return None
    return MPI.COMM_WORLD if MPI.COMM_WORLD.size > 1 else None


def is_root(comm: "Intracomm | None") -> bool:
    return comm is None or comm.rank == 0


def say(comm: "Intracomm | None", line: str) -> None:
    if is_root(comm):
        print(line, flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Incompressible flow on a Gray-coded array.")
    parser.add_argument("--case", choices=CASES, default="taylor-green")
    parser.add_argument("--size", type=int, help="points along an axis (default: 128)")
    parser.add_argument("--steps", type=int, help="time steps (default: to the end)")
    parser.add_argument("--picture", type=Path, metavar="PATH", help="draw the vorticity")
    parser.add_argument("--save", type=Path, metavar="PATH", help="write it as .npy file")
    parser.add_argument("--check", action="store_true", help="64 points; fail if inexact")
    options = parser.parse_args()
    if 0 in {options.size, options.steps} or min(options.size or 1, options.steps or 1) < 0:
        parser.error("--size and --steps are at least 1")
    return options


def work(options: argparse.Namespace, comm: "Intracomm | None") -> None:
    case, size = CASES[options.case], options.size or (64 if options.check else 128)
    if options.steps:
        case = replace(case, end=options.steps * case.longest(size))
    (a, b), where = mesh_of(comm), "one a rank" if comm else "all in this process"
    say(comm, f"{case.title}, on {a} x {b} nodes in Gray code, {where}")
    began = time.perf_counter()
    follow = fading if options.case == "taylor-green" else rolling
    flow, frames, fine = follow(case, size, comm)
    rounding = flow.rounding(frames[-1])
    say(comm, "0 but for rounding: " + ", ".join(f"{k} {v:.0e}" for k, v in rounding.items()))
    say(comm, f"{time.perf_counter() - began:.1f} s")
    if options.save:
        frames[-1].save(options.save)
    if options.picture:
        fields = [w.gather() for w in frames[2:]]  # all ranks take part, the first one draws
        if is_root(comm):
            draw(options.picture, case, fields)
    if options.check and not (fine and max(rounding.values()) < 1e-10):
        sys.exit("flow.py: the numbers are not what they have to be")


def main() -> None:
    options, comm = parsed(), communicator()
    try:
        work(options, comm)
    except gc.GraycubeError as error:
        sys.exit(f"flow.py: {error}" if is_root(comm) else 2)


if __name__ == "__main__":
    main()
