"""What functions require of the axes and layouts that they are given."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import is_power_of_two, require_int, require_ints
from graycube.layout.placement import Placement
from graycube.texts import as_given

if TYPE_CHECKING:
    from graycube.layout.layout import Layout

_T = TypeVar("_T")


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


def require_order(order: Sequence[int], count: int) -> list[int]:
    """So many axes in another order, each counted from the front.

    >>> require_order([-1, 0], 2)
    [1, 0]
    """
    axes = [require_axis(axis, count) for axis in require_ints(order, "order")]
    if sorted(axes) != [*range(count)]:
        raise InvalidValueError(
            f"order is {tuple(axes)!s:.60}",
            f"each of the axes 0..{count - 1} is in it once",
            "name all of them, as for numpy.transpose",
        )
    return axes


def left_axes(
    own: Sequence[_T], axes: Sequence[int], one: _T, *, keepdims: bool
) -> tuple[list[int], tuple[_T, ...]]:
    """Which axes go, and those that are left; with ``keepdims`` there is ``one`` for each.

    >>> left_axes(["x", "y", "z"], [0, -1], "1", keepdims=True)
    ([0, 2], ('1', 'y', '1'))
    """
    gone = [require_axis(axis, len(own)) for axis in require_ints(axes, "axes")]
    pairs = [(k in gone, axis) for k, axis in enumerate(own)]
    kept = tuple(one if out else axis for out, axis in pairs if keepdims or not out)
    if not kept:
        raise InvalidValueError(
            f"axes is {tuple(axes)}",
            "at least one axis must stay",
            "leave one out of axes, or pass keepdims=True",
        )
    return gone, kept


def per_axis(value: object, count: int, what: str) -> tuple[Any, ...]:
    """The entries of an argument that is one value for all axes or one for each.

    >>> per_axis("gray", 2, "code"), per_axis((1, 4), 2, "reach")
    (('gray', 'gray'), (1, 4))
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of no axes it is one value
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,) * count
    entries = tuple(value)
    if len(entries) != count:
        raise InvalidValueError(
            f"{what} has {len(entries)} entries for {count} axes",
            "one for all axes or one for each is needed",
            f"pass one value or {count} of them",
        )
    return entries


def require_flag(value: object, what: str) -> bool:
    """Refuse what is neither True nor False.

    >>> require_flag(True, "periodic")
    True
    """
    if not isinstance(value, bool):
        raise InvalidTypeError(
            f"{what} is {as_given(value)}", "it must be a bool", "pass True or False"
        )
    return value


def require_bits(
    layout: "Layout", axis: int, bits: Sequence[int] | None = None
) -> tuple[int, ...]:
    """Bits of the index along an axis of 2^k elements; for None all, the highest first.

    >>> from graycube.layout import Layout
    >>> require_bits(Layout.nodes(3), 0), require_bits(Layout.nodes(3), 0, [0, 2])
    ((2, 1, 0), (0, 2))
    """
    along = layout.axes[axis]
    if along.extent > 1:
        raise InvalidValueError(
            f"axis {axis} has {along.length} = {along.extent} * 2^{along.bits} elements",
            "each index has a partner for every bit where there are 2^k",
            "pad the axis",
        )
    found = (*reversed(range(along.bits)),) if bits is None else require_ints(bits, "bits")
    if len({*found}) < len(found) or not all(0 <= bit < along.bits for bit in found):
        raise InvalidValueError(
            f"bits is {found!s:.60}",
            f"an index along axis {axis} has the bits 0..{along.bits - 1}, each of them once",
            "leave bits out for all of them",
        )
    return found


def require_powers(
    x: SupportsIndex | Sequence[SupportsIndex], count: int, what: str, most: int
) -> tuple[int, ...]:
    """Powers of two, one for each of so many axes; a single one is for all.

    >>> require_powers(4, 2, "stride", most=8), require_powers((1, 8), 2, "stride", most=8)
    ((4, 4), (1, 8))
    """
    entries = require_ints(per_axis(x, count, what), what)
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


def require_word(word: object, known: Sequence[object], what: str) -> None:
    """Refuse what is none of the known words.

    >>> require_word("any", ("any", "natural"), "order")
    """
    if isinstance(word, bool | np.ndarray) or word not in known:
        names = ", ".join(map(repr, known))
        raise InvalidValueError(
            f"{what} is {word!r}", f"the known ones are {names}", "choose one"
        )
