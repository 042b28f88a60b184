"""Fast Fourier transforms of distributed arrays, with NumPy's signs, norms and names."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graycube.array import CubeArray
from graycube.array.moving import of_kind
from graycube.butterflies.planned import require_plan
from graycube.fourier.along import along
from graycube.fourier.arguments import (
    Norm,
    Order,
    Wanted,
    all_agree,
    complex_dtype,
    delivered,
    points_of,
    resized_home,
    scale,
    wanted,
)
from graycube.fourier.calls import as_planned, called
from graycube.fourier.engine import transformed
from graycube.fourier.lines import nodes_along, resized
from graycube.fourier.lone import over_nodes
from graycube.fourier.owned import on_lines
from graycube.fourier.planned import PlannedTransform, planned
from graycube.layout import Layout, Ownership
from graycube.layout.in_bits import in_bits
from graycube.layout.lines import exchanged_dims

if TYPE_CHECKING:
    from graycube.planning import Plan


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
    if plan is not None:
        return _by_plan(a, axis, norm, order, n, plan, out, inverse=False)
    return _transform(a, (axis,), norm, order, points_of(n), out, inverse=False)


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
    if plan is not None:
        return _by_plan(a, axis, norm, order, n, plan, out, inverse=True)
    return _transform(a, (axis,), norm, order, points_of(n), out, inverse=True)


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
    return _transform(a, axes, norm, order, s, out, inverse=False)


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
    return _transform(a, axes, norm, order, s, out, inverse=True)


def _transform(  # noqa: PLR0913, PLR0917
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order,
    s: Sequence[int] | None,
    out: CubeArray | None,
    *,
    inverse: bool,
) -> CubeArray:
    def check() -> Wanted:
        return wanted(a, axes, norm, order, s, out, inverse=inverse)

    def without_legs(asked: Wanted) -> CubeArray:
        home = resized_home(a.layout, asked.lengths)
        by_axes = _by_ownership if isinstance(home, Ownership) else _in_bits
        return _brought(by_axes(a, asked), asked, home, out)

    return called(a, _NAMES[inverse], (axes, norm, order, s), check, out, without_legs)


_NAMES = ("transform", "inverse transform")


def _brought(made: CubeArray, asked: Wanted, home: Layout, out: CubeArray | None) -> CubeArray:
    """The result where it is wanted."""
    return made.relayout(home) if asked.back else delivered(made, out)


def _by_plan(  # noqa: PLR0913, PLR0917
    a: CubeArray,
    axis: int,
    norm: Norm | None,
    order: Order,
    n: int | None,
    plan: "Plan",
    out: CubeArray | None,
    *,
    inverse: bool,
) -> CubeArray:
    """The transform as its plan says."""

    def check() -> tuple[Wanted, Layout, Layout, PlannedTransform | None]:
        asked = wanted(a, (axis,), norm, order, points_of(n), out, inverse=inverse)
        home = resized_home(a.layout, asked.lengths)
        cube = in_bits(home, "a plan")
        (k,), network = asked.axes, None
        require_plan(plan, cube, (*reversed(cube.word_bits(k)),))
        if plan.task.stages:
            dtype = complex_dtype(a.dtype).name
            how = {"inverse": inverse, "in_step": plan.in_step}
            network = planned(plan.schedule, cube, k, dtype, a.nodes, **how)
        return asked, home, cube, network

    facts = {"axis": axis, "norm": norm, "order": order, "n": n}
    told = getattr(plan, "identity", None)
    asked, home, cube, network = all_agree(
        a, _NAMES[inverse], check, out=out, plan=told, **facts
    )
    (k,), (points,) = asked.axes, asked.points
    a = of_kind(resized(a, k, points), cube)
    if network is None:
        return _brought(_in_bits(a, asked), asked, home, out)
    blocks = network.run(a.blocks.astype(complex_dtype(a.dtype), copy=False), a.comm)
    made = a.with_blocks(scale(blocks, points, asked.scaling), network.result)
    return _brought(made, asked, home, out)


def _by_ownership(a: CubeArray, asked: Wanted) -> CubeArray:
    """The transform axis by axis, each in memory or over its nodes."""
    dtype, waiting = complex_dtype(a.dtype), [*asked.axes]
    for axis, points in asked.lengths.items():
        a = resized(a, axis, points)
    a = a.astype(dtype)
    while waiting:
        axis = min(waiting, key=partial(nodes_along, a.layout))
        waiting.remove(axis)
        points = asked.lengths[axis]
        lines = partial(transformed, inverse=asked.inverse)
        alone = partial(over_nodes, points=points, inverse=asked.inverse)
        a = on_lines(a, axis, dtype, points, points, lines, alone)
        a = a.with_blocks(scale(a.blocks, points, asked.scaling))
    return a


def _in_bits(a: CubeArray, asked: Wanted) -> CubeArray:
    """The transform axis by axis, those in memory first."""
    lengths, dtype, waiting = asked.lengths, complex_dtype(a.dtype), [*asked.axes]
    longest = as_planned(asked)[0].longest
    blocks, layout = a.blocks, a.layout
    while waiting:
        axis = min(waiting, key=lambda k: len(exchanged_dims(layout, k)))
        waiting.remove(axis)
        if lengths[axis] != layout.shape[axis]:
            other = resized(CubeArray(blocks, layout, a.comm), axis, lengths[axis])
            blocks, layout = other.blocks, other.layout
        done = along(
            layout,
            axis,
            dtype.name,
            nodes=a.nodes,
            inverse=asked.inverse,
            later=tuple(waiting),
            longest=longest,
        )
        blocks = blocks.astype(dtype, copy=False)
        ours = not np.may_share_memory(blocks, a.blocks)
        blocks, layout = done.run(blocks, a.comm, ours=ours), done.result
        blocks = scale(blocks, lengths[axis], asked.scaling)
    if np.may_share_memory(blocks, a.blocks):  # nothing was to be done
        blocks = blocks.astype(dtype)
    return CubeArray(blocks, layout, a.comm)
