"""The linear program of a schedule in few steps: how long each of them has to be.

A step says which links may be used. What a link carries in it, for each element of a block, is
at most the step's length, and what a step brings leaves in a later one. The sum of the lengths
is least. A step may let every link be used and limit what the ports of a node carry in all (a
*layer*, which is cut into rounds afterwards), or name the links of one round.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import UndecidedError
from graycube.search.demand import Demand
from graycube.search.limits import SolverGaveUpError, require_answer, solver_options
from graycube.search.step_arcs import DETOUR, Lower, StepArcs, arcs_of

_Ints = NDArray[np.int64]
_Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Steps:
    """The lengths of steps, and how much of a block takes which arc.

    ``prices[step, class]`` are the dual variables: of the links of a node, in the order of
    their dimensions, and of what it sends and receives.
    """

    lengths: NDArray[np.float64]
    arcs: StepArcs
    amounts: NDArray[np.float64]
    prices: NDArray[np.float64]

    @property
    def volume(self) -> float:
        """The sum of the lengths: cycles for each element of a block."""
        return float(self.lengths.sum())


def shortest(  # noqa: PLR0913
    demand: Demand,
    allowed: _Flags,
    ports: int | None = None,
    *,
    lower: Lower | None = None,
    detour: int = DETOUR,
    deadline: float,
) -> Steps | None:
    """The least sum of lengths, or None where some element cannot arrive.

    ``ports`` limits what a node sends and receives in a step. If there are ``lower``
    dimensions, each of their shares takes a port, and its part of a step, where it is busy.
    """
    # Importing these takes longer than importing all of graycube.
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import coo_array  # noqa: PLC0415

    arcs, steps = arcs_of(demand, allowed, detour, lower), len(allowed)
    balance = _balance(demand, arcs, steps)
    if balance is None:
        return None
    size, busy = steps + len(arcs.step), np.zeros(steps, dtype=int)
    least = np.zeros(size)
    if lower is not None:
        balance, busy = _stacked(balance, _halves(demand, arcs, lower)), lower.busy(steps)
        least[:steps][busy > 0] = 0.5 / lower.shares
    limits, priced = _limits(demand, arcs, steps, None if ports is None else ports - busy)
    above, even = (
        coo_array((rows.factor, (rows.row, rows.column)), (len(rows.total), size))
        for rows in (limits, balance)
    )
    try:
        result = linprog(
            np.arange(size) < steps,
            A_ub=above,
            b_ub=limits.total,
            A_eq=even,
            b_eq=balance.total,
            bounds=np.stack([least, np.full(size, np.inf)], axis=1),
            method="highs-ipm",  # many times faster here than the simplex method
            options=solver_options(deadline, above.nnz + even.nnz),
        )
        require_answer(result.status)
    except SolverGaveUpError as error:
        raise UndecidedError(
            f"the lengths of {steps} steps are not known ({error})",
            f"the program has {size} variables",
            "raise time_limit, or take a smaller cube",
        ) from None
    if result.x is None:
        return None
    prices = np.zeros((steps, len(demand.members), demand.n + 2))
    prices.flat[priced] = -result.ineqlin.marginals
    return Steps(result.x[:steps], arcs, result.x[steps:], prices)


def crossings(demand: Demand, arcs: StepArcs) -> _Ints:
    """Which arcs cross a link."""
    return np.flatnonzero((arcs.dimension >= 0) & (arcs.dimension < demand.n))


class _Terms(NamedTuple):
    """Constraints: ``factor`` times the variable of the column counts in the row."""

    row: _Ints
    column: _Ints
    factor: NDArray[np.float64]
    total: NDArray[np.float64]


def _balance(demand: Demand, arcs: StepArcs, steps: int) -> _Terms | None:
    """What arrives at a node leaves it, from the home to the targets."""
    homes, nodes = demand.amounts.shape
    places = nodes * (1 + bool((arcs.dimension == demand.n).any()))
    shape = (steps + 1, homes, places)
    gain = np.zeros(shape)
    gain[0, np.arange(homes), demand.homes] = 1
    gain[-1, :, -nodes:] -= demand.amounts
    leaves = np.ravel_multi_index((arcs.step, arcs.home, arcs.start), shape)
    arrives = np.ravel_multi_index((arcs.end, arcs.home, arcs.stop), shape)
    used = np.zeros(gain.size, dtype=bool)
    used[leaves] = used[arrives] = True
    if gain.ravel()[~used].any():
        return None
    row = np.cumsum(used) - 1
    column = steps + np.tile(np.arange(len(leaves)), 2)
    factor = np.repeat([1.0, -1.0], len(leaves))
    return _Terms(row[np.append(leaves, arrives)], column, factor, gain.ravel()[used])


def _halves(demand: Demand, arcs: StepArcs, lower: Lower) -> _Terms:
    """Half of what is at a class, of each share, came over an even number of links."""
    here = np.flatnonzero(arcs.dimension == demand.n)
    start, classes = arcs.start[here], len(demand.members)
    odd = np.bitwise_count(start ^ demand.homes[arcs.home[here]]) % 2
    share = arcs.step[here] - lower.begin
    row = (share * classes + demand.classes[start]) * 2 + odd
    total = np.full(lower.shares * classes * 2, 0.5 / lower.shares)
    steps = int(arcs.end.max())
    return _Terms(row, steps + here, np.ones(len(here)), total)


def _limits(
    demand: Demand, arcs: StepArcs, steps: int, ports: _Ints | None
) -> tuple[_Terms, _Ints]:
    """What links, and the ports of nodes, carry in a step; and where in the prices that is."""
    moving = crossings(demand, arcs)
    step, _, start, dimension, stop, _ = (part[moving] for part in arcs)
    shape = steps, len(demand.members), demand.n + 2
    kinds: list[tuple[_Ints, _Ints, _Ints]] = [(start, dimension, np.ones(steps, dtype=int))]
    if ports is not None:
        ends = (np.full(len(moving), demand.n + k) for k in range(2))
        kinds += [(node, end, ports) for node, end in zip((start, stop), ends, strict=True)]
    made = _Terms(*(np.empty(0, dtype=int),) * 2, np.empty(0), np.empty(0))
    priced = [np.empty(0, dtype=int)]
    for node, which, most in kinds:
        class_ = demand.classes[node % len(demand.classes)]
        key = np.ravel_multi_index((step, class_, which), shape)
        used, row = np.unique(key, return_inverse=True)
        rows = np.append(row, np.arange(len(used)))
        length = used // (shape[1] * shape[2])
        columns = np.append(steps + moving, length)
        factors = np.append(np.ones(len(row)), -1.0 * most[length])
        made = _stacked(made, _Terms(rows, columns, factors, np.zeros(len(used))))
        priced.append(used)
    return made, np.concatenate(priced)


def _stacked(above: _Terms, below: _Terms) -> _Terms:
    return _Terms(
        np.append(above.row, below.row + len(above.total)),
        np.append(above.column, below.column),
        np.append(above.factor, below.factor),
        np.append(above.total, below.total),
    )
