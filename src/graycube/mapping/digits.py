"""The digits of a node's number, and what messages pass that change them.

A node has a digit along each side, or in each level. Where the digits of sender and receiver
differ, a message goes along the side, over the cards of that level, or over a link of its own.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Interconnect, Machine
from graycube.machine.sides import TorusSide
from graycube.machine.wires import all_sides

Nodes = NDArray[np.int64]


class Digit(NamedTuple):
    """A digit, and what messages pass that change it, at so much a byte.

    There are links along a ``side``, or a card with so many ``ports`` for as many nodes as
    ``share`` it. Where there is neither, the digit is 0 or 1, and each node has a link to
    change it.

    >>> Digit(stride=4, length=3, rate=1e-9).of(np.arange(12)).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    """

    stride: int
    length: int
    rate: float
    side: TorusSide | None = None
    share: int = 0
    ports: int = 1

    def of(self, nodes: Nodes) -> Nodes:
        """The digit of each node."""
        return nodes // self.stride % self.length


def count_of(machine: Machine | Interconnect) -> int:
    """How many nodes there are.

    >>> count_of(Machine(4)), count_of(Interconnect.torus((5, 3)))
    (16, 15)
    """
    return machine.nodes if isinstance(machine, Interconnect) else 1 << machine.dims


def digits_of(machine: Machine | Interconnect) -> list[Digit]:
    """The digits, in the order in which messages change them.

    >>> [digit.stride for digit in digits_of(Machine(3))], len(digits_of(Machine.torus((4, 8))))
    ([1, 2, 4], 2)
    """
    if isinstance(machine, Interconnect):
        return _of_tree(machine) if machine.joined is None else _of_torus(machine)
    if machine.sides:
        return [
            Digit(1 << one.dims.start, 1 << len(one.dims), one.link.per_byte, one.side)
            for one in all_sides(machine)
        ]
    return _of_levels(machine)


def is_crossbar(machine: Machine | Interconnect) -> bool:
    """Whether all nodes are as far from each other, each behind a card or an uplink of its own.

    >>> [is_crossbar(Machine.tree(sizes)) for sizes in ((8,), (2, 4))]
    [True, False]
    """
    return [digit.share for digit in digits_of(machine)] == [1]


def _of_levels(machine: Machine) -> list[Digit]:
    cards, found = {card.dims.start: card for card in machine.wires}, []
    for dims, link in machine.levels:
        if card := cards.get(dims.start):
            share, length = 1 << len(card.nodes), 1 << len(card.dims)
            found.append(
                Digit(1 << dims.start, length, link.per_byte, share=share, ports=card.ports)
            )
        else:
            found += [Digit(1 << d, 2, link.per_byte) for d in dims]
    return found


def _of_torus(network: Interconnect) -> list[Digit]:
    sides = zip(network.strides, network.sizes, network.per_byte, network.sides, strict=True)
    return [Digit(*of) for of in sides][::-1]


def _of_tree(network: Interconnect) -> list[Digit]:
    levels = zip(network.strides, network.per_byte, strict=True)
    return [Digit(size, network.nodes // size, rate, share=size) for size, rate in levels]
