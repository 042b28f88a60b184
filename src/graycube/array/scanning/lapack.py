"""Tridiagonal systems in memory, by LAPACK: rows change places where pivots are small.

Rule: all runs whose coefficients may differ are one long system. Lines with the same
coefficients are right sides of it.

Right sides are (right sides, other axes, runs, rows). The three coefficients are (3, several,
other axes, runs, rows), and so is what is found once, with its number for 3. There, several is
1 or the number of right sides, and axes that nothing depends on have length 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import SingularError
from graycube.run.reused import reused

_Array = NDArray[Any]


def in_lines(three: _Array, sides: _Array, own: _Array) -> tuple[_Array, _Array]:
    """What solves for right sides, and what is found once; the coefficients are written over.

    >>> three, sides = np.ones((3, 1, 1, 4)), np.full((1, 1, 4), 6.0)
    >>> three[1], three[0, ..., 0], three[2, ..., -1], sides[..., [0, -1]] = 4, 0, 0, 5
    >>> in_lines(three, sides, np.zeros((0, 1, 1, 4)))[0].tolist()
    [[[1.0, 1.0, 1.0, 1.0]]]
    """
    return _as_one(_in_a_line, three, sides, own)


def in_rings(three: _Array, sides: _Array) -> _Array:
    """What solves periodic systems.

    >>> three, sides = np.ones((3, 1, 1, 4)), np.full((1, 1, 4), 6.0)
    >>> three[1] = 4
    >>> in_rings(three, sides).round(12).tolist()
    [[[1.0, 1.0, 1.0, 1.0]]]
    """
    found, _ = _as_one(_folded, three, sides, np.zeros((0, *three[0].shape), three.dtype))
    return found


def _as_one(
    solve: Callable[[list[_Array], int], _Array], three: _Array, sides: _Array, own: _Array
) -> tuple[_Array, _Array]:
    """The same, by what solves one long system of runs with so many rows."""
    diagonal = three[1]
    if not diagonal.size:
        return sides, own
    places, size = range(sides.ndim), diagonal.size
    order = sorted(places, key=lambda k: k in places[-2:] or diagonal.shape[k] > 1)
    ordered, many = sides.transpose(order), sides.size // size
    known = reused((many + len(own), size), three.dtype)
    known[:many].reshape(ordered.shape)[...] = ordered
    known[many:] = own.reshape(len(own), size)
    made = solve([*three.reshape(3, size), known], diagonal.shape[-1])
    found = made[:many].reshape(ordered.shape).transpose(np.argsort(order))
    return found, made[many:].reshape(own.shape)


def _in_a_line(system: list[_Array], _rows: int) -> _Array:
    """The solutions of one tridiagonal system, which is written over."""
    from scipy.linalg import get_lapack_funcs  # noqa: PLC0415 - it takes a while to load

    size = len(system[0])
    if size == 1:  # LAPACK takes nothing that is empty: twice the same
        system = [np.tile(x, 2) for x in system]
    lower, diagonal, upper, known = system
    (solve,) = get_lapack_funcs(("gtsv",), (known,))
    overwrite = (True,) * len(system)
    *_, solved, info = solve(lower[1:], diagonal, upper[:-1], known.T, *overwrite)
    if info:
        raise singular()
    made: _Array = solved.T[:, :size]
    return made


def _folded(system: list[_Array], rows: int) -> _Array:
    """The solutions of periodic systems of so many rows each.

    With the rows of a ring in the order 0, -1, 1, -2, ..., each is at most two from both
    neighbours.
    """
    from scipy.linalg import get_lapack_funcs  # noqa: PLC0415 - it takes a while to load

    *three, known = system
    row, size = np.arange(rows), known.shape[1]
    folded = np.where(2 * row < rows, 2 * row, 2 * (rows - row) - 1)
    starts = np.arange(0, size, rows)[:, None]
    places = (starts + folded).ravel()
    band = np.zeros((7, size), known.dtype)  # two more for rows that change places
    for step, values in zip((-1, 0, 1), three, strict=True):
        beside = (starts + np.roll(folded, -step)).ravel()
        np.add.at(band, (4 + places - beside, beside), values)
    sides = np.empty_like(known.T)
    sides[places] = known.T
    (solve,) = get_lapack_funcs(("gbsv",), (band, sides))
    *_, solved, info = solve(2, 2, band, sides, overwrite_ab=True, overwrite_b=True)
    if info:
        raise singular()
    made: _Array = solved[places].T
    return made


def singular() -> SingularError:
    """The error for equations that cannot be solved where they are.

    >>> isinstance(singular(), ValueError)
    True
    """
    return SingularError(
        "the equations of a node, or of some neighbouring ones, are singular, or nearly",
        "rows are exchanged within nodes, not between them",
        "use a layout with this axis in memory; if that fails too, the system is singular",
    )
