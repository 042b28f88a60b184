"""Distributed control: what one node does, from its address and the exchanges alone.

Rule: a node knows which elements it holds at first, and every exchange says from the node's own
address whether they go and whether others come instead (TR-20-91 section 1). So no node needs
to know what the others do, and nothing but the elements is sent. All of it is a few integers
per hop, at any size of the cube.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.schedule.replication import Replication, of_ways
from graycube.schedule.schedule import Schedule
from graycube.schedule.way import Way, are_straight, tells_slots_apart


@dataclass(frozen=True, slots=True)
class Action:
    """From ``cycle`` on, the positions ``start`` to ``stop`` cross ``dimension``, one a cycle.

    The node sends them, receives them from its neighbour, or both: then what comes takes the
    place of what goes. Where a way belongs to some nodes only, a node may hold elements of
    one position from several nodes; ``way``, a number, says which of them are meant.

    >>> print(Action(3, 0, 1, 8, 16, sends=True, receives=True))
    cycles 3 to 10: exchange positions 8 to 15 over dimension 0
    """

    cycle: int
    dimension: int
    way: int
    start: int
    stop: int
    sends: bool
    receives: bool

    def __str__(self) -> str:
        verb = (
            "exchange" if self.sends and self.receives else "send" if self.sends else "receive"
        )
        cycles = f"cycle{_range(self.cycle, self.cycle + self.stop - self.start)}"
        positions = f"position{_range(self.start, self.stop)}"
        return f"{cycles}: {verb} {positions} over dimension {self.dimension}"


def actions(schedule: Schedule | Replication, node: int) -> tuple[Action, ...]:
    """What one node does, in the order of time.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task, Way, hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> way = Way(0, 8, (hop(0, Exchange(flip=1, when=2), n=2),))
    >>> schedule = Schedule(task, "gb1", (0,), 8, (way,))
    >>> actions(schedule, 0)
    ()
    >>> print(*actions(schedule, 2))
    cycles 0 to 7: exchange positions 0 to 7 over dimension 0
    """
    schedule, nodes = of_ways(schedule), 1 << schedule.task.n
    if not 0 <= require_int(node, "node") < nodes:
        raise OutOfRangeError(
            f"the node is {node}", f"the nodes are 0..{nodes - 1}", "pass one of them"
        )
    every = range(len(schedule.ways))
    found = (action for s in every for action in _of(schedule, s, node))
    return tuple(sorted(found, key=lambda action: (action.cycle, action.dimension)))


def _of(schedule: Schedule, s: int, node: int) -> Iterator[Action]:
    """The actions of a node for way number s."""
    n, way = schedule.task.n, schedule.ways[s]
    meet = any(len(step.crossings) > 1 for step in way.steps)  # two blocks are on a node
    if meet or tells_slots_apart([way], n) or not are_straight([way]):
        raise InvalidValueError(
            f"{schedule.algorithm!r} changes or tests slots, or elements take turns or meet",
            "what a node does is told for whole blocks that do exchanges only",
            "take all crossings: plan.moves(), graycube.schedule.expand(schedule), or "
            "graycube view plan.json --csv moves.csv",
        )
    for k, step in enumerate(way.steps):
        for crossing in step.crossings if way.size else ():
            link = 1 << crossing.dim
            ends = [u for u in (node, node ^ link) if _crosses(way, k, u, link)]
            if ends:
                share = crossing.clock(node), crossing.dim, s, way.start, way.stop
                yield Action(*share, sends=node in ends, receives=node ^ link in ends)


def _crosses(way: Way, steps: int, node: int, link: int) -> bool:
    """Whether a node sends elements of the way over a link in a step."""
    if not (way.steps[steps](node) ^ node) & link:
        return False
    for step in reversed(way.steps[:steps]) if way.mask else ():
        node = step(node)  # an exchange undoes itself
    return way.starts_at(node)


def _range(start: int, stop: int) -> str:
    return f" {start}" if stop == start + 1 else f"s {start} to {stop - 1}"
