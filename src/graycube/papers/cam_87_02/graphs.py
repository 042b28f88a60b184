"""Sections 1 and 2 by brute force: the cube, what it embeds, and the butterfly on it.

Figures 1 to 3: the butterfly, and two placements on the 3-cube.
"""

from collections.abc import Iterator
from functools import reduce
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.papers import (
    Case,
    Claim,
    agreed,
    answers,
    at_every_size,
    compared,
    require,
    tried,
)
from graycube.papers.codes import Ints, digits_reversed, distance, mesh, reflected
from graycube.verify import check_algebra

from .rounds import fft_rounds, makes_transform, placed

DIMS = 3
"""Of the cube of the figures."""
Edges = tuple[Ints, Ints]
"""The two ends of every edge."""


def apart(nodes: Ints) -> Ints:
    """How far the neighbours of a ring are apart."""
    return distance(nodes, np.roll(nodes, -1)).astype(np.int64)


numbers = tried(
    lambda d: len(range(1, (1 << d) - 1)) >= 1 << d,
    lambda d: np.array_equal(adjacent(d), _product_of_edges(d)),
)
"""Section 1: how many numbers there are, and the cube as a product of edges."""


def adjacent(d: int) -> NDArray[np.bool_]:
    """Which of the numbers 0 to 2^d - 1 differ in one bit."""
    nodes = np.arange(1 << d)
    return np.asarray(distance(nodes[:, None], nodes) == 1)


def _product_of_edges(d: int) -> NDArray[np.float64]:
    cube = np.zeros((1, 1))
    for _ in range(d):
        cube = np.kron(np.eye(2), cube) + np.kron(1 - np.eye(2), np.eye(len(cube)))
    return cube


def stage_pairs(d: int, stage: int) -> Edges:
    """The elements that meet in a stage of the butterfly, the first being 1."""
    elements = np.arange(1 << d)
    return elements, elements ^ 1 << d - stage


flow = tried(lambda d: all(_transforms(d, form) for form in ("time", "frequency")))
"""Section 2: both forms of the algorithm, as products of matrices with these pairs."""


def _transforms(d: int, form: str) -> bool:
    """Whether a form is the Fourier transform, and its stages have the butterfly's pattern."""
    alone = np.eye(1 << d)
    matrices = [stage_matrix(d, stage, form) for stage in range(1, d + 1)]
    patterns = (alone + alone[stage_pairs(d, stage)[1]] for stage in range(1, d + 1))
    product = reduce(np.matmul, matrices[::-1])
    transform = np.allclose(product[digits_reversed(d)], np.fft.fft(alone))
    return transform and np.array_equal(np.not_equal(matrices, 0), list(patterns))


def stage_matrix(d: int, stage: int, form: str) -> NDArray[np.complex128]:
    """A stage of decimation in time or in frequency, for input in natural order."""
    low = d - stage  # the bit in which partners differ
    elements, partners = stage_pairs(d, stage)
    upper = elements >> low & 1 == 1
    in_time = digits_reversed(stage - 1)[elements >> low + 1] / (1 << stage)
    in_frequency = (elements & (1 << low) - 1) / (2 << low)
    factor = np.exp(-2j * np.pi * (in_time if form == "time" else in_frequency))
    matrix = np.zeros((1 << d, 1 << d), dtype=complex)
    matrix[elements, elements] = np.where(upper, -factor, 1)
    matrix[elements, partners] = np.where(upper == (form == "frequency"), factor, 1)
    return matrix


@tried
def natural_mapping(d: int) -> bool:
    """Equation (1): every stage is one round over links that carry one element each."""
    layout = placed(d, d, "FFT")
    rounds = fft_rounds(layout, 1)
    machine = gc.Machine(dims=d)
    sound = all(check_algebra(each, machine) and len(each.rounds) == 1 for each in rounds)
    near = all(np.all(distance(*stage_pairs(d, stage)) == 1) for stage in range(1, d + 1))
    return sound and near and len(rounds) == d and makes_transform(layout)


@tried
def collapsed(d: int) -> bool:
    """Section 2: the butterfly whose columns are single vertices is the cube."""
    stages = [stage_pairs(d, stage) for stage in range(1, d + 1)]
    edges = np.sum([np.eye(1 << d)[partners] for _, partners in stages], axis=0)
    one_dimension_each = all(len(np.unique(a ^ b)) == 1 for a, b in stages)
    return one_dimension_each and np.array_equal(edges, adjacent(d))


