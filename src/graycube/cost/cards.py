"""A bound from cards and uplinks: what leaves the nodes that share one passes it."""

from graycube.cost.bound import Bound
from graycube.gf2 import AffineMap, Matrix
from graycube.machine import Machine, Wiring
from graycube.schedule import Task


def card_bound(task: Task, machine: Machine, displacement: AffineMap) -> Bound | None:
    """The busiest level of cards, if there are any; some card has the mean to carry at least.

    ``displacement`` is of each address the dimensions that its content has to cross.

    >>> import graycube as gc
    >>> cyclic, consecutive = gc.Layout.cyclic(10, 5), gc.Layout.consecutive(10, 5)
    >>> tree = Machine.tree((4, 8), startup=1.0, per_byte=(0.1, 0.5))
    >>> print([*gc.plan(cyclic, consecutive, 32, machine=tree).bounds][-1])
    cards: 57 s (0.875 of the elements pass an uplink for 4 nodes)
    """
    found = [_of_level(task, wires, displacement) for wires in machine.wires if not wires.side]
    return max(found, key=lambda bound: bound.seconds, default=None)


def _of_level(task: Task, wires: Wiring, displacement: AffineMap) -> Bound:
    """Each element that has to cross some of the dimensions leaves by a card once or more."""
    share = _crossing(displacement, wires.dims)
    if not share:
        return Bound("cards", 0.0, f"nothing has to pass {wires.shared}")
    nbytes = (task.block_bytes << len(wires.nodes)) * share
    startup = wires.link.startup / wires.ports
    seconds = startup + nbytes * wires.link.per_byte / wires.ports
    part = "all" if share == 1 else f"{share:.3g} of the"
    return Bound("cards", seconds, f"{part} elements pass {wires.shared}", startup)


def _crossing(displacement: AffineMap, dims: range) -> float:
    """The part of all elements that have to cross some of the dimensions.

    >>> _crossing(AffineMap(Matrix((0b01, 0b10), 2)), range(2))
    0.75
    """
    mask = (1 << len(dims)) - 1
    columns = (column >> dims.start & mask for column in displacement.matrix.columns)
    moved, constant = Matrix(tuple(columns), len(dims)), displacement.constant >> dims.start
    if Matrix((*moved.columns, constant & mask), len(dims)).rank() > moved.rank():
        return 1.0
    return 1.0 - 2.0 ** -moved.rank()
