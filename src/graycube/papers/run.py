"""Claims computed: each gets a verdict from its cases, and the first of them as evidence.

Rules. A claim *holds* if all its cases do, and there is at least one. It *holds with a
correction* if some case contradicts the print and all agree with the correction. It is *not
reached* if besides one of them is open: the paper has a better figure than ours, and nothing
shows that there is no such schedule. Otherwise it *fails*. Some cases are kept to be shown: of
those that contradict something, first what contradicts the record.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

from graycube.papers.claims import CORRECTED, FAILS, HOLDS, NOT_REACHED, Case, Claim
from graycube.papers.paper import OURS, Paper

_DPI = 110
SHOWN = 60
"""So many cases of a claim are kept, and so many that contradict it or its record."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a claim.

    Of ``tried`` cases ``exceptions`` contradict the print, ``open`` of these may yet be
    reached, and ``surprises`` contradict what is on record.

    >>> claim = Claim("lemma", "1", "2", "one and one is two", "a:b")
    >>> outcome = judged(claim, iter([Case("", "2", "2", holds=True)]))
    >>> outcome.verdict, outcome.tried, outcome.as_recorded
    ('holds', 1, True)
    """

    claim: Claim
    verdict: str
    tried: int
    exceptions: int = 0
    open: int = 0
    surprises: int = 0
    cases: tuple[Case, ...] = ()
    contradictions: tuple[Case, ...] = ()
    seconds: float = 0.0
    error: str = ""
    picture: bytes = b""

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is on record, and of a correction the number of exceptions.

        >>> judged(Claim("lemma", "1", "2", "", "a:b"), iter(())).as_recorded
        False
        """
        wrong = self.claim.correction
        counted = wrong is None or wrong.exceptions == self.exceptions
        return self.verdict == self.claim.verdict and counted and not self.error


def judged(claim: Claim, cases: Iterator[Case]) -> Outcome:
    """The outcome of these cases.

    >>> judged(Claim("lemma", "1", "2", "", "a:b"), iter(())).verdict  # nothing was tried
    'fails'
    """
    start, every = perf_counter(), list(cases)
    against = [case for case in every if not case.holds]
    surprising = [case for case in every if _surprises(claim, case)]
    left_open = sum(case.open for case in every)
    verdict = FAILS
    if every and not against:
        verdict = HOLDS
    elif every and claim.correction is not None and all(case.corrected for case in every):
        verdict = NOT_REACHED if left_open else CORRECTED
    shown = surprising + [case for case in against if not _surprises(claim, case)]
    counts = (len(every), len(against), left_open, len(surprising))
    kept = tuple(every[:SHOWN]), tuple(shown[:SHOWN])
    return Outcome(claim, verdict, *counts, *kept, perf_counter() - start)


def _surprises(claim: Claim, case: Case) -> bool:
    """Whether a case contradicts the record; which cases of a claim fail is not on record."""
    right = case.holds if claim.correction is None else case.corrected
    return claim.verdict != FAILS and not right


def reproduce(
    paper: Paper, claim: Claim, *, quick: bool = False, draws: bool = False
) -> Outcome:
    """Compute one claim of a paper, and draw what there is to draw as a PNG.

    An error of the computation is an outcome too: the claim fails, and ``error`` says why.

    >>> from graycube.papers import papers
    >>> (paper,) = (p for p in papers() if p.key == "TR-20-92")
    >>> outcome = reproduce(paper, paper.claims[0], quick=True)
    >>> outcome.verdict, outcome.as_recorded
    ('holds', True)
    """
    tried = claim.quickly() if quick else claim
    start = perf_counter()
    try:
        outcome = judged(tried, iter(function_of(paper, claim.check)(tried)))
        return replace(outcome, picture=_drawn(paper, tried)) if draws else outcome
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it must not hide other claims
        told = "; ".join(filter(None, [str(error), *getattr(error, "__notes__", [])]))
        why = f"{type(error).__name__}: {told}"
        return Outcome(tried, FAILS, 0, seconds=perf_counter() - start, error=why)


def _drawn(paper: Paper, claim: Claim) -> bytes:
    """The picture of a claim, if it has one and matplotlib is installed."""
    if not claim.draw or find_spec("matplotlib") is None:
        return b""
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional, and slow to import

    figure = Figure()
    function_of(paper, claim.draw)(figure, claim)
    stream = BytesIO()
    figure.savefig(stream, format="png", dpi=_DPI)
    return stream.getvalue()


def function_of(paper: Paper, name: str) -> Callable[..., Any]:
    """The function ``module:function`` of a paper's folder.

    >>> from graycube.papers import papers
    >>> paper = papers()[0]
    >>> callable(function_of(paper, paper.claims[0].check))
    True
    """
    module, _, function = name.partition(":")
    loaded = import_module(f"{_package(paper.folder)}.{module}")
    made: Callable[..., Any] = getattr(loaded, function)
    return made


def _package(folder: Path) -> str:
    """The package that a folder is; one that lies elsewhere becomes one of its own name."""
    place = folder.resolve()  # Python remembers what it found in relative ones
    if place.parent == OURS.resolve():
        return f"{__package__}.{place.name}"
    name = f"paper_{bytes(place).hex()}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(place)]
        sys.modules[name] = package
    return name
