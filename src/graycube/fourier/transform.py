"""Fast Fourier transforms of distributed arrays, with NumPy's signs, norms and names."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, together
from graycube.cost import exchanged_dims
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.along import along
from graycube.fourier.owned import owned_transform
from graycube.fourier.planned import planned, require_plan
from graycube.layout import Layout, Ownership
from graycube.layout.layout import require_axis, require_cube
from graycube.planning import Plan

_T = TypeVar("_T")
Norm = Literal["backward", "ortho", "forward"]
Order = Literal["any", "natural"]


def fft(
    a: CubeArray,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    order: Order = "any",
    plan: Plan | None = None,
) -> CubeArray:
    """The discrete Fourier transform along one axis of the layout; payload is not counted.

    The result is in whatever layout costs nothing more, and carries it.
    ``order="natural"`` brings it back to the layout of ``a``, at the price of a relayout. With
    a ``plan`` of :func:`plan_fft` its rounds are carried out, else everything is exchanged at
    once between the passes.

    >>> from graycube.layout import Layout, Ownership
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.cyclic(3, 2, nodes="gray"))
    >>> y = fft(x)
    >>> np.allclose(y.to_numpy(), np.fft.fft(np.arange(8)))
    True
    >>> print(y.layout)
    (b2 || b1 b0)
    """
    return _transform(a, (axis,), norm, order, inverse=False, plan=plan)


def ifft(
    a: CubeArray,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    order: Order = "any",
    plan: Plan | None = None,
) -> CubeArray:
    """The inverse transform along one axis.

    >>> from graycube.layout import Layout, Ownership
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.cyclic(3, 2, nodes="gray"))
    >>> np.allclose(ifft(fft(x)).to_numpy(), np.arange(8))
    True
    """
    return _transform(a, (axis,), norm, order, inverse=True, plan=plan)


def fft2(
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    order: Order = "any",
) -> CubeArray:
    """The transform along two axes.

    >>> from graycube.layout import Layout, Ownership
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

    >>> from graycube.layout import Layout, Ownership
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

    >>> from graycube.layout import Layout, Ownership
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

    >>> from graycube.layout import Layout, Ownership
    >>> a = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 4), code="gray"))
    >>> np.allclose(ifftn(fftn(a)).to_numpy(), np.eye(4))
    True
    """
    return _transform(a, axes, norm, order, inverse=True)


def _transform(  # noqa: PLR0913
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order,
    *,
    inverse: bool,
    plan: Plan | None = None,
) -> CubeArray:
    def check() -> tuple[list[int], np.dtype[np.generic]]:
        _require_word(order, get_args(Order), "order")
        require_norm(norm)
        wanted = require_axes(a.layout, axes)
        if plan is not None:
            require_plan(plan, require_cube(a.layout, "a plan"), wanted[0])
        return wanted, complex_dtype(a.dtype)

    what = "inverse transform" if inverse else "transform"
    facts = {"axes": axes, "norm": norm, "order": order, "plan": plan and plan.identity}
    chosen, dtype = all_agree(a, what, check, **facts)
    if isinstance(a.layout, Ownership):
        scaled = partial(scale, norm=norm, inverse=inverse)
        natural = order == "natural"
        return owned_transform(a, chosen, dtype, scaled, inverse=inverse, natural=natural)
    blocks, layout = a.blocks.astype(dtype, copy=False), a.layout
    if plan is not None and plan.task.stages:
        axis = chosen.pop()
        made = planned(plan.schedule, layout, axis, dtype.name, a.nodes, inverse=inverse)
        blocks, layout = made.run(blocks, a.comm), made.result
        blocks = scale(blocks, a.layout.shape[axis], norm, inverse=inverse)
    while chosen:
        axis = min(chosen, key=partial(_spread, layout))
        chosen.remove(axis)
        done = along(
            layout, axis, dtype.name, nodes=a.nodes, inverse=inverse, later=tuple(chosen)
        )
        ours = not np.may_share_memory(blocks, a.blocks)
        blocks, layout = done.run(blocks, a.comm, ours=ours), done.result
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

    >>> from graycube.layout import Layout, Ownership
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
    return [require_axis(axis, len(layout.axes)) for axis in (every if axes is None else axes)]


def require_norm(norm: Norm | None) -> None:
    """Refuse what is no norm of NumPy's."""
    _require_word(norm or "backward", get_args(Norm), "norm")


def _require_word(word: str, known: Sequence[str], what: str) -> None:
    if word not in known:
        names = ", ".join(map(repr, known))
        raise InvalidValueError(
            f"{what} is {word!r}", f"the known ones are {names}", "choose one"
        )
