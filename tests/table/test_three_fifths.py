"""The conversion in three fifths: proved, followed, carried out, and as fast as it says."""

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
from graycube.cost import replay, simulate
from graycube.schedule import expand

NAME = "three-fifths"
EVERY, SOME = (*range(1, 12), 23, 40), (1, 2, 4, 5, 6, 11, 23)


def groups(block):
    return -(-block // 5)


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "blocks"),
    [
        (3, EVERY[::2]),
        *((n, SOME) for n in (4, 5)),
        *sweep(*((n, EVERY) for n in (3, 4, 5)), *((n, SOME) for n in (6, 7, 8))),
    ],
)
def test_every_element_arrives(n, blocks):
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


def test_no_link_carries_more_than_three_fifths():
    for n in (3, 5):
        schedule = emitted(NAME, task_of(n, 50), machine_of(n))
        assert replay(expand(schedule)).link_loads.max() == 30


@pytest.mark.parametrize("startup", [1.0, 2000.0, *sweep((50.0,))])
def test_start_ups_make_units_larger(startup):
    machine = machine_of(4, startup=startup)
    schedule = emitted(NAME, task_of(4, 1000), machine)
    assert_carried_out(schedule, machine, destinations(4))
    assert schedule.rounds.step > 1
    plan = gc.plan(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 10**5, machine=machine)
    assert plan.cost <= next(c.cost for c in plan.candidates if c.algorithm.name == NAME)
