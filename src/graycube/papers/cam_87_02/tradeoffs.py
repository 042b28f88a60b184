"""Section 8: which number of nodes, which way to convert, and which mapping is the best."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np

import graycube as gc
from graycube.papers import Case, Claim, require, tried

from .evidence import printed
from .prices import DELTA, Costs, single_elements, split, transforms, whole_blocks
from .rounds import MAPPINGS, Mapping, placed

SEED = 8702


def times(costs: Costs, mapping: Mapping, n: int) -> list[Fraction]:
    """T_fft of 2^n elements on 0 to n dimensions."""
    return [Fraction(sum(split(costs, n, d, mapping))) for d in range(n + 1)]


def best_dims(costs: Costs, mapping: Mapping, n: int) -> int:
    """The fewest dimensions for which an FFT takes the least time."""
    found = times(costs, mapping, n)
    return found.index(min(found))


def lower_optimum(claim: Claim) -> Iterator[Case]:
    """Section 8.1: the best number of dimensions of both mappings, on random machines."""
    for costs, n in _machines(claim):
        fft, brgc = (best_dims(costs, mapping, n) for mapping in MAPPINGS)
        ours = f"BRGC {brgc}, FFT {fft}"
        yield Case(_machine(costs, n), "BRGC lower", ours, brgc < fft, brgc <= fft)


def dominated(claim: Claim) -> Iterator[Case]:
    """Section 8.1: at the best d; corrected, where no end of its range decides."""
    for costs, n in _machines(claim):
        for mapping in MAPPINGS:
            d = best_dims(costs, mapping, n)
            work, sent = split(costs, n, d, mapping)
            share = sent / (work + sent)
            between = (2 if mapping == "FFT" else 3) <= d < n
            where = f"{_machine(costs, n)}, {mapping}, d = {d}"
            ours = f"{100 * float(share):.1f} percent sends"
            more = 2 * share > 1
            yield Case(where, "more than half", ours, more, more or not between)


@tried
def with_more_nodes(n: int, delta: int) -> bool:
    """Section 8.1: with every dimension computation falls; start-ups rise, elements fall."""
    blocks = [placed(n, d, DELTA[delta]).block_size for d in range(n + 1)]
    sends = [transforms(d, q, DELTA[delta]) for d, q in enumerate(blocks)]
    falls = all(here < before for before, here in pairwise(blocks))
    rises = all(b.startups < h.startups for b, h in pairwise(sends))
    fewer = all(h.elements < b.elements for b, h in pairwise(sends[2:]))
    return falls and rises and fewer


def _machines(claim: Claim) -> Iterator[tuple[Costs, int]]:
    """Random machines, with costs of all sizes, and numbers of stages."""
    for sizes in claim.cases():
        rng = np.random.default_rng((SEED, sizes["trial"]))
        s, c, a = (Fraction(int(10.0**x), 1000) for x in rng.uniform((0, 0, 3), (8, 5, 5)))
        yield Costs(s, c, a), int(rng.integers(2, 15))


def _machine(costs: Costs, n: int) -> str:
    s, c, a = (float(x) for x in (costs.startup, costs.transfer, costs.arithmetic))
    return f"n = {n}, s = {s:g}, c = {c:g}, a = {a:g}"


def lost(d: int, delta: int, n: int) -> Fraction:
    """What is sent of 2^n elements on a d-cube, over what is computed."""
    costs, q, of_one = printed().costs, 1 << n - d, transforms(d, 1, DELTA[delta])
    ratio = of_one.price(costs.startup, q * costs.transfer) / (q * n * costs.arithmetic)
    sends = Fraction(d if delta == 1 else 2 * d - 1, n)
    exact = sends * (costs.startup / q + costs.transfer) / costs.arithmetic
    require(ratio == exact, "the ratio is another one")
    return ratio


efficiency = tried(
    lambda d, delta: lost(d, delta, 1 << 14) > Fraction(1, 1000),
    lambda d, delta: all(
        lost(d, delta, 2 * n) < lost(d, delta, n) / 2 for n in (d, 64, 1 << 13)
    ),
)
"""Section 8.1: the limit of sends / work is 0."""


def blocks_win(d: int, q: int, fourths: int) -> bool:
    """Whether whole blocks are faster than single elements, for s/c in fourths."""
    return whole_blocks(d, q).price(fourths, 4) < single_elements(d, q).price(fourths, 4)


def printed_condition(d: int, q: int, fourths: int) -> bool:
    """The paper's, for whole blocks."""
    return Fraction(fourths, 4) > d * (1 - Fraction(1, q)) - 1


pipelining = tried(
    lambda d, q, fourths: blocks_win(d, q, fourths) or not printed_condition(d, q, fourths),
    lambda d, q, fourths: blocks_win(d, q, fourths) == (q > 1 and fourths > 4 * (d - 2)),
)
"""Section 8.2: the printed condition, and s/c > d - 2, against times of schedules."""
large_blocks = tried(blocks_win)
"""Section 8.2: for many elements on a node."""


def available(claim: Claim) -> Iterator[Case]:
    """Section 8.2: s/c of the machines that were sold, as the library's profiles have it."""
    for name, itemsize in claim.figures:
        machine = gc.Machine.profile(name)
        ratio = machine.startup / (machine.per_byte * itemsize)
        ours = f"s/c = {ratio:.0f}, d - 1 = {machine.dims - 1}"
        far = ratio > 10 * (machine.dims - 1)
        yield Case(f"{name}, {itemsize} bytes", "s/c >> d - 1", ours, far)
