"""From ways that a program found to a schedule that every part of graycube reads."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graycube.schedule import Schedule, Task
from graycube.search.demand import Demand
from graycube.table.conversion import always
from graycube.table.lanes import LaneStep, LaneWay, in_lanes


class Share(NamedTuple):
    """A part of the block of a home, by weight, and its rounds and dimensions."""

    home: int
    weight: int
    hops: tuple[tuple[int, int], ...]


def lanes(home: int, dimensions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The node and the dimension of each hop from a home.

    >>> [*lanes(3, [2, 1])]
    [(3, 2), (7, 1)]
    """
    for dimension in dimensions:
        yield home, dimension
        home ^= 1 << dimension


def schedule_of(task: Task, name: str, demand: Demand, shares: Iterable[Share]) -> Schedule:
    """The schedule in which all nodes of a class do as their home.

    Where a class is a subcube its nodes have their ways in common.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> made = schedule_of(task, "by hand", Demand.of(task), [Share(2, 1, ((0, 0),))])
    >>> [(s.start, s.stop, s.mask, s.value, len(s.steps)) for s in made.ways]
    [(0, 8, 2, 0, 0), (0, 8, 2, 2, 1)]
    """
    alike = set(demand.alike.tolist())
    free = sum(1 << d for d in range(task.n) if 1 << d in alike)
    together = len(alike) == 1 << free.bit_count()
    mask = (1 << task.n) - 1 ^ (free if together else 0)
    others = [0] if together else sorted(alike)
    classes = demand.classes.tolist()
    ways, moving = [], set()
    for share in shares:
        nodes = [*lanes(share.home, (d for _, d in share.hops))]
        for v in others:
            steps = tuple(
                LaneStep(
                    (always(d),), (number, 1, (classes[node] if together else node ^ v, d))
                )
                for (number, _), (node, d) in zip(share.hops, nodes, strict=True)
            )
            value = (share.home ^ v) & mask
            moving.add(value)
            ways.append(LaneWay(share.weight, steps, mask, value))
    kept = (u for u in range(1 << task.n) if u == u & mask and u not in moving)
    return in_lanes(task, name, [*(LaneWay(1, (), mask, u) for u in kept), *ways])
