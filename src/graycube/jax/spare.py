"""Spare memory: a last axis of 2^k elements, all but the first of which are zeros.

With it any axis can be in memory: its devices take bits of the spare one meanwhile. In the end
these come back to memory, and the zeros go.
"""

from dataclasses import replace

from graycube.butterflies.groups import brought
from graycube.fourier.lines import axis_of, has_room, in_memory
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.layout.axis import Axis


def with_spare(layout: Layout, bits: int) -> Layout:
    """The layout with one more axis, which is the highest bits in memory.

    >>> print(with_spare(Layout.nodes(2), 1))
    (b1:0 || b0:1 b0:0)
    """
    rows = [row << bits for row in layout.map.matrix.rows]
    matrix = Matrix.from_rows([*rows, *(1 << b for b in range(bits))], layout.p + bits)
    axes = (*layout.axes, Axis(bits))
    return replace(layout, map=AffineMap(matrix, layout.map.constant), axes=axes)


def without_spare(layout: Layout, d: int) -> Layout:
    """The nearest layout with the first ``d`` axes only.

    >>> layout = Layout.mesh((4, 8), nodes=(1, 4))
    >>> print(without_spare(layout, 1))
    (|| b1 b0)
    """
    bits = sum(axis.bits for axis in layout.axes[d:])
    place, _ = brought(layout.map, layout.n, range(bits), range(bits))
    rows = [row >> bits for row in place.matrix.rows if row >> bits]
    matrix = Matrix.from_rows(rows, layout.p - bits)
    return replace(layout, map=AffineMap(matrix, place.constant), axes=layout.axes[:d])


def resized(layout: Layout, lengths: dict[int, int]) -> Layout:
    """The layout with other lengths of some axes, in memory where the others take the devices.

    >>> print(resized(Layout.mesh((4, 8), nodes=(4, 1)), {0: 3}))
    (b1:0 || b1:2 b1:1) x 3 on axis 0
    """
    for spare in (0, layout.n):
        home = with_spare(layout, spare) if spare else layout
        left = {k: n for k, n in lengths.items() if n != layout.shape[k]}
        while left:
            axis = next((k for k in left if has_room(home, k)), None)
            if axis is None:
                break
            home = in_memory(home, axis, axis_of(left.pop(axis)))
        else:
            return without_spare(home, len(layout.axes)) if spare else home
    return layout
