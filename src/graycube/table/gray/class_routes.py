"""Routes for parts of a block that are the same on all nodes, or on all of a subcube.

Rules.

1. The two or three top bits of a field tell *classes* of nodes apart. A *list* of steps takes
   a part of the block from every class to the one where it belongs: exchanges among the top
   bits, and in between one step that does all lower dimensions in ascending order.
2. An element crosses a lower dimension exactly where the parity of the bits above was 1 at
   first. Every crossing of a top dimension complements this parity, so links are told apart by
   class and dimension, and those of lower dimensions by whether the element has crossed an odd
   number of top ones.
3. Every step has a *turn*. A link serves the steps that use it in the order of their turns,
   one after the other; no list goes back to an earlier turn, so nobody waits in a circle. A
   step begins as soon as its units have arrived and its links are free.
4. Backwards in time the lists convert from binary to Gray.

``tables/class_routes.json`` has the lists. An integer program found those of three bits: no
link serves more than three of five parts, and repetitions follow each other without a gap.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from graycube.gf2 import Exchange, parity
from graycube.table.conversion import Field
from graycube.table.gray.routes import InRound, Route

Link = tuple[int, int, int]
"""A class, a bit, and for lower bits, which count as one, whether the links are idle ones."""
_LOW = -1


class _TopStep(NamedTuple):
    """An exchange of a top bit, where these top bits have this parity; or all lower bits."""

    bit: int
    when: int
    want: int
    turn: int


class _List(NamedTuple):
    """The steps of a part, from all classes with class & mask == value."""

    part: int
    mask: int
    value: int
    steps: tuple[_TopStep, ...]


class _Occupation(NamedTuple):
    """A step of a list, whether it does all lower bits, and the links that it uses."""

    entry: int
    step: int
    low: bool
    links: tuple[Link, ...]


class Begun(NamedTuple):
    """When first units of lists do each step, those of parts are through, and all units are."""

    starts: list[list[int]]
    through: list[int]
    rounds: int


def begin(
    field: Field, table: str, sizes: Sequence[int], ready: Sequence[int], free: dict[Link, int]
) -> Begun:
    """Begin every step as soon as its units are there and its links are free.

    The parts have these sizes, and may begin in the rounds in ``ready``. The rounds from which
    links are free again go into ``free``.

    >>> field, free = Field((0, 1, 2, 3), to_binary=True), {}
    >>> begin(field, "fifths of three bits", [20] * 5, [0] * 5, free).rounds
    64
    >>> begin(field, "fifths of three bits", [20] * 5, [0] * 5, free).rounds
    124
    """
    lists, lower = _lists(table), field.width - _bits(table)
    at = [ready[entry.part] for entry in lists]
    starts = [[0] * len(entry.steps) for entry in lists]
    rounds = 0
    for use in _uses(table, to_binary=field.to_binary):
        size, length = sizes[lists[use.entry].part], lower if use.low else 1
        start = at[use.entry]
        if length and size:
            start = max(start, *[free.get(link, 0) for link in use.links])
            free.update(dict.fromkeys(use.links, start + size))
            rounds = max(rounds, start + size - 1 + length)
        starts[use.entry][use.step] = start
        at[use.entry] = start + length
    through = list(ready)
    for entry, when in zip(lists, at, strict=True):
        through[entry.part] = max(through[entry.part], when)
    return Begun(starts, through, rounds)


def routes(
    field: Field, table: str, sizes: Sequence[int], starts: Sequence[Sequence[int]]
) -> list[list[Route]]:
    """The routes of every part, each on some of the nodes, whose steps begin then."""
    found: list[list[Route]] = [[] for _ in sizes]
    for entry, at in zip(_lists(table), starts, strict=True):
        found[entry.part].append(_route(field, _bits(table), entry, at, sizes[entry.part]))
    return found


def _route(field: Field, bits: int, entry: _List, starts: Sequence[int], units: int) -> Route:
    """A list with its exchanges and when they begin."""
    steps, lower = _exchanges(field, bits, entry), field.width - bits
    mask, value = field.placed(entry.mask << lower), field.placed(entry.value << lower)
    if not field.to_binary:
        for step in steps:
            for exchange in step:
                value = exchange(value)
        steps = [step[::-1] for step in reversed(steps)]
    timed: list[InRound] = []
    for start, step in zip(starts, steps, strict=True):
        timed += [(start + k, exchange) for k, exchange in enumerate(step)]
    return Route(units, tuple(timed), mask, value & mask)


def _exchanges(field: Field, bits: int, entry: _List) -> list[tuple[Exchange, ...]]:
    """The exchanges of each step of a list, from Gray code to binary."""
    lower = field.width - bits
    mask, parity_there = 0, 0  # of the top bits where the number of crossings is even
    found = list[tuple[Exchange, ...]]()
    for step in entry.steps:
        if step.bit == _LOW:
            found.append(field.below(bits, odd=parity_there == 1, without=mask << lower))
            continue
        flip, when = field.placed(1 << step.bit + lower), field.placed(step.when << lower)
        found.append((Exchange(flip, when, step.want),))
        if not mask >> step.bit & 1:  # else the flip changes that parity with the number
            mask, parity_there = mask ^ step.when, parity_there ^ 1 ^ step.want
    return found


@cache
def _lists(table: str) -> tuple[_List, ...]:
    """The lists of a table."""
    entries = json.loads((files(__package__) / "tables" / "class_routes.json").read_text())
    return tuple(
        _List(part, mask, value, tuple(_TopStep(*step) for step in steps))
        for part, mask, value, steps in entries[table]
    )


@cache
def _bits(table: str) -> int:
    """How many top bits the classes have."""
    return 1 + max(step.bit for entry in _lists(table) for step in entry.steps)


@cache
def _uses(table: str, *, to_binary: bool) -> tuple[_Occupation, ...]:
    """The steps of all lists, each behind those that it waits for."""
    found = []
    for k, entry in enumerate(_lists(table)):
        links = _links(entry, 1 << _bits(table))
        for j, (step, used) in enumerate(zip(entry.steps, links, strict=True)):
            at, turn = (j, step.turn) if to_binary else (len(links) - 1 - j, -step.turn)
            found.append((turn, _Occupation(k, at, step.bit == _LOW, tuple(sorted(used)))))
    return tuple(use for _, use in sorted(found, key=lambda use: (use[0], use[1].step)))


def _links(entry: _List, classes: int) -> list[set[Link]]:
    """The links of each step: class, bit, and of the lower ones whether they are idle ones."""
    at = {home: home for home in range(classes) if home & entry.mask == entry.value}
    found = []
    for bit, when, want, _ in entry.steps:
        if bit == _LOW:
            found.append({(c, bit, parity(home ^ c)) for home, c in at.items()})
            continue
        crossing = [home for home, c in at.items() if parity(c & when) == want]
        found.append({(at[home], bit, 0) for home in crossing})
        at.update({home: at[home] ^ 1 << bit for home in crossing})
    return found
