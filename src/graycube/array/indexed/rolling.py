"""Elements that go so much farther along axes, around their ends: an exchange."""

from collections.abc import Sequence
from typing import SupportsIndex, TypeVar

import numpy as np

from graycube.array.held import Held
from graycube.array.indexed.here import of_box, stays
from graycube.array.local import local
from graycube.array.moving import rolled
from graycube.array.ranks import spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError
from graycube.gf2 import require_ints
from graycube.layout.required import require_axis
from graycube.run.agreement import Facts, told_again

_H = TypeVar("_H", bound=Held)
_Ints = SupportsIndex | Sequence[SupportsIndex]
_Shift = tuple[int, ...]
_Prepared = tuple[tuple[_Shift, _Shift], Facts]


def roll(a: _H, shift: _Ints, axis: _Ints | None = None) -> _H:
    """The array with its elements so much farther along axes, as ``numpy.roll``; collective.

    Along axes of the layout, all that goes to another node goes there at once. Stencils are
    quicker with ``CubeArray.halo``.

    >>> from graycube.layout import Layout
    >>> roll(Held(np.array([[5], [6]]), Layout.nodes(1)), 1).blocks.tolist()
    [[6], [5]]
    """

    def prepare() -> _Prepared:
        steps = _steps(a, shift, axis)
        if spread(a.comm) is not None:
            require_plain(a.dtype)
        return steps, told_again(
            operation="roll",
            layout=a.layout,
            payload=a.payload,
            dtype=a.dtype,
            shift=steps,
        )

    inside, along = together(a.comm, prepare)
    axes = tuple(k for k, step in enumerate(inside) if step)
    if spread(a.comm) is not None and stays(a.layout, a.layout, axes):
        return of_box(a, np.roll(local(a), (*inside, *along), (*range(a.ndim),)), a.layout)
    blocks = rolled(a.blocks, a.layout, inside, a.comm)
    if any(along):
        blocks = np.roll(blocks, along, tuple(range(2, blocks.ndim)))
    return a.with_blocks(blocks)


def _steps(a: Held, shift: _Ints, axis: _Ints | None) -> tuple[_Shift, _Shift]:
    """How far along each axis of the layout, and of the payload."""
    if axis is None and a.ndim > 1:
        raise InvalidValueError(
            f"axis is None for an array of shape {a.shape}",
            "an array over nodes is not flattened",
            "name the axes, such as axis=0",
        )
    axes = [0] if axis is None else [*require_ints(axis, "axis")]
    shifts = [*require_ints(shift, "shift")]
    if len(shifts) == 1:
        shifts *= len(axes)
    axes = axes * len(shifts) if len(axes) == 1 else axes
    if len(axes) != len(shifts):
        raise InvalidValueError(
            f"shift has {len(shifts)} entries and axis has {len(axes)}",
            "each axis needs its shift",
            "pass one shift for all, or one for each",
        )
    steps = [0] * a.ndim
    for k, step in zip(axes, shifts, strict=True):
        steps[require_axis(k, a.ndim)] += step
    d = len(a.layout.shape)
    return (*steps[:d],), (*steps[d:],)
