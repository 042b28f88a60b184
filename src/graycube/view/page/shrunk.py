"""Smaller arrays that move in the same way: what both layouts keep in memory can be left out.

Rule. A bit of the index is idle if in both layouts it is a slot bit by itself and part of no
other address bit: then the elements that differ in it travel alike, and so do the elements
along an extent. Leaving idle bits out changes no exchange of the others.
"""

from collections.abc import Iterator
from dataclasses import replace

from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.schedule import Task


def shrunk(task: Task) -> Iterator[tuple[Layout, Layout]]:
    """Source and target of ever smaller arrays; the last ones have no idle bit.

    >>> mesh = (Layout.mesh((96, 64), nodes=(4, 4), code=code) for code in ("gray", "binary"))
    >>> [source.shape for source, _ in shrunk(Task(*mesh, block=384))]
    [(32, 64), (32, 32), (32, 16), (16, 16), (16, 8), (8, 8), (8, 4), (4, 4)]
    """
    layouts = [_without_extents(layout) for layout in (task.source, task.target)]
    if layouts[0] != task.source:
        yield layouts[0], layouts[1]
    while idle := [j for j in range(layouts[0].p) if all(_is_idle(own, j) for own in layouts)]:
        bit = max(idle, key=lambda j: layouts[0].axes[_axis_of(layouts[0], j)].bits)
        layouts = [_without_bit(layout, bit) for layout in layouts]
        yield layouts[0], layouts[1]


def _without_extents(layout: Layout) -> Layout:
    axes = tuple(replace(axis, extent=1, low=0) for axis in layout.axes)
    return Layout(layout.map, layout.n, axes)


def _is_idle(layout: Layout, j: int) -> bool:
    column = layout.map.matrix.columns[j]
    row = column.bit_length() - 1
    return column == 1 << row and row >= layout.n and layout.map.matrix.rows[row] == 1 << j


def _without_bit(layout: Layout, j: int) -> Layout:
    row = layout.map.matrix.columns[j].bit_length() - 1
    columns = [_dropped(c, row) for k, c in enumerate(layout.map.matrix.columns) if k != j]
    constant = _dropped(layout.map.constant, row)
    axes, k = list(layout.axes), _axis_of(layout, j)
    axes[k] = replace(axes[k], bits=axes[k].bits - 1)
    address = AffineMap(Matrix(tuple(columns), layout.p - 1), constant)
    return Layout(address, layout.n, tuple(axes))


def _axis_of(layout: Layout, j: int) -> int:
    return next(k for k in range(len(layout.axes)) if j in layout.word_bits(k))


def _dropped(word: int, bit: int) -> int:
    """The word without one of its bits."""
    return word >> bit + 1 << bit | word & ((1 << bit) - 1)
