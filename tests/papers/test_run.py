"""The runner of the claims: what it computes is exact, and what it cannot read it refuses."""

import ast
import json
import math
import re
import subprocess
import sys
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graycube.errors import GraycubeError, InvalidValueError
from graycube.papers import (
    Case,
    Claim,
    Correction,
    Paper,
    as_dict,
    compared,
    judged,
    papers,
    read_paper,
    report,
    reproduce,
    summary,
    tried,
    unexpected,
)
from graycube.papers.claims import span
from graycube.papers.formula import evaluate
from graycube.papers.run import SHOWN, function_of

CLAIM = Claim("lemma", "1", "section 1", "a statement", "checks:counts")
CORRECTED = replace(
    CLAIM, verdict="holds with a correction", correction=Correction("it is", "An entry.")
)
UNREACHED = replace(CORRECTED, verdict="not reached")
VALUES = {"n": 5, "K": 12}


# Formulas. The oracle is Python itself, with every number on the way a fraction.


class Exactly(ast.NodeTransformer):
    """Every expression f as exact(f), so that no division of integers is in floating point."""

    def visit(self, node):
        seen = self.generic_visit(node)
        if isinstance(node, ast.expr):
            return ast.Call(ast.Name("exact", ast.Load()), [seen], [])
        return seen


def exact(value):
    return value if callable(value) else Fraction(value)


def whole(value):
    if value.denominator > 1:
        raise ValueError(value)
    return int(value)


FUNCTIONS = {
    "abs": abs,
    "ceil": math.ceil,
    "comb": lambda n, k: math.comb(whole(n), whole(k)),
    "floor": math.floor,
    "max": max,
    "min": min,
}


def by_python(formula):
    tree = ast.fix_missing_locations(Exactly().visit(ast.parse(formula, mode="eval")))
    return eval(compile(tree, "formula", "eval"), {"exact": exact, **FUNCTIONS, **VALUES})  # noqa: S307


LEAVES = st.one_of(st.integers(0, 20).map(str), st.sampled_from(sorted(VALUES)))


def larger(inner):
    two, signs = (inner, inner), ("+", "-", "*", "/", "//", "%")
    compared = ("==", "!=", "<", "<=", ">", ">=")
    return st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(signs), inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(signs), inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(compared), inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(("and", "or")), inner),
        st.builds("({}) ** {}".format, inner, st.integers(-2, 2)),
        st.builds("{}({}, {})".format, st.sampled_from(("max", "min", "comb")), *two),
        st.builds("{}({})".format, st.sampled_from(("abs", "ceil", "floor")), inner),
        st.builds("(not {})".format, inner),
        st.builds("-{}".format, inner),
        st.builds("({} if {} else {})".format, inner, *two),
    )


@given(st.recursive(LEAVES, larger, max_leaves=8))
def test_formulas_have_the_values_that_python_gives_them(formula):
    try:
        wanted = by_python(formula)
    except (ArithmeticError, ValueError):
        with pytest.raises(InvalidValueError):
            evaluate(formula, VALUES)
        return
    found = evaluate(formula, VALUES)
    assert found == wanted
    assert isinstance(found, int) == (wanted.denominator == 1)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("4 / 2", 2),
        ("comb(n, 4 / 2)", 10),
        ("2 ** -1", Fraction(1, 2)),
        ("n and K", 12),
        ("0 or n", 5),
        ("0 and 1 / 0", 0),
        ("1 if n < K else 1 / 0", 1),
        (" n\n", 5),
        ("0.5 * n", 2.5),
        ("0.1 ** 2", 0.1**2),  # not the square of the fraction that 0.1 is
        ("comb(3, 7)", 0),
        ("2 ** 8191", 2**8191),
    ],
)
def test_formulas_by_hand(formula, value):
    found = evaluate(formula, VALUES)
    assert (found, type(found)) == (value, type(value))