@compared
def bit_reversal(d: int) -> int:
    """Section 2: bits j and d - 1 - j are traded over two links, one after the other."""
    home = np.arange(1 << d)
    here, steps = home.copy(), 0
    for j in range(d // 2):
        differ = (home >> j ^ home >> d - 1 - j) & 1
        for dim in (j, d - 1 - j):
            links = here[differ == 1]
            require(len(np.unique(links)) == len(links), "two elements on a link")
            here, steps = here ^ differ << dim, steps + 1
    require(np.array_equal(here, digits_reversed(d)), "the elements are not at home")
    return steps


SMALL = 3
"""The dilation of these embeddings; the paper cites them and gives none."""


@at_every_size
def embeddings(_: Claim, d: int) -> Iterator[Case]:
    """Section 1: other topologies, each in the smallest cube that has room for it."""
    for name, build in TOPOLOGIES.items():
        vertices, edges = build(d)
        dims = int(np.max(vertices)).bit_length()
        dilation = max(int(distance(a, b).max(initial=0)) for a, b in edges)
        distinct = len(np.unique(vertices)) == len(vertices)
        small = distinct and dims == ceil(log2(len(vertices))) and dilation <= SMALL
        told, where = f"dilation {dilation}, dimensions {dims}", f"{len(vertices)} vertices"
        yield Case(f"{name}, {where}", "small dilation, a small cube", told, small)


def _mesh(d: int) -> tuple[Ints, list[Edges]]:
    place = mesh(gc.gray(np.arange(1 << bits)) for bits in (d, (d + 1) // 2))
    return place.ravel(), [(place, np.roll(place, -1, axis=axis)) for axis in (0, 1)]


def _tree(d: int) -> tuple[Ints, list[Edges]]:
    """A complete binary tree, numbered from left to right."""
    place = np.arange(1, 2 << d)
    inner = place[1::2]
    half = (inner & -inner) >> 1
    return place, [(inner, inner - half), (inner, inner + half)]


def _pyramid(d: int) -> tuple[Ints, list[Edges]]:
    """Meshes of 2^k x 2^k for k = 0 to d, each vertex over four of the next one."""
    levels, edges = [], []
    for k in range(d + 1):
        code = gc.gray(np.arange(1 << k)) << d - k
        place = (code[:, None] << 1 | 1 << d - k) << d | code
        levels.append(place)
        edges += [(place[1:], place[:-1]), (place[:, 1:], place[:, :-1])]
        if k:
            above = np.repeat(np.repeat(levels[k - 1], 2, axis=0), 2, axis=1)
            edges.append((place, above))
    return np.concatenate([place.ravel() for place in levels]), edges


def _butterfly(d: int) -> tuple[Ints, list[Edges]]:
    """With all its (d + 1) 2^d vertices: the level in Gray code beside the element."""
    levels, elements = gc.gray(np.arange(d + 1)) << d, np.arange(1 << d)
    place = levels[:, None] | elements
    partners = [stage_pairs(d, stage)[1] for stage in range(1, d + 1)]
    crossed = [(place[k], place[k + 1][partner]) for k, partner in enumerate(partners)]
    return place.ravel(), [(place[:-1], place[1:]), *crossed]


TOPOLOGIES = {"mesh": _mesh, "tree": _tree, "pyramid": _pyramid, "butterfly": _butterfly}


def figure_1(claim: Claim) -> Iterator[Case]:
    """Stages and strides, paths, and values that run through the drawing."""
    strides = [int(np.abs(np.subtract(*stage_pairs(DIMS, i))).max()) for i in (1, 2, 3)]
    yield agreed("strides, stage by stage", list(claim.figures[0]), strides)
    edges = [(stage_matrix(DIMS, i, "time") != 0).astype(int) for i in (1, 2, 3)]
    paths = np.unique(reduce(np.matmul, edges)).tolist()
    yield agreed("paths from an input to an output", [1], paths)
    for form in ("time", "frequency"):
        found = {"bit-reversed transform": _transforms(DIMS, form)}
        yield from answers(f"decimation in {form}: ", found)


def figure_2(claim: Claim) -> Iterator[Case]:
    """Element j on node j: the stages are the three dimensions of the cube."""
    used = np.zeros((1 << DIMS, 1 << DIMS), dtype=np.int64)
    for stage, dimension in claim.figures:
        ends = stage_pairs(DIMS, stage)
        dims = np.unique(np.log2(ends[0] ^ ends[1]).astype(int)).tolist()
        ours = np.unique(distance(*ends)).tolist(), dims
        yield agreed(f"stage {stage}, distances and dimensions", ([1], [dimension]), ours)
        used[ends] += 1
    yield from answers("", {"each link serves one stage": np.array_equal(used, adjacent(DIMS))})


def figure_3(claim: Claim) -> Iterator[Case]:
    """Element j on the j-th node of the BRGC: the arrows, and the text's three distances."""
    nodes = reflected(DIMS)
    for j, (here, there) in enumerate(zip(nodes, np.roll(nodes, -1), strict=True)):
        links = int(here ^ there).bit_count()
        where = f"the arrow from x{j} to x{(j + 1) % len(nodes)}"
        yield Case(where, "a link", f"{links} links, {here} to {there}", links == 1)
    yield agreed("nodes of the arrows", 1 << DIMS, len(set(nodes.tolist())))
    for one, other, printed in claim.figures:
        links = int(nodes[one] ^ nodes[other]).bit_count()
        yield agreed(f"distance of x{one} and x{other}", printed, links)
