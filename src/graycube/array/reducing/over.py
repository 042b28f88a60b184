"""The axes that a reduction is over, and what follows from them for the blocks of a layout."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import SupportsIndex

from graycube.array.held import Held
from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.gf2.span import reduced_basis
from graycube.layout import Layout
from graycube.layout.placement import Placement
from graycube.run.agreement import Facts

Axes = SupportsIndex | Sequence[SupportsIndex] | None
_KEPT = 64  # shapes or layouts, and axes


@dataclass(frozen=True, slots=True)
class Over:
    """Axes that are reduced: those of the layout, and those of the payload, from 0 each.

    >>> Over((0, 1), (0,), keepdims=False).payload
    (0,)
    """

    layout: tuple[int, ...]
    payload: tuple[int, ...]
    keepdims: bool

    def counted(self, d: int) -> tuple[int, ...]:
        """The axes as users count them, after d of the layout."""
        return (*self.layout, *(d + k for k in self.payload))


def over_axes(a: Held, axis: Axes, *, keepdims: bool = False) -> Over:
    """The axes that NumPy's ``axis`` names; all of them for None.

    >>> import numpy as np
    >>> over_axes(Held(np.zeros((2, 4, 3)), Layout.mesh((4, 2), nodes=(2, 1))), (0, -1))
    Over(layout=(0,), payload=(0,), keepdims=False)
    """
    if axis is None or type(axis) is int:
        return _over_one(len(a.layout.shape), a.shape, axis, keepdims=keepdims)
    return _over(len(a.layout.shape), a.shape, axis, keepdims=keepdims)


def _over(d: int, shape: tuple[int, ...], axis: Axes, *, keepdims: bool) -> Over:
    """The same of an array of some shape, whose first d axes are those of the layout."""
    ndim = len(shape)
    every = range(ndim)
    given = every if axis is None else axis if isinstance(axis, Sequence) else (axis,)
    axes = [require_int(k, "axis") for k in given]
    if not all(-ndim <= k < ndim for k in axes):
        raise OutOfRangeError(
            f"axis is {axis}",
            f"an array of shape {shape} has {ndim} axes",
            f"use {-ndim}..{ndim - 1}",
        )
    found = sorted({k % ndim for k in axes})
    if len(found) != len(axes):
        raise InvalidValueError(f"axis is {axis}", "an axis is named twice", "name it once")
    inside = tuple(k for k in found if k < d)
    return Over(inside, tuple(k - d for k in found if k >= d), bool(keepdims))


_over_one = lru_cache(maxsize=_KEPT)(_over)


@dataclass(frozen=True, slots=True, eq=False)
class Reducing:
    """What is done about axes of all arrays of one layout and payload, on some nodes.

    These ``axes`` of the layout are gone, and some of the payload.
    A block has the shape ``digits``, payload included, and is reduced ``along`` some of these,
    which may be ``empty``. Then it has the shape ``kept``. Changes of a node by ``steps`` lead
    to all that share the result. That is in the layout ``left``; if there is none it is plain.
    """

    facts: Facts
    axes: tuple[int, ...]
    digits: tuple[int, ...]
    along: tuple[int, ...]
    empty: bool
    kept: tuple[int, ...]
    steps: tuple[int, ...]
    left: Placement | None


@lru_cache(maxsize=_KEPT)
def way_of(layout: Placement, nodes: range, payload: tuple[int, ...], over: Over) -> Reducing:
    """The way of a reduction.

    >>> layout = Layout.mesh((4, 8), nodes=(2, 1))
    >>> way = way_of(layout, range(1), (3,), Over((0,), (), keepdims=False))
    >>> way.digits, way.along, way.kept, way.steps
    ((2, 8, 3), (0,), (8, 3), (1,))
    """
    gone, inner = over.layout, over.payload
    digits = layout.digits_on(nodes) if gone else ((-1, layout.held_shape(nodes)[1]),)
    shape = (*(length for _, length in digits), *payload)
    places = (k for k, (owner, _) in enumerate(digits) if owner in gone)
    along = (*places, *(len(digits) + k for k in inner))
    slots = prod(length for owner, length in digits if owner not in gone)
    kept = ((k in inner, length) for k, length in enumerate(payload))
    sizes = (1 if out else length for out, length in kept if over.keepdims or not out)
    left: Placement | None = layout
    if gone:
        plain = not over.keepdims and len(gone) == len(layout.shape)
        left = None if plain else layout.without_axes(gone, keepdims=over.keepdims)
    return Reducing(
        {
            "operation": "reduction",
            "layout": layout,
            "payload": payload,
            "axis": over.counted(len(layout.shape)),
            "keepdims": over.keepdims,
        },
        gone,
        shape,
        along,
        not prod(shape[k] for k in along),
        (slots, *sizes),
        sharing_steps(layout, gone) if isinstance(layout, Layout) else (),
        left,
    )


def sharing_steps(layout: Layout, axes: Sequence[int]) -> tuple[int, ...]:
    """The changes of node that lead to all nodes that share what is left of some axes.

    >>> sharing_steps(Layout.mesh((8, 8), nodes=(4, 2), code="gray"), (0,))
    (4, 2)
    """
    bits = (bit for axis in axes for bit in layout.word_bits(axis))
    return tuple(reduced_basis(layout.node_change(1 << bit) for bit in bits))
