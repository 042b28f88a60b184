"""The planner against what anybody would try, on a grid of tasks and machines.

    python benchmarks/referee/referee.py [N ...]            compare with what is kept
    python benchmarks/referee/referee.py --write            make referee.csv anew
    python benchmarks/referee/referee.py --summary [FILE]   of what is kept; the worst rows last

A cell is a kind of task, a cube, a block, ports, a switching, and a start-up or packets. There
the price of the plan is compared with the lower bound and with the best of its rivals:

1. what anybody would try (``simple.py``, ``several.py``), counted there element by element;
2. each algorithm of the table alone, also as it is written for another start-up, for fewer
   ports, or for store-and-forward: that is a schedule for this machine too.

``referee.csv`` has a row for all start-ups of a task on a machine: the ratios to the best rival
and to the bound, and who the rival is where one is better.
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import ceil
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple

import numpy as np
from kinds import Pair, group_of, kinds
from several import on_several_ports
from simple import Rounds, constructions, wanted_of

import graycube as gc

KEPT = Path(__file__).parent / "referee.csv"
SIZES = range(2, 7)
BEHIND = (1, 6, 100, 4096)  # elements behind a slot
SWITCHING: tuple[Literal["store-and-forward", "circuit"], ...] = (
    "store-and-forward",
    "circuit",
)
STARTUPS = (0.0, 0.0003, 0.003, 0.02, 0.1, 0.4, 3.0)  # in the time of a block
PACKETS = (0.001, 32)  # a start-up, and so many packets of a block
NOISE = 1e-9
GROWTH = 0.002  # what is kept is rounded
WORST = 8  # rows of a summary

Ports = int | Literal["all"]
Lengths = tuple[tuple[int, int], ...]  # the lengths of rounds, and how many are so long


class Row(NamedTuple):
    """A task on a machine, for each start-up: over the best rival, and over the bound."""

    kind: str
    n: int
    behind: int
    ports: Ports
    switching: str
    rival: tuple[float, ...]
    bound: tuple[float, ...]
    best: str

    @property
    def where(self) -> tuple[str, ...]:
        """The task and the machine."""
        return tuple(map(str, self[:5]))


def machines(
    n: int, ports: Ports, switching: Literal["store-and-forward", "circuit"], block: int
) -> Iterator[gc.Machine]:
    """On each a block takes a second."""
    for startup in STARTUPS:
        yield gc.Machine(n, ports, switching, startup=startup, per_byte=1 / block)
    startup, count = PACKETS
    packet = -(-block // count)
    yield gc.Machine(n, ports, switching, startup=startup, per_byte=1 / block, packet=packet)


def price(rounds: Iterable[tuple[int, int]], machine: gc.Machine) -> float:
    """Start-ups and bytes of the longest messages: of every packet, where there are some."""
    link, packet = machine.cheapest, machine.packet
    return sum(
        times * (-(-size // (packet or size)) * link.startup + size * link.per_byte)
        for size, times in rounds
        if size
    )


def ports_of(n: int) -> list[Ports]:
    few = {*range(1, min(n, 4)), n - 1}
    return [*sorted(few), "all"]


def rows(kind: str, pair: Pair, behind: int) -> Iterator[Row]:
    """A task on all machines; what fewer ports can do, more can, and circuits of one link."""
    source, target = pair
    n, block = source.n, source.block_size * behind
    index = np.arange(source.block_size << n)
    start, goal = (np.asarray(each.locate(index)[0], dtype=np.int64) for each in pair)
    wanted = wanted_of(n, start, goal, behind)
    if not wanted.used:
        return
    hops: dict[Lengths, str] = {}
    for ports in ports_of(n):
        circuits: dict[Lengths, str] = {}
        for switching in SWITCHING:
            on = machines(n, ports, switching, block)
            plans = [gc.plan(source, target, block, machine=machine) for machine in on]
            known = circuits if switching == "circuit" else hops
            for plan in plans:
                for name, rounds in alone(plan):
                    known.setdefault(tuple(sorted(rounds.items())), name)
            links = n if ports == "all" else ports
            tried = constructions(wanted, links, circuits=known is circuits)
            several = on_several_ports(wanted, links) if known is circuits else ()
            for name, rounds in chain(tried, several):
                known.setdefault(tuple(sorted(rounds.items())), f"simple: {name}")
            yield compared(kind, behind, ports, plans, {**hops, **circuits})


def alone(plan: gc.Plan) -> Iterator[tuple[str, Rounds]]:
    """What the algorithms of the table have written for a plan."""
    for candidate in plan.candidates:
        if candidate.traffic is not None and candidate.algorithm.name != "relabel":
            rounds: Rounds = Counter()
            for r in candidate.traffic.rounds:
                rounds[r.longest] += r.times
            yield candidate.algorithm.name, rounds


def compared(
    kind: str, behind: int, ports: Ports, plans: Sequence[gc.Plan], rivals: dict[Lengths, str]
) -> Row:
    over, above, names = [], [], []
    for plan in plans:
        best, name = min((price(rounds, plan.machine), name) for rounds, name in rivals.items())
        over.append(plan.cost / best)
        above.append(plan.cost / plan.lower_bound)
        names.append(name if over[-1] > 1 + NOISE else "")
    task = kind, plans[0].machine.dims, behind, ports, plans[0].machine.switching
    return Row(*task, tuple(over), tuple(above), "; ".join(dict.fromkeys(filter(None, names))))


def grid(sizes: Iterable[int] = SIZES) -> Iterator[Row]:
    """All rows of cubes of these sizes."""
    for n in sizes:
        for kind, pair in kinds(n):
            for behind in BEHIND:
                yield from rows(kind, pair, behind)


def worse(found: Iterable[Row], kept: Iterable[Row]) -> list[str]:
    """Where a rival, or the bound, is farther ahead than it was."""
    known = {row.where: row for row in kept}
    lines = []
    for row in found:
        before = known[row.where]
        for name, new, old in (
            ("rival", row.rival, before.rival),
            ("bound", row.bound, before.bound),
        ):
            if any(b > a + GROWTH * a for a, b in zip(old, new, strict=True)):
                lines.append(
                    f"{' '.join(row.where)}: {name} {written(new)}, was {written(old)}"
                )
    return lines


def written(ratios: Iterable[float]) -> str:
    """Ratios with three digits, rounded up."""
    return " ".join(f"{ceil(1000 * ratio - 1e-6) / 1000:g}" for ratio in ratios)


def write(found: Iterable[Row], path: Path = KEPT) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        for row in found:
            writer.writerow([*row[:5], written(row.rival), written(row.bound), row.best])


def read(path: Path = KEPT) -> list[Row]:
    with path.open(newline="") as file:
        return [
            Row(
                row["kind"],
                int(row["n"]),
                int(row["behind"]),
                "all" if row["ports"] == "all" else int(row["ports"]),
                row["switching"],
                tuple(map(float, row["rival"].split())),
                tuple(map(float, row["bound"].split())),
                row["best"],
            )
            for row in csv.DictReader(file)
        ]


def summary(found: Sequence[Row]) -> Iterator[str]:
    """A line for each group of tasks and ports, and the worst rows."""
    groups = defaultdict[tuple[str, str], list[Row]](list)
    for row in found:
        ports = "1" if row.ports == 1 else "several"
        groups[group_of(row.kind), f"{ports} ports, {row.switching}"].append(row)
    yield "tasks, machine: cells; a rival is better in, by at most; to the bound: median, worst"
    for (kind, machine), some in [*sorted(groups.items()), (("all", "all"), found)]:
        over = [ratio for row in some for ratio in row.rival]
        above = [ratio for row in some for ratio in row.bound]
        beaten = sum(ratio > 1 + GROWTH for ratio in over)
        yield (
            f"{kind}, {machine}: {len(over)}; {beaten / len(over):.1%}, {max(over):.3f}; "
            f"{median(above):.3f}, {max(above):.2f}"
        )
    for row in sorted(found, key=lambda row: -max(row.rival))[:WORST]:
        yield f"{' '.join(row.where)}: {written(row.rival)} ({row.best})"


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["--summary"]:
        print("\n".join(summary(read(*map(Path, arguments[1:])))))
    elif arguments[:1] == ["--write"]:
        write(grid())
    else:
        lines = worse(grid([int(n) for n in arguments] or SIZES), read())
        print("\n".join(lines) or "nothing is worse than what is kept")


if __name__ == "__main__":
    main(sys.argv[1:])
