"""Random numbers that depend on the index of an element alone: not on nodes, ranks, layouts.

Rules.

1. The whole array is what ``np.random.Generator(np.random.Philox(seed)).random(shape)`` gives.
   That generator counts: each value is made of its number, and any number may be the next.
2. A node draws stretches of values that have all that it holds, and takes what it needs. A gap
   of fewer than ``_GAP`` values costs less to draw than a new stretch.
3. A normal deviate is made of one value, by the inverse of the distribution function.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_ints
from graycube.layout.placement import Placement

_Array = NDArray[Any]
_GAP = 1 << 11
_MOST = 1 << 18  # values of a stretch
_AT_ONCE = 4  # values that are made of one count
_LEAST = 2.0**-54  # where 0 is taken to be, whose deviate would be infinite


def drawn(
    layout: Placement,
    nodes: range,
    seed: int | Sequence[int],
    payload: Sequence[int] = (),
    *,
    normal: bool = False,
) -> _Array:
    """Blocks of random numbers, from 0 to below 1, or with the normal distribution.

    >>> from graycube.layout import Layout
    >>> drawn(Layout.cyclic(2, 1), range(2), seed=7).ravel()[[0, 2, 1, 3]]
    array([0.46881749, 0.42614584, 0.3629817 , 0.23735391])
    >>> np.random.Generator(np.random.Philox(7)).random(4)
    array([0.46881749, 0.42614584, 0.3629817 , 0.23735391])
    """
    shape = require_ints(payload, "the payload")
    if min(shape, default=1) < 1:
        raise InvalidValueError(
            f"the payload is {shape}",
            "its lengths are at least 1",
            "pass payload=(3,) for vectors",
        )
    width = prod(shape)
    index = np.ravel_multi_index(layout.indices_on(nodes), layout.shape)
    flat = index.ravel()
    made = np.empty((len(flat), width))
    order = None if (np.diff(flat) > 0).all() else np.argsort(flat, kind="stable")
    places = flat if order is None else flat[order]
    for part in _stretches(places, width):
        first, last = int(places[part.start]), int(places[part.stop - 1])
        values = _values(seed, first * width, (last + 1 - first) * width).reshape(-1, width)
        made[part if order is None else order[part]] = values[places[part] - first]
    if normal:
        from scipy.special import ndtri  # noqa: PLC0415 - few programs need it

        made = ndtri(np.maximum(made, _LEAST, out=made), out=made)
    return made.reshape(*index.shape, *shape)


def _stretches(places: _Array, width: int) -> Iterator[slice]:
    """Parts of ascending places that are drawn at once."""
    far = np.diff(places) * width > _GAP
    cuts = np.flatnonzero(far | (np.diff(places * width // _MOST) > 0)) + 1
    ends = [0, *cuts.tolist(), len(places)]
    return (slice(*pair) for pair in pairwise(ends) if len(places))


def _values(seed: int | Sequence[int], start: int, count: int) -> _Array:
    """So many values of the generator, from the one with this number on."""
    bits = np.random.Philox(seed)
    bits.advance(start // _AT_ONCE)
    skip = start % _AT_ONCE
    return np.random.Generator(bits).random(skip + count)[skip:]


def require_seed(seed: object) -> None:
    """Refuse what NumPy takes for no seed, and None, which is another one on each rank.

    >>> require_seed([7, 0])
    """
    try:
        np.random.SeedSequence("None" if seed is None else seed)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        kind = InvalidValueError if isinstance(seed, int) else InvalidTypeError
        raise kind(
            f"seed is {seed!r:.60}",
            "it is a whole number from 0, or several, the same on all ranks",
            "pass seed=7, or seed=[7, step] for the fields of a step",
        ) from None
