"""Start-ups against bytes on one port and two, for n = 3 to 16: ``trade_off.csv``.

    python tools/tr_20_92/trade_off.py [--check]

All schedules that are cheapest for some start-up and rate. One of R start-ups and V blocks in
sequence costs R s + V K t. Each is chosen by the planner for the start-up at which it is
cheapest, and counted by the simulator for a block of a million elements; "below" is the largest
s / K t at which it beats the one above it.
With ``--check`` every schedule is proved by algebra.
"""

import csv
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

import graycube as gc
from graycube.cost import known_certificate
from graycube.cost.certificate import KNOWN_DIMS, known_ports
from graycube.papers import tr_20_92

FILE = Path(tr_20_92.__file__).with_name("trade_off.csv")
COLUMNS = ("n", "ports", "rounds", "volume", "by", "below", "bound")
BLOCK = 10**6
STARTUPS = np.logspace(0.5, -4.5, 31)  # over what it takes to send a block


class Seen(NamedTuple):
    """A schedule: its start-ups, and the blocks that it sends in sequence."""

    rounds: int
    volume: float
    by: str


def chosen(n: int, ports: int, *, check: bool) -> list[Seen]:
    """The schedules that the planner chooses, from dear start-ups to cheap ones."""
    found: dict[int, Seen] = {}
    for startup in STARTUPS:
        machine = gc.Machine(n, ports=ports, startup=float(startup) * BLOCK)
        layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
        plan = gc.plan(*layouts, BLOCK, machine=machine)
        seen = Seen(plan.rounds, round(plan.cycles / BLOCK, 4), plan.algorithm)
        if check and seen.rounds not in found and not plan.verify():
            raise SystemExit(f"{plan!r}: {plan.verify()}")
        found[seen.rounds] = min(seen, found.get(seen.rounds, seen))
    front: list[Seen] = []
    for rounds in sorted(found):  # few-ports may take more rounds for no fewer bytes
        if not front or found[rounds].volume < front[-1].volume:
            front.append(found[rounds])
    return front


def bound(n: int, ports: int) -> str:
    """The blocks in sequence that every schedule needs."""
    known = n in KNOWN_DIMS and ports in known_ports(n)
    least = known_certificate(n, ports).share if known else Fraction(n - 1, 2 * ports)
    return str(max(least, Fraction(3, 5)))


def rows(n: int, ports: int, *, check: bool) -> Iterator[tuple[object, ...]]:
    """The lines of a cube."""
    above: Seen | None = None
    for seen in chosen(n, ports, check=check):
        below = (
            "" if above is None else (above.volume - seen.volume) / (seen.rounds - above.rounds)
        )
        shown = f"{below:.3g}" if below != "" else ""
        yield (n, ports, seen.rounds, f"{seen.volume:.4f}", seen.by, shown, bound(n, ports))
        above = seen


def main() -> None:
    made: list[tuple[object, ...]] = []
    for ports in (1, 2):
        for n in range(3, 17):
            made += rows(n, ports, check="--check" in sys.argv[1:])
            last = made[-1]
            print(f"n = {n}, {ports} ports: {last[3]} blocks in {last[2]} rounds", flush=True)
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *made])


if __name__ == "__main__":
    main()
