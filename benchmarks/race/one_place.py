"""What the first two axes of a transform cost: through memory of one's own, or in one place.

    race/bin/mpiexec -n 4 race/bin/python benchmarks/race/one_place.py [POINTS...]

The planes of a rank are transformed along the last axis, and then along the one before it, and
are where all ranks see them in the end: by two plans of FFTW's or one, or plane by plane. Then
they come back.
"""

import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import ducc0
import numpy as np
import pyfftw
from mpi4py import MPI

from graycube.run.windows import windows

ROUNDS = 21
Work = tuple[Callable[[], object], ...]


def fftw(source: Any, target: Any, *axes: int, back: bool = False) -> Callable[[], object]:  # noqa: ANN401
    way = "FFTW_BACKWARD" if back else "FFTW_FORWARD"
    flags = "FFTW_MEASURE", *["FFTW_DESTROY_INPUT"] * back
    plan: Callable[[], object] = pyfftw.FFTW(
        source, target, axes=axes, direction=way, flags=flags
    ).execute
    return plan


def ducc(source: Any, target: Any, axis: int) -> Callable[[], object]:  # noqa: ANN401
    kind = ducc0.fft.c2c if source.dtype.kind == "c" else ducc0.fft.r2c
    return partial(kind, source, axes=(axis,), out=target)


def works(comm: MPI.Intracomm, points: int, *, real: bool) -> dict[str, Work]:
    planes, values = points // comm.size, points // 2 + 1 if real else points
    shape = (planes, points, values)
    source = pyfftw.empty_aligned((planes, points, points), float if real else complex)
    own, seen = (pyfftw.empty_aligned(shape, complex) for _ in range(2))
    shared = windows(comm)
    if shared is not None and shared.reserve(comm.size * seen.nbytes):
        mine = shared.buffers[0][comm.rank * seen.nbytes :][: seen.nbytes]
        seen = mine.view(complex).reshape(shape)
    found: dict[str, Work] = {
        "FFTW, own memory": (fftw(source, own, 2), fftw(own, seen, 1)),
        "FFTW, one place": (fftw(source, seen, 2), fftw(seen, seen, 1)),
        "FFTW, one plan": (fftw(source, seen, 1, 2),),
        "FFTW, planes": tuple(
            plan
            for x, y in zip(source, seen, strict=True)
            for plan in (fftw(x, y, 1), fftw(y, y, 0))
        ),
        "FFTW, back": (fftw(seen, seen, 1, back=True), fftw(seen, source, 2, back=True)),
        "FFTW, back, one plan": (fftw(seen, source, 1, 2, back=True),),
        "ducc0, own memory": (ducc(source, own, 2), ducc(own, seen, 1)),
        "ducc0, one place": (ducc(source, seen, 2), ducc(seen, seen, 1)),
    }
    source[...] = np.linspace(0, 1, source.size).reshape(source.shape)
    return found


def main(*sizes: str) -> None:
    comm = MPI.COMM_WORLD
    for points in map(int, sizes or ("64", "96", "128")):
        for real in (True, False):
            timed = works(comm, points, real=real)
            seconds: dict[str, list[float]] = {name: [] for name in timed}
            for _ in range(ROUNDS):
                for name, work in timed.items():
                    comm.Barrier()
                    start = perf_counter()
                    for call in work:
                        call()
                    seconds[name].append(comm.allreduce(perf_counter() - start, MPI.MAX))
            if comm.rank == 0:
                kind = "real" if real else "complex"
                told = (f"{name} {1e3 * median(t):.3f} ms" for name, t in seconds.items())
                print(f"{points}^3 {kind}, {comm.size} ranks: {', '.join(told)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
