"""The traffic of moves that are written out: counted row by row, whatever made them.

Rule. What crosses a link within a round is one message; with circuits, what leaves a node in a
round on one path.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.cost.traffic import RoundTraffic
from graycube.gf2.arrays import require_range
from graycube.schedule import Moves

_Column = NDArray[np.int64]


class SentOver(NamedTuple):
    """So many elements from some nodes, over all of ``dims`` in turn."""

    senders: _Column
    dims: tuple[int, ...]
    elements: int


def moves_rounds(moves: Moves) -> Iterator[RoundTraffic]:
    """The rounds in which something moves.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
    >>> list(moves_rounds(Moves(task, "by hand", (0,), 1, [0, 0], [2, 3], [0, 0], [2, 3])))
    [RoundTraffic(longest=1, crossings=2, links=2, times=1)]
    """
    for _, _, size in _loads(moves):
        yield RoundTraffic(int(size.max()), int(size.sum()), len(size))


def moves_loads(moves: Moves) -> Iterator[tuple[int, dict[int, int]]]:
    """The same rounds: the longest message on each dimension, and that there is one like it."""
    for _, dim, size in _loads(moves):
        most = np.zeros(moves.task.n, np.int64)
        np.maximum.at(most, dim, size)
        yield 1, {d: m for d, m in enumerate(most.tolist()) if m}


def moves_messages(moves: Moves, *, circuits: bool) -> Iterator[list[SentOver]]:
    """The messages of each round, those of one size on one path together."""
    order = np.lexsort((moves.cycle, moves.element))  # hops of a circuit stay as listed
    number, cycle = moves.round[order], moves.cycle[order]
    element, node, dim = moves.element[order], moves.node[order], moves.dimension[order]
    begins = np.ones(len(order), bool)
    if circuits:
        goes_on = (node[1:] == moves.partner[order][:-1]) & (np.diff(cycle) == 0)
        begins[1:] = ~goes_on | (np.diff(element) != 0)  # copies of one element do not go on
    marks = [*np.flatnonzero(begins).tolist(), len(order)]
    listed = dim.tolist()
    paths = [tuple(listed[a:b]) for a, b in pairwise(marks)]
    known = {path: k for k, path in enumerate(sorted(set(paths)))}
    path = np.array([known[each] for each in paths], np.int64)
    keys = np.stack([number[begins], path, node[begins]])
    (rounds, ways, senders), sizes = np.unique(keys, axis=1, return_counts=True)
    names = list(known)
    for these in _split(rounds):
        alike = np.stack([ways[these], sizes[these]])
        yield [
            SentOver(senders[these][(alike[0] == way) & (alike[1] == size)], names[way], size)
            for way, size in np.unique(alike, axis=1).T.tolist()
        ]


def _loads(moves: Moves) -> Iterator[tuple[_Column, _Column, _Column]]:
    """The links that are used in each round, by node and dimension, and their elements."""
    hint = "check the moves first: graycube.verify.check_elements"
    n = moves.task.n
    for name, limit in (("cycle", moves.cycles), ("node", 1 << n), ("dimension", n)):
        require_range(getattr(moves, name), limit, f"a {name} of the moves", hint)
    keys = np.stack([moves.round, moves.node, moves.dimension])
    (rounds, node, dim), size = np.unique(keys, axis=1, return_counts=True)
    for these in _split(rounds):
        yield node[these], dim[these], size[these]


def _split(rounds: _Column) -> Iterator[slice]:
    """The rows of each round, in order."""
    marks = np.flatnonzero(np.diff(rounds, prepend=-1)).tolist()
    return (slice(a, b) for a, b in pairwise([*marks, len(rounds)]))
