"""A group of digits transformed from copies, on nodes that have no memory bits.

Rule: every node gets the blocks of all nodes of its group, and keeps its own output (TR-764
section 5).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.moving import taken
from graycube.fourier.engine import transformed
from graycube.fourier.passes import Pass
from graycube.gf2 import AffineMap
from graycube.layout import Layout
from graycube.run import mpi, no_way_back, private
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
        words = (word ^ (own ^ digit) << offset for digit in range(1 << size))
        copies = _copies(blocks, [place(w) for w in words], comm)
        return transformed(copies, 0, inverse=inverse, out=copies)[own : own + 1]
    rows = taken(blocks, layout, place, group.place)
    lines = rows.reshape(1 << layout.n - size, 1 << size, -1)
    made = transformed(lines, 1, inverse=inverse).reshape(blocks.shape)
    return taken(made, layout, group.place, place).copy()


def _copies(blocks: _Blocks, nodes: list[int], comm: Comm) -> _Blocks:
    """The blocks of some nodes, this one among them, in their order."""
    own, block = private(comm).comm, np.ascontiguousarray(blocks)
    copies = np.empty((len(nodes), *block.shape[1:]), block.dtype)
    byte = mpi().BYTE
    with no_way_back(lambda: "copies for a transform"):
        requests = []
        for copy, node in zip(copies, nodes, strict=True):
            if node == comm.rank:
                copy[...] = block[0]
                continue
            requests.append(own.Irecv([copy.reshape(-1).view(np.uint8), byte], node))
            requests.append(own.Isend([block.reshape(-1).view(np.uint8), byte], node))
        mpi().Request.Waitall(requests)
    return copies
