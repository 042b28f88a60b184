"""A group of digits transformed from copies, on nodes that have no memory bits.

Rule: every node gets the blocks of all nodes of its group, and keeps its own output (TR-764
section 5).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.moving import taken
from graycube.array.sharing import swapped
from graycube.fourier.engine import transformed
from graycube.fourier.passes import Pass
from graycube.gf2 import AffineMap
from graycube.layout import Layout
from graycube.run.mpi import Comm

_Blocks = NDArray[Any]


def from_copies(  # noqa: PLR0913
    blocks: _Blocks,
    layout: Layout,
    place: AffineMap,
    group: Pass,
    comm: Comm | None,
    *,
    inverse: bool,
) -> _Blocks:
    """The blocks after the transforms of a copied group; ``place`` says where words are.

    >>> from graycube.fourier.passes import passes
    >>> layout = Layout.nodes(1)
    >>> (group,), _ = passes(layout, 0)
    >>> blocks = np.array([[3], [1]], complex)
    >>> from_copies(blocks, layout, layout.map, group, None, inverse=False).real.tolist()
    [[4.0], [2.0]]
    """
    size = group.high - group.low
    if comm is not None:
        offset = layout.word_bits(group.axis).start + group.low
        word = place.inverse()(comm.rank)
        own = word >> offset & ((1 << size) - 1)
        copies = np.empty((1 << size, *blocks.shape[1:]), blocks.dtype)
        copies[own] = blocks[0]
        for change in range(1, 1 << size):  # all nodes of the group meet in pairs
            peer = place(word ^ change << offset)
            (copies[own ^ change],) = swapped(blocks, peer, comm, "copies for a transform")
        return transformed(copies, 0, inverse=inverse, out=copies)[own : own + 1]
    rows = taken(blocks, layout, place, group.place)
    lines = rows.reshape(1 << layout.n - size, 1 << size, -1)
    made = transformed(lines, 1, inverse=inverse).reshape(blocks.shape)
    return taken(made, layout, group.place, place).copy()
