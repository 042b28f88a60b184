"""Orders that are worth a look: digits of places dealt out to the parts of a machine.

Rules.

1. A machine has parts, the inner ones first: the levels of a cube or tree, or the sides of a
   torus. Each gets a digit of the place along each axis: an inner part has a block of the mesh.
   The lengths of its digits are factors of those of the axes, and their product is its size.
2. In a cube a digit is bits of the node, in a torus a place along a side.
   Digits are taken as they are, or reflected where what is above them is odd, as in Gray code
   and as a snake goes through rows: then neighbours along the axis are neighbours in the
   machine, as far as the part allows.
3. Nodes of a torus whose sides are powers of two are also numbered by the Gray codes of their
   places along the sides. Numbers of neighbours differ in one bit, and on joined sides of 4
   all that do so are neighbours. So digits are taken as bits in Gray code there, too.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice, product
from math import isqrt, prod

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import gray, gray_inverse
from graycube.machine import Interconnect, Machine
from graycube.mapping.digits import count_of, digits_of
from graycube.mapping.pattern import Pattern

GUESSED = 200
"""So many meshes are looked at for places in a line,"""
MESHES = 3
"""and so many are tried."""
MOST = 1 << 9
"""So many ways to deal out digits are tried."""
Order = NDArray[np.int64]
_Dealt = tuple[tuple[int, ...], ...]  # for each part the lengths of each axis's digit
_Parts = list[tuple[int, int]]  # what numbers of neighbours in each differ by, and its size


def orders(
    shape: Sequence[int], machine: Machine | Interconnect
) -> Iterator[tuple[str, Order]]:
    """Orders by name, each an array of nodes in the shape of the mesh.

    >>> for name, order in orders((8,), Machine.torus((2, 4))):
    ...     print(name, order.tolist())
    as they are [0, 1, 2, 3, 4, 5, 6, 7]
    blocks of 4, then 2 [0, 1, 2, 3, 4, 5, 6, 7]
    snake through blocks of 4, then 2 [0, 1, 2, 3, 7, 6, 5, 4]
    gray through blocks of 4, then 2 [0, 1, 2, 3, 7, 6, 5, 4]
    >>> [order.tolist() for _, order in orders((6,), Interconnect.tree((3, 2)))][-1]
    [0, 1, 2, 5, 4, 3]
    """
    yield "as they are", np.arange(count_of(machine)).reshape(shape)
    parts = [(stride, size) for stride, size in _parts(machine) if size > 1]
    strides, sizes = [stride for stride, _ in parts], [size for _, size in parts]
    is_cube = isinstance(machine, Machine) and not machine.sides
    snakes = _gray_code if is_cube else _reflected
    has_cube = machine.joined and not any(length & length - 1 for length in (*sizes, *shape))
    for dealt in islice(_dealt(shape, sizes), MOST):
        blocks = ", then ".join(" x ".join(map(str, some)) for some in dealt)
        yield f"blocks of {blocks}", _order(shape, strides, dealt, _as_it_is)
        yield f"snake through blocks of {blocks}", _order(shape, strides, dealt, snakes)
        if has_cube:
            codes = _order(shape, strides, dealt, _gray_code)
            yield f"gray through blocks of {blocks}", _along_sides(codes, parts)


def meshes(pattern: Pattern) -> list[tuple[int, ...]]:
    """Meshes of two and three axes that the places in a line may be.

    They are those in which places are nearest to what they send to.

    >>> halo = Pattern.mesh((8, 8, 4), neighbours=1.0)
    >>> meshes(Pattern((256,), halo.source, halo.target, halo.nbytes))[0]
    (8, 8, 4)
    """
    if len(pattern.shape) > 1:
        return []
    count = pattern.places
    shapes: list[tuple[int, ...]] = [(a, count // a) for a in _factors(count)]
    shapes += [(a, b, c // b) for a, c in [*shapes] for b in _factors(c)]

    @cache  # meshes have axes in common
    def distance(stride: int, length: int) -> float:
        """How far bytes go along an axis, around its edges where that is nearer."""
        here, there = (end // stride % length for end in (pattern.source, pattern.target))
        steps = (there - here) % length
        return float(np.minimum(steps, length - steps) @ pattern.nbytes)

    def far(shape: Sequence[int]) -> float:
        return sum(distance(prod(shape[k + 1 :]), length) for k, length in enumerate(shape))

    return sorted(shapes[:GUESSED], key=far)[:MESHES]


def _factors(count: int) -> list[int]:
    """What divides a number, but for one and itself."""
    small = [a for a in range(2, isqrt(count) + 1) if not count % a]
    return sorted({*small, *(count // a for a in small)})


def _parts(machine: Machine | Interconnect) -> _Parts:
    """Levels or sides, the innermost first."""
    if machine.joined:
        return [(digit.stride, digit.length) for digit in digits_of(machine)]
    if isinstance(machine, Interconnect):
        return [*zip(machine.strides, machine.sizes, strict=True)]
    return [(1 << dims.start, 1 << len(dims)) for dims, _ in machine.levels]


def _dealt(lengths: Sequence[int], sizes: Sequence[int]) -> Iterator[_Dealt]:
    """All ways to deal out factors of axes to parts of these sizes, the last axis first."""
    if not sizes:
        yield ()
        return
    digits = (
        [d for d in range(min(length, sizes[0]), 0, -1) if not (length % d or sizes[0] % d)]
        for length in lengths[::-1]
    )
    for some in product(*digits):
        if prod(some) == sizes[0]:
            taken = some[::-1]
            left = [length // t for length, t in zip(lengths, taken, strict=True)]
            yield from ((taken, *rest) for rest in _dealt(left, sizes[1:]))


def _order(
    shape: Sequence[int],
    strides: Sequence[int],
    dealt: _Dealt,
    digits: Callable[[int, Sequence[int]], Iterator[Order]],
) -> Order:
    """The nodes of all places: every axis puts its digits where they are in each part."""
    node = np.zeros(tuple(shape), np.int64)
    for axis, length in enumerate(shape):
        placed, lengths = np.zeros(length, np.int64), [taken[axis] for taken in dealt]
        each = zip(strides, dealt, digits(length, lengths), strict=True)
        for stride, taken, digit in each:
            placed += digit * stride * prod(taken[axis + 1 :])
        lines = [1] * len(shape)
        lines[axis] = length
        node = node + placed.reshape(lines)
    return node


def _as_it_is(length: int, digits: Sequence[int]) -> Iterator[Order]:
    """The digits of all places along an axis, the innermost first."""
    left = np.arange(length)
    for size in digits:
        yield left % size
        left = left // size


def _reflected(length: int, digits: Sequence[int]) -> Iterator[Order]:
    """The same, each reflected where what is above it is odd."""
    left = np.arange(length)
    for size in digits:
        digit, left = left % size, left // size
        yield np.where(left & 1, size - 1 - digit, digit)


def _gray_code(length: int, digits: Sequence[int]) -> Iterator[Order]:
    """Each bit reflected."""
    left = gray(np.arange(length))
    for size in digits:
        yield left % size
        left = left // size


def _along_sides(codes: Order, parts: _Parts) -> Order:
    """The nodes whose places along the sides have these numbers as Gray codes."""
    node = np.zeros_like(codes)
    for stride, size in parts:
        node += gray_inverse(codes // stride % size) * stride
    return node
