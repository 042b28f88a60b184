"""TR-764: the checks of its claims can fail."""

import importlib
from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from claim_cases import module_of, paper_of, with_another_figure, with_another_function

from graycube.reproduce import reproduce

PAPER = paper_of("tr-764")
CLAIMS = {claim.key: claim for claim in PAPER.claims}


def verdict(claim):
    outcome = reproduce(PAPER, claim, quick=True)
    assert not outcome.error
    return outcome.verdict


def as_recorded(claim):
    outcome = reproduce(PAPER, claim, quick=True)
    assert not outcome.error
    return outcome.as_recorded


def with_one_entry_changed(rows, at, column):
    entry = rows[at][column]
    other = {"0": "1", "1": "0", "b": "g", "g": "b", "~": ""}.get(str(entry)[:1], "")
    changed = [list(row) for row in rows]
    changed[at][column] = other + str(entry)[1:]
    return tuple(tuple(row) for row in changed)


ENTRIES = {
    "figure-1": (5, 2),
    "figure-2": (3, 7),
    "figure-3": (9, 3),
    "figure-6": (2, 1),
    "figure-8": (3, 1),
    "figure-9": (1, 0),
    "figure-10": (2, 0),
    "figure-11": (9, 2),
    "figure-15": (3, 3),
    "figure-16": (5, 0),
    "figure-17": (6, 3),
    "table-2": (23, 7),
    "table-3": (12, 3),
    "text-3.1.2-e": (2, 3),
    "text-3.2-a": (7, 3),
}


@pytest.mark.parametrize("key", ENTRIES)
def test_a_wrong_entry_is_found(key):
    claim = CLAIMS[key]
    wrong = replace(claim, figures=with_one_entry_changed(claim.figures, *ENTRIES[key]))
    assert wrong.figures != claim.figures
    assert verdict(wrong) == "fails"


@pytest.mark.parametrize("key", ["figure-12", "figure-18", "figure-20"])
def test_a_wrong_span_is_found(key):
    claim = CLAIMS[key]
    late = tuple((*row[:3], f"{row[3]} + 1", row[4]) for row in claim.figures)
    assert verdict(replace(claim, figures=late)) == "fails"


def test_a_correction_must_agree_with_every_case():
    claim = CLAIMS["figure-7"]
    wrong = replace(claim.correction, figures=claim.figures)
    assert verdict(replace(claim, correction=wrong)) == "fails"
    claim = CLAIMS["table-4"]
    rows = claim.correction.figures
    less = (*rows[:3], (*rows[3][:2], "K + n - 2", rows[3][3]), *rows[4:])
    wrong = replace(claim.correction, figures=less)
    assert verdict(replace(claim, correction=wrong)) == "fails"


SHIFTED = [
    (key, step)
    for key, claim in CLAIMS.items()
    if claim.correction and claim.correction.formula
    for step in ("+ 1", "- 1")
]


@pytest.mark.parametrize(("key", "step"), SHIFTED)
def test_a_misquoted_formula_is_found(key, step):
    claim = CLAIMS[key]
    assert not as_recorded(replace(claim, formula=f"({claim.formula}) {step}"))


@pytest.mark.parametrize(("key", "step"), SHIFTED)
def test_a_correction_is_no_limit_but_a_figure(key, step):
    claim = CLAIMS[key]
    formula = f"({claim.correction.formula}) {step}"
    wrong = replace(claim.correction, formula=formula)
    assert verdict(replace(claim, correction=wrong)) == "fails"


def misquotes():
    """Other entries for Figure 7, and other formulas for Figure 19 and Table 4."""
    for row in range(4):
        for column in range(4):
            old = CLAIMS["figure-7"].figures[row][column]
            for entry in {f"{i} {old[-1]}" for i in range(4)} - {old}:
                yield "figure-7", row, column, entry
    for row in range(5):
        for column in (2, 3):
            for step in "+-":
                old = CLAIMS["figure-19"].figures[row][column]
                yield "figure-19", row, column, f"{old} {step} 1"
    for row in range(6):
        for column in (2, 3):
            for step in "+-":
                yield (
                    "table-4",
                    row,
                    column,
                    f"{CLAIMS['table-4'].figures[row][column]} {step} 1",
                )


