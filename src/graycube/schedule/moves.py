"""The explicit schedule: every crossing of a link by an element, as columns of arrays.

Element e is the one that node ``e // block`` holds at position ``e % block`` before the task.
The order of the rows means nothing, except that hops of one element within one cycle (the path
of a circuit) are listed in the order of the path.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray, require_integers
from graycube.schedule.schedule import Hop, Schedule, Strand, Timetable
from graycube.schedule.task import Task

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


def written_out_strands(schedule: Schedule) -> Moves:
    """The crossings of strands, element by element.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> strand = Strand(0, 2, (Hop(0, Exchange(flip=1, when=2)),))
    >>> moves = written_out_strands(Schedule(task, "gb1", (0,), 2, (strand,)))
    >>> moves.cycle.tolist(), moves.node.tolist(), moves.element.tolist()
    ([0, 1, 0, 1], [2, 2, 3, 3], [4, 5, 6, 7])
    """
    task = schedule.task
    hops = sum(strand.size * max(1, len(strand.hops)) for strand in schedule.strands)
    if max(hops << task.n, schedule.cycles) > MAX_CROSSINGS:
        raise InvalidValueError(
            f"the schedule has up to {hops << task.n} crossings in {schedule.cycles} cycles",
            f"at most {MAX_CROSSINGS} can be written out",
            "verify by algebra, or take a smaller cube or block",
        )
    nothing = tuple(np.empty(0, dtype) for dtype in COLUMNS.values())
    parts = [part for strand in schedule.strands for part in _strand_moves(task, strand)]
    columns = [np.concatenate(column) for column in zip(nothing, *parts, strict=True)]
    head = (task, schedule.algorithm, schedule.rounds, schedule.cycles)
    return Moves(*head, *columns, relabel=schedule.relabel)


_Columns = tuple[IntArray, IntArray, IntArray, IntArray]


def _strand_moves(task: Task, strand: Strand) -> Iterator[_Columns]:
    """The crossings of one strand, hop by hop."""
    nodes = (1 << task.n) - 1
    every = np.arange(1 << task.n)
    at_home = every[every & strand.mask == strand.value]
    home = np.repeat(at_home, strand.size)
    position = np.tile(np.arange(strand.start, strand.stop), len(at_home))
    element = home * task.block + position
    address: IntArray = position // task.payload << task.n | home
    for hop in strand.hops:
        after = hop.exchange.affine(task.p)(address)
        link = hop.exchange.flip & nodes
        if link:
            place = (address & nodes) * task.block  # sort by node, then by position
            place += (address >> task.n) * task.payload + position % task.payload
            moving = np.flatnonzero(address != after)
            moving = moving[np.argsort(place[moving], kind="stable")]
            yield _hop_moves(hop, link, address[moving] & nodes, element[moving])
        address = after


def _hop_moves(hop: Hop, link: int, node: IntArray, element: IntArray) -> _Columns:
    """The crossings of one hop; ``node`` ascends, and one element follows the other."""
    turn = np.arange(len(node)) - np.searchsorted(node, node)
    dimension = np.full(len(node), link.bit_length() - 1, dtype=np.int8)
    return (hop.cycle + turn).astype(np.int32), node.astype(np.int32), dimension, element
