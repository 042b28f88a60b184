"""What networks are built of: cables of a machine, their rates, and the ways over them."""

import importlib
from itertools import pairwise

import pytest
from cubes import FOLDER

import graycube as gc

RATES = (1e-6, 4e-6, 2e-6)


@pytest.fixture
def cables(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("cables")


def ring(length, joined, here, there):
    """How many links lie between two places of a side."""
    return min(abs(here - there), length - abs(here - there) if joined else length)


def walked(made, u, v):
    """The places that a message passes if each hands it on."""
    here = f"node{u}"
    yield here
    while here != f"node{v}":
        here = made.onward[here, f"node{v}"]
        yield here


@pytest.mark.parametrize(("length", "joined"), [(8, True), (8, False), (4, True)])
def test_sides_of_a_torus_have_the_shortest_ways(cables, length, joined):
    made = cables.Cables(gc.Machine.torus((length, 2), joined=(joined, True), per_byte=1e-6))
    around = {node: len(there) for node, there in made.neighbours.items()}
    ends = (0, 1, 2 * length - 2, 2 * length - 1)
    assert around == {
        f"node{u}": 3 if joined or u not in ends else 2 for u in range(2 * length)
    }
    for u in range(2 * length):
        for v in range(2 * length):
            places = [*walked(made, u, v)]
            assert len(places) - 1 == ring(length, joined, u // 2, v // 2) + (u % 2 != v % 2)
            numbers = [int(place[4:]) for place in places]
            for a, b in pairwise(numbers):
                assert a // 2 == b // 2 or (
                    a % 2 == b % 2 and ring(length, joined, a // 2, b // 2)
                )


def test_links_of_a_cube_have_the_rates_of_their_dimensions(cables):
    made = cables.Cables(gc.Machine(3, "all", "circuit", per_byte=RATES))
    for u in range(8):
        assert made.neighbours[f"node{u}"] == [f"node{u ^ 1 << d}" for d in range(3)]
        for d, per_byte in enumerate(RATES):
            rate = made.rates[f"node{u}", f"node{u ^ 1 << d}"]
            assert rate * 0.978 / 8 == pytest.approx(1 / per_byte, rel=1e-5)
    assert [*walked(made, 0, 7)] == ["node0", "node1", "node3", "node7"]


def test_alike_links_have_the_rate_with_all_headers(cables):
    assert set(cables.Cables(cables.alike(2, 25.0)).rates.values()) == {25_000_000}


def test_messages_of_nodes_with_one_card_meet_in_one_cable(cables):
    made = cables.Cables(gc.Machine(3, 1, "circuit", per_byte=RATES[0], share=(1, 2, 2)))
    assert sorted(made.neighbours["card2"]) == ["node2", "node3", "switch"]
    assert sorted(made.neighbours["switch"]) == ["card0", "card2", "card4", "card6"]
    limited = {pair for pair, rate in made.rates.items() if rate is not None}
    assert limited == {
        *((f"node{u}", f"node{u ^ 1}") for u in range(8)),
        *((f"card{u}", "switch") for u in range(0, 8, 2)),
        *(("switch", f"card{u}") for u in range(0, 8, 2)),
    }
    assert [*walked(made, 0, 7)] == ["node0", "node1", "card0", "switch", "card6", "node7"]
    assert [*walked(made, 6, 2)] == ["node6", "card6", "switch", "card2", "node2"]


@pytest.mark.parametrize("machine", ["torus", "cards", "links"])
def test_links_are_those_of_the_route(cables, machine):
    """As many limited cables as links, and messages meet in the former where in the latter."""
    made_for = {
        "torus": gc.Machine.torus((8, 2), per_byte=1e-6),
        "cards": gc.Machine(4, 1, "circuit", per_byte=1e-6, share=(1, 1, 4, 4)),
        "links": gc.Machine(4, per_byte=1e-6),
    }[machine]
    made = cables.Cables(made_for)
    pairs = [(u, v) for u in range(16) for v in range(16) if u != v]
    names, cards = {}, {}
    for u, v in pairs:
        limited = [hop for hop in pairwise(walked(made, u, v)) if made.rates[hop] is not None]
        names[u, v] = [hop.name for hop in made_for.route(u, v)]
        cards[u, v] = limited
    assert [len(names[pair]) for pair in pairs] == [len(cards[pair]) for pair in pairs]
    known = {}
    for pair in pairs:
        for name, cable in zip(names[pair], cards[pair], strict=True):
            assert known.setdefault(name, cable) == cable
    assert len(set(known.values())) == len(known)


@pytest.mark.parametrize(("ports", "share"), [(2, (1, 2, 2)), (1, (1, 2, 4)), (1, (1, 2, 1))])
def test_what_cannot_be_built_is_refused(cables, ports, share):
    machine = gc.Machine(3, ports, "circuit", per_byte=RATES[0], share=share)
    with pytest.raises(SystemExit, match="highest dimensions, with one port"):
        cables.Cables(machine)
