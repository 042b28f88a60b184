"""What a search finds: orders that are known to be the best, and what is said of it."""

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.mapping import improve
from graycube.mapping.routes import Routes


def shuffled(pattern, seed=5):
    """The same as a matrix, with ranks in an order that tells nothing."""
    places = pattern.places
    order = np.random.default_rng(seed).permutation(places)
    table = np.zeros((places, places))
    np.add.at(table, (order[pattern.source], order[pattern.target]), pattern.nbytes)
    return gc.Pattern.matrix(table)


RINGS = [((8, 8), 64), ((16, 8), 128), ((16, 16), 256)]


@pytest.mark.parametrize(("sides", "places"), [*RINGS[:2], *sweep(*RINGS[2:])])
def test_a_shuffled_ring_is_found_again(sides, places):
    """A snake goes once round the torus: no link has more than one message."""
    ring = shuffled(gc.Pattern.mesh((places,), neighbours=1.0))
    placed = gc.place(ring, gc.Machine.torus(sides, per_byte=1.0))
    assert placed.load == (1.0, 2.0 * places)
    assert placed.proved
    assert "No order is better" in " ".join(placed.explain().split())


@pytest.mark.parametrize("sides", [(4, 4, 4), *sweep(((16, 16),))])
def test_a_shuffled_torus_is_found_again(sides):
    torus = shuffled(gc.Pattern.mesh(sides, neighbours=1.0))
    placed = gc.place(torus, gc.Machine.torus(sides, per_byte=1.0))
    assert placed.load.busiest == 1.0


MESHES = [
    ((3, 4, 5), (5, 3, 4), True),
    ((4, 6, 8), (4, 6, 8), False),
    ((10, 12), (12, 10), False),
]


@pytest.mark.parametrize(("mesh", "sides", "is_periodic"), MESHES)
def test_a_shuffled_mesh_is_found_again(mesh, sides, is_periodic, monkeypatch):
    """Without exchanges: each place goes next to those that it sends to."""
    monkeypatch.setattr(improve, "EFFORT", 0)
    halo = shuffled(gc.Pattern.mesh(mesh, neighbours=1.0, periodic=is_periodic))
    placed = gc.place(halo, gc.Interconnect.torus(sides, joined=is_periodic))
    assert placed.load == (1.0, len(halo.nbytes))
    assert placed.proved


@pytest.mark.long
def test_the_matrix_of_a_mesh_is_as_good_as_the_mesh(monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 20)
    mesh = gc.Pattern.mesh((8, 8, 4), neighbours=(1.0, 1.0, 3.0), periodic=False)
    table = np.zeros((256, 256))
    np.add.at(table, (mesh.source, mesh.target), mesh.nbytes)
    torus = gc.Machine.torus((16, 16), per_byte=1.0)
    known = gc.place(mesh, torus)
    found = gc.place(gc.Pattern.matrix(table), torus)
    assert found.order.shape == (256,)
    assert found.load.busiest <= known.load.busiest
    assert any(one.name.startswith("as 8 x 8 x 4: ") for one in found.candidates)


@pytest.mark.parametrize("dims", [4, *sweep((6,))])
def test_a_search_never_makes_it_worse(dims, monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 22)
    machines = (
        gc.Machine(dims, "all", per_byte=1.0),
        gc.Machine.torus((1 << dims - 2, 4), joined=(False, True), per_byte=(1.0, 2.0)),
        gc.Machine(dims, (2, 2) + (1,) * (dims - 2), share=(1, 1) + (4,) * (dims - 2)),
    )
    for seed, machine in enumerate(machines):
        table = np.random.default_rng(seed).integers(0, 9, (1 << dims, 1 << dims)) ** 3
        placed = gc.place(gc.Pattern.matrix(table), machine)
        assert sorted(placed.order.tolist()) == list(range(1 << dims))
        others = [one.load for one in placed.candidates if one is not placed.chosen]
        assert placed.load < min(others)
        assert not placed.proved
        assert "orders that were looked at is better" in " ".join(placed.explain().split())


def test_large_machines_have_no_search():
    pattern = gc.Pattern.mesh((64, 64), neighbours=1.0)
    placed = gc.place(pattern, gc.Machine.torus((64, 64), joined=False, per_byte=1.0))
    assert not placed.proved
    assert "that were looked at is better. Leave" in " ".join(placed.explain().split())


def test_orders_of_my_own_are_judged():
    torus = gc.Machine.torus((4, 4), per_byte=1.0)
    mine = [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12]
    backwards = np.arange(16)[::-1]
    ring = gc.Pattern.mesh((16,), neighbours=1.0)
    placed = gc.place(ring, torus, also={"mine": mine, "back": backwards})
    of = {one.name: one for one in placed.candidates}
    assert of["mine"].load == (1.0, 32.0)
    assert of["back"].load == of["as they are"].load
    lines = placed.explain().splitlines()
    assert [line.split("  ")[0] for line in lines[1:5]] == [
        "as they are",
        "gray",
        "mine",
        "back",
    ]
    for wrong in ([0, 1], [0] * 16, np.arange(16) / 1.0, "mine"):
        with pytest.raises(gc.errors.InvalidValueError, match="the order 'mine' has shape"):
            gc.place(ring, torus, also={"mine": wrong})


def test_what_is_not_gained_is_said():
    """All links together have less to do, the busiest one has not."""
    ring = gc.Pattern.mesh((16,), neighbours=1.0)
    placed = gc.place(ring, gc.Machine.torus((4, 4), per_byte=1.0))
    assert placed.load.busiest == placed.candidates[0].load.busiest
    assert "The busiest link gains nothing" in placed.explain()


def test_bytes_must_take_time():
    with pytest.raises(gc.errors.InvalidValueError, match="bytes take no time"):
        gc.place(
            gc.Pattern.mesh((8,), neighbours=1.0), gc.Machine(3, startup=1.0, per_byte=0.0)
        )


def test_nothing_sent_needs_no_order():
    placed = gc.place(gc.Pattern.matrix(np.eye(8)), gc.Machine.torus((8,)))
    told = "Nothing is sent from node to node: every order is as good."
    assert placed.explain() == told
    assert len(placed.candidates) < 40


@pytest.mark.parametrize(
    "machine",
    [gc.Machine.profile("dgx-h100"), gc.Machine.tree((8,)), gc.Interconnect.tree((8,))],
)
def test_behind_one_switch_no_order_is_better(machine):
    placed = gc.place(gc.Pattern.mesh((4, 2), neighbours=1e6), machine)
    assert placed.order.tolist() == np.arange(8).reshape(4, 2).tolist()
    assert len({one.load for one in placed.candidates}) == 1
    told = "All nodes are as far from each other: every order is as good."
    assert placed.explain() == told


@pytest.mark.parametrize("ports", [1, "all"])
def test_exchanges_are_counted_as_if_all_were_counted_anew(ports):
    machine = gc.Machine(4, ports, "circuit", per_byte=(1.0, 1.0, 4.0, 4.0), share=(1, 1, 2, 2))
    pattern = gc.Pattern.matrix(np.random.default_rng(4).integers(0, 3, (16, 16)))
    routes, order = Routes.of(machine), np.random.default_rng(5).permutation(16)
    made, others = improve.Exchanges(pattern, routes, order), np.arange(16)
    for i in (0, 7, 15):
        for j, tried in zip(others.tolist(), made.tried(i, others), strict=True):
            swapped = order.copy()
            swapped[[i, j]] = swapped[[j, i]]
            assert tried == pytest.approx(improve.Exchanges(pattern, routes, swapped).loads)
