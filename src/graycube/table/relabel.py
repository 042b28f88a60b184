"""Renumber the ranks: move nothing, or only what renumbering cannot do.

Possible where node numbers are free. A task is what is left of it, and then new numbers: of the
sums of address bits that the nodes are to have, those that are a node bit already stay where
they are, and only the others are moved.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from graycube.gf2 import AffineMap, Matrix, Span, reduced_basis
from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import is_renumbering, why_other_size


def applicable(task: Task, machine: Machine) -> str | None:
    """The task must permute whole blocks: slots stay, and node numbers map to node numbers."""
    return why_other_size(task, machine) or (
        None
        if is_renumbering(task.move, task.n)
        else "the task changes what is in a block, not only which node holds it"
    )


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """No rounds: node u is from now on called where its block belongs."""
    return Schedule(task, "relabel", (), 0, (Way(0, task.block, ()),), relabel=task.move)


def without_renumbering(task: Task) -> tuple[Task, AffineMap]:
    """A task that is no dearer, and the new numbers that make it the given one.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.parse("(b0 || b2 b1)"), Layout.parse("(b2 || b0 b1)"), block=2)
    >>> left, numbers = without_renumbering(task)
    >>> print(left.target)
    (b2 || b0 b1)
    """
    nodes = _with_fewest_changes(task.move.matrix.rows[: task.n], task.n)
    low = (1 << task.n) - 1
    rows = (*nodes, *task.move.matrix.rows[task.n :])
    move = AffineMap(Matrix.from_rows(rows, task.p), task.move.constant & ~low)
    left = replace(task, target=move @ task.source)
    return left, task.move @ move.inverse()


@lru_cache(maxsize=1 << 8)
def _with_fewest_changes(sums: Sequence[int], n: int) -> tuple[int, ...]:
    """Sums that span the same, as many as possible of which are the node bits themselves."""
    basis = reduced_basis(sums)
    spanned = Span(basis)
    chosen = {i: 1 << i for i in range(n) if 1 << i in spanned}
    known = Span(chosen.values())
    others = (s for s in basis if known.add(s))
    return tuple(chosen[i] if i in chosen else next(others) for i in range(n))


ALGORITHM = Algorithm(
    name="relabel",
    paper="rank order",
    ports=0,
    formula="0, or that of the move that is left",
    applicable=applicable,
    emit=emit,
    cycles=lambda widths, block: 0,  # noqa: ARG005 - whatever they are
)
