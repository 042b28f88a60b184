"""Reductions: every node reduces what it has, then those that share axes are combined.

Rules.

1. A reduction along axes of the layout leaves its result on the nodes where it comes about.
   All that differ in bits of these axes only have a copy (``Layout.without_axes``).
2. They combine in pairs, one message each way for every cube dimension of these axes, always
   in the same order. So all copies are the same to the last bit, on ranks as in one process.
   Nodes of any number combine up a tree, and what comes of it goes down. A node that has
   nothing along these axes adds nothing. Ranks that share memory leave short results there
   when they agree, and each combines those of all of them, in the same order.
3. Along axes of the payload alone there is nothing to combine, and nothing is sent.
4. Without ``keepdims``, what is left of an array without any axis of its layout is a plain
   number or array, on all ranks.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.aligning import aligned
from graycube.array.held import Held
from graycube.array.ranks import spread
from graycube.array.reducing.over import Axes, Reducing, over_axes, way_of
from graycube.array.results import along_last
from graycube.array.sharing import as_bytes, require_plain, swapped
from graycube.layout import Ownership
from graycube.layout.placement import Placement
from graycube.run import agreed, no_way_back, private
from graycube.run.agreement import Facts, Told
from graycube.run.meeting import ROOM, Note
from graycube.run.mpi import Comm
from graycube.run.roll import DATA
from graycube.run.windows import windows
from graycube.warned import as_written

_Blocks = NDArray[Any]
_Prepared = tuple[tuple[Reducing, _Blocks], Facts]
_KEPT = 64  # nodes, and ways


@lru_cache(maxsize=4 * _KEPT)
def _told(
    way: Reducing,
    name: str,
    dtype: "np.dtype[Any]",
    result: "np.dtype[Any]",
    shape: tuple[int, ...],
) -> Told:
    """What all ranks must have alike in a reduction."""
    told = Told(way.facts)
    told |= {"dtype": dtype, "reduction": name, "result": result, "shape": shape}
    return told


def reduced(  # noqa: PLR0913
    a: Held,
    monoid: np.ufunc,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    initial: object = None,
    where: object = None,
    of: Callable[[], Held | _Blocks] | None = None,
) -> Any:  # noqa: ANN401 - an array of the kind of the first one, or a plain one
    """The elements along some axes, combined by a ufunc that is associative; collective.

    What is made of the array first, ``of`` gives, or what each node here has reduced that to.
    What it raises on a rank is raised on all.

    >>> from graycube.layout import Layout
    >>> a = Held(np.arange(8).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> reduced(a, np.add), reduced(a, np.add, axis=0).blocks.tolist()
    (np.int64(28), [[12, 16], [12, 16]])
    """
    comm = spread(a.comm)

    def prepare() -> _Prepared:
        over = over_axes(a, axis, keepdims=keepdims)
        if a.dtype.hasobject:
            require_plain(a.dtype)
        way = way_of(a.layout, a.nodes, a.payload, over)
        given = a if of is None else of()
        if isinstance(given, np.ndarray):
            local = given.reshape(len(given), *way.kept)
        else:
            inside = way_of(given.layout, given.nodes, given.payload, over)
            local = _local(given, monoid, inside, dtype, where, initial)
        made = local.dtype, local.shape[2:]
        return (way, local), {} if comm is None else _told(way, monoid.__name__, a.dtype, *made)

    if comm is None or (of is None and where is None and _in_payload(a, axis)):
        way, blocks = prepare()[0]
    else:
        way, blocks = agreed(comm, prepare, _note)
    blocks = _combined(blocks, a.layout, way, monoid, comm)
    if initial is not None:
        blocks = monoid(blocks, initial)
    return blocks[0, 0] if way.left is None else a.with_blocks(blocks, way.left)


def _in_payload(a: Held, axis: Axes) -> bool:
    """Whether nodes have nothing to tell each other: each has all along these axes."""
    inner, axes = len(a.payload), axis if type(axis) is tuple else (axis,)
    last = range(a.ndim - inner, a.ndim)
    return all(type(k) is int and (k in last or -inner <= k < 0) for k in axes)


def _local(  # noqa: PLR0913, PLR0917
    a: Held,
    monoid: np.ufunc,
    way: Reducing,
    dtype: DTypeLike | None,
    where: object,
    initial: object,
) -> _Blocks:
    """What every node here makes of its own block."""
    blocks = a.blocks if dtype is None else as_written(a.blocks, dtype)
    pieces = blocks.reshape(len(blocks), *way.digits)
    options: dict[str, Any] = {}
    if monoid.identity is None and initial is not None:  # else what is taken may be nothing
        options["initial"] = initial
    taken: _Blocks | None = None
    if where is not None:
        found = aligned([a, where if isinstance(where, Held) else np.asarray(where)], a)
        taken = np.broadcast_to(found.arrays[1], found.arrays[0].shape).reshape(pieces.shape)
    if way.empty and a.size:
        pieces, taken = _something(pieces, way.along), None  # what is made of it is not taken
    if way.along == (pieces.ndim - 2,) and not options and taken is None:
        short = along_last(monoid, pieces) if dtype in {None, pieces.dtype} else None
        if short is not None:
            return short.reshape(len(short), *way.kept)
    made = []
    for k, piece in enumerate(pieces):
        if taken is not None:
            options["where"] = taken[k]
        made.append(monoid.reduce(piece, axis=way.along, dtype=dtype, **options))
    if len(made) == 1:
        return np.asarray(made[0]).reshape(1, *way.kept)
    return np.array(made).reshape(len(made), *way.kept)


def _something(pieces: _Blocks, along: Sequence[int]) -> _Blocks:
    """Pieces that have one element where they have none along some axes."""
    places = {1 + k for k in along}
    shape = [max(size, 1) if k in places else size for k, size in enumerate(pieces.shape)]
    return np.ones(shape, pieces.dtype)


def _combined(
    blocks: _Blocks,
    layout: Placement,
    way: Reducing,
    monoid: np.ufunc,
    comm: Comm | None,
) -> _Blocks:
    """The results of nodes that share them, pair by pair."""
    steps = way.steps
    if isinstance(layout, Ownership):
        return blocks if comm is None else _up_and_down(blocks, layout, way.axes, monoid, comm)
    if comm is None:
        nodes = np.arange(len(blocks))
        for step in steps:
            lower = nodes[nodes >> step.bit_length() - 1 & 1 == 0]
            made = monoid(blocks[lower], blocks[lower ^ step])
            blocks = np.empty_like(blocks)
            blocks[lower] = blocks[lower ^ step] = made
        return blocks
    every = _noted(blocks, comm) if steps else None
    if every is not None:
        return _in_pairs(every[_partners(steps, comm.rank)], monoid)
    for step in steps:
        other = swapped(blocks, comm.rank ^ step, comm, "a reduction")
        upper = comm.rank >> step.bit_length() - 1 & 1
        with np.errstate(all="ignore"):  # what is raised on some ranks only, hangs the others
            blocks = monoid(other, blocks) if upper else monoid(blocks, other)
    return blocks


def _note(made: tuple[Reducing, _Blocks]) -> Note | None:
    """What a rank leaves for the others, if it is short."""
    _, blocks = made
    if blocks.nbytes > ROOM:
        return None
    return np.ascontiguousarray(blocks).reshape(-1).view(np.uint8)


def _noted(blocks: _Blocks, comm: Comm) -> _Blocks | None:
    """What all ranks left that share memory, in blocks like this one, if they are short."""
    shared = windows(comm)
    if shared is None or not 0 < blocks.nbytes <= ROOM:
        return None
    notes = shared.notes(blocks.nbytes).view(blocks.dtype)
    return notes.reshape(-1, *blocks.shape[1:])


def _in_pairs(parts: _Blocks, monoid: np.ufunc) -> _Blocks:
    """Neighbours combined, then what comes of them, and so on; the last one may wait."""
    with np.errstate(all="ignore"):
        while len(parts) > 1:
            even = len(parts) & -2
            made = monoid(parts[:even:2], parts[1:even:2])
            parts = made if even == len(parts) else np.concatenate([made, parts[even:]])
    return parts


@lru_cache(maxsize=_KEPT)
def _partners(steps: tuple[int, ...], node: int) -> NDArray[np.intp]:
    """The nodes that a node shares with, so that neighbours differ by the first step."""
    first = node
    for step in steps:
        if node >> step.bit_length() - 1 & 1:
            first ^= step
    found = np.array([first])
    for step in steps:
        found = np.append(found, found ^ step)
    return found


def _up_and_down(
    blocks: _Blocks,
    layout: Ownership,
    axes: tuple[int, ...],
    monoid: np.ufunc,
    comm: Comm,
) -> _Blocks:
    """The results of any number of nodes: combined up a tree, and sent down to all of them."""
    group, some = layout.sharing(axes, comm.rank)
    if len(group) == 1:  # along payload alone nobody left a note
        return blocks
    me, own = group.index(comm.rank), private(comm).comm
    blocks = np.ascontiguousarray(blocks)
    every = _noted(blocks, comm)
    if every is not None:
        return _in_pairs(every[group[:some]], monoid)
    steps = [1 << k for k in range((len(group) - 1).bit_length())]
    with no_way_back(lambda: "a reduction"):
        for step in steps:
            if me % (2 * step) == 0 and me + step < some:
                found = np.empty_like(blocks)
                own.Recv(as_bytes(found), group[me + step], DATA)
                with np.errstate(all="ignore"):  # what is raised on some ranks hangs the others
                    blocks = np.ascontiguousarray(monoid(blocks, found))
            elif me % (2 * step) == step and me < some:
                own.Send(as_bytes(blocks), group[me - step], DATA)
                break
        for step in reversed(steps):
            if me % (2 * step) == 0 and me + step < len(group):
                own.Send(as_bytes(blocks), group[me + step], DATA)
            elif me % (2 * step) == step:
                own.Recv(as_bytes(blocks), group[me - step], DATA)
    return blocks
