"""The flow that a task is in the long run, and the tolls that prove how little it can be.

A schedule that repeats itself sends shares of each block over links. What counts then is how
much the busiest link, or node, has to carry, for each element of a block: the least is a linear
program, and no schedule of any block does with less (``graycube.cost.Tolls`` says why). The
dual variables are tolls; rounded to integers they still prove a bound, which is exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.cost import Tolls
from graycube.errors import UndecidedError
from graycube.machine import Machine
from graycube.schedule import Task
from graycube.search.demand import Demand, require_machine_of, require_small
from graycube.search.limits import (
    SolverGaveUpError,
    deadline_after,
    left,
    require_answer,
    solver_options,
)

SCALES = 600
"""Integers up to which tolls are tried."""
_CLOSE = 1e-9
_HOP = 1e-5  # so that no unit goes in circles

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Flow:
    """Shares of blocks on their way, the load they make, and what proves it to be the least.

    Of the block of ``demand.homes[i]``, ``crossings[i, u, d]`` crosses the link of node u over
    dimension d. ``share`` is the load of the busiest link, or of the busiest port, and
    ``bound`` what ``tolls`` prove: cycles for each element of a block.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1)
    >>> for ports in (1, 2, "all"):
    ...     flow = least_flow(task, Machine(dims=3, ports=ports))
    ...     print(f"{flow.share:.6f} {flow.bound}")
    1.333333 4/3
    0.750000 3/4
    0.600000 3/5
    """

    demand: Demand
    share: float
    crossings: _Floats
    tolls: Tolls
    bound: Fraction


def least_flow(task: Task, machine: Machine, *, time_limit: float | None = None) -> Flow:
    """The flow with the least load; ``time_limit`` is in seconds.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=1)
    >>> least_flow(task, Machine(dims=4)).bound
    Fraction(12, 7)
    """
    return flow_until(deadline_after(time_limit), task, machine)


def flow_until(deadline: float, task: Task, machine: Machine) -> Flow:
    """The flow with the least load, found before a deadline.

    >>> from math import inf
    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=1)
    >>> flow_until(inf, task, Machine(dims=4, ports="all")).bound
    Fraction(3, 5)
    """
    require_small(task)
    require_machine_of(task, machine)
    demand = Demand.of(task)
    nodes, ports, circuits = 1 << task.n, machine.links_at_once, machine.switching == "circuit"
    if not len(demand.homes):
        nothing = Tolls(((0,) * task.n,) * nodes, (0,) * nodes, (0,) * nodes)
        return Flow(demand, 0.0, np.zeros((0, nodes, task.n)), nothing, Fraction(0))
    solved = solve(demand, task.n if circuits else ports, deadline)
    share, prices = solved.share, solved.prices
    if circuits:
        share, prices = max((share, prices), _busiest_end(demand, ports), key=lambda s: s[0])
    tolls = _rounded(prices, demand, machine, share, deadline)
    return Flow(demand, share, solved.crossings, tolls, tolls.share(task, machine))


class Prices(NamedTuple):
    """Tolls that are not yet integers."""

    links: _Floats
    send: _Floats
    receive: _Floats


class Solved(NamedTuple):
    """The load of the busiest link or port, what makes it, and the tolls behind it.

    An integer program that ``ended`` has no better solution.
    """

    share: float
    crossings: _Floats
    prices: Prices
    ended: bool = True


def solve(demand: Demand, ports: int, deadline: float, units: int | None = None) -> Solved:
    """The linear program: variables are all crossings, and the load as the last one.

    With ``units`` a block is so many units, which cross as a whole: an integer program.
    """
    # Importing these takes longer than importing all of graycube.
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import coo_array, hstack  # noqa: PLC0415

    n, nodes, count = demand.n, 1 << demand.n, len(demand.homes)
    shape = (count, nodes, n)
    variables = count * nodes * n
    home, node, dimension = (axis.ravel() for axis in np.indices(shape))
    stop, column = demand.neighbours[node, dimension], np.arange(variables)

    gain = -demand.amounts.copy()
    gain[np.arange(count), demand.homes] += 1
    gain *= units or 1
    rows = np.append(home * nodes + node, home * nodes + stop)
    factors = np.repeat([1.0, -1.0], variables)
    balance = coo_array(
        (factors, (rows, np.append(column, column))), shape=(count * nodes, variables + 1)
    )

    kinds = _classes_of_links(demand)
    resources = [kinds[node, dimension]]
    capacity = [np.ones(kinds.max() + 1)]
    if ports < n:
        for end in (node, stop):
            resources.append(demand.classes[end])
            capacity.append(np.full(len(demand.members), float(ports)))
    offsets = np.cumsum([0, *(len(part) for part in capacity)])
    used = np.concatenate([part + at for part, at in zip(resources, offsets, strict=False)])
    loads = coo_array(
        (np.ones(len(used)), (used, np.tile(column, len(resources)))),
        shape=(offsets[-1], variables),
    )
    limits = hstack([loads, coo_array(-np.concatenate(capacity)[:, None])])

    goal = np.append(np.full(variables, 0.0 if units is None else _HOP), 1.0)
    try:
        result = linprog(
            goal,
            A_ub=limits.tocsr(),
            b_ub=np.zeros(offsets[-1]),
            A_eq=balance.tocsr(),
            b_eq=gain.ravel(),
            bounds=(0, None),
            method="highs",
            integrality=None if units is None else np.ones(variables + 1),  # and whole rounds
            options=solver_options(deadline, limits.nnz + balance.nnz),
        )
        if units is None or result.x is None:
            require_answer(result.status)
    except SolverGaveUpError as error:
        what = "the least flow is" if units is None else f"ways for {units} units are"
        raise UndecidedError(
            f"{what} not known ({error})",
            f"the program has {variables} variables",
            "raise time_limit, or take a smaller cube",
        ) from None
    crossings = result.x[:-1].reshape(shape)
    if units is not None:
        nothing = Prices(np.zeros((nodes, n)), np.zeros(nodes), np.zeros(nodes))
        return Solved(result.x[-1], np.rint(crossings), nothing, ended=result.status == 0)
    dual = np.split(-result.ineqlin.marginals, offsets[1:-1])
    links = dual[0][kinds]
    ends = [part[demand.classes] for part in dual[1:]] or [np.zeros(nodes)] * 2
    return Solved(result.fun, crossings, Prices(links, *ends))


def _classes_of_links(demand: Demand) -> _Ints:
    """A number for each class of links that a translation takes to each other."""
    kinds = demand.classes[:, None] * demand.n + np.arange(demand.n)
    return kinds.astype(np.int64)


def _busiest_end(demand: Demand, ports: int) -> tuple[float, Prices]:
    """What the node that sends most has to send, with a toll on that alone."""
    leaving = 1 - demand.amounts[np.arange(len(demand.homes)), demand.homes]
    nodes = 1 << demand.n
    send = np.zeros(nodes)
    send[demand.homes[leaving.argmax()]] = 1
    nothing = np.zeros((nodes, demand.n))
    return leaving.max() / ports, Prices(nothing, send, np.zeros(nodes))


def _rounded(
    prices: Prices, demand: Demand, machine: Machine, share: float, deadline: float
) -> Tolls:
    """Integer tolls that prove the share, or nearly so where no small ones do in time."""
    highest = max(part.max() for part in prices)
    best, proved = prices, 0.0
    for scale in range(1, SCALES + 1):
        whole = Prices(*(np.rint(np.abs(part) * (scale / highest)) for part in prices))
        shown = _proved(whole, demand, machine)
        if shown > proved + _CLOSE:
            best, proved = whole, shown
        if proved > share - _CLOSE or (proved and left(deadline) <= 0):
            break
    integers = (part.astype(np.int64).tolist() for part in best)
    return Tolls(*integers)


def _proved(tolls: Prices, demand: Demand, machine: Machine) -> float:
    """The share that tolls prove, as ``Tolls.share`` finds it exactly."""
    nodes = np.arange(1 << demand.n)
    circuits = machine.switching == "circuit"
    ways = np.full((len(nodes), len(nodes)), np.inf)
    ways[nodes, nodes] = 0
    for d in range(demand.n):
        ends = 0 if circuits else tolls.send + tolls.receive[nodes ^ 1 << d]
        ways[nodes, nodes ^ 1 << d] = tolls.links[:, d] + ends
    for between in nodes:
        np.minimum(ways, ways[:, between, None] + ways[between], out=ways)
    if circuits:
        ways = ways + tolls.send[:, None] + tolls.receive
        ways[nodes, nodes] = 0
    paid = len(demand.alike) * float((demand.amounts * ways[demand.homes]).sum())
    both = float(tolls.send.sum() + tolls.receive.sum())
    return paid / (float(tolls.links.sum()) + machine.links_at_once * both)
