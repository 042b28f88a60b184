"""Several fields in rounds: each share of the block converts another one in every phase.

Rules.

1. F fields share out the block in F shares. In phase p share j converts field j + p, modulo F,
   over the links of this field alone. All phases have the same number of rounds.
2. A field has ways of its own for each of its classes of nodes. A node is in one class of each
   field, so a share is cut where the ways of any of them begin: each piece has one way a field.
3. What is in different classes of another field is on different nodes: so it has other lanes.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise, product
from math import lcm

from graycube.table.lanes import LaneStep, LaneWay

_Class = tuple[LaneWay, ...]
"""The ways of one class of nodes."""
_Piece = tuple[int, list[LaneWay]]
"""A piece of a share, by its weight, and its way in every field."""


def in_phases(fields: Sequence[Sequence[LaneWay]]) -> list[LaneWay]:
    """The ways of all shares, from those of each field on its own."""
    rounds = 1 + max(step.round for way in chain(*fields) for step in way.steps)
    found = []
    for of_each, pieces in _cut(fields):
        mask, value = (
            sum(getattr(ways[0], name) for ways in of_each) for name in ("mask", "value")
        )
        for j in range(len(fields)):
            places = _places(of_each, j)
            for weight, ways in pieces:
                steps = []
                for p, place in enumerate(places):
                    f = (j + p) % len(fields)
                    for step in ways[f].steps:
                        lane = f, place, step.lane
                        steps.append(LaneStep(p * rounds + step.round, step.exchange, lane))
                found.append(LaneWay(weight, tuple(steps), mask, value))
    return found


def too_many(fields: Sequence[Sequence[LaneWay]], most: int) -> bool:
    """Whether there would be more ways than that."""
    pieces = (piece for _, pieces in _cut(fields) for piece in pieces)
    return next(islice(pieces, most // len(fields), None), None) is not None


def _cut(
    fields: Sequence[Sequence[LaneWay]],
) -> Iterator[tuple[tuple[_Class, ...], list[_Piece]]]:
    """For each choice of a class of every field: how a share is cut there."""
    classes = [_classes(ways) for ways in fields]
    whole = lcm(*(sum(way.weight for way in ways) for ways in chain(*classes)))
    for of_each in product(*classes):
        yield of_each, _pieces(of_each, whole)


def _classes(ways: Sequence[LaneWay]) -> list[_Class]:
    """The ways of each class of nodes."""
    found: dict[int, list[LaneWay]] = {}
    for way in ways:
        found.setdefault(way.value, []).append(way)
    return [tuple(some) for some in found.values()]


def _places(of_each: Sequence[_Class], j: int) -> list[tuple[int, ...]]:
    """Where share j is in the other fields, in every phase: there, or where it began."""
    found = []
    for p in range(len(of_each)):
        at = []
        for g, (way, *_) in enumerate(of_each):
            place = way.value
            for step in way.steps if (g - j) % len(of_each) < p else ():
                place = step.exchange(place)
            if g != (j + p) % len(of_each):
                at.append(place & way.mask)
        found.append(tuple(at))
    return found


def _pieces(of_each: Sequence[_Class], whole: int) -> list[_Piece]:
    """The pieces of a share, which is so much, and the way of each in every field."""
    ends = []
    for ways in of_each:
        unit = whole // sum(way.weight for way in ways)
        ends.append([*accumulate(way.weight * unit for way in ways)])
    edges = sorted({0, *chain(*ends)})
    return [
        (
            stop - start,
            [ways[bisect_left(end, stop)] for ways, end in zip(of_each, ends, strict=True)],
        )
        for start, stop in pairwise(edges)
    ]
