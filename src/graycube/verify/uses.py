"""Which nodes use which links when, where nobody waits for a turn: what a proof counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count
from operator import xor
from typing import NamedTuple

from graycube.gf2 import Exchange, bit_indices, parity
from graycube.schedule import Task, Way
from graycube.verify.conditions import Conditions, combinations, most_combined, on_nodes

MAX_CONDITIONS = 10
"""Most conditions at a time whose combinations are tried; beyond, the worst is assumed."""
MAX_COMPARISONS = 1 << 22
"""Most comparisons of a proof; beyond, the worst is assumed: a file cannot keep it busy."""


@dataclass(slots=True)
class Effort:
    """The comparisons that a proof may still make."""

    left: int

    def beyond(self, count: int) -> bool:
        """Whether so many more are too many.

        >>> effort = Effort(100)
        >>> effort.beyond(60), effort.beyond(60)
        (False, True)
        """
        self.left -= count
        return self.left < 0

    @property
    def words(self) -> str:
        """What a violation says where it is assumed.

        >>> Effort(0).words
        'to tell would take more than 4194304 comparisons'
        """
        return f"to tell would take more than {MAX_COMPARISONS} comparisons"


@dataclass(frozen=True, slots=True)
class Use:
    """A step's use of its dimension: by the nodes with ``conditions``, in cycles start..stop.

    ``path`` names the message: the steps of a circuit belong to one path. ``always`` says that
    all elements of the way that are on these nodes cross. ``across`` is what the number of
    the node at the other end of the message differs in. ``halfway`` says that the exchange
    goes on in another cycle, so that nodes hold what came and what stays.
    """

    dimension: int
    conditions: Conditions
    start: int
    stop: int
    path: tuple[int, int]
    always: bool
    across: int
    halfway: bool


class Passage(NamedTuple):
    """An exchange that crosses a dimension, from ``start`` on for so many ``cycles`` at most.

    The elements are on nodes with these ``conditions`` then; ``number`` counts crossings. If it
    is ``halfway``, others stay where these pass.
    """

    exchange: Exchange
    dimension: int
    start: int
    cycles: int
    conditions: Conditions
    number: int
    halfway: bool


class Journey(NamedTuple):
    """A way, its passages, and whether its elements change places within their blocks."""

    way: Way
    passages: tuple[Passage, ...]
    mixed: bool


def journey(task: Task, way: Way) -> Journey:
    """What a way does on links."""
    mixed = mixes_slots(task.n, way)
    return Journey(way, tuple(_crossed(task, way, mixed=mixed)) if way.size else (), mixed)


def _crossed(task: Task, way: Way, *, mixed: bool) -> Iterator[Passage]:
    """The exchanges of a way that cross links, under the conditions that still hold there."""
    holders = [(1 << j, way.value >> j & 1) for j in bit_indices(way.mask)]
    number, n, span = count(), task.n, span_of_slots(task, way)
    most = task.block if mixed else way.size
    if span is not None:
        most = len(span) << task.p - n
    for step in way.steps:
        exchange = step.exchange
        if exchange is None:
            continue
        equations = [*holders, (exchange.when, exchange.want)]
        halfway = exchange.when != 0 and len(step.crossings) > 1
        for crossing in step.crossings:
            conditions, cycles = _met(n, equations, most, parted=span is not None)
            if cycles:
                used = exchange, crossing.dim, crossing.start, cycles, conditions
                yield Passage(*used, next(number), halfway)
            link = 1 << crossing.dim  # all that do the exchange are at its other end now
            equations = [(mask, value ^ parity(mask & link)) for mask, value in equations]
        # The exchange adds [parity(a & when) == want] to each parity that its flip changes.
        holders = [
            (mask ^ exchange.when, value ^ exchange.want ^ 1)
            if parity(mask & exchange.flip)
            else (mask, value)
            for mask, value in holders
        ]


def _met(
    n: int, equations: Sequence[tuple[int, int]], most: int, *, parted: bool
) -> tuple[Conditions, int]:
    """On which nodes some elements of a way meet the equations, and how many at most.

    Slots are permuted as a whole, and so are the same positions of all. So at any time the
    elements of such a way are all those of a subspace of addresses: each independent parity of
    slots leaves half of them on a node, or all on some nodes. Of others the worst is assumed,
    which are not ``parted``.
    """
    if parted and any(mask >> n for mask, _ in equations):
        conditions, parities = on_nodes(n, equations)
        return conditions, 0 if (0, 1) in conditions else most >> parities
    return tuple(sorted({e for e in equations if e[0] and not e[0] >> n})), most


def span_of_slots(task: Task, way: Way) -> range | None:
    """The positions of each slot that a way has, if it has the same of all its slots.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.cyclic(3, 2), Layout.cyclic(3, 2), block=12)
    >>> span_of_slots(task, Way(0, 12, ())), span_of_slots(task, Way(2, 4, (), per_slot=True))
    (range(0, 6), range(2, 4))
    >>> span_of_slots(task, Way(2, 4, ())) is None
    True
    """
    if way.per_slot:
        return range(way.start, way.stop)
    return range(task.payload) if way.size == task.block else None


def uses_of(journeys: Sequence[Journey], *, circuits: bool) -> Iterator[Use]:
    """The uses of links by all ways, each under the conditions that still hold there."""
    for s, (_, passages, _) in enumerate(journeys):
        for exchange, dimension, start, cycles, conditions, k, halfway in passages:
            yield Use(
                dimension,
                conditions,
                start,
                start + cycles,
                (s, start if circuits else k),
                always=not exchange.when,
                across=1 << dimension,
                halfway=halfway,
            )


def ends(uses: Sequence[Use], *, last: bool) -> list[Use]:
    """Only the first or last steps of circuits: others use no ports.

    That is, where all elements of a way take all steps of the circuit.
    """
    paths: dict[tuple[int, int], list[Use]] = {}
    for use in uses:
        paths.setdefault(use.path, []).append(use)
    found = []
    for hops in paths.values():
        if all(use.always for use in hops):
            across = reduce(xor, (use.across for use in hops))
            found.append(replace(hops[-1 if last else 0], across=across))
        else:
            found += hops
    return found


def arrival(use: Use) -> Use:
    """The same use, seen from the nodes that receive."""
    link = 1 << use.dimension
    there = tuple((mask, want ^ parity(mask & link)) for mask, want in use.conditions)
    return replace(use, conditions=there)


def mixes_slots(n: int, way: Way) -> bool:
    """Whether elements of the way change places within their blocks, or part, as they cross.

    Slots that a step tests or changes after the last crossing are nothing to the order in which
    they cross; and those that a way has on a node stay together if no step parts them.
    """
    last = max((k for k, step in enumerate(way.steps) if step.crossings), default=-1)
    exchanges = (step.exchange for step in way.steps[: last + 1])
    return any((one.flip | one.when) >> n for one in exchanges if one is not None)


@dataclass(frozen=True, slots=True)
class Ports:
    """How many ports a node has; with circuits, only the ends of a message use them."""

    count: int
    effort: Effort
    circuits: bool
    known: dict[frozenset[tuple[int, Conditions]], int] = field(default_factory=dict)

    @property
    def doubt(self) -> str:
        """What a violation adds where the worst may have been assumed."""
        return "" if self.effort.left >= 0 else f"; {self.effort.words}"

    def suffice(self, uses: Sequence[Use]) -> bool:
        """Whether there is one for every dimension that is ever used, link by link."""
        return not self.circuits and len({use.dimension for use in uses}) <= self.count

    def most_at_once(self, active: Sequence[Use]) -> int:
        """The most messages that one node sends (or receives) among the active uses.

        The conditions along a circuit of several hops are those of its intermediate nodes, so
        such a path counts for every node, which is safe: for one message, and for two where it
        begins or ends halfway through an exchange.
        """
        if not self.circuits:
            return self._most_combined(active, self.count)
        hops = Counter(use.path for use in active)
        single = [use for use in active if hops[use.path] == 1]
        halfway = {use.path for use in active if use.halfway and hops[use.path] > 1}
        paths = len(hops) - len(single) + len(halfway)
        return paths + self._most_combined(single, self.count - paths)

    def _most_combined(self, active: Sequence[Use], enough: int) -> int:
        """All combinations of parities are tried, unless there are ports for all dimensions."""
        dimensions = {use.dimension for use in active}
        if len(dimensions) <= max(1, enough):
            return len(dimensions)
        uses = frozenset((use.dimension, use.conditions) for use in active)
        if uses not in self.known:  # most rounds are like others
            masks = {mask for _, conditions in uses for mask, _ in conditions}
            if len(masks) > MAX_CONDITIONS or self.effort.beyond(combinations(uses)):
                return len(dimensions)  # as if one node could meet all conditions; not kept
            self.known[uses] = most_combined(uses)
        return self.known[uses]
