"""The fewest cycles of a task, with a schedule that needs no more and a proof of the rest."""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Literal

import numpy as np

from graycube.errors import InvalidValueError, UndecidedError
from graycube.gf2 import require_int
from graycube.machine import Machine
from graycube.schedule import Moves, Task
from graycube.search.circuits import paths, solve_wires
from graycube.search.demand import require_whole
from graycube.search.limits import SolverGaveUpError, deadline_after
from graycube.search.program import Flows, arcs_of, solve

MAX_ARCS = 1 << 22
"""Most arcs of a program, counted before those are left out that lead nowhere."""

Proof = Literal["distance", "linear program", "branch and bound"]


@dataclass(frozen=True)
class Optimum:
    """The fewest cycles, a schedule that needs no more, and why one cycle less is too few.

    ``proof`` is "distance" if some element is that many hops from its target, "linear program"
    if not even fractions of elements could travel in less, and "branch and bound" if fractions
    could, but whole elements cannot.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=4)
    >>> best = least_cycles(task, Machine(dims=2, ports="all"))
    >>> best.cycles, best.moves.cycles, best.proof
    (3, 3, 'linear program')
    """

    cycles: int
    moves: Moves
    proof: Proof


def least_cycles(task: Task, machine: Machine, *, time_limit: float | None = None) -> Optimum:
    """The fewest cycles in which a machine can do a task; ``time_limit`` is in seconds.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=4)
    >>> [least_cycles(task, Machine(dims=3, ports=p)).cycles for p in (1, 2, 3)]
    [6, 4, 4]
    """
    flows, deadline = flows_of(task, machine), deadline_after(time_limit)
    cycles = flows.least
    proof: Proof = "distance" if cycles == flows.distance else "linear program"
    while True:
        found = _attempt(flows, cycles, deadline, known=cycles)
        if isinstance(found, Moves):
            return Optimum(cycles, found, proof)
        cycles, proof = cycles + 1, found


def feasible(
    task: Task, machine: Machine, cycles: int, *, time_limit: float | None = None
) -> Moves | None:
    """A schedule of so many cycles, or None where the solver proves that there is none.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
    >>> moves = feasible(task, Machine(dims=2, ports="all"), cycles=1)
    >>> moves.node.tolist(), moves.dimension.tolist()
    ([2, 3], [0, 0])
    >>> print(feasible(task, Machine(dims=2, ports="all"), cycles=0))
    None
    """
    cycles = require_int(cycles, "cycles", least=0)
    flows, deadline = flows_of(task, machine), deadline_after(time_limit)
    found = _attempt(flows, cycles, deadline, known=flows.least, prove=False)
    return found if isinstance(found, Moves) else None


def flows_of(task: Task, machine: Machine) -> Flows:
    """What has to move, for a task whose blocks stay whole on a machine of its cube.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=4)
    >>> flows = flows_of(task, Machine(dims=3))
    >>> flows.distance, flows.least, flows.enough
    (2, 4, 8)
    """
    require_whole(task, machine)
    _require_small(task.n, 1)
    n = task.n
    homes = np.arange(1 << n)
    targets = np.array([task.move(u) for u in range(1 << n)])
    moving = homes != targets
    circuits = machine.switching == "circuit"
    return Flows(task, machine.links_at_once, homes[moving], targets[moving], circuits)


def arcs(n: int, cycles: int) -> int:
    """The arcs of so many cycles of an n-cube, before any are left out.

    >>> arcs(3, cycles=10)
    2560
    """
    return cycles * (n + 1) << 2 * n


def _require_small(n: int, cycles: int) -> None:
    if arcs(n, cycles) > MAX_ARCS:
        raise InvalidValueError(
            f"{cycles} cycles of a {n}-cube have {arcs(n, cycles)} arcs",
            f"at most {MAX_ARCS} are written as an integer program",
            "take a smaller cube or block",
        )


def _attempt(
    flows: Flows, cycles: int, deadline: float, known: int, *, prove: bool = True
) -> Moves | Proof:
    """A schedule of so many cycles, or why there is none; ``known`` is the least possible.

    Unless it is to ``prove`` that, branch and bound excludes what fractions would have.
    """
    if cycles < flows.least:
        return "distance" if cycles < flows.distance else "linear program"
    _require_small(flows.task.n, cycles)
    if not len(flows.homes):
        return _moves(flows, cycles, [])
    try:
        search = _on_circuits if flows.circuits else _link_by_link
        found = search(flows, cycles, deadline, prove=prove)
    except SolverGaveUpError as error:
        raise UndecidedError(
            f"whether {cycles} cycles are enough is undecided ({error})",
            f"the optimum lies between {known} and {flows.enough} cycles",
            "raise time_limit, or take a smaller cube or block",
        ) from None
    return _moves(flows, cycles, found) if isinstance(found, list) else found


_Ways = list[tuple[int, int, list[tuple[int, int]]]]
"""A cycle, a flow, and the nodes and dimensions that an element of it crosses then."""


def _link_by_link(flows: Flows, cycles: int, deadline: float, *, prove: bool) -> _Ways | Proof:
    timed = arcs_of(flows, cycles)
    if prove and solve(flows, timed, deadline, whole=False) is None:
        return "linear program"
    amounts = solve(flows, timed, deadline, whole=True)
    if amounts is None:
        return "branch and bound"
    links = (amounts > 0.5) & (timed.dimension < flows.task.n)
    rows = np.stack(timed)[:, links].T.tolist()
    return [(cycle, flow, [(start, dimension)]) for cycle, flow, start, dimension, _ in rows]


def _on_circuits(flows: Flows, cycles: int, deadline: float, *, prove: bool) -> _Ways | Proof:
    if prove and solve_wires(flows, cycles, deadline, whole=False) is None:
        return "linear program"
    wires = solve_wires(flows, cycles, deadline, whole=True)
    if wires is None:
        return "branch and bound"
    return [(cycle, flow, links) for cycle, flow, links in paths(wires) if links]


def _moves(flows: Flows, cycles: int, ways: _Ways) -> Moves:
    """The crossings of elements: of a flow, what comes to a node first leaves first.

    No more leave than were there before the cycle, so what arrives in it, last in line, stays.
    """
    block = flows.task.block
    waiting: dict[tuple[int, int], deque[int]] = defaultdict(deque)
    for flow, home in enumerate(flows.homes.tolist()):
        waiting[flow, home].extend(range(home * block, (home + 1) * block))
    rows = []
    for cycle, flow, links in sorted(ways, key=lambda way: way[0]):
        element = waiting[flow, links[0][0]].popleft()
        rows += [(cycle, node, dimension, element) for node, dimension in links]
        last, dimension = links[-1]
        waiting[flow, last ^ 1 << dimension].append(element)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Moves(flows.task, "integer program", tuple(range(cycles)), cycles, *columns)
