"""Rounds: which crossings run at the same time, and what the longest message is.

Rules.

1. A node sends at most as many messages in a round as it has ports, and receives at most as
   many. Store-and-forward counts the links it uses, circuits count the ends of paths.
2. Messages of different steps never share a link in a round. Where circuits of one step share
   one, it carries them one after the other: the round takes the sum.
3. On a torus they may: what a round takes is counted link by link (:mod:`.crowded`).
4. A crossing goes to the first round that has room for it, after the crossings that it waits
   for. With corners, an axis begins when the one before has ended.

Because the cube is a product of the subcubes of the axes, the busiest node of a round is busy
with as many messages as the busiest nodes of all subcubes together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from graycube.gf2.arrays import IntArray
from graycube.stencil.crowded import Faces
from graycube.stencil.routes import Routed, Wave, summed


@dataclass(frozen=True, slots=True)
class Move:
    """In a round, messages of a ``step`` along an ``axis`` cross the dimensions of ``path``.

    Store-and-forward: all messages whose ends differ in the one dimension. Circuits: those
    whose ends differ in the dimensions of the path and in no others.

    >>> print(Move(axis=0, step=-1, path=(0, 2)))
    axis 0 step -1 across 0 2
    """

    axis: int
    step: int
    path: tuple[int, ...]

    def __str__(self) -> str:
        across = " ".join(map(str, self.path))
        return f"axis {self.axis} step {self.step:+d} across {across}"


@dataclass(frozen=True, slots=True)
class HaloRound:
    """What moves in a round, counted in elements.

    ``loads`` has the most that a link carries, for each dimension in use, ``crossings`` the sum
    over all links, and ``busiest`` the number of messages that one node sends or receives at
    most.

    >>> HaloRound((Move(0, 1, (0,)),), loads=((0, 8),), crossings=32, busiest=1).longest
    8
    """

    moves: tuple[Move, ...]
    loads: tuple[tuple[int, int], ...]
    crossings: int
    busiest: int

    @property
    def longest(self) -> int:
        """The most that a link carries."""
        return max(load for _, load in self.loads)


@dataclass(frozen=True, slots=True)
class Shift:
    """The messages of one step along an axis, for the nodes of the whole cube.

    A run stands for ``most`` elements on the node that has most of the other axes, and for
    ``total`` on all of them together.
    """

    axis: int
    dims: tuple[int, ...]
    way: Routed
    most: int
    total: int


def pack(
    phases: Iterable[Sequence[Shift]], ports: int, *, crowded: bool = False
) -> tuple["Filled", ...]:
    """The rounds of phases, one phase after the other.

    Where they may be ``crowded``, messages of different steps share links.

    >>> from graycube.stencil.line import strips
    >>> from graycube.stencil.routes import routed
    >>> from graycube.layout import Layout
    >>> (strip,) = strips(Layout.mesh((24,), nodes=(8,), code="gray", ownership=False))
    >>> (way,) = routed(strip.line, 1, periodic=True, switching="store-and-forward")
    >>> print(*pack([[Shift(0, strip.dims, way, most=3, total=3)]], ports=1)[0].moves)
    axis 0 step +1 across 0 axis 0 step +1 across 1 axis 0 step +1 across 2
    """
    return tuple(made for shifts in phases for made in _packed(shifts, ports, crowded))


def _packed(shifts: Sequence[Shift], ports: int, crowded: bool) -> list["Filled"]:  # noqa: FBT001
    rounds: list[Filled] = []
    for shift in shifts:
        placed: list[int] = []
        for crossing in shift.way.crossings:
            number = max((placed[k] + 1 for k in crossing.after), default=0)
            while number < len(rounds) and not (
                rounds[number].has_ports(shift, crossing, ports)
                and (crowded or rounds[number].has_links(shift, crossing))
            ):
                number += 1
            if number == len(rounds):
                rounds.append(Filled())
            rounds[number].add(shift, crossing)
            placed.append(number)
    return rounds


@dataclass(slots=True)
class _Ends:
    """How many messages start, or how many end, at each node of the axes' subcubes."""

    counts: dict[int, IntArray] = field(default_factory=dict)

    def busiest(self) -> int:
        """The count of the busiest node of the cube."""
        return sum(int(counts.max()) for counts in self.counts.values())

    def with_more(self, axis: int, nodes: IntArray) -> int:
        """The same, if there were one message more at some nodes of an axis's subcube."""
        here = self.counts.get(axis)
        if here is None:
            return self.busiest() + 1
        most = int(here.max())
        return self.busiest() - most + max(most, int(here[nodes].max()) + 1)

    def add(self, shift: Shift, nodes: IntArray) -> None:
        empty = np.zeros(1 << len(shift.dims), dtype=np.int64)
        self.counts.setdefault(shift.axis, empty)[nodes] += 1


@dataclass(slots=True)
class Filled:
    """A round that crossings are added to.

    >>> Filled().closed().loads
    ()
    """

    moves: list[Move] = field(default_factory=list)
    crossings: list[tuple[Shift, Wave]] = field(default_factory=list)
    starts: _Ends = field(default_factory=_Ends)
    stops: _Ends = field(default_factory=_Ends)
    carried: dict[Shift, tuple[IntArray, IntArray]] = field(default_factory=dict)

    def has_ports(self, shift: Shift, crossing: Wave, ports: int) -> bool:
        """Whether ports are free."""
        starting = self.starts.with_more(shift.axis, crossing.senders)
        ending = self.stops.with_more(shift.axis, crossing.receivers)
        return max(starting, ending) <= ports

    def has_links(self, shift: Shift, crossing: Wave) -> bool:
        """Whether links are free."""
        others = (
            links
            for other, (links, _) in self.carried.items()
            if other.axis == shift.axis and other is not shift
        )
        return not any(np.intersect1d(crossing.links, links).size for links in others)

    def add(self, shift: Shift, crossing: Wave) -> None:
        """Let the messages cross in this round."""
        path = tuple(shift.dims[d] for d in crossing.path)
        self.moves.append(Move(shift.axis, shift.way.step, path))
        self.crossings.append((shift, crossing))
        self.starts.add(shift, crossing.senders)
        self.stops.add(shift, crossing.receivers)
        links, loads = self.carried.get(shift, (crossing.links[:0], crossing.loads[:0]))
        both = np.append(links, crossing.links), np.append(loads, crossing.loads)
        self.carried[shift] = summed(*both)

    def sent(self, itemsize: int) -> dict[int, list[Faces]]:
        """The messages along each axis, between nodes of the whole cube."""
        found: dict[int, list[Faces]] = {}
        for shift, wave in self.crossings:
            start = np.zeros_like(wave.senders)
            for k, d in enumerate(shift.dims):
                start |= (wave.senders >> k & 1) << d
            flip = sum(1 << shift.dims[k] for k in wave.path)
            nbytes = wave.runs * float(shift.most * itemsize)
            one = Faces(start, np.full_like(start, flip), nbytes)
            found.setdefault(shift.axis, []).append(one)
        return found

    def closed(self) -> HaloRound:
        """What the round takes."""
        most: dict[int, int] = {}
        for shift, (links, carried) in self.carried.items():
            for d, dim in enumerate(shift.dims):
                here = int(carried[links >> len(shift.dims) == d].max(initial=0)) * shift.most
                if here:
                    most[dim] = max(here, most.get(dim, 0))
        return HaloRound(
            moves=tuple(self.moves),
            loads=tuple(sorted(most.items())),
            crossings=sum(int(loads.sum()) * s.total for s, (_, loads) in self.carried.items()),
            busiest=max(self.starts.busiest(), self.stops.busiest()),
        )
