"""Layouts in which each node has one run of neighbours of an axis, and what is left of these.

Rules.

1. The nodes of an axis are told apart by its highest index bits, in any code: then each has one
   run. Elsewhere these bits take the place of the others, in natural order, and no other axis
   is touched.
2. Of one element a node, the index along the axis counts the runs.
"""

from dataclasses import replace
from functools import lru_cache

from graycube.gf2 import AffineMap, Matrix, Span
from graycube.layout.axis import Axis
from graycube.layout.grids import without_low
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership
from graycube.layout.placement import Placement


def in_runs(layout: Placement, axis: int) -> Placement:
    """The layout, or one in which each node has one run of neighbours of an axis.

    >>> gray = Layout.mesh((16,), nodes=(4,), code="gray")
    >>> in_runs(gray, 0) == gray
    True
    >>> print(in_runs(Layout.mesh((16,), nodes=(4,), code="gray", allocation="cyclic"), 0))
    (b1 b0 || b3 b2)
    """
    if isinstance(layout, Ownership):
        return layout.with_axis(axis, replace(layout.axes[axis], cyclic=False))
    if not isinstance(layout, Layout):
        raise TypeError(layout)
    return stretched(layout, axis)


def runs(layout: Placement, axis: int) -> tuple[int, Placement]:
    """How many runs an axis has, and the layout of one element for each.

    >>> count, ends = runs(Layout.mesh((24, 6), nodes=(4, 2), code="gray", ownership=False), 0)
    >>> print(count, ends)
    4 (|| b0:1 g0:0 b1:0) x 3 on axis 1
    >>> print(*runs(Layout.mesh((9,), nodes=(8,)), 0))
    5 (5 on 8)
    """
    if isinstance(layout, Ownership):
        shared = layout.axes[axis]
        count = -(-shared.length // shared.block)
        return count, layout.with_axis(axis, replace(shared, length=count))
    if not isinstance(layout, Layout):
        raise TypeError(layout)
    bits = len(exchanged_dims(layout, axis))
    axes = list(layout.axes)
    axes[axis] = Axis(bits)
    return 1 << bits, without_low(layout, tuple(axes))


def exchanged_dims(layout: Layout, axis: int) -> list[int]:
    """The dimensions that depend on bits of the axis, which a transform has to cross.

    >>> exchanged_dims(Layout.mesh((16, 8), nodes=(4, 2), code="gray"), axis=0)
    [1, 2]
    """
    mask = sum(1 << bit for bit in layout.word_bits(axis))
    return [d for d, row in enumerate(layout.map.matrix.rows[: layout.n]) if row & mask]


def local_bits(layout: Layout, axis: int) -> int:
    """How many of the lowest bits of an axis no node bit depends on.

    >>> local_bits(Layout.consecutive(5, 2), 0), local_bits(Layout.cyclic(5, 2), 0)
    (3, 0)
    """
    nodes = layout.map.matrix.rows[: layout.n]
    bits = layout.word_bits(axis)
    return next((k for k, b in enumerate(bits) if any(r >> b & 1 for r in nodes)), len(bits))


@lru_cache(maxsize=32)
def stretched(layout: Layout, axis: int) -> Layout:
    """The layout, if each node has one stretch of the axis, or one like it; memory in order.

    >>> print(stretched(Layout.cyclic(5, 2, nodes="gray"), 0))
    (b2 b1 b0 || b4 b3)
    >>> print(stretched(Layout.consecutive(5, 2, nodes="gray", slots="gray"), 0))
    (b2 b1 b0 || b4 g3)
    >>> dealt = Layout.mesh((48,), (4,), allocation="cyclic", ownership=False)
    >>> stretched(dealt, 0).axes == dealt.axes
    True
    """
    along, bits, n, p = layout.axes[axis], layout.word_bits(axis), layout.n, layout.p
    mask = sum(1 << b for b in bits)
    rows, constant = [*layout.map.matrix.rows[:n]], layout.map.constant & (1 << n) - 1
    changing = [i for i, row in enumerate(rows) if row & mask]
    local = local_bits(layout, axis)
    mixed = any(rows[i] & ~mask for i in changing)
    scattered = len(changing) != len(bits) - local or (along.extent > 1 and local < along.low)
    if mixed or scattered:
        for i, bit in zip(reversed(changing), reversed(bits), strict=False):
            rows[i] = 1 << bit
        for i in changing:
            constant &= ~(1 << i)
        for i in [*reversed(changing)][len(bits) :]:
            rows[i] = 0
        local = max(0, len(bits) - len(changing))
        along = along if local >= along.low else Axis(along.bits, along.extent)
    others = [b for b in range(p - layout.copies) if b not in bits]
    rows = _filled(rows, [*bits[:local]], others)
    axes = (*layout.axes[:axis], along, *layout.axes[axis + 1 :])
    return replace(layout, map=AffineMap(Matrix.from_rows(rows, p), constant), axes=axes)


def _filled(nodes: list[int], held: list[int], others: list[int]) -> list[int]:
    """Rows of nodes, some perhaps missing, and single bits in memory, in their order."""
    known = Span([*nodes, *(1 << b for b in held)])
    free = [b for b in others if known.add(1 << b)]
    rows = [row or 1 << free.pop() for row in nodes]
    return [*rows, *(1 << b for b in sorted([*held, *free]))]
