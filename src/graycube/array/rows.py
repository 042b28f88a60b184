"""How functions of NumPy's become rows of the table: each kind has one rule."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from graycube.array.elementwise import element_by_element
from graycube.array.held import Held
from graycube.array.indexed import parts
from graycube.array.instead import instead_of
from graycube.errors import InvalidTypeError
from graycube.layout.required import require_axis

Function = Callable[..., Any]


class Kind(Enum):
    """What a function does with the layout, and what it sends."""

    ELEMENTWISE = "works element by element, and keeps the layout"
    REDUCES = "reduces axes, and leaves the result where it comes about"
    PAYLOAD = "works on the payload, and sends nothing"
    QUERY = "says something of the array"
    SCANS = "combines all elements up to each one, and keeps the layout"
    MOVES = "sends elements where they belong"
    TRANSFORMS = "transforms, and the result carries its layout"


@dataclass(frozen=True, slots=True)
class Row:
    """A function of NumPy's: its kind, and what is called with the same arguments."""

    kind: Kind
    call: Function


def name_of(function: Function) -> str:
    """The name by which users call a function.

    >>> name_of(np.fft.fft)
    'numpy.fft.fft'
    """
    return f"{function.__module__}.{function.__name__}"


def refused(function: Function) -> InvalidTypeError:
    """The error for a function that does not work where the elements are.

    >>> print(refused(np.kron).found)
    numpy.kron is given a CubeArray
    """
    return InvalidTypeError(
        f"{name_of(function)} is given a CubeArray",
        "it is not among the functions that work where the elements are",
        instead_of(function),
    )


def _given(
    function: Function, args: Sequence[Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments by their names, without those that say nothing; NumPy looked at them."""
    given = {**dict(zip(_names(function), args, strict=False)), **options}
    return {k: v for k, v in given.items() if v is not None or k not in {"out", "shape"}}


@cache
def _names(function: Function) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def elementwise(function: Function) -> Row:
    """Aligned, and carried out on the blocks.

    >>> elementwise(np.clip).kind.name
    'ELEMENTWISE'
    """

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        given = _given(function, args, options)
        out = given.pop("out", None)
        if "shape" in given:
            raise InvalidTypeError(
                f"{name_of(function)} is given a shape",
                "what is like an array has its layout, and so its shape",
                "use CubeArray.from_function with another layout",
            )
        return element_by_element(function, (), given, out)

    return Row(Kind.ELEMENTWISE, call)


_OURS = {"a", "monoid", "of", "whole", "numbers"}
"""What is no argument of NumPy's."""


def reduction(function: Function, make: Function, kind: Kind = Kind.REDUCES) -> Row:
    """NumPy's arguments by name, to what is called in the same way.

    >>> reduction(np.tile, parts.tile, Kind.MOVES).kind.name
    'MOVES'
    """
    known = {*inspect.signature(make).parameters}

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        given = _given(function, args, options)
        a = given.pop(_names(function)[0])
        named = {k: v for k, v in given.items() if not (k == "where" and v is True)}
        if extra := {*named} - known:
            raise InvalidTypeError(
                f"{name_of(function)} is given {', '.join(sorted(extra))}",
                f"over nodes it takes {', '.join(sorted(known - _OURS))}",
                "leave it out, or work on u.local, what is here",
            )
        return make(_array(a, function), **named)

    return Row(kind, call)


def _array(a: object, function: Function) -> Held:
    if not isinstance(a, Held):
        raise InvalidTypeError(
            f"{name_of(function)} is given a {type(a).__name__} first",
            "the array that is reduced must be a CubeArray",
            "spread it first, with CubeArray.from_numpy(x, layout)",
        )
    return a


def of_two(function: Function, make: Function) -> Row:
    """A number that two arrays give; either may be a plain one.

    >>> of_two(np.allclose, lambda a, b: a is b).call(1, 1)
    True
    """

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        return make(**_given(function, args, options))

    return Row(Kind.REDUCES, call)


def looked_up(function: Function, name: str) -> Row:
    """What plain arrays, which every rank has, say of each element.

    >>> looked_up(np.isin, "element").kind.name
    'ELEMENTWISE'
    """

    def call(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        given = _given(function, args, options)
        a = given.pop(name)
        if not isinstance(a, Held) or any(isinstance(x, Held) for x in given.values()):
            raise InvalidTypeError(
                f"{name_of(function)} is given a {type(a).__name__} as {name}",
                f"{name} alone is over nodes: the rest is plain, and every rank has it",
                "make the others plain arrays, with to_numpy()",
            )
        return a.with_blocks(function(**given, **{name: a.blocks}))

    return Row(Kind.ELEMENTWISE, call)


def on_diagonal(function: Function, axes: tuple[int, int] | None = None) -> Row:
    """Of matrices that are payload; others have no diagonal where the elements are.

    >>> on_diagonal(np.trace).kind.name
    'PAYLOAD'
    """

    def call(a: Held, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:  # noqa: ANN401
        places = [2 + require_axis(k, a.ndim) for k in axes or (axis1, axis2)]
        one, other = (place - len(a.layout.shape) for place in places)
        if min(one, other) < 2:
            raise refused(function)
        return a.with_blocks(function(a.blocks, offset, one, other))

    return Row(Kind.PAYLOAD, call)


def split_along(axis: Callable[[int], int]) -> Row:
    """Parts along an axis that depends on how many there are.

    >>> split_along(lambda ndim: int(ndim > 1)).kind.name
    'MOVES'
    """

    def call(ary: Held, indices_or_sections: Any) -> list[Any]:  # noqa: ANN401
        return parts.parted(ary, indices_or_sections, axis(ary.ndim))

    return Row(Kind.MOVES, call)


def of_dtypes(function: Function) -> Row:
    """Asked about the dtypes alone.

    >>> of_dtypes(np.result_type).call(np.float32(1), 2)
    dtype('float32')
    """

    def call(*args: Any) -> Any:  # noqa: ANN401
        return function(*(np.empty((1,), a.dtype) if isinstance(a, Held) else a for a in args))

    return Row(Kind.QUERY, call)


def of_blocks(function: Function) -> Row:
    """Asked about the memory that is here.

    >>> of_blocks(np.shares_memory).kind.name
    'QUERY'
    """

    def call(*args: Any) -> Any:  # noqa: ANN401
        return function(*(a.blocks if isinstance(a, Held) else a for a in args))

    return Row(Kind.QUERY, call)
