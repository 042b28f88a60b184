"""Our versions of what goes all the way: machine bits, motion, cycle charts, and tables."""

from typing import TYPE_CHECKING

import numpy as np

from graycube.papers import Claim

from .cube import reflected
from .drawing import chart, placements, text_table
from .figures import NEXT, crossing_next, parts, words
from .four import whole_four
from .motion import cyclic_run
from .points import one_point_tables
from .schedules import library_use, use_of
from .tables import MOMENTS
from .two import consecutive

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.figure import Figure


def fields(figure: "Figure", claim: Claim) -> None:
    """Figures 3 and 17 and Table 3: one line for each moment."""
    machine = list(dict.fromkeys(row[2] for row in claim.figures))
    moments = list(dict.fromkeys((row[0], row[1]) for row in claim.figures))
    rows = {}
    for moment, nodes in moments:
        said = {
            row[2]: f"{row[3]}({row[4]})" for row in claim.figures if row[:2] == (moment, nodes)
        }
        name = f"{moment}, nodes {nodes}*" if nodes else moment
        rows[name] = [said.get(bit, "") for bit in machine]
    text_table(figure, [f"a({bit})" for bit in machine], rows)


def motion(figure: "Figure", claim: Claim) -> None:
    """Figures 13, 14, 21 and 22: all steps on a 3-cube; what crosses next is set off."""
    ((output,),) = claim.figures
    run = cyclic_run(3, output) if claim.number in {"13", "14"} else consecutive(3, output)
    columns = reflected(np.arange(8))
    exchanges = [name for name in run.tables if name == "initial" or "exchange" in name]
    tables = {name: words(run.tables[name], 4, columns) for name in exchanges}
    marked = {
        name: crossing_next(run.cube, run.tables[name], columns, cycle)
        for cycle, name in enumerate(exchanges)
    }
    placements(figure, tables, [f"{c:03b}" for c in columns], marked, NEXT)


def figure_23(figure: "Figure", claim: Claim) -> None:
    del claim
    names = ["initial", "after stage 2", "after stage 1", "after stage 0"]
    columns = reflected(np.arange(8))
    tables = {
        name: words(table[None, :], 3, columns)
        for name, table in zip(names, one_point_tables(3), strict=True)
    }
    placements(figure, tables, [f"{c:03b}" for c in columns])


def table_2(figure: "Figure", claim: Claim) -> None:
    tables, columns = whole_four(3, 5).tables, reflected(np.arange(8))
    names = [
        "initial",
        *(f"dimension {d} {how}" for d, how in ((2, "exchanged"), (3, "converted"))),
        *(f"dimension {d} {how}" for d, how in ((1, "exchanged"), (4, "converted"))),
        "dimension 0 exchanged",
    ]
    shown = {
        name: words(tables[moment], 5, columns)
        for name, moment in zip(names, MOMENTS, strict=True)
    }
    parts(figure, claim, shown, [f"{c:03b}" for c in columns])


def schedules(figure: "Figure", claim: Claim) -> None:
    """Figures 12 and 18 to 20: n = 5, eight elements on a node."""
    names = list(dict.fromkeys(row[0] for row in claim.figures))
    titles = {name: f"{name.replace('whole', 'entire address')} conversion" for name in names}
    uses = {f"{titles[name]}, n = 5, P/N = 8": use_of(name, 5, 8) for name in names}
    if claim.number == "19":
        uses["consecutive, inter-node conversion, n = 5, P/N = 8"] = library_use(
            "consecutive, inter-node", 5, 8
        )
    chart(figure, uses)


def table_4(figure: "Figure", claim: Claim) -> None:
    """The formulas as printed, and right or reached ones; those that differ are set off."""
    right = claim.correction.figures if claim.correction else claim.figures
    names = ["inter-node, printed", "inter-node", "local, printed", "local"]
    rows, marked = {}, set()
    for i, (one, other) in enumerate(zip(claim.figures, right, strict=True)):
        rows[f"{one[0]}, {one[1]}"] = [one[2], other[2], one[3], other[3]]
        marked |= {(i, 2 * j + 1) for j in range(2) if one[2 + j] != other[2 + j]}
    text_table(figure, names, rows, marked, "not as printed")
