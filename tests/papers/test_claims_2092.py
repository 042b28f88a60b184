"""Every claim of TR-20-92 would come out otherwise if it were another one."""

import numpy as np
import pytest
from claim_cases import (
    module_of,
    paper_of,
    with_another_figure,
    with_another_function,
    with_another_library,
)

PAPER = paper_of("tr_20_92")
CLAIMS = {claim.key: claim for claim in PAPER.claims}
WITH_FORMULA = [key for key, claim in CLAIMS.items() if claim.formula]
MODEL = module_of(PAPER, "model")
SWAPPED = {"gb1": "gb2", "gb2": "gb1", "gb3": "gb2"}
WRONG_FIGURES = [  # key, row, column, and what the print does not have there
    ("figure-1", 1, 1, 8),
    ("figure-2", 0, 0, 2),
    ("figure-3", 0, 0, 3),
    ("text-1-a", 0, 4, 7),
    ("text-1-d", 1, 1, 1.9),
    ("text-3.4-d", 0, 1, 1.5),
]
MODELLED = [  # what the model gives where the measurement is another one
    ("figure-5", [1.44, 1.54, 1.6]),
    ("text-3.4-e", [1402]),
    ("text-4-b", [62.4]),
]


def everything(value):
    return lambda *_, **__: value


def binary(n):
    return np.arange(1 << n)


BROKEN = [  # what is replaced, by what, and which claims then come out otherwise
    ("codes:reflected", binary,
     "definition-1 lemma-1 text-1-b text-2.4-b text-3.1-a text-3.1-b text-3.1-c"),
    ("codes:ranks", binary, "text-2.4-b text-2.4-c"),
    ("codes:placements", lambda *sizes: MODEL.placements(*sizes)[::-1], "text-2.4-a"),
    ("codes:counted", everything((1, 1)), "text-2.4-d"),
    ("steps:wanted", lambda n, _: binary(n) < 0, "lemma-4 text-3.3-a"),
    ("steps:steps", lambda name, n: MODEL.steps(SWAPPED[name], n),
     "figure-1 text-3.2-b text-3.3-b"),
    ("steps:schedule", lambda name, n, block: MODEL.schedule(SWAPPED[name], n, block),
     "text-3.2-c figure-2"),
    ("steps:schedule", lambda _, n, block: MODEL.schedule("any-order", n, block),
     "lemma-4 text-3.2-a text-3.3-a"),
    ("steps:schedule", lambda _, n, block: MODEL.schedule("pipelined", n, block, n),
     "text-2.2-a"),
    ("times:counted", everything((3, 8)), "text-3.2-f text-3.4-a text-1-c"),
    ("times:counted", lambda _, n, block, kind="": (n, block + len(kind)), "text-4-c"),
    ("times:fewest", everything(0), "lemma-3 text-4-a"),
    ("times:speed_up", everything(1.2), "text-3.4-b text-3.4-c text-3.4-f"),
    ("times:ipsc2_speed_up", everything(1.5), "text-3.4-g"),
    ("times:break_even", everything(0), "figure-4 text-3.4-d"),
    ("steps:ranks", lambda n: 0 * binary(n), "text-3.5-a text-3.5-b text-3.5-d"),
    ("steps:path", lambda *_: binary(0), "text-4-d"),
]  # fmt: skip
LIBRARY = [  # a function of the library, by what it is replaced, and which claims see it
    ("gf2:gray", lambda i: i, "definition-1 lemma-1 text-3.1-b"),
    ("gf2:gray_inverse", lambda i: i, "lemma-1"),
    ("gf2:displacement_profile", everything({}), "lemma-2 text-3.1-a"),
    ("cost:lower_bounds", everything(()), "lemma-3"),
]


@pytest.mark.parametrize(("key", "row", "column", "wrong"), WRONG_FIGURES)
def test_another_figure_is_contradicted(key, row, column, wrong):
    outcome = with_another_figure(PAPER, CLAIMS[key], row, column, wrong)
    assert outcome.verdict == "fails"


@pytest.mark.parametrize(("key", "figures"), MODELLED)
def test_measurements_fail_since_the_model_gives_other_figures(key, figures):
    claim = CLAIMS[key]
    for row, figure in enumerate(figures):
        outcome = with_another_figure(PAPER, claim, row, 1, figure)
        assert outcome.exceptions == len(claim.figures) - 1


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


def test_every_claim_is_seen_to_come_out_otherwise():
    broken = {key for _, _, keys in BROKEN for key in keys.split()}
    figures = {key for key, *_ in (*WRONG_FIGURES, *MODELLED)}
    assert {*WITH_FORMULA, *figures, *broken} == set(CLAIMS)
