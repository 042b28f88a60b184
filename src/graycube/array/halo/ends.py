"""What lies beyond the ends of axes: a number, or what is within, mirrored in some way.

Rule: axes are filled one after the other, as by ``numpy.pad`` along each of them in turn. So
what lies beyond two ends at once is what the later axis says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.host import host_array
from graycube.run.reused import apart
from graycube.stencil import Frame
from graycube.stencil.frame import even

Mirror = Literal["edge", "reflect", "symmetric", "antisymmetric"]
Fill = float | Mirror
Fills = Fill | Sequence[Fill | tuple[Fill, Fill]]
"""For all ends, or an entry for each axis: for both ends, or a pair for first and last."""
Rings = bool | Sequence[bool]
"""Whether axes are periodic, all of them or each."""
Pair = tuple[Any, Any]  # a mirror, or a number of the dtype, beyond the first and the last
_PLAIN, _ENDS = {int, float, str}, 2
MIRRORS: tuple[str, ...] = get_args(Mirror)
_Mesh = NDArray[Any]


def closed(periodic: Rings | None, fill: Fills | None) -> Rings:
    """Which axes are periodic: all of them where nothing is said.

    >>> closed(None, None), closed(False, "edge")
    (True, False)
    """
    if periodic is None and fill is not None:
        raise InvalidValueError(
            f"fill is {fill!r:.60}, without periodic",
            "axes are periodic where nothing is said, and nothing lies beyond their ends",
            "pass periodic=False, or say it of each axis",
        )
    return True if periodic is None else periodic


def ends_of(
    fill: Fills | None, rings: Sequence[bool], dtype: np.dtype[Any]
) -> tuple[Pair | None, ...]:
    """What lies beyond both ends of each axis, and None for rings.

    That is 0 where nothing is said.

    >>> ends_of([0, ("edge", 1)], [True, False], np.dtype(float))
    (None, ('edge', array(1.)))
    """
    if fill is None:
        fill = 0
    if type(fill) in _PLAIN:
        return _same_for_all(fill, tuple(rings), dtype)
    every = fill if isinstance(fill, list | tuple) else [fill] * len(rings)
    if len(every) != len(rings):
        raise InvalidValueError(
            f"fill has {len(every)} entries: {fill!r:.60}",
            f"the array has {len(rings)} axes",
            "give one for each axis, a pair where its ends differ, or one for all",
        )
    pairs = [one if isinstance(one, list | tuple) else (one, one) for one in every]
    if wrong := [pair for pair in pairs if len(pair) != _ENDS]:
        raise InvalidValueError(
            f"an entry of fill is {wrong[0]!r:.60}",
            "an axis has two ends",
            "give a pair for each axis, or one entry for both ends",
        )
    made = [(_end(first, dtype), _end(last, dtype)) for first, last in pairs]
    return tuple(None if ring else pair for pair, ring in zip(made, rings, strict=True))


@lru_cache(maxsize=64)
def _same_for_all(
    fill: Fill, rings: tuple[bool, ...], dtype: np.dtype[Any]
) -> tuple[Pair | None, ...]:
    """What most windows have, remembered."""
    end = _end(fill, dtype)
    return tuple(None if ring else (end, end) for ring in rings)


def _end(fill: Fill, dtype: np.dtype[Any]) -> str | _Mesh:
    """A mirror, or a number that the array can hold."""
    if isinstance(fill, str) and fill in MIRRORS:
        if fill == "antisymmetric" and (dtype.kind in "buMSU" or dtype.names):
            raise InvalidValueError(
                f"fill is {fill!r}", f"the array has dtype {dtype}", "it needs negative numbers"
            )
        return fill
    given = host_array(fill)
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            made = (given.real if dtype.kind in "iuf" else given).astype(dtype)
            kept = dtype.kind not in "biufc" or _is_same(made, given)
    except (TypeError, ValueError, OverflowError):
        kept = False
    if not kept or made.shape:
        raise InvalidValueError(
            f"fill is {fill!r:.40}",
            f"the array has dtype {dtype}",
            f"pass a number that it can hold, or one of {', '.join(map(repr, MIRRORS))}",
        )
    return made


def _is_same(x: _Mesh, y: _Mesh) -> bool:
    """Whether numbers are the same but for rounding to those of x, or both no numbers."""
    if x.dtype.kind in "fc" and np.can_cast(y.dtype, x.dtype, "same_kind"):
        return bool(np.all(np.isfinite(x) == np.isfinite(y)))
    return bool(np.all((x == y) | ((x != x) & (y != y))))  # noqa: PLR0124


def said(ends: Sequence[Pair | None]) -> str:
    """What lies beyond the ends, as all ranks must have it.

    >>> said(ends_of([0, ("edge", 1)], [True, False], np.dtype(float)))
    "[None, ['edge', 1.0]]"
    """
    return str(
        [pair and [x if isinstance(x, str) else x.item() for x in pair] for pair in ends]
    )


def require_seen(ends: Sequence[Pair | None], reach: Sequence[tuple[int, int]]) -> None:
    """Refuse mirrors that show more than a node has, which is as far as it reaches inwards.

    >>> require_seen([("symmetric", 0), None], [(2, 1), (3, 0)])
    """
    for axis, pair in enumerate(ends):
        if pair is None:
            continue
        for kind, out, back in zip(pair, reach[axis], reversed(reach[axis]), strict=True):
            if not isinstance(kind, str) or kind == "edge":
                continue
            need = out - (kind != "reflect")
            if back < need:
                raise InvalidValueError(
                    f"fill is {kind!r}, axis {axis} is left by {out}, and entered by {back}",
                    "mirrors show what is within reach",
                    f"let the reach to the other side be {need}, too",
                )


@dataclass(frozen=True, eq=False, slots=True)
class End:
    """What lies beyond an end of an axis of a mesh: rows that show others, or a number."""

    rows: _Mesh
    there: slice | IntArray
    of: slice | IntArray | None = None
    signs: _Mesh | None = None
    number: _Mesh | None = None

    def fill(self) -> None:
        """Show what is within, as it is now; or the number, whatever was written over it."""
        if self.of is None:
            self.rows[self.there] = self.number
            return
        shown = self.rows[self.of]
        self.rows[self.there] = shown if self.signs is None else shown * self.signs

    def add_back(self) -> None:
        """Add what was written here to what it shows; zero is left."""
        if self.of is not None:
            found = self.rows[self.there]
            added = found if self.signs is None else found * self.signs
            if isinstance(self.of, slice):
                self.rows[self.of] += added
            else:
                np.add.at(self.rows, self.of, added)
        self.rows[self.there] = 0


def framed(frame: Frame, ends: Sequence[Pair | None], like: _Mesh) -> tuple[_Mesh, list[End]]:
    """The mesh of a node in its frame, with numbers beyond the ends, and all its ends.

    It has components and dtype of the blocks that it is like, and in their order in memory.

    >>> from graycube.layout import Layout
    >>> from graycube.stencil import halo
    >>> exchange = halo(Layout.mesh((4,), nodes=(2,)), reach=2, periodic=False)
    >>> pair, blocks = ("antisymmetric", 9.0), np.zeros((2, 2))
    >>> mesh, ends = framed(Frame(exchange, 0), [pair], blocks)
    >>> mesh[2:] = [1, 2, 3, 4]
    >>> for end in ends:
    ...     end.fill()
    >>> mesh, framed(Frame(exchange, 1), [pair], blocks)[0]
    (array([-2., -1.,  1.,  2.,  3.,  4.]), array([0., 0., 0., 0., 9., 9.]))
    """
    payload = like.shape[2:]
    if apart(like):
        first = np.zeros((*payload, *frame.shape), like.dtype)
        mesh = np.moveaxis(first, range(len(payload)), range(-len(payload), 0))
    else:
        mesh = np.zeros((*frame.shape, *payload), like.dtype)
    made = list[End]()
    for axis, pair in enumerate(ends):
        if pair is None:
            continue
        along, rows = frame.axes[axis], np.moveaxis(mesh, axis, 0)
        for beyond, kind in zip(along.beyond, pair, strict=True):
            if not len(beyond):
                continue
            there = even(beyond)
            if not isinstance(kind, str):
                made.append(End(rows, there, number=kind))
                continue
            of, odd = along.mirrored(beyond, kind)
            signs = np.where(odd, -1, 1).astype(np.int8).reshape(-1, *[1] * (mesh.ndim - 1))
            made.append(End(rows, there, even(of), signs if kind == "antisymmetric" else None))
    for end in made:
        end.fill()
    return mesh, made
