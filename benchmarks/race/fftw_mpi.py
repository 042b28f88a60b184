"""FFTW-MPI by ctypes, on the MPI that mpi4py has loaded, and its wisdom kept between runs."""

import ctypes
import ctypes.util
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from contest import Contender, NotThereError
from launch import scratch
from mpi4py import MPI
from tasks import Array, Transform, collect

SCRAMBLED, TRANSPOSED = 1 << 28, 1 << 30  # the output, as fftw3-mpi.h says
LONG = ctypes.c_ssize_t
VARIANTS_1D = {
    "FFTW-MPI, natural order": (0, False),
    "FFTW-MPI, natural order, two arrays": (0, True),
    "FFTW-MPI, scrambled": (SCRAMBLED, False),
    "FFTW-MPI, scrambled, two arrays": (SCRAMBLED, True),
}
VARIANTS_ND = {
    "FFTW-MPI, natural order": (0, False),
    "FFTW-MPI, transposed": (TRANSPOSED, False),
}


def loaded_mpis() -> set[str]:
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = {Path(line.split()[-1]) for line in lines if "/" in line}
    names = ("libmpi.so", "libmpich.so", "libmpi_abi.so")
    return {str(path.resolve()) for path in paths if path.name.startswith(names)}


def load() -> ctypes.CDLL:
    name = ctypes.util.find_library("fftw3_mpi")
    if name is None:
        raise NotThereError("FFTW-MPI: no shared library fftw3_mpi")
    library = ctypes.CDLL(name)
    if len(loaded_mpis()) != 1:
        raise NotThereError("FFTW-MPI is linked with another MPI than mpi4py: see README.md")
    library.fftw_mpi_init()
    library.fftw_mpi_plan_dft.restype = ctypes.c_void_p
    for name in ("local_size_1d", "local_size", "local_size_transposed"):
        getattr(library, f"fftw_mpi_{name}").restype = LONG
    return library


def handle(comm: MPI.Intracomm) -> Any:  # noqa: ANN401  # an integer or a pointer, as MPI likes
    kind = ctypes.c_int if MPI._sizeof(comm) == 4 else ctypes.c_void_p  # noqa: SLF001
    return kind.from_address(MPI._addressof(comm))  # noqa: SLF001


def aligned(count: int) -> Array:
    room = np.zeros(count + 4, "complex128")
    skip = -room.ctypes.data // 16 % 4
    return room[skip : skip + count]


class Wisdom:
    """Plans remembered in a file for this number of ranks: measuring them takes minutes."""

    def __init__(self, library: ctypes.CDLL, comm: MPI.Intracomm) -> None:
        self.fftw, self.comm = library, comm
        vendor = MPI.get_vendor()[0].replace(" ", "")
        self.path = str(scratch() / f"{vendor}-{comm.size}.wisdom").encode()
        if comm.rank == 0:
            library.fftw_import_wisdom_from_filename(self.path)
        library.fftw_mpi_broadcast_wisdom(handle(comm))

    def keep(self) -> None:
        """Write down what all ranks have learnt."""
        self.fftw.fftw_mpi_gather_wisdom(handle(self.comm))
        if self.comm.rank == 0:
            self.fftw.fftw_export_wisdom_to_filename(self.path)


class Plan:
    """One measured plan with its arrays."""

    def __init__(
        self, library: ctypes.CDLL, task: Transform, variant: tuple[int, bool]
    ) -> None:
        self.fftw, self.task = library, task
        self.flags, apart = variant
        self.lengths = (LONG * len(task.shape))(*task.shape)
        count = self.size()
        self.given = aligned(count)
        self.result = aligned(count) if apart else self.given
        pointers = [
            array.ctypes.data_as(ctypes.c_void_p) for array in (self.given, self.result)
        ]
        self.plan = ctypes.c_void_p(
            library.fftw_mpi_plan_dft(
                len(task.shape), self.lengths, *pointers, handle(task.comm), -1, self.flags
            )
        )

    def size(self) -> int:
        """Points to allocate; learns how many points come in and go out on this rank."""
        held = [LONG() for _ in range(4)]
        places = [ctypes.byref(number) for number in held]
        where = handle(self.task.comm)
        rest = prod(self.task.shape[1:])
        if len(self.lengths) == 1:
            local = self.fftw.fftw_mpi_local_size_1d
            total = local(self.lengths[0], where, -1, self.flags, *places)
        elif self.flags & TRANSPOSED:
            local = self.fftw.fftw_mpi_local_size_transposed
            total = local(len(self.lengths), self.lengths, where, *places)
        else:
            local = self.fftw.fftw_mpi_local_size
            total = local(len(self.lengths), self.lengths, where, *places[:2])
            held[2:] = held[:2]
        self.start, self.count = held[1].value * rest, held[0].value * rest
        across = rest // self.lengths[1] * self.lengths[0] if self.flags & TRANSPOSED else rest
        self.out = held[2].value * across
        return int(total)

    def whole(self) -> Array | None:
        """The result on rank 0; in scrambled order, if that is what the plan makes."""
        result = collect(self.task.comm, self.result[: self.out])
        if result is None or not self.flags & TRANSPOSED:
            return result
        first, second, *rest = self.task.shape
        return result.reshape(second, first, *rest).swapaxes(0, 1)

    def contender(self, name: str, points: Callable[[int, int], Array]) -> Contender:
        """The plan in a contest, on these points."""
        mine = points(self.start, self.count)
        ordered = not self.flags & SCRAMBLED
        return Contender(
            name=name,
            ready=lambda: np.copyto(self.given[: self.count], mine),
            work=lambda: self.fftw.fftw_execute(self.plan),
            right=lambda: self.task.right(self.whole(), ordered=ordered),
        )


def contenders(task: Transform, points: Callable[[int, int], Array]) -> list[Contender]:
    library = load()
    wisdom = Wisdom(library, task.comm)
    variants = VARIANTS_1D if len(task.shape) == 1 else VARIANTS_ND
    plans = {name: Plan(library, task, variant) for name, variant in variants.items()}
    wisdom.keep()
    missing = [name for name, plan in plans.items() if not plan.plan.value]
    if missing and task.comm.rank == 0:  # one rank, or too few points, have no scrambled order
        print("  no such plan:", "; ".join(missing))
    return [plan.contender(k, points) for k, plan in plans.items() if k not in missing]
