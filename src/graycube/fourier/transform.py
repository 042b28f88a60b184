"""Fast Fourier transforms of distributed arrays, with NumPy's signs, norms and names."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, together
from graycube.bounds import exchanged_dims
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.fourier.along import along
from graycube.gf2 import require_int
from graycube.layout import Layout

_T = TypeVar("_T")
Norm = Literal["backward", "ortho", "forward"]
Order = Literal["any", "natural"]


def fft(
    a: CubeArray, axis: int = -1, norm: Norm | None = None, *, order: Order = "any"
) -> CubeArray:
    """The discrete Fourier transform along one axis of the layout; payload is not counted.

    The result is in whatever layout costs nothing more, and carries it.
    ``order="natural"`` brings it back to the layout of ``a``, at the price of a relayout.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.cyclic(3, 2, nodes="gray"))
    >>> y = fft(x)
    >>> np.allclose(y.to_numpy(), np.fft.fft(np.arange(8)))
    True
    >>> print(y.layout)
    (b2 || b1 b0)
    """
    return fftn(a, (axis,), norm, order=order)


def ifft(
    a: CubeArray, axis: int = -1, norm: Norm | None = None, *, order: Order = "any"
) -> CubeArray:
    """The inverse transform along one axis.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.cyclic(3, 2, nodes="gray"))
    >>> np.allclose(ifft(fft(x)).to_numpy(), np.arange(8))
    True
    """
    return ifftn(a, (axis,), norm, order=order)


def fft2(
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The transform along two axes.

    >>> from graycube.layout import Layout
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((4, 3), nodes=(2, 1)))
    >>> np.allclose(fft2(a).to_numpy(), np.fft.fft2(x))
    True
    """
    return fftn(a, axes, norm, order=order)


def ifft2(
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The inverse transform along two axes.

    >>> from graycube.layout import Layout
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((4, 3), nodes=(2, 1)))
    >>> np.allclose(ifft2(fft2(a)).to_numpy(), x)
    True
    """
    return ifftn(a, axes, norm, order=order)


def fftn(
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The transform along several axes of the layout, by default along all of them.

    >>> from graycube.layout import Layout
    >>> x = np.random.default_rng(0).standard_normal((20, 8, 2))  # the last axis is payload
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 8), nodes=(2, 4), code="gray"))
    >>> np.allclose(fftn(a).to_numpy(), np.fft.fftn(x, axes=(0, 1)))
    True
    """
    return _transform(a, axes, norm, order, inverse=False)


def ifftn(
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The inverse transform along several axes.

    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 4), code="gray"))
    >>> np.allclose(ifftn(fftn(a)).to_numpy(), np.eye(4))
    True
    """
    return _transform(a, axes, norm, order, inverse=True)


def _transform(
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order,
    *,
    inverse: bool,
) -> CubeArray:
    def check() -> tuple[list[int], np.dtype[np.generic]]:
        _require_word(order, get_args(Order), "order")
        require_norm(norm)
        return require_axes(a.layout, axes), complex_dtype(a.dtype)

    what = "inverse transform" if inverse else "transform"
    chosen, dtype = all_agree(a, what, check, axes=axes, norm=norm, order=order)
    blocks, layout = a.blocks.astype(dtype, copy=False), a.layout
    while chosen:
        axis = min(chosen, key=partial(_spread, layout))
        chosen.remove(axis)
        planned = along(
            layout, axis, dtype.name, nodes=a.nodes, inverse=inverse, later=tuple(chosen)
        )
        ours = not np.may_share_memory(blocks, a.blocks)
        blocks, layout = planned.run(blocks, a.comm, ours=ours), planned.result
        blocks = scale(blocks, a.layout.shape[axis], norm, inverse=inverse)
    if np.may_share_memory(blocks, a.blocks):  # nothing was to be done
        blocks = blocks.copy()
    result = CubeArray(blocks, layout, a.comm)
    return result.relayout(a.layout) if order == "natural" else result


def _spread(layout: Layout, axis: int) -> int:
    """Over how many dimensions an axis is spread: those in memory are transformed first."""
    return len(exchanged_dims(layout, axis))


def scale(
    blocks: NDArray[Any], points: int, norm: Norm | None, *, inverse: bool
) -> NDArray[Any]:
    """The blocks of one transformed axis, scaled in place as its norm says.

    Axis by axis, so that nothing overflows on the way.
    """
    require_norm(norm)
    whole = norm == ("backward" if inverse else "forward") or (norm is None and inverse)
    if points > 1 and (whole or norm == "ortho"):
        real = blocks.real.dtype.type
        blocks = np.ascontiguousarray(blocks)
        parts = blocks.view(real)  # a complex division of what is infinite gives nan
        parts *= 1 / (real(points) if whole else np.sqrt(real(points)))
    return blocks


def all_agree(a: CubeArray, what: str, check: Callable[[], _T], **facts: object) -> _T:
    """What ``check`` gives, if all ranks pass it with the same arguments; collective.

    >>> from graycube.layout import Layout
    >>> all_agree(CubeArray.from_numpy([1, 2], Layout.nodes(1)), "test", lambda: 3)
    3
    """
    require_array(a)
    alike = {**facts_of(what, a.layout, a.blocks), **facts}
    return together(a.comm, lambda: (check(), alike))


def complex_dtype(dtype: "np.dtype[np.generic]") -> "np.dtype[np.generic]":
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
            "use CubeArray.from_numpy(x, layout)",
        )


def require_axes(layout: Layout, axes: Sequence[int] | None) -> list[int]:
    """The axes of a layout, counted from the front; all of them for None."""
    if axes is not None and not isinstance(axes, Sequence):
        raise InvalidTypeError(f"axes is {axes!r}", "it must be a sequence", "pass a tuple")
    every = range(len(layout.axes))
    return [require_axis(layout, axis) for axis in (every if axes is None else axes)]


def require_axis(layout: Layout, axis: int) -> int:
    """The axis of a layout, counted from the front."""
    count, axis = len(layout.axes), require_int(axis, "axis")
    if not -count <= axis < count:
        raise OutOfRangeError(
            f"axis is {axis}",
            f"the layout has {count} axes, and payload is not transformed",
            f"use {-count}..{count - 1}",
        )
    return axis % count


def require_norm(norm: Norm | None) -> None:
    """Refuse what is no norm of NumPy's."""
    _require_word(norm or "backward", get_args(Norm), "norm")


def _require_word(word: str, known: Sequence[str], what: str) -> None:
    if word not in known:
        names = ", ".join(map(repr, known))
        raise InvalidValueError(
            f"{what} is {word!r}", f"the known ones are {names}", "choose one"
        )
