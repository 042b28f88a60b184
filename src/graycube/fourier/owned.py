"""Work on whole lines of an axis: in memory, or over the nodes of a team.

Rules.

1. An axis that other axes can take the nodes of comes to memory. In bits that is one exchange
   (:mod:`.lines`); by ownership axes are traded, as :mod:`.trading` says, and in one process
   nothing is moved.
2. Where no other axis is long enough, the axis stays over its nodes: :mod:`.lone`.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.moving import brought
from graycube.array.ranks import spread
from graycube.fourier.lines import cut_or_filled, lines_of, of_lines, resized, with_room
from graycube.fourier.team import Team
from graycube.fourier.trading import ready
from graycube.layout import Ownership
from graycube.layout.share import SharedAxis

_Lines = NDArray[Any]
Work = Callable[[_Lines, int], _Lines]
"""What is done with lines that are in memory, along an axis."""
WorkOfTeam = Callable[..., _Lines]
"""What a ``team`` of nodes does with lines along axis 0 that are over them."""


def on_lines(  # noqa: PLR0913, PLR0917 - which lines, and two ways to work on them
    a: CubeArray,
    axis: int,
    dtype: "np.dtype[Any]",
    given: int,
    length: int,
    in_memory: Work,
    over_nodes: WorkOfTeam,
) -> CubeArray:
    """The array after work on lines of so many ``given`` points, which makes ``length`` points.

    Lines are cut, or zeros follow them. Over nodes they are axis 0 of what a team works on.

    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy(np.eye(3), Layout.mesh((3, 3), nodes=(3, 1)))
    >>> on_lines(x, 0, x.dtype, 3, 3, np.cumsum, None).to_numpy()[2].tolist()
    [1.0, 1.0, 1.0]
    """
    a = with_room(a, axis)
    layout: Any = a.layout
    if not isinstance(layout, Ownership):
        lines = cut_or_filled(lines_of(a, axis, dtype), 1, given)
        return of_lines(in_memory(lines, 1), a, axis)
    a = resized(a, axis, given)
    layout = a.layout
    target: Any = ready(layout, axis)
    a = brought(a.with_blocks(a.blocks.astype(dtype, copy=False)), target)
    share = target.axes[axis]
    result = target.with_axis(axis, SharedAxis(length, share.parts, stride=share.stride))
    lines = a.blocks.reshape(*target.boxes(a.nodes)[2:], *a.payload)
    over = spread(a.comm)
    if over is None or share.parts == 1:
        made = in_memory(lines, axis)
    else:
        nodes = Ownership.group(over.rank, [(share.stride, share.parts)])
        others = (other for k, other in enumerate(target.axes) if k != axis)
        width = prod(a.payload) * prod(other.block for other in others)
        first = np.ascontiguousarray(np.moveaxis(lines, axis, 0))
        made = over_nodes(first, team=Team(nodes, nodes.index(over.rank), over, width))
        made = np.moveaxis(made, 0, axis)
    return a.with_blocks(made.reshape(*result.held_shape(a.nodes), *a.payload), result)
