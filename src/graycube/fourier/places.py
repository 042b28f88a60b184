"""Elements of an axis over nodes that go to other places along it: mirrored, in pairs.

Rules.

1. :class:`Blocked` is an axis in blocks over the nodes of a team, the last ones shorter.
2. A :class:`Journey` says where each place has its element from, and to which places an element
   goes: one, two or none. Both ends work it out, so nothing is said of it in messages.
3. Elements travel in the order of the places that they go to. A place with no source is zero.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graycube.gf2.arrays import IntArray

if TYPE_CHECKING:
    from graycube.fourier.team import Team

_Lines = NDArray[Any]
_Places = slice | IntArray
_NONE = -1
_KEPT = 32  # ways of a node, most of them a few slices


@dataclass(frozen=True, slots=True)
class Blocked:
    """An axis of so many elements, in blocks of a size.

    >>> Blocked.over(9, 4), Blocked(9, 4).own(2)
    (Blocked(length=9, block=3), range(8, 9))
    """

    length: int
    block: int

    @classmethod
    def over(cls, length: int, nodes: int) -> "Blocked":
        """The blocks of an axis that is shared out to some nodes."""
        return cls(length, -(-length // nodes))

    def starts(self, nodes: int) -> IntArray:
        """Where the blocks of so many nodes begin, and the end."""
        return np.minimum(np.arange(nodes + 1) * self.block, self.length)

    def own(self, who: int) -> range:
        """The places of one node."""
        return range(*(min(k * self.block, self.length) for k in (who, who + 1)))


class Journey(Protocol):
    """Where elements go, and where they come from; -1 stands for nowhere."""

    def __hash__(self) -> int: ...

    def goals(self, source: IntArray) -> tuple[IntArray, ...]:
        """The places that elements go to, in one array or in several."""

    def origins(self, goal: IntArray) -> IntArray:
        """The places that elements come from."""


@dataclass(frozen=True, slots=True)
class Straight:
    """Every element stays at its place; what has none any more is gone.

    >>> Straight().origins(np.array([0, 1]))
    array([0, 1])
    """

    def goals(self, source: IntArray) -> tuple[IntArray, ...]:
        """The same places."""
        return (source,)

    def origins(self, goal: IntArray) -> IntArray:
        """The same places."""
        return goal


@dataclass(frozen=True, slots=True)
class Mirrored:
    """Values 0 to ``-points`` of what has that period: those at -k.

    >>> Mirrored(4).origins(np.arange(5))
    array([0, 3, 2, 1, 0])
    """

    points: int

    def goals(self, source: IntArray) -> tuple[IntArray, ...]:
        """One place for each, and both ends for the element at 0."""
        return self.points - source, np.where(source == 0, 0, _NONE)

    def origins(self, goal: IntArray) -> IntArray:
        """Modulo the points."""
        return -goal % self.points


@dataclass(frozen=True, slots=True)
class Turned:
    """Values 0 to ``points``, each at its distance from the end; the first one is left out.

    >>> Turned(4).origins(np.arange(4))
    array([4, 3, 2, 1])
    """

    points: int

    def goals(self, source: IntArray) -> tuple[IntArray, ...]:
        """As far from the end."""
        return (np.where(source == 0, _NONE, self.points - source),)

    def origins(self, goal: IntArray) -> IntArray:
        """As far from the end."""
        return self.points - goal


@dataclass(frozen=True, slots=True)
class EvenFirst:
    """Elements at even places, then those at odd ones backwards; or the ``inverse`` of that.

    >>> EvenFirst(5).origins(np.arange(5)), EvenFirst(5, inverse=True).origins(np.arange(5))
    (array([0, 2, 4, 3, 1]), array([0, 4, 1, 3, 2]))
    """

    points: int
    inverse: bool = False

    def goals(self, source: IntArray) -> tuple[IntArray, ...]:
        """The only place of each."""
        return (self._taken(source) if self.inverse else self._dealt(source),)

    def origins(self, goal: IntArray) -> IntArray:
        """The only source of each."""
        return self._dealt(goal) if self.inverse else self._taken(goal)

    def _dealt(self, k: IntArray) -> IntArray:
        return np.where(k % 2 == 0, k // 2, self.points - (k + 1) // 2)

    def _taken(self, k: IntArray) -> IntArray:
        return np.where(2 * k < self.points, 2 * k, 2 * (self.points - k) - 1)


@dataclass(frozen=True, slots=True)
class Paired:
    """Real values at k and -k, of so many ``points``, in pairs; or ``apart`` at their places.

    With ``backwards`` the place of a value counts from the end. The pair of 0 is half empty; a
    value that is its own mirror image is there twice.

    >>> Paired(4).origins(np.arange(6)), Paired(4, apart=True).origins(np.arange(4))
    (array([ 0, -1,  1,  3,  2,  2]), array([0, 2, 4, 3]))
    """

    points: int
    apart: bool = False
    backwards: bool = False

    def goals(self, source: IntArray) -> tuple[IntArray, ...]:
        """Each value in pairs goes to one place, or to none if it is there twice."""
        if not self.apart:
            return self._in_pairs(self._flipped(source))
        k = source // 2
        twice = (source % 2 == 1) & (2 * k == self.points)
        return (np.where(twice, _NONE, self._one(source)),)

    def origins(self, goal: IntArray) -> IntArray:
        """The only source of each."""
        if not self.apart:
            return self._one(goal)
        first, second = self._in_pairs(self._flipped(goal))
        return np.where(first == _NONE, second, first)

    def _one(self, pair: IntArray) -> IntArray:
        """The place of a value of the pairs."""
        k = pair // 2
        place = self._flipped(np.where(pair % 2 == 0, k, self.points - k))
        return np.where(pair == 1, _NONE, place)

    def _in_pairs(self, k: IntArray) -> tuple[IntArray, IntArray]:
        """Where a value is in the pairs, as the first of one and as the second of one."""
        half = self.points // 2
        first = np.where(k <= half, 2 * k, _NONE)
        mirror = self.points - k
        return first, np.where((mirror <= half) & (k > 0), 2 * mirror + 1, _NONE)

    def _flipped(self, k: IntArray) -> IntArray:
        return self.points - 1 - k if self.backwards else k


def sent_on(lines: _Lines, have: Blocked, want: Blocked, team: "Team", way: Journey) -> _Lines:
    """The block of this node after all elements went their way along axis 0; collective.

    >>> def program(comm, team, x):  # 8 elements, of which this node has a block
    ...     return sent_on(x, Blocked.over(8, 3), Blocked.over(8, 3), team, EvenFirst(8))
    """
    sources, goals = _routes(have, want, len(team.nodes), team.me, way)
    made = np.zeros((len(want.own(team.me)), *lines.shape[1:]), lines.dtype)
    sent = [lines[source] for source in sources]
    shapes = [made[goal].shape for goal in goals]
    found = team.exchanged(sent, shapes, 2 * have.block)  # some elements go to two places
    for goal, part in zip(goals, found, strict=True):
        made[goal] = part
    return made


@lru_cache(maxsize=_KEPT)
def _routes(
    have: Blocked, want: Blocked, nodes: int, me: int, way: Journey
) -> tuple[list[_Places], list[_Places]]:
    """What goes to each node, and where what comes from each of them goes."""
    mine, need = have.own(me), want.own(me)
    ways = way.goals(np.arange(mine.start, mine.stop))
    goal, source = np.concatenate(ways), np.tile(np.arange(len(mine)), len(ways))
    order = np.argsort(goal, kind="stable")
    cuts = np.searchsorted(goal[order], want.starts(nodes))
    sources = [_stepped(source[order[low:high]]) for low, high in pairwise(cuts)]
    origin = way.origins(np.arange(need.start, need.stop))
    order = np.argsort(origin, kind="stable")
    cuts = np.searchsorted(origin[order], have.starts(nodes))
    return sources, [_stepped(np.sort(order[low:high])) for low, high in pairwise(cuts)]


def _stepped(places: IntArray) -> _Places:
    """Places as a slice, if they are evenly spaced."""
    if len(places) < 2:
        return slice(int(places[0]), int(places[0]) + 1) if len(places) else slice(0, 0)
    first, last, step = int(places[0]), int(places[-1]), int(places[1] - places[0])
    if not step or not np.array_equal(places, np.arange(first, last + step, step)):
        return places
    end = last + step
    return slice(first, end if end >= 0 else None, step)
