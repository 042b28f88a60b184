"""Tolls prove bounds, exactly; a certificate that claims anything else is refused."""

import json
from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sweeping import examples

import graycube as gc
from graycube.cost import (
    Tolls,
    certificate,
    known_certificate,
    load_certificate,
    lower_bounds,
)
from graycube.cost.certificate import KNOWN_DIMS, known_ports
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.search import least_cycles, least_flow

SHARES = {
    (3, 1): "4/3", (4, 1): "12/7", (5, 1): "223/104", (6, 1): "76/29",
    (3, 2): "3/4", (4, 2): "8/9", (5, 2): "38/35", (6, 2): "21/16",
    (7, 1): "2283/736", (7, 2): "2344/1511", (7, "all"): "3/5",
    (4, 3): "13/19", (5, 3): "31/39", (5, 4): "31/47",
    (6, 3): "215/239", (6, 4): "71/95", (6, 5): "71/111",
    (7, 3): "267/257", (7, 4): "159/191", (7, 5): "159/223", (7, 6): "53/85",
    (3, "all"): "3/5", (4, "all"): "3/5", (5, "all"): "3/5", (6, "all"): "3/5",
}  # fmt: skip


def conversion(n, block=1):
    return gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block)


def paid_over_earned(tolls, task, machine):
    """What tolls prove, by Floyd and Warshall's algorithm on fractions, from the layouts."""
    nodes, ports = range(1 << task.n), machine.links_at_once
    circuits = machine.switching == "circuit"
    way = [[Fraction(0) if u == v else inf for v in nodes] for u in nodes]
    for u, d in product(nodes, range(task.n)):
        ends = 0 if circuits else tolls.send[u] + tolls.receive[u ^ 1 << d]
        way[u][u ^ 1 << d] = Fraction(tolls.links[u][d] + ends)
    for k, u, v in product(nodes, nodes, nodes):
        way[u][v] = min(way[u][v], way[u][k] + way[k][v])
    paid = Fraction(0)
    for index in range(1 << task.p):
        u, v = task.source.locate(index)[0], task.target.locate(index)[0]
        ends = tolls.send[u] + tolls.receive[v] if circuits and u != v else 0
        paid += way[u][v] + ends
    earned = sum(map(sum, tolls.links)) + ports * (sum(tolls.send) + sum(tolls.receive))
    return paid / earned / (1 << task.p - task.n) if earned else Fraction(0)


def test_those_of_the_library_prove_these_shares():
    found = {(n, p): str(known_certificate(n, p).share)
             for n in KNOWN_DIMS for p in known_ports(n)}  # fmt: skip
    assert found == SHARES


@pytest.mark.parametrize(("n", "ports"), [(n, p) for n, p in SHARES if n < 6])
def test_another_way_to_count_gives_the_same(n, ports):
    proof = known_certificate(n, ports)
    assert paid_over_earned(proof.tolls, conversion(n), proof.machine) == proof.share


@pytest.mark.parametrize(("n", "ports"), [(n, p) for n, p in SHARES if n < 6])
def test_a_flow_meets_each_of_them(n, ports):
    """So they are the best: the flow conserves elements, and loads nothing with more."""
    flow = least_flow(conversion(n), gc.Machine(n, ports=ports))
    demand, most = flow.demand, float(Fraction(SHARES[n, ports])) + 1e-7
    nodes = np.arange(1 << n)
    load = np.zeros((1 << n, n))
    for home, crossings in zip(demand.homes.tolist(), flow.crossings, strict=True):
        left = np.zeros(1 << n)
        left[home] += 1
        for d in range(n):
            left -= crossings[:, d]
            left[nodes ^ 1 << d] += crossings[:, d]
        left[gc.gray_inverse(home)] -= 1
        assert np.abs(left).max() < 1e-7
        for v in demand.alike.tolist():
            load[nodes ^ v] += crossings
    assert flow.crossings.min() > -1e-9
    assert load.max() <= most
    assert load.sum(axis=1).max() <= flow.demand.n * most
    p = gc.Machine(n, ports=ports).links_at_once
    into = sum(load[nodes ^ 1 << d, d] for d in range(n))
    assert max(load.sum(axis=1).max(), into.max()) <= p * most


