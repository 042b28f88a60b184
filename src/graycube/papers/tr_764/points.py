"""Section 5: one point on a node."""

from collections.abc import Iterator

import numpy as np

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.papers import Case, Claim, at_every_size, compared, tried
from graycube.papers.codes import Ints, rounds_to_know_all
from graycube.table.networks import one_point
from graycube.table.networks.state import Code
from graycube.verify import check_replication

from .cube import decoded
from .one import Variant, gray_again, sample_code, signal, to_binary, transformed
from .placements import answers
from .theorems import LIBRARY, PROGRAM, by_both
from .two import one_slot_free


@compared
def all_inputs(n: int) -> int:
    """Cycles until some node can know all points: every output depends on all of them."""
    count = rounds_to_know_all(n)
    bound = butterfly_cycles(gc.Layout.nodes(n, "gray"), 0, block=1, ports=max(n, 1))
    return count if bound == count else -1


@compared
def obvious_way(n: int) -> int:
    cube = one_slot_free(n)
    every = np.array_equal(np.sort(cube.place), np.arange(1 << n))
    return cube.checked() if every else -1


def sample_program(claim: Claim) -> Iterator[Case]:
    """On data: as printed, but for j = 0, and as mended; both changes are needed."""

    def right(n: int, variant: Variant) -> bool:
        x = signal(n)
        made = sample_code(x, variant)
        return transformed(made, x) and gray_again(made)

    def mended(n: int) -> bool:
        alone = right(n, "inputs mended"), right(n, "outputs mended")
        return right(n, "mended") and alone == (n <= 2, n == 1)

    return claim.tried(lambda n: right(n, "printed"), mended)


def binary_rule(claim: Claim) -> Iterator[Case]:
    """On data; as printed it is a transform too, but not in binary code."""

    def ends(n: int, variant: Variant) -> tuple[bool, bool]:
        x = signal(n)
        made = to_binary(x, variant)
        return transformed(made, x), np.array_equal(made.index, np.arange(1 << n))

    return claim.tried(
        lambda n: all(ends(n, "printed")),
        lambda n: all(ends(n, "mended")) and ends(n, "printed")[0],
    )


@tried
def restored_pairs(n: int) -> bool:
    """After every second stage node G(i) has point i again."""
    x = signal(n)
    made = sample_code(x, "mended")
    first, *tables = made.tables.values()
    start, *layouts = one_point(gc.Layout.nodes(n, "gray"), output="gray").layouts
    library = all(layout == start for layout in layouts[1::2])
    same = all(np.array_equal(t, first) for t in tables[1::2])
    return library and same and transformed(made, x)


def theorem_5(claim: Claim) -> Iterator[Case]:
    """By programs of the nodes, on data, and by the library, followed by its verifier."""

    def program(n: int, output: Code) -> int:
        x, gray = signal(n), output == "gray"
        made = sample_code(x, "mended") if gray else to_binary(x, "mended")
        there = gray_again(made) if gray else (made.index == np.arange(1 << n)).all()
        return made.cycles if transformed(made, x) and there else -1

    def library(n: int, output: Code) -> int:
        made = one_point(gc.Layout.nodes(n, "gray"), output=output)
        there = made.layouts[-1] == gc.Layout.nodes(n, output)
        return (
            made.cycles if check_replication(made, gc.Machine(n, ports="all")) and there else -1
        )

    return by_both(claim, (PROGRAM, program), (LIBRARY, library))


def one_point_tables(n: int) -> list[Ints]:
    """The index on every node, at first and after every stage."""
    return list(sample_code(signal(n), "mended").tables.values())


@at_every_size
def figure_23(_: Claim, n: int) -> Iterator[Case]:
    """Straight and reflected halves, top and bottom, and the values in the end."""
    x = signal(n)
    made = sample_code(x, "mended")
    first, after, second = list(made.tables.values())[:3]
    half = 1 << n - 1
    layouts = one_point(gc.Layout.nodes(n, "gray"), output="gray").layouts
    held = [layout.index(np.arange(1 << n), np.zeros(1 << n, dtype=int)) for layout in layouts]
    straight = half + decoded(np.arange(half), n - 1)
    found = {
        "tops in half 0": bool((after[:half] < half).all()),
        "bottoms in half 1": bool((after[half:] >= half).all()),
        "half 0 reflected": np.array_equal(after[:half], half - 1 - first[:half]),
        "half 1 straight": np.array_equal(after[half:], straight),
        "neighbour's index": np.array_equal(after, first[np.arange(2 * half) ^ 1 << n - 2]),
        "order restored": np.array_equal(second, first),
        "library": all(map(np.array_equal, held, (first, after, second))),
        "transform, Gray code": transformed(made, x) and gray_again(made),
    }
    yield from answers(f"n = {n}", found)
