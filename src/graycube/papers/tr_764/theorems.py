"""Theorems 1 to 4: schedules proved and counted, node programs followed."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import graycube as gc
from graycube.papers import Case, Claim, compared, require
from graycube.papers.checks import Check, Compute
from graycube.table.networks.state import Code

from .feasible import Network
from .four import consecutive_four, whole_four
from .networks import CODES, INTER, LOCAL, NODES, bits, bound, proved
from .schedules import RUNS, SCHEDULES

PROGRAM, LIBRARY = ", node program", ", library"
Cases = Iterator[Case]


def by(claim: Claim, who: str, compute: Compute, least: Compute | None = None) -> Cases:
    """Compared, with the name of what was counted."""
    for case in compared(compute, least)(claim):
        yield replace(case, where=f"{case.where}, {who}")


def by_both(claim: Claim, *ways: tuple[str, Compute], least: Compute | None = None) -> Cases:
    """Compared, for output in either code."""
    for output in CODES:
        for who, compute in ways:
            yield from by(claim, f"{output}{who}", partial(compute, output=output), least)


def followed(name: str, lowest: int) -> Check:
    """By a program of the nodes, which ends with this index bit, and by the library."""

    def program(n: int, K: int, output: Code) -> int:
        return RUNS[name](n, n + bits(K), output).checked(output, lowest)

    def schedule(n: int, K: int, output: Code) -> int:
        kind, encoding, method = SCHEDULES[name]
        return proved(kind, encoding, n, K, method, output)

    return lambda claim: by_both(claim, (PROGRAM, program), (LIBRARY, schedule))


theorem_1 = followed("local", 2)
"""Bi-sectioning as section 3.1.1 has it."""
theorem_2 = followed("inter-node", 1)
"""Bi-sectioning with conversion over the links."""
theorem_4_inter = followed("whole, inter-node", 1)


@compared
def theorem_1_any(n: int, K: int) -> int:
    """Four-sectioning, by the library; four elements by integer program."""
    if K > 4:
        return max(proved("cyclic", NODES, n, K, gc.Method(radix=2), code) for code in CODES)
    return n + _no_network(n, 2, n) if n > 2 else proved("cyclic", NODES, n, K, LOCAL)


def _no_network(n: int, slots: int, cycles: int) -> int:
    """0 if so many cycles are enough to end as bi-sectioning does, otherwise 1."""
    layout = gc.Layout.cyclic(n + slots, n, nodes="gray")
    target = gc.emulation(layout).task.target.map
    goal = [target(e) & (1 << n) - 1 for e in range(1 << layout.p)]
    return int(Network(layout, cycles, goal).feasible(60) != "yes")


def theorem_3_inter(claim: Claim) -> Cases:
    schedule = partial(proved, "consecutive", NODES, method=INTER)
    return by_both(claim, ("", schedule), least=consecutive_bound)


def theorem_3_local(claim: Claim) -> Cases:
    """By the library, and for n > 1 by a program of the nodes as well."""

    def program(n: int, K: int) -> int:
        return consecutive_four(n, n + bits(K)).checked()

    yield from by(replace(claim, only="n > 1"), "node program", program, consecutive_bound)
    schedule = partial(proved, "consecutive", NODES, method=LOCAL)
    yield from by_both(claim, ("", schedule), least=consecutive_bound)


def consecutive_bound(n: int, K: int) -> int:
    return bound("consecutive", NODES, n, K)


def theorem_4_local(claim: Claim) -> Cases:
    """Two elements on a node: the fewest cycles of any network, by the bound, which is met."""

    def least(n: int, K: int) -> int:
        return bound("cyclic", "Gray", n, K)

    def program(n: int, K: int, output: Code) -> int:
        if K > 2:
            return whole_four(n, n + bits(K), output).checked(output, 2)
        require(n > 2 or _fewest(n) == least(n, K), "an integer program finds another bound")
        return proved("cyclic", "Gray", n, K, INTER, output)

    schedule = partial(proved, "cyclic", "Gray", method=LOCAL)
    yield from by_both(claim, (PROGRAM, program), least=least)
    yield from by_both(replace(claim, only="K > 2"), (LIBRARY, schedule))


def _fewest(n: int) -> int:
    """The fewest cycles for two elements on a node, the entire address in Gray code."""
    layout = gc.Layout.cyclic(n + 1, n, whole="gray")
    return next(t for t in range(3 * n) if Network(layout, t).feasible(60) == "yes")
