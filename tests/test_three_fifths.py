"""The conversion in three fifths: proved, followed, carried out, and as fast as it says."""

import numpy as np
import pytest
from all_port_cases import (
    DIRECTIONS,
    TABLE,
    assert_carried_out,
    destinations,
    distributed,
    emitted,
    machine_of,
    task_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeping import examples, sweep

import graycube as gc
from graycube.schedule import expand
from graycube.simulate import replay, simulate
from graycube.verify import check_algebra, check_elements

NAME = "three-fifths"


def groups(block):
    return -(-block // 5)


@pytest.mark.parametrize("n", [3, 4, 5, 6, *sweep((7,), (8,))])
def test_every_element_arrives(n):
    blocks = (*range(1, 12), 23, 40) if n < 6 else (1, 2, 4, 5, 6, 11, 23)
    for block in blocks:
        for direction in DIRECTIONS if block < 12 else DIRECTIONS[block % 2 :][:1]:
            schedule = emitted(NAME, task_of(n, block, direction), machine_of(n))
            assert_carried_out(schedule, machine_of(n), destinations(n, direction))
            cycles = simulate(schedule).cycles
            assert cycles <= schedule.cycles == TABLE[NAME].cycles((n,), block)
            assert cycles == schedule.cycles or block < 2 * n  # a pipeline with gaps


@pytest.mark.parametrize("n", range(3, 17))
def test_as_many_cycles_as_the_theory_says(n):
    """For whole groups of five that are as many as the lower dimensions."""
    for count in (n, 20, 100, 2000):
        cycles = TABLE[NAME].cycles((n,), 5 * count)
        assert cycles == 3 * count + max(2, n - 2)
        assert all(TABLE[NAME].cycles((n,), 5 * count - k) <= cycles for k in range(5))
    assert TABLE[NAME].cycles((n,), 10_000) <= 1.005 * 6000


@pytest.mark.parametrize("n", range(3, 17))
def test_the_best_of_the_table_is_within_the_formula_for_every_block(n):
    machine = machine_of(n)
    for block in (*range(1, 30), 47, 64, 100, 333, 1000):
        task = task_of(n, block)
        made = (a for a in gc.algorithms() if a.cycles and not a.applicable(task, machine))
        best = min(a.cycles((n,), block) for a in made if a.name != "relabel")
        assert best <= 3 * groups(block) + n - 1


@pytest.mark.parametrize("n", [9, 16, *sweep((12,), (30,), (60,))])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_large_cubes_are_proved(n, direction):
    schedule = emitted(NAME, task_of(n, 10**6, direction), machine_of(n))
    assert check_algebra(schedule, machine_of(n))
    assert schedule.cycles == 600_000 + n - 2


def test_no_link_carries_more_than_three_fifths():
    for n in (3, 5):
        schedule = emitted(NAME, task_of(n, 50), machine_of(n))
        assert replay(expand(schedule)).link_loads.max() == 30


@pytest.mark.parametrize("n", [3, 4, *sweep((6,))])
def test_nodes_that_know_their_own_actions_convert_the_data(n):
    for block in (1, 4, 5, 13):
        for direction in DIRECTIONS:
            schedule = emitted(NAME, task_of(n, block, direction), machine_of(n))
            held, peak = distributed(schedule)
            for home, end in enumerate(destinations(n, direction)):
                assert held[end] == [(place, (home, place)) for place in range(block)]
            assert check_elements(expand(schedule), machine_of(n)).peak == peak


@given(st.permutations(range(5)), st.integers(3, 5), st.integers(1, 40), st.booleans())
@settings(max_examples=examples(60))
def test_a_field_may_lie_anywhere_among_the_dimensions(order, width, block, back):
    dims, rest = order[:width], order[width:]
    layouts = [
        gc.Layout.mesh(
            (1 << width, 1 << 5 - width),
            (1 << width, 1 << 5 - width),
            code=(code, "binary"),
            dims=(dims, rest),
        )
        for code in ("gray", "binary")
    ]
    task = gc.Task(*(layouts[::-1] if back else layouts), block)
    schedule = TABLE[NAME].emit(task, machine_of(5))
    ends = [task.target.locate(*task.source.coordinates(node, 0))[0] for node in range(32)]
    assert_carried_out(schedule, machine_of(5), ends)


@pytest.mark.parametrize("startup", [1.0, 50.0, 2000.0])
def test_start_ups_make_units_larger(startup):
    machine = machine_of(6, startup=startup)
    schedule = emitted(NAME, task_of(6, 1000), machine)
    assert_carried_out(schedule, machine, destinations(6))
    assert schedule.rounds.step > 1
    plan = gc.plan(gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6), 10**5, machine=machine)
    assert plan.cost <= next(c.cost for c in plan.candidates if c.algorithm.name == NAME)


def test_where_it_applies():
    for n in range(1, 8):
        for ports in (1, "all"):
            applies = TABLE[NAME].applicable(task_of(n, 5), machine_of(n, ports)) is None
            assert applies == (n >= 3 and ports == "all")
    meshes = (gc.Layout.mesh((8, 8), nodes=(8, 8), code=c) for c in ("gray", "binary"))
    assert "one field" in TABLE[NAME].applicable(gc.Task(*meshes, 5), machine_of(6))


def test_real_data_arrive():
    plan = gc.plan(
        gc.Layout.nodes(7, "gray"), gc.Layout.nodes(7), 200, machine="ideal", algorithm=NAME
    )
    data = np.random.default_rng(0).standard_normal((128, 200))
    moved = plan.apply(plan.task.source.scatter(data.reshape(128, 200)))
    assert np.array_equal(plan.task.target.gather(moved), data)
