"""The integer program for circuits: what crosses several links in one cycle.

An element that leaves a node is on a *wire* there, and crosses links from wire to wire until it
comes off the last one, all in one cycle. A link has one element on it in a cycle; only leaving
and coming off use ports (:mod:`graycube.search.program` has the case without wires).
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.search.program import Flows, Rows, amounts

_Ints = NDArray[np.int64]


class Wires(NamedTuple):
    """What leaves a node, crosses a link, comes off or stays, for each cycle and flow."""

    leaves: NDArray[np.float64]
    crosses: NDArray[np.float64]
    comes: NDArray[np.float64]
    stays: NDArray[np.float64]


def solve_wires(flows: Flows, cycles: int, deadline: float, *, whole: bool) -> Wires | None:
    """Amounts in whole elements or in fractions, or None if so many cycles are too few."""
    count, nodes, n = len(flows.homes), 1 << flows.task.n, flows.task.n
    shapes = [(cycles, count, nodes), (cycles, count, nodes, n)]
    shapes += [(cycles, count, nodes)] * 2
    sizes = [int(np.prod(shape)) for shape in shapes]
    ends = np.cumsum([0, *sizes])
    leave, cross, come, stay = (
        np.arange(a, b).reshape(shape)
        for a, b, shape in zip(ends, ends[1:], shapes, strict=False)
    )
    neighbours = np.arange(nodes)[:, None] ^ 1 << np.arange(n)

    memory = np.arange((cycles + 1) * count * nodes).reshape(cycles + 1, count, nodes)
    gain = np.zeros(memory.shape, dtype=np.int64)
    flow = np.arange(count)
    gain[0, flow, flows.homes] = -flows.task.block
    gain[-1, flow, flows.targets] = flows.task.block
    wire = np.arange(cycles * count * nodes).reshape(cycles, count, nodes)
    level = np.zeros(wire.size, dtype=np.int64)
    kinds = [
        _sums([(memory[:-1], leave, -1), (memory[:-1], stay, -1),
               (memory[1:], come, 1), (memory[1:], stay, 1)], gain.ravel(), gain.ravel()),
        _sums([(wire, leave, 1), (wire, come, -1), (wire[..., None], cross, -1),
               (wire[:, :, neighbours], cross, 1)], level, level),
    ]  # fmt: skip
    cycle, node = np.arange(cycles)[:, None, None], np.arange(nodes)
    place = np.broadcast_to(cycle * nodes + node, leave.shape)
    link = place[..., None] * n + np.arange(n)
    limits = [(link, cross, 1), (place, leave, flows.ports), (place, come, flows.ports)]
    for key, variables, most in limits:
        total = np.zeros(int(key.max()) + 1, dtype=np.int64)
        kinds.append(_sums([(key, variables, 1)], total, total + most))
    integral = np.ones(ends[-1], dtype=bool) & whole
    upper, cost = np.full(ends[-1], flows.task.block), np.zeros(ends[-1], dtype=np.int64)
    upper[cross], cost[cross] = 1, 1
    found = amounts(kinds, cost, upper, integral, deadline)
    if found is None:
        return None
    return Wires(*(found[part] for part in (leave, cross, come, stay)))


def _sums(parts: list[tuple[_Ints, _Ints, int]], least: _Ints, most: _Ints) -> Rows:
    """Constraints on sums: rows, the variables that count in them, and their factor."""
    rows, arcs, factors = [], [], []
    for row, variables, factor in parts:
        rows.append(np.broadcast_to(row, variables.shape).ravel())
        arcs.append(variables.ravel())
        factors.append(np.full(variables.size, factor))
    row, arc = np.concatenate(rows), np.concatenate(arcs)
    return Rows(row, arc, np.concatenate(factors), least, most)


def paths(wires: Wires) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """The cycle, the flow, and the links of each circuit, as nodes and dimensions."""
    crosses = np.argwhere(wires.crosses > 0.5)
    ways: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for cycle, flow, node, dimension in crosses.tolist():
        ways[cycle, flow, node].append(dimension)
    off = np.rint(wires.comes).astype(int)
    for cycle, flow, home in np.argwhere(wires.leaves > 0.5).tolist():
        for _ in range(round(wires.leaves[cycle, flow, home])):
            node, links = home, []
            while not off[cycle, flow, node]:
                dimension = ways[cycle, flow, node].pop()
                links.append((node, dimension))
                node ^= 1 << dimension
            off[cycle, flow, node] -= 1
            yield cycle, flow, links
