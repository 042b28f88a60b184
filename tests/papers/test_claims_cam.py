"""Every claim of CAM-87-02 would come out otherwise if it were another one."""

import numpy as np
import pytest
from claim_cases import (
    module_of,
    paper_of,
    with_another_figure,
    with_another_function,
)

PAPER = paper_of("cam_87_02")
CLAIMS = {claim.key: claim for claim in PAPER.claims}
WITH_FORMULA = [key for key, claim in CLAIMS.items() if claim.formula]
WRONG_FIGURES = [  # key, row, column, and what the print does not have there
    ("text-3-a", 0, 8, "111"),
    ("text-3-a", 1, 3, "010"),
    ("text-5-a", 3, 16, "1010"),
    ("text-5-c", 0, 0, 3),
    ("text-5-c", 0, 9, "1110"),
    ("text-8.1-f", 0, 1, "11"),
    ("text-8.1-f", 1, 1, "0.015"),
    ("text-8.1-f", 2, 1, "0.577"),
    ("text-8.2-e", 0, 0, "cm2"),
    ("figure-1", 0, 1, 3),
    ("figure-2", 1, 1, 2),
    ("figure-3", 2, 2, 2),
    ("table-1", 0, 1, 28300),
    ("table-1", 6, 3, 592),
    ("table-1", 6, 4, 576),
    *(("table-2", row, column, "3.14") for row in range(6) for column in range(1, 5)),
]


def binary(d):
    return np.arange(1 << d)


def everywhere(value):
    return lambda *_: value


def rotated(*program):
    counts = module_of(PAPER, "prices").strategies(*program)
    return dict(zip(counts, [*list(counts.values())[1:], counts["T_b"]], strict=True))


BROKEN = [  # what is replaced, by what, and which claims then come out otherwise
    ("graphs:adjacent", lambda d: ~np.eye(1 << d, dtype=bool), "text-1-a"),
    ("codes:rounds_to_know_all", everywhere(2), "text-4-a"),
    (
        "graphs:stage_pairs",
        lambda d, _: (binary(d), binary(d)[::-1]),
        "text-2-a text-2-b text-2-c",
    ),
    ("graphs:digits_reversed", binary, "text-2-a text-2-d"),
    ("rounds:digits_reversed", binary, "text-2-b theorem-3 text-7-a"),
    ("codes:far_apart", binary, "text-4-b"),
    ("graphs:distance", lambda a, b: 4 * (a != b), "text-1-b"),
    (
        "codes:reflected",
        binary,
        "text-1-c text-3-b text-5-a text-5-b theorem-2 theorem-3 text-8.1-b",
    ),
    ("codes:suits_fft", everywhere(value=True), "text-5-d"),
    (
        "conversions:reflected",
        binary,
        "lemma-1 text-6-a text-6-b text-6-c text-7-a text-7-c text-7-d",
    ),
    (
        "conversions:exchanged",
        lambda data, *_: data,
        "text-6-a text-6-b text-6-c text-7-d",
    ),
    (
        "conversions:by_blocks",
        lambda n, d, _: binary(n) % (1 << d),
        "text-7-a text-7-b",
    ),
    (
        "conversions:tensor",
        lambda maps: sum(np.ix_(*maps)),
        "text-7-c text-7-d",
    ),
    (
        "graphs:stage_pairs",
        lambda d, stage: (binary(d), binary(d) ^ 1 << stage - 1),
        "figure-1 figure-2",
    ),
    ("graphs:reflected", binary, "figure-3"),
    ("evidence:split", everywhere((3, 2)), "figure-4 figure-5 table-1"),
    ("evidence:model_speedups", everywhere((3.0, 3.0)), "table-2"),
    (
        "tradeoffs:best_dims",
        lambda _, mapping, n: 3 - (mapping == "FFT") if n > 3 else 0,
        "text-8.1-c text-8.1-d",
    ),
    (
        "tradeoffs:transforms",
        lambda _, q, __: module_of(PAPER, "prices").Count(1, q),
        "text-8.1-g",
    ),
    ("codes:H3", tuple(range(8)), "text-1-c"),
    ("strides:reflected", binary, "text-5-e text-5-f"),
    ("tradeoffs:MAPPINGS", ("BRGC", "FFT"), "text-8.1-e"),
    (
        "tradeoffs:single_elements",
        lambda d, q: module_of(PAPER, "prices").whole_blocks(d, q),
        "text-8.2-c text-8.2-d",
    ),
    (
        "prices:single_elements",
        lambda d, q: module_of(PAPER, "prices").whole_blocks(d, q),
        "text-8.2-b text-8.2-f",
    ),
    (
        "strategies:strategies",
        rotated,
        "theorem-4 text-8.3-d text-8.3-e text-8.3-f",
    ),
]


@pytest.mark.parametrize(("key", "row", "column", "wrong"), WRONG_FIGURES)
def test_another_figure_is_contradicted(key, row, column, wrong):
    assert with_another_figure(PAPER, CLAIMS[key], row, column, wrong).verdict == "fails"


@pytest.mark.parametrize(("name", "wrong", "keys"), BROKEN)
def test_a_wrong_computation_is_not_as_recorded(name, wrong, keys, monkeypatch):
    for key in keys.split():
        outcome = with_another_function(PAPER, CLAIMS[key], name, wrong, monkeypatch)
        assert not outcome.as_recorded, key


def test_every_claim_is_seen_to_fail():
    broken = {key for *_, keys in BROKEN for key in keys.split()}
    assert {*WITH_FORMULA, *(key for key, *_ in WRONG_FIGURES), *broken} == set(CLAIMS)
