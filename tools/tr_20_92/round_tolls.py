"""The tolls for each round that come with the library, between Gray and binary code.

    python tools/tr_20_92/round_tolls.py [N ...]

Seconds for n < 5, three minutes for n = 5, ten each for n = 6 and 7. The dual variables of the
linear program of layers, made integers; the library proves them again whenever it reads them.
The program leaves out long detours, its tolls do not: they have to hold for every way.
"""

import sys
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.cost.few_rounds import KEPT_DIMS, volume
from graycube.search.demand import Demand
from graycube.search.layers import shortest

FOLDER = Path(gc.__file__).parent / "cost" / "certificates"
SCALES = np.unique(np.geomspace(1, 4000, 400).astype(int))
"""Integers up to which tolls are tried."""
MOST_ROUNDS = {2: 16, 3: 24, 4: 24, 5: 20, 6: 14, 7: 8}
NEARLY = 1e-4
GAIN = 1.0015  # between one number of rounds and the next that is kept


def tolls_of(demand: Demand, rounds: int, ports: int) -> tuple[NDArray[np.uint16], Fraction]:
    """Integers for each round and class of nodes, and the volume that they prove."""
    n = demand.n
    links = np.ones((rounds, 1 << n, n), dtype=bool)
    steps = shortest(demand, links, ports if ports < n else None, deadline=inf)
    if steps is None:
        raise SystemExit(f"some blocks do not arrive in {rounds} rounds")
    targets = [gc.gray_inverse(u) for u in range(1 << n)]
    prices = np.maximum(steps.prices, 0)
    best, proved = np.zeros(0, dtype=np.uint16), Fraction(0)
    for scale in SCALES:
        tolls = np.rint(prices * (scale / prices.max())).astype(np.uint16)
        shown = volume(np.repeat(tolls, 2, axis=1), targets, ports)
        if shown > proved:
            best, proved = tolls, shown
        if proved > steps.volume * (1 - NEARLY):
            break
    print(f"n = {n}, {ports} ports, {rounds} rounds: {proved}, {float(proved):.6f} "
          f"of {steps.volume:.6f}", flush=True)  # fmt: skip
    return best, proved


def main(sizes: list[int]) -> None:
    for n in sizes:
        task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block=1)
        demand, kept = Demand.of(task), dict[str, Any]()
        for ports in range(1, n + 1):
            # from the most rounds down: fewer that need no more blocks add nothing
            least, numbers = Fraction(0), range(MOST_ROUNDS[n], n - 2, -1)
            for rounds in (r for r in numbers if r <= 10 or r % 2 == 0):
                tolls, proved = tolls_of(demand, rounds, ports)
                if proved > least * Fraction(GAIN):
                    kept[f"{ports}_{rounds}"], least = tolls, proved
        np.savez_compressed(FOLDER / f"rounds_{n}.npz", **kept)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or list(KEPT_DIMS))
