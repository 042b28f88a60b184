"""Section 1: meshes, trees, pyramids and butterflies in the cube, edge by edge."""

from collections.abc import Iterator
from math import ceil, log2

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim
from graycube.papers.codes import Ints, distance

from .graphs import Edges, stage_pairs

SMALL = 3
"""The dilation of these embeddings; the paper cites them and gives none."""


def embeddings(claim: Claim) -> Iterator[Case]:
    """Section 1: other topologies, each in the smallest cube that has room for it."""
    for sizes in claim.cases():
        for name, build in TOPOLOGIES.items():
            vertices, (a, b) = build(**sizes)
            dims, dilation = int(np.max(vertices)).bit_length(), int(np.max(distance(a, b)))
            distinct = len(np.unique(vertices)) == len(vertices)
            small = distinct and dims == ceil(log2(len(vertices)))
            yield Case(
                f"{name} of {len(vertices)} vertices",
                "small dilation, a small cube",
                f"dilation {dilation}, a cube of {dims} dimensions",
                small and dilation <= SMALL,
            )


def _mesh(d: int) -> tuple[Ints, Edges]:
    rows, columns = (gc.gray(np.arange(1 << bits)) for bits in (d, (d + 1) // 2))
    place = rows[:, None] << (d + 1) // 2 | columns
    right, down = np.roll(place, -1, axis=1), np.roll(place, -1, axis=0)
    ends = np.concatenate([right, down], axis=None)
    return place.ravel(), (np.tile(place.ravel(), 2), ends)


def _tree(d: int) -> tuple[Ints, Edges]:
    """A complete binary tree, numbered from left to right."""
    place = np.arange(1, 2 << d)
    low = place & -place
    inner = place[low > 1]
    half = (inner & -inner) >> 1
    return place, (np.tile(inner, 2), np.concatenate([inner - half, inner + half]))


def _pyramid(d: int) -> tuple[Ints, Edges]:
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
    a, b = (np.concatenate([edge[end].ravel() for edge in edges]) for end in (0, 1))
    return np.concatenate([place.ravel() for place in levels]), (a, b)


def _butterfly(d: int) -> tuple[Ints, Edges]:
    """With all its (d + 1) 2^d vertices: the level in Gray code beside the element."""
    levels, elements = gc.gray(np.arange(d + 1)) << d, np.arange(1 << d)
    place = levels[:, None] | elements
    crossed = [place[stage][stage_pairs(d, stage)[1]] for stage in range(1, d + 1)]
    ends = np.concatenate([*place[1:], *crossed])
    return place.ravel(), (np.tile(place[:-1].ravel(), 2), ends)


TOPOLOGIES = {"mesh": _mesh, "tree": _tree, "pyramid": _pyramid, "butterfly": _butterfly}
