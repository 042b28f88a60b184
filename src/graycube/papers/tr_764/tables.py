"""Tables 2 to 4, Figures 3 and 17, and sections 3.2 and 4.2: entries, and logic bits.

Where machine bits hold logic bits, a row of a claim names a moment, the leading bits of the
nodes it speaks of, a machine bit and the logic bit on it: "~g" and "n - 2" is the complement of
g(n - 2).
"""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, agreed, at_every_size, require
from graycube.papers.checks import Check
from graycube.papers.formula import evaluate

from .cube import Cube, coded, logic, reflected
from .four import whole_four
from .networks import CODES, INTER, LOCAL, NODES, bound, proved
from .two import two

MOMENTS = ("initial", "dimension 2", "before 1", "dimension 1", "before 0", "dimension 0")
"""The moments of Table 2, under the names that the run gives them."""


def table_2(claim: Claim) -> Iterator[Case]:
    """192 entries, by our own run of the program, and by the library's schedule."""
    columns, slots = reflected(np.arange(8)), np.arange(4)
    tables = whole_four(3, 5).tables
    library = gc.emulation(gc.Layout.cyclic(5, 3, whole="gray")).layouts()
    for at, (name, layout) in enumerate(zip(MOMENTS, library, strict=False)):
        ours, other = tables[name][:, columns], layout.index(*np.meshgrid(columns, slots))
        for slot, column in product(range(4), range(8)):
            printed, found = claim.figures[4 * at + slot][column], f"{ours[slot, column]:05b}"
            right = printed == found == f"{other[slot, column]:05b}"
            yield Case(f"{name}, slot {slot}, column {column}", printed, found, right)


def table_4(claim: Claim) -> Iterator[Case]:
    """All formulas against proved schedules of both outputs."""
    mended = claim.correction.figures if claim.correction else claim.figures
    for (kind, encoding, *formulas), (_, _, *right) in zip(claim.figures, mended, strict=True):
        for sizes, (at, method) in product(claim.cases(), enumerate((INTER, LOCAL))):
            n, block = sizes.values()
            if method == LOCAL and block < 4:
                continue
            ours = max(proved(kind, encoding, n, block, method, code) for code in CODES)
            paper, true = (evaluate(text[at], sizes) for text in (formulas, right))
            where = f"{kind}, {encoding}, {method.conversion}, n = {n}, K = {block}"
            is_open = bound(kind, encoding, n, block) <= paper < ours
            yield Case(where, str(paper), str(ours), ours == paper, ours == true, is_open)


def every_row(run: Callable[[int, int], Cube], names: dict[str, str] | None = None) -> Check:
    """The check of all rows against what a run kept.

    The run may have other ``names`` for the moments: a word and a dimension, as a formula.
    """

    @at_every_size
    def check(claim: Claim, n: int, p: int) -> Iterator[Case]:
        tables, sizes = run(n, p).tables, {"n": n, "p": p}
        for moment, nodes, machine, letter, number in claim.figures:
            word, _, dimension = (names or {}).get(moment, "").partition(" ")
            kept = tables[f"{word} {evaluate(dimension, sizes)}" if word else moment]
            place = np.argsort(kept.ravel())
            machine_bit, logic_bit = (int(evaluate(x, sizes)) for x in (machine, number))
            leading = (place & ((1 << n) - 1)) >> n - len(nodes)
            there = np.flatnonzero(leading == int(nodes or "0", 2))  # elements on these nodes
            said, wanted = f"{letter}({number})", logic(f"{letter}{logic_bit}", there)
            right = np.array_equal(place[there] >> machine_bit & 1, wanted)
            where = f"n = {n}, p = {p}: {moment}, nodes {nodes}*, a({machine})"
            yield agreed(where, said, said if right else "something else")

    return check


def exchanged(cube: Cube, moment: str, stage: int, *pairs: tuple[int, int]) -> None:
    """Trade memory bits for dimensions, so that the pairs of a stage are local."""
    for slot, dimension in pairs:
        cube.exchange(slot, dimension, 0)
    cube.stage(stage)
    require(not cube.apart, "some pairs are not on one node")
    cube.keep(moment)


@every_row
def figure_3(n: int, p: int) -> Cube:
    """The all-to-all as two exchanges, and the next one."""
    cube = Cube(n, coded("cyclic", NODES, p, n))
    cube.keep("initial")
    exchanged(cube, "first step", n - 1, (n + 1, n - 1), (n, n - 2))
    exchanged(cube, "second step", n - 2, (n + 1, n - 3))
    return cube


STEPS = {
    "first step": "exchange n - 1",
    "second step": "exchange n - 2",
    "reordered": "reordered n - 2",
}
figure_17 = every_row(two, STEPS)
STEPS_IN_MEMORY = {
    "local n+1": "before n - 1",
    "exchange n-1": "dimension n - 1",
    "local n": "before n - 2",
    "exchange n-2": "dimension n - 2",
}
table_3 = every_row(whole_four, STEPS_IN_MEMORY)


@every_row
def consecutive(n: int, p: int) -> Cube:
    """The two top dimensions trade places with the two top memory bits."""
    cube = Cube(n, coded("consecutive", NODES, p, n))
    cube.keep("initial")
    exchanged(cube, "two exchanges", p - 1, (p - 1, n - 1), (p - 2, n - 2))
    return cube
