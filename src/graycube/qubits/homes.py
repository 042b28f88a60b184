"""Layouts in which some qubits can be mixed without messages: the algebra of moving in.

Rules.

1. A qubit is *plain* where two amplitudes that differ in it alone lie in one node, one bit of
   the slot apart, and that bit, perhaps with bits of the node, is the value of the qubit.
2. :func:`home` makes as many qubits plain as a node has bits of slots. Then the number of a
   node says something of the other qubits alone. All that it said of them it says still: so the
   fewest amplitudes move that can.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

from graycube.gf2 import AffineMap, Matrix, Span
from graycube.gf2.affine import nonzero_share, shift_of
from graycube.layout import Layout

_KEPT = 1 << 10  # qubits of layouts


@dataclass(frozen=True, slots=True)
class Seat:
    """How the value of a qubit is known: from bits of the slot and of the node.

    >>> Seat(slot=2, node=0, flip=False, step=2).is_plain
    True
    """

    slot: int
    """The bits of the slot that it is a sum of, as a mask."""
    node: int
    """And those of the node."""
    flip: bool
    """And whether one is added."""
    step: int | None
    """The bits of the slot that change with it alone; None if the node changes."""

    @property
    def is_plain(self) -> bool:
        """Whether it can be mixed where it is."""
        return self.step is not None and self.slot == self.step & -self.step == self.step

    def at(self, node: int) -> int:
        """What a node adds to it.

        >>> Seat(slot=2, node=1, flip=True, step=2).at(0)
        1
        """
        return ((self.node & node).bit_count() + self.flip) & 1


@lru_cache(maxsize=_KEPT)
def seat(layout: Layout, qubit: int) -> Seat:
    """How the value of a qubit is known in a layout.

    >>> seat(Layout.consecutive(4, 1, nodes="gray"), 3)
    Seat(slot=0, node=1, flip=False, step=None)
    """
    n, back = layout.n, layout.inverse_map
    value, change = back.matrix.rows[qubit], layout.map.matrix.columns[qubit]
    nodes = (1 << n) - 1
    step = None if change & nodes else change >> n
    return Seat(value >> n, value & nodes, bool(back.constant >> qubit & 1), step)


def word(bits: Iterable[int]) -> int:
    """The number with these bits, the highest first.

    >>> word([1, 1, 0])
    6
    """
    return reduce(lambda high, bit: high << 1 | bit, bits, 0)


def home(layout: Layout, near: Sequence[int]) -> Layout:
    """The layout with these qubits plain, as many as slots have bits; few amplitudes move.

    >>> print(home(Layout.consecutive(4, 1), [3, 2, 1]))
    (b2 b1 b3 || b0)
    """
    p, n = layout.p, layout.n
    mask = sum(1 << q for q in near)
    far = [1 << q for q in range(p) if not mask >> q & 1]
    kept, given_up = _reduced(layout.map.matrix.rows[:n], mask)
    values = [value for _, value in kept]
    span = Span(values)
    for bit in far:  # what nodes say of the other qubits, until it is all of them
        if len(values) < n and span.add(bit):
            values.append(bit)
    sums = Matrix.from_rows([how for how, _ in (*kept, *given_up)], n)
    nodes = (sums.inverse() @ Matrix.from_rows(values, p)).rows if n else ()
    slots, constant = _slots(layout, near), layout.map.constant & (1 << n) - 1
    return Layout(AffineMap(Matrix.from_rows([*nodes, *slots], p), constant), n, layout.axes)


def _slots(layout: Layout, near: Sequence[int]) -> list[int]:
    """The rows of the slots: those who are at home stay, the others take what is free."""
    n, p = layout.n, layout.p
    rows: dict[int, int] = {}
    strangers = []
    for qubit in near:
        place = layout.map.matrix.columns[qubit]
        bit = place.bit_length() - 1
        if bit >= n and place == 1 << bit and layout.map.matrix.rows[bit] == 1 << qubit:
            rows[bit] = 1 << qubit
        else:
            strangers.append(qubit)
    free = [k for k in range(n, p) if k not in rows]
    rows.update((k, 1 << qubit) for k, qubit in zip(free, sorted(strangers), strict=True))
    return [rows[k] for k in range(n, p)]


def _reduced(
    rows: Sequence[int], mask: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Sums of rows, as ``(which rows, sum)``: those without bits of a mask, and the others."""
    without: list[tuple[int, int]] = []
    pivots: dict[int, tuple[int, int]] = {}
    for k, row in enumerate(rows):
        how, value = 1 << k, row
        for lead, (other, its) in pivots.items():
            if value & lead:
                how, value = how ^ other, value ^ its
        if left := value & mask:
            pivots[left & -left] = (how, value)
        else:
            without.append((how, value))
    return without, [*pivots.values()]


def moving(source: Layout, target: Layout) -> float:
    """The share of the amplitudes that change nodes from one layout to the other.

    >>> moving(Layout.consecutive(4, 1), home(Layout.consecutive(4, 1), [3, 2, 1]))
    0.5
    """
    return float(nonzero_share(shift_of(target.map @ source.inverse_map, source.n)))
