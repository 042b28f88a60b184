"""One script of several, each of which is that of some positions of every slot.

Rows become as short as the positions need. A row of one of the scripts has the same positions
of some slots, so it is several rows, which lie apart in the block and in the result, and follow
one another in their own part of the spare rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from graycube.run.script import Bank, Draft, Message, Part, Script, part


@dataclass(frozen=True, eq=False)
class _ShortRows:
    """A row is so many short ones, of which some ``count``; spare ones begin with ``spare``."""

    each: int
    count: NDArray[np.intp]
    spare: int

    def of(self, given: Part) -> Part:
        """The same rows, as short ones."""
        rows = given.rows
        if isinstance(rows, slice):
            rows = np.arange(rows.start, rows.stop)
        if given.bank is Bank.SPARE:
            places = self.spare + np.arange(len(self.count))
            return part(given.bank, np.add.outer(rows * len(self.count), places).ravel())
        return part(given.bank, np.add.outer(rows * self.each, self.count).ravel())


def in_spans(made: Sequence[tuple[range, Script]], payload: int) -> Script:
    """The script of a node for all positions of slots with so many elements.

    >>> still = Script(0, 0, 6, 2, 0, ((Part(Bank.BLOCK, slice(0, 2)),) * 2,), ())
    >>> one = in_spans([(range(2), still), (range(2, 6), still)], payload=6)
    >>> one.unit, one.rows, [source.rows.tolist() for source, _ in one.kept]
    (2, 6, [[0, 3], [1, 2, 4, 5]])
    """
    unit = gcd(payload, *(span.start for span, _ in made))
    draft, kept, spare = Draft(), list[tuple[Part, Part]](), 0
    for k, (span, script) in enumerate(made):
        each = script.unit // unit
        inside = np.arange(span.start // unit, span.stop // unit)
        slots = np.arange(script.unit // payload) * (payload // unit)
        rows = _ShortRows(each, np.add.outer(slots, inside).ravel(), spare)
        for one in script.rounds:
            for message in one.sends:
                for place, some in _placed(k, message):
                    draft.send(one.number, message.peer, place, rows.of(some))
            for message in one.receives:
                for place, some in _placed(k, message):
                    draft.receive(one.number, message.peer, place, rows.of(some))
        kept += [(rows.of(source), rows.of(target)) for source, target in script.kept]
        spare += script.spare * len(rows.count)
    first = made[0][1]
    return Script(
        node=first.node,
        number=first.number,
        unit=unit,
        rows=first.rows * first.unit // unit,
        spare=spare,
        kept=tuple(kept),
        rounds=draft.rounds(),
    )


def _placed(k: int, message: Message) -> list[tuple[tuple[int, ...], Part]]:
    """The parts of a message, and their places in that of all scripts."""
    return [((k, place), some) for place, some in enumerate(message.parts)]
