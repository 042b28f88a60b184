"""Bounds by cuts: what has to leave a set of nodes, over the links that lead out of it.

Rule: take dimensions for which the task sends classes of nodes to classes, where a class is all
nodes with the same bits there. For every set of classes, each class that goes elsewhere sends
whole blocks out, and only links of these dimensions lead out. Since every class has equally
many nodes and links, it is enough to count classes: the bound holds at any size of the cube.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from graycube.errors import InvalidTypeError
from graycube.gf2 import bit_indices, require_int
from graycube.schedule import Task
from graycube.texts import counted

MAX_DIMENSIONS = 3
"""Dimensions of a cut: 2^(2^3) sets of classes are tried.

With all ports, more gain nothing for conversions (all sets of nodes were tried for n = 4).
"""


@dataclass(frozen=True, slots=True)
class Cut:
    """A set of classes of nodes, by their bits in ``dims``, and what has to leave it.

    ``leaving`` blocks have to leave over ``links`` links, for each value of all other bits.
    In the time of the fastest link these carry as much as ``capacity`` of it.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(7, "gray"), Layout.nodes(7), block=5)
    >>> print(best_cut(task, ports=7))
    3 blocks leave by 5 links: nodes with a6 a5 a4 = 010, 110, 111
    """

    dims: tuple[int, ...]
    classes: tuple[int, ...]
    leaving: int
    links: int
    capacity: Fraction

    @property
    def share(self) -> Fraction:
        """The part of a block that some link has to carry, in the time of the fastest one.

        >>> Cut((4, 5, 6), (2, 6, 7), leaving=3, links=5, capacity=Fraction(5)).share
        Fraction(3, 5)
        """
        return self.leaving / self.capacity

    @property
    def counts(self) -> str:
        """What leaves, and how.

        >>> Cut((4, 5, 6), (2, 6, 7), leaving=3, links=5, capacity=Fraction(5)).counts
        '3 blocks leave by 5 links'
        """
        blocks = "blocks leave" if self.leaving > 1 else "block leaves"
        said = f"{self.leaving} {blocks} by {counted(self.links, 'link')}"
        if self.capacity == self.links:
            return said
        return f"{said}, as fast together as {float(self.capacity):.3g} of the fastest"

    def __str__(self) -> str:
        bits = " ".join(f"a{d}" for d in reversed(self.dims))
        names = ", ".join(f"{c:0{len(self.dims)}b}" for c in self.classes)
        return f"{self.counts}: nodes with {bits} = {names}"


def best_cut(task: Task, ports: int, rates: Sequence[Fraction] | None = None) -> Cut | None:
    """The cut over at most three dimensions that bounds the task best, if any does.

    ``rates`` says what a link of each dimension carries while the fastest carries one byte.

    TR-20-91 bounds the conversion by K/2 (section 3.1). Gray to binary takes the classes 2, 6
    and 7 of the three top bits to 3, 4 and 5; five links lead out of them for three nodes, so
    3K/5 cycles are needed on every cube of three dimensions or more.

    >>> from graycube.layout import Layout
    >>> best_cut(Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1), ports=3).share
    Fraction(3, 5)
    >>> best_cut(Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1), ports=2).share
    Fraction(1, 2)
    """
    if not isinstance(task, Task):
        raise InvalidTypeError(
            f"got a {type(task).__name__}", "a cut needs a Task", "take plan.task"
        )
    ports = require_int(ports, "ports", least=1)
    each = (Fraction(1),) * task.n if rates is None else tuple(rates)
    cuts = []
    for dims in sorted(_closed(task)):
        corners = (sum(1 << d for i, d in enumerate(dims) if c >> i & 1)
                   for c in range(1 << len(dims)))  # fmt: skip
        ends = (task.move(corner) for corner in corners)
        images = tuple(sum((a >> d & 1) << i for i, d in enumerate(dims)) for a in ends)
        found = _best_classes(images, ports, tuple(each[d] for d in dims))
        if found is not None:
            cuts.append(Cut(dims, *found))
    return max(cuts, key=lambda cut: (cut.share, -len(cut.dims)), default=None)


def _closed(task: Task) -> set[tuple[int, ...]]:
    """Small sets of dimensions whose bits after the task depend on these bits alone."""
    rows = task.move.matrix.rows
    found = set()
    for d in range(task.n):
        mask, before = 1 << d, 0
        while mask != before and mask.bit_count() <= MAX_DIMENSIONS:
            before = mask
            for j in bit_indices(mask):
                mask |= rows[j]
        if mask == before and not mask >> task.n:
            found.add(tuple(bit_indices(mask)))
    return found


@lru_cache(maxsize=1 << 8)
def _best_classes(
    images: tuple[int, ...], ports: int, rates: tuple[Fraction, ...]
) -> tuple[tuple[int, ...], int, int, Fraction] | None:
    """Classes, as few as possible, blocks that leave them, links and what these carry."""
    found = [
        (classes, leaving, len(out), sum(out, Fraction(0)))
        for classes in map(tuple, map(bit_indices, range(1, (1 << len(images)) - 1)))
        if (leaving := sum(images[c] not in classes for c in classes))
        and (out := [rate for c in classes for rate in _ways_out(c, classes, rates)[:ports]])
    ]
    return max(found, key=lambda cut: (cut[1] / cut[3], -len(cut[0])), default=None)


def _ways_out(c: int, classes: tuple[int, ...], rates: tuple[Fraction, ...]) -> list[Fraction]:
    """The rates of the dimensions that lead from a class to one outside, the fastest first."""
    out = (rate for i, rate in enumerate(rates) if c ^ 1 << i not in classes)
    return sorted(out, reverse=True)
