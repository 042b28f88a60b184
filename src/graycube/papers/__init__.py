"""The papers' claims, recomputed: every theorem, table and figure, with evidence.

>>> from graycube.papers import papers, reproduce
>>> sum(len(paper.claims) for paper in papers()) > 100
True
"""

from graycube.papers.checks import (
    agreed,
    answers,
    at_every_size,
    compared,
    require,
    row_by_row,
    tried,
)
from graycube.papers.claims import Case, Claim, Correction
from graycube.papers.paper import Paper, papers, read_paper
from graycube.papers.report import as_dict, details, report, summary, unexpected
from graycube.papers.run import Outcome, judged, reproduce

__all__ = [
    "Case",
    "Claim",
    "Correction",
    "Outcome",
    "Paper",
    "agreed",
    "answers",
    "as_dict",
    "at_every_size",
    "compared",
    "details",
    "judged",
    "papers",
    "read_paper",
    "report",
    "reproduce",
    "require",
    "row_by_row",
    "summary",
    "tried",
    "unexpected",
]
