"""Section 3.5 and its counterpart in section 4: circuits, link by link, over all nodes."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

import graycube as gc
from graycube.papers import tried
from graycube.papers.codes import Ints, crossings, ranks

from .times import time_of


def path(start: Ints, end: Ints, order: Sequence[int]) -> Ints:
    """The directed links from all starts to their ends, as node * n + dimension."""
    hops = crossings(start, end, order)
    return np.concatenate([node[who] * len(order) + d for d, who, node in hops])


def disjoint(*paths: Ints) -> bool:
    links = np.concatenate(paths)
    return len(np.unique(links)) == len(links)


in_ascending_order = tried(lambda n: disjoint(path(np.arange(1 << n), ranks(n), range(n))))


@tried
def in_any_order(n: int) -> bool:
    """All orders of all dimensions."""
    nodes, ends = np.arange(1 << n), ranks(n)
    return all(disjoint(path(nodes, ends, order)) for order in permutations(range(n)))


directly = time_of("direct", kind="circuit")
"""One send over circuits, however far."""
two_ports = time_of("circuit-split", ports=2, kind="circuit")
"""Three blocks in two steps."""


@tried
def no_congestion(n: int) -> bool:
    """No link is used twice in a step; block 1 goes by the neighbour across dimension n - 1."""
    nodes = np.arange(1 << n)
    return two_steps(ranks(n), nodes ^ 1 << n - 1, range(n))


def two_steps(ends: Ints, between: Ints, order: Sequence[int]) -> bool:
    """Whether the scheme with these intermediate nodes uses no link twice in either step."""
    nodes = np.arange(len(ends))
    direct = path(nodes, ends, order)
    first = disjoint(direct, path(nodes, between, order))
    return first and disjoint(direct, path(between, ends, order))


def descending(n: int) -> bool:
    """Whether descending order has intermediate nodes, and ascending order only if n < 3."""
    codes, order = gc.gray(np.arange(1 << n)), range(n)[::-1]
    found = two_steps(codes, codes ^ 1 << n - 1, order) and all_have_one(n, order)
    return found and all_have_one(n, range(n)) == (n < 3)


towards_gray = tried(lambda n: all_have_one(n, range(n)), descending)
"""Ascending order with whatever intermediate nodes; descending order as the correction."""


def all_have_one(n: int, order: Sequence[int]) -> bool:
    """Whether block 1 of every node can go by some node over links that direct sends leave."""
    nodes = np.arange(1 << n)
    codes = gc.gray(nodes)
    taken = path(nodes, codes, order)

    def free(start: int, end: int) -> bool:
        links = path(np.array([start]), np.array([end]), order)
        return not np.isin(links, taken).any()

    return all(
        any(free(home, u) and free(u, end) for u in nodes.tolist() if u != end)
        for home, end in enumerate(codes.tolist())
        if home != end
    )
