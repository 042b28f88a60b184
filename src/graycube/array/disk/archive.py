"""Arrays in Zarr's format, version 3: a folder of chunks in natural order.

Rules.

1. No two ranks write one chunk. Each has one box of a mesh and cuts it into chunks; an array
   that is not in boxes goes to such a mesh first. Of copies, the lowest node's is written.
2. Every chunk has a checksum, and none is left out. So what is damaged or missing is found.
3. A store is written under another name and renamed at the end, when all of it is on the disk.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from errno import ENOENT
from itertools import product
from math import prod
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.disk.meanwhile import undisturbed
from graycube.array.held import Held
from graycube.array.local import local
from graycube.array.moving import brought, straight
from graycube.array.ranks import facts_of, nodes_here, require_layout, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError, MissingExtraError
from graycube.layout import Ownership
from graycube.layout.in_bits import in_boxes
from graycube.layout.indices import evenly
from graycube.layout.layout import require_cube
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.pieces import Piece
from graycube.layout.placement import Placement
from graycube.layout.share import SharedAxis
from graycube.run.agreement import Facts
from graycube.run.mpi import Comm
from graycube.texts import as_given
from graycube.whole_files import named, require_path, settled

_Array = NDArray[Any]
CHUNK = 1 << 25
"""Bytes of a chunk at most, where it can be cut: what libraries read at once with ease."""
PIECES = 1000
"""So many pieces a length is cut into at once, at most: each chunk is a file."""
WHOLE = "_whole"
"""The attribute that says of a store that no chunk was left out."""


def plain_number(x: object) -> bool | int | float:
    """The plain number that a scalar of NumPy's is, for JSON, which knows no other.

    >>> plain_number(np.int64(3)), json.dumps([np.bool_(1)], default=plain_number)
    (3, '[true]')
    """
    plain = x.item() if isinstance(x, np.generic) else None
    if isinstance(plain, bool | int | float):
        return plain
    raise TypeError(f"a {type(x).__name__} is no number of JSON")


def save_zarr(path: str | Path, a: Held, attributes: Mapping[str, Any] | None = None) -> None:
    """Write an array as a store of Zarr; collective.

    >>> import tempfile
    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_zarr(Path(folder) / "a.zarr", a)
    ...     load_zarr(Path(folder) / "a.zarr", Layout.mesh((4,), nodes=(4,)), None).ravel()
    array([5, 6, 7, 8])
    """
    over = spread(a.comm)
    first = over is None or over.rank == 0
    began: list[Path] = []

    def begin() -> tuple[tuple[Path, Ownership], Facts]:
        require_plain(a.dtype)
        target, home = _require_store(path), _in_boxes(a.layout)
        if first:
            began.append(target.with_name(f".{token_hex(8)}.part"))
            with named(path):
                _create(began[0], a, home, attributes or {})
        facts = {**facts_of("save", a.layout, a.blocks), "path": path, "attributes": attributes}
        return (target, home), facts

    try:
        target, home = together(a.comm, begin)
        beside = began[0] if over is None else over.bcast(began[0] if began else None)
        if prod(a.shape):
            boxes = brought(a, home)

            def write() -> tuple[None, Facts]:
                with named(path):  # which is told of a single rank as well
                    return _write_own(beside, boxes)

            together(a.comm, write)
        together(a.comm, lambda: _finish(began, target))
    finally:
        for left in began:
            rmtree(left, ignore_errors=True)


def load_zarr(path: str | Path, layout: Placement, comm: Comm | None) -> _Array:
    """The blocks that are in this process, of an array in a store of Zarr; collective."""

    def prepare() -> tuple[tuple[_Array, Placement], Facts]:
        nodes = nodes_here(require_layout(layout), comm)
        plain = layout.copy_count > 1 or spread(comm) is None
        home = layout if plain else _in_boxes(layout)
        blocks = _read(require_path(path), home, nodes, check=nodes.start == 0)
        return (blocks, home), {**facts_of("load", layout, blocks), "path": path}

    mark = f"{path}/zarr.json"
    blocks, home = undisturbed(mark, comm, lambda: together(comm, prepare))
    return straight(blocks, home, layout, comm)


def need_zarr() -> Any:  # noqa: ANN401 - a module
    """The package, or an error that says how to get it.

    >>> need_zarr().__name__
    'zarr'
    """
    try:
        import zarr  # noqa: PLC0415 - only who writes stores needs it
    except ImportError as error:
        raise MissingExtraError(
            "zarr is not installed", "stores need it", "run: pip install 'graycube[zarr]'"
        ) from error
    return zarr


def _require_store(path: str | Path) -> Path:
    """Where a store can be: in a folder that exists, and in the place of one array at most.

    It is in no array, with which it would be replaced.
    """
    target = require_path(path).resolve()
    taken = _is_array(target.parent) or (target.exists() and not _is_array(target))
    if taken or not target.parent.is_dir():
        raise InvalidValueError(
            f"cannot write {path}",
            "it must name a store of one array, or a new one, in a folder that exists",
            "check the path; an array of a group is named as run.zarr/u",
        )
    return target


def _is_array(path: Path) -> bool:
    """Whether there is a store of one array. A group has others, which would be lost."""
    if not (path / "zarr.json").is_file():
        return False
    zarr = need_zarr()
    try:
        zarr.open_array(path, mode="r")
    except Exception:  # noqa: BLE001 - of many kinds, and all say that there is none
        return False
    return True


def _in_boxes(layout: Placement) -> Ownership:
    """A layout in which each node has one box: that of the same places, or a mesh."""
    found = layout
    if not isinstance(layout, Ownership):
        cube = require_cube(layout, "a store")
        left, nodes = cube.n - cube.copies, []
        for axis in cube.axes:
            nodes.append(1 << min(left, axis.bits))
            left -= min(left, axis.bits)
        found = in_boxes(cube) or in_blocks(cube.shape, nodes, cube.copy_count)
    axes = (replace(axis, cyclic=False) for axis in found.axes)
    return Ownership(tuple(axes), found.node_count)


def _create(path: Path, a: Held, home: Ownership, attributes: Mapping[str, Any]) -> None:
    """An empty store for the array."""
    zarr = need_zarr()
    try:
        zarr.create_array(
            path,
            shape=a.shape,
            dtype=a.dtype,
            chunks=_chunks(home.axes, a.payload, a.itemsize),
            compressors=[zarr.codecs.Crc32cCodec()],
            attributes={
                **json.loads(json.dumps({**attributes}, default=plain_number)),
                WHOLE: True,
            },
        )
    except (TypeError, ValueError) as error:
        raise InvalidTypeError(
            f"an array of dtype {a.dtype} with attributes {as_given(attributes, 80)} "
            f"is no store of Zarr ({error})",
            "it has numbers of usual precision, and attributes that JSON can write",
            "convert them, or save a .npy file",
        ) from None


def _chunks(
    axes: Sequence[SharedAxis], payload: Sequence[int], itemsize: int
) -> tuple[int, ...]:
    """The lengths of chunks, of which no two nodes have parts, and none is too large."""
    lengths = [axis.block for axis in axes]
    size = itemsize * prod(payload)
    while size * prod(lengths) > CHUNK:
        shorter = [
            _cut(n, whole=axis.parts == 1) for n, axis in zip(lengths, axes, strict=True)
        ]
        if shorter == lengths:
            break
        longest = max(range(len(axes)), key=lambda k: (shorter[k] < lengths[k], lengths[k]))
        lengths[longest] = shorter[longest]
    return (*lengths, *(max(1, n) for n in payload))


def _cut(length: int, *, whole: bool) -> int:
    """What is next shorter: the half of an axis that one node has, or what divides a box."""
    if whole:
        return -(-length // 2)
    factor = next((k for k in range(2, PIECES) if length % k == 0), 1)
    return length // factor


def _write_own(path: Path, held: Held) -> tuple[None, Facts]:
    """The box of this rank, or the whole array."""
    zarr = need_zarr()
    with zarr.config.set({"array.write_empty_chunks": True}):  # it is read as a store is opened
        store = zarr.open_array(path, mode="r+")
    piece = held.layout.piece(held.nodes)
    if prod(piece.shape):
        corner = (along[:1] for along in piece.coordinates)
        if len(held.nodes) > 1 or held.layout.node_of(*corner) == held.nodes.start:
            store.oindex[tuple(map(evenly, piece.coordinates))] = local(held)
            for file in _files(path, store, piece):
                settled(file)
    return None, {}


def _files(path: Path, store: Any, piece: Piece) -> Iterator[Path]:  # noqa: ANN401 - of Zarr
    """The files of the chunks that a piece of the array is in."""
    payload = map(np.arange, store.shape[len(piece.shape) :])
    pairs = zip((*piece.coordinates, *payload), store.chunks, strict=True)
    for chunk in product(*(np.unique(along // size).tolist() for along, size in pairs)):
        yield path / store.metadata.encode_chunk_key(chunk)


def _finish(began: list[Path], target: Path) -> tuple[None, Facts]:
    """The new store takes the place of the old one, on the rank that began it.

    Every rank has its chunks on the disk by now; what is left are the folders of them.
    """
    for beside in began:
        settled(beside / "zarr.json")
        for folder, _, _ in os.walk(beside):
            settled(Path(folder))
        old = target.with_name(f".{token_hex(8)}.old")
        if target.exists():  # a folder is not replaced at once: a checkpoint is for that
            target.rename(old)
        beside.rename(target)
        settled(target.parent)
        rmtree(old, ignore_errors=True)
    began.clear()
    return None, {}


def _read(path: Path, layout: Placement, nodes: range, *, check: bool) -> _Array:
    """The blocks of some nodes; the store is as its metadata say, or an error tells."""
    zarr = need_zarr()
    if not path.exists():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), os.fspath(path))
    store = _attempted(path, lambda: zarr.open_array(path, mode="r"))
    if store.shape[: len(layout.shape)] != layout.shape:
        raise InvalidValueError(
            f"{path} has an array of shape {store.shape}",
            f"its first axes must be {layout.shape}",
            "take the layout that it was saved from, or another store; a checkpoint of several "
            "shapes takes layouts by name, {'u': ..., 'v': ...}",
        )
    if store.dtype.hasobject:
        raise _unreadable(path, f"its elements are {store.dtype}")
    if check and store.size and store.attrs.get(WHOLE):
        missing = _attempted(path, lambda: store.nchunks - store.nchunks_initialized)
        if missing:
            raise _unreadable(path, f"{missing} of {store.nchunks} chunks are missing")
    if len(nodes) > 1:  # all of them
        return layout.scatter(_attempted(path, lambda: store[...]))
    shape = (*layout.held_shape(nodes), *store.shape[len(layout.shape) :])
    blocks: _Array = _attempted(path, lambda: np.empty(shape, store.dtype))
    if not blocks.size:
        return blocks
    piece = layout.piece(nodes)
    places = tuple(map(evenly, piece.coordinates))
    found = np.asarray(_attempted(path, lambda: store.oindex[places]))
    return piece.block(found.reshape(*piece.shape, *shape[2:])).reshape(shape)


def _attempted(path: Path, read: Callable[[], Any]) -> Any:  # noqa: ANN401
    """What is read of a store."""
    try:
        return read()
    except Exception as error:  # noqa: BLE001 - of many kinds, and there is one answer
        raise _unreadable(path, f"{type(error).__name__}: {error}"[:200]) from None


def _unreadable(path: Path, why: str) -> InvalidValueError:
    return InvalidValueError(
        f"{path} cannot be read as an array ({why})",
        "it must be a whole store of Zarr with one array of numbers",
        "name an array of a group, such as run.zarr/u, take an older one, or write it again",
    )
