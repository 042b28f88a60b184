"""Sections 3 to 5 by brute force: codes, their strides, and butterflies on them.

How far binary code takes neighbours apart; all Gray codes of few bits, and which of them suit a
butterfly as well.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.gf2 import is_gray_code, stride_profile
from graycube.papers import Case, Claim, agreed, answers, compared, require, tried
from graycube.papers.codes import Ints, distance, reflected, rounds_to_know_all

from .graphs import apart
from .rounds import makes_transform, placed

Words = Sequence[int]
H3 = (0, 1, 3, 7, 5, 4, 6, 2)
G4 = (0, 1, 3, 2, 6, 7, 5, 13, 15, 14, 10, 11, 9, 8, 12, 4)


def printed_words(row: Sequence[str]) -> tuple[int, ...]:
    """A code as the paper prints it."""
    return tuple(int(word, 2) for word in row)


def two_codes(claim: Claim) -> Iterator[Case]:
    """Equations (2) and (3): Gray codes, and two of them."""
    codes = {f"{name} is one": printed_words(row) for name, *row in claim.figures}
    found = {name: is_gray(code) for name, code in codes.items()}
    found["the first one is reflected"] = next(iter(codes.values())) == brgc(3)
    return answers("", found | {"they differ": len({*codes.values()}) == len(claim.figures)})


def is_gray(words: Words) -> bool:
    """Whether these are all numbers of some bits, each a bit from the next, in a ring."""
    found = sorted(words) == list(range(len(words))) and set(apart(np.array(words))) == {1}
    require(found == is_gray_code(words), f"the library disagrees about {words}")
    return found


any_code = tried(lambda d: is_gray(brgc(d)) if d > 4 else all(map(is_gray, gray_codes(d))))
"""Equation (4): all Gray codes of few bits, and the BRGC of more."""


def brgc(d: int) -> tuple[int, ...]:
    """The words of the reflected code."""
    return tuple(reflected(d).tolist())


def gray_codes(d: int, strides: Sequence[int] = ()) -> Iterator[tuple[int, ...]]:
    """All cyclic Gray codes of d bits from 0 on, and words at these strides near each other."""
    return (code for first in _extended((0,), d, strides) for code in renamed(first))


def _extended(
    path: tuple[int, ...], d: int, strides: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Those that begin with this path and use dimensions for the first time in order."""
    size, here = 1 << d, len(path)
    if here == size:
        if path[-1].bit_count() == 1:
            yield path
        return
    ends = {(here + sign * stride) % size for stride in strides for sign in (1, -1)}
    near = [path[k] for k in ends if k < here]
    for dim in range(min(d, max(path).bit_length() + 1)):
        word = path[-1] ^ 1 << dim
        if word not in path and all((word ^ other).bit_count() <= 2 for other in near):
            yield from _extended((*path, word), d, strides)


def recursion(claim: Claim) -> Iterator[Case]:
    """Equations (5) to (10): each word that is printed."""
    for d, *row in claim.figures:
        for j, (word, ours) in enumerate(zip(row, reflected(d), strict=True)):
            yield agreed(f"B{d}, word {j}", word, f"{ours:0{d}b}")


reflected_is_gray = tried(
    lambda d: is_gray(brgc(d)) and np.array_equal(gc.gray(np.arange(1 << d)), brgc(d))
)
"""The recursion gives Gray codes, the library's among them."""


@compared
def theorem_2(d: int, j: int) -> int:
    """All pairs at a stride; the library's profile of the code says the same."""
    code = reflected(d)
    links = distance(code, np.roll(code, -(1 << j)))
    low, high = int(links.min()), int(links.max())
    profile = stride_profile(gc.GrayCode.reflected(d))[j]
    require(low == high and profile == {high: 1 << d}, "the distances differ")
    return high


def code_of_12(claim: Claim) -> Iterator[Case]:
    """Equation (12): a Gray code, and the pair that is too far apart."""
    far, *row = claim.figures[0]
    words = printed_words(row)
    links = int(words[0] ^ words[8]).bit_count()
    yield agreed("its words 0 and 8", f"distance {far}", f"distance {links}")
    found = {"it is a Gray code": is_gray(words), "a stride > 2": not has_short_strides(words)}
    yield from answers("", found)


def has_short_strides(words: Words) -> bool:
    """Whether a code has the property of Theorem 2."""
    return all(max(profile) <= 2 for profile in stride_profile(words))


@compared
def theorem_3(d: int) -> int:
    """All pairs of all stages, by the recursion; the library's layout says the same."""
    stages = [int(partners_apart(d, j).max()) for j in range(d)]
    layout = placed(d, d, "BRGC")
    dilation = gc.butterfly_distances(layout).dilation
    require(max(stages) == dilation, "the layout has other distances")
    require(makes_transform(layout), "the partners' values make no transform")
    return max(stages)


