"""The steps of a transform as algebra: moves, and which digits are transformed in between.

Rules.

1. An axis whose address bits fit in memory is brought there whole, and transformed in one go:
   no twiddle factors, and its index stays in order. Bits of other axes go to the nodes.
2. A longer axis takes the passes of ``graycube.fourier``, whose result has its digits reversed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graycube.butterflies.groups import brought
from graycube.cost import exchanged_dims
from graycube.errors import InvalidValueError
from graycube.fourier.passes import Pass, passes
from graycube.gf2 import AffineMap
from graycube.layout import Layout

LONGEST = 1 << 29
"""Twiddle factors of a longer axis do not fit 32 bits, which is what JAX counts in."""


@dataclass(frozen=True)
class LineStep:
    """A move, and a transform of the digits ``low`` to ``high`` of an axis.

    They are the slot bits from ``slot`` on. ``whole`` is with the extent; if ``low`` is
    ``high`` without, the digit is the extent. ``words`` is set where twiddle factors follow:
    the map from addresses to words.
    """

    axis: int
    move: AffineMap
    slot: int
    low: int
    high: int
    whole: bool
    words: AffineMap | None = None


@lru_cache(maxsize=256)
def steps(layout: Layout, axes: tuple[int, ...]) -> tuple[tuple[LineStep, ...], Layout]:
    """The steps of a transform along some axes, and the layout of its result.

    >>> found, result = steps(Layout.mesh((8, 8), nodes=(4, 1)), (0, 1))
    >>> [(step.axis, step.whole) for step in found]
    [(1, True), (0, True)]
    >>> print(result)
    (b0:2 b0:1 b0:0 b1:0 || b1:2 b1:1)
    """
    chosen, done = list(axes), list[LineStep]()
    while chosen:
        axis = min(chosen, key=lambda k: len(exchanged_dims(layout, k)))
        chosen.remove(axis)
        made, layout = _along(layout, axis, chosen)
        done += made
    return tuple(done), layout


def _along(layout: Layout, axis: int, later: Sequence[int]) -> tuple[list[LineStep], Layout]:
    """The steps along one axis, and the layout after them."""
    along, n = layout.axes[axis], layout.n
    if along.bits > layout.p - n:
        return _in_passes(layout, axis, later)
    group = list(layout.word_bits(axis))
    needed = [b for k in later for b in layout.word_bits(k)]
    place, slot = brought(layout.map, n, group, group, needed)
    move = place @ layout.inverse_map
    step = LineStep(axis, move, slot, 0, along.bits, whole=True)
    return [step], replace(layout, map=place)


def _in_passes(
    layout: Layout, axis: int, later: Sequence[int]
) -> tuple[list[LineStep], Layout]:
    points = layout.shape[axis]
    if points > LONGEST:
        raise InvalidValueError(
            f"axis {axis} has {points} points, more than fit on a device",
            f"transforms of {LONGEST} points or fewer are spread",
            "use fewer points, or more axes",
        )
    groups, result = passes(layout, axis, tuple(later))
    made, place = list[LineStep](), layout.map
    for k, group in enumerate(groups):
        _require_memory(layout, axis, group)
        words = group.place.inverse() if k < len(groups) - 1 else None
        move = group.place @ place.inverse()
        made.append(
            LineStep(axis, move, group.slot, group.low, group.high, whole=False, words=words)
        )
        place = group.place
    return made, result


def _require_memory(layout: Layout, axis: int, group: Pass) -> None:
    if group.copied:
        raise InvalidValueError(
            f"axis {axis} has {layout.shape[axis]} points on {1 << layout.n} devices",
            "a transform over devices needs an even number of points on each",
            "use fewer devices, or pad the axis",
        )


def way_back(layout: Layout, result: Layout) -> AffineMap:
    """The move from the layout of a result to that of what was transformed.

    >>> way_back(Layout.nodes(2), Layout.nodes(2)) == AffineMap.identity(2)
    True
    """
    for k, (before, after) in enumerate(zip(layout.axes, result.axes, strict=True)):
        if before != after:
            raise InvalidValueError(
                f"axis {k} is over several devices, and its {before.length} = "
                f"{before.extent} * 2^{before.bits} points are no power of two",
                'order="natural" needs one there',
                'take order="any" on a gc.jax.Array, or pad the axis',
            )
    return layout.map @ result.inverse_map
