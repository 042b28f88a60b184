"""Theorems 1 to 4: schedules proved and counted, node programs followed."""

from collections.abc import Iterator
from dataclasses import replace

import graycube as gc
from graycube.butterflies.state import Code
from graycube.papers import Case, Claim, compared
from graycube.papers.claims import Compute

from .cube import code_field, sound
from .feasible import Network
from .four import ProgramRun, consecutive_four, four, whole_four
from .tables import CODES, bound, proved
from .two import complements, ones_and_bit, two, whole

NODES = "Binary || Gray"
LOCAL, INTER = gc.Method(), gc.Method("inter-node")


def by(
    claim: Claim, who: str, compute: Compute, least: Compute | None = None
) -> Iterator[Case]:
    """Compared, with the name of what was counted."""
    for case in claim.compared(compute, least):
        yield replace(case, where=f"{case.where}, {who}")


def bits(K: int) -> int:
    """The slot bits of so many elements on a node."""
    return K.bit_length() - 1


def counted(run: ProgramRun, output: str, shift: int) -> int:
    """The cycles of a run, if all pairs met, nothing clashed, and the output is in its code."""
    cube = run.cube
    if not (sound(cube) and cube.holds(code_field(output, shift, cube.n))):
        raise AssertionError(f"n = {cube.n}, {output}: the run is wrong")
    return cube.cycles


def theorem_1(claim: Claim) -> Iterator[Case]:
    """Bi-sectioning as section 3.1.1 has it, by our run of it and by the library."""
    for output in CODES:
        yield from by(
            claim,
            f"{output}, node program",
            lambda n, K, output=output: counted(four(n, n + bits(K), output), output, 2),
        )
        yield from by(
            claim,
            f"{output}, library",
            lambda n, K, output=output: proved("cyclic", NODES, n, K, LOCAL, output),
        )


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


def theorem_2(claim: Claim) -> Iterator[Case]:
    """Bi-sectioning with conversion over the links, by both programs and by the library."""
    reorder = {"binary": complements, "gray": ones_and_bit(lambda n, k: n - k - 1)}
    for output in CODES:
        yield from by(
            claim,
            f"{output}, node program",
            lambda n, K, output=output: counted(
                two(n, n + bits(K), reorder[output]), output, 1
            ),
        )
        yield from by(
            claim,
            f"{output}, library",
            lambda n, K, output=output: proved("cyclic", NODES, n, K, INTER, output),
        )


def theorem_3_local(claim: Claim) -> Iterator[Case]:
    yield from by(
        claim,
        "node program",
        lambda n, K: None if n < 2 else checked(consecutive_four(n, n + bits(K))),
        consecutive_bound,
    )
    for output in CODES:
        yield from by(
            claim,
            output,
            lambda n, K, output=output: proved("consecutive", NODES, n, K, LOCAL, output),
            consecutive_bound,
        )


def consecutive_bound(n: int, K: int) -> int:
    return bound("consecutive", NODES, n, K)


def checked(run: ProgramRun) -> int:
    if not sound(run.cube):
        raise AssertionError(f"n = {run.cube.n}: the run is wrong")
    return run.cube.cycles


def theorem_3_inter(claim: Claim) -> Iterator[Case]:
    for output in CODES:
        yield from by(
            claim,
            output,
            lambda n, K, output=output: proved("consecutive", NODES, n, K, INTER, output),
            consecutive_bound,
        )


def theorem_4_local(claim: Claim) -> Iterator[Case]:
    """Two elements on a node: the fewest cycles of any network, by the bound, which is met."""

    def least(n: int, K: int) -> int:
        return bound("cyclic", "Gray", n, K)

    def run(n: int, K: int, output: Code) -> int:
        if K > 2:
            return counted(whole_four(n, n + bits(K), output), output, 2)
        if n <= 2 and _fewest(n) != least(n, K):
            raise AssertionError(f"n = {n}: the bound is not what an integer program finds")
        return proved("cyclic", "Gray", n, K, INTER, output)

    for output in CODES:
        yield from by(
            claim,
            f"{output}, node program",
            lambda n, K, output=output: run(n, K, output),
            least,
        )
        yield from by(
            claim,
            f"{output}, library",
            lambda n, K, output=output: (
                None if K < 4 else proved("cyclic", "Gray", n, K, LOCAL, output)
            ),
        )


def _fewest(n: int) -> int:
    """The fewest cycles for two elements on a node, the entire address in Gray code."""
    layout = gc.Layout.cyclic(n + 1, n, whole="gray")
    return next(t for t in range(3 * n) if Network(layout, t).feasible(60) == "yes")


def theorem_4_inter(claim: Claim) -> Iterator[Case]:
    reorder = {"binary": complements, "gray": ones_and_bit(lambda n, k: n - k - 1)}
    for output in CODES:
        yield from by(
            claim,
            f"{output}, node program",
            lambda n, K, output=output: counted(
                whole(n, n + bits(K), reorder[output]), output, 1
            ),
        )
        yield from by(
            claim,
            f"{output}, library",
            lambda n, K, output=output: proved("cyclic", "Gray", n, K, INTER, output),
        )
