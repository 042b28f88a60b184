"""An order in which all that send to each other have a link, if one is found soon."""

import numpy as np

from graycube.mapping.grown import Ties
from graycube.mapping.orders import Order
from graycube.mapping.routes import Routes

TRIED = 1 << 14
"""So many nodes are tried for places, together."""


def adjoining(ties: Ties, routes: Routes) -> Order | None:
    """The node of each place, such that all places with ties are on nodes with a link.

    Next comes the place that has ties with most of those that have a node, and of several the
    one with fewest ties. It goes to a node with links to all of theirs. Where there is none,
    the last place goes to another node.

    >>> from graycube.machine import Machine
    >>> from graycube.mapping.pattern import Pattern
    >>> torus = Routes.of(Machine.torus((2, 4), per_byte=1.0))
    >>> order = adjoining(Ties.of(Pattern.mesh((4, 2), neighbours=1.0)), torus)
    >>> order.reshape(4, 2).tolist()
    [[0, 1], [3, 2], [7, 6], [4, 5]]
    >>> adjoining(Ties.of(Pattern.mesh((8,), all_to_all=1.0)), torus) is None
    True
    """
    hops = (routes.seconds > 0).sum(axis=-1)
    links = [{*np.flatnonzero(row).tolist()} for row in (hops == 1) & (hops.T == 1)]
    count, tied = len(links), [ties.near(place)[0] for place in range(len(links))]
    many = np.array([len(others) for others in tied])
    if many.max() > max(map(len, links)):
        return None
    order, free = np.full(count, -1), {*range(count)}
    rank = np.where(many > 0, -many / count, -2.0)  # and one more for each tie to a placed one
    tries: list[tuple[int, list[int]]] = []  # places that have a node, and others for them
    for _ in range(TRIED):
        if not free:
            return order
        place = int(np.argmax(np.where(order < 0, rank, -np.inf)))
        theirs = [links[node] for node in order[tied[place]].tolist() if node >= 0]
        nodes = [n for n in free.intersection(*theirs) if len(links[n]) >= many[place]]
        nodes.sort(key=lambda node: (-len(links[node]), -node))  # the last one is tried first
        while not nodes:
            if not tries:
                return None
            place, nodes = tries.pop()
            free.add(int(order[place]))
            order[place] = -1
            rank[tied[place]] -= 1
        order[place] = nodes.pop()
        free.remove(int(order[place]))
        rank[tied[place]] += 1
        tries.append((place, nodes))
    return None
