"""The layout of what is made of two arrays element by element: where nodes have both.

Rules.

1. Axes align from the last one back. An axis of length 1 has no bits: its elements are wherever
   copies of it are.
2. An element of the result is on the nodes that have all that it is made of. With copies these
   are cosets of what copies differ by. Two of them meet in a coset of what both differ by, or
   nowhere; and where they meet for every bit of the word, they meet for every word.
3. Slots are in the order that the first layout has. Those of the second come in between where
   their highest bits belong, so that C order stays C order.
"""

from functools import lru_cache
from heapq import merge

from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.span import Span, reduced_basis, without
from graycube.layout.axis import Axis
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership, are_apart
from graycube.layout.placement import Placement
from graycube.layout.share import SharedAxis

_KEPT = 64  # pairs of layouts


@lru_cache(maxsize=_KEPT)
def common(first: Placement, second: Placement) -> Placement | None:
    """The layout of what is made of arrays in two layouts, or None if nodes lack something.

    >>> mesh = Layout.mesh((8, 6, 4), nodes=(2, 2, 2), ownership=False)
    >>> thin = [mesh.without_axes({0, 1, 2} - {k}, keepdims=True) for k in range(3)]
    >>> print(common(thin[0], thin[1]))
    (b0:1 b0:0 || b0:2 b1:0 c0) x 3 on axis 1, x 1 on axis 2
    >>> common(common(thin[0], thin[1]), thin[2]) == mesh
    True
    >>> common(mesh, Layout.mesh((8, 6, 4), nodes=(8, 1, 1), ownership=False)) is None
    True
    """
    count = max(len(first.shape), len(second.shape))
    a, b = (layout.raised(count - len(layout.shape)) for layout in (first, second))
    if a == b:
        return a
    if isinstance(a, Layout) and isinstance(b, Layout):
        return _of_cubes(a, b)
    if isinstance(a, Ownership) and isinstance(b, Ownership):
        return _by_ownership(a, b)
    return None


def _by_ownership(first: Ownership, second: Ownership) -> Ownership | None:
    axes = [_shared(a, b) for a, b in zip(first.axes, second.axes, strict=True)]
    found = [axis for axis in axes if axis is not None]
    if len(found) < len(axes) or first.nodes != second.nodes:
        return None
    return Ownership(tuple(found), first.nodes) if are_apart(found, first.nodes) else None


def _shared(a: SharedAxis, b: SharedAxis) -> SharedAxis | None:
    """How an axis of the result is shared out: as in one, where nodes have all of the other."""
    if a == b or (b.parts == 1 and b.length in {1, a.length}):
        return a
    return b if a.parts == 1 and a.length in {1, b.length} else None


def _of_cubes(first: Layout, second: Layout) -> Layout | None:
    axes = [_axis(a, b) for a, b in zip(first.axes, second.axes, strict=True)]
    found = tuple(axis for axis in axes if axis is not None)
    if len(found) < len(axes) or first.n != second.n:
        return None
    nodes = _nodes(_on_nodes(first, found), _on_nodes(second, found), first.n)
    if nodes is None:
        return None
    constant, columns, copies = nodes
    rows = Matrix(columns, first.n).rows
    slots = _slots(rows, _in_slots(first, found), _in_slots(second, found))
    if first.n + len(slots) != len(columns):  # some node has no element at all
        return None
    for j, (_, bit) in enumerate(slots):
        constant |= bit << first.n + j
    matrix = Matrix.from_rows([*rows, *(row for row, _ in slots)], len(columns))
    return Layout(AffineMap(matrix, constant), first.n, found, copies)


def _axis(a: Axis, b: Axis) -> Axis | None:
    if b.length == 1 or a == b:
        return a
    return b if a.length == 1 else None


_OnNodes = tuple[int, list[int], tuple[int, ...]]
"""The node of word zero, what each bit changes it by, and what copies differ by."""


def _nodes(
    first: _OnNodes, second: _OnNodes, n: int
) -> tuple[int, tuple[int, ...], int] | None:
    """The node of word zero, what each bit of the word changes, and how many of them copy.

    Where both are, a + u = b + v, with sums u and v of what copies differ by. The basis has
    all pairs of u + v and u (Zassenhaus): those of v = u are in both.
    """
    (zero, changes, free), (other, others, further) = first, second
    basis = reduced_basis([*(c << n | c for c in free), *(c << n for c in further)])

    def meeting(a: int, b: int) -> int | None:
        rest = without(basis, (a ^ b) << n)
        return None if rest >> n else a ^ rest

    constant = meeting(zero, other)
    found = [meeting(a, b) for a, b in zip(changes, others, strict=True)]
    columns = [column for column in found if column is not None]
    if constant is None or len(columns) < len(found):
        return None
    both = [c for c in basis if not c >> n]
    return constant, (*columns, *both), len(both)


def _on_nodes(layout: Layout, axes: tuple[Axis, ...]) -> _OnNodes:
    """The same for words with the axes of the result; those of length 1 have no bits here."""
    mask, found = (1 << layout.n) - 1, list[int]()
    for k in reversed(range(len(axes))):
        own = [layout.map.matrix.columns[bit] & mask for bit in layout.word_bits(k)]
        found += own or [0] * axes[k].bits
    return layout.map.constant & mask, found, layout.copy_flips


def _in_slots(layout: Layout, axes: tuple[Axis, ...]) -> list[tuple[int, int]]:
    """The bits of the word in each bit of a slot, and its constant; the highest first."""
    rows, constant = layout.map.matrix.rows, layout.map.constant

    def widened(row: int) -> int:
        found = shift = 0
        for own, wide in zip(reversed(layout.axes), reversed(axes), strict=True):
            found |= (row & (1 << own.bits) - 1) << shift
            row, shift = row >> own.bits, shift + wide.bits
        return found

    return [(widened(rows[j]), constant >> j & 1) for j in reversed(range(layout.n, layout.p))]


def _slots(
    nodes: tuple[int, ...], first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """What tells the elements of a node apart, the lowest bit first."""
    known = Span(nodes)
    kept = [pair for pair in first if known.add(pair[0])]
    fresh = [pair for pair in second if known.add(pair[0])]
    return [*merge(kept, fresh, key=lambda pair: -pair[0].bit_length())][::-1]
