"""Section 2 and the counts of section 3.1: the codes, by brute force over all words."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

import numpy as np

import graycube as gc
from graycube.gf2 import displacement_profile
from graycube.papers import Case, Claim, agreed, compared, require, tried
from graycube.papers.codes import Ints, bits_agree, converts, distance, is_the_code, reflected

from .model import counted, placements

definition_1 = tried(lambda n: is_the_code(reflected(n)))
lemma_1 = tried(lambda n: bits_agree(reflected(n)))
"""Bit by bit, against the code of Definition 1."""


def on_a_three_cube(claim: Claim) -> Iterator[Case]:
    """Node by node."""
    nodes = gc.Layout.nodes(3, "gray").locate(np.arange(8))[0]
    require(np.array_equal(nodes, reflected(3)), "the library's code differs")
    for block, (node, ours) in enumerate(zip(claim.figures[0], nodes, strict=True)):
        yield agreed(f"block {block}", f"node {node}", f"node {ours}")


@tried
def neighbours(n: int) -> bool:
    """Blocks that differ in one bit, and blocks that follow each other, are on neighbours."""
    block, word = np.arange(1 << n), reflected(n)
    placed = gc.Layout.nodes(n, "gray").locate(block)[0]
    require(np.array_equal(placed, word), "the layout is another one")
    binary = all(hops(block, block ^ 1 << j) == {1} for j in range(n))
    return binary and hops(word, np.roll(word, -1)) == hops(word, np.roll(word, 1)) == {1}


def hops(a: Ints, b: Ints) -> set[int]:
    return set(distance(a, b).tolist())


def distances(n: int) -> Ints:
    """How many indices are so far from their code, for every distance."""
    far = distance(np.arange(1 << n), reflected(n))
    counts = np.bincount(far, minlength=n + 1)
    library = displacement_profile(gc.GrayCode.reflected(n))
    require([library.get(j, 0) for j in range(n + 1)] == counts.tolist(), "another profile")
    return counts


lemma_2 = compared(lambda n, j: int(distances(n)[j]))


@tried
def recursion(n: int) -> bool:
    """The step of the induction, and where it starts."""
    now, before = distances(n + 1), distances(n)
    starts = distances(2).tolist() == [2, 2, 0]
    return starts and all(now[j] == before[j] + before[j - 1] for j in range(1, n + 1))


@tried
def extremes(n: int) -> bool:
    """Who stays, and who goes farthest."""
    word, top = reflected(n), 1 << n - 1
    require(np.array_equal(gc.gray(np.arange(1 << n)), word), "the library's code differs")
    far = np.bitwise_count(np.arange(1 << n) ^ word)
    farthest = {i: int(word[i]) for i in np.flatnonzero(far == n - 1).tolist()}
    ones, stay = (1 << n) - 1, np.flatnonzero(far == 0).tolist()
    return stay == [0, 1] and farthest == {ones: top, ones - 1: top | 1}


@compared
def transfers(n: int, K: int) -> int:
    """The sum over all nodes; GB1's schedule crosses no link more."""
    far = int(distance(np.arange(1 << n), reflected(n)).sum())
    layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    plan = gc.plan(*layouts, K, machine=gc.Machine(n), algorithm="gb1")
    require(plan.traffic.crossings == K * far, "GB1 crosses more links")
    return K * far


@tried
def lowest_first(n: int) -> bool:
    """GB1 as described: block i ends on node i."""
    states = placements("gb1", n)
    return len(states) == n and states[-1][:, 0].tolist() == list(range(1 << n))


@tried
def either_direction(n: int) -> bool:
    """Both conversions in both orders."""
    orders = range(n - 1), range(n - 1)[::-1]
    there = all(converts(gc.gray_to_binary(n, order), n) for order in orders)
    back = (converts(gc.binary_to_gray(n, order), n, to_gray=True) for order in orders)
    return there and all(back)


@tried
def any_order(n: int) -> bool:
    """All permutations of the dimensions."""
    orders = permutations(range(n - 1))
    return all(converts(gc.gray_to_binary(n, order), n) for order in orders)


pipelined = tried(
    lambda n, K: saved(n, K) >= n,
    lambda n, K: saved(n, K) == Fraction((n - 1) * K, K + n - 2) <= n - 1,
)
"""GB1's transfers in sequence over those of its pipeline on all ports."""


def saved(n: int, block: int) -> Fraction:
    one, all_of_them = counted("gb1", n, block), counted("pipelined", n, block, ports=n)
    return Fraction(one.elements, all_of_them.elements)
