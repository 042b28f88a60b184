"""Where everything is while a network is planned, and what is done to it: trades.

Sums of index bits on dimensions trade places with sums in memory. Sums are formed in memory
before they go out, by exchanges that cost nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Span, bit_indices, parity
from graycube.table.networks.sums import Tracked
from graycube.texts import counted

Code = Literal["binary", "gray"]
Conversion = Literal["local", "inter-node"]


@dataclass(frozen=True)
class Phase:
    """Exchanges that commute, after some ``local`` ones; then the ``stages`` they allow.

    ``place`` is where everything is before the first crossing.
    """

    place: Tracked
    local: tuple[Exchange, ...]
    crossings: tuple[Exchange, ...]
    stages: tuple[int, ...] = ()

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions that are crossed."""
        return tuple(next(bit_indices(crossing.flip)) for crossing in self.crossings)


@dataclass(frozen=True)
class Wishes:
    """What is asked for, apart from the layout: ``stages`` are index bits, in their order.

    A phase has ``radix`` dimensions if it can. ``window`` is how many of the bits that are
    finished when the first phase begins are in use; the others stay in memory. ``together``: a
    stage that needs two dimensions gets them in one phase. The first phase has no more than
    ``first`` dimensions. ``home`` is where everything has to be in the end, if anywhere.
    """

    stages: tuple[int, ...]
    radix: int = 1
    window: int = 2
    output: Code = "binary"
    conversion: Conversion = "local"
    together: bool = True
    first: int | None = None
    home: AffineMap | None = None


@dataclass
class Run:
    """The state: where everything is, and what may go out."""

    place: Tracked
    n: int
    wishes: Wishes
    pending: list[int]
    finished: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    partners: list[frozenset[int]] = field(default_factory=list)
    kept: tuple[int, ...] = ()  # slot bits that others need

    @property
    def p(self) -> int:
        """Number of address bits."""
        return self.place.width

    @property
    def node_rows(self) -> tuple[int, ...]:
        """The index bits whose sum each dimension has, up to constants."""
        return self.place.rows[: self.n]

    def dims_of(self, bit: int) -> list[int]:
        """The dimensions that depend on an index bit, the highest first."""
        held = self.node_rows
        return [d for d in reversed(range(self.n)) if held[d] >> bit & 1]

    def available(self) -> list[int]:
        """The finished bits that are not on the nodes, the oldest first."""
        masks, known = self.place.masks, Span()
        return [bit for bit in self.finished if known.add(masks[bit] >> self.n)]

    def slots_of(self, wanted: int) -> int:
        """The slot bits whose sum is a sum of index bits, up to what is on the nodes."""
        return self.place.address_mask(wanted) >> self.n

    def waiting(self, bits: Sequence[int]) -> list[int]:
        """What is in memory and not over, the next in turn first, without ``bits``."""
        turn = {bit: k for k, bit in enumerate(self.pending)}
        held = []
        for row in self.place.rows[self.n :]:
            turns = [turn[b] for b in bit_indices(row) if b in turn]
            if turns and not any(row >> b & 1 for b in bits):
                held.append((min(turns), row))
        alone = [1 << b for b in self.pending if b not in bits]
        return [row for _, row in sorted(held)] + alone

    def over(self) -> None:
        """The next stage has happened."""
        self.finished.append(self.pending.pop(0))


def memory_of(run: Run) -> str:
    """How many slots a node has, in words."""
    return counted(1 << run.p - run.n, "slot")


def traded(run: Run, trades: Sequence[tuple[int, int, int]]) -> Phase:
    """Dimensions trade places with sums of index bits and constants, formed in memory first."""
    local, slots = list[Exchange](), list[int]()
    for _, row, constant in trades:
        exchanges, slot = to_memory(run, row, slots, constant)
        local += exchanges
        slots.append(slot)
    before, crossings = run.place, list[Exchange]()
    for (d, *_), slot in zip(trades, slots, strict=True):
        both = 1 << d | 1 << slot
        crossings.append(Exchange(both, both))
        run.place = run.place.after(crossings[-1])
    return Phase(before, tuple(local), tuple(crossings))


def to_memory(
    run: Run, wanted: int, taken: Sequence[int], constant: int = 0
) -> tuple[list[Exchange], int]:
    """Put a sum of index bits, plus a constant, into a slot bit by an exchange, if need be."""
    mask = run.place.address_mask(wanted)
    slot = next(
        (s for s in bit_indices(mask >> run.n << run.n) if s not in (*taken, *run.kept)), None
    )
    if slot is None:
        raise InvalidValueError(
            f"index bits {list(bit_indices(wanted))} are to go out as one sum",
            "the nodes have it already",
            "ask for output in binary code, or start from another layout",
        )
    rest, inverted = mask ^ 1 << slot, constant ^ parity(mask & run.place.constant)
    if not rest and not inverted:
        return [], slot
    exchange = Exchange(1 << slot, rest, want=1 ^ inverted)
    run.place = run.place.after(exchange)
    return [exchange], slot
