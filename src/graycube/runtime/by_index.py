"""From any layout to any other of the same shape, element by element.

Layouts that have their extents in other places are not a map of addresses apart. Sender and
receiver both list what they have in common in the order of its index, so they need not ask.
"""

import numpy as np
from numpy.typing import NDArray

from graycube.layout import Layout
from graycube.runtime.script import Bank, Draft, Part, Script, part


def script_by_index(source: Layout, target: Layout, node: int) -> Script:
    """What a node does, in one round; the layouts have the same shape and nodes.

    >>> cyclic = Layout.mesh((6,), nodes=(2,), allocation="cyclic")
    >>> script = script_by_index(cyclic, Layout.mesh((6,), nodes=(2,)), node=0)
    >>> [(m.peer, m.parts[0].rows) for m in script.rounds[0].sends]
    [(1, slice(2, 3, None))]
    """
    going, coming = _by_peer(source, target, node), _by_peer(target, source, node)
    draft = Draft()
    kept: tuple[tuple[Part, Part], ...] = ()
    if node in going:
        kept = ((part(Bank.BLOCK, going.pop(node)), part(Bank.RESULT, coming.pop(node))),)
    for peer, rows in going.items():
        draft.send(0, peer, (0,), part(Bank.BLOCK, rows))
    for peer, rows in coming.items():
        draft.receive(0, peer, (0,), part(Bank.RESULT, rows))
    return Script(
        node=node,
        number=node,
        unit=1,
        rows=source.block_size,
        spare=0,
        kept=kept,
        rounds=draft.rounds(),
    )


def _by_peer(here: Layout, there: Layout, node: int) -> dict[int, NDArray[np.intp]]:
    """The slots of a node whose elements other nodes have there, in the order of the index."""
    index = here.index(np.array(node), np.arange(here.block_size))
    peers, _ = there.locate(index)
    order = np.lexsort((index, peers))
    found, starts = np.unique(peers[order], return_index=True)
    return dict(zip(found.tolist(), np.split(order, starts[1:]), strict=True))
