"""Scans that begin anew where segments begin.

Rules.

1. The record of a stretch is its value, whether its first element begins a segment, and whether
   one begins behind it. Joining records is associative, so this is a scan like others.
2. A segment begins at the same elements in both directions. The value of a stretch that is cut
   is that of its last part, or in reverse of its first one: nothing else is needed.
3. What is before a segment is joined last: the scan itself puts it before the first one.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.scanning.accumulating import Accumulation, Combine, accumulated
from graycube.errors import InvalidTypeError, InvalidValueError

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]


def records(a: Held, segments: object, dtype: np.dtype[Any]) -> _Array:
    """The blocks of an array as records, with where segments begin.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> records(x, x.with_blocks(x.blocks == 6), x.dtype).tolist()
    [[(5, False, False)], [(6, True, False)]]
    """
    if not isinstance(segments, Held):
        raise InvalidTypeError(
            f"segments is a {type(segments).__name__}",
            "it is an array of truth values, laid out like the data",
            "pass CubeArray.from_numpy(begins, a.layout)",
        )
    fits = segments.layout == a.layout and segments.comm == a.comm
    if segments.dtype != np.bool_ or not fits or segments.payload not in ((), a.payload):
        raise InvalidValueError(
            f"segments has shape {segments.shape}, dtype {segments.dtype}"
            f" and the layout {segments.layout}",
            f"the array has shape {a.shape} and the layout {a.layout}; segments are bool",
            "pass truth values in the layout of the array",
        )
    made = np.zeros(a.blocks.shape, [("value", dtype), ("begins", "?"), ("inside", "?")])
    missing = made.ndim - segments.blocks.ndim
    made["value"] = a.blocks
    made["begins"] = segments.blocks.reshape(*segments.blocks.shape, *(1,) * missing)
    return made


def segmented(a: _H, marked: _Array, axis: int, made: Accumulation) -> _H:
    """The scan of the records of an array, and the values of what it gives.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> made = Accumulation(np.add, None, x.dtype, np.array(1), exclusive=True, reverse=False)
    >>> marked = records(x, x.with_blocks(x.blocks == 6), x.dtype)
    >>> segmented(x, marked, 0, made).blocks.tolist()
    [[1], [1]]
    """
    first = initial = made.first
    if first is not None:
        first = np.zeros(first.shape, marked.dtype)
        first["value"] = initial
    join = _joined(made.op, reverse=made.reverse)
    every = replace(made, op=join, dtype=marked.dtype, first=first)
    found = accumulated(a.with_blocks(marked), axis, every).blocks
    if initial is None or not found.size:
        return a.with_blocks(np.ascontiguousarray(found["value"]))
    place = axis - len(a.layout.shape)
    initial = initial if place < 0 else np.expand_dims(initial, place)
    initial = np.broadcast_to(initial, found.shape)
    return a.with_blocks(_finished(found, marked["begins"], initial, made))


def _joined(op: Combine, *, reverse: bool) -> Combine:
    """What joins records of stretches, the left one before the right one.

    >>> two = np.array([(5, False, False), (6, True, False)], "i8,?,?")
    >>> two.dtype.names = "value", "begins", "inside"
    >>> join = _joined(np.add, reverse=False)
    >>> print(join(two[:1], two[1:])[0], join(two[1:], two[:1])[0])
    (6, False, True) (11, True, False)
    """

    def join(x: _Array, y: _Array) -> _Array:
        found = np.empty_like(y)
        cut = y["begins"] | (x["inside"] if reverse else y["inside"])
        with np.errstate(all="ignore"):
            both = op(x["value"], y["value"])
        found["value"] = np.where(cut, x["value"] if reverse else y["value"], both)
        found["begins"] = x["begins"]
        found["inside"] = x["inside"] | y["begins"] | y["inside"]
        return found

    return join


def _finished(found: _Array, begins: _Array, initial: _Array, made: Accumulation) -> _Array:
    """The values of scanned records, with rule 3 done for segments behind a cut."""
    value = found["value"]
    with np.errstate(all="ignore"):
        whole = made.op(value, initial) if made.reverse else made.op(initial, value)
    value = np.where(found["inside"], whole, value)
    if made.exclusive:
        value = np.where(found["begins"] if made.reverse else begins, initial, value)
    return value
