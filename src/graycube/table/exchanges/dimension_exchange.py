"""From any layout to any other, one dimension after the other.

Every affine map is a product of exchanges (:mod:`graycube.gf2.factor`). One that trades a node
bit for a memory bit moves half of every block over a dimension, the bi-section of TR-764; one
that flips a node bit under a condition on nodes moves whole blocks. What changes memory only is
done in between, and costs nothing.
"""

from collections.abc import Sequence

from graycube.gf2 import Exchange
from graycube.gf2.factor import factor, in_order
from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import in_sequence, why_conversion

TURNED = 6
"""Up to so many dimensions, orders that go round are tried as well, up and down."""


def emit(task: Task, machine: Machine) -> Schedule:
    """With few exchanges; of some orders the cheapest, where the first may not be best."""
    move, n = task.move, task.n
    made = in_turn(task, "exchange", factor(move, n))
    if n > TURNED or not machine.alike or made.cycles == fewest_elements(task):
        return made
    ways = (tuple(range(n)), tuple(range(n))[::-1])
    orders = (way[k:] + way[:k] for way in ways for k in range(n))
    others = (in_turn(task, "exchange", in_order(move, n, order)) for order in orders)
    return min((made, *others), key=lambda one: in_sequence(one.round_lengths, task, machine))


def fewest_elements(task: Task) -> int:
    """The crossings of the elements of a node by shortest ways, in the mean."""
    rows = task.move.matrix.rows[: task.n]
    changed = sum(row != 1 << d for d, row in enumerate(rows))
    flipped = sum(row == 1 << d and task.move.constant >> d & 1 for d, row in enumerate(rows))
    return (changed * task.block >> 1) + flipped * task.block


def price(task: Task, machine: Machine) -> float:
    """What it takes."""
    return in_sequence(emit(task, machine).round_lengths, task, machine)


def in_turn(task: Task, name: str, exchanges: Sequence[Exchange]) -> Schedule:
    """One way of whole blocks; a round for each exchange that crosses a link.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), block=4)
    >>> in_turn(task, "exchange", factor(task.move, 2)).rounds
    (0, 2)
    """
    nodes = (1 << task.n) - 1
    cycle, rounds, hops = 0, [], []
    for exchange in exchanges:
        hops.append(hop(cycle, exchange, task.n))
        if exchange.flip & nodes:
            rounds.append(cycle)
            cycle += task.block // 2 if exchange.when >> task.n else task.block
    way = Way(0, task.block, tuple(hops))
    return Schedule(task, name, tuple(rounds), cycle, (way,))


ALGORITHM = Algorithm(
    name="exchange",
    paper="TR-764 section 3.1",
    ports=1,
    formula="s + K t / 2 for each dimension traded",
    applicable=why_conversion,  # gb1 does conversions as well
    emit=emit,
)
