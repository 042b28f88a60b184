"""Sections 6 and 7: the conversion by hand and as a schedule, blocks, and more axes."""

from collections.abc import Sequence

import numpy as np

import graycube as gc
from graycube.papers import compared, require, tried
from graycube.papers.codes import Ints, carried, converts, distance, mesh, reflected
from graycube.papers.library import proved

from .rounds import MAPPINGS, Mapping, conversion, makes_transform, placed, planned, steps


@compared
def lemma(d: int) -> int:
    """The exchanges of the schedule, which is proved; no block has fewer links to go."""
    schedule = proved(conversion(d, 1, 1), gc.Machine(dims=d))
    farthest = distance(reflected(d), np.arange(1 << d)).max()
    require(farthest == d - 1, "fewer exchanges may do")
    return len(schedule.rounds)


by_hand = tried(lambda d: converts(steps(d), d))
"""The algorithm on all elements, from the BRGC mapping to the FFT mapping."""
backwards = tried(lambda d: converts(steps(d)[::-1], d, to_gray=True))
"""The same steps in reverse order, from the FFT mapping to the BRGC."""


@tried
def reversed_half(k: int) -> bool:
    """The proof's pairs: a single dimension apart, and the exchange unreverses the half."""
    code, half = reflected(k), np.arange(1 << k, 2 << k)
    after = np.argsort(carried(reflected(k + 1), steps(k + 1)[:1])[-1])[half]
    one_apart = bool(np.all(code[::-1] ^ code == 1 << k - 1))
    return one_apart and np.array_equal(after[code], half)


blocks = tried(
    lambda n, d: all(_in_blocks(n, d, m, far=1) for m in MAPPINGS),
    lambda n, d: all(_in_blocks(n, d, m, far=1 + (m == "BRGC")) for m in MAPPINGS),
)
"""Section 7: whole blocks go to one node each, in the first d stages, and none later.

As printed to a neighbour in both mappings; corrected, two links away in the BRGC mapping
but for the last of these stages.
"""


def _in_blocks(n: int, d: int, mapping: Mapping, far: int) -> bool:
    node = by_blocks(n, d, mapping)
    index = np.arange(1 << n)
    for stage in range(n):  # from the most significant bit on
        partners = node[index ^ 1 << n - 1 - stage].reshape(1 << d, -1)
        own = node.reshape(1 << d, -1)
        links = distance(own, partners)
        wanted = (1 if stage == d - 1 else far) if stage < d else 0
        if np.any(links != wanted) or np.any(partners != partners[:, :1]):
            return False
    return makes_transform(placed(n, d, mapping))


def by_blocks(n: int, d: int, mapping: Mapping) -> Ints:
    """The node of every element, consecutive ones together."""
    nodes = np.arange(1 << d) if mapping == "FFT" else reflected(d)
    return np.repeat(nodes, 1 << n - d)


boundary = tried(lambda n, d: all(_one_each(n, d, m) for m in MAPPINGS))
"""Section 7: of every block a single element has its next neighbour on another node."""


def _one_each(n: int, d: int, mapping: Mapping) -> bool:
    node = by_blocks(n, d, mapping)
    library = placed(n, d, mapping).locate(np.arange(1 << n))[0]
    require(np.array_equal(library, node), "the layout is another one")
    leaves, size = np.flatnonzero(node != np.roll(node, -1)), 1 << n - d
    return leaves.tolist() == ([*range(size - 1, 1 << n, size)] if d else [])


axes = tried(lambda **dims: all(_kept([*dims.values()], m) for m in MAPPINGS))
"""Section 7: each axis of a mesh keeps what it has alone, in both mappings."""


def _kept(dims: list[int], mapping: Mapping) -> bool:
    node, layout = mesh([by_blocks(d, d, mapping) for d in dims]), _mesh(dims, mapping)
    library = layout.locate(*np.indices(node.shape))[0]
    require(np.array_equal(library, node), "the layout is another one")
    for axis, d in enumerate(dims):
        links = distance(node, np.roll(node, -1, axis=axis))
        if links.max() != (d if mapping == "FFT" else min(d, 1)):
            return False
        for j in range(d):
            partners = np.take(node, np.arange(1 << d) ^ 1 << j, axis=axis)
            if np.any(distance(node, partners) != (2 if mapping == "BRGC" and j else 1)):
                return False
    return len(np.unique(node)) == node.size == 1 << sum(dims)


@compared
def axes_converted(**sizes: int) -> int:
    """Section 7: the conversion of every axis in succession, by hand and as a plan."""
    dims = [*sizes.values()]
    grid, exchanges = np.argsort(mesh([reflected(d) for d in dims]), axis=None), 0
    grid = grid.reshape([1 << d for d in dims])
    for axis, d in enumerate(dims):
        for stage in steps(d):
            _, order = carried(np.arange(1 << d), [stage])
            grid, exchanges = np.take(grid, order, axis=axis), exchanges + 1
    require(np.array_equal(grid.ravel(), np.arange(grid.size)), "the elements are not at home")
    if exchanges:
        plan = planned(_mesh(dims, "BRGC"), _mesh(dims, "FFT"), 1)
        plan = proved(plan, gc.Machine(dims=sum(dims)))
        require(len(plan.rounds) == exchanges, "the plan has another number of exchanges")
    return exchanges


def _mesh(dims: Sequence[int], mapping: Mapping) -> gc.Layout:
    shape = [1 << d for d in dims]
    return gc.Layout.mesh(shape, nodes=shape, code="binary" if mapping == "FFT" else "gray")
