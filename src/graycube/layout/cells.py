"""Cells: the pieces of a mesh that a picture draws, each on one node.

Rule: along an axis, the lowest address bits whose flip leaves the node alone are merged, with
the extent if it lies below the first bit that does change the node. So every axis is cut into
equal runs of coordinates, and a product of runs, one per axis, is on a single node.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graycube.gf2 import is_power_of_two
from graycube.layout.layout import Layout
from graycube.layout.lines import local_bits


@dataclass(frozen=True, slots=True)
class Cells:
    """An axis cut into ``count`` runs of ``width`` coordinates.

    >>> Cells(width=8, count=4).label(1), Cells(width=1, count=32).label(1)
    ('8-15', '1')
    """

    width: int
    count: int

    def label(self, position: int) -> str:
        """The coordinates of a cell.

        >>> Cells(width=125, count=8).label(7)
        '875-999'
        """
        first = position * self.width
        return f"{first}-{first + self.width - 1}" if self.width > 1 else str(first)


def cells_of(layout: Layout) -> tuple[Cells, ...]:
    """The cells of each axis.

    >>> places = ("consecutive", "cyclic")
    >>> cells_of(Layout.mesh((1000, 16), (8, 4), allocation=places, ownership=False))
    (Cells(width=125, count=8), Cells(width=1, count=16))
    """
    cells = []
    for k, axis in enumerate(layout.axes):
        merged = local_bits(layout, k)
        width = axis.join(1 << merged, 0) if merged < axis.bits else axis.length
        cells.append(Cells(width, axis.length // width))
    return tuple(cells)


def node_at(layout: Layout, cells: Sequence[Cells], positions: Sequence[int]) -> int:
    """The node of the cell at a position per axis.

    >>> layout = Layout.mesh((64, 32), nodes=(8, 4), code="gray")
    >>> node_at(layout, cells_of(layout), (7, 3))
    18
    """
    first = (cell.width * i for cell, i in zip(cells, positions, strict=True))
    return layout.locate(*first)[0]


def number(x: int) -> str:
    """A number for people: a large power of two as such.

    >>> number(1000), number(1024), number(2**60)
    ('1000', '1024', '2^60')
    """
    return f"2^{x.bit_length() - 1}" if x > 1 << 20 and is_power_of_two(x) else str(x)
