"""What is transformed and moved: data that any rank can make, and the right answers."""

import atexit
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from mpi4py import MPI

Array = np.ndarray[Any, Any]


def points(start: int, count: int) -> Array:
    """Random complex numbers start, ..., start + count - 1 of one endless sequence."""
    skip, extra = divmod(2 * start, 4)
    generator = np.random.Generator(np.random.Philox(key=20).advance(skip))
    return generator.random(extra + 2 * count)[extra:].view("complex128")


def collect(comm: MPI.Intracomm, mine: Array) -> Array | None:
    """The blocks of all ranks, in rank order, on rank 0."""
    blocks = comm.gather(np.ascontiguousarray(mine).reshape(-1))
    return None if blocks is None else np.concatenate(blocks)


def close(got: Array, wanted: Array) -> bool:
    return bool(np.abs(got - wanted).max() <= 1e-11 * np.abs(wanted).max())


def close_in_some_order(got: Array, wanted: Array) -> bool:
    """Do both have the same values? Sorting moves no value by more than the largest error."""
    return all(
        close(np.sort(got.real + slope * got.imag), np.sort(wanted.real + slope * wanted.imag))
        for slope in (0.7, -1.3)
    )


@dataclass
class Transform:
    """A complex128 transform of this shape over all axes, not scaled."""

    comm: MPI.Intracomm
    shape: tuple[int, ...]
    whole: Array = field(init=False)  # all points; all ranks see the same memory
    spectrum: Array | None = field(init=False)  # on rank 0

    def __post_init__(self) -> None:
        count, root = prod(self.shape), self.comm.rank == 0
        window = MPI.Win.Allocate_shared(16 * count * root, comm=self.comm)
        atexit.register(window.Free)
        memory: Any = window.Shared_query(0)[0]
        self.whole = np.frombuffer(memory, np.complex128).reshape(self.shape)
        if root:
            self.whole[...] = points(0, count).reshape(self.shape)
        self.spectrum = np.fft.fftn(self.whole) if root else None
        self.comm.Barrier()

    def share(self) -> tuple[int, int]:
        """First point and number of points of this rank, in consecutive blocks."""
        count = prod(self.shape) // self.comm.size
        return self.comm.rank * count, count

    def block(self) -> Array:
        """The points of this rank."""
        return points(*self.share())

    def right(self, result: Array | None, *, ordered: bool = True) -> bool:
        """Is the result, on rank 0, the spectrum? Other ranks have no opinion."""
        if self.spectrum is None or result is None:
            return self.comm.rank > 0
        same = close if ordered else close_in_some_order
        return same(result.reshape(-1), self.spectrum.reshape(-1))


@dataclass
class Move:
    """Blocks in Gray order of the ranks are wanted in rank order."""

    comm: MPI.Intracomm
    nbytes: int

    def __post_init__(self) -> None:
        rank = self.comm.rank
        self.source = rank ^ rank >> 1  # the rank that holds block number `rank`
        self.destination = rank  # the number of the block that this rank holds
        for shift in (1, 2, 4, 8, 16):
            self.destination ^= self.destination >> shift

    def block(self, number: int) -> Array:
        """What block `number` holds."""
        return np.arange(self.nbytes // 8, dtype="int64") + (number << 32)

    def right(self, got: Array) -> bool:
        """Whether this rank got the block of its own number."""
        return np.array_equal(got.reshape(-1), self.block(self.comm.rank))


@dataclass
class Halo:
    """One row or column from each of four neighbours on a periodic mesh of float64."""

    comm: MPI.Intracomm
    side: int

    def __post_init__(self) -> None:
        dims = MPI.Compute_dims(self.comm.size, 2)
        self.cart = self.comm.Create_cart(dims, periods=[True, True])
        self.extent = tuple(self.side // length for length in dims)

    def field(self) -> Array:
        """The block of this rank with a border, which is not filled yet."""
        bordered = np.full([length + 2 for length in self.extent], -1.0)
        bordered[1:-1, 1:-1] = self.wanted()[1:-1, 1:-1]
        return bordered

    def wanted(self) -> Array:
        """The block of this rank with its border."""
        rows, columns = (
            np.arange(at * length - 1, (at + 1) * length + 1) % self.side
            for at, length in zip(self.cart.coords, self.extent, strict=True)
        )
        values: Array = (rows[:, None] * self.side + columns).astype("float64")
        return values

    def right(self, bordered: Array) -> bool:
        """The corners are nobody's: a stencil of five points does not read them."""
        wanted = self.wanted()
        wanted[[0, 0, -1, -1], [0, -1, 0, -1]] = bordered[[0, 0, -1, -1], [0, -1, 0, -1]]
        return np.array_equal(wanted, bordered)
