"""What classes of nodes send: all nodes with the same parities do the same.

Whether a link (u, d) is used by a hop depends on parities of u; r independent masks make 2^r
classes of nodes, however many nodes there are. For each dimension these are few.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError

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


class DimensionLoad(NamedTuple):
    """What one dimension carries: the longest message, all crossings, and links in use."""

    longest: int
    crossings: int
    links: int


@lru_cache(maxsize=1 << 13)  # a group is the same in many rounds
def load(n: int, group: tuple[Senders, ...]) -> DimensionLoad:
    """What a group sends on one dimension, in a cube of n."""
    rank, codes = coded([sender.conditions for sender in group])
    loads = _sums(rank, codes, tuple(sender.amount for sender in group))
    members = 1 << (n - rank)
    return DimensionLoad(max(loads), sum(loads) * members, sum(map(bool, loads)) * members)


@lru_cache(maxsize=1 << 12)  # the dimensions of a pipeline differ in their masks alone
def _sums(rank: int, codes: _Codes, amounts: tuple[int, ...]) -> list[int]:
    """The amounts of all senders, class by class: Python integers, exact for any block."""
    loads = np.zeros(1 << rank, dtype=object)
    for sends, amount in zip(members(rank, codes), amounts, strict=True):
        loads[sends] += amount
    loads_of: list[int] = loads.tolist()
    return loads_of


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
