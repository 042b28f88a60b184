"""The one form that every schedule has: ways, steps, crossings, delays.

Rules.

1. The elements at positions ``start`` to ``stop`` of a block, on the nodes of a subcube, have
   one *way*: they do its *steps*, one after the other. Each takes what is at address a to
   ``move(a)``. A way of whole blocks may be that of some slots only: its subcube then has slot
   bits, too. So may a way *per slot*, which has the positions ``start`` to ``stop`` of what is
   behind each slot.
2. Those for which a step changes node bits cross these dimensions in its *crossings*, in the
   order listed. A crossing begins in cycle ``start``, and later by each *delay* whose parity
   the address before the step has: that is the *clock* of an element.
3. Elements that have one node before the step, and one clock, are one message: they follow one
   another in the order of their positions, one a cycle. An element goes on in the order of its
   clocks, and where they are equal in that of the steps.
4. A step with a ``stage`` moves nothing: it pairs the elements whose words differ in that bit.

Crossings of one clock are a circuit. What a way does is a few integers, whatever its size.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import overload

import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Exchange, bit_indices, parity, require_int
from graycube.gf2.arrays import IntArray
from graycube.schedule.required import require_all


@dataclass(frozen=True, slots=True)
class Delay:
    """Elements with parity(a & ``mask``) == ``want`` cross so many ``cycles`` later.

    >>> Delay(cycles=4, mask=0b101).of(0b001), Delay(cycles=4, mask=0b101).of(0b101)
    (4, 0)
    """

    cycles: int
    mask: int
    want: int = 1

    def __post_init__(self) -> None:
        for name in ("cycles", "mask", "want"):
            object.__setattr__(self, name, require_int(getattr(self, name), name, least=0))
        if self.want > 1:
            raise InvalidValueError(
                f"the delay of {self.cycles} cycles is where a parity is {self.want}"[:80],
                "a parity is 0 or 1",
                "use want=0 or want=1",
            )

    def __str__(self) -> str:
        tested = " ^ ".join(f"a{j}" for j in bit_indices(self.mask)) or "0"
        return f"+ {self.cycles} where {tested} = {self.want}"

    def of(self, address: int) -> int:
        """The cycles that what is at the address comes later."""
        return self.cycles if parity(address & self.mask) == self.want else 0


@dataclass(frozen=True, slots=True)
class Crossing:
    """Over dimension ``dim``, from cycle ``start`` on, later by each of the ``delays``.

    >>> crossing = Crossing(dim=0, start=4, delays=(Delay(2, 0b100),))
    >>> crossing.clock(0b001), crossing.clock(0b101), crossing.last
    (4, 6, 6)
    """

    dim: int
    start: int
    delays: tuple[Delay, ...] = ()
    last: int = field(init=False, repr=False, compare=False)
    """The latest clock there can be."""

    def __post_init__(self) -> None:
        for name in ("dim", "start"):
            given = getattr(self, name)
            if type(given) is not int or given < 0:
                object.__setattr__(self, name, require_int(given, name, least=0))
        last = self.start
        if self.delays != ():
            object.__setattr__(self, "delays", require_all(self.delays, Delay, "the delays"))
            last += sum([late.cycles for late in self.delays])
        object.__setattr__(self, "last", last)

    @overload
    def clock(self, address: int) -> int: ...
    @overload
    def clock(self, address: IntArray) -> IntArray: ...
    def clock(self, address: int | IntArray) -> int | IntArray:
        """The first cycle of the message of what is at an address, or at each of some."""
        if isinstance(address, np.ndarray):
            found: IntArray = np.full(address.shape, self.start, dtype=np.int64)
            for late in self.delays:
                odd = np.bitwise_count(address & late.mask) & 1
                found += late.cycles * (odd == late.want)
            return found
        return self.start + sum(late.of(address) for late in self.delays)


_MOVES = (Exchange, AffineMap, type(None))


@dataclass(frozen=True, slots=True)
class Step:
    """A map of addresses, or a stage of butterflies, and what crosses links for it.

    >>> swap = Step(Exchange(flip=0b011, when=0b011), (Crossing(0, start=4),))
    >>> swap(0b001), Step(stage=2)(0b001)
    (2, 1)
    """

    move: Exchange | AffineMap | None = None
    crossings: tuple[Crossing, ...] = ()
    stage: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.move, _MOVES):
            raise InvalidTypeError(
                f"a step moves by {self.move!r:.60}",
                "it is an Exchange or an AffineMap",
                "pass one, or nothing",
            )
        object.__setattr__(
            self, "crossings", require_all(self.crossings, Crossing, "the crossings")
        )
        if self.stage is not None:
            stage = require_int(self.stage, "the bit of a stage", least=0)
            object.__setattr__(self, "stage", stage)
        if (self.stage is None) == (self.move is None) or (self.crossings and not self.move):
            what = "nothing" if self.stage is None else f"moves and butterflies of bit {stage}"
            raise InvalidValueError(
                f"a step has {what}",
                "a step moves something, or is a stage",
                "give a move, with what crosses links for it, or a stage",
            )

    @overload
    def __call__(self, address: int) -> int: ...
    @overload
    def __call__(self, address: IntArray) -> IntArray: ...
    def __call__(self, address: int | IntArray) -> int | IntArray:
        """Where what is at the address, or at each of some, is afterwards."""
        return address if self.move is None else self.move(address)

    @property
    def exchange(self) -> Exchange | None:
        """The exchange that the step is, if it is one.

        >>> Step(Exchange(flip=1, when=2)).exchange, Step(stage=2).exchange
        (Exchange(flip=1, when=2, want=1), None)
        """
        return self.move if isinstance(self.move, Exchange) else None

    def __str__(self) -> str:
        if self.stage is not None:
            return f"butterflies of bit {self.stage}"
        what = "a map" if isinstance(self.move, AffineMap) else str(self.move)
        if not self.crossings:
            return what
        starts = dict.fromkeys(str(crossing.start) for crossing in self.crossings)
        late = (str(late) for late in self.crossings[0].delays)
        return "; ".join((f"cycle {' '.join(starts)}: {what}", *late))

    def affine(self, size: int) -> AffineMap:
        """The move as a map of addresses of ``size`` bits.

        >>> Step(stage=2).affine(4) == AffineMap.identity(4)
        True
        """
        return AffineMap.identity(size) if self.move is None else self.move.affine(size)


def hop(cycle: int, exchange: Exchange, n: int, delays: tuple[Delay, ...] = ()) -> Step:
    """The step of an exchange that begins in a cycle, if it crosses one of n dimensions.

    >>> hop(4, Exchange(flip=1, when=2), n=2).crossings
    (Crossing(dim=0, start=4, delays=()),)
    >>> hop(4, Exchange(flip=4, when=2), n=2).crossings
    ()
    >>> print(hop(4, Exchange(flip=1, when=2), n=2, delays=(Delay(8, mask=4),)))
    cycle 4: flip 0 where a1 = 1; + 8 where a2 = 1
    """
    links = exchange.flip & (1 << n) - 1
    if links and not links & links - 1:  # most cross one
        return Step(exchange, (Crossing(links.bit_length() - 1, cycle, delays),))
    return Step(exchange, tuple([Crossing(d, cycle, delays) for d in bit_indices(links)]))


@dataclass(frozen=True, slots=True)
class Way:
    """The steps of positions ``start`` to ``stop`` at the addresses a with a & mask == value.

    The positions are those of a block, or ``per_slot``.

    >>> half = Way(0, 32, (Step(Exchange(flip=1, when=2), (Crossing(0, 0),)),), mask=2, value=2)
    >>> half.size, half.starts_at(3), half.move(2)(0b10)
    (32, True, 3)
    """

    start: int
    stop: int
    steps: tuple[Step, ...]
    mask: int = 0
    value: int = 0
    per_slot: bool = False

    def __post_init__(self) -> None:
        for name in ("start", "stop", "mask", "value"):
            object.__setattr__(self, name, require_int(getattr(self, name), name))
        object.__setattr__(self, "steps", require_all(self.steps, Step, "the steps"))
        if self.mask < 0 or self.value & ~self.mask:
            raise InvalidValueError(
                f"a way has the mask {self.mask:#x} and the value {self.value:#x}"[:80],
                "the mask must be >= 0, and the value have no other bits",
                "give the bits that are fixed, and what they are",
            )
        if not 0 <= self.start <= self.stop:
            raise InvalidValueError(
                f"a way runs from {self.start} to {self.stop}",
                "0 <= start <= stop is needed",
                "give positions of a block as in range(start, stop)",
            )

    @property
    def size(self) -> int:
        """Number of positions, of all slots or of each."""
        return self.stop - self.start

    def elements(self, n: int, p: int) -> int:
        """Number of elements of each block, where n of p address bits are those of the node.

        >>> Way(0, 32, (), mask=0b101, value=1).elements(n=2, p=4)
        16
        >>> Way(0, 8, (), mask=0b101, value=1, per_slot=True).elements(n=2, p=4)
        16
        """
        slots = self.per_slot * (p - n)
        return self.size << slots >> (self.mask >> n).bit_count()

    def everywhere(self, n: int, p: int) -> int:
        """Number of elements on all nodes together.

        >>> Way(0, 32, (), mask=0b101, value=1).everywhere(n=2, p=4)
        32
        """
        return self.elements(n, p) << n - (self.mask & (1 << n) - 1).bit_count()

    def starts_at(self, node: int) -> bool:
        """Whether the node has elements of the way at first, if it is that of all slots."""
        return node & self.mask == self.value

    def move(self, size: int) -> AffineMap:
        """Where the steps take every address of ``size`` bits."""
        total = AffineMap.identity(size)
        for step in self.steps:
            if step.move is not None:
                total = step.move @ total
        return total


def tells_slots_apart(ways: Sequence[Way], n: int) -> bool:
    """Whether the way or the place of an element depends on its slot, or the slot changes.

    >>> there, swap = Exchange(flip=1, when=2), Exchange(flip=5, when=5)
    >>> [tells_slots_apart([Way(0, 8, (Step(e),))], n=2) for e in (there, swap)]
    [False, True]
    """
    return any(
        way.per_slot or way.mask >> n or any(_tests_slots(step, n) for step in way.steps)
        for way in ways
        if way.size
    )


def _tests_slots(step: Step, n: int) -> bool:
    if any(late.mask >> n for crossing in step.crossings for late in crossing.delays):
        return True
    if isinstance(step.move, AffineMap):
        return step.move.untouched(n) < step.move.width - n
    return step.move is not None and bool((step.move.flip | step.move.when) >> n)


def are_straight(ways: Sequence[Way]) -> bool:
    """Whether each step is an exchange, one dimension after the other, and nobody takes turns.

    >>> there, stage = hop(4, Exchange(1, 2), n=2), Step(stage=1)
    >>> are_straight([Way(0, 8, (there,))]), are_straight([Way(0, 8, (there, stage))])
    (True, False)
    >>> trade = [Step(Exchange(3, 3), (Crossing(0, 0), Crossing(1, t))) for t in (0, 8)]
    >>> are_straight([Way(0, 8, trade[:1])]), are_straight([Way(0, 8, trade[1:])])
    (False, True)
    """
    return all(
        step.exchange is not None
        and (len(step.crossings) < 2 or _one_by_one(step.crossings))
        and not any(crossing.delays for crossing in step.crossings)
        for way in ways
        for step in way.steps
    )


def _one_by_one(crossings: Sequence[Crossing]) -> bool:
    return all(one.start < other.start for one, other in pairwise(crossings))


def require_no_stages(ways: Sequence[Way]) -> None:
    """Refuse butterflies where data are only moved.

    >>> require_no_stages([Way(0, 4, (Step(stage=2),))])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: there are butterflies of bit 2:
    a schedule with butterflies does more than move data;
    carry it out with a transform, or plan a rearrangement
    """
    stages = [step.stage for way in ways for step in way.steps if step.stage is not None]
    if stages:
        raise InvalidValueError(
            f"there are butterflies of bit {stages[0]}",
            "a schedule with butterflies does more than move data",
            "carry it out with a transform, or plan a rearrangement",
        )
