"""The complexities of sections 2.4 to 3.3 and the bound.

Start-ups and transfers are counted from schedules that are proved.
"""

from collections.abc import Iterator
from functools import lru_cache

import graycube as gc
from graycube.cost import lower_bounds
from graycube.papers import Case, Claim, compared, require, tried
from graycube.papers.checks import Check
from graycube.search import least_cycles

from .model import ALGORITHMS, counted, seconds

TWICE = range(5, 9)
"""The dimensions for which K = n + 2 elements take only n cycles on all ports."""


def time_of(algorithm: str, ports: int = 1, kind: str = "") -> Check:
    """A comparison of an algorithm's price with a formula of n, K, tau and t."""
    return compared(lambda n, K, tau, t: seconds(counted(algorithm, n, K, ports, kind), tau, t))


gb1, gb2, gb3 = map(time_of, ALGORITHMS)


def lemma_3(claim: Claim) -> Iterator[Case]:
    """No schedule is cheaper: not the planner's, and not the optimum of an integer program.

    The highest of the library's bounds lies between.
    """

    def cheapest(task: gc.Task, on: gc.Machine) -> float:
        n, block = task.n, task.block
        best = gc.plan(task.source, task.target, block, machine=on)
        require(best.verify(), str(best))
        if n * block > 12 or n > 3:
            return best.cost
        return min(best.cost, fewest(n, block) * (on.dearest.startup + 1))

    for sizes in claim.cases():
        n, block, tau = sizes.values()
        task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block)
        on = gc.Machine(dims=n, startup=tau, per_byte=1)
        found, bound = cheapest(task, on), max(b.seconds for b in lower_bounds(task, on))
        require(bound <= found, "the library's bound is none")
        yield claim.compare(found, **sizes)
        yield claim.compare(bound, **sizes)


@lru_cache(maxsize=1 << 8)
def fewest(n: int, block: int) -> int:
    """The fewest cycles on one port, by integer program."""
    task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block)
    return least_cycles(task, gc.Machine(dims=n)).cycles


@compared
def near_the_bound(n: int, K: int) -> float:
    """Transfers of GB3 over the bound of Lemma 3; the optimum lies between."""
    bound = (n - 1) * K / 2
    ours = counted("gb3", n, K)[1]
    between = n > 3 or K > 6 or bound <= fewest(n, K) <= ours
    require(between, "the optimum is not between bound and GB3")
    return ours / bound


@compared
def improvement(n: int, K: int) -> float:
    """Transfers of GB1 over those of GB3, which has one start-up more."""
    (steps, whole), (more, halves) = counted("gb1", n, K), counted("gb3", n, K)
    require(more == steps + 1, "GB3 has not one start-up more")
    return whole / halves


all_port_transfers = compared(lambda n, K: counted("nonminimum-ring", n, K, n)[1])
"""Transfers in sequence of the ring with detours, which rests on Lemma 4."""


def all_port_improvement(claim: Claim) -> Iterator[Case]:
    """Whether the pipeline takes K/3 times as many transfers, or K/3 more.

    The routes are those of TR-20-91; where better ones take half as many transfers, it is seen.
    """

    def whole(n: int, K: int) -> tuple[int, int]:
        return counted("pipelined", n, K, n)[1], counted("nonminimum-path", n, K, n)[1]

    def factor(n: int, K: int) -> bool:
        before, after = whole(n, K)
        return before >= after * K / 3

    def difference(n: int, K: int) -> bool:
        before, after = whole(n, K)
        best = counted("tight", n, K, n)[1] if n + 2 == K and n in TWICE else before / 2
        third = K / 3 - 1 <= before - after <= (K + n) / 3 and 2 * before <= 3 * after
        return third and before == 2 * best

    return claim.tried(factor, difference)


@tried
def gb3_before_gb2(n: int, K: int, tau: int) -> bool:
    return seconds(counted("gb3", n, K), tau, 1) < seconds(counted("gb2", n, K), tau, 1)


@tried
def backwards(n: int, K: int) -> bool:
    """Binary to Gray costs as many start-ups and transfers, and is proved as well."""
    return all(
        counted(name, n, K) == counted(name, n, K, kind="backwards") for name in ALGORITHMS
    )
