"""Sections 1 to 6 by brute force: distances, Gray codes, the conversion."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from mapping_findings import Finding
from mapping_rounds import conversion
from numpy.typing import NDArray

import graycube as gc
from graycube.verify import check_algebra

DIMS = range(1, 15)
G4 = (0, 1, 3, 2, 6, 7, 5, 13, 15, 14, 10, 11, 9, 8, 12, 4)
Words = Sequence[int]


def findings() -> Iterator[Finding]:
    """All of them, in the order of the paper."""
    yield numbers()
    yield bit_reversal()
    yield from neighbours()
    yield from strides()
    yield from other_codes()
    yield butterflies()
    yield from lemma()


def numbers() -> Finding:
    """The numbers that section 1 allows, counted."""
    short = [d for d in DIMS if len(range(1, (1 << d) - 1)) < 1 << d]
    claim = "2^d vertices have distinct positive numbers less than 2^d - 1"
    return Finding("1", claim, len(DIMS), len(short), "0 and 2^d - 1 are numbers too")


def bit_reversal() -> Finding:
    """Bits j and d - 1 - j are traded by those that differ in them, one after the other."""
    wrong = [d for d in DIMS if not _reversed_in_steps(d)]
    claim = "bit-reversed order is made natural in d steps between neighbours"
    return Finding(
        "2", claim, len(DIMS), len(wrong), "2 floor(d / 2) steps, one element a link"
    )


def _reversed_in_steps(d: int) -> bool:
    home = np.arange(1 << d)
    here, steps = home.copy(), 0
    for j in range(d // 2):
        differ = (home >> j ^ home >> d - 1 - j) & 1
        for dim in (j, d - 1 - j):
            links = here[differ == 1]
            if len(np.unique(links)) < len(links):
                return False
            here, steps = here ^ differ << dim, steps + 1
    digits = sum((home >> j & 1) << d - 1 - j for j in range(d))
    return steps <= d and bool(np.all(here == digits))


def neighbours() -> Iterator[Finding]:
    """Theorem 1, and whether any mapping is worse for a mesh."""
    layouts = [(d, gc.Layout.nodes(d)) for d in DIMS]
    cases = [(d, layout, periodic) for d, layout in layouts for periodic in (True, False)]
    wrong = [d for d, f, ring in cases if gc.mesh_distances(f, periodic=ring).dilation != d]
    claim = "Theorem 1: consecutive numbers are at most d, and once d, apart"
    yield Finding("4", claim, len(cases), len(wrong))
    worse = [d for d, f in layouts if _mean(far_apart(d)) > gc.mesh_distances(f).mean]
    claim = "f is the worst possible mapping for the mesh"
    remark = "in the farthest pair; the mean is 2 - 2^(1-d), and d - 1/2 for another mapping"
    yield Finding("4", claim, len(layouts), len(worse), remark)


def far_apart(d: int) -> NDArray[np.int64]:
    """A mapping in which neighbours are d and d - 1 apart: Gray words and their complements."""
    words = np.repeat(gc.gray(np.arange(1 << d - 1)), 2)
    words[1::2] ^= (1 << d) - 1
    return words


def _mean(nodes: NDArray[np.int64]) -> float:
    return float(gc.mesh_distances(nodes).mean)


def strides() -> Iterator[Finding]:
    """Theorem 2, for strides shorter than the code."""
    codes = [gc.GrayCode.reflected(d) for d in DIMS]
    profiles = [
        (d, j, p)
        for d, code in zip(DIMS, codes, strict=True)
        for j, p in enumerate(gc.stride_profile(code))
    ]
    wrong = [d for d, j, p in profiles if p != {1 if j == 0 else 2: 1 << d}]
    yield Finding(
        "5", "Theorem 2: strides of 2^j are at distance 1 or 2", len(profiles), len(wrong)
    )
    holds = gc.is_gray_code(G4) and not has_short_strides(G4)
    yield Finding("5", "the Gray code of (12) breaks Theorem 2", 1, 1 - holds)


def has_short_strides(words: Words) -> bool:
    """Whether a code has the property of Theorem 2."""
    return all(max(profile) <= 2 for profile in gc.stride_profile(words))


def other_codes() -> Iterator[Finding]:
    """All Gray codes from 0 on, up to four bits."""
    for d in (2, 3, 4):
        codes = list(gray_codes(d))
        suitable = [words for words in codes if suits_fft(words)]
        strides_too = sum(has_short_strides(words) for words in suitable)
        claim = f"many Gray codes are unsuitable for FFTs, d = {d}"
        remark = f"exceptions: dilation 2; {strides_too} of them have the strides of Theorem 2"
        yield Finding("5", claim, len(codes), len(suitable), remark)
    with_strides = {words for words in gray_codes(4) if has_short_strides(words)}
    others = with_strides - images(gc.GrayCode.reflected(4).words)
    claim = "only the BRGC has the strides of Theorem 2, d = 4"
    remark = "but for its rotations and new names of the dimensions; not in the paper"
    yield Finding("5", claim, len(with_strides), len(others), remark)


def gray_codes(d: int, path: tuple[int, ...] = (0,)) -> Iterator[tuple[int, ...]]:
    """All cyclic Gray codes of d bits that begin with this path."""
    if len(path) == 1 << d:
        if path[-1].bit_count() == 1:
            yield path
        return
    for dim in range(d):
        word = path[-1] ^ 1 << dim
        if word not in path:
            yield from gray_codes(d, (*path, word))


def suits_fft(words: Words) -> bool:
    """Whether no butterfly spans more than two links."""
    return gc.butterfly_distances(np.array(words)).dilation <= 2


def images(words: Words) -> set[tuple[int, ...]]:
    """The codes from 0 on that are this one turned and with its dimensions renamed."""
    turned = [(*words[start:], *words[:start]) for start in range(len(words))]
    orders = list(itertools.permutations(range(len(words).bit_length() - 1)))
    return {
        tuple(_renamed(word ^ ring[0], order) for word in ring)
        for ring in turned
        for order in orders
    }


def _renamed(word: int, order: Sequence[int]) -> int:
    return sum((word >> j & 1) << new for j, new in enumerate(order))


def butterflies() -> Finding:
    """Theorem 3, stage by stage, and what section 8.1 makes of it."""
    cases = [(j, gc.Layout.nodes(d, "gray")) for d in DIMS for j in range(d)]
    wrong = [j for j, r in cases if gc.butterfly_distances(r, j).dilation != (2 if j else 1)]
    claim = "Theorem 3: partners are 2 apart, in the last stage 1"
    return Finding("5", claim, len(cases), len(wrong))


def lemma() -> Iterator[Finding]:
    """The conversion of section 6, proved, and that no other has fewer exchanges."""
    machines = [(d, gc.Machine(dims=d)) for d in DIMS]
    made = [(d, conversion(d, 1, 1), machine) for d, machine in machines]
    wrong = [
        d
        for d, schedule, machine in made
        if not check_algebra(schedule, machine) or len(schedule.rounds) != d - 1
    ]
    claim = "Lemma: d - 1 edge disjoint exchanges convert, by the algorithm of section 6"
    yield Finding("6", claim, len(made), len(wrong))
    farthest = [(d, max(gc.displacement_profile(gc.GrayCode.reflected(d)))) for d in DIMS]
    fewer = [d for d, distance in farthest if distance != d - 1]
    claim = "as many are needed: the farthest block has d - 1 links to go"
    yield Finding("6", claim, len(farthest), len(fewer), "not in the paper")
