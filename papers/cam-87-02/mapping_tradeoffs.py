"""Section 8 by brute force: formula against formula, in exact rational numbers."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np
from mapping_findings import Finding
from mapping_model import MAPPINGS, Costs, Mapping, Model, printed

SEED = 8702
CASES = 10_000
OURS = "not in the paper"
Case = tuple[Model, int, int]
"""A machine and a problem, k FFTs and l stencils."""


def findings() -> Iterator[Finding]:
    """All of them, in the order of the paper."""
    yield from optimum()
    yield efficiency()
    yield from pipelining()
    yield from theorem4()


def times(costs: Costs, mapping: Mapping, n: int) -> list[Fraction]:
    """T_fft of 2^n elements on 0 to n dimensions."""
    return [Model(costs, d, 1 << n - d).fft(mapping, n) for d in range(n + 1)]


def best_dims(costs: Costs, mapping: Mapping, n: int) -> int:
    """The fewest dimensions for which an FFT takes the least time."""
    found = times(costs, mapping, n)
    return found.index(min(found))


def optimum() -> Iterator[Finding]:
    """The best number of dimensions, of both mappings, on random machines."""
    lower = higher = tried = dominated = 0
    for costs, n in _machines():
        best = {mapping: best_dims(costs, mapping, n) for mapping in MAPPINGS}
        higher += best["BRGC"] > best["FFT"]
        lower += best["BRGC"] < best["FFT"]
        for mapping, d in best.items():
            model = Model(costs, d, 1 << n - d)
            if (2 if mapping == "FFT" else 3) <= d < n:
                tried += 1
                dominated += 2 * model.fft_sends(mapping) < model.fft(mapping, n)
    claim = "the optimal d is lower with the BRGC"
    remark = f"never higher ({higher} cases), mostly the same"
    yield Finding("8.1", claim, CASES, CASES - lower, remark)
    claim = "at the optimal d communication takes more time than computation"
    remark = "tried where d is neither n nor below 2 (BRGC: 3)"
    yield Finding("8.1", claim, tried, dominated, remark)


def _machines() -> Iterator[tuple[Costs, int]]:
    """Random machines, with costs of all sizes, and numbers of stages."""
    rng = np.random.default_rng(SEED)
    for _ in range(CASES):
        s, c, a = (Fraction(int(10.0**x), 1000) for x in rng.uniform((0, 0, 3), (8, 5, 5)))
        yield Costs(s, c, a), int(rng.integers(2, 15))


def efficiency() -> Finding:
    """Whether a large problem is computed as efficiently as one likes on the paper's machine.

    Communication over computation is (d / n) (s / q + c) / a, or with 2d - 1 for d.
    """
    cases = list(product(MAPPINGS, range(1, 11)))
    reached = [case for case in cases if _lost(*case, n=1000) < Fraction(1, 1000)]
    claim = "perfect efficiency is not approached however large n / d is"
    remark = "communication over computation is (d / n) (s / q + c) / a, which tends to 0"
    return Finding("8.1", claim, len(cases), len(reached), remark)


def _lost(mapping: Mapping, d: int, n: int) -> Fraction:
    """The share of an FFT's time that is communication."""
    model = Model(printed().costs, d, 1 << n - d)
    return model.fft_sends(mapping) / model.fft(mapping, n)


def pipelining() -> Iterator[Finding]:
    """When whole blocks are faster than single elements: as printed, and as derived."""
    sizes = product(range(2, 13), range(1, 25), (Fraction(j, 4) for j in range(61)))
    cases = [Model(Costs(ratio, Fraction(1)), d, q) for d, q, ratio in sizes]
    blocks = {case for case in cases if case.conversion() < case.pipelined()}
    wrong = {case for case in cases if printed_condition(case)} - blocks
    missed = {case for case in blocks if not printed_condition(case)}
    claim = "T_c < T_cp if s/c > d (1 - 1/q) - 1"
    remark = f"all with q < d; for q > d it leaves out {len(missed)} cases with T_c < T_cp"
    yield Finding("8.2", claim, len(cases), len(wrong), remark)
    claim = "T_c < T_cp if and only if s/c > d - 2 and q > 1"
    differ = blocks ^ {case for case in cases if exact_condition(case)}
    yield Finding("8.2", claim, len(cases), len(differ), OURS)


def printed_condition(model: Model) -> bool:
    """The paper's, for whole blocks."""
    return model.costs.startup > model.costs.transfer * (
        model.d * (1 - Fraction(1, model.q)) - 1
    )


def exact_condition(model: Model) -> bool:
    """What T_c < T_cp comes to: (s - (d - 2) c) (q - 1) > 0."""
    return model.q > 1 and model.costs.startup > (model.d - 2) * model.costs.transfer


def theorem4() -> Iterator[Finding]:
    """The three conditions, each as printed, and for d > 1 as the only one."""
    cases = list(instances())
    for claim, judged in THEOREM_4.items():
        verdicts = [(case[0].d, *judged(*case)) for case in cases]
        wrong = [d for d, condition, faster in verdicts if condition and not faster]
        remark = f"{wrong.count(1)} of them with d = 1, where all three are equal"
        yield Finding("8.3", f"Theorem 4: {claim}", len(cases), len(wrong), remark)
        split = [condition != faster for d, condition, faster in verdicts if d > 1]
        yield Finding("8.3", f"and only then, for d > 1: {claim}", len(split), sum(split), OURS)


def converted_or_brgc(model: Model, ffts: int, stencils: int) -> tuple[bool, bool]:
    """The first condition, and whether what it says is so."""
    faster = model.converted(ffts, stencils) < model.unchanged("BRGC", ffts, stencils)
    return ffts > 2, faster


def converted_or_fft(model: Model, ffts: int, stencils: int) -> tuple[bool, bool]:
    """The second one."""
    faster = model.converted(ffts, stencils) < model.unchanged("FFT", ffts, stencils)
    return stencils * model.element > 2 * model.block, faster


def brgc_or_fft(model: Model, ffts: int, stencils: int) -> tuple[bool, bool]:
    """The third one."""
    brgc, fft = (model.unchanged(mapping, ffts, stencils) for mapping in ("BRGC", "FFT"))
    return stencils * model.element > ffts * model.block, brgc < fft


THEOREM_4: dict[str, Callable[[Model, int, int], tuple[bool, bool]]] = {
    "T_c < T_b if k > 2": converted_or_brgc,
    "T_c < T_f if l > 2 (s + q c) / (s + c)": converted_or_fft,
    "T_b < T_f if l / k > (s + q c) / (s + c)": brgc_or_fft,
}


def instances() -> Iterator[Case]:
    """Random ones; in every other one a condition is on its boundary.

    There s and c are chosen so that (s + q c) / (s + c) is an integer r, and l is k r or 2 r.
    """
    rng = np.random.default_rng(SEED)
    for j in range(CASES):
        d, q, k, stencils, small, large = map(
            int, rng.integers(1, (13, 65, 7, 65, 100, 10_000))
        )
        s, c = Fraction(large, small), Fraction(small, 7)
        if j % 2:
            r = int(rng.integers(1, q + 1))
            s, c = (s, Fraction(0)) if r == 1 else (c * Fraction(q - r, r - 1), c)
            stencils = r * (k if j % 4 == 1 else 2)
        yield Model(Costs(s, c), d, q), k - 1 if j % 8 == 0 else k, stencils
