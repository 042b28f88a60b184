"""All candidates of a plan carried out and timed: measured beside predicted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError
from graycube.measure.stretches import in_turn, require_repeats, slowest
from graycube.planning import Plan
from graycube.run import Execution, agreed
from graycube.show import Sheet, Shown, Table, text

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_ENOUGH = 2e-3  # seconds that short runs are repeated for
_NOISY = 0.5  # the share by which runs differ on machines that do something else besides
_FAR = 2.0  # how many times the predicted is no matter of sizes any more
_HEAD = ("candidate", "rounds", "predicted", "measured", "ratio", "")


@dataclass(frozen=True, slots=True)
class Timed:
    """A candidate: what the planner predicts, and what runs took, in seconds.

    >>> Timed("gb1", 3, predicted=2e-6, runs=(3e-6, 1e-6, 2e-6, 9e-6, 4e-6)).seconds
    2e-06
    """

    algorithm: str
    rounds: int
    predicted: float
    runs: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """The lower quartile of the runs: what else a machine does only makes them longer."""
        return float(np.quantile(self.runs, 0.25))

    @property
    def spread(self) -> float:
        """By which share the runs differ: their quartiles."""
        return float(np.quantile(self.runs, 0.75)) / self.seconds - 1


@dataclass(frozen=True, slots=True)
class Bench(Shown):
    """The candidates of a plan, timed; ``chosen`` is the planner's choice.

    >>> rows = [Timed("gb1", 3, 3e-6, (4e-6,)), Timed("gb3", 4, 2e-6, (5e-6,))]
    >>> found = Bench(tuple(rows), chosen="gb3")
    >>> round(found.regret, 3)
    1.25
    >>> print(found.report())
    candidate  rounds  predicted  measured  ratio
    gb1             3       3 us      4 us  1.333  the fastest
    gb3             4       2 us      5 us  2.500  the planner's choice
    """

    candidates: tuple[Timed, ...]
    chosen: str

    @property
    def fastest(self) -> Timed:
        """The candidate that took least."""
        return min(self.candidates, key=lambda timed: timed.seconds)

    @property
    def regret(self) -> float:
        """How many times as long as the fastest the planner's choice takes.

        It is 0 where that is "relabel", which moves nothing and is not timed.
        """
        times = {timed.algorithm: timed.seconds for timed in self.candidates}
        return times[self.chosen] / self.fastest.seconds if self.chosen in times else 0.0

    def report(self) -> str:
        """A line for each candidate, and what there is to say if none is as predicted."""
        return text(self._sheet())

    def _sheet(self) -> Sheet:
        rows = [self._row(timed) for timed in self.candidates]
        ours = (k for k, timed in enumerate(self.candidates) if timed.algorithm == self.chosen)
        marks = dict.fromkeys(ours, "strong")
        return Sheet(
            repr(self).strip("<>"), Table(_HEAD, rows, "lrrrrl", marks), *self._doubts()
        )

    def _doubts(self) -> Iterator[str]:
        """What makes the comparison worth little."""
        if not self.regret:
            yield f"The planner's choice, {self.chosen}, moves nothing: it is not timed."
        spreads = [timed.spread for timed in self.candidates]
        ratios = [
            timed.seconds / timed.predicted for timed in self.candidates if timed.predicted
        ]
        if spreads and median(spreads) > _NOISY:
            yield (
                f"Runs of one candidate differ by {100 * median(spreads):.0f} %: the machine "
                "was busy with other work."
            )
        if ratios and median(ratios) > _FAR:
            yield (
                f"Runs take {median(ratios):.1f} times as long as predicted: calibrate this "
                "machine again, on as many ranks, when it is idle."
            )

    def __repr__(self) -> str:
        names = [timed.algorithm for timed in self.candidates]
        best = f": {self.fastest.algorithm} is fastest" if names else ""
        choice = (
            f", {self.chosen} is chosen, {self.regret:.3f} x" if self.chosen in names else ""
        )
        return f"<Bench of {len(names)} candidates{best}{choice}>"

    def _row(self, timed: Timed) -> tuple[str, ...]:
        ratio = f"{timed.seconds / timed.predicted:.3f}" if timed.predicted else "-"
        times = [f"{1e6 * t:.4g} us" for t in (timed.predicted, timed.seconds)]
        marks = {self.fastest.algorithm: "the fastest", self.chosen: "the planner's choice"}
        mark = marks.get(timed.algorithm, "")
        return timed.algorithm, str(timed.rounds), *times, ratio, mark


def bench(plan: Plan, comm: "Intracomm", rounds: int = 9) -> Bench:
    """Carry out and time all candidates that leave the ranks as they are; collective.

    The blocks are random bytes, ``itemsize`` of the plan for each element. Each candidate is
    timed in ``rounds`` runs, at most 10,000.

    >>> def program(comm):  # under mpiexec -n 8
    ...     layouts = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    ...     plan = gc.plan(*layouts, 1 << 16, itemsize=8, machine="our-cluster")
    ...     print(gc.bench(plan, comm).report())
    """

    def prepare() -> tuple[tuple[list[Plan], NDArray[np.void]], dict[str, object]]:
        if not isinstance(plan, Plan):
            raise InvalidTypeError(
                f"got a {type(plan).__name__}",
                "bench times a Plan",
                "make one with graycube.plan",
            )
        count = require_repeats(rounds, "rounds")
        rivals = _rivals(plan)
        names = [made.algorithm for made in rivals]
        block = np.random.default_rng(comm.rank).bytes(plan.task.block_bytes)
        data = np.frombuffer(block, dtype=np.dtype((np.void, plan.task.itemsize)))
        return (rivals, data), {"plan": repr(plan), "candidates": names, "rounds": count}

    rivals, data = agreed(comm, prepare)
    bound = [rival.bind(data, comm) for rival in rivals]
    try:
        runs = _timed(bound, comm, rounds)
    finally:
        for one in bound:
            one.free()
    rows = (
        Timed(rival.algorithm, rival.rounds, rival.cost, times)
        for rival, times in zip(rivals, runs, strict=True)
    )
    return Bench(tuple(rows), plan.algorithm)


def _rivals(plan: Plan) -> list[Plan]:
    """A plan for every candidate that moves data."""
    found = (c.traffic for c in plan.candidates if c.algorithm.name != "relabel")
    return [replace(plan, schedule=t.schedule, traffic=t) for t in found if t is not None]


def _timed(
    bound: Sequence[Execution], comm: "Intracomm", rounds: int
) -> list[tuple[float, ...]]:
    """Seconds of each run of every execution, the same on all ranks."""
    works = [lambda _, one=one: one.run() for one in bound]
    counts = []
    for work in works:
        slowest(comm, work, 1)  # the first one finds memory cold
        counts.append(max(1, round(_ENOUGH / slowest(comm, work, 1))))
    return [tuple(row) for row in in_turn(comm, works, counts, range(rounds)).tolist()]
