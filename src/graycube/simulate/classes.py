"""What classes of nodes send: all nodes with the same parities do the same.

Whether a link (u, d) is used by a hop depends on parities of u; r independent masks make 2^r
classes of nodes, however many nodes there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix

MAX_RANK = 20
"""Most independent masks that are told apart: 2^20 classes of nodes."""
MAX_CLASSES = 1 << 26
"""Most hops times classes of nodes in one round."""


@dataclass(frozen=True, slots=True)
class Senders:
    """The nodes with all these parities (mask, want), which each send ``amount`` elements."""

    conditions: tuple[tuple[int, int], ...]
    amount: int


@lru_cache(maxsize=1 << 12)
def count(n: int, groups: tuple[tuple[Senders, ...], ...]) -> tuple[int, int, int, int]:
    """Longest message, crossings, links and busiest node; a group sends on one dimension."""
    longest = crossings = links = 0
    used = []
    for group in groups:
        loads, members = _loads(n, group)
        if any(loads):
            used.append(group)
        longest = max(longest, *loads)
        crossings += sum(loads) * members
        links += sum(map(bool, loads)) * members
    return longest, crossings, links, _busiest(n, used)


def _loads(n: int, group: Sequence[Senders]) -> tuple[list[int], int]:
    """What each class of nodes sends on one dimension, and how many nodes a class has.

    The loads are Python integers, exact for blocks of any size.
    """
    rank, members = _members(group)
    loads = np.zeros(1 << rank, dtype=object)
    for sender, sends in zip(group, members, strict=True):
        loads[sends] += sender.amount
    return loads.tolist(), 1 << (n - rank)


def _busiest(n: int, groups: Sequence[Sequence[Senders]]) -> int:
    """The most dimensions on which one node sends."""
    masks = [[mask for s in group for mask, _ in s.conditions] for group in groups]
    ranks = [Matrix(tuple(some), n).rank() for some in masks]
    if Matrix(tuple(mask for some in masks for mask in some), n).rank() == sum(ranks):
        return len(groups)  # independent dimensions: some node meets a condition of each
    rank, members = _members([s for group in groups for s in group])
    sends = np.zeros((len(groups), 1 << rank), dtype=bool)
    rows = iter(members)
    for k, group in enumerate(groups):
        for _ in group:
            sends[k] |= next(rows)
    return int(sends.sum(axis=0).max())


def _members(senders: Sequence[Senders]) -> tuple[int, list[NDArray[np.bool_]]]:
    """The rank of all masks, and which of the 2^rank classes of nodes each sender has."""
    masks = sorted({mask for s in senders for mask, _ in s.conditions})
    rank, parities = _parities(masks)
    if len(senders) << rank > MAX_CLASSES:
        raise InvalidValueError(
            f"{len(senders)} hops meet on one link, under {rank} independent conditions",
            f"at most {MAX_CLASSES} hops times classes of nodes are told apart",
            "split the round, or replay its moves",
        )
    value = dict(zip(masks, parities, strict=True))
    members = []
    for sender in senders:
        among = np.ones(1 << rank, dtype=bool)
        for mask, want in sender.conditions:
            among &= value[mask] == want
        members.append(among)
    return rank, members


def _parities(masks: Sequence[int]) -> tuple[int, list[NDArray[np.uint8]]]:
    """The rank of the masks, and the parity of each in all classes of nodes."""
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
    classes = np.arange(1 << rank)
    return rank, [np.bitwise_count(classes & c) & 1 for c in combinations]
