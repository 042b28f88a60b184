"""Butterflies on cyclic data in P/2N + n - m cycles, 2^m elements on a node; Gray one more.

Rules.

1. The *chain*: the high dimensions, one after the other. Each gets an index bit whose stage is
   over, or a slot bit at first. In Gray code the first two dimensions get slot bits, since the
   first stage depends on both, in two cycles; in between them and the next one the elements
   with index bit 0 go first.
2. The *side* dimensions, which are the others, get slot bits. The elements of a node that cross
   the same side dimensions are a class: two of them, or four in Gray code. Stages of the chain
   join elements of one class only. So class follows class through the chain, and each of them
   crosses its side dimensions before it enters the chain or after it has left it.
3. Half of the classes are early and half are late, by the sum of the two lowest side dimensions
   that they cross; so half of each cross a dimension. The late ones cross their side
   dimensions in the first P/4N cycles, when none of them is in the chain, the early ones in the
   last. In both, P/4N elements of a node cross a side dimension and an element crosses fewer
   than that: by König's theorem on the edges of bipartite graphs, they can take turns.
4. The stages of the low bits come at the end, when these bits are in memory.

With rule 1 alone, without sides, this is bi-sectioning.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import Moves
from graycube.table.networks.state import Code

Hop = tuple[int, int]
"""A cycle, and the dimension that is crossed in it."""
Hops = Callable[[int, int], Iterator[Hop]]
"""What an element does, by its index and the dimensions that it has to cross."""
Edge = tuple[tuple[int, int], int]
"""An element of a class, as the class and a label, and a side dimension that it crosses."""


@dataclass(frozen=True)
class Chain:
    """The network of 2^n nodes with 2^m elements each; for Gray code m is 2 to n - 1."""

    n: int
    m: int
    code: Code

    @property
    def extra(self) -> int:
        """Gray code is one slot bit and one cycle dearer."""
        return int(self.code == "gray")

    @property
    def side(self) -> int:
        """How many side dimensions there are: the lowest."""
        return self.m - 1 - self.extra

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return (1 << self.m - 1) + self.n - self.m + self.extra

    @cached_property
    def ends(self) -> list[int]:
        """The index bit that each dimension holds in the end."""
        slot = self.n
        first = [slot + self.side + k for k in range(1 + self.extra)]
        chain = range(self.side + len(first), self.n)
        return [*range(slot, slot + self.side), *chain, *first]

    def task(self) -> gc.Task:
        """From the layout to the one in which the low bits are in memory."""
        return network_task(self.n, self.m, self.code, [1 << bit for bit in self.ends])

    def moves(self) -> Moves:
        """All crossings; the task is from the layout to the one with the low bits in memory."""
        return as_moves(self.task(), "chain", self.cycles, self._hops)

    def _hops(self, word: int, crosses: int) -> Iterator[Hop]:
        """What the element of an index does; ``crosses`` has a bit for each dimension."""
        sided = crosses & (1 << self.side) - 1
        start = self._place(sided) << self.extra
        for d in range(self.side, self.n):
            if crosses >> d & 1:
                yield start + self._turn(d, word, crosses), d
        first = crosses >> self.n - 1 - self.extra
        last = crosses >> self.side & 1 | (word & self.extra) << 1
        yield from self._sideways(sided, first, last)

    def _turn(self, d: int, word: int, crosses: int) -> int:
        """When it crosses a dimension of the chain, after its class has entered the chain."""
        below = self.n - 1 - d
        if not self.extra:
            return below
        both = crosses >> self.n - 2 == 3
        return below + (word & 1) if below > 1 else int(both == (below == 1))

    def _place(self, sided: int) -> int:
        """The number of a class in the chain: those of one half before those of the other."""
        if self.side < 2:
            return self.side & ~sided
        return _half(sided) << self.side - 1 | sided >> 1

    def _sideways(self, sided: int, first: int, last: int) -> Iterator[Hop]:
        """The side dimensions of an element, told apart in its class before or after."""
        alike = 1 << 1 + self.extra
        if self.side == 1 and sided:
            yield self.cycles - alike + last, 0
        elif self.side > 1:
            late = _half(sided)
            turns = self._turns[late]
            start = 0 if late else self.cycles - (1 << self.m - 2)
            for d in range(self.side):
                if sided >> d & 1:
                    yield start + turns[(sided, first if late else last), d], d

    @cached_property
    def _turns(self) -> list[dict[Edge, int]]:
        """For early and late classes, the turn of every element at every side dimension."""
        alike = range(1 << 1 + self.extra)
        found = []
        for late in (0, 1):
            sides = [sided for sided in range(1 << self.side) if _half(sided) == late]
            edges = [
                ((sided, label), d)
                for sided in sides
                for label in alike
                for d in range(self.side)
                if sided >> d & 1
            ]
            found.append(take_turns(edges))
        return found


def _half(sided: int) -> int:
    return (sided ^ sided >> 1) & 1


def take_turns(edges: Sequence[Edge]) -> dict[Edge, int]:
    """Turns for the edges of a bipartite graph, as many as the most edges of a node (König).

    Where an edge finds no turn that both of its ends have left, those on the path of two turns
    from one of its ends trade places.
    """
    taken: dict[tuple[int, object], dict[int, Edge]] = defaultdict(dict)
    turns: dict[Edge, int] = {}
    for edge in edges:
        ends = (taken[side, edge[side]] for side in (0, 1))
        one, other = (next(t for t in count() if t not in end) for end in ends)
        path, side, turn = [edge], 1, one
        while (step := taken[side, path[-1][side]].get(turn)) is not None:
            path.append(step)
            side, turn = 1 - side, one + other - turn
        for step in path[1:]:
            for side in (0, 1):
                taken[side, step[side]].pop(turns[step], None)
            turns[step] = one + other - turns[step]
        turns[edge] = one
        for step in path:
            for side in (0, 1):
                taken[side, step[side]][turns[step]] = step
    return turns


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
