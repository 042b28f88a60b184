"""Loads of links, counted from what the documentation says, without a route of graycube's.

On a cube a message crosses low dimensions first. One that crosses a dimension of a card leaves
by its sender's card and enters by its receiver's. In a tree it takes the uplinks of all parts
that it leaves and enters. On a torus it goes along the last side first, the shorter way; half
way round it goes up from the first and the third quarter.
"""

from collections import Counter
from itertools import permutations

import numpy as np


def on_cube(rates, card=None):
    """Links between nodes; a card is (its first dimension, nodes that share it, ports)."""
    first, share, ports = card or (len(rates), 1, 1)

    def route(u, v):
        at, links = u, []
        for d, rate in enumerate(rates[:first]):
            if (u ^ v) >> d & 1:
                links.append((("link", at, d), rate))
                at ^= 1 << d
        if (u ^ v) >> first:
            links += [(("out", u // share), rates[first] / ports)]
            links += [(("in", v // share), rates[first] / ports)]
        return links

    return route


def in_tree(levels):
    """Up from every part that the message leaves, and down: (nodes of a part, rate) a level."""

    def route(u, v):
        apart = [
            (k, size, rate) for k, (size, rate) in enumerate(levels) if u // size != v // size
        ]
        up = [(("up", k, u // size), rate) for k, size, rate in apart]
        return up + [(("down", k, v // size), rate) for k, size, rate in apart]

    return route


def on_torus(lengths, joined, rates):
    def route(u, v):
        at, there = (list(np.unravel_index(node, lengths)) for node in (u, v))
        links = []
        for k in reversed(range(len(lengths))):
            n, ahead = lengths[k], (there[k] - at[k]) % lengths[k]
            up = there[k] > at[k]
            if joined[k]:
                up = at[k] * 4 // n in (0, 2) if 2 * ahead == n else 2 * ahead < n
            while at[k] != there[k]:
                links.append(((*map(int, at), k, up), rates[k]))
                at[k] = (at[k] + (1 if up else -1)) % n
        return links

    return route


def with_ports(route, ports, machine):
    """Nodes are busy as well: at both ends of a circuit, or else of each hop on a cube."""

    def ends(u, v):
        links = route(u, v)
        if machine.switching == "circuit":
            slowest = max((rate for _, rate in links), default=0.0)
            return [
                *links,
                (("port out", u), slowest / ports),
                (("port in", v), slowest / ports),
            ]
        busy = []
        for (_, at, d), rate in links:
            busy += [(("port out", at), rate / ports), (("port in", at ^ 1 << d), rate / ports)]
        return links + busy

    return ends


def loads(table, order, route):
    seconds = Counter()
    for i, j in zip(*(ends.tolist() for ends in np.nonzero(table)), strict=True):
        for link, rate in route(int(order[i]), int(order[j])):
            seconds[link] += float(table[i, j]) * rate
    links = [each for link, each in seconds.items() if not str(link[0]).startswith("port")]
    return max(seconds.values(), default=0.0), sum(links)


def least(table, route):
    """The least load of the busiest link, and then of all, over all orders."""
    names, every = {}, np.array([*permutations(range(len(table)))])
    links = [
        (u, v, names.setdefault(link, len(names)), rate)
        for u in range(len(table))
        for v in range(len(table))
        for link, rate in route(u, v)
    ]
    seconds = np.zeros((len(table), len(table), len(names)))
    for u, v, link, rate in links:
        seconds[u, v, link] += rate
    found = sum(
        table[i, j] * seconds[every[:, i], every[:, j]]
        for i, j in zip(*np.nonzero(table), strict=True)
    )
    links = [k for link, k in names.items() if not str(link[0]).startswith("port")]
    busiest, total = found.max(axis=1).round(9), found[:, links].sum(axis=1).round(9)
    return min(zip(busiest.tolist(), total.tolist(), strict=True))
