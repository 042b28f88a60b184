"""Orders that are worth a look: digits of places dealt out to the parts of a machine.

Rules.

1. A machine has parts, the inner ones first: the levels of a cube, or the sides of a torus.
   Each gets some bits of the place along each axis: an inner part has a block of the mesh.
2. The bits of an axis in one part are a digit: a place along a side, or bits of the node.
   Digits are taken as they are, or reflected where what is above them is odd, as in Gray code
   and as a snake goes through rows: then neighbours along the axis are neighbours in the
   machine, as far as the part allows.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import gray
from graycube.machine import Machine
from graycube.mapping.pattern import Pattern

MESHES = 3
"""So many meshes are tried for places in a line."""
MOST = 1 << 9
"""So many ways to deal out bits are tried."""
Order = NDArray[np.int64]
_Dealt = tuple[tuple[int, ...], ...]  # for each part the bits of each axis


def orders(shape: Sequence[int], machine: Machine) -> Iterator[tuple[str, Order]]:
    """Orders by name, each an array of nodes in the shape of the mesh.

    >>> for name, order in orders((8,), Machine.torus((2, 4))):
    ...     print(name, order.tolist())
    as they are [0, 1, 2, 3, 4, 5, 6, 7]
    blocks of 4, then 2 [0, 1, 2, 3, 4, 5, 6, 7]
    snake through blocks of 4, then 2 [0, 1, 2, 3, 7, 6, 5, 4]
    """
    yield "as they are", np.arange(1 << machine.dims).reshape(shape)
    bits = [length.bit_length() - 1 for length in shape]
    parts = [dims for dims in _parts(machine) if len(dims)]
    for dealt in islice(_dealt(bits, [len(dims) for dims in parts]), MOST):
        blocks = ", then ".join(" x ".join(str(1 << b) for b in some) for some in dealt)
        for name, reflected in (("", False), ("snake through ", True)):
            yield (
                f"{name}blocks of {blocks}",
                _order(shape, machine, parts, dealt, reflected=reflected),
            )


def meshes(pattern: Pattern) -> list[tuple[int, ...]]:
    """Meshes of two and three axes that the places in a line may be.

    They are those in which places are nearest to what they send to.

    >>> halo = Pattern.mesh((8, 8, 4), neighbours=1.0)
    >>> meshes(Pattern((256,), halo.source, halo.target, halo.nbytes))[0]
    (8, 8, 4)
    """
    if len(pattern.shape) > 1:
        return []
    bits = pattern.places.bit_length() - 1
    shapes: list[tuple[int, ...]] = [(1 << a, 1 << bits - a) for a in range(1, bits)]
    shapes += [(1 << a, 1 << b, 1 << bits - a - b)
               for a in range(1, bits) for b in range(1, bits - a)]  # fmt: skip
    return sorted(shapes, key=lambda shape: _distance(pattern, shape))[:MESHES]


def _distance(pattern: Pattern, shape: tuple[int, ...]) -> float:
    """How far bytes go in a mesh, around its edges where that is nearer."""
    far = np.zeros(len(pattern.nbytes))
    ends = (np.unravel_index(of, shape) for of in (pattern.source, pattern.target))
    for length, here, there in zip(shape, *ends, strict=True):
        steps = (there - here) % length
        far += np.minimum(steps, length - steps)
    return float(far @ pattern.nbytes)


def _parts(machine: Machine) -> list[range]:
    """The dimensions of levels or sides, lowest first."""
    if not machine.sides:
        return [dims for dims, _ in machine.levels]
    parts, first = [], 0
    for length in machine.sides[::-1]:
        parts.append(range(first, first + length.bit_length() - 1))
        first = parts[-1].stop
    return parts


def _dealt(bits: Sequence[int], sizes: Sequence[int]) -> Iterator[_Dealt]:
    """All ways to deal out bits of axes to parts of these sizes, the last axis first."""
    if not sizes:
        yield ()
        return
    for some in product(*(range(min(b, sizes[0]), -1, -1) for b in bits[::-1])):
        if sum(some) == sizes[0]:
            taken = some[::-1]
            left = [b - t for b, t in zip(bits, taken, strict=True)]
            yield from ((taken, *rest) for rest in _dealt(left, sizes[1:]))


def _order(
    shape: Sequence[int],
    machine: Machine,
    parts: Sequence[range],
    dealt: _Dealt,
    *,
    reflected: bool,
) -> Order:
    """The nodes of all places: every axis puts its digits where its bits are in each part."""
    node = np.zeros(tuple(shape), np.int64)
    for axis, length in enumerate(shape):
        left = np.arange(length)
        if reflected and not machine.sides:  # each bit is a digit: that is Gray code
            left = gray(left)
        placed = np.zeros(length, np.int64)
        for dims, taken in zip(parts, dealt, strict=True):
            digit, left = left & (1 << taken[axis]) - 1, left >> taken[axis]
            if reflected and machine.sides:
                digit = np.where(left & 1, digit ^ (1 << taken[axis]) - 1, digit)
            placed |= digit << dims.start + sum(taken[axis + 1 :])
        lines = [1] * len(shape)
        lines[axis] = length
        node |= placed.reshape(lines)
    return node
