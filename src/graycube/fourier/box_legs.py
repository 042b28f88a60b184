"""Legs in layouts by ownership: from some slices of an array to others.

Rules.

1. What ranks share by memory is the whole array in C order. Each writes its slices of it, and
   when all have met it reads others. So every line has one stride, whatever the lengths are.
2. By messages a rank sends the boxes that others need, and puts together those that come.
3. Lines are cut where they are read; zeros that follow them are written before the transform.
4. The layouts on the way depend on layouts alone. In one process the block is the whole array,
   and nothing crosses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.boxes import Parcel, shape_of, traffic
from graycube.fourier import engine
from graycube.fourier.along import KEPT
from graycube.fourier.arguments import resized_home
from graycube.fourier.legs import Blocks, Call, Posted
from graycube.fourier.owned import ready
from graycube.layout import Ownership
from graycube.layout.share import SharedAxis
from graycube.run.post import Post

_Lines = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class BoxLeg:
    """A transform along an axis in memory, and ``more`` complex ones along others, in place.

    It finds its lines where ``read`` says, and if it is not None they ``came`` there from
    another layout. The ``kind`` is that of the engine; without one, data only move.

    >>> layout = Ownership((SharedAxis(3),), 1)
    >>> one = np.dtype(complex)
    >>> leg = BoxLeg(None, layout, layout, range(1), one, one, "c2c", points=3)
    >>> made = np.empty((1, 3), complex)
    >>> [call() is None for call in leg.calls(np.ones((1, 3)), made)], made.real.tolist()
    ([True, False], [[3.0, 0.0, 0.0]])
    """

    came: Ownership | None
    read: Ownership
    layout: Ownership
    nodes: range
    given: np.dtype[Any]
    dtype: np.dtype[Any]
    kind: str | None = None
    axis: int = 0
    points: int = 0
    inverse: bool = False
    scaling: int = 0
    more: tuple[int, ...] = ()

    @property
    def crosses(self) -> "BoxLeg | None":
        """Itself, if it reads what other nodes made."""
        return self if self.came is not None and len(self.nodes) == 1 else None

    @property
    def by_post(self) -> bool:
        """Messages can bring it."""
        return True

    @property
    def rows(self) -> int:
        """How many elements the block has afterwards."""
        return self.layout.held_shape(self.nodes)[1]

    def room(self, ranks: int) -> int:
        """The bytes of the whole array, or of the larger block for messages."""
        if ranks > 1:
            return self.read.size * self.given.itemsize
        held = (layout.held_shape(self.nodes)[1] for layout in (self._before(), self.read))
        return max(held) * self.given.itemsize

    def calls(self, source: Blocks, target: Blocks) -> Iterator[Call]:
        """The first transform; a target that is not in C order has the shape of the box."""
        if not target.size:
            return
        lines = source.reshape(*self.read.boxes(self.nodes)[2:], -1)
        made = target.reshape(*self.layout.boxes(self.nodes)[2:], -1)
        if self.kind is None:
            yield partial(np.copyto, made, lines)
            return
        points = self.points // 2 + 1 if self.kind == "c2r" else self.points
        lines = lines[(slice(None),) * self.axis + (slice(points),)]
        there = lines.shape[self.axis]
        if there < points or lines.dtype != self.given:
            shape = [*lines.shape]
            shape[self.axis] = points
            wide = made if self.kind == "c2c" else np.empty(shape, self.given)
            head, tail = np.split(wide, [there], self.axis)
            yield partial(np.copyto, head, lines)
            if tail.size:
                yield partial(np.copyto, tail, 0)
            lines = wide
        yield self._bound(lines, self.axis, made, self.kind)

    def then(self, target: Blocks) -> Iterator[Call]:
        """The transforms along other axes."""
        if target.size:
            made = target.reshape(*self.layout.boxes(self.nodes)[2:], -1)
            for axis in self.more:
                yield self._bound(made, axis, made, "c2c")

    def _bound(self, lines: _Lines, axis: int, out: _Lines, kind: str) -> Call:
        inverse, scaling = self.inverse, self.scaling
        return engine.bound(lines, axis, out, kind=kind, inverse=inverse, scaling=scaling)

    def among(self, buffer: Blocks, made: Blocks, ranks: int) -> tuple[Blocks | None, Blocks]:  # noqa: ARG002 - any
        """The slices that are written, unless another node writes them, and what is read."""
        before, node = self._before(), self.nodes.start
        shape = (*self.read.shape, *made.shape[2:])
        whole = buffer[: prod(shape) * made.itemsize].view(made.dtype).reshape(shape)
        own = whole[before.piece(self.nodes).slices]
        writes = before.nodes_like(node)[0] == node
        return own if writes else None, whole[self.read.piece(self.nodes).slices]

    def posted(self, post: Post, made: Blocks) -> Posted:
        """The boxes that go to others, and those that come."""
        node, payload = self.nodes.start, made.shape[2:]
        before = self._before()
        there, here = (layout.boxes(self.nodes)[2:] for layout in (before, self.read))
        found = traffic(before, self.read, node, (0,) * len(here))
        seen = post.opened[: prod(here) * prod(payload) * made.itemsize]
        box = seen.view(made.dtype).reshape(*here, *payload)
        going, going_to = _letters(found.sent, there, post.leaving, made, node)
        coming, coming_from = _letters(found.received, here, post.arrived, made, node)
        own = [
            [places for peer, places in parcels if peer == node]
            for parcels in (found.received, found.sent)
        ]
        mailing = post.mailing(going_to, coming_from)

        def pack(block: Blocks) -> Call:
            lines = block.reshape(*there, *payload)
            pairs = [
                *((letter, lines[places]) for places, letter in going),
                *((box[goal], lines[start]) for goal, start in zip(*own, strict=True)),
            ]
            return partial(_copy_all, pairs)

        def send() -> None:
            mailing.send()
            _copy_all([(box[places], letter) for places, letter in coming])

        return Posted(None, pack, send, self, box)

    def _before(self) -> Ownership:
        if self.came is None:
            raise AssertionError(self)
        return self.came


def _letters(
    parcels: Sequence[Parcel], box: tuple[int, ...], buffer: Blocks, made: Blocks, node: int
) -> tuple[list[tuple[Any, Blocks]], tuple[tuple[int, int], ...]]:
    """What picks each box that is a letter, with its place in the buffer, and its size."""
    found, sizes, start = [], [], 0
    for peer, places in parcels:
        if peer != node:
            shape = (*shape_of(box, places), *made.shape[2:])
            nbytes = prod(shape) * made.itemsize
            letter = buffer[start : start + nbytes].view(made.dtype).reshape(shape)
            found.append((places, letter))
            sizes.append((peer, nbytes))
            start += nbytes
    return found, tuple(sizes)


def _copy_all(pairs: Sequence[tuple[Blocks, Blocks]]) -> None:
    for target, source in pairs:
        np.copyto(target, source)


@lru_cache(maxsize=4 * KEPT)
def box_legs(  # noqa: PLR0913
    layout: Ownership,
    dtype: "np.dtype[Any]",
    nodes: range,
    axes: tuple[int, ...],
    points: tuple[int, ...],
    *,
    real: bool = False,
    inverse: bool = False,
    back: bool = False,
    scaling: int = 0,
) -> tuple[BoxLeg, ...] | None:
    """The legs of a transform along some axes; None where one has to stay over its nodes.

    The dtype is that of the spectrum. A ``real`` transform is along the last of the axes.

    >>> layout = Ownership((SharedAxis(6, 2), SharedAxis(9)), 2)
    >>> legs = box_legs(layout, np.dtype(complex), range(1), (0, 1), (6, 9), real=True)
    >>> [(leg.kind, leg.axis, leg.crosses is leg, str(leg.layout)) for leg in legs]
    [('r2c', 1, False, '(6 on 2, 5)'), ('c2c', 0, True, '(6, 5 on 2)')]
    """
    way = _Made(layout, dtype, nodes, inverse=inverse, scaling=scaling)
    last = [*zip(axes, points, strict=True)][-1:] if real else []
    if last and not inverse:
        way.transform("r2c", *last[0])
    left = [*zip(axes, points, strict=True)][: len(axes) - real]
    home: Any = resized_home(way.now, dict(left))
    while left:
        axis, length = chosen = min(left, key=lambda each: way.now.axes[each[0]].parts)
        left.remove(chosen)
        way.transform("c2c", axis, length)
    if back:
        way.move(home)
    if last and inverse:
        way.transform("c2r", *last[0])
    if not way.legs:
        return moving_legs(layout, layout, dtype, nodes, first=True)
    return tuple(way.legs) if way.found else None


def moving_legs(
    layout: Ownership, target: Ownership, dtype: "np.dtype[Any]", nodes: range, *, first: bool
) -> tuple[BoxLeg, ...]:
    """The legs that take everything to where it belongs; at ``first`` others have to see it.

    >>> layout = Ownership((SharedAxis(9, 2),), 2)
    >>> target = Ownership((SharedAxis(9, 2, cyclic=True),), 2)
    >>> legs = moving_legs(layout, target, np.dtype(int), range(1), first=True)
    >>> [leg.crosses is leg for leg in legs]
    [False, True]
    """
    came = layout if layout != target else None
    leg = BoxLeg(came, target, target, nodes, dtype, dtype)
    begins = first and leg.crosses is not None
    return (BoxLeg(None, layout, layout, nodes, dtype, dtype), leg) if begins else (leg,)


class _Made:
    """Legs that are put together one by one; they are ``found`` until an axis stays spread."""

    def __init__(
        self,
        layout: Ownership,
        dtype: "np.dtype[Any]",
        nodes: range,
        *,
        inverse: bool = False,
        scaling: int = 0,
    ) -> None:
        self.now, self.legs, self.found = layout, list[BoxLeg](), True
        self._dtype, self._nodes = dtype, nodes
        self._inverse, self._scaling = inverse, scaling

    def transform(self, kind: str, axis: int, points: int) -> None:
        """Bring an axis to memory, and transform it there."""
        read = ready(self.now, axis)
        self.found = self.found and read.axes[axis].parts == 1
        values = points // 2 + 1 if kind == "r2c" else points
        after = read.with_axis(axis, SharedAxis(values))
        alone = kind == "c2c" and read == self.now == after and self.legs
        if alone and self.legs[-1].kind is not None:
            *_, last = self.legs
            self.legs[-1] = replace(last, more=(*last.more, axis))
            return
        real = np.empty(0, self._dtype).real.dtype
        given, dtype = (real if kind == end else self._dtype for end in ("r2c", "c2r"))
        came = None if read == self.now else self.now
        leg = BoxLeg(
            came,
            read,
            after,
            self._nodes,
            given,
            dtype,
            kind,
            axis,
            points,
            self._inverse,
            self._scaling,
        )
        if leg.crosses is not None and not self.legs:  # others have to see it first
            self.legs.append(BoxLeg(None, self.now, self.now, self._nodes, given, given))
        self.legs.append(leg)
        self.now = after

    def move(self, target: Ownership) -> None:
        """Take everything to where it is in another layout."""
        if len(self._nodes) > 1 and self.legs:  # the block stays the whole array
            self.legs[-1], self.now = replace(self.legs[-1], layout=target), target
        elif target != self.now:
            first = not self.legs
            self.legs += moving_legs(self.now, target, self._dtype, self._nodes, first=first)
            self.now = target
