"""A chain with sides: every element of small ones, the algebra of large ones, and data."""

from dataclasses import replace

import numpy as np
import pytest
from butterfly_cases import ROWS, addresses, assert_good, assert_moves_are_steps, in_order
from hypothesis import assume, given, settings, strategies as st
from strategies import affine_map, affine_parts, mesh_specs
from sweeping import examples, sweep

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.planning import Plan
from graycube.planning.files import plan_text
from graycube.run.groups import groups
from graycube.schedule import Crossing, Delay, Step, Way, expand
from graycube.table.networks import sided
from graycube.table.networks.register import turns
from graycube.table.networks.sides import NAME
from graycube.verify import check_algebra, check_elements, check_pairs

CODES = ("binary", "gray")
MANY = settings(max_examples=examples(60))


def task_of(layout, axis=0, *, payload=1, descending=True):
    bits = layout.word_bits(axis)
    stages = tuple(reversed(bits) if descending else bits)
    return gc.Task(layout, layout, layout.block_size * payload, stages=stages, free=True)


def done_or_refused(task, merged=0):
    """The network, or nothing if the error says what is missing."""
    try:
        return sided(task, merged)
    except InvalidValueError as error:
        refusal = str(error)
    known = ("bits to trade", "dimensions again", "the nodes have it already", "too little")
    assert [words for words in known if words in refusal]
    return None


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("n", [3, 4, 5, *sweep((6,), (7,))])
def test_cycles_are_half_a_block_and_what_is_left_of_the_chain(n, code):
    coded = code == "gray"
    for m in range(3 + coded, n + 3):
        for merged, payload in ((0, 1), (1, 1), (0, 3)):
            k = m - merged
            if n - coded < 3 or k < 3 + coded:
                continue
            layout = gc.Layout.cyclic(n + m, n, nodes=code)
            made = sided(task_of(layout, payload=payload), merged)
            fill = n - k + coded if k < n else 0
            assert made.cycles == ((1 << k - 1) + fill) * payload << merged
            assert check_algebra(made, gc.Machine(n, "all"))
            if n + m < 12:
                assert_good(made, addresses(layout), in_order(range(n + m), descending=True))
                assert_moves_are_steps(made, addresses(layout))


@pytest.mark.parametrize("n", range(3, 7))
def test_binary_data_take_what_the_bound_says(n):
    for m in range(3, n + 1):
        layout = gc.Layout.cyclic(n + m, n)
        assert sided(task_of(layout)).cycles == butterfly_cycles(layout, 0, 1 << m, n)


@pytest.mark.long
@pytest.mark.parametrize(("n", "m"), [(10, 8), (40, 30), *sweep((64, 20), (30, 60))])
@pytest.mark.parametrize("code", CODES)
def test_large_ones_are_proved(n, m, code):
    made = sided(task_of(gc.Layout.cyclic(n + m, n, nodes=code)))
    assert made.cycles == (1 << m - 1) + (n - m + (code == "gray") if m < n else 0)
    assert check_algebra(made, gc.Machine(n, "all"))


@pytest.mark.parametrize("sides", range(2, 12))
@pytest.mark.parametrize("labels", [1, 2])
def test_no_two_turns_of_an_element_are_one(sides, labels):
    """All states, in either half: each turn once, and never two of one element."""
    width = sides - 1 + labels
    states = np.arange(1 << width)
    for half in (0, 1):
        crossed, found = [], []
        for side, digits in enumerate(turns(sides, width)):
            bit = 0 if side < 2 else side - 1
            flips = half if side == 1 else 0
            crossed.append((states >> bit & 1 ^ flips) == 1)
            odd = [np.bitwise_count(states & bits) & 1 ^ (d, e)[half] for bits, d, e in digits]
            found.append(sum(digit.astype(int) << k for k, digit in enumerate(odd)))
        for k, (mine, turn) in enumerate(zip(crossed, found, strict=True)):
            assert sorted(turn[mine]) == list(range(1 << width - 1))
            for other, its in zip(crossed[:k], found[:k], strict=True):
                assert not (mine & other & (turn == its)).any()


@pytest.mark.parametrize("kind", sorted(ROWS))
@pytest.mark.parametrize("descending", [True, False])
def test_the_allocations_of_table_1(kind, descending):
    layout = ROWS[kind].layout(9, 4)
    made = done_or_refused(task_of(layout, descending=descending))
    if made:
        assert_good(made, addresses(layout), in_order(range(9), descending=descending))
    assert bool(made) == ((kind[0] == "cyclic") == descending)


