"""Section 2: the code, its splitting, and the exchanges, by brute force over all nodes.

Figures 2 and 3, which are tables, entry by entry.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

import graycube as gc
from graycube.cost import replay
from graycube.gf2 import Exchange, rotation
from graycube.papers import Case, Claim, agreed, tried
from graycube.papers.codes import (
    Ints,
    above,
    bits_agree,
    carried,
    converts,
    is_the_code,
    ranks,
    reflected,
)
from graycube.schedule import expand

from .model import schedule

definition_1 = tried(lambda n: is_the_code(reflected(n)))


@tried
def top_bit(n: int) -> bool:
    """The highest bit, and the others as codes of one bit less."""
    i, half = np.arange(1 << n), 1 << n - 1
    rest = reflected(n - 1)[np.where(i & half, ~i, i) & half - 1]
    return all(np.array_equal(code, i & half | rest) for code in (reflected(n), gc.gray(i)))


lemma_1 = tried(lambda n: bits_agree(reflected(n)))


lemma_2 = tried(lambda n: splits(n, 0))
"""One exchange splits the field in two Gray-coded fields."""
one_of_several = tried(
    lambda n: all(splits(n, at, c) for at in range(1, n - 1) for c in ("gray", "binary"))
)
"""Splitting one of two fields, one of them Gray-coded, leaves the other as it is."""


def splits(n: int, at: int, code: str = "binary") -> bool:
    """Whether an exchange splits the field above bit ``at``, whatever is below."""
    nodes = np.arange(1 << n)
    low = nodes & (1 << at) - 1
    lower = ranks(at)[low] if code == "gray" else low
    upper = nodes >> at
    start = np.argsort(ranks(n - at)[upper] << at | lower)
    for m in range(1, n - at):
        _, place = carried(start, [Exchange(1 << at + m - 1, above(n, at + m - 1))])
        parts = ranks(n - at - m)[upper >> m] << m | ranks(m)[upper & (1 << m) - 1]
        if not np.array_equal(np.argsort(place), parts << at | lower):
            return False
    return True


def sorts(n: int, order: Sequence[int], *, as_printed: bool = False) -> bool:
    """Whether exchanges in this order convert, with the parity from bit x, or x - 1, on."""
    tops = (x - as_printed for x in firsts(order, n))
    made = [(1 << m, (2 << x) - (2 << m)) for m, x in zip(order, tops, strict=True)]
    return converts([Exchange(flip, when) for flip, when in made if when], n)


def firsts(order: Sequence[int], n: int) -> list[int]:
    """For each exchange bit x: the next dimension above that is done before it, or the top."""
    return [min((d for d in order[:t] if d > m), default=n - 1) for t, m in enumerate(order)]


@tried
def theorem_1(n: int) -> bool:
    """All orders, by Lemma 2 and by the library's exchanges."""
    return all(
        sorts(n, order) and converts(gc.gray_to_binary(n, order), n)
        for order in permutations(range(n - 1))
    )


local_control = tried(
    lambda n: all(sorts(n, o, as_printed=True) for o in permutations(range(n - 1))),
    lambda n: all(sorts(n, o) for o in permutations(range(n - 1))),
)
"""The rule for single exchanges."""


@tried
def downwards(n: int) -> bool:
    """The first program: bit j + 1 of the node alone decides, in the library as well."""
    made = gc.gray_to_binary(n, range(n - 2, -1, -1))
    by_one_bit = all(e.when == e.flip << 1 and e.want for e in made)
    return ends(steps(n, n - 2)) and converts(made, n) and by_one_bit


@tried
def cyclically(n: int) -> bool:
    """The second program, from every dimension; the library's exchanges in the same orders."""
    return all(
        list(order := rotation(n, start)) == [(start - k) % (n - 1) for k in range(n - 1)]
        and ends(steps(n, start))
        and converts(gc.gray_to_binary(n, order), n)
        for start in range(n - 1)
    )


def steps(n: int, start: int) -> list[Ints]:
    """What the nodes hold before and after every exchange of the second program."""
    others = *range(start - 1, -1, -1), *range(n - 2, start, -1)
    program = [
        Exchange(1 << start, above(n, start)),
        *(Exchange(1 << j, 2 << j) for j in others),
    ]
    return [np.argsort(place) for place in carried(reflected(n), program)]


def ends(held: list[Ints]) -> bool:
    """Whether n - 1 exchanges bring everything home."""
    home = np.arange(len(held[0]))
    return 1 << len(held) == len(home) and np.array_equal(held[-1], home)


@tried
def constant_storage(n: int, K: int) -> bool:
    """No node ever holds more than its block, and every exchange is a permutation."""
    names = "minimum-path", "pipelined", "nonminimum-path", "nonminimum-ring"
    made = (schedule(name, (n,), K) for name in names)
    peaks = {int(replay(expand(s)).peak.max()) for s in made}
    places = carried(reflected(n), gc.gray_to_binary(n))
    permuted = all(len(np.unique(place)) == 1 << n for place in places)
    return peaks == {K} and permuted


N = 4
SEQUENCES = (2, 1, 0)
"""Figure 3: the dimensions in which its sequences begin."""


def figure_2(claim: Claim) -> Iterator[Case]:
    """For each exchange the deciding bit of the node, and the data after it."""
    nodes, (first, *after) = np.arange(1 << N), steps(N, N - 2)
    columns = [x for k, held in enumerate(after) for x in (nodes >> N - 1 - k & 1, held)]
    return entries(claim, ["b3", "2", "b2", "1", "b1", "0"], first, *columns)


def figure_3(claim: Claim) -> Iterator[Case]:
    """The data after each exchange of each sequence."""
    orders = [rotation(N, start) for start in SEQUENCES]
    names = [f"sequence {order[0]}, dimension {d}" for order in orders for d in order]
    (first, *_), *_ = made = [steps(N, start) for start in SEQUENCES]
    return entries(claim, names, first, *(held for _, *after in made for held in after))


def entries(claim: Claim, names: list[str], *columns: Ints) -> Iterator[Case]:
    """Entry by entry, in the order of the nodes' Gray code: data, node, and the columns."""
    first, *_ = columns
    for printed, node in zip(claim.figures, (i ^ i >> 1 for i in range(1 << N)), strict=True):
        ours = first[node], node, *(column[node] for column in columns[1:])
        for name, paper, computed in zip(["data", "node", *names], printed, ours, strict=True):
            yield agreed(f"node {printed[1]:04b}, {name}", paper, computed)
