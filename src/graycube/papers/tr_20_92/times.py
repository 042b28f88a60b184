"""The complexities of sections 2.4 to 3.3 and the bound; section 3.4 and the iPSC/2's figures.

Start-ups and transfers are counted from schedules that are proved. The blocks of section 3.4
are too large to follow element by element, so there they are those of the symbolic schedules.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache, partial

import graycube as gc
from graycube.cost import lower_bounds
from graycube.papers import Case, Claim, at_every_size, compared, require, row_by_row, tried
from graycube.papers.checks import Check
from graycube.papers.library import Count, task_of
from graycube.search import least_cycles

from .model import ALGORITHMS, counted, schedule

TWICE = range(5, 9)
"""The dimensions for which K = n + 2 elements take only n cycles on all ports."""
LARGE = 64 * 1024
"""The message of Figure 5, in bytes."""
NEAR = 0.005  # half of the last digit of a printed speed-up
ipsc2 = partial(gc.Machine.profile, "ipsc2")
"""The paper's machine, by its dimensions."""


def time_of(algorithm: str, ports: int = 1, kind: str = "") -> Check:
    """A comparison of an algorithm's price with a formula of n, K, tau and t."""
    return compared(lambda n, K, tau, t: counted(algorithm, n, K, ports, kind).price(tau, t))


gb1, gb2, gb3 = map(time_of, ALGORITHMS)


@at_every_size
def lemma_3(claim: Claim, n: int, K: int, tau: int) -> Iterator[Case]:
    """No schedule is cheaper: not the planner's, and not the optimum of an integer program.

    The highest of the library's bounds lies between.
    """
    task, on = task_of((n,), K), gc.Machine(dims=n, startup=tau, per_byte=1)
    best = gc.plan(task.source, task.target, K, machine=on)
    require(best.verify(), str(best))
    found, bound = best.cost, max(b.seconds for b in lower_bounds(task, on))
    if n * K <= 12 and n <= 3:
        found = min(found, fewest(n, K) * (tau + 1))
    require(bound <= found, "the library's bound is none")
    for ours in (found, bound):
        yield claim.compare(ours, n=n, K=K, tau=tau)


@lru_cache(maxsize=1 << 8)
def fewest(n: int, block: int) -> int:
    """The fewest cycles on one port, by integer program."""
    return least_cycles(task_of((n,), block), gc.Machine(dims=n)).cycles


@compared
def near_the_bound(n: int, K: int) -> float:
    """Transfers of GB3 over the bound of Lemma 3; the optimum lies between."""
    bound = (n - 1) * K / 2
    ours = counted("gb3", n, K).elements
    between = n > 3 or K > 6 or bound <= fewest(n, K) <= ours
    require(between, "the optimum is not between bound and GB3")
    return ours / bound


@compared
def improvement(n: int, K: int) -> float:
    """Transfers of GB1 over those of GB3, which has one start-up more."""
    whole, halves = counted("gb1", n, K), counted("gb3", n, K)
    require(halves.startups == whole.startups + 1, "GB3 has not one start-up more")
    return whole.elements / halves.elements


def all_ports(algorithm: str, n: int, block: int) -> int:
    """Transfers in sequence on all ports."""
    return counted(algorithm, n, block, n).elements


all_port_transfers = compared(lambda n, K: all_ports("nonminimum-ring", n, K))
"""The ring with detours rests on Lemma 4."""


def difference(n: int, K: int) -> bool:
    """Whether the pipeline takes K/3 transfers more, and twice the best where that is known."""
    before, after = (all_ports(name, n, K) for name in ("pipelined", "nonminimum-path"))
    best = all_ports("tight", n, K) if n + 2 == K and n in TWICE else before / 2
    third = K / 3 - 1 <= before - after <= (K + n) / 3 and 2 * before <= 3 * after
    return third and before == 2 * best


all_port_improvement = tried(
    lambda n, K: all_ports("pipelined", n, K) >= all_ports("nonminimum-path", n, K) * K / 3,
    difference,
)
"""Whether the pipeline takes K/3 times as many as the routes of TR-20-91, or K/3 more."""


@tried
def gb3_before_gb2(n: int, K: int, tau: int) -> bool:
    return counted("gb3", n, K).price(tau, 1) < counted("gb2", n, K).price(tau, 1)


@tried
def backwards(n: int, K: int) -> bool:
    """Binary to Gray costs as many start-ups and transfers, and is proved as well."""
    return all(
        counted(name, n, K) == counted(name, n, K, kind="backwards") for name in ALGORITHMS
    )


