"""Every claim of TR-20-91 would come out otherwise if it were another one."""

from dataclasses import replace

import numpy as np
import pytest
from claim_cases import (
    module_of,
    paper_of,
    with_another_figure,
    with_another_function,
    with_another_library,
)

from graycube.papers import reproduce

PAPER = paper_of("tr_20_91")
CLAIMS = {claim.key: claim for claim in PAPER.claims}
WITH_FORMULA = [key for key, claim in CLAIMS.items() if claim.formula]
MODEL = module_of(PAPER, "model")
ROUTES = module_of(PAPER, "routes")
FOLDS = ROUTES.folds
WRITTEN = ROUTES.routes
WRONG_FIGURES = [  # key, row, column, and what the print does not have there
    ("figure-1", 2, 2, 1),
    *(("figure-2", row, column, 9) for row, column in ((2, 7), (6, 2), (10, 5), (15, 6))),
    *(("figure-3", row, column, 9) for row, column in ((4, 3), (8, 7), (9, 9), (12, 10))),
    ("figure-5", 0, 2, 8),
    ("text-5.1-a", 0, 1, 4),
    ("text-5.1-b", 0, 2, 1),
    ("text-5.1-b", 2, 2, 2),
    ("text-5.1-h", 1, 2, 1),
]


def everything(value):
    return lambda *_, **__: value


def binary(n):
    return np.arange(1 << n)


BROKEN = [  # what is replaced, by what, and which claims then come out otherwise
    ("codes:reflected", binary, "definition-1 lemma-1 text-2-b"),
    ("codes:ranks", binary,
     "lemma-2 theorem-1 text-2-c text-2-d text-2-e text-2-f"),
    ("codes:schedule", lambda _, __, block: MODEL.schedule("two-cube", (2,), block),
     "text-1-d"),
    ("codes:steps", lambda n, _: [binary(n)] * n, "figure-2 figure-3"),
    ("routes:ranks", binary, "figure-1 figure-5 text-5.1-a text-5.1-b"),
    ("bounds:combinations", lambda *_: [({1}, {1})], "text-2-a"),
    ("bounds:ranks", binary, "text-3.1-a"),
    ("bounds:optimum", everything(0), "theorem-3 theorem-5"),
    ("bounds:best", everything(1), "text-6-a"),
    ("bounds:optimum", everything(0), "text-1-g text-3.1-c text-3.1-d figure-4"),
    ("bounds:optimum", lambda widths, block: MODEL.optimum(widths, block) - 1,
     "figure-4"),
    ("bounds:optimum", lambda widths, block: MODEL.optimum(widths, block) + 50,
     "text-3.1-c"),
    ("bounds:optimum_on_shortest", everything(1), "theorem-2 theorem-4"),
    ("cycles:cycles_of", everything(10**6), "text-4.2-a text-5.1-g"),
    ("cycles:optimum", everything(10**6), "theorem-8 theorem-9"),
    ("codes:parity", everything(0), "text-4.1-a"),
    ("routes:folds", lambda n, order, *codes: FOLDS(n, order[::-1], *codes),
     "theorem-7 text-5.1-c"),
    ("routes:routes", lambda n, short, aside: WRITTEN(n, short + aside, 0),
     "text-5.1-d"),
    ("routes:ranks", binary, "text-5.3-a"),
    ("packets:cycles_of", lambda _, widths, block: 3 * block * len(widths),
     "text-1-a text-5.2-a text-6-b"),
    ("packets:reflected", binary, "text-1-e text-4.1-b"),
    ("packets:cycles_of", everything(8), "text-1-f"),
    ("packets:schedule", lambda _, *sizes: MODEL.schedule("pipelined", *sizes),
     "text-4-a"),
    ("packets:best", lambda n, block: block + n - 2, "text-6-c"),
    ("packets:proved", lambda _, ports: ports, "text-1-b"),
    ("packets:actions", everything(()), "text-1-c"),
    ("packets:startups", everything(1), "text-6-d text-6-h text-6-i text-6-j"),
]  # fmt: skip
LIBRARY = [  # a function of the library, by what it is replaced, and which claims see it
    ("gf2:gray", lambda i: i, "definition-1 lemma-1 text-2-b"),
    ("gf2:gray_inverse", lambda i: i, "lemma-1 text-3.1-a text-5.1-a"),
    ("gf2:gray_to_binary", everything(()), "theorem-1 text-2-e text-2-f"),
    ("gf2:rotation", lambda n, _: range(n - 1), "text-2-f"),
    ("cost:lower_bounds", everything(()), "theorem-3 theorem-5 text-3.1-c"),
    ("cost:minimum_path_bound", everything(None), "theorem-2 theorem-4"),
    ("cost:best_cut", everything(None), "text-3.1-c text-6-a"),
]


@pytest.mark.parametrize(("key", "row", "column", "wrong"), WRONG_FIGURES)
def test_another_figure_is_contradicted(key, row, column, wrong):
    outcome = with_another_figure(PAPER, CLAIMS[key], row, column, wrong)
    assert outcome.verdict == "fails"


@pytest.mark.parametrize(("name", "wrong", "keys"), BROKEN)
def test_a_wrong_computation_is_not_as_recorded(name, wrong, keys, monkeypatch):
    for key in keys.split():
        outcome = with_another_function(PAPER, CLAIMS[key], name, wrong, monkeypatch)
        assert not outcome.as_recorded, key


@pytest.mark.parametrize(("name", "wrong", "keys"), LIBRARY)
def test_the_library_is_tried_as_well(name, wrong, keys, monkeypatch):
    for key in keys.split():
        outcome = with_another_library(PAPER, CLAIMS[key], name, wrong, monkeypatch)
        assert not outcome.as_recorded, key


@pytest.mark.parametrize("key", ["theorem-8", "theorem-9", "text-6-a"])
def test_one_cycle_more_is_more_than_the_corrections_say(key):
    claim = CLAIMS[key]
    more = replace(claim.correction, formula=f"({claim.correction.formula}) + 1")
    outcome = reproduce(PAPER, replace(claim, correction=more), quick=True)
    assert outcome.verdict == "fails"


def test_every_claim_is_seen_to_come_out_otherwise():
    broken = {key for _, _, keys in BROKEN for key in keys.split()}
    figures = {key for key, *_ in WRONG_FIGURES}
    assert {*WITH_FORMULA, *figures, *broken} == set(CLAIMS)
