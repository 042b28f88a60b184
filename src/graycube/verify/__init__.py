"""Independent checks of schedules; they share no code with the algorithms or the simulator.

:func:`check_algebra` proves a symbolic schedule at any size of the cube, :func:`check_elements`
follows every element of an explicit one, and :func:`check_pairs` the pairs of a butterfly
network. :func:`check_schedule` does both, as far as it can be done. :data:`RULES` says what
they look for.
"""

from graycube.verify.algebra import check_algebra
from graycube.verify.copies import check_replication
from graycube.verify.decided import check_schedule
from graycube.verify.elements import check_elements
from graycube.verify.pairs import check_pairs
from graycube.verify.report import RULES, Report, Violation

__all__ = [
    "RULES",
    "Report",
    "Violation",
    "check_algebra",
    "check_elements",
    "check_pairs",
    "check_replication",
    "check_schedule",
]
