"""Where ranks are put: loads counted hop by hop, against the usual orders."""

from collections import Counter

import numpy as np
import pytest
from sweeping import larger, sweep

import graycube as gc
from graycube.errors import GraycubeError
from graycube.mapping import improve, placing, search

CLUSTER = gc.Machine(
    dims=6,
    ports=(3, 3, 3, 1, 1, 1),
    share=(1, 1, 1, 8, 8, 8),
    per_byte=(1e-10,) * 3 + (1e-9,) * 3,
)
MACHINES = {
    "ring of 8": gc.Machine.torus((8,), per_byte=1.0),
    "path of 8": gc.Machine.torus((8,), joined=False, per_byte=1.0),
    "8 x 8": gc.Machine.torus((8, 8), per_byte=1.0),
    "8 x 8 open": gc.Machine.torus((8, 8), joined=(True, False), per_byte=(1.0, 2.0)),
    "4 x 4 x 4": gc.Machine.torus((4, 4, 4), per_byte=1.0),
    "cube": gc.Machine(dims=5, ports="all", per_byte=1.0),
    "cluster": CLUSTER,
    "levels": gc.Machine(  # cards below a card of two ports, and a plain link above
        dims=6,
        ports=(1, 1, 2, 2, 2, 1),
        share=(1, 1, 4, 4, 4, 1),
        per_byte=(1.0, 1.0, 2.0, 2.0, 2.0, 3.0),
    ),
}
MESHES = {3: [(8,), (2, 4)], 5: [(32,), (8, 4)], 6: [(64,), (8, 8), (4, 4, 4), (16, 4)]}
PATTERNS = {
    "neighbours": {"neighbours": 1.0},
    "open": {"neighbours": 1.0, "periodic": False},
    "transforms": {"all_to_all": 1.0},
    "butterflies": {"butterflies": 1.0},
    "both": {"neighbours": 10.0, "all_to_all": 1.0},
}


def counted(pattern, machine, order):
    """Seconds of the busiest link, and of all of them: every message, hop by hop."""
    seconds, order = Counter(), order.ravel().tolist()
    for i, j, nbytes in zip(pattern.source, pattern.target, pattern.nbytes, strict=True):
        for hop in machine.route(order[i], order[j]):
            seconds[hop.name] += float(nbytes) * hop.link.per_byte
    return max(seconds.values(), default=0.0), sum(seconds.values())


CASES = [(name, kind) for name in MACHINES for kind in PATTERNS]
FEW = [(name, kind) for name, kind in CASES[::6] if name not in ("8 x 8", "4 x 4 x 4")]
FEW.append(("4 x 4 x 4", "neighbours"))


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), [*FEW, *sweep(*CASES)])
def test_never_worse_than_the_usual_orders(name, kind, monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << larger(20, 22))
    machine = MACHINES[name]
    for mesh in MESHES[machine.dims]:
        pattern = gc.Pattern.mesh(mesh, **PATTERNS[kind])
        placed = gc.place(pattern, machine)
        assert sorted(placed.order.ravel().tolist()) == list(range(1 << machine.dims))
        assert placed.order.shape == mesh
        load = counted(pattern, machine, placed.order)
        assert placed.load == pytest.approx(load)
        identity = np.arange(1 << machine.dims).reshape(mesh)
        for usual in (identity, gc.rank_order(mesh), gc.rank_order(mesh, "binary")):
            busiest, total = counted(pattern, machine, usual)
            assert load[0] <= busiest * (1 + 1e-9)
            assert load[0] < busiest * (1 - 1e-9) or load[1] <= total * (1 + 1e-9)
        for one in placed.candidates[:3]:
            assert one.load == pytest.approx(counted(pattern, machine, one.order))


def test_nothing_is_gained_where_nothing_is():
    placed = gc.place(gc.Pattern.mesh((8, 8), neighbours=1.0), MACHINES["8 x 8"])
    assert np.array_equal(placed.order, np.arange(64).reshape(8, 8))
    assert "Nothing is gained" in placed.explain()


