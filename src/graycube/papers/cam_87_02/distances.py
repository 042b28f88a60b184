"""Section 4 by brute force: how far binary code takes neighbours apart."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, compared, require
from graycube.papers.codes import Ints, distance

from .graphs import adjacent, apart


@compared
def theorem_1(d: int) -> int:
    """The farthest of all pairs of consecutive numbers."""
    nodes = np.arange(1 << d)
    links = apart(nodes)
    middle = links[(1 << d - 1) - 1]
    require(middle == links.max(), "the pair in the middle is not the farthest one")
    line = gc.mesh_distances(gc.Layout.nodes(d), periodic=False).dilation
    require(line == links[:-1].max(), "the layout has other distances")
    return int(links.max())


@compared
def diameter(d: int) -> int:
    """The steps from node 0, and so from any node, to the farthest one."""
    reached, steps = np.arange(1 << d) == 0, 0
    while not reached.all():
        reached = reached | adjacent(d)[reached].any(axis=0)
        steps += 1
    return steps


def worst_mapping(claim: Claim) -> Iterator[Case]:
    """Section 4: binary code against words that alternate with their complements."""

    def corrected(d: int) -> bool:
        nodes = np.arange(1 << d)
        own = apart(nodes).max() == d and apart(nodes).sum() == 2 * (1 << d) - 2
        other = apart(far_apart(d)).sum() == _most(d)
        return bool(own and other) and (d > _SMALL or _farthest_sum(d) == _most(d))

    return claim.tried(
        lambda d: apart(np.arange(1 << d)).sum() >= apart(far_apart(d)).sum(), corrected
    )


_SMALL = 3  # so many dimensions have few enough mappings to try all


def _most(d: int) -> int:
    """No ring has more: two neighbours of a node are at most as far as its farthest two nodes.

    For d = 1 both neighbours are the same node.
    """
    links = np.sort(distance(np.arange(1 << d), np.array(0)))
    farthest = 2 * int(links[-1]) if d == 1 else int(links[-1]) + int(links[-2])
    return farthest << d - 1


def _farthest_sum(d: int) -> int:
    """The largest sum of distances that any mapping has; by symmetry it starts at node 0."""
    rest = np.array(list(permutations(range(1, 1 << d))))
    rings = np.insert(rest, 0, 0, axis=1)
    return int(distance(rings, np.roll(rings, -1, axis=1)).sum(axis=1).max())


def far_apart(d: int) -> Ints:
    """A mapping in which neighbours are d and d - 1 apart: Gray words and their complements."""
    words: Ints = np.repeat(gc.gray(np.arange(1 << d - 1)), 2)
    words[1::2] ^= (1 << d) - 1
    return words
