"""Transforms that are alike: the same network, but for the names of bits.

A network exchanges bits of one axis. Which index bits of the other axes are in the way and in
which order memory has them make no difference to what it costs, and neither do constants, but
for places on rings and paths. So a layout is
brought into a form that only has the rest, and the network of that form is used for all layouts
that share it. Dimensions keep their names: what goes to and fro should come back to where it
was, and not to something that is the same but for the names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from graycube.fourier.planned import planned_layout
from graycube.gf2 import AffineMap, Matrix, bit_indices
from graycube.layout import Axis, Layout
from graycube.layout.grids import tidied
from graycube.machine import Machine
from graycube.planning import cheapest
from graycube.schedule import Task


@dataclass(frozen=True, slots=True)
class Done:
    """A transform: its price, its name, and where the index bits are afterwards.

    ``carried`` is the layout of the output of a transform as it is computed: its digits are
    where those of the input were, with the significance of groups reversed.
    """

    cost: float
    name: str
    after: Layout
    carried: Layout


def transformed(  # noqa: PLR0913
    layout: Layout,
    axis: int,
    bits: Sequence[int],
    itemsize: int,
    machine: Machine,
    *,
    restore: bool,
) -> Done | None:
    """The cheapest network with stages of some bits on data as they are, if there is one.

    >>> machine = Machine(dims=3, startup=1.0)
    >>> done = transformed(Layout.cyclic(6, 3), 0, range(5, -1, -1), 1, machine, restore=False)
    >>> done.name, done.cost
    ('bi-sectioning, phase by phase', 15.0)
    >>> print(tidied(done.after))
    (b5 b1 b0 || b4 b3 b2)
    """
    words = _words(layout, axis)
    apart = layout.map.constant & (1 << layout.n) - 1
    kept = apart if any(wires.side for wires in machine.wires) else 0
    form = _in_brief(layout, axis, words, kept)
    found = _network(form, tuple(bits), itemsize, machine, restore)
    if found is None:
        return None

    def named(form: Layout) -> Layout:
        moved = form.map @ words.inverse()
        return Layout(
            AffineMap(moved.matrix, moved.constant ^ apart ^ kept), layout.n, layout.axes
        )

    return Done(found.cost, found.name, named(found.after), named(found.carried))


def _words(layout: Layout, axis: int) -> AffineMap:
    """From words of the form, in which the axis has the lowest bits, to those of the layout."""
    own = layout.word_bits(axis)
    rows = layout.map.matrix.rows[: layout.n]
    others = dict.fromkeys(bit for row in rows for bit in bit_indices(row) if bit not in own)
    others |= dict.fromkeys(bit for bit in range(layout.p) if bit not in own)
    return AffineMap(Matrix.permutation([*own, *others]))


def _in_brief(layout: Layout, axis: int, words: AffineMap, constant: int) -> Layout:
    """The form of a layout: the axis is the last one, all others are one."""
    own = layout.axes[axis].bits
    extent = prod(a.extent for a in layout.axes)
    axes = (Axis(layout.p - own, extent), Axis(own))
    return tidied(Layout(AffineMap(layout.map.matrix, constant) @ words, layout.n, axes))


@lru_cache(maxsize=1 << 12)
def _network(
    layout: Layout,
    stages: tuple[int, ...],
    itemsize: int,
    machine: Machine,
    restore: bool,  # noqa: FBT001
) -> Done | None:
    free = bool(stages) and not restore
    task = Task(layout, layout, layout.block_size, itemsize, stages, free)
    found = cheapest(task, machine) if stages else None
    if found is None or found.traffic is None:
        return None
    made = found.traffic.schedule
    after = made.task.target
    whole = stages == (*reversed(layout.word_bits(1)),)
    carried = planned_layout(made, 1) if whole else after
    return Done(found.cost, made.algorithm, after, carried)
