"""Whether a butterfly network can do with so many cycles, by integer program.

Every element has one place at a time; links carry one element a cycle in each direction; both
of a pair have to be on one node at some time, stage by stage. Nothing else is asked for: not
how much a node holds, and, but for two cases, not where anything ends. So where there is no
solution, no emulation without copies does it in so many cycles.
"""

from collections import defaultdict
from itertools import chain, count, dropwhile, product

import numpy as np

import graycube as gc
from graycube.search.limits import SolverGaveUpError, deadline_after
from graycube.search.program import Rows, amounts

Terms = list[tuple[int, int]]


class Network:
    """The variables and rows of the program for one layout and number of cycles.

    A variable is an element on a node before a cycle, and the link over which it leaves, or
    that it stays; ``leaves[e, t, u]`` has those of element e on node u before cycle t. After
    the last cycle all stay. A ``goal`` gives the node on which every element has to end.
    """

    def __init__(self, layout: gc.Layout, cycles: int, goal: list[int] | None = None) -> None:
        self.elements, self.nodes = range(1 << layout.p), range(1 << layout.n)
        self.times = range(cycles + 1)
        falling = range(layout.p)[::-1]  # and the first ones are local from the start
        self.stages = list(dropwhile(lambda j: not layout.node_change(1 << j), falling))
        self.entries: list[tuple[int, int, int]] = []
        self.limits: list[tuple[int, int]] = []
        self.number = count()
        self.leaves: dict[tuple[int, int, int], Terms] = {
            (e, t, u): []
            for e, t, u in product(self.elements, self.times, self.nodes)
            if (layout.map(e) & len(self.nodes) - 1 ^ u).bit_count() <= t
            and (goal is None or (goal[e] ^ u).bit_count() <= cycles - t)
        }
        self._walk([0, *(1 << d for d in range(layout.n))])
        self._meet()
        self.width = next(self.number)

    def _row(self, terms: Terms, low: int, high: int) -> None:
        row = len(self.limits)
        self.entries += [(row, column, value) for column, value in terms]
        self.limits.append((low, high))

    def _walk(self, steps: list[int]) -> None:
        """Who came to a node leaves it or stays, and a link carries one element in a cycle."""
        came, users = defaultdict[tuple[int, int, int], Terms](list), defaultdict(list)
        for ((e, t, u), leaves), step in product(self.leaves.items(), steps):
            if (e, t + 1, u ^ step) in self.leaves or (t == self.times[-1] and not step):
                column = next(self.number)
                leaves.append((column, 1))
                came[e, t + 1, u ^ step].append((column, -1))
                if step:
                    users[t, u, step].append((column, 1))
        for (e, t, u), leaves in self.leaves.items():
            if t:
                self._row([*leaves, *came[e, t, u]], 0, 0)
        for e in self.elements:  # if an element cannot reach its goal, its row is empty
            self._row([x for u in self.nodes for x in self.leaves.get((e, 0, u), ())], 1, 1)
        for terms in users.values():
            self._row(terms, 0, 1)

    def _meet(self) -> None:
        """Both of a pair are on one node at some time, not before their earlier stages."""
        before: dict[int, list[Terms]] = {}
        for bit in self.stages:
            met: dict[int, list[Terms]] = {}
            for pair in ((e, e ^ 1 << bit) for e in self.elements if not e >> bit & 1):
                times = [self._meetings(pair, t) for t in self.times]
                self._row(list(chain(*times)), 1, 1)
                for who, t in product(pair, self.times if before else ()):
                    old = [(column, -1) for column, _ in chain(*before[who][: t + 1])]
                    self._row([*chain(*times[: t + 1]), *old], -1, 0)
                met |= dict.fromkeys(pair, times)
            before = met

    def _meetings(self, pair: tuple[int, int], t: int) -> Terms:
        """A variable for each node on which both can be."""
        terms: Terms = []
        for u in self.nodes:
            if all((who, t, u) in self.leaves for who in pair):
                terms.append((next(self.number), 1))
                for who in pair:
                    there = [(column, -value) for column, value in self.leaves[who, t, u]]
                    self._row([terms[-1], *there], -1, 0)
        return terms

    def feasible(self, seconds: float) -> str:
        """Whether there is a solution: yes, no, or undecided after so many seconds."""
        rows = Rows(*np.transpose(self.entries), *np.transpose(self.limits))
        one = np.ones(self.width, dtype=np.int64)
        try:
            found = amounts([rows], 0 * one, one, one == 1, deadline_after(seconds))
        except SolverGaveUpError:
            return "undecided"
        return "no" if found is None else "yes"
