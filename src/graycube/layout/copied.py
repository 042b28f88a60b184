"""Copies: what is left on the nodes when some axes of a layout are summed away.

Rules.

1. The highest ``copies`` bits of the word tell the copies of an element apart. They reach node
   bits only, so all copies are in the same slot, each on a node of its own.
2. There is one way to write a layout with copies: the nodes of the copies differ by a reduced
   basis, and no index bit reaches the highest bit of one of it. So == is exact, and the copy
   with all copy bits zero is on the lowest of its nodes.
3. A slot is a number of digits, each of which belongs to one axis: its runs of slot bits, the
   highest first, then the extents. Summing an axis away leaves the digits of the others.
"""

from collections.abc import Sequence
from itertools import groupby

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.span import reduced_basis, without
from graycube.layout.axis import Axis

Digit = tuple[int, int]
"""The axis that a digit of the slot belongs to, and how many values the digit has."""


def canonical(address: AffineMap, n: int, copies: int) -> AffineMap:
    """The one form of a map whose highest ``copies`` bits tell copies apart.

    >>> canonical(AffineMap(Matrix((0b11, 0b10), 2)), 2, 1).matrix.columns
    (1, 2)
    """
    split = address.width - copies
    index, nodes = address.matrix.columns[:split], address.matrix.columns[split:]
    if any(column >> n for column in nodes):
        raise InvalidValueError(
            "a copy bit reaches a slot bit",
            "copies of an element are on different nodes, in the same slot",
            "let copy bits reach node bits only",
        )
    basis = reduced_basis(nodes)
    columns = (*(without(basis, column) for column in index), *reversed(basis))
    return AffineMap(Matrix(columns, address.height), without(basis, address.constant))


def digits(address: AffineMap, n: int, axes: Sequence[Axis]) -> tuple[Digit, ...]:
    """The digits of a slot, the highest first.

    >>> digits(AffineMap.identity(5), 1, [Axis(3), Axis(2, extent=3)])
    ((0, 8), (1, 2), (1, 3))
    """
    owners = [*reversed(_owners(address, n, axes))]
    runs = ((axis, 1 << len([*run])) for axis, run in groupby(owners))
    extents = ((k, axis.extent) for k, axis in enumerate(axes) if axis.extent > 1)
    return (*runs, *extents)


def without_axes(
    address: AffineMap, n: int, axes: Sequence[Axis], gone: Sequence[int]
) -> tuple[AffineMap, int]:
    """The map of what is left when some axes are summed away, and its number of copy bits.

    >>> without_axes(AffineMap.identity(3), 1, [Axis(1), Axis(2)], gone=[1])[1]
    1
    """
    owners, columns = _owners(address, n, axes), address.matrix.columns
    kept = [k for k, axis in enumerate(owners) if axis not in gone]
    names = [k for k in reversed(range(len(axes))) for _ in range(axes[k].bits)]
    mask = (1 << n) - 1

    def squeezed(word: int) -> int:
        slot = sum((word >> n + k & 1) << j for j, k in enumerate(kept))
        return slot << n | word & mask

    index = [squeezed(columns[j]) for j, axis in enumerate(names) if axis not in gone]
    away = [squeezed(columns[j]) for j, axis in enumerate(names) if axis in gone]
    if any(column >> n for column in away):
        raise _mixed()
    copies = reduced_basis((*columns[len(names) :], *away))
    matrix = Matrix((*index, *copies), n + len(kept))
    return AffineMap(matrix, squeezed(address.constant)), len(copies)


def _owners(address: AffineMap, n: int, axes: Sequence[Axis]) -> list[int]:
    """The axis of every slot bit, the lowest first."""
    names = [k for k in reversed(range(len(axes))) for _ in range(axes[k].bits)]
    found = []
    for column in address.matrix.inverse().columns[n:]:
        owners = {names[j] for j in range(len(names)) if column >> j & 1}
        if len(owners) != 1:
            raise _mixed()
        found.append(owners.pop())
    return found


def _mixed() -> InvalidValueError:
    return InvalidValueError(
        "the layout mixes axes: a bit of the memory slot depends on more than one",
        "this takes axes one by one",
        "call relayout with a Layout.mesh first",
    )
