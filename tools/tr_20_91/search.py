"""Find the schedules behind the algorithm "tight": n + 2 elements in n cycles.

    python tools/tr_20_91/search.py

An integer program over the time-expanded cube, made small in three ways. Some units go on the
ring of Theorem 6, and only the others are searched for. Their detours are over one of the two
top dimensions. And the two nodes that differ in bit 0 do the same: since the conversion
commutes with flipping bit 0, the flows of the even nodes and their mirror images share links.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import graycube as gc
from graycube.schedule import expand
from graycube.table.conversion import converted
from graycube.table.gray import minimum_path
from graycube.table.gray.routes import on_routes

TABLES = Path(gc.__file__).parent / "table" / "gray" / "tables"
CASES = {4: (5, 0), 5: (7, 2), 6: (8, 4), 7: (9, 5), 8: (10, 6)}
"""For each n: the number of units, and how many of them go on the ring."""

Arc = tuple[int, int, int]
"""Node, dimension (-1 to wait) and cycle."""
Row = tuple[str, int, int, int]
"""A condition: on the elements of a node at a node in a cycle, or on a link in a cycle."""


def taken_by_ring(n: int, units: int) -> set[Arc]:
    """The links that the units on the ring use."""
    task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block=max(units, 1))
    rounds = n
    routes = minimum_path.ring(converted(task), units, rounds)
    schedule = on_routes(task, "ring", 1, rounds, routes)
    moves = expand(schedule)
    return set(zip(moves.node.tolist(), moves.dimension.tolist(), moves.cycle.tolist(),
                   strict=True))  # fmt: skip


def arcs_of(n: int, home: int, taken: set[Arc]) -> list[Arc]:
    """What an element may do on its way from home to target in n cycles."""
    target = gc.gray_inverse(home)
    needed, detours = home ^ target, 0b11 << (n - 2)

    def inside(node: int, time: int) -> bool:
        aside = (node ^ home) & ~needed
        near = (node ^ home).bit_count() <= time and (node ^ target).bit_count() <= n - time
        return near and aside.bit_count() <= 1 and not aside & ~detours

    return [
        (node, d, t)
        for t in range(n)
        for node in range(1 << n)
        if inside(node, t)
        for d in range(-1, n)
        if (node, d, t) not in taken and inside(after(node, d), t + 1)
    ]


def after(node: int, d: int) -> int:
    return node if d < 0 else node ^ 1 << d


def solve(n: int, units: int, taken: set[Arc]) -> dict[int, dict[Arc, int]]:
    """How many elements of each even node take each arc."""
    homes = [u for u in range(0, 1 << n, 2) if gc.gray_inverse(u) != u]
    arcs = [(u, arc) for u in homes for arc in arcs_of(n, u, taken)]
    rows: dict[Row, list[tuple[int, int]]] = defaultdict(list)
    for k, (u, (node, d, t)) in enumerate(arcs):
        rows["at", u, node, t].append((k, -1))
        rows["at", u, after(node, d), t + 1].append((k, 1))
        if d >= 0:
            rows["link", node >> 1, d, t].append((k, 1))  # the link and its mirror image
    low: dict[Row, int] = {}
    high: dict[Row, int] = {}
    for u in homes:
        end: Row = ("at", u, gc.gray_inverse(u), n)
        low["at", u, u, 0] = high["at", u, u, 0] = -units
        low[end] = high[end] = units
    names = list(rows)
    entries = [(r, k, v) for r, name in enumerate(names) for k, v in rows[name]]
    i, j, v = map(np.array, zip(*entries, strict=True))
    matrix = coo_array((v, (i, j)), shape=(len(names), len(arcs))).tocsr()
    upper = [high.get(name, 1 if name[0] == "link" else 0) for name in names]
    limits = LinearConstraint(matrix, [low.get(name, 0) for name in names], upper)
    bounds = Bounds(0, np.array([units if d < 0 else 1 for _, (_, d, _) in arcs]))
    found = milp(np.zeros(len(arcs)), constraints=limits, bounds=bounds,
                 integrality=np.ones(len(arcs)))  # fmt: skip
    if found.x is None:
        raise SystemExit(f"n = {n}: {found.message}")
    flows: dict[int, dict[Arc, int]] = {u: {} for u in homes}
    for (u, arc), x in zip(arcs, np.rint(found.x).astype(int).tolist(), strict=True):
        if x:
            flows[u][arc] = x
    return flows


def paths(n: int, home: int, units: int, flow: dict[Arc, int]) -> list[list[list[int]]]:
    """The flow as one list of [cycle, dimension] per unit."""
    ways = []
    for _ in range(units):
        node, way = home, []
        for t in range(n):
            d = next(d for d in range(-1, n) if flow.get((node, d, t), 0))
            flow[node, d, t] -= 1
            if d >= 0:
                way.append([t, d])
            node = after(node, d)
        ways.append(way)
    return ways


def main() -> None:
    for n, (units, on_ring) in CASES.items():
        rest = units - on_ring
        flows = solve(n, rest, taken_by_ring(n, on_ring))
        still: list[list[list[int]]] = [[] for _ in range(rest)]
        routes = {0: still} | {u: paths(n, u, rest, flow) for u, flow in flows.items()}
        lines = ",\n".join(f'  "{u}": {json.dumps(way)}' for u, way in sorted(routes.items()))
        head = f'"units": {units}, "ring": {on_ring}'
        (TABLES / f"{n}.json").write_text(f'{{{head}, "routes": {{\n{lines}\n}}}}\n')
        print(f"n = {n}: {units} units in {n} rounds, {on_ring} of them on the ring")


if __name__ == "__main__":
    main()
