"""Prices of phases where links are shared: counted again from single messages."""

import random
from math import inf

import numpy as np
import pytest
from crowds import any_machine, counted
from random_butterflies import random_bits
from sweeping import sweep

import graycube as gc
from graycube.advice import Butterfly, Methods, Scan, Sort, Tridiagonal, homes
from graycube.advice.prices import conversion, options
from graycube.advice.sent import price, work
from graycube.cost.messages import by_turns
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import Replication, Task, delivered
from graycube.schedule.way import are_straight
from graycube.table.messages.all_to_all import delivery


def straight(task, machine, seconds):
    """Everything goes straight to its place, one difference of node numbers after another."""
    task = task.numbered(machine.numbers)
    ways = [delivery(task.move, task.n)]
    return counted(
        delivered(task, "straight", ways, circuits=machine.switching == "circuit"),
        machine,
        seconds,
    )


def a_case(seed):
    chance = random.Random(seed)  # noqa: S311
    machine, seconds = any_machine(chance)
    shape = chance.choice([(64,), (32, 32)])
    places = homes(shape, machine.dims)
    return chance, machine, seconds, shape, places


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(25), *sweep((range(25, 500),), (range(500, 1000),))])
def test_phases_along_an_axis_cost_what_their_messages_take(seeds):
    tried = 0
    for seed in seeds:
        chance, machine, seconds, shape, places = a_case(seed)
        axis = chance.randrange(len(shape))
        phase = chance.choice(
            [Scan(axis), Sort(axis), Tridiagonal(axis, chance.random() < 0.5)]
        )
        layout = chance.choice(places).layout
        try:
            made = work(phase, layout, 8)
        except InvalidValueError:  # an axis that is shorter than its nodes are many
            assert price(phase, layout, 8, machine)[0] == inf
            continue
        expected = sum(straight(task, machine, seconds) for task in made.carried)
        for times, what in made.rounds:
            if isinstance(what, Task):
                expected += times * straight(what, machine, seconds)
            else:  # tests/stencil counts these
                expected += times * what.time(machine)
        told = seed, machine, phase, layout
        assert price(phase, layout, 8, machine)[0] == pytest.approx(expected), told
        tried += expected > 0
    assert tried > len(seeds) / 2


@pytest.mark.parametrize("seeds", [range(8), *sweep((range(8, 250),), (range(250, 500),))])
def test_networks_and_conversions_cost_what_their_plans_take(seeds):
    tried = 0
    for seed in seeds:
        chance, machine, seconds, shape, places = a_case(seed)
        axis = chance.randrange(len(shape))
        source, target = (chance.choice(places).layout for _ in range(2))
        plan = gc.plan(source, target, source.block_size, itemsize=8, machine=machine)
        found, name = conversion(source, target, 8, machine, Methods())
        told = seed, machine, source, target, axis
        if plan.algorithm.startswith("convert") or "relabel" in plan.algorithm:
            continue
        assert (found, name) == (plan.cost, plan.algorithm), told
        assert found >= plan.lower_bound * (1 - 1e-12), told
        tried += check(plan, machine, seconds, told)
        source = AffineMap(Matrix.identity(source.p), chance.randrange(8)) @ source
        bits = random_bits(np.random.default_rng(seed), source.axes[axis].bits)
        ways = options(Butterfly(axis, bits), source, 8, machine, Methods(fft="leave"))
        for way in ways:
            plan = gc.plan_butterfly(source, axis, bits, itemsize=8, machine=machine)
            if plan.algorithm != "convert first":
                assert way.cost == pytest.approx(plan.cost), (told, bits)
                assert way.cost >= plan.lower_bound * (1 - 1e-12), (told, bits)
                tried += check(plan, machine, seconds, told)
    assert tried > len(seeds) / 2


def check(plan, machine, seconds, told):
    """Whether the price was counted again, which pipelines have not exactly."""
    if isinstance(plan.schedule, Replication):  # copies have no moves
        return False
    least = counted(plan.schedule, machine, seconds)
    assert plan.cost >= least * (1 - 1e-12), told
    exact = are_straight(plan.schedule.ways) or by_turns(plan.schedule)
    if exact:
        assert plan.cost == pytest.approx(least), told
    return exact


def test_places_have_the_numbers_of_the_user():
    """Rows of a 4 x 4 torus are squares, over which rings of four pass to neighbours."""
    square = gc.Machine.torus((4, 4), startup=1.0, per_byte=0.0)
    rows, other = (
        gc.Layout.mesh((16, 16), (4, 4)),
        gc.Layout.mesh((16, 16), (4, 4), code="gray"),
    )
    layouts = {"binary": rows, "gray": other}
    found = gc.advise(
        [gc.Stencil(), gc.FFT(0), gc.FFT(0)], machine=square, size=(16, 16), layouts=layouts
    )
    assert found.alternatives[0][0] == "binary"
    assert found.places[0].layout == rows
    plan = gc.plan_fft(rows, 0, itemsize=16, machine=square)
    ways = options(gc.FFT(0), rows, 16, square, Methods(fft="leave"))
    assert [way.cost for way in ways] == [plan.cost]
    x = gc.CubeArray.from_numpy(np.zeros((16, 16)), rows)
    on_cube = gc.Machine(4, "all", "circuit", startup=1.0, per_byte=0.0)
    in_cube = (
        AffineMap(Matrix.block_diagonal([square.numbers.matrix, Matrix.identity(4)])) @ rows
    )
    done = gc.fft(
        gc.CubeArray.from_numpy(np.zeros((16, 16)), in_cube),
        axis=0,
        plan=gc.plan_fft(in_cube, 0, itemsize=16, machine=on_cube),
    )
    assert x.layout == rows
    assert (
        ways[0].after.map.matrix.rows[:4]
        == (square.numbers.inverse().widened(8) @ done.layout).map.matrix.rows[:4]
    )


def test_a_coarse_grid_is_gathered_over_cards():
    """Far messages take long: copies are made within computers, then two far exchanges."""
    near, far = (1.0, 0.0), (100.0, 0.0)
    start, rate = zip(near, near, far, far, strict=True)
    cards = gc.Machine(
        4, (2, 2, 1, 1), "circuit", start, rate, arithmetic=1e-9, share=(1, 1, 4, 4)
    )
    layout = gc.Layout.mesh((16,), (16,))
    phase = gc.Coarse(4, [gc.Loop([gc.Stencil(1)], 10)])
    (way,) = options(phase, layout, 8, cards, Methods())
    assert way.how == "4 on every node"
    assert way.cost == pytest.approx(2 * 1.0 + 2 * 100.0, rel=1e-6)
