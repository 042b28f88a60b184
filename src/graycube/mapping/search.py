"""A search for orders that follows links: grown from some places, then exchanged two by two."""

from collections.abc import Iterator

import numpy as np

from graycube.machine import Interconnect, Machine
from graycube.mapping.adjoining import adjoining
from graycube.mapping.digits import count_of, digits_of
from graycube.mapping.grown import Ties, grown
from graycube.mapping.improve import ALL, CLOSE, Exchanges, best_of_all
from graycube.mapping.loads import Load
from graycube.mapping.orders import Order
from graycube.mapping.pattern import Pattern
from graycube.mapping.routes import Routes

HOPS = 10 << 20
"""Machines whose pairs of nodes have more links than this together are not searched."""
GROWN = 16
"""From so many places orders are grown."""


def routes_of(machine: Machine | Interconnect) -> Routes | None:
    """The links between all pairs of nodes, unless they are too many.

    >>> routes_of(Machine(16)) is None
    True
    """
    sides = (digit.side for digit in digits_of(machine) if digit.side)
    hops = sum(side.length // 2 if side.joined else side.length - 1 for side in sides)
    count = count_of(machine)
    if (hops or (count - 1).bit_length()) * count**2 > HOPS:
        return None
    return Routes.of(machine)


def better(
    pattern: Pattern, routes: Routes, best: Order, least: Load
) -> Iterator[tuple[str, Order]]:
    """Orders by name that are tried after the known ones, of which one is the best.

    >>> ring, routes = Pattern.mesh((16,), neighbours=1.0), Routes.of(Machine.torus((16,)))
    >>> shuffled = np.random.default_rng(1).permutation(16)
    >>> for name, order in better(ring, routes, shuffled, Load(1.0, 32.0)):
    ...     print(name, order.tolist())
    neighbours next to each other [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    """
    if pattern.places <= ALL:
        count = np.prod(np.arange(1, pattern.places + 1))
        yield f"all {count} orders", best_of_all(pattern, routes)
        return
    ties = Ties.of(pattern)
    heaviest = int(np.argmax(ties.sums))
    begins = {heaviest, *range(0, pattern.places, max(1, pattern.places // GROWN))}
    far, start = routes.far, Exchanges(pattern, routes, best)
    if (order := adjoining(ties, routes)) is not None:
        yield "neighbours next to each other", order
        start = min(start, Exchanges(pattern, routes, order), key=lambda one: one.load)
        if as_little(start.load, least):
            return
    known = start
    for begin in sorted(begins):
        one = Exchanges(pattern, routes, grown(ties, far, begin))
        start = min(start, one, key=lambda one: one.load)
    if start is not known:
        yield "grown from one place", start.order.copy()
    if not as_little(start.load, least):
        yield "places exchanged, as long as it helps", _exchanged(start, least)


def _exchanged(made: Exchanges, least: Load) -> Order:
    """Two by two as long as that helps, then some by chance, while there is effort left."""
    load, order = made.load, made.order.copy()
    while made.left > 0 and not as_little(load, least):
        made.descend(made.smoothly)
        made.descend(made.exactly)
        if made.load < load:
            load, order = made.load, made.order.copy()
        made.order = order.copy()
        made.disturb()
    return order


def as_little(load: Load, least: Load) -> bool:
    """Whether a load is the least, but for rounding.

    >>> as_little(Load(1.0, 8.0), Load(1.0, 8.0)), as_little(Load(1.0, 9.0), Load(1.0, 8.0))
    (True, False)
    """
    return all(mine <= its * (1 + CLOSE) for mine, its in zip(load, least, strict=True))