@given(mesh_specs(room=300, max_axes=3), st.data(), st.integers(0, 1), st.booleans())
@MANY
def test_any_axis_of_any_mesh_is_done_or_refused(spec, data, merged, descending):
    layout = spec.layout()
    axis = data.draw(st.integers(0, len(layout.axes) - 1))
    assume(layout.axes[axis].bits)
    made = done_or_refused(task_of(layout, axis, descending=descending), merged)
    if made:
        stages = in_order(layout.word_bits(axis), descending=descending)
        assert_good(made, addresses(layout), stages)
        assert check_algebra(made, gc.Machine(layout.n, "all"))


@given(st.integers(3, 5), st.integers(3, 4), st.sampled_from(CODES), st.data())
@MANY
def test_any_order_of_dimensions_and_memory_bits(n, m, code, data):
    """Cyclic data, nodes and slots numbered anew: any sums in memory, and constants."""
    cyclic = gc.Layout.cyclic(n + m, n, nodes=code)
    rows, constant = data.draw(affine_parts(m))
    slots, order = affine_map(rows, 0).matrix, data.draw(st.permutations(range(n)))
    moved = Matrix.block_diagonal([Matrix.permutation(order), slots])
    flipped = constant << n | data.draw(st.integers(0, (1 << n) - 1))
    layout = AffineMap(moved, flipped) @ cyclic
    made = done_or_refused(task_of(layout))
    assert made or code == "gray"
    if made:
        assert_good(made, addresses(layout), in_order(range(n + m), descending=True))
        assert_moves_are_steps(made, addresses(layout))
        assert check_algebra(made, gc.Machine(n, "all"))


@pytest.mark.parametrize("bit", [9, 8, 6])  # of sides: of those that say who is late, or not
def test_a_stage_that_joins_classes_in_the_chain_is_refused(bit):
    made = sided(task_of(gc.Layout.cyclic(10, 5)))
    (way,) = made.ways
    chain = [k for k, step in enumerate(way.steps) if step.crossings][1]
    moved = Step(stage=bit)
    steps = [*way.steps[:chain], moved, *way.steps[chain:]]
    steps.remove(moved)
    task = replace(made.task, stages=tuple(s.stage for s in steps if s.stage is not None))
    wrong = replace(made, task=task, ways=(replace(way, steps=tuple(steps)),))
    assert check_algebra(made, gc.Machine(5, "all"))
    assert not check_algebra(wrong, gc.Machine(5, "all"))


def in_two_orders(*joined):
    """Where bit 6 is 0, elements cross dimensions 0, 1, 2 in turn; the others 1, 0, 2."""
    moves = [Exchange(0b1001 << d, 0b1001 << d) for d in range(3)]
    late = [Delay(16, 1 << 6), Delay(4, 1 << 6, want=0), Delay(12, 1 << 6)]
    steps = []
    for d, (move, start) in enumerate(zip(moves, (0, 0, 8), strict=True)):
        others = [moves[other].when for other in range(3) if other != d]
        turns = (Delay(1, others[0]), Delay(2, others[1]), late[d])
        steps.append(Step(move, (Crossing(d, start, turns),)))
    steps[2:2] = [Step(stage=5)]
    steps[1:1] = [Step(stage=bit) for bit in joined]
    way = Way(0, 16, tuple(steps))
    source = gc.Layout(AffineMap.identity(7), 3)
    task = gc.Task(source, way.move(7) @ source, 16, stages=(*joined, 5))
    return gc.Schedule(task, "by hand", range(24), 24, (way,))


@pytest.mark.parametrize(("joined", "right"), [((), True), ((0,), True), ((0, 6), False)])
def test_both_orders_are_proved_but_no_stage_that_joins_elements_of_both(joined, right):
    made, machine = in_two_orders(*joined), gc.Machine(3, "all")
    assert check_elements(expand(made), machine)
    assert bool(check_pairs(expand(made), made.stages)) == right
    assert bool(check_algebra(made, machine)) == right


def transformed(made, machine):
    """What stages that do not commute make of 0, 1, ..., by a plan and without one."""

    def stage(low, high, bit, index):
        return low * 3 + high * 5 + index, high * 7 - low * 2 + bit

    a = gc.CubeArray.from_numpy(np.arange(1 << made.task.p), made.task.source)
    plan = Plan.from_text(plan_text(made, machine), "by hand")
    by_plan, without = (
        gc.butterfly(a, stage, bits=made.stages, plan=given) for given in (plan, None)
    )
    return by_plan.to_numpy(), without.to_numpy()


