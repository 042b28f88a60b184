"""Tridiagonal systems along an axis: elimination within nodes, cyclic reduction over them.

Rules.

1. Each node has one run of rows, and solves it for its right sides and for the unknown before
   and behind the run: x = g - v * before - w * behind. Only the first and the last row of it
   concern others.
2. The ends of runs a stride apart are put into each other, and the stride doubles: after k
   exchanges the unknowns are those 2^k runs before and behind. Beyond the ends of the axis
   there are none: v and w are zero in the end.
3. A periodic system is one that is not, and a product of two vectors (Sherman and Morrison).
   The one more right side goes with the others.
4. Within a node rows change places where pivots are small; over nodes they do not.
"""

from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import aligned
from graycube.array.held import Held
from graycube.array.ranks import facts_of, together
from graycube.array.scanning.lines import AxisRuns
from graycube.errors import InvalidTypeError, InvalidValueError, SingularError
from graycube.host import host_array
from graycube.layout.required import require_axis, require_flag
from graycube.run.agreement import Facts

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]


def solve_tridiagonal(  # noqa: PLR0913
    lower: object,
    diagonal: object,
    upper: object,
    right: _H,
    axis: int = -1,
    *,
    periodic: bool = False,
) -> _H:
    """X with ``lower * x[i-1] + diagonal * x[i] + upper * x[i+1] == right``; collective.

    The equations are along one axis of the layout, for all others and the payload at once. The
    coefficients are arrays with the layout and communicator of ``right``, or of length 1 along
    axes on which they do not depend, or numbers. The first of ``lower`` and the last of
    ``upper`` only count if the system is periodic. The result has the layout of ``right``.

    With the axis over N nodes there are log2 N + 1 exchanges with nodes 1, 2, 4, ... runs
    apart, two hops in Gray code, of two numbers and one for each right side. Nodes do not
    exchange rows: where small pivots need that, take a layout with the axis in memory. If the
    equations of a node, or of some neighbouring ones, are singular alone, all ranks raise a
    ``SingularError``.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> layout = Layout.mesh((8,), nodes=(4,), code="gray")
    >>> x = CubeArray.from_numpy([1.0, 3, 2, 0, 5, 4, 1, 1], layout)
    >>> w = x.halo(1, periodic=False)
    >>> found = solve_tridiagonal(1, -4, 1, w[-1] - 4 * x + w[1])
    >>> np.allclose(found.to_numpy(), x.to_numpy()), found.layout == layout
    (True, True)
    """
    comm = getattr(right, "comm", None)

    def prepare() -> "tuple[_Equations, Facts]":
        made = _packed((lower, diagonal, upper), right, axis, periodic=periodic)
        asked = {"axis": made.axis, "periodic": periodic, "several": made.several}
        facts = facts_of("solve_tridiagonal", right.layout, right.blocks)
        named = zip(("lower", "diagonal", "upper"), (lower, diagonal, upper), strict=True)
        dtype = made.blocks.dtype
        plain = {k: np.asarray(c, dtype).tolist() for k, c in named if not isinstance(c, Held)}
        return made, {**facts, **asked, **plain, "type": dtype}

    packed = together(comm, prepare)
    lines = AxisRuns(right, packed.axis)
    rows = packed.rows(lines)
    corners = _cut(lines, rows, periodic=periodic)
    rows, ratio = _bent(lines, rows, *corners) if periodic else (rows, None)
    ends = together(comm, lambda: (_within(rows, alone=lines.count == 1), {}))
    with np.errstate(all="ignore"):
        found, sound = _over_nodes(lines, ends)
        if ratio is not None:
            found, fine = _straightened(lines, found, ratio)
            sound = sound and fine
    together(comm, lambda: _require_sound(sound))
    return right.with_blocks(lines.blocks(found))


