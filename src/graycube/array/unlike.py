"""Operands that cannot meet: what the error says of them, and which lines make them meet.

Rules.

1. Operands are ``first``, ``second`` and so on, as they stand in the call; what is written to,
   and is none of them, is ``target``. So a hint is a line of Python.
2. A hint names what works for these shapes and nodes. Where nothing does, it says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.ranks import spread
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError

_Operand = Held | NDArray[Any]
_Shape = tuple[int, ...]
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NOTHING = "no relayout makes them fit: look at how they were made"


def unlike(operands: Sequence[_Operand], onto: Held | None = None) -> GraycubeError:
    """The error for operands that do not align, the last of which may be written to.

    >>> from graycube.layout import Layout
    >>> layouts = Layout.consecutive(2, 1), Layout.cyclic(2, 1)
    >>> print(unlike([Held(np.zeros((2, 2)), layout) for layout in layouts]))
    first has shape (4,) in the layout (b0 || b1) and second (4,) in (b1 || b0): elements meet
    on the nodes where they are; use second.relayout(first.layout)
    """
    names = _named(operands, onto)
    ours = {name: x for name, x in names.items() if isinstance(x, Held)}
    plain = {name: x for name, x in names.items() if not isinstance(x, Held)}
    most = max(len(x.payload) for x in ours.values())
    large = next((name for name, x in plain.items() if x.ndim > most), None)
    if large is not None:
        return _plain(large, plain[large], ours)
    target = None if onto is None else next(name for name, x in ours.items() if x is onto)
    found = _joined(f"{name} has shape {x.shape}" for name, x in names.items())
    whole = broadcast(*(x.layout.shape for x in ours.values()))
    if whole is None:
        return InvalidValueError(
            found,
            "axes of layouts align from the last one back, with equal lengths or length 1",
            _kept(ours),
        )
    payload = broadcast(*_payloads(names).values())
    if payload is None:
        alike = len({len(own) for own in _payloads(names).values()}) == 1
        given = "for all pairs of components " if alike else ""
        return InvalidValueError(
            found,
            f"what follows the {len(whole)} axes of the layout is payload, and aligns from the "
            "last axis back",
            next((f"{given}use {way}" for way in _widened(names)), _NOTHING),
        )
    if onto is not None and onto.shape != (*whole, *payload):
        return InvalidValueError(
            found,
            f"the result does not fit in shape {onto.shape}",
            "give it a name of its own, as in w = u + v",
        )
    return InvalidValueError(
        _joined(
            f"{name} has shape {x.shape} in the layout {x.layout}" for name, x in ours.items()
        ),
        "elements meet on the nodes where they are",
        _moved(ours, target, whole),
    )


def either(
    operands: Sequence[_Operand], onto: Held | None, thin: Sequence[Held]
) -> GraycubeError:
    """The error for arrays whose axes of length 1 are payload, or stand for axes of a layout.

    >>> from graycube.layout import Layout
    >>> line = Held(np.zeros((2, 2, 1)), Layout.cyclic(2, 1))
    >>> print(either([line], None, [line]))
    first has shape (4, 1): the 1 may be payload, which u[..., None] has too, or an axis that
    was summed away; make first with keepdims=True
    """
    names = _named(operands, onto)
    chosen = {name: x for name, x in names.items() if any(x is one for one in thin)}
    return InvalidValueError(
        _joined(f"{name} has shape {x.shape}" for name, x in chosen.items()),
        "the 1 may be payload, which u[..., None] has too, or an axis that was summed away",
        f"make {' and '.join(chosen)} with keepdims=True",
    )


def _named(operands: Sequence[_Operand], onto: Held | None) -> dict[str, _Operand]:
    """The operands by their names, each of them once."""
    names: dict[str, _Operand] = {}
    for k, x in enumerate(operands):
        if x is onto and k == len(operands) - 1:
            if not any(x is other for other in names.values()):
                names["target"] = x
        else:
            names[_ORDINALS[k]] = x
    return names


def _payloads(names: dict[str, _Operand]) -> dict[str, _Shape]:
    return {n: x.payload if isinstance(x, Held) else x.shape for n, x in names.items()}


@lru_cache(maxsize=64)  # to find it takes longer than a small sum
def broadcast(*shapes: _Shape) -> _Shape | None:
    """The shape of all arrays of such shapes together, if they broadcast.

    >>> broadcast((3, 1), (4,)), broadcast((3,), (4,))
    ((3, 4), None)
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def _joined(parts: Iterable[str]) -> str:
    """Clauses that begin alike, as one sentence."""
    first, *others = parts
    said = [part.replace(" has shape", "").replace(" in the layout", " in") for part in others]
    return " and ".join([", ".join([first, *said[:-1]]), *said[-1:]])


