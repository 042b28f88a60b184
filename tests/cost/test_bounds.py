"""No schedule is below a bound: of all algorithms, over shortest paths, and at random."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, strategies as st
from schedule_cases import (
    every_machine,
    longest_messages,
    random_schedules,
    recodings,
    subcube_schedules,
)
from sweeping import law

import graycube as gc
from graycube.cost import lower_bounds, minimum_path_bound, simulate
from graycube.schedule import expand
from graycube.verify import check_algebra

COSTS = st.sampled_from([0.0, 1.0, 1e-3, 7.0, 1e4])


@st.composite
def priced(draw, n):
    """Machines of all kinds, with costs; not everything is free."""
    return gc.Machine(
        n,
        draw(st.integers(1, n) | st.just("all")),
        draw(st.sampled_from(("store-and-forward", "circuit"))),
        startup=draw(COSTS),
        per_byte=draw(COSTS),
        packet=draw(st.none() | st.integers(1, 60)),
    )


@pytest.mark.long
@law(30, 300, recodings(), st.data())
def test_no_algorithm_is_below_a_bound(task, data):
    machine = data.draw(priced(task.n))
    bounds = lower_bounds(task, machine)
    for algorithm in gc.algorithms():
        if algorithm.name == "relabel" or algorithm.applicable(task, machine) is not None:
            continue
        schedule = algorithm.emit(task, machine)
        assert check_algebra(schedule, machine)
        time = simulate(schedule).time(machine)
        for bound in bounds:
            assert bound.seconds <= time * (1 + 1e-9), (algorithm.name, bound)


@law(30, 300, recodings(), st.data())
def test_no_algorithm_over_shortest_paths_is_below_their_bound(task, data):
    machine = data.draw(priced(task.n))
    assume(machine.switching == "store-and-forward")
    bound = minimum_path_bound(task, machine).seconds
    for algorithm in gc.algorithms():
        if algorithm.name not in ("gb1", "any-order", "pipelined", "minimum-path"):
            continue
        if algorithm.applicable(task, machine) is None:
            time = simulate(algorithm.emit(task, machine)).time(machine)
            assert bound <= time * (1 + 1e-9), algorithm.name


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("ports", [1, "all"])
def test_a_task_with_nothing_to_convert_is_planned_on_every_machine(n, ports):
    layout, code = gc.Layout.nodes(n), "gray" if n == 1 else "binary"
    costs = product((0.0, 1.0), (0.0, 1e-3, 1.0), (None, 1, 4), (1, 2, 3, 7, 10))
    for startup, per_byte, packet, block in costs:
        machine = gc.Machine(n, ports, startup=startup, per_byte=per_byte, packet=packet)
        plan = gc.plan(gc.Layout.nodes(n, code), layout, block, machine=machine)
        assert plan.cost == plan.lower_bound == 0.0


SIZES = st.sampled_from([(1, None), (1, 1), (12, 5), (12, 40), (64, 8)])
"""Bytes of an element and of a packet, which may be less."""


@pytest.mark.long
@law(60, 600, st.one_of(subcube_schedules(), random_schedules()), COSTS, COSTS, SIZES)
def test_no_random_schedule_is_below_a_bound(schedule, startup, per_byte, sizes):
    """Any affine task that a schedule is proved to do, slots and all."""
    assume(schedule.relabel is None)
    itemsize, packet = sizes
    task = replace(schedule.task, itemsize=itemsize)
    moves = expand(schedule)
    for kind in every_machine(schedule.task.n):
        if check_algebra(schedule, kind):
            costs = startup, per_byte, packet
            machine = gc.Machine(kind.dims, kind.ports, kind.switching, *costs)
            messages = [k * itemsize for k in longest_messages(moves).values()]
            time = sum(map(machine.message_time, messages))
            for bound in lower_bounds(task, machine):
                assert bound.seconds <= time * (1 + 1e-9), bound