def partners_apart(d: int, j: int) -> NDArray[np.uint8]:
    """How far each element is from its partner in the stage of bit j."""
    code = reflected(d)
    return distance(code, code[np.arange(1 << d) ^ 1 << j])


@compared
def stages(d: int, j: int) -> int:
    """Section 8.1: the distance of partners in the stage of bit j."""
    links = partners_apart(d, j)
    return int(links.max()) if links.min() == links.max() else -1


@cache
def short_strided(d: int) -> set[tuple[int, ...]]:
    """All cyclic Gray codes with the strides of Theorem 2 that begin with 0."""
    return set(gray_codes(d, [1 << j for j in range(1, d)]))


not_shared = tried(
    lambda d: short_strided(d) == {brgc(d)},
    lambda d: (
        short_strided(d) == images(brgc(d))
        and len(short_strided(d)) == factorial(d) << d - 2
        and (d != 3 or H3 in short_strided(d))
    ),
)
"""All Gray codes with short strides: the BRGC, and what else, H3 for one of three bits."""


def images(words: Words) -> set[tuple[int, ...]]:
    """The codes from 0 on that are this one turned and with its dimensions renamed."""
    turned = [(*words[start:], *words[:start]) for start in range(len(words))]
    based = {tuple(word ^ ring[0] for word in ring) for ring in turned}
    return {code for ring in based for code in renamed(ring)}


def renamed(words: Words) -> Iterator[tuple[int, ...]]:
    """The code with its dimensions in every order."""
    dims = range(len(words).bit_length() - 1)
    for order in permutations(dims):
        names = [sum((w >> j & 1) << order[j] for j in dims) for w in range(len(words))]
        yield tuple(names[word] for word in words)


def unsuitable(claim: Claim) -> Iterator[Case]:
    """Section 5: all codes of up to four bits, and of more bits one grown from G4."""
    counts = {row[0]: row[1:] for row in claim.correction.figures} if claim.correction else {}
    for (d,) in (sizes.values() for sizes in claim.cases()):
        codes = list(gray_codes(d)) if d in counts else [grown(d)]
        good = sum(map(suits_fft, codes))
        ours = f"{len(codes) - good} of {len(codes)} tried are"
        right = (len(codes), good) == counts.get(d, (1, 0))
        yield Case(f"d = {d}", "some are unsuitable", ours, good < len(codes), right)


def grown(d: int) -> tuple[int, ...]:
    """G4 reflected like B4: a Gray code of d bits."""
    code: tuple[int, ...] = G4
    for m in range(4, d):
        code = (*code, *(word | 1 << m for word in reversed(code)))
    require(is_gray(code), "not a Gray code")
    return code


def suits_fft(words: Words) -> bool:
    """Whether no butterfly spans more than two links."""
    return gc.butterfly_distances(np.array(words)).dilation <= 2


@compared
def theorem_1(d: int) -> int:
    """The farthest of all pairs of consecutive numbers."""
    nodes = np.arange(1 << d)
    links = apart(nodes)
    middle = links[(1 << d - 1) - 1]
    require(middle == links.max(), "the pair in the middle is not the farthest one")
    line = gc.mesh_distances(gc.Layout.nodes(d), periodic=False).dilation
    require(line == links[:-1].max(), "the layout has other distances")
    return int(links.max())


@compared
def diameter(d: int) -> int:
    """The steps from node 0, and so from any node, to the farthest one."""
    return rounds_to_know_all(d)


def sums(d: int) -> list[int]:
    """The distances of all neighbours together: in binary code, in the mapping below, at most.

    No ring has more, as two neighbours of a node are at most as far as its farthest two nodes;
    for d = 1 they are the same node. Of three dimensions all mappings can be tried; by
    symmetry they start at node 0.
    """
    links = np.sort(distance(np.arange(1 << d), np.array(0)))
    most = int(links[-1] + links[-min(d, 2)]) << d - 1
    if d <= 3:
        rest = np.array(list(permutations(range(1, 1 << d))))
        rings = np.insert(rest, 0, 0, axis=1)
        far = distance(rings, np.roll(rings, -1, axis=1)).sum(axis=1).max()
        require(far == most, "no mapping has as much")
    return [int(apart(nodes).sum()) for nodes in (np.arange(1 << d), far_apart(d))] + [most]


worst_mapping = tried(
    lambda d: sums(d)[0] >= sums(d)[1],
    lambda d: (
        sums(d) == [(2 << d) - 2, *sums(d)[2:] * 2] and apart(np.arange(1 << d)).max() == d
    ),
)
"""Section 4: binary code against words that alternate with their complements."""


def far_apart(d: int) -> Ints:
    """A mapping in which neighbours are d and d - 1 apart: Gray words and their complements."""
    words: Ints = np.repeat(gc.gray(np.arange(1 << d - 1)), 2)
    words[1::2] ^= (1 << d) - 1
    return words
