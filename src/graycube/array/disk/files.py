"""Arrays on disk: one ``.npy`` file in natural order, which NumPy and many others read.

Rule: it is written under another name beside the old file and takes its place at the end. So a
reader finds the old array or the new one. Every rank writes a stretch of it, and reads its own
elements.
"""

import os
from ast import literal_eval
from math import prod
from pathlib import Path
from secrets import token_hex
from stat import S_ISREG
from typing import Any, BinaryIO, Literal
from warnings import catch_warnings

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from graycube.array.disk.meanwhile import undisturbed
from graycube.array.moving import straight
from graycube.array.ranks import facts_of, nodes_here, require_layout, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError
from graycube.layout import Ownership
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.placement import Placement
from graycube.run.agreement import Facts
from graycube.run.mpi import Comm
from graycube.whole_files import at_once, named, replaced, require_path, require_writable

_Blocks = NDArray[Any]
MAX_HEADER = 10_000  # bytes, as NumPy has it
_VERSIONS = {b"\1\0": (2, "latin1"), b"\2\0": (4, "latin1"), b"\3\0": (4, "utf-8")}
"""How many bytes say how long the header is, and its encoding."""


def save(
    path: str | Path,
    blocks: _Blocks,
    layout: Placement,
    comm: Comm | None,
    attributes: object = None,
) -> None:
    """Write the blocks of all nodes as one array; collective."""
    over = spread(comm)
    first = over is None or over.rank == 0
    began: list[Path] = []

    def begin() -> tuple[Path, Facts]:
        require_plain(blocks.dtype)
        if attributes is not None:
            raise InvalidValueError(
                f"{path} is to have attributes",
                "a .npy file has none",
                "save a store, with a name that ends with .zarr",
            )
        target = require_writable(path)
        if (ending := require_path(path).suffix) not in {"", ".npy"}:
            raise InvalidValueError(
                f"{path} ends with {ending}",
                "arrays are saved as .npy files or .zarr stores",
                "take such a name; for other formats write u.local of each rank at u.slices",
            )
        if first:
            beside = target.with_name(f".{token_hex(8)}.part")
            with named(path):
                beside.open("xb").close()  # never the file of another writer
            began.append(beside)
        return target, {**facts_of("save", layout, blocks), "path": path}

    try:
        target = together(comm, begin)
        if over is None:
            with began[0].open("wb") as file:
                np.save(file, layout.gather(blocks))
        else:
            _write_together(path, began, blocks, layout, over)
        together(comm, lambda: _finish(began, target))  # then it is there for every rank
    finally:
        for beside in began:
            beside.unlink()


def load(path: str | Path, layout: Placement, comm: Comm | None) -> _Blocks:
    """The blocks that are in this process, of an array on disk; collective."""

    def prepare() -> tuple[_Blocks, Facts]:
        nodes = nodes_here(require_layout(layout), comm)
        blocks = np.array(layout.scatter(_opened(require_path(path), layout), nodes))
        return blocks, {**facts_of("load", layout, blocks), "path": path}

    if spread(comm) is None:  # a file is opened once, and stays what it was
        return together(comm, prepare)
    return undisturbed(path, comm, lambda: together(comm, prepare))


def _finish(began: list[Path], target: Path) -> tuple[None, Facts]:
    """The new file takes the place of the old one, on the rank that began it."""
    for beside in began:
        replaced(beside, target)
    began.clear()
    return None, {}


def _opened(path: Path, layout: Placement) -> _Blocks:
    """The array in a file, of which only what is used is read.

    What the header says is compared with the layout and the size of the file before.
    """
    with open(path, "rb", opener=at_once) as file:
        about = os.fstat(file.fileno())
        if not S_ISREG(about.st_mode):
            raise _unreadable(path, "it is no file")
        shape, fortran_order, dtype = _read_header(file, path)
        if shape[: len(layout.shape)] != layout.shape:
            raise InvalidValueError(
                f"{path} has an array of shape {shape}",
                f"its first axes must be {layout.shape}",
                "take the layout that it was saved from, or another file",
            )
        room, needed = about.st_size - file.tell(), prod(shape) * dtype.itemsize
        if needed > room:
            raise _unreadable(path, f"it has {room} bytes of elements, its header says more")
        order: Literal["F", "C"] = "F" if fortran_order else "C"
        try:
            if not needed:  # nothing can be mapped
                return np.empty(shape, dtype)
            return np.memmap(file, dtype, "r", file.tell(), shape, order)
        except (ValueError, OverflowError, OSError) as error:  # too many axes, or too long
            raise _unreadable(path, str(error)) from None


