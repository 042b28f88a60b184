"""A script from true indices: for layouts that no map of address bits takes to each other.

Rules. Everything goes straight from where it is to where it belongs, in one round, and a
message has its elements in the order of the index. Where there are copies, a node that has one
of an element takes its own, and else that of the node that is most like it.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray
from graycube.layout import Layout
from graycube.run.script import Bank, Draft, Part, Script, part

_KEPT = 32  # scripts


@lru_cache(maxsize=_KEPT)
def script_by_index(
    source: Layout, target: Layout, node: int, shift: tuple[int, ...] = ()
) -> Script:
    """What a node does; the layouts have the same shape and nodes.

    With a ``shift`` along each axis, elements come to an index that is so much higher, and
    around the end of the axis.

    >>> cyclic = Layout.mesh((6,), nodes=(2,), allocation="cyclic", ownership=False)
    >>> script = script_by_index(cyclic, Layout.mesh((6,), nodes=(2,), ownership=False), node=0)
    >>> [(m.peer, m.parts[0].rows) for m in script.rounds[0].sends]
    [(1, slice(2, 3, None))]
    """
    steps = shift or (0,) * len(source.axes)
    going, coming = _going(source, target, node, steps), _coming(source, target, node, steps)
    draft = Draft()
    kept: tuple[tuple[Part, Part], ...] = ()
    if node in going:
        kept = ((part(Bank.BLOCK, going.pop(node)), part(Bank.RESULT, coming.pop(node))),)
    for peer, rows in going.items():
        draft.send(0, peer, (0,), part(Bank.BLOCK, rows))
    for peer, rows in coming.items():
        draft.receive(0, peer, (0,), part(Bank.RESULT, rows))
    return Script(
        node=node,
        number=node,
        unit=1,
        rows=source.block_size,
        spare=0,
        kept=kept,
        rounds=draft.rounds(),
    )


def _going(
    source: Layout, target: Layout, node: int, steps: Sequence[int]
) -> dict[int, NDArray[np.intp]]:
    """The slots whose elements nodes take from this one, in the order of the target index."""
    slots = np.arange(source.block_size)
    index = _shifted(source, node, steps)
    lowest, _ = target.locate(*index)
    order = _flat(source, index)
    peers, rows = [], []
    for k in range(1 << target.copies):
        peer = lowest ^ target.map.matrix(k << target.p - target.copies)
        ours = _giver(source, node, peer) == node
        peers.append(peer[ours])
        rows.append(slots[ours])
    return _by_peer(np.concatenate(peers), np.concatenate(rows), order)


def _coming(
    source: Layout, target: Layout, node: int, steps: Sequence[int]
) -> dict[int, NDArray[np.intp]]:
    """The slots that nodes give this one, in the order of the target index."""
    giver, _ = taken_from(source, target, node, steps)
    order = _flat(target, target.coordinates(np.array(node), np.arange(target.block_size)))
    return _by_peer(giver, np.arange(target.block_size), order)


def taken_from(
    source: Layout, target: Layout, node: int, shift: Sequence[int] = ()
) -> tuple[IntArray, IntArray]:
    """The node and the slot that everything comes from that a node gets, slot by slot.

    >>> cyclic = Layout.mesh((6,), nodes=(2,), allocation="cyclic", ownership=False)
    >>> target = Layout.mesh((6,), nodes=(2,), ownership=False)
    >>> [where.tolist() for where in taken_from(cyclic, target, 0)]
    [[0, 1, 0], [0, 0, 1]]
    """
    steps = tuple(shift) or (0,) * len(source.axes)
    lowest, slot = source.locate(*_shifted(target, node, [-step for step in steps]))
    return _giver(source, lowest, node), slot


def _shifted(layout: Layout, node: int, steps: Sequence[int]) -> tuple[IntArray, ...]:
    """The index, so much higher, of everything on a node."""
    along = layout.coordinates(np.array(node), np.arange(layout.block_size))
    moves = zip(along, steps, layout.shape, strict=True)
    return tuple((i + step) % length for i, step, length in moves)


def _flat(layout: Layout, index: tuple[IntArray, ...]) -> IntArray:
    return np.ravel_multi_index(index, layout.shape).astype(np.int64)


def _giver(source: Layout, holder: int | IntArray, taker: int | IntArray) -> IntArray:
    """The node with a copy of what a holder has that is most like the taker."""
    found: IntArray = np.broadcast_arrays(holder, taker)[0]
    for flip in source.copy_flips:
        differs = (found ^ taker) >> flip.bit_length() - 1 & 1
        found = np.where(differs, found ^ flip, found)
    return found


def _by_peer(
    peers: IntArray, rows: NDArray[np.intp], order: IntArray
) -> dict[int, NDArray[np.intp]]:
    """The rows of each peer; ``order[row]`` is what they are sorted by."""
    if not len(rows):
        return {}
    sort = np.lexsort((order[rows], peers))
    found, starts = np.unique(peers[sort], return_index=True)
    return dict(zip(found.tolist(), np.split(rows[sort], starts[1:]), strict=True))
