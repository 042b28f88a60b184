"""The steps of a transform as algebra: moves, and what is transformed in between.

Rules.

1. An axis whose address bits fit in memory is brought there whole, and transformed in one go:
   no twiddle factors, and its index stays in order. Bits of other axes go to the nodes.
2. A longer axis takes the passes of ``graycube.fourier``, whose result has its digits reversed.
3. An axis that gets another length is brought to memory in lines. If the others cannot take its
   devices, zeros follow one of them meanwhile: then it has more bits. The same is done where
   passes have too few points on a device, or end in no natural order that is asked for.
4. Where that one then has no room to lose its zeros, they are behind the whole block instead
   (``spare``). So any result works that has a bit for each one of the node.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from graycube.butterflies.groups import brought
from graycube.errors import InvalidValueError
from graycube.fourier.lines import axis_of, has_room, in_memory, nodes_along
from graycube.fourier.passes import passes
from graycube.gf2 import AffineMap
from graycube.jax.legs import AxisLeg, Kind
from graycube.jax.spare import with_spare, without_spare
from graycube.layout import Layout
from graycube.layout.axis import Axis
from graycube.layout.lines import exchanged_dims

COPIES = (
    "call it on copies: gc.jax.reshard(x, jax.P()), with x = a.to_array() for a gc.jax.Array"
)
"""What works for every result: each device has all of it."""

LONGEST = 1 << 29
"""Twiddle factors of a longer axis do not fit 32 bits, which is what JAX counts in."""

MOST = 3
"""So many axes at most has a transform of XLA."""

Legs = tuple[tuple[int, AxisLeg], ...]
_KINDS: dict[Kind | None, int] = {"rfft": 0, "irfft": 2}
"""Numbers are real on one side of these only: others come after, or before."""


@dataclass(frozen=True)
class Digits:
    """A move, and a transform of the digits ``low`` to ``high`` of an axis of a layout.

    They are the slot bits from ``slot`` on; if ``low`` is ``high``, the digit is the extent.
    ``words`` is set where twiddle factors follow: the map from addresses to words.
    """

    layout: Layout
    axis: int
    move: AffineMap
    slot: int
    low: int
    high: int
    inverse: bool
    words: AffineMap | None = None


@dataclass(frozen=True)
class WholeLines:
    """A move to ``before``, and whole lines of some axes made anew, which are in ``after``."""

    move: AffineMap
    before: Layout
    after: Layout
    legs: Legs

    @property
    def fuller(self) -> Layout | None:
        """Where all of these axes have bits that have some before or after.

        >>> layout, leg = Layout.mesh((4, 8), nodes=(2, 1)), AxisLeg("fft", 8, 8, 8)
        >>> WholeLines(AffineMap.identity(5), layout, layout, ((1, leg),)).fuller is layout
        True
        """
        pairs = [(self.before.axes[k].bits, self.after.axes[k].bits) for k, _ in self.legs]
        if all(before or not after for before, after in pairs):
            return self.before
        return self.after if all(after or not before for before, after in pairs) else None

    def with_next(self, step: "WholeLines") -> "WholeLines | None":
        """Both in one, if the axes of both are in memory at once: JAX does them in one call.

        >>> layout = Layout.mesh((4, 4), nodes=(2, 1))
        >>> leg = AxisLeg("fft", 4, 4, 4)
        >>> one = WholeLines(AffineMap.identity(4), layout, layout, ((1, leg),))
        >>> other = WholeLines(AffineMap.identity(4), layout, layout, ((0, leg),))
        >>> len(one.with_next(other).legs)
        2
        """
        both = replace(self, after=step.after, legs=self.legs + step.legs)
        if (
            step.move != AffineMap.identity(step.move.width)
            or not len(both.legs) == len(dict(both.legs)) <= MOST  # an axis may come twice
            or any(leg.waves for _, leg in both.legs)
            or both.fuller is None
        ):
            return None
        return both

    def in_order(self) -> list[tuple[int, AxisLeg, int]]:
        """The axes as memory has them, the highest first; and how many other bits are below.

        >>> layout = Layout.mesh((4, 8), nodes=(2, 1))
        >>> leg = AxisLeg("rfft", 8, 8, 5)
        >>> lines = WholeLines(AffineMap.identity(5), layout, layout, ((1, leg),))
        >>> [(axis, below) for axis, _, below in lines.in_order()]
        [(1, 0)]
        """
        layout = self.fuller or self.before
        rows = layout.map.matrix.rows[layout.n :]
        bits = {k: layout.axes[k].bits for k, _ in self.legs}
        at = {k: rows.index(1 << layout.word_bits(k).start) if bits[k] else 0 for k in bits}
        below = {k: at[k] - sum(bits[j] for j in at if at[j] < at[k]) for k in at}
        highest = sorted(self.legs, key=lambda pair: (-at[pair[0]], -bits[pair[0]]))
        return [(k, leg, below[k]) for k, leg in highest]


@dataclass(frozen=True)
class Carry:
    """A move, and then memory times 2^bits: with zeros behind it, or cut if that is below 1."""

    move: AffineMap
    bits: int = 0


Step = Digits | WholeLines | Carry
Found = tuple[tuple[Step, ...], Layout]


@lru_cache(maxsize=256)
def steps(layout: Layout, legs: Legs, home: Layout | None = None) -> Found:
    """The steps of a transform along some axes, and the layout of its result: the ``home``.

    >>> legs = tuple((k, AxisLeg("fft", 8, 8, 8)) for k in (0, 1))
    >>> found, result = steps(Layout.mesh((8, 8), nodes=(4, 1)), legs)
    >>> [[axis for axis, _ in step.legs] for step in found]
    [[1], [0]]
    >>> print(result)
    (b0:2 b0:1 b0:0 b1:0 || b1:2 b1:1)
    """
    require_bits(layout, legs)
    found = _steps(layout, legs, home)
    if found is None and len(layout.axes) > 1:
        found = _steps(layout, legs, home, spare=True)
    if found is None:
        raise _no_room(layout)
    return found


def _steps(
    layout: Layout, legs: Legs, home: Layout | None, *, spare: bool = False
) -> Found | None:
    """The steps, if zeros behind an axis are enough, or with spare memory."""
    left, done, padded = list(legs), list[Step](), dict[int, int]()
    d = len(layout.axes)
    while left:
        axis, leg = min(
            left, key=lambda pair: (_KINDS.get(pair[1].kind, 1), _away(layout, pair[0]))
        )
        left.remove((axis, leg))
        resized = leg.whole or layout.shape[axis] != leg.values
        later, roomy = [k for k, _ in left], has_room(layout, axis)
        stuck = home is not None and layout.axes[axis].extent > 1
        if not roomy and (resized or stuck or _too_short(layout, axis, later)):
            wide = None if spare else _padded(layout, axis)
            if spare:
                bits = layout.axes[axis].bits - (layout.p - layout.n)
                done.append(Carry(AffineMap.identity(layout.p), bits))
                layout = with_spare(layout, bits)
            elif wide is not None:
                padded.setdefault(wide[0], layout.shape[wide[0]])
                step, layout = _lines(layout, *wide)
                done.append(step)
            elif resized or d > 1:
                return None
        if resized:
            step, layout = _lines(layout, axis, leg)
            padded.pop(axis, None)
            _append(done, step)
        elif layout.axes[axis].bits > layout.p - layout.n:
            made, layout = _in_passes(layout, axis, later, inverse=leg.kind == "ifft")
            done += made
        else:
            step, layout = _along(layout, axis, leg, later)
            _append(done, step)
    return (
        _without_spare(done, layout, home, d) if spare else _ended(done, layout, padded, home)
    )


def _append(done: list[Step], step: WholeLines) -> None:
    """One more step, or what it makes together with the last one."""
    last = done[-1] if done else None
    both = last.with_next(step) if isinstance(last, WholeLines) else None
    done[-1 if both else len(done) :] = [both or step]


def _away(layout: Layout, axis: int) -> int:
    return len(exchanged_dims(layout, axis))


def _ended(
    done: list[Step], layout: Layout, padded: dict[int, int], home: Layout | None
) -> Found | None:
    """The steps, with those that cut padded axes: at home, where these are in memory."""
    if home is not None:
        wide = home
        for axis in padded:
            if not has_room(wide, axis):
                return None
            wide = in_memory(wide, axis, layout.axes[axis])
        done.append(Carry(way_back(wide, layout)))
        layout = wide
    for axis, values in padded.items():
        if not has_room(layout, axis):
            return None
        step, layout = _lines(layout, axis, AxisLeg(None, values, values, values))
        done.append(step)
    if padded and home is not None:
        done.append(Carry(way_back(home, layout)))
        layout = home
    return tuple(done), layout


def _without_spare(done: list[Step], layout: Layout, home: Layout | None, d: int) -> Found:
    """The steps, with one that takes the spare memory back: at home, or where it is."""
    target = without_spare(layout, d) if home is None else home
    require_same_axes(target.axes, layout.axes[:d])
    bits = layout.p - target.p
    move = with_spare(target, bits).map @ layout.inverse_map
    return (*done, Carry(move, -bits)), target


def _lines(layout: Layout, axis: int, leg: AxisLeg) -> tuple[WholeLines, Layout]:
    """Whole lines of an axis, and the layout with those that come of them."""
    before, after = (
        in_memory(layout, axis, new) for new in (layout.axes[axis], axis_of(leg.kept))
    )
    return WholeLines(before.map @ layout.inverse_map, before, after, ((axis, leg),)), after


def _padded(layout: Layout, axis: int) -> tuple[int, AxisLeg] | None:
    """Another axis with so many zeros behind it that its bits take the devices of this one."""
    more = layout.axes[axis].bits - (layout.p - layout.n)
    found = list[tuple[bool, float, int, int]]()
    for k, other in enumerate(layout.axes):
        if k != axis and has_room(layout, k):
            unit = 1 << other.bits + more
            length = -(-other.length // unit) * unit
            found.append((nodes_along(layout, k) > 1, length / other.length, k, length))
    if not found:
        return None
    _, _, k, length = min(found)
    values = layout.shape[k]
    return k, AxisLeg(None, values, values, length)


def _no_room(layout: Layout) -> InvalidValueError:
    return InvalidValueError(
        f"axis 0 has {layout.shape[0]} points, spread over the devices",
        "what is real, cut or padded has whole lines on a device, and there are no other axes "
        "to take its devices",
        COPIES,
    )


def fits(layout: Layout, legs: Sequence[tuple[int, AxisLeg]]) -> bool:
    """Whether the result has a bit for each one of the node, which is not its own.

    >>> layout, leg = Layout.mesh((4, 8), nodes=(1, 4)), AxisLeg("rfft", 8, 8, 5)
    >>> fits(layout, [(1, leg)]), fits(Layout.mesh((2, 8), nodes=(1, 4)), [(1, leg)])
    (True, False)
    """
    lengths = {axis: leg.kept for axis, leg in legs}
    bits = sum(axis_of(lengths.get(k, n)).bits for k, n in enumerate(layout.shape))
    return bits >= layout.n


def require_bits(layout: Layout, legs: Sequence[tuple[int, AxisLeg]]) -> None:
    """Refuse a result that cannot be on all devices, with as much on each.

    >>> require_bits(Layout.mesh((4, 8), nodes=(1, 4)), [(1, AxisLeg("rfft", 8, 8, 5))])
    """
    if not fits(layout, legs):
        lengths = {axis: leg.kept for axis, leg in legs}
        shape = tuple(lengths.get(k, n) for k, n in enumerate(layout.shape))
        raise InvalidValueError(
            f"the result has shape {shape}, {prod(shape)} elements",
            f"{1 << layout.n} devices need a multiple of {1 << layout.n}",
            f"use fftn, whose spectrum has the shape of the array, or {COPIES}"
            if any(leg.kind == "rfft" and leg.waves is None for _, leg in legs)
            else COPIES,
        )


def _along(
    layout: Layout, axis: int, leg: AxisLeg, later: Sequence[int]
) -> tuple[WholeLines, Layout]:
    """Whole lines of an axis that stays as long as it is, wherever memory has room."""
    group = list(layout.word_bits(axis))
    needed = [b for k in later for b in layout.word_bits(k)]
    place, _ = brought(layout.map, layout.n, group, group, needed)
    there = replace(layout, map=place)
    return WholeLines(place @ layout.inverse_map, there, there, ((axis, leg),)), there


def _too_short(layout: Layout, axis: int, later: Sequence[int]) -> bool:
    """Whether devices have too few points of an axis for passes."""
    if layout.axes[axis].bits <= layout.p - layout.n:
        return False
    return any(group.copied for group in passes(layout, axis, tuple(later))[0])


def _in_passes(
    layout: Layout, axis: int, later: Sequence[int], *, inverse: bool
) -> tuple[list[Digits], Layout]:
    points = layout.shape[axis]
    if points > LONGEST:
        raise InvalidValueError(
            f"axis {axis} has {points} points, more than fit on a device",
            f"transforms of {LONGEST} points or fewer are spread",
            "use fewer points, or more axes",
        )
    groups, result = passes(layout, axis, tuple(later))
    if any(group.copied for group in groups):
        raise InvalidValueError(
            f"axis {axis} has {points} points on {1 << layout.n} devices",
            "a transform over devices needs an even number of points on each",
            "use fewer devices, or pad the axis",
        )
    made, place = list[Digits](), layout.map
    for k, group in enumerate(groups):
        words = group.place.inverse() if k < len(groups) - 1 else None
        move = group.place @ place.inverse()
        digits = group.slot, group.low, group.high
        made.append(Digits(layout, axis, move, *digits, inverse=inverse, words=words))
        place = group.place
    return made, result


def way_back(layout: Layout, result: Layout) -> AffineMap:
    """The move from the layout of a result to that of what was transformed.

    >>> way_back(Layout.nodes(2), Layout.nodes(2)) == AffineMap.identity(2)
    True
    """
    require_same_axes(layout.axes, result.axes)
    return layout.map @ result.inverse_map


def require_same_axes(axes: Sequence[Axis], found: Sequence[Axis]) -> None:
    """Refuse a result whose axes are in another order than those that it goes back to.

    >>> require_same_axes(Layout.nodes(2).axes, Layout.nodes(2, "gray").axes)
    """
    for k, (before, after) in enumerate(zip(axes, found, strict=True)):
        if before != after:
            raise InvalidValueError(
                f"axis {k} is over several devices, and its {before.length} = "
                f"{before.extent} * 2^{before.bits} points are no power of two",
                'order="natural" needs one there',
                'take order="any" on a gc.jax.Array, or pad the axis',
            )