@dataclass(frozen=True, slots=True)
class _Equations:
    """Coefficients and right sides as the payload of one array, in the layout of these.

    Coefficients that depend on the payload have ``several`` values each.
    """

    blocks: _Array
    several: int
    axis: int

    def rows(self, lines: "AxisRuns") -> _Array:
        """(others, runs, several, rows of a run, three coefficients and the right sides)."""
        three, right = np.split(lines.of(self.blocks), [3 * self.several], axis=-1)
        head = three.shape[:-1]
        three = three.reshape(*head, 3, self.several).swapaxes(-1, -2)
        right = right.reshape(*head, self.several, right.shape[-1] // self.several)
        return np.moveaxis(np.concatenate([three, right], axis=-1), 3, 2)


def _cut(lines: AxisRuns, rows: _Array, *, periodic: bool) -> tuple[_Array, ...]:
    """Take the coefficients away that lead beyond the ends; what they were, if that counts."""
    found: tuple[_Array, ...] = ()
    if periodic:
        first, last = lines.corners(rows[..., 0, :3], rows[..., -1, :3])
        found = first[..., 0], first[..., 1], last[..., 2]
    if lines.has_first:
        rows[:, 0, :, 0, 0] = 0
    if lines.has_last:
        rows[:, -1, :, -1, 2] = 0
    return found


def _bent(
    lines: AxisRuns, rows: _Array, lower: _Array, diagonal: _Array, upper: _Array
) -> tuple[_Array, _Array]:
    """Rule 3: other rows at the ends, and one more right side; and what they are mixed by."""
    scale = np.where(diagonal == 0, 1, -diagonal)
    ratio = lower / scale
    rows = np.concatenate([rows, np.zeros_like(rows[..., :1])], axis=-1)
    if lines.has_first:
        rows[:, 0, :, 0, -1] += scale[:, 0]
        rows[:, 0, :, 0, 1] -= scale[:, 0]
    if lines.has_last:
        rows[:, -1, :, -1, -1] += upper[:, 0]
        rows[:, -1, :, -1, 1] -= (upper * ratio)[:, 0]
    return rows, ratio


def _straightened(lines: AxisRuns, found: _Array, ratio: _Array) -> tuple[_Array, bool]:
    """The solutions of the periodic system, and whether there are any."""
    first, last = lines.corners(found[..., 0, :], found[..., -1, :])
    mixed = first + ratio[..., None] * last
    under = 1 + mixed[..., -1:]
    part = (mixed[..., :-1] / under)[..., None, :]
    return found[..., :-1] - found[..., -1:] * part, bool(np.all(under != 0))


def _within(rows: _Array, *, alone: bool) -> _Array:
    """Rule 1: g of each right side, v and w; all runs here are one long system for LAPACK."""
    from scipy.linalg import solve_banded  # noqa: PLC0415 - it takes a while to load

    lower, diagonal, upper = (rows[..., k].copy() for k in range(3))
    before, behind = np.zeros_like(lower), np.zeros_like(upper)
    before[..., 0], behind[..., -1] = lower[..., 0], upper[..., -1]
    lower[..., 0] = upper[..., -1] = 0
    sides = rows[..., 3:]
    if not alone:
        sides = np.concatenate([sides, before[..., None], behind[..., None]], axis=-1)
    size = diagonal.size + 1  # one more row, for LAPACK takes none that are empty
    banded = np.zeros((3, size), rows.dtype)
    banded[0, 1:], banded[1, :-1] = upper.ravel(), diagonal.ravel()
    banded[2, :-2], banded[1, -1] = lower.ravel()[1:], 1
    known = np.zeros((size, sides.shape[-1]), rows.dtype, order="F")
    known[:-1] = sides.reshape(-1, sides.shape[-1])
    try:
        found = solve_banded((1, 1), banded, known, overwrite_b=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise _singular() from None
    made: _Array = found[:-1].reshape(sides.shape)
    return made


def _over_nodes(lines: AxisRuns, runs: _Array) -> tuple[_Array, bool]:
    """Rule 2: the solutions, from those of each run; and whether there are any; collective."""
    if lines.count == 1:
        return runs, True
    ends, stride, sound = runs[..., [0, -1], :], 1, True
    while stride < lines.count:
        before = lines.beside(ends[..., 1, :], -1, stride)
        behind = lines.beside(ends[..., 0, :], 1, stride)
        ends, fine = _put_into_each_other(ends, before, behind)
        sound, stride = sound and fine, 2 * stride
    found, v, w = runs[..., :-2], runs[..., -2, None], runs[..., -1, None]
    before = lines.beside(ends[..., 1, :-2], -1, 1)[..., None, :]
    behind = lines.beside(ends[..., 0, :-2], 1, 1)[..., None, :]
    return found - v * before - w * behind, sound


def _put_into_each_other(ends: _Array, before: _Array, behind: _Array) -> tuple[_Array, bool]:
    """First and last rows in terms of runs twice as far, and whether they could be.

    Before them, last = g - v * farther - w * first; behind, first = g - v * last - w * farther.
    """
    v, w = ends[..., -2, None], ends[..., -1, None]
    sides = ends[..., :-2] - v * before[..., None, :-2] - w * behind[..., None, :-2]
    known = [sides, -v * before[..., None, -2:-1], -w * behind[..., None, -1:]]
    first, last = np.moveaxis(np.concatenate(known, axis=-1), -2, 0)
    a, c = 1 - v[..., 0, :] * before[..., -1:], -v[..., 1, :] * before[..., -1:]
    b, d = -w[..., 0, :] * behind[..., -2:-1], 1 - w[..., 1, :] * behind[..., -2:-1]
    under = a * d - b * c
    made = np.stack([d * first - b * last, a * last - c * first], axis=-2)
    return made / under[..., None, :], bool(np.all(under != 0))


def _packed(
    coefficients: tuple[object, ...], right: Held, axis: int, *, periodic: bool
) -> _Equations:
    """All that is given, checked, and in one array."""
    if not isinstance(right, Held):
        raise InvalidTypeError(
            f"right is a {type(right).__name__}",
            "it must be a CubeArray",
            "spread it first, with CubeArray.from_numpy(x, layout)",
        )
    require_flag(periodic, "periodic")
    axis = require_axis(axis, len(right.layout.shape))
    given = [c if isinstance(c, Held) else host_array(c) for c in coefficients]
    dtype = _type_of(coefficients, right)
    arrays = [_beside(c, right) for c in given]
    several = prod(right.payload) if any(prod(a.shape[2:]) > 1 for a in arrays) else 1
    shape = right.blocks.shape[:2]
    if several > 1:
        arrays = [np.broadcast_to(a, right.blocks.shape) for a in arrays]
    parts = [a.reshape(*shape, prod(a.shape[2:])) for a in (*arrays, right.blocks)]
    return _Equations(np.concatenate(parts, axis=-1, dtype=dtype), several, axis)


def _beside(coefficient: Held | _Array, right: Held) -> _Array:
    """A coefficient of every element: as blocks, with the payload that it depends on."""
    made = aligned([coefficient, right], onto=right)
    lead, payload = len(made.lead), made.arrays[0].shape[len(made.lead) :]
    fits = len(payload) == len(right.payload) and all(
        own in {1, n} for own, n in zip(payload, right.payload, strict=True)
    )
    if not fits:
        raise InvalidValueError(
            f"a coefficient has payload {payload}",
            f"the right sides have {right.payload}",
            "give right sides for each coefficient",
        )
    whole = np.broadcast_to(made.arrays[0], (*made.lead, *made.arrays[0].shape[lead:]))
    return made.blocks(whole)


def _type_of(coefficients: tuple[object, ...], right: Held) -> np.dtype[Any]:
    """The dtype of the solution: one that LAPACK has."""
    given = [np.asarray(getattr(c, "blocks", c)) for c in coefficients]
    pairs = zip(coefficients, given, strict=True)
    weak: list[Any] = [c if type(c) in {int, float, complex} else x for c, x in pairs]
    odd = [x.dtype for x in (*given, right.blocks) if x.dtype.kind not in "biufc"]
    dtype = odd[0] if odd else np.result_type(*weak, right.dtype)
    if dtype.kind in "biu":
        dtype = np.dtype(float)
    if dtype.char not in "fdFD":
        raise InvalidTypeError(
            f"the equations have dtype {dtype}",
            "they are solved in single or double precision, real or complex",
            "call astype(float) first",
        )
    return dtype


def _require_sound(sound: bool) -> tuple[bool, Facts]:  # noqa: FBT001 - it is all there is
    if not sound:
        raise _singular()
    return sound, {}


def _singular() -> SingularError:
    return SingularError(
        "the equations of a node, or of some neighbouring ones, are singular",
        "rows are exchanged within nodes, not between them",
        "use a layout with this axis in memory; if that fails too, the system is singular",
    )
