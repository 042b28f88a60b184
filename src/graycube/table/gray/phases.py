"""Several fields in rounds: each share of the block converts another field in every phase.

Rules.

1. F fields share out the block in F shares. In phase p share j converts field j + p, modulo F,
   over the links of this field alone. All phases have the same number of rounds.
2. A field has ways of its own for each of its *classes* of nodes. A node is in one class of
   each field, so a share is cut where a way of any of them begins: each *piece* has one way a
   field.
3. Nodes of different classes of another field have different lanes. Its conversion takes
   classes to classes, so it does not matter whether it comes before or afterwards.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise, product
from math import lcm

from graycube.table.lanes import LaneStep, LaneWay, end_of

_Ways = Sequence[LaneWay]
_Piece = tuple[int, list[LaneWay]]
"""A piece of a share, by its weight, and its way in every field."""


def in_phases(fields: Sequence[_Ways]) -> list[LaneWay]:
    """The ways of all shares, from those of each field on its own.

    >>> from graycube.gf2 import Exchange
    >>> low, high = (LaneStep((Exchange(1 << d, 2 << d),), (0, 1, "only")) for d in (0, 2))
    >>> for way in in_phases([[LaneWay(1, (low,), 2, 2)], [LaneWay(1, (high,), 8, 8)]]):
    ...     print(way.mask, way.value, [(s.lane[0], s.exchanges[0].flip) for s in way.steps])
    10 10 [(0, 1), (1, 4)]
    10 10 [(0, 4), (1, 1)]
    """
    rounds = end_of(step.lane for way in chain(*fields) for step in way.steps)
    pieces = [*_pieces(fields)]
    found = []
    for j, (weight, ways) in product(range(len(fields)), pieces):
        mask, value = sum(way.mask for way in ways), sum(way.value for way in ways)
        steps = []
        for p in range(len(fields)):
            f = (j + p) % len(fields)
            for exchanges, (first, times, used) in ways[f].steps:
                lane = p * rounds + first, times, (f, value - ways[f].value, used)
                steps.append(LaneStep(exchanges, lane))
        found.append(LaneWay(weight, tuple(steps), mask, value))
    return found


def too_many(fields: Sequence[_Ways], most: int) -> bool:
    """Whether there would be more ways than that."""
    return next(islice(_pieces(fields), most // len(fields), None), None) is not None


def _pieces(fields: Sequence[_Ways]) -> Iterator[_Piece]:
    """The pieces of a share, for each choice of a class of every field."""
    classes = [_classes(ways) for ways in fields]
    whole = lcm(*(sum(way.weight for way in ways) for ways in chain(*classes)))
    for of_each in product(*classes):
        ends = []
        for ways in of_each:
            unit = whole // sum(way.weight for way in ways)
            ends.append([*accumulate(way.weight * unit for way in ways)])
        for start, stop in pairwise(sorted({0, *chain(*ends)})):
            both = zip(of_each, ends, strict=True)
            yield stop - start, [ways[bisect_left(end, stop)] for ways, end in both]


def _classes(ways: _Ways) -> list[list[LaneWay]]:
    """The ways of each class of nodes."""
    found: dict[int, list[LaneWay]] = {}
    for way in ways:
        found.setdefault(way.value, []).append(way)
    return [*found.values()]