HOSTILE = [
    *("n.real", "().__class__", "abs.__call__(1)", "__import__('os')", "open('x')"),
    *("eval('1')", "lambda: 1", "[1, 2]", "{1: 2}", "'a' * 10 ** 10", "b'x'", "f'{n}'"),
    *("n[0]", "...", "None", "1j", "n := 3", "(n := 3)", "max(*[1, 2])", "max(1, key=abs)"),
    *("max(n for n in [1])", "~n", "n @ n", "n << 3", "n in n", "n is n", "1 < 2 < 3"),
    *("missing", "max", "import os", "", " ", "n if", "1 2", "1;2", "1\0", "#", "\ud800"),
    *("1 / 0", "1 // 0", "1 % 0", "0 ** -1", "1e999", "1e308 * 10", "ceil(1e999)"),
    *("0 * 1e999", "(-8) ** (1 / 3)", "comb(-1, 2)", "comb(1.5, 1)", "comb(n / 2, 1)"),
    *("comb(5)", "max()", "10 ** 10 ** 10", "9 ** 9 ** 9 ** 9", "2 ** -10 ** 10"),
    *("(1 / 3) ** 10 ** 9", "2 ** 8192", "comb(10 ** 9, 5 * 10 ** 8)", "(-2) ** 10 ** 9"),
    *("comb(2 ** 8000, 8000)", "*".join(["2 ** 8000"] * 9), "**".join("9" * 400)),
    *("9" * 10_000, "+".join("1" * 10_000), "-" * 10**6 + "1", "not " * 200_000 + "n"),
    *("(" * 499 + "1" + ")" * 499, "(" * 10**5, "[" * 900, "abs(" * 150 + "n"),
]


@pytest.mark.parametrize("formula", HOSTILE, ids=lambda formula: repr(formula)[:24])
def test_hostile_formulas_are_refused(formula):
    """Without being worked out: each of them would take hours."""
    with pytest.raises(InvalidValueError, match="may only count") as refused:
        evaluate(formula, VALUES)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("formula", ["-" * 998 + "1", "+".join("1" * 500), "not " * 249 + "1"])
def test_deep_formulas_are_computed_or_refused(formula):
    try:
        value = evaluate(formula, {})
    except InvalidValueError:
        return
    assert value == by_python(formula)


@given(st.text(max_size=60))
def test_any_text_is_a_number_or_refused(text):
    try:
        value = evaluate(text, VALUES)
    except InvalidValueError:
        return
    assert isinstance(value, int | float | Fraction)


def test_what_is_no_text_is_refused():
    with pytest.raises(InvalidValueError, match="may only count"):
        evaluate(3, {})


def test_huge_sizes_are_refused_where_they_come_in():
    with pytest.raises(InvalidValueError, match="may only count"):
        evaluate("n", {"n": 1 << 9000})


# Claims.


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"kind": "conjecture"}, "kind 'conjecture'"),
        ({"verdict": "true"}, "verdict 'true'"),
        ({"relation": "<"}, "relation '<'"),
        ({"check": "checks"}, "'module:function'"),
        ({"check": "a:b:c"}, "'module:function'"),
        ({"draw": "figures"}, "'module:function'"),
        ({"number": " "}, "number ' '"),
        ({"sizes": {"n": "1..3"}, "quick": {"K": "1"}}, "quick sizes"),
        ({"sizes": {"n": "3..1"}}, "the span is"),
        ({"sizes": {"n": "1..3"}, "quick": {"n": ""}}, "the span is"),
        ({"verdict": "holds with a correction"}, "correction needs"),
        ({"verdict": "not reached"}, "correction needs"),
        ({"correction": Correction("it is", "An entry.")}, "correction needs"),
        ({"verdict": "fails", "correction": Correction("it is", "An entry.")}, "correction"),
    ],
)
def test_wrong_claims_are_refused(changed, told):
    with pytest.raises(InvalidValueError, match=told):
        replace(CLAIM, **changed)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "a", "1..", "..3", "3..2", "1...3", "1 2.5", "1,2", "0x3", "1..70000"),
        *(f"1..{10**20}", "9" * 5000),
    ],
)
def test_wrong_spans_are_refused(text):
    with pytest.raises(InvalidValueError, match="the span is"):
        list(span(text))


@given(st.integers(-50, 50), st.integers(0, 50))
def test_spans_are_ranges(first, length):
    assert list(span(f"{first}..{first + length}")) == list(range(first, first + length + 1))


@given(st.lists(st.integers(), min_size=1))
def test_spans_are_lists(numbers):
    assert list(span(" ".join(map(str, numbers)))) == numbers


