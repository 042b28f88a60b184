"""Pieces in rotated orders: proved, followed and carried out, and the table is no dearer."""

from itertools import product

import pytest
from all_port_cases import (
    DIRECTIONS,
    TABLE,
    assert_carried_out,
    ceil,
    destinations,
    emitted,
    machine_of,
    task_of,
)

import graycube as gc
from graycube.cost import simulate
from graycube.planning import cheapest

NAME = "rotations"
SMALL = [(n, p) for n in range(4, 7) for p in range(2, n - 1)]


@pytest.mark.parametrize(("n", "ports"), SMALL)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_element_arrives_in_the_rounds_claimed(n, ports, direction):
    machine = machine_of(n, ports)
    for block in (1, ports - 1, ports, ports + 1, 13):
        schedule = emitted(NAME, task_of(n, block, direction), machine)
        assert_carried_out(schedule, machine, destinations(n, direction))
        assert [r.longest for r in simulate(schedule).rounds] == (n - 1) * [ceil(block, ports)]
        sizes = {strand.stop - strand.start for strand in schedule.ways}
        assert max(sizes) - min(sizes) <= 1


def dimensions(schedule):
    """Which dimension each strand crosses in each round."""
    return [[h.move.flip.bit_length() - 1 for h in s.steps] for s in schedule.ways]


@pytest.mark.parametrize(("n", "ports"), [*SMALL, (40, 7)])
def test_the_pieces_use_different_dimensions_in_every_round(n, ports):
    ways = dimensions(emitted(NAME, task_of(n, 100, DIRECTIONS[0]), machine_of(n, ports)))
    assert len(ways) == ports
    assert all(sorted(way) == list(range(n - 1)) for way in ways)
    assert all(len(set(used)) == ports for used in zip(*ways, strict=True))


@pytest.mark.parametrize("codes", list(product(DIRECTIONS, repeat=2)))
@pytest.mark.parametrize("ports", [2, 3])
def test_fields_take_turns_whatever_their_directions(codes, ports):
    layouts = (
        gc.Layout.mesh((8, 2, 8), nodes=(8, 2, 8), code=[a, "binary", b])
        for a, b in zip(*codes, strict=True)
    )
    task, machine = gc.Task(*layouts, 7), machine_of(7, ports)
    schedule = emitted(NAME, task, machine)
    ends = [task.move(node) for node in range(1 << 7)]
    assert_carried_out(schedule, machine, ends)
    assert simulate(schedule).cycles == 4 * ceil(7, ports)


@pytest.mark.parametrize(
    ("n", "ports", "reason"),
    [
        (5, 1, "on one port it is gb1"),
        (2, 2, "on one port it is gb1"),
        (5, 4, "on so many ports it is minimum-path"),
        (5, "all", "on so many ports it is minimum-path"),
        (5, 2, None),
        (5, 3, None),
    ],
)
def test_other_numbers_of_ports_have_their_algorithms(n, ports, reason):
    assert TABLE[NAME].applicable(task_of(n, 8), machine_of(n, ports)) == reason


@pytest.mark.parametrize(
    ("n", "blocks"),
    [
        (3, (1, 30)),
        (5, (30,)),
        pytest.param(7, (1, 30, 700, 1 << 16), marks=pytest.mark.sweep),
    ],
)
def test_no_plan_is_dearer_than_pieces_over_the_ports(n, blocks):
    """Whatever the costs: n - 1 rounds, each piece through all dimensions in its own order."""
    for ports, block, startup in product(range(1, n + 1), blocks, (0, 8, 100)):
        machine = machine_of(n, ports, startup=startup)
        simple = (n - 1) * (startup + ceil(block, min(ports, n - 1)))
        assert cheapest(task_of(n, block), machine).cost <= simple


def test_they_are_what_the_table_lacked_at_middling_sizes():
    machine = gc.Machine(dims=9, ports=6, startup=2e-6, per_byte=1e-9)
    chosen = gc.plan(gc.Layout.nodes(9, "gray"), gc.Layout.nodes(9), 4096, machine=machine)
    others = [c.cost for c in chosen.candidates if c.algorithm.name not in (NAME, "relabel")]
    assert chosen.algorithm == NAME
    assert min(others) > 1.05 * chosen.cost
