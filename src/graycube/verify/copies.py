"""Networks that copy: where both inputs of every butterfly come from."""

from collections.abc import Iterator
from fractions import Fraction

from graycube.gf2 import AffineMap, Matrix, Span
from graycube.machine import Machine
from graycube.schedule import Replication
from graycube.verify.report import Report, Violation, require_same_cube, tally

_RULES = ("stage", "end", "time", "copy", "ports")


def check_replication(network: Replication, machine: Machine) -> Report:
    """Check by algebra that copies of both inputs come from neighbours or from the node itself.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> gray = Layout.nodes(2, "gray")
    >>> task = Task(gray, gray, 1, stages=(1, 0), free=True)
    >>> made = Replication(task, "copies", (0, 1), 2, (gray, gray, gray))
    >>> print(check_replication(made, Machine(dims=2, ports="all")))
    by algebra: 1 x copy
      copy: everywhere: stage 0 needs points from more than a link away
    """
    require_same_cube(network.task, machine)
    found = [*_check_program(network), *_check_copies(network, machine)]
    return tally("by algebra", _RULES, found)


def _check_program(network: Replication) -> Iterator[Violation]:
    if network.layouts[-1] != network.task.target:
        yield Violation("end", detail="it does not end in the layout of the task")
    if min(network.round_lengths, default=network.task.block) < network.task.block:
        yield Violation("time", detail="a round is too short for a block")


def _check_copies(network: Replication, machine: Machine) -> Iterator[Violation]:
    """Nodes and their inputs differ by an affine map, which has few values if all are near."""
    for stage in range(len(network.stages)):
        inputs = network.inputs(stage)
        if any(distance > 1 for source in inputs for distance in _distances(source)):
            detail = f"stage {stage} needs points from more than a link away"
            yield Violation("copy", detail=detail)
        copies = 1 if sum(map(_at_home, inputs)) == 1 else 2
        if copies > machine.links_at_once * network.turns:
            detail = f"stage {stage} brings {copies} copies to a node in a round"
            yield Violation("ports", detail=detail)


def _shift(source: AffineMap) -> AffineMap:
    return AffineMap(source.matrix + Matrix.identity(source.width), source.constant)


def _distances(source: AffineMap) -> Iterator[int]:
    """Distances from nodes to their sources, one above 1 among them if there is such a one.

    Of the four sums of two bit vectors with a third one, one has two bits or more.
    """
    basis = _shift(source).matrix.image()
    values = [source.constant]
    for vector in basis[:2]:
        values += [value ^ vector for value in values]
    return (value.bit_count() for value in values)


def _at_home(source: AffineMap) -> Fraction:
    """The part of the nodes that are their own source."""
    span = Span(_shift(source).matrix.columns)
    return Fraction(int(source.constant in span), 1 << len(span))
