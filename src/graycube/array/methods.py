"""The methods and attributes that NumPy's arrays have too, by the same names."""

import sys
from types import EllipsisType
from typing import Any, NoReturn, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, DTypeLike

from graycube.array import payload
from graycube.array.elementwise import element_by_element
from graycube.array.functions import called
from graycube.array.held import Held
from graycube.array.indexed.points import in_brackets
from graycube.array.indexed.writing import put
from graycube.array.instead import NAMES, NoSuchName
from graycube.array.ranks import spread
from graycube.array.reducing import extremes, statistics
from graycube.array.reducing.over import Axes
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.sums import reproducible_sum
from graycube.array.results import tried
from graycube.array.scanning.scans import cumprod, cumsum
from graycube.array.sharing import not_unasked
from graycube.array.ufuncs import applied
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.warned import at_users_line, entered, left

_Index = str | int | slice | EllipsisType | None | list[int] | Held | np.ndarray[Any, Any]
_ARRAYS = (Held, np.ndarray)


class LikeNumpy(Held, NDArrayOperatorsMixin):
    """An array that NumPy's functions take; what it cannot do where the elements are, raises.

    >>> from graycube.layout import Layout
    >>> u = LikeNumpy(np.arange(8.0).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> (u - u.mean(axis=0)).blocks.tolist(), np.clip(u, 2, 3).max()
    ([[-3.0, -3.0, -1.0, -1.0], [1.0, 1.0, 3.0, 3.0]], np.float64(3.0))
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name != "local":
            raise InvalidTypeError(
                f"{name:.60} of an array is to be set",
                "an array keeps its blocks, layout and communicator",
                "write elements, with u[...] = v or u.local = piece, or make another array",
            )
        super().__setattr__(name, value)

    @property
    def real(self) -> Self:
        """The real parts."""
        return self.with_blocks(self.blocks.real)

    @property
    def imag(self) -> Self:
        """The imaginary parts."""
        return self.with_blocks(self.blocks.imag)

    @property
    def T(self) -> Self:  # noqa: N802 - NumPy's
        """The array with its axes in reverse order, if it has no payload; sends nothing.

        It is a copy: no array in other places or another order shares memory with this one.
        With payload the components would come first: say ``u.transpose(1, 0, 2)``.
        """
        return payload.permuted(self)

    def transpose(self, *axes: int) -> Self:
        """A copy with its axes in this order; those of the layout stay before the payload.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.zeros((2, 4)), Layout.mesh((4, 2), nodes=(2, 1))).transpose(1, 0).shape
        (2, 4)
        """
        return payload.permuted(self, axes or None)

    def copy(self) -> Self:
        """The same elements in memory of its own.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[1], [2]]), Layout.nodes(1)).copy().sum()
        np.int64(3)
        """
        return self.with_blocks(self.blocks.copy("K"))

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()  # on the same communicator

    def conj(self) -> Self:
        """The complex conjugate.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[1j], [2]]), Layout.nodes(1)).conj().blocks.tolist()
        [[-1j], [(2-0j)]]
        """
        return self.with_blocks(self.blocks.conj())

    conjugate = conj

    def clip(self, min: object = None, max: object = None) -> Self:  # noqa: A002 - NumPy's
        """The elements, but none below ``min`` and none above ``max``.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[1], [5]]), Layout.nodes(1)).clip(2, 3).blocks.tolist()
        [[2], [3]]
        """
        found: Self = element_by_element(np.clip, [self, min, max], {})
        return found

    @at_users_line
    def round(self, decimals: int = 0) -> Self:
        """The elements, rounded to so many decimals.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[1.26], [5.0]]), Layout.nodes(1)).round(1).blocks.tolist()
        [[1.3], [5.0]]
        """
        return self.with_blocks(self.blocks.round(decimals))

    @at_users_line
    def sum(  # noqa: PLR0913 - NumPy's, and one more
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        *,
        keepdims: bool = False,
        initial: object = None,
        where: object = None,
        reproducible: bool = False,
    ) -> Any:  # noqa: ANN401
        """The sum along some axes, or of all elements; collective, but along payload alone.

        With ``reproducible``, it is the same to the last bit in every layout on any number of
        nodes. That takes many times as long for floats: each is cut into three parts.

        >>> from graycube.layout import Layout
        >>> u = LikeNumpy(np.arange(8.0).reshape(2, 4), Layout.mesh((4, 2), nodes=(2, 1)))
        >>> u.sum(), u.sum(axis=1, keepdims=True).shape, u.sum(reproducible=True)
        (np.float64(28.0), (4, 1), np.float64(28.0))
        """
        if reproducible:
            return reproducible_sum(
                self, axis, dtype, keepdims=keepdims, initial=initial, where=where
            )
        return reduced(
            self, np.add, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
        )

    @at_users_line
    def prod(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        *,
        keepdims: bool = False,
        initial: object = None,
        where: object = None,
    ) -> Any:  # noqa: ANN401
        """The product of elements.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[3], [5]]), Layout.nodes(1)).prod()
        np.int64(15)
        """
        return reduced(
            self,
            np.multiply,
            axis,
            dtype=dtype,
            keepdims=keepdims,
            initial=initial,
            where=where,
        )

    @at_users_line
    def mean(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        *,
        keepdims: bool = False,
        where: object = None,
    ) -> Any:  # noqa: ANN401
        """The mean of elements."""
        return statistics.mean(self, axis, dtype, keepdims=keepdims, where=where)

    @at_users_line
    def var(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
        where: object = None,
    ) -> Any:  # noqa: ANN401
        """The variance of elements."""
        return statistics.var(self, axis, dtype, ddof, keepdims=keepdims, where=where)

    @at_users_line
    def std(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
        where: object = None,
    ) -> Any:  # noqa: ANN401
        """The standard deviation of elements."""
        return statistics.std(self, axis, dtype, ddof, keepdims=keepdims, where=where)

    @at_users_line
    def cumsum(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Self:
        """The running sums along an axis.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[3], [5]]), Layout.nodes(1)).cumsum().blocks.tolist()
        [[3], [8]]
        """
        return cumsum(self, axis, dtype)

    @at_users_line
    def cumprod(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Self:
        """The running products along an axis.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[3], [5]]), Layout.nodes(1)).cumprod().blocks.tolist()
        [[3], [15]]
        """
        return cumprod(self, axis, dtype)

    def max(
        self,
        axis: Axes = None,
        *,
        keepdims: bool = False,
        initial: object = None,
        where: object = None,
    ) -> Any:  # noqa: ANN401
        """The largest element."""
        return reduced(self, np.maximum, axis, keepdims=keepdims, initial=initial, where=where)

    def min(
        self,
        axis: Axes = None,
        *,
        keepdims: bool = False,
        initial: object = None,
        where: object = None,
    ) -> Any:  # noqa: ANN401
        """The smallest element."""
        return reduced(self, np.minimum, axis, keepdims=keepdims, initial=initial, where=where)

    def argmax(self, axis: Axes = None, *, keepdims: bool = False) -> Any:  # noqa: ANN401
        """Where the first of the largest elements is."""
        return extremes.extreme_at(self, np.maximum, axis, keepdims=keepdims)

    def argmin(self, axis: Axes = None, *, keepdims: bool = False) -> Any:  # noqa: ANN401
        """Where the first of the smallest elements is."""
        return extremes.extreme_at(self, np.minimum, axis, keepdims=keepdims)

    def all(self, axis: Axes = None, *, keepdims: bool = False, where: object = None) -> Any:  # noqa: ANN401
        """Whether all elements are true."""
        return reduced(self, np.logical_and, axis, keepdims=keepdims, where=where)

    def any(self, axis: Axes = None, *, keepdims: bool = False, where: object = None) -> Any:  # noqa: ANN401
        """Whether any element is true."""
        return reduced(self, np.logical_or, axis, keepdims=keepdims, where=where)

    def item(self, *index: int) -> Any:  # noqa: ANN401
        """The only element, as a number of Python's; collective. Refused where there are more.

        >>> from graycube.layout import Layout
        >>> LikeNumpy(np.array([[3], [5]]), Layout.nodes(1)).max(keepdims=True).item()
        5
        """
        if index or self.size != 1:
            one, example = (", ".join(map(str, some)) for some in (index, index or (3, 5)))
            raise InvalidValueError(
                f"an array of shape {self.shape} is asked for item({one})",
                "item() is for arrays of one element, and takes no index",
                f"use u.read[{example}] on all ranks",
            )
        return self.max().item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    @at_users_line
    def fill(self, value: object) -> None:
        """Write one number, or one payload, everywhere.

        >>> from graycube.layout import Layout
        >>> u = LikeNumpy(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,)))
        >>> u.fill(3)
        >>> u.blocks.tolist()
        [[3.0, 3.0], [3.0, 3.0]]
        """
        put(self, ..., value)

    def __str__(self) -> str:
        """A line about the array, and what of it is here, shortened as NumPy does it."""
        try:
            piece = self.layout.piece(self.nodes)
            here = f"\nu[{in_brackets(piece.slices)}], which is here:"
        except InvalidValueError:  # what is here has no such index
            return repr(self)
        return f"{self!r}{here if spread(self.comm) else ''}\n{piece.of(self.blocks)}"

    @at_users_line
    def __pow__(self, other: Any) -> Any:  # noqa: ANN401
        """Of a plain exponent as NumPy's arrays have it, for which x**2 is a square."""
        if type(other) in {int, float}:
            if other < 0 and not self.blocks.shape[1]:
                tried(np.power, [self.blocks, other])
            return self.with_blocks(self.blocks**other)
        return super().__pow__(other)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> NoReturn:
        raise InvalidTypeError(
            f"an array of shape {self.shape} is asked for its rows one by one",
            "they are on any nodes",
            "use u.sum() and np.max(u) instead of sum(u) and max(u), np.unstack(u, axis=0) for "
            "arrays of rows, u[..., 0] for components, or u.local, what is here",
        )

    def __bool__(self) -> bool:
        """The only element as a truth value; collective. Refused where there are more."""
        if self.size != 1:
            raise InvalidValueError(
                f"an array of shape {self.shape} is asked for its truth value",
                "the truth value of an array of more than one element is ambiguous",
                "use any() or all()",
            )
        return bool(self.all())

    def __getitem__(self, key: _Index | tuple[_Index, ...]) -> Self:
        """The part of the payload that an index takes: ``u[..., 0]``, ``u[:, :, 1:]``.

        Of records ``u["mass"]`` takes a field. What is taken shares memory with the array where
        NumPy's would.
        """
        if isinstance(key, str):
            return payload.field_of(self, key)
        return self.with_blocks(self.blocks[payload.of_payload(self, key)])

    @at_users_line
    def __setitem__(self, key: _Index | tuple[_Index, ...], value: "Held | ArrayLike") -> None:
        """Write there; every rank calls, and writes what it has of it, so nothing is sent.

        Along axes of the layout the index has integers and slices, or is a mask. What stands
        there broadcasts to the shape that NumPy gives ``u[key]``; an array over nodes is
        written to all of the elements, or with ``np.copyto(u, v, where=mask)``.

        >>> from graycube.layout import Layout
        >>> u = LikeNumpy(np.zeros((2, 2)), Layout.mesh((4,), nodes=(2,)))
        >>> u[1:3] = [5, 7]
        >>> u[u == 0] = 1
        >>> u.blocks.tolist()
        [[1.0, 5.0], [7.0, 1.0]]
        """
        if isinstance(key, str):
            put(payload.field_of(self, key), ..., value)
        else:
            put(self, key, value)

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,  # noqa: FBT001 - NumPy's protocol
    ) -> Any:  # noqa: ANN401
        """The whole array, if it is in this process: always a copy."""
        if copy is False:
            raise InvalidValueError(
                "the blocks are those of all nodes",
                "the whole array is a copy of them",
                "use blocks, or allow a copy",
            )
        if spread(self.comm) is not None:
            raise not_unasked(_asking(), self.shape)
        whole = self.layout.gather(self.blocks)
        shares = np.may_share_memory(whole, self.blocks)
        return np.array(whole, dtype=dtype, copy=True if shares else None)

    def __array_ufunc__(
        self,
        ufunc: np.ufunc,
        method: str,
        *inputs: object,
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - NumPy's protocol: an array or NotImplemented
        """Elementwise operations, node by node."""
        token = entered()
        try:
            return applied(type(self), ufunc, method, inputs, options)
        finally:
            left(token)

    def __array_function__(
        self,
        function: Any,  # noqa: ANN401
        types: Any,  # noqa: ANN401
        args: Any,  # noqa: ANN401
        options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - NumPy's protocol
        """A row of the table of NumPy's functions, or an error."""
        for kind in types:
            if not issubclass(kind, _ARRAYS):
                return NotImplemented
        token = entered()
        try:
            return called(function, args, options)
        finally:
            left(token)


def _asking() -> str:
    """The library that asks for an array: NumPy, or the part of SciPy that the user called."""
    frame, found = sys._getframe(2), "numpy"  # noqa: SLF001
    while frame.f_back is not None:
        room, *parts = str(frame.f_globals.get("__name__")).split(".")
        if room not in {"numpy", "scipy"}:
            break
        if room == "scipy" and parts and not parts[0].startswith("_"):
            found = f"scipy.{parts[0]}"
        frame = frame.f_back
    return found


def _method(name: str) -> Any:  # noqa: ANN401
    """The function of NumPy's of this name, as a method."""
    function = getattr(np, name)

    def method(self: LikeNumpy, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        return function(self, *args, **options)

    method.__name__, method.__doc__ = name, f"``np.{name}(u, ...)``."
    return method


for _name in (
    "argsort",
    "choose",
    "diagonal",
    "dot",
    "repeat",
    "squeeze",
    "swapaxes",
    "take",
    "trace",
):
    setattr(LikeNumpy, _name, _method(_name))
for _name, _hint in NAMES.items():
    setattr(LikeNumpy, _name, NoSuchName(_name, _hint))
