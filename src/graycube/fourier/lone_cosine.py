"""Cosine and sine transforms along an axis that stays over its nodes.

Rules.

1. A cosine transform is the half spectrum of the points at even places, followed by those at
   odd ones backwards (Makhoul). Each value, turned, has result k as its real part, and that at
   -k as the other. The transform of type 3 goes all the way back.
2. Sines are cosines of points with every other sign changed, and the results are backwards.
3. The parts of complex numbers are transformed side by side.
4. Types 1 and 4 are for whole lines: what mirrors them has other lengths than their blocks.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.fourier.arguments import OTHER_WAY, Norm
from graycube.fourier.lone import across
from graycube.fourier.lone_real import (
    doubled,
    from_half,
    half_spectrum,
    in_pairs,
    out_of_pairs,
    roots_beside,
)
from graycube.fourier.places import apart, back, even_first, paired, sent_on
from graycube.fourier.team import Team

_Lines = NDArray[Any]
Type = Literal[1, 2, 3, 4]
_INVERSE: dict[Type, Type] = {1: 1, 2: 3, 3: 2, 4: 4}


@dataclass(frozen=True, slots=True)
class Cosines:
    """One of SciPy's transforms: of cosines or ``sines``, its type, and the norm.

    >>> Cosines.of("idct", 2, None)
    Cosines(sines=False, type=3, norm='forward')
    """

    sines: bool
    type: Type
    norm: Norm

    @classmethod
    def of(cls, name: str, type: Type, norm: Norm | None) -> Self:  # noqa: A002 - SciPy's
        """The transform of a name: the inverse is of type 3 for 2, with the norm turned."""
        if name[0] == "i":
            type, norm = _INVERSE[type], OTHER_WAY[norm]  # noqa: A001
        return cls(name.endswith("st"), type, norm or "backward")

    def in_memory(self, lines: _Lines, axis: int) -> _Lines:
        """The transform of whole lines."""
        from scipy import fft  # noqa: PLC0415 - importing it takes longer than most transforms

        work = fft.dst if self.sines else fft.dct
        made: _Lines = (
            work(lines, self.type, axis=axis, norm=self.norm) if lines.size else lines
        )
        return made

    def over_nodes(self, lines: _Lines, points: int, team: Team) -> _Lines:
        """The transform of lines along axis 0 that a team has; collective."""
        if self.type in {1, 4}:
            raise InvalidValueError(
                f"type is {self.type}, for an axis that stays over its nodes",
                "types 1 and 4 are of whole lines, and no other axis can take these nodes",
                "use type 2 or 3, or give the array another axis that is long enough",
            )
        if lines.dtype.kind == "c":
            parts = np.stack([lines.real, lines.imag], axis=-1)
            wider = replace(team, width=2 * team.width)
            made = np.ascontiguousarray(self.over_nodes(parts, points, wider))
            found: _Lines = made.view(lines.dtype)[..., 0]
            return found
        own = team.share(points, team.me)
        if self.type == 2:
            return self._scaled(cosines(lines, points, team, sines=self.sines), own, points)
        return cosines_back(self._scaled(lines, own, points), points, team, sines=self.sines)

    def _scaled(self, lines: _Lines, own: range, points: int) -> _Lines:
        """Results of type 2 or what type 3 is given, as the norm wants it."""
        real = lines.dtype.type
        if self.norm == "backward":
            return lines
        if self.norm == "forward":
            scaled: _Lines = lines / real(2 * points)
            return scaled
        index = np.arange(own.start, own.stop)
        first = index == (points - 1 if self.sines else 0)
        root = np.sqrt(real(2 * points))
        edge = np.sqrt(real(2)) if self.type == 3 else 1 / np.sqrt(real(2))
        made: _Lines = lines * across(np.where(first, edge, real(1)), lines) / root
        return made


def cosines(lines: _Lines, points: int, team: Team, *, sines: bool = False) -> _Lines:
    """The transform of type 2 of real lines along axis 0, as SciPy's without a norm.

    >>> def program(comm, team, x):
    ...     return cosines(x, 8, team)
    """
    whole, half = team.blocks(points), team.blocks(points // 2 + 1)
    lines = _signed(lines, whole.own(team.me)) if sines else lines
    made = half_spectrum(sent_on(lines, whole, whole, team, even_first(points)), points, team)
    made *= 2 * roots_beside(half.own(team.me), 4 * points, made)
    way = apart(points, backwards=sines)
    return sent_on(out_of_pairs(made.conj()), doubled(half), whole, team, way)


def cosines_back(lines: _Lines, points: int, team: Team, *, sines: bool = False) -> _Lines:
    """The transform of type 3: that of type 2 back, times twice the points.

    >>> def program(comm, team, y):
    ...     return cosines_back(y, 8, team)
    """
    whole, half = team.blocks(points), team.blocks(points // 2 + 1)
    ends = sent_on(lines, whole, doubled(half), team, paired(points, backwards=sines))
    turned = in_pairs(ends).conj()
    turned *= roots_beside(half.own(team.me), 4 * points, turned).conj()
    made = from_half(turned, points, team)
    made = sent_on(made, whole, whole, team, back(even_first(points)))
    return _signed(made, whole.own(team.me)) if sines else made


def _signed(lines: _Lines, own: range) -> _Lines:
    """The lines with the sign of every other element changed."""
    signs = 1 - 2 * (np.arange(own.start, own.stop) % 2)
    made: _Lines = lines * across(signs, lines).astype(lines.dtype)
    return made
