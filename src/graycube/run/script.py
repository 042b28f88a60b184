"""A script: all that one node does with its data in a schedule, in rounds of messages.

Rules.

1. Data are rows in three banks. The BLOCK is what the node has at first and is only read; the
   RESULT is what it has at the end, and each of its rows is written once; what only passes
   through waits in SPARE.
2. In a round all messages are under way at once: no row is written that is also sent. Two nodes
   send each other one message in a round at most.
3. Rows that never leave the node are ``kept``: copied from the block to the result.

So a transport needs no more than to post the messages of a round, wait for them, and go on.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Rows = slice | NDArray[np.intp]


class Bank(IntEnum):
    """Where rows are."""

    BLOCK = 0
    RESULT = 1
    SPARE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a bank, in order.

    >>> Part(Bank.BLOCK, slice(2, 5)).count, Part(Bank.SPARE, np.array([7, 3])).count
    (3, 2)
    """

    bank: Bank
    rows: Rows

    @property
    def count(self) -> int:
        """Number of rows."""
        if isinstance(self.rows, slice):
            return int(self.rows.stop - self.rows.start)
        return len(self.rows)


_Entries = dict[int, list[tuple[int, tuple[int, ...], Part]]]


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """The rows of all parts, one part after the other, to or from a node.

    >>> Message(3, (Part(Bank.BLOCK, slice(0, 2)), Part(Bank.SPARE, slice(4, 5)))).count
    3
    """

    peer: int
    parts: tuple[Part, ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return sum(part.count for part in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The messages of one round; ``number`` counts the rounds of the schedule."""

    number: int
    sends: tuple[Message, ...]
    receives: tuple[Message, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """What a node does: ``rows`` of ``unit`` elements, ``spare`` rows more, and the rounds.

    ``number`` is the node number that the result belongs to, where nodes are renumbered. Where
    nodes go ``in_step``, that is how many rounds there are, and all meet between any two.
    """

    node: int
    number: int
    unit: int
    rows: int
    spare: int
    kept: tuple[tuple[Part, Part], ...]
    rounds: tuple[Round, ...]
    in_step: int = 0

    def numbered(self, numbers: Callable[[int], int]) -> "Script":
        """The same where nodes have other numbers.

        >>> script = Script(1, 2, 1, 1, 0, (), (Round(0, (Message(3, ()),), ()),))
        >>> other = script.numbered(lambda node: node ^ 1)
        >>> other.node, other.number, other.rounds[0].sends[0].peer
        (0, 3, 2)
        """

        def renamed(messages: Sequence[Message]) -> tuple[Message, ...]:
            return tuple(replace(m, peer=numbers(m.peer)) for m in messages)

        rounds = (Round(r.number, renamed(r.sends), renamed(r.receives)) for r in self.rounds)
        node, number = numbers(self.node), numbers(self.number)
        return replace(self, node=node, number=number, rounds=tuple(rounds))


def part(bank: Bank, rows: NDArray[np.intp]) -> Part:
    """A part; rows that follow each other become a slice, which needs no packing.

    >>> part(Bank.BLOCK, np.arange(3, 8)).rows
    slice(3, 8, None)
    """
    first = int(rows[0])
    if int(rows[-1]) - first == len(rows) - 1 and bool((np.diff(rows) == 1).all()):
        return Part(bank, slice(first, first + len(rows)))
    return Part(bank, rows)


def joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The same rows in fewer parts.

    >>> joined([Part(Bank.SPARE, slice(0, 3)), Part(Bank.SPARE, slice(3, 4))])
    (Part(bank=<Bank.SPARE: 2>, rows=slice(0, 4, None)),)
    """
    return tuple(made for bank, run in groupby(parts, _bank) for made in _joined(bank, run))


def _bank(given: Part) -> Bank:
    return given.bank


def _joined(bank: Bank, parts: Iterable[Part]) -> Iterator[Part]:
    """The parts of one bank: slices that meet as one, arrays between them as one."""
    waiting: list[Rows] = []
    for rows in (given.rows for given in parts):
        if waiting and not _meet(waiting[-1], rows):
            yield _merged(bank, waiting)
            waiting = []
        waiting.append(rows)
    yield _merged(bank, waiting)


def _meet(rows: Rows, after: Rows) -> bool:
    if isinstance(rows, slice):
        return isinstance(after, slice) and bool(rows.stop == after.start)
    return not isinstance(after, slice)


def _merged(bank: Bank, rows: Sequence[Rows]) -> Part:
    arrays = [r for r in rows if not isinstance(r, slice)]
    if arrays:
        return part(bank, np.concatenate(arrays))
    ends = [r for r in rows if isinstance(r, slice)]
    return Part(bank, slice(ends[0].start, ends[-1].stop))


@dataclass(slots=True)
class Draft:
    """A script in the making.

    >>> draft = Draft()
    >>> draft.send(4, peer=1, place=(0,), rows=Part(Bank.BLOCK, slice(0, 2)))
    >>> [(r.number, len(r.sends), len(r.receives)) for r in draft.rounds()]
    [(4, 1, 0)]
    """

    sent: _Entries = field(default_factory=lambda: defaultdict(list))
    received: _Entries = field(default_factory=lambda: defaultdict(list))

    def send(self, number: int, peer: int, place: tuple[int, ...], rows: Part) -> None:
        """In a round, rows go to a node; ``place`` says what comes first in the message."""
        self.sent[number].append((peer, place, rows))

    def receive(self, number: int, peer: int, place: tuple[int, ...], rows: Part) -> None:
        """In a round, rows come from a node; ``place`` is the same at both ends."""
        self.received[number].append((peer, place, rows))

    def rounds(self) -> tuple[Round, ...]:
        """The rounds in which something is sent or received."""
        return tuple(
            Round(r, _messages(self.sent[r]), _messages(self.received[r]))
            for r in sorted({*self.sent, *self.received})
        )


def _messages(entries: Sequence[tuple[int, tuple[int, ...], Part]]) -> tuple[Message, ...]:
    ordered = sorted(entries, key=lambda entry: entry[:2])
    return tuple(
        Message(peer, joined(entry[2] for entry in group))
        for peer, group in groupby(ordered, key=lambda entry: entry[0])
    )
