"""An algorithm of one's own, from nothing: pieces of a block in rotated orders.

To convert from Gray to binary code, a block crosses each dimension d in turn, but for the
highest, where the bits of its node number above d have odd parity. Any order of dimensions
does. So on p ports a block is cut into p pieces, and each begins with another dimension: a node
sends p pieces at once, in as many rounds as before.

    python examples/rotated.py

A package offers it to everybody who installs it, by an entry point in its pyproject.toml:

    [project.entry-points."graycube.algorithms"]
    rotated = "my_package.rotated:ALGORITHM"
"""

from itertools import pairwise

import graycube as gc
from graycube.gf2 import Exchange
from graycube.schedule import Way, hop
from graycube.table import Algorithm


def exchanges(n: int, first: int) -> list[Exchange]:
    """The dimensions below n - 1, downwards from the first one and round."""
    found: list[Exchange] = []
    for d in [*range(first, -1, -1), *range(n - 2, first, -1)]:
        done = any(step.flip == 1 << d + 1 for step in found)  # its parity is in that bit now
        above = 1 << d + 1 if done else (1 << n) - (1 << d + 1)
        found.append(Exchange(flip=1 << d, when=above))
    return found


def applicable(task: gc.Task, machine: gc.Machine) -> str | None:
    """Why it cannot do a task, or None."""
    if task.stages or task.source.map != gc.Layout.nodes(task.n, "gray").map:
        return "it takes blocks that are on the nodes in Gray code"
    if task.target.map != gc.Layout.nodes(task.n).map:
        return "it takes them to binary code"
    return None if task.n > 2 and machine.links_at_once > 1 else "it shares ports out"


def emit(task: gc.Task, machine: gc.Machine) -> gc.Schedule:
    """A way for each piece; their steps are in rounds of equal length."""
    n, dims = task.n, task.n - 1
    pieces = min(machine.links_at_once, dims, task.block)
    cuts = [k * task.block // pieces for k in range(pieces + 1)]
    longest = -(-task.block // pieces)
    ways = [
        Way(a, b, tuple(hop(r * longest, e, n) for r, e in enumerate(exchanges(n, first))))
        for first, (a, b) in enumerate(pairwise(cuts))
    ]
    rounds = tuple(range(0, dims * longest, longest))
    return gc.Schedule(task, "rotated", rounds, dims * longest, tuple(ways))


ALGORITHM = Algorithm(name="rotated", applicable=applicable, emit=emit)


def main() -> None:
    gc.register(ALGORITHM)
    gray, binary = gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6)
    machine = gc.Machine(dims=6, ports=3, startup=1e-4, per_byte=1e-9)
    plan = gc.plan(gray, binary, 6000, itemsize=8, machine=machine, algorithm="rotated")
    print(plan.explain())
    print(plan.verify())


if __name__ == "__main__":
    main()
