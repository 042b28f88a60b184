"""Interconnects of any size: orders against every other one, and routes by the book."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from link_loads import in_tree, least, loads, on_torus
from sweeping import sweep

import graycube as gc
from graycube.errors import GraycubeError
from graycube.mapping import improve
from graycube.mapping.floors import cheapest, floor
from graycube.mapping.routes import Routes

SMALL = {
    "5-ring": (gc.Interconnect.torus((5,), per_byte=2.0), on_torus((5,), (True,), (2.0,))),
    "2 x 3": (
        gc.Interconnect.torus((2, 3), joined=(False, True), per_byte=(1.0, 3.0)),
        on_torus((2, 3), (False, True), (1.0, 3.0)),
    ),
    "7-path": (gc.Interconnect.torus((7,), joined=False), on_torus((7,), (False,), (1.0,))),
    "2 x 3 parts": (
        gc.Interconnect.tree((2, 3), per_byte=(1.0, 3.0)),
        in_tree([(1, 1.0), (2, 3.0)]),
    ),
}
LARGE = {
    "5 x 3": (gc.Interconnect.torus((5, 3)), on_torus((5, 3), (True, True), (1.0, 1.0))),
    "6 x 2 x 3": (
        gc.Interconnect.torus((6, 2, 3), joined=(True, True, False), per_byte=(1.0, 2.0, 3.0)),
        on_torus((6, 2, 3), (True, True, False), (1.0, 2.0, 3.0)),
    ),
    "4 x 3 x 5 parts": (
        gc.Interconnect.tree((4, 3, 5), per_byte=(1.0, 2.0), oversubscribed=3.0),
        in_tree([(1, 1.0), (4, 2.0), (12, 2.0)]),
    ),
}


@pytest.fixture(autouse=True)
def _little_effort(monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 20)


def table(count, seed=0):
    sent = np.random.default_rng(seed).choice([0, 0, 1, 5], (count, count))
    np.fill_diagonal(sent, 0)
    return sent


ALL = sweep(*((name, seed) for name in SMALL for seed in range(4)))


@pytest.mark.parametrize(("name", "seed"), [("2 x 3", 1), ("2 x 3 parts", 1), *ALL])
def test_for_a_few_nodes_there_is_no_better_order(name, seed):
    network, route = SMALL[name]
    placed = gc.place(gc.Pattern.matrix(table(network.nodes, seed)), network)
    assert placed.load == pytest.approx(least(table(network.nodes, seed), route))
    assert placed.proved
    bounds = floor(placed.pattern, Routes.of(network)), cheapest(placed.pattern, network)
    for bound in bounds:
        assert all(a <= b * (1 + 1e-9) for a, b in zip(bound, placed.load, strict=True))


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_links_are_those_of_the_book(name):
    network, route = {**SMALL, **LARGE}[name]
    nodes = range(network.nodes)
    along = [[sum(rate for _, rate in route(u, v)) for v in nodes] for u in nodes]
    assert Routes.of(network).seconds.sum(axis=-1) == pytest.approx(np.array(along))
    for u in nodes[:: max(1, network.nodes // 4)]:
        for v in nodes:
            taken = [hop.link.per_byte for hop in network.route(u, v)]
            assert sorted(taken) == sorted(rate for _, rate in route(u, v))
    sent = table(network.nodes) * (np.arange(network.nodes) % 3 == 0)
    order = np.random.default_rng(2).permutation(network.nodes)
    placed = gc.place(gc.Pattern.matrix(sent), network, also={"mine": order})
    for one in [*placed.candidates[:2], placed.chosen]:
        assert one.load == pytest.approx(loads(sent, one.order.ravel(), route))


def test_twelve_ranks_on_three_hosts_are_parted_best(monkeypatch):
    """Of all ways to give each of three hosts four places of a mesh of 4 x 3."""
    monkeypatch.setattr(improve, "EFFORT", 1 << 23)
    network = gc.Interconnect.tree((4, 3), per_byte=(1e-3, 1.0))
    halo = gc.Pattern.mesh((4, 3), neighbours=1.0, periodic=False)
    pairs = [*zip(halo.source.tolist(), halo.target.tolist(), strict=True)]

    def busiest(*hosts):
        host = {place: k for k, places in enumerate(hosts) for place in places}
        leaving = Counter(host[i] for i, j in pairs if host[i] != host[j])
        return max(leaving.values())

    every = {*range(12)}
    best = min(
        busiest({0, *first}, second, every - {0, *first} - {*second})
        for first in combinations(range(1, 12), 3)
        for second in combinations(sorted(every - {0, *first}), 4)
    )
    placed = gc.place(halo, network)
    assert placed.load.busiest == best == 4
    assert placed.candidates[0].load.busiest == 8  # as they are
    assert placed.hostfile(["a", "b", "c"]).split().count("b") == 4


def test_one_rate_is_that_of_all_sides():
    torus = gc.Interconnect.torus((5, 3), per_byte=2.0)
    assert torus.per_byte == (2.0, 2.0)
    for given in ([2.0], (2.0,), np.array(2.0), np.array([2.0, 2.0])):
        assert gc.Interconnect.torus((5, 3), per_byte=given) == torus


def test_rings_of_any_length_are_found_again():
    shuffled = np.random.default_rng(3).permutation(15)
    sent = np.zeros((15, 15))
    sent[shuffled, np.roll(shuffled, 1)] = sent[np.roll(shuffled, 1), shuffled] = 1.0
    placed = gc.place(gc.Pattern.matrix(sent), gc.Interconnect.torus((15,)))
    assert placed.load == (1.0, 30.0)
    assert gc.rank_order((15,), machine=gc.Interconnect.torus((5, 3))).shape == (15,)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: gc.Interconnect.torus(()), "the sides are"),
        (lambda: gc.Interconnect.torus((5, 0)), "each is 1 or more"),
        (lambda: gc.Interconnect.torus((5000,)), "a side is 5000: it must be at most 1024"),
        (lambda: gc.Interconnect.torus((5, 3), joined=(True,)), "there are 2 sides"),
        (lambda: gc.Interconnect.torus((5, 3), joined=1), "joined is 1"),
        (lambda: gc.Interconnect.torus((5, 3, 2), per_byte=(1.0, 2.0)), "per_byte has 2"),
        (lambda: gc.Interconnect.torus((5, 3), per_byte=(1, 2, 3)), "the torus has 2 sides"),
        (lambda: gc.Interconnect.torus((5, 3), per_byte=(1, -2)), "per_byte of side 1 is -2"),
        (lambda: gc.Interconnect.tree((5, 1)), "each is 2 or more"),
        (lambda: gc.Interconnect.tree((1 << 13, 1 << 13)), "at most 16777216 nodes"),
        (lambda: gc.Interconnect.tree((5, 3), per_byte=-1.0), "per_byte of level 0 is -1.0"),
        (lambda: gc.Interconnect.tree((5, 3)).route(0, 15), "a node is 15: the inter"),
        (
            lambda: gc.place(gc.Pattern.mesh((4, 4)), gc.Interconnect.torus((5, 3))),
            "16 places: the machine has 15 nodes",
        ),
        (lambda: gc.plan(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 1,
                         machine=gc.Interconnect.torus((4,))), "it must be a Machine"),
    ],
)  # fmt: skip
def test_what_is_no_network_is_refused(made, words):
    with pytest.raises(GraycubeError, match=words):
        made()
