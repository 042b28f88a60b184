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
4. Within a node rows change places where pivots are small; over nodes they do not. And what
   rule 3 cuts open may be nearly singular where the ring is not. Neither matters where the
   diagonal dominates. Elsewhere a ring in memory is folded to a band of five diagonals, and
   over nodes a solution is put into the equations: what it leaves is solved for again, and
   refused if it does not go away.
5. Lines with the same coefficients are right sides of one system. What depends on coefficients
   only, such as v and w, is found once for all of them.
"""

from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import aligned
from graycube.array.held import Held
from graycube.array.ranks import facts_of, together
from graycube.array.scanning.lapack import in_lines, in_rings, singular
from graycube.array.scanning.lines import AxisRuns
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.layout.required import require_axis, require_flag
from graycube.run.agreement import Facts
from graycube.run.reused import reused

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]
_FAR, _AGAIN = 1e-3, 3  # what may be left, of the terms, and how often that is solved for


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
    apart, two hops in Gray code, of four numbers and two for each right side. Nodes do not
    exchange rows: where small pivots need that, take a layout with the axis in memory. If the
    equations of a node, or of some neighbouring ones, are singular alone, or so nearly that the
    solution would be wrong, all ranks raise a ``SingularError``.

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
        made = _given((lower, diagonal, upper), right, axis, periodic=periodic)
        several = made.blocks[0].shape[-1]
        asked = {"axis": made.axis, "periodic": periodic, "several": several}
        facts = facts_of("solve_tridiagonal", right.layout, right.blocks)
        named = zip(("lower", "diagonal", "upper"), (lower, diagonal, upper), strict=True)
        dtype = made.blocks[0].dtype
        plain = {k: np.asarray(c, dtype).tolist() for k, c in named if not isinstance(c, Held)}
        return made, {**facts, **asked, **plain, "type": dtype}

    given = together(comm, prepare)
    lines = AxisRuns(right, given.axis)
    three, sides = given.rows(lines)
    if not periodic:
        _cut(lines, three)
    alone = lines.count == 1
    if alone and not periodic:
        sure = True
    elif given.numbers is not None:  # of which all ranks know the same
        sure = _dominates(given.numbers)
    else:
        sure = not lines.told(not _dominates(three))
    if alone and not sure:
        found = together(comm, lambda: (in_rings(three, sides), {}))
    else:
        found = _solved(lines, three.copy(), sides, periodic=periodic)
    if not (alone or sure):
        found = _refined(lines, three, sides, found, periodic=periodic)
    return right.with_blocks(lines.blocks(found))


def _solved(lines: AxisRuns, three: _Array, sides: _Array, *, periodic: bool) -> _Array:
    """Rules 1 to 3; collective. The coefficients are written over."""
    alone, comm = lines.count == 1, lines.like.comm
    own = np.zeros((periodic + 2 * (not alone), *three[0].shape), three.dtype)
    with np.errstate(all="ignore"):  # what is raised on some ranks only, hangs the others
        ratio = _bent(lines, three, own) if periodic else None
    _cut(lines, three)
    found, own = together(comm, lambda: (_within(three, sides, own, alone=alone), {}))
    with np.errstate(all="ignore"):
        shares, sound = _shares(lines, _ends(lines, found, own), ratio)
        for one, share in zip(own, shares, strict=True):
            each = share.reshape(len(found), *share.shape[2:], 1)
            less = np.multiply(one, each, out=reused(found.shape, found.dtype))
            found = np.subtract(found, less, out=less)
    together(comm, lambda: _require_sound(sound))
    return found


def _dominates(three: _Array) -> bool:
    """Whether the diagonal is as large as both others together, in all rows here."""
    with np.errstate(all="ignore"):  # what is raised on some ranks only, hangs the others
        lower, diagonal, upper = abs(three)
        return bool(np.all(lower + upper <= diagonal))


def _refined(
    lines: AxisRuns, three: _Array, sides: _Array, found: _Array, *, periodic: bool
) -> _Array:
    """Rule 4: what solves the equations but for rounding; collective."""
    enough = np.finfo(found.dtype).eps ** 0.75
    with np.errstate(all="ignore"):
        given = bool(np.isfinite(three).all() and np.isfinite(sides).all())
        for again in reversed(range(_AGAIN + 1)):
            left, size = _left(lines, three, sides, found, periodic=periodic)
            parts = np.where(left == 0, 0, abs(left) / size)
            error = np.fmax.reduce(parts, axis=None, initial=0)  # of what is a number
            made = bool(np.isfinite(found).all())
            state = lines.told(error > enough, error > _FAR, not made, not given)
            more, far, gone, unknown = (state >> k & 1 for k in range(4))
            lost = gone and not unknown
            if not (more or lost):
                return found
            if far or lost or not again:
                break
            found = found + _solved(lines, three.copy(), left, periodic=periodic)
    raise singular()


def _left(
    lines: AxisRuns, three: _Array, sides: _Array, found: _Array, *, periodic: bool
) -> tuple[_Array, _Array]:
    """What a solution leaves of the right sides, and how large terms are; collective.

    They are those of its line, not of its row, which may have nothing but rounding.
    """
    before, behind = np.empty_like(found), np.empty_like(found)
    before[..., 1:], behind[..., :-1] = found[..., :-1], found[..., 1:]
    ends = np.stack([found[..., 0], found[..., -1]])
    before[..., 0], behind[..., -1] = lines.beside(ends, 1)
    if periodic:
        first, last = lines.corners(*ends)
        if lines.has_first:
            before[..., 0, 0] = last[..., 0]
        if lines.has_last:
            behind[..., -1, -1] = first[..., 0]
    left = sides - sum(c * x for c, x in zip(three, (before, found, behind), strict=True))
    largest = lines.summed(np.max(abs(found), axis=-1, initial=0))[..., None]
    return left, abs(three).sum(axis=0) * largest + abs(sides)


@dataclass(frozen=True, slots=True)
class _Equations:
    """Blocks of the three coefficients and of the right sides, with one axis of payload.

    The coefficients are the same along all axes that they do not ``depend`` on; they may be
    plain ``numbers``.
    """

    blocks: list[_Array]
    axis: int
    depend: set[int]
    numbers: _Array | None

    def rows(self, lines: AxisRuns) -> tuple[_Array, _Array]:
        """The coefficients, of length 1 where they are the same, and the right sides."""
        *three, sides = lines.of(*self.blocks)
        others = [k for k in range(len(lines.layout.shape)) if k != self.axis]
        kept = tuple(slice(None if k in self.depend else 1) for k in others)
        return np.array([c[:, *kept] for c in three]), sides


def _bent(lines: AxisRuns, three: _Array, own: _Array) -> _Array:
    """Rule 3: other rows at the ends, and one more right side; what solutions are mixed by."""
    first, last = lines.corners(three[..., 0], three[..., -1])
    kept = tuple(map(slice, three.shape[1:-2]))
    lower, diagonal, upper = first[0][kept], first[1][kept], last[2][kept]
    scale = np.where(diagonal == 0, 1, -2 * diagonal)  # the last pivot keeps half of itself
    ratio: _Array = lower / scale
    if lines.has_first:
        own[0, ..., 0, 0] += scale[..., 0]
        three[1, ..., 0, 0] -= scale[..., 0]
    if lines.has_last:
        own[0, ..., -1, -1] += upper[..., 0]
        three[1, ..., -1, -1] -= (upper * ratio)[..., 0]
    return ratio


def _cut(lines: AxisRuns, three: _Array) -> None:
    """Take the coefficients away that lead beyond the ends."""
    if lines.has_first:
        three[0, ..., 0, 0] = 0
    if lines.has_last:
        three[2, ..., -1, -1] = 0


def _within(three: _Array, sides: _Array, own: _Array, *, alone: bool) -> tuple[_Array, _Array]:
    """Rules 1 and 5: g of each right side, and what is found once; v and w come last there."""
    lower, _, upper = three
    if not alone:
        own[-2, ..., 0], own[-1, ..., -1] = lower[..., 0], upper[..., -1]
    lower[..., 0] = upper[..., -1] = 0
    return in_lines(three, sides, own)


def _ends(lines: AxisRuns, found: _Array, own: _Array) -> _Array:
    """First and last rows: (two, right sides and more, several, other axes, runs)."""
    several, others = own.shape[1], (*lines.others, lines.here)
    shape = (2, len(found) // several, several, *others)
    sides = np.moveaxis(found[..., [0, -1]], -1, 0).reshape(shape)
    more = np.moveaxis(own[..., [0, -1]], -1, 0)
    more = np.broadcast_to(more, (2, len(own), several, *others))
    return np.concatenate([sides, more], axis=1)


def _shares(lines: AxisRuns, ends: _Array, ratio: _Array | None) -> tuple[list[_Array], bool]:
    """How much of what is found once is taken away from each line, if it can be; collective."""
    shares, sound, stride = list[_Array](), True, 1
    while stride < lines.count:
        ends, fine = _put_into_each_other(ends, *lines.beside(ends, stride))
        sound, stride = sound and fine, 2 * stride
    ends = ends if lines.count == 1 else ends[:, :-2]
    if ratio is not None:
        first, last = lines.corners(*ends)
        mixed = first + ratio * last
        under = 1 + mixed[-1:]
        shares, sound = [mixed[:-1] / under], sound and bool(np.all(under != 0))
        ends = ends[:, :-1] - ends[:, -1:] * shares[0]
    if lines.count > 1:
        shares += lines.beside(ends, 1)
    return shares, sound


def _put_into_each_other(ends: _Array, before: _Array, behind: _Array) -> tuple[_Array, bool]:
    """Rule 2: first and last rows in terms of runs twice as far, and whether they could be.

    Before them, last = g - v * farther - w * first; behind, first = g - v * last - w * farther.
    """
    v, w = ends[:, -2:-1], ends[:, -1:]
    sides = ends[:, :-2] - v * before[:-2] - w * behind[:-2]
    first, last = np.concatenate([sides, -v * before[-2:-1], -w * behind[-1:]], axis=1)
    a, c = 1 - v[0] * before[-1:], -v[1] * before[-1:]
    b, d = -w[0] * behind[-2:-1], 1 - w[1] * behind[-2:-1]
    under = a * d - b * c
    made = np.stack([d * first - b * last, a * last - c * first])
    return made / under, bool(np.all(under != 0))


def _given(
    coefficients: tuple[object, ...], right: Held, axis: int, *, periodic: bool
) -> _Equations:
    """All that is given, checked, and beside each other."""
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
    arrays = [_beside(c.astype(dtype, copy=False), right) for c in given]
    if any(prod(a.shape[2:]) > 1 for a in arrays):
        arrays = [np.broadcast_to(a, right.blocks.shape) for a in arrays]
    arrays.append(right.blocks.astype(dtype, copy=False))
    blocks = [a.reshape(*a.shape[:2], prod(a.shape[2:])) for a in arrays]
    shapes = [c.layout.shape[::-1] for c in given if isinstance(c, Held)]
    last = len(right.layout.shape) - 1
    depend = {last - k for shape in shapes for k, length in enumerate(shape) if length > 1}
    plain = [c for c in given if isinstance(c, np.ndarray)]
    numbers = np.array(np.broadcast_arrays(*plain), dtype) if len(plain) == len(given) else None
    return _Equations(blocks, axis, depend, numbers)


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
        raise singular()
    return sound, {}
