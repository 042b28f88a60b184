"""Fast Fourier transforms of distributed arrays, with NumPy's signs, norms and names."""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.moving import of_kind
from graycube.array.ranks import facts_of, together
from graycube.butterflies.planned import require_plan
from graycube.cost import exchanged_dims
from graycube.errors import InvalidTypeError
from graycube.fourier.along import along
from graycube.fourier.arguments import (
    complex_dtype,
    delivered,
    require_array,
    require_lengths,
    require_out,
    resized_home,
)
from graycube.fourier.calls import Wanted, called
from graycube.fourier.lines import resized
from graycube.fourier.owned import owned_transform
from graycube.fourier.planned import planned
from graycube.layout import Layout, Ownership
from graycube.layout.in_bits import in_bits
from graycube.layout.required import require_axis, require_word

if TYPE_CHECKING:
    from graycube.planning import Plan

_T = TypeVar("_T")
Norm = Literal["backward", "ortho", "forward"]
Order = Literal["any", "natural"]


def fft(  # noqa: PLR0913 - NumPy's, and two more
    a: CubeArray,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    order: Order = "any",
    plan: "Plan | None" = None,
    out: CubeArray | None = None,
) -> CubeArray:
    """The discrete Fourier transform along one axis of the layout; payload is not counted.

    The result is in whatever layout costs nothing more, and carries it.
    ``order="natural"`` brings it back to the layout of ``a``, at the price of a relayout. With
    a ``plan`` of :func:`plan_fft` its rounds are carried out, else everything is exchanged at
    once between the passes. ``n`` points are transformed: the axis is cut, or zeros follow it.
    With ``out``, an array of the result's shape, the result goes there, into its layout.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.cyclic(3, 2, nodes="gray"))
    >>> y = fft(x)
    >>> np.allclose(y.to_numpy(), np.fft.fft(np.arange(8)))
    True
    >>> print(y.layout)
    (b2 || b1 b0)
    """
    lengths = None if n is None else (n,)
    return _transform(a, (axis,), norm, order, inverse=False, s=lengths, plan=plan, out=out)


def ifft(  # noqa: PLR0913 - NumPy's, and two more
    a: CubeArray,
    axis: int = -1,
    norm: Norm | None = None,
    *,
    n: int | None = None,
    order: Order = "any",
    plan: "Plan | None" = None,
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse transform along one axis.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.arange(8), Layout.cyclic(3, 2, nodes="gray"))
    >>> np.allclose(ifft(fft(x)).to_numpy(), np.arange(8))
    True
    """
    lengths = None if n is None else (n,)
    return _transform(a, (axis,), norm, order, inverse=True, s=lengths, plan=plan, out=out)


def fft2(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The transform along two axes.

    >>> from graycube.layout import Layout
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((4, 3), nodes=(2, 1)))
    >>> np.allclose(fft2(a).to_numpy(), np.fft.fft2(x))
    True
    """
    return fftn(a, axes, norm, s=s, order=order, out=out)