@pytest.mark.parametrize("n", range(3, 10))
def test_the_cut_proves_three_fifths(n):
    """Tolls on the links that lead out of the classes 2, 6 and 7."""
    out = {2, 6, 7}
    links = [
        [int(d >= n - 3 and u >> n - 3 in out and (u ^ 1 << d) >> n - 3 not in out)
         for d in range(n)]
        for u in range(1 << n)
    ]  # fmt: skip
    none = [0] * (1 << n)
    tolls = Tolls(links, none, none)
    assert tolls.share(conversion(n), gc.Machine(n, ports="all")) == Fraction(3, 5)
    assert sum(map(sum, links)) == 5 << n - 3


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
def test_no_schedule_of_whole_elements_beats_them(switching):
    for n, ports, block in ((2, 1, 3), (3, 1, 4), (3, 2, 4), (3, "all", 5)):
        machine = gc.Machine(n, ports=ports, switching=switching)
        proof = gc.certify(
            *(gc.Layout.nodes(n, c) for c in ("gray", "binary")), machine=machine
        )
        best = least_cycles(conversion(n, block), machine)
        assert proof.cycles(block) <= best.cycles <= proof.cycles(block) + n


@given(st.integers(0, 2**32), st.sampled_from([1, 2, "all"]), st.booleans())
@settings(max_examples=examples(62))
def test_random_tasks_and_random_tolls(seed, ports, circuits):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    p = n + int(rng.integers(0, 3))
    switching = "circuit" if circuits else "store-and-forward"
    machine = gc.Machine(
        n, ports=min(ports, n) if ports != "all" else ports, switching=switching
    )
    source, target = (scrambled(rng, p, n) for _ in range(2))
    task = gc.Task(source, target, source.block_size)
    tolls = Tolls(
        rng.integers(0, 4, size=(1 << n, n)).tolist(),
        *rng.integers(0, 4, size=(2, 1 << n)).tolist(),
    )
    shown = tolls.share(task, machine)
    assert shown == paid_over_earned(tolls, task, machine)
    flow = least_flow(task, machine)
    assert shown <= flow.share + 1e-9
    assert flow.bound == paid_over_earned(flow.tolls, task, machine)
    assert flow.share - 1e-3 <= flow.bound <= flow.share + 1e-9


def scrambled(rng, p, n):
    while True:
        rows = tuple(int(row) for row in rng.integers(0, 1 << p, size=p))
        matrix = Matrix(rows, p)
        if matrix.is_invertible():
            return gc.Layout(AffineMap(matrix, int(rng.integers(1 << p))), n)


def leaves(content, path=()):
    """The places of all numbers of a file."""
    if isinstance(content, list):
        for k, entry in enumerate(content):
            yield from leaves(entry, (*path, k))
    elif isinstance(content, dict):
        for key, entry in content.items():
            yield from leaves(entry, (*path, key))
    elif isinstance(content, int):
        yield path


