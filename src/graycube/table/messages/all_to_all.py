"""One direct all-to-all: every node sends every other one what it is to have, in one message.

Rules.

1. The destinations of a node u are B u ^ v, for all v of an affine subspace: what the slots can
   add to a node number. B may be any bijection that is right up to such additions; it is the
   identity where that can be, so that turn v is the pairwise exchange of u with u ^ v, and
   needs no turn for what stays. Otherwise it moves as few nodes as possible.
2. With circuits, messages of one turn should not share a link. For pairwise exchanges they
   never do (TR-20-92 section 3.5 has it for conversions). Otherwise the order of the dimensions
   is chosen, and if none will do, the senders take turns.
3. With store-and-forward switching messages go hop by hop, through the same paths.

It is what a program does without further thought, so it is in every list of candidates.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from graycube.gf2 import AffineMap, Matrix, Span, reduced_basis, without
from graycube.machine import Machine
from graycube.schedule import Delivery, Schedule, Task, delivered
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion

MAX_CHOSEN = 100
"""Most dimensions whose order is chosen one by one; beyond, that would take long."""


def emit(task: Task, machine: Machine) -> Schedule:
    """One delivery."""
    deliveries = [delivery(task.move, task.n)] if moves_between_nodes(task.move, task.n) else []
    if not deliveries and task.move != AffineMap.identity(task.p):
        deliveries = [Delivery(task.move, Matrix.identity(task.n), (), ())]
    return delivered(task, "all-to-all", deliveries, circuits=machine.switching == "circuit")


def price(task: Task, machine: Machine) -> float:
    """What it takes, where something leaves its node."""
    made = delivery(task.move, task.n)
    rounds = sent_turns(made)
    if machine.switching != "circuit":
        rounds *= len(made.dims)
    return rounds * machine.message_time(task.block_bytes >> len(made.classes))


def moves_between_nodes(move: AffineMap, n: int) -> bool:
    """Whether anything leaves its node."""
    rows = enumerate(move.matrix.rows[:n])
    return any(row != 1 << i or move.constant >> i & 1 for i, row in rows)


def sent_turns(delivery: Delivery) -> int:
    """The turns without the one, if there is one, in which every node would send to itself."""
    n = delivery.partner.width
    alone = delivery.partner == Matrix.identity(n) and not delivery.pairs
    here = without(delivery.classes, delivery.move.constant & (1 << n) - 1) == 0
    return delivery.turns - (alone and here)


@lru_cache(maxsize=1 << 8)
def delivery(move: AffineMap, n: int) -> Delivery:
    """The delivery that does a map of addresses.

    >>> swap = AffineMap(Matrix.permutation([2, 3, 0, 1]))  # two node bits, two slot bits
    >>> made = delivery(swap, 2)
    >>> made.partner == Matrix.identity(2), made.classes, made.parts
    (True, (2, 1), ())
    """
    low = (1 << n) - 1
    columns = [column & low for column in move.matrix.columns]
    classes = tuple(reduced_basis(columns[n:]))
    partner = _partner(columns[:n], classes)
    reached = move.constant
    for c in classes:
        reached |= c
    used = [d for d, row in enumerate(partner.rows) if row != 1 << d or reached >> d & 1]
    parts, dims = _routed(partner, used)
    return Delivery(move, partner, classes, dims, parts)


def _partner(columns: Sequence[int], classes: Sequence[int]) -> Matrix:
    """A bijection of nodes that agrees with the columns up to sums of classes.

    What can stay stays; what is to be a sum of classes becomes one; the rest follows. Each
    image is new, because the columns and the classes together span everything.
    """
    n = len(columns)
    moved = Matrix(tuple(columns), n)
    to_stay = Matrix(tuple(without(classes, c ^ 1 << j) for j, c in enumerate(columns)), n)
    to_classes = Matrix(tuple(without(classes, c) for c in columns), n)
    given: list[int] = []
    images: list[int] = []
    known, reached = Span(), Span()
    for u in (*to_stay.kernel(), *to_classes.kernel(), *(1 << j for j in range(n))):
        if not known.add(u):
            continue
        given.append(u)
        images.append(next(w for w in _near(moved(u), u, classes) if reached.add(w)))
    return Matrix(tuple(images), n) @ Matrix(tuple(given), n).inverse()


def _near(goal: int, u: int, classes: Sequence[int]) -> Iterator[int]:
    """The goal plus sums of classes: first as near to u as can be, then others."""
    for c in classes:
        if (goal ^ u) >> c.bit_length() - 1 & 1:
            goal ^= c
    yield goal
    yield from (goal ^ c for c in classes)


def _routed(partner: Matrix, dims: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Parities of senders that take turns, and the order of dimensions with the fewest."""
    ways = []
    for order in (dims, dims[::-1], None):
        if order is None and len(dims) > MAX_CHOSEN:
            break
        chosen = tuple(_order(partner, dims) if order is None else order)
        ways.append((_parts(partner, chosen), chosen))
        if not ways[-1][0]:
            break
    return min(ways, key=lambda way: len(way[0]))


def _order(partner: Matrix, dims: Sequence[int]) -> list[int]:
    """The dimensions one by one, each where the fewest messages meet."""
    order, left = list[int](), set(dims)
    sums, rows = [1 << i for i in range(partner.width)], partner.rows

    def meeting(d: int) -> int:
        after = [rows[d] if i == d else s for i, s in enumerate(sums)]
        return -Matrix((*after, sums[d]), partner.width).rank()

    while left:
        best = min(sorted(left), key=meeting)
        sums[best] = rows[best]
        order.append(best)
        left.remove(best)
    return order


def _parts(partner: Matrix, order: Sequence[int]) -> tuple[int, ...]:
    """Parities of senders that take turns, so that no two messages share a link."""
    n = partner.width
    parts: list[int] = []
    sums, rows = [1 << i for i in range(n)], partner.rows
    for d in order:
        before = sums[d]
        sums[d] = rows[d]
        while meeting := Matrix.from_rows((*sums, before, *parts), n).kernel():
            parts.append(meeting[0] & -meeting[0])
    return tuple(parts)


ALGORITHM = Algorithm(
    name="all-to-all",
    paper="the simple alternative",
    ports=1,
    formula="(2^r - 1) (s + K t / 2^r)",
    applicable=why_conversion,  # in which whole blocks go to a node each
    emit=emit,
)