@pytest.mark.parametrize(
    ("relation", "formula", "ours", "holds"),
    [
        ("==", "2 ** 60", 2**60, True),
        ("==", "2 ** 60", 2**60 + 1, False),
        ("==", "2 ** 5000", 2**5000 + 1, False),
        ("==", "1 / 3", Fraction(1, 3), True),
        ("==", "1 / 3", 1 / 3, True),
        ("==", "1 / 3", 0.3334, False),
        ("==", "3", np.int64(3), True),
        ("==", "3", np.int64(4), False),
        ("==", "3", math.nan, False),
        ("<=", "3", 3, True),
        ("<=", "3", np.int64(4), False),
        (">=", "10 / 3", 3, False),
        (">=", "10 / 3", 4, True),
    ],
)
def test_figures_are_compared_exactly(relation, formula, ours, holds):
    claim = replace(CORRECTED, relation=relation, formula="0 - 1")
    claim = replace(claim, correction=replace(CORRECTED.correction, formula=formula))
    claim = replace(claim, formula=formula, sizes={"n": "1"})
    (case,) = compared(lambda **_: ours)(claim)
    assert (case.holds, case.corrected) == (holds, holds)
    assert json.loads(json.dumps(asdict(case)))["holds"] is holds


def test_a_statement_holds_or_does_not():
    claim = replace(CLAIM, sizes={"n": "1..2"})
    told = [(case.paper, case.ours, case.holds) for case in tried(lambda n, **_: n == 2)(claim)]
    assert told == [("it holds", "it does not", False), ("it holds", "it holds", True)]


def test_sizes_that_a_claim_does_not_speak_of_are_left_out():
    sizes = {"n": "1..3", "K": "4 8"}
    claim = replace(CLAIM, formula="n * K", sizes=sizes, only="n > 1 and K < 9 - n")
    cases = list(compared(lambda n, K: n * K)(claim))  # noqa: N803
    assert [case.where for case in cases] == ["n = 2, K = 4", "n = 3, K = 4"]
    assert all(case.holds and case.corrected is None for case in cases)
    assert [case.where for case in tried(lambda **_: True)(claim)] == [c.where for c in cases]
    assert claim.spans == "n = 1..3, K = 4 8, only where n > 1 and K < 9 - n"
    assert list(replace(claim, only="n > 3").cases()) == []


def test_quick_sizes_replace_some():
    claim = replace(CLAIM, sizes={"n": "1..9", "K": "4 8"}, quick={"n": "2"})
    assert list(claim.quickly().cases()) == [{"n": 2, "K": 4}, {"n": 2, "K": 8}]


# Verdicts.


def verdict_by_rule(cases, correction):
    """The rule as the module tells it, for a list of what is said of cases."""
    if cases and all(holds for holds, *_ in cases):
        return "holds"
    if cases and correction and all(corrected for _, corrected, _ in cases):
        return "not reached" if any(left_open for *_, left_open in cases) else CORRECTED.verdict
    return "fails"


SAID = st.tuples(st.booleans(), st.sampled_from((None, True, False)), st.booleans())


@given(
    st.lists(SAID, max_size=4), st.sampled_from((CLAIM, CORRECTED, UNREACHED)), st.booleans()
)
def test_verdicts_follow_the_rule(said, claim, from_numpy):
    kind = np.bool_ if from_numpy else bool
    made = [Case("", "", "", kind(holds), *rest) for holds, *rest in said]
    outcome = judged(claim, iter(made))
    assert outcome.verdict == verdict_by_rule(said, claim.correction)
    counted = not claim.correction or outcome.exceptions == claim.correction.exceptions
    assert outcome.as_recorded == (outcome.verdict == claim.verdict and counted)
    assert outcome.tried == len(said)
    assert outcome.exceptions == sum(not holds for holds, *_ in said)
    assert outcome.open == sum(left_open for *_, left_open in said)
    right = [corrected if claim.correction else holds for holds, corrected, _ in said]
    assert outcome.surprises == sum(not x for x in right)


@pytest.mark.parametrize(
    ("ours", "least", "is_open"),
    [(8, 7, False), (8, 8, False), (9, 8, True), (9, 9, False), (9, 7, True), (9, None, False),
     (7, 6, False)],
)  # fmt: skip
@pytest.mark.parametrize("relation", ["==", "<="])
def test_what_is_worse_than_the_paper_and_not_excluded_is_open(relation, ours, least, is_open):
    claim = replace(CLAIM, formula="n", relation=relation, sizes={"n": "8"})
    assert claim.compare(ours, least, n=8).open is is_open
    (case,) = compared(lambda **_: ours, least and (lambda **_: least))(claim)
    assert case.open is is_open