@pytest.mark.parametrize(("n", "ports"), [(3, 1), (3, "all"), (4, 2), (5, 1), (6, 1)])
def test_a_file_that_was_tampered_with_is_refused(n, ports, tmp_path):
    """Unless what it claims is true all the same, which an independent count has to confirm."""
    path = tmp_path / "bound.json"
    proof = known_certificate(n, ports)
    proof.save(path)
    assert load_certificate(path) == proof
    text = path.read_text()
    rng = np.random.default_rng(n)
    places = list(leaves(json.loads(text)["tolls"]))
    refused = 0
    for k in rng.choice(len(places), size=12, replace=False):
        content = json.loads(text)
        *way, last = places[k]
        within = content["tolls"]
        for key in way:
            within = within[key]
        within[last] += int(rng.choice([-1, 1, 7])) or 1
        path.write_text(json.dumps(content))
        try:
            read = load_certificate(path)
        except InvalidValueError:
            refused += 1
        else:
            if n < 6:
                shown = paid_over_earned(read.tolls, conversion(n), read.machine)
                assert shown == proof.share
    assert refused >= 9


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "bound.json"
    known_certificate(3, 1).save(path)
    monkeypatch.setattr(certificate, "MAX_TEXT", path.stat().st_size)
    load_certificate(path)
    monkeypatch.setattr(certificate, "MAX_TEXT", path.stat().st_size - 1)
    with pytest.raises(InvalidValueError, match="is larger than"):
        load_certificate(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("share", "2"),
        ("share", "0"),
        ("share", "4/0"),
        ("share", 1.5),
        ("share", "1e1000000000"),
        ("share", " 4/3"),
        ("version", True),
        ("share", "nonsense"),
        ("ports", 2),
        ("ports", "many"),
        ("switching", "circuit"),
        ("source", "(|| b2 b1 b0)"),
        ("target", "(|| b3 b2 b1 b0)"),
        ("version", 2),
        ("format", "graycube plan"),
        ("tolls", []),
        ("tolls", {"links": 1, "send": [], "receive": []}),
        ("tolls", {"links": [[1]], "send": [1], "receive": [1], "more": []}),
        ("extra", 1),
    ],
)
def test_a_file_that_says_something_else_is_refused(key, value, tmp_path):
    path = tmp_path / "bound.json"
    known_certificate(3, 1).save(path)
    content = json.loads(path.read_text())
    content[key] = value
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidValueError, match="is no certificate"):
        load_certificate(path)
    for text in (
        "",
        "{",
        "[]",
        '{"format": 1, "format": 1}',
        "\ud800".encode("utf-8", "replace"),
    ):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InvalidValueError, match="is no certificate"):
            load_certificate(path)


@pytest.mark.parametrize(
    ("links", "send", "receive"),
    [
        ([[1], [-1]], [0, 0], [0, 0]),
        ([[1], [1.5]], [0, 0], [0, 0]),
        ([[1], [1 << 62]], [0, 0], [0, 0]),
        ([[1], [1]], [0, 0], [0, 1 << 62]),
        ([[1], [1]], [0], [0, 0]),
        ([[1]], [0], [0]),
        ([[1, 2], [1]], [0, 0], [0, 0]),
        ([], [], []),
        (3, [], []),
    ],
)
def test_tolls_are_those_of_a_cube(links, send, receive):
    with pytest.raises((InvalidValueError, InvalidTypeError, OutOfRangeError)):
        Tolls(links, send, receive)


def test_no_tolls_prove_nothing():
    none = Tolls(((0, 0),) * 4, (0,) * 4, (0,) * 4)
    assert none.share(conversion(2), gc.Machine(2)) == 0
    with pytest.raises(InvalidValueError, match="3-cube"):
        none.share(conversion(3), gc.Machine(3))
    for n, ports in ((8, 1), (3, 3), (3, [1]), (True, 1), (3.0, 1)):
        with pytest.raises(InvalidValueError, match="n = 3 to 7"):
            known_certificate(n, ports)


def test_plans_have_these_bounds():
    for (n, ports), share in SHARES.items():
        for codes in (("gray", "binary"), ("binary", "gray")):
            layouts = [gc.Layout.nodes(n, code) for code in codes]
            task = gc.Task(*layouts, 1000, 4)
            machine = gc.Machine(n, ports=ports, startup=3.0, per_byte=2.0)
            volumes = {b.name: b.seconds - b.startup for b in lower_bounds(task, machine)}
            assert volumes["flow"] == pytest.approx(float(Fraction(share)) * 8000)


@pytest.mark.parametrize("block", [0, -1, 2.5, "8"])
def test_a_block_has_one_element_or_more(block):
    proof = known_certificate(3, 1)
    assert repr(proof).endswith("1 port: 4/3 K>")
    with pytest.raises((InvalidValueError, InvalidTypeError), match="block is"):
        proof.cycles(block)
