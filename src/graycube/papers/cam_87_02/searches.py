"""Section 5: all Gray codes of few bits, and which of them suit a butterfly as well."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from math import factorial

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, require
from graycube.papers.codes import reflected

from .codes import Words, gray_codes, is_gray

H3 = (0, 1, 3, 7, 5, 4, 6, 2)
G4 = (0, 1, 3, 2, 6, 7, 5, 13, 15, 14, 10, 11, 9, 8, 12, 4)


def not_shared(claim: Claim) -> Iterator[Case]:
    """All Gray codes with short strides: the BRGC, and what else."""
    found = cache(lambda d: set(short_strided(d)))
    return claim.tried(
        lambda d: found(d) == {tuple(map(int, reflected(d)))},
        lambda d: found(d) == images(tuple(map(int, reflected(d)))) and counted(d, found(d)),
    )


def counted(d: int, codes: set[tuple[int, ...]]) -> bool:
    """Whether these are as many as the correction says, with H3 among those of three bits."""
    return len(codes) == factorial(d) << d - 2 and (1 << d != len(H3) or H3 in codes)


def short_strided(d: int) -> Iterator[tuple[int, ...]]:
    """All cyclic Gray codes with the strides of Theorem 2 that begin with 0."""
    strides = [sign << j for j in range(1, d) for sign in (1, -1)]
    earlier = [
        sorted({k for stride in strides if (k := (here + stride) % (1 << d)) < here})
        for here in range(1 << d)
    ]
    return (code for first in _extended([0], d, earlier) for code in renamed(first))


def _extended(path: list[int], d: int, earlier: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """Those that begin with this path and use dimensions for the first time in order.

    The ``earlier`` words must be near the next one.
    """
    if len(path) == 1 << d:
        if path[-1].bit_count() == 1:
            yield tuple(path)
        return
    near = [path[k] for k in earlier[len(path)]]
    for dim in range(min(d, max(path).bit_length() + 1)):
        word = path[-1] ^ 1 << dim
        if word not in path and all((word ^ other).bit_count() <= 2 for other in near):
            yield from _extended([*path, word], d, earlier)


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
