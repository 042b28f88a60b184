"""Plans between random pairs of layouts on small cubes, against the least flow there is.

    python benchmarks/flow_gap.py [PAIRS]

The least flow is the bound of a linear program, proved by tolls in exact numbers: no schedule
takes fewer cycles for an element of a block. Blocks are large and there are no start-ups, so
that only what links and ports carry counts. Every plan is proved.
"""

import sys
from typing import Literal

import numpy as np
from any_to_any import Pair, mesh, scrambled

import graycube as gc

PAIRS = 60
DIMS = range(2, 5)
BEHIND = 4096  # elements behind every slot
PORTS: tuple[int | Literal["all"], ...] = (1, 2, "all")


def meshes(rng: np.random.Generator, n: int) -> Pair:
    """Two layouts of one mesh, divided and coded in any way."""
    bits = np.bincount(rng.integers(0, 3, size=n + rng.integers(1, 4)), minlength=3)
    return mesh(rng, bits, n), mesh(rng, bits, n)


def maps(rng: np.random.Generator, n: int) -> Pair:
    """Two random invertible maps."""
    p = n + int(rng.integers(0, 4))
    return scrambled(rng, p, n), scrambled(rng, p, n)


def nodes(rng: np.random.Generator, n: int) -> Pair:
    """Whole blocks, placed by two random invertible maps."""
    return scrambled(rng, n, n), scrambled(rng, n, n)


def ratio(pair: Pair, ports: int | Literal["all"]) -> tuple[float, str]:
    """The cycles of the plan over those of the least flow, and the plan's algorithm."""
    source, target = pair
    machine = gc.Machine(source.n, ports=ports)
    block = source.block_size * BEHIND
    plan = gc.plan(source, target, block, machine=machine)
    proof = gc.certify(source, target, machine=machine)
    if not plan.verify():
        raise SystemExit(f"{source} to {target}: {plan.verify()}")
    least = proof.share * block
    return float(plan.cycles / least) if least else 1.0, plan.algorithm


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    print(f"{pairs} pairs each; cycles over the least flow: median, 9 of 10, worst; met")
    for kind in (nodes, meshes, maps):
        for ports in PORTS:
            rng = np.random.default_rng(1)
            found = [
                ratio(kind(rng, int(rng.integers(DIMS.start, DIMS.stop))), ports)
                for _ in range(pairs)
            ]
            ratios = np.array([value for value, _ in found])
            figures = np.quantile(ratios, (0.5, 0.9, 1.0))
            met = (ratios < 1.01).mean()
            worst = found[int(ratios.argmax())][1]
            shown = "  ".join(f"{figure:5.2f}" for figure in figures)
            name = f"{kind.__name__:7} {ports:>3} ports"
            print(f"{name}  {shown}  {met:4.0%}  ({worst})", flush=True)


if __name__ == "__main__":
    main()
