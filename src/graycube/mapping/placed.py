"""The order of ranks that a machine likes best, and the others that were looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.machine import Interconnect, Machine
from graycube.mapping.explain import sheet_of
from graycube.mapping.hosts import host_names, nodes_of_host, nodes_of_socket
from graycube.mapping.loads import Load
from graycube.mapping.orders import Order
from graycube.mapping.pattern import Pattern
from graycube.show import Shown, text
from graycube.texts import as_given


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
    links together work for the pattern, in seconds. If it is ``proved``, no order has less of
    both. ``also`` names the orders that the user gave.

    >>> from graycube.mapping import place
    >>> machine = Machine.torus((4, 4), per_byte=1e-9)
    >>> placed = place(Pattern.mesh((16,), neighbours=1000.0), machine)
    >>> placed.order.tolist()
    [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12]
    >>> [round(load.total * 1e6) for load in (placed.load, placed.candidates[0].load)]
    [32, 40]
    """

    pattern: Pattern
    machine: Machine | Interconnect
    candidates: tuple[Considered, ...]
    chosen: Considered
    proved: bool = False
    also: tuple[str, ...] = ()

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
    def unit(self) -> str:
        """What loads are in: seconds, or bytes if the machine has no costs.

        >>> from graycube.mapping import place
        >>> place(Pattern.mesh((4,), neighbours=1.0), Machine(2, per_byte=1e-9)).unit
        's'
        """
        return "s" if self.machine.priced else "bytes"

    @property
    def keys(self) -> NDArray[np.int64]:
        """For each node its place in C order: keys for mpi4py's ``comm.Split(0, key)``.

        >>> from graycube.mapping import place
        >>> place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2))).keys.tolist()
        [0, 1, 3, 2]
        """
        return np.argsort(self.order, axis=None)

    def devices(self, devices: Sequence[Any]) -> NDArray[np.object_]:
        """The devices in the shape of the mesh, ready for ``jax.sharding.Mesh``.

        >>> from graycube.mapping import place
        >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2)))
        >>> ring.devices("abcd").tolist()
        ['a', 'b', 'd', 'c']
        """
        try:
            count = len(devices)
        except TypeError:
            found = f"the devices are {as_given(devices)}"
            raise InvalidTypeError(found, "they are a list", "pass jax.devices()") from None
        if count != self.order.size:
            raise InvalidValueError(
                f"there are {count} devices",
                f"the mesh has {self.order.size} places",
                "pass one for each node, in the order of the nodes",
            )
        flat = np.empty(self.order.size, dtype=object)
        flat[:] = list(devices)
        return flat[self.order]

    def hostfile(self, hosts: str | Sequence[str]) -> str:
        """The host of each rank, a line a rank: for Slurm's ``--distribution=arbitrary``.

        ``hosts`` has the hosts in the order of the nodes, as a list, or as Slurm writes them;
        each has as many nodes. Slurm puts the ranks of a host on its cores in the order of
        ranks, not of nodes: where a host has parts, such as sockets, ``comm.Split`` by
        :attr:`keys` keeps them, and this file does not.

        >>> from graycube.mapping import place
        >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2)))
        >>> ring.hostfile("n[08-09]").split()
        ['n08', 'n08', 'n09', 'n09']
        """
        names = host_names(hosts)
        each = nodes_of_host(self.machine, len(names))
        return "".join(f"{names[node // each]}\n" for node in self.order.ravel().tolist())

    def rankfile(self, hosts: str | Sequence[str], *, sockets: int | None = None) -> str:
        """The host and the slot of each rank, as Open MPI's ``--rankfile`` wants them.

        A slot is ``socket:core``, if a host has so many ``sockets``: each has as many nodes,
        in their order, on its first cores. On a tree the level within a host says how many
        there are. Else a slot is the number of a core of the host. Then ranks are on its first
        cores: on few of its sockets, if it has more cores than ranks.

        >>> from graycube.mapping import place
        >>> ring = place(Pattern.mesh((4,), neighbours=1.0), Machine.torus((2, 2)))
        >>> print(ring.rankfile("a,b"), end="")
        rank 0=a slot=0
        rank 1=a slot=1
        rank 2=b slot=1
        rank 3=b slot=0
        >>> ring.rankfile("a", sockets=2).splitlines()[2]
        'rank 2=a slot=1:1'
        """
        names = host_names(hosts)
        each = nodes_of_host(self.machine, len(names))
        socket = nodes_of_socket(self.machine, each, sockets)
        lines = []
        for rank, node in enumerate(self.order.ravel().tolist()):
            slot = node % each
            where = slot if socket is None else f"{slot // socket}:{slot % socket}"
            lines.append(f"rank {rank}={names[node // each]} slot={where}\n")
        return "".join(lines)

    def explain(self) -> str:
        """The orders that were looked at, and whether anything is gained.

        >>> from graycube.mapping import place
        >>> ring = Machine.torus((4,), per_byte=1e-9)
        >>> square = place(Pattern.mesh((2, 2), neighbours=1000.0), ring)
        >>> print(square.explain())  # doctest: +NORMALIZE_WHITESPACE
        order                         busiest, s  all links, s
        as they are                        4e-06       2.4e-05  2 times the busiest
        gray through blocks of 2 x 2       2e-06       1.6e-05  chosen
        The busiest link has 0.5 of the work that it has with ranks as they are.
        No order is better.
        """
        return text(sheet_of(self))

    _sheet = sheet_of
