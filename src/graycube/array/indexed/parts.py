"""Arrays parted, joined and turned by their axes, with what takes and joins elements.

Rules.

1. Axes of length 1 come and go without messages where every node has what is on them.
2. What has another length along an axis of the layout goes where :mod:`.assembling` puts
   it. Parts of the payload share memory, as NumPy's views do.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np

from graycube.array.held import Held
from graycube.array.indexed.assembling import again, chosen
from graycube.array.indexed.choosing import FEW, agree, axis_of, concatenated, flip, take
from graycube.array.payload import ordered_by, stack
from graycube.array.reducing.over import Axes, over_axes
from graycube.errors import InvalidValueError
from graycube.layout.indices import Indices
from graycube.layout.required import require_axis

_H = TypeVar("_H", bound=Held)


def squeeze(a: Held, axis: Axes = None) -> Any:  # noqa: ANN401 - an array, or plain
    """The array without axes of length 1, as ``numpy.squeeze``; collective.

    Without any axis of its layout it is a plain number or payload, on all ranks.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 2)), Layout.mesh((4, 1), nodes=(2, 1)))
    >>> squeeze(a).shape, squeeze(a.with_blocks(a.blocks[..., None]), -1).shape
    ((4,), (4, 1))
    """
    over = over_axes(a, axis)
    d = len(a.layout.shape)
    axes = over.counted(d)
    if axis is None:
        axes = tuple(k for k in axes if a.shape[k] == 1)
    if wrong := [k for k in axes if a.shape[k] != 1]:
        raise InvalidValueError(
            f"axis {wrong[0]} has {a.shape[wrong[0]]} elements",
            "an axis of one element can be left out",
            "use np.take(u, 0, axis), or u.mean(axis)",
        )
    made: Any = a.with_blocks(a.blocks.squeeze(tuple(2 + k - d for k in axes if k >= d)))
    for k in sorted((k for k in axes if k < d), reverse=True):
        layout = made.layout
        if len(layout.shape) > 1 and getattr(layout.axes[k], "parts", 1) == 1:
            made = made.with_blocks(made.blocks, layout.without_axes([k]))
        else:
            made = take(made, 0, k)
    return made


def expand_dims(a: _H, axis: int | Sequence[int]) -> _H:
    """The array with new axes of length 1 in these places, as ``numpy.expand_dims``.

    Nothing is sent. Behind the axes of the layout they are payload.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,)))
    >>> expand_dims(a, 0).shape, expand_dims(a, (0, -1)).layout.shape
    ((1, 4), (1, 4))
    """
    given = [*axis] if isinstance(axis, Sequence) else [axis]
    places = sorted({require_axis(k, a.ndim + len(given)) for k in given})
    if len(places) < len(given):
        raise InvalidValueError(f"axis is {axis}", "a place is named twice", "name it once")
    for k in places:
        d = len(a.layout.shape)
        if k < d:
            layout = a.layout.raised(1).permuted([*range(1, k + 1), 0, *range(k + 1, d + 1)])
            a = a.with_blocks(a.blocks, layout)
        else:
            a = a.with_blocks(np.expand_dims(a.blocks, 2 + k - d))
    return a


def at_least(count: int, a: _H) -> _H:
    """The array with so many axes, as ``numpy.atleast_3d`` and its relatives have it.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,)))
    >>> [at_least(n, a).shape for n in (1, 2, 3)]
    [(4,), (1, 4), (1, 4, 1)]
    """
    if a.ndim == 1 < count:
        a = expand_dims(a, 0)
    return expand_dims(a, -1) if a.ndim < count else a


def tile(a: _H, reps: int | Sequence[int]) -> _H:
    """The array again and again along axes, as ``numpy.tile``; collective.

    >>> from graycube.layout import Layout
    >>> tile(Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,))), 2).shape
    (8,)
    """
    agree("tile", a, reps=reps)
    times = [*reps] if isinstance(reps, Sequence | np.ndarray) else [reps]
    a = expand_dims(a, range(max(len(times) - a.ndim, 0)))
    times = [1] * (a.ndim - len(times)) + times
    d = len(a.layout.shape)
    a = a.with_blocks(np.tile(a.blocks, (1, 1, *times[d:])))
    lengths = {
        k: (m, n) for k, (m, n) in enumerate(zip(a.shape, times[:d], strict=False)) if n != 1
    }
    if not 0 < prod(times[:d]) <= FEW:
        along = {k: np.tile(np.arange(m), n) for k, (m, n) in lengths.items()}
        return chosen(a, {k: Indices.of(each) for k, each in along.items()})
    starts = {k: range(0, m * n, m) for k, (m, n) in lengths.items()}
    return again(a, {k: [range(j, j + at.step) for j in at] for k, at in starts.items()})


def rot90(a: Held, k: int = 1, axes: Sequence[int] = (0, 1)) -> Any:  # noqa: ANN401
    """The array turned by right angles in the plane of two axes, as ``numpy.rot90``.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1, 2], [3, 4]]), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> a.layout.gather(a.blocks).tolist(), (turned := rot90(a)).layout.gather(turned.blocks)
    ([[1, 2], [3, 4]], array([[2, 4],
           [1, 3]]))
    """
    agree("rot90", a, k=k, axes=axes)
    plane = {require_axis(axis, a.ndim): None for axis in axes}  # in this order
    if len(plane) != 2 or len(axes) != 2:
        raise InvalidValueError(
            f"axes is {axes}", "a plane has two axes, and none is named twice", "name two"
        )
    (one, other), swapped = plane, ordered_by(np.swapaxes)
    if k % 4 == 2:
        return flip(a, [one, other])
    if k % 4 == 1:
        return swapped(flip(a, other), one, other)
    if k % 4 == 3:
        return flip(swapped(a, one, other), other)
    return a.with_blocks(a.blocks.copy("K"))


def parted(
    ary: Held,
    indices_or_sections: Any,  # noqa: ANN401 - as NumPy's
    axis: int = 0,
    *,
    even: bool = True,
) -> list[Any]:
    """Parts of an array along an axis, as ``numpy.split``, or ``array_split``; collective.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> [part.shape for part in parted(a, [1])]
    [(1,), (3,)]
    """
    agree("split", ary, sections=indices_or_sections, axis=axis)
    k, d = require_axis(axis, ary.ndim), len(ary.layout.shape)
    cut = np.split if even else np.array_split
    parts = cut(np.arange(ary.shape[k]), indices_or_sections)
    if k < d:
        return [take(ary, part, k) for part in parts]
    ends = [slice(part[0], part[-1] + 1) if len(part) else slice(0, 0) for part in parts]
    lead = (slice(None),) * (2 + k - d)
    return [ary.with_blocks(ary.blocks[(*lead, part)]) for part in ends]


def unstacked(a: Held, axis: int = 0) -> tuple[Any, ...]:
    """All that there is along an axis, one by one, as ``numpy.unstack``; collective.

    >>> from graycube.layout import Layout
    >>> x, y = unstacked(Held(np.zeros((2, 2, 2)), Layout.mesh((4,), nodes=(2,))), -1)
    >>> x.shape
    (4,)
    """
    k = require_axis(axis, a.ndim)
    return tuple(squeeze(part, k) for part in parted(a, a.shape[k], k))


def without(a: Held, obj: Any, axis: int | None = None) -> Any:  # noqa: ANN401
    """The array without what an index names along an axis, as ``numpy.delete``; collective.

    >>> from graycube.layout import Layout
    >>> without(Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,))), [0]).shape
    (3,)
    """
    agree("delete", a, obj=repr(obj) if isinstance(obj, slice) else obj)
    k = axis_of("delete", a, axis)
    return take(a, np.delete(np.arange(a.shape[k]), obj), k)


def compressed(condition: Any, a: Held, axis: int | None = None) -> Any:  # noqa: ANN401
    """What is where a plain condition is true along an axis, as ``numpy.compress``; collective.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> compressed([True, False, True], a).shape
    (2,)
    """
    agree("compress", a, condition=condition)
    k = axis_of("compress", a, axis)
    return take(a, np.compress(condition, np.arange(a.shape[k])), k)


def side_by_side(arrays: Sequence[Any]) -> Any:  # noqa: ANN401
    """Arrays joined along the second axis, or the only one, as ``numpy.hstack``; collective.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> side_by_side([a, a]).shape
    (2, 4)
    """
    given = [*arrays]
    return concatenated(given, 0 if np.ndim(given[0]) == 1 else 1)


def below(arrays: Sequence[Any]) -> Any:  # noqa: ANN401
    """Arrays joined along the first axis, lines as rows, as ``numpy.vstack``; collective.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> below([a, a]).shape
    (2, 4)
    """
    rows = [expand_dims(x, 0) if isinstance(x, Held) and x.ndim == 1 else x for x in arrays]
    return concatenated(rows, 0)


def behind(axis: int, arrays: Sequence[Any]) -> Any:  # noqa: ANN401
    """Arrays joined along an axis, or a new one, which is payload; collective.

    So does ``numpy.column_stack`` with the second axis, and ``numpy.dstack`` with the third.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> behind(1, [a, a]).shape
    (4, 2)
    """
    given = [*arrays]
    return stack(given) if np.ndim(given[0]) == axis else concatenated(given, axis)


def appended(arr: Any, values: Any, axis: int | None = None) -> Any:  # noqa: ANN401
    """One array after the other, as ``numpy.append``; collective.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[5, 6], [7, 8]]), Layout.mesh((4,), nodes=(2,)))
    >>> appended(a, a).shape
    (8,)
    """
    like = arr if isinstance(arr, Held) else values
    return concatenated([arr, values], axis_of("append", like, axis))
