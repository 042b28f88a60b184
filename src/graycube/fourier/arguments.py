"""What transforms are asked for: along which axes, of how many points, and where it goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from sys import maxsize
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array import CubeArray
from graycube.array.held import require_array
from graycube.array.ranks import facts_of, spread, together
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.fourier.engine import effort_of_fftw
from graycube.fourier.lines import resized_layout
from graycube.fourier.passes import LONGEST
from graycube.gf2 import require_int
from graycube.layout import Layout
from graycube.layout.placement import Placement
from graycube.layout.required import require_axis, require_word
from graycube.texts import in_digits

_T = TypeVar("_T")
Norm = Literal["backward", "ortho", "forward"]
Order = Literal["any", "natural"]


def complex_dtype(dtype: np.dtype[np.generic]) -> "np.dtype[np.complexfloating]":
    """The dtype of the result, as NumPy's: what floats keep their precision, from single on."""
    if dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"the array has dtype {dtype}", "numbers are needed", "convert it with astype"
        )
    return np.result_type(dtype, 1j)


def require_lengths(
    layout: Layout, axes: Sequence[int], s: Sequence[int] | None, *, half: bool = False
) -> dict[int, int]:
    """The number of points that are transformed along each axis; -1 is all there are.

    If the last axis has ``half`` a spectrum, that is one of an even number of points.

    >>> layout = Layout.mesh((4, 6), nodes=(2, 1))
    >>> [require_lengths(layout, [0, 1], (8, -1), half=half) for half in (False, True)]
    [{0: 8, 1: 6}, {0: 8, 1: 10}]
    """
    given = {} if s is None else _given_lengths(axes, s)
    if half and axes[-1] not in given:
        given[axes[-1]] = _even_points(layout, axes[-1])
    return {axis: layout.shape[axis] for axis in axes} | given


def _given_lengths(axes: Sequence[int], s: Sequence[int]) -> dict[int, int]:
    """The numbers of points that are said, by axes."""
    if not is_line(s):
        raise InvalidTypeError(f"s is {s!r:.60}", "it must be a sequence", "pass a tuple")
    if len(s) != len(axes):
        raise InvalidValueError(
            f"s has {len(s)} entries for {len(axes)} axes",
            "each axis of the transform needs its number of points",
            "name as many axes, or use -1 for all points of an axis",
        )
    wanted = {axis: _points(length) for axis, length in zip(axes, s, strict=True)}
    if len(wanted) < len(axes):
        raise InvalidValueError(
            f"an axis is named twice in {tuple(axes)}",
            "its number of points is given once",
            "transform it again in a call of its own",
        )
    return {axis: length for axis, length in wanted.items() if length > 0}


def is_line(given: object) -> bool:
    """Whether there may be an entry for each axis.

    >>> is_line([8]), is_line(np.array([8])), is_line(8)
    (True, True, False)
    """
    return isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim == 1)


def _points(given: int) -> int:
    points = require_int(given, "the number of points")
    if points < 1 and points != -1:
        raise InvalidValueError(
            f"the number of points is {points}",
            "a transform has one point at least",
            "use -1 for all points of the axis",
        )
    if points > maxsize:
        raise InvalidValueError(
            f"the number of points is {in_digits(points)}",
            f"it is at most {maxsize}",
            "use fewer",
        )
    return points


def resized_home(layout: Any, lengths: dict[int, int]) -> Any:  # noqa: ANN401 - of either kind
    """The layout that comes of new lengths along some axes, in natural order.

    >>> print(resized_home(Layout.mesh((4, 4), nodes=(2, 1)), {1: 6}))
    (b0:0 b1:0 || b0:1) x 3 on axis 1
    """
    return reduce(lambda now, axis: resized_layout(now, axis, lengths[axis]), lengths, layout)


