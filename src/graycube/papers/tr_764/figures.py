"""Our versions of the figures: tables of what nodes hold, of machine bits, and cycle charts.

Everything drawn is computed by the checks' own runs.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from graycube.papers import Claim
from graycube.papers.codes import Ints

from .conversions import held
from .cube import Cube, reflected
from .drawing import chart, placements, text_table
from .four import four, whole_four
from .motion import cyclic_run
from .placements import gray_columns, grid, in_two_cubes, next_dimension
from .points import one_point_tables
from .schedules import library_use, use_of
from .tables import MOMENTS
from .two import complements, consecutive, two

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.figure import Figure

Grid = list[list[str]]
_QUARTERS = ["00*", "01*", "11*", "10*"]
NEXT = "crosses a link in the next cycle"
_OTHERWISE = "printed otherwise, in brackets"


def words(table: Ints, bits: int, columns: Ints) -> Grid:
    return [[f"{int(word):0{bits}b}" for word in row[columns]] for row in table]


def figure_1(figure: "Figure", claim: Claim) -> None:
    del claim
    rows = [[f"{i:04b}", f"{i ^ i >> 1:04b}"] for i in range(16)]
    columns = [str(i) for i in range(16)]
    text_table(figure, columns, {"binary": [r[0] for r in rows], "Gray": [r[1] for r in rows]})


def figure_2(figure: "Figure", claim: Claim) -> None:
    """What moves in a step is set off."""
    del claim
    ours = held(4)
    names = list(ours)[1:]
    rows = {name: [str(i) for i in ours[name]] for name in names}
    marked = {
        (at, column)
        for at, (before, after) in enumerate(pairwise(names))
        for column in np.flatnonzero(ours[before] != ours[after]).tolist()
    }
    nodes = [f"{node:04b}" for node in ours["paddr"]]
    text_table(figure, nodes, rows, marked, "changes places in the next step")


def two_cube(figure: "Figure", claim: Claim) -> None:
    """Figures 4 and 5: old slot and index; what crosses a link next is set off."""
    run = in_two_cubes(2, convert=claim.number == "5")
    columns = gray_columns(2)
    tables = {
        f"old slot, index: {name}": [
            [f"{e >> 2} {e & 3}" for e in row] for row in table[:, columns].tolist()
        ]
        for name, table in run.tables.items()
    }
    marked = {
        name: crossing_next(run.cube, table, columns, cycle)
        for cycle, (name, table) in enumerate(zip(tables, run.tables.values(), strict=True))
    }
    placements(figure, tables, [f"{c:02b}" for c in columns], marked, NEXT)


def crossing_next(cube: Cube, table: Ints, columns: Ints, cycle: int) -> set[tuple[int, int]]:
    at, _, _, element = cube.moves
    going = np.isin(table[:, columns], element[at == cycle])
    return {(int(row), int(column)) for row, column in np.argwhere(going)}


def parts(figure: "Figure", claim: Claim, tables: dict[str, Grid], columns: list[str]) -> None:
    """Entries, with those of the print if they differ."""
    printed = iter(claim.figures)
    shown: dict[str, Grid] = {}
    marked: dict[str, set[tuple[int, int]]] = {}
    for name, rows in tables.items():
        shown[name], marked[name] = [], set()
        for i, row in enumerate(rows):
            pairs = list(zip(row, next(printed), strict=True))
            shown[name].append([a if a == b else f"{a} [{b}]" for a, b in pairs])
            marked[name] |= {(i, j) for j, (a, b) in enumerate(pairs) if a != b}
    placements(figure, shown, columns, marked, _OTHERWISE)


def all_to_all(figure: "Figure", claim: Claim) -> None:
    """Figures 6 and 7."""
    table = in_two_cubes(4, convert=claim.number == "7").tables["all-to-all"]
    ours = grid(table, gray_columns(2), 2, (-2, -2))
    parts(figure, claim, {"old slot, quarter of the index": ours}, _QUARTERS)


def subcube(figure: "Figure", claim: Claim) -> None:
    """Figures 8 and 9: a quarter of the cube."""
    table = list(next_dimension(6))[int(claim.number) - 8]
    ours = grid(table, np.arange(2), 3, (2, 1))
    parts(figure, claim, {"leading bits of the index": ours}, ["00 0*", "00 1*"])


def figure_10(figure: "Figure", claim: Claim) -> None:
    """An eighth of the cube, without the bits that all of it shares."""
    *_, table = next_dimension(6)
    ours = grid(table[:, :8], np.arange(1), 3, (2,))
    parts(figure, claim, {"leading bits of the index": ours}, ["00 0*"])


def figure_11(figure: "Figure", claim: Claim) -> None:
    """Nodes of a quarter cube; what crosses a link in the next cycle is set off."""
    del claim
    cube = four(4, 6).cube
    at, _, dimension, element = cube.moves
    tables, marked = {}, {}
    for cycle in (2, 3, 4):
        nodes = cube.nodes_before(cycle)
        names = [np.flatnonzero(nodes == node) for node in gray_columns(2)]
        crossing = dict(zip(element[at == cycle], dimension[at == cycle], strict=True))
        grid_of = [
            [_with_dimension(int(e), crossing) for e in row] for row in zip(*names, strict=True)
        ]
        name = f"before cycle {cycle}"
        tables[name] = grid_of
        marked[name] = {
            (i, j) for i, row in enumerate(grid_of) for j, word in enumerate(row) if " " in word
        }
    placements(figure, tables, _QUARTERS, marked, f"{NEXT}, of the dimension in brackets")


def _with_dimension(e: int, crossing: dict[int, int]) -> str:
    word = f"{e & 15:04b}"
    return f"{word} ({crossing[e]})" if e in crossing else word


def figure_15(figure: "Figure", claim: Claim) -> None:
    tables = two(4, 5, complements).tables
    names = {"initial": "before", "exchange 3": "after the first iteration"}
    shown = {
        text: grid(tables[name], gray_columns(2), 2, (1, 2)) for name, text in names.items()
    }
    parts(figure, claim, shown, _QUARTERS)


def figure_16(figure: "Figure", claim: Claim) -> None:
    tables = two(5, 6, complements).tables
    names = {"exchange 4": "before", "exchange 3": "exchanged", "reordered 3": "reordered"}
    halves = {text: tables[name][:, :16] & 31 for name, text in names.items()}
    shown = {text: grid(half, gray_columns(2), 2, (1, 2)) for text, half in halves.items()}
    parts(figure, claim, shown, _QUARTERS)


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
