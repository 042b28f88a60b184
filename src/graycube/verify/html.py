"""Reports as notebooks show them."""

from graycube.markup import (
    Markup,
    card,
    card_of,
    element,
    figures,
    folded,
    joined,
    shown,
)
from graycube.texts import shortened
from graycube.verify.report import RULES, Report

_MOST = 12  # violations
_LONGEST = 200  # characters of one


@card_of.register(Report)
def report_card(report: Report) -> Markup:
    """True or false, the first violations, and the rules that were checked."""
    broken = dict(report.counts)
    rules = dict.fromkeys((*report.rules, *broken))
    rows = [(rule, _found(broken.get(rule, 0)), RULES.get(rule, "")) for rule in rules]
    held = f"a node holds at most {report.peak} elements" if report.peak >= 0 else ""
    mark = "\u2713" if report else "\u2717"
    return card(
        f"{mark} {bool(report)}: {report.summary}",
        f"checked {report.method}",
        held,
        _violations(report),
        folded(f"Rules checked: {len(report.rules)}", figures((), rows, "lll")),
    )


def _found(count: int) -> Markup | str:
    return element("b", f"broken {count} x") if count else "kept"


def _violations(report: Report) -> Markup:
    those = shown(len(report.violations), _MOST)
    lines = ("..." if k is None else shortened(report.violations[k], _LONGEST) for k in those)
    return joined(element("div", line) for line in lines)
