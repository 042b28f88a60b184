"""Find the 40 routes behind the algorithm "three-fifths", and write its table.

    python tools/tr_20_91/three_fifths_routes.py

An integer program chooses five routes for each class of the three top bits. A route is a walk
in the 3-cube of classes with the lower dimensions at one class on its way, a turn of 0 to 2 on
each link, and a delay for each: how much later than the start of the turn it begins. Every link
and turn has at most one route, turns never decrease along a route, and delays never decrease
from turn to turn on a link, so that each turn lasts as long as it has units.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import graycube as gc

FILE = Path(gc.__file__).parent / "table" / "gray" / "tables" / "three_fifths.json"
CLASSES, TOP, TURNS, SHARES = 8, 3, 3, 5
STEPS = 4  # at most, in the 3-cube
WAIT = 1  # cycles of delay at most, before the lower dimensions and again behind them
BEHIND = WAIT + 1  # the first delay that the lower dimensions' length comes on top of
LATEST = 2 * WAIT + 1
LOW = "low"
SECONDS = 600

Link = tuple[int, int, int]
"""A class, a dimension (TOP for the lower ones), and for these the parity of the distance."""


@dataclass(frozen=True)
class Choice:
    """A route with its turns and delays."""

    start: int
    steps: tuple[int | str, ...]
    links: tuple[Link, ...]
    turns: tuple[int, ...]
    delays: tuple[int, ...]


def walks(start: int) -> Iterator[tuple[tuple[int | str, ...], tuple[Link, ...]]]:
    """All walks of a class to where it belongs, with the lower dimensions on the way."""
    for length in range(STEPS + 1):
        for dims in itertools.product(range(TOP), repeat=length):
            if start ^ sum_of(dims) == gc.gray_inverse(start):
                for at in range(length + 1):
                    steps: list[int | str] = [*dims]
                    steps.insert(at, LOW)
                    yield tuple(steps), links_of(start, tuple(steps))


def sum_of(dims: tuple[int, ...]) -> int:
    """The bits that change along the way."""
    total = 0
    for d in dims:
        total ^= 1 << d
    return total


def links_of(at: int, steps: tuple[int | str, ...]) -> tuple[Link, ...]:
    """The links that a walk uses."""
    links, crossed = list[Link](), 0
    for step in steps:
        if isinstance(step, str):
            links.append((at, TOP, crossed % 2))
        else:
            links.append((at, step, 0))
            at, crossed = at ^ 1 << step, crossed + 1
    return tuple(links)


def choices() -> Iterator[Choice]:
    """All routes of all classes with all turns and delays."""
    for start in range(CLASSES):
        for steps, links in walks(start):
            low = steps.index(LOW)
            for turns in itertools.combinations_with_replacement(range(TURNS), len(steps)):
                if len({*zip(links, turns, strict=True)}) < len(links):
                    continue
                for delays in delays_of(turns, low):
                    yield Choice(start, steps, links, turns, delays)


def delays_of(
    turns: tuple[int, ...], low: int, done: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """The delays that a route may have, link by link."""
    k = len(done)
    if k == len(turns):
        yield done
        return
    least = 0
    if k and turns[k] == turns[k - 1]:  # a unit goes on in the next cycle at the earliest
        least = done[-1] + 1 if k - 1 != low else done[-1] + BEHIND
    most = WAIT if k <= low else LATEST
    for delay in range(least, most + 1):
        yield from delays_of(turns, low, (*done, delay))


def routes() -> list[Choice]:
    """The routes that the program chooses."""
    found = list({(c.start, frozenset(zip(c.links, c.turns, c.delays, strict=True))): c
                  for c in choices()}.values())  # fmt: skip
    rows: dict[object, int] = {}
    entries: set[tuple[int, int]] = set()
    for j, choice in enumerate(found):
        entries.add((rows.setdefault(("class", choice.start), len(rows)), j))
        for link, turn, delay in zip(choice.links, choice.turns, choice.delays, strict=True):
            for limit in limits(link, turn, delay):
                entries.add((rows.setdefault(limit, len(rows)), j))
    at = np.array(sorted(entries)).T
    matrix = coo_array((np.ones(at.shape[1]), at), shape=(len(rows), len(found)))
    exact = np.array([isinstance(row, tuple) and row[0] == "class" for row in rows])
    least, most = np.where(exact, SHARES, 0), np.where(exact, SHARES, 1)
    solved = milp(
        [len(choice.steps) for choice in found],
        constraints=LinearConstraint(matrix.tocsr(), least, most),
        integrality=np.ones(len(found)),
        bounds=Bounds(0, 1),
        options={"time_limit": SECONDS, "mip_rel_gap": 1.0},  # any solution will do
    )
    if solved.x is None:
        raise SystemExit(f"no routes: {solved.message}")
    return [found[j] for j in np.flatnonzero(solved.x > 0.5)]


def limits(link: Link, turn: int, delay: int) -> Iterator[object]:
    """What at most one route may do: have a turn, or come between two delays out of order."""
    yield "turn", link, turn
    for level in range(1, LATEST + 1):
        for other in range(TURNS):
            if other > turn and delay >= level:
                yield "order", link, turn, other, level
            if other < turn and delay < level:
                yield "order", link, other, turn, level


def main() -> None:
    found = sorted(routes(), key=lambda c: (c.start, len(c.steps), str(c.steps), c.turns))
    lines = [
        json.dumps({"class": c.start, "steps": [*zip(c.steps, c.turns, strict=True)]})
        for c in found
    ]
    FILE.write_text("[\n " + ",\n ".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(found)} routes with {sum(len(c.steps) - 1 for c in found)} steps: {FILE}")


if __name__ == "__main__":
    main()
