"""Gray to binary: plans against the least that start-ups and bytes together can be.

    python benchmarks/fronts.py [N ...]

For start-ups from none to ten times what a block takes: the price of the plan over its lower
bound, which knows how many bytes so many rounds need; and the price of the best plan without
`fewer-bytes` over that of the plan. For large blocks, and for those of 60 and 8 elements.
"""

import sys

import numpy as np

import graycube as gc

BLOCKS = (10**7, 60, 8)
LEFT_OUT = {"fewer-bytes", "relabel"}


def main(sizes: list[int]) -> None:
    for n in sizes:
        source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
        for ports in range(1, n + 1):
            for block in BLOCKS if n < 7 else BLOCKS[:1]:
                over, gain = [], []
                for startup in np.logspace(-6, 1, 22 if n < 6 else 8):
                    machine = gc.Machine(n, ports, startup=startup, per_byte=1 / block)
                    plan = gc.plan(source, target, block, machine=machine)
                    others = (
                        c.cost for c in plan.candidates if c.algorithm.name not in LEFT_OUT
                    )
                    over.append(plan.cost / plan.lower_bound)
                    gain.append(min(others) / plan.cost)
                print(
                    f"n = {n}, {ports} ports, {block} elements: at most {max(over):.3f} of the "
                    f"bound, median {np.median(over):.3f}; others up to {max(gain):.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or list(range(2, 8)))
