"""Sections 2.4, 3.2 and 3.3: the algorithms, step by step, and the links that they use.

Section 3.5 and its counterpart in section 4: circuits, link by link, over all nodes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, agreed, answers, tried
from graycube.papers.codes import Ints, crossings, ranks
from graycube.papers.library import followed
from graycube.schedule import expand

from .model import ALGORITHMS, counted, machine, placements, schedule, steps, wanted
from .times import time_of


def ends(algorithm: str, n: int) -> bool:
    """Whether the algorithm as described brings both halves of block i to node i."""
    return bool((placements(algorithm, n)[-1] == np.arange(1 << n)[:, None]).all())


def same_as_library(algorithm: str, n: int) -> bool:
    """Whether the library's schedule sends the same halves over the same links in all steps."""
    block = 2
    moves = expand(schedule(algorithm, n, block))
    columns = moves.round, moves.node, moves.dimension, *np.divmod(moves.element, block)
    sent = {*zip(*(column.tolist() for column in columns), strict=True)}
    return sent == set(_described(algorithm, n))


def _described(algorithm: str, n: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Round, node, dimension, home and half of all that crosses a link."""
    homes = np.argsort(placements("gb1", n)[0][:, 0])  # the node that holds a rank at first
    states = zip(steps(algorithm, n), placements(algorithm, n), strict=False)
    for r, (step, held) in enumerate(states):
        for half in range(2):
            column = half % len(step.where)
            for u in np.flatnonzero(step.where[column]).tolist():
                yield r, u, step.dimension, int(homes[held[u, column]]), half


gb2 = tried(lambda n: ends("gb2", n) and same_as_library("gb2", n))


@tried
def gb3(n: int) -> bool:
    """Its n exchanges; the last one moves one half of each block in either half of the cube."""
    *_, last = made = list(steps("gb3", n))
    upper = np.arange(1 << n) >> n - 1 == 1
    halves = np.array_equal(last.where, [upper, ~upper])
    in_order = [step.dimension for step in made] == [n - 2, *range(n - 1)]
    return in_order and halves and ends("gb3", n) and same_as_library("gb3", n)


def uses(algorithm: str, n: int, block: int) -> Counter[tuple[int, int, int]]:
    """How many elements cross in a round over a dimension from a node, all by one port."""
    moves = followed(schedule(algorithm, n, block), machine(n))
    columns = moves.round, moves.dimension, moves.node
    return Counter(zip(*(column.tolist() for column in columns), strict=True))


@tried
def one_dimension_at_a_time(n: int) -> bool:
    """In every round all messages cross one dimension, to nearest neighbours, by one port."""
    return all(
        len({(r, d) for r, d, _ in uses(name, n, 4)}) == len(schedule(name, n, 4).rounds)
        for name in ALGORITHMS
    )


@tried
def half_of_the_links(n: int) -> bool:
    """Each step uses half of the links of its dimension; dimension n - 1 is not used at all."""
    nodes = Counter((r, d) for r, d, _ in uses("gb1", n, 1))
    dims = [d for _, d in sorted(nodes)]
    return dims == [*range(n - 1)] and set(nodes.values()) == {1 << n - 1}


@tried
def all_of_the_links(n: int, K: int) -> bool:
    """In the normal steps of GB2 all links of the dimension carry half a block."""
    loads = [count for (r, *_), count in uses("gb2", n, K).items() if 0 < r < n]
    return len(loads) == (n - 1) << n and set(loads) == {K // 2}


lemma_4 = tried(lambda n: in_turn(n, n - 1, range(n - 1)))
across_the_next = tried(lambda n: in_turn(n, n - 2, range(n - 2)))
"""The same for the four subcubes of GB3, in all steps but the last."""


def in_turn(n: int, across: int, tried: range) -> bool:
    """Whether in these steps of GB1 one of each two pairs across a dimension exchanges."""
    nodes, sends = np.arange(1 << n), {(r, u) for r, _, u in uses("gb1", n, 1)}
    for i in tried:
        ours = np.array([(i, u) in sends for u in range(1 << n)])
        one_of = ours ^ ours[nodes ^ 1 << across]
        if not (np.array_equal(ours, wanted(n, i)) and one_of.all()):
            return False
    return True


def figure(claim: Claim) -> Iterator[Case]:
    """A 4-cube: the exchanges that the text says are drawn, then where everything is."""
    algorithm = f"gb{claim.number}"
    made, told = list(steps(algorithm, 4)), "{} exchanges in dimension {}".format
    for step, (dimension, paper) in zip(made, claim.figures, strict=True):
        ours = sum(int(where.sum()) // 2 for where in step.where)
        yield agreed(step.name, told(paper, dimension), told(ours, step.dimension))
    before, gray = placements(algorithm, 4)[0][:, 0], np.argsort(gc.gray(np.arange(16)))
    found = {
        "Gray code before": np.array_equal(before, gray),
        "binary code after": ends(algorithm, 4),
        "the library's exchanges": same_as_library(algorithm, 4)
        and counted(algorithm, 4, 2).startups == len(made),
    }
    yield from answers("", found)


def path(start: Ints, end: Ints, order: Sequence[int]) -> Ints:
    """The directed links from all starts to their ends, as node * n + dimension."""
    hops = crossings(start, end, order)
    return np.concatenate([nodes * len(order) + d for d, nodes in hops])


def disjoint(*paths: Ints) -> bool:
    links = np.concatenate(paths)
    return len(np.unique(links)) == len(links)


def directly(n: int, order: Sequence[int]) -> bool:
    """Whether no link is used twice if all blocks go straight home."""
    return disjoint(path(np.arange(1 << n), ranks(n), order))


in_ascending_order = tried(lambda n: directly(n, range(n)))
in_any_order = tried(lambda n: all(directly(n, order) for order in permutations(range(n))))


direct = time_of("direct", kind="circuit")
"""One send over circuits, however far."""
two_ports = time_of("circuit-split", ports=2, kind="circuit")
"""Three blocks in two steps."""


no_congestion = tried(lambda n: two_steps(ranks(n), np.arange(1 << n) ^ 1 << n - 1, range(n)))
"""No link is used twice in a step; block 1 goes by the neighbour across dimension n - 1."""


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
    alone = product(nodes[:, None], repeat=2)
    left = [not np.isin(path(a, b, order), taken).any() for a, b in alone]
    free = np.reshape(left, (len(nodes), -1))
    return all(
        (free[home] & free[:, end] & (nodes != end)).any()
        for home, end in enumerate(codes.tolist())
        if home != end
    )
