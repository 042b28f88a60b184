"""Section 3.4: speed-ups, break-evens, and the iPSC/2's figures by the model.

Blocks are too large there to follow element by element, so start-ups and transfers are counted
from the symbolic schedules.
"""

from collections.abc import Iterator

import graycube as gc
from graycube.cost import simulate
from graycube.papers import Case, Claim, compared, tried

from .model import ALGORITHMS, schedule, seconds

LARGE = 64 * 1024
"""The message of Figure 5, in bytes."""
NEAR = 0.005  # half of the last digit of a printed speed-up


def speed_up(n: int, block: int, tau: float, t: float = 1.0) -> float:
    """Time of GB1 over time of GB3."""
    return simulated("gb1", n, block, tau, t) / simulated("gb3", n, block, tau, t)


def simulated(algorithm: str, n: int, block: int, tau: float, t: float) -> float:
    """The time of an algorithm, from the symbolic schedule."""
    traffic = simulate(schedule(algorithm, n, block))
    return seconds((traffic.nonempty, traffic.cycles), tau, t)


@tried
def rising(n: int, K: int, tau: int) -> bool:
    """The speed-up rises with K, with n and with falling start-ups, to 2 (n - 1) / n."""
    here = speed_up(n, K, tau)
    more = speed_up(n, 2 * K, tau), speed_up(n + 1, K, tau), speed_up(n, K, tau / 2)
    limit = 2 * (n - 1) / n
    near = limit - speed_up(n, 2**40, tau) < limit / 1000
    return min(more) > here and here < limit and near


def break_even(n: int, on: gc.Machine) -> int:
    """The fewest bytes, an even number, from which on GB3 takes no longer than GB1."""
    low, high = 0, 1 << 20
    while high - low > 2:
        middle = (low + high) // 4 * 2
        if speed_up(n, middle, on.dearest.startup, on.dearest.per_byte) >= 1:
            high = middle
        else:
            low = middle
    return high


break_even_formula = compared(lambda n, tau: break_even(n, gc.Machine(n, startup=tau)))
"""By search on schedules."""


def predicted_break_even(claim: Claim) -> Iterator[Case]:
    """To the digits printed."""
    for n, kbytes in claim.figures:
        ours = break_even(n, gc.Machine.profile("ipsc2", dims=n))
        holds = round(ours / 1000, 1) == round(ours / 1024, 1) == kbytes
        yield Case(f"{1 << n} nodes", f"around {kbytes} kbyte", f"{ours} bytes", holds)


def measured_break_even(claim: Claim) -> Iterator[Case]:
    for n, measured in claim.figures:
        ours = break_even(n, gc.Machine.profile("ipsc2", dims=n))
        holds = abs(ours / measured - 1) < 0.1
        yield Case(f"{1 << n} nodes", f"about {measured} bytes", f"{ours} bytes", holds)


def ipsc2_speed_up(n: int) -> float:
    """The model's for Figure 5."""
    on = gc.Machine.profile("ipsc2", dims=n)
    return speed_up(n, LARGE, on.dearest.startup, on.dearest.per_byte)


def share_of_time(claim: Claim) -> Iterator[Case]:
    """GB3's share of GB1's time for 64 kbyte."""
    for n, percent in claim.figures:
        ours = 100 / ipsc2_speed_up(n)
        holds = abs(ours - percent) < 0.5
        yield Case(f"{1 << n} nodes", f"about {percent} %", f"{ours:.1f} %", holds)


def confirmed(claim: Claim) -> Iterator[Case]:
    """The measured speed-ups against what the formulas allow at any start-up."""
    for n, measured in claim.figures:
        limit = speed_up(n, LARGE, 0)
        above = 100 * (measured / limit - 1)
        ours = f"at most {limit:.2f}, {above:.1f} % less"
        holds = measured <= limit + NEAR
        yield Case(f"n = {n}", f"{measured}", ours, holds, 4 <= above <= 9)


@tried
def small_blocks(n: int, K: int, tau: int) -> bool:
    """Below the break-even GB1 is faster, above it GB3."""
    return (speed_up(n, K, tau) > 1) == (2 * tau / (n - 2) < K)


def figure_4(claim: Claim) -> Iterator[Case]:
    """The predicted curves on 64 nodes, size by size."""
    on, n = gc.Machine.profile("ipsc2", dims=6), 6
    tau, t = on.dearest.startup, on.dearest.per_byte
    even = break_even(n, on)
    last = 0.0
    for (size,) in claim.figures:
        times = {name: simulated(name, n, size, tau, t) for name in ALGORITHMS}
        best = min(times, key=times.__getitem__)
        ratio = times["gb1"] / times["gb3"]
        wanted = "gb3" if size >= even else "gb1"
        rises = last < ratio < 2 * (n - 1) / n
        holds = best == wanted and times["gb3"] < times["gb2"] and rises
        told = ", ".join(f"{1000 * seconds:.2f}" for seconds in times.values())
        yield Case(f"{size} bytes", f"{wanted} first, gb3 before gb2", f"{told} ms", holds)
        last = ratio


def figure_5(claim: Claim) -> Iterator[Case]:
    """The model's speed-ups beside the measured ones."""
    for n, measured in claim.figures:
        ours = ipsc2_speed_up(n)
        yield Case(f"n = {n}", f"{measured}", f"{ours:.2f}", abs(ours - measured) < NEAR)


growth = tried(lambda n: ipsc2_speed_up(n) < ipsc2_speed_up(n + 1))
"""The model's speed-up from one dimension to the next."""
