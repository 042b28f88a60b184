"""The explicit schedule: every crossing of a link by an element, as columns of arrays.

Element e is the one that node ``e // block`` holds at position ``e % block`` before the task.
The order of the rows means nothing, except that hops of one element within one cycle (the path
of a circuit) are listed in the order of the path.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray, require_integers
from graycube.schedule.replication import Replication, of_ways
from graycube.schedule.schedule import Schedule, Timetable
from graycube.schedule.task import Task
from graycube.schedule.walk import in_step_order, walk
from graycube.schedule.way import Way

MAX_CROSSINGS = 1 << 28
"""Most crossings, and most cycles, that are written out: more would need tens of gigabytes."""


COLUMNS: dict[str, type[np.signedinteger[Any]]] = {
    "cycle": np.int32,
    "node": np.int32,
    "dimension": np.int8,
    "element": np.int64,
}


@dataclass(frozen=True, eq=False)
class Moves(Timetable):
    """Row r says: in ``cycle[r]``, ``node[r]`` sends ``element[r]`` over ``dimension[r]``.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
    >>> moves = Moves(task, "by hand", (0,), 1, [0, 0], [2, 3], [0, 0], [2, 3])
    >>> len(moves), moves.element.dtype
    (2, dtype('int64'))
    """

    cycle: NDArray[np.int32]
    node: NDArray[np.int32]
    dimension: NDArray[np.int8]
    element: NDArray[np.int64]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, dtype in COLUMNS.items():
            column = require_integers(getattr(self, name))
            stored = column.astype(dtype, copy=False)
            if not np.array_equal(stored, column):
                raise InvalidValueError(
                    f"the {name}s reach from {column.min()} to {column.max()}",
                    f"they are stored as {np.dtype(dtype)}",
                    "check the column",
                )
            object.__setattr__(self, name, stored)
        shapes = [getattr(self, name).shape for name in COLUMNS]
        if len(set(shapes)) > 1 or len(shapes[0]) != 1:
            raise InvalidValueError(
                f"the columns have shapes {shapes}",
                "they must be one-dimensional and equally long",
                "give one entry per crossing in each",
            )

    def __repr__(self) -> str:
        return f"<Moves of {self.algorithm}: {len(self)} crossings in {self.cycles} cycles>"

    def __len__(self) -> int:
        return len(self.cycle)

    @property
    def partner(self) -> NDArray[np.int32]:
        """The node that each crossing leads to.

        >>> from graycube.layout import Layout
        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
        >>> Moves(task, "by hand", (0,), 1, [0, 0], [2, 3], [0, 0], [2, 3]).partner.tolist()
        [3, 2]
        """
        led: NDArray[np.int32] = self.node ^ (1 << self.dimension.astype(np.int32))
        return led

    @property
    def round(self) -> IntArray:
        """The round of each crossing; 0 is the first.

        >>> from graycube.layout import Layout
        >>> task = Task(Layout.nodes(1), Layout.nodes(1), block=1)
        >>> Moves(task, "there and back", (0, 2), 3, [0, 2], [0, 1], [0, 0], [0, 0]).round
        array([0, 1])
        """
        cycles = self.cycle.astype(np.int64)
        if isinstance(self.rounds, range):
            return cycles // self.rounds.step
        return np.searchsorted(np.asarray(self.rounds), cycles, side="right") - 1


def expand(schedule: Schedule | Replication) -> Moves:
    """Write a symbolic schedule out, element by element.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> way = Way(0, 2, (hop(0, Exchange(flip=1, when=2), n=2),))
    >>> moves = expand(Schedule(task, "gb1", (0,), 2, (way,)))
    >>> moves.cycle.tolist(), moves.node.tolist(), moves.element.tolist()
    ([0, 1, 0, 1], [2, 2, 3, 3], [4, 5, 6, 7])
    """
    schedule = of_ways(schedule)
    task = schedule.task
    crossings = sum(
        way.everywhere(task.n, task.p) * max(1, sum(len(step.crossings) for step in way.steps))
        for way in schedule.ways
    )
    if max(crossings, schedule.cycles) > MAX_CROSSINGS:
        raise InvalidValueError(
            f"the schedule has up to {crossings} crossings in {schedule.cycles} cycles",
            f"at most {MAX_CROSSINGS} can be written out",
            "verify by algebra, or take a smaller cube or block",
        )
    nothing = (np.empty(0, np.int64),) * 4
    parts = (_crossings(task, way) for way in schedule.ways)
    columns = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
    head = (task, schedule.algorithm, schedule.rounds, schedule.cycles)
    return Moves(*head, *columns, relabel=schedule.relabel)


def _crossings(task: Task, way: Way) -> tuple[IntArray, ...]:
    """Cycle, node, dimension and element of every crossing."""
    parts = [
        (c.clock, c.cycle, c.node, np.full(len(c.which), c.dim), done.element[c.which])
        for done in walk(task, way)
        for c in done.crossings
    ]
    nothing = (np.empty(0, np.int64),) * 5
    clock, *columns = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
    if in_step_order(way):
        return tuple(columns)
    cycle, _, dimension, element = columns
    order = np.lexsort((clock, element))
    cycle, dimension, element = cycle[order], dimension[order], element[order]
    return cycle, element // task.block ^ _flips_before(element, dimension), dimension, element


def _flips_before(element: IntArray, dimension: IntArray) -> IntArray:
    """The node bits that an element has flipped before each of its crossings."""
    flips: IntArray = np.bitwise_xor.accumulate(1 << dimension) ^ 1 << dimension
    first = np.diff(element, prepend=-1) != 0
    at_home: IntArray = flips[first][np.cumsum(first) - 1]
    return flips ^ at_home
