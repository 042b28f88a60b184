"""Any layout to any other: planned, proved, followed, and carried out on data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import affine_map, affine_parts, mesh_specs, recoded
from sweeping import examples

import graycube as gc
from graycube.fourier import exchange_schedules
from graycube.gf2 import AffineMap, Matrix, compose
from graycube.gf2.factor import factor
from graycube.schedule import dump, load
from graycube.simulate import simulate
from graycube.table import dimension_exchange
from graycube.verify import check_algebra, check_elements

MANY = settings(max_examples=examples(150))


@st.composite
def affine_maps(draw, p):
    return affine_map(*draw(affine_parts(p)))


@given(st.data())
@MANY
def test_factors_compose_to_the_map(data):
    n = data.draw(st.integers(0, 5))
    p = n + data.draw(st.integers(1, 4))
    move = data.draw(affine_maps(p))
    exchanges = factor(move, n)
    assert compose(exchanges, p) == move
    low = (1 << n) - 1
    assert all((exchange.flip & low).bit_count() <= 1 for exchange in exchanges)


@given(st.data())
@MANY
def test_low_bits_that_keep_their_values_are_flipped_for_others_only(data):
    """Where no low bit depends on another, every changed one is flipped once."""
    n, slots = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 4))
    order = list(range(n, n + slots))
    traded = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, min(n, slots)))]
    places = list(range(n + slots))
    for bit, slot in zip(traded, order, strict=False):
        places[bit], places[slot] = places[slot], places[bit]
    flips = [e.flip & ((1 << n) - 1) for e in factor(AffineMap(Matrix.permutation(places)), n)]
    assert sorted(f for f in flips if f) == sorted(1 << bit for bit in traded)


def assert_plan_is_right(source, target, payload):
    machine = gc.Machine(dims=source.n, startup=1.0)
    plan = gc.plan(source, target, source.block_size * payload, machine=machine)
    assert plan.verify()
    assert check_elements(plan.moves(), machine)
    assert load(dump(plan.schedule)) == plan.schedule
    assert plan.lower_bound <= plan.cost
    assert plan.schedule.cycles == plan.cycles  # no round is longer than its messages
    x = np.arange(source.size * payload).reshape(*source.shape, payload)
    moved = plan.apply(source.scatter(x))
    assert np.array_equal(target.gather(moved), x)
    assert len(plan.moves()) == plan.traffic.crossings


@given(st.data())
@MANY
def test_random_affine_layouts(data):
    n, slots = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 3))
    source, target = (gc.Layout(data.draw(affine_maps(n + slots)), n) for _ in range(2))
    assert_plan_is_right(source, target, data.draw(st.sampled_from([1, 2, 3])))


@given(st.data())
@MANY
def test_meshes_of_the_same_shape(data):
    spec = data.draw(mesh_specs(room=200, max_axes=3))
    source, target = spec.layout(), data.draw(recoded(spec)).layout()
    if (source.n, source.axes) == (target.n, target.axes) and source.p > source.n:
        assert_plan_is_right(source, target, 1)


@pytest.mark.parametrize("block", [8, 24])
def test_a_transpose_trades_every_dimension_once(block):
    """Cyclic to consecutive: node bits and memory bits change places."""
    plan = gc.plan(
        gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3), block, machine=gc.Machine(dims=3)
    )
    assert (plan.algorithm, plan.rounds) == ("exchange", 3)
    assert plan.cycles == 3 * block // 2
    assert plan.traffic.crossings == 3 * (block // 2) << 3


def test_what_stays_on_its_node_crosses_no_link():
    source = gc.Layout.cyclic(5, 2)
    target = gc.Layout.cyclic(5, 2, slots="gray")
    plan = gc.plan(source, target, 8, machine=gc.Machine(dims=2, startup=1.0))
    assert (plan.cost, plan.cycles, plan.rounds) == (0.0, 0, 0)
    x = np.arange(32)
    assert np.array_equal(target.gather(plan.apply(source.scatter(x))), x)


def test_one_element_a_node_trades_places_without_memory():
    """Three conditional flips swap two bits."""
    swap = AffineMap(Matrix.permutation([1, 0, 2]))
    task = gc.Task(gc.Layout.nodes(3), swap @ gc.Layout.nodes(3), 1)
    schedule = dimension_exchange.emit(task, gc.Machine(dims=3))
    assert len(schedule.rounds) == 3
    assert check_algebra(schedule, gc.Machine(dims=3))


@pytest.mark.parametrize("n", range(1, 11))
@pytest.mark.parametrize("allocation", [gc.Layout.cyclic, gc.Layout.consecutive])
def test_transforms_of_gray_coded_data_transfer_as_much_as_of_binary_data(n, allocation):
    """TR-764, in the simulator: elements over links and cycles, on one port."""
    figures = []
    for code in ("binary", "gray"):
        made = exchange_schedules(allocation(n + 3, n, nodes=code), axis=0, block=16)
        traffic = [simulate(schedule) for schedule in made]
        assert all(check_algebra(schedule, gc.Machine(dims=n)) for schedule in made)
        figures.append((sum(t.crossings for t in traffic), sum(t.cycles for t in traffic)))
    assert figures[0] == figures[1]
    if allocation == gc.Layout.cyclic:
        assert figures[0] == (n * 8 << n, n * 8)  # half a block over every dimension, once
