"""How axes are traded: the legs of transforms, and of other ways, in layouts by ownership.

Rules.

1. An axis in memory is transformed there. For one over nodes, a long axis in memory takes its
   nodes; if all axes are over nodes, another one takes them too.
2. Where no other axis is long enough, the axis stays over its nodes, and there are no legs.
3. The layouts on the way depend on layouts alone.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from graycube.fourier.along import KEPT
from graycube.fourier.arguments import Wanted, resized_home
from graycube.fourier.box_legs import BoxLeg
from graycube.layout import Ownership
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.share import SharedAxis


def ready(layout: Ownership, axis: int) -> Ownership:
    """A layout in which the axis is in memory, or in blocks if it cannot be there.

    >>> from graycube.layout.share import SharedAxis
    >>> print(ready(Ownership((SharedAxis(9, 2), SharedAxis(5)), 2), 0))
    (9, 5 on 2)
    >>> print(ready(Ownership((SharedAxis(9, 2, cyclic=True),), 2), 0))
    (9 on 2)
    """
    share = layout.axes[axis]
    if share.parts == 1:
        return layout
    others = [k for k in range(len(layout.axes)) if k != axis]
    free = [k for k in others if layout.axes[k].parts == 1]
    longest = max(free, key=lambda k: layout.axes[k].length, default=None)
    axes = [*layout.axes]
    most = 0 if longest is None else axes[longest].length
    if longest is not None and most > 1 and 2 * most >= share.parts:  # half of them are busy
        axes[longest] = axes[longest].on_nodes(share.parts, share.stride)
        axes[axis] = share.on_nodes(1, 1)
        return replace(layout, axes=tuple(axes))
    room = max(others, key=lambda k: axes[k].length // axes[k].parts, default=None)
    if room is not None and axes[room].length >= axes[room].parts * share.parts:
        parts = [other.parts for other in axes]
        parts[room] *= share.parts
        parts[axis] = 1
        return in_blocks(layout.shape, parts, layout.copy_count)
    axes[axis] = share.on_nodes(share.parts, share.stride)
    return replace(layout, axes=tuple(axes))


@lru_cache(maxsize=4 * KEPT)
def box_legs(
    layout: Ownership, dtype: "np.dtype[Any]", nodes: range, asked: Wanted
) -> tuple[BoxLeg, ...] | None:
    """The legs of a transform along some axes; None where one has to stay over its nodes.

    The dtype is that of the spectrum.

    >>> layout = Ownership((SharedAxis(6, 2), SharedAxis(9)), 2)
    >>> legs = box_legs(layout, np.dtype(complex), range(1), Wanted((0, 1), (6, 9), real=True))
    >>> [(leg.kind, leg.axis, leg.crosses is leg, str(leg.layout)) for leg in legs]
    [('r2c', 1, False, '(6 on 2, 5)'), ('c2c', 0, True, '(6, 5 on 2)')]
    """
    way = _Made(layout, dtype, nodes, asked)
    every = [*zip(asked.axes, asked.points, asked.kept, strict=True)]
    last = every[-1:] if asked.real else []
    if last and not asked.inverse:
        way.transform("r2c", *last[0])
    left = every[: len(every) - asked.real]
    home: Any = resized_home(way.now, {axis: points for axis, points, _ in left})
    while left:
        chosen = min(left, key=lambda each: way.now.axes[each[0]].parts)
        left.remove(chosen)
        way.transform("c2c", *chosen)
    if asked.back:
        way.move(home)
    if last and asked.inverse:
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
        self, layout: Ownership, dtype: "np.dtype[Any]", nodes: range, asked: Wanted
    ) -> None:
        self.now, self.legs, self.found = layout, list[BoxLeg](), True
        self._dtype, self._nodes, self._asked = dtype, nodes, asked

    def transform(self, kind: str, axis: int, points: int, waves: int) -> None:
        """Bring an axis to memory, and transform it there."""
        read = ready(self.now, axis)
        self.found = self.found and read.axes[axis].parts == 1
        values = points if self._asked.inverse else waves
        values = values // 2 + 1 if kind == "r2c" else values
        after = read.with_axis(axis, SharedAxis(values))
        alone = kind == "c2c" and read == self.now == after and self.legs
        if alone and self.legs[-1].kind is not None:
            *_, last = self.legs
            self.legs[-1] = replace(last, more=(*last.more, axis))
            return
        real = np.finfo(self._dtype).dtype
        given, dtype = (real if kind == end else self._dtype for end in ("r2c", "c2r"))
        came = None if read == self.now else self.now
        how = kind, axis, points, waves, self._asked.inverse, self._asked.scaling
        leg = BoxLeg(came, read, after, self._nodes, given, dtype, *how)
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
