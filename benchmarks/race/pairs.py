"""Transforms forward and back: bound and called, by memory and by messages, and by others.

Both ways are scaled so that the data come back, and they are not copied in.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any
from unittest.mock import patch

import numpy as np
from contest import Contender
from mpi4py import MPI
from rivals import optional
from tasks import Array, Transform

import graycube as gc
from graycube.fourier.bind import BoundCall
from graycube.run.windows import windows

LINES = "lines alone, FFTW"


@dataclass(frozen=True)
class Pair:
    """There and back again, of real or complex data in slabs."""

    comm: MPI.Intracomm
    shape: tuple[int, ...]
    real: bool

    def mine(self) -> Array:
        """The slab of this rank."""
        rng = np.random.default_rng(7)
        whole = rng.standard_normal(self.shape)
        if not self.real:
            whole = whole + 1j * rng.standard_normal(self.shape)
        part = self.shape[0] // self.comm.size
        mine: Array = whole[self.comm.rank * part :][:part].copy()
        return mine

    def right(self, spectrum: Array, found: Array) -> bool:
        """Whether the data are back, and something has happened meanwhile."""
        return np.allclose(found, self.mine()) and bool(np.abs(spectrum).max() > 10)


def by_messages(comm: MPI.Intracomm) -> MPI.Intracomm:
    """A duplicate whose ranks share no memory."""
    over = comm.Dup()
    with patch.dict(os.environ, GRAYCUBE_WINDOWS="0"):
        windows(over)
    return over


def ours(task: Pair) -> list[Contender]:
    names = {"memory": task.comm, "messages": by_messages(task.comm)}
    kinds = (bound, called, planned, *(() if task.real else (in_place,)))
    return [kind(task, over, name) for kind in kinds for name, over in names.items()]


def array(task: Pair, comm: MPI.Intracomm) -> gc.CubeArray:
    nodes = (comm.size, *(1,) * (len(task.shape) - 1))
    layout = gc.Layout.mesh(task.shape, nodes, code="gray")
    whole = np.concatenate(task.comm.allgather(task.mine()))
    return gc.CubeArray.from_numpy(whole, layout, comm)


def ways(task: Pair) -> tuple[Callable[..., gc.CubeArray], Callable[..., gc.CubeArray]]:
    return (gc.rfftn, gc.irfftn) if task.real else (gc.fftn, gc.ifftn)


def bound(task: Pair, comm: MPI.Intracomm, name: str, **options: Any) -> Contender:  # noqa: ANN401
    """The result is where the points were, as in the plain programs."""
    forward, _ = ways(task)
    u = array(task, comm)
    return repeated(task, u, gc.bind(forward, u, **options), name, **options)


def planned(task: Pair, comm: MPI.Intracomm, name: str) -> Contender:
    """By FFTW, which mpi4py-fft has, too."""
    return bound(task, comm, f"FFTW, {name}", fftw="measure")


def in_place(task: Pair, comm: MPI.Intracomm, name: str) -> Contender:
    """The spectrum is there, too."""
    u = array(task, comm)
    points = u.blocks.copy()
    spectrum = gc.CubeArray(u.blocks, gc.fftn(u).layout, comm)
    there = gc.bind(gc.fftn, u, out=spectrum, fftw="measure")
    u.blocks[...] = points
    there.run()
    return repeated(task, u, there, f"FFTW, in place, {name}", fftw="measure")


def repeated(
    task: Pair,
    u: gc.CubeArray,
    there: BoundCall,
    name: str,
    **options: Any,  # noqa: ANN401
) -> Contender:
    _, inverse = ways(task)
    back = gc.bind(inverse, there.result, out=u, **options)
    whole = u.to_numpy()

    def work() -> None:
        there.run()
        back.run()

    def right() -> bool:
        there.run()
        happened = bool(np.abs(there.result.blocks).max() > 10)
        back.run()
        return happened and np.allclose(u.to_numpy(), whole)

    return Contender(f"graycube, bound, {name}", work, right)


def called(task: Pair, comm: MPI.Intracomm, name: str) -> Contender:
    forward, back = ways(task)
    u = array(task, comm)
    found: list[gc.CubeArray] = []

    def work() -> None:
        found[:] = [back(forward(u))]

    def right() -> bool:
        return np.allclose(found[0].to_numpy(), u.to_numpy())

    return Contender(f"graycube, called, {name}", work, right)


def plain(task: Pair) -> list[Contender]:
    """As one would write it: SciPy or ducc0 in memory, and Alltoall on packed blocks."""
    comm, mine = task.comm, task.mine()
    p = comm.size
    inner = tuple(range(1, mine.ndim))
    ducc = optional("ducc0").fft
    last = task.shape[-1]
    if task.real:
        half = partial(ducc.r2c, axes=inner)
        whole = partial(ducc.c2r, axes=inner, lastsize=last, forward=False, inorm=2)
    else:
        half = partial(ducc.c2c, axes=inner)
        whole = partial(ducc.c2c, axes=inner, forward=False, inorm=2)
    spectrum, result = [mine], [mine]
    columns = half(mine).shape[1]

    def turned(x: Array, split: int, joined: int) -> Array:
        if columns % p:
            return np.concatenate(comm.alltoall(np.array_split(x, p, split)), joined)
        packed = np.ascontiguousarray(np.stack(np.split(x, p, split)))
        got = np.empty_like(packed)
        comm.Alltoall(packed, got)
        return np.concatenate(list(got), joined)

    def work() -> None:
        lines = turned(half(mine), 1, 0)
        spectrum[0] = ducc.c2c(lines, axes=(0,), out=lines)
        lines = ducc.c2c(lines, axes=(0,), forward=False, inorm=2)
        result[0] = whole(turned(lines, 0, 1))

    return [Contender("plain mpi4py", work, lambda: task.right(spectrum[0], result[0]))]


def alone(task: Pair) -> list[Contender]:
    """Not a contender: ducc0 on lines that are all here, which are those of another rank's."""
    mine, ducc = task.mine(), optional("ducc0").fft
    inner = tuple(range(1, mine.ndim))
    there, back, options = ducc.c2c, ducc.c2c, {}
    if task.real:
        there, back, options = ducc.r2c, ducc.c2r, {"lastsize": task.shape[-1]}
    half = there(mine, inner)
    rows = -(-half.shape[1] // task.comm.size)
    lines = np.zeros((task.shape[0], rows, *half.shape[2:]), complex)
    found = np.empty_like(mine)

    def work() -> None:
        there(mine, inner, out=half)
        ducc.c2c(lines, (0,), out=lines)
        ducc.c2c(lines, (0,), forward=False, inorm=2, out=lines)
        back(half, inner, forward=False, inorm=2, out=found, **options)
        task.comm.Barrier()  # else ranks that have no processor yet would begin to count late

    return [Contender("lines alone", work, lambda: np.allclose(found, mine))]


@dataclass(frozen=True)
class Planned:
    """What a plain program by FFTW is made of: its room and its plans."""

    held: Array
    half: Array
    lines: Array
    widths: list[int]  # of the blocks that each rank gets
    there: Callable[[], object]
    along: Callable[[], object]
    backwards: Callable[[], object]
    back: Callable[[], object]


def plans(task: Pair) -> Planned:
    mine, made = task.mine(), optional("pyfftw")
    inner = tuple(range(1, mine.ndim))
    values = task.shape[-1] // 2 + 1 if task.real else task.shape[-1]
    held = made.empty_aligned(mine.shape, mine.dtype)
    half = made.empty_aligned((*mine.shape[:-1], values), complex)
    widths = [*map(len, np.array_split(range(half.shape[1]), task.comm.size))]
    shape = (task.shape[0], widths[task.comm.rank], *half.shape[2:])
    lines = made.empty_aligned(shape, complex)
    flags = ("FFTW_MEASURE", *(("FFTW_DESTROY_INPUT",) if task.real else ()))
    there = made.FFTW(held, half, inner, flags=flags[:1])
    along = made.FFTW(lines, lines, (0,), flags=flags[:1])
    backwards = made.FFTW(lines, lines, (0,), direction="FFTW_BACKWARD", flags=flags[:1])
    back = made.FFTW(half, held, inner, direction="FFTW_BACKWARD", flags=flags)
    held[...], lines[...] = mine, 0
    works = (plan.execute for plan in (there, along, backwards, back))
    return Planned(held, half, lines, widths, *works)


def plain_fftw(task: Pair) -> list[Contender]:
    """The same with plans of FFTW's, and room that is there already."""
    comm, by = task.comm, plans(task)
    held, half, lines = by.held, by.half, by.lines
    packed, cuts = np.empty(half.size, complex), np.cumsum(by.widths)[:-1]
    row = half.size // half.shape[1]
    leaving = [
        part.reshape(len(held), -1, *half.shape[2:]) for part in np.split(packed, row * cuts)
    ]
    blocks = np.split(half, cuts, 1)
    going = [packed, [row * width for width in by.widths]]
    coming = [lines, [lines.size // comm.size] * comm.size]
    even = len({*by.widths}) == 1

    def exchange(given: list[Any], got: list[Any]) -> None:
        if even:
            comm.Alltoall(given[0], got[0])
        else:
            comm.Alltoallv(given, got)

    def work() -> None:
        by.there()
        for part, block in zip(leaving, blocks, strict=True):
            np.copyto(part, block)
        exchange(going, coming)
        by.along()
        by.backwards()
        exchange(coming, going)
        for part, block in zip(leaving, blocks, strict=True):
            np.copyto(block, part)
        by.back()
        np.multiply(held, 1 / np.prod(task.shape), held)

    return [Contender("plain mpi4py, FFTW", work, lambda: task.right(lines * comm.size, held))]


def alone_fftw(task: Pair) -> list[Contender]:
    """Not a contender either: the plans of the plain program, without exchange and scaling."""
    by, mine = plans(task), task.mine()

    def work() -> None:
        by.there()
        by.along()
        by.backwards()
        by.back()
        task.comm.Barrier()

    def right() -> bool:
        np.copyto(by.held, mine)
        work()
        right = np.allclose(by.held, mine * prod(mine.shape[1:]))
        by.held[...] = 0  # or it would grow with every run
        return right

    return [Contender(LINES, work, right)]


def there_alone(task: Transform) -> list[Contender]:
    """The same of slabs that do not come back."""
    by = plans(Pair(task.comm, task.shape, real=False))
    mine = task.block().reshape(by.held.shape)
    wanted = np.fft.fftn(mine, axes=range(1, mine.ndim))

    def work() -> None:
        by.there()
        by.along()
        task.comm.Barrier()

    def right() -> bool:
        return np.allclose(by.half, wanted)

    return [Contender(LINES, work, right, lambda: np.copyto(by.held, mine))]


def mpi4py_fft(task: Pair) -> list[Contender]:
    plans: Any = optional("mpi4py_fft").PFFT
    dtype = "float64" if task.real else "complex128"
    options = {"dtype": dtype, "grid": [-1], "flags": ("FFTW_MEASURE",)}
    plan = plans(task.comm, task.shape, **options)
    plan.forward.input_array[...] = task.mine()

    def work() -> None:
        plan.forward()
        plan.backward()

    def right() -> bool:
        output, back = plan.forward.output_array, plan.backward.output_array
        return task.right(output * np.prod(task.shape), back)

    return [Contender("mpi4py-fft, slabs", work, right)]
