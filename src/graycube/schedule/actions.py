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
from graycube.schedule.forms import AnySchedule
from graycube.schedule.schedule import Schedule, Strand


@dataclass(frozen=True, slots=True)
class Action:
    """From ``cycle`` on, the positions ``start`` to ``stop`` cross ``dimension``, one a cycle.

    The node sends them, receives them from its neighbour, or both: then what comes takes the
    place of what goes. Where a strand belongs to some nodes only, a node may hold elements of
    one position from several nodes; ``strand``, a number, says which of them are meant.

    >>> print(Action(3, 0, 1, 8, 16, sends=True, receives=True))
    cycles 3 to 10: exchange positions 8 to 15 over dimension 0
    """

    cycle: int
    dimension: int
    strand: int
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


def actions(schedule: AnySchedule, node: int) -> tuple[Action, ...]:
    """What one node does, in the order of time.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Hop, Strand, Task
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> strand = Strand(0, 8, (Hop(0, Exchange(flip=1, when=2)),))
    >>> schedule = Schedule(task, "gb1", (0,), 8, (strand,))
    >>> actions(schedule, 0)
    ()
    >>> print(*actions(schedule, 2))
    cycles 0 to 7: exchange positions 0 to 7 over dimension 0
    """
    nodes = 1 << schedule.task.n
    if not 0 <= require_int(node, "node") < nodes:
        raise OutOfRangeError(
            f"the node is {node}", f"the nodes are 0..{nodes - 1}", "pass one of them"
        )
    if not isinstance(schedule, Schedule):
        raise InvalidValueError(
            f"{schedule.algorithm!r} is not made of strands",
            "what a node does is told for strands of whole blocks only",
            "take all crossings: plan.moves(), or graycube.schedule.expand(schedule)",
        )
    every = range(len(schedule.strands))
    found = (action for s in every for action in _of(schedule, s, node))
    return tuple(sorted(found, key=lambda action: (action.cycle, action.dimension)))


def _of(schedule: Schedule, s: int, node: int) -> Iterator[Action]:
    """The actions of a node for strand number s."""
    n, strand = schedule.task.n, schedule.strands[s]
    for k, hop in enumerate(strand.hops):
        if (hop.exchange.flip | hop.exchange.when) >> n:
            raise InvalidValueError(
                f"the hop '{hop}' changes or tests slots",
                "what a node does is told for whole blocks only",
                "take all crossings: plan.moves(), or graycube.schedule.expand(schedule)",
            )
        goes = hop.exchange(node) != node
        if not (goes and strand.size):
            continue
        sends, receives = (_holds(strand, k, u) for u in (node, node ^ hop.exchange.flip))
        if sends or receives:
            dimension = hop.exchange.flip.bit_length() - 1
            share = strand.start, strand.stop
            yield Action(hop.cycle, dimension, s, *share, sends=sends, receives=receives)


def _holds(strand: Strand, hops: int, node: int) -> bool:
    """Whether a node has elements of the strand after so many of its hops."""
    if not strand.mask:
        return True  # exchanges permute the nodes
    for hop in reversed(strand.hops[:hops]):
        node = hop.exchange(node)  # its own inverse
    return strand.starts_at(node)


def _range(start: int, stop: int) -> str:
    return f" {start}" if stop == start + 1 else f"s {start} to {stop - 1}"
