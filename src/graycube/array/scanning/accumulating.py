"""How arrays are scanned: each node its stretch of a line, then what is before the stretches.

Rules.

1. Each node scans its stretch of every line, in memory. The totals of the stretches, one
   element a line, go through one round for each dimension of the nodes along the axis.
2. Where a node has no stretch (``stretches``), elements go where it has one,
   and their results come back: the result is in the layout of the array.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.moving import brought
from graycube.array.ranks import spread
from graycube.array.scanning.stretches import Stretches, stretches
from graycube.array.sharing import swapped
from graycube.run.mpi import Comm

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]
Combine = Callable[[_Array, _Array], _Array]
"""What is made of elements and those after them."""
_LINE = 2  # the axis of the points of a line


@dataclass(frozen=True, slots=True)
class Accumulation:
    """A scan: what combines two elements, and what is before the first one, if anything.

    >>> Accumulation(np.add, np.add, np.dtype(int), None, exclusive=False, reverse=True).reverse
    True
    """

    op: Combine
    ufunc: np.ufunc | None
    dtype: np.dtype[Any]
    first: _Array | None
    exclusive: bool
    reverse: bool


def accumulated(a: _H, axis: int, made: Accumulation) -> _H:
    """The array after a scan along an axis of the layout or of the payload.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[3], [1], [4], [1]]), Layout.nodes(2))
    >>> made = Accumulation(np.add, np.add, x.dtype, None, exclusive=False, reverse=False)
    >>> accumulated(x, 0, made).blocks.ravel().tolist()
    [3, 4, 8, 9]
    """
    a = a.with_blocks(a.blocks.astype(made.dtype, copy=False))
    d = len(a.layout.shape)
    with np.errstate(all="ignore"):  # what is raised on some ranks only, hangs the others
        if axis >= d:
            place = 2 + axis - d
            lines = np.moveaxis(a.blocks, place, _LINE)
            found = np.moveaxis(_of_lines(lines, None, None, made), _LINE, place)
            return a.with_blocks(np.ascontiguousarray(found))
        where = stretches(a.layout, axis, a.nodes, reverse=made.reverse)
        lines = where.lines(brought(a, where.layout).blocks)
        found = where.blocks(_of_lines(lines, where, a.comm, made))
        return brought(a.with_blocks(found, where.layout), a.layout)


def _of_lines(
    lines: _Array, where: Stretches | None, comm: Comm | None, made: Accumulation
) -> _Array:
    """The scans of the stretches that are here, and of what is before them on other nodes."""
    op: Combine = made.op
    if made.reverse:
        lines = np.flip(lines, _LINE)
        op = lambda x, y: made.op(y, x)  # noqa: E731 - the same with its operands exchanged
    points = lines.shape[_LINE]
    if not lines.size:
        return lines.copy()
    own = _inclusive(op, made.ufunc, lines, made.dtype)
    before, some = _before(own[:, :, -1], where, comm, op)
    if made.first is not None:
        joined = op(np.broadcast_to(made.first, before.shape), before)
        rows = some.reshape(-1, *(1,) * (before.ndim - 1))
        before, some = np.where(rows, joined, made.first), np.ones_like(some)
    found = own if own is not lines else own.copy()
    if some.all() and made.ufunc is not None:
        made.ufunc(before[:, :, None], own, out=own)
    elif some.any():
        each = np.broadcast_to(before[some][:, :, None], own[some].shape)
        found[some] = op(each, own[some])
    if made.exclusive:
        found[:, :, 1:] = found[:, :, : points - 1].copy()
        found[:, :, 0] = before
    return np.flip(found, _LINE) if made.reverse else found


def _inclusive(
    op: Combine, ufunc: np.ufunc | None, lines: _Array, dtype: np.dtype[Any]
) -> _Array:
    """The scan in memory: of pairs first, then of what is between them."""
    points = lines.shape[_LINE]
    if ufunc is not None:
        made: _Array = ufunc.accumulate(lines, _LINE, dtype.type)  # it takes no units of time
        return made
    if points == 1:
        return lines
    pairs = op(lines[:, :, : points - 1 : 2], lines[:, :, 1::2])
    found, every = np.empty_like(lines), _inclusive(op, None, pairs, dtype)
    found[:, :, 0], found[:, :, 1::2] = lines[:, :, 0], every
    if points > 2:
        behind = every[:, :, : (points - 1) // 2]
        found[:, :, 2::2] = op(behind, lines[:, :, 2::2])
    return found


def _before(
    totals: _Array, where: Stretches | None, comm: Comm | None, op: Combine
) -> tuple[_Array, NDArray[np.bool_]]:
    """What all stretches before those of the nodes here make together, where there are some."""
    before, some = totals, np.zeros(len(totals), bool)
    for met in where.rounds if where is not None else ():
        over, peer = spread(comm), int(met.peers[0])
        if over is not None and peer == over.rank:
            continue
        other = totals[met.peers] if over is None else swapped(totals, peer, over, "a scan")
        behind = met.behind.reshape(-1, *(1,) * (totals.ndim - 1))
        first, second = np.where(behind, other, totals), np.where(behind, totals, other)
        totals = op(first, second)
        both, fresh, before = met.behind & some, met.behind & ~some, before.copy()
        before[fresh] = other[fresh]
        if both.any():
            before[both] = op(other[both], before[both])
        some = some | met.behind
    return before, some