def test_truth_from_numpy_counts_as_truth():
    """A case that a computation makes by itself may well hold an element of an array."""
    case = Case("", "", "", np.False_, np.True_)
    assert judged(CORRECTED, iter([case])).verdict == "holds with a correction"


def test_cases_are_counted_and_some_are_kept():
    cases = (Case(str(k), "", "", holds=k % 2 == 0) for k in range(1000))
    outcome = judged(CLAIM, cases)
    assert (outcome.tried, outcome.exceptions) == (1000, 500)
    assert [case.where for case in outcome.cases] == [str(k) for k in range(SHOWN)]
    assert [case.where for case in outcome.contradictions] == [
        str(k) for k in range(1, 2 * SHOWN, 2)
    ]


def test_what_contradicts_the_record_comes_first():
    """Also what agrees with the print: a correction is to agree with every case."""
    late = {900: (False, False), 950: (True, False)}
    cases = [Case(str(k), "1", "2", *late.get(k, (k % 2 == 0, True))) for k in range(1000)]
    outcome = judged(CORRECTED, iter(cases))
    assert (outcome.verdict, outcome.exceptions, outcome.surprises) == ("fails", 501, 2)
    assert [case.where for case in outcome.contradictions[:4]] == ["900", "950", "1", "3"]
    assert len(outcome.contradictions) == SHOWN
    paper = Paper("X-1", "T", "A", "R", 1990, Path(), {}, (CORRECTED,))
    (told,) = unexpected([(paper, [outcome])])
    assert told == (
        "X-1 Lemma 1: fails, recorded: holds with a correction; "
        "2 of 1000 cases contradict the record, first at 900: paper 1, computed 2"
    )


def test_what_is_not_reached_is_told(folder):
    place = folder()
    paper = read_paper(place / "claims.toml")
    said = Correction("ours take one more", "An entry.", exceptions=1)
    claim = replace(paper.claims[0], verdict="not reached", correction=said)
    made = [Case("a", "8", "9", holds=False, corrected=True, open=True)]
    outcome = judged(claim, iter(made))
    assert outcome.as_recorded
    results = [(replace(paper, claims=(claim,)), [outcome])]
    told = "Lemma 1 not reached (of 1 cases 1 contradict it, 1 of them open): An entry."
    assert told in summary(results)
    assert "1 not reached" in summary(results)
    assert as_dict(results)["papers"][0]["claims"][0]["open"] == 1
    page = report(results)
    assert "Reached is: ours take one more" in page
    assert page.count("\N{WHITE CIRCLE}") >= 3


# Papers' folders.

HEAD = """
[paper]
key = "X-1"
title = "T"
authors = "A"
report = "R"
year = 1990
[paper.numbered]
lemma = 1
"""
BODY = """
[[claim]]
kind = "lemma"
number = "1"
where = "section 1"
statement = "A statement."
check = "checks_of_x:counts"
"""
CHECKS = """
import sys

from graycube.papers import Case

def counts(claim):
    yield Case("here", "1", "1", holds=True)

def breaks(claim):
    yield Case("here", "1", "1", holds=True)
    raise KeyError("n")

def leaves(claim):
    sys.exit("enough")

def returns_nothing(claim):
    pass

def yields_numbers(claim):
    yield 3

def draws(figure, claim):
    figure.subplots().plot([1, 2])

def cannot_draw(figure, claim):
    raise RuntimeError("no ink")
"""


@pytest.fixture
def folder(tmp_path):
    """Makes folders of papers, and forgets what was imported from them."""
    before = set(sys.modules)
    path = list(sys.path)

    def made(text=HEAD + BODY, name="x", **modules):
        place = tmp_path / name
        place.mkdir()
        (place / "claims.toml").write_text(text, encoding="utf-8")
        for module, content in ({"checks_of_x": CHECKS} | modules).items():
            (place / f"{module}.py").write_text(content, encoding="utf-8")
        return place

    yield made
    assert sys.path == path
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


def outcome_of(place, **changed):
    paper = read_paper(place / "claims.toml")
    return reproduce(paper, replace(paper.claims[0], **changed), draws="draw" in changed)


