"""What came out, for people: a page with all the evidence, and a summary as text.

Rules. The page needs nothing beside it: pictures are in it. Figures of cases stand as they were
computed; of long lists the first ones, and first of all those that contradict the record, and
then the paper.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files

from graycube.markup import Markup, document, element, joined, table
from graycube.papers.claims import CORRECTED, FAILS, HOLDS, NOT_REACHED, VERDICTS, Case
from graycube.papers.paper import Paper
from graycube.papers.run import Outcome
from graycube.show import Piece, Table
from graycube.texts import counted

_MARKS = "\N{CHECK MARK}\N{ALMOST EQUAL TO}\N{WHITE CIRCLE}\N{BALLOT X}"
_SIGNS = dict(zip(VERDICTS, _MARKS, strict=True))
_INSTEAD = {CORRECTED: "Right is", NOT_REACHED: "Reached is"}
_MOST_CASES, _FEW_CASES = 40, 3  # on the page, and of those that contradict in a terminal

Results = Sequence[tuple[Paper, Sequence[Outcome]]]


def summary(results: Results) -> str:
    """How many claims of each paper hold, and which do not as they are printed.

    >>> print(summary([]))
    all: 0 claims: 0 hold, 0 hold with a correction, 0 not reached, 0 fail
    """
    lines = []
    for paper, outcomes in results:
        lines.append(f"{paper.key}: {_counted(outcomes)}")
        lines += (f"  {_line(outcome)}" for outcome in outcomes if outcome.verdict != HOLDS)
        lines += (f"  {name} has no claim" for name in paper.missing())
    every = [outcome for _, outcomes in results for outcome in outcomes]
    total = [] if len(results) == 1 else [f"all: {_counted(every)}"]
    return "\n".join([*lines, *total])


def unexpected(results: Results) -> list[str]:
    """What is not as it was recorded, and what the papers number and nothing covers.

    >>> unexpected([])
    []
    """
    found: list[str] = []
    for paper, outcomes in results:
        found += (
            f"{paper.key} {outcome.claim.name}: {outcome.error or _unlike(outcome)}"
            for outcome in outcomes
            if not outcome.as_recorded
        )
        found += (f"{paper.key} {name} has no claim" for name in paper.missing())
    return found


def _unlike(outcome: Outcome) -> str:
    claim = outcome.claim
    if outcome.verdict == claim.verdict and claim.correction is not None:
        return f"{outcome.exceptions} exceptions, recorded: {claim.correction.exceptions}"
    why = f"{outcome.verdict}, recorded: {claim.verdict}"
    if not outcome.surprises:
        return why
    case = outcome.contradictions[0]
    where = f" at {case.where}" if case.where else ""
    told = f"{outcome.surprises} of {outcome.tried} cases contradict the record"
    return f"{why}; {told}, first{where}: paper {case.paper}, computed {case.ours}"


def as_dict(results: Results) -> dict[str, object]:
    """The results for JSON.

    >>> as_dict([])
    {'papers': [], 'as_recorded': True}
    """
    papers = [
        {
            "key": paper.key,
            "title": paper.title,
            "missing": list(paper.missing()),
            "claims": [_entry(outcome) for outcome in outcomes],
        }
        for paper, outcomes in results
    ]
    return {"papers": papers, "as_recorded": not unexpected(results)}


def _entry(outcome: Outcome) -> dict[str, object]:
    claim = outcome.claim
    counts = ("verdict", "tried", "exceptions", "open", "surprises", "seconds")
    return {
        **{name: getattr(claim, name) for name in ("key", "where", "statement")},
        **{name: getattr(outcome, name) for name in counts},
        "recorded": claim.verdict,
        "contradictions": [asdict(case) for case in outcome.contradictions],
        "erratum": claim.correction.erratum if claim.correction else None,
        "error": outcome.error or None,
    }


def report(results: Results) -> str:
    """The page, with the pictures that were drawn.

    >>> "<h1>The papers, computed again</h1>" in report([])
    True
    """
    title = "The papers, computed again"
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    sections = (_paper(paper, outcomes) for paper, outcomes in results)
    return document(title, style, element("h1", title), _overview(results), *sections)


def _verdicts(outcomes: Sequence[Outcome]) -> list[int]:
    """How often each verdict was given."""
    count = Counter(outcome.verdict for outcome in outcomes)
    return [count[verdict] for verdict in VERDICTS]


def _counted(outcomes: Sequence[Outcome]) -> str:
    words = ("hold", "hold with a correction", "not reached", "fail")
    told = (f"{n} {word}" for n, word in zip(_verdicts(outcomes), words, strict=True))
    return f"{len(outcomes)} claims: {', '.join(told)}"


def _line(outcome: Outcome) -> str:
    claim = outcome.claim
    why = claim.correction.erratum if claim.correction else claim.remark or claim.statement
    tried = outcome.error or f"of {outcome.tried:,} cases {_contradicted(outcome)}"
    return f"{claim.name} {outcome.verdict} ({tried}): {why}"


def _contradicted(outcome: Outcome) -> str:
    told = f"{outcome.exceptions:,} contradict it"
    return told + (f", {outcome.open:,} of them open" if outcome.open else "")


def _overview(results: Results) -> Markup:
    rows = []
    for paper, outcomes in results:
        name, tried = element("a", paper.key, href=f"#{paper.key}"), (o.tried for o in outcomes)
        rows.append([name, len(outcomes), *_verdicts(outcomes), f"{sum(tried):,}"])
    return table(["paper", "claims", *VERDICTS, "cases tried"], rows)


def _paper(paper: Paper, outcomes: Sequence[Outcome]) -> Markup:
    missing = list(paper.missing())
    numbered = ", ".join(counted(n, kind) for kind, n in paper.numbered.items() if n)
    covered = f"It numbers {numbered}: all have a row here."
    told = [_claim(paper.key, outcome) for outcome in outcomes]
    return element(
        "section",
        element("h2", f"{paper.key}: {paper.title}"),
        element("p", f"{paper.authors}, {paper.report}, {paper.year}."),
        element("p", f"Not covered: {', '.join(missing)}." if missing else covered),
        element("nav", joined((link for link, _ in told), " ")),
        *(article for _, article in told),
        id=paper.key,
    )


def _claim(key: str, outcome: Outcome) -> tuple[Markup, Markup]:
    """A link to a claim, and all that is said of it."""
    claim, verdict, sign = outcome.claim, outcome.verdict, _SIGNS[outcome.verdict]
    look, place = verdict.split()[-1], f"{key}-{claim.key}"
    article = element(
        "article",
        element(
            "h3",
            f"{claim.name}, {claim.where} ",
            element("span", f"{sign} {verdict}", class_=look),
        ),
        *(element("p", sentence) for sentence in _facts(outcome)),
        *_picture(outcome),
        *_evidence(outcome),
        id=place,
    )
    return element("a", f"{sign} {claim.name}", href=f"#{place}", class_=look), article


def details(results: Results) -> Iterator[Piece]:
    """Each claim for a terminal: what it says, what is right instead, and what contradicts it.

    >>> list(details([]))
    []
    """
    for paper, outcome in ((paper, outcome) for paper, some in results for outcome in some):
        claim, against = outcome.claim, outcome.contradictions[:_FEW_CASES]
        yield f"{paper.key} {claim.name}, {claim.where}: {outcome.verdict}"
        yield from _facts(outcome)
        if against:
            head = "contradicted at", "paper", "computed", ""
            yield Table(head, list(map(_row, against)), "llll")
        yield ""


def _facts(outcome: Outcome) -> Iterator[str]:
    """What a claim says and what became of it, in sentences."""
    claim, wrong = outcome.claim, outcome.claim.correction
    yield claim.statement
    if claim.formula:
        stays = f"; figures stay {claim.slack} away from it" if claim.slack != "0" else ""
        yield f"Formula: {claim.formula}{stays}"
    if wrong is not None:
        right = " ".join(filter(None, (wrong.statement, wrong.formula)))
        yield f"{_INSTEAD[claim.verdict]}: {right} (errata: {wrong.erratum})"
    if claim.remark:
        yield claim.remark
    tried = f"{outcome.tried:,} cases tried" + (f", {claim.spans}" if claim.spans else "")
    yield f"{tried}; {_contradicted(outcome)}."
    if claim.code:
        yield f"In code: {', '.join(claim.code)}"
    if outcome.error:
        yield outcome.error


def _evidence(outcome: Outcome) -> Iterator[Markup]:
    for title, cases in (
        ("cases that contradict the print or the record", outcome.contradictions),
        ("cases", outcome.cases),
    ):
        if cases:
            shown = f"the first {_MOST_CASES} {title}" if len(cases) > _MOST_CASES else title
            rows = map(_row, cases[:_MOST_CASES])
            listed = table(["", "paper", "computed", ""], rows)
            yield element("details", element("summary", shown), listed)


def _row(case: Case) -> list[str]:
    verdict = HOLDS if case.holds else NOT_REACHED if case.open else FAILS
    return [case.where, case.paper, case.ours, _SIGNS[verdict]]


def _picture(outcome: Outcome) -> Iterator[Markup]:
    name = outcome.claim.name
    if outcome.picture:
        data = b64encode(outcome.picture).decode("ascii")
        source = f"data:image/png;base64,{data}"
        alt = f"{name}, drawn from what was computed"
        yield element("figure", element("img", src=source, alt=alt))
    elif outcome.claim.draw:
        yield element("p", "No picture: run pip install 'graycube[plot]' and try again.")
