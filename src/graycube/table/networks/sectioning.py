"""The networks of TR-764 as algorithms of the table, each with messages of the best size."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.machine import Machine
from graycube.schedule import Schedule, Step, Task
from graycube.table.algorithm import Algorithm
from graycube.table.networks.emulate import Method, network
from graycube.table.networks.messages import seconds, with_best_messages
from graycube.table.networks.outline import Outline

RADICES = (1, 2, 3, 4)
"""So many dimensions at once have algorithms of their own; the widest one takes what fits."""
WIDEST = "widest sectioning"


def _applicable(method: Method | None, task: Task, machine: Machine) -> str | None:
    if not task.stages:
        return "it is for butterflies"
    if task.p == task.n:
        return "nodes have one element: copies"
    radix = method.radix if method else _widest(task, machine)
    if method is None and radix <= RADICES[-1]:
        return f"no more than {RADICES[-1]} dimensions at once"
    if radix > max(1, min(task.p - task.n, machine.links_at_once)):
        short = radix > machine.links_at_once
        return f"it needs {radix} ports" if short else f"it needs {radix} memory bits"
    if method and method.overlap and machine.links_at_once == 1:
        return "on one port nothing overlaps"
    return None


def _widest(task: Task, machine: Machine) -> int:
    """As many dimensions as memory and ports allow."""
    bits = sum(1 << bit for bit in task.stages)
    dims = sum(row & bits != 0 for row in task.source.map.matrix.rows[: task.n])
    return min(task.p - task.n, dims, machine.links_at_once)


def _emit(method: Method | None, task: Task, machine: Machine) -> Schedule:
    chosen = method or Method(radix=_widest(task, machine))

    def make(merged: int) -> Outline:
        made = network(task, replace(chosen, merged=merged))
        if (found := made.head.algorithm) != chosen.name:
            raise InvalidValueError(
                f"memory has room for {found} only", f"not for {chosen.name}", f"choose {found}"
            )
        return _fitting(made, machine)

    return with_best_messages(make, task.p - task.n - chosen.radix, machine).schedule


def _fitting(made: Outline, machine: Machine) -> Outline:
    if made.dimensions_at_once > machine.links_at_once:
        raise InvalidValueError(
            f"it needs {made.dimensions_at_once} ports",
            f"the machine uses {machine.links_at_once} at once",
            "take what goes phase by phase",
        )
    return made


def uncoded(layout: Layout) -> Layout:
    """The layout with one index bit on each dimension, the lowest that it depends on.

    >>> print(uncoded(Layout.cyclic(6, 3, nodes="gray")))
    (b5 b4 b3 || b2 b1 b0)
    """
    low = [row & -row for row in layout.map.matrix.rows[: layout.n]]
    rows = Matrix.from_rows([*low, *layout.map.matrix.rows[layout.n :]], layout.p)
    return replace(layout, map=AffineMap(rows)) if rows.is_invertible() else layout


def _needs_conversion(task: Task, machine: Machine) -> str | None:
    if not task.stages or task.p == task.n:
        return _applicable(Method(), task, machine)
    return "the data are not coded" if uncoded(task.source) == task.source else None


def _emit_converted(task: Task, machine: Machine) -> Schedule:
    """The alternative of old: to binary code first, then the network of binary data."""
    plain = uncoded(task.source)
    first = replace(task, target=plain, stages=(), free=False)

    def make(method: Method, merged: int) -> Outline:
        method = replace(method, merged=merged)
        return _fitting(
            joined(network(first, method), network(replace(task, source=plain), method)),
            machine,
        )

    made = []
    for radix in RADICES[: max(1, min(task.p - task.n, machine.links_at_once))]:
        for overlap in (False, True)[: max(1, machine.links_at_once)]:
            method = Method(radix=radix, overlap=overlap)
            most = task.p - task.n - radix
            made.append(with_best_messages(partial(make, method), most, machine))
    best = min(made, key=lambda outline: seconds(outline.head, machine))
    return replace(best.schedule, algorithm="convert first")


def joined(first: Outline, second: Outline) -> Outline:
    """One pipeline after another, which begins where the first one ends.

    >>> cyclic, other = Layout.cyclic(4, 2), Layout.consecutive(4, 2)
    >>> there, back = (network(Task(*way, 4), Method()) for way in
    ...                ((cyclic, other), (other, cyclic)))
    >>> both = joined(there, back).schedule
    >>> both.cycles, both.ways[0].move(4) == AffineMap.identity(4)
    (6, True)
    """
    heads, wait = (first.head, second.head), first.head.cycles
    cycles = sum(head.cycles for head in heads)
    every = max(head.rounds.step for head in heads if isinstance(head.rounds, range))
    task = replace(second.head.task, source=first.head.task.source)
    head = replace(second.head, task=task, rounds=range(0, cycles, every), cycles=cycles)
    later = ((dim, begin + wait, last + wait) for dim, begin, last in second.spans)

    def write() -> Iterator[Step]:
        yield from first.write()
        for step in second.write():
            crossings = [replace(c, start=c.start + wait) for c in step.crossings]
            yield replace(step, crossings=tuple(crossings))

    return Outline(head, [*first.spans, *later], write)


def _sectioning(method: Method | None, formula: str) -> Algorithm:
    return Algorithm(
        name=method.name if method else WIDEST,
        paper="TR-764 section 3",
        ports="all" if method is None or method.overlap else "any",
        formula=formula,
        applicable=partial(_applicable, method),
        emit=partial(_emit, method),
        network=True,
    )


_OVERLAPPING = "about K / 2 cycles and a fill"
ALGORITHMS = (
    *(_sectioning(Method(radix=radix), _OVERLAPPING) for radix in RADICES),
    _sectioning(None, _OVERLAPPING),
    _sectioning(Method("inter-node"), "about K cycles and a fill"),
    *(
        _sectioning(Method(radix=radix, overlap=False), f"n K / {2 * radix} cycles")
        for radix in RADICES
    ),
    Algorithm(
        name="convert first",
        paper="TR-764 section 1",
        ports="any",
        formula="that of both",
        applicable=_needs_conversion,
        emit=_emit_converted,
        network=True,
    ),
)
