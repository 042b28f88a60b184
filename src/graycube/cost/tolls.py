"""Bounds by tolls: what every element has to pay, over what there is to earn.

Rule: put a toll on every link, and on sending and on receiving at every node. In T cycles a
link carries at most T elements, and a node with p ports sends and receives at most p T. So no
schedule of T cycles earns more than T times the sum of all tolls, those of nodes times p. Every
element pays at least the tolls of the cheapest way to its target. So T is at least what all
elements have to pay, over that sum. On a circuit only its two ends send and receive.

These are the dual variables of the linear program of flows, whose best tolls show its optimum;
but any tolls prove a bound, wherever they come from. All of it is exact: integers and
fractions, and the cheapest ways are found here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.cost.bound import require_kinds
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.machine import Machine
from graycube.schedule import Task

MAX_DIMS = 10
"""Most dimensions of a cube on which cheapest ways are looked for."""
MAX_TOLL = (1 << 62) - 1
"""Largest toll; what is made here has tolls of three bits."""
MAX_ADDRESS = 20
"""Most bits of an address: every element of a layout is asked where it has to go."""


@dataclass(frozen=True)
class Tolls:
    """Integers >= 0: ``links[u][d]`` for the link of node u over dimension d, and of nodes.

    >>> tolls = Tolls(links=((0, 0), (0, 0), (1, 1), (1, 1)), send=(0,) * 4, receive=(0,) * 4)
    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=100)
    >>> tolls.share(task, Machine(dims=2, ports="all"))  # 50 cycles, TR-20-91 section 3.1
    Fraction(1, 2)
    """

    links: tuple[tuple[int, ...], ...]
    send: tuple[int, ...]
    receive: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("send", "receive"):
            object.__setattr__(self, name, _row(getattr(self, name)))
        object.__setattr__(self, "links", tuple(_row(row) for row in _listed(self.links)))
        nodes = len(self.links)
        lengths = {len(row) for row in self.links}
        if lengths != {self.dims} or nodes != 1 << self.dims or self.dims > MAX_DIMS:
            raise InvalidValueError(
                f"there are tolls for {nodes} nodes with {sorted(lengths)} links",
                f"a cube has n links at each of 2^n nodes, here with n <= {MAX_DIMS}",
                "give a row of tolls for every node",
            )
        if not len(self.send) == len(self.receive) == nodes:
            raise InvalidValueError(
                f"{len(self.send)} tolls are for sending, {len(self.receive)} for receiving",
                f"the cube has {nodes} nodes",
                "give one of each for every node; 0 where there is none",
            )

    @property
    def dims(self) -> int:
        """Dimensions of the cube.

        >>> Tolls(((1,), (0,)), (0, 0), (0, 0)).dims
        1
        """
        return len(self.links).bit_length() - 1

    def share(self, task: Task, machine: Machine) -> Fraction:
        """Cycles that every schedule of the task needs, for each element of a block.

        >>> from graycube.layout import Layout
        >>> everywhere = Tolls(((0, 0, 0),) * 8, send=(1,) * 8, receive=(0,) * 8)
        >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1)
        >>> everywhere.share(task, Machine(dims=3))  # TR-20-92 Lemma 3: (n - 1) / 2
        Fraction(1, 1)
        """
        _require(self, task, machine)
        earned = sum(map(sum, self.links))
        earned += machine.links_at_once * (sum(self.send) + sum(self.receive))
        if not earned:
            return Fraction(0)
        paid = self._paid(task, circuits=machine.switching == "circuit")
        return Fraction(paid, earned << (task.p - task.n))

    def _paid(self, task: Task, *, circuits: bool) -> int:
        """What all elements pay at least, one for each slot."""
        tolls = self.links, self.send, self.receive
        most = 3 * max((*chain(*self.links), *self.send, *self.receive))
        exact = np.int64 if most << task.n + task.p < MAX_TOLL else object
        links, send, receive = (np.array(some, exact) for some in tolls)
        addresses, low = np.arange(1 << task.p), (1 << task.n) - 1
        homes, targets = addresses & low, task.move(addresses) & low
        if circuits:
            ends = (send[homes] + receive[targets])[homes != targets]
            return int(ends.sum() + _cheapest(links)[homes, targets].sum())
        for d, neighbours in _neighbours(task.n):
            links[:, d] += send + receive[neighbours]
        return int(_cheapest(links)[homes, targets].sum())


def _cheapest(links: NDArray[Any]) -> NDArray[Any]:
    """The tolls of the cheapest way from each node to each, found by going a link farther."""
    nodes, dims = links.shape
    cheapest = np.full((nodes, nodes), nodes * links.max(initial=0), links.dtype)
    np.fill_diagonal(cheapest, 0)
    while True:
        known = cheapest.copy()
        for d, neighbours in _neighbours(dims):
            np.minimum(cheapest, (cheapest + links[:, d])[:, neighbours], out=cheapest)
        if np.array_equal(known, cheapest):
            return cheapest


def _neighbours(dims: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The nodes next to all nodes over each dimension."""
    return ((d, np.arange(1 << dims) ^ 1 << d) for d in range(dims))


def _listed(rows: object) -> Iterable[Any]:
    if not isinstance(rows, (list, tuple)):
        raise InvalidTypeError(
            f"got a {type(rows).__name__}", "tolls must be in lists or tuples", "pass lists"
        )
    return rows


def _row(values: object) -> tuple[int, ...]:
    row = tuple(require_int(value, "a toll", least=0) for value in _listed(values))
    if max(row, default=0) > MAX_TOLL:  # sums of longer ones take minutes
        raise InvalidValueError(
            f"a toll has {max(row).bit_length()} bits",
            f"it is at most {MAX_TOLL}",
            "only the ratios matter: divide all tolls by something, and round",
        )
    return row


def _require(tolls: Tolls, task: Task, machine: Machine) -> None:
    require_kinds(task, machine, "tolls")
    if not tolls.dims == task.n == machine.dims:
        raise InvalidValueError(
            f"the tolls are for a {tolls.dims}-cube",
            f"the task is for a {task.n}-cube, the machine for a {machine.dims}-cube",
            "take those of one size",
        )
    if task.p > MAX_ADDRESS:
        raise InvalidValueError(
            f"addresses have {task.p} bits",
            f"at most 2^{MAX_ADDRESS} elements are asked where they go",
            "take a smaller array, or layouts of whole blocks",
        )
