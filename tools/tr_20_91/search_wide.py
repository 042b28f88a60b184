"""Find the routes behind the algorithm "tight" for n >= 9: n + 2 units in n cycles.

    python tools/tr_20_91/search_wide.py

Seconds. All but five units go on the ring of Theorem 6, with its slots 2, 3 and 4 left free.
The others walk from class to class of the five top bits, and do all lower dimensions at one
class on their way, in ascending order and in step with one of the slots 1 to 4. So they can be
told by classes: at an even distance from its own class an element uses the lower links of
direct routes, at an odd one the others. The ring uses one of the two kinds in its slots, and
some links between classes. An integer program chooses five ways for each class that never meet.
Cycles are counted from the beginning, or from the end where they are negative: nothing else
depends on n.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import graycube as gc

FILE = Path(gc.__file__).parent / "table" / "gray" / "tables" / "wide.json"
TOP, FREE, UNITS = 5, (2, 3, 4), 5
SLOTS = range(1, TOP)
CLASSES = range(1 << TOP)

Cross = tuple[int, int, int]
"""Cycle (negative: from the end), class and dimension among the top ones."""


class Way(NamedTuple):
    """From a class: slot and class of the lower dimensions, their kind, and crossings."""

    start: int
    slot: int
    at: int
    odd: int
    crossings: tuple[Cross, ...]


def parity(bits: int) -> int:
    return bits.bit_count() & 1


def first_of(slot: int) -> int:
    """The top dimension with which a unit of the ring begins, or TOP if it is a lower one."""
    return TOP if slot < 2 else max(TOP - slot, 0)


def ring_crosses(slot: int, dimension: int, at: int) -> bool:
    """Whether the unit crosses a top dimension: what comes first is in Gray code until then."""
    first = first_of(slot)
    if dimension >= first or first == TOP:
        return parity(at >> dimension + 1) == 1
    between = at >> dimension + 1 & (1 << first - dimension - 1) - 1
    return parity(between) ^ (at >> first & 1) == 1


def taken_by_ring() -> tuple[set[Cross], set[tuple[int, int, int]]]:
    """Crossings of top dimensions near both ends, and lower links by slot, class and kind."""
    crossings = {
        (cycle, at, d)
        for d in range(TOP - 1)
        for cycle in range(-TOP, TOP)
        for slot in [cycle + TOP - d]
        if slot not in FREE and slot >= 0
        for at in CLASSES
        if ring_crosses(slot, d, at)
    }
    crossings |= {  # units that began earlier than any slot here do top dimensions first
        (cycle, at, d)
        for d in range(TOP - 1)
        for cycle in range(-TOP, 0)
        if cycle + TOP - d < 0
        for at in CLASSES
        if parity(at >> d + 1)
    }
    lower = {
        (slot, at, int(parity(at >> first_of(slot) + 1) == 1))
        for slot in SLOTS
        if slot not in FREE
        for at in CLASSES
    }
    return crossings, lower


def ways(start: int, taken: set[Cross], lower: set[tuple[int, int, int]]) -> Iterator[Way]:
    """All ways of a class that the ring leaves free."""
    for slot in SLOTS:
        for before, at in walks(start, range(slot), taken):
            odd = len(before) & 1
            if (slot, at, odd) in lower:
                continue
            for behind, end in walks(at, range(slot - TOP, 0), taken):
                if end == gc.gray_inverse(start):
                    yield Way(start, slot, at, odd, before + behind)


def walks(start: int, cycles: range, taken: set[Cross]) -> list[tuple[tuple[Cross, ...], int]]:
    """What can be crossed in these cycles, one link or none in each, and where it leads."""
    found: list[tuple[tuple[Cross, ...], int]] = [((), start)]
    for cycle in cycles:
        found += [
            ((*crossings, (cycle, at, d)), at ^ 1 << d)
            for crossings, at in found
            for d in range(TOP)
            if (cycle, at, d) not in taken
        ]
    return found


def chosen(candidates: list[Way]) -> list[Way]:
    """Five of each class, no two of which use the same link in the same cycle."""
    rows: dict[tuple[object, ...], int] = {}
    entries = [
        (rows.setdefault(key, len(rows)), k)
        for k, way in enumerate(candidates)
        for key in (("class", way.start), ("low", way.slot, way.at, way.odd),
                    *(("top", *crossing) for crossing in way.crossings))
    ]  # fmt: skip
    row, column = np.array(entries).T
    matrix = coo_array((np.ones(len(row)), (row, column)), (len(rows), len(candidates)))
    least = [UNITS if key[0] == "class" else 0 for key in rows]
    most = [UNITS if key[0] == "class" else 1 for key in rows]
    found = milp(
        np.array([len(way.crossings) for way in candidates]),
        constraints=LinearConstraint(matrix.tocsr(), least, most),
        bounds=Bounds(0, 1),
        integrality=np.ones(len(candidates)),
    )
    if found.x is None:
        raise SystemExit(found.message)
    return [way for way, x in zip(candidates, np.rint(found.x), strict=True) if x]


def main() -> None:
    taken, lower = taken_by_ring()
    found = chosen([way for start in CLASSES for way in ways(start, taken, lower)])
    lines = [
        json.dumps([way.start, way.slot, [[cycle, d] for cycle, _, d in way.crossings]])
        for way in found
    ]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(found)} ways of {len(CLASSES)} classes")


if __name__ == "__main__":
    main()
