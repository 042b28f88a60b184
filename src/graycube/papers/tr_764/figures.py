"""Our versions of the figures: tables of what nodes hold, of machine bits, and cycle charts.

Everything drawn is computed by the checks' own runs.
"""

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from graycube.papers import Claim
from graycube.papers.codes import Ints, reflected
from graycube.papers.drawing import Grid, Marked, chart, placements, text_table

from .codes import held
from .cube import Cube
from .four import four, whole_four
from .placements import GRIDS, in_two_cubes
from .points import sample_code, signal
from .schedules import library_use, use_of
from .tables import MOMENTS
from .two import consecutive, two

Tables = dict[str, Ints]
_QUARTERS = ["00*", "01*", "11*", "10*"]
NEXT = "crosses a link in the next cycle"
_ALL = "old slot, quarter of the index"
_LEADING = "leading bits of the index"
INDICES = {
    "6": (4, _QUARTERS, [_ALL]),
    "7": (4, _QUARTERS, [_ALL]),
    "8": (6, ["00 0*", "00 1*"], [_LEADING]),
    "9": (6, ["00 0*", "00 1*"], [_LEADING]),
    "10": (6, ["00 0*"], [_LEADING]),
    "15": (4, _QUARTERS, ["before", "after the first iteration"]),
    "16": (4, _QUARTERS, ["before", "exchanged", "reordered"]),
}
"""The dimensions for which a figure is drawn, its columns, and the names of its moments."""


def shown(table: Ints, columns: Ints, show: Callable[[int], str]) -> Grid:
    """What these nodes hold."""
    return [[show(entry) for entry in row] for row in table[:, columns].tolist()]


def in_bits(count: int) -> Callable[[int], str]:
    return lambda word: f"{word:0{count}b}"


def figure_1(figure: Figure, _: Claim) -> None:
    codes = {"binary": range(16), "Gray": reflected(4)}
    rows = {name: list(map(in_bits(4), code)) for name, code in codes.items()}
    text_table(figure, [str(i) for i in range(16)], rows)


def figure_2(figure: Figure, _: Claim) -> None:
    """What moves in a step is set off."""
    ours = held(4)
    nodes = list(map(in_bits(4), ours.pop("paddr")))
    rows = {name: [str(i) for i in ranks] for name, ranks in ours.items()}
    marked = _cells(np.diff(list(ours.values()), axis=0) != 0)
    text_table(figure, nodes, rows, marked, "changes places in the next step")


def two_cube(figure: Figure, claim: Claim) -> None:
    """Figures 4 and 5: old slot and index."""
    cube = in_two_cubes(2, convert=claim.number == "5")
    tables = {f"old slot, index: {name}": table for name, table in cube.tables.items()}
    moving(figure, cube, tables, lambda e: f"{e >> 2} {e & 3}")


def motion(figure: Figure, claim: Claim) -> None:
    """Figures 13, 14, 21 and 22: all steps on a 3-cube."""
    ((output,),) = claim.figures
    cube = two(3, 4, output) if claim.number in {"13", "14"} else consecutive(3, output)
    kept = cube.tables.items()
    tables = {name: table for name, table in kept if name == "initial" or "exchange" in name}
    moving(figure, cube, tables, in_bits(4))


def moving(figure: Figure, cube: Cube, tables: Tables, show: Callable[[int], str]) -> None:
    """Cycle after cycle what the nodes hold; what crosses a link next is set off."""
    (at, _, _, element), columns = cube.moves, reflected(cube.n)
    marked = [
        _cells(np.isin(table[:, columns], element[at == cycle]))
        for cycle, table in enumerate(tables.values())
    ]
    texts = {name: shown(table, columns, show) for name, table in tables.items()}
    placements(figure, texts, list(map(in_bits(cube.n), columns)), marked, NEXT)


def _cells(where: NDArray[np.bool_]) -> Marked:
    return {(i, j) for i, j in np.argwhere(where).tolist()}


def parts(figure: Figure, claim: Claim, tables: dict[str, Grid], columns: list[str]) -> None:
    """Entries, with those of the print if they differ."""
    printed, texts, marked = iter(claim.figures), dict[str, Grid](), []
    for name, rows in tables.items():
        said = [list(next(printed)) for _ in rows]
        pairs = [zip(*both, strict=True) for both in zip(rows, said, strict=True)]
        texts[name] = [[a if a == b else f"{a} [{b}]" for a, b in row] for row in pairs]
        marked.append(_cells(np.array(rows) != said))
    placements(figure, texts, columns, marked, "printed otherwise, in brackets")


