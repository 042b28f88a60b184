"""The order of ranks that a machine likes best, and the others that were looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.ranks import Code, rank_order as coded_order
from graycube.machine import Machine
from graycube.mapping.improve import ALL, SOME, best_of_all, exchanged
from graycube.mapping.loads import Load, load_of
from graycube.mapping.orders import Order, orders
from graycube.mapping.pattern import Pattern
from graycube.show import Sheet, Shown, Table, text
from graycube.texts import is_name

SHOWN = 6
"""So many orders are shown beside ranks as they are and Gray code."""


@dataclass(frozen=True, eq=False)
class Considered:
    """An order that was looked at: the node of each place, and what links carry then.

    >>> Considered("as they are", np.arange(4), Load(1.0, 4.0))
    <Considered as they are: 1 s>
    """

    name: str
    order: Order
    load: Load

    def __repr__(self) -> str:
        return f"<Considered {self.name}: {self.load.busiest:.4g} s>"


@dataclass(frozen=True, eq=False)
class RankOrder(Shown):
    """The best order of the ranks of a mesh on a machine, with the others beside it.

    ``order`` has the node of each place of the mesh; ``load`` is what the busiest link and all
    links together work for the pattern, in seconds.

    >>> machine = Machine.torus((4, 4), per_byte=1e-9)
    >>> placed = place(Pattern.mesh((16,), neighbours=1000.0), machine)
    >>> placed.order.tolist()
    [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12]
    >>> [round(load.total * 1e6) for load in (placed.load, placed.candidates[0].load)]
    [32, 40]
    """

    pattern: Pattern
    machine: Machine
    candidates: tuple[Considered, ...]
    chosen: Considered

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.pattern.shape))
        return f"<RankOrder {shape}, {self.chosen.name}: {self.load.busiest:.4g} s>"

    @property
    def order(self) -> Order:
        """The node of each place of the mesh."""
        return self.chosen.order

    @property
    def load(self) -> Load:
        """What the busiest link and all links together work, in seconds."""
        return self.chosen.load

    @property
    def keys(self) -> NDArray[np.int64]:
        """For each node its place in C order: keys for mpi4py's ``comm.Split(0, key)``.

        >>> place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2))).keys.tolist()
        [0, 1, 3, 2]
        """
        return np.argsort(self.order, axis=None)

    def devices(self, devices: Sequence[Any]) -> NDArray[np.object_]:
        """The devices in the shape of the mesh, ready for ``jax.sharding.Mesh``.

        >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2)))
        >>> ring.devices("abcd").tolist()
        ['a', 'b', 'd', 'c']
        """
        if len(devices) != self.order.size:
            raise InvalidValueError(
                f"there are {len(devices)} devices",
                f"the mesh has {self.order.size} places",
                "pass one for each node, in the order of the nodes",
            )
        flat = np.empty(self.order.size, dtype=object)
        flat[:] = list(devices)
        return flat[self.order]

    def hostfile(self, hosts: Sequence[str]) -> str:
        """The host of each rank, a line a rank: for Slurm's ``--distribution=arbitrary``.

        ``hosts`` has the hosts in the order of the nodes; each has as many of them.

        >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2)))
        >>> ring.hostfile(["a", "b"]).split()
        ['a', 'a', 'b', 'b']
        """
        return "".join(f"{host}\n" for host, _ in self._slots(hosts))

    def rankfile(self, hosts: Sequence[str]) -> str:
        """The host and the slot of each rank, as Open MPI's ``--rankfile`` wants them.

        >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2)))
        >>> print(ring.rankfile(["a", "b"]), end="")
        rank 0=a slot=0
        rank 1=a slot=1
        rank 2=b slot=1
        rank 3=b slot=0
        """
        slots = enumerate(self._slots(hosts))
        return "".join(f"rank {rank}={host} slot={slot}\n" for rank, (host, slot) in slots)

    def _slots(self, hosts: Sequence[str]) -> Iterator[tuple[str, int]]:
        names = list(hosts) if isinstance(hosts, list | tuple) else []
        if not all(is_name(h) for h in names):
            raise InvalidTypeError(
                f"the hosts are {hosts!r:.60}", "they must be names", 'pass ["node1", "node2"]'
            )
        if not names or self.order.size % len(names):
            raise InvalidValueError(
                f"there are {len(names)} hosts",
                f"the machine has {self.order.size} nodes, and each host as many of them",
                "name the hosts in the order of the nodes",
            )
        each = self.order.size // len(names)
        for node in self.order.ravel().tolist():
            yield names[node // each], node % each

    def explain(self) -> str:
        """The orders that were looked at, and whether anything is gained.

        >>> ring = Machine.torus((8,), per_byte=1e-9)
        >>> print(place(Pattern.mesh((8,), neighbours=1000.0), ring).explain())
        order             busiest link, s  all links, s
        as they are                 1e-06       1.6e-05  chosen
        gray                        3e-06       3.2e-05  3 times the busiest
        all 40320 orders            1e-06       1.6e-05  nothing better
        Nothing is gained: leave the ranks as they are.
        """
        return text(self._sheet())

    def _sheet(self) -> Sheet:
        others = sorted(self.candidates[2:], key=lambda one: one.load)
        seen = [*self.candidates[:2], *others[:SHOWN]]
        rows = [
            (one.name, f"{one.load.busiest:.4g}", f"{one.load.total:.4g}", self._remark(one))
            for one in seen
        ]
        marks = {k: "strong" for k, one in enumerate(seen) if one is self.chosen}
        left = [f"{len(others) - SHOWN} more orders are worse."] if others[SHOWN:] else []
        head = ("order", "busiest link, s", "all links, s", "")
        title = f"{self.pattern!r}".strip("<>")
        return Sheet(title, Table(head, rows, "lrrl", marks), *left, self._verdict())

    def _remark(self, one: Considered) -> str:
        if one is self.chosen:
            return "chosen"
        if one.load == self.load:
            return "nothing better" if one.name.startswith("all") else "as good"
        if one.load.busiest > self.load.busiest:
            return f"{one.load.busiest / self.load.busiest:.3g} times the busiest"
        return f"{one.load.total / self.load.total:.3g} times the links"

    def _verdict(self) -> str:
        before, now = self.candidates[0].load, self.load
        if self.chosen is self.candidates[0]:
            return "Nothing is gained: leave the ranks as they are."
        if now.busiest < before.busiest:
            share = f"{now.busiest / before.busiest:.3g}"
            return (
                f"The busiest link has {share} of the work that it has with ranks as they are."
            )
        return f"All links together have {now.total / before.total:.3g} of the work."


def place(pattern: Pattern, machine: Machine | str) -> RankOrder:
    """The order of ranks in which the busiest link has least to do for a pattern.

    Where some are as good, the one in which all links together have least to do, and then the
    one that changes least. Orders are looked at by the parts of the machine
    (:mod:`graycube.mapping.orders`); for up to 8 nodes every order is, and up to 64 two places
    are exchanged as long as that helps.

    >>> cluster = Machine(dims=4, ports=(2, 2, 1, 1), share=(1, 1, 4, 4), per_byte=1e-9)
    >>> halo = Pattern.mesh((4, 4), neighbours=1.0, periodic=False)
    >>> place(halo, cluster).order.tolist()
    [[0, 1, 5, 4], [2, 3, 7, 6], [10, 11, 15, 14], [8, 9, 13, 12]]
    """
    if not isinstance(pattern, Pattern):
        raise InvalidTypeError(
            f"the pattern is {pattern!r:.60}",
            "it must be a Pattern, which says what ranks send",
            "build one with Pattern.mesh or Pattern.matrix",
        )
    if isinstance(machine, str):
        machine = Machine.profile(machine)
    if not isinstance(machine, Machine):
        raise InvalidTypeError(
            f"the machine is {machine!r:.60}",
            "it must be a Machine or the name of a profile",
            "build one with graycube.Machine(dims=...)",
        )
    if pattern.places != 1 << machine.dims:
        raise InvalidValueError(
            f"the mesh has {pattern.places} places",
            f"the machine has {1 << machine.dims} nodes",
            "each node gets one place: choose a mesh of as many",
        )
    looked: list[Considered] = []
    for name, order in _known(pattern, machine):
        if not any(np.array_equal(order, one.order) for one in looked):
            looked.append(_placing(name, order, pattern, machine))
    best = _least(looked)
    if ALL < pattern.places <= SOME:
        better = exchanged(pattern, machine, best.order.ravel()).reshape(pattern.shape)
        looked.append(_placing("two exchanged, as long as it helps", better, pattern, machine))
    elif 1 < pattern.places <= ALL:
        every = best_of_all(pattern, machine).reshape(pattern.shape)
        count = np.prod(np.arange(1, pattern.places + 1))
        looked.append(_placing(f"all {count} orders", every, pattern, machine))
    return RankOrder(pattern, machine, tuple(looked), _least(looked))


def rank_order(
    mesh_shape: int | Sequence[int],
    code: Code | Sequence[Code] | None = None,
    *,
    machine: Machine | str | None = None,
) -> NDArray[np.int64]:
    """The node for each mesh coordinate; an array of shape ``mesh_shape``.

    In Gray code, which it is without a ``machine``, mesh neighbours have numbers that differ in
    one bit: neighbours on a cube. With a machine it is the order that :func:`place` finds for
    neighbours along all axes. ``code`` is "gray", "binary" or a :class:`~graycube.GrayCode`,
    for all axes or one per axis.

    >>> rank_order((4, 2))
    array([[0, 1],
           [2, 3],
           [6, 7],
           [4, 5]])
    >>> rank_order((8,), machine=Machine.torus((2, 4), per_byte=1e-9)).tolist()
    [0, 1, 2, 3, 7, 6, 5, 4]
    """
    if machine is None:
        return coded_order(mesh_shape, "gray" if code is None else code)
    if code is not None:
        raise InvalidValueError(
            f"code is {code!r:.40}, and a machine is given",
            "the machine decides the order",
            "leave one of them out",
        )
    return place(Pattern.mesh(mesh_shape, neighbours=1.0), machine).order


def _known(pattern: Pattern, machine: Machine) -> Iterator[tuple[str, Order]]:
    """Orders by name: ranks as they are, Gray code, and those that follow the machine."""
    others = orders(pattern.shape, machine)
    yield next(others)
    yield "gray", coded_order(pattern.shape)
    yield from others


def _placing(name: str, order: Order, pattern: Pattern, machine: Machine) -> Considered:
    nodes = order.ravel()
    source, target = nodes[pattern.source], nodes[pattern.target]
    return Considered(name, order, load_of(machine, source, target, pattern.nbytes))


def _least(looked: Sequence[Considered]) -> Considered:
    """The first with the least load, but for rounding."""
    busiest = min(one.load.busiest for one in looked) * (1 + 1e-12)
    close = [one for one in looked if one.load.busiest <= busiest]
    total = min(one.load.total for one in close) * (1 + 1e-12)
    return next(one for one in close if one.load.total <= total)
