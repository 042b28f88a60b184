"""Arguments that transforms share: lengths to pad or cut to, and where the result goes."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from graycube.array import CubeArray
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.lines import resized_layout
from graycube.gf2 import require_int
from graycube.layout import Layout


def complex_dtype(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    """The dtype of the result, as NumPy's: what floats keep their precision, from single on."""
    if dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"the array has dtype {dtype}", "numbers are needed", "convert it with astype"
        )
    return np.result_type(dtype, 1j)


def require_array(a: object) -> None:
    """Refuse what is no CubeArray."""
    if not isinstance(a, CubeArray):
        raise InvalidTypeError(
            f"got a {type(a).__name__}",
            "a transform works on a CubeArray",
            "use CubeArray.from_numpy(x, layout), or graycube.jax.fft for arrays of JAX",
        )


def require_lengths(
    layout: Layout, axes: Sequence[int], s: Sequence[int] | None
) -> dict[int, int]:
    """The number of points that are transformed along each axis; -1 is all there are.

    >>> require_lengths(Layout.mesh((4, 6), nodes=(2, 1)), [0, 1], (8, -1))
    {0: 8, 1: 6}
    """
    lengths = {axis: layout.shape[axis] for axis in axes}
    if s is None:
        return lengths
    if not isinstance(s, Sequence):
        raise InvalidTypeError(f"s is {s!r:.60}", "it must be a sequence", "pass a tuple")
    if len(s) != len(axes):
        raise InvalidValueError(
            f"s has {len(s)} entries for {len(axes)} axes",
            "each axis of the transform needs its number of points",
            "name as many axes, or use -1 for all points of an axis",
        )
    wanted = {axis: _points(length) for axis, length in zip(axes, s, strict=True)}
    if len(wanted) < len(axes):
        raise InvalidValueError(
            f"an axis is named twice in {tuple(axes)}",
            "its number of points is given once",
            "transform it again in a call of its own",
        )
    return lengths | {axis: length for axis, length in wanted.items() if length > 0}


def _points(given: int) -> int:
    points = require_int(given, "the number of points")
    if points < 1 and points != -1:
        raise InvalidValueError(
            f"the number of points is {points}",
            "a transform has one point at least",
            "use -1 for all points of the axis",
        )
    return points


def resized_home(layout: Any, lengths: dict[int, int]) -> Any:  # noqa: ANN401 - of either kind
    """The layout that comes of new lengths along some axes, in natural order.

    >>> print(resized_home(Layout.mesh((4, 4), nodes=(2, 1)), {1: 6}))
    (b0:0 b1:0 || b0:1) x 3 on axis 1
    """
    return reduce(lambda now, axis: resized_layout(now, axis, lengths[axis]), lengths, layout)


def require_out(out: object, a: CubeArray, shape: Sequence[int], dtype: DTypeLike) -> None:
    """Refuse what cannot take a result of this shape, payload included, and dtype.

    >>> a = CubeArray.from_numpy([1, 2], Layout.nodes(1))
    >>> require_out(a, a, (2,), complex)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: out has dtype int64: the result has dtype complex128;
    make an array of that dtype
    """
    if out is None:
        return
    if not isinstance(out, CubeArray):
        raise InvalidTypeError(
            f"out is a {type(out).__name__}",
            "it must be a CubeArray",
            "pass one, or leave out away",
        )
    nodes, wanted = out.layout.node_count, a.layout.node_count
    if out.shape != tuple(shape) or out.comm is not a.comm or nodes != wanted:
        raise InvalidValueError(
            f"out has shape {out.shape}, on {nodes} nodes",
            f"the result has shape {tuple(shape)}, on the {wanted} nodes of the array",
            "make an array of that shape on the same nodes",
        )
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise InvalidTypeError(
            f"out has dtype {out.dtype}",
            f"the result has dtype {np.dtype(dtype)}",
            "make an array of that dtype",
        )


def delivered(result: CubeArray, out: CubeArray | None) -> CubeArray:
    """The result, or ``out`` with its elements, in the layout that ``out`` has.

    >>> a, b = (CubeArray.from_numpy([k, 2], Layout.nodes(1, "gray")) for k in (1, 3))
    >>> delivered(a, b) is b, b.to_numpy().tolist()
    (True, [1, 2])
    """
    if out is None:
        return result
    same = out.layout == result.layout
    out.blocks[...] = (result if same else result.relayout(out.layout)).blocks
    return out
