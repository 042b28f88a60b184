"""What no order of ranks can be better than."""

import numpy as np

from graycube.machine import Interconnect, Machine
from graycube.mapping.digits import digits_of
from graycube.mapping.loads import Load
from graycube.mapping.pattern import Pattern
from graycube.mapping.routes import Routes


def floor(pattern: Pattern, routes: Routes) -> Load:
    """A load that is no more than that of any order.

    Every message takes at least the cheapest way, and its slowest link; all that a place sends
    leaves by the links out of one node, and all that it hears comes in by those into one.

    >>> from graycube.machine import Machine
    >>> path = Machine.torus((8,), joined=False, per_byte=1.0)
    >>> floor(Pattern.mesh((8,), neighbours=3.0, periodic=False), Routes.of(path))
    Load(busiest=3.0, total=42.0)
    """
    takes = np.where(routes.links < routes.wires, routes.seconds, 0.0)
    apart = ~np.eye(len(takes), dtype=bool)
    heaviest = pattern.nbytes.max(initial=0.0) * routes.seconds.max(axis=-1)[apart].min()
    total = pattern.nbytes.sum() * takes.sum(axis=-1)[apart].min()
    ends = [
        np.bincount(end, pattern.nbytes).max(initial=0.0) * least
        for end, least in zip((pattern.source, pattern.target), _ends(routes), strict=True)
    ]
    return Load(float(max(heaviest, *ends)), float(total))


def cheapest(pattern: Pattern, machine: Machine | Interconnect) -> Load:
    """A load that is no more than that of any order: each message takes a link, the cheapest.

    >>> cheapest(Pattern.mesh((8,), neighbours=3.0), Machine.torus((8,), per_byte=2.0))
    Load(busiest=6.0, total=96.0)
    """
    links = [digit for digit in digits_of(machine) if digit.length > 1]
    busy = min((digit.rate / digit.ports for digit in links), default=0.0)
    return Load(
        float(pattern.nbytes.max(initial=0.0)) * busy, float(pattern.nbytes.sum()) * busy
    )


def _ends(routes: Routes) -> tuple[float, float]:
    """Seconds of a byte that the links out of a node need together, and those into one."""
    wire = (routes.seconds > 0) & (routes.links < routes.wires)
    first, last = wire.argmax(axis=-1), wire.shape[-1] - 1 - wire[..., ::-1].argmax(axis=-1)
    found = []
    for hop, axis, port in ((first, 0, routes.wires), (last, 1, routes.wires + len(wire))):
        link, seconds = (
            np.take_along_axis(of, hop[..., None], axis=-1)[..., 0] for of in routes[:2]
        )
        each = []
        for node in range(len(wire)):
            others = np.arange(len(wire)) != node
            rates = np.take(seconds, node, axis)[others]
            by_links = rates.min() / len(np.unique(np.take(link, node, axis)[others]))
            own = np.take(routes.links, node, axis)[others] == port + node
            by_port = np.where(own, np.take(routes.seconds, node, axis)[others], 0.0).sum(
                axis=-1
            )
            each.append(max(by_links, by_port.min()))
        found.append(min(each))
    return found[0], found[1]
