"""Differences and integrals along axes, as NumPy has them, by a halo or a weighted sum.

Rules; all are collective.

1. A derivative along an axis of the layout is NumPy's of the run that a node has, and of one or
   two elements before it and behind, which are fetched.
2. An integral is a sum of what is multiplied by weights.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.elementwise import element_by_element
from graycube.array.halo.window import Window, window
from graycube.array.held import Held
from graycube.array.indexed.assembling import chosen, with_length
from graycube.array.indexed.choosing import agree, concatenated, take
from graycube.array.indexed.here import of_box, stays
from graycube.array.local import local
from graycube.array.moving import as_product, brought
from graycube.array.payload import along_payload
from graycube.array.ranks import spread, together
from graycube.array.reducing.reductions import reduced
from graycube.array.results import made_of
from graycube.array.scanning.scans import cumsum
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.layout.lines import in_runs
from graycube.layout.required import require_axis
from graycube.run.agreement import Facts

_H = TypeVar("_H", bound=Held)
_Line = NDArray[Any]


def thin(a: _H, axis: int, line: _Line) -> _H:
    """A plain line along an axis of the layout of an array, of length 1 along the others.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 2)), Layout.mesh((2, 2), nodes=(2, 1)))
    >>> thin(a, 0, np.array([5, 6])).shape, thin(a, 0, np.array([5, 6])).blocks.tolist()
    ((2, 1), [[5], [6]])
    """
    others = [k for k in range(len(a.layout.shape)) if k != axis]
    layout = a.layout.without_axes(others, keepdims=True) if others else a.layout
    return a.with_blocks(line[layout.indices_on(a.nodes)[axis]], layout)


def diff(
    a: _H,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,  # noqa: ANN401 - a number or an array
    append: Any = None,  # noqa: ANN401
) -> _H:
    """Each element less the one before it along an axis, so many times, as ``numpy.diff``.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1, 4], [9, 16]]), Layout.mesh((4,), nodes=(2,)))
    >>> diff(a).blocks.tolist(), diff(a, prepend=0, append=9).blocks.tolist()
    ([[3, 5, 7]], [[1, 3, 5, 7, -7]])
    """
    plain: list[Any] = [None if isinstance(end, Held) else end for end in (prepend, append)]
    agree("diff", a, n=n, axis=axis, ends=plain)
    k, d = require_axis(axis, a.ndim), len(a.layout.shape)
    for end in plain:
        if np.ndim(end):
            raise InvalidTypeError(
                f"a plain array of shape {np.shape(end)} is to be before or behind",
                "that is one number, or an array over the same nodes",
                "use CubeArray.from_numpy(x, layout)",
            )
    if n:
        parts = [_beside(a, k, end) for end in (prepend, a, append) if end is not None]
        a = concatenated(parts, k) if len(parts) > 1 else a
    if k >= d:
        return along_payload(np.diff, a, k, n)
    if not 0 <= n < a.shape[k]:
        raise InvalidValueError(
            f"n is {n} along axis {k} of {a.shape[k]} elements",
            "an array over nodes has one element at least along each axis",
            f"use n in 0..{a.shape[k] - 1}",
        )
    length = a.shape[k]
    target = with_length(a.layout, k, length - n)
    if spread(a.comm) is None or stays(a.layout, target, (k,)):
        return of_box(a, np.diff(local(a), n, k), target)
    less = np.not_equal if a.dtype == bool else np.subtract
    for _ in range(n):
        w = window(a, _reach(d, k, 0, 1), periodic=False, corners=False, fill=0)
        a = of_box(a, made_of(less, [_seen(w, k, 1), local(a)], {}), a.layout)
    return chosen(a, {k: range(length - n)})


def gradient(f: _H, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:  # noqa: ANN401
    """The derivatives along axes, as ``numpy.gradient``: one array, or a tuple of some.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1.0, 4], [9, 16]]), Layout.mesh((4,), nodes=(2,)))
    >>> gradient(a).blocks.tolist(), gradient(a, 0.5, edge_order=2).blocks.tolist()
    ([[3.0, 4.0], [6.0, 7.0]], [[4.0, 8.0], [12.0, 16.0]])
    """
    agree("gradient", f, spacings=varargs, axis=axis, edge_order=edge_order)
    edge_order = require_int(edge_order, "edge_order")
    if f.dtype.kind == "b":
        raise InvalidTypeError(
            "the array has dtype bool", "truth values are not subtracted", "use u.astype(float)"
        )
    d = len(f.layout.shape)
    given = range(f.ndim) if axis is None else axis if isinstance(axis, Sequence) else [axis]
    axes = [require_axis(k, f.ndim) for k in given]
    spacings = [*(varargs or [1.0])]
    if len(spacings) == 1 and np.ndim(spacings[0]) == 0:
        spacings *= len(axes)
    if len(spacings) != len(axes):
        raise InvalidTypeError(
            f"{len(spacings)} spacings are given for {len(axes)} axes",
            "one number is for all axes, or there is a number or a line for each",
            "pass as many, or name axes with axis=",
        )
    made = tuple(
        f.with_blocks(np.gradient(f.blocks, dx, axis=k - d + 2, edge_order=edge_order))
        if k >= d
        else _derivative(f, k, dx, edge_order)
        for k, dx in zip(axes, spacings, strict=True)
    )
    return made[0] if len(made) == 1 else made


def unwrap(
    p: _H,
    discont: float | None = None,
    axis: int = -1,
    *,
    period: float = 2 * np.pi,
) -> _H:
    """Angles without jumps along an axis, as ``numpy.unwrap``.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[1, 4], [0, 3]]), Layout.mesh((4,), nodes=(2,)))
    >>> unwrap(a, period=5).blocks.tolist()
    [[1, -1], [0, -2]]
    """
    agree("unwrap", p, discont=discont, axis=axis, period=period)
    k, d = require_axis(axis, p.ndim), len(p.layout.shape)
    if k >= d:
        return p.with_blocks(np.unwrap(p.blocks, discont, k - d + 2, period=period))
    w = window(p, _reach(d, k, 1, 0), periodic=False, corners=False, fill=0)
    first = thin(p, k, np.arange(p.shape[k]) == 0)

    def turns(x: Any, before: Any, first: Any) -> Any:  # noqa: ANN401 - arrays
        pair = np.unwrap(np.stack([before, x]), discont, 0, period=period)
        return np.where(first, pair.dtype.type(0), pair[1] - x).astype(pair.dtype)

    jumps: _H = element_by_element(turns, [p, w[_step(d, k, -1)], first], {})
    found: _H = element_by_element(np.add, [p, cumsum(jumps, k)], {})
    return found.astype(jumps.dtype, copy=False)


def _derivative(f: _H, axis: int, spacing: Any, edge_order: Any) -> _H:  # noqa: ANN401
    """What NumPy gives for the run of each node, with a few elements around it (rule 1)."""
    np.gradient(
        np.zeros(f.shape[axis]), spacing, edge_order=edge_order
    )  # raises what NumPy does
    layout = f.layout
    if spread(f.comm) is None or stays(layout, layout, (axis,)):
        box = local(f)

        def here() -> tuple[_Line, Facts]:
            return np.gradient(box, spacing, axis=axis, edge_order=edge_order), {}

        return of_box(f, together(f.comm, here), layout)
    d, runs = len(layout.shape), in_runs(as_product(layout), axis)
    in_a_row = brought(f, runs)
    reach = _reach(d, axis, edge_order, edge_order)
    w = window(in_a_row, reach, periodic=False, corners=False, fill=0)
    own = runs.piece(f.nodes).coordinates[axis]
    found = together(f.comm, lambda: (_of_run(w, axis, own, spacing, edge_order), {}))
    return brought(of_box(in_a_row, found, runs), layout)


def _of_run(
    w: Window[Any],
    axis: int,
    own: _Line,
    spacing: Any,  # noqa: ANN401
    edge_order: Any,  # noqa: ANN401
) -> _Line:
    """The derivative in the run of this node; at the ends of the axis nothing is around it."""
    (mesh,), (places,) = w.meshes, w.places([0] * len(w.halo.reach))
    if not mesh[places].size:  # the places are no slices then
        return mesh[places].astype(np.gradient(np.zeros(2, mesh.dtype)).dtype)
    first, end, length = int(own[0]), int(own[-1]) + 1, w.halo.layout.shape[axis]
    before, behind = min(edge_order, first), min(edge_order, length - end)
    along = places[axis]
    rows = slice(along.start - before, along.stop + behind)
    part = mesh[(*places[:axis], rows, *places[axis + 1 :])]
    points = spacing if np.ndim(spacing) == 0 else spacing[first - before : end + behind]
    found: _Line = np.gradient(part, points, axis=axis, edge_order=edge_order)
    return found[(*(slice(None),) * axis, slice(before, before + len(own)))]


def _seen(w: Window[_H], axis: int, step: int) -> _Line:
    """What is so many steps on along an axis from each element here, in the order of index."""
    (mesh,), (places,) = w.meshes, w.places(_step(len(w.halo.reach), axis, step))
    seen: _Line = mesh[places]
    return seen


def _beside(a: _H, axis: int, end: Any) -> Held:  # noqa: ANN401 - a number or an array
    """What stands before or behind an array along an axis: an array, or one number all along.

    A number has the dtype that NumPy gives it by itself.
    """
    if isinstance(end, Held):
        return end
    first: Held = take(a, [0], axis)
    return first.with_blocks(np.full_like(first.blocks, end, np.asarray(end).dtype))


def _reach(d: int, axis: int, below: int, above: int) -> list[Any]:
    return [(below, above) if k == axis else 0 for k in range(d)]


def _step(d: int, axis: int, step: int) -> list[int]:
    return [step if k == axis else 0 for k in range(d)]


def trapezoid(y: Held, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:  # noqa: ANN401
    """The integral along an axis by the trapezoidal rule, as ``numpy.trapezoid``.

    ``x`` is None or a plain line of the points. Integers and truth values are added as floats,
    which do not overflow.

    >>> from graycube.layout import Layout
    >>> trapezoid(Held(np.array([[1, 4], [9, 16]]), Layout.mesh((4,), nodes=(2,))))
    np.float64(21.5)
    """
    agree("trapezoid", y, x=x, dx=dx, axis=axis)
    k, d = require_axis(axis, y.ndim), len(y.layout.shape)
    if np.shape(x) not in {(), y.shape[k : k + 1]} or np.ndim(dx):
        raise InvalidValueError(
            f"x has shape {np.shape(x)} and dx has shape {np.shape(dx)}",
            f"x is a plain line of {y.shape[k]} points, and dx a number",
            "for others, sum what you multiply by weights: (y * weights).sum(axis)",
        )
    if k >= d:
        return y.with_blocks(np.trapezoid(y.blocks, x, dx, k - d + 2))

    def of() -> Held:
        steps: Any = dx if x is None else np.diff(x)
        weights = np.zeros(y.shape[k])
        weights[1:] += steps / 2
        weights[:-1] += steps / 2
        dtype = np.result_type(np.zeros((), y.dtype) / 2, steps)
        values = y if y.shape[k] > 1 else y.with_blocks(np.zeros_like(y.blocks))
        found: Held = element_by_element(
            np.multiply, [values, thin(y, k, weights)], {"dtype": dtype}
        )
        return found

    return reduced(y, np.add, k, of=of)
