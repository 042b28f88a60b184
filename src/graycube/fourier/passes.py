"""Which digits are transformed together, and what is exchanged in between: algebra only.

Rules.

1. The digits of an axis are transformed from the most significant one down: groups of address
   bits, and the extent. A group is transformed where all of its elements are on one node,
   that is, where no node bit depends on a bit of the group.
2. As many bits as are local already make a group without communication. Otherwise the group
   is as large as memory allows, and every cube dimension that depends on it is exchanged with
   a memory bit: a bit already transformed, if there is one, so that it need not come back.
   A Gray-coded dimension depends on two bits, but with two memory bits or more it is exchanged
   once, as a binary one is: the code conversion happens in memory (TR-764 section 3.1).
3. The transform of a group leaves its output digit where the input digit was. So nothing is
   put in order: the digits of the output index have the reversed significance, and the
   resulting layout says so.
4. Where a node has no memory bits at all, nothing can be exchanged: each node needs a copy of
   the whole blocks of its group, and keeps one output (TR-764 section 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graycube.errors import OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Axis, Layout

LONGEST = 17
"""A group of more bits is transformed in two passes: a line of 2^17 points fits the cache."""


@dataclass(frozen=True)
class Pass:
    """The transform of one group of digits of an axis.

    The group is the bits ``low`` to ``high`` of the axis, or its extent if they are equal.
    ``place`` maps words to addresses while it happens; the group is the memory bits from
    ``slot`` on. ``dims`` are the cube dimensions that are exchanged before. A ``copied`` group
    has no memory bits: ``place`` has it in the lowest node bits, of a copy.

    >>> Pass(axis=0, low=2, high=3, place=AffineMap.identity(3), slot=0).dims
    ()
    """

    axis: int
    low: int
    high: int
    place: AffineMap
    slot: int = 0
    dims: tuple[int, ...] = ()
    copied: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    """Where the bits of an axis are in the logical word."""

    layout: Layout
    axis: int
    later: tuple[int, ...] = ()

    @property
    def along(self) -> Axis:
        return self.layout.axes[self.axis]

    @property
    def offset(self) -> int:
        return self.layout.word_bits(self.axis).start

    def bits(self, low: int, high: int) -> list[int]:
        return [self.offset + b for b in range(low, high)]

    def pending(self, high: int) -> list[int]:
        """The bits of the axis that are still to be transformed."""
        return self.bits(0, high)

    def needed_later(self) -> list[int]:
        """The bits of axes that are transformed after this one."""
        return [bit for axis in self.later for bit in self.layout.word_bits(axis)]


def passes(
    layout: Layout, axis: int, later: Sequence[int] = ()
) -> tuple[tuple[Pass, ...], Layout]:
    """The passes of a transform along one axis, and the layout of its result.

    Bits of the axes that are transformed ``later`` are left in memory, if others can leave.

    >>> steps, result = passes(Layout.cyclic(6, 3, nodes="gray"), axis=0)
    >>> [(step.low, step.high, step.dims) for step in steps]
    [(3, 6, ()), (0, 3, (0, 1, 2))]
    >>> print(result)  # what was in memory first is now on the nodes, as the low digits
    (b5 b4 b3 || b2 b1 b0)
    """
    if not 0 <= axis < len(layout.axes):
        raise OutOfRangeError(
            f"axis is {axis}", f"the layout has {len(layout.axes)}", "count from 0"
        )
    word = _Word(layout, axis, tuple(k for k in later if k != axis))
    place, high = layout.map, word.along.bits
    done: list[Pass] = []
    for stop, extent in ((word.along.low, word.along.extent), (0, 1)):
        while high > stop:
            step = _next_group(word, place, stop, high)
            done += _in_cache(step)
            place, high = place if step.copied else step.place, step.low
        if extent > 1:
            done.append(Pass(axis, high, high, place))
    return tuple(done), result_layout(layout, axis, place, done)


def _next_group(word: _Word, place: AffineMap, stop: int, high: int) -> Pass:
    """The group of bits that comes next, below ``high`` and not below ``stop``."""
    layout = word.layout
    nodes, slots = place.matrix.rows[: layout.n], layout.p - layout.n
    if not slots:
        return _copied(word, place, stop, high)
    low = high
    while low > stop and not _depend(nodes, word.bits(low - 1, low)):
        low -= 1
    if low == high:
        low = _end_of_group(word, place, max(stop, high - slots), high)
    group = word.bits(low, high)
    slot = _slot(place, layout.n, group)
    if slot is not None:
        return Pass(word.axis, low, high, place, slot)
    dims = tuple(_depend(nodes, group))
    place, slot = brought(place, layout.n, group, word.pending(high), word.needed_later())
    return Pass(word.axis, low, high, place, slot, dims)


def _in_cache(step: Pass) -> tuple[Pass, ...]:
    """A pass over a long axis as two, each over lines that fit the cache."""
    size = step.high - step.low
    if size <= LONGEST or step.copied:
        return (step,)
    low = step.low + size // 2
    upper = replace(step, low=low, slot=step.slot + size // 2)
    return *_in_cache(upper), *_in_cache(replace(step, high=low, dims=()))


def _end_of_group(word: _Word, place: AffineMap, least: int, high: int) -> int:
    """The end of the largest group whose dimensions can take bits that are no longer needed.

    Where there are none, they take bits that have to come back later, as many as memory has. In
    Gray code the last bit of a group depends on one dimension more; that one stays in memory.
    """
    n, p = word.layout.n, word.layout.p
    nodes, pending = place.matrix.rows[:n], word.pending(high)
    free = [b for b in range(p) if b not in pending]
    for needed in (free, range(p)):
        for low in range(least, high):
            group = word.bits(low, high)
            changing = _depend(nodes, group)
            kept = [row for i, row in enumerate(nodes) if i not in changing]
            fresh = [b for b in needed if b not in group]
            if len(_extend(kept, fresh, len(changing), p)) == len(changing) <= p - n:
                return low
    return high - 1


def _copied(word: _Word, place: AffineMap, low: int, high: int) -> Pass:
    """The whole group from copies, on nodes without memory bits."""
    group = word.bits(low, high)
    others = [b for b in range(place.width) if b not in group]
    apart = AffineMap(Matrix.from_rows([1 << b for b in (*group, *others)], place.width))
    dims = tuple(_depend(place.matrix.rows, group))
    return Pass(word.axis, low, high, apart, 0, dims, copied=True)


def _depend(rows: Sequence[int], group: Sequence[int]) -> list[int]:
    """Which address bits depend on bits of the group."""
    mask = sum(1 << b for b in group)
    return [i for i, row in enumerate(rows) if row & mask]


def _slot(place: AffineMap, n: int, group: Sequence[int]) -> int | None:
    """The memory bit from which on the group stands, in order and as it is, if it does."""
    rows = place.matrix.rows
    at = _depend(rows, group)
    in_order = at == list(range(at[0], at[0] + len(group))) and at[0] >= n
    plain = all(rows[i] == 1 << b for i, b in zip(at, group, strict=False)) and not any(
        place.constant >> i & 1 for i in at
    )
    return at[0] - n if in_order and plain else None


def brought(
    place: AffineMap,
    n: int,
    group: Sequence[int],
    pending: Sequence[int],
    later: Sequence[int] = (),
) -> tuple[AffineMap, int]:
    """A place with the group in memory, together and in order, and the slot bit it begins at.

    Node bits that depend on the group make way for single bits of the word, if possible for
    those that are not pending nor needed later, and no others change. The memory bits below
    the group stay in their order: what is not touched travels in long rows.
    """
    p, rows = place.width, list(place.matrix.rows[:n])
    changing = _depend(rows, group)
    kept = [row for i, row in enumerate(rows) if i not in changing]
    memory = [row & -row for row in place.matrix.rows[n:]]  # of a coded bit, the lowest
    above = [row.bit_length() - 1 for row in reversed(memory)]
    free = [b for b in dict.fromkeys([*above, *range(p)]) if b not in pending]
    free.sort(key=lambda b: b in later)
    waiting = [b for b in pending if b not in group]
    leaving = sorted(_extend(kept, free, len(changing), p))
    fresh = leaving + _extend([*kept, *leaving], waiting, len(changing) - len(leaving), p)
    for i, row in zip(changing, fresh, strict=True):
        rows[i] = row
    here = [1 << b for b in group]
    in_order = [row.bit_length() - 1 for row in memory]
    others = _extend([*rows, *here], [*in_order, *range(p)], p - n - len(group), p)
    moving = {*here, *fresh}
    first = next((k for k, row in enumerate(memory) if row in moving), 0)
    slot = sum(row in memory[:first] for row in others)
    constant = place.constant & sum(1 << i for i in range(n) if i not in changing)
    arranged = Matrix.from_rows([*rows, *others[:slot], *here, *others[slot:]], p)
    return AffineMap(arranged, constant), slot


def _extend(rows: Sequence[int], bits: Sequence[int], count: int, p: int) -> list[int]:
    """The first ``count`` single bits that are independent of the rows and of each other."""
    found: list[int] = []
    for b in bits:
        if len(found) < count:
            basis = (*rows, *found, 1 << b)
            if Matrix(basis, p).rank() == len(basis):
                found.append(1 << b)
    return found


def result_layout(layout: Layout, axis: int, place: AffineMap, done: Sequence[Pass]) -> Layout:
    """The layout of the output: the digits of its index in the order of the passes."""
    return reordered(
        layout, axis, place, [b for step in done for b in range(step.low, step.high)]
    )


def reordered(layout: Layout, axis: int, place: AffineMap, digits: Sequence[int]) -> Layout:
    """The layout with words at a place, the bits of an axis in this order, the lowest first.

    >>> cyclic = Layout.cyclic(3, 2)
    >>> print(reordered(cyclic, 0, cyclic.map, [2, 0, 1]))
    (b0 || b2 b1)
    """
    along, offset = layout.axes[axis], layout.word_bits(axis).start
    columns = list(place.matrix.columns)
    columns[offset : offset + along.bits] = [columns[offset + digit] for digit in digits]
    axes = list(layout.axes)
    axes[axis] = Axis(along.bits, along.extent, along.bits - along.low)
    address = AffineMap(Matrix(tuple(columns), place.height), place.constant)
    return replace(layout, map=address, axes=tuple(axes))