@pytest.mark.parametrize(("key", "row", "column", "entry"), sorted(misquotes()))
def test_a_misquoted_entry_is_found(key, row, column, entry):
    assert not with_another_figure(PAPER, CLAIMS[key], row, column, entry).as_recorded


def test_sections_are_of_the_radix_that_they_are_said_to_have(monkeypatch):
    summary = module_of(PAPER, "butterfly_summary")
    sections = summary._sections
    for radix, keys in ((2, ("text-6-d", "text-6-h")), (1, ("text-6-d",))):

        def other(n, _r, *rest, radix=radix):
            return sections(n, radix, *rest)

        for key in keys:
            outcome = with_another_function(
                PAPER, CLAIMS[key], "butterfly_summary:_sections", other, monkeypatch
            )
            assert outcome.verdict == "fails"


@pytest.mark.parametrize("name", ["gray", "gray_inverse"])
@pytest.mark.parametrize("key", ["definition-1", "corollary-1", "corollary-2", "figure-1"])
def test_another_code_of_the_library_is_found(key, name, monkeypatch):
    outcome = with_another_function(
        PAPER, CLAIMS[key], f"butterfly_codes:{name}", lambda i: i, monkeypatch
    )
    assert outcome.verdict == "fails"


@pytest.mark.parametrize("key", ["lemma-2", "table-1"])
def test_another_layout_of_the_library_is_found(key, monkeypatch):
    def binary(kind, _encoding, p, n):
        return addresses(kind, "Binary", p, n)

    addresses = module_of(PAPER, "butterfly_codes").by_library
    outcome = with_another_function(
        PAPER, CLAIMS[key], "butterfly_codes:by_library", binary, monkeypatch
    )
    assert outcome.verdict == "fails"


def test_the_ratio_of_allocations_is_reached(monkeypatch):
    outcome = with_another_function(
        PAPER, CLAIMS["text-3.2-d"], "butterfly_summary:proved", lambda *_: 1, monkeypatch
    )
    assert outcome.verdict == "fails"


def test_four_elements_are_solved_where_the_claim_says_so(monkeypatch):
    outcome = with_another_function(
        PAPER,
        CLAIMS["theorem-1-by-any-schedule"],
        "butterfly_theorems:_no_network",
        lambda *_: 1,
        monkeypatch,
    )
    assert outcome.verdict == "fails"
    assert [case.where for case in outcome.contradictions] == ["n = 3, K = 4"]


@pytest.fixture
def load(monkeypatch):
    """The modules of the papers' folder."""
    monkeypatch.syspath_prepend(str(PAPER.folder))
    return importlib.import_module


def test_a_link_with_two_elements_is_a_clash(load):
    """Networks of four that start in every cycle instead of every other one."""
    four = load("butterfly_four")
    run = four.four(3, 6)
    assert run.cube.clashes == 0
    again = four.started(3, 6)
    four.all_to_all(again, 1, again.cube.place >> 5)
    assert again.cube.clashes > 0


def test_an_element_that_leaves_too_early_is_a_clash(load):
    four = load("butterfly_four")
    run = four.started(3, 5)
    four.all_to_all(run, 1, 0 * run.cube.place)
    run.cube.stage(2)
    run.cube.exchange(4, 0, 0 * run.cube.place + 1)
    assert run.cube.early > 0


def test_pairs_that_do_not_meet_are_on_record(load):
    cube = load("butterfly_four").started(3, 5).cube
    assert not cube.apart
    cube.stage(2)
    assert cube.apart == [2]


def test_the_wrong_program_does_not_convert(load):
    conversions, cube = load("butterfly_conversions"), load("butterfly_cube")
    index = np.arange(16)
    for falls, condition in conversions.TO_BINARY.values():
        end = conversions.converted(cube.reflected(index), 4, (not falls, condition))
        assert (end != index).any()


def test_formulas_count_as_the_paper_does():
    """K elements on a node, n dimensions, as in P/2N + n - 1."""
    outcome = reproduce(PAPER, CLAIMS["theorem-4-inter-node"], quick=True)
    total = reduce(lambda n, case: n + int(case.ours), outcome.cases, 0)
    assert total == 4 * sum(k + n - 1 for n in (1, 2, 3) for k in (2, 4))
