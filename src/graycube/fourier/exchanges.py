"""The exchanges of a transform as schedules, to be proved and counted."""

from dataclasses import replace

from graycube.errors import InvalidValueError
from graycube.fourier.passes import passes
from graycube.layout import Layout
from graycube.machine import Machine
from graycube.schedule import Schedule, Task


def exchange_schedules(layout: Layout, axis: int, block: int) -> tuple[Schedule, ...]:
    """A schedule for each pass that exchanges dimensions, in blocks of so many elements.

    On one port, each dimension takes a round of half a block.

    >>> from graycube.cost import simulate
    >>> for code in ("binary", "gray"):
    ...     made = exchange_schedules(Layout.cyclic(10, 6, nodes=code), axis=0, block=16)
    ...     print(code, [(len(s.rounds), simulate(s).crossings) for s in made])
    binary [(4, 2048), (2, 1024)]
    gray [(4, 2048), (2, 1024)]
    """
    from graycube.table import dimension_exchange  # noqa: PLC0415 - it brings the whole table

    machine, before, made = Machine(layout.n), layout, []
    for step in passes(layout, axis)[0]:
        if step.copied:
            raise InvalidValueError(
                f"each node has one element in the layout {layout}",
                "exchanges need nodes with two elements or more",
                "use fewer nodes",
            )
        if step.dims:
            after = replace(layout, map=step.place)
            made.append(dimension_exchange.emit(Task(before, after, block), machine))
            before = after
    return tuple(made)
