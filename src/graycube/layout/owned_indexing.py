"""Where each element is in a layout by ownership: its node, and its place in the box there.

Rules. The lowest node that has an element is told, and any that has it is taken. A slot is the
place in the box of the node, in C order. Integers, or integer arrays that broadcast.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from graycube.errors import OutOfRangeError
from graycube.gf2 import gray_inverse
from graycube.layout.indexing import checked, coordinates_of
from graycube.layout.share import SharedAxis

Number: TypeAlias = Any


def locate(axes: Sequence[SharedAxis], index: Sequence[Number]) -> tuple[Number, Number]:
    """Node and slot of a flat index or of one coordinate per axis.

    >>> locate([SharedAxis(9, 2), SharedAxis(4)], [8, 3])
    (1, 15)
    """
    node = slot = 0
    for axis, i in zip(axes, coordinates_of(axes, index), strict=True):
        part, within = _split(axis, i)
        node = node + axis.place(i)
        slot = slot * _held(axis, part) + within
    return node, slot


def coordinates(
    axes: Sequence[SharedAxis], nodes: int, node: Number, slot: Number
) -> tuple[Number, ...]:
    """One coordinate per axis of what is in a slot of a node.

    >>> coordinates([SharedAxis(9, 2), SharedAxis(4)], 2, 1, 15)
    (8, 3)
    """
    size = prod(axis.length for axis in axes)
    node, slot = checked(
        [
            (node, nodes, "node", f"there are {nodes} nodes"),
            (slot, size, "slot", f"the array has {size} elements"),
        ],
        size * nodes,
    )
    backwards, rest, none = [], slot, False
    for axis in reversed(axes):
        digit = node // axis.stride % axis.parts
        part = gray_inverse(digit) if axis.gray else digit
        held = _held(axis, part)
        none = none | (held == 0)
        some = held + (held == 0)
        rest, within = rest // some, rest % some
        steps = (1, axis.parts) if axis.cyclic else (axis.block, 1)
        backwards.append(part * steps[0] + within * steps[1])
    if np.any(none) or np.any(rest):
        raise OutOfRangeError(
            f"slot is {np.max(slot)}",
            "a node of this layout has fewer elements",
            "layout.piece(range(node, node + 1)).shape says how many",
        )
    found = backwards[::-1]
    return tuple(found if isinstance(slot, np.ndarray) else map(int, found))


def _split(axis: SharedAxis, i: Number) -> tuple[Number, Number]:
    """The part that has a coordinate, and how many it has before."""
    if axis.cyclic:
        return i % axis.parts, i // axis.parts
    return i // axis.block, i % axis.block


def _held(axis: SharedAxis, part: Number) -> Number:
    """How many coordinates a part has."""
    if axis.cyclic:
        return -(-(axis.length - part) // axis.parts)
    left = axis.length - part * axis.block
    return (
        np.clip(left, 0, axis.block)
        if isinstance(left, np.ndarray)
        else min(max(left, 0), axis.block)
    )
