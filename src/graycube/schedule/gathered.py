"""Moves as ways: what they are for planning, saving and carrying out.

Moves tell nodes, not slots: each element is put to the slot where its task wants it.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange
from graycube.gf2.arrays import IntArray, require_range
from graycube.schedule.moves import Moves
from graycube.schedule.schedule import Schedule
from graycube.schedule.way import Step, Way, hop

MAX_GATHERED = 1 << 18
"""Most elements, and most moves, that are made ways of."""
_Path = tuple[tuple[int, int], ...]


def gathered(moves: Moves) -> Schedule:
    """The schedule of single nodes and slots that makes these moves.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task, expand
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> moves = Moves(task, "mine", (0,), 2, [0, 1, 0, 1], [2, 2, 3, 3], [0] * 4, [4, 5, 6, 7])
    >>> made = gathered(moves)
    >>> [(way.value, way.start, way.stop) for way in made.ways if way.steps]
    [(2, 0, 2), (3, 0, 2)]
    >>> expand(made).element.tolist()
    [4, 5, 6, 7]
    """
    _require_numbers(moves)
    order = np.lexsort((moves.cycle, moves.element))
    columns = (moves.element, moves.cycle, moves.node, moves.dimension)
    ways = tuple(_ways(moves, *(column[order] for column in columns)))
    head = moves.task, moves.algorithm, moves.rounds, moves.cycles, ways
    return Schedule(*head, relabel=moves.relabel)


def require_held(moves: Moves) -> None:
    """That nodes send what they have or had; copies may be sent on, as in a broadcast.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.nodes(2), Layout.nodes(2), block=1)
    >>> require_held(Moves(task, "to all", (0, 1), 2, [0, 1, 1], [0, 0, 1], [0, 1, 1], [0] * 3))
    """
    _require_numbers(moves)
    block = moves.task.block
    order = np.lexsort((moves.cycle, moves.element))  # hops of a circuit stay as listed
    columns = (moves.element, moves.node, moves.partner, moves.cycle)
    had = set[tuple[int, int]]()
    for element, node, partner, cycle in zip(
        *(c[order].tolist() for c in columns), strict=True
    ):
        if node != element // block and (element, node) not in had:
            raise InvalidValueError(
                f"node {node} sends an element in cycle {cycle} that it never had",
                "a node sends what it has",
                "check the moves: graycube.verify.check_elements says all that is wrong",
            )
        had.add((element, partner))


def _require_numbers(moves: Moves) -> None:
    task = moves.task
    if max(task.block << task.n, len(moves)) > MAX_GATHERED:
        raise InvalidValueError(
            f"there are {len(moves)} moves of {task.block << task.n} elements"[:80],
            f"at most {MAX_GATHERED} are made a schedule",
            "write the ways of larger blocks yourself",
        )
    limits = {"node": 1 << task.n, "dimension": task.n, "element": task.block << task.n}
    for name, limit in limits.items():
        require_range(getattr(moves, name), limit, f"a {name} of the moves", "number them so")


def _ways(
    moves: Moves, element: IntArray, cycle: IntArray, node: IntArray, dim: IntArray
) -> Iterator[Way]:
    """Neighbours that go one way, one cycle after the other, are one way."""
    task, low = moves.task, (1 << moves.task.n) - 1
    first = np.searchsorted(element, np.arange((task.block << task.n) + 1)).tolist()
    hops = list(zip(dim.tolist(), cycle.tolist(), strict=True))
    at, size = node.tolist(), task.payload
    paths = [_path(hops, at, a, b, e // task.block) for e, (a, b) in enumerate(pairwise(first))]
    for begin in range(0, len(paths), size):
        home, position = divmod(begin, task.block)
        address = position // size << task.n | home
        swap = (address ^ task.move(address)) & ~low
        slot = (Step(Exchange(swap, 0, 0)),) if swap else ()
        start = 0
        for stop in range(1, size + 1):
            path = paths[begin + start]
            if stop < size and paths[begin + stop] == _later(path, stop - start):
                continue
            steps = (*(hop(c, Exchange(1 << d, 0, 0), task.n) for d, c in path), *slot)
            yield Way(start, stop, steps, (1 << task.p) - 1, address, per_slot=True)
            start = stop


def _path(hops: list[tuple[int, int]], at: list[int], begin: int, end: int, home: int) -> _Path:
    """The dimensions and cycles of an element, if it is at each node that it is sent from."""
    for k in range(begin, end):
        if at[k] != home:
            raise InvalidValueError(
                f"node {at[k]} sends an element in cycle {hops[k][1]} that is at node {home}",
                "an element is in one place, and no task has copies",
                "check the moves (graycube.verify.check_elements); graycube.price takes copies",
            )
        home ^= 1 << hops[k][0]
    return tuple(hops[begin:end])


def _later(path: _Path, cycles: int) -> _Path:
    return tuple((d, cycle + cycles) for d, cycle in path)
