"""Gray to binary in few rounds: the blocks in sequence of what is planned, and the bound below.

    python benchmarks/few_rounds.py [N ...]

For n - 1 rounds, which is the fewest, and for n, on each number of ports; large blocks. Up to a
minute for each n.
"""

import sys

import graycube as gc
from graycube.cost.few_rounds import least_volumes

BLOCK = 10**6
STARTUPS = (10.0, 1.0, 0.3, 0.1, 0.04, 0.015)
"""Over what it takes to send a block: some algorithms make another schedule for each."""


def points(n: int, ports: int) -> list[tuple[int, float]]:
    """Start-ups, and blocks in sequence, of all that the planner looks at."""
    found = []
    for startup in STARTUPS:
        machine = gc.Machine(n, ports=ports, startup=startup * BLOCK)
        plan = gc.plan(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), BLOCK, machine=machine)
        found += [
            (candidate.traffic.nonempty, candidate.traffic.cycles / BLOCK)
            for candidate in plan.candidates
            if candidate.traffic is not None and candidate.algorithm.name != "relabel"
        ]
    return found


def needed(n: int, ports: int, rounds: int) -> float:
    """The blocks in sequence that so many rounds need."""
    task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block=1)
    volumes = least_volumes(task, gc.Machine(n, ports=ports), n - 1)
    return next((float(share) for most, share in volumes if most >= rounds), 0.0)


def main(sizes: list[int]) -> None:
    most = max(sizes)
    print("| rounds | " + " | ".join(f"{ports} ports" for ports in range(1, most + 1)) + " |")
    print("| --- " * (most + 1) + "|")
    for n in sizes:
        found = {ports: points(n, ports) for ports in range(1, n + 1)}
        for rounds in (n - 1, n):
            cells = [
                f"{min(blocks for r, blocks in some if r <= rounds):.4g}"
                f" ({needed(n, ports, rounds):.4g})"
                for ports, some in found.items()
            ]
            cells += [""] * (most - n)
            print(f"| n = {n}, {rounds} rounds | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or list(range(3, 9)))
