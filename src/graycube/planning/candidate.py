"""The candidates for a task: every algorithm of the table, with its traffic or a reason."""

from dataclasses import dataclass

from graycube.algorithms import Algorithm, algorithms
from graycube.machine import Machine, require_machine
from graycube.schedule import Task
from graycube.simulate import Traffic, simulate


@dataclass(frozen=True, slots=True)
class Candidate:
    """An algorithm considered for a task: its traffic and price, or why it does not apply.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> for candidate in all_candidates(task, Machine(dims=4))[:4]:
    ...     print(candidate.algorithm.name, candidate.cost)
    relabel 0.0
    direct inf
    gb1 24.0
    gb2 20.0
    """

    algorithm: Algorithm
    traffic: Traffic | None
    cost: float
    reason: str | None


def all_candidates(task: Task, machine: Machine) -> tuple[Candidate, ...]:
    """The whole table, priced for a task on a machine of the same cube."""
    machine = require_machine(machine, task.n)
    return tuple(_candidate(algorithm, task, machine) for algorithm in algorithms())


def _candidate(algorithm: Algorithm, task: Task, machine: Machine) -> Candidate:
    reason = algorithm.applicable(task, machine)
    if reason is not None:
        return Candidate(algorithm, None, float("inf"), reason)
    traffic = simulate(algorithm.emit(task, machine))
    return Candidate(algorithm, traffic, traffic.time(machine), None)
