"""Operations that work element by element, on the blocks that are here."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.aligning import aligned, same_kind
from graycube.array.held import Held
from graycube.array.results import made_of
from graycube.array.unlike import unlike
from graycube.errors import InvalidTypeError
from graycube.host import host_array
from graycube.warned import as_written

_H = TypeVar("_H", bound=Held)
PLAIN_NUMBERS = {bool, int, float, complex, np.float64}
_PLAIN = (bool, int, float, complex, np.generic, str, type, np.dtype)


def at_once(kind: type[Held], ufunc: np.ufunc, inputs: Sequence[object]) -> Any:  # noqa: ANN401
    """What most operations give: those of arrays that are alike, and of plain numbers.

    To look at types alone saves a tenth of what an operation takes beyond NumPy's.

    >>> from graycube.layout import Layout
    >>> at_once(Held, np.add, (1, Held(np.array([[3], [1]]), Layout.nodes(1)))).blocks.tolist()
    [[4], [2]]
    """
    like: Held | None = None
    values: list[Any] = []
    for x in inputs:
        if type(x) is kind:
            if like is None:
                like = x
            elif not same_kind(x, like):
                return None
            values.append(x.blocks)
        elif type(x) in PLAIN_NUMBERS:
            values.append(x)
        else:
            return None
    return None if like is None else _each(like.with_blocks, made_of(ufunc, values, {}))


def element_by_element(
    function: Callable[..., Any],
    operands: Sequence[object],
    options: Mapping[str, Any],
    out: object = None,
) -> Any:  # noqa: ANN401 - an array of the kind of the first one
    """A function of NumPy's on every element; ``options`` that are arrays align as well.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[3], [1]]), Layout.nodes(1))
    >>> element_by_element(np.isclose, [x, 1], {"atol": 1}).blocks.tolist()
    [[False], [True]]
    """
    like = _at_a_glance((*operands, *options.values(), out))
    if like is not None and (out is None or _writes(function)):
        values = [_blocks(x) for x in operands]
        named = {k: _blocks(v) for k, v in options.items()} if options else options
        if isinstance(out, Held):
            function(*values, out=out.blocks, **named)
            return out
        return _each(like.with_blocks, made_of(function, values, named))
    given: dict[Any, Any] = {**dict(enumerate(operands)), **options}
    arrays = {k: v for k, v in ((k, _operand(v)) for k, v in given.items()) if v is not None}
    target = None if out is None else _require_out(out)
    found = aligned([*arrays.values(), *([] if target is None else [target])], target)
    given |= dict(zip(arrays, found.arrays, strict=False))
    positional = [given.pop(k) for k in range(len(operands))]
    if target is None:
        return _each(found.result, made_of(function, positional, given, len(found.lead)))
    view = found.arrays[-1]
    if np.broadcast_shapes(*(a.shape for a in found.arrays)) != view.shape:
        raise unlike([*arrays.values(), target], target)
    if _writes(function):
        function(*positional, out=view, **given)
    else:
        np.copyto(view, function(*positional, **given))
    return target


def _each(array_of: Callable[[NDArray[Any]], Any], made: Any) -> Any:  # noqa: ANN401
    """An array of what NumPy made, or of each of its results."""
    return (*map(array_of, made),) if isinstance(made, tuple) else array_of(made)


def assigned(
    x: Any,  # noqa: ANN401 - as NumPy's
    *,
    where: Any = True,  # noqa: ANN401
    casting: Any = "same_kind",  # noqa: ANN401
    out: NDArray[Any],
) -> NDArray[Any]:
    """``numpy.copyto`` in the form of a ufunc.

    >>> assigned(1, where=np.array([True, False]), out=np.zeros(2))
    array([1., 0.])
    """
    np.copyto(out, as_written(x, out.dtype) if casting == "unsafe" else x, casting, where)
    return out


def _writes(function: Callable[..., Any]) -> bool:
    """Whether a function writes into what it is given as ``out``."""
    return isinstance(function, np.ufunc) or function is assigned


def where(condition: _H, x: object, y: object) -> _H:
    """Elements of x where the condition is true, else of y, as ``numpy.where``.

    Both are arrays of the layout of the condition, or numbers.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1, 2, 0], Layout.nodes(2, "gray"))
    >>> where(x > 1, x, -1).to_numpy()
    array([ 3, -1,  2, -1])
    """
    if not isinstance(condition, Held):
        raise InvalidTypeError(
            f"the condition is a {type(condition).__name__}",
            "it must be a CubeArray",
            "spread it first, with CubeArray.from_numpy(x, layout)",
        )
    found: _H = element_by_element(np.where, [condition, x, y], {})
    return found


def _at_a_glance(values: Sequence[object]) -> Held | None:
    """An array that all others are like, so that NumPy can take all blocks as they are."""
    like: Held | None = None
    for x in values:
        if isinstance(x, Held):
            if like is None:
                like = x
            elif not same_kind(x, like):
                return None
        elif not (x is None or isinstance(x, _PLAIN)):
            return None
    return like


def _blocks(x: object) -> Any:  # noqa: ANN401 - what is no array stays as it is
    return x.blocks if isinstance(x, Held) else x


def _require_out(out: object) -> Held:
    if not isinstance(out, Held):
        raise InvalidTypeError(
            f"out is a {type(out).__name__}",
            "the result is spread over the nodes, so out must be a CubeArray",
            "call it without out=, or gather the result with to_numpy()",
        )
    return out


def _operand(x: object) -> Held | NDArray[Any] | None:
    """What is to be aligned; None for numbers and for options that are no arrays."""
    if isinstance(x, Held):
        return x
    if x is None or isinstance(x, _PLAIN):
        return None
    array = host_array(x)
    return array if array.ndim else None
