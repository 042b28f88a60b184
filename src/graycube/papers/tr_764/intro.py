"""Section 1: emulation of Gray-coded data without more thought, and what binary data take."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, compared, tried
from graycube.papers.codes import Ints, compositions

from .cube import Cube, coded, decoded, reflected
from .layouts import named


def paths(n: int, *, gray: bool) -> Iterator[list[tuple[int, Ints]]]:
    """By stage: dimensions and senders when all nodes send to their partners, highest first."""
    node = np.arange(1 << n)
    for j in reversed(range(n)):
        index = decoded(node, n) if gray else node
        partner = reflected(index ^ 1 << j) if gray else index ^ 1 << j
        (change,) = np.unique(node ^ partner)
        hops, here = [], node
        for d in reversed(range(n)):
            if change >> d & 1:
                hops.append((d, here))
                here = here ^ 1 << d
        yield hops


def networks(n: int, count: int, every: int, *, gray: bool) -> tuple[int, int]:
    """Cycles and clashes if a network starts every so many cycles, and no hop waits."""
    links = []
    for t in range(count):
        cycle = t * every
        for stage in paths(n, gray=gray):
            for d, senders in stage:
                links.append((cycle * n + d << n) + senders)
                cycle += 1
    used = np.concatenate(links)
    return cycle, len(used) - len(np.unique(used))


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
    loads = []
    for gray in (True, False):
        load = np.zeros((n, 1 << n), dtype=np.int64)
        for stage in paths(n, gray=gray):
            for d, senders in stage:
                np.add.at(load[d], senders, 1)
        loads.append(int(load.max()))
    return Fraction(*loads)


@compared
def uses(n: int, d: int) -> int | None:
    """In how many stages a dimension lies between partners."""
    stages = [{dim for dim, _ in stage} for stage in paths(n, gray=True)]
    layout = gc.Layout.nodes(n, "gray")
    changed = sum(layout.node_change(1 << j) >> d & 1 for j in range(n))
    used = sum(d in dims for dims in stages)
    return None if d >= n else used if used == changed else -1


@tried
def disjoint(n: int) -> bool:
    """No directed link is on two of the paths of a stage."""
    for stage in paths(n, gray=True):
        links = np.concatenate([(d << n) + senders for d, senders in stage])
        if len(np.unique(links)) < len(links):
            return False
    return True


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

    def right(n: int, axes: int) -> bool | None:
        return None if axes > n else all(map(_is_subgraph, compositions(n, axes, least=1)))

    yield from claim.tried(right)
    for sizes in claim.cases():
        n, axes = sizes["n"], sizes["axes"]
        if axes <= n:
            found, wanted = len(list(compositions(n, axes, least=1))), comb(n - 1, axes - 1)
            where = f"shapes of {axes} axes, n = {n}"
            yield Case(where, str(wanted), str(found), found == wanted)


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

    def count(p: int, n: int) -> int | None:
        if n > p:
            return None
        cube = Cube(n, coded(kind, encoding, p, n))
        for bit in reversed(range(p)):
            cube.stage(bit)
        layout = named(kind, encoding, p, n)
        far = [j for j in range(p) if gc.butterfly_distances(layout, stage=j).dilation]
        return p - 1 - max(cube.apart, default=-1) if sorted(cube.apart) == far else -1

    return claim.compared(count)


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