def require_out(out: object, a: CubeArray, shape: Sequence[int], dtype: DTypeLike) -> None:
    """Refuse what cannot take a result of this shape, payload included, and dtype.

    >>> a = CubeArray.from_numpy([1, 2], Layout.nodes(1))
    >>> require_out(a, a, (2,), complex)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidTypeError: out has dtype int64: the result has dtype complex128;
    make an array of that dtype
    """
    if out is None:
        return
    if not isinstance(out, CubeArray):
        raise InvalidTypeError(
            f"out is a {type(out).__name__}",
            "it must be a CubeArray",
            "pass one, or call it without out=",
        )
    if spread(out.comm) != spread(a.comm):
        raise InvalidValueError(
            "out is on another communicator than the result",
            "that is the one of the array, unless ranks get new numbers",
            "make it with comm=a.comm, or leave it out",
        )
    if not out.blocks.flags.writeable:
        raise InvalidValueError(
            "out cannot be written to", "the result goes there", "pass a copy of it"
        )
    nodes, wanted = out.layout.node_count, a.layout.node_count
    if out.shape != tuple(shape) or nodes != wanted:
        raise InvalidValueError(
            f"out has shape {out.shape}, on {nodes} nodes",
            f"the result has shape {tuple(shape)}, on the {wanted} nodes of the array",
            "make an array of that shape on the same nodes",
        )
    if not np.can_cast(dtype, out.dtype, "same_kind"):
        raise InvalidTypeError(
            f"out has dtype {out.dtype}",
            f"the result has dtype {np.dtype(dtype)}",
            "make an array of that dtype",
        )


def delivered(result: CubeArray, out: CubeArray | None) -> CubeArray:
    """The result, or ``out`` with its elements, in the layout that ``out`` has.

    >>> a, b = (CubeArray.from_numpy([k, 2], Layout.nodes(1, "gray")) for k in (1, 3))
    >>> delivered(a, b) is b, b.to_numpy().tolist()
    (True, [1, 2])
    """
    if out is None:
        return result
    same = out.layout == result.layout
    out.blocks[...] = (result if same else result.relayout(out.layout)).blocks
    return out


