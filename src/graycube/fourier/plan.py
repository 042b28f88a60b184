"""Plans for transforms: which emulation of the butterflies a layout and a machine ask for."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graycube.array import CubeArray
from graycube.array.ranks import spread
from graycube.bounds import butterfly_bound
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier.along import KEPT, Along, carried_out
from graycube.fourier.candidates import TransformCandidate, cheapest, transform_candidates
from graycube.fourier.emulated import emulated_passes
from graycube.fourier.explain import sheet_of
from graycube.fourier.passes import passes
from graycube.fourier.transform import (
    Norm,
    all_agree,
    complex_dtype,
    require_axis,
    require_norm,
    scale,
)
from graycube.gf2 import require_int
from graycube.layout import Layout
from graycube.machine import Machine, require_machine
from graycube.schedule import Replication, Schedule, expand
from graycube.show import Shown, text
from graycube.verify import (
    Report,
    check_algebra,
    check_elements,
    check_pairs,
    check_replication,
)

ELEMENTWISE = 1 << 22
"""Up to so many places, elements times cycles, a plan is also checked element by element."""


@dataclass(frozen=True, eq=False)
class TransformPlan(Shown):
    """A layout, an axis, a machine, the chosen schedule and the rejected ones; see `plan_fft`.

    >>> machine = Machine(dims=5, startup=1e3)
    >>> chosen = plan_fft(Layout.cyclic(12, 5, nodes="gray"), machine=machine)
    >>> chosen.algorithm, chosen.rounds, bool(chosen.verify())
    ('bi-sectioning, phase by phase', 5, True)
    """

    layout: Layout
    axis: int
    itemsize: int
    machine: Machine
    chosen: TransformCandidate
    candidates: tuple[TransformCandidate, ...]

    def __repr__(self) -> str:
        where = f"{1 << self.layout.n} nodes"
        figures = f"{self.rounds} rounds, {self.cost:.4g} s, {where}"
        return f"<TransformPlan {self.algorithm}: {figures}>"

    @property
    def schedule(self) -> Schedule | Replication:
        """The chosen schedule of exchanges, or of copies."""
        if self.chosen.schedule is None:
            raise InvalidValueError("nothing was chosen", self.chosen.reason or "", "plan anew")
        return self.chosen.schedule

    @property
    def algorithm(self) -> str:
        """Name of the chosen method."""
        return self.chosen.name

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return self.chosen.rounds

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return self.chosen.cycles

    @property
    def cost(self) -> float:
        """Seconds that the exchanges take; arithmetic is not counted."""
        return self.chosen.cost

    @property
    def lower_bound(self) -> float:
        """Seconds that no network can beat in which every index has one place."""
        return butterfly_bound(
            self.layout, self.axis, self.layout.block_size, self.itemsize, self.machine
        ).seconds

    def verify(self) -> Report:
        """Prove the schedule by algebra and, where affordable, element by element.

        >>> print(plan_fft(Layout.cyclic(20, 12, nodes="gray"), machine="ideal").verify())
        by algebra: nothing is wrong (end, stage, link, ports, time, round)
        """
        schedule = self.schedule
        if isinstance(schedule, Replication):
            return check_replication(schedule)
        report = check_algebra(schedule, self.machine)
        if self.chosen.before is not None:
            report = self.chosen.before.verify().joined(report)
        places = (schedule.task.block << schedule.task.n) * (schedule.cycles + 1)
        if not report or places > ELEMENTWISE:
            return report
        moves = expand(schedule)
        pairs = check_pairs(moves, schedule.stages)
        followed = check_elements(moves, self.machine).joined(pairs)
        return report.joined(followed)

    def run(
        self, a: CubeArray, norm: Norm | None = None, *, inverse: bool = False
    ) -> CubeArray:
        """The transform of an array, its data placed as the schedule places them.

        >>> import numpy as np
        >>> layout = Layout.cyclic(8, 4, nodes="gray")
        >>> x = np.random.default_rng(0).standard_normal(256)
        >>> chosen = plan_fft(layout, machine=Machine(dims=4, ports="all"))
        >>> y = chosen.run(CubeArray.from_numpy(x, layout))
        >>> np.allclose(y.to_numpy(), np.fft.fft(x))
        True
        """

        def check() -> np.dtype[np.generic]:
            if a.layout != self.layout:
                raise InvalidValueError(
                    f"the array is {a!r:.60}",
                    f"the plan is for the layout {self.layout}",
                    "make a plan for its layout, or relayout it",
                )
            require_norm(norm)
            return complex_dtype(a.dtype)

        dtype = all_agree(a, repr(self), check, norm=norm, inverse=inverse)
        planned = self._along(dtype.name, a.nodes, inverse=inverse)
        blocks, over = a.blocks.astype(dtype, copy=False), spread(a.comm)
        if self.chosen.before is not None and over is None:
            blocks = self.chosen.before.apply(blocks)
        elif self.chosen.before is not None and over is not None:
            blocks = self.chosen.before.execute(blocks, over)
        blocks = planned.run(blocks, a.comm)
        points = self.layout.shape[self.axis]
        return CubeArray(scale(blocks, points, norm, inverse=inverse), planned.result, a.comm)

    @lru_cache(maxsize=KEPT)  # noqa: B019 - few, and plans are small
    def _along(self, dtype: str, nodes: range, *, inverse: bool) -> Along:
        if isinstance(self.schedule, Replication):
            layout = self.layout
            groups, result = passes(layout, self.axis)
        else:
            layout = self.schedule.task.source
            groups, result = emulated_passes(self.schedule, self.axis)
        return carried_out(layout, groups, result, dtype, nodes=nodes, inverse=inverse)

    def explain(self) -> str:
        """What was chosen, what was rejected, the bound and the gap, as a table.

        >>> machine = Machine(dims=4, ports="all", startup=10.0, per_byte=1.0)
        >>> layout = Layout.cyclic(10, 4, nodes="gray")
        >>> made = plan_fft(layout, itemsize=1, machine=machine)
        >>> print(made.explain())  # doctest: +ELLIPSIS
        1024 points along axis 0 of 64 elements of 1 byte on each of 16 nodes;
        4 ports, store-and-forward
        candidate                        rounds  cycles  seconds
        bi-sectioning                         7      56      126  1.212 times the chosen one
        four-sectioning                       4      64      104  chosen
        ...
        lower bound                                           72
        The chosen schedule is within a factor 1.44 of the bound.
        """
        return text(self._sheet())

    _sheet = sheet_of


def plan_fft(
    layout: Layout,
    axis: int = -1,
    *,
    itemsize: int = 16,
    machine: Machine | str,
    algorithm: str = "auto",
) -> TransformPlan:
    """The cheapest way to do the exchanges of a transform along an axis.

    ``itemsize`` is in bytes; ``machine`` is a :class:`Machine` or the name of a profile;
    ``algorithm`` is "auto" or the name of a candidate.

    >>> for ports in (1, "all"):
    ...     machine = Machine(dims=4, ports=ports, startup=1e-4, per_byte=1e-9)
    ...     print(plan_fft(Layout.cyclic(20, 4, nodes="gray"), machine=machine).algorithm)
    bi-sectioning, phase by phase
    16-sectioning
    """
    if not isinstance(layout, Layout):
        raise InvalidTypeError(f"got {layout!r:.60}", "a layout is needed", "pass a Layout")
    machine = require_machine(machine, layout.n)
    axis = require_axis(layout, axis)
    itemsize = require_int(itemsize, "itemsize", least=1)
    candidates = transform_candidates(layout, axis, itemsize, machine)
    names = list(dict.fromkeys(candidate.name for candidate in candidates))
    if algorithm not in ("auto", *names):
        raise InvalidValueError(
            f"the algorithm is {algorithm!r}",
            f"the known ones are {', '.join(names)}",
            "choose one of them, or 'auto'",
        )
    wanted = [c for c in candidates if algorithm in ("auto", c.name)]
    chosen = cheapest(wanted)
    if chosen.schedule is None:
        raise InvalidValueError(
            f"no schedule for a transform of {layout}", f"{chosen.reason}", "choose another one"
        )
    return TransformPlan(layout, axis, itemsize, machine, chosen, candidates)
