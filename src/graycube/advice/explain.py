"""Advice in words: the steps, the alternatives, and what follows from them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graycube.advice.known import Conversion
from graycube.advice.paths import Leg, Repeated, Trace
from graycube.advice.phases import FFT, single_phases
from graycube.advice.search import steps_of
from graycube.layout import Layout
from graycube.planning.explain import used
from graycube.show import Sheet, Table
from graycube.texts import counted

if TYPE_CHECKING:
    from graycube.advice.advise import Advice

_HEAD = ("step", "layout", "seconds", "")
_SHOWN = 6  # alternatives


def sheet_of(advice: "Advice") -> Sheet:
    """The steps with their layouts and prices, the alternatives, and what follows."""
    best = advice.cost
    steps = list(_trace(advice, advice.steps, ""))
    others = [
        (
            "without conversions, from",
            place,
            f"{cost:.4g}",
            f"{cost / best:.3f} x" if best else "",
        )
        for place, cost in advice.alternatives[:_SHOWN]
    ]
    rows = [*steps, ("in all", "", f"{best:.4g}", ""), *others]
    count = _conversions(advice.steps)
    where = advice.strategy
    if count:  # what moves does not stay
        where = f"{where.removeprefix('stay ')}, with {counted(count, 'conversion')}"
    return Sheet(
        f"{repr(advice).strip('<>')}; {where}",
        f"{' x '.join(map(str, advice.size))} elements of {counted(advice.itemsize, 'byte')} "
        f"on {1 << advice.machine.dims} nodes; {used(advice.machine)}",
        Table(_HEAD, rows, "llrl", {len(steps): "strong"}),
        *_conclusions(advice),
    )


def _left_out(advice: "Advice") -> Iterator[str]:
    """That layouts were not followed, if some of them could be on a cheaper way."""
    if advice.lower_bound < advice.cost:
        yield (
            "Not every layout that transforms leave was followed: "
            f"through others it would take at least {advice.lower_bound:.4g}."
        )
    elif any(way.lower_bound < way.cost for way in advice.staying):
        yield "Without conversions it may take less, through layouts that were not followed."


def _trace(advice: "Advice", trace: Trace, indent: str) -> Iterator[tuple[str, ...]]:
    """What is done, where, and how long it takes; what is in a loop is indented."""
    for step in trace:
        if isinstance(step, Repeated):
            yield f"{indent}{'once' if step.times == 1 else f'{step.times} times'}:", "", "", ""
            yield from _trace(advice, step.steps, indent + "  ")
        else:
            yield _step(advice, step, indent)


def _step(advice: "Advice", step: Leg, indent: str) -> tuple[str, ...]:
    if not isinstance(step.label, tuple):  # a conversion
        what, place = f"{step.label}", f"to {advice.places[step.after]}"
    else:
        what = ": ".join(filter(None, map(str, step.label)))
        place = str(advice.places[step.before])
        place += f" -> {advice.places[step.after]}" if step.after != step.before else ""
    return indent + what, place, f"{step.cost:.4g}", ""


def _legend(advice: "Advice") -> Iterator[str]:
    """Where phases have left the data, if that is none of the usual layouts."""
    used = {k for step in steps_of(advice.steps) for k in (step.before, step.after)}
    for k in sorted(used):
        if k >= len(advice.search.known.homes):
            yield f"{advice.places[k]}: nodes {_nodes(advice.places[k].layout)}"


def _nodes(layout: Layout) -> str:
    """The node bits of a layout, as it prints."""
    return "(" + str(layout).split("||")[-1].strip()


def _conclusions(advice: "Advice") -> Iterator[str]:
    """Layouts without names or not followed, whether to convert, and what Gray code costs."""
    yield from _legend(advice)
    yield from _left_out(advice)
    count = _conversions(advice.steps)
    if count:
        yield f"It pays to convert {counted(count, 'time')}."
    elif len(advice.alternatives) > 1:
        yield "No conversion pays."
    twins = list(_twins(advice))
    if twins and all(gray <= binary for gray, binary in twins):
        yield "Transforms take no longer on Gray-coded data than on binary ones."
    elif twins:
        worst = max(gray / binary for gray, binary in twins if binary)
        yield f"Transforms take up to {worst:.3g} times as long on Gray-coded data."


def _conversions(trace: Trace) -> int:
    """How many times data are converted in all."""
    return sum(
        step.times * _conversions(step.steps)
        if isinstance(step, Repeated)
        else isinstance(step.label, Conversion)
        for step in trace
    )


def _twins(advice: "Advice") -> Iterator[tuple[float, float]]:
    """The prices of transforms in layouts that differ in the code only."""
    known = advice.search.known
    names = {home.name: k for k, home in enumerate(known.homes)}
    for phase in dict.fromkeys(single_phases(advice.phases)):
        for name, k in names.items() if isinstance(phase, FFT) else ():
            twin = names.get(name.replace("gray", "binary"), k)
            ways = [known.done(phase, i) for i in (k, twin)]
            if twin != k and all(ways):
                gray, binary = (min(option.cost for _, option in some) for some in ways)
                yield gray, binary
