"""Rounds against bytes: what is possible, what was found, and what a machine asks for.

Rules. A schedule is a point: its start-ups in sequence, and the blocks it sends in sequence.
Its price is start-ups times their cost and blocks times theirs, so points of one price lie on a
line, whose slope is the machine's. The plan is where that line, moved up from the corner, meets
the first point. Nothing is left of or below the stairs that are proved: so many start-ups need
so many blocks.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graycube.cost import stairs
from graycube.errors import InvalidValueError
from graycube.planning import Plan
from graycube.planning.why import parts_of, weighs
from graycube.table.gray.fewer_bytes import front
from graycube.view.plot import new_figure

if TYPE_CHECKING:  # matplotlib is optional, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

_Point = tuple[float, float]
_WIDE, _HIGH = 8.0, 5.0  # inches
_ROOM = 1.25  # beside what is shown
_FAR = 3.0  # times what the plan takes: what is farther away is not shown
_BESIDE = [(x, y, ha) for y in (4, -12, 16, -24) for x, ha in ((7, "left"), (-7, "right"))]
"""Where a name may be, in points from its own; the first is best."""
_CLEAR = 4.0  # pixels around a point
_PLAN, _OTHER, _BEST, _NEVER = "#d9722e", "#444444", "#2a78a8", "#e8e8e8"


def plot_front(plan: Plan, ax: "Axes | None" = None) -> "Axes":
    """Draw the schedules for the task of a plan on ``ax``, or on a new pyplot figure.

    All its links are alike, and its start-ups cost something.

    >>> from matplotlib.figure import Figure
    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(5, "gray"), gc.Layout.nodes(5)
    >>> machine = gc.Machine(5, ports="all", startup=1e-4, per_byte=1e-9)
    >>> made = gc.plan(gray, binary, 10**7, machine=machine)
    >>> ax = plot_front(made, Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('start-ups in sequence', 'blocks in sequence')
    """
    if not weighs(plan):
        raise InvalidValueError(
            f"the machine of the plan: {plan.machine.name}",
            "a front weighs start-ups against bytes, on links that are alike",
            "give Machine one start-up and one rate, for a plan that moves something",
        )
    ax = new_figure((_WIDE, _HIGH)) if ax is None else ax
    block = plan.task.block_bytes
    chosen, *others = parts_of(plan)
    points = list[tuple[int, float]]()
    if plan.machine.packet is None:  # a round is a start-up
        points = front(plan.task.numbered(plan.machine.numbers), plan.machine)
    if points:
        label = "tables of fewer bytes"
        ax.plot(*zip(*points, strict=True), "o-", ms=3.5, lw=0.8, color=_BEST, label=label)
    near = [
        other
        for other in others
        if other.startups <= _FAR * chosen.startups and other.nbytes <= _FAR * chosen.nbytes
    ]
    for other in near:
        ax.plot(other.startups, other.nbytes / block, "o", ms=5, color=_OTHER)
    ax.plot(chosen.startups, chosen.nbytes / block, "D", ms=8, color=_PLAN, label="the plan")
    shown = [chosen, *near]
    right = _ROOM * max(*(part.startups for part in shown), *(x for x, _ in points), 1)
    top = _ROOM * max(*(part.nbytes / block for part in shown), *(y for _, y in points), 0)
    ax.set(xlim=(0, right), ylim=(0, top))
    _draw_limits(ax, plan, right)
    _draw_line(ax, plan, right)
    ax.locator_params(axis="x", integer=True)
    ax.set(xlabel="start-ups in sequence", ylabel="blocks in sequence")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    ax.figure.canvas.figure.draw_without_rendering()  # now all is where it stays
    named: dict[str, _Point] = {
        part.name: (part.startups, part.nbytes / block) for part in shown
    }
    _name(ax, named, [*named.values(), *points])
    return ax


def _draw_limits(ax: "Axes", plan: Plan, right: float) -> None:
    """The elements in sequence that so many start-ups need, as is proved; below it is grey."""
    proved, block = stairs(plan.task, plan.machine), plan.task.block
    first, top = proved[0].rounds, ax.get_ylim()[1]
    ax.fill_between(
        [0, first, *(stair.rounds for stair in proved), right],
        [top, top, *(stair.elements / block for stair in proved), proved[-1].elements / block],
        step="post",
        color=_NEVER,
        lw=0,
        label="proved impossible",
    )


def _draw_line(ax: "Axes", plan: Plan, right: float) -> None:
    """All that costs as much as the plan."""
    link = plan.machine.cheapest
    each = plan.task.block_bytes * link.per_byte
    if each:
        ends = [(plan.cost - x * link.startup) / each for x in (0, right)]
        ax.plot((0, right), ends, "--", lw=1, color=_PLAN, label="as cheap as the plan")


def _name(ax: "Axes", named: dict[str, _Point], points: Iterable[_Point]) -> None:
    """Each name, that of the plan first, is beside its point where it hides least.

    What crosses the frame hides a part of it.
    """
    hidden = [_around(ax.transData.transform(point), _CLEAR) for point in points]
    for k, (name, point) in enumerate(named.items()):
        label = ax.annotate(
            name,
            point,
            (0, 0),
            textcoords="offset points",
            color=_OTHER if k else _PLAN,
            fontsize="small",
        )

        def hides(beside: tuple[int, int, str], label: "Annotation" = label) -> int:
            label.set(position=beside[:2], ha=beside[2])
            box = label.get_window_extent()
            inside = ax.bbox.contains(*box.min) and ax.bbox.contains(*box.max)
            return sum(bool(box.overlaps(other)) for other in hidden) + (not inside)

        hides(min(_BESIDE, key=hides))
        hidden.append(label.get_window_extent())


def _around(place: NDArray[np.float64], reach: float) -> "Bbox":
    """A square in the picture."""
    from matplotlib.transforms import Bbox  # noqa: PLC0415 - matplotlib is optional

    return Bbox([place - reach, place + reach])
