"""What layouts by ownership say of themselves: their printed form, and their sizes."""

from collections.abc import Sequence
from math import prod

from graycube.gf2 import is_power_of_two
from graycube.layout.share import SharedAxis
from graycube.texts import counted


def text(axes: Sequence[SharedAxis], copies: int) -> str:
    """The axes, each with its nodes; where these are in an unusual order, with their stride.

    >>> text([SharedAxis(9, 2), SharedAxis(5)], 3), text([SharedAxis(9, 2, stride=3)], 1)
    ('(9 on 2, 5) in 3 copies', '(9 on 2 by 3)')
    """
    usual, parts = [], 1
    for axis in reversed(axes):
        usual.append(axis.stride == parts or axis.parts == 1)
        parts *= axis.parts
    words = [
        f"{axis}" if all(usual) or axis.parts == 1 else f"{axis} by {axis.stride}"
        for axis in axes
    ]
    return f"({', '.join(words)})" + (f" in {copies} copies" if copies > 1 else "")


def sizes(axes: Sequence[SharedAxis], nodes: int) -> str:
    """How many elements and nodes there are, and how many a node has.

    >>> sizes([SharedAxis(9, 8)], 8)
    '9 elements on 8 nodes, at most 2 on each, none on 3 of them'
    """
    lengths = [axis.length for axis in axes]
    shape = " x ".join(map(str, lengths)) + (f" = {prod(lengths)}" if len(axes) > 1 else "")
    most = prod(axis.block for axis in axes)
    busy = prod(min(axis.parts, -(-axis.length // axis.block)) for axis in axes)
    parts = prod(axis.parts for axis in axes)
    copies = nodes // parts
    empty = (parts - busy) * copies
    tell = f", none on {empty} of them" if empty else ""
    many = f" in {copies} copies" if copies > 1 else ""
    each = f"{most} on each" if most * parts == prod(lengths) else f"at most {most} on each"
    return f"{shape} elements{many} on {counted(nodes, 'node')}, {each}{tell}"


def uneven(axes: Sequence[SharedAxis]) -> tuple[str, str] | None:
    """The first axis that is not in equal blocks on 2^k nodes, and the nearest that would be.

    >>> uneven([SharedAxis(8, 2), SharedAxis(9, 3)])
    ('axis 1 has 9 elements on 3 nodes', 'the nearest 2^k that divides 9 is 1')
    >>> uneven([SharedAxis(48, 12)])
    ('axis 0 has 48 elements on 12 nodes', 'the nearest numbers of nodes are 8 and 16')
    """
    for k, axis in enumerate(axes):
        found = f"axis {k} has {axis.length} elements on {axis.parts} nodes"
        if not is_power_of_two(axis.parts):
            high = 1 << axis.parts.bit_length()
            most = axis.length & -axis.length
            if most < high:
                nearest = min(most, high // 2)
                return found, f"the nearest 2^k that divides {axis.length} is {nearest}"
            return found, f"the nearest numbers of nodes are {high // 2} and {high}"
        if axis.length % axis.parts:
            low = axis.length // axis.parts * axis.parts
            near = f"s are {low} and {low + axis.parts}" if low else f" is {axis.parts}"
            return found, f"the nearest length{near}"
    return None
