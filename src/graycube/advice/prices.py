"""What a phase costs in a layout, and where it leaves the data: from schedules, not formulas.

Every price is that of an actual schedule: the one that :func:`graycube.plan`,
:func:`graycube.plan_butterfly` or the function of a phase would carry out. Only communication
is counted: arithmetic is the same in every layout, but for copies of coarse grids.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, isfinite

from graycube.advice.alike import Done, transformed
from graycube.advice.coarse import on_coarse_grid
from graycube.advice.homes import reversed_digits, transposed
from graycube.advice.phases import FFT, Coarse, Network, Order, Single, Transpose
from graycube.advice.sent import price, straight, swap
from graycube.cost import lower_bounds
from graycube.errors import InvalidValueError
from graycube.layout import Layout
from graycube.layout.grids import tidied
from graycube.layout.required import require_bits
from graycube.machine import Machine
from graycube.planning import cheapest
from graycube.schedule import Task
from graycube.table import algorithms

FFT_METHODS = ("leave", "restore", "whole blocks")


@dataclass(frozen=True, slots=True)
class Methods:
    """How phases may be carried out, where there is a choice.

    ``fft``: "leave" exchanges half blocks and leaves the data where that ends, "restore"
    brings them back, and "whole blocks" sends copies of blocks to all partners, as programs
    did before (CAM-87-02 section 8.1). ``conversion`` is an algorithm of the table, or "auto".

    >>> Methods(fft=("whole blocks",), conversion="gb1").fft
    ('whole blocks',)
    """

    fft: str | tuple[str, ...] = FFT_METHODS
    conversion: str = "auto"

    def __post_init__(self) -> None:
        given: object = (self.fft,) if isinstance(self.fft, str) else self.fft
        listed = tuple(given) if isinstance(given, Iterable) else (given,)
        unknown = [name for name in listed if name not in FFT_METHODS]
        if unknown or not listed:
            raise InvalidValueError(
                f"the methods for transforms are {listed}",
                f"the known ones are {', '.join(FFT_METHODS)}",
                "name one at least",
            )
        object.__setattr__(self, "fft", listed)
        known = [a.name for a in algorithms() if a.name != "relabel"]
        if self.conversion not in ("auto", *known):
            raise InvalidValueError(
                f"the conversion is {self.conversion!r:.40}",
                f"the known ones are {', '.join(known)}",
                "choose one of them, or 'auto'",
            )


@dataclass(frozen=True, slots=True)
class Option:
    """A way to do a phase: its price, the layout afterwards, and how it is done.

    >>> machine = Machine(dims=2, startup=1.0)
    >>> from graycube.advice.phases import Stencil
    >>> for option in options(Stencil(), Layout.nodes(2, "gray"), 1, machine, Methods()):
    ...     print(option.cost, option.after == Layout.nodes(2, "gray"))
    4.0 True
    """

    cost: float
    after: Layout
    how: str


def options(
    phase: Single, layout: Layout, itemsize: int, machine: Machine, methods: Methods
) -> tuple[Option, ...]:
    """The ways to do a phase on data in a layout; none where it cannot be done there."""
    if isinstance(phase, Transpose):
        return (Option(0.0, transposed(layout, phase.axes), ""),)
    if isinstance(phase, Network):
        return tuple(_networks(phase, layout, itemsize, machine, methods))
    if isinstance(phase, Coarse):
        cost, how = on_coarse_grid(phase, layout, itemsize, machine)
    else:
        cost, how = price(phase, layout, itemsize, machine)
    return (Option(cost, layout, how),) if isfinite(cost) else ()


def least(source: Layout, target: Layout, itemsize: int, machine: Machine) -> float:
    """A bound for the price of a conversion, quick to have.

    >>> least(Layout.cyclic(4, 2), Layout.consecutive(4, 2), 1, Machine(dims=2, startup=1.0))
    6.0
    """
    task = Task(source, target, source.block_size, itemsize).numbered(machine.numbers)
    return max(bound.seconds for bound in lower_bounds(task, machine))


def conversion(
    source: Layout, target: Layout, itemsize: int, machine: Machine, methods: Methods
) -> tuple[float, str]:
    """The price of a conversion, and the algorithm that has it.

    >>> machine = Machine(dims=2, startup=1.0)
    >>> conversion(Layout.cyclic(4, 2), Layout.consecutive(4, 2), 1, machine, Methods())
    (6.0, 'exchange')
    """
    task = Task(source, target, source.block_size, itemsize).numbered(machine.numbers)
    found = cheapest(task, machine, methods.conversion)
    if found is None:
        return inf, "nothing"
    return found.cost, found.algorithm.name


def _networks(
    phase: Network, layout: Layout, itemsize: int, machine: Machine, methods: Methods
) -> Iterator[Option]:
    order = phase.order if isinstance(phase, FFT) else "free"
    for method, stages in product(methods.fft, _stages(phase, layout)):
        place, cost, hows = layout, 0.0, list[str]()
        for axis, bits in stages:
            done = _network(method, place, axis, bits, itemsize, machine)
            if done is None:
                break
            cost += done.cost
            hows.append(done.name)
            place = tidied(_ordered(done, order, axis))
        else:
            back = ", and back" if method == "restore" and hows else ""
            yield Option(cost, place, " and ".join(dict.fromkeys(hows)) + back)


def _stages(phase: Network, layout: Layout) -> list[list[tuple[int, tuple[int, ...]]]]:
    """Axes and their bits in the order of the stages; several ways if any order will do."""
    if isinstance(phase, FFT):
        axes = phase.axes if phase.axes is not None else range(len(layout.axes))
        return [[(axis, (*reversed(range(layout.axes[axis].bits)),)) for axis in axes]]
    axis, asked = phase.axis, phase.bits
    first = require_bits(layout, axis, None if asked == "any" else asked)
    start = layout.word_bits(axis).start
    here = sorted(first, key=lambda bit: layout.node_change(1 << start + bit) != 0)
    orders = (first, first[::-1], (*here,)) if asked == "any" else (first,)
    return [[(axis, bits)] if bits else [] for bits in dict.fromkeys(orders)]


def _ordered(done: Done, order: Order, axis: int) -> Layout:
    """Where the output is, if its digits are in this order."""
    if order == "carried":
        return done.carried
    return done.after if order == "free" else reversed_digits(done.after, axis)


def _network(  # noqa: PLR0913, PLR0917
    method: str,
    layout: Layout,
    axis: int,
    bits: Sequence[int],
    itemsize: int,
    machine: Machine,
) -> Done | None:
    """One axis, and where the data are afterwards."""
    if method == "whole blocks":
        cost = in_whole_blocks(layout, axis, bits, itemsize, machine)
        return Done(cost, method, layout, reversed_digits(layout, axis))
    there = machine.numbers.widened(layout.p)
    rest = axis, bits, itemsize, machine
    done = transformed(there @ layout, *rest, restore=method == "restore")
    if done is None:
        return None
    back = there.inverse()
    return replace(done, after=back @ done.after, carried=back @ done.carried)


def in_whole_blocks(
    layout: Layout, axis: int, bits: Sequence[int], itemsize: int, machine: Machine
) -> float:
    """The price of the stages of some bits, if partners send each other whole blocks.

    In Gray code most partners are two hops apart: CAM-87-02 has 2 d - 1 rounds for d.

    >>> for code in ("binary", "gray"):
    ...     layout = Layout.consecutive(12, 6, nodes=code)
    ...     print(code, in_whole_blocks(layout, 0, range(12), 1, Machine(dims=6, startup=36.0)))
    binary 600.0
    gray 1100.0
    """
    start = layout.word_bits(axis).start
    changes = filter(None, (layout.node_change(1 << start + bit) for bit in bits))
    some = (swap(layout.n, change, layout.block_size, itemsize) for change in changes)
    return sum((straight(task, machine) for task in some), 0.0)
