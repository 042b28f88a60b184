"""Several fields in few rounds: proved, followed, carried out, as cheap as the tables say."""

from itertools import product
from math import isclose

import pytest
from all_port_cases import TABLE, assert_carried_out, machine_of
from several_fields import directions, ends_of, task_of
from sweeping import larger, sweep

import graycube as gc
from graycube.cost import simulate
from graycube.table.conversion import Field, converted
from graycube.table.gray.fewer_bytes import (
    MAX_WAYS,
    TWO_BITS,
    _of_field,
    _of_fields,
    _of_table,
    _parts,
    front,
)
from graycube.table.gray.phases import in_phases, too_many
from graycube.table.lanes import in_lanes, lengths, shares_of
from graycube.verify import check_algebra

NAME = "fewer-bytes"
WIDTHS = [(2, 2), (2, 3), (2, 2, 2)]


@pytest.mark.long
@pytest.mark.parametrize(
    "widths",
    [*WIDTHS, *sweep(((3, 3),), ((4, 3),), ((2, 3, 2),), ((4, 4),), ((3, 3, 3),), ((5, 2),))],
)
def test_every_point_takes_every_element_there(widths):
    """As many elements in each round as the tables say, and those that shares leave over."""
    for k, back in enumerate(directions(widths)[:: larger(2, 1)]):
        task = task_of(widths, 120 + k, back)
        fields = converted(task)
        for choice in _of_table(fields, "all")[k % 2 :: 2]:
            ways, parts = _of_fields(fields, "all", choice), _parts(fields, "all", choice)
            assert all(map(isclose, lengths(shares_of(ways)), parts))
            schedule = in_lanes(task, NAME, ways)
            assert_carried_out(schedule, machine_of(task.n), ends_of(task))
            assert simulate(schedule).nonempty <= len(parts)


@pytest.mark.parametrize(
    "widths", [(3, 3), *sweep(((4, 3),), ((4, 4),), ((5, 2),), ((3, 3, 3),), ((2, 2, 3),))]
)
def test_large_blocks_are_proved(widths):
    block = 10**6
    for startup in (0.01 * block, 0.03 * block):
        task, machine = task_of(widths, block), machine_of(sum(widths), startup=startup)
        assert TABLE[NAME].applicable(task, machine) is None
        schedule = TABLE[NAME].emit(task, machine)
        assert len(schedule.ways) <= MAX_WAYS
        assert check_algebra(schedule, machine)
        least = min(r * startup + blocks * block for r, blocks in front(task, machine))
        assert simulate(schedule).time(machine) <= least + 100 * len(schedule.rounds)


@pytest.mark.long
@pytest.mark.parametrize(
    ("widths", "rounds", "cycles"), [((3, 3), 8, 700), ((4, 4), 10, 670), ((2, 5), 12, 652)]
)
def test_start_ups_make_it_the_choice(widths, rounds, cycles):
    """Ring schedules take 14 to 20 rounds, and 672 to 720 cycles."""
    task = task_of(widths, 1000)
    machine = machine_of(sum(widths), startup=20.0)
    plan = gc.plan(task.source, task.target, 1000, machine=machine)
    assert plan.algorithm == NAME
    assert (plan.rounds, plan.cycles) == (rounds, cycles)


def test_fields_of_two_bits_send_half_of_it_round_by_the_lower_half():
    (field,) = converted(task_of((2,), 1))
    for point, rounds in enumerate(TWO_BITS):
        parts = lengths(shares_of(_of_field(field, "all", point)))
        assert len(parts) == rounds
        assert isclose(sum(parts), rounds / (2 * rounds - 2) if rounds > 1 else 1)


def test_where_it_applies():
    for widths, ports, startup, reason in (
        ((3, 3), 6, 20.0, None),
        ((3, 3), 5, 20.0, "6 ports"),
        ((3, 9), 12, 20.0, "2 to 8 bits"),
        ((5, 5), 10, 20.0, f"{MAX_WAYS} ways"),
        ((2,) * 5, 10, 20.0, "one field to 4"),
        ((3, 3), 6, 0.0, "all fields at once"),
        ((3, 3), 6, 1000.0, "all fields at once"),
    ):
        machine = machine_of(sum(widths), ports, startup=startup)
        found = TABLE[NAME].applicable(task_of(widths, 1000), machine)
        assert reason in found if reason else found is None


@pytest.mark.parametrize("widths", [(2, 2), (3, 3), (2, 3)])
def test_ways_are_counted_before_they_are_made(widths):
    fields = converted(task_of(widths, 1))
    for choice in product(range(2), repeat=len(fields)):
        each = [_of_field(field, "all", k) for field, k in zip(fields, choice, strict=True)]
        count = len(in_phases(each))
        assert too_many(each, count - 1)
        assert not too_many(each, count)


def test_the_ways_of_a_node_are_the_whole_block():
    fields = (Field((0, 1, 2), to_binary=True), Field((3, 4), to_binary=False))
    ways = _of_fields(fields, "all", (1, 1))
    totals = [sum(w.weight for w in ways if u & w.mask == w.value) for u in range(32)]
    assert len({*totals}) == 1
