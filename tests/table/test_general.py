"""What general plans cost: as little as their rules promise."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import affine_map, affine_parts
from sweeping import examples

import graycube as gc
from graycube.cost import simulate
from graycube.fourier import exchange_schedules
from graycube.gf2 import AffineMap, Exchange, Matrix, Span
from graycube.planning.candidate import all_candidates
from graycube.schedule import Way, expand, hop
from graycube.table.exchanges import dimension_exchange
from graycube.verify import check_algebra

MANY = settings(max_examples=examples(120))


def candidate(plan, name):
    return next(c for c in plan.candidates if c.algorithm.name == name)


def test_the_bit_that_leaves_memory_in_most_sums_comes_first():
    """Settled in another order, three of the four dimensions would move whole blocks."""
    rows = (0b111101, 0b111111, 0b111001, 0b110101, 0b010000, 0b100000)
    source = gc.Layout(AffineMap.identity(6), 4)
    target = gc.Layout(AffineMap(Matrix.from_rows(rows, 6)), 4)
    plan = gc.plan(source, target, 64, machine=gc.Machine(dims=4))
    assert plan.cost == plan.lower_bound == 4 * 32


@pytest.mark.parametrize("n", range(3, 9))
def test_half_blocks_take_one_exchange_more(n):
    """Gray to binary nodes while memory is reversed: no conversion of codes alone."""
    source = gc.Layout.consecutive(n + 2, n, nodes="gray")
    target = AffineMap(Matrix.permutation([*range(n), n + 1, n])) @ gc.Layout.consecutive(
        n + 2, n
    )
    plan = gc.plan(source, target, 64, machine=gc.Machine(dims=n))
    assert candidate(plan, "exchange").traffic.cycles == (n - 1) * 64
    assert candidate(plan, "half-exchange").traffic.cycles == n * 32
    slow = gc.Machine(dims=n, startup=1e3)
    assert gc.plan(source, target, 64, machine=slow).algorithm == "exchange"


@pytest.mark.parametrize("startup", [1, 30, 100, 300, 1000, 10**5])
def test_groups_are_of_the_best_size(startup):
    n = 8
    machine = gc.Machine(dims=n, switching="circuit", startup=startup)
    source, target = gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n)
    plan = gc.plan(source, target, 1 << 13, machine=machine)

    def price(size):
        widths = [size] * (n // size) + [n % size] * (n % size > 0)
        return sum(((1 << w) - 1) * (startup + (1 << 13 - w)) for w in widths)

    assert candidate(plan, "groups").cost == min(map(price, (2, 3, 4, 6)))
    assert candidate(plan, "all-to-all").cost == price(8)
    assert candidate(plan, "exchange").cost == price(1)


@given(st.data())
@MANY
def test_after_new_numbers_only_what_comes_from_memory_has_to_move(data):
    """Half a block for each node bit that no node can keep, if memory has a part in it."""
    n = data.draw(st.integers(1, 5))
    p = n + data.draw(st.integers(1, 4))
    source, target = (gc.Layout(affine_map(*data.draw(affine_parts(p))), n) for _ in range(2))
    task = gc.Task(source, target, source.block_size * 2)
    found = next(
        c for c in all_candidates(task, gc.Machine(dims=n)) if c.algorithm.name == "relabel"
    )
    sums = Span(task.move.matrix.rows[:n])
    kept = sum(1 << i in sums for i in range(n))
    if found.traffic is not None and any(row >> n for row in task.move.matrix.rows[:n]):
        assert found.traffic.cycles == (n - kept) * task.block // 2


def test_a_candidate_that_cannot_be_written_is_left_out():
    """Its turns last longer than a file can say; half blocks do not."""
    source, target = gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4)
    plan = gc.plan(source, target, 1 << 60, machine=gc.Machine(dims=4))
    assert (plan.algorithm, plan.cycles) == ("exchange", 1 << 61)
    assert "at most" in candidate(plan, "all-to-all").reason


def test_what_everybody_crosses_counts_whole():
    layout = gc.Layout.nodes(2)
    task = gc.Task(layout, AffineMap(Matrix.identity(2), 1) @ layout, 4)
    way = Way(0, task.block, (hop(0, Exchange(flip=1, when=0, want=0), task.n),))
    made = gc.Schedule(task, "by hand", range(0, 4, 4), 4, (way,))
    assert simulate(made).crossings == len(expand(made)) == 16


@pytest.mark.parametrize("block", [8, 24])
def test_a_transpose_trades_every_dimension_once(block):
    """Cyclic to consecutive: node bits and memory bits change places."""
    plan = gc.plan(
        gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3), block, machine=gc.Machine(dims=3)
    )
    assert (plan.algorithm, plan.rounds) == ("exchange", 3)
    assert plan.cycles == 3 * block // 2
    assert plan.traffic.crossings == 3 * (block // 2) << 3


def test_another_order_is_taken_where_it_moves_less():
    """Dimensions 2, 1, 0 and 3, in this order, are crossed by half of each block."""
    source = gc.Layout.parse("(~b0 || ~g3 b3 ~b3^b2^b1 g0)")
    target = gc.Layout.parse("(b4 || b0 b1 b3 b2)")
    plan = gc.plan(source, target, 6, machine=gc.Machine(dims=4))
    assert (plan.algorithm, plan.rounds, plan.cycles) == ("exchange", 4, 12)
    assert plan.optimal
    assert plan.verify()
    x = np.arange(96).reshape(32, 3)
    assert np.array_equal(target.gather(plan.apply(source.scatter(x))), x)


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


def test_rounds_of_units_that_have_nothing_cost_nothing():
    """Three payloads in eight units: more rounds than for whole units are cheaper."""
    source = gc.Layout.parse("(~b3^b2^b1^b0 b0 || g1 ~b4^b2^b0 ~b4^b0)")
    target = gc.Layout.parse("(b4^b3^b2^b1 ~g2 || ~b4^b2^b0 b4^b2^b1^b0 b0)")
    machine = gc.Machine(3, "all", startup=0.48)
    plan = gc.plan(source, target, 24, machine=machine, algorithm="units")
    assert plan.cost == pytest.approx(20.72)
    assert plan.verify()