@dataclass(frozen=True, slots=True)
class Wanted:
    """A transform of so many points along axes, which one is scaled how, and where it ends.

    If it is ``real``, the points along the last of the axes are real numbers, of which there is
    half a spectrum afterwards, or before if it is ``inverse``. It is ``back`` in the layout it
    comes from, or in whatever costs nothing more. The spectrum has the ``waves`` of so many
    points, if these are others. A pass has lines of up to 2^longest points.

    >>> Wanted((0, 1), (8, 6), real=True).values
    (8, 4)
    """

    axes: tuple[int, ...]
    points: tuple[int, ...]
    norm: Norm | None = None
    inverse: bool = False
    real: bool = False
    back: bool = False
    waves: tuple[int, ...] | None = None
    longest: int = LONGEST

    @property
    def lengths(self) -> dict[int, int]:
        """The number of points along each axis."""
        return dict(zip(self.axes, self.points, strict=True))

    @property
    def values(self) -> tuple[int, ...]:
        """How many values of a spectrum there are along each axis."""
        if not self.real:
            return self.points
        *others, last = self.points
        return (*others, last // 2 + 1)

    @property
    def scaling(self) -> int:
        """How each transform is scaled: 0 not at all, 1 by the root of its points, 2 by these.

        >>> Wanted((0,), (8,), inverse=True).scaling, Wanted((0,), (8,), "ortho").scaling
        (2, 1)
        """
        if self.norm == "ortho":
            return 1
        return 2 if self.inverse == (self.norm in {None, "backward"}) else 0

    @property
    def kept(self) -> tuple[int, ...]:
        """Of how many points a spectrum has the waves, along each axis."""
        return self.points if self.waves is None else self.waves

    def takes_all(self, layout: Placement) -> bool:
        """Whether no axis of an array in a layout is cut or padded."""
        given = self.values if self.inverse else self.points
        return all(layout.shape[k] == n for k, n in zip(self.axes, given, strict=True))


def wanted(  # noqa: PLR0913, PLR0917
    a: CubeArray,
    axes: Sequence[int] | None,
    norm: Norm | None,
    order: Order = "any",
    s: Sequence[int] | None = None,
    out: CubeArray | None = None,
    *,
    inverse: bool = False,
    real: bool = False,
) -> Wanted:
    """What a transform of an array is asked for, if there is such a one and ``out`` takes it.

    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy(np.ones((8, 5)), Layout.mesh((8, 5), (2, 1)))
    >>> wanted(a, None, None, inverse=True, real=True).points
    (8, 8)
    """
    require_word(order, get_args(Order), "order")
    require_norm(norm)
    dtype = complex_dtype(a.dtype)
    if real and not inverse:
        require_real(a.dtype)
    chosen = require_axes(a.layout, axes, real=real)
    lengths = require_lengths(a.layout, chosen, s, half=real and inverse)
    points = tuple(lengths[k] for k in chosen)
    back = order == "natural" and (out is None or (real and inverse))
    found = Wanted((*chosen,), points, norm, inverse, real, back)
    after = dict(zip(chosen, points if inverse else found.values, strict=True))
    shape = tuple(after.get(k, length) for k, length in enumerate(a.shape))
    require_out(out, a, shape, np.finfo(dtype).dtype if real and inverse else dtype)
    return found


def require_last(chosen: Sequence[int], axes: Sequence[int] | None) -> None:
    """Refuse axes of which none is the one of the real transform, or not once."""
    if not chosen:
        raise InvalidValueError(
            "axes is empty", "a real transform needs a last axis", "name at least one axis"
        )
    if chosen[-1] in chosen[:-1]:
        raise InvalidValueError(
            f"axis {chosen[-1]} is in axes={axes} more than once",
            "the last axis has half a spectrum after its transform",
            "name it once",
        )


def _even_points(layout: Layout, axis: int) -> int:
    """The even number of points of which an axis has half the spectrum."""
    values = layout.shape[axis]
    if values == 1:
        raise InvalidValueError(
            f"axis {axis} has a spectrum of 1 value",
            "twice one less is no number of points",
            "say how many points there are: n=1",
        )
    return 2 * (values - 1)


def require_real(dtype: "np.dtype[np.generic]") -> "np.dtype[np.generic]":
    """The dtype in which real numbers are transformed; complex ones are refused.

    >>> require_real(np.dtype("int8"))
    dtype('float64')
    """
    if dtype.kind == "c":
        raise InvalidTypeError(
            f"the array has dtype {dtype}",
            "half of the spectrum is enough for real numbers only",
            "use fft, or drop the imaginary part",
        )
    return np.finfo(complex_dtype(dtype)).dtype


def require_axes(
    layout: Layout, axes: Sequence[int] | None, *, real: bool = False
) -> list[int]:
    """The axes of a layout, counted from the front; all of them for None.

    In a ``real`` transform there is a last one, and once only.
    """
    if axes is not None and not is_line(axes):
        raise InvalidTypeError(f"axes is {axes!r}", "it must be a sequence", "pass a tuple")
    d = len(layout.axes)
    given = range(d) if axes is None else axes
    for axis in given:
        if require_int(axis, "axis") >= d:
            raise OutOfRangeError(
                f"axis is {axis}",
                f"the axes are 0..{d - 1}, without payload",
                f"use {-d}..{d - 1}, or np.fft for an axis of payload; the numbers of points, "
                "NumPy's second argument, are named here: n= or s=",
            )
    chosen = [require_axis(axis, d) for axis in given]
    if real:
        require_last(chosen, axes)
    return chosen


OTHER_WAY: dict[Norm | None, Norm] = {
    None: "forward",
    "backward": "forward",
    "ortho": "ortho",
    "forward": "backward",
}
"""The norm of a transform in the other direction that scales as much."""


def require_norm(norm: Norm | None) -> None:
    """Refuse what is no norm of NumPy's."""
    require_word("backward" if norm is None else norm, get_args(Norm), "norm")


def points_of(n: int | None) -> tuple[int, ...] | None:
    """The number of points along one axis, as those along several.

    >>> points_of(8), points_of(None)
    ((8,), None)
    """
    return None if n is None else (n,)


def all_agree(
    a: CubeArray,
    what: str,
    check: Callable[[], _T],
    *,
    out: CubeArray | None = None,
    **facts: object,
) -> _T:
    """What ``check`` gives, if all ranks pass it with the same arguments; collective.

    >>> from graycube.layout import Layout
    >>> all_agree(CubeArray.from_numpy([1, 2], Layout.nodes(1)), "test", lambda: 3)
    3
    """
    require_array(a, "a transform")
    alike = {**facts_of(what, a.layout, a.blocks), **facts, "fftw": effort_of_fftw()}
    return together(a.comm, lambda: (check(), alike | facts_of_out(out)))


def facts_of_out(out: object) -> dict[str, object]:
    """What all ranks must have alike of the array that a result goes to.

    >>> facts_of_out(None)
    {}
    """
    if not isinstance(out, CubeArray):
        return {}
    return {"layout of out": out.layout, "dtype of out": out.dtype}


def scale(blocks: NDArray[Any], points: int, scaling: int) -> NDArray[Any]:
    """The blocks of one transformed axis, scaled in place; ``scaling`` is that of ``Wanted``.

    Axis by axis, so that nothing overflows on the way.
    """
    if points > 1 and blocks.size and scaling:
        real = blocks.real.dtype.type
        blocks = np.ascontiguousarray(blocks)
        parts = blocks.view(real)  # a complex division of what is infinite gives nan
        parts *= 1 / (real(points) if scaling == 2 else np.sqrt(real(points)))
    return blocks
