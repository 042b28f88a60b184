"""Theorems 1 to 4: schedules proved and counted, node programs followed."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import graycube as gc
from graycube.papers import Case, Claim, compared, require
from graycube.papers.claims import Compute
from graycube.table.networks.state import Code

from .cube import code_field, sound
from .feasible import Network
from .four import ProgramRun, consecutive_four, four, whole_four
from .tables import CODES, bound, proved
from .two import complements, ones_and_bit, two, whole

NODES = "Binary || Gray"
LOCAL, INTER = gc.Method(), gc.Method("inter-node")
PROGRAM, LIBRARY = ", node program", ", library"
REORDER = {"binary": complements, "gray": ones_and_bit(lambda n, k: n - k - 1)}
Cases = Iterator[Case]


def by(claim: Claim, who: str, compute: Compute, least: Compute | None = None) -> Cases:
    """Compared, with the name of what was counted."""
    for case in claim.compared(compute, least):
        yield replace(case, where=f"{case.where}, {who}")


def by_both(claim: Claim, *ways: tuple[str, Compute], least: Compute | None = None) -> Cases:
    """Compared, for output in either code."""
    for output in CODES:
        for who, compute in ways:
            yield from by(claim, f"{output}{who}", partial(compute, output=output), least)


def bits(K: int) -> int:
    """The slot bits of so many elements on a node."""
    return K.bit_length() - 1


def counted(run: ProgramRun, output: str, shift: int) -> int:
    """The cycles of a run, if all pairs met, nothing clashed, and the output is in its code."""
    cube = run.cube
    right = sound(cube) and cube.holds(code_field(output, shift, cube.n))
    require(right, f"the run is wrong, output in {output} code")
    return cube.cycles


def theorem_1(claim: Claim) -> Cases:
    """Bi-sectioning as section 3.1.1 has it, by our run of it and by the library."""

    def program(n: int, K: int, output: Code) -> int:
        return counted(four(n, n + bits(K), output), output, 2)

    return by_both(claim, (PROGRAM, program), (LIBRARY, partial(by_library, "cyclic", LOCAL)))


def by_library(kind: str, method: gc.Method, n: int, K: int, output: Code) -> int:
    """The cycles of a schedule of the library for nodes in Gray code."""
    return proved(kind, NODES, n, K, method, output)


@compared
def theorem_1_any(n: int, K: int) -> int | None:
    """Four-sectioning, by the library; four elements by integer program."""
    if K > 4:
        return max(
            proved("cyclic", NODES, n, K, gc.Method(radix=2), output) for output in CODES
        )
    if n == 2:
        return proved("cyclic", NODES, n, K, LOCAL)
    return None if n > 4 else n + _no_network(n, 2, n)


def _no_network(n: int, slots: int, cycles: int) -> int:
    """0 if so many cycles are enough to end as bi-sectioning does, otherwise 1."""
    layout = gc.Layout.cyclic(n + slots, n, nodes="gray")
    target = gc.emulation(layout).task.target.map
    goal = [target(e) & (1 << n) - 1 for e in range(1 << layout.p)]
    return int(Network(layout, cycles, goal).feasible(60) != "yes")


def theorem_2(claim: Claim) -> Cases:
    """Bi-sectioning with conversion over the links, by both programs and by the library."""

    def program(n: int, K: int, output: Code) -> int:
        return counted(two(n, n + bits(K), REORDER[output]), output, 1)

    return by_both(claim, (PROGRAM, program), (LIBRARY, partial(by_library, "cyclic", INTER)))


def theorem_3_local(claim: Claim) -> Cases:
    def program(n: int, K: int) -> int | None:
        return None if n < 2 else checked(consecutive_four(n, n + bits(K)))

    library = partial(by_library, "consecutive", LOCAL)
    yield from by(claim, "node program", program, consecutive_bound)
    yield from by_both(claim, ("", library), least=consecutive_bound)


def consecutive_bound(n: int, K: int) -> int:
    return bound("consecutive", NODES, n, K)


def checked(run: ProgramRun) -> int:
    require(sound(run.cube), "the run is wrong")
    return run.cube.cycles


def theorem_3_inter(claim: Claim) -> Cases:
    library = partial(by_library, "consecutive", INTER)
    return by_both(claim, ("", library), least=consecutive_bound)


def theorem_4_local(claim: Claim) -> Cases:
    """Two elements on a node: the fewest cycles of any network, by the bound, which is met."""

    def least(n: int, K: int) -> int:
        return bound("cyclic", "Gray", n, K)

    def program(n: int, K: int, output: Code) -> int:
        if K > 2:
            return counted(whole_four(n, n + bits(K), output), output, 2)
        same = n > 2 or _fewest(n) == least(n, K)
        require(same, "the bound is not what an integer program finds")
        return proved("cyclic", "Gray", n, K, INTER, output)

    def library(n: int, K: int, output: Code) -> int | None:
        return None if K < 4 else proved("cyclic", "Gray", n, K, LOCAL, output)

    for output in CODES:
        yield from by(claim, f"{output}{PROGRAM}", partial(program, output=output), least)
        yield from by(claim, f"{output}{LIBRARY}", partial(library, output=output))


def _fewest(n: int) -> int:
    """The fewest cycles for two elements on a node, the entire address in Gray code."""
    layout = gc.Layout.cyclic(n + 1, n, whole="gray")
    return next(t for t in range(3 * n) if Network(layout, t).feasible(60) == "yes")


def theorem_4_inter(claim: Claim) -> Cases:
    def program(n: int, K: int, output: Code) -> int:
        return counted(whole(n, n + bits(K), REORDER[output]), output, 1)

    def library(n: int, K: int, output: Code) -> int:
        return proved("cyclic", "Gray", n, K, INTER, output)

    return by_both(claim, (PROGRAM, program), (LIBRARY, library))
