"""Real transforms along an axis that stays over its nodes: half of the spectrum.

Rules.

1. An even number of points is half as many pairs, each a complex number. Their spectrum Z has
   both halves in it: that at k and the conjugate of that at -k make value k of the points. So
   one exchange of mirror images and one of complex numbers half as long do it.
2. An odd number of points is transformed as complex numbers.
3. Few points are transformed on one node.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.fourier import engine
from graycube.fourier.lone import FEW, Rectangle, across, lone
from graycube.fourier.places import mirrored, sent_on, straight, turned
from graycube.fourier.team import Blocked, Team
from graycube.run.butterflies import unit_roots

_Lines = NDArray[Any]
_KEPT = 4  # roots of unity for a block


def half_spectrum(lines: _Lines, points: int, team: Team) -> _Lines:
    """The first half of the unscaled spectrum of real lines along axis 0; collective.

    >>> def program(comm, team, x):  # 8 points in, 5 values out, in blocks
    ...     return half_spectrum(x, 8, team)
    """
    values = points // 2 + 1
    have, want = team.blocks(points), team.blocks(values)
    if points <= 2 * FEW:
        made = engine.half_spectrum(Rectangle(points, 1, team).columns(lines, have), 0)
        return Rectangle(values, 1, team).blocks(made, want)
    dtype = np.result_type(lines.dtype, 1j)
    if points % 2:
        return lone(lines.astype(dtype), have, points, want, team, inverse=False)
    half, own = points // 2, want.own(team.me)
    pairs, beside = team.blocks(half), Blocked(half, want.block)
    lines = _regrouped(lines, have, doubled(pairs), team)
    here = lone(in_pairs(lines), pairs, half, beside, team, inverse=False)
    there = sent_on(here, beside, want, team, mirrored(half))
    if half in own:  # where the spectrum begins again, its mirror image is the same value
        here = np.concatenate([here, there[-1:]])
    factors = _mixing(own.start, own.stop, points, dtype, inverse=False)
    return _mixed(here, there, factors)


def from_half(lines: _Lines, points: int, team: Team) -> _Lines:
    """The real lines with that half of a spectrum, times the points; collective.

    >>> def program(comm, team, y):  # 5 values in, 8 points out, in blocks
    ...     return from_half(y, 8, team)
    """
    values = points // 2 + 1
    have, want = team.blocks(values), team.blocks(points)
    if points <= 2 * FEW:
        made = engine.from_half(Rectangle(values, 1, team).columns(lines, have), 0, points)
        return Rectangle(points, 1, team).blocks(made, want)
    if points % 2:
        own = have.own(team.me)
        alone = across(np.arange(own.start, own.stop) == 0, lines)
        lines = np.where(alone, lines, 2 * lines)
        return np.ascontiguousarray(lone(lines, have, points, want, team, inverse=True).real)
    half = points // 2
    pairs, beside = team.blocks(half), Blocked(half, have.block)
    own = beside.own(team.me)
    there = sent_on(lines, have, beside, team, turned(half))
    here = lines[: len(own)].copy()
    if 0 in own:
        here.imag[0] = there.imag[0] = 0
    factors = _mixing(own.start, own.stop, points, lines.dtype, inverse=True)
    made = lone(_mixed(here, there, factors), beside, half, pairs, team, inverse=True)
    return _regrouped(out_of_pairs(made), doubled(pairs), want, team)


def _mixed(here: _Lines, there: _Lines, factors: tuple[_Lines, _Lines]) -> _Lines:
    """Values and the conjugates of their mirror images, times factors; in their place."""
    here *= across(factors[0], here)
    np.conjugate(there, out=there)
    there *= across(factors[1], there)
    here += there
    return here


@lru_cache(maxsize=_KEPT)
def _mixing(
    start: int, stop: int, points: int, dtype: np.dtype[Any], *, inverse: bool
) -> tuple[_Lines, _Lines]:
    """The factors between the spectrum of pairs and that of so many points, or back."""
    index, wide = np.arange(start, stop), np.result_type(dtype, complex)
    roots = 1j * unit_roots(index, points, wide, inverse=inverse)
    here, there = (1 + roots, 1 - roots) if inverse else (0.5 - roots / 2, 0.5 + roots / 2)
    return here.astype(dtype), there.astype(dtype)


def doubled(pairs: Blocked) -> Blocked:
    """The real numbers of so many complex ones.

    >>> doubled(Blocked(5, 2))
    Blocked(length=10, block=4)
    """
    return Blocked(2 * pairs.length, 2 * pairs.block)


def _regrouped(lines: _Lines, have: Blocked, want: Blocked, team: Team) -> _Lines:
    if have == want:
        return lines
    return sent_on(lines, have, want, team, straight(min(have.length, want.length)))


def in_pairs(lines: _Lines) -> _Lines:
    """Two real numbers that follow each other along axis 0, as one.

    >>> in_pairs(np.array([1.0, 2, 3, 4]))
    array([1.+2.j, 3.+4.j])
    """
    pairs = lines.reshape(len(lines) // 2, 2, *lines.shape[1:])
    made = np.empty((len(pairs), *lines.shape[1:]), np.result_type(lines.dtype, 1j))
    made.real, made.imag = pairs[:, 0], pairs[:, 1]
    return made


def out_of_pairs(lines: _Lines) -> _Lines:
    """The real and the imaginary parts in turn along axis 0.

    >>> out_of_pairs(np.array([1 + 2j, 3 + 4j]))
    array([1., 2., 3., 4.])
    """
    parts = np.stack([lines.real, lines.imag], axis=1)
    return parts.reshape(2 * len(lines), *lines.shape[1:])


def roots_beside(own: range, points: int, like: _Lines) -> _Lines:
    """The roots of unity of so many points at some places, beside lines; not to be written.

    >>> roots_beside(range(2), 2, np.ones((2, 3), complex)).real.round(6).tolist()
    [[1.0], [-1.0]]
    """
    return across(_roots(own.start, own.stop, points, like.dtype), like)


@lru_cache(maxsize=_KEPT)
def _roots(start: int, stop: int, points: int, dtype: np.dtype[Any]) -> _Lines:
    found = unit_roots(np.arange(start, stop), points, dtype, inverse=False)
    found.flags.writeable = False
    return found