# Layouts


def _moved(ours: dict[str, Held], target: str | None, whole: _Shape) -> str:
    """Which relayouts bring all arrays to the layout of one, or to one made for them."""
    full = [name for name, x in ours.items() if x.layout.shape == whole]
    base = target if target in full else next(iter(full), None)
    if base is None:
        count = next(iter(ours.values())).layout.node_count
        longest = whole.index(max(whole))
        nodes = tuple(count if k == longest else 1 for k in range(len(whole)))
        start, layout = f"with layout = gc.Layout.mesh({whole}, {nodes}) use ", "layout"
        others = ours
    else:
        start, layout = "use ", f"{base}.layout"
        known = ours[base].layout
        others = {name: x for name, x in ours.items() if name != base and x.layout != known}
    return start + " and ".join(
        _brought(name, x, layout + thinned(x.layout.shape, whole), ours[base or name])
        for name, x in others.items()
    )


def _brought(name: str, x: Held, layout: str, base: Held) -> str:
    if x.layout.node_count == base.layout.node_count:
        return f"{name}.relayout({layout})"
    return f"gc.CubeArray.from_numpy({name}.to_numpy(), {layout})"


def thinned(shape: _Shape, whole: _Shape) -> str:
    """How a layout of the whole becomes one of a shape that broadcasts to it, as Python.

    >>> thinned((5,), (3, 4, 5)), thinned((4, 1), (4, 5)), thinned((4, 5), (4, 5))
    ('.without_axes((0, 1))', '.without_axes((1,), keepdims=True)', '')
    """
    gone = len(whole) - len(shape)
    text = f".without_axes({tuple(range(gone))})" if gone else ""
    ones = tuple(k for k, length in enumerate(shape) if length != whole[gone + k])
    return text + (f".without_axes({ones}, keepdims=True)" if ones else "")


def _kept(ours: dict[str, Held]) -> str:
    """Which arrays would fit if axes that were summed away had stayed, with length 1."""
    shapes = {name: x.layout.shape for name, x in ours.items()}
    most = max(map(len, shapes.values()))
    usual = {name: (1,) * (most - len(shape)) + shape for name, shape in shapes.items()}
    for stretched in product(*(_stretched(shape, most) for shape in shapes.values())):
        if broadcast(*stretched) is not None:
            pairs = zip(usual.items(), stretched, strict=True)
            changed = [name for (name, shape), other in pairs if shape != other]
            return f"make {' and '.join(changed)} with keepdims=True"
    return _NOTHING


def _stretched(shape: _Shape, count: int) -> Iterator[_Shape]:
    """The shape with axes of length 1 in all places."""
    for places in combinations(range(count), len(shape)):
        lengths = dict(zip(places, shape, strict=True))
        yield tuple(lengths.get(k, 1) for k in range(count))


# Payload


def _widened(names: dict[str, _Operand]) -> Iterator[str]:
    """Each operand that fits with axes of length 1 after its own, with the index for them."""
    payloads = _payloads(names)
    for name, own in payloads.items():
        others = [payload for other, payload in payloads.items() if other != name]
        index = _ones(own, others)
        if index and name != "target":
            yield f"{name}{index}"


def _ones(own: _Shape, others: Sequence[_Shape], least: int = 1) -> str | None:
    """The index that puts axes of length 1 behind a payload, so that it fits others."""
    for more in range(least, max(map(len, others)) + 1):
        if broadcast(own + (1,) * more, *others) is not None:
            return f"[{', '.join(['...', *['None'] * more])}]"
    return None


def _plain(name: str, x: NDArray[Any], ours: dict[str, Held]) -> InvalidTypeError:
    """A plain array with more axes than the payload: it is to be spread, or is components."""
    base, like = max(ours.items(), key=lambda pair: (pair[1].ndim, pair[1].layout.size))
    d = len(like.layout.shape)
    spread_as = None
    if x.shape[:d] == like.layout.shape:
        spread_as = x.shape[:d]
    elif x.ndim <= like.ndim and broadcast(x.shape, like.shape) == like.shape:
        spread_as = x.shape[: x.ndim - len(like.payload)]
    if spread_as is not None:
        layout = f"{base}.layout{thinned(spread_as, like.layout.shape)}"
        comm = "" if spread(like.comm) is None else f", {base}.comm"
        hint = f"use gc.CubeArray.from_numpy({name}, {layout}{comm})"
    else:
        index = _ones(like.payload, [x.shape], x.ndim - len(like.payload))
        hint = f"if it has components, use {base}{index}" if index else _NOTHING
    return InvalidTypeError(
        f"{name} is a plain array of shape {x.shape}, beside {base} of shape {like.shape}",
        f"plain arrays align with the payload, which has the shape {like.payload}",
        hint,
    )
