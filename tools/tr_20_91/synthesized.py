"""How soon ``gc.synthesize`` has the optima on all ports, and whether it says so.

    python tools/tr_20_91/synthesized.py [N ...]

For n = 3 and 4 and K = 1 to 20: cycles, the bound that is proved, and seconds, with a minute
for each at most.
"""

import sys
from time import perf_counter

import graycube as gc

LIMIT = 60.0  # seconds
BLOCKS = range(1, 21)


def main(sizes: list[int]) -> None:
    """A line for each block, and how long it took at most."""
    for n in sizes:
        machine, slowest = gc.Machine(n, ports="all"), 0.0
        for block in BLOCKS:
            start = perf_counter()
            plan = gc.synthesize(
                gc.Layout.nodes(n, "gray"),
                gc.Layout.nodes(n),
                block,
                machine=machine,
                time_limit=LIMIT,
                keep=False,
            )
            took = perf_counter() - start
            slowest = max(slowest, took)
            word = "optimal" if plan.optimal else "; ".join(plan.untried)
            print(
                f"n = {n}, K = {block}: {plan.cycles} cycles, at least {plan.lower_bound:g}, "
                f"{plan.algorithm}, {took:.1f} s, {word}",
                flush=True,
            )
        print(f"n = {n}: at most {slowest:.1f} s of {LIMIT:g}")


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [3, 4])