def test_blocks_of_a_mesh_stay_within_a_host(monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 22)
    mesh = 4, 4, 4
    pattern = gc.Pattern.mesh(mesh, neighbours=1.0, periodic=False)
    placed = gc.place(pattern, CLUSTER)
    corners = placed.order.reshape(2, 2, 2, 2, 2, 2).transpose(0, 2, 4, 1, 3, 5).reshape(8, 8)
    assert {len({*row}) for row in (corners >> 3).tolist()} == {1}  # 2 x 2 x 2 on each host
    before = counted(pattern, CLUSTER, np.arange(64))[0]
    assert placed.load.busiest < before


@pytest.mark.long
@pytest.mark.parametrize(
    ("sides", "mesh", "is_periodic", "load"),
    [
        ((4, 4, 4), (8, 8), True, (1.0, 256.0)),
        ((4, 4, 4), (8, 2, 4), True, (2.0, 384.0)),
        ((4, 4, 4, 4), (8, 32), True, (1.0, 1024.0)),
        ((4, 4, 4, 4), (2, 2, 8, 8), True, (2.0, 2048.0)),
        ((8, 8), (2,) * 6, True, (6.0, 1280.0)),
        ((8, 8), (2,) * 6, False, (3.0, 640.0)),
        ((8, 8), (4, 4, 4), False, (3.0, 448.0)),
    ],
)
def test_a_torus_has_the_links_of_a_cube(sides, mesh, is_periodic, load, monkeypatch):
    """So Gray code puts neighbours of a mesh on neighbours, or nearer than rows do."""
    monkeypatch.setattr(improve, "EFFORT", 0)
    pattern = gc.Pattern.mesh(mesh, neighbours=1.0, periodic=is_periodic)
    for torus in (gc.Machine.torus(sides), gc.Interconnect.torus(sides)):
        placed = gc.place(pattern, torus)
        assert placed.load <= load
        assert placed.load == counted(pattern, torus, placed.order)
        assert placed.chosen.name.startswith("gray through blocks of ")


def test_what_launchers_and_programs_take():
    placed = gc.place(gc.Pattern.mesh((8,), neighbours=1.0), gc.Machine.torus((2, 4)))
    order = placed.order.tolist()
    keys = placed.keys.tolist()
    assert [keys[node] for node in order] == list(range(8))
    hosts = ["a", "b", "c", "d"]
    assert placed.hostfile(hosts).split() == [hosts[node // 2] for node in order]
    lines = placed.rankfile(hosts).splitlines()
    assert lines == [f"rank {r}={hosts[u // 2]} slot={u % 2}" for r, u in enumerate(order)]
    assert placed.devices([f"d{k}" for k in range(8)]).tolist() == [f"d{k}" for k in order]
    assert gc.rank_order((8,), machine=gc.Machine.torus((2, 4))).tolist() == order


@pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "u8"])
def test_bytes_are_numbers_of_any_precision(dtype):
    (one,) = np.ones(1, dtype)
    halo = gc.Pattern.mesh((4,), neighbours=one)
    table = np.zeros((4, 4), dtype)
    table[halo.source, halo.target] = one
    loads = [gc.place(sent, RING).load for sent in (halo, gc.Pattern.matrix(table))]
    assert loads == [(1.0, 8.0)] * 2


def test_one_order_is_not_compared_with_others(monkeypatch):
    monkeypatch.setattr(search, "HOPS", 0)
    placed = gc.place(gc.Pattern.mesh((2,) * 4), gc.Machine(4, per_byte=1.0))
    assert len(placed.candidates) == 1
    last = placed.explain().splitlines()[-1]
    assert last == "No other order was looked at. Leave the ranks as they are."


def test_one_node_has_one_order():
    placed = gc.place(gc.Pattern.mesh((1,), all_to_all=1.0), gc.Machine(0))
    assert placed.order.tolist() == [0]
    assert "Nothing is sent" in placed.explain()


