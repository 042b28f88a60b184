"""Several fields in three fifths: proved, followed, carried out, and as fast as it says."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from all_port_cases import TABLE, assert_carried_out, machine_of
from hypothesis import given, strategies as st
from several_fields import directions, ends_of, task_of
from sweeping import larger, sweep

import graycube as gc
from graycube.cost import replay, simulate
from graycube.schedule import expand
from graycube.table.conversion import Field, converted
from graycube.table.gray import field_phases
from graycube.table.gray.class_routes import _List, _route, _TopStep, begin, routes
from graycube.table.gray.field_phases import _begun, _last, _rounds
from graycube.verify import check_algebra

NAME = "field-phases"
WIDTHS = [(2, 2), (2, 3), (3, 3), (4, 3), (2, 5), (4, 4), (2, 2, 2), (3, 3, 2), (3, 3, 3)]
NARROW = [*WIDTHS[:3], (2, 2, 2)]
TABLES = ("fifths of three bits", "fifths of two bits", "halves of two bits")


def emitted(task, **costs):
    return TABLE[NAME].emit(task, machine_of(task.n, **costs))


def cycles_of(task):
    """By the law for large blocks, if it is one."""
    return _rounds(converted(task), task.block)


@pytest.mark.parametrize(
    "widths", [*NARROW, *sweep(*((w,) for w in WIDTHS[3:] if w != NARROW[-1]))]
)
def test_every_element_arrives(widths):
    blocks = (1, 3, 6, 11, 33) if sum(widths) < 7 else (1, 7, 13, 40)
    turns = larger(2, 1)
    for k, block in enumerate(blocks):
        for back in directions(widths)[k % turns :: turns]:
            task = task_of(widths, block, back)
            schedule = emitted(task)
            assert_carried_out(schedule, machine_of(task.n), ends_of(task))
            cycles = simulate(schedule).cycles
            assert cycles <= schedule.cycles == cycles_of(task)
            assert cycles == schedule.cycles or block < 5 * len(widths)  # gaps


@pytest.mark.long
@pytest.mark.parametrize(
    "widths", [*WIDTHS, (9, 2), (2, 2, 2, 2), *sweep(((5, 5, 5),), ((8, 2, 3, 3),))]
)
def test_pipelines_fill_once(widths):
    """For whole groups that are at least as many as the widest field has bits."""
    fields, wide = len(widths), max(widths)
    for back in directions(widths):
        for count in (max(wide, 3), 20, 100, 2000):
            if wide > 2:
                task, cycles = (
                    task_of(widths, 5 * fields * count, back),
                    3 * fields * count + wide,
                )
            else:
                task, cycles = task_of(widths, 2 * fields * count, back), fields * count + 2
            assert emitted(task).cycles == cycles
        assert cycles_of(task_of(widths, 10_000, back)) <= 12 + (6000 if wide > 2 else 5000)


@pytest.mark.parametrize("widths", [(2, 2), (3, 3), (4, 2), (3, 3, 2), *sweep(((5, 4),))])
@pytest.mark.parametrize("block", [7, 60])
def test_no_phase_could_begin_a_cycle_earlier(widths, block, monkeypatch):
    """Where phases follow each other too soon, the proof says so."""
    task = task_of(widths, block, back=[0])
    machine = machine_of(task.n)
    assert check_algebra(emitted(task), machine)
    for first in range(1, len(widths)):
        monkeypatch.setattr(field_phases, "_begun", partial(hastened, first=first))
        assert not check_algebra(emitted(task), machine)


def hastened(fields, units, first):
    """Every start from a phase on is a round early."""
    return [
        [
            begun._replace(
                starts=[[start - (p >= first) for start in each] for each in begun.starts]
            )
            for p, begun in enumerate(share)
        ]
        for share in _begun(fields, units)
    ]


@given(st.lists(st.tuples(st.integers(2, 9), st.booleans()), min_size=2, max_size=4), st.data())
def test_the_law_for_large_blocks_counts_what_is_begun(given_fields, data):
    fields = tuple(Field((*range(width),), to_binary) for width, to_binary in given_fields)
    units = data.draw(st.integers(1, 5 * len(fields) * 15))
    assert _rounds(fields, units) == _last(_begun(fields, units))


@pytest.mark.long
@pytest.mark.parametrize(
    "widths", [(6, 6), (4, 3, 2, 5), *sweep(((9, 3),), ((15, 15),), ((5, 5, 5),))]
)
def test_large_cubes_are_proved(widths):
    for back in directions(widths)[:: larger(2 * len(widths) - 1, 3)]:
        schedule = emitted(task_of(widths, 10**6, back))
        assert check_algebra(schedule, machine_of(sum(widths)))
        assert simulate(schedule).cycles == schedule.cycles == cycles_of(schedule.task)
        assert schedule.cycles <= 600_000 + max(widths) + 12 * bool(10**6 % (5 * len(widths)))


@pytest.mark.parametrize("widths", [(3, 3), (3, 5), (2, 3), (3, 3, 2)])
def test_no_link_carries_more_than_three_fifths(widths):
    block = 10 * len(widths)
    schedule = emitted(task_of(widths, block))
    assert replay(expand(schedule)).link_loads.max() == 3 * block // 5


def test_no_link_carries_more_than_half_where_all_fields_have_two_bits():
    schedule = emitted(task_of((2, 2), 40))
    assert replay(expand(schedule)).link_loads.max() <= 20 + 2


@pytest.mark.parametrize("startup", [1.0, 50.0, 2000.0])
def test_start_ups_make_units_larger(startup):
    task, machine = task_of((3, 4), 1000, back=[1]), machine_of(7, startup=startup)
    schedule = emitted(task, startup=startup)
    assert_carried_out(schedule, machine, ends_of(task))
    unit = schedule.rounds.step
    assert field_phases.price(task, machine) == len(schedule.rounds) * (startup + unit)
    assert schedule.rounds.step > 1


def test_where_it_applies():
    machine = machine_of(6)
    for widths in ((2, 4), (3, 3), (2, 2, 2), (2, 2, 1, 1)):
        assert TABLE[NAME].applicable(task_of(widths, 5), machine) is None
    assert TABLE[NAME].applicable(task_of((2, 2, 1, 1), 5), machine_of(6, 4)) is None
    assert "6 ports" in TABLE[NAME].applicable(task_of((2, 4), 5), machine_of(6, 5))
    for widths in ((6,), (5, 1), (1, 1, 4)):
        assert "fields" in TABLE[NAME].applicable(task_of(widths, 5), machine)
    assert "fields" in TABLE[NAME].applicable(task_of((2,) * 5, 5), machine_of(10))


@pytest.mark.parametrize("widths", [(4, 4), (5, 5, 5), (2, 2, 2, 2), (4, 4, 4, 4)])
def test_there_are_few_strands(widths):
    assert len(emitted(task_of(widths, 10**6)).ways) <= 43 * len(widths)


@pytest.mark.parametrize("widths", [(2, 3), (2, 2, 2), *sweep(((3, 3),))])
def test_it_is_chosen_for_large_blocks(widths):
    task = task_of(widths, 1000)
    plan = gc.plan(task.source, task.target, 1000, machine="ideal")
    assert plan.algorithm == NAME
    assert plan.cost <= 1.02 * plan.lower_bound
    data = np.random.default_rng(0).standard_normal((*task.source.shape, 1000))
    moved = plan.apply(task.source.scatter(data))
    assert np.array_equal(task.target.gather(moved), data)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("to_binary", [True, False])
def test_each_table_converts_on_its_own(table, to_binary):
    """Every part from all nodes, each once."""
    parts = 5 if "fifths" in table else 2
    for width in (2,) if "two" in table else (3, 5):
        task, field = (
            task_of((width,), 1, [0] * (not to_binary)),
            Field((*range(width),), to_binary),
        )
        begun = begin(field, table, [1000] * parts, [0] * parts, {})
        for part in routes(field, table, [1000] * parts, begun.starts):
            homes = [u for u in range(1 << width) for r in part if u & r.mask == r.value]
            assert sorted(homes) == list(range(1 << width))
            for route, home in product(part, range(1 << width)):
                end = home
                for _, exchange in route.steps:
                    end = exchange(end)
                assert end == ends_of(task)[home] or home & route.mask != route.value


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("to_binary", [True, False])
def test_repetitions_follow_without_a_gap(table, to_binary):
    parts, busiest = (5, 3) if "fifths" in table else (2, 1)
    for width in (2,) if "two" in table else (3, 4, 10, 40):
        units, free = width + 1, {}
        for count in range(1, 5):
            begun = begin(
                Field((*range(width),), to_binary), table, [units] * parts, [0] * parts, free
            )
            assert begun.rounds <= count * busiest * units + width


TOP_STEPS = st.tuples(st.integers(0, 2), st.integers(0, 7), st.integers(0, 1)).filter(
    lambda step: not step[1] >> step[0] & 1 and step[1] >= step[2]
)


@given(st.lists(TOP_STEPS, max_size=6), st.integers(0, 6))
def test_lower_dimensions_are_crossed_by_what_the_bits_were_at_first(steps, place):
    steps.insert(place, (-1, 0, 0))
    entry = _List(0, 0, 0, tuple(_TopStep(*step, turn=0) for step in steps))
    route = _route(Field((0, 1, 2, 3, 4), to_binary=True), 3, entry, range(len(steps)), 1)
    for home in range(32):
        end = home
        for _, exchange in route.steps:
            end = exchange(end)
        crossed = [(home >> d + 1).bit_count() & 1 for d in (0, 1)]
        assert [(home ^ end) >> d & 1 for d in (0, 1)] == crossed
