"""Operations that work element by element, on the blocks that are here.

Rules.

1. Axes of layouts align with axes of layouts, from the last one back. Payload aligns with
   payload, from the last axis back, as NumPy has it. Plain arrays are payload.
2. Operands have one layout, or that of what is left of it when axes are summed away. There
   every node has what it needs, and nothing is sent.
3. Errors name shapes of whole arrays.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.ranks import spread
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.host import host_array
from graycube.layout.placement import Placement

_H = TypeVar("_H", bound=Held)
_SPREAD = "spread it first, with CubeArray.from_numpy(x, layout)"
_KEPT = 64  # pairs of layouts that were compared
_NUMBERS = (bool, int, float, complex, np.generic)


@dataclass(frozen=True, slots=True)
class Aligned:
    """Operands that NumPy can broadcast: the nodes, the digits of slots, the payload.

    >>> from graycube.layout import Layout
    >>> x = Held(np.zeros((2, 4, 3)), Layout.mesh((4, 2), nodes=(2, 1)))
    >>> mean = Held(np.zeros((2, 2, 3)), x.layout.without_axes([1], keepdims=True))
    >>> [array.shape for array in aligned([x, mean]).arrays]
    [(2, 2, 2, 3), (2, 2, 1, 3)]
    """

    like: Held
    lead: tuple[int, ...]
    arrays: list[NDArray[Any]]

    def blocks(self, made: NDArray[Any]) -> NDArray[Any]:
        """What NumPy made of the arrays, as blocks."""
        nodes, slots = self.like.blocks.shape[:2]
        return made.reshape(nodes, slots, *made.shape[len(self.lead) :])


def aligned(operands: Sequence[Held | NDArray[Any]]) -> Aligned:
    """Arrays of one layout, those that are left of it without some axes, and plain payload."""
    ours = [x for x in operands if isinstance(x, Held)]
    first = ours[0]
    if len(ours) == len(operands) and all(_same_kind(x, first) for x in ours):
        return Aligned(first, first.blocks.shape[:2], [x.blocks for x in ours])
    like = max(ours, key=_reach)
    for x in ours:
        require_same_ranks(like, x)
    gone = {id(x): _gone(x.layout, like.layout) for x in ours if x.layout != like.layout}
    lead = like.blocks.shape[:2]
    if gone:
        lead = (lead[0], *(length for _, length in like.layout.digits_on(like.nodes)))
    axes = max(len(x.payload) for x in ours)
    arrays = [
        _raised(x.blocks, _lead(like, lead, gone.get(id(x), ())), 2, axes)
        if isinstance(x, Held)
        else _raised(_plain(x, ours), (1,) * len(lead), 0, axes)
        for x in operands
    ]
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = [x.shape for x in operands]
        raise InvalidValueError(
            f"the arrays have shapes {' and '.join(map(str, shapes))}",
            f"what follows the {len(like.layout.shape)} axes of the layout is payload, and "
            "aligns from the last axis back",
            "index one of them, as in u[..., None]",
        ) from None
    return Aligned(like, lead, arrays)


def _reach(x: Held) -> tuple[int, int, int]:
    """What is most of the operand that the others are parts of."""
    return len(x.layout.shape), x.layout.size, -x.layout.copy_count


def applied(
    kind: type[_H],
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[object],
    options: Mapping[str, Any],
) -> Any:  # noqa: ANN401 - NumPy's protocol: an array or NotImplemented
    """What a ufunc gives for operands of which one is of a kind of arrays.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[3], [1]]), Layout.nodes(1))
    >>> applied(Held, np.add, "__call__", (1, x), {}).blocks.tolist()
    [[4], [2]]
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
            "use np.where for what is done in some places only",
        )
    return element_by_element(ufunc, inputs, further, *outs)


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
    given: dict[Any, Any] = {**dict(enumerate(operands)), **options}
    arrays = {k: v for k, v in ((k, _operand(v)) for k, v in given.items()) if v is not None}
    outs = [] if out is None else [_require_out(out)]
    found = aligned([*arrays.values(), *outs])
    given |= dict(zip(arrays, found.arrays, strict=False))
    positional = [given.pop(k) for k in range(len(operands))]
    if not outs:
        return found.like.with_blocks(found.blocks(function(*positional, **given)))
    (target,), view = outs, found.arrays[-1]
    if np.broadcast_shapes(*(a.shape for a in found.arrays)) != view.shape:
        shapes = " and ".join(str(x.shape) for x in arrays.values())
        raise InvalidValueError(
            f"the arrays have shapes {shapes}",
            f"the result does not fit in shape {target.shape}",
            "give it a new name",
        )
    if isinstance(function, np.ufunc) and np.may_share_memory(view, target.blocks):
        function(*positional, out=view, **given)
    else:
        casting = options.get("casting", "same_kind")
        np.copyto(target.blocks, found.blocks(function(*positional, **given)), casting=casting)
    return target


