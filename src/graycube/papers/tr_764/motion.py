"""Figures 4, 5, 13, 14, 21 and 22: where elements end, and the links that they use."""

from collections.abc import Iterator

import numpy as np

from graycube.papers import Case, Claim, at_every_size

from .cube import Cube, code_field, reflected
from .placements import in_two_cubes
from .two import REORDER, consecutive, two


@at_every_size
def in_the_two_cube(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 4 and 5: where everything ends, and that all links are busy in both cycles."""
    convert = claim.number == "5"
    cube = in_two_cubes(n, convert=convert)
    old_slot, quarter = cube.index >> n, cube.index >> n - 2 & 3
    node = reflected(old_slot) if convert else old_slot
    slot = quarter if convert else reflected(quarter)
    for name, ours, wanted in (
        ("processors", cube.place >> n - 2 & 3, node),
        ("memory", cube.place >> n, slot),
    ):
        right = np.array_equal(ours, wanted)
        yield Case(f"n = {n}: {name}", "the code", "it is" if right else "not", right)
    use = cube.use()[n - 2 :]
    busy = use.shape == (2, 2) and bool((use == 1 << n).all()) and not cube.clashes
    yield Case(f"n = {n}: links", "all busy", "all" if busy else "not all", busy)


def cyclic_run(n: int, output: str) -> Cube:
    """Figures 13 and 14."""
    return two(n, n + 1, REORDER[output])


@at_every_size
def cyclic_motion(claim: Claim, n: int) -> Iterator[Case]:
    """Figures 13 and 14: the end, the links, and that all pairs meet."""
    ((output,),) = claim.figures
    cube = cyclic_run(n, output)
    use = cube.use()
    busy = [sorted(np.flatnonzero(use[:, t] == 1 << n).tolist()) for t in range(n)]
    wanted = [sorted({n - 1 - t, max(n - 2 - t, 0)}) for t in range(n)]
    found = {
        "pairs meet": cube.sound,
        "links in use": busy == wanted and int(use.sum()) == (2 * n - 1) << n,
        f"consecutive, {output} code": cube.ends(output, 1),
    }
    yield from answers(f"n = {n}", found)


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
    yield from answers(f"n = {n}", found)


def answers(where: str, found: dict[str, bool]) -> Iterator[Case]:
    for name, right in found.items():
        yield Case(f"{where}: {name}", "yes", "yes" if right else "no", right)
