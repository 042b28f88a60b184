"""Whether a butterfly network can do with so many cycles, by integer program.

Every element has one place at a time; links carry one element a cycle in each direction; both
of a pair have to be on one node at some time, stage by stage. Nothing else is asked for: not
how much a node holds, and, but for two cases, not where anything ends. So where there is no
solution, no emulation without copies does it in so many cycles.
"""

import itertools

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import graycube as gc

Terms = list[tuple[int, float]]


class Network:
    """The variables and rows of the program for one layout and number of cycles.

    ``at[e, t, u]``: element e is on node u before cycle t. ``go[e, t, u, d]``: it leaves it
    over dimension d in cycle t. A ``goal`` gives the node on which every element has to end.
    """

    def __init__(self, layout: gc.Layout, cycles: int, goal: list[int] | None = None) -> None:
        self.n, self.cycles = layout.n, cycles
        self.elements, self.nodes = range(1 << layout.p), range(1 << layout.n)
        self.home = [layout.map(e) & len(self.nodes) - 1 for e in self.elements]
        self.stages = list(reversed(range(layout.p)))
        while self.stages and not layout.node_change(1 << self.stages[0]):
            self.stages.pop(0)  # these are local from the start
        self.entries: list[tuple[int, int, float]] = []
        self.limits: list[tuple[float, float]] = []
        number = itertools.count()
        self.at = {
            (e, t, u): next(number)
            for e, t, u in itertools.product(self.elements, range(cycles + 1), self.nodes)
            if (self.home[e] ^ u).bit_count() <= t
            and (goal is None or (goal[e] ^ u).bit_count() <= cycles - t)
        }
        self.go = {
            (e, t, u, d): next(number)
            for e, t, u in self.at
            for d in range(self.n)
            if (e, t + 1, u ^ 1 << d) in self.at
        }
        self._walk()
        self._share_links()
        self._meet(number)
        self.width = next(number)

    def _row(self, terms: Terms, low: float, high: float) -> None:
        row = len(self.limits)
        self.entries += [(row, column, value) for column, value in terms]
        self.limits.append((low, high))

    def _walk(self) -> None:
        """Every element starts at home; it is where it stayed or came to."""
        for e in self.elements:
            self._row([(self.at.get((e, 0, self.home[e]), -1), 1)], 1, 1)
        for (e, t, u), here in self.at.items():
            leaves: Terms = [
                (self.go[e, t, u, d], 1) for d in range(self.n) if (e, t, u, d) in self.go
            ]
            if t == self.cycles:
                continue
            stays: Terms = [(here, 1), *((column, -1) for column, _ in leaves)]
            self._row(stays, 0, 1)
            if (e, t + 1, u) not in self.at:
                self._row(stays, 0, 0)
        for (e, t, u), here in self.at.items():
            if t:
                before = self.at.get((e, t - 1, u))
                came: Terms = [] if before is None else [(before, 1)]
                for d in range(self.n):
                    out, back = (e, t - 1, u, d), (e, t - 1, u ^ 1 << d, d)
                    came += [(self.go[out], -1)] if out in self.go else []
                    came += [(self.go[back], 1)] if back in self.go else []
                self._row([*came, (here, -1)], 0, 0)

    def _share_links(self) -> None:
        """A link carries one element in a cycle."""
        users: dict[tuple[int, int, int], Terms] = {}
        for (_, t, u, d), column in self.go.items():
            users.setdefault((t, u, d), []).append((column, 1))
        for terms in users.values():
            self._row(terms, 0, 1)

    def _meet(self, number: "itertools.count[int]") -> None:
        """Both of a pair are on one node at some time, not before their earlier stages."""
        before: dict[int, list[Terms]] = {}
        for bit in self.stages:
            met: dict[int, list[Terms]] = {}
            for e in self.elements:
                if e >> bit & 1:
                    continue
                times = [self._meetings(e, e ^ 1 << bit, t, number) for t in self._times()]
                self._row([term for terms in times for term in terms], 1, 1)
                for who in (e, e ^ 1 << bit):
                    met[who] = times
                    for t in self._times() if before else ():
                        now = [term for terms in times[: t + 1] for term in terms]
                        old = [(v, -1.0) for ts in before[who][: t + 1] for v, _ in ts]
                        self._row([*now, *old], -1, 0)
            before = met

    def _times(self) -> range:
        return range(self.cycles + 1)

    def _meetings(self, e: int, other: int, t: int, number: "itertools.count[int]") -> Terms:
        terms: Terms = []
        for u in self.nodes:
            if (e, t, u) in self.at and (other, t, u) in self.at:
                meets = next(number)
                terms.append((meets, 1))
                for who in (e, other):
                    self._row([(meets, 1), (self.at[who, t, u], -1)], -1, 0)
        return terms

    def feasible(self, seconds: float) -> str:
        """Whether there is a solution: yes, no, or undecided after so many seconds."""
        if any(column < 0 for _, column, _ in self.entries):
            return "no"  # some element cannot reach its goal
        row, column, value = zip(*self.entries, strict=True)
        shape = (len(self.limits), self.width)
        low, high = zip(*self.limits, strict=True)
        matrix = coo_array((value, (row, column)), shape=shape).tocsr()
        found = milp(
            np.zeros(self.width),
            integrality=np.ones(self.width),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, low, high),
            options={"time_limit": seconds},
        )
        return {0: "yes", 2: "no"}.get(found.status, "undecided")
