"""What functions require of the axes and layouts that they are given."""

from collections.abc import Iterable, Sequence
from typing import SupportsIndex

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import is_power_of_two, require_int, require_ints
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


def require_powers(
    x: SupportsIndex | Sequence[SupportsIndex], count: int, what: str, most: int
) -> tuple[int, ...]:
    """Powers of two, one for each of so many axes; a single one is for all.

    >>> require_powers(4, 2, "stride", most=8), require_powers((1, 8), 2, "stride", most=8)
    ((4, 4), (1, 8))
    """
    entries = require_ints(x, what)
    if not isinstance(x, Iterable):
        entries *= count
    if len(entries) != count:
        raise InvalidValueError(
            f"{what} has {len(entries)} entries for {count} axes",
            "one for all axes or one for each is needed",
            f"pass one value or {count} of them",
        )
    for k, entry in enumerate(entries):
        if not is_power_of_two(entry) or entry > most:
            raise InvalidValueError(
                f"{what}[{k}] is {entry}"[:60],
                f"it must be a power of two, at most {most}",
                "use 1, 2, 4, 8 and so on",
            )
    return entries


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
