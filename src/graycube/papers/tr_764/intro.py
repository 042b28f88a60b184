"""Section 1: emulation of Gray-coded data without more thought, and what binary data take."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, agreed, compared, tried
from graycube.papers.codes import Words, compositions, crossings

from .cube import Cube, coded, decoded, reflected
from .networks import named


def paths(n: int, *, gray: bool) -> Iterator[list[tuple[int, Words]]]:
    """By stage: dimensions and senders when all nodes send to their partners, highest first."""
    node = np.arange(1 << n)
    for j in reversed(range(n)):
        index = decoded(node, n) if gray else node
        partner = reflected(index ^ 1 << j) if gray else index ^ 1 << j
        hops = crossings(node, partner, range(n)[::-1])
        yield [(d, here[who]) for d, who, here in hops if len(who)]


def links(n: int, stage: list[tuple[int, Words]]) -> Words:
    """The directed links that a stage uses, each as often as it is used."""
    return np.concatenate([(d << n) + senders for d, senders in stage])


def networks(n: int, count: int, every: int, *, gray: bool) -> tuple[int, int]:
    """Cycles and clashes if a network starts every so many cycles, and no hop waits."""
    hops = [hop for stage in paths(n, gray=gray) for hop in stage]
    starts = range(0, count * every, every)
    used = [(t + h, links(n, [hop])) for t in starts for h, hop in enumerate(hops)]
    all_used = np.concatenate([(cycle * n << n) + link for cycle, link in used])
    return used[-1][0] + 1, len(all_used) - len(np.unique(all_used))


@compared
def pipelined_binary(n: int, K: int) -> int:
    made, clashes = networks(n, K, 1, gray=False)
    return -1 if clashes else made


@compared
def straightforward(n: int, K: int) -> int:
    """Every other cycle is enough; starting one every cycle clashes."""
    made, clashes = networks(n, K, 2, gray=True)
    too_fast = K == 1 or n == 1 or networks(n, K, 1, gray=True)[1]
    return made if too_fast and not clashes else -1


@compared
def busiest_link(n: int) -> Fraction:
    """Elements over the busiest link, Gray code over binary code."""
    used = (
        np.concatenate([links(n, s) for s in paths(n, gray=gray)]) for gray in (True, False)
    )
    return Fraction(*(int(np.bincount(link).max()) for link in used))


@compared
def uses(n: int, d: int) -> int:
    """In how many stages a dimension lies between partners."""
    stages = [{dim for dim, _ in stage} for stage in paths(n, gray=True)]
    layout = gc.Layout.nodes(n, "gray")
    changed = sum(layout.node_change(1 << j) >> d & 1 for j in range(n))
    used = sum(d in dims for dims in stages)
    return used if used == changed else -1


@tried
def disjoint(n: int) -> bool:
    """No directed link is on two of the paths of a stage."""
    used = [links(n, stage) for stage in paths(n, gray=True)]
    return all(len(np.unique(link)) == len(link) for link in used)


@tried
def rows_of_butterflies(n: int) -> bool:
    """The edges of the network are those of the cube, and its mirror image is the other one."""
    edges = {(i, i ^ 1 << j) for i in range(1 << n) for j in range(n)}
    cube = {(i, k) for i in range(1 << n) for k in range(1 << n) if (i ^ k).bit_count() == 1}
    one = {(j, i, i ^ 1 << j) for i in range(1 << n) for j in range(n)}
    other = {(j, i, i ^ 1 << n - 1 - j) for i in range(1 << n) for j in range(n)}
    mirrored = {(n - 1 - j, i, k) for j, i, k in one}
    near = gc.butterfly_distances(gc.Layout.nodes(n)).histogram == {1: n << n - 1}
    return edges == cube and mirrored == other and near


def meshes(claim: Claim) -> Iterator[Case]:
    """Meshes of every shape: each of the ways to cut n bits into that many fields."""
    yield from tried(lambda n, axes: all(map(_is_subgraph, compositions(n, axes, least=1))))(
        claim
    )
    for n, axes in (sizes.values() for sizes in claim.cases()):
        found = len(list(compositions(n, axes, least=1)))
        yield agreed(f"shapes of {axes} axes, n = {n}", comb(n - 1, axes - 1), found)


def _is_subgraph(bits: tuple[int, ...]) -> bool:
    """Whether neighbours along every axis, each in Gray code, are neighbours in the cube."""
    node = np.zeros([1 << b for b in bits], dtype=np.int64)
    for axis, b in enumerate(bits):
        shape = [-1 if a == axis else 1 for a in range(len(bits))]
        node = node << b | reflected(np.arange(1 << b)).reshape(shape)
    lines = [np.moveaxis(node, axis, 0) for axis in range(len(bits))]
    near = [bool((np.bitwise_count(line[1:] ^ line[:-1]) == 1).all()) for line in lines]
    axes = [axis for axis, b in enumerate(bits) if b]
    far = max(gc.mesh_distances(node, axis, periodic=False).dilation for axis in axes)
    return all(near) and len(np.unique(node)) == node.size and far == 1


def local_stages(claim: Claim) -> Iterator[Case]:
    """The stages, from the top, whose pairs are all on one node."""
    ((kind, encoding),) = claim.figures

    def count(p: int, n: int) -> int:
        cube = Cube(n, coded(kind, encoding, p, n))
        cube.stages(range(p))
        layout = named(kind, encoding, p, n)
        far = [j for j in range(p) if gc.butterfly_distances(layout, stage=j).dilation]
        return p - 1 - max(cube.apart, default=-1) if sorted(cube.apart) == far else -1

    return compared(count)(claim)


@compared
def converted_first(n: int, K: int) -> int:
    """To binary code, an element of every node after the other, and then a pipeline."""
    p = n + K.bit_length() - 1
    cube = Cube(n, coded("cyclic", "Binary || Gray", p, n))
    slot = cube.place >> n
    for k in reversed(range(n - 1)):
        cube.cross(cube.bit(k + 1), 1 << k, slot + n - 2 - k)
    binary = np.array_equal(cube.place, cube.index)
    after, clashes = networks(n, K, 1, gray=False)
    return cube.cycles + after if binary and not clashes + cube.clashes else -1