def test_a_claim_is_computed(folder):
    outcome = outcome_of(folder())
    assert (outcome.verdict, outcome.tried, outcome.error) == ("holds", 1, "")


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ("checks_of_x:breaks", "KeyError: 'n'"),
        ("checks_of_x:leaves", "SystemExit: enough"),
        ("checks_of_x:returns_nothing", "TypeError"),
        ("checks_of_x:yields_numbers", "AttributeError"),
        ("checks_of_x:missing", "AttributeError"),
        ("no_such_module:counts", "ModuleNotFoundError"),
        ("broken_syntax:counts", "SyntaxError"),
        ("raises_at_once:counts", "ValueError: not today"),
        ("json:loads", "ModuleNotFoundError"),
        ("sys:exit", "ModuleNotFoundError"),
    ],
)
def test_errors_of_a_computation_are_outcomes(folder, check, told):
    place = folder(broken_syntax="def", raises_at_once="raise ValueError('not today')")
    outcome = outcome_of(place, check=check)
    assert (outcome.verdict, outcome.as_recorded) == ("fails", False)
    assert told in outcome.error


def test_a_claim_that_is_recorded_as_failing_does_not_fail_by_an_error(folder):
    outcome = outcome_of(folder(), check="checks_of_x:breaks", verdict="fails")
    assert (outcome.verdict, outcome.as_recorded) == ("fails", False)


def test_errors_of_a_drawing_are_outcomes(folder):
    pytest.importorskip("matplotlib")
    place = folder()
    assert outcome_of(place, draw="checks_of_x:draws").picture.startswith(b"\x89PNG")
    outcome = outcome_of(place, draw="checks_of_x:cannot_draw")
    assert outcome.error == "RuntimeError: no ink"
    assert not outcome.as_recorded


def test_an_error_of_a_computation_says_for_which_sizes(folder):
    asks = "from graycube.papers import require, tried\n"
    asks += "counts = tried(lambda n: not require(n < 3, 'too many'))\n"
    outcome = outcome_of(folder(asks=asks), check="asks:counts", sizes={"n": "1..9"})
    assert outcome.error == "ValueError: too many; n = 3"


