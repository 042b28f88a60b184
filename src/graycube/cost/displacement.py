"""How far a task moves its data, how much of it, and to how many nodes.

The *displacement* of an address has the dimensions of the cube that its content has to cross:
(move a) ^ a in its node bits, an affine map. So the mean distance is half of its rows that are
not zero, whatever the size of the cube.

A node *knows* of a block when it has, or had, a part of it. The slots of a node add all sums of
their columns to where it sends: 2^r goals, the same number for all nodes. If a node is none of
its own goals, 2^r + 1 nodes know in the end.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import overload

from graycube.gf2 import AffineMap, Span
from graycube.gf2.affine import nonzero_share, shift_of
from graycube.schedule import Task

EXACT_RANK = 12  # up to 2^12 displacements are tried one by one


def displacement_of(task: Task) -> AffineMap:
    """From machine address to the cube dimensions its content has to cross.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
    >>> [displacement_of(task)(node) for node in range(4)]
    [0, 0, 1, 1]
    """
    return shift_of(task.move, task.n)


def crossed(displacement: AffineMap) -> list[int]:
    """The dimensions that something has to cross.

    >>> from graycube.gf2 import Matrix
    >>> crossed(AffineMap(Matrix((0b100, 0b100, 0b000), 3), 0b001))
    [0, 2]
    """
    return [d for d, half in enumerate(crossing_halves(displacement)) if half]


def crossing_halves(displacement: AffineMap) -> list[int]:
    """How many halves of all elements have to cross each dimension.

    >>> from graycube.gf2 import Matrix
    >>> crossing_halves(AffineMap(Matrix((0b100, 0b100, 0b000), 3), 0b001))
    [2, 0, 1]
    """
    rows = enumerate(displacement.matrix.rows)
    return [1 if row else 2 * (displacement.constant >> d & 1) for d, row in rows]


def mean_distance(displacement: AffineMap, rates: Sequence[Fraction] | None = None) -> Fraction:
    """The mean of the distances over all elements: TR-20-92 Lemma 3, for any affine map.

    With ``rates`` a dimension counts as often as a link of rate 1 would carry the element.

    >>> from graycube.gf2 import Matrix
    >>> mean_distance(AffineMap(Matrix((0b01, 0b10), 2)))
    Fraction(1, 1)
    >>> mean_distance(AffineMap(Matrix((0b01, 0b10), 2)), (Fraction(1), Fraction(1, 4)))
    Fraction(5, 2)
    """
    halves = crossing_halves(displacement)
    if rates is None:
        return Fraction(sum(halves), 2)
    return sum((half / rate for half, rate in zip(halves, rates, strict=True)), Fraction(0)) / 2


def distances(displacement: AffineMap) -> set[int]:
    """Distances above 0 over which some node sends its block: all of them, if they are few.

    >>> from graycube.gf2 import Matrix
    >>> distances(AffineMap(Matrix((0b001, 0b110), 3)))
    {1, 2, 3}
    """
    basis = displacement.matrix.image()
    reached = [displacement.constant]
    for vector in basis if len(basis) <= EXACT_RANK else ():
        reached += [v ^ vector for v in reached]
    reached += [displacement.constant ^ vector for vector in displacement.matrix.columns]
    found = {v.bit_count() for v in reached} | {largest_distance(displacement)}
    return found - {0}


@overload
def largest_distance(displacement: AffineMap) -> int: ...
@overload
def largest_distance(displacement: AffineMap, tolls: Sequence[float]) -> float: ...
def largest_distance(
    displacement: AffineMap, tolls: Sequence[float] | None = None
) -> int | float:
    """A distance that some element has to go; the largest one, if the rank is small.

    With ``tolls`` each dimension is so long. Above that rank a greedy sum of the basis is
    taken, which is exact for conversions on links that are alike.

    >>> from graycube.gf2 import Matrix
    >>> largest_distance(AffineMap(Matrix((0b01, 0b10), 2)))
    2
    >>> largest_distance(AffineMap(Matrix((0b01, 0b10), 2)), (1.0, 4.0))
    5.0
    """
    if tolls is not None and len(set(tolls)) == 1:
        return tolls[0] * largest_distance(displacement)
    length = int.bit_count if tolls is None else _length(tolls)
    basis = displacement.matrix.image()
    if len(basis) <= EXACT_RANK:
        reached = [displacement.constant]
        for vector in basis:
            reached += [v ^ vector for v in reached]
        return max(map(length, reached))
    farthest = displacement.constant
    for vector in basis:
        farthest = max(farthest, farthest ^ vector, key=length)
    return length(farthest)


def _length(tolls: Sequence[float]) -> Callable[[int], float]:
    """What a way costs that crosses the dimensions of a bit vector."""
    masks: dict[float, int] = {}
    for d, toll in enumerate(tolls):
        masks[toll] = masks.get(toll, 0) | 1 << d
    return lambda v: sum(toll * (v & mask).bit_count() for toll, mask in masks.items())


def leaving_share(displacement: AffineMap) -> Fraction:
    """The part of its block that some node has to send away.

    If the displacement does not depend on the slot, some node sends all of it; otherwise at
    least the mean over all addresses.

    >>> from graycube.gf2 import Matrix
    >>> leaving_share(AffineMap(Matrix((0, 1), 1)))  # one node bit, crossed where the slot is 1
    Fraction(1, 2)
    """
    n = displacement.height
    if not any(displacement.matrix.columns[n:]):
        return Fraction(1)
    return nonzero_share(displacement)


def goals_of(displacement: AffineMap) -> tuple[int, int]:
    """The r for which a block goes to 2^r nodes, and how many nodes know of one in the end.

    >>> from graycube.gf2 import Matrix
    >>> goals_of(AffineMap(Matrix((1, 2, 1, 2), 2)))  # two node bits, two slot bits
    (2, 4)
    >>> goals_of(AffineMap(Matrix((1, 0, 2), 2)))  # nodes 1 and 3 keep nothing
    (1, 3)
    """
    n, columns = displacement.height, displacement.matrix.columns
    goals = Span(columns[n:])
    none_kept = any(v not in goals for v in (*columns, displacement.constant))
    return len(goals), (1 << len(goals)) + none_kept
