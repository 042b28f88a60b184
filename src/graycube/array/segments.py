"""Scans that begin anew where segments begin.

Rules.

1. The record of a stretch is its value, whether its first element begins a segment, and whether
   one begins behind it. Joining records is associative, so this is a scan like others.
2. A segment begins at the same elements in both directions. The value of a stretch that is cut
   is that of its last part, or in reverse of its first one: nothing else is needed.
3. What is before a segment is joined last: the scan itself puts it before the first one.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.errors import InvalidTypeError, InvalidValueError

_Array = NDArray[Any]
Combine = Callable[[_Array, _Array], _Array]


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


def joined(op: Combine, *, reverse: bool) -> Combine:
    """What joins records of stretches, the left one before the right one.

    >>> two = np.array([(5, False, False), (6, True, False)], "i8,?,?")
    >>> two.dtype.names = "value", "begins", "inside"
    >>> join = joined(np.add, reverse=False)
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


def finished(  # noqa: PLR0913
    op: Combine,
    found: _Array,
    begins: _Array,
    initial: _Array | None,
    *,
    exclusive: bool,
    reverse: bool,
) -> _Array:
    """The values of scanned records, with rule 3 done for segments behind a cut.

    >>> x = np.array([(5, False, False), (7, False, True)], "i8,?,?")
    >>> x.dtype.names = "value", "begins", "inside"
    >>> one, how = np.array([1, 1]), {"exclusive": False, "reverse": False}
    >>> finished(np.add, x, x["begins"], one, **how).tolist()
    [5, 8]
    """
    value = np.ascontiguousarray(found["value"])
    if initial is None or not value.size:
        return value
    with np.errstate(all="ignore"):
        whole = op(value, initial) if reverse else op(initial, value)
    value = np.where(found["inside"], whole, value)
    if exclusive:
        value = np.where(found["begins"] if reverse else begins, initial, value)
    return value
