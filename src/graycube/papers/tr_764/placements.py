"""Figures 4 to 11, 13 to 16, 21 and 22: what the memories hold, entry by entry, and the links.

Entries are the parts of an index as the figures print them: old slot, leading bits. The rest
of an index is the decoded rest of the node number, or its complement; the print does not show
which, and we check that it is the one that follows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from graycube.papers import Case, Claim, agreed, answers, at_every_size, tried
from graycube.papers.codes import Ints, ranks, reflected as gray_columns

from .cube import Cube, code_field, reflected
from .four import all_to_all, four, started
from .two import consecutive, two

Grid = list[list[str]]


def grid(table: Ints, leading: int, shape: Sequence[int]) -> Grid:
    """The leading parts of the indices, in columns of nodes; ``shape`` says the parts.

    A column stands for all nodes that agree in so many ``leading`` bits; they must hold the
    same parts, and the decoded rest of the node number or its complement as the rest.
    """
    low = table.shape[1].bit_length() - 1 - leading
    blocks = table.reshape(len(table), 1 << leading, 1 << low)[:, gray_columns(leading)]
    lead, rest = blocks >> low, blocks & ((1 << low) - 1)
    as_it_is = (rest == ranks(low)).all(axis=2)
    turned = (rest == ((1 << low) - 1 ^ ranks(low))).all(axis=2)
    same = (lead == lead[:, :, :1]).all(axis=2) & (as_it_is | turned)
    return [
        [_parts(int(one), shape) if ok else "mixed" for one, ok in zip(row, oks, strict=True)]
        for row, oks in zip(lead[:, :, 0], same, strict=True)
    ]


def _parts(value: int, shape: Sequence[int]) -> str:
    """Binary parts of so many bits; a negative count is a decimal digit."""
    words = []
    for bits in reversed(shape):
        part, value = value & ((1 << abs(bits)) - 1), value >> abs(bits)
        words.append(str(part) if bits < 0 else f"{part:0{bits}b}")
    return " ".join(reversed(words))


def entries(claim: Claim, where: str, ours: Grid, first: int = 0) -> Iterator[Case]:
    """Printed rows, from the one numbered ``first``, against ours.

    What is wrong in them is that the last two columns are interchanged from row 2 on.
    """
    mended = claim.correction.figures if claim.correction else ()
    for at, row in enumerate(ours, first):
        printed = list(claim.figures[at])
        turned = printed[:2] + printed[2:][:: -1 if at > 1 else 1]
        for column, found in enumerate(row):
            case = agreed(f"{where}, row {at}, column {column}", printed[column], found)
            right = mended[at][column] == found == turned[column] if mended else None
            yield replace(case, corrected=right)


def in_two_cubes(n: int, *, convert: bool) -> Cube:
    """Four elements on a node, and the all-to-all in the cubes of the two top dimensions."""
    cube = started(n, n + 2)
    all_to_all(cube, n - 2, 0, convert=convert)
    return cube


def next_dimension(n: int) -> list[Ints]:
    """The quarter cube 00 after the all-to-all, after one exchange, and in order again."""
    cube = in_two_cubes(n, convert=True)
    tables = [cube.table()]
    cube.exchange(n + 1, n - 3, 2)
    tables.append(cube.table())
    shifted(cube)
    return [table[:, : 1 << n - 2] & ((1 << n) - 1) for table in (*tables, cube.table())]


def shifted(cube: Cube) -> None:
    """Cyclic shift of the last three of four memory locations."""
    slot = cube.place >> cube.n & 3
    cube.place ^= (slot ^ np.array([0, 3, 1, 2])[slot]) << cube.n


def halves(n: int) -> dict[str, Grid]:
    """Figure 10; the leading bit of the index is that of the node, and left out."""
    parts = np.split(next_dimension(n)[2], 2, axis=1)
    return {f", half {h}": grid(half, 0, (2,)) for h, half in enumerate(parts)}


def iterations(cube: Cube, n: int, *names: str) -> dict[str, Grid]:
    """Figures 15 and 16: moments of two elements on a node, on the first 2^n nodes."""
    return {f", {m}": grid(cube.tables[m][:, : 1 << n], 2, (1, 2)) for m in names}


GRIDS: dict[str, Callable[[int], dict[str, Grid]]] = {
    "6": lambda n: {"": grid(in_two_cubes(n, convert=False).table(), 2, (-2, -2))},
    "7": lambda n: {"": grid(in_two_cubes(n, convert=True).table(), 2, (-2, -2))},
    "8": lambda n: {"": grid(next_dimension(n)[0], 1, (2, 1))},
    "9": lambda n: {"": grid(next_dimension(n)[1], 1, (2, 1))},
    "10": halves,
    "15": lambda n: iterations(two(n, n + 1), n, "initial", f"exchange {n - 1}"),
    "16": lambda n: iterations(
        two(n + 1, n + 2), n, f"exchange {n}", f"exchange {n - 1}", f"reordered {n - 1}"
    ),
}
"""What each figure shows, moment by moment, for a cube of n dimensions; Figures 8 to 10 a
quarter of it, and Figure 16 the half with the reflected sequences of one dimension more."""


@at_every_size
def indices(claim: Claim, n: int) -> Iterator[Case]:
    """The rows of all moments, one after the other."""
    first = 0
    for moment, ours in GRIDS[claim.number](n).items():
        yield from entries(claim, f"n = {n}{moment}", ours, first)
        first += len(ours)


@at_every_size
def figure_10(claim: Claim, n: int) -> Iterator[Case]:
    """Both halves against the same rows; the figure leaves out the leading bit of the index."""
    *_, table = next_dimension(n)
    for half, (moment, ours) in enumerate(halves(n).items()):
        right = (np.split(table, 2, axis=1)[half] >> n - 1 == half).all()
        yield from answers(f"n = {n}{moment}: ", {f"index {half}..": right})
        yield from entries(claim, f"n = {n}{moment}", ours)


@tried
def induction(n: int) -> bool:
    """The exchange and the shift, dimension after dimension: all pairs meet in every stage."""
    cube = in_two_cubes(n, convert=True)
    cube.stage(n - 1)
    for k in reversed(range(n - 2)):
        cube.exchange(n + 1, k, 2)
        cube.stage(k + 1)
        shifted(cube)
    cube.stage(0)
    return not [bit for bit in cube.apart if bit < n]


@at_every_size
def figure_11(claim: Claim, n: int) -> Iterator[Case]:
    """Three moments; a node's entries are compared as a set, as memory may be in any order."""
    cube = four(n, n + 2)
    for moment in range(3):
        nodes = cube.nodes_before(2 + moment)
        rows = claim.figures[4 * moment : 4 * moment + 4]
        for column in range(4):
            node = int(gray_columns(2)[column]) << n - 4
            held = np.flatnonzero(nodes == node) >> n - 4 & 15
            ours = " ".join(sorted(f"{word:04b}" for word in held))
            printed = " ".join(sorted(row[column] for row in rows))
            yield agreed(f"n = {n}, moment {moment}, column {column}", printed, ours)


