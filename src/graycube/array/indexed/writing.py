"""Elements written by their index in the whole array.

Rule: every rank calls with the same index, and writes what it has of it, copies included. So
nothing is sent, and no rank waits for another.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.elementwise import assigned, element_by_element
from graycube.array.held import Held
from graycube.array.indexed.indices import coordinates_of
from graycube.array.indexed.points import box_here, in_brackets, is_list, points, points_here
from graycube.array.payload import WHOLE, all_whole, is_mask, parts_of
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.warned import as_written

_Array = NDArray[Any]
_ANY = {"casting": "unsafe"}  # as NumPy writes


def put(a: Held, key: object, value: Any) -> None:  # noqa: ANN401 - as NumPy's
    """``u[key] = value``: along axes of the layout a mask, or integers and slices.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,)))
    >>> put(a, slice(1, None, 2), [5, 7])
    >>> put(a, np.array([True, False, False, False]), 1)
    >>> a.blocks.tolist()
    [[1.0, 5.0], [0.0, 7.0]]
    >>> put(a, ..., [1, 2, 3, 4])
    >>> a.blocks.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    mask, *rest = key if isinstance(key, tuple) and key else (key,)
    masked = _for_all_alike(a, mask, value)
    if type(value) is not complex:  # which NumPy refuses
        value = as_written(value, a.dtype)
    if _is_told(value):
        _require_room(a, value)
    if not masked and _names_points(key):
        _put_points(a, key, value)
        return
    along, inside = ((), tuple(rest)) if masked else parts_of(a, key)
    places = (WHOLE, WHOLE, *inside)
    part = a.with_blocks(a.blocks[places])
    if masked:
        _put_where(part, mask, value)
    elif all_whole(along) and _meets_payload(value, part):
        element_by_element(assigned, [value], _ANY, part)
    else:
        _put_box(part, along, key, value)
    if not np.may_share_memory(part.blocks, a.blocks):
        a.blocks[places] = part.blocks


def _for_all_alike(a: Held, mask: Any, value: object) -> bool:  # noqa: ANN401 - of an index
    """Whether it is a mask that says of each element if it is meant, and all get the same.

    A plain mask of some axes names places, as a list does, and so does one with many values.
    """
    if isinstance(mask, Held) or not is_mask(mask):
        return isinstance(mask, Held)
    inside: int = a.ndim - mask.ndim
    return inside <= len(a.payload) and np.ndim(value) <= inside  # type: ignore[arg-type]


def _is_told(value: object) -> bool:
    """Whether NumPy reads what is to be written: a number, a text, a list; it may refuse it."""
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    number = isinstance(value, int | float | complex)
    return number or (kind in "OSU" and not isinstance(value, Held))


def _require_room(a: Held, value: Any) -> None:  # noqa: ANN401 - a number, a list or a text
    """Refuse what NumPy does not write into such an array, on all ranks alike."""
    try:
        np.empty(np.shape(value), a.dtype)[...] = value
    except (TypeError, ValueError, OverflowError):
        raise InvalidValueError(
            f"{value!r:.60} is to be written",
            f"an array of dtype {a.dtype} has no such number",
            "convert the array with astype, or the number",
        ) from None


def _meets_payload(value: object, part: Held) -> bool:
    """Whether what is to be written everywhere needs no index: all else is for a box."""
    return isinstance(value, Held) or np.ndim(value) <= len(part.payload)  # type: ignore[arg-type]


def _put_where(a: Held, mask: Any, value: Any) -> None:  # noqa: ANN401 - arrays
    """A number, or payload, where the mask is true."""
    if not isinstance(mask, Held):
        mask = a.with_blocks(a.layout.scatter(mask, a.nodes))
    fits = len(mask.layout.shape) == len(a.layout.shape) and mask.payload in {(), a.payload}
    if mask.dtype != bool or not fits:
        raise InvalidValueError(
            f"the mask has shape {mask.shape} and dtype {mask.dtype}",
            f"the array has shape {a.shape}, and a mask says of each element if it is meant",
            "make it of an array of this layout, as u > 0",
        )
    several = np.ndim(value) > (0 if mask.payload else len(a.payload))
    if isinstance(value, Held) or several:
        raise InvalidTypeError(
            f"u[mask] is to be an array of shape {np.shape(value)}",
            "what stands there is one number, or one payload, for all elements",
            "use np.copyto(u, v, where=mask), with v of the layout of u",
        )
    element_by_element(assigned, [value], {"where": mask, **_ANY}, a)


def _put_box(a: Held, along: Sequence[Any], key: object, value: object) -> None:
    """A number, payload, or what has the shape of the box."""
    wanted = [
        coordinates_of(k, *pair)
        for k, pair in enumerate(zip(along, a.layout.shape, strict=True))
    ]
    kept = [len(w) for w, part in zip(wanted, along, strict=True) if not _single(part)]
    values = _fitting(value, (*kept, *a.payload), key)
    values = values[tuple(None if _single(part) else WHOLE for part in along)]
    if not values.size:
        return
    for here, array, at in box_here(a, wanted):
        array[at] = values[here]


def _names_points(key: object) -> bool:
    """Whether an index has a list, and more than slices beside it, or one of several axes."""
    parts = key if isinstance(key, tuple) else (key,)
    chosen = [part for part in parts if is_list(part) or _single(part)]
    lists = [*filter(is_list, chosen)]
    return bool(lists) and (len(chosen) > 1 or np.ndim(lists[0]) > 1)


def _put_points(a: Held, key: object, value: object) -> None:
    """A number, or what has the shape that NumPy gives to what the index takes."""
    places = points(key, a.shape)
    values = _fitting(value, places[0].shape, key).reshape(-1)
    along, d = [place.reshape(-1) for place in places], len(a.layout.shape)
    for here, rows in points_here(a, along[:d]):
        a.blocks[(*rows, *(place[here] for place in along[d:]))] = values[here]


def _fitting(value: object, shape: tuple[int, ...], key: object) -> _Array:
    """What is to be written, in the shape of where it goes."""
    if isinstance(value, Held):
        raise InvalidTypeError(
            f"u[{in_brackets(key)}] is to be a CubeArray of shape {value.shape}",
            "its elements are not on the nodes that have these of u",
            "use np.copyto(u, v, where=mask), with v of the layout of u and a mask made of "
            "u.indices(sparse=True)",
        )
    array = host_array(value)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        turned = array.ndim > 1 and array.shape[::-1] == shape
        raise InvalidValueError(
            f"an array of shape {array.shape} is to be written to u[{in_brackets(key)}]",
            f"what is there has the shape {shape}, as in NumPy",
            "pass its transpose"
            if turned
            else "pass a number, or what broadcasts to this shape",
        ) from None


def _single(part: object) -> bool:
    return isinstance(part, int | np.integer)
