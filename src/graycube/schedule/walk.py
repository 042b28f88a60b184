"""Follow all elements of a way, step by step: who crosses which link when, as arrays."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import bit_indices
from graycube.gf2.arrays import IntArray, sums
from graycube.schedule.task import Task
from graycube.schedule.way import Way


class Crossed(NamedTuple):
    """Which elements of a way cross a dimension: from which nodes, by what clocks, when."""

    dim: int
    which: NDArray[np.intp]
    node: IntArray
    clock: IntArray
    cycle: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """What a step does to the elements of a way: their addresses before and after it."""

    element: IntArray
    before: IntArray
    after: IntArray
    crossings: tuple[Crossed, ...]


def walk(task: Task, way: Way) -> Iterator[Walked]:
    """Follow all elements of a way, step by step.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> way = Way(0, 2, (hop(0, Exchange(flip=1, when=2), n=2),))
    >>> (done,) = walk(task, way)
    >>> (crossed,) = done.crossings
    >>> done.element[crossed.which].tolist(), crossed.node.tolist(), crossed.cycle.tolist()
    ([4, 5, 6, 7], [2, 2, 3, 3], [0, 1, 0, 1])
    """
    low = (1 << task.n) - 1
    at_home = sums((1 << bit for bit in bit_indices(low & ~way.mask)), way.value & low)
    slots = np.arange(1 << task.p - task.n if way.per_slot else 1)[:, None]
    inside = (slots * task.payload + np.arange(way.start, way.stop)).ravel()
    inside = inside[inside // task.payload & way.mask >> task.n == way.value >> task.n]
    home = np.repeat(at_home, len(inside))
    position = np.tile(inside, len(at_home))
    element = home * task.block + position
    address: IntArray = position // task.payload << task.n | home
    offset: IntArray = position % task.payload
    for step in way.steps:
        if step.move is None:
            continue
        after = step(address)
        crossed, node = [], address & low
        place = node * task.block  # by sender, then by position
        place += (address >> task.n) * task.payload + offset
        for crossing in step.crossings:
            links = (address ^ after) & 1 << crossing.dim
            moving = np.flatnonzero(links)
            clock = crossing.clock(address[moving])
            turns = _turns(place[moving], clock if crossing.delays else None, task.block)
            crossed.append(Crossed(crossing.dim, moving, node[moving], clock, clock + turns))
            node = node ^ links
        yield Walked(element, address, after, tuple(crossed))
        address = after


def _turns(place: IntArray, clock: IntArray | None, block: int) -> IntArray:
    """How many of its message go before each element; without a clock, all have the same."""
    order = np.argsort(place) if clock is None else np.lexsort((place, clock))
    sender = place[order] // block
    same = np.zeros(len(order), dtype=bool)
    same[1:] = sender[1:] == sender[:-1]
    if clock is not None:
        same[1:] &= np.diff(clock[order]) == 0
    count = np.arange(len(order))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = count - np.maximum.accumulate(np.where(same, 0, count))
    return turn


def in_step_order(way: Way) -> bool:
    """Whether all elements cross in the order of the steps, whatever their addresses are.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.schedule import hop
    >>> there, back = (hop(t, Exchange(1, 0, 0), n=1) for t in (0, 4))
    >>> in_step_order(Way(0, 4, (there, back))), in_step_order(Way(0, 4, (back, there)))
    (True, False)
    """
    crossings = [crossing for step in way.steps for crossing in step.crossings]
    ascending = all(one.start <= other.start for one, other in pairwise(crossings))
    return ascending and not any(crossing.delays for crossing in crossings)
