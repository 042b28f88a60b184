"""A plan for a transform in words: the table of candidates, the choice, the bound, the gap."""

from typing import TYPE_CHECKING

from graycube.fourier.candidates import TransformCandidate
from graycube.planning.explain import compared
from graycube.show import Reasons, Sheet, Table
from graycube.texts import counted

if TYPE_CHECKING:
    from graycube.fourier.plan import TransformPlan

_HEAD = ("candidate", "rounds", "cycles", "seconds", "")


def sheet_of(made: "TransformPlan") -> Sheet:
    """The transform, the candidates with the chosen one marked, the bound and the gap."""
    layout, machine, bound = made.layout, made.machine, made.lower_bound
    rows = [
        (c.name, str(c.rounds), str(c.cycles), f"{c.cost:.4g}", _remark(c, made))
        for c in made.candidates
        if c.schedule is not None
    ]
    marks = {k: "strong" for k, row in enumerate(rows) if row[-1] == "chosen"}
    rows.append(("lower bound", "", "", f"{bound:.4g}", ""))
    gap = f"The chosen schedule is within a factor {made.cost / (bound or 1):.3g} of the bound."
    return Sheet(
        f"{repr(made).strip('<>')}\nin the layout {layout}",
        f"{layout.shape[made.axis]} points along axis {made.axis} of {layout.block_size} "
        f"elements of {counted(made.itemsize, 'byte')} on each of {1 << layout.n} nodes;",
        f"{counted(machine.links_at_once, 'port')}, {machine.switching}",
        Table(_HEAD, rows, "lrrrl", marks),
        Reasons([([c.name], f"{c.reason}") for c in made.candidates if c.schedule is None]),
        *([gap] if bound else ()),
    )


def _remark(candidate: TransformCandidate, made: "TransformPlan") -> str:
    if candidate is made.chosen:
        return "chosen"
    remark = compared(candidate.cost, made.cost)
    if candidate.before is None or candidate.cost == made.cost:
        return remark
    return f"{remark}; {candidate.before.cost:.4g} for the conversion"
