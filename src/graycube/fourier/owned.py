"""Transforms in layouts by ownership: axes are traded, until each was in memory once.

Rules.

1. Axes are traded as :mod:`.trading` says. In one process nothing is moved.
2. Where no other axis is long enough, the axis stays over its nodes: :mod:`.lone`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.moving import straight
from graycube.array.ranks import spread
from graycube.fourier import engine
from graycube.fourier.engine import transformed
from graycube.fourier.lone import over_nodes
from graycube.fourier.lone_real import from_half, half_spectrum
from graycube.fourier.team import Team
from graycube.fourier.trading import ready
from graycube.layout import Ownership
from graycube.layout.share import SharedAxis

_Lines = NDArray[Any]
Scale = Callable[[_Lines, int], _Lines]
"""Scales the blocks after a transform of so many points."""
Work = Callable[[_Lines], _Lines]
"""What is done with lines that are in memory."""
WorkOfTeam = Callable[..., _Lines]
"""What a ``team`` of nodes does with lines along axis 0 that are over them."""


def owned_transform(
    a: CubeArray, axes: Sequence[int], dtype: "np.dtype[Any]", scale: Scale, *, inverse: bool
) -> CubeArray:
    """The transform along some axes, in the layout that they leave.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(3), Layout.mesh((3, 3), nodes=(3, 1)))
    >>> y = owned_transform(x, [0], np.dtype(complex), lambda x, _: x, inverse=False)
    >>> print(y.layout, np.allclose(y.to_numpy(), np.fft.fft(np.eye(3), axis=0)))
    (3, 3 on 3) True
    """
    found, left = a.with_blocks(a.blocks.astype(dtype)), [*axes]
    while left:
        axis = min(left, key=lambda k: _owned(found).axes[k].parts)
        left.remove(axis)
        points = found.layout.shape[axis]
        lines = partial(transformed, axis=axis, inverse=inverse)
        alone = partial(over_nodes, points=points, inverse=inverse)
        found = on_lines(found, axis, points, lines, alone)
        found = found.with_blocks(scale(found.blocks, points))
    return found


def owned_real(a: CubeArray, axis: int, dtype: "np.dtype[Any]", scale: Scale) -> CubeArray:
    """The first half of the spectrum of a real array along an axis.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(3), Layout.mesh((3, 3), nodes=(3, 1)))
    >>> owned_real(x, 0, np.dtype(float), lambda x, _: x).shape
    (2, 3)
    """
    points = a.layout.shape[axis]
    given = a.with_blocks(a.blocks.astype(dtype, copy=False))
    lines, alone = (
        partial(engine.half_spectrum, axis=axis),
        partial(half_spectrum, points=points),
    )
    found = on_lines(given, axis, points // 2 + 1, lines, alone)
    return found.with_blocks(scale(found.blocks, points))


def owned_real_inverse(
    a: CubeArray, axis: int, points: int, dtype: "np.dtype[Any]", scale: Scale
) -> CubeArray:
    """The real array of so many points with that half of a spectrum.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(2, 3), Layout.mesh((2, 3), nodes=(1, 3)))
    >>> owned_real_inverse(x, 0, 3, np.dtype(complex), lambda x, _: x).to_numpy()[0]
    array([1., 2., 0.])
    """
    given = a.with_blocks(a.blocks.astype(dtype, copy=False))
    lines = partial(engine.from_half, axis=axis, points=points)
    found = on_lines(given, axis, points, lines, partial(from_half, points=points))
    return found.with_blocks(scale(found.blocks, points))


def on_lines(
    a: CubeArray, axis: int, length: int, in_memory: Work, over_nodes: WorkOfTeam
) -> CubeArray:
    """The array after work on whole lines, which has so many results along the axis.

    The axis comes to memory, or stays over its nodes, as axis 0 of what a team works on.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(3), Layout.mesh((3, 3), nodes=(3, 1)))
    >>> on_lines(x, 0, 3, lambda x: np.cumsum(x, 0), None).to_numpy()[2].tolist()
    [1.0, 1.0, 1.0]
    """
    target = ready(_owned(a), axis)
    a = _brought(a, target)
    share = target.axes[axis]
    result = target.with_axis(axis, SharedAxis(length, share.parts, stride=share.stride))
    lines = a.blocks.reshape(*target.boxes(a.nodes)[2:], *a.payload)
    over = spread(a.comm)
    if over is None or share.parts == 1:
        made = in_memory(lines)
    else:
        nodes = Ownership.group(over.rank, [(share.stride, share.parts)])
        others = (other for k, other in enumerate(target.axes) if k != axis)
        width = prod(a.payload) * prod(other.block for other in others)
        first = np.ascontiguousarray(np.moveaxis(lines, axis, 0))
        made = over_nodes(first, team=Team(nodes, nodes.index(over.rank), over, width))
        made = np.moveaxis(made, 0, axis)
    return a.with_blocks(made.reshape(*result.held_shape(a.nodes), *a.payload), result)


def _owned(a: CubeArray) -> Ownership:
    layout: Any = a.layout
    found: Ownership = layout
    return found


def _brought(a: CubeArray, target: Any) -> CubeArray:  # noqa: ANN401 - a layout by ownership
    if target == a.layout:
        return a
    return a.with_blocks(straight(a.blocks, a.layout, target, a.comm), target)
