"""Layouts in which each node has one run of neighbours of an axis, and what is left of these.

Rules.

1. The nodes of an axis are told apart by its highest index bits, in any code: then each has one
   run. Elsewhere these bits take the place of the others, in natural order, and no other axis
   is touched.
2. Of one element a node, the index along the axis counts the runs.
"""

from dataclasses import replace

from graycube.gf2 import AffineMap
from graycube.layout.axis import Axis
from graycube.layout.grids import in_order, without_low
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership
from graycube.layout.placement import Placement


def in_runs(layout: Placement, axis: int) -> Placement:
    """The layout, or one in which each node has one run of neighbours of an axis.

    >>> gray = Layout.mesh((16,), nodes=(4,), code="gray")
    >>> in_runs(gray, 0) is gray
    True
    >>> print(in_runs(Layout.mesh((16,), nodes=(4,), code="gray", allocation="cyclic"), 0))
    (b1 b0 || b3 b2)
    """
    if isinstance(layout, Ownership):
        return layout.with_axis(axis, replace(layout.axes[axis], cyclic=False))
    if not isinstance(layout, Layout):
        raise TypeError(layout)
    word, along = layout.word_bits(axis), layout.axes[axis]
    mask = (1 << word.stop) - (1 << word.start)
    rows = [*layout.map.matrix.rows[: layout.n]]
    dims = [d for d, row in enumerate(rows) if row & mask]
    low = word.stop - len(dims)
    used = any(rows[d] & mask & ((1 << low) - 1) for d in dims)
    if not used and (along.extent == 1 or along.low <= low - word.start):
        return layout
    for bit, d in enumerate(dims, start=low):
        rows[d] = rows[d] & ~mask | 1 << bit
    address = AffineMap(in_order(rows, layout.p), layout.map.constant & layout.node_count - 1)
    axes = list(layout.axes)
    axes[axis] = Axis(along.bits, along.extent)
    return replace(layout, map=address, axes=tuple(axes))


def runs(layout: Placement, axis: int) -> tuple[int, Placement]:
    """How many runs an axis has, and the layout of one element for each.

    >>> count, ends = runs(Layout.mesh((24, 6), nodes=(4, 2), code="gray"), 0)
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
    word = layout.word_bits(axis)
    mask = (1 << word.stop) - (1 << word.start)
    bits = sum(bool(row & mask) for row in layout.map.matrix.rows[: layout.n])
    axes = list(layout.axes)
    axes[axis] = Axis(bits)
    return 1 << bits, without_low(layout, tuple(axes))
