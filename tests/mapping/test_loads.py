"""Loads of links, counted anew from what the documentation says, without a route of graycube's.

On a cube a message crosses low dimensions first. One that crosses a dimension of a card leaves
by its sender's card and enters by its receiver's. In a tree it takes the uplinks of all parts
that it leaves and enters. On a torus it goes along the last side first, the shorter way; half
way round it goes up from the first and the third quarter.
"""

from collections import Counter
from itertools import permutations
from math import prod

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.mapping import improve
from graycube.mapping.floors import floor
from graycube.mapping.routes import Routes


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


ONE_PORT = gc.Machine(3, 1, per_byte=(1.0, 1.0, 2.0))
CIRCUITS = gc.Machine(3, 2, "circuit", per_byte=(1.0, 1.0, 2.0))
SMALL = {
    "one port": (ONE_PORT, with_ports(on_cube((1.0, 1.0, 2.0)), 1, ONE_PORT)),
    "circuits": (CIRCUITS, with_ports(on_cube((1.0, 1.0, 2.0)), 2, CIRCUITS)),
    "ring": (gc.Machine.torus((8,), per_byte=1.0), on_torus((8,), (True,), (1.0,))),
    "2 x 4": (
        gc.Machine.torus((2, 4), joined=(True, False), per_byte=(1.0, 3.0)),
        on_torus((2, 4), (True, False), (1.0, 3.0)),
    ),
    "cube": (gc.Machine(3, "all", per_byte=(1.0, 1.0, 4.0)), on_cube((1.0, 1.0, 4.0))),
    "a card for two": (
        gc.Machine(3, (1, 1, 1), share=(1, 2, 2), per_byte=(1.0, 4.0, 4.0)),
        on_cube((1.0, 4.0, 4.0), (1, 2, 1)),
    ),
    "a tree": (
        gc.Machine.tree((2, 2, 2), per_byte=(1.0, 1.5, 4.0)),
        in_tree([(1, 1.0), (2, 1.5), (4, 4.0)]),
    ),
    "a card each": (
        gc.Machine(3, (1, 1, 1), "circuit", per_byte=(1.0, 4.0, 4.0)),
        on_cube((1.0, 4.0, 4.0), (1, 1, 1)),
    ),
    "a card for four": (
        gc.Machine(3, (2, 2, 1), "circuit", share=(1, 1, 4), per_byte=(1.0, 1.0, 4.0)),
        on_cube((1.0, 1.0, 4.0), (2, 4, 1)),
    ),
}


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


def tables(seed):
    """Few heavy pairs, one that hears all others, and one that tells all others."""
    chance = np.random.default_rng(seed)
    scattered = chance.choice([0, 0, 1, 5], (8, 8))
    np.fill_diagonal(scattered, 0)
    heard, told = np.zeros((8, 8)), np.zeros((8, 8))
    heard[1:, 0] = told[3, [0, 1, 2, 4, 5, 6, 7]] = chance.integers(1, 9, 7)
    return {"scattered": scattered, "heard": heard, "told": told}


CASES = [(name, kind) for name in SMALL for kind in ("scattered", "heard", "told")]


@pytest.mark.parametrize(("name", "kind"), [*CASES[::4], ("a tree", "told"), *sweep(*CASES)])
def test_for_eight_nodes_there_is_no_better_order(name, kind):
    machine, route = SMALL[name]
    table = tables(len(name))[kind]
    placed = gc.place(gc.Pattern.matrix(table), machine)
    assert placed.load == pytest.approx(least(table, route))
    for one in placed.candidates:
        assert one.load == pytest.approx(loads(table, one.order, route)), one
    assert placed.proved
    along = [[sum(rate for _, rate in route(u, v)) for v in range(8)] for u in range(8)]
    assert Routes.of(machine).seconds.sum(axis=-1) == pytest.approx(np.array(along))
    bound = floor(placed.pattern, Routes.of(machine))
    assert all(
        least <= mine * (1 + 1e-9) for least, mine in zip(bound, placed.load, strict=True)
    )


def test_a_card_is_as_busy_with_what_it_hears(monkeypatch):
    """63 ranks send 1 MB each to rank 0: 56 of them through its card."""
    monkeypatch.setattr(improve, "EFFORT", 1 << 20)
    machine = gc.Machine(
        6, (3, 3, 3, 1, 1, 1), share=(1, 1, 1, 8, 8, 8), per_byte=(1e-10,) * 3 + (1e-9,) * 3
    )
    table = np.zeros((64, 64))
    table[1:, 0] = 1e6
    for sent in (table, table.T):
        assert gc.place(gc.Pattern.matrix(sent), machine).load.busiest == pytest.approx(0.056)


@pytest.mark.parametrize("ports", ["all", 1])
@pytest.mark.parametrize("lengths", [(8, 8), (16, 2), (4, 4, 4)])
def test_larger_machines(lengths, ports, monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 22)
    table = np.random.default_rng(1).integers(0, 9, (prod(lengths),) * 2) // 8
    np.fill_diagonal(table, 0)
    joined, rates = (True, False, True)[: len(lengths)], (1.0, 2.0, 3.0)[: len(lengths)]
    machine = gc.Machine.torus(lengths, joined=joined, per_byte=rates, ports=ports)
    route = on_torus(lengths, joined, rates)
    route = route if ports == "all" else with_ports(route, 1, machine)
    placed = gc.place(gc.Pattern.matrix(table), machine)
    for one in [*placed.candidates[:2], placed.chosen]:
        assert one.load == pytest.approx(loads(table, one.order.ravel(), route))


def test_ports_of_every_hop_along_a_side():
    """On a path of 8 messages to and from its end keep the nodes before it busy."""
    machine = gc.Machine.torus((8,), joined=False, ports=1, switching="store-and-forward")
    table = np.zeros((8, 8))
    table[0, 7] = table[1, 7] = table[7, 3] = 1.0
    heard = np.zeros((8, 8))
    heard[[0, 6, 7], 3] = 1.0
    cases = (table, 3.0, 17.0), (table + table.T, 6.0, 34.0), (heard, 3.0, 10.0)
    for sent, busiest, total in cases:
        as_they_are, *others = gc.place(gc.Pattern.matrix(sent), machine).candidates
        assert as_they_are.load == (busiest, total)  # nodes 6, 6 and 3
        assert others[-1].name == "all 40320 orders"
        nodes = others[-1].order
        away = Counter()
        for i, j in zip(*(ends.tolist() for ends in np.nonzero(sent)), strict=True):
            u, v = int(nodes[i]), int(nodes[j])
            for at in range(u, v, 1 if u < v else -1):
                away["out", at] += 1.0
                away["in", at + (1 if u < v else -1)] += 1.0
        assert others[-1].load.busiest == max(away.values())
