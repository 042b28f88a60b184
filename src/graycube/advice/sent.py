"""What is sent in phases that leave the data where they are: halos, and what goes straight.

Rules.

1. A phase is done in a layout that suits it. If data are elsewhere, they go straight there, and
   the result straight back. So do all messages that are no halos: to nodes whose numbers differ
   in the same way, one such difference after the other.
2. A scan has a round for each node bit along its axis: the total of each line's stretch goes to
   the nearest node that is to hear it (:mod:`graycube.array.scanning.stretches`).
3. Tridiagonal systems are halos of what is left of a run, its first and its last row: two
   numbers and one for each right side of both, 1, 2, 4, ... runs apart; and then the solutions
   beside it. Periodic ones have a right side more, and two sums over all runs
   (``tridiagonal``). Coefficients are taken for numbers whose diagonal dominates: else there is
   a short message more, or some.
4. An axis is sorted in memory, or over all nodes: what is sent then is what the call sends
   (:mod:`graycube.array.ordering.ways`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf

from graycube.advice.along import Scan, Sort, Tridiagonal
from graycube.advice.homes import Place
from graycube.advice.phases import Elementwise, Stencil
from graycube.array.moving import as_product
from graycube.array.ordering.blocks import where_and_how
from graycube.array.reducing.over import sharing_steps
from graycube.array.scanning.stretches import met_in_turn
from graycube.cost import Traffic, simulate
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix, gray
from graycube.layout import Layout
from graycube.layout.layout import require_cube
from graycube.layout.lines import in_runs, runs, stretched
from graycube.machine import Machine
from graycube.schedule import Task, delivered
from graycube.stencil import Halo, halo
from graycube.table.messages.all_to_all import delivery
from graycube.texts import counted

Staying = Stencil | Elementwise | Scan | Sort | Tridiagonal
"""The phases after which data are where they were."""
Rounds = tuple[tuple[int, Halo | Task], ...]
"""What is sent, and how often."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """What a phase sends; ``carried`` is what goes to where it is done, and back.

    >>> layout = Layout.consecutive(6, 3, nodes="gray")
    >>> made = work(Scan(0), layout, itemsize=8)
    >>> [(times, task.move(0), task.block_bytes) for times, task in made.rounds]
    [(1, 1, 8), (1, 2, 8), (1, 4, 8)]
    >>> made.time(Machine(3, startup=10.0, per_byte=1.0)), made.how
    (54.0, '3 exchanges')
    """

    rounds: Rounds = ()
    carried: tuple[Task, ...] = ()
    way: str = ""
    """Which of several ways it is, and why."""

    def time(self, machine: Machine) -> float:
        """Seconds on a machine."""
        there_and_back = sum(straight(task, machine) for task in self.carried)
        return sum(
            (times * _time(what, machine) for times, what in self.rounds), there_and_back
        )

    @property
    def how(self) -> str:
        """How many exchanges there are, in words."""
        count = sum(times for times, _ in self.rounds)
        told = ["moved there and back"] if self.carried else []
        told += [self.way] if self.way else []
        return ", ".join([*told, *([counted(count, "exchange")] if count else [])])


def work(phase: Staying, layout: Layout, itemsize: int) -> Dispatch:
    """What a phase sends on data in a layout, if it can be done there."""
    if isinstance(phase, Scan):
        return _scan(phase.axis, layout, itemsize)
    if isinstance(phase, Sort):
        return _sort(phase.axis, layout, itemsize)
    if isinstance(phase, Tridiagonal):
        return _tridiagonal(phase, layout, itemsize)
    if isinstance(phase, Elementwise):
        return Dispatch()
    exchange = halo(
        layout,
        phase.reach,
        periodic=phase.periodic,
        corners=phase.corners,
        itemsize=itemsize,
        stride=phase.stride,
    )
    return Dispatch(((1, exchange),))


def price(phase: Staying, layout: Layout, itemsize: int, machine: Machine) -> tuple[float, str]:
    """What a phase costs and how it is done; infinite where it cannot: a node bit mixes axes.

    >>> price(Stencil(), Layout.nodes(2, "gray"), 1, Machine(dims=2, startup=1.0))
    (4.0, '')
    """
    try:
        made = work(phase, layout, itemsize)
    except InvalidValueError:
        return inf, ""
    return made.time(machine), "" if isinstance(phase, Stencil) else made.how


@lru_cache(maxsize=1 << 12)
def swap(n: int, change: int, block: int, itemsize: int) -> Task:
    """Everybody sends so many elements to the node whose number differs by so much.

    >>> swap(3, 5, block=2, itemsize=8).move(1)
    4
    """
    move = AffineMap(Matrix.identity(n), change)
    return Task(Layout.nodes(n), move @ Layout.nodes(n), block, itemsize)


def straight(task: Task, machine: Machine) -> float:
    """Seconds for everything to go straight to where it belongs.

    >>> machine = Machine(dims=2, switching="circuit", startup=10.0)
    >>> straight(Task(Layout.cyclic(4, 2), Layout.consecutive(4, 2), 4), machine)
    33.0
    """
    in_cube = task.numbered(machine.numbers)
    return _traffic(in_cube, machine.switching == "circuit").time(machine)


@lru_cache(maxsize=1 << 12)
def _traffic(task: Task, circuits: bool) -> Traffic:  # noqa: FBT001
    ways = [delivery(task.move, task.n)]
    return simulate(delivered(task, "straight", ways, circuits=circuits))


def _time(what: Halo | Task, machine: Machine) -> float:
    return what.time(machine) if isinstance(what, Halo) else straight(what, machine)


def _carried(places: Sequence[Layout], size: int, back: int) -> tuple[Task, ...]:
    """From each place to the next, and back, with elements of these sizes.

    What is on the same nodes needs nothing.
    """
    found = list[Task]()
    for before, after in pairwise(places):
        if Place(before, "").key != Place(after, "").key:
            found.append(Task(before, after, before.block_size, size))
            found.append(Task(after, before, before.block_size, back))
    return tuple(found)


def _scan(axis: int, layout: Layout, itemsize: int) -> Dispatch:
    """Rule 2."""
    there = stretched(layout, axis)
    changes = met_in_turn(there, axis)
    lines = (there.block_size << len(changes)) // there.shape[axis]
    rounds = ((1, swap(layout.n, change, lines, itemsize)) for change in changes)
    return Dispatch(tuple(rounds), _carried((layout, there), itemsize, itemsize))


def _tridiagonal(phase: Tridiagonal, layout: Layout, itemsize: int) -> Dispatch:
    """Rule 3."""
    number, axis, sides = -(-itemsize // phase.sides), phase.axis, phase.sides
    _ = layout.digits  # raises where the coefficients are not found axis by axis
    there = require_cube(in_runs(as_product(layout), axis), "a price")
    count, left = runs(there, axis)
    ends, known = require_cube(left, "a price"), sides + phase.periodic
    asked = [(1 << k, known + 2) for k in range(count.bit_length() - 1)]
    rounds = list[tuple[int, Halo | Task]]()
    reach = [int(k == axis) for k in range(len(layout.axes))]
    for stride, numbers in [*asked, (1, sides)] if asked else []:
        both = 2 * numbers * number
        rounds.append((1, halo(ends, reach, periodic=False, itemsize=both, stride=stride)))
    for numbers in (3, known) if phase.periodic else ():
        for change in sharing_steps(ends, (axis,)):
            rounds.append((1, swap(layout.n, change, 2 * ends.block_size, numbers * number)))
    carried = _carried((layout, there), (3 + sides) * number, sides * number)
    return Dispatch(tuple(rounds), carried)


def _sort(axis: int, layout: Layout, itemsize: int) -> Dispatch:
    """Rule 4."""
    n, rows = layout.n, layout.map.matrix.rows[: layout.n]
    if layout.is_product and not any(
        row >> b & 1 for row in rows for b in layout.word_bits(axis)
    ):
        return Dispatch()
    blocks, way = where_and_how(layout, axis, itemsize)
    there = Layout.mesh(
        layout.shape,
        [share.parts for share in blocks.axes],
        code=["gray" if share.gray else "binary" for share in blocks.axes],
        ownership=False,
    )
    places = layout, require_cube(as_product(layout), "a price"), there
    carried = _carried(places, itemsize, itemsize)
    along = blocks.axes[axis]
    if way is None or along.parts == 1:
        return Dispatch((), carried)
    rounds = list[tuple[int, Halo | Task]]()
    for times, change, nbytes in way.trades:
        rounds.append((times, swap(n, gray(change) if along.gray else change, nbytes, 1)))
    apart, together = Layout.cyclic(2 * n, n), Layout.consecutive(2 * n, n)
    rounds += [(1, Task(apart, together, nbytes << n, 1)) for nbytes in way.parts]
    return Dispatch(tuple(rounds), carried, way.told)
