"""Find the lists behind the algorithm "field-phases", and write its table.

    python tools/tr_20_91/class_routes.py [FILE]

Half a minute; with FILE the table goes there. A list of steps takes a fifth of a block from
each class of the three top bits, or from each with some value of the bits in a mask, to the
class where it belongs. Its steps are exchanges of top bits and, once, all lower dimensions in
ascending order. Three fifths have one list for all classes, one has two lists, one has four.

1. Loads. No link serves more than three fifths: of the links between classes, and of the
   direct and the idle lower links of each class (behind an even and an odd number of steps).
2. Turns. Every step has a turn, 0 to 2. No two use a link in the same turn, and turns never
   decrease along a list, so nobody waits in a circle.
3. Places. Every link has a place in a row: 0, 1, 2, then all lower dimensions, then 3. Steps of
   a list in the same turn go forward in this row. So if fifths have c units, every link can
   begin its turns c rounds after each other, and go on like that for ever: its first turn
   begins when a unit could be there that has crossed a link of every place before.

A first integer program asks for loads only, and keeps the lists that occur in any choice. A
second one chooses among these, with turns and places.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import graycube as gc
from graycube.gf2 import parity

FILE = Path(gc.__file__).parent / "table" / "gray" / "tables" / "class_routes.json"
CLASSES, TOP, TURNS, PLACES = 8, 3, 3, 4
LOWER_PLACE = 2.5
SHARED = {0: (3, 4), 4: (1, 5), 6: (1, 5)}  # of each mask: the fifths, and the steps at most
LOW = (-1, 0, 0)
TARGETS = [gc.gray_inverse(c) for c in range(CLASSES)]

Step = tuple[int, int, int]
"""An exchange of a bit where the parity of the bits in a mask is this one; or LOW."""
Link = tuple[int, int, int]
"""A class, a dimension (-1 for the lower ones), and for these the parity of the way there."""
Subcube = tuple[int, int]
"""The classes that have this value under this mask."""
Row = tuple[object, ...]
"""What an integer program counts."""


class Found(NamedTuple):
    """A list for the classes of a subcube, and the links of each step."""

    subcube: Subcube
    steps: tuple[Step, ...] = ()
    links: tuple[tuple[Link, ...], ...] = ()


class Column(NamedTuple):
    """What a variable of an integer program adds to rows, its bounds, and what it costs."""

    rows: Mapping[Row, float]
    least: float = 0
    most: float = 1
    cost: float = 0
    whole: bool = True


Choice = tuple[Found, tuple[int, ...]]
"""A list with the turns of its steps."""

EXCHANGES = [
    (bit, mask, want)
    for bit in range(TOP)
    for mask in range(CLASSES)
    for want in ((0, 1) if mask else (0,))
    if not mask >> bit & 1
]
SUBCUBES = [(mask, v) for mask in SHARED for v in range(CLASSES) if not v & ~mask]
ALL: dict[Row, tuple[float, float]] = {
    ("list", mask, value): (SHARED[mask][0],) * 2 for mask, value in SUBCUBES
}


def lists(subcube: Subcube) -> Iterator[Found]:
    """The lists of a subcube; of several that use the same links, the first one."""
    mask, value = subcube
    homes = tuple(home for home in range(CLASSES) if home & mask == value)
    found: dict[object, Found] = {}
    for way in ways(homes, homes, Found(subcube)):
        found.setdefault(way.links, way)
    yield from found.values()


def ways(homes: tuple[int, ...], at: tuple[int, ...], done: Found) -> Iterator[Found]:
    """All ways on, from the classes where the elements of these homes are now."""
    left = SHARED[done.subcube[0]][1] - len(done.steps) - (LOW not in done.steps)
    far = max((TARGETS[home] ^ c).bit_count() for home, c in zip(homes, at, strict=True))
    if far > left or max(Counter(chain(*done.links)).values(), default=0) > TURNS:
        return
    if LOW not in done.steps:
        used = tuple((c, -1, parity(home ^ c)) for home, c in zip(homes, at, strict=True))
        yield from ways(homes, at, longer(done, LOW, used))
    elif not far:
        yield done
    for bit, mask, want in EXCHANGES if left else ():
        to = tuple(c ^ 1 << bit if parity(c & mask) == want else c for c in at)
        used = tuple((c, bit, 0) for c, d in zip(at, to, strict=True) if c != d)
        if used:
            yield from ways(homes, to, longer(done, (bit, mask, want), used))


def longer(done: Found, step: Step, used: tuple[Link, ...]) -> Found:
    """A list with one more step."""
    return Found(done.subcube, (*done.steps, step), (*done.links, used))


def useful(found: Sequence[Found]) -> list[Found]:
    """The lists that occur in any choice that keeps to the loads."""
    alike: dict[object, list[Found]] = {}
    for way in found:
        loads = frozenset(Counter(chain(*way.links)).items())
        alike.setdefault((way.subcube, loads), []).append(way)
    groups = list(alike.values())
    columns = [
        Column(Counter([("list", *group[0].subcube), *chain(*group[0].links)]), most=TURNS)
        for group in groups
    ]
    kept: set[int] = set()
    while True:
        costs = [-(j not in kept) for j in range(len(groups))]
        priced = [c._replace(cost=cost) for c, cost in zip(columns, costs, strict=True)]
        new = {j for j, count in enumerate(solved(priced, ALL, TURNS)) if count}
        if kept.issuperset(new):
            return [way for j in sorted(kept) for way in groups[j]]
        kept.update(new)


def choices(way: Found) -> Iterator[Choice]:
    """A list with all turns that do not use a link twice."""
    for turns in combinations_with_replacement(range(TURNS), len(way.steps)):
        used = served((way, turns))
        if len({*used}) == len(used):
            yield way, turns


def served(choice: Choice) -> list[Row]:
    """The links that a list uses, each with the turn."""
    return [(link, turn) for links, turn in zip(choice[0].links, choice[1], strict=True)
            for link in links]  # fmt: skip


def chosen(options: Sequence[Choice]) -> list[Choice]:
    """Lists with turns for which links have places, with few steps in a shared turn."""
    columns, places, limits = list[Column](), dict[Link, dict[Row, float]](), {**ALL}
    for way, turns in options:
        rows: dict[Row, float] = dict.fromkeys(
            (("list", *way.subcube), *served((way, turns))), 1
        )
        for a, b, apart in in_a_row(way, turns):
            row = ("place", len(limits))
            places.setdefault(a, {})[row] = -1
            places.setdefault(b, {})[row] = 1
            rows[row] = 1 - PLACES - apart  # so the row says nothing about a list not taken
            limits[row] = 1 - PLACES, np.inf
        columns.append(Column(rows, cost=sum(a == b for a, b in pairwise(turns))))
    for link, rows in places.items():
        low = link[1] == LOW[0]
        least, most = (LOWER_PLACE, LOWER_PLACE) if low else (0, PLACES - 1)
        columns.append(Column(rows, least, most, whole=not low))
    taken = solved(columns, limits, 1)
    return [option for option, count in zip(options, taken, strict=False) if count]


def in_a_row(way: Found, turns: Sequence[int]) -> Iterator[tuple[Link, Link, float]]:
    """Pairs of links: the place of the second is the same, or at least so much farther on."""
    for links in way.links:
        for a, b in pairwise(links):
            yield a, b, 0
            yield b, a, 0
    for (links, turn), (after, later) in pairwise(zip(way.links, turns, strict=True)):
        if turn == later:
            yield links[0], after[0], 0.5


def solved(
    columns: Sequence[Column], limits: Mapping[Row, tuple[float, float]], most: int
) -> list[int]:
    """How often to take each column, so that all rows keep to their limits, or to ``most``."""
    entries = [
        (row, j, by) for j, column in enumerate(columns) for row, by in column.rows.items()
    ]
    at = {row: i for i, row in enumerate(dict.fromkeys(row for row, _, _ in entries))}
    i, j, value = zip(*((at[row], j, by) for row, j, by in entries), strict=True)
    matrix = coo_array((value, (i, j)), shape=(len(at), len(columns))).tocsr()
    low, high = zip(*(limits.get(row, (0, most)) for row in at), strict=True)
    bounds = Bounds([c.least for c in columns], [c.most for c in columns])
    found = milp([c.cost for c in columns], constraints=LinearConstraint(matrix, low, high),
                 integrality=[c.whole for c in columns], bounds=bounds)  # fmt: skip
    if found.x is None:
        raise SystemExit(f"no lists: {found.message}")
    return [round(count) for count in found.x]


def table() -> dict[str, list[list[object]]]:
    """The lists of three bits, and those of two bits, which are short or go round."""
    ways = useful([way for subcube in SUBCUBES for way in lists(subcube)])
    picked = chosen([choice for way in ways for choice in choices(way)])
    three, parts = list[list[object]](), {4: 3, 6: 4}
    for n, (way, turns) in enumerate(sorted(picked)):
        steps = [[*step, turn] for step, turn in zip(way.steps, turns, strict=True)]
        three.append([parts.get(way.subcube[0], n), *way.subcube, steps])
    short: list[list[object]] = [[part, 0, 0, [[0, 2, 1, part]]] for part in range(3)]
    return {
        "fifths of three bits": three,
        "fifths of two bits": [*short, *round_about(3, 0), *round_about(4, 1)],
        "halves of two bits": [short[0], *round_about(1, 0)],
    }


def round_about(part: int, turn: int) -> list[list[object]]:
    """Bit 0 by way of the lower half, where bit 1 is 1."""
    return [[part, 2, 0, []], [part, 2, 2, [[bit, 0, 0, turn] for bit in (1, 0, 1)]]]


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    found = table()
    lines = (",\n".join(f"  {json.dumps(entry)}" for entry in found[name]) for name in found)
    texts = (f' "{name}": [\n{text}\n ]' for name, text in zip(found, lines, strict=True))
    file.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")
    print(f"{', '.join(f'{name}: {len(found[name])} lists' for name in found)}: {file}")


if __name__ == "__main__":
    main()
