"""Calibrations and benchmarks as notebooks show them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graycube.calibration.report import HEAD, rows
from graycube.markup import Markup, card, figures, folded, shown

if TYPE_CHECKING:
    from graycube.calibration.bench import Bench
    from graycube.calibration.calibration import Calibration

_MOST = 60  # rounds


def calibration_card(found: "Calibration") -> Markup:
    """The machine and how well it fits, and measured beside predicted after a click."""
    table = list(rows(found.samples, found.machine))
    those = shown(len(table), _MOST)
    lines = [("...", *[""] * 5) if k is None else table[k] for k in those]
    return card(
        f"Calibration {found.machine.name}",
        *str(found).splitlines(),
        folded(f"Rounds measured: {len(table)}", figures(HEAD, lines, "lrrrrl")),
    )


def bench_card(found: "Bench", head: Sequence[str]) -> Markup:
    """Measured beside predicted, the planner's choice in bold."""
    strong = [k for k, t in enumerate(found.candidates) if t.algorithm == found.chosen]
    return card(repr(found).strip("<>"), figures(head, found.rows(), "lrrrrl", strong))
