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
   one after the other; no list goes back to an earlier turn, so nobody waits in a circle. When
   that is follows from the sizes of the parts.

``tables/class_routes.json`` has the lists. An integer program found those of three bits: no
link serves more than three of five parts. Backwards in time they convert from binary to Gray.
"""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from graycube.gf2 import Exchange, parity
from graycube.table.conversion import Field
from graycube.table.gray.routes import InRound, Route, reversed_in_time

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


def rounds(table: str, sizes: tuple[int, ...], lower: int) -> int:
    """The rounds for parts of these sizes and so many lower dimensions.

    >>> rounds("fifths of three bits", (20,) * 5, lower=1)
    63
    """
    return _times(table, sizes, lower)[1]


def routes(field: Field, table: str, sizes: tuple[int, ...]) -> list[list[Route]]:
    """The routes of every part, each on some of the nodes.

    >>> for part in routes(Field((0, 1), to_binary=True), "halves of two bits", (4, 2)):
    ...     print([(route.units, route.mask, route.value, len(route.steps)) for route in part])
    [(4, 0, 0, 1)]
    [(2, 2, 0, 0), (2, 2, 2, 3)]
    """
    lists, bits = _lists(table), _bits(table)
    starts, length = _times(table, sizes, field.width - bits)
    found = [
        _route(field, bits, entry, at, sizes[entry.part])
        for entry, at in zip(lists, starts, strict=True)
    ]
    if not field.to_binary:
        found = reversed_in_time(found, length)
    return [
        [route for entry, route in zip(lists, found, strict=True) if entry.part == part]
        for part in range(len(sizes))
    ]


def _route(field: Field, bits: int, entry: _List, starts: Sequence[int], units: int) -> Route:
    """A list with its exchanges and when they begin."""
    lower, everything = field.width - bits, (1 << field.width) - 1
    mask, parity_there = 0, 0  # of the top bits where the number of crossings is even
    timed: list[InRound] = []
    for step, start in zip(entry.steps, starts, strict=True):
        if step.bit == _LOW:
            for k in range(lower):
                above = field.placed(everything >> k + 1 << k + 1 ^ mask << lower)
                exchange = Exchange(1 << field.dims[k], above, 1 - parity_there)
                timed.append((start + k, exchange))
            continue
        flip, when = field.placed(1 << step.bit + lower), field.placed(step.when << lower)
        timed.append((start, Exchange(flip, when, step.want)))
        if not mask >> step.bit & 1:  # else the flip changes that parity with the number
            mask, parity_there = mask ^ step.when, parity_there ^ 1 ^ step.want
    subcube = field.placed(entry.mask << lower), field.placed(entry.value << lower)
    return Route(units, tuple(timed), *subcube)


@lru_cache(maxsize=1 << 12)
def _times(table: str, sizes: tuple[int, ...], lower: int) -> tuple[list[list[int]], int]:
    """When each list begins with each of its steps, and the rounds until all have arrived."""
    lists = _lists(table)
    starts = [[0] * len(entry.steps) for entry in lists]
    total = 0
    for k, j, before in _order(table):
        steps, size = lists[k].steps, sizes[lists[k].part]
        length = lower if steps[j].bit == _LOW else 1
        start = 0
        if j:
            start = starts[k][j - 1] + (lower if steps[j - 1].bit == _LOW else 1)
        if length and size:
            for other, i in before:
                start = max(start, starts[other][i] + sizes[lists[other].part])
            total = max(total, start + size - 1 + length)
        starts[k][j] = start
    return starts, total


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
def _order(table: str) -> tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]:
    """The steps of all lists, each behind those that it waits for, and which these are."""
    lists = _lists(table)
    steps = sorted(
        (step.turn, j, k) for k, entry in enumerate(lists) for j, step in enumerate(entry.steps)
    )
    links = [_links(entry, 1 << _bits(table)) for entry in lists]
    found = []
    for turn, j, k in steps:
        waits = ((o, i) for t, i, o in steps if t < turn and links[o][i] & links[k][j])
        found.append((k, j, tuple(waits)))
    return tuple(found)


def _links(entry: _List, classes: int) -> list[set[tuple[int, int, int]]]:
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