def with_move_between(flip, when):
    """Two orders, and bit ``when`` is added to a slot bit after the first crossing."""
    made = in_two_orders(0)
    (way,) = made.ways
    steps = (*way.steps[:2], Step(Exchange(1 << flip, 1 << when)), *way.steps[2:])
    way = replace(way, steps=steps)
    task = replace(made.task, target=way.move(7) @ made.task.source)
    made, machine = replace(made, task=task, ways=(way,)), gc.Machine(3, "all")
    assert check_algebra(made, machine)
    return made, machine


@pytest.mark.parametrize(
    ("flip", "when"), [(3, 2), (3, 6), (4, 0), (4, 2), (4, 6), (5, 1), (5, 4), (5, 6)]
)
def test_who_has_gone_ahead_moves_in_memory_as_the_others_do(flip, when):
    assert np.array_equal(*transformed(*with_move_between(flip, when)))


@pytest.mark.parametrize(("flip", "when"), [(3, 1), (3, 4)])
def test_who_goes_ahead_must_not_change_what_the_others_cross(flip, when):
    with pytest.raises(InvalidValueError, match="leave plan= out"):
        transformed(*with_move_between(flip, when))


def test_lines_of_which_a_part_has_gone_ahead_are_refused():
    early, late = Exchange(0b100010, 0b100010), Exchange(0b001100, 0b001100, want=0)
    steps = (
        Step(early, (Crossing(1, 4, (Delay(2, 0b011101), Delay(1, 0b101110))),)),
        Step(stage=2),
        Step(late, (Crossing(2, 0, (Delay(1, 0b011101, want=0), Delay(2, 0b100010, want=0))),)),
    )
    rows = [1, 0b100, 0b10, 0b100000, 0b110000, 0b101000]
    way, source = Way(0, 8, steps), gc.Layout(AffineMap(Matrix.from_rows(rows, 6), 16), 3)
    task = gc.Task(source, way.move(6) @ source, 8, stages=(2,))
    made, machine = gc.Schedule(task, "by hand", range(8), 8, (way,)), gc.Machine(3, "all")
    assert check_algebra(made, machine)
    with pytest.raises(InvalidValueError, match="leave plan= out"):
        transformed(made, machine)


@pytest.mark.parametrize(("mask", "ahead"), [(1 << 5, True), (1 << 0, False)])
def test_a_phase_is_done_ahead_by_a_delay_that_it_does_not_change(mask, ahead):
    late = Delay(8, mask)
    phase = [
        Step(Exchange(0b1001 << d, 0b1001 << d), (Crossing(d, 0, (late,)),)) for d in (0, 1)
    ]
    first = Step(Exchange(0b100100, 0b100100), (Crossing(2, 4),))
    way = Way(0, 8, (first, Step(Exchange(0b10000, 0b1000)), *phase))
    source = gc.Layout(AffineMap.identity(6), 3)
    made = gc.Schedule(gc.Task(source, way.move(6) @ source, 8), "by hand", range(9), 9, (way,))
    assert any(group.late for group in groups(made)) == ahead


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("payload", [(), (3,)])
def test_data_are_transformed(code, payload):
    layout = gc.Layout.cyclic(9, 4, nodes=code)
    x = np.random.default_rng(4).normal(size=(512, *payload)) + 1j
    for startup in (0.0, 1e-4, 1e-2):
        machine = gc.Machine(4, "all", startup=startup, per_byte=1e-6)
        plan = gc.plan_fft(layout, itemsize=16, machine=machine, algorithm=NAME)
        assert plan.verify()
        a = gc.CubeArray.from_numpy(x, layout)
        assert np.allclose(gc.fft(a, axis=0, plan=plan).to_numpy(), np.fft.fft(x, axis=0))


def test_it_is_chosen_where_it_is_cheapest():
    machine = gc.Machine(8, "all", startup=1.0, per_byte=1.0)
    plan = gc.plan_fft(gc.Layout.cyclic(16, 8), itemsize=1, machine=machine)
    assert plan.algorithm == NAME
    others = [c.cost for c in plan.candidates if c.algorithm.name != NAME]
    assert plan.cost < 0.9 * min(others)
