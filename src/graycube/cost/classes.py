"""What classes of nodes send: all nodes with the same parities do the same.

Whether a link (u, d) is used by a hop depends on parities of u; r independent masks make 2^r
classes of nodes, however many nodes there are. For each dimension these are few. For the node
that sends on the most dimensions all of them count together, but only as far as they depend on
each other.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import accumulate
from operator import or_, xor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix, bit_indices

MAX_RANK = 20
"""Most independent masks that are told apart: 2^20 classes of nodes."""
MAX_CLASSES = 1 << 26
"""Most hops times classes of nodes in one round."""
Equations = tuple[tuple[int, int], ...]
"""Parities that all have to be met, each a mask and its value."""
_Codes = tuple[Equations, ...]


class Senders(NamedTuple):
    """The nodes with all these parities (mask, want), which each send ``amount`` elements."""

    conditions: Equations
    amount: int


@lru_cache(maxsize=1 << 12)
def count(n: int, groups: tuple[tuple[Senders, ...], ...]) -> tuple[int, int, int, int]:
    """Longest message, crossings, links and busiest node; a group sends on one dimension."""
    most = crossings = links = 0
    used = []
    for group in groups:
        here, sent, senders, conditions = _loads(n, group)
        if here:
            used.append(conditions)
        most = max(most, here)
        crossings += sent
        links += senders
    return most, crossings, links, _busiest(n, used)


def longest(n: int, group: tuple[Senders, ...]) -> int:
    """The longest message that any node sends on the dimension of a group."""
    return _loads(n, group)[0]


@lru_cache(maxsize=1 << 13)  # a group is the same in many rounds
def _loads(n: int, group: tuple[Senders, ...]) -> tuple[int, int, int, _Codes]:
    """The most that a node sends on one dimension, what all send, how many do, and when."""
    conditions = tuple(sender.conditions for sender in group)
    rank, codes = coded(conditions)
    loads = _sums(rank, codes, tuple(sender.amount for sender in group))
    members = 1 << (n - rank)
    return max(loads), sum(loads) * members, sum(map(bool, loads)) * members, conditions


@lru_cache(maxsize=1 << 12)  # the dimensions of a pipeline differ in their masks alone
def _sums(rank: int, codes: _Codes, amounts: tuple[int, ...]) -> list[int]:
    """The amounts of all senders, class by class: Python integers, exact for any block."""
    loads = np.zeros(1 << rank, dtype=object)
    for sends, amount in zip(members(rank, codes), amounts, strict=True):
        loads[sends] += amount
    loads_of: list[int] = loads.tolist()
    return loads_of


def _busiest(n: int, groups: Sequence[_Codes]) -> int:
    """The most dimensions on which one node sends, by the conditions of each."""
    tied = list(_tied(n, groups))
    unsure = [group for group in tied if all(group)]
    rank, codes = coded([conditions for group in unsure for conditions in group])
    most = _most_at_once(rank, codes, tuple(map(len, unsure))) if unsure else 0
    return len(tied) - len(unsure) + most  # without a condition every node sends


@lru_cache(maxsize=1 << 12)
def _most_at_once(rank: int, codes: _Codes, sizes: tuple[int, ...]) -> int:
    sends = np.zeros((len(sizes), 1 << rank), dtype=bool)
    rows = iter(members(rank, codes))
    for k, size in enumerate(sizes):
        for _ in range(size):
            sends[k] |= next(rows)
    return int(sends.sum(axis=0).max())


def _tied(n: int, groups: Sequence[_Codes]) -> Iterator[_Codes]:
    """The groups with only those conditions that say something about another group.

    A parity that is no sum of parities of the other groups is free: whatever the others are,
    some node has the value that this group needs.
    """
    supports = [_support(group) for group in groups]
    seen = twice = 0
    for support in supports:
        seen, twice = seen | support, twice | seen & support
    # what has no bit in common with the others is free
    bases = [
        _basis(n, group) if support & twice else ()
        for group, support in zip(groups, supports, strict=True)
    ]
    sums = Matrix(tuple(mask for basis in bases for mask in basis), n).kernel()
    spaces = _shared(bases, sums)
    for group, space in zip(groups, spaces, strict=True):
        yield _each_within(n, group, space)


@lru_cache(maxsize=1 << 12)
def _each_within(n: int, group: _Codes, space: tuple[int, ...]) -> _Codes:
    """What the conditions of a group say, each once."""
    return tuple(sorted({_within(n, conditions, space) for conditions in group}))


def _shared(bases: Sequence[Sequence[int]], sums: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """For each basis, what it has in sums of all of them that are nothing."""
    found: list[set[int]] = [set() for _ in bases]
    owner = [k for k, basis in enumerate(bases) for _ in basis]
    start = [*accumulate(map(len, bases), initial=0)]
    for word in sums:
        rest = word
        while rest:
            k = owner[rest.bit_length() - 1]
            own = rest >> start[k]
            rest ^= own << start[k]
            found[k].add(reduce(xor, (bases[k][j] for j in bit_indices(own)), 0))
    return (tuple(sorted(some - {0})) for some in found)


@lru_cache(maxsize=1 << 12)
def _support(conditions: _Codes) -> int:
    """The bits that some conditions look at."""
    return reduce(or_, (mask for some in conditions for mask, _ in some), 0)


@lru_cache(maxsize=1 << 12)
def _basis(n: int, conditions: _Codes) -> tuple[int, ...]:
    """A basis of their masks."""
    return Matrix(tuple({mask for some in conditions for mask, _ in some}), n).image()


@lru_cache(maxsize=1 << 14)
def _within(n: int, conditions: Equations, space: tuple[int, ...]) -> Equations:
    """The equations that follow from some for the sums of the masks of a space."""
    found = set()
    for word in Matrix((*(mask for mask, _ in conditions), *space), n).kernel():
        mask = want = 0
        for k in bit_indices(word & (1 << len(conditions)) - 1):
            mask, want = mask ^ conditions[k][0], want ^ conditions[k][1]
        found.add((mask, want))
    return tuple(sorted(found - {(0, 0)}))


def coded(senders: Sequence[Equations]) -> tuple[int, _Codes]:
    """The rank of all masks, and all conditions in sums of that many parities."""
    masks = sorted({mask for some in senders for mask, _ in some})
    rank, sums = _combinations(masks)
    if len(senders) << rank > MAX_CLASSES:
        raise InvalidValueError(
            f"{len(senders)} hops meet on one link, under {rank} independent conditions",
            f"at most {MAX_CLASSES} hops times classes of nodes are told apart",
            "split the round, or replay its moves",
        )
    code = dict(zip(masks, sums, strict=True))
    return rank, tuple(tuple((code[m], want) for m, want in some) for some in senders)


def members(rank: int, codes: _Codes) -> Iterator[NDArray[np.bool_]]:
    """Which of the 2^rank classes of nodes each sender has."""
    classes = np.arange(1 << rank)
    odd: dict[int, NDArray[np.bool_]] = {}
    for conditions in codes:
        among = np.ones(1 << rank, dtype=bool)
        for code, want in conditions:
            if code not in odd:
                odd[code] = np.bitwise_count(classes & code) & 1 == 1
            among &= odd[code] if want else ~odd[code]
        yield among


def _combinations(masks: Sequence[int]) -> tuple[int, list[int]]:
    """The rank of the masks, and each as a sum of so many independent ones of them."""
    reduced: list[tuple[int, int]] = []  # a vector, and which masks of the basis it sums
    combinations = []
    rank = 0
    for mask in masks:
        vector, combination = mask, 0
        for lead, how in reduced:
            if vector ^ lead < vector:
                vector, combination = vector ^ lead, combination ^ how
        if vector:
            new, rank = 1 << rank, rank + 1
            reduced.append((vector, combination ^ new))
            reduced.sort(reverse=True)
            combination = new
        combinations.append(combination)
    if rank > MAX_RANK:
        raise InvalidValueError(
            f"a round has {rank} independent conditions",
            f"at most {MAX_RANK} can be told apart",
            "split the round, or replay its moves",
        )
    return rank, combinations
