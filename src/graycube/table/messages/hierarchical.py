"""All-to-alls level by level, where nodes that are near gather what goes far.

Rules.

1. Exchanges over links of one kind are all-to-alls within subcubes of so many dimensions, as
   in ``groups``. What a turn of them takes is counted as on links that all
   nodes use at once.
2. What goes far may be gathered first: of 2^g nodes each takes what all of them send to its
   share of the far nodes, sends it there in messages 2^g times as long, and those who receive
   it share it out. As maps, that is A, then A L A, then A, where L are the exchanges over far
   links and A trades g near node bits for g slot bits that L trades. So far links carry
   everything once, in few messages, and near links twice more.
3. What is left for near links before and after is done in the same way.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graycube.gf2 import AffineMap, Exchange, Matrix, bit_indices, compose
from graycube.gf2.factor import factor
from graycube.machine import Link, Machine
from graycube.schedule import Delivery, Schedule, Task, delivered
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import why_conversion
from graycube.table.messages.all_to_all import delivery, moves_between_nodes, sent_turns
from graycube.table.messages.groups import deliveries, parts_of, runs

MOST = 12
"""So many dimensions of a subcube at most; more messages are for the direct all-to-all."""


@dataclass(frozen=True, slots=True)
class Crowded:
    """What messages of all nodes take, and the blocks that they are parts of.

    >>> tree = Machine.tree((4, 8, 2), startup=(1.0, 2.0, 0.0), per_byte=(1.0, 0.5, 0.01))
    >>> crowd = Crowded.of(tree, 16)
    >>> [crowd.turn([d], 4) for d in (0, 2, 5)], crowd.level(4)  # far messages also go up here
    ([5.0, 10.0, 10.0], 1)
    """

    nbytes: int
    links: tuple[Link, ...]
    levels: tuple[range, ...]
    nested: bool

    @classmethod
    def of(cls, machine: Machine, nbytes: int) -> "Crowded":
        """On a machine, where each link that is shared carries what all its users send."""
        links, levels = list(machine.links), tuple(dims for dims, _ in machine.levels)
        for wires in machine.wires:  # where they are nested, the outermost come last
            for d in wires.dims:
                (crowd,) = wires.crowds(1 << d)
                rate = crowd * wires.link.per_byte / wires.ports
                links[d] = Link(wires.link.startup, rate)
        return cls(nbytes, tuple(links), levels, machine.nested)

    def level(self, dim: int) -> int:
        """The number of the kind of links that a dimension has."""
        return next(k for k, dims in enumerate(self.levels) if dim in dims)

    def turn(self, dims: Sequence[int], nbytes: int) -> float:
        """Seconds of a turn in which all nodes send so much over some dimensions."""
        crossed = range(max(dims) + 1) if self.nested else dims
        return max(self.links[d].startup + nbytes * self.links[d].per_byte for d in crossed)

    def price(self, deliveries: Iterable[Delivery]) -> float:
        """Seconds of some deliveries, one after the other."""
        return sum(
            sent_turns(d) * self.turn(d.dims, self.nbytes >> len(d.classes))
            for d in deliveries
            if d.dims
        )

    def within(self, dims: Sequence[int]) -> tuple[float, int]:
        """Seconds of an all-to-all over alike dimensions, and over how many at a time."""
        count = len(dims)
        return min(
            (-(-count // size) * ((1 << size) - 1) * self.turn(dims, self.nbytes >> size), size)
            for size in range(1, min(count, MOST) + 1)
        )


def applicable(task: Task, machine: Machine) -> str | None:
    """Where links differ; a message over several of them needs a circuit."""
    if reason := why_conversion(task, machine):
        return reason
    if machine.switching != "circuit" or len(machine.levels) == 1:
        return "needs circuits, and links of more than one kind; else it is groups"
    return None


def emit(task: Task, machine: Machine) -> Schedule:
    """Deliveries level by level, as they are cheapest."""
    crowd = Crowded.of(machine, task.block_bytes)
    deliveries = by_level(task.move, task.n, crowd)
    return delivered(task, "hierarchical", deliveries, circuits=True)


def by_level(move: AffineMap, n: int, crowd: Crowded) -> list[Delivery]:
    """The cheaper one of the ways to do a map: with what is gathered, or without.

    >>> tree = Machine.tree((4, 4), startup=(1.0, 9.0), per_byte=1e-3)
    >>> swap = AffineMap(Matrix.permutation([4, 5, 6, 7, 0, 1, 2, 3]))
    >>> [(d.dims, d.turns) for d in by_level(swap, 4, Crowded.of(tree, 16))]
    [((0,), 2), ((1,), 2), ((0, 2, 1, 3), 1), ((0,), 2), ((1,), 2)]
    """
    found = list(runs(factor(move, n), n, lambda dims: crowd.level(dims[-1])))
    plain = list[Delivery]()
    for dims, run in found:
        size = crowd.within(dims)[1] if dims else 1
        plain += deliveries(tuple(run), n, move.width, size)
    return min([plain, *_gathered(found, n, move.width, crowd)], key=crowd.price)


def _gathered(
    found: Sequence[tuple[list[int], list[Exchange]]], n: int, p: int, crowd: Crowded
) -> Iterator[list[Delivery]]:
    """Rule 2, for the outermost links, if they have one run and there are others."""
    top = max((crowd.level(dims[0]) for dims, _ in found if dims), default=0)
    far = [k for k, (dims, _) in enumerate(found) if dims and crowd.level(dims[0]) == top]
    if not top or len(far) > 1:
        return
    (at,) = far
    dims, exchanges = found[at]
    before, after = (
        compose((e for _, run in some for e in run), p)
        for some in (found[:at], found[at + 1 :])
    )
    size, near = _sizes(dims, crowd)
    if not near:
        return
    done, rest = list[Delivery](), before
    for part in parts_of(exchanges, n, size):
        trade = _trade(part, near, n, p)
        rest = trade @ rest
        if moves_between_nodes(rest, n):
            done += by_level(rest, n, crowd)
            rest = AffineMap.identity(p)
        done.append(delivery(trade @ compose(part, p) @ trade @ rest, n))
        rest = trade
    rest = after @ rest
    yield [*done, *(by_level(rest, n, crowd) if rest != AffineMap.identity(p) else ())]


def _sizes(dims: Sequence[int], crowd: Crowded) -> tuple[int, int]:
    """How many dimensions at a time, and how many near bits gather, as far as can be told.

    Near nodes gather before each part and share out after the last one; one of these trades
    they do with what is near anyway.
    """
    best = crowd.within(dims)[0], len(dims), 0
    for parts in range(1, len(dims) + 1):
        size = -(-len(dims) // parts)
        for near in range(1, min(crowd.levels[crowd.level(dims[0])].start, size) + 1):
            if size - near > MOST:
                continue
            turn = crowd.turn(dims, crowd.nbytes >> size - near)
            gathering = sum(
                crowd.within([*range(level.start, min(level.stop, near))])[0]
                for level in crowd.levels
                if level.start < near
            )
            seconds = parts * (2.0 ** (size - near) * turn + gathering)
            best = min(best, (seconds, size, near))
    return best[1:]


def _trade(part: Sequence[Exchange], near: int, n: int, p: int) -> AffineMap:
    """The lowest node bits, traded for slot bits that some exchanges trade."""
    slots = dict.fromkeys(
        next(bit_indices(e.flip >> n)) + n
        for e in part
        if e.flip & (1 << n) - 1 and e.flip >> n
    )
    order = [*range(p)]
    for bit, slot in zip(range(near), slots, strict=False):
        order[bit], order[slot] = slot, bit
    return AffineMap(Matrix.permutation(order))


ALGORITHM = Algorithm(
    name="hierarchical",
    paper="all-to-alls level by level",
    ports=1,
    formula="by counting; far links carry everything once",
    applicable=applicable,
    emit=emit,
)
