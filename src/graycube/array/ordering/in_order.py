"""Order in memory: the stable order of a line, and sorted pieces made one line.

Rules.

1. Pieces are merged two by two, by a compiled loop where the line is long and the extra
   ``fast`` is installed. Elsewhere all of them are sorted again, by NumPy.
2. What is equal stays in its order. NaN comes last: the loop never sees it, as it has no order.
3. NumPy's stable sorts are quick where they find runs, and its others where there are none. So
   these are taken there, and what is equal is put in its order afterwards.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import compiled

_Array = NDArray[Any]
_Part = tuple[_Array, _Array]
_LONG = 1 << 15  # elements, from which on a compiled loop is worth its call


def stable_order(line: _Array) -> NDArray[np.intp]:
    """The indices that sort a line, equal ones in their order.

    >>> stable_order(np.array([7, 5, 7, 5])).tolist()
    [1, 3, 0, 2]
    """
    if line.dtype.kind == "f" and np.isnan(line).any():
        last = np.isnan(line)
        first = np.flatnonzero(~last)
        return np.concatenate([first[stable_order(line[first])], np.flatnonzero(last)])
    if not (_plain(line) and _shuffled(line)):
        return np.argsort(line, kind="stable")
    order = np.argsort(line)
    some = line[order]
    begins = some[1:] != some[:-1]
    if not begins.all():
        group = np.zeros_like(order)
        np.cumsum(begins, out=group[1:])
        group *= len(order)
        order += group
        order.sort()
        order -= group
    return order


def stable_orders(x: _Array, axis: int) -> NDArray[np.intp]:
    """The same for all lines of an axis.

    >>> stable_orders(np.array([[7, 5], [5, 5], [6, 4]]), 0).tolist()
    [[1, 2], [2, 0], [0, 1]]
    """
    if x.shape[axis] < _LONG:
        return np.argsort(x, axis, kind="stable")
    return np.apply_along_axis(stable_order, axis, x)


def merged(
    keys: Sequence[_Array], out: _Array, along: Sequence[_Array] | None = None
) -> _Array:
    """Sorted pieces as one line: their keys, or what goes ``along`` with each of these.

    >>> merged([np.array([1, 4]), np.array([2, 3])], np.zeros(4, int)).tolist()
    [1, 2, 3, 4]
    """
    size = sum(map(len, keys))
    if along is not None and not all(map(_plain, along)):
        places = np.split(np.arange(size), np.cumsum([*map(len, keys)])[:-1])
        order = merged(keys, np.empty(size, np.intp), places)
        return np.take(np.concatenate(along), order, out=out)
    if size < _LONG or not (all(map(_plain, keys)) and compiled.available()):
        line = np.concatenate(keys, out=out if along is None else None)
        if along is None:
            line.sort()
        else:
            np.take(np.concatenate(along), stable_order(line), out=out)
        return out
    from graycube.array.ordering import loops  # noqa: PLC0415 - it needs Numba

    loop = loops.merger(paired=along is not None)
    goes = keys if along is None else along
    ends = [_numbers(piece) for piece in keys]
    parts = [(k[:n], g[:n]) for k, g, n in zip(keys, goes, ends, strict=True) if n]
    count = sum(ends)
    line = out if along is None else np.empty(size, keys[0].dtype)
    _by_pairs(parts, (line[:count], out[:count]), loop)
    np.concatenate([g[n:] for g, n in zip(goes, ends, strict=True)], out=out[count:])
    return out


def _by_pairs(parts: list[_Part], out: _Part, loop: Callable[..., None]) -> None:
    """Neighbours merged, then what comes of them; the last time into ``out``."""
    while len(parts) > 2:
        made = []
        for (one, own), (other, its) in zip(parts[::2], parts[1::2], strict=False):
            size = len(one) + len(other)
            keys = np.empty(size, one.dtype)
            goes = keys if own is one else np.empty(size, own.dtype)
            loop(one, other, keys, own, its, goes)
            made.append((keys, goes))
        parts = made + parts[len(made) * 2 :]
    if len(parts) == 2:
        (one, own), (other, its) = parts
        loop(one, other, out[0], own, its, out[1])
    elif parts:
        out[1][...] = parts[0][1]


def _plain(line: _Array) -> bool:
    """Whether these are numbers that compiled loops know."""
    dtype = line.dtype
    return dtype.kind in "iuf" and dtype.itemsize in {4, 8} and dtype.isnative


def _numbers(line: _Array) -> int:
    """How many elements of a sorted line are before NaN."""
    return int(line.searchsorted(np.nan)) if line.dtype.kind == "f" else len(line)


def _shuffled(line: _Array) -> bool:
    """Whether a long line goes up and down, without long runs."""
    size = len(line)
    down = np.count_nonzero(line[1:] < line[:-1])
    return bool(size >= _LONG and size // 8 < down < size - size // 8)
