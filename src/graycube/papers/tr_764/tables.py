"""Tables 2 and 4, entry by entry."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.papers import Case, Claim, require
from graycube.papers.formula import evaluate
from graycube.schedule import expand
from graycube.table.networks.state import Code, Conversion
from graycube.verify import check_algebra, check_elements, check_pairs

from .cube import reflected
from .four import whole_four
from .layouts import named

MOMENTS = ("initial", "dimension 2", "before 1", "dimension 1", "before 0", "dimension 0")
"""The moments of Table 2, under the names that the run gives them."""
CODES: tuple[Code, ...] = ("binary", "gray")
CONVERSIONS: tuple[Conversion, ...] = ("inter-node", "local")
_FOLLOWED = 9
"""Networks of so many index bits are followed element by element as well."""


def table_2(claim: Claim) -> Iterator[Case]:
    """192 entries, by our own run of the program, and by the library's schedule."""
    columns = reflected(np.arange(8))
    run = whole_four(3, 5)
    made = gc.emulation(gc.Layout.cyclic(5, 3, whole="gray"))
    library = [_held(layout) for layout in made.layouts()]
    for at, name in enumerate(MOMENTS):
        ours, other = (table[:, columns] for table in (run.tables[name], library[at]))
        for slot in range(4):
            for column, printed in enumerate(claim.figures[4 * at + slot]):
                found = f"{ours[slot, column]:05b}"
                right = printed == found == f"{other[slot, column]:05b}"
                yield Case(f"{name}, slot {slot}, column {column}", printed, found, right)


def _held(layout: gc.Layout) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    node, slot = (np.asarray(x) for x in layout.locate(np.arange(1 << layout.p)))
    table = np.empty((layout.block_size, 1 << layout.n), dtype=np.int64)
    table[slot, node] = np.arange(1 << layout.p)
    return table


def table_4(claim: Claim) -> Iterator[Case]:
    """All formulas against proved schedules of both outputs."""
    mended = claim.correction.figures if claim.correction else claim.figures
    for row, right in zip(claim.figures, mended, strict=True):
        kind, encoding, *formulas = row
        for sizes in claim.cases():
            n, block = sizes["n"], sizes["K"]
            for column, conversion in enumerate(CONVERSIONS):
                if conversion == "local" and block < 4:
                    continue
                method = gc.Method(conversion)
                ours = max(proved(kind, encoding, n, block, method, code) for code in CODES)
                paper, true = (
                    evaluate(text, sizes) for text in (formulas[column], right[2 + column])
                )
                where = f"{kind}, {encoding}, {conversion}, n = {n}, K = {block}"
                is_open = bound(kind, encoding, n, block) <= paper < ours
                yield Case(where, str(paper), str(ours), ours == paper, ours == true, is_open)


def bound(kind: str, encoding: str, n: int, block: int, *, descending: bool = True) -> int:
    """Cycles that every network needs with the stages in this order."""
    layout = named(kind, encoding, n + block.bit_length() - 1, n)
    stages = range(layout.p)
    return butterfly_cycles(layout, 0, block, n, stages[::-1] if descending else stages)


@lru_cache(maxsize=4096)
def proved(  # noqa: PLR0913, PLR0917
    kind: str,
    encoding: str,
    n: int,
    block: int,
    method: gc.Method,
    output: Code = "binary",
    *,
    descending: bool = True,
) -> int:
    """The cycles of the library's schedule, which is proved first."""
    layout = named(kind, encoding, n + block.bit_length() - 1, n)
    made = gc.emulation(layout, method=method, output=output, descending=descending)
    require_right(made)
    return made.cycles


def require_right(made: gc.Schedule) -> None:
    """Proof by algebra; small networks are followed element by element and pair by pair."""
    machine = gc.Machine(dims=made.task.n, ports="all")
    reports = [check_algebra(made, machine)]
    if made.task.p <= _FOLLOWED:
        moves = expand(made)
        reports += [check_elements(moves, machine), check_pairs(moves, made.stages)]
    require(all(reports), f"{made!r} of {made.task.source} is wrong")
