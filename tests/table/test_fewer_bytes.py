"""Fewer bytes for more start-ups: proved, followed, carried out, and as cheap as it says."""

import json
from collections import defaultdict
from fractions import Fraction
from importlib.resources import files

import pytest
from all_port_cases import (
    DIRECTIONS,
    TABLE,
    assert_carried_out,
    destinations,
    emitted,
    machine_of,
    task_of,
)
from sweeping import sweep

import graycube as gc
from graycube.cost import simulate
from graycube.table.fewer_bytes import PORTS, SIZES, TOP
from graycube.verify import check_algebra

NAME = "fewer-bytes"
STARTUPS = (0.0, 1e-3, 5e-3)


@pytest.mark.parametrize(
    ("n", "ports"), [(4, 1), (4, 2), (5, 1), (5, 2), *sweep((6, 1), (6, 2), (7, 1), (8, 1))]
)
def test_every_element_arrives(n, ports):
    """At every point of the table that some start-up makes the cheapest."""
    block, seen = 120 if n < 6 else 300, set()
    for number, startup in enumerate(STARTUPS):
        machine = machine_of(n, ports, startup=startup * block)
        for direction in DIRECTIONS[number % 2 :][: 1 if n > 6 else 2]:
            task = task_of(n, block, direction)
            if TABLE[NAME].applicable(task, machine) is not None:
                continue
            schedule = emitted(NAME, task, machine)
            assert_carried_out(schedule, machine, destinations(n, direction))
            seen.add(simulate(schedule).nonempty)
    assert seen


@pytest.mark.parametrize(
    ("n", "volume"), [(4, 1.77), (5, 2.24), (6, 2.7517), *sweep((7, 3.43))]
)
def test_one_port_moves_fewer_bytes_than_gb3(n, volume):
    """For n = 6 no more than 5 percent above 76/29, which is the least of all."""
    task, machine = task_of(n, 10**6), machine_of(n, 1)
    schedule = emitted(NAME, task, machine)
    assert check_algebra(schedule, machine)
    assert simulate(schedule).cycles <= volume * 10**6
    plan = gc.plan(task.source, task.target, 10**6, machine=machine)
    assert plan.algorithm == NAME
    assert plan.cycles == simulate(schedule).cycles


@pytest.mark.parametrize("n", [9, *sweep((12,), (16,), (30,))])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_large_cubes_are_proved(n, direction):
    task, machine = task_of(n, 10**6, direction), machine_of(n, 1)
    schedule = emitted(NAME, task, machine)
    assert check_algebra(schedule, machine)
    assert simulate(schedule).cycles <= (n / 2 - 0.1) * 10**6


@pytest.mark.parametrize("ports", PORTS)
@pytest.mark.parametrize("n", [4, 5, *sweep((6,), (7,))])
def test_the_price_of_a_point_is_what_the_simulator_counts(n, ports):
    """Up to the rounding of shares: an element for each way of a round."""
    for startup in (0.0, 300.0):
        task, machine = task_of(n, 10**5), machine_of(n, ports, startup=startup)
        if TABLE[NAME].applicable(task, machine) is None:
            cost = simulate(emitted(NAME, task, machine)).time(machine)
            gb3 = simulate(emitted("gb3", task, machine)).time(machine)
            assert cost <= gb3 * 1.002


def test_start_ups_decide():
    """Many short rounds, then few long ones, then those of GB3."""
    rounds = []
    for startup in (0.0, 3e3, 8e3, 1e5):
        machine = machine_of(6, 1, startup=startup)
        plan = gc.plan(*(gc.Layout.nodes(6, c) for c in DIRECTIONS[0]), 10**6, machine=machine)
        rounds.append((plan.rounds, plan.algorithm))
    assert [r for r, _ in rounds] == sorted((r for r, _ in rounds), reverse=True)
    assert rounds[0][1] == NAME
    assert rounds[-1] == (6, "gb3")
    assert len({r for r, _ in rounds}) >= 3


def test_packets_are_start_ups():
    machine = machine_of(5, 1, startup=100.0, packet=1000)
    task = task_of(5, 10**5)
    schedule = emitted(NAME, task, machine)
    assert check_algebra(schedule, machine)
    assert simulate(schedule).time(machine) < simulate(emitted("gb3", task, machine)).time(
        machine
    )


def test_a_field_may_lie_anywhere_among_the_dimensions():
    for dims, rest in (((4, 1, 3, 0), (2,)), ((0, 2, 3, 4), (1,))):
        coded, plain = (
            gc.Layout.mesh((16, 2), (16, 2), code=(code, "binary"), dims=(dims, rest))
            for code in ("gray", "binary")
        )
        for pair in ((coded, plain), (plain, coded)):
            task = gc.Task(*pair, 90)
            schedule = TABLE[NAME].emit(task, machine_of(5, 1))
            ends = [task.target.locate(*task.source.coordinates(u, 0))[0] for u in range(32)]
            assert_carried_out(schedule, machine_of(5, 1), ends)


def test_where_it_applies():
    machine = machine_of(6, 1)
    assert TABLE[NAME].applicable(task_of(6, 1000), machine) is None
    for task, other, why in (
        (task_of(3, 1000), machine_of(3, 1), "4 bits"),
        (task_of(6, 1000), machine_of(6), "all of its ports"),
        (task_of(7, 1000), machine_of(7, 2), "4 to 6 bits"),
        (task_of(6, 1000), machine_of(6, 1, startup=1e6), "start-ups cost more"),
        (task_of(6, 1), machine, "start-ups cost more"),
    ):
        assert why in TABLE[NAME].applicable(task, other)


@pytest.mark.parametrize(
    ("bits", "ports"), [*((n, p) for n in SIZES for p in PORTS), (f"top{TOP}", 1)]
)
def test_tables_have_walks_to_where_gray_code_goes(bits, ports):
    """Read here without the algorithm: ways, weights, and one link of a node in a round."""
    path = files("graycube.table") / "tables" / f"fewer_bytes_{bits}_{ports}.json"
    for point in json.loads(path.read_text()):
        weights = defaultdict(int)
        out, into = defaultdict(set), defaultdict(set)
        low = defaultdict(lambda: [0, 0])
        for start, weight, flat in point:
            node, last, crossed = start, -1, 0
            assert start % 2 == 0
            for number, d in zip(flat[::2], flat[1::2], strict=True):
                assert number > last
                last = number
                if bits == f"top{TOP}" and d == TOP:
                    low[node >> 1][crossed % 2] += weight
                    continue
                out[number, node >> 1].add(d)
                node, crossed = node ^ 1 << d, crossed + 1
                into[number, node >> 1].add(d)
            assert node >> 1 == gc.gray_inverse(start) >> 1
            weights[start] += weight
        assert max(len(some) for some in (*out.values(), *into.values())) <= ports
        assert max(abs(Fraction(w, 10_000) - 1) for w in weights.values()) < Fraction(1, 200)
        if bits == f"top{TOP}":
            assert len(low) == 1 << TOP - 1
            assert max(abs(w - 5000) for pair in low.values() for w in pair) < 30
