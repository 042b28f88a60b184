"""Operations that work element by element, on the blocks that are here.

Operands are arrays of one layout, and numbers. Arrays that are not spread are refused: of which
node an element is, only a layout says.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.ranks import spread
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array

if TYPE_CHECKING:
    from graycube.array.cube_array import CubeArray


_SPREAD = "spread it first, with CubeArray.from_numpy(x, layout)"


def aligned(arrays: Sequence["CubeArray"]) -> list[NDArray[Any]]:
    """The blocks of arrays of one layout, with as many axes; payload is matched from the front.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x, y = (CubeArray.from_numpy(v, Layout.nodes(1)) for v in ([1, 2], [[3, 4], [5, 6]]))
    >>> [blocks.shape for blocks in aligned([x, y])]
    [(2, 1, 1), (2, 1, 2)]
    """
    for other in arrays[1:]:
        _require_alike(arrays[0], other)
    axes = max(x.blocks.ndim for x in arrays)
    return [x.blocks.reshape(*x.blocks.shape, *(1,) * (axes - x.blocks.ndim)) for x in arrays]


def where(
    condition: "CubeArray", x: "CubeArray | complex", y: "CubeArray | complex"
) -> "CubeArray":
    """Elements of x where the condition is true, else of y, as ``numpy.where``.

    Both are arrays of the layout of the condition, or numbers.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1, 2, 0], Layout.nodes(2, "gray"))
    >>> where(x > 1, x, -1).to_numpy()
    array([ 3, -1,  2, -1])
    """
    kind = type(condition)
    if not hasattr(condition, "with_blocks"):
        raise InvalidTypeError(
            f"the condition is a {kind.__name__}", "it must be a CubeArray", _SPREAD
        )
    first, *chosen = _operands(kind, [condition, x, y])
    return condition.with_blocks(np.where(first, *chosen))


def applied(
    kind: "type[CubeArray]",
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    options: Mapping[str, Any],
) -> Any:  # noqa: ANN401 - NumPy's protocol: an array or NotImplemented
    """What a ufunc gives for operands of which one is of a kind of arrays.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> x = CubeArray.from_numpy([3, 1], Layout.nodes(1))
    >>> applied(CubeArray, np.add, "__call__", (1, x), {}).to_numpy()
    array([4, 2])
    """
    outs: tuple[Any, ...] = options.get("out", ())
    if any(_has_its_own_way(kind, x) for x in (*inputs, *outs)):
        return NotImplemented
    _require_elementwise(ufunc, method)
    further = {name: value for name, value in options.items() if name != "out"}
    if not set(further) <= {"dtype", "casting"}:
        raise InvalidTypeError(
            f"numpy.{ufunc.__name__} is given {', '.join(map(repr, further))}",
            "elementwise operations take 'out', 'dtype' and 'casting'",
            "work on the blocks, and use with_blocks",
        )
    for out in outs:
        if not isinstance(out, kind):
            raise InvalidTypeError(
                f"the result is to go to a {type(out).__name__}",
                "what comes of arrays over nodes is one too",
                "give it a new name, or gather it with to_numpy()",
            )
    blocks = _operands(kind, [*inputs, *outs])
    if not outs:
        like = next(x for x in inputs if isinstance(x, kind))
        return like.with_blocks(ufunc(*blocks, **further))
    (out,) = outs
    ufunc(*blocks[:-1], out=out.blocks, **further)
    return out


def _has_its_own_way(kind: "type[CubeArray]", x: object) -> bool:
    """Whether NumPy asks something else than us or itself what to do."""
    way = getattr(type(x), "__array_ufunc__", None)
    return way not in {None, np.ndarray.__array_ufunc__, kind.__array_ufunc__}


def _require_elementwise(ufunc: np.ufunc, method: str) -> None:
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    if method != "__call__" or ufunc.signature is not None:
        raise InvalidTypeError(
            f"{name} is no operation on single elements",
            "it would mix blocks of nodes",
            "use the methods of CubeArray, or work on its blocks",
        )
    if ufunc.nout != 1:
        raise InvalidTypeError(
            f"{name} has {ufunc.nout} results",
            "elementwise operations have one",
            "call a function for each of them",
        )


def _operands(kind: "type[CubeArray]", given: Sequence[object]) -> list[Any]:
    """The blocks of arrays of one layout, and numbers."""
    ours = iter(aligned([x for x in given if isinstance(x, kind)]))
    return [next(ours) if isinstance(x, kind) else _number(x) for x in given]


def _number(x: object) -> object:
    """A number as it is, so that NumPy knows a Python one; or an array without axes."""
    array = host_array(x)
    if array.ndim:
        raise InvalidTypeError(
            f"got a {type(x).__name__} of shape {array.shape}",
            "elementwise operations take CubeArrays of one layout, and numbers",
            _SPREAD,
        )
    return x if isinstance(x, bool | int | float | complex | np.generic) else array


def _require_alike(first: "CubeArray", other: "CubeArray") -> None:
    if other.layout != first.layout:
        raise InvalidValueError(
            f"the layouts are {first.layout} and {other.layout}",
            "elementwise operations need the same layout",
            "call relayout on one of the arrays",
        )
    if spread(other.comm) != spread(first.comm):
        raise InvalidValueError(
            "the arrays have different communicators",
            "elementwise operations need the same rank for each node",
            "make both on one communicator",
        )
