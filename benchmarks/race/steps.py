"""Ten steps of the Taylor-Green vortex: a vector as payload, three arrays, and mpi4py-fft.

The programs are those of `docs/from-mpi4py-fft.md`; ours also with bound transforms, and with
three arrays for the velocity, theirs also component by component. What is planned or bound is
so before the clock starts, and has its arrays then.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from contest import Contender
from mpi4py import MPI
from rivals import optional
from tasks import Array

import graycube as gc

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from taylor_green import STAGES, STEP, VISCOSITY, solve

STEPS = 10


@dataclass(frozen=True)
class Vortex:
    """A periodic box of `points` by `points` by `points`, in slabs."""

    comm: MPI.Intracomm
    points: int

    def layout(self) -> gc.Layout:
        """Slabs along the first axis."""
        return gc.Layout.mesh((self.points,) * 3, nodes=(self.comm.size, 1, 1))

    def right(self, energy: float) -> bool:
        """What one rank finds that uses NumPy alone."""
        return bool(np.isclose(energy, _alone(self.points), rtol=1e-10))


def ours(task: Vortex) -> list[Contender]:
    called = [payload(task), lists(task)]
    return [*called, *map(by_fftw, called), bound(task), planned(task), *lists_planned(task)]


def by_fftw(contender: Contender) -> Contender:
    """The same, with transforms that FFTW has planned."""
    optional("pyfftw")

    def work() -> None:
        with gc.fourier.by_fftw("measure"):
            contender.work()

    return replace(contender, name=f"{contender.name}, FFTW", work=work)


def payload(task: Vortex) -> Contender:
    found: list[float] = []

    def work() -> None:
        u = solve(task.layout(), STEPS, task.comm)
        found[:] = [float((u * u).mean()) * 3 / 2]

    return Contender("graycube, payload", work, lambda: task.right(found[0]))


def bound(task: Vortex, name: str = "bound", **options: Any) -> Contender:  # noqa: ANN401
    found: list[float] = []
    solved = _by_bound(task, **options)

    def work() -> None:
        u = solved()
        found[:] = [float((u * u).mean()) * 3 / 2]

    return Contender(f"graycube, {name}", work, lambda: task.right(found[0]))


def planned(task: Vortex) -> Contender:
    optional("pyfftw")
    return bound(task, "bound, FFTW", fftw="measure")


def _by_bound(task: Vortex, **options: Any) -> Callable[[], gc.CubeArray]:  # noqa: ANN401
    """The program of the example, with transforms that are bound before, and their arrays."""
    layout, points = task.layout(), task.points
    shape = layout.shape
    u = _started(task)
    curl, force = u.copy(), u.copy()
    stage: Any = gc.rfftn(u)
    rotated = stage.copy()
    to_u = gc.bind(gc.irfftn, stage, s=shape, out=u, **options)
    to_curl = gc.bind(gc.irfftn, rotated, s=shape, out=curl, **options)
    forward = gc.bind(gc.rfftn, force, **options)

    def solved() -> gc.CubeArray:
        np.copyto(force, _started(task))
        np.copyto(stage, forward.run())
        k = gc.stack(stage.frequencies(1 / points, s=shape))
        squares = (k * k).sum(axis=-1)
        along = k / np.where(squares == 0, 1, squares)
        kept = (abs(k) < points / 3).all(axis=-1)

        def slope() -> gc.CubeArray:
            to_u.run()
            np.multiply(1j, np.cross(k, stage), out=rotated)
            to_curl.run()
            np.copyto(force, np.cross(u, curl))
            made = forward.run() * kept
            answer: gc.CubeArray = (
                made - along * (k * made).sum(axis=-1) - VISCOSITY * squares * stage
            )
            return answer

        v = stage.copy()
        for _ in range(STEPS):
            before = v
            for share, ahead in STAGES:
                change = STEP * slope()
                v = v + share * change
                np.add(before, ahead * change, out=stage)
            np.copyto(stage, v)
        return to_u.run()

    return solved


def _started(task: Vortex) -> Any:  # noqa: ANN401
    """The velocity at first."""

    def vortex(*index: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
        return _vortex(task.points, index)

    return gc.CubeArray.from_function(vortex, task.layout(), task.comm)


def lists(task: Vortex) -> Contender:
    return _of_lists("three arrays", task, lambda: _solved(task))


def lists_planned(task: Vortex) -> list[Contender]:
    """Arithmetic is that of arrays over nodes, or NumPy's on what a rank has."""
    optional("pyfftw")
    return [
        _of_lists(f"three {what}, bound, FFTW", task, _lists_by_bound(task, view))
        for what, view in (("arrays", lambda c: c), ("locals", lambda c: c.local))
    ]


