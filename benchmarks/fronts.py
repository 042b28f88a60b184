"""All ports, Gray to binary: plans against the least of all schedules of so many rounds.

    python benchmarks/fronts.py [N ...]

For start-ups from none to ten times what a block takes: the price of the plan over the least of
R start-ups and the fewest bytes in R rounds, where docs/beyond.md has these; and the price of
the best plan without `fewer-bytes` over that of the plan.
"""

import sys

import numpy as np

import graycube as gc

BLOCK = 10**7
LEAST = {  # by linear programs (tools/tr_20_92/fewer_bytes.py N_all); 3/5 in more rounds
    3: {2: 1, 4: 0.7, 5: 2 / 3, 6: 0.63666, 7: 37 / 60, 8: 0.61135, 9: 0.60795, 10: 0.6},
    4: {3: 1, 4: 0.8, 5: 2 / 3, 6: 0.63699, 7: 37 / 60, 8: 0.61135, 9: 0.60795, 10: 0.6},
    5: {4: 0.9, 5: 0.68966, 6: 0.63699, 7: 37 / 60, 8: 0.61135, 9: 0.60795, 10: 0.6},
    6: {5: 0.77419, 6: 0.64839, 7: 37 / 60, 8: 0.61135, 9: 0.60795, 10: 0.6},
    7: {6: 0.6921, 7: 0.6221, 8: 0.6116, 9: 0.6},
}


def main(sizes: list[int]) -> None:
    for n in sizes:
        over, gain = [], []
        for startup in np.logspace(-6, 1, 22 if n < 7 else 8):
            machine = gc.Machine(n, ports="all", startup=startup, per_byte=1 / BLOCK)
            plan = gc.plan(
                gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), BLOCK, machine=machine
            )
            least = min(rounds * startup + part for rounds, part in LEAST[n].items())
            others = (
                c.cost
                for c in plan.candidates
                if c.algorithm.name not in {"fewer-bytes", "relabel"}
            )
            over.append(plan.cost / least)
            gain.append(min(others) / plan.cost)
        print(
            f"n = {n}: at most {max(over):.4f} of the least, median {np.median(over):.4f}; "
            f"others up to {max(gain):.3f}, median {np.median(gain):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or list(LEAST))
