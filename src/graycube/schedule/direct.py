"""Direct delivery: every element goes straight to the node where it belongs, in messages.

Rules.

1. A schedule has one :class:`Delivery` or several, one after the other. In each, everything at
   address a goes to ``move(a)``: what a node holds is sorted by destination into messages.
2. From node u, the destinations are ``partner(u) ^ v``, where v runs through an affine subspace
   of node numbers that is the same for all nodes, spanned by ``classes``. A *turn* is one v: as
   ``partner`` is a bijection, every node sends one message in a turn and receives one. Where
   the partner is the node itself, that is the pairwise exchange u with u ^ v.
3. A message crosses the dimensions in which its ends differ in the order of ``dims``. With
   circuits it holds the whole path for one round; else a turn has one round for each of
   ``dims``, and everybody crosses it then, or waits.
4. Where paths would share a link, the senders are told apart by the parities ``parts``, and
   take their turns one after the other.
5. A delivery may be in *pairs*: two destinations that differ in all ``dims`` have one turn. The
   paths to them have no dimension in common, and on two ports and more both go at once.

All of it has a few integers, whatever the numbers of nodes and messages are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix, reduced_basis, require_ints, without
from graycube.layout.required import require_flag
from graycube.schedule.required import require_all
from graycube.schedule.schedule import Schedule
from graycube.schedule.task import MAX_COUNT, Task
from graycube.schedule.way import Crossing, Delay, Step, Way

MAX_ROUNDS = 1 << 16
"""Most rounds of a schedule with several deliveries; the rounds of a single one are a range."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One redistribution: where everything goes, and who sends to whom in which turn.

    The highest bit of each of the ``classes`` is in no other of them: these bits of v are the
    number of the turn.

    >>> swap = AffineMap(Matrix.permutation([2, 3, 0, 1]))  # two node bits, two slot bits
    >>> delivery = Delivery(swap, Matrix.identity(2), classes=(1, 2), dims=(0, 1))
    >>> delivery.turns, delivery.turn(0b0100), delivery.turn(0b0110)
    (4, 1, 3)
    """

    move: AffineMap
    partner: Matrix
    classes: tuple[int, ...]
    dims: tuple[int, ...]
    parts: tuple[int, ...] = ()
    pairs: bool = False

    def __post_init__(self) -> None:
        for value, kind in ((self.move, AffineMap), (self.partner, Matrix)):
            if not isinstance(value, kind):
                raise InvalidTypeError(
                    f"got {value!r:.60}", f"it must be {kind.__name__}", "pass such a value"
                )
        for name in ("classes", "dims", "parts"):
            object.__setattr__(self, name, require_ints(getattr(self, name), name))
        n = self.partner.width
        longest = max(map(len, (self.classes, self.dims, self.parts)))
        if longest > n:
            raise InvalidValueError(
                f"a delivery names {longest} classes, dimensions or parts",
                f"nodes have {n} bits",
                "name each once, and no sums of others",
            )
        limits = [(c, 1 << n) for c in (*self.classes, *self.parts)]
        limits += [(d, n) for d in self.dims]
        if (
            self.partner.size != (n, n)
            or not self.move.width >= n
            or self.move.height != self.move.width
            or any(not 0 <= value < limit for value, limit in limits)
            or reduced_basis(self.classes) != sorted(self.classes, reverse=True)
            or Matrix(self.parts, n).rank() < len(self.parts)
            or len(set(self.dims)) < len(self.dims)
            or (self.pairs and without(self.classes, sum(1 << d for d in self.dims)))
            or (self.pairs and not self.dims)
        ):
            raise InvalidValueError(
                f"a delivery of {len(self.classes)} classes over dimensions {self.dims}"[:90],
                f"nodes have {n} bits, each dimension is named once, parts are independent, "
                "the highest bit of a class is in no other, and pairs differ by a sum of them",
                "give the reduced echelon form of the classes",
            )

    @property
    def heads(self) -> tuple[int, ...]:
        """The highest bit of each class, which numbers the turns."""
        return tuple(c.bit_length() - 1 for c in self.classes)

    @property
    def turns(self) -> int:
        """Number of turns, those of all parts."""
        return 1 << len(self.classes) + len(self.parts) - self.pairs

    @property
    def turn(self) -> Matrix:
        """From the address of an element to the number of the turn in which it is sent."""
        rows, partners = self.move.matrix.rows, self.partner.rows
        sums = [rows[h] ^ partners[h] for h in self.heads]
        if self.pairs:  # what is the same for both
            first, *others = (k for k, h in enumerate(self.heads) if h in self.dims)
            for k in others:
                sums[k] ^= sums[first]
            del sums[first]
        return Matrix.from_rows([*sums, *self.parts], self.move.width)


def message_size(task: Task, delivery: Delivery) -> int:
    """Elements of a message.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), block=12)
    >>> message_size(task, Delivery(task.move, Matrix.identity(2), (1, 2), dims=(0, 1)))
    3
    """
    return task.block >> len(delivery.classes)


def delivered(
    task: Task, algorithm: str, deliveries: Iterable[Delivery], *, circuits: bool
) -> Schedule:
    """The schedule of some deliveries, one after the other; parities delay them by turns.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), block=4)
    >>> swap = Delivery(task.move, Matrix.identity(2), classes=(1, 2), dims=(0, 1))
    >>> made = delivered(task, "all-to-all", [swap], circuits=True)
    >>> made.rounds, [crossing.dim for crossing in made.ways[0].steps[0].crossings]
    (range(0, 4), [0, 1])
    """
    if not isinstance(task, Task):
        raise InvalidTypeError(
            f"the task is {task!r:.60}", "it must be a Task", "pass Task(...)"
        )
    require_flag(circuits, "circuits")
    listed = require_all(deliveries, Delivery, "the deliveries")
    sizes = {(d.move.width, d.partner.width) for d in listed}
    if sizes - {(task.p, task.n)}:
        raise InvalidValueError(
            f"deliveries of addresses and nodes with {sorted(sizes)} bits",
            f"the task has {(task.p, task.n)}",
            "give maps of its addresses",
        )
    rounds, cycles = _timetable(task, listed, circuits=circuits)
    way = Way(0, task.block, tuple(_steps(task, listed, circuits=circuits)))
    return Schedule(task, algorithm, rounds, cycles, (way,))


def _steps(task: Task, deliveries: Iterable[Delivery], *, circuits: bool) -> Iterator[Step]:
    start = 0
    for delivery in deliveries:
        size, dims = message_size(task, delivery), delivery.dims
        hops = 1 if circuits else len(dims)
        rows = enumerate(delivery.turn.rows)
        delays = tuple(Delay(hops * size << k, row) for k, row in rows)
        apart = 0 if circuits else size
        crossings = (Crossing(d, start + k * apart, delays) for k, d in enumerate(dims))
        yield Step(delivery.move, tuple(crossings))
        start += delivery.turns * hops * size


def _timetable(
    task: Task, deliveries: Sequence[Delivery], *, circuits: bool
) -> tuple[tuple[int, ...] | range, int]:
    """The first cycles of the rounds, and the number of cycles."""
    counts = [d.turns * (1 if circuits else len(d.dims)) for d in deliveries]
    sizes = [message_size(task, d) for d in deliveries]
    if any(1 << len(d.classes) > task.block // task.payload for d in deliveries):
        raise InvalidValueError(
            f"{1 << max(len(d.classes) for d in deliveries)} messages of a node",
            f"a node has {task.block // task.payload} slots",
            "use fewer classes",
        )
    cycles = sum(count * size for count, size in zip(counts, sizes, strict=True))
    if cycles > MAX_COUNT:
        raise InvalidValueError(
            f"there are {str(cycles)[:40]} cycles", f"at most {MAX_COUNT}", "use smaller blocks"
        )
    if len(deliveries) <= 1:
        return range(0, cycles, *sizes), cycles
    if sum(counts) > MAX_ROUNDS:
        raise InvalidValueError(
            f"there are {sum(counts)} rounds in {len(deliveries)} deliveries",
            f"at most {MAX_ROUNDS} are listed",
            "use deliveries of fewer classes",
        )
    starts, start = list[int](), 0
    for count, size in zip(counts, sizes, strict=True):
        starts += range(start, start + count * size, size)
        start += count * size
    return tuple(starts), cycles
