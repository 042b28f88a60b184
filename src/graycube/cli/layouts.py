"""Layouts as people type them: ``gray``, ``binary-cyclic``, or one that graycube printed."""

from collections.abc import Sequence
from typing import cast

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.layout.layout import require_cube
from graycube.layout.mesh import Allocation, CodeName

_CODES, _ALLOCATIONS = ("binary", "gray"), ("consecutive", "cyclic")


def read_layout(
    text: str, dims: int | None, shape: Sequence[int] | None, nodes: Sequence[int] | None
) -> gc.Layout:
    """The layout of a text.

    A word such as ``gray`` or ``binary-cyclic`` is for all axes, or there is one for each, with
    commas between. Without a shape it is one block of any size on each of 2^dims nodes.

    >>> print(read_layout("gray", 3, None, None))
    (|| b2 g1 g0)
    >>> print(read_layout("gray,binary-cyclic", None, (8, 8), (4, 2)))
    (b0:0 b1:2 b1:1 || b0:2 g0:1 b1:0)
    >>> read_layout("(b2 || g1 g0)", None, None, None).n
    2
    """
    if nodes is not None and shape is None:
        raise InvalidValueError(
            f"--nodes {'x'.join(map(str, nodes))} is given without --shape",
            "it says how the axes of an array are divided",
            "add --shape 64x32, or say --dims 6 instead",
        )
    if "||" in text:
        return _fitting(gc.Layout.parse(text), text, dims, shape)
    codes, allocations = zip(*(_word(word) for word in text.lower().split(",")), strict=True)
    if shape is None:
        if dims is None or len(codes) > 1:
            raise _unclear(text)
        return gc.Layout.nodes(dims, codes[0])
    if nodes is None and len(shape) == 1 and dims is not None:
        nodes = (1 << dims,)
    if nodes is None or len(codes) not in (1, len(shape)):
        raise _unclear(text)
    every = len(shape) // len(codes)
    layout = gc.Layout.mesh(
        shape, nodes, code=every * codes, allocation=every * allocations, ownership=False
    )
    return _fitting(require_cube(layout, "a plan"), text, dims, shape)


def _word(word: str) -> tuple[CodeName, Allocation]:
    code, dash, allocation = word.strip().partition("-")
    if code not in _CODES or (dash and allocation not in _ALLOCATIONS):
        raise InvalidValueError(
            f"the layout is {word!r:.60}",
            "it is gray or binary, perhaps with -consecutive or -cyclic, one for each axis",
            "or give one as graycube prints it, such as '(b3 b2 || b1 g0)'",
        )
    return cast("CodeName", code), cast("Allocation", allocation or "consecutive")


def _fitting(
    layout: gc.Layout, text: str, dims: int | None, shape: Sequence[int] | None
) -> gc.Layout:
    if dims not in (None, layout.n) or (shape and tuple(shape) != layout.shape):
        raise InvalidValueError(
            f"{text!r:.60} has shape {layout.shape} on 2^{layout.n} nodes",
            f"the options say {'x'.join(map(str, shape or layout.shape))} on "
            f"2^{layout.n if dims is None else dims}",
            "leave the options out, or make them fit",
        )
    return layout


def _unclear(text: str) -> InvalidValueError:
    return InvalidValueError(
        f"the layout is {text!r:.60}",
        "a word needs the number of nodes, and one word for all axes or one for each",
        "add --dims 6, or --shape 64x32 --nodes 8x4",
    )