def ifft2(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse transform along two axes.

    >>> from graycube.layout import Layout
    >>> x = np.arange(12.0).reshape(4, 3)
    >>> a = CubeArray.from_numpy(x, Layout.mesh((4, 3), nodes=(2, 1)))
    >>> np.allclose(ifft2(fft2(a)).to_numpy(), x)
    True
    """
    return ifftn(a, axes, norm, s=s, order=order, out=out)


def fftn(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The transform along several axes of the layout, by default along all of them.

    Each axis is cut, or followed by zeros, to its number of points in ``s``, if that is given.

    >>> from graycube.layout import Layout
    >>> x = np.random.default_rng(0).standard_normal((20, 8, 2))  # the last axis is payload
    >>> a = CubeArray.from_numpy(x, Layout.mesh((20, 8), nodes=(2, 4), code="gray"))
    >>> np.allclose(fftn(a).to_numpy(), np.fft.fftn(x, axes=(0, 1)))
    True
    """
    return _transform(a, axes, norm, order, inverse=False, s=s, out=out)


def ifftn(  # noqa: PLR0913 - NumPy's, and one more
    a: CubeArray,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    s: Sequence[int] | None = None,
    order: Order = "any",
    out: CubeArray | None = None,
) -> CubeArray:
    """The inverse transform along several axes.

    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy(np.eye(4), Layout.mesh((4, 4), nodes=(2, 4), code="gray"))
    >>> np.allclose(ifftn(fftn(a)).to_numpy(), np.eye(4))
    True
    """
    return _transform(a, axes, norm, order, inverse=True, s=s, out=out)


def _transform(  # noqa: PLR0913
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order,
    *,
    inverse: bool,
    s: Sequence[int] | None = None,
    plan: "Plan | None" = None,
    out: CubeArray | None = None,
) -> CubeArray:
    def check() -> tuple[list[int], np.dtype[np.generic], dict[int, int], Layout]:
        require_word(order, get_args(Order), "order")
        require_norm(norm)
        wanted, dtype = require_axes(a.layout, axes), complex_dtype(a.dtype)
        lengths = require_lengths(a.layout, wanted, s)
        home = resized_home(a.layout, lengths)
        if plan is not None:
            cube = in_bits(home, "a plan")
            require_plan(plan, cube, (*reversed(cube.word_bits(wanted[0])),))
        require_out(out, a, (*home.shape, *a.payload), dtype)
        return wanted, dtype, lengths, home

    def asked() -> Wanted | None:
        wanted, _, lengths, _ = check()
        if plan is not None:
            return None
        points, back = tuple(lengths[k] for k in wanted), order == "natural" and out is None
        return Wanted((*wanted,), points, norm, inverse, back=back)

    what = "inverse transform" if inverse else "transform"
    found = called(a, what, (axes, norm, order, s, plan), asked, out)
    if found is not None:
        return found
    facts = {"axes": axes, "norm": norm, "order": order, "plan": plan and plan.identity}
    chosen, dtype, lengths, home = all_agree(a, what, check, out=out, s=s, **facts)
    if plan is None and isinstance(home, Ownership):
        scaled = partial(scale, norm=norm, inverse=inverse)
        whole = reduce(lambda now, axis: resized(now, axis, lengths[axis]), lengths, a)
        result = owned_transform(whole, chosen, dtype, scaled, inverse=inverse)
    else:
        a = a if plan is None else of_kind(a, in_bits(a.layout, "a plan"))
        result = _on_cube(a, chosen, dtype, lengths, norm, inverse=inverse, plan=plan)
    if out is None and order == "natural":
        return result.relayout(home)
    return delivered(result, out)


def _on_cube(  # noqa: PLR0913
    a: CubeArray,
    axes: Sequence[int],
    dtype: np.dtype[np.generic],
    lengths: dict[int, int],
    norm: Norm | None,
    *,
    inverse: bool,
    plan: "Plan | None",
) -> CubeArray:
    """The transform by the plan, or axis by axis."""
    blocks, layout, chosen = a.blocks, a.layout, [*axes]
    if plan is not None and plan.task.stages:
        axis = chosen.pop()
        made = planned(plan.schedule, layout, axis, dtype.name, a.nodes, inverse=inverse)
        blocks, layout = made.run(blocks.astype(dtype, copy=False), a.comm), made.result
        blocks = scale(blocks, a.layout.shape[axis], norm, inverse=inverse)
    while chosen:
        axis = min(chosen, key=partial(_spread, layout))
        chosen.remove(axis)
        if lengths[axis] != layout.shape[axis]:
            other = resized(CubeArray(blocks, layout, a.comm), axis, lengths[axis])
            blocks, layout = other.blocks, other.layout
        done = along(
            layout, axis, dtype.name, nodes=a.nodes, inverse=inverse, later=tuple(chosen)
        )
        blocks = blocks.astype(dtype, copy=False)
        ours = not np.may_share_memory(blocks, a.blocks)
        blocks, layout = done.run(blocks, a.comm, ours=ours), done.result
        blocks = scale(blocks, lengths[axis], norm, inverse=inverse)
    if np.may_share_memory(blocks, a.blocks):  # nothing was to be done
        blocks = blocks.astype(dtype)
    return CubeArray(blocks, layout, a.comm)


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


def all_agree(
    a: CubeArray,
    what: str,
    check: Callable[[], _T],
    *,
    out: CubeArray | None = None,
    **facts: object,
) -> _T:
    """What ``check`` gives, if all ranks pass it with the same arguments; collective.

    >>> from graycube.layout import Layout
    >>> all_agree(CubeArray.from_numpy([1, 2], Layout.nodes(1)), "test", lambda: 3)
    3
    """
    require_array(a)
    alike = {**facts_of(what, a.layout, a.blocks), **facts}
    if isinstance(out, CubeArray):
        alike |= {"layout of out": out.layout, "dtype of out": out.dtype}
    return together(a.comm, lambda: (check(), alike))


def require_axes(layout: Layout, axes: Sequence[int] | None) -> list[int]:
    """The axes of a layout, counted from the front; all of them for None."""
    if axes is not None and not isinstance(axes, Sequence):
        raise InvalidTypeError(f"axes is {axes!r}", "it must be a sequence", "pass a tuple")
    every = range(len(layout.axes))
    return [require_axis(axis, len(layout.axes)) for axis in (every if axes is None else axes)]


def require_norm(norm: Norm | None) -> None:
    """Refuse what is no norm of NumPy's."""
    require_word(norm or "backward", get_args(Norm), "norm")
