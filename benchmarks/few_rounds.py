"""Gray to binary in few rounds: the blocks in sequence of ``fewer-bytes``, and the bound below.

    python benchmarks/few_rounds.py [N ...]

For n - 1 rounds, which is the fewest, and for n; on each number of ports that there is a table
for. A table with fewer rounds, or for fewer ports, counts as well.
"""

import sys

import graycube as gc
from graycube.cost.few_rounds import least_volumes
from graycube.schedule import Task
from graycube.table.gray.fewer_bytes import front


def cell(n: int, ports: int, rounds: int) -> str:
    """The blocks in sequence, and in brackets those that so many rounds need."""
    task = Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block=1)
    machine = gc.Machine(n, ports=ports)
    found = [blocks for number, blocks in front(task, machine) if number <= rounds]
    volumes = least_volumes(task, machine, n - 1)
    needed = next(float(share) for most, share in volumes if most >= rounds)
    return f"{min(found):.4g} ({needed:.4g})" if found else f"({needed:.4g})"


def main(sizes: list[int]) -> None:
    most = max(sizes)
    print("| | " + " | ".join(f"{ports} ports" for ports in range(2, most + 1)) + " |")
    print("| --- " * most + "|")
    for n in sizes:
        for rounds in (n - 1, n):
            cells = (
                cell(n, ports, rounds) if ports <= n else "" for ports in range(2, most + 1)
            )
            print(f"| n = {n}, {rounds} rounds | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or list(range(3, 9)))
