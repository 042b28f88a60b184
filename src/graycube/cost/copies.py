"""The traffic of networks that copy."""

from collections.abc import Iterator
from fractions import Fraction

from graycube.cost.traffic import RoundTraffic
from graycube.gf2 import AffineMap, Matrix, Span
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
        copies = sum(map(_elsewhere, network.inputs(stage)), Fraction(0))  # for each node
        links = copies * Fraction(1 << task.n, turns)
        yield RoundTraffic(task.block, links * task.block, links, times=turns)


def copy_loads(network: Replication) -> Iterator[tuple[int, dict[int, int]]]:
    """How many rounds are alike, and the longest message on each dimension.

    A copy comes from a neighbour; where copies go one after the other, either may be first.
    """
    for stage in range(len(network.stages)):
        shifts = (AffineMap(source.matrix + Matrix.identity(source.width), source.constant)
                  for source in network.inputs(stage))  # fmt: skip
        dims = {d for shift in shifts for d in range(network.task.n)
                if shift.matrix.rows[d] or shift.constant >> d & 1}  # fmt: skip
        yield network.turns, dict.fromkeys(dims, network.task.block)


def _elsewhere(source: AffineMap) -> Fraction:
    """The part of all nodes whose source is another node."""
    shift = Span((source.matrix + Matrix.identity(source.width)).columns)
    return 1 - Fraction(int(source.constant in shift), 1 << len(shift))
