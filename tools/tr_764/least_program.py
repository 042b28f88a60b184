"""A butterfly network in a given number of cycles, by integer program.

Rules.

1. ``at[e, t, u]``: element e is on node u before cycle t. ``go[e, t, u, d]``: it leaves over
   dimension d in cycle t. Links carry one element a cycle, both of a pair are on one node at
   some time, stage by stage, and each node has a block in the end.
2. If elements whose indices differ by an element of a group do the same, always, one of each
   is enough: the other ones are on nodes shifted by what their homes differ.
3. Given the node where each element ends, and how many links more than the shortest way it may
   take, most variables are gone. What is found is a schedule like any other; that nothing is
   found is a proof only without group and ends.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import Moves
from graycube.table.networks.state import Code

Terms = list[tuple[int, float]]
Hop = tuple[int, int]
"""A cycle, and the dimension that is crossed in it."""
Hops = Callable[[int, int], Iterator[Hop]]
"""What an element does, by its index and the dimensions that it has to cross."""


class Program:
    """The variables and rows for one layout, order of stages and number of cycles."""

    def __init__(  # noqa: PLR0913
        self,
        layout: gc.Layout,
        stages: Sequence[int],
        cycles: int,
        *,
        group: Sequence[int] = (),
        target: gc.Layout | None = None,
        detour: int = 0,
    ) -> None:
        self.n, self.cycles, self.detour = layout.n, cycles, detour
        self.nodes, self.words = range(1 << layout.n), range(1 << layout.p)
        self.home = self._nodes_of(layout)
        self.end = None if target is None else self._nodes_of(target)
        self.same = _sums(group)
        self.first = [min(word ^ g for g in self.same) for word in self.words]
        self.shift = [self.home[w] ^ self.home[f] for w, f in enumerate(self.first)]
        apart = {self.shift[g] for g in self.same}
        if len(apart) < len(self.same):
            raise ValueError("elements of a node that do the same")
        self.orbit = [min(u ^ s for s in apart) for u in self.nodes]
        self.entries: list[tuple[int, int, float]] = []
        self.limits: list[tuple[float, float]] = []
        self.number = itertools.count()
        remote = [bool(layout.node_change(1 << bit)) for bit in stages]
        self.stages = stages[remote.index(True) :] if any(remote) else ()
        self._variables()
        self._walk()
        self._share(layout.block_size)
        self._meet()
        self.width = next(self.number)

    def _nodes_of(self, layout: gc.Layout) -> list[int]:
        return [layout.map(word) & len(self.nodes) - 1 for word in self.words]

    def _variables(self) -> None:
        chosen = sorted(set(self.first))
        self.at = {
            (e, t, u): next(self.number)
            for e, t, u in itertools.product(chosen, range(self.cycles + 1), self.nodes)
            if self._possible(e, t, u)
        }
        self.go = {
            (e, t, u, d): next(self.number)
            for e, t, u in self.at
            for d in range(self.n)
            if (e, t + 1, u ^ 1 << d) in self.at
        }

    def _possible(self, e: int, t: int, u: int) -> bool:
        came = (self.home[e] ^ u).bit_count()
        if self.end is None:
            return came <= t
        left = (self.end[e] ^ u).bit_count()
        longest = (self.home[e] ^ self.end[e]).bit_count() + self.detour
        return came <= t and left <= self.cycles - t and came + left <= longest

    def _row(self, terms: Terms, low: float, high: float) -> None:
        self.entries += [(len(self.limits), column, value) for column, value in terms]
        self.limits.append((low, high))

    def _walk(self) -> None:
        """Every element starts at home; it is where it stayed or came to."""
        for (e, t, u), here in self.at.items():
            if t == 0:
                self._row([(here, 1)], 1, 1)
            dims = range(self.n)
            leaves = [(self.go[e, t, u, d], -1.0) for d in dims if (e, t, u, d) in self.go]
            if t < self.cycles:
                self._row([(here, 1), *leaves], 0, int((e, t + 1, u) in self.at))
            if t:
                known = [(self.at.get((e, t - 1, u)), 1.0)]
                known += [(self.go.get((e, t - 1, u, d)), -1.0) for d in dims]
                known += [(self.go.get((e, t - 1, u ^ 1 << d, d)), 1.0) for d in dims]
                came = [(column, value) for column, value in known if column is not None]
                self._row([*came, (here, -1)], 0, 0)

    def _share(self, block: int) -> None:
        """A link carries one element in a cycle, and a node has a block in the end."""
        links: dict[tuple[int, int, int], Terms] = {}
        for (_, t, u, d), column in self.go.items():
            links.setdefault((t, self.orbit[u], d), []).append((column, 1))
        ends: dict[int, Terms] = {}
        for (_, t, u), column in self.at.items():
            if t == self.cycles:
                ends.setdefault(self.orbit[u], []).append((column, 1))
        for terms in links.values():
            self._row(terms, 0, 1)
        for terms in ends.values():
            self._row(terms, block, block)

    def _meet(self) -> None:
        """Both of a pair are on one node at some time, not before their earlier stages."""
        times = range(self.cycles + 1)
        before: dict[int, list[Terms]] = {}
        for bit in self.stages:
            met: dict[int, list[Terms]] = {}
            for e in sorted(set(self.first)):
                other = self.first[e ^ 1 << bit]
                if e in met:
                    continue
                met[e] = met[other] = [self._meetings(e, e ^ 1 << bit, t) for t in times]
                self._row([term for terms in met[e] for term in terms], 1, 1)
                for who, t in itertools.product({e, other} if before else (), times):
                    now = [term for terms in met[e][: t + 1] for term in terms]
                    old = [(v, -1.0) for ts in before[who][: t + 1] for v, _ in ts]
                    self._row([*now, *old], -1, 0)
            before = met

    def _meetings(self, e: int, word: int, t: int) -> Terms:
        terms: Terms = []
        other, shift = self.first[word], self.shift[word]
        for u in self.nodes:
            places = {self.at.get((e, t, u)), self.at.get((other, t, u ^ shift))}
            if None not in places:
                terms.append((next(self.number), 1))
                for place in places:
                    self._row([(terms[-1][0], 1), (place or 0, -1)], -1, 0)
        return terms

    def solve(self, seconds: float) -> str:
        """Whether there is a solution: yes, no, or undecided after so many seconds."""
        row, column, value = zip(*self.entries, strict=True)
        low, high = zip(*self.limits, strict=True)
        shape = (len(self.limits), self.width)
        found = milp(
            np.zeros(self.width),
            integrality=np.ones(self.width),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(csr_array((value, (row, column)), shape), low, high),
            options={"time_limit": seconds},
        )
        self.amounts = found.x
        return {0: "yes", 2: "no"}.get(found.status, "undecided")

    @cached_property
    def hops(self) -> dict[int, list[Hop]]:
        """What the first of those that do the same does."""
        found: dict[int, list[Hop]] = {}
        for (e, t, _, d), column in self.go.items():
            if self.amounts[column] > 0.5:
                found.setdefault(e, []).append((t, d))
        return found


# n, the sums of index bits on the nodes in the end, and who does the same.
FOUND: dict[int, tuple[list[int], list[int]]] = {
    3: ([0b01100, 0b10000, 0b01000], [0b01111, 0b10011]),
    4: ([0b000100, 0b011000, 0b100000, 0b010000], [0b100110]),
    5: ([0b1010100, 0b0001000, 0b1010000, 0b1000000, 0b0100000], [0b0111010, 0b1001010]),
}
"""Gray-coded cyclic data, four elements on a node: schedules of n cycles."""


def four_on_a_node(n: int, seconds: float = 600.0) -> Moves:
    """Gray-coded cyclic data in n cycles."""
    ends, group = FOUND[n]
    task = network_task(n, 2, "gray", ends)
    stages = range(n + 1, -1, -1)
    program = Program(task.source, stages, n, group=group, target=task.target, detour=2)
    if program.solve(seconds) != "yes":
        raise ValueError(f"no schedule of {n} cycles was found")
    name = "integer program"
    return as_moves(task, name, n, lambda word, _: iter(program.hops[program.first[word]]))


def _sums(group: Sequence[int]) -> list[int]:
    sums = [0]
    for g in group:
        sums += [one ^ g for one in sums]
    return sums


def network_task(n: int, m: int, code: Code, ends: Sequence[int]) -> gc.Task:
    """From cyclic data to a layout whose nodes hold the sums ``ends`` of index bits."""
    layout = gc.Layout.cyclic(n + m, n, nodes=code)
    rows = (*ends, *(1 << bit for bit in range(m)))
    target = gc.Layout(AffineMap(Matrix.from_rows(rows, n + m)), n)
    return gc.Task(layout, target, layout.block_size)


def as_moves(task: gc.Task, name: str, cycles: int, hops: Hops) -> Moves:
    """The moves of all elements, each of which says when it crosses which dimension."""
    nodes = (1 << task.n) - 1
    rows = []
    for word in range(1 << task.p):
        address = task.source.map(word)
        node, element = address & nodes, (address & nodes) * task.block + (address >> task.n)
        crosses = node ^ task.target.map(word) & nodes
        for cycle, d in sorted(hops(word, crosses)):
            rows.append((cycle, node, d, element))
            node ^= 1 << d
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Moves(task, name, range(cycles), cycles, *columns)