def indices(figure: Figure, claim: Claim) -> None:
    """Figures 6 to 10, 15 and 16; of Figure 10 the half of which the print is."""
    n, columns, moments = INDICES[claim.number]
    tables = dict(zip(moments, GRIDS[claim.number](n).values(), strict=False))
    parts(figure, claim, tables, columns)


def table_2(figure: Figure, claim: Claim) -> None:
    tables, columns = whole_four(3, 5).tables, reflected(3)
    steps = ("2 exchanged", "3 converted", "1 exchanged", "4 converted", "0 exchanged")
    names = ["initial", *(f"dimension {step}" for step in steps)]
    moments = zip(names, MOMENTS, strict=True)
    texts = {name: shown(tables[moment], columns, in_bits(5)) for name, moment in moments}
    parts(figure, claim, texts, list(map(in_bits(3), columns)))


def figure_23(figure: Figure, _: Claim) -> None:
    names, columns = ["initial", *(f"after stage {j}" for j in (2, 1, 0))], reflected(3)
    tables = zip(names, sample_code(signal(3), "mended").tables.values(), strict=True)
    texts = {name: shown(table[None, :], columns, in_bits(3)) for name, table in tables}
    placements(figure, texts, list(map(in_bits(3), columns)))


def figure_11(figure: Figure, _: Claim) -> None:
    """Nodes of a quarter cube; what crosses a link in the next cycle is set off."""
    cube = four(4, 6)
    at, _node, dimension, element = cube.moves
    tables, marked = {}, []
    for cycle in (2, 3, 4):
        nodes, now = cube.nodes_before(cycle), at == cycle
        crossing = dict(zip(element[now], dimension[now], strict=True))
        rows = np.transpose([np.flatnonzero(nodes == node) for node in reflected(2)])
        over = {e: f" ({d})" for e, d in crossing.items()}
        texts = [[f"{e & 15:04b}{over.get(e, '')}" for e in row] for row in rows]
        tables[f"before cycle {cycle}"] = texts
        marked.append(_cells(np.isin(rows, element[now])))
    placements(figure, tables, _QUARTERS, marked, f"{NEXT}, of the dimension in brackets")


def fields(figure: Figure, claim: Claim) -> None:
    """Figures 3 and 17 and Table 3: one line for each moment."""
    machine = list(dict.fromkeys(row[2] for row in claim.figures))
    rows = dict[str, list[str]]()
    for moment, nodes, bit, letter, number in claim.figures:
        name = f"{moment}, nodes {nodes}*" if nodes else moment
        rows.setdefault(name, [""] * len(machine))[machine.index(bit)] = f"{letter}({number})"
    text_table(figure, [f"a({bit})" for bit in machine], rows)


def schedules(figure: Figure, claim: Claim) -> None:
    """Figures 12 and 18 to 20: n = 5, eight elements on a node."""
    names = list(dict.fromkeys(row[0] for row in claim.figures))
    titles = {name: f"{name.replace('whole', 'entire address')} conversion" for name in names}
    uses = {f"{titles[name]}, n = 5, P/N = 8": use_of(name, 5, 8) for name in names}
    if claim.number == "19":
        uses["consecutive, inter-node conversion, n = 5, P/N = 8"] = library_use(
            "consecutive, inter-node", 5, 8
        )
    chart(figure, uses)


def table_4(figure: Figure, claim: Claim) -> None:
    """The formulas as printed, and right or reached ones; those that differ are set off."""
    right = claim.correction.figures if claim.correction else claim.figures
    names = ["inter-node, printed", "inter-node", "local, printed", "local"]
    rows, marked = {}, set()
    for i, (one, other) in enumerate(zip(claim.figures, right, strict=True)):
        rows[f"{one[0]}, {one[1]}"] = [one[2], other[2], one[3], other[3]]
        marked |= {(i, 2 * j + 1) for j in range(2) if one[2 + j] != other[2 + j]}
    text_table(figure, names, rows, marked, "not as printed")
