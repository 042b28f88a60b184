"""Calibrations and benchmarks as notebooks show them."""

from graycube.calibration.bench import HEAD as BENCH_HEAD
from graycube.calibration.bench import Bench
from graycube.calibration.calibration import Calibration
from graycube.calibration.report import HEAD, rows
from graycube.markup import Markup, card, card_of, figures, folded, shown

_MOST = 60  # rounds


@card_of.register(Calibration)
def calibration_card(found: Calibration) -> Markup:
    """The machine and how well it fits, and measured beside predicted after a click."""
    table = list(rows(found.samples, found.machine))
    those = shown(len(table), _MOST)
    lines = [("...", *[""] * 5) if k is None else table[k] for k in those]
    return card(
        f"Calibration {found.machine.name}",
        *str(found).splitlines(),
        folded(f"Rounds measured: {len(table)}", figures(HEAD, lines, "lrrrrl")),
    )


@card_of.register(Bench)
def bench_card(found: Bench) -> Markup:
    """Measured beside predicted, the planner's choice in bold."""
    strong = [k for k, t in enumerate(found.candidates) if t.algorithm == found.chosen]
    return card(repr(found).strip("<>"), figures(BENCH_HEAD, found.rows(), "lrrrrl", strong))