RING = gc.Machine.torus((4,))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: gc.place("halo", RING), "the pattern is 'halo'"),
        (lambda: gc.place(gc.Pattern.mesh((8,)), RING), "8 places: the machine has 4 nodes"),
        (lambda: gc.place(gc.Pattern.mesh((4,)), 4), "the machine is 4"),
        (lambda: gc.Pattern.mesh(()), "the mesh is"),
        (lambda: gc.Pattern.mesh((4, 0)), "the mesh is"),
        (lambda: gc.Pattern.mesh((1,) * 65), "the mesh is .*: it must .* along 1 to 64 axes"),
        (lambda: gc.Pattern.mesh((4,), neighbours=-1.0), "neighbours is -1.0"),
        (lambda: gc.Pattern.mesh((4,), neighbours="much"), "neighbours is 'much'"),
        (lambda: gc.Pattern.mesh((4, 4), all_to_all=(1, 2, 3)), "all_to_all has 3 figures"),
        (
            lambda: gc.Pattern.mesh((4, 4), periodic=(True,)),
            "periodic is .True,.: the mesh has 2",
        ),
        (lambda: gc.Pattern.mesh((4, 4), periodic="no"), "periodic is 'no'"),
        (lambda: gc.Pattern.matrix([[0, 1], [2]]), "the matrix is ..0, 1., .2..: it has a row"),
        (lambda: -1 * gc.Pattern.mesh((4,)), "the number of times is -1"),
        (lambda: gc.Pattern.mesh((12,), butterflies=1.0), "an axis with butterflies"),
        (lambda: gc.Pattern.mesh((1 << 20, 64), all_to_all=1.0), "pairs, or more"),
        (lambda: gc.Pattern.matrix([[1, 2]]), "the matrix has shape"),
        (lambda: gc.Pattern.matrix([[0, np.nan], [1, 0]]), "no numbers of bytes"),
        (lambda: gc.Pattern.matrix([[0, 1e101], [1, 0]]), "no numbers of bytes: each must be"),
        (lambda: gc.Pattern.mesh((4,), neighbours=1e101), "1e.101: it must .* at most 1e.100"),
        (lambda: 10 * gc.Pattern.mesh((4,), neighbours=1e100), "a pair sends 1e.101 bytes"),
        (lambda: gc.Pattern.matrix(np.full((4, 4), np.inf, "f4")), "no numbers of bytes"),
        (lambda: gc.Pattern.mesh((4,), neighbours=np.float32("inf")), "neighbours is inf"),
        (lambda: gc.Pattern.matrix(np.ones((4, 4)), (3,)), "the mesh .3,. has 3 places"),
        (lambda: gc.Pattern.matrix(np.ones((4, 4)), (-2, -2)), "the mesh is .-2, -2."),
        (lambda: gc.Pattern.matrix(np.ones((0, 0))), "the mesh is .0."),
        (
            lambda: gc.place(gc.Pattern.mesh((4,)), RING, also={"mine": [[0], [1, 2]]}),
            "the order 'mine' has shape",
        ),
        (lambda: gc.Pattern.mesh((4,)) + gc.Pattern.mesh((2, 2)), "both are of one mesh"),
        (lambda: gc.rank_order((4,), "gray", machine=RING), "the machine decides the order"),
        (lambda: gc.place(gc.Pattern.mesh((4,)), RING).hostfile(["a", "b", "c"]), "3 hosts"),
        (
            lambda: gc.place(gc.Pattern.mesh((4,)), RING).hostfile(["a\nb"]),
            "a host is 'a",
        ),
        (lambda: gc.place(gc.Pattern.mesh((4,)), RING).devices("abc"), "3 devices"),
    ],
)
def test_what_cannot_be_placed(made, words):
    with pytest.raises(GraycubeError, match=words):
        made()


