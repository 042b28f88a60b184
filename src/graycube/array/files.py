"""Arrays on disk: one ``.npy`` file in natural order, which NumPy and many others read.

Rule: it is written under another name beside the old file and takes its place at the end, so a
reader finds the old array or the new one. Every rank writes and reads its own elements only.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from graycube.array.ranks import facts_of, nodes_here, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.runtime import mpi

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from graycube.runtime.agreement import Facts

_Blocks = NDArray[Any]


def save(path: str | Path, blocks: _Blocks, layout: Layout, comm: "Intracomm | None") -> None:
    """Write the blocks of all nodes as one array; collective."""
    target, over = Path(path), spread(comm)
    beside = target.with_name(f".{target.name}.part")

    def begin() -> "tuple[int, Facts]":
        require_plain(blocks.dtype)
        facts = {**facts_of("save", layout, blocks), "path": target}
        if over is not None and over.rank:
            return 0, facts
        return _header(beside, target, (*layout.shape, *blocks.shape[2:]), blocks.dtype), facts

    try:
        start = together(comm, begin)
        if over is None:
            with beside.open("ab") as file:
                layout.gather(blocks).tofile(file)
        else:
            start = over.bcast(start)
            together(over, lambda: _write_own(beside, start, blocks, layout, over))
        if over is None or over.rank == 0:
            beside.replace(target)
    finally:
        if over is None or over.rank == 0:
            beside.unlink(missing_ok=True)
    if over is not None:
        over.Barrier()  # so that all of it is there on every rank


def load(path: str | Path, layout: Layout, comm: "Intracomm | None") -> _Blocks:
    """The blocks that are in this process, of an array on disk; collective."""

    def prepare() -> "tuple[_Blocks, Facts]":
        nodes = nodes_here(layout, comm)
        try:
            whole = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            raise InvalidValueError(
                f"{path} cannot be read as an array ({error})",
                "it must be a .npy file of numbers",
                "write it with numpy.save, or CubeArray.save",
            ) from error
        blocks = np.array(layout.scatter(whole, nodes))
        return blocks, {**facts_of("load", layout, blocks), "path": path}

    return together(comm, prepare)


def _header(beside: Path, target: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Begin the file; the number of bytes before the data."""
    if target.is_dir() or not target.parent.is_dir():
        raise InvalidValueError(
            f"cannot write {target}",
            "it must name a file in a folder that exists",
            "check the path",
        )
    with beside.open("xb") as file:  # never the file of another writer
        npy.write_array_header_2_0(
            file,
            {
                "descr": npy.dtype_to_descr(dtype),
                "fortran_order": False,
                "shape": tuple(int(length) for length in shape),
            },
        )
        return file.tell()


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
