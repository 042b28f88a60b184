"""Find the lists behind the algorithm "field-phases", and write its table.

    python tools/tr_20_91/class_routes.py [FILE]

A minute; with FILE the table goes there. A list of steps takes a fifth of a block from each
class of the three top bits, or from each with some value of the bits in a mask, to the class
where it belongs. Its steps are exchanges of top bits and, once, all lower dimensions in
ascending order. Three fifths have one list for all classes, one has two lists, one has four.

1. Loads. No link serves more than three fifths: of the links between classes, and of the
   direct and the idle lower links of each class (behind an even and an odd number of steps).
2. Turns. Every step has a turn, 0 to 2. No two use a link in the same turn, and turns never
   decrease along a list, so nobody waits in a circle.
3. Delays. For fifths of c units and a lower dimensions all is over after 3c + a + 2 cycles, if
   c >= a + 3. Here a step begins one cycle behind the step before it in its list, a cycles
   behind lower dimensions, and c cycles behind whoever had a turn on its links before.

A first integer program asks for loads only, and keeps the lists that occur in any choice. A
second one chooses among these, with turns. If that takes too long, there is a chain of steps
that wait for each other, whatever else is chosen: so these lists and turns are forbidden
together, and it chooses again.
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
CLASSES, TOP, TURNS, DELAY = 8, 3, 3, 2
SHARED = {0: (3, 4), 4: (1, 5), 6: (1, 5)}  # of each mask: the fifths, and the steps at most
CORNERS = ((3, 0), (100, 0), (4, 1), (100, 1), (13, 10), (100, 10))
"""Units and lower dimensions. Cycles are convex in both, once there are lower dimensions; so
what holds here holds in between, and 10 and 100 show whether they grow faster beyond."""
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
ALL: dict[Row, tuple[int, int]] = {
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
    columns: list[list[Row]] = [
        [("list", *group[0].subcube), *chain(*group[0].links)] for group in groups
    ]
    kept: set[int] = set()
    while True:
        new = solved(columns, [-(j not in kept) for j in range(len(groups))], ALL, TURNS)
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
    """Lists with turns that take no longer than they may, with few steps in a shared turn."""
    costs = [sum(a == b for a, b in pairwise(turns)) for _, turns in options]
    columns = [[("list", *option[0].subcube), *served(option)] for option in options]
    limits = {**ALL}
    while True:
        taken = solved(columns, costs, limits, 1)
        picked = [options[j] for j in taken]
        slowest = [slowest_chain(picked, *corner) for corner in CORNERS]
        if all(delay <= DELAY for delay, _ in slowest):
            return picked
        for members in {members: None for delay, members in slowest if delay > DELAY}:
            row = ("chain", len(limits))
            limits[row] = 0, len(members) - 1
            for k in members:
                columns[taken[k]].append(row)


def slowest_chain(
    picked: Sequence[Choice], units: int, lower: int
) -> tuple[int, frozenset[int]]:
    """The cycles beyond three turns and the lower dimensions, and the lists to blame."""
    after = [(0, frozenset({k})) for k in range(len(picked))]  # when lists go on, and why then
    free: dict[Link, tuple[int, frozenset[int]]] = {}
    slowest = after[0]
    order = sorted(
        (t, j, k) for k, (_, turns) in enumerate(picked) for j, t in enumerate(turns)
    )
    for _, j, k in order:
        way = picked[k][0]
        length = lower if way.steps[j] == LOW else 1
        if not length:
            continue
        waits = [after[k], *(free[link] for link in way.links[j] if link in free)]
        start, why = max(waits, key=lambda wait: wait[0])
        why |= {k}
        free.update(dict.fromkeys(way.links[j], (start + units, why)))
        after[k] = start + length, why
        slowest = max(slowest, (start + units - 1 + length, why), key=lambda end: end[0])
    return slowest[0] - TURNS * units - lower, slowest[1]


def solved(
    columns: Sequence[Sequence[Row]],
    costs: Sequence[int],
    limits: Mapping[Row, tuple[int, int]],
    most: int,
) -> list[int]:
    """The columns to take, some of them repeatedly, so that all rows keep to their limits."""
    counts = Counter((row, j) for j, rows in enumerate(columns) for row in rows)
    at = {row: i for i, row in enumerate(dict.fromkeys(row for row, _ in counts))}
    i, j, value = zip(*((at[row], j, count) for (row, j), count in counts.items()), strict=True)
    matrix = coo_array((value, (i, j)), shape=(len(at), len(columns))).tocsr()
    low, high = zip(*(limits.get(row, (0, most)) for row in at), strict=True)
    found = milp(costs, constraints=LinearConstraint(matrix, low, high),
                 integrality=np.ones(len(columns)), bounds=Bounds(0, most))  # fmt: skip
    if found.x is None:
        raise SystemExit(f"no lists: {found.message}")
    return [j for j, count in enumerate(np.rint(found.x).astype(int)) for _ in range(count)]


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
