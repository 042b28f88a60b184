"""Which stages of a butterfly are done together, and what is exchanged before: algebra only.

Rules.

1. Stages are done in the order in which they are given, in groups. A group is done where all of
   its pairs are on one node, that is, where no node bit depends on a bit of the group.
2. As many bits as are local already make a group without communication. Otherwise the group
   is as large as memory allows, and every cube dimension that depends on it is exchanged with
   a memory bit: one whose stage is over, if there is one, so that it need not come back.
   A Gray-coded dimension depends on two bits, but with two memory bits or more it is exchanged
   once, as a binary one is: the code conversion happens in memory (TR-764 section 3.1).
3. Where a node has no memory bits at all, nothing can be exchanged: each node needs a copy of
   the whole blocks of its group, and keeps one output (TR-764 section 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graycube.gf2 import AffineMap, Matrix, Span
from graycube.layout import Layout


@dataclass(frozen=True)
class StageGroup:
    """Bits of the word whose stages are done together, the lowest first.

    ``place`` maps words to addresses while it happens; the bits are the memory bits from
    ``slot`` on. ``dims`` are the cube dimensions that are exchanged before. A ``copied`` group
    has no memory bits: ``place`` has it in the lowest node bits, of a copy.

    >>> StageGroup(bits=(2,), place=AffineMap.identity(3)).dims
    ()
    """

    bits: tuple[int, ...]
    place: AffineMap
    slot: int = 0
    dims: tuple[int, ...] = ()
    copied: bool = False


def groups(layout: Layout, stages: Sequence[int]) -> tuple[StageGroup, ...]:
    """The groups of some stages, in their order; copies are of one stage each.

    >>> [(g.bits, g.dims) for g in groups(Layout.cyclic(6, 3, nodes="gray"), range(5, 0, -1))]
    [((3, 4, 5), ()), ((1, 2), (0, 1, 2))]
    """
    place, pending, made = layout.map, [*stages], list[StageGroup]()
    while pending:
        most = 1 if layout.p == layout.n else len(pending)
        made.append(next_group(layout, place, pending, most))
        pending = pending[len(made[-1].bits) :]
        place = place if made[-1].copied else made[-1].place
    return tuple(made)


def reached(layout: Layout, made: Sequence[StageGroup]) -> Layout:
    """The layout after all groups: indices stay, and elements are where the last one was.

    >>> layout = Layout.cyclic(4, 2)
    >>> print(reached(layout, groups(layout, [3, 2, 1, 0])))
    (b1 b0 || b3 b2)
    """
    places = [group.place for group in made if not group.copied]
    return replace(layout, map=places[-1]) if places else layout


def next_group(
    layout: Layout,
    place: AffineMap,
    pending: Sequence[int],
    most: int,
    later: Sequence[int] = (),
) -> StageGroup:
    """The group that comes next: the first ones of the bits ``pending``, at ``most`` so many.

    Bits that are needed ``later`` are left in memory, if others can leave.

    >>> next_group(Layout.cyclic(4, 2), Layout.cyclic(4, 2).map, [1, 0], most=2).dims
    (0, 1)
    """
    nodes, slots = place.matrix.rows[: layout.n], layout.p - layout.n
    if not slots:
        return _copied(layout.n, place, sorted(pending[:most]))
    size = 0
    while size < most and not _depend(nodes, pending[size : size + 1]):
        size += 1
    size = size or _largest(layout, place, pending, min(most, slots))
    group = sorted(pending[:size])
    slot = _slot(place, layout.n, group)
    if slot is not None:
        return StageGroup(tuple(group), place, slot)
    dims = tuple(_depend(nodes, group))
    place, slot = brought(place, layout.n, group, pending[::-1], later)
    return StageGroup(tuple(group), place, slot, dims)


def _largest(layout: Layout, place: AffineMap, pending: Sequence[int], most: int) -> int:
    """The size of the largest group whose dimensions can take bits that are no longer needed.

    Where there are none, they take bits that have to come back later, as many as memory has. In
    Gray code the last bit of a group depends on one dimension more; that one stays in memory.
    """
    n, p = layout.n, layout.p
    nodes = place.matrix.rows[:n]
    free = [b for b in range(p) if b not in pending]
    for needed in (free, range(p)):
        for size in range(most, 0, -1):
            group = pending[:size]
            changing = _depend(nodes, group)
            kept = [row for i, row in enumerate(nodes) if i not in changing]
            fresh = [b for b in needed if b not in group]
            if len(_extend(kept, fresh, len(changing))) == len(changing) <= p - n:
                return size
    return 1


def _copied(n: int, place: AffineMap, group: Sequence[int]) -> StageGroup:
    """The whole group from copies, on nodes without memory bits."""
    others = [b for b in range(place.width) if b not in group]
    apart = AffineMap(Matrix.from_rows([1 << b for b in (*group, *others)], place.width))
    dims = tuple(_depend(place.matrix.rows[:n], group))
    return StageGroup(tuple(group), apart, 0, dims, copied=True)


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
    those that are not pending nor needed later, else for the first ones of the pending, and no
    others change. The memory bits below the group stay in their order: what is not touched
    travels in long rows.
    """
    p, rows = place.width, list(place.matrix.rows[:n])
    changing = _depend(rows, group)
    kept = [row for i, row in enumerate(rows) if i not in changing]
    memory = [row & -row for row in place.matrix.rows[n:]]  # of a coded bit, the lowest
    above = [row.bit_length() - 1 for row in reversed(memory)]
    free = [b for b in dict.fromkeys([*above, *range(p)]) if b not in pending]
    free.sort(key=lambda b: b in later)
    waiting = [b for b in pending if b not in group]
    leaving = sorted(_extend(kept, free, len(changing)))
    fresh = leaving + _extend([*kept, *leaving], waiting, len(changing) - len(leaving))
    for i, row in zip(changing, fresh, strict=True):
        rows[i] = row
    here = [1 << b for b in group]
    in_order = [row.bit_length() - 1 for row in memory]
    others = _extend([*rows, *here], [*in_order, *range(p)], p - n - len(group))
    moving = {*here, *fresh}
    first = next((k for k, row in enumerate(memory) if row in moving), 0)
    slot = sum(row in memory[:first] for row in others)
    constant = place.constant & sum(1 << i for i in range(n) if i not in changing)
    arranged = Matrix.from_rows([*rows, *others[:slot], *here, *others[slot:]], p)
    return AffineMap(arranged, constant), slot


def _extend(rows: Sequence[int], bits: Sequence[int], count: int) -> list[int]:
    """The first ``count`` single bits that are independent of the rows and of each other."""
    known, found = Span(rows), list[int]()
    for b in bits:
        if len(found) < count and known.add(1 << b):
            found.append(1 << b)
    return found