def test_a_stopped_run_stops(folder):
    place = folder(stops="def counts(claim):\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        outcome_of(place, check="stops:counts")


def test_modules_of_the_same_name_serve_their_own_paper(folder):
    """Also those that are only imported by others."""
    using = "from .helper import counts as counts"
    for name in ("one", "two"):
        helper = CHECKS.replace('"here"', f'"in {name}"')
        place = folder(name=name, helper=helper, uses=using)
        assert outcome_of(place, check="uses:counts").cases[0].where == f"in {name}"


def test_names_of_other_modules_are_free(folder):
    place = folder(json=CHECKS, claims=CHECKS)
    for check in ("json:counts", "claims:counts"):
        assert outcome_of(place, check=check).as_recorded


def test_a_folder_may_be_named_from_where_we_are(folder, tmp_path, monkeypatch):
    folder()
    monkeypatch.chdir(tmp_path)
    assert outcome_of(Path("x")).as_recorded


@pytest.mark.long
def test_papers_are_computed_without_a_path_of_their_own(folder):
    place = folder(beside_x="from .checks_of_x import counts")
    paper = read_paper(place / "claims.toml")
    assert callable(function_of(paper, "beside_x:counts"))
    assert callable(function_of(papers()[0], papers()[0].claims[0].check))
    assert not [entry for entry in sys.path if Path(entry) in {place, papers()[0].folder}]


def test_modules_of_our_papers_are_imported_when_a_claim_is_computed():
    asked = "import sys, graycube, graycube.papers as p; p.papers(); print(*sys.modules)"
    words = [sys.executable, "-c", asked]
    names = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    ours = tuple(f"graycube.papers.{paper.folder.name}" for paper in papers())
    assert [name for name in names if name.startswith(ours)] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[paper", "wrong"),
        (HEAD + HEAD + BODY, "wrong"),
        (HEAD + BODY + 'kind = "lemma"', "wrong"),
        (BODY, "there is no 'paper'"),
        (HEAD, "there is no 'claim'"),
        (HEAD.replace("[paper.numbered]\nlemma = 1", "") + BODY, "there is no 'numbered'"),
        (HEAD.replace('title = "T"', "") + BODY, "title"),
        (HEAD.replace("year = 1990", 'year = "1990"') + BODY, "year is '1990'"),
        (HEAD.replace('key = "X-1"', "key = 1") + BODY, "key is 1"),
        (HEAD.replace('key = "X-1"', 'key = "X-1"\npages = 9') + BODY, "pages"),
        (HEAD.replace("lemma = 1", 'lemma = "one"') + BODY, "numbered is"),
        (HEAD.replace("lemma = 1", "lemma = true") + BODY, "numbered is"),
        (HEAD.replace("lemma = 1", "proof = 1") + BODY, "unknown, or there twice: proof"),
        (HEAD + BODY + BODY, "unknown, or there twice: lemma-1"),
        (HEAD + BODY + "[extra]\na = 1", "unknown, or there twice: extra"),
        ("extra = 1\n" + HEAD + BODY, "unknown, or there twice: extra"),
        ("claim = 3\n" + HEAD, "wrong"),
        ("claim = [3]\n" + HEAD, "wrong"),
        ("paper = 3\n" + BODY, "wrong"),
        (HEAD + BODY.replace("[[claim]]", "[claim]"), "wrong"),
        (HEAD + BODY + 'proof = "trivial"', "proof"),
        (HEAD + BODY + '[claim.correction]\nstatement = "S"', "erratum"),
        (HEAD + BODY + '[claim.correction]\nstatement = 1\nerratum = "E"', "statement is 1"),
        (
            HEAD + BODY + '[claim.correction]\nstatement = "S"\nerratum = "E"',
            "correction needs",
        ),
        (HEAD + BODY + '[claim.correction]\nstatement = "S"\nerratum = "E"\nx = 1', "'x'"),
        (HEAD + BODY + 'correction = "no"', "wrong"),
        (HEAD + BODY.replace('"lemma"', '"guess"'), "kind 'guess'"),
        (HEAD + BODY.replace('"lemma"', "3"), "kind is 3"),
        (HEAD + BODY.replace('number = "1"', "number = 1"), "number is 1"),
        (HEAD + BODY.replace('number = "1"', 'number = ""'), "number ''"),
        (HEAD + BODY.replace("checks_of_x:counts", "checks_of_x"), "'module:function'"),
        (HEAD + BODY + "sizes = { n = 3 }", "sizes is"),
        (HEAD + BODY + 'sizes = { n = "9..1" }', "the span is '9..1'"),
        (HEAD + BODY + 'sizes = "1..3"', "sizes is"),
        (HEAD + BODY + 'figures = "many"', "figures is 'many'"),
        (HEAD + BODY + 'code = "graycube.gray"', "code is"),
        (HEAD + BODY + "figures = [[1, 2], 3]", "figures is [[1, 2], 3]"),
        (HEAD + BODY + 'code = ["graycube.gray", 3]', "code is ['graycube.gray', 3]"),
        (HEAD + BODY + 'verdict = "true"', "verdict 'true'"),
        (HEAD + BODY + 'verdict = "not reached"', "correction needs"),
        (HEAD + BODY + "remark = " + "[" * 5000, "wrong"),
    ],
)
def test_files_that_are_wrong_are_refused(folder, text, told):
    path = folder(text) / "claims.toml"
    with pytest.raises(InvalidValueError) as refused:
        read_paper(path)
    assert told in str(refused.value)
    assert str(path) in str(refused.value)


def test_files_that_are_no_text_are_refused(folder):
    path = folder() / "claims.toml"
    path.write_bytes(b"\xff\xfe" + path.read_bytes())
    with pytest.raises(InvalidValueError, match="wrong"):
        read_paper(path)


@given(st.integers(0, len(HEAD + BODY) - 1), st.sampled_from('[]="\n{}.x1'))
def test_a_changed_character_is_read_or_refused(tmp_path_factory, place, character):
    path = tmp_path_factory.getbasetemp() / "claims.toml"
    text = HEAD + BODY
    path.write_text(text[:place] + character + text[place + 1 :], encoding="utf-8")
    try:
        paper = read_paper(path)
    except GraycubeError:
        return
    assert all(re.fullmatch(r"Lemma \d+", name) for name in paper.missing())


def test_what_is_numbered_and_has_no_claim_is_missing(folder):
    text = HEAD.replace("lemma = 1", "lemma = 3\nfigure = 1") + BODY
    text += BODY.replace('number = "1"', 'number = "3 a"')
    paper = read_paper(folder(text) / "claims.toml")
    assert list(paper.missing()) == ["Lemma 2", "Figure 1"]


def test_folders_of_papers(folder, tmp_path):
    with pytest.raises(InvalidValueError, match="no claims in"):
        papers(tmp_path)
    folder(name="b")
    folder((HEAD + BODY).replace("X-1", "W-1"), name="a")
    assert [paper.key for paper in papers(tmp_path)] == ["W-1", "X-1"]