def test_exchanges_of_two_places_help(monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 22)
    table = np.random.default_rng(3).integers(0, 9, (16, 16)) ** 3
    placed = gc.place(gc.Pattern.matrix(table), gc.Machine.torus((4, 4), per_byte=1.0))
    exchanged = placed.candidates[-1]
    assert placed.chosen is exchanged
    assert exchanged.name == "places exchanged, as long as it helps"
    assert exchanged.load.busiest < min(one.load.busiest for one in placed.candidates[:-1])


@pytest.mark.parametrize("rings", [(True, False), (False, True), (False, False), [True, True]])
def test_axes_are_periodic_each_for_itself(rings):
    both = gc.Pattern.mesh((4, 4), neighbours=1.0, periodic=rings)
    assert both.nbytes.sum() == sum(2 * 4 * (4 if ring else 3) for ring in rings)
    for axis, ring in enumerate(rings):
        around = np.isin(both.source - both.target, [3 * (4, 1)[axis], -3 * (4, 1)[axis]])
        assert around.sum() == (8 if ring else 0)


def test_the_most_bytes_on_the_slowest_links_are_finite(monkeypatch):
    monkeypatch.setattr(improve, "EFFORT", 1 << 18)
    halo = gc.Pattern.mesh((4, 4), neighbours=1e100)
    placed = gc.place(halo, gc.Machine.torus((16,), per_byte=1e100))
    assert np.all(np.isfinite([one.load for one in placed.candidates]))
    halves = np.kron(np.eye(2), np.random.default_rng(0).integers(0, 9, (8, 8)))
    placed = gc.place(
        gc.Pattern.matrix(halves), gc.Machine.torus((2, 8), per_byte=(1e100, 1e-100))
    )
    assert placed.load.busiest < 1e-90  # nothing passes the slow links


def test_some_links_may_take_no_time():
    sent = np.zeros((4, 4))
    sent[0, 2] = sent[1, 3] = 1e6
    placed = gc.place(gc.Pattern.matrix(sent), gc.Machine(2, "all", per_byte=(0.0, 1e-9)))
    assert placed.load == (0.0, 0.0)
    assert "many times the busiest" in placed.explain()


def test_patterns_have_weights():
    halo = gc.Pattern.mesh((4, 4), neighbours=2.0)
    assert (3 * halo).nbytes.tolist() == (halo * 3).nbytes.tolist() == [6.0] * 64
    transforms = gc.Pattern.mesh((4, 4), all_to_all=1.0)
    assert (0.5 * halo + 2 * transforms).nbytes.sum() == 64 + 2 * 96
    with pytest.raises(TypeError):
        halo * "2"


def test_of_large_patterns_nothing_is_looked_at_after_the_best(monkeypatch):
    monkeypatch.setattr(placing, "LARGE", 8191)
    halo, torus = gc.Pattern.mesh((32, 64), neighbours=2.0), gc.Machine.torus((32, 64))
    assert len(gc.place(halo, torus).candidates) == 1
    mine = np.arange(2048).reshape(32, 64)[::-1]
    placed = gc.place(halo, torus, also={"turned": mine})
    assert [one.name for one in placed.candidates] == ["as they are", "gray", "turned"]
    assert placed.proved
    open_torus = gc.Machine.torus((32, 64), joined=(True, False))
    placed = gc.place(halo, open_torus)
    assert len(placed.candidates) > 2
    assert not placed.proved
    line = gc.Pattern.mesh((4096,), neighbours=2.0)
    assert gc.place(line, gc.Machine.torus((4,) * 6)).candidates[-1].name.startswith("snake")


def test_a_mesh_exchanges_with_its_neighbours_unless_it_says_what_it_sends():
    assert gc.Pattern.mesh((4, 4)).nbytes.tolist() == [1.0] * 64
    assert len(gc.Pattern.mesh((4, 4), neighbours=0.0).nbytes) == 0
    assert gc.Pattern.mesh((4, 4), butterflies=2.0).nbytes.tolist() == [2.0] * 64
