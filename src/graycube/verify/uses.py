"""Which nodes use which links when, in a symbolic schedule: what its proof counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import xor

from graycube.gf2 import bit_indices, parity
from graycube.schedule import Hop, Schedule, Strand
from graycube.verify.conditions import Conditions, most_combined

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
    """A hop's use of its dimension: by the nodes with ``conditions``, in cycles start..stop.

    ``path`` names the message: the hops of a circuit belong to one path. ``always`` says that
    all elements of the strand that are on these nodes cross. ``across`` is what the number of
    the node at the other end of the message differs in.
    """

    dimension: int
    conditions: Conditions
    start: int
    stop: int
    path: tuple[int, int]
    always: bool
    across: int


def uses_of(schedule: Schedule, *, circuits: bool) -> Iterator[Use]:
    """The uses of links by all strands, each under the conditions that still hold there."""
    nodes = (1 << schedule.task.n) - 1
    for s, strand in enumerate(schedule.strands):
        holders = [(1 << j, strand.value >> j & 1) for j in bit_indices(strand.mask)]
        mixed = mixes_slots(schedule, strand)
        for k, hop in enumerate(strand.hops):
            crossed, when, want = (
                hop.exchange.flip & nodes,
                hop.exchange.when,
                hop.exchange.want,
            )
            if crossed and strand.size:
                cycles = duration(schedule, strand, hop, mixed=mixed)
                equations = {*holders, (when, want)}
                yield Use(
                    crossed.bit_length() - 1,
                    tuple(sorted(e for e in equations if e[0] and not e[0] >> schedule.task.n)),
                    hop.cycle,
                    hop.cycle + cycles,
                    (s, hop.cycle if circuits else k),
                    always=not when,
                    across=1 << crossed.bit_length() - 1,
                )
            # The exchange adds [parity(a & when) == want] to each parity that its flip changes.
            holders = [
                (mask ^ when, value ^ want ^ 1)
                if parity(mask & hop.exchange.flip)
                else (mask, value)
                for mask, value in holders
            ]


def ends(uses: Sequence[Use], *, last: bool) -> list[Use]:
    """Only the first or last hops of circuits: others use no ports.

    That is, where all elements of a strand take all hops of the circuit.
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


def mixes_slots(schedule: Schedule, strand: Strand) -> bool:
    """Whether elements of the strand change places within their blocks."""
    n = schedule.task.n
    return any((hop.exchange.flip | hop.exchange.when) >> n for hop in strand.hops)


def duration(schedule: Schedule, strand: Strand, hop: Hop, *, mixed: bool) -> int:
    """Cycles that the elements of a strand take at most; ``mixed`` is what mixes_slots says."""
    block = schedule.task.block
    if not mixed:
        return strand.size
    if strand.size == block and hop.exchange.when >> schedule.task.n:
        return block // 2  # whole blocks are permuted, so every node has half of the slots
    return block


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

    def most_at_once(self, active: Sequence[Use]) -> int:
        """The most messages that one node sends (or receives) among the active uses.

        The conditions along a circuit of several hops are those of its intermediate nodes, so
        such a path counts for every node, which is safe.
        """
        if not self.circuits:
            return self._most_combined(active, self.count)
        hops = Counter(use.path for use in active)
        single = [use for use in active if hops[use.path] == 1]
        paths = len(hops) - len(single)
        return paths + self._most_combined(single, self.count - paths)

    def _most_combined(self, active: Sequence[Use], enough: int) -> int:
        """All combinations of parities are tried, unless there are ports for all dimensions."""
        dimensions = {use.dimension for use in active}
        if len(dimensions) <= max(1, enough):
            return len(dimensions)
        uses = frozenset((use.dimension, use.conditions) for use in active)
        if uses not in self.known:  # most rounds are like others
            masks = {mask for _, conditions in uses for mask, _ in conditions}
            if len(masks) > MAX_CONDITIONS or self.effort.beyond(len(uses) << len(masks)):
                return len(dimensions)  # as if one node could meet all conditions; not kept
            self.known[uses] = most_combined(uses)
        return self.known[uses]
