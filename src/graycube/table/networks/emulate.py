"""Emulations: phases laid out in time, with the stages in between."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import get_args

from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import require_int
from graycube.layout import Layout
from graycube.layout.layout import require_cube
from graycube.layout.required import require_word
from graycube.schedule import Schedule, Step, Task
from graycube.table.networks.outline import Outline
from graycube.table.networks.phases import Phases, phases_or_why_not
from graycube.table.networks.pipeline import Pace, Pipeline, pipeline
from graycube.table.networks.state import Code, Conversion, Wishes

MAX_BITS = 256
"""No cube has more dimensions, and no message more slots than two to this."""


@dataclass(frozen=True)
class Method:
    """How a butterfly network is emulated.

    ``conversion``: Gray code is converted in memory, or over the links ("inter-node").
    ``radix``: so many dimensions are exchanged at once, if memory allows; bi-sectioning has 1.
    ``merged``: messages of 2^merged slots. ``overlap``: phases run at the same time, which
    needs ports for all of their dimensions.

    >>> Method(radix=2).name, Method(conversion="inter-node").name, Method(overlap=False).name
    ('four-sectioning', 'inter-node bi-sectioning', 'bi-sectioning, phase by phase')
    """

    conversion: Conversion = "local"
    radix: int = 1
    merged: int = 0
    overlap: bool = True

    def __post_init__(self) -> None:
        require_word(self.conversion, get_args(Conversion), "the conversion")
        for name, least in (("radix", 1), ("merged", 0)):
            exact = require_int(getattr(self, name), name, least=least)
            object.__setattr__(self, name, exact)
            if exact > MAX_BITS:
                raise InvalidValueError(
                    f"{name} is {exact}",
                    f"no machine has more than {MAX_BITS} dimensions, and no node more slots",
                    f"use at most {MAX_BITS}",
                )
        if self.conversion == "inter-node" and self.radix != 1:
            raise InvalidValueError(
                f"the radix is {self.radix}",
                "inter-node conversion exchanges one dimension at a time",
                "use radix=1, or local conversion",
            )

    @property
    def name(self) -> str:
        """The name of the method, as in TR-764."""
        sections = {1: "bi", 2: "four"}.get(self.radix, f"{1 << self.radix}")
        where = "inter-node " if self.conversion == "inter-node" else ""
        return f"{where}{sections}-sectioning{'' if self.overlap else ', phase by phase'}"


def emulation(  # noqa: PLR0913
    layout: Layout,
    axis: int = 0,
    *,
    method: Method | None = None,
    output: Code = "binary",
    descending: bool = True,
    restore: bool = False,
    itemsize: int = 1,
) -> Schedule:
    """The butterfly network along an axis, on data in any layout: a schedule with stages.

    ``output`` is the code of the index bits on the nodes afterwards, the one whose stage came
    first being the most significant. Stages run from the highest bit of an index down, or up;
    what is exchanged follows. ``restore`` brings everything back to where it was: index bits,
    that is, not output digits. A radix that memory has no room for is lowered.

    >>> for code in ("binary", "gray"):
    ...     made = emulation(Layout.cyclic(8, 5, nodes=code))
    ...     print(code, made.cycles, made.task.target)
    binary 8 (b7 b6 b0 || b5 b4 b3 b2 b1)
    gray 8 (b7 b0 b1 || b6 b5 b4 b3 b2)
    """
    method = _require(layout, method)
    stages = _stages(layout, axis, descending)
    free = bool(stages) and not restore
    task = Task(layout, layout, layout.block_size, itemsize, stages, free)
    return network(task, method, output).schedule


def rearrangement(
    source: Layout,
    target: Layout,
    *,
    method: Method | None = None,
    block: int | None = None,
    itemsize: int = 1,
) -> Schedule:
    """From one layout to another as a pipeline of exchanges, without any butterflies.

    It restores, for example, the order that an emulation left (TR-764 section 6). A ``block``
    may have more elements than the layouts say: the same number behind each slot.

    >>> back = rearrangement(Layout.parse("(b1 b0 || b3 b2)"), Layout.cyclic(4, 2))
    >>> back.cycles, len(back.ways[0].steps), back.task.target == Layout.cyclic(4, 2)
    (3, 2, True)
    """
    method = _require(source, method)
    block = source.block_size if block is None else block
    return network(Task(source, target, block, itemsize), method).schedule


def _require(layout: Layout, method: Method | None) -> Method:
    """The method, if the arguments are what they should be."""
    method = Method() if method is None else method
    require_cube(layout, "a butterfly network")
    if not isinstance(method, Method):
        raise InvalidTypeError(f"got {method!r:.60}", "it must be a Method", "pass a Method")
    return method


def network(task: Task, method: Method, output: Code = "binary") -> Outline:
    """The pipeline of exchanges that does a task with its stages, if it has some.

    >>> task = Task(Layout.cyclic(4, 2), Layout.cyclic(4, 2), 4, stages=(3, 2, 1, 0), free=True)
    >>> print(network(task, Method()).schedule.task.target)
    (b3 b0 || b2 b1)
    """
    require_word(output, get_args(Code), "the output")
    home = None if task.free else task.target.map
    wishes = Wishes(
        task.stages, method.radix, output=output, conversion=method.conversion, home=home
    )
    return _made(task, wishes, method)


@lru_cache(maxsize=1 << 8)  # sizes of messages are tried for several kinds of links
def _made(task: Task, wishes: Wishes, method: Method) -> Outline:
    method, found, laid_out = _best(task, wishes, method)
    cycles = laid_out.cycles
    every = task.payload << method.merged if cycles else 1
    head = Schedule(task, method.name, range(0, cycles, every), cycles, ())
    return Outline(head, [*laid_out.spans()], partial(_steps, found, laid_out))


def _stages(layout: Layout, axis: int, descending: bool) -> tuple[int, ...]:  # noqa: FBT001
    axis = require_int(axis, "axis")
    if not -len(layout.axes) <= axis < len(layout.axes):
        raise OutOfRangeError(
            f"axis is {axis}", f"the layout has {len(layout.axes)}", "name one of them"
        )
    bits = layout.word_bits(axis % len(layout.axes))
    return tuple(reversed(bits) if descending else bits)


def _best(task: Task, wishes: Wishes, method: Method) -> tuple[Method, Phases, Pipeline]:
    """The fastest of the few ways to choose which finished bits make way; and the method.

    Its radix may be lower than the one asked for.
    """
    stride = 2 if method.conversion == "inter-node" else 1
    pace = Pace(stride, method.merged, method.overlap, task.payload)
    layout = task.source
    tried: list[tuple[Phases, Pipeline]] = []
    refused: list[InvalidValueError] = []
    for way in _ways(layout, wishes, method):
        found = phases_or_why_not(layout.map, layout.n, way)
        if isinstance(found, InvalidValueError):
            refused.append(found)
            continue
        try:
            tried.append((found, pipeline(found.phases, layout.n, pace)))
        except InvalidValueError as error:
            refused.append(error)
    if not tried and method.radix > 1:  # memory has no room for so many dimensions
        fewer = method.radix - 1
        return _best(task, replace(wishes, radix=fewer), replace(method, radix=fewer))
    if not tried:
        raise refused[0]
    return method, *min(tried, key=lambda way: way[1].cycles)


def _ways(layout: Layout, wishes: Wishes, method: Method) -> Iterator[Wishes]:
    """The choices that are left, those of many finished bits first."""
    if method.conversion == "inter-node":
        yield replace(wishes, window=1)
        return
    if not wishes.stages:  # nothing is ever finished
        yield wishes
        return
    most = min(layout.p - layout.n, method.radix + 1)
    first = layout.n % method.radix or None
    ways = [replace(wishes, together=together) for together in (True, False)]
    if method.radix > 1:
        ways = [wishes, replace(wishes, first=first)] if first else [wishes]
    elif not method.overlap:
        ways = ways[1:]
    for window in range(max(1, most), 0, -1):
        yield from (replace(way, window=window) for way in ways)


def _steps(found: Phases, laid_out: Pipeline) -> Iterator[Step]:
    yield from (Step(stage=bit) for bit in found.first)
    yield from laid_out.steps()
    yield from map(Step, found.last)
