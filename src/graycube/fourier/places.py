"""Elements of an axis over nodes that go to other places along it: mirrored, in pairs.

Rules.

1. A way is a few pairs of ranges of one length: from where to where, place by place. No place
   gets two elements, and one that gets none is zero. An element may go to two places, or none.
2. What a node has of a range is a range again, and so is what of that another node needs. Both
   ends work it out, so nothing is said of it in messages.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.fourier.team import Blocked, Team

_Lines = NDArray[Any]
Way = tuple[tuple[range, range], ...]
"""From where to where: see the rules."""
_KEPT = 32  # ways of a node


def straight(count: int) -> Way:
    """So many elements stay at their places.

    >>> straight(3)
    ((range(0, 3), range(0, 3)),)
    """
    return ((range(count), range(count)),)


def mirrored(points: int) -> Way:
    """To 0 and up to ``points`` come the values at 0, -1 and so on, of what has that period.

    >>> mirrored(4)
    ((range(0, 1), range(0, 1)), (range(3, -1, -1), range(1, 5)))
    """
    return (range(1), range(1)), (range(points - 1, -1, -1), range(1, points + 1))


def turned(points: int) -> Way:
    """Values at 1 to ``points`` come to their distances from the end.

    >>> turned(4)
    ((range(4, 0, -1), range(0, 4)),)
    """
    return ((range(points, 0, -1), range(points)),)


def even_first(points: int) -> Way:
    """Elements at even places, then those at odd ones backwards.

    >>> even_first(5)
    ((range(0, 5, 2), range(0, 3)), (range(3, 0, -2), range(3, 5)))
    """
    half, last = (points + 1) // 2, points // 2 * 2 - 1
    return (range(0, points, 2), range(half)), (range(last, 0, -2), range(half, points))


def paired(points: int, *, backwards: bool = False) -> Way:
    """Values at k and -k, of so many ``points``, come in pairs, those of 0 and half included.

    With ``backwards`` the place of a value counts from the end. The pair of 0 is half empty; a
    value that is its own mirror image is there twice.

    >>> paired(4)
    ((range(0, 3), range(0, 5, 2)), (range(3, 1, -1), range(3, 6, 2)))
    """
    half = points // 2
    ways = (
        (range(half + 1), range(0, 2 * half + 1, 2)),
        (range(points - 1, points - half - 1, -1), range(3, 2 * half + 2, 2)),
    )
    return tuple((_flipped(k, points) if backwards else k, pair) for k, pair in ways)


def apart(points: int, *, backwards: bool = False) -> Way:
    """The way back from pairs: of what is there twice the first one counts.

    >>> apart(4)
    ((range(0, 5, 2), range(0, 3)), (range(3, 5, 2), range(3, 2, -1)))
    """
    (one, first), (mirror, second) = paired(points, backwards=backwards)
    alone = len(mirror) - (points % 2 == 0)
    return (first, one), (second[:alone], mirror[:alone])


def back(way: Way) -> Way:
    """The way back, if no element went to two places.

    >>> back(turned(2))
    ((range(0, 2), range(2, 0, -1)),)
    """
    return tuple((goal, source) for source, goal in way)


def _flipped(places: range, points: int) -> range:
    """The same places, counted from the end."""
    last = points - 1
    return range(last - places.start, last - places.stop, -places.step)


@dataclass(frozen=True, slots=True)
class Waves:
    """Those that two numbers of points have: up to ``last``, and back to ``-last``.

    Points have the waves with less than half as many periods. The one in the middle of an even
    number has no sign, and is left out. A ``half`` of a spectrum has no negative ones, which
    are at the end. There are ``old`` values, or ``new`` ones.

    >>> waves = Waves.of(6, 8, half=False)
    >>> waves.way
    ((range(0, 3), range(0, 3)), (range(4, 6), range(6, 8)))
    """

    old: int
    new: int
    last: int
    half: bool

    @classmethod
    def of(cls, old: int, new: int, *, half: bool) -> "Waves":
        """Those of two numbers of points."""
        last = (min(old, new) - 1) // 2
        values = (old // 2 + 1, new // 2 + 1) if half else (old, new)
        return cls(*values, last, half)

    @property
    def way(self) -> Way:
        """Where they are in both spectra, in ascending order."""
        found = straight(self.last + 1)
        if self.half or not self.last:
            return found
        old, new = (range(count - self.last, count) for count in (self.old, self.new))
        return (*found, (old, new))

    def in_memory(self, lines: _Lines, axis: int) -> _Lines:
        """Whole lines, with zeros where there were no such waves."""
        shape = [*lines.shape]
        shape[axis] = self.new
        made = np.zeros(shape, lines.dtype)
        target, given = (np.moveaxis(x, axis, 0) for x in (made, lines))
        for source, goal in self.way:
            target[as_slice(goal)] = given[as_slice(source)]
        return made

    def over_nodes(self, lines: _Lines, team: Team) -> _Lines:
        """Lines along axis 0 that a team has; collective."""
        return sent_on(lines, team.blocks(self.old), team.blocks(self.new), team, self.way)


def sent_on(lines: _Lines, have: Blocked, want: Blocked, team: Team, way: Way) -> _Lines:
    """The block of this node after all elements went their way along axis 0; collective.

    >>> def program(comm, team, x):  # 8 elements, of which this node has a block
    ...     return sent_on(x, Blocked.over(8, 3), Blocked.over(8, 3), team, even_first(8))
    """
    leaving, coming = _routes(have, want, len(team.nodes), team.me, way)
    made = np.zeros((len(want.own(team.me)), *lines.shape[1:]), lines.dtype)
    sent = [[lines[k] for k in places] for places in leaving]
    goals = [[made[k] for k in places] for places in coming]
    team.filled(sent, goals, lines, 2 * have.block)  # some elements go to two places
    return made


_Route = list[slice]
"""Places in a block."""


@lru_cache(maxsize=_KEPT)
def _routes(
    have: Blocked, want: Blocked, nodes: int, me: int, way: Way
) -> tuple[list[_Route], list[_Route]]:
    """What goes to each node, and where what comes from each of them goes."""
    mine, need = have.own(me), want.own(me)
    every = range(nodes)
    leaving = [[_met(s, mine, g, want.own(k)) for s, g in way] for k in every]
    coming = [[_met(g, need, s, have.own(k)) for s, g in way] for k in every]
    return [_route(parts, mine) for parts in leaving], [_route(parts, need) for parts in coming]


def _met(here: range, own: range, there: range, other: range) -> range:
    """Those places of one end that are its own, where the other end has those of the other."""
    one, two = _within(here, own), _within(there, other)
    return here[max(one.start, two.start) : min(one.stop, two.stop)]


def _within(places: range, block: range) -> range:
    """Which of the places lie in a block."""
    if not block:
        return range(0)
    sign = 1 if places.step > 0 else -1
    first, last = sorted((sign * block[0], sign * block[-1]))
    ascending = sign.__mul__
    start = bisect_left(places, first, key=ascending)
    return range(start, bisect_right(places, last, key=ascending))


def _route(parts: list[range], block: range) -> _Route:
    first = block.start
    return [as_slice(range(r.start - first, r.stop - first, r.step)) for r in parts if r]


def as_slice(places: range) -> slice:
    """The same places.

    >>> as_slice(range(2, -1, -1)), as_slice(range(2))
    (slice(2, None, -1), slice(0, 2, 1))
    """
    return slice(places.start, places.stop if places.stop >= 0 else None, places.step)
