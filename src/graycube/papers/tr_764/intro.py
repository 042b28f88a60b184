"""The abstract and section 1: Gray-coded data without more thought, and what binary data take.

Outputs in any code, points computed twice, and the control that programs need.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, agreed, answers, at_every_size, compared, tried
from graycube.papers.codes import Ints, Words, compositions, crossings, mesh, ranks
from graycube.papers.formula import evaluate
from graycube.table.networks import one_point
from graycube.table.networks.state import Code

from .cube import Cube, coded, reflected
from .four import four, whole_four
from .networks import named, proved
from .theorems import LIBRARY, by_both
from .two import towards, two


def paths(n: int, *, gray: bool) -> Iterator[list[tuple[int, Words]]]:
    """By stage: dimensions and senders when all nodes send to their partners, highest first."""
    node = np.arange(1 << n)
    for j in reversed(range(n)):
        index = ranks(n) if gray else node
        partner = reflected(index ^ 1 << j) if gray else index ^ 1 << j
        hops = crossings(node, partner, range(n)[::-1])
        yield [(d, senders) for d, senders in hops if len(senders)]


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
    node = mesh(reflected(np.arange(1 << b)) for b in bits)
    lines = [np.moveaxis(node, axis, 0) for axis in range(len(bits))]
    near = [bool((np.bitwise_count(line[1:] ^ line[:-1]) == 1).all()) for line in lines]
    axes = [axis for axis, b in enumerate(bits) if b]
    far = max(gc.mesh_distances(node, axis, periodic=False).dilation for axis in axes)
    return all(near) and len(np.unique(node)) == node.size and far == 1


@at_every_size
def local_stages(claim: Claim, p: int, n: int) -> Iterator[Case]:
    """The stages, from the top, whose pairs are all on one node."""
    ((kind, encoding),) = claim.figures
    cube, layout = Cube(n, coded(kind, encoding, p, n)), named(kind, encoding, p, n)
    cube.stages(range(p))
    far = [j for j in range(p) if gc.butterfly_distances(layout, stage=j).dilation]
    local = p - 1 - max(cube.apart, default=-1)
    yield claim.compare(local if sorted(cube.apart) == far else -1, p=p, n=n)


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


@compared
def any_combination(n: int, slots: int) -> int:
    """Outputs with a code of its own for every dimension, in as many cycles as in binary.

    Over links memory gets the logic bit that the next dimension is to have.
    """
    found, cycles = 0, set[int]()
    for word in ("b" + "".join(codes) for codes in product("bg", repeat=n - 1)):
        field = [f"{letter}{bit}" for bit, letter in enumerate(word[::-1], min(slots, 2))]
        over_links = towards(dict(enumerate(field[:-1], 1)))
        cube = two(n, n + 1, reorder=over_links) if slots == 1 else four(n, n + slots, word)
        cycles.add(cube.checked())
        found += cube.holds(field)
    return found if len(cycles) == 1 else -1


def one_point_total(claim: Claim) -> Iterator[Case]:
    """What crosses links, against binary code: of the library's copies, and of neighbours.

    Of what is printed the dimension that the last stage does not need lacks, and nothing else.
    """

    def library(n: int, output: Code) -> Fraction:
        made = one_point(gc.Layout.nodes(n, "gray"), output=output)
        stages_and_nodes = product(range(n), range(1 << n))
        sent = sum(source != v for j, v in stages_and_nodes for source in made.sources(j, v))
        return Fraction(sent, _links(n, gray=False))

    yield from by_both(claim, (LIBRARY, library))
    for (n,) in (sizes.values() for sizes in claim.cases()):
        twice = evaluate(claim.formula, {"n": n})
        lacks = Fraction(twice) - Fraction(_links(n, gray=True), _links(n, gray=False))
        right = lacks == Fraction(1, n)
        yield Case(f"n = {n}: what lacks of {twice}", "0", str(lacks), lacks == 0, right)


def _links(n: int, *, gray: bool) -> int:
    """How often all nodes together send over a dimension between partners."""
    return sum(len(senders) for stage in paths(n, gray=gray) for _, senders in stage)


PROGRAMS: dict[str, Callable[..., Cube]] = {"four": four, "two": two, "whole": whole_four}


@at_every_size
def control(_: Claim, n: int, slots: int) -> Iterator[Case]:
    """Every step of every program: where to, as parities of bits of the address.

    The all-to-all in 2-cubes is one step. Every set of four does as the first one, but for
    entire addresses in Gray code, whose first step depends on all bits of the memory address.
    """
    sets = np.arange(1 << slots - 2)[:, None] * (4 << n)
    for (name, run), output in product(PROGRAMS.items(), ("binary", "Gray")):
        made = run(n, n + slots, output.lower()).tables
        made.pop("first exchange", None)
        tables = [np.argsort(table.ravel()) for table in made.values()]
        steps = [_moved(before, after) for before, after in pairwise(tables)]
        later = (step.reshape(-1, 4 << n) for step in steps[name == "whole" :])
        found = {
            "parities": all(map(_by_parities, steps)),
            "sets alike": all(np.array_equal(step, sets + step[0]) for step in later),
        }
        yield from answers(f"{name}, {output}, n = {n}, {1 << slots} elements: ", found)


def _moved(before: Ints, after: Ints) -> Ints:
    """Where the element at every address goes in a step."""
    step = np.empty_like(before)
    step[before] = after
    return step


def _by_parities(step: Ints) -> bool:
    """Whether every bit of the new address is a parity of bits of the old one."""
    wanted = np.full_like(step, step[0])
    address = np.arange(len(step))
    for j in range(len(step).bit_length() - 1):
        wanted ^= (address >> j & 1) * (step[1 << j] ^ step[0])
    return np.array_equal(step, wanted)


@compared
def binary_sections(n: int, r: int, more: int) -> int:
    """Binary data; the elements on a node are 2^(r + more)."""
    return proved("cyclic", "Binary", n, 1 << r + more, gc.Method(radix=r))


@compared
def half_of_the_pipeline(n: int, r: int, K: int) -> Fraction:
    """How far multi-sectioning over the pipeline of networks, carried out, is from one half."""
    pipeline, clashes = networks(n, K, 1, gray=False)
    sections = proved("cyclic", "Binary", n, K, gc.Method(radix=r))
    return abs(Fraction(sections, pipeline) - Fraction(1, 2)) if not clashes else Fraction(9)
