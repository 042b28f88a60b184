"""From ways that a program found to a schedule that every part of graycube reads."""

from collections.abc import Iterable
from typing import NamedTuple

from graycube.schedule import Schedule, Task
from graycube.search.demand import Demand
from graycube.table.conversion import always
from graycube.table.lanes import LaneStep, LaneWay, in_lanes


class Share(NamedTuple):
    """A part of the block of a home, by weight, and its rounds and dimensions.

    >>> Share(home=3, weight=1, hops=((0, 2), (4, 1))).lanes
    [(3, 2), (7, 1)]
    """

    home: int
    weight: int
    hops: tuple[tuple[int, int], ...]

    @property
    def lanes(self) -> list[tuple[int, int]]:
        """The node and the dimension of each of its hops."""
        found, node = [], self.home
        for _, dimension in self.hops:
            found.append((node, dimension))
            node ^= 1 << dimension
        return found


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
        for v in others:
            steps = tuple(
                LaneStep(
                    (always(d),), (number, 1, (classes[node] if together else node ^ v, d))
                )
                for (number, d), (node, _) in zip(share.hops, share.lanes, strict=True)
            )
            value = (share.home ^ v) & mask
            moving.add(value)
            ways.append(LaneWay(share.weight, steps, mask, value))
    kept = (u for u in range(1 << task.n) if u == u & mask and u not in moving)
    return in_lanes(task, name, [*(LaneWay(1, (), mask, u) for u in kept), *ways])
