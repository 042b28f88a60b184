"""A plan for a transform in words: the table of candidates, the choice, the bound, the gap."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graycube.fourier.candidates import TransformCandidate

if TYPE_CHECKING:
    from graycube.fourier.plan import TransformPlan

HEAD = ("candidate", "rounds", "cycles", "seconds", "")
_COLUMNS = "{:<32} {:>7} {:>9} {:>9}  {}"
_WIDTH = 92  # characters


def explain(made: "TransformPlan") -> str:
    """The text of ``TransformPlan.explain``."""
    why = "; ".join(f"{name} ({reason})" for reason, name in left_out(made))
    lines = [
        *headlines(made),
        *(_COLUMNS.format(*row) for row in (HEAD, *rows(made))),
        *(textwrap.wrap(f"Left out: {why}.", _WIDTH) if why else ()),
        *verdict(made),
    ]
    return "\n".join(map(str.rstrip, lines))


def headlines(made: "TransformPlan") -> Iterator[str]:
    """The transform, and the machine."""
    layout, machine = made.layout, made.machine
    ports = machine.links_at_once
    yield (
        f"{layout.shape[made.axis]} points along axis {made.axis} of {layout.block_size} "
        f"elements of {made.itemsize} byte{'s' if made.itemsize > 1 else ''} "
        f"on each of {1 << layout.n} nodes;"
    )
    yield f"{ports} port{'' if ports == 1 else 's'}, {machine.switching}"


def rows(made: "TransformPlan") -> Iterator[tuple[str, ...]]:
    """The candidates that apply, and the bound."""
    for candidate in made.candidates:
        if candidate.schedule is not None:
            yield (
                candidate.name,
                str(candidate.rounds),
                str(candidate.cycles),
                f"{candidate.cost:.4g}",
                _remark(candidate, made),
            )
    yield "lower bound", "", "", f"{made.lower_bound:.4g}", ""


def left_out(made: "TransformPlan") -> list[tuple[str, str]]:
    """The reasons why candidates do not apply, and their names."""
    return [(f"{c.reason}", c.name) for c in made.candidates if c.schedule is None]


def verdict(made: "TransformPlan") -> Iterator[str]:
    """The gap to the bound."""
    if made.lower_bound:
        gap = made.cost / made.lower_bound
        yield f"The chosen schedule is within a factor {gap:.3g} of the bound."


def _remark(candidate: TransformCandidate, made: "TransformPlan") -> str:
    if candidate is made.chosen:
        return "chosen"
    if candidate.cost == made.cost:
        return "the same"
    ratio = f"{candidate.cost / made.cost:.4g} times the chosen one" if made.cost else "dearer"
    if candidate.before is not None:
        return f"{ratio}; {candidate.before.cost:.4g} for the conversion"
    return ratio
