"""Loads of links and orders of ranks, against what the documentation says of links."""

from collections import Counter
from math import prod

import numpy as np
import pytest
from link_loads import in_tree, least, loads, on_cube, on_torus, with_ports
from sweeping import sweep

import graycube as gc
from graycube.mapping import improve
from graycube.mapping.floors import cheapest, floor
from graycube.mapping.routes import Routes

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


def tables(seed):
    """Few heavy pairs, one that hears all others, and one that tells all others."""
    chance = np.random.default_rng(seed)
    scattered = chance.choice([0, 0, 1, 5], (8, 8))
    np.fill_diagonal(scattered, 0)
    heard, told = np.zeros((8, 8)), np.zeros((8, 8))
    heard[1:, 0] = told[3, [0, 1, 2, 4, 5, 6, 7]] = chance.integers(1, 9, 7)
    return {"scattered": scattered, "heard": heard, "told": told}


CASES = [(name, kind) for name in SMALL for kind in ("scattered", "heard", "told")]


@pytest.mark.long
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
    bounds = floor(placed.pattern, Routes.of(machine)), cheapest(placed.pattern, machine)
    for bound in bounds:
        assert all(a <= b * (1 + 1e-9) for a, b in zip(bound, placed.load, strict=True))


@pytest.mark.long
@pytest.mark.parametrize("mesh", [(8,), (2, 4)])
@pytest.mark.parametrize(
    "sent",
    [
        {"neighbours": 1.0},
        {"butterflies": 1.0},
        {"all_to_all": 1.0},
        {"neighbours": 10.0, "butterflies": 1.0, "all_to_all": 1.0},
    ],
    ids=["neighbours", "butterflies", "all-to-all", "all of them"],
)
def test_on_a_ring_of_eight_no_order_of_a_mesh_is_better(mesh, sent):
    ring, route = SMALL["ring"]
    pattern, table = gc.Pattern.mesh(mesh, **sent), np.zeros((8, 8))
    np.add.at(table, (pattern.source, pattern.target), pattern.nbytes)
    placed = gc.place(pattern, ring)
    assert placed.load == pytest.approx(least(table, route))
    assert placed.proved


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


@pytest.mark.long
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
