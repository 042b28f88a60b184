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
from numpy.typing import NDArray

import graycube as gc
from graycube.errors import UndecidedError
from graycube.search.demand import Demand
from graycube.search.dive import shorter
from graycube.search.layers import shortest
from graycube.search.rounds import WEIGHTS, Point, shares
from graycube.search.step_arcs import DETOUR, Lower

TABLES = Path(gc.__file__).parent / "table" / "gray" / "tables"
NEARLY = 1.005
SECONDS = 900.0


class Search(NamedTuple):
    """Bits of the field, or of its top; ports; numbers of rounds.

    With ``lower`` bits there is a share of the block for each port, and as many lower bits as
    ports. It begins ``afresh`` so many times, or only with what is known. It ends after so many
    ``tries`` in a row without a gain, and chooses links for ways with so much ``detour``.
    """

    bits: int
    ports: int
    rounds: tuple[int, ...]
    lower: bool = False
    tries: int = 12
    detour: int = DETOUR
    afresh: int = 1


SEARCHES = {
    "4_1": Search(4, 1, (11, 15, 19, 23, 30, 38)),
    "5_1": Search(5, 1, (11, 15, 20, 25, 32)),
    "6_1": Search(6, 1, (32, 42), tries=6),
    "top5_1": Search(5, 1, (27, 43), lower=True, tries=6),
    "top5_2": Search(5, 2, (7, 8, 9, 11), lower=True, afresh=6),
    "top5_3": Search(5, 3, (8, 9, 11), lower=True, afresh=6),
    "top5_4": Search(5, 4, (9, 10, 11), lower=True, afresh=6),
    "top5_5": Search(5, 5, (11, 12), lower=True, afresh=6),
    "top5_6": Search(5, 6, (13,), lower=True, tries=1),
    "top5_7": Search(5, 7, (15,), lower=True, tries=1),
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
    "8_5": Search(8, 5, (7, 8), tries=20, detour=0, afresh=0),
    "8_6": Search(8, 6, (7, 8), tries=20, detour=0, afresh=0),
    "8_7": Search(8, 7, (7, 8), tries=20, detour=0, afresh=0),
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
    stands for all lower ones: a round for each, from that round on.
    """

    rounds: int
    volume: float
    rows: list[list[Any]]

    @classmethod
    def of(cls, rows: list[list[Any]], bits: int) -> "Entry":
        """What its ways need; nodes that differ in the lowest bit do the same."""
        carried, lower = Counter[tuple[int, int, int]](), lower_of(rows, bits)
        for word, weight, flat in rows:
            crossed = 0
            for number, node, dimension in hops_of(word, flat, bits):
                if dimension < bits:
                    carried[number, node >> 1, dimension] += weight
                    crossed += 1
                elif lower is not None:
                    for late in range(lower.shares):
                        link = bits + 2 * late + crossed % 2
                        carried[number + late, node >> 1, link] += weight
        longest = Counter[int]()
        for (number, _, _), weight in carried.items():
            longest[number] = max(longest[number], weight)
        return cls(len(longest), longest.total() / WEIGHTS, rows)


def lower_of(rows: list[list[Any]], bits: int) -> Lower | None:
    """When the shares of ways do the lower dimensions."""
    hops = [hop for word, _, flat in rows for hop in hops_of(word, flat, bits)]
    starts = {number for number, _, dimension in hops if dimension == bits}
    return Lower(min(starts), len(starts)) if starts else None


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
    demand, entries = Demand.of(task, every=search.lower), known.copy()
    for entry in lifted(search, demand):
        print(f"  {entry.rounds} rounds, {entry.volume:.4f} K, by one port less", flush=True)
        entries.append(entry)
        yield entry
    for rounds in search.rounds:
        fewer = [entry for entry in entries if entry.rounds <= rounds]
        after, lower = None, first_lower(search, rounds)
        if fewer and (search.ports < search.bits or lower):
            after = point_of(demand, min(fewer, key=lambda entry: entry.volume))
            if after.lower is not None:
                begin = after.lower.begin + (rounds - after.rounds) // 2
                lower = Lower(begin, search.ports)
        dives = shorter(
            demand,
            search.ports,
            rounds,
            after=after,
            tries=search.tries,
            lower=lower,
            detour=search.detour,
            afresh=search.afresh,
            seed=seed,
            deadline=monotonic() + SECONDS,
        )
        for point in in_time(dives):
            print(f"  {rounds} rounds, {point.steps.volume:.4f} K", flush=True)
            entries.append(Entry.of(written(demand, point), search.bits))
            yield entries[-1]


def lifted(search: Search, demand: Demand) -> Iterator[Entry]:
    """What a field with a bit less does on a port less; the lowest dimension has its own."""
    bits = search.bits - 1
    path = table_path(f"{bits}_{search.ports - 1}")
    if search.lower or search.ports == search.bits or not path.exists():
        return
    for rows in read(path):
        less = links_of(rows, bits)
        links = np.ones((len(less), 1 << search.bits, search.bits), dtype=bool)
        links[..., 1:] = less.repeat(2, axis=1)
        steps = shortest(demand, links, deadline=inf)
        if steps is not None:
            yield Entry.of(written(demand, Point(links, steps)), search.bits)


def first_lower(search: Search, rounds: int) -> Lower | None:
    """The lower dimensions, before the middle: that is where shorter ones were found."""
    if not search.lower:
        return None
    spare = rounds - Lower(0, search.ports).length
    return Lower(max(1, (spare - 1) // 3), search.ports)


def in_time(dives: Iterator[Point]) -> Iterator[Point]:
    """Those found before time runs out."""
    try:
        yield from dives
    except UndecidedError as error:
        print(f"  {error.found}", flush=True)


def point_of(demand: Demand, entry: Entry) -> Point:
    """What the links of an entry carry at best."""
    links, lower = links_of(entry.rows, demand.n), lower_of(entry.rows, demand.n)
    steps = shortest(demand, links, lower=lower, deadline=inf)
    if steps is None:
        raise SystemExit("the ways of a table do not arrive")
    return Point(links, steps, lower)


def links_of(rows: list[list[Any]], bits: int) -> NDArray[np.bool_]:
    """What ways use in each round; nodes that differ in the lowest bit use the same."""
    hops = [hop for word, _, flat in rows for hop in hops_of(word, flat, bits)]
    links = np.zeros((1 + max(number for number, _, _ in hops), 1 << bits, bits), dtype=bool)
    for number, node, dimension in hops:
        if dimension < bits:
            links[number, [node, node ^ 1], dimension] = True
    return links


def written(demand: Demand, point: Point) -> list[list[Any]]:
    """The ways of a point as rows."""
    return [
        [share.home, share.weight, [number for hop in share.hops for number in hop]]
        for share in shares(demand, point.steps)
    ]


def kept(known: list[Entry], new: list[Entry], search: Search) -> list[Entry]:
    """A few that are nearly the cheapest at any start-up, and no dearer than those known."""
    n, entries = search.bits + search.ports * search.lower, [*known, *new]
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


def table_path(name: str) -> Path:
    """The file of a table."""
    return TABLES / f"fewer_bytes_{name}.json"


def read(path: Path) -> list[list[list[Any]]]:
    """The points of a table, as rows."""
    table: list[list[list[Any]]] = json.loads(path.read_text(encoding="utf-8"))
    return table


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
        search, path = SEARCHES[name], table_path(name)
        print(name, flush=True)
        table = read(path) if path.exists() else []
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
