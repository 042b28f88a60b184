"""Plans as notebooks show them: the words and figures of ``Plan.explain``."""

from graycube.layout.html import printed
from graycube.markup import Markup, card, card_of, figures, folded, joined
from graycube.planning.explain import (
    HEAD,
    NO_COSTS,
    cut_short,
    headline,
    left_out,
    rows,
    verdict,
)
from graycube.planning.plan import Plan


@card_of.register(Plan)
def plan_card(plan: Plan) -> Markup:
    """The task, the candidates with the chosen one marked, the bound and the gap."""
    facts = plan.candidates, plan.traffic, plan.machine, plan.bounds
    task, table = plan.task, list(rows(*facts))
    marked = [k for k, row in enumerate(table) if row.remark.startswith("chosen")]
    return card(
        repr(plan).strip("<>"),
        headline(task, plan.machine),
        *(() if plan.machine.priced else (NO_COSTS,)),
        joined(["from ", printed(task.source), " to ", printed(task.target)]),
        figures(HEAD, table, "lrrrrl", marked),
        reasons(left_out(plan.candidates)),
        *verdict(*facts),
        *cut_short(plan.untried),
    )


def reasons(entries: list[tuple[str, str]]) -> Markup | str:
    """What was left out and why, after a click.

    >>> reasons([("it needs 3 ports", "pipelined")]).startswith("<details><summary>Left out")
    True
    """
    if not entries:
        return ""
    count = sum(names.count(", ") + 1 for _, names in entries)
    named = ((names, reason) for reason, names in entries)
    return folded(f"Left out: {count}", figures((), named, "ll"))
