"""What becomes of each axis in a transform: its points, and the values before and after.

Rule: a leg that leaves an axis as long as it is goes over devices as it comes. Any other takes
whole lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from graycube.fourier.arguments import (
    Norm,
    Order,
    is_line,
    require_axes,
    require_lengths,
    require_norm,
)
from graycube.fourier.places import Waves
from graycube.fourier.waves import numbers_of
from graycube.layout import Layout

Kind = Literal["fft", "ifft", "rfft", "irfft"]


@dataclass(frozen=True)
class Asked:
    """Which transform: what a caller says of it, but for where the array is.

    ``s`` are points, ``waves`` those of a spectrum that has other waves.

    >>> Asked(None, "forward").factor(8), Asked(None, "forward", inverse=True).factor(8)
    (0.125, 8)
    """

    axes: Sequence[int] | None
    norm: Norm | None
    order: Order | None = None
    inverse: bool = False
    real: bool = False
    s: Sequence[int] | None = None
    waves: Sequence[int] | None = None

    def factor(self, points: int) -> float:
        """What the result for so many points is multiplied with, as ``backward`` has it."""
        if self.norm not in {"ortho", "forward"}:
            return 1.0
        root = points if self.norm == "forward" else sqrt(points)
        return root if self.inverse else 1 / root


@dataclass(frozen=True)
class AxisLeg:
    """One axis: from values by a function of ``jnp.fft`` of so many points to values.

    ``waves`` go to other places on the way: before an inverse transform, after any other.
    Without a kind, values are cut, or followed by zeros.
    """

    kind: Kind | None
    points: int
    values: int
    kept: int
    waves: Waves | None = None

    @property
    def whole(self) -> bool:
        """Whether it takes whole lines.

        >>> AxisLeg("fft", 8, 8, 8).whole, AxisLeg("fft", 8, 6, 8).whole
        (False, True)
        """
        half = self.kind in {"rfft", "irfft"}
        return half or self.waves is not None or not self.points == self.values == self.kept


def legs_of(layout: Layout, asked: Asked) -> list[tuple[int, AxisLeg]]:
    """The axes of a transform, and what becomes of each; a real transform has a last one.

    >>> layout = Layout.mesh((8, 6), (2, 1), ownership=False)
    >>> legs_of(layout, Asked(None, None, real=True))[-1]
    (1, AxisLeg(kind='rfft', points=6, values=6, kept=4, waves=None))
    """
    require_norm(asked.norm)
    axes, s, real = asked.axes, asked.s, asked.real
    if axes is None and s is not None and is_line(s):
        axes = range(-len(s), 0)  # as NumPy's
    chosen = require_axes(layout, axes, real=real)
    last = chosen[-1] if real else None
    if asked.waves is not None and asked.inverse:
        numbers = numbers_of(layout, chosen, asked.waves, () if s is None else s, real=real)
        return [(k, _back(layout, k, *numbers[k], half=k == last)) for k in chosen]
    points = require_lengths(layout, chosen, s, half=real and asked.inverse)
    if asked.inverse:
        return [(k, _back(layout, k, 0, points[k], half=k == last)) for k in chosen]
    kept = points if asked.waves is None else require_lengths(layout, chosen, asked.waves)
    return [(k, _there(layout, k, points[k], kept[k], half=k == last)) for k in chosen]


def _there(layout: Layout, k: int, points: int, kept: int, *, half: bool) -> AxisLeg:
    values = kept // 2 + 1 if half else kept
    waves = None if kept == points else Waves.of(points, kept, half=half)
    return AxisLeg("rfft" if half else "fft", points, layout.shape[k], values, waves)


def _back(layout: Layout, k: int, waves: int, points: int, *, half: bool) -> AxisLeg:
    found = Waves.of(waves, points, half=half) if waves not in {0, points} else None
    return AxisLeg("irfft" if half else "ifft", points, layout.shape[k], points, found)
