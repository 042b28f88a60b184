"""Operands of one operation, so that NumPy can broadcast their blocks.

Rules.

1. Axes of layouts align with axes of layouts, from the last one back. Payload aligns with
   payload, from the last axis back, as NumPy has it. Plain arrays are payload; before it they
   may have axes of length 1, which fit any layout. Where an array has fewer axes in its layout
   than another, and more payload, the first axes of that, of length 1 each, are as axes of a
   layout: ``u - u.mean(axis=1)[:, None]``. Where it could be either, it is refused.
2. The result is where nodes have all that it is made of (:func:`.layout.common.common`), so
   nothing is sent. What a node has in other slots than the result, it puts in order.
3. Errors name shapes of whole arrays, and what would make them meet (:mod:`.array.unlike`).
4. Where some arrays are in bits and others in boxes, those in bits are put in the order of
   boxes, on the same nodes; in an assignment all are as what is assigned to.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.moving import of_kind
from graycube.array.ranks import spread
from graycube.array.unlike import broadcast, either, unlike
from graycube.errors import InvalidValueError
from graycube.layout import Layout, Ownership
from graycube.layout.common import common
from graycube.layout.in_bits import bits_of, in_boxes
from graycube.layout.placement import Placement

_Blocks = NDArray[Any]
_KEPT = 64  # pairs of layouts, or shapes, that were compared


@dataclass(frozen=True, slots=True)
class Aligned:
    """Operands that NumPy can broadcast: the nodes, the digits of slots, the payload.

    >>> x = Held(np.zeros((2, 4, 3)), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> mean = Held(np.zeros((2, 2, 3)), x.layout.without_axes([1], keepdims=True))
    >>> [array.shape for array in aligned([x, mean]).arrays]
    [(2, 2, 2, 3), (2, 2, 1, 3)]
    """

    like: Held
    layout: Placement
    lead: tuple[int, ...]
    arrays: list[_Blocks]

    def result(self, made: _Blocks) -> Any:  # noqa: ANN401 - an array of the kind of the operands
        """The array of what NumPy made of the arrays."""
        return self.like.with_blocks(self.blocks(made), self.layout)

    def blocks(self, made: _Blocks) -> _Blocks:
        """What NumPy made of the arrays, as blocks."""
        if len(self.lead) == 2:
            return made
        held = self.layout.held_shape(self.like.nodes)
        return made.reshape(*held, *made.shape[len(self.lead) :])


def aligned(operands: Sequence[Held | _Blocks], onto: Held | None = None) -> Aligned:
    """Arrays whose elements meet on nodes, and plain payload; with ``onto`` in its layout."""
    ours = [x for x in operands if isinstance(x, Held)]
    first = ours[0] if onto is None else onto
    alike, given = all(same_places(x, first) for x in ours), operands
    if not alike:
        operands = _with_new_axes(given, ours, onto)
        ours = [x for x in operands if isinstance(x, Held)]
    axes = max(x.blocks.ndim for x in ours) - 2
    if len(ours) < len(operands) and any(x.ndim > axes for x in _plain(operands)):
        most = max(x.ndim for x in ours)
        operands = [x if isinstance(x, Held) else _payload_of(x, axes, most) for x in operands]
        if any(x.ndim > axes for x in _plain(operands)):
            raise unlike(given, onto)
    made = _side_by_side(operands, first, axes) if alike else _meeting(operands, onto, axes)
    if made is None or broadcast(*(x.shape for x in made.arrays)) is None:
        raise unlike(given, onto)
    return made


def _with_new_axes(
    operands: Sequence[Held | _Blocks], ours: Sequence[Held], onto: Held | None
) -> Sequence[Held | _Blocks]:
    """The operands, with axes of length 1 in layouts and not in payload, if they fit so."""
    most = max(counts := [len(x.layout.shape) for x in ours])
    if min(counts) == most:
        return operands
    inside = max(len(x.payload) for x in ours if len(x.layout.shape) == most)
    new = {id(x): _new_axes(x, most, inside) for x in ours}
    if not any(new.values()):
        return operands
    others = [_with_axes(x, new[id(x)]) if isinstance(x, Held) else x for x in operands]
    if broadcast(*(x.layout.shape for x in others if isinstance(x, Held))) is None:
        return operands
    if broadcast(*(x.layout.shape for x in ours)) is not None:
        raise either(operands, onto, [x for x in ours if new[id(x)]])
    return others


def _new_axes(x: Held, most: int, inside: int) -> int:
    """How many axes of payload stand beside axes of a layout, where all are of length 1."""
    count = len(x.payload) - inside
    fits = 0 < count <= most - len(x.layout.shape) and x.payload[:count] == (1,) * count
    return count if fits else 0


def _with_axes(x: Held, count: int) -> Held:
    """The array with its first axes of payload as the last ones of its layout."""
    if not count:
        return x
    return x.with_blocks(x.blocks.squeeze((*range(2, 2 + count),)), _longer(x.layout, count))


@lru_cache(maxsize=_KEPT)
def _longer(layout: Placement, count: int) -> Placement:
    """The layout with so many axes of length 1 after its own."""
    axes = len(layout.shape)
    return layout.raised(count).permuted([*range(count, count + axes), *range(count)])


def _plain(operands: Sequence[Held | _Blocks]) -> list[_Blocks]:
    return [x for x in operands if not isinstance(x, Held)]


def _payload_of(x: _Blocks, axes: int, most: int) -> _Blocks:
    """A plain array without axes of length 1 that would stand beside those of a layout."""
    ones = x.ndim - axes
    fits = ones > 0 and x.ndim <= most and x.shape[:ones] == (1,) * ones
    return x.reshape(x.shape[ones:]) if fits else x


def _side_by_side(operands: Sequence[Held | _Blocks], first: Held, axes: int) -> Aligned:
    """Operands in one layout: each slot has what belongs together."""
    lead = first.blocks.shape[:2]
    arrays = [
        _raised(x.blocks, lead, 2, axes) if isinstance(x, Held) else _raised(x, (1, 1), 0, axes)
        for x in operands
    ]
    return Aligned(first, first.layout, lead, arrays)


def _meeting(
    operands: Sequence[Held | _Blocks], onto: Held | None, axes: int
) -> Aligned | None:
    """Operands in the layout in which they meet, if there is one."""
    operands = _of_one_kind(operands, onto)
    ours = [x for x in operands if isinstance(x, Held)]
    like = max(ours, key=_reach) if onto is None else onto
    for x in ours:
        require_same_ranks(like, x)
    layout = _layout_of(like.layout, ours)
    if layout is None or (onto is not None and layout != onto.layout):
        return None
    digits = layout.digits_on(like.nodes)
    lead: tuple[int, ...] = layout.held_shape(like.nodes)
    parts = {id(x): _part(x.layout, layout) for x in ours}
    if any(part.gone for part in parts.values()):
        lead = (lead[0], *(length for _, length in digits))

    def raised(x: Held | _Blocks) -> _Blocks:
        if not isinstance(x, Held):
            return _raised(x, (1,) * len(lead), 0, axes)
        part = parts[id(x)]
        return _raised(part.arranged(x.blocks, x.nodes), part.lead(digits, lead), 2, axes)

    return Aligned(like, layout, lead, [raised(x) for x in operands])


def _of_one_kind(
    operands: Sequence[Held | _Blocks], onto: Held | None
) -> Sequence[Held | _Blocks]:
    """The operands, in boxes if some are in boxes and others in bits (rule 4)."""
    boxes = [isinstance(x.layout, Ownership) for x in operands if isinstance(x, Held)]
    wanted = any(boxes) if onto is None else isinstance(onto.layout, Ownership)
    if all(boxes) == any(boxes) == wanted:
        return operands
    return [_of_kind(x, boxes=wanted) if isinstance(x, Held) else x for x in operands]


def _of_kind(x: Held, *, boxes: bool) -> Held:
    """The operand in the other kind of layout, if that has the same places."""
    if isinstance(x.layout, Ownership) == boxes:
        return x
    other = in_boxes(x.layout) if boxes else bits_of(x.layout)
    return x if other is None else of_kind(x, other)


def _reach(x: Held) -> tuple[int, int, int]:
    """What is most of the operand whose order of slots the result has."""
    return len(x.layout.shape), x.layout.size, -x.layout.copy_count


def _layout_of(first: Placement, operands: Iterable[Held]) -> Placement | None:
    """Where nodes have what the result is made of, if they have all of it."""
    found: Placement | None = first
    for x in operands:
        if found is not None and found is not x.layout:
            both = common(found, x.layout)
            found = found if both == found else both
    return found


@dataclass(frozen=True, slots=True)
class _Within:
    """What an operand is of the result: without some axes, and where it is and should be."""

    gone: tuple[int, ...]
    layout: Placement
    wanted: Placement
    order: tuple[int, ...] | None = None

    def lead(self, digits: Sequence[tuple[int, int]], lead: tuple[int, ...]) -> tuple[int, ...]:
        """Nodes and digits of the slots, without those of axes that are gone."""
        if not self.gone:
            return lead
        return (lead[0], *(1 if axis in self.gone else length for axis, length in digits))

    def arranged(self, blocks: _Blocks, nodes: range) -> _Blocks:
        """The blocks with what the result needs of them, in its order of slots."""
        if self.layout == self.wanted:
            return blocks
        payload = blocks.shape[2:]
        if self.order is not None:
            bits = blocks.reshape(len(nodes), *(2,) * len(self.order), -1, *payload)
            axes = (0, *(1 + k for k in self.order), *range(1 + len(self.order), bits.ndim))
            return bits.transpose(axes).reshape(blocks.shape)
        if isinstance(self.layout, Layout):
            slots = self.layout.locate(*self.wanted.indices_on(nodes))[1]
            found: _Blocks = blocks[np.arange(len(nodes))[:, None], slots]
            return found
        pairs = zip(self.layout.axes, self.wanted.piece(nodes).slices, strict=True)
        own = tuple(part if axis.parts == 1 else slice(None) for axis, part in pairs)
        boxes = blocks.reshape(*self.layout.boxes(nodes)[2:], *payload)
        return boxes[own].reshape(*self.wanted.held_shape(nodes), *payload)


@lru_cache(maxsize=_KEPT)
def _part(layout: Placement, whole: Placement) -> _Within:
    more = len(whole.shape) - len(layout.shape)
    raised = layout.raised(more) if more else layout
    pairs = enumerate(zip(raised.shape, whole.shape, strict=True))
    gone = tuple(k for k, (own, length) in pairs if own == 1 and own != length)
    wanted = whole.without_axes(gone, keepdims=True) if gone else whole
    return _Within(gone, raised, wanted, _order(raised, wanted))


def _order(layout: Placement, wanted: Placement) -> tuple[int, ...] | None:
    """The bits of slots in the order of another layout, the highest first, if alike."""
    if not (isinstance(layout, Layout) and isinstance(wanted, Layout)):
        return None
    own, other = (
        [
            (row, each.map.constant >> each.n + j & 1)
            for j, row in enumerate(each.map.matrix.rows[each.n :])
        ]
        for each in (layout, wanted)
    )
    if len(own) != len(other) or not set(other) <= set(own):
        return None
    return tuple(len(own) - 1 - own.index(pair) for pair in reversed(other))


def same_kind(x: Held, first: Held) -> bool:
    """Whether arrays have one layout, communicator and payload.

    >>> a = Held(np.zeros((2, 1)), Layout.nodes(1))
    >>> same_kind(a, Held(a.blocks, Layout.nodes(1)))
    True
    """
    return x.blocks.shape == first.blocks.shape and same_places(x, first)


def same_places(x: Held, first: Held) -> bool:
    """Whether arrays have one layout and communicator.

    >>> a = Held(np.zeros((2, 1)), Layout.nodes(1))
    >>> same_places(a, Held(np.zeros((2, 1, 3)), Layout.nodes(1)))
    True
    """
    return x.comm is first.comm and (x.layout is first.layout or x.layout == first.layout)


def _raised(array: _Blocks, lead: tuple[int, ...], used: int, axes: int) -> _Blocks:
    """The array with other axes before its payload, which is given so many axes."""
    if used and array.ndim == used + axes and len(lead) == used:
        return array
    payload = array.shape[used:]
    return array.reshape(*lead, *(1,) * (axes - len(payload)), *payload)


def require_same_ranks(first: Held, other: Held) -> None:
    """Refuse arrays of different communicators.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 1)), Layout.nodes(1))
    >>> require_same_ranks(a, a)
    """
    if spread(other.comm) != spread(first.comm):
        raise InvalidValueError(
            "the arrays have different communicators",
            "elementwise operations need the same rank for each node",
            "make both on one communicator",
        )
