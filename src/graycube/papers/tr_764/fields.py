"""Figures 3 and 17, Table 3 and sections 3.2 and 4.2: logic bits on machine bits.

A row of a claim names a moment, the leading node bits of the nodes it speaks of, a machine bit
and the logic bit on it: "~g" and "n - 2" is the complement of g(n - 2).
"""

from collections.abc import Callable, Iterator

import numpy as np

from graycube.papers import Case, Claim, at_every_size, require
from graycube.papers.checks import Check
from graycube.papers.codes import Ints
from graycube.papers.formula import evaluate

from .cube import Cube, coded, logic
from .four import whole_four
from .two import complements, two

Moments = dict[str, Ints]
"""Where every element is at a moment."""


def every_row(made: Callable[[int, int], Moments | None]) -> Check:
    """The check of all rows against these moments, where there are any."""

    @at_every_size
    def check(claim: Claim, n: int, p: int) -> Iterator[Case]:
        moments = made(n, p)
        if moments is None:
            return
        for moment, nodes, machine, letter, number in claim.figures:
            place, sizes = moments[moment], {"n": n, "p": p}
            machine_bit, logic_bit = (int(evaluate(x, sizes)) for x in (machine, number))
            there = _among(place, n, nodes)
            found = place[there] >> machine_bit & 1
            right = np.array_equal(found, logic(f"{letter}{logic_bit}", there))
            where = f"n = {n}, p = {p}: {moment}, nodes {nodes}*, a({machine})"
            said = f"{letter}({number})"
            yield Case(where, said, said if right else "something else", right)

    return check


def _among(place: Ints, n: int, nodes: str) -> Ints:
    """The elements on nodes with these leading bits."""
    leading = (place & ((1 << n) - 1)) >> n - len(nodes)
    return np.flatnonzero(leading == int(nodes or "0", 2))


def _places(tables: dict[str, Ints]) -> Moments:
    """Where everything is, from what the nodes hold."""
    return {name: np.argsort(table.ravel()) for name, table in tables.items()}


@every_row
def figure_3(n: int, p: int) -> Moments | None:
    """The all-to-all as two exchanges, and the next one; pairs of two stages must be local."""
    if p < n + 2:
        return None
    cube = Cube(n, coded("cyclic", "Binary || Gray", p, n))
    moments = {"initial": cube.place.copy()}
    cycle = 0 * cube.place
    cube.exchange(n + 1, n - 1, cycle)
    cube.exchange(n, n - 2, cycle)
    cube.stage(n - 1)
    moments["first step"] = cube.place.copy()
    cube.exchange(n + 1, n - 3, cycle)
    cube.stage(n - 2)
    moments["second step"] = cube.place.copy()
    require(not cube.apart, "some pairs are not on one node")
    return moments


@every_row
def figure_17(n: int, p: int) -> Moments | None:
    """The moments under the names of the figure."""
    if p < n + 1:
        return None
    places = _places(two(n, p, complements).tables)
    return {
        "initial": places["initial"],
        "first step": places[f"exchange {n - 1}"],
        "second step": places[f"exchange {n - 2}"],
        "reordered": places[f"reordered {n - 2}"],
    }


@every_row
def table_3(n: int, p: int) -> Moments | None:
    if p < n + 2:
        return None
    places = _places(whole_four(n, p).tables)
    return {
        "initial": places["initial"],
        "local n+1": places[f"before {n - 1}"],
        "exchange n-1": places[f"dimension {n - 1}"],
        "local n": places[f"before {n - 2}"],
        "exchange n-2": places[f"dimension {n - 2}"],
    }


@every_row
def consecutive(n: int, p: int) -> Moments | None:
    """The two top dimensions trade places with the two top memory bits."""
    if p < n + 2:
        return None
    cube = Cube(n, coded("consecutive", "Binary || Gray", p, n))
    moments = {"initial": cube.place.copy()}
    cube.exchange(p - 1, n - 1, 0 * cube.place)
    cube.exchange(p - 2, n - 2, 0 * cube.place)
    cube.stage(p - 1)
    moments["two exchanges"] = cube.place.copy()
    require(not cube.apart, "some pairs are not on one node")
    return moments