def speed_up(on: gc.Machine, block: int) -> float:
    """Time of GB1 over time of GB3."""
    return simulated("gb1", on, block) / simulated("gb3", on, block)


def simulated(algorithm: str, on: gc.Machine, block: int) -> float:
    """The time of an algorithm, from the symbolic schedule."""
    count, costs = Count.of(schedule(algorithm, on.dims, block)), on.dearest
    return count.price(costs.startup, costs.per_byte)


@tried
def rising(n: int, K: int, tau: int) -> bool:
    """The speed-up rises with K, with n and with falling start-ups, to 2 (n - 1) / n."""
    on, limit = gc.Machine(n, startup=tau), 2 * (n - 1) / n
    others = gc.Machine(n + 1, startup=tau), gc.Machine(n, startup=tau / 2)
    more = min(speed_up(on, 2 * K), *(speed_up(m, K) for m in others))
    near = limit - speed_up(on, 2**40) < limit / 1000
    return speed_up(on, K) < min(more, limit) and near


def break_even(on: gc.Machine) -> int:
    """The fewest bytes, an even number, from which on GB3 takes no longer than GB1."""
    sizes = range(2, 1 << 20, 2)
    return 2 + 2 * bisect_left(sizes, x=True, key=lambda block: speed_up(on, block) >= 1)


break_even_formula = compared(lambda n, tau: break_even(gc.Machine(n, startup=tau)))
"""By search on schedules."""


@row_by_row
def predicted_break_even(n: int, kbytes: float) -> Case:
    """To the digits printed."""
    ours = break_even(ipsc2(dims=n))
    holds = round(ours / 1000, 1) == round(ours / 1024, 1) == kbytes
    return Case(f"{1 << n} nodes", f"around {kbytes} kbyte", f"{ours} bytes", holds)


@row_by_row
def measured_break_even(n: int, measured: int) -> Case:
    ours = break_even(ipsc2(dims=n))
    holds = abs(ours / measured - 1) < 0.1
    return Case(f"{1 << n} nodes", f"about {measured} bytes", f"{ours} bytes", holds)


def ipsc2_speed_up(n: int) -> float:
    """The model's for Figure 5."""
    return speed_up(ipsc2(dims=n), LARGE)


@row_by_row
def share_of_time(n: int, percent: float) -> Case:
    """GB3's share of GB1's time for 64 kbyte."""
    ours = 100 / ipsc2_speed_up(n)
    near = abs(ours - percent) < 0.5
    return Case(f"{1 << n} nodes", f"about {percent} %", f"{ours:.1f} %", near)


@row_by_row
def confirmed(n: int, measured: float) -> Case:
    """The measured speed-ups against what the formulas allow at any start-up."""
    limit = speed_up(gc.Machine(n, startup=0), LARGE)
    above = 100 * (measured / limit - 1)
    ours = f"at most {limit:.2f}, {above:.1f} % less"
    return Case(f"n = {n}", f"{measured}", ours, measured <= limit + NEAR, 4 <= above <= 9)


@tried
def small_blocks(n: int, K: int, tau: int) -> bool:
    """Below the break-even GB1 is faster, above it GB3."""
    return (speed_up(gc.Machine(n, startup=tau), K) > 1) == (2 * tau / (n - 2) < K)


def figure_4(claim: Claim) -> Iterator[Case]:
    """The predicted curves on 64 nodes, size by size."""
    on = ipsc2(dims=6)
    even, last = break_even(on), 0.0
    for (size,) in claim.figures:
        times = {name: simulated(name, on, size) for name in ALGORITHMS}
        wanted, ratio = "gb3" if size >= even else "gb1", times["gb1"] / times["gb3"]
        first = times[wanted] == min(times.values())
        holds = first and times["gb3"] < times["gb2"] and last < ratio < 2 * 5 / 6
        told = ", ".join(f"{1000 * seconds:.2f}" for seconds in times.values())
        yield Case(f"{size} bytes", f"{wanted} first, gb3 before gb2", f"{told} ms", holds)
        last = ratio


@row_by_row
def figure_5(n: int, measured: float) -> Case:
    """The model's speed-ups beside the measured ones."""
    ours = ipsc2_speed_up(n)
    return Case(f"n = {n}", f"{measured}", f"{ours:.2f}", abs(ours - measured) < NEAR)


growth = tried(lambda n: ipsc2_speed_up(n) < ipsc2_speed_up(n + 1))
"""The model's speed-up from one dimension to the next."""