def _of_lists(
    name: str, task: Vortex, solved: Callable[[], Sequence[gc.CubeArray]]
) -> Contender:
    found: list[float] = []

    def work() -> None:
        u = solved()
        found[:] = [float(sum((c * c).mean() for c in u)) / 2]

    return Contender(f"graycube, {name}", work, lambda: task.right(found[0]))


def _vortex(points: int, index: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
    x, y, z = (2 * np.pi * i / points for i in index)
    return (
        np.sin(x) * np.cos(y) * np.cos(z),
        -np.cos(x) * np.sin(y) * np.cos(z),
        0 * (x + y + z),
    )


def _cross(a: Any, b: Any) -> list[Any]:  # noqa: ANN401
    return [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]


def _solved(task: Vortex) -> list[gc.CubeArray]:
    """The same program about lists of three arrays."""
    layout, points = task.layout(), task.points
    vectors = _started(task)
    u = [vectors[..., i].copy() for i in range(3)]
    v, curl = [gc.rfftn(c) for c in u], [c.copy() for c in u]
    k = v[0].frequencies(1 / points, s=layout.shape)
    squares = k[0] * k[0] + k[1] * k[1] + k[2] * k[2]
    along = [c / np.where(squares == 0, 1, squares) for c in k]
    kept = (abs(k[0]) < points / 3) & (abs(k[1]) < points / 3) & (abs(k[2]) < points / 3)

    def slope(v: list[gc.CubeArray]) -> list[Any]:
        for c, out in zip(v, u, strict=True):
            gc.irfftn(c, s=layout.shape, out=out)
        for c, out in zip(_cross(k, v), curl, strict=True):
            gc.irfftn(1j * c, s=layout.shape, out=out)
        made = [gc.rfftn(c) * kept for c in _cross(u, curl)]
        pressure = k[0] * made[0] + k[1] * made[1] + k[2] * made[2]
        return [made[i] - along[i] * pressure - VISCOSITY * squares * v[i] for i in range(3)]

    for _ in range(STEPS):
        stage = before = v
        for share, ahead in STAGES:
            change = [STEP * c for c in slope(stage)]
            v = [a + share * b for a, b in zip(v, change, strict=True)]
            stage = [a + ahead * b for a, b in zip(before, change, strict=True)]
    return [gc.irfftn(c, s=layout.shape, out=out) for c, out in zip(v, u, strict=True)]


def _lists_by_bound(
    task: Vortex, view: Callable[[Any], Any]
) -> Callable[[], list[gc.CubeArray]]:
    """The same with transforms that are bound before, and their arrays; sums are of views."""
    shape, points = task.layout().shape, task.points
    options: dict[str, Any] = {"fftw": "measure"}
    given = _started(task)
    fields: list[list[Any]] = [[given[..., i].copy() for i in range(3)] for _ in range(3)]
    spectra: list[list[Any]] = [[gc.rfftn(c) for c in fields[0]] for _ in range(2)]
    (to_u, to_curl) = (
        [
            gc.bind(gc.irfftn, c, s=shape, out=out, **options)
            for c, out in zip(*pair, strict=True)
        ]
        for pair in zip(spectra, fields[:2], strict=True)
    )
    forward = [gc.bind(gc.rfftn, c, **options) for c in fields[2]]
    u, curl, force = ([view(c) for c in some] for some in fields)
    stage, rotated = ([view(c) for c in some] for some in spectra)

    def solved() -> list[gc.CubeArray]:
        started = _started(task)
        for i in range(3):
            np.copyto(fields[2][i], started[..., i])
            np.copyto(spectra[0][i], forward[i].run())
        k = [view(c) for c in spectra[0][0].frequencies(1 / points, s=shape)]
        squares = k[0] * k[0] + k[1] * k[1] + k[2] * k[2]
        along = [c / np.where(squares == 0, 1, squares) for c in k]
        kept = (abs(k[0]) < points / 3) & (abs(k[1]) < points / 3) & (abs(k[2]) < points / 3)

        def slope() -> list[Any]:
            for i, c in enumerate(_cross(k, stage)):
                to_u[i].run()
                np.multiply(1j, c, out=rotated[i])
                to_curl[i].run()
            for c, out in zip(_cross(u, curl), force, strict=True):
                np.copyto(out, c)
            made = [view(transform.run()) * kept for transform in forward]
            pressure = k[0] * made[0] + k[1] * made[1] + k[2] * made[2]
            return [
                made[i] - along[i] * pressure - VISCOSITY * squares * stage[i] for i in range(3)
            ]

        v = [c.copy() for c in stage]
        for _ in range(STEPS):
            before = v
            for share, ahead in STAGES:
                change = [STEP * c for c in slope()]
                v = [a + share * b for a, b in zip(v, change, strict=True)]
                for a, b, out in zip(before, change, stage, strict=True):
                    np.add(a, ahead * b, out=out)
            for a, out in zip(v, stage, strict=True):
                np.copyto(out, a)
        return [transform.run() for transform in to_u]

    return solved


def mpi4py_fft(task: Vortex) -> list[Contender]:
    """With NumPy's product of vectors, and component by component.

    The second is how mpi4py-fft's own example has it, which also works in place.
    """
    made: Any = optional("mpi4py_fft")
    return [
        _theirs(task, "slabs", _Theirs(made, task), _by_vectors),
        _theirs(task, "by components", _Theirs(made, task), _by_components),
    ]


class _Theirs:
    """The plan of mpi4py-fft, and its arrays."""

    def __init__(self, made: Any, task: Vortex) -> None:  # noqa: ANN401
        self.fft = made.PFFT(task.comm, [task.points] * 3, dtype=float, grid=[-1])

        def three(*, spectra: bool) -> list[Any]:
            return [made.newDistArray(self.fft, spectra, rank=1) for _ in range(3)]

        self.u, self.curl, self.force = three(spectra=False)
        self.v, self.w, self.change = three(spectra=True)

    def waves(self, points: int) -> tuple[Array, Array]:
        """The wave numbers of the spectra here, and which of them are kept."""
        full, half = np.fft.fftfreq(points, 1 / points), np.fft.rfftfreq(points, 1 / points)
        x, y, z = self.v.local_slice()[1:]
        k = np.array(np.meshgrid(full[x], full[y], half[z], indexing="ij"))
        return k, np.all(abs(k) < points / 3, axis=0)


def _theirs(
    task: Vortex, name: str, our: _Theirs, transformed: Callable[[_Theirs, Array, Array], None]
) -> Contender:
    found: list[float] = []
    fft, u, v, change = our.fft, our.u, our.v, our.change

    def work() -> None:
        points = task.points
        u[0], u[1], u[2] = _vortex(points, np.ogrid[u.local_slice()[1:]])
        for i in range(3):
            v[i] = fft.forward(u[i])
        k, kept = our.waves(points)
        squares = (k * k).sum(axis=0)
        along = k / np.where(squares == 0, 1, squares)

        def slope(v: Array) -> Array:
            transformed(our, k, v)
            made: Array = change * kept
            made -= along * (k * made).sum(axis=0)
            made -= VISCOSITY * squares * v
            return made

        for _ in range(STEPS):
            stage = before = v.copy()
            for share, ahead in STAGES:
                step = STEP * slope(stage)
                v[:], stage = v + share * step, before + ahead * step
        for i in range(3):
            u[i] = fft.backward(v[i])
        found[:] = [task.comm.allreduce(float((u * u).sum())) / points**3 / 2]

    return Contender(f"mpi4py-fft, {name}", work, lambda: task.right(found[0]))


def _by_vectors(our: _Theirs, k: Array, v: Array) -> None:
    rotated = 1j * np.cross(k, v, axis=0)
    for i in range(3):
        our.u[i] = our.fft.backward(v[i])
        our.w[i] = rotated[i]
        our.curl[i] = our.fft.backward(our.w[i])
    our.force[:] = np.cross(our.u, our.curl, axis=0)
    for i in range(3):
        our.change[i] = our.fft.forward(our.force[i])


def _by_components(our: _Theirs, k: Array, v: Array) -> None:
    for i, part in enumerate(_cross(k, v)):
        our.u[i] = our.fft.backward(v[i])
        our.curl[i] = our.fft.backward(1j * part)
    for i, part in enumerate(_cross(our.u, our.curl)):
        our.change[i] = our.fft.forward(part)


def _alone(points: int) -> float:
    """The energy after the steps, by numpy.fft on the whole box."""
    axes = (1, 2, 3)
    u = np.array(np.broadcast_arrays(*_vortex(points, np.ogrid[(slice(points),) * 3])))
    v = np.fft.rfftn(u, axes=axes)
    full, half = np.fft.fftfreq(points, 1 / points), np.fft.rfftfreq(points, 1 / points)
    k = np.array(np.meshgrid(full, full, half, indexing="ij"))
    squares = (k * k).sum(axis=0)
    kept = (abs(k) < points / 3).all(axis=0)

    def slope(v: Array) -> Array:
        u, curl = (np.fft.irfftn(c, axes=axes) for c in (v, 1j * np.cross(k, v, axis=0)))
        made = np.fft.rfftn(np.cross(u, curl, axis=0), axes=axes) * kept
        pressure = (k * made).sum(axis=0) / np.where(squares == 0, 1, squares)
        answer: Array = made - k * pressure - VISCOSITY * squares * v
        return answer

    for _ in range(STEPS):
        stage = before = v
        for share, ahead in STAGES:
            step = STEP * slope(stage)
            v, stage = v + share * step, before + ahead * step
    u = np.fft.irfftn(v, axes=axes)
    return float((u * u).sum()) / points**3 / 2
