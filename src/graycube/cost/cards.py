"""A bound from cards and uplinks: what leaves the nodes that share one passes it.

Where nodes that share a card have no other way out, each card is looked at: it carries all that
leaves its nodes. Elsewhere an element may go round by another card, and cards have the mean to
carry.
"""

from graycube.cost.bound import Bound
from graycube.gf2 import AffineMap, Span
from graycube.machine import Machine, Wiring
from graycube.schedule import Task


def card_bound(task: Task, machine: Machine, displacement: AffineMap) -> Bound | None:
    """What the busiest card has to carry at least, if there are any.

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
    share = _leaving(displacement, wires, task.n)
    if not share:
        return Bound("cards", 0.0, f"nothing has to pass {wires.shared}")
    nbytes = (task.block_bytes << len(wires.nodes)) * share
    startup = wires.link.startup / wires.ports
    seconds = startup + nbytes * wires.link.per_byte / wires.ports
    part = "all" if share == 1 else f"{share:.3g} of the"
    return Bound("cards", seconds, f"{part} elements pass {wires.shared}", startup)


def _leaving(displacement: AffineMap, wires: Wiring, n: int) -> float:
    """The part of the elements of some card's nodes that crosses its dimensions.

    Of a card's elements, those stay whose displacement there is 0: a coset, or none. Which it
    is depends on the card, unless the displacements of one card are those of all.
    """
    dims, nodes = wires.dims, len(wires.nodes)
    mask = (1 << len(dims)) - 1
    columns = [column >> dims.start & mask for column in displacement.matrix.columns]
    constant = displacement.constant >> dims.start & mask
    enclosed = nodes == dims.start and dims.stop == n
    inside = Span(columns[:nodes] + columns[n:] if enclosed else columns)
    if any(v not in inside for v in (*columns, constant)):
        return 1.0
    return 1.0 - 2.0 ** -len(inside)
