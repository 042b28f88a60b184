"""What a phase costs in a layout, and where it leaves the data: from schedules, not formulas.

Every price is that of an actual schedule: the one that :func:`graycube.plan`,
:func:`graycube.plan_fft` or :func:`graycube.stencil` would carry out. Only communication is
counted: arithmetic is the same in every layout, but for copies of coarse grids.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite

from graycube.advice.alike import Done, transformed
from graycube.advice.coarse import halo_time, on_coarse_grid
from graycube.advice.homes import reversed_digits, transposed
from graycube.advice.phases import (
    FFT,
    Coarse,
    Elementwise,
    Order,
    Single,
    Stencil,
    Transpose,
)
from graycube.cost import Traffic, lower_bounds, simulate
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.layout.grids import tidied
from graycube.machine import Machine
from graycube.planning import cheapest
from graycube.schedule import Task, delivered
from graycube.table import algorithms
from graycube.table.all_to_all import delivery

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
    if isinstance(phase, Elementwise):
        return (Option(0.0, layout, ""),)
    if isinstance(phase, Transpose):
        axes = phase.axes if phase.axes is not None else range(len(layout.axes))[::-1]
        return (Option(0.0, transposed(layout, _permutation(axes, layout)), ""),)
    if isinstance(phase, Stencil):
        cost = halo_time(phase, layout, itemsize, machine)
        return (Option(cost, layout, ""),) if isfinite(cost) else ()
    if isinstance(phase, Coarse):
        cost, grids = on_coarse_grid(phase, layout, itemsize, machine)
        return (Option(cost, layout, grids),) if isfinite(cost) else ()
    return tuple(_transforms(phase, layout, itemsize, machine, methods))


def least(source: Layout, target: Layout, itemsize: int, machine: Machine) -> float:
    """A bound for the price of a conversion, quick to have.

    >>> least(Layout.cyclic(4, 2), Layout.consecutive(4, 2), 1, Machine(dims=2, startup=1.0))
    4.0
    """
    task = Task(source, target, source.block_size, itemsize)
    return max(bound.seconds for bound in lower_bounds(task, machine))


def conversion(
    source: Layout, target: Layout, itemsize: int, machine: Machine, methods: Methods
) -> tuple[float, str]:
    """The price of a conversion, and the algorithm that has it.

    >>> machine = Machine(dims=2, startup=1.0)
    >>> conversion(Layout.cyclic(4, 2), Layout.consecutive(4, 2), 1, machine, Methods())
    (6.0, 'exchange')
    """
    task = Task(source, target, source.block_size, itemsize)
    found = cheapest(task, machine, methods.conversion)
    if found is None:
        return inf, "nothing"
    return found.cost, found.algorithm.name


def _transforms(
    phase: FFT, layout: Layout, itemsize: int, machine: Machine, methods: Methods
) -> Iterator[Option]:
    axes = phase.axes if phase.axes is not None else range(len(layout.axes))
    for method in methods.fft:
        place, cost, hows = layout, 0.0, list[str]()
        for axis in axes:
            done = _transform(method, place, axis, itemsize, machine)
            if done is None:
                break
            cost += done.cost
            hows.append(done.name)
            place = tidied(_ordered(done, phase.order, axis))
        else:
            back = ", and back" if method == "restore" else ""
            yield Option(cost, place, " and ".join(dict.fromkeys(hows)) + back)


def _ordered(done: Done, order: Order, axis: int) -> Layout:
    """Where the output is, if its digits are in this order."""
    if order == "carried":
        return done.carried
    return done.after if order == "free" else reversed_digits(done.after, axis)


def _transform(
    method: str, layout: Layout, axis: int, itemsize: int, machine: Machine
) -> Done | None:
    """One axis, and where the data are afterwards."""
    if method == "whole blocks":
        cost = in_whole_blocks(layout, axis, itemsize, machine)
        return Done(cost, method, layout, reversed_digits(layout, axis))
    return transformed(layout, axis, itemsize, machine, restore=method == "restore")


def in_whole_blocks(layout: Layout, axis: int, itemsize: int, machine: Machine) -> float:
    """The price of all stages of a transform, if partners send each other whole blocks.

    In Gray code most partners are two hops apart: CAM-87-02 has 2 d - 1 rounds for d.

    >>> for code in ("binary", "gray"):
    ...     layout = Layout.consecutive(12, 6, nodes=code)
    ...     print(code, in_whole_blocks(layout, 0, 1, Machine(dims=6, startup=36.0)))
    binary 600.0
    gray 1100.0
    """
    circuits, cost = machine.switching == "circuit", 0.0
    for bit in layout.word_bits(axis):
        change = layout.node_change(1 << bit)
        if change:
            traffic = _swapped(layout.n, change, layout.block_size, itemsize, circuits)
            cost += traffic.time(machine)
    return cost


@lru_cache(maxsize=1 << 12)
def _swapped(n: int, change: int, block: int, itemsize: int, circuits: bool) -> Traffic:  # noqa: FBT001
    """Everybody's block to the node whose number differs by so much: one turn."""
    source = Layout.nodes(n)
    move = AffineMap(Matrix.identity(n), change)
    task = Task(source, move @ source, block, itemsize)
    return simulate(delivered(task, "whole blocks", [delivery(move, n)], circuits=circuits))


def _permutation(axes: Sequence[int], layout: Layout) -> tuple[int, ...]:
    if sorted(axes) != list(range(len(layout.axes))):
        raise InvalidValueError(
            f"the axes of a transpose are {tuple(axes)}",
            f"the array has {len(layout.axes)}",
            "name each once",
        )
    return tuple(axes)
