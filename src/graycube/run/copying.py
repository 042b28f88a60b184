"""What one node does in a network of copies: a script, and the butterflies after each stage."""

from functools import lru_cache

import numpy as np

from graycube.gf2 import AffineMap
from graycube.run.network import FIRST, NodeNetwork, ReadyLines
from graycube.run.script import Bank, Draft, Part, Script, part
from graycube.schedule import Replication

_ROW = np.zeros(1, np.intp)


def node_copies(
    network: Replication, node: int, lines: "tuple[tuple[range, ...], ...]"
) -> NodeNetwork:
    """The script of a node, and its lines, of which it keeps one point each.

    The other inputs are in spare rows: the row of an input is 0 for its own, 1 or 2 for these.

    >>> from graycube.layout import Layout
    >>> from graycube.table.networks import one_point
    >>> done = node_copies(one_point(Layout.nodes(1)), 0, ((range(1),),))
    >>> [r.number for r in done.script.rounds], done.lines[0].rows.tolist()
    ([0], [[0, 2]])
    """
    task, turns, draft = network.task, network.turns, Draft()
    made, after = list[ReadyLines](), FIRST
    number = 0
    for stage, groups in enumerate(lines):
        place = network.layouts[stage]
        inputs = []
        for k, source in enumerate(network.inputs(stage)):
            at, given = stage * turns + k % turns, source(node)
            for other in _takers(source, node, task.n):
                draft.send(at, other, (k,), Part(Bank.RESULT, slice(0, 1)))
                last = at
            inputs.append(0 if given == node else k + 1)
            if given != node:
                draft.receive(at, given, (k,), part(Bank.SPARE, _ROW + k))
                last = at
        for bits in groups:
            if bits:
                place, after = network.layouts[stage + 1], last
            word = np.array([[place.inverse_map(node)]])
            rows = np.array([inputs if bits else [0]])
            made.append(ReadyLines(after, number, bits, rows, word))
            number += 1
    whole = slice(0, 1)
    kept = ((Part(Bank.BLOCK, whole), Part(Bank.RESULT, whole)),)
    script = Script(node, node, task.block, 1, 2, kept, draft.rounds())
    return NodeNetwork(script, tuple(made), _ROW)


@lru_cache(maxsize=64)
def _takers(source: AffineMap, node: int, n: int) -> tuple[int, ...]:
    """The neighbours whose input is at the node."""
    near = (node ^ 1 << dim for dim in range(n))
    return tuple(other for other in near if source(other) == node)
