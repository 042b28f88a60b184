"""The cells that pictures draw, and the refusal to draw anything but a layout."""

from graycube.errors import InvalidTypeError
from graycube.layout import Layout, cells
from graycube.layout.cells import Cells, node_at, number

__all__ = ["Cells", "cells_of", "node_at", "number", "require_layout"]


def cells_of(layout: Layout) -> tuple[Cells, ...]:
    """The cells of each axis.

    >>> cells_of(Layout.mesh((1000, 16), nodes=(8, 4)))
    (Cells(width=125, count=8), Cells(width=4, count=4))
    """
    require_layout(layout)
    return cells.cells_of(layout)


def require_layout(layout: object) -> None:
    """Refuse to draw anything but a layout.

    >>> require_layout("(b1 || b0)")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: got a str: pictures show a Layout; pass a layout
    """
    if not isinstance(layout, Layout):
        raise InvalidTypeError(
            f"got a {type(layout).__name__}", "pictures show a Layout", "pass a layout"
        )
