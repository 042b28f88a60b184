"""Which digits are transformed together, and what is exchanged in between: algebra only.

Rules.

1. The digits of an axis are transformed from the most significant one down: groups of address
   bits, and the extent. The groups are those of :mod:`graycube.butterflies.groups`.
2. The transform of a group leaves its output digit where the input digit was. So nothing is
   put in order: the digits of the output index have the reversed significance, and the
   resulting layout says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graycube.butterflies.groups import next_group
from graycube.errors import InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Axis, Layout
from graycube.machine import Machine
from graycube.schedule import Schedule, Task

LONGEST, LONGEST_PLANNED = 17, 18
"""A group of more bits is transformed in two passes: a line of 2^17 points fits the cache.

FFTW's plans make more of a cache: one pass over 2^18 points takes 0.6 to 0.8 of the time of two
by them, and one over 2^19 takes 1.6 to 2.3.
"""


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


def passes(
    layout: Layout, axis: int, later: Sequence[int] = (), longest: int = LONGEST
) -> tuple[tuple[Pass, ...], Layout]:
    """The passes of a transform along one axis, and the layout of its result.

    Bits of the axes that are transformed ``later`` are left in memory, if others can leave. No
    pass has lines of more than 2^longest points.

    >>> steps, result = passes(Layout.cyclic(6, 3, nodes="gray"), axis=0)
    >>> [(step.low, step.high, step.dims) for step in steps]
    [(3, 6, ()), (0, 3, (0, 1, 2))]
    >>> print(result)  # what was in memory first is now on the nodes, as the low digits
    (b5 b4 b3 || b2 b1 b0)
    """
    if not 0 <= axis < len(layout.axes):
        raise OutOfRangeError(
            f"axis is {axis}",
            f"the layout has {len(layout.axes)} axes",
            f"use 0..{len(layout.axes) - 1}",
        )
    along, bits = layout.axes[axis], layout.word_bits(axis)
    needed = [bit for k in later if k != axis for bit in layout.word_bits(k)]
    place, high = layout.map, along.bits
    done: list[Pass] = []
    for stop, extent in ((along.low, along.extent), (0, 1)):
        while high > stop:
            group = next_group(layout, place, bits[:high][::-1], high - stop, needed)
            low = high - len(group.bits)
            place = place if group.copied else group.place
            step = Pass(axis, low, high, group.place, group.slot, group.dims, group.copied)
            done += _in_cache(step, longest)
            high = low
        if extent > 1:
            done.append(Pass(axis, high, high, place))
    digits = [bit for step in done for bit in range(step.low, step.high)]
    return tuple(done), reordered(layout, axis, place, digits)


def _in_cache(step: Pass, longest: int) -> tuple[Pass, ...]:
    """A pass over a long axis as two, each over lines that fit the cache."""
    size = step.high - step.low
    if size <= longest or step.copied:
        return (step,)
    low = step.low + size // 2
    upper = replace(step, low=low, slot=step.slot + size // 2)
    lower = replace(step, high=low, dims=())
    return *_in_cache(upper, longest), *_in_cache(lower, longest)


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


def exchange_schedules(layout: Layout, axis: int, block: int) -> tuple[Schedule, ...]:
    """A schedule for each pass that exchanges dimensions, in blocks of so many elements.

    On one port, each dimension takes a round of half a block.

    >>> from graycube.cost import simulate
    >>> for code in ("binary", "gray"):
    ...     made = exchange_schedules(Layout.cyclic(10, 6, nodes=code), axis=0, block=16)
    ...     print(code, [(len(s.rounds), simulate(s).crossings) for s in made])
    binary [(4, 2048), (2, 1024)]
    gray [(4, 2048), (2, 1024)]
    """
    from graycube.table.exchanges import dimension_exchange  # noqa: PLC0415 - it brings the whole table

    machine, before, made = Machine(layout.n), layout, []
    for step in passes(layout, axis)[0]:
        if step.copied:
            raise InvalidValueError(
                f"each node has one element in the layout {layout}",
                "exchanges need nodes with two elements or more",
                "use fewer nodes",
            )
        if step.dims:
            after = replace(layout, map=step.place)
            made.append(dimension_exchange.emit(Task(before, after, block), machine))
            before = after
    return tuple(made)
