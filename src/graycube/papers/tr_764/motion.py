"""Figures 13 to 16, 21 and 22: two elements on a node, converted over the links."""

from collections.abc import Iterator

import numpy as np

from graycube.papers import Case, Claim, at_every_size

from .cube import code_field, sound
from .four import ProgramRun
from .placements import entries, gray_columns, grid
from .two import complements, consecutive, ones_and_bit, two


def cyclic_run(n: int, output: str) -> ProgramRun:
    """Figures 13 and 14."""
    gray = ones_and_bit(lambda n, k: n - k - 1)
    return two(n, n + 1, gray if output == "gray" else complements)


@at_every_size
def cyclic_motion(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 13 and 14: the end, the links, and that all pairs meet."""
    ((output,),) = claim.figures
    cube = cyclic_run(n, output).cube
    use = cube.use()
    busy = [sorted(np.flatnonzero(use[:, t] == 1 << n).tolist()) for t in range(n)]
    wanted = [sorted({n - 1 - t, max(n - 2 - t, 0)}) for t in range(n)]
    found = {
        "pairs meet": sound(cube),
        "links in use": busy == wanted and int(use.sum()) == (2 * n - 1) << n,
        f"consecutive, {output} code": cube.holds(code_field(output, 1, n)),
    }
    yield from answers(f"n = {n}", found)


@at_every_size
def consecutive_motion(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 21 and 22: the end is the code of the node field, shifted in turn."""
    ((output,),) = claim.figures
    cube = consecutive(n, output).cube
    field = code_field(output, 1, n)
    found = {
        "pairs meet": sound(cube),
        "dimensions shifted": cube.holds([*field[1:], field[0]]),
        "n + 1 cycles": cube.cycles == n + 1,
    }
    yield from answers(f"n = {n}", found)


def answers(where: str, found: dict[str, bool]) -> Iterator[Case]:
    for name, right in found.items():
        yield Case(f"{where}: {name}", "yes", "yes" if right else "no", right)


@at_every_size
def figure_15(claim: Claim, n: int) -> Iterator[Case]:
    tables = two(n, n + 1, complements).tables
    for moment, name in enumerate(("initial", f"exchange {n - 1}")):
        ours = grid(tables[name], gray_columns(2), n - 2, (1, 2))
        yield from entries(claim, f"n = {n}, {name}", ours, 2 * moment)


@at_every_size
def figure_16(claim: Claim, n: int) -> Iterator[Case]:
    """Reflected sequences are in the half 0 of a cube of one dimension more."""
    tables = two(n + 1, n + 2, complements).tables
    names = (f"exchange {n}", f"exchange {n - 1}", f"reordered {n - 1}")
    for moment, name in enumerate(names):
        half = tables[name][:, : 1 << n] & ((2 << n) - 1)
        ours = grid(half, gray_columns(2), n - 2, (1, 2))
        yield from entries(claim, f"n = {n}, {name}", ours, 2 * moment)
