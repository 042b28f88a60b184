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

DETOUR = 2
"""Links that a way may have more than the shortest one; more gain next to nothing."""

_Ints = NDArray[np.int64]
_Flags = NDArray[np.bool_]


class StepArcs(NamedTuple):
    """Elements of a home that are at ``start`` before a step and at ``stop`` behind it.

    ``dimension`` is that of the link, or -1 where they stay.
    """

    step: _Ints
    home: _Ints
    start: _Ints
    dimension: _Ints
    stop: _Ints


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


def arcs_of(demand: Demand, allowed: _Flags, detour: int = DETOUR) -> StepArcs:
    """The arcs from homes to targets over links with ``allowed[step, node, dimension]``.

    What is to leave does not come home again: it could have stayed there.
    """
    nodes, stops = np.arange(1 << demand.n), demand.neighbours
    apart = np.bitwise_count(nodes[:, None] ^ nodes).astype(np.int64)
    wanted = demand.amounts > 0
    spare = apart[demand.homes][:, None] + detour - apart[demand.homes][:, :, None] - apart
    near = ((spare >= 0) & wanted[:, None]).any(axis=2)  # of some target of the home
    start = np.zeros_like(wanted)
    start[np.arange(len(start)), demand.homes] = True
    before, behind = [start], [wanted]
    for links in allowed:
        there = before[-1].copy()
        for d in range(demand.n):
            there |= (before[-1] & links[:, d])[:, stops[:, d]]
        before.append(there & near)
    for links in allowed[::-1]:
        there = behind[-1].copy()
        for d in range(demand.n):
            there |= behind[-1][:, stops[:, d]] & links[:, d]
        behind.append(there & near)
    usable = np.stack(before) & np.stack(behind[::-1])
    crossing = usable[:-1, :, :, None] & usable[1:][:, :, stops] & allowed[:, None]
    own = demand.amounts[np.arange(len(start)), demand.homes] > 0
    crossing &= (stops != demand.homes[:, None, None]) | own[:, None, None]
    step, home, node, dimension = np.nonzero(crossing)
    stays = np.stack(np.nonzero(usable[:-1] & usable[1:]))
    moves = np.stack([step, home, node, dimension, stops[node, dimension]])
    resting = np.stack([*stays, np.full(stays.shape[1], -1), stays[2]])
    return StepArcs(*np.concatenate([moves, resting], axis=1))


def shortest(  # noqa: PLR0913
    demand: Demand,
    allowed: _Flags,
    ports: int | None = None,
    *,
    halfway: int | None = None,
    detour: int = DETOUR,
    deadline: float,
) -> Steps | None:
    """The least sum of lengths, or None where some element cannot arrive.

    ``ports`` limits what a node sends and receives in a step. Before the step ``halfway`` half
    of what is at a node must have come over an even number of links, half over an odd one.
    """
    # Importing these takes longer than importing all of graycube.
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import coo_array  # noqa: PLC0415

    arcs, steps = arcs_of(demand, allowed, detour), len(allowed)
    balance = _balance(demand, arcs, steps)
    if balance is None:
        return None
    if halfway is not None:
        balance = _stacked(balance, _halves(demand, arcs, halfway))
    limits, priced = _limits(demand, arcs, steps, ports)
    size = steps + len(arcs.step)
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
            bounds=(0, None),
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
    prices = np.zeros((steps, int(demand.classes.max()) + 1, demand.n + 2))
    prices.flat[priced] = -result.ineqlin.marginals
    return Steps(result.x[:steps], arcs, result.x[steps:], prices)


class _Terms(NamedTuple):
    """Constraints: ``factor`` times the variable of the column counts in the row."""

    row: _Ints
    column: _Ints
    factor: NDArray[np.float64]
    total: NDArray[np.float64]


def _balance(demand: Demand, arcs: StepArcs, steps: int) -> _Terms | None:
    """What arrives at a node leaves it, from the home to the targets."""
    shape = (steps + 1, *demand.amounts.shape)
    gain = np.zeros(shape)
    gain[0, np.arange(len(demand.homes)), demand.homes] = 1
    gain[-1] -= demand.amounts
    leaves = np.ravel_multi_index((arcs.step, arcs.home, arcs.start), shape)
    arrives = np.ravel_multi_index((arcs.step + 1, arcs.home, arcs.stop), shape)
    used = np.zeros(gain.size, dtype=bool)
    used[leaves] = used[arrives] = True
    if gain.ravel()[~used].any():
        return None
    row = np.cumsum(used) - 1
    column = steps + np.tile(np.arange(len(leaves)), 2)
    factor = np.repeat([1.0, -1.0], len(leaves))
    return _Terms(row[np.append(leaves, arrives)], column, factor, gain.ravel()[used])


def _halves(demand: Demand, arcs: StepArcs, step: int) -> _Terms:
    """Half of what is at a node before a step came over an even number of links."""
    here = np.flatnonzero(arcs.step == step)
    odd = np.bitwise_count(arcs.start[here] ^ demand.homes[arcs.home[here]]) % 2
    row = demand.classes[arcs.start[here]] * 2 + odd
    total = np.full(2 * (int(demand.classes.max()) + 1), 0.5)
    steps = int(arcs.step.max()) + 1
    return _Terms(row, steps + here, np.ones(len(here)), total)


def _limits(
    demand: Demand, arcs: StepArcs, steps: int, ports: int | None
) -> tuple[_Terms, _Ints]:
    """What links, and the ports of nodes, carry in a step; and where in the prices that is."""
    moving = np.flatnonzero(arcs.dimension >= 0)
    step, _, start, dimension, stop = (part[moving] for part in arcs)
    shape = steps, int(demand.classes.max()) + 1, demand.n + 2
    kinds = [(start, dimension, 1)]
    if ports is not None:
        ends = (np.full(len(moving), demand.n + k) for k in range(2))
        kinds += [(node, end, ports) for node, end in zip((start, stop), ends, strict=True)]
    made = _Terms(*(np.empty(0, dtype=int),) * 2, np.empty(0), np.empty(0))
    priced = [np.empty(0, dtype=int)]
    for node, which, most in kinds:
        key = np.ravel_multi_index((step, demand.classes[node], which), shape)
        used, row = np.unique(key, return_inverse=True)
        rows = np.append(row, np.arange(len(used)))
        columns = np.append(steps + moving, used // (shape[1] * shape[2]))
        factors = np.append(np.ones(len(row)), np.full(len(used), -float(most)))
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
