"""What functions require of the axes and layouts that they are given."""

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.layout.placement import Placement


def require_axis(axis: int, count: int) -> int:
    """One of so many axes, counted from the front.

    >>> require_axis(-1, 3)
    2
    """
    k = require_int(axis, "axis")
    if not -count <= k < count:
        raise OutOfRangeError(
            f"axis is {k}", f"the axes are 0..{count - 1}", f"use {-count}..{count - 1}"
        )
    return k % count


def require_single(layout: Placement, what: str) -> None:
    """Refuse a layout with copies.

    >>> from graycube.layout import Layout
    >>> require_single(Layout.nodes(2), "a plan")
    """
    if layout.copy_count > 1:
        raise InvalidValueError(
            f"the layout {layout} has {layout.copy_count} copies of every element",
            f"{what} needs a layout without copies",
            "call relayout with one where there are enough elements, or use to_numpy()",
        )


def require_payload(shape: tuple[int, ...], layout: Placement) -> tuple[int, ...]:
    """What follows the axes of a layout in the shape of an array.

    >>> from graycube.layout import Layout
    >>> require_payload((8, 3, 2), Layout.cyclic(3, 1))
    (3, 2)
    """
    d = len(layout.shape)
    if shape[:d] != layout.shape:
        raise InvalidValueError(
            f"the array has shape {shape}",
            f"its first axes must be {layout.shape}",
            "reshape it, or build the layout for this shape",
        )
    return shape[d:]
