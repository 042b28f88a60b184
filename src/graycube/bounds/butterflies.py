"""What no butterfly network can beat in which every index has one place.

Two elements that are a pair of some stage have to meet (copies are another matter). Where a
dimension depends on a bit of the axis, the pairs of that bit are on different sides of it at
first, so one of each pair crosses it: half of all elements cross the dimension. And every
output depends on all inputs, so something travels as far as two elements along the axis are
apart, a cycle a link. The bounds hold for any order of stages and any place of the output.
"""

from graycube.bounds.transfer import Bound
from graycube.layout import Layout
from graycube.machine import Machine


def butterfly_cycles(layout: Layout, axis: int, block: int, ports: int) -> int:
    """Element transfers in sequence that every network along the axis needs at least.

    ``block`` elements are on a node, and it uses so many ``ports`` at once.

    >>> butterfly_cycles(Layout.cyclic(8, 5, nodes="gray"), 0, block=8, ports=5)
    5
    >>> butterfly_cycles(Layout.cyclic(12, 5, nodes="gray"), 0, block=128, ports=5)
    64
    """
    if layout.p == layout.n:  # copies: no pair has to be in one place
        return _farthest(layout, axis)
    dims = len(exchanged_dims(layout, axis))
    in_sequence = -(-block // 2) if dims else 0
    return max(_farthest(layout, axis), in_sequence, -(-dims * block // (2 * ports)))


def butterfly_bound(
    layout: Layout, axis: int, block: int, itemsize: int, machine: Machine
) -> Bound:
    """The same in seconds: a start-up for every link of the way, and the elements in sequence.

    >>> layout = Layout.cyclic(8, 5, nodes="gray")
    >>> butterfly_bound(layout, 0, 8, 16, Machine(dims=5, startup=100.0)).seconds
    820.0
    """
    ports = machine.links_at_once
    cycles = butterfly_cycles(layout, axis, block, ports)
    startups = _farthest(layout, axis)
    seconds = startups * machine.startup + cycles * itemsize * machine.per_byte
    return Bound("pairs that have to meet", seconds, "half of a block crosses each dimension")


def exchanged_dims(layout: Layout, axis: int) -> list[int]:
    """The dimensions that depend on bits of the axis, which a transform has to cross.

    >>> exchanged_dims(Layout.mesh((16, 8), nodes=(4, 2), code="gray"), axis=0)
    [1, 2]
    """
    mask = _mask(layout, axis)
    return [d for d in range(layout.n) if layout.map.matrix.rows[d] & mask]


def _farthest(layout: Layout, axis: int) -> int:
    """A distance that two elements along the axis have.

    Node bits that no sum of others equals can all differ at once.
    """
    mask = _mask(layout, axis)
    basis: list[int] = []
    for d in exchanged_dims(layout, axis):
        vector = layout.map.matrix.rows[d] & mask
        for known in basis:
            vector = min(vector, vector ^ known)
        if vector:
            basis.append(vector)
    return len(basis)


def _mask(layout: Layout, axis: int) -> int:
    return sum(1 << bit for bit in layout.word_bits(axis))
