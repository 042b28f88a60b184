"""What has to go where, for the linear programs: one node of each class speaks for all.

Rule: a translation of the cube, u -> u ^ v, that commutes with a task turns every schedule of
it into another. The mean of all of them is a flow that looks the same from u and from u ^ v. So
only the elements of one node of each class are variables, and a node's load is the sum over its
class. A Gray conversion commutes with the translation by 1, which halves its programs.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.machine import Machine
from graycube.schedule import Task

MAX_DIMS = 7
"""Most dimensions of a cube whose flows are solved for."""
MAX_ADDRESS = 20
"""Most bits of an address: every element of a layout is asked where it has to go."""

_Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Demand:
    """``amounts[i, u]`` of the block of ``homes[i]`` has to go to node u.

    ``classes[u]`` is the number of node u's class and ``homes`` has one node of each, where
    blocks leave; ``alike`` are the translations that take it to the others.

    >>> from graycube.layout import Layout
    >>> demand = Demand.of(Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1))
    >>> demand.homes.tolist(), demand.classes.tolist()
    ([2, 4, 6], [0, 0, 1, 1, 2, 2, 3, 3])
    >>> demand.amounts.argmax(axis=1).tolist()
    [3, 7, 4]
    """

    n: int
    homes: _Ints
    amounts: NDArray[np.float64]
    classes: _Ints
    alike: _Ints

    @classmethod
    def of(cls, task: Task, *, every: bool = False) -> "Demand":
        """The demand of a task; ``every`` keeps the homes that keep theirs."""
        n, low = task.n, (1 << task.n) - 1
        slots = 1 << (task.p - n)
        amounts = np.zeros((1 << n, 1 << n))
        for node in range(1 << n):
            for slot in range(slots):
                amounts[node, task.move(slot << n | node) & low] += 1 / slots
        linear = task.move.matrix
        alike = np.array([v for v in range(1 << n) if linear(v) & low == v])
        nodes = np.arange(1 << n)
        lowest: _Ints = np.min(nodes[:, None] ^ alike, axis=1)
        first, classes = np.unique(lowest, return_inverse=True)
        homes = first[(amounts[first, first] < 1) | every]
        return cls(n, homes, amounts[homes], classes.astype(np.int64), alike)

    @cached_property
    def members(self) -> _Ints:
        """The lowest node of each class.

        >>> from graycube.layout import Layout
        >>> Demand.of(Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1)).members.tolist()
        [0, 2, 4, 6]
        """
        return np.unique(self.classes, return_index=True)[1]

    @property
    def neighbours(self) -> _Ints:
        """The node over each dimension of each node.

        >>> from graycube.layout import Layout
        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
        >>> Demand.of(task).neighbours.tolist()
        [[1, 2], [0, 3], [3, 0], [2, 1]]
        """
        return np.arange(1 << self.n)[:, None] ^ 1 << np.arange(self.n)


def require_small(task: Task) -> None:
    """A task of a cube whose flows can be solved for.

    >>> from graycube.layout import Layout
    >>> require_small(Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1))
    """
    _require_kind(task, Task, "pass plan.task, or Task(source, target, block)")
    if not 1 <= task.n <= MAX_DIMS or task.p > MAX_ADDRESS:
        raise InvalidValueError(
            f"the task is for 2^{task.n} nodes and 2^{task.p} elements of a layout",
            f"flows are found for 2 to 2^{MAX_DIMS} nodes and up to 2^{MAX_ADDRESS} elements",
            "take a smaller cube, or plan with graycube.plan",
        )


def require_machine_of(task: Task, machine: Machine) -> None:
    """A machine of the task's cube.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1)
    >>> require_machine_of(task, Machine(dims=3))
    """
    _require_kind(task, Task, "pass plan.task, or Task(source, target, block)")
    _require_kind(machine, Machine, "pass plan.machine, or Machine(dims=...)")
    if machine.dims != task.n:
        raise InvalidValueError(
            f"the machine has {machine.dims} dimensions",
            f"the task is for a {task.n}-cube",
            "take a machine of that size",
        )


def require_whole(task: Task, machine: Machine) -> None:
    """A task whose blocks stay together, and a machine of its cube.

    >>> from graycube.layout import Layout
    >>> require_whole(Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=4), Machine(dims=2))
    """
    require_machine_of(task, machine)
    n, move = task.n, task.move
    slots_stay = move.matrix.columns[n:] == tuple(1 << j for j in range(n, task.p))
    if not slots_stay or max((*move.matrix.columns[:n], move.constant)) >> n:
        raise InvalidValueError(
            f"the task goes from {task.source} to {task.target}",
            "schedules are found where every block stays together and in its order",
            "take layouts that differ in their node bits, or bound it with graycube.certify",
        )


def _require_kind(value: object, kind: type, step: str) -> None:
    if not isinstance(value, kind):
        needed = f"a {kind.__name__} is needed"
        raise InvalidTypeError(f"got a {type(value).__name__}", needed, step)
