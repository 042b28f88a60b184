"""The claims of all papers: complete, as recorded, told in the errata, drawn, and not idle."""

import pkgutil

import pytest
from claim_cases import drawn, paper_of, untitled_errata, with_another_formula

from graycube.reproduce import reproduce

NUMBERED = {  # counted in the papers
    "cam-87-02": {"theorem": 4, "lemma": 1, "table": 2, "figure": 5},
    "tr-20-91": {"definition": 1, "lemma": 2, "theorem": 9, "figure": 5},
    "tr-20-92": {"definition": 1, "lemma": 4, "figure": 5},
    "tr-764": {
        "definition": 1,
        "corollary": 2,
        "lemma": 2,
        "theorem": 5,
        "table": 4,
        "figure": 23,
    },
}
PAPERS = {folder: paper_of(folder) for folder in NUMBERED}
CLAIMS = {(folder, c.key): c for folder, paper in PAPERS.items() for c in paper.claims}
FORMULAS = [k for k, claim in CLAIMS.items() if claim.formula]
CODE = sorted({name for claim in CLAIMS.values() for name in claim.code})

every_paper = pytest.mark.parametrize("folder", PAPERS)
every_claim = pytest.mark.parametrize(("folder", "key"), CLAIMS)


@every_paper
def test_everything_that_the_paper_numbers_has_a_claim(folder):
    assert dict(PAPERS[folder].numbered) == NUMBERED[folder]
    assert not list(PAPERS[folder].missing())


@every_claim
def test_the_quick_sizes_give_the_recorded_verdict(folder, key):
    outcome = reproduce(PAPERS[folder], CLAIMS[folder, key], quick=True)
    assert not outcome.error
    assert outcome.as_recorded, outcome.contradictions[:3]
    assert all(case.where and case.paper for case in outcome.cases)


@every_paper
def test_corrections_and_errata_are_the_same(folder):
    assert untitled_errata(PAPERS[folder]) == (set(), set())


@pytest.mark.parametrize("name", CODE)
def test_the_code_is_there(name):
    assert pkgutil.resolve_name(name)


@pytest.mark.parametrize(("folder", "key"), [k for k, claim in CLAIMS.items() if claim.draw])
def test_drawings_show_something(folder, key):
    pytest.importorskip("matplotlib")
    figure = drawn(PAPERS[folder], CLAIMS[folder, key])
    figure.draw_without_rendering()
    used = [ax for ax in figure.axes if ax.lines or ax.texts or ax.patches]
    assert used
    assert len(used) >= len(figure.axes) - 1  # five panels stand in a grid of six


def test_all_figures_are_drawn():
    assert all(claim.draw for claim in CLAIMS.values() if claim.kind == "figure")


@pytest.mark.parametrize(("folder", "key"), FORMULAS)
def test_another_formula_is_contradicted(folder, key):
    outcome = with_another_formula(PAPERS[folder], CLAIMS[folder, key])
    assert (outcome.verdict, outcome.error) == ("fails", "")
    assert outcome.exceptions
