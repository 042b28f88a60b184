"""The table of ``strides``: few rounds in which all nodes send over the same patterns.

    python tools/strides.py [SECONDS]    so long for each row; 20 take half an hour

In a round no two strides have a dimension in common. Rounds are drawn and changed, one at a
time, while more patterns are sums of strides, at most one of each round. Linear programs say
what the fullest strides carry at least, if what goes to one node may be divided. Of those with
the least, an integer program chooses one sum for each pattern.
"""

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

import graycube as gc

TABLE = Path(gc.__file__).parent / "table" / "messages" / "tables" / "strides.json"
SIZES = range(3, 7)
STALE = 100
LESS = 0.96
"""One round more has to send so much less."""
LIMIT = 20.0  # seconds of an integer program

Round = tuple[int, ...]
Sum = tuple[int, ...]
"""Which stride of each round, from 1 on, or none."""


def rounds_of(n: int, ports: int) -> list[Round]:
    """All sets of strides without a common dimension, to which no more can be added."""

    def more(begun: Round, used: int, least: int) -> Iterator[Round]:
        free = [g for g in range(1, 1 << n) if not g & used]
        if len(begun) == ports or not free:
            yield begun
            return
        for g in free:
            if g > least:
                yield from more((*begun, g), used | g, g)

    return list(more((), 0, 0))


def reached(rounds: Sequence[Round], n: int) -> int:
    """How many patterns are sums."""
    known, number = np.zeros(1 << n, dtype=bool), np.arange(1 << n)
    known[0] = True
    for strides in rounds:
        known = np.any([known, *(known[number ^ g] for g in strides)], axis=0)
    return int(known.sum())


def sums(rounds: Sequence[Round]) -> dict[int, list[Sum]]:
    """All sums, by what they are."""
    found: dict[int, list[Sum]] = {}
    for chosen in product(*(range(len(strides) + 1) for strides in rounds)):
        total = 0
        for strides, k in zip(rounds, chosen, strict=True):
            total ^= strides[k - 1] if k else 0
        found.setdefault(total, []).append(chosen)
    return found


def least(rounds: Sequence[Round], n: int, *, whole: bool) -> tuple[float, list[Sum]]:
    """What the fullest strides carry, in what goes to one node, and a sum for each pattern."""
    known = sums(rounds)
    columns = [(x, chosen) for x in range(1 << n) for chosen in known[x]]
    rows = [(r, k) for r, strides in enumerate(rounds) for k in range(1, len(strides) + 1)]
    load = np.zeros((len(rows), len(columns) + len(rounds)))
    for j, (_, chosen) in enumerate(columns):
        load[:, j] = [chosen[r] == k for r, k in rows]
    for i, (r, _) in enumerate(rows):
        load[i, len(columns) + r] = -1
    once = np.zeros((1 << n, load.shape[1]))
    once[[x for x, _ in columns], range(len(columns))] = 1
    costs = np.ones(load.shape[1])
    costs[: len(columns)] = [1e-4 * sum(map(bool, chosen)) for _, chosen in columns]
    kinds = np.arange(load.shape[1]) < len(columns)
    found = milp(
        costs,
        constraints=[
            LinearConstraint(csr_array(load), -np.inf, 0),
            LinearConstraint(csr_array(once), 1, 1),
        ],
        integrality=kinds if whole else np.zeros(len(kinds)),
        bounds=Bounds(0, np.where(kinds, 1, np.inf)),
        options={"time_limit": LIMIT},
    )
    if found.x is None:
        return np.inf, []
    taken = [columns[j][1] for j in np.flatnonzero(found.x[: len(columns)] > 0.5)]
    return float(found.x[len(columns) :].sum()), taken


def searched(n: int, ports: int, count: int, seconds: float) -> list[tuple[float, list[Round]]]:
    """So many rounds, and what they carry at least."""
    rng = random.Random(count)  # noqa: S311 - no secrets
    found = dict[tuple[Round, ...], float]()
    sets, end = rounds_of(n, ports), time.monotonic() + seconds
    while time.monotonic() < end:
        rounds, stale = [rng.choice(sets) for _ in range(count)], 0
        best = reached(rounds, n)
        while best < 1 << n and stale < STALE:
            others = [*rounds]
            others[rng.randrange(count)] = rng.choice(sets)
            now = reached(others, n)
            stale = 0 if now > best else stale + 1
            if now >= best:
                rounds, best = others, now
        key = tuple(sorted(rounds))
        if best == 1 << n and key not in found:
            found[key] = least(key, n, whole=False)[0]
    return sorted((volume, [*key]) for key, volume in found.items())[:3]


def rows(n: int, ports: int, seconds: float) -> Iterator[dict[str, object]]:
    """The rounds to keep, from the fewest on."""
    kept = np.inf
    for count in range(2, n + 1):
        if (ports + 1) ** count < 1 << n:
            continue
        whole = [(*least(some, n, whole=True), some)
                 for volume, some in searched(n, ports, count, seconds)
                 if volume < kept * LESS]  # fmt: skip
        volume, taken, rounds = min(whole, default=(np.inf, [], []), key=lambda one: one[0])
        if volume < kept * LESS:
            kept = volume
            ways = ["".join(map(str, chosen)) for chosen in taken]
            print(n, ports, count, volume / (1 << n), rounds, flush=True)
            yield {"n": n, "ports": ports, "rounds": rounds, "sums": " ".join(ways)}


def main(arguments: Sequence[str]) -> None:
    seconds = float(arguments[0]) if arguments else 20.0
    found = [row for n in SIZES for ports in range(2, n + 1) for row in rows(n, ports, seconds)]
    lines = ",\n".join(json.dumps(row) for row in found)
    TABLE.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
