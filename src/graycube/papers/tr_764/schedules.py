"""Figures 12 and 18 to 20: which dimension is in use in which cycle.

A row of a claim names a dimension, by its number or as "k" for all between, and the first and
the last cycle of a span in which all nodes send over it, and the step.
"""

from collections.abc import Callable, Iterator

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, at_every_size, compared
from graycube.papers.codes import Ints
from graycube.papers.formula import evaluate
from graycube.papers.library import followed

from .cube import Cube
from .four import consecutive_four, four, whole_four
from .networks import INTER, LOCAL, NODES, bits, bound, named
from .two import two, whole

SCHEDULES = {
    "local": ("cyclic", NODES, LOCAL),
    "inter-node": ("cyclic", NODES, INTER),
    "whole, local": ("cyclic", "Gray", LOCAL),
    "whole, inter-node": ("cyclic", "Gray", INTER),
    "consecutive, local": ("consecutive", NODES, LOCAL),
    "consecutive, inter-node": ("consecutive", NODES, INTER),
}
RUNS: dict[str, Callable[..., Cube]] = {
    "local": four,
    "inter-node": two,
    "whole, local": whole_four,
    "whole, inter-node": whole,
    "consecutive, local": consecutive_four,
}


@at_every_size
def spans(claim: Claim, n: int, K: int) -> Iterator[Case]:
    """Every dimension of every run, cycle by cycle, and the library's schedule beside it."""
    mended = claim.correction.figures if claim.correction else ()
    for name in dict.fromkeys(row[0] for row in claim.figures):
        use = use_of(name, n, n + bits(K))
        same = np.array_equal(use, library_use(name, n, n + bits(K)))
        rows, others = ([r[1:] for r in f if r[0] == name] for f in (claim.figures, mended))
        for d in range(n):
            ours = _busy(use, d, n) | (set() if same else {-1})
            printed, right = (_said(said, {"n": n, "K": K}, d) for said in (rows, others))
            late = printed == ours or _one_cycle_late(printed, ours, K // 2)
            paper, told = (" ".join(map(str, sorted(cycles))) for cycles in (printed, ours))
            where = f"{name}, n = {n}, K = {K}, dimension {d}"
            is_open = max(ours) > max(printed) >= bound(*SCHEDULES[name][:2], n, K) - 1
            corrected = right == ours and late if others else None
            yield Case(where, paper, told, printed == ours, corrected, is_open)


def use_of(name: str, n: int, p: int) -> Ints:
    """How many nodes send over a dimension in a cycle, in a run that is sound."""
    cube = RUNS[name](n, p)
    cube.checked()
    return cube.use()


def _busy(use: Ints, d: int, n: int) -> set[int]:
    """The cycles in which all nodes send; -1 is in it if some send and others do not."""
    partly = (use[d] > 0) & (use[d] < 1 << n)
    return set(np.flatnonzero(use[d]).tolist()) | ({-1} if partly.any() else set())


def _one_cycle_late(printed: set[int], ours: set[int], length: int) -> bool:
    """Whether a span of so many cycles starts one cycle after the printed one."""
    apart = sorted(printed ^ ours)
    return len(apart) == 2 and apart[0] in printed and apart[1] - apart[0] == length


def _said(rows: list[tuple[str, ...]], sizes: dict[str, int], d: int) -> set[int]:
    named = {evaluate(row[0], sizes) for row in rows if row[0] != "k"}
    found = set[int]()
    for dimension, *span in rows:
        if d not in named if dimension == "k" else evaluate(dimension, sizes) == d:
            start, stop, by = (int(evaluate(x, {**sizes, "k": d})) for x in span)
            found |= set(range(start, stop + 1, by))
    return found


def library_use(name: str, n: int, p: int) -> Ints:
    """The use of dimensions in the library's schedule, which is proved first."""
    kind, encoding, method = SCHEDULES[name]
    made = gc.emulation(named(kind, encoding, p, n), method=method)
    moves = followed(made, gc.Machine(n, ports="all"))
    use = np.zeros((n, made.cycles), dtype=np.int64)
    np.add.at(use, (moves.dimension.astype(np.int64), moves.cycle.astype(np.int64)), 1)
    return use


@compared
def in_use(n: int, K: int, k: int) -> int:
    """In how many cycles all nodes send over a dimension; -1 if some nodes do not."""
    cycles = _busy(library_use("consecutive, inter-node", n, n + bits(K)), k, n)
    return -1 if -1 in cycles else len(cycles)
