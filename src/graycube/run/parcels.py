"""The script of a node for schedules that tell slots apart: messages, turns and exchanges.

A *parcel* is what starts on one node and takes the same way at the same time. Which way an
element takes depends on some sums of bits of its address only; slots for which these sums are
the same are one parcel, whatever their number. So the ways of all parcels of all nodes are
followed, and each node picks the crossings that begin or end with it.

Crossings are put in the order of time first: exchanges that commute may be done in either.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix, Span
from graycube.gf2.arrays import IntArray
from graycube.run.itinerary import Itinerary

MAX_PARCELS = 1 << 26
"""Most parcels of all nodes that are followed; each takes some ten bytes for every crossing."""


@dataclass(frozen=True, eq=False)
class Parcels:
    """The parcels of an itinerary: ``slots[c]`` are the slots of parcel c on every node.

    A slot stands for 2^``low`` slots of the layout that are never told apart.

    >>> from graycube.gf2 import AffineMap
    >>> from graycube.schedule import Crossing, Step, Way
    >>> swap = AffineMap(Matrix.permutation([3, 1, 2, 0]))  # a node bit with the highest slot
    >>> parcels = Parcels(Itinerary(4, 1, (Way(0, 8, (Step(swap, (Crossing(0, 0),)),)),)))
    >>> parcels.low, parcels.slots.tolist()
    (2, [[0], [1]])
    """

    itinerary: Itinerary

    @cached_property
    def low(self) -> int:
        """How many of the lowest slot bits play no part."""
        n = self.itinerary.n
        tested = (mask >> n for mask in self.itinerary.sums())
        unused = ((mask & -mask).bit_length() - 1 for mask in tested if mask)
        kept = (final.untouched(n) for _, final in self.itinerary.finals)
        return min([*unused, *kept])

    @cached_property
    def slots(self) -> NDArray[np.intp]:
        """The slots of each parcel, in ascending order."""
        p, n = self.itinerary.p - self.low, self.itinerary.n
        span = Span()
        shifted = (mask >> n + self.low for mask in self.itinerary.sums())
        sums = [mask for mask in shifted if span.add(mask)]
        if n + len(sums) > MAX_PARCELS.bit_length() - 1:
            raise InvalidValueError(
                f"there are 2^{n + len(sums)} parcels that take ways of their own",
                f"at most {MAX_PARCELS} are followed",
                "use longer messages, or a machine with a start-up",
            )
        parcel = Matrix.from_rows(sums, p - n)(np.arange(1 << p - n))
        order = np.argsort(parcel, kind="stable")
        return order.reshape(1 << len(sums), -1).astype(np.intp)

    @cached_property
    def start(self) -> IntArray:
        """The address of the first slot of every parcel, node by node."""
        n = self.itinerary.n
        first = self.slots[:, 0] << self.low + n
        return (np.arange(1 << n)[:, None] | first).ravel()

    def rows(self, parcels: IntArray) -> NDArray[np.intp]:
        """The rows that some parcels have on the nodes where they start."""
        return self.slots[parcels % len(self.slots)].ravel()

    def rows_at_end(self, parcels: IntArray) -> NDArray[np.intp]:
        """The rows that some parcels have on the nodes where they end."""
        n = self.itinerary.n
        home = parcels // len(self.slots)
        address = (self.slots[parcels % len(self.slots)] << self.low + n) | home[:, None]
        return (self.itinerary.final(address) >> self.low + n).astype(np.intp).ravel()

    @cached_property
    def crossings(self) -> "Crossings":
        """The crossings of all parcels, in the order of rounds."""
        made = [*self.itinerary.crossings(self.start)]
        cycle, parcel, flip = (np.concatenate(column) for column in zip(*made, strict=True))
        order = np.lexsort((cycle, parcel))
        return self._merged(self.itinerary.rounds(cycle[order]), parcel[order], flip[order])

    def _merged(self, number: IntArray, parcel: IntArray, flip: IntArray) -> "Crossings":
        """Crossings of one parcel in one round are one, from the first node to the last."""
        if not len(parcel):
            return Crossings(number, parcel, parcel, parcel)
        fresh = np.ones(len(parcel), dtype=bool)
        fresh[1:] = parcel[1:] != parcel[:-1]
        after = np.bitwise_xor.accumulate(flip)
        before = after ^ flip
        moved = before ^ before[fresh][np.cumsum(fresh) - 1]  # since the parcel started
        fresh[1:] |= number[1:] != number[:-1]
        first = np.flatnonzero(fresh)
        last = np.append(first[1:], len(parcel)) - 1
        home = parcel // len(self.slots)
        source, target = (home ^ moved)[first], (home ^ moved ^ flip)[last]
        found = Crossings(number[first], parcel[first], source, target)
        self._require_arrival(parcel[last], target, first)
        return found

    def _require_arrival(self, parcel: IntArray, target: IntArray, first: IntArray) -> None:
        """Refuse ways that do not end where the exchanges end."""
        reached = self.start & ((1 << self.itinerary.n) - 1)
        reached[parcel] = target  # the last one stays
        due = self.itinerary.final(self.start) & ((1 << self.itinerary.n) - 1)
        if len(first) and not np.array_equal(reached, due):
            raise InvalidValueError(
                "crossings in the order of time lead elsewhere than in the order of steps",
                "steps out of order must commute",
                "see what verify() says",
            )


@dataclass(frozen=True, slots=True, eq=False)
class Crossings:
    """In round ``number[k]``, ``parcel[k]`` goes from node ``source[k]`` to ``target[k]``."""

    number: IntArray
    parcel: IntArray
    source: IntArray
    target: IntArray

    def __getitem__(self, which: slice | IntArray) -> "Crossings":
        columns = (self.number, self.parcel, self.source, self.target)
        return Crossings(*(column[which] for column in columns))

    def of(self, node: int) -> "Crossings":
        """Those that begin or end at a node, round by round and parcel by parcel."""
        away = self.source != self.target
        mine = self[np.flatnonzero(away & ((self.source == node) | (self.target == node)))]
        return mine[np.lexsort((mine.parcel, mine.number))]

    def rounds(self) -> Iterator[tuple[int, slice]]:
        """The number of each round that occurs, and which crossings it has."""
        numbers, starts = np.unique(self.number, return_index=True)
        for k, (start, end) in enumerate(pairwise([*starts, len(self.number)])):
            yield int(numbers[k]), slice(start, end)
