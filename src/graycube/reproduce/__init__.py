"""The papers' claims, recomputed: every theorem, table and figure, with evidence.

>>> from graycube.reproduce import papers, reproduce
>>> sum(len(paper.claims) for paper in papers()) > 100
True
"""

from graycube.reproduce.claims import Case, Claim, Correction
from graycube.reproduce.papers import Paper, papers, read_paper
from graycube.reproduce.report import as_dict, report, summary, unexpected
from graycube.reproduce.run import Outcome, judged, reproduce

__all__ = [
    "Case",
    "Claim",
    "Correction",
    "Outcome",
    "Paper",
    "as_dict",
    "judged",
    "papers",
    "read_paper",
    "report",
    "reproduce",
    "summary",
    "unexpected",
]
