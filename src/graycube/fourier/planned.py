"""A transform carried out as its plan says: which lines there are, and what is done then."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.butterflies.planned import KEPT, Planned, network_of
from graycube.fourier.along import twiddles
from graycube.fourier.engine import transformed
from graycube.fourier.passes import reordered
from graycube.layout import Layout
from graycube.run.groups import runs_of
from graycube.run.mpi import Comm
from graycube.run.network import ReadyLines
from graycube.schedule import Replication, Schedule

_Blocks = NDArray[Any]


@dataclass(frozen=True, eq=False)
class PlannedTransform:
    """A planned transform on the nodes that are here, and the layout of the result.

    >>> from graycube.planning import plan_fft
    >>> layout = Layout.cyclic(3, 2)
    >>> made = plan_fft(layout, machine="ideal").schedule
    >>> done = planned(made, layout, 0, "complex128", range(4), inverse=False)
    >>> done.run(np.ones((4, 2), complex), None).real[0].tolist()
    [8.0, 0.0]
    """

    network: Planned
    result: Layout
    inverse: bool

    def run(self, blocks: _Blocks, comm: Comm | None) -> _Blocks:
        """The transformed blocks, without any scaling."""
        return self.network.run(blocks, comm, self._transformed)

    def _transformed(self, lines: _Blocks, known: tuple[int, _Blocks | None]) -> _Blocks:
        """Lines along an axis, and times the factors."""
        axis, factors = known
        lines = transformed(lines, axis, inverse=self.inverse, out=lines)
        if factors is not None:
            factors = factors.reshape(*factors.shape, *(1,) * (lines.ndim - factors.ndim))
            np.multiply(lines, factors, out=lines, where=factors != 1)  # infinite ones stay
        return lines


@lru_cache(maxsize=KEPT)
def planned(  # noqa: PLR0913
    schedule: Schedule | Replication,
    layout: Layout,
    axis: int,
    dtype: str,
    nodes: range,
    *,
    inverse: bool,
    in_step: int = 0,
) -> PlannedTransform:
    """What a schedule does on these nodes to arrays of a complex dtype."""
    runs = tuple(_runs(schedule, layout, axis))
    last = sum(map(len, runs)) - 1
    offset = layout.word_bits(axis).start

    def known(lines: ReadyLines) -> tuple[int, _Blocks | None]:
        low, high = (bit - offset for bit in (lines.bits.start, lines.bits.stop))
        factors = None
        if lines.group != last:
            factors = twiddles(layout, axis, low, high, lines.words, dtype, inverse=inverse)
        return 1 if lines.bits else 2 + axis, factors

    network = network_of(schedule, nodes, runs, known, in_step)
    return PlannedTransform(network, planned_layout(schedule, axis), inverse)


def planned_layout(schedule: Schedule | Replication, axis: int) -> Layout:
    """The layout of the result, in which the digits of the axis are in the order of the stages.

    >>> from graycube.table.networks import emulation
    >>> print(planned_layout(emulation(Layout.cyclic(3, 2)), 0))
    (b2 || b0 b1)
    """
    task = schedule.task
    runs, offset = _runs(schedule, task.source, axis), task.source.word_bits(axis).start
    digits = [bit - offset for run in runs for bits in run for bit in bits]
    return reordered(task.source, axis, task.target.map, digits)


def _runs(
    schedule: Schedule | Replication, layout: Layout, axis: int
) -> Iterator[tuple[range, ...]]:
    """The groups of each run of stages: bits on either side of the extent, which is empty."""
    along, offset = layout.axes[axis], layout.word_bits(axis).start
    at = offset + along.low
    runs = [*runs_of(schedule)]
    for bits in runs:
        found = []
        above, below = (tuple(b for b in bits if (b >= at) == side) for side in (True, False))
        for group in filter(None, (above, below)):
            if along.extent > 1 and group[-1] + 1 == at:
                found.append(range(at, at))
            found.append(range(group[0], group[-1] + 1))
        if along.extent > 1 and along.low == 0 and bits is runs[-1]:
            found.append(range(at, at))
        yield tuple(found)