def _require_out(out: object) -> Held:
    if not isinstance(out, Held):
        raise InvalidTypeError(
            f"the result is to go to a {type(out).__name__}",
            "what comes of arrays over nodes is one too",
            "give it a new name, or gather it with to_numpy()",
        )
    return out


def _same_kind(x: Held, first: Held) -> bool:
    """Whether arrays have one layout, communicator and payload, seen at a glance."""
    same = x.layout is first.layout and x.comm is first.comm
    return same and x.blocks.shape == first.blocks.shape


def _raised(array: NDArray[Any], lead: tuple[int, ...], used: int, axes: int) -> NDArray[Any]:
    """The array with other axes before its payload, which is given so many axes."""
    payload = array.shape[used:]
    return array.reshape(*lead, *(1,) * (axes - len(payload)), *payload)


def _lead(like: Held, lead: tuple[int, ...], gone: Sequence[int]) -> tuple[int, ...]:
    """Nodes and digits of the slots, without those of some axes."""
    if not gone:
        return lead
    digits = (
        (1 if axis in gone else length) for axis, length in like.layout.digits_on(like.nodes)
    )
    return (lead[0], *digits)


@lru_cache(maxsize=_KEPT)
def _gone(part: Placement, whole: Placement) -> tuple[int, ...]:
    """Which axes of the whole are summed away in a part of it."""
    raised = part.raised(len(whole.shape) - len(part.shape))
    pairs = [*enumerate(zip(raised.axes, whole.axes, strict=True))]
    gone = tuple(k for k, (a, b) in pairs if a.length == 1 and a != b)
    if any(a.length != b.length for k, (a, b) in pairs if k not in gone):
        raise InvalidValueError(
            f"the layouts are of arrays of shape {part.shape} and {whole.shape}",
            "they must be alike, but for axes of length 1",
            "axes align from the last one back: use keepdims=True where others are summed",
        )
    wanted = whole.without_axes(gone, keepdims=True) if gone else whole
    if raised != wanted:
        raise InvalidValueError(
            f"the layouts are {part} and {whole}",
            "elementwise operations need the same layout"
            + (", or what without_axes leaves of it" if gone else ""),
            "call relayout on one of the arrays",
        )
    return gone


def _operand(x: object) -> Held | NDArray[Any] | None:
    """What is to be aligned; None for numbers and for options that are no arrays."""
    if isinstance(x, Held):
        return x
    if x is None or isinstance(x, (*_NUMBERS, str, type, np.dtype)):
        return None
    array = host_array(x)
    return array if array.ndim else None


def _plain(x: NDArray[Any], ours: Iterable[Held]) -> NDArray[Any]:
    """A plain array, if it has no more axes than the payload."""
    largest = max(ours, key=lambda each: len(each.payload))
    if x.ndim > len(largest.payload):
        raise InvalidTypeError(
            f"got a {type(x).__name__} of shape {x.shape} beside a CubeArray of shape "
            f"{largest.shape}",
            "a plain array aligns with the payload, which has the shape "
            f"{largest.payload or '() here'}",
            _SPREAD,
        )
    return x


def _has_its_own_way(kind: type[Held], x: object) -> bool:
    """Whether NumPy asks something else than us or itself what to do."""
    way = getattr(type(x), "__array_ufunc__", None)
    own = getattr(kind, "__array_ufunc__", None)
    return way not in {None, np.ndarray.__array_ufunc__, own}


def _require_elementwise(ufunc: np.ufunc, method: str) -> None:
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    if method != "__call__" or ufunc.signature is not None:
        raise InvalidTypeError(
            f"{name} is no operation on single elements",
            "it would mix blocks of nodes",
            "use sum, prod and the like, np.einsum over the payload, or to_numpy()",
        )
    if ufunc.nout != 1:
        raise InvalidTypeError(
            f"{name} has {ufunc.nout} results",
            "elementwise operations have one",
            "call a function for each of them",
        )


def require_same_ranks(first: Held, other: Held) -> None:
    """Refuse arrays of different communicators.

    >>> from graycube.layout import Layout
    >>> a = Held(np.zeros((2, 1)), Layout.nodes(1))
    >>> require_same_ranks(a, a)
    """
    if spread(other.comm) != spread(first.comm):
        raise InvalidValueError(
            "the arrays have different communicators",
            "elementwise operations need the same rank for each node",
            "make both on one communicator",
        )
