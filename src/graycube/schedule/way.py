"""The one form that every schedule has: ways, steps, passages, delays.

Rules.

1. The elements at positions ``start`` to ``stop`` of a block, on the nodes of a subcube, have
   one *way*: they do its *steps*, one after the other. Each takes what is at address a to
   ``move(a)``.
2. Those for which a step changes node bits cross these dimensions in its *passages*, in the
   order listed. A passage begins in cycle ``start``, and later by each *delay* whose parity the
   address before the step has: that is the *clock* of an element.
3. Elements that have one node before the step, and one clock, are one message: they follow one
   another in the order of their positions, one a cycle. An element goes on in the order of its
   clocks, and where they are equal in that of the steps.
4. A step with a ``stage`` moves nothing: it pairs the elements whose words differ in that bit.

Passages of one clock are a circuit. What a way does is a few integers, whatever its size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, parity
from graycube.gf2.arrays import IntArray
from graycube.schedule.task import Task


@dataclass(frozen=True, slots=True)
class Delay:
    """Elements with parity(a & ``mask``) == ``want`` cross so many ``cycles`` later.

    >>> Delay(cycles=4, mask=0b101).of(0b001), Delay(cycles=4, mask=0b101).of(0b101)
    (4, 0)
    """

    cycles: int
    mask: int
    want: int = 1

    def of(self, address: int) -> int:
        """The cycles that what is at the address comes later."""
        return self.cycles if parity(address & self.mask) == self.want else 0


@dataclass(frozen=True, slots=True)
class Passage:
    """Over dimension ``dim``, from cycle ``start`` on, later by each of the ``delays``.

    >>> passage = Passage(dim=0, start=4, delays=(Delay(2, 0b100),))
    >>> passage.clock(0b001), passage.clock(0b101), passage.last
    (4, 6, 6)
    """

    dim: int
    start: int
    delays: tuple[Delay, ...] = ()

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

    @property
    def last(self) -> int:
        """The latest clock there can be."""
        return self.start + sum(late.cycles for late in self.delays)


@dataclass(frozen=True, slots=True)
class Step:
    """A map of addresses, or a stage of butterflies, and what crosses links for it.

    >>> swap = Step(Exchange(flip=0b011, when=0b011), (Passage(0, start=4),))
    >>> swap(0b001), Step(stage=2)(0b001)
    (2, 1)
    """

    move: Exchange | AffineMap | None = None
    passages: tuple[Passage, ...] = ()
    stage: int | None = None

    def __call__(self, address: int) -> int:
        """Where what is at the address is afterwards."""
        return address if self.move is None else self.move(address)

    def affine(self, size: int) -> AffineMap:
        """The move as a map of addresses of ``size`` bits.

        >>> Step(stage=2).affine(4) == AffineMap.identity(4)
        True
        """
        return AffineMap.identity(size) if self.move is None else self.move.affine(size)


@dataclass(frozen=True, slots=True)
class Way:
    """The steps of positions ``start`` to ``stop`` on the nodes u with u & mask == value.

    >>> half = Way(0, 32, (Step(Exchange(flip=1, when=2), (Passage(0, 0),)),), mask=2, value=2)
    >>> half.size, half.starts_at(3), half.move(2)(0b10)
    (32, True, 3)
    """

    start: int
    stop: int
    steps: tuple[Step, ...]
    mask: int = 0
    value: int = 0

    @property
    def size(self) -> int:
        """Number of elements of each block."""
        return self.stop - self.start

    def starts_at(self, node: int) -> bool:
        """Whether the node has elements of the way at first."""
        return node & self.mask == self.value

    def move(self, size: int) -> AffineMap:
        """Where the steps take every address of ``size`` bits."""
        total = AffineMap.identity(size)
        for step in self.steps:
            if step.move is not None:
                total = step.affine(size) @ total
        return total


def tells_slots_apart(ways: Sequence[Way], n: int) -> bool:
    """Whether what happens to an element depends on its slot, or changes it.

    >>> there, swap = Exchange(flip=1, when=2), Exchange(flip=5, when=5)
    >>> [tells_slots_apart([Way(0, 8, (Step(e),))], n=2) for e in (there, swap)]
    [False, True]
    """
    return any(_tests_slots(step, n) for way in ways if way.size for step in way.steps)


def _tests_slots(step: Step, n: int) -> bool:
    if any(late.mask >> n for passage in step.passages for late in passage.delays):
        return True
    if isinstance(step.move, AffineMap):
        return step.move.untouched(n) < step.move.width - n
    return step.move is not None and bool((step.move.flip | step.move.when) >> n)


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


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """What a step does to the elements of a way: their addresses before and after it.

    A crossing is a dimension, which of the elements cross it, their clocks and their cycles.
    """

    element: IntArray
    before: IntArray
    after: IntArray
    crossings: tuple[tuple[int, NDArray[np.intp], IntArray, IntArray], ...]


def walk(task: Task, way: Way) -> Iterator[Walked]:
    """Follow all elements of a way, step by step.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> way = Way(0, 2, (Step(Exchange(flip=1, when=2), (Passage(0, 0),)),))
    >>> (done,) = walk(task, way)
    >>> ((dim, which, clock, cycle),) = done.crossings
    >>> dim, done.element[which].tolist(), clock.tolist(), cycle.tolist()
    (0, [4, 5, 6, 7], [0, 0, 0, 0], [0, 1, 0, 1])
    """
    every = np.arange(1 << task.n)
    at_home = every[every & way.mask == way.value]
    home = np.repeat(at_home, way.size)
    position = np.tile(np.arange(way.start, way.stop), len(at_home))
    element = home * task.block + position
    address: IntArray = position // task.payload << task.n | home
    offset: IntArray = position % task.payload
    for step in way.steps:
        if step.move is None:
            continue
        after = step.affine(task.p)(address)
        crossed = []
        for passage in step.passages:
            moving = np.flatnonzero((address ^ after) >> passage.dim & 1)
            sender = address[moving] & (1 << task.n) - 1
            place = (address[moving] >> task.n) * task.payload + offset[moving]
            clock = passage.clock(address[moving])
            cycle = clock + _turns(sender, clock, place)
            crossed.append((passage.dim, moving, clock, cycle))
        yield Walked(element, address, after, tuple(crossed))
        address = after


def _turns(sender: IntArray, clock: IntArray, position: IntArray) -> IntArray:
    """The place of every element within its message, by position."""
    order = np.lexsort((position, clock, sender))
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (np.diff(sender[order]) == 0) & (np.diff(clock[order]) == 0)
    count = np.arange(len(order))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = count - np.maximum.accumulate(np.where(same, 0, count))
    return turn