def _read_header(file: BinaryIO, path: Path) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype, as the format of ``numpy.lib.format`` has them."""
    start = file.read(len(npy.MAGIC_PREFIX) + 2)
    size, encoding = _VERSIONS.get(start[-2:], (0, ""))
    if not start.startswith(npy.MAGIC_PREFIX) or not size:
        raise _unreadable(path, "it does not begin as such a file does")
    length = int.from_bytes(file.read(size), "little")
    header = file.read(min(length, MAX_HEADER + 1))
    if len(header) != length:
        raise _unreadable(path, f"its header has {length} bytes, {len(header)} are there")
    try:
        with catch_warnings(action="ignore"):  # about literals of old versions of Python
            entries = literal_eval(header.decode(encoding))
            shape, order = entries.pop("shape"), entries.pop("fortran_order")
            dtype = npy.descr_to_dtype(entries.pop("descr"))
    except Exception as error:  # noqa: BLE001 - of many kinds, and there is one answer
        raise _unreadable(path, f"its header is wrong: {error}") from None
    natural = isinstance(shape, tuple) and all(type(k) is int and k >= 0 for k in shape)
    if entries or not natural or type(order) is not bool:
        raise _unreadable(path, "its header has not one shape, order and type")
    if dtype.hasobject or dtype.subdtype or not dtype.itemsize:
        raise _unreadable(path, f"its elements are {dtype}")
    return shape, order, dtype


def _unreadable(path: Path, why: str) -> InvalidValueError:
    return InvalidValueError(
        f"{path} cannot be read as an array ({why})",
        "it must be a .npy file of numbers",
        "write it with numpy.save, or CubeArray.save",
    )


def _write_together(
    path: str | Path, began: list[Path], blocks: _Blocks, layout: Placement, comm: Comm
) -> None:
    """Every rank its own elements, to the file that the first rank began."""

    def head() -> tuple[tuple[Path, int] | None, Facts]:
        if not began:
            return None, {}
        shape = (*layout.shape, *blocks.shape[2:])
        with named(path):
            made = npy.open_memmap(began[0], mode="w+", dtype=blocks.dtype, shape=shape)
        return (began[0], int(made.offset)), {}

    beside, start = comm.bcast(together(comm, head))
    if prod(layout.shape) * prod(blocks.shape[2:]):
        home = in_stretches(layout)
        rows = straight(blocks, layout, home, comm)

        def write() -> tuple[None, Facts]:
            with named(path):  # which is told of a single rank as well
                return _write_own(beside, start, rows, home, comm)

        together(comm, write)


def in_stretches(layout: Placement) -> Ownership:
    """A layout in which each node has elements that follow each other in the file.

    >>> from graycube.layout import Layout
    >>> print(in_stretches(Layout.mesh((4, 8), nodes=(2, 4), allocation="cyclic")))
    (4 on 4, 8 on 2)
    """
    left, parts = layout.node_count // layout.copy_count, []
    for length in layout.shape:  # of an axis with one row a node, the next one is shared too
        enough = range(min(left, length), left + 1)
        parts.append(next(count for count in enough if left % count == 0))
        left //= parts[-1]
    return in_blocks(layout.shape, parts, layout.node_count // prod(parts))


def _write_own(
    beside: Path, start: int, rows: _Blocks, home: Ownership, comm: Comm
) -> tuple[None, Facts]:
    """Write the stretch of this rank; of copies, the first."""
    own = home.piece(range(comm.rank, comm.rank + 1))
    if rows.size and home.nodes_like(comm.rank)[0] == comm.rank:
        corner = [along[0] for along in own.coordinates]
        first = int(np.ravel_multi_index(corner, home.shape))
        data = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
        with beside.open("r+b") as file:
            file.seek(start + first * rows.itemsize * prod(rows.shape[2:]))
            file.write(data.data)
            file.flush()
            os.fsync(file.fileno())  # what another rank has on another computer
    return None, {}
