"""Layouts by ownership of arrays over meshes of nodes."""

from collections.abc import Sequence
from dataclasses import replace

from graycube.layout.ownership import Ownership
from graycube.layout.share import SharedAxis


def owned_mesh(
    shape: Sequence[int],
    nodes: Sequence[int],
    code: Sequence[str | None],
    allocation: Sequence[str | None],
) -> Ownership:
    """The layout of an array over a mesh of nodes, the first axis on the highest node digit.

    >>> print(owned_mesh((9, 10), (2, 3), ["binary"] * 2, ["consecutive", "cyclic"]))
    (9 on 2, 10 on 3 cyclic)
    """
    axes, stride = [], 1
    columns = [*zip(shape, nodes, code, allocation, strict=True)]
    for length, parts, name, place in reversed(columns):
        axes.append(SharedAxis(length, parts, place == "cyclic", name == "gray", stride))
        stride *= parts
    return Ownership(tuple(reversed(axes)), stride)


def in_blocks(shape: Sequence[int], nodes: Sequence[int], copies: int = 1) -> Ownership:
    """The layout by ownership of an array in blocks over a mesh, in so many copies.

    >>> print(in_blocks((9, 4), (3, 2), copies=2))
    (9 on 3, 4 on 2) in 2 copies
    """
    d = len(shape) + 1  # of which the first one tells copies apart
    made = owned_mesh((copies, *shape), (copies, *nodes), ["binary"] * d, ["consecutive"] * d)
    return replace(made, axes=made.axes[1:])
