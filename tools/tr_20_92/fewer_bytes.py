"""The tables of ``fewer-bytes``: fronts between start-ups and bytes, found by linear programs.

    python tools/tr_20_92/fewer_bytes.py [TABLE ...]

Some minutes for a table, up to ten, and two hours for all of them on one core. Of the points
found a few are kept, one of which is cheapest for any start-up and rate, up to half a percent.
On all ports a round may use all links, so its linear program has the least there is.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import graycube as gc
from graycube.search.demand import Demand
from graycube.search.dive import shorter
from graycube.search.rounds import Point, front, shares

TABLES = Path(gc.__file__).parent / "table" / "gray" / "tables"
NEARLY = 1.005


class Search(NamedTuple):
    """Bits of the field, or of its top; ports; numbers of rounds for dives; layers of fronts.

    Before the layer ``halfway`` the lower bits are done. A dive ends after so many ``tries`` in
    a row without a gain.
    """

    bits: int
    ports: int
    rounds: tuple[int, ...] = ()
    layers: tuple[int, ...] = ()
    halfway: tuple[int, ...] = ()
    tries: int = 12


SEARCHES = {
    "4_1": Search(4, 1, layers=(5, 6, 8, 10, 12)),
    "5_1": Search(5, 1, layers=(5, 6, 7, 8, 10)),
    "6_1": Search(6, 1, layers=(6, 7, 9)),
    "top5_1": Search(5, 1, layers=(6, 7, 8, 9), halfway=(1, 2, 3, 4)),
    "4_2": Search(4, 2, (3, 4, 5, 6, 7, 8, 10, 12), (4, 5, 6, 8), tries=60),
    "5_2": Search(5, 2, (4, 5, 6, 7, 8, 10), (5, 6, 8), tries=40),
    "6_2": Search(6, 2, (5, 6, 7, 8, 10, 13), (6, 7)),
    "7_2": Search(7, 2, (6, 7, 8), tries=30),
    "4_3": Search(4, 3, (3, 4, 5, 6, 7, 8, 10, 12), (3, 4, 5, 6, 8), tries=60),
    "5_3": Search(5, 3, (4, 5, 6, 7, 8, 10), (4, 5, 6)),
    "6_3": Search(6, 3, (5, 6, 7, 8)),
    "7_3": Search(7, 3, (6, 7), tries=6),
    "5_4": Search(5, 4, (4, 5, 6, 7, 8, 10), (4, 5, 6)),
    "6_4": Search(6, 4, (5, 6, 7)),
    "7_4": Search(7, 4, (6, 7), tries=6),
    "6_5": Search(6, 5, (5, 6, 7)),
    "7_5": Search(7, 5, (6, 7), tries=6),
    "7_6": Search(7, 6, (6, 7), tries=1),
    "3_all": Search(3, 3, tuple(range(2, 11))),
    "4_all": Search(4, 4, tuple(range(3, 11))),
    "5_all": Search(5, 5, tuple(range(4, 11))),
    "6_all": Search(6, 6, tuple(range(5, 11))),
    "7_all": Search(7, 7, (6, 7, 8, 10)),
}


def points(search: Search) -> Iterator[tuple[Demand, Point]]:
    """All points found."""
    task = gc.Task(gc.Layout.nodes(search.bits, "gray"), gc.Layout.nodes(search.bits), block=1)
    demand = Demand.of(task, every=bool(search.halfway))
    for point in [*dives(demand, search), *fronts(demand, search)]:
        yield demand, point


def dives(demand: Demand, search: Search) -> Iterator[Point]:
    """The shortest schedule found for each number of rounds."""
    best: Point | None = None
    for rounds in search.rounds:
        for point in shorter(demand, search.ports, rounds, after=best, tries=search.tries):
            best = point
        if best is not None:
            print(f"  {rounds} rounds, {best.steps.volume:.4f} K", flush=True)
            yield best


def fronts(demand: Demand, search: Search) -> Iterator[Point]:
    """The points of fronts from so many layers."""
    ways = search.halfway or (None,) * len(search.layers)
    for layers, halfway in zip(search.layers, ways, strict=True):
        for point in front(demand, search.ports, layers, halfway=halfway):
            told = f"{point.rounds} rounds, {point.steps.volume:.4f} K"
            print(f"  {layers} layers: {told}", flush=True)
            yield point


def kept(sizes: list[tuple[int, float]], search: Search) -> list[int]:
    """The numbers of a few points, one of which is nearly the cheapest at any start-up."""
    n = search.bits
    published = [(n - 1, n - 1.0), (n, n / 2)] if search.ports == 1 else []  # GB1 and GB3
    startups = np.logspace(-6, 0.5, 400)  # over what it takes to send a block
    every = np.array([*published, *sizes])
    prices = every[:, :1] * startups + every[:, 1:]
    least, chosen = prices.min(axis=0), list(range(len(published)))
    while True:
        known = prices[chosen].min(axis=0) if chosen else np.full(len(startups), np.inf)
        worst = int((known / least).argmax())
        if known[worst] <= NEARLY * least[worst]:
            numbers = (k - len(published) for k in chosen if k >= len(published))
            return sorted(numbers, key=lambda k: sizes[k][0])
        chosen.append(int(prices[:, worst].argmin()))


def written(demand: Demand, point: Point) -> list[list[object]]:
    """The ways of a point: words, weights, and rounds and dimensions one after the other."""
    rows: list[list[object]] = []
    halfway = point.halfway
    for share in shares(demand, point.steps):
        hops = list(share.hops)
        if halfway is not None:
            early = [hop for hop in hops if hop[0] < halfway]
            late = [(number + 1, d) for number, d in hops[len(early) :]]
            hops = [*early, (halfway, demand.n), *late]
        rows.append([share.home, share.weight, [number for hop in hops for number in hop]])
    return rows


def main(names: list[str]) -> None:
    """Write the tables of these names."""
    for name in names:
        search = SEARCHES[name]
        print(name, flush=True)
        found = list(points(search))
        sizes = [(point.rounds, point.steps.volume) for _, point in found]
        table = [written(*found[k]) for k in kept(sizes, search)]
        lines = (",\n".join(json.dumps(row, separators=(",", ":")) for row in t) for t in table)
        text = "[\n" + ",\n".join(f"[\n{rows}\n]" for rows in lines) + "\n]\n"
        (TABLES / f"fewer_bytes_{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or list(SEARCHES))
