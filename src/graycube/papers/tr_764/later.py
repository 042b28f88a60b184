"""Sections 3.2, 4.1 and 4.2: consecutive data, and the entire address in Gray code."""

from collections.abc import Iterator

import numpy as np

from graycube.papers import Case, Claim, compared, tried

from .cube import Cube, coded, odd, sound
from .four import consecutive_four, four
from .layouts import by_library, named
from .placements import in_two_cubes
from .theorems import NODES, bits, checked
from .two import consecutive


@tried
def stages_with_links(n: int, K: int) -> bool:
    """The dimensions that are crossed before each stage, against those of cyclic data."""
    p = n + bits(K)
    run, cyclic = consecutive_four(n, p), four(n, p)
    before, same = ([dims for _, dims in r.cube.crossed] for r in (run, cyclic))
    again = before[n] | before[n + 1] == {n - 1, n - 2}
    return sound(run.cube) and again and before[:n] == same[-n:] and not any(before[n + 2 :])


@compared
def top_dimension_again(n: int) -> int:
    """Two elements on a node, consecutive: the cycles in which the top dimension is in use."""
    run = consecutive(n, "binary", NODES)
    checked(run)
    return int((run.cube.use()[n - 1] > 0).sum())


@tried
def like_a_quarter(n: int) -> bool:
    """Whole addresses in Gray code, and a quarter cube after the all-to-all: by node."""
    table = in_two_cubes(n + 2, convert=True).cube.table()[:, : 1 << n]
    quarter = np.sort(table & ((4 << n) - 1), axis=0)
    whole = np.empty(4 << n, dtype=np.int64)
    whole[by_library("cyclic", "Gray", n + 2, n)] = np.arange(4 << n)
    return np.array_equal(quarter, np.sort(whole.reshape(4, -1), axis=0))


def exchanged_odd_locations(claim: Claim) -> Iterator[Case]:
    """Where locations with an odd number of ones cross the top dimension, and what that is."""

    def ends(n: int, p: int, encoding: str) -> bool | None:
        if p <= n:
            return None
        cube = Cube(n, coded("cyclic", "Gray", p, n))
        cube.cross(odd(cube.place >> n, -1), 1 << n - 1, 0 * cube.place)
        wanted = coded("cyclic", encoding, p, n), by_library("cyclic", encoding, p, n)
        return all(np.array_equal(cube.place, place) for place in wanted)

    return claim.tried(
        lambda n, p: ends(n, p, NODES), lambda n, p: bool(ends(n, p, "Gray || Gray"))
    )


@tried
def same_steps(n: int, p: int) -> bool | None:
    """Consecutive: what a stage changes with the entire address in Gray code, and without."""
    if p <= n:
        return None
    index, node = np.arange(1 << p), (1 << n) - 1
    changes = []
    for encoding in ("Gray", NODES):
        place = coded("consecutive", encoding, p, n)
        layout = named("consecutive", encoding, p, n)
        same = [layout.node_change(1 << b) for b in reversed(range(p))]
        changes.append([int((place ^ place[index ^ 1 << b])[0]) for b in reversed(range(p))])
        if [change & node for change in changes[-1]] != same:
            return False
    whole, nodes = changes
    first = whole[: n - 1] == nodes[: n - 1]
    least = whole[n - 1] & node == nodes[n - 1] and whole[n - 1] >> n != 0
    return first and least and not any(c & node for c in whole[n:])
