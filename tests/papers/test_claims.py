"""The claims of all papers: complete, as recorded, told in the errata, drawn, and not idle."""

from collections import Counter

import pytest
from claim_cases import (
    ROOT,
    code_of,
    drawn,
    paper_of,
    quick_run,
    thing_of,
    untitled_errata,
    with_another_formula,
)
from sweeping import sweep

import graycube as gc
from graycube.papers.claims import VERDICTS
from graycube.papers.formula import evaluate

NUMBERED = {  # counted in the papers
    "cam_87_02": {"theorem": 4, "lemma": 1, "table": 2, "figure": 5},
    "tr_20_91": {"definition": 1, "lemma": 2, "theorem": 9, "figure": 5},
    "tr_20_92": {"definition": 1, "lemma": 4, "figure": 5},
    "tr_764": {
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
LIMITS = [k for k in FORMULAS if CLAIMS[k].relation != "=="]
DRAWN = {key: claim.draw for key, claim in CLAIMS.items() if claim.draw}
FIRST_DRAWN = {(key[0], draw): key for key, draw in reversed(DRAWN.items())}.values()

every_paper = pytest.mark.parametrize("folder", PAPERS)
every_claim = pytest.mark.parametrize(("folder", "key"), CLAIMS)


@every_paper
def test_everything_that_the_paper_numbers_has_a_claim(folder):
    assert dict(PAPERS[folder].numbered) == NUMBERED[folder]
    assert not list(PAPERS[folder].missing())


@pytest.mark.long
@every_claim
def test_the_quick_sizes_give_the_recorded_verdict(folder, key):
    outcome = quick_run(folder, key).outcome
    assert not outcome.error
    assert outcome.as_recorded, outcome.contradictions[:3]
    assert all(case.where and case.paper for case in outcome.cases)


@every_paper
def test_corrections_and_errata_are_the_same(folder):
    assert untitled_errata(PAPERS[folder]) == (set(), set())


@pytest.mark.long
@every_claim
def test_the_code_of_a_claim_is_what_its_computation_calls(folder, key):
    """A plan tries all algorithms; where none is made, those that emitted are in the list."""
    run, code = quick_run(folder, key), CLAIMS[folder, key].code
    assert [name for name in code if not run.calls(thing_of(name))] == []
    emitted = {a.emit.__module__ for a in gc.algorithms() if code_of(a.emit) in run.called}
    wanted = {"graycube.plan"} if run.calls(gc.plan) else emitted
    assert wanted <= set(code)


@pytest.mark.parametrize(("folder", "key"), LIMITS)
def test_a_limit_is_reached_or_its_slack_is_on_record(folder, key):
    """Else nothing would contradict a formula that is too loose."""
    claim = CLAIMS[folder, key]
    sign = 1 if claim.relation == "<=" else -1
    away = [
        sign * (evaluate(claim.formula, sizes) - ours)
        for (ours, *_), sizes, _ in quick_run(folder, key).compared
    ]
    assert min(x for x in away if x >= 0) == evaluate(claim.slack, {})


def test_only_limits_have_slack():
    assert {k for k, claim in CLAIMS.items() if claim.slack != "0"} <= set(LIMITS)


@pytest.mark.long
@pytest.mark.parametrize(
    ("folder", "key"),
    [pytest.param(*k, marks=[] if k in FIRST_DRAWN else pytest.mark.sweep) for k in DRAWN],
)
def test_drawings_show_something(folder, key):
    pytest.importorskip("matplotlib")
    figure = drawn(PAPERS[folder], CLAIMS[folder, key])
    used = [ax for ax in figure.axes if ax.lines or ax.texts or ax.patches]
    assert used
    assert len(used) >= len(figure.axes) - 1  # five panels stand in a grid of six


@pytest.mark.sweep
@pytest.mark.parametrize(("folder", "key"), DRAWN)
def test_drawings_can_be_laid_out(folder, key):
    pytest.importorskip("matplotlib")
    drawn(PAPERS[folder], CLAIMS[folder, key]).draw_without_rendering()


def test_all_figures_are_drawn():
    assert all(claim.draw for claim in CLAIMS.values() if claim.kind == "figure")


@pytest.mark.parametrize("anew", [False, *sweep((True,))])
@pytest.mark.parametrize(("folder", "key"), FORMULAS)
def test_another_formula_is_contradicted(folder, key, anew):
    outcome = with_another_formula(PAPERS[folder], CLAIMS[folder, key], anew=anew)
    assert (outcome.verdict, outcome.error) == ("fails", "")
    assert outcome.exceptions


def test_the_table_of_the_documents_counts_the_claims():
    """How many cases there are is known to the whole reproduction only."""
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    rows = [[x.strip() for x in line.split("|")[1:-1]] for line in text.splitlines()]
    keys = {paper.key for paper in PAPERS.values()}
    told = {row[0]: [int(x) for x in row[1:6]] for row in rows if row and row[0] in keys}
    for paper in PAPERS.values():
        found = Counter(claim.verdict for claim in paper.claims)
        assert told[paper.key] == [len(paper.claims), *(found[verdict] for verdict in VERDICTS)]