@at_every_size
def in_the_two_cube(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 4 and 5: where everything ends, and that all links are busy in both cycles."""
    convert = claim.number == "5"
    cube = in_two_cubes(n, convert=convert)
    old_slot, quarter = cube.index >> n, cube.index >> n - 2 & 3
    node = reflected(old_slot) if convert else old_slot
    slot = quarter if convert else reflected(quarter)
    use = cube.use()[n - 2 :]
    found = {
        "code of processors": np.array_equal(cube.place >> n - 2 & 3, node),
        "code of memory": np.array_equal(cube.place >> n, slot),
        "all links busy": use.shape == (2, 2) and (use == 1 << n).all() and not cube.clashes,
    }
    return answers(f"n = {n}: ", found)


@at_every_size
def cyclic_motion(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 13 and 14: the end, the links, and that all pairs meet."""
    ((output,),) = claim.figures
    cube = two(n, n + 1, output)
    use = cube.use()
    busy = [sorted(np.flatnonzero(use[:, t] == 1 << n).tolist()) for t in range(n)]
    wanted = [sorted({n - 1 - t, max(n - 2 - t, 0)}) for t in range(n)]
    found = {
        "pairs meet": cube.sound,
        "links in use": busy == wanted and int(use.sum()) == (2 * n - 1) << n,
        f"consecutive, {output} code": cube.ends(output, 1),
    }
    return answers(f"n = {n}: ", found)


@at_every_size
def consecutive_motion(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 21 and 22: the end is the code of the node field, shifted in turn."""
    ((output,),) = claim.figures
    cube = consecutive(n, output)
    field = code_field(output, 1, n)
    found = {
        "pairs meet": cube.sound,
        "dimensions shifted": cube.holds([*field[1:], field[0]]),
        "n + 1 cycles": cube.cycles == n + 1,
    }
    return answers(f"n = {n}: ", found)
