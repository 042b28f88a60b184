"""What Figures 1 to 3 show, computed: the butterfly, and two placements on the 3-cube."""

from collections.abc import Iterator
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from graycube.papers import Case, Claim
from graycube.papers.codes import digits_reversed, distance, reflected

from .graphs import adjacent, stage_matrix, stage_pairs

DIMS = 3


def figure_1(claim: Claim) -> Iterator[Case]:
    """Stages and strides, paths, and values that run through the drawing."""
    strides = [int(np.abs(np.subtract(*stage_pairs(DIMS, i))).max()) for i in (1, 2, 3)]
    printed = list(claim.figures[0])
    yield Case("strides, stage by stage", str(printed), str(strides), printed == strides)
    edges = [adjacent_in_stage(i) for i in (1, 2, 3)]
    paths = np.unique(reduce(np.matmul, edges)).tolist()
    yield Case("paths from an input to an output", "one each", str(paths), paths == [1])
    for form in ("time", "frequency"):
        start = stage_matrix(DIMS, 1, form)
        values = reduce(lambda x, i: stage_matrix(DIMS, i, form) @ x, (2, 3), start)
        right = np.allclose(values[digits_reversed(DIMS)], np.fft.fft(np.eye(8)))
        ours = "the transform, bit-reversed" if right else "something else"
        yield Case(f"decimation in {form}", "the transform, bit-reversed", ours, right)


def adjacent_in_stage(stage: int) -> NDArray[np.int64]:
    """Which points of a column lead to which of the next one."""
    points, partners = stage_pairs(DIMS, stage)
    lines = np.eye(1 << DIMS, dtype=np.int64)
    lines[points, partners] = 1
    return lines


def figure_2(claim: Claim) -> Iterator[Case]:
    """Element j on node j: the stages are the three dimensions of the cube."""
    used = np.zeros((1 << DIMS, 1 << DIMS), dtype=np.int64)
    for stage, dimension in claim.figures:
        ends = stage_pairs(DIMS, stage)
        links = sorted({int(link) for link in distance(*ends)})
        dims = sorted({int(flip).bit_length() - 1 for flip in ends[0] ^ ends[1]})
        paper = f"distance 1, dimension {dimension}"
        ours = f"distance {links}, dimension {dims}"
        yield Case(f"stage {stage}", paper, ours, (links, dims) == ([1], [dimension]))
        used[ends] += 1
    once = np.array_equal(used, adjacent(DIMS))
    ours = "as printed" if once else "not so"
    yield Case("links of the cube", "each serves one stage", ours, once)


def figure_3(claim: Claim) -> Iterator[Case]:
    """Element j on the j-th node of the BRGC: the arrows, and the text's three distances."""
    nodes = reflected(DIMS)
    for j, (here, there) in enumerate(zip(nodes, np.roll(nodes, -1), strict=True)):
        links = int(here ^ there).bit_count()
        where = f"the arrow from x{j} to x{(j + 1) % len(nodes)}"
        yield Case(where, "a link", f"{links} links, {here} to {there}", links == 1)
    visited = len(set(nodes.tolist()))
    yield Case("the arrows together", "8 nodes", f"{visited} nodes", visited == 1 << DIMS)
    for one, other, printed in claim.figures:
        links = int(nodes[one] ^ nodes[other]).bit_count()
        where, paper = f"x{one} and x{other}", f"distance {printed}"
        yield Case(where, paper, f"distance {links}", links == printed)
