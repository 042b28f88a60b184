"""Arrays on disk: one ``.npy`` file in natural order, which NumPy and many others read.

Rule: it is written under another name beside the old file and takes its place at the end, so a
reader finds the old array or the new one. Every rank writes and reads its own elements only.
"""

import os
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from graycube.array.ranks import facts_of, nodes_here, require_layout, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.runtime import mpi
from graycube.whole_files import require_writable

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.runtime.agreement import Facts

_Blocks = NDArray[Any]


def save(path: str | Path, blocks: _Blocks, layout: Layout, comm: "Intracomm | None") -> None:
    """Write the blocks of all nodes as one array; collective."""
    over = spread(comm)
    first = over is None or over.rank == 0
    began: list[Path] = []

    def begin() -> "tuple[Path, Facts]":
        require_plain(blocks.dtype)
        target = require_writable(path)
        if first:
            beside = target.with_name(f".{token_hex(8)}.part")
            beside.open("xb").close()  # never the file of another writer
            began.append(beside)
        return target, {**facts_of("save", layout, blocks), "path": path}

    try:
        target = together(comm, begin)
        if over is None:
            with began[0].open("wb") as file:
                np.save(file, layout.gather(blocks))
        else:
            _write_together(began, blocks, layout, over)
        together(comm, lambda: _finish(began, target))  # then it is there for every rank
    finally:
        for beside in began:
            beside.unlink()


def load(path: str | Path, layout: Layout, comm: "Intracomm | None") -> _Blocks:
    """The blocks that are in this process, of an array on disk; collective."""

    def prepare() -> "tuple[_Blocks, Facts]":
        nodes = nodes_here(require_layout(layout), comm)
        blocks = np.array(layout.scatter(_opened(Path(path)), nodes))
        return blocks, {**facts_of("load", layout, blocks), "path": path}

    return together(comm, prepare)


def _finish(began: list[Path], target: Path) -> "tuple[None, Facts]":
    """The new file takes the place of the old one, on the rank that began it."""
    for beside in began:
        beside.replace(target)
    began.clear()
    return None, {}


def _opened(path: Path) -> _Blocks:
    """The array in a file, of which only what is used is read."""
    try:
        if path.stat().st_size and npy.open_memmap(path, mode="r").size:
            return npy.open_memmap(path, mode="r")
    except ValueError as error:
        if "mmap" not in str(error):  # an array of no elements cannot be mapped
            raise _unreadable(path, error) from error
    try:
        with path.open("rb") as file:
            whole: _Blocks = npy.read_array(file, allow_pickle=False)
    except ValueError as error:
        raise _unreadable(path, error) from error
    return whole


def _unreadable(path: Path, error: ValueError) -> InvalidValueError:
    return InvalidValueError(
        f"{path} cannot be read as an array ({error})",
        "it must be a .npy file of numbers",
        "write it with numpy.save, or CubeArray.save",
    )


def _write_together(
    began: list[Path], blocks: _Blocks, layout: Layout, comm: "Intracomm"
) -> None:
    """Every rank its own elements, to the file that the first rank began."""

    def head() -> "tuple[tuple[Path, int] | None, Facts]":
        if not began:
            return None, {}
        shape = (*layout.shape, *blocks.shape[2:])
        made = npy.open_memmap(began[0], mode="w+", dtype=blocks.dtype, shape=shape)
        return (began[0], int(made.offset)), {}

    beside, start = comm.bcast(together(comm, head))
    if blocks.size:
        together(comm, lambda: _write_own(beside, start, blocks, layout, comm))


def _write_own(
    beside: Path, start: int, blocks: _Blocks, layout: Layout, comm: "Intracomm"
) -> "tuple[None, Facts]":
    """Write the elements of this rank where they belong."""
    MPI = mpi()  # noqa: N806 - as everybody calls it
    index = layout.index(np.array(comm.rank), np.arange(layout.block_size))
    order = np.argsort(index)
    data = np.ascontiguousarray(blocks[0][order])
    size = data.nbytes // len(data)
    first, lengths = _runs(index[order])
    element = MPI.BYTE.Create_contiguous(size).Commit()
    places = element.Create_hindexed(lengths, (first * size).tolist()).Commit()
    file = MPI.File.Open(comm, os.fspath(beside), MPI.MODE_WRONLY)
    try:
        file.Set_view(start, element, places)
        file.Write_all([data.reshape(-1).view(np.uint8), len(data), element])
    finally:
        file.Close()
        places.Free()
        element.Free()
    return None, {}


def _runs(index: IntArray) -> tuple[IntArray, list[int]]:
    """The first of every run of ascending numbers, and how many it has."""
    starts = np.flatnonzero(np.diff(index, prepend=index[0] - 2) != 1)
    return index[starts], np.diff(starts, append=len(index)).tolist()
