"""Tables 2 and 4, entry by entry."""

from collections.abc import Iterator
from itertools import product

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim
from graycube.papers.formula import evaluate
from graycube.table.networks.state import Conversion

from .cube import reflected
from .four import whole_four
from .library import CODES, bound, proved

MOMENTS = ("initial", "dimension 2", "before 1", "dimension 1", "before 0", "dimension 0")
"""The moments of Table 2, under the names that the run gives them."""
CONVERSIONS: tuple[Conversion, ...] = ("inter-node", "local")


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
        for sizes, (at, conversion) in product(claim.cases(), enumerate(CONVERSIONS)):
            n, block = sizes.values()
            if conversion == "local" and block < 4:
                continue
            method = gc.Method(conversion)
            ours = max(proved(kind, encoding, n, block, method, code) for code in CODES)
            paper, true = (evaluate(text[at], sizes) for text in (formulas, right))
            where = f"{kind}, {encoding}, {conversion}, n = {n}, K = {block}"
            is_open = bound(kind, encoding, n, block) <= paper < ours
            yield Case(where, str(paper), str(ours), ours == paper, ours == true, is_open)
