"""The tables of ``fewer-bytes``, between start-ups and bytes: found by dives.

    python tools/tr_20_92/fewer_bytes.py [--seed N] [TABLE ...]

It goes on from the tables as they are, and keeps of old and new points a few, one of which is
the cheapest for any start-up and rate, up to half a percent. Nothing gets worse, and another
seed may find more. Each number of rounds takes a quarter of an hour at most; a table of few
bits takes minutes, all of them hours. On all ports a round may use all links, so its linear
program has the least there is.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

import graycube as gc
from graycube.errors import UndecidedError
from graycube.search.demand import Demand
from graycube.search.dive import shorter
from graycube.search.layers import DETOUR, shortest
from graycube.search.rounds import WEIGHTS, Point, shares

TABLES = Path(gc.__file__).parent / "table" / "gray" / "tables"
NEARLY = 1.005
SECONDS = 900.0


class Search(NamedTuple):
    """Bits of the field, or of its top; ports; numbers of rounds.

    Where there is a ``halfway``, the lower bits are done in the middle. It ends after so many
    ``tries`` in a row without a gain, and chooses links for ways with so much ``detour``.
    """

    bits: int
    ports: int
    rounds: tuple[int, ...]
    halfway: bool = False
    tries: int = 12
    detour: int = DETOUR


SEARCHES = {
    "4_1": Search(4, 1, (11, 15, 19, 23, 30, 38)),
    "5_1": Search(5, 1, (11, 15, 20, 25, 32)),
    "6_1": Search(6, 1, (32, 42), tries=6),
    "top5_1": Search(5, 1, (26, 42), halfway=True, tries=6),
    "4_2": Search(4, 2, (3, 4, 5, 6, 7, 8, 10, 12), tries=60),
    "5_2": Search(5, 2, (4, 5, 6, 7, 8, 10), tries=40),
    "6_2": Search(6, 2, (5, 6, 7, 8, 10, 13)),
    "7_2": Search(7, 2, (6, 7, 8), tries=30),
    "8_2": Search(8, 2, (7, 8), tries=20, detour=0),
    "4_3": Search(4, 3, (3, 4, 5, 6, 7, 8, 10, 12), tries=60),
    "5_3": Search(5, 3, (4, 5, 6, 7, 8, 10)),
    "6_3": Search(6, 3, (5, 6, 7, 8)),
    "7_3": Search(7, 3, (6, 7), tries=6),
    "8_3": Search(8, 3, (7, 8), tries=20, detour=0),
    "5_4": Search(5, 4, (4, 5, 6, 7, 8, 10)),
    "6_4": Search(6, 4, (5, 6, 7)),
    "7_4": Search(7, 4, (6, 7), tries=6),
    "8_4": Search(8, 4, (7, 8), tries=20, detour=0),
    "6_5": Search(6, 5, (5, 6, 7)),
    "7_5": Search(7, 5, (6, 7), tries=6),
    "7_6": Search(7, 6, (6, 7), tries=1),
    "3_all": Search(3, 3, tuple(range(2, 11))),
    "4_all": Search(4, 4, tuple(range(3, 11))),
    "5_all": Search(5, 5, tuple(range(4, 11))),
    "6_all": Search(6, 6, tuple(range(5, 11))),
    "7_all": Search(7, 7, (6, 7, 8, 10)),
    "8_all": Search(8, 8, (7, 8)),
}


class Entry(NamedTuple):
    """A point of a table: its rounds, the blocks in sequence, and its ways as rows.

    A row is a word, a weight, and rounds and dimensions one after the other. Dimension ``bits``
    stands for all lower ones, which have a round of their own.
    """

    rounds: int
    volume: float
    rows: list[list[Any]]

    @classmethod
    def of(cls, rows: list[list[Any]], bits: int) -> "Entry":
        """What its ways need; nodes that differ in the lowest bit do the same."""
        carried = Counter[tuple[int, int, int]]()
        for word, weight, flat in rows:
            for number, node, dimension in hops_of(word, flat, bits):
                carried[number, node >> 1, dimension] += weight
        longest = Counter[int]()
        for (number, _, dimension), weight in carried.items():
            longest[number] = max(longest[number], weight if dimension < bits else 0)
        lower = sum(length == 0 for length in longest.values())
        return cls(len(longest) - lower, longest.total() / WEIGHTS, rows)


def hops_of(word: int, flat: list[int], bits: int) -> Iterator[tuple[int, int, int]]:
    """The round, the node and the dimension of each hop of a way."""
    node = word
    for number, dimension in zip(flat[::2], flat[1::2], strict=True):
        yield number, node, dimension
        if dimension < bits:
            node ^= 1 << dimension


def found(search: Search, known: list[Entry], seed: int) -> Iterator[Entry]:
    """The shortest schedule for each number of rounds, of those that begin with known ones."""
    task = gc.Task(gc.Layout.nodes(search.bits, "gray"), gc.Layout.nodes(search.bits), block=1)
    demand, entries = Demand.of(task, every=search.halfway), known.copy()
    for rounds in search.rounds:
        fewer = [entry for entry in entries if entry.rounds <= rounds]
        after, halfway = None, rounds // 2 if search.halfway else None
        if fewer and search.ports < search.bits:
            after = point_of(demand, min(fewer, key=lambda entry: entry.volume))
            if after.halfway is not None:
                halfway = after.halfway + (rounds - after.rounds) // 2
        dives = shorter(
            demand,
            search.ports,
            rounds,
            after=after,
            tries=search.tries,
            halfway=halfway,
            detour=search.detour,
            seed=seed,
            deadline=monotonic() + SECONDS,
        )
        for point in in_time(dives):
            print(f"  {rounds} rounds, {point.steps.volume:.4f} K", flush=True)
            entries.append(Entry.of(written(demand, point), search.bits))
            yield entries[-1]


def in_time(dives: Iterator[Point]) -> Iterator[Point]:
    """Those found before time runs out."""
    try:
        yield from dives
    except UndecidedError as error:
        print(f"  {error.found}", flush=True)


def point_of(demand: Demand, entry: Entry) -> Point:
    """What the links of an entry carry at best."""
    n, hops = demand.n, [hop for row in entry.rows for hop in hops_of(row[0], row[2], demand.n)]
    halfway = next((number for number, _, dimension in hops if dimension == n), None)
    links = np.zeros((entry.rounds, 1 << n, n), dtype=bool)
    for number, node, dimension in hops:
        if dimension < n:
            late = halfway is not None and number > halfway
            links[number - late, [node, node ^ 1], dimension] = True
    steps = shortest(demand, links, halfway=halfway, deadline=inf)
    if steps is None:
        raise SystemExit("the ways of a table do not arrive")
    return Point(links, steps, halfway)


def written(demand: Demand, point: Point) -> list[list[Any]]:
    """The ways of a point as rows."""
    rows: list[list[Any]] = []
    halfway = point.halfway
    for share in shares(demand, point.steps):
        hops = list(share.hops)
        if halfway is not None:
            early = [hop for hop in hops if hop[0] < halfway]
            late = [(number + 1, d) for number, d in hops[len(early) :]]
            hops = [*early, (halfway, demand.n), *late]
        rows.append([share.home, share.weight, [number for hop in hops for number in hop]])
    return rows


def kept(known: list[Entry], new: list[Entry], search: Search) -> list[Entry]:
    """A few that are nearly the cheapest at any start-up, and no dearer than those known."""
    n, entries = search.bits, [*known, *new]
    published = [(n - 1, n - 1.0), (n, n / 2)] if search.ports == 1 else []  # GB1 and GB3
    startups = np.logspace(-6, 0.5, 400)  # over what it takes to send a block
    every = np.array([*published, *((entry.rounds, entry.volume) for entry in entries)])
    prices = every[:, :1] * startups + every[:, 1:]
    wanted = NEARLY * prices.min(axis=0)
    if known:
        wanted = np.minimum(wanted, prices[: len(published) + len(known)].min(axis=0))
    chosen = list(range(len(published)))
    while True:
        least = prices[chosen].min(axis=0, initial=np.inf)
        worst = int((least / wanted).argmax())
        if least[worst] <= wanted[worst]:
            few = [entries[k - len(published)] for k in chosen[len(published) :]]
            return sorted(few, key=lambda entry: entry.rounds)
        chosen.append(int(prices[:, worst].argmin()))


def save(path: Path, entries: list[Entry]) -> None:
    """Write a table."""
    lines = (
        ",\n".join(json.dumps(row, separators=(",", ":")) for row in e.rows) for e in entries
    )
    text = "[\n" + ",\n".join(f"[\n{rows}\n]" for rows in lines) + "\n]\n"
    path.write_text(text, encoding="utf-8")


def main(names: list[str], seed: int) -> None:
    """Make the tables of these names better; who is stopped keeps what was found."""
    for name in names:
        search, path = SEARCHES[name], TABLES / f"fewer_bytes_{name}.json"
        print(name, flush=True)
        table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        few = known = [Entry.of(rows, search.bits) for rows in table]
        new: list[Entry] = []
        for entry in found(search, known, seed):
            new.append(entry)
            few = kept(known, new, search)
            save(path, few)
        print("  kept: " + ", ".join(f"{e.rounds} rounds, {e.volume:.4f} K" for e in few))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=list(SEARCHES))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    main(arguments.tables, arguments.seed)
