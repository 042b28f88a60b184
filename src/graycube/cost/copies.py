"""The traffic of networks that copy."""

from collections.abc import Iterator
from fractions import Fraction

from graycube.cost.traffic import RoundTraffic
from graycube.gf2 import AffineMap
from graycube.gf2.affine import nonzero_share, shift_of
from graycube.schedule import Replication


def copy_rounds(network: Replication) -> Iterator[RoundTraffic]:
    """The rounds of each stage: the nodes whose inputs are elsewhere get copies of blocks.

    >>> from graycube.layout import Layout
    >>> from graycube.table.networks import one_point
    >>> for traffic in copy_rounds(one_point(Layout.nodes(2, "gray"))):
    ...     print(traffic.longest, traffic.crossings)
    1 8
    1 4
    """
    task, turns = network.task, network.turns
    for stage in range(len(network.stages)):
        shares = map(nonzero_share, _shifts(network, stage))
        copies = sum(shares, Fraction(0))  # for each node
        links = copies * Fraction(1 << task.n, turns)
        yield RoundTraffic(task.block, links * task.block, links, times=turns)


def copy_loads(network: Replication) -> Iterator[tuple[int, dict[int, int]]]:
    """How many rounds are alike, and the longest message on each dimension.

    A copy comes from a neighbour; where copies go one after the other, either may be first.
    """
    for stage in range(len(network.stages)):
        dims = {d for shift in _shifts(network, stage) for d in range(network.task.n)
                if shift.matrix.rows[d] or shift.constant >> d & 1}  # fmt: skip
        yield network.turns, dict.fromkeys(dims, network.task.block)


def _shifts(network: Replication, stage: int) -> Iterator[AffineMap]:
    """How far the sources of all nodes are from them, for each input."""
    return (shift_of(source, source.height) for source in network.inputs(stage))
