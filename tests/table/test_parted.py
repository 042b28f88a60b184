"""Blocks that are parted on several ports: rotated orders, and two messages at a time."""

import importlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from sweeping import sweep
from way_mutants import judge, mutant

import graycube as gc
from graycube.cost import simulate
from graycube.errors import GraycubeError, InvalidValueError
from graycube.gf2 import Exchange
from graycube.run.local import apply
from graycube.run.scripts import scripts
from graycube.run.together import rehearse
from graycube.schedule import Crossing, Schedule, Step, Way, dump, expand, hop, load
from graycube.verify import check_algebra

HOPS, CIRCUIT = "store-and-forward", "circuit"


def transposed(n):
    return gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n)


def by_links(schedule):
    """Rounds of moves that were written out: the longest message, and all crossings."""
    moves, loads = expand(schedule), defaultdict(int)
    for cycle, node, d in zip(moves.cycle, moves.node, moves.dimension, strict=True):
        loads[schedule.round_of(int(cycle)), int(node), int(d)] += 1
    longest = defaultdict(int)
    for (number, _, _), count in loads.items():
        longest[number] = max(longest[number], count)
    return sum(longest.values()), len(longest), len(moves)


@pytest.mark.parametrize(
    ("ports", "elements", "rounds", "cycles"),
    [(2, 2, 3, 12), (3, 4, 3, 17), (3, 32, 3, 129), (3, 64, 3, 257)],
)
def test_parts_go_in_rotated_orders(ports, elements, rounds, cycles):
    """Each round takes half of a part, and its share of what equal parts leave over."""
    source, target = transposed(3)
    machine = gc.Machine(3, ports, startup=30.0, per_byte=1.0)
    plan = gc.plan(source, target, 8 * elements, machine=machine, algorithm="rotated-parts")
    assert (plan.rounds, plan.cycles) == (rounds, cycles)
    assert plan.verify()


@pytest.mark.parametrize(
    ("payload", "parts", "cycles"), [(6, 3, 24), (7, 3, 29), (8, 3, 33), (5, 2, 30)]
)
def test_parts_are_positions_of_each_slot(payload, parts, cycles):
    """No slot bit is left alone, and the payload has no bits: followed, carried out, saved."""
    machine = gc.Machine(3, parts, startup=30.0, per_byte=1.0)
    plan = gc.plan(*transposed(3), 8 * payload, machine=machine, algorithm="rotated-parts")
    assert plan.cycles == cycles
    assert plan.verify()
    assert not judge(plan.schedule, machine)[0]
    assert by_links(plan.schedule) == (plan.cycles, plan.rounds, plan.traffic.crossings)
    assert load(dump(plan.schedule)) == plan.schedule
    x = np.arange(64 * payload).reshape(8, -1)
    expected = gc.plan(*transposed(3), 8 * payload, machine=machine, algorithm="exchange")
    assert np.array_equal(plan.apply(x), expected.apply(x))
    made = list(scripts(plan.schedule, range(8)))
    rows = x.reshape(8, made[0].rows, made[0].unit)
    assert np.array_equal(rehearse(made, rows).reshape(x.shape), expected.apply(x))


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "ports", "payload", "nodes", "lengths"),
    [
        (4, 3, 10, "binary", [27, 27, 27, 27]),  # a third of 80 are 26.7
        (4, 3, 10, "gray", [27, 27, 27, 27]),
        *sweep(*((4, 3, 100, code, [267, 267, 267, 267]) for code in ("binary", "gray"))),
        (4, 4, 7, "binary", [14, 14, 14, 14]),
        *sweep((5, 5, 6, "gray", [20, 20, 20, 20, 20])),  # a fifth of 96 are 19.2
    ],
)
def test_all_parts_have_a_share_of_what_is_left_over(n, ports, payload, nodes, lengths):
    task = (gc.Layout.cyclic(2 * n, n, nodes=nodes), gc.Layout.consecutive(2 * n, n))
    machine = gc.Machine(n, ports, startup=1e4, per_byte=1.0)
    plan = gc.plan(*task, payload << n, machine=machine, algorithm="rotated-parts")
    assert [r.longest for r in plan.traffic.rounds for _ in range(r.times)] == lengths
    assert plan.verify()
    assert not judge(plan.schedule, machine)[0]
    assert by_links(plan.schedule) == (plan.cycles, plan.rounds, plan.traffic.crossings)
    x = np.arange(payload << 2 * n).reshape(1 << n, -1)
    expected = gc.plan(*task, payload << n, machine=machine, algorithm="exchange").apply(x)
    assert np.array_equal(plan.apply(x), expected)
    made = list(scripts(plan.schedule, range(1 << n)))
    rows = x.reshape(1 << n, made[0].rows, made[0].unit)
    assert np.array_equal(rehearse(made, rows).reshape(x.shape), expected)


def test_parts_of_one_order_follow_one_another():
    """Without start-ups many parts of an odd payload take little more than the bound."""
    source, target = gc.Layout.cyclic(5, 4), gc.Layout.consecutive(5, 4)
    machine = gc.Machine(4, 3)
    plan = gc.plan(source, target, 2 * 125, machine=machine, algorithm="rotated-parts")
    assert plan.rounds > 30
    assert plan.verify()
    assert by_links(plan.schedule) == (plan.cycles, plan.rounds, plan.traffic.crossings)


def test_positions_of_slots_are_checked():
    task = gc.Task(gc.Layout.cyclic(3, 2), gc.Layout.cyclic(3, 2), 12)
    both = Way(0, 2, (), per_slot=True), Way(2, 6, (), per_slot=True)
    made = Schedule(task, "still", (), 0, both)
    assert check_algebra(made, gc.Machine(2))
    swapped = Way(2, 6, (Step(Exchange(4, 0, 0)),), per_slot=True)
    moved = apply(
        Schedule(task, "wrong", (), 0, (both[0], swapped)), np.arange(48).reshape(4, 12)
    )
    assert moved[0].tolist() == [0, 1, 8, 9, 10, 11, 6, 7, 2, 3, 4, 5]
    for wrong in (
        both[:1],
        (both[0], both[0], both[1]),
        (both[0], Way(2, 12, ())),  # positions of a block, of which 0 and 1 are not the rest
        (*both, Way(0, 2, (), mask=4, value=4, per_slot=True)),
        (Way(0, 12, ()), Way(0, 12, (), mask=1, value=1)),
        (Way(0, 12, (), mask=1, value=1), Way(0, 12, ())),
    ):
        assert not check_algebra(Schedule(task, "wrong", (), 0, wrong), gc.Machine(2))
    with pytest.raises(InvalidValueError, match="a slot has 6"):
        Schedule(task, "too far", (), 0, (Way(0, 7, (), per_slot=True),))


@pytest.mark.parametrize(("name", "switching"), [("rotated-parts", HOPS), ("pairs", CIRCUIT)])
@pytest.mark.parametrize("seed", range(3))
def test_messages_bring_every_element_home(name, switching, seed):
    """Followed, carried out in one process, and by the scripts of nodes."""
    rng = np.random.default_rng(seed)
    n = 2 + seed % 2
    machine = gc.Machine(n, "all", switching, startup=2.0)
    shape = [2 << n, 1 << n]
    source = gc.Layout.mesh(shape, nodes=(1 << n, 1), code=["gray", "binary"][seed % 2])
    target = gc.Layout.mesh(
        shape, nodes=(1, 1 << n), allocation=["cyclic", "consecutive"][seed // 2]
    )
    plan = gc.plan(source, target, 4 * source.block_size, machine=machine, algorithm=name)
    assert not judge(plan.schedule, machine)[0]
    assert plan.verify()
    x = rng.integers(0, 99, (1 << n, plan.task.block))
    expected = gc.plan(source, target, plan.task.block, machine=machine).apply(x)
    assert np.array_equal(plan.apply(x), expected)
    made = list(scripts(plan.schedule, range(1 << n)))
    unit = plan.task.block // made[0].rows
    sent = (m for one in made for r in one.rounds for m in r.sends)
    sizes = [unit * sum(part.count for part in m.parts) for m in sent]
    assert max(sizes) == max(r.longest for r in plan.traffic.rounds)
    rows = x.reshape(1 << n, made[0].rows, unit)
    assert np.array_equal(rehearse(made, rows).reshape(x.shape), expected)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_two_messages_at_a_time_take_half_of_the_rounds(n):
    source, target = transposed(n)
    block = 3 << n
    machine = gc.Machine(n, 2, CIRCUIT, startup=0.0)
    plan = gc.plan(source, target, block, machine=machine, algorithm="pairs")
    assert (plan.rounds, plan.cycles) == (1 << n - 1, block // 2)
    assert by_links(plan.schedule) == (plan.cycles, plan.rounds, plan.traffic.crossings)
    assert plan.verify()
    assert not check_algebra(plan.schedule, gc.Machine(n, 1, CIRCUIT))


def test_messages_that_would_meet_are_no_pair(monkeypatch):
    """Of a mesh whose nodes change as well: one turn at a time where two would share a link."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks" / "referee")
    pair = dict(importlib.import_module("kinds").kinds(4))["any mesh 2"]
    machine = gc.Machine(4, 4, CIRCUIT)
    offered = {c.algorithm.name: c for c in gc.plan(*pair, 8, machine=machine).candidates}
    made = offered["pairs"]
    assert made.reason or check_algebra(made.traffic.schedule, machine)


def test_two_messages_of_a_node_do_not_cross_a_dimension_together():
    """Without turns both messages of some nodes would take one dimension at one time."""
    task = gc.Task(gc.Layout.cyclic(3, 2), gc.Layout.consecutive(3, 2), 2)
    step = Step(task.move, (Crossing(1, 0), Crossing(0, 0)))
    made = Schedule(task, "by hand", (0,), 1, (Way(0, 2, (step,)),))
    machine = gc.Machine(2, 2, CIRCUIT)
    assert judge(made, machine)[0]
    assert not check_algebra(made, machine)


def test_what_they_leave_to_others():
    source, target = transposed(3)
    for name, machine, words in (
        ("rotated-parts", gc.Machine(3), "one port"),
        ("rotated-parts", gc.Machine(3, 3), "no parts"),
        ("pairs", gc.Machine(3, 3), "needs circuits"),
        ("pairs", gc.Machine(3, 1, CIRCUIT), "needs circuits"),
    ):
        with pytest.raises(InvalidValueError, match=words):
            gc.plan(source, target, 8, machine=machine, algorithm=name)


def test_what_slots_of_some_nodes_send_is_counted_and_followed():
    """Ways of some slots at random: the counts are those of what is written out."""
    tried = 0
    for seed in range(400):
        schedule, machine = mutant("random_parts", seed, synthesised=False)
        if not check_algebra(schedule, machine):
            continue
        traffic = simulate(schedule)
        counted = traffic.cycles, traffic.nonempty, traffic.crossings
        assert counted == by_links(schedule)
        assert load(dump(schedule)) == schedule
        tried += any(way.mask & way.mask - 1 for way in schedule.ways)
    assert tried > 20


def test_ways_of_slots_are_those_of_whole_blocks():
    task = gc.Task(gc.Layout.cyclic(3, 2), gc.Layout.cyclic(3, 2), 4)
    both = [Way(0, 4, (), mask=4, value=value) for value in (0, 4)]
    made = Schedule(task, "still", (), 0, tuple(both))
    assert check_algebra(made, gc.Machine(2))
    assert len(expand(made)) == 0
    assert not check_algebra(Schedule(task, "half", (), 0, tuple(both[:1])), gc.Machine(2))
    with pytest.raises(InvalidValueError, match="some slots"):
        Schedule(task, "part", (), 0, (Way(0, 2, (), mask=4),))


@pytest.mark.parametrize("pattern", ["", "2", "11", 1])
def test_patterns_of_slots_are_checked(pattern):
    task = gc.Task(gc.Layout.cyclic(3, 2), gc.Layout.cyclic(3, 2), 4)
    there = hop(0, Exchange(1, 4), 2)
    text = dump(Schedule(task, "one", (0,), 4, (Way(0, 4, (there, there), mask=4),)))
    assert '"slots": "0"' in text
    with pytest.raises(GraycubeError, match="slots"):
        load(text.replace('"slots": "0"', f'"slots": {pattern!r}'.replace("'", '"')))


def blocks_transposed(n):
    """Rows to columns of a matrix whose blocks are on 2^(n/2) x 2^(n/2) nodes."""
    bits = [f"b{j}" for j in range(n)]
    turned = " ".join([*bits[n // 2 - 1 :: -1], *bits[: n // 2 - 1 : -1]])
    return gc.Layout.nodes(n), gc.Layout.parse(f"(|| {turned})")


@pytest.mark.long
@pytest.mark.parametrize(
    ("ports", "startup", "rounds", "cycles"),
    [
        (1, 300.0, 4, 4 * 96),
        (1, 30.0, 6, 6 * 48),  # 96 in two waves
        (2, 20.0, 6, 6 * 24),
        (3, 90.0, 4, 4 * 32),
        (3, 2.5, 10, 10 * 8),  # four waves of three parts
        (4, 90.0, 4, 4 * 24),
        (4, 9.0, 5, 5 * 12),  # two waves of four parts, without a pause
        (4, 1.0, 9, 9 * 6),
    ],
)
def test_bits_that_trade_places_do_it_in_waves(ports, startup, rounds, cycles):
    """n (m + 1) / 2 rounds of K / (p m) for m waves; on all ports n m / 2 + 1 of K / (n m)."""
    machine = gc.Machine(4, ports, startup=startup, per_byte=1.0)
    plan = gc.plan(*blocks_transposed(4), 96, machine=machine, algorithm="rotated-parts")
    assert (plan.rounds, plan.cycles) == (rounds, cycles)
    assert plan.verify()
    assert not judge(plan.schedule, machine)[0]
    assert by_links(plan.schedule) == (plan.cycles, plan.rounds, plan.traffic.crossings)
    x = np.arange(16 * 96).reshape(16, 96)
    goal = [u >> 2 | (u & 3) << 2 for u in range(16)]
    assert np.array_equal(plan.apply(x)[goal], x)
    made = list(scripts(plan.schedule, range(16)))
    rows = x.reshape(16, made[0].rows, made[0].unit)
    assert np.array_equal(rehearse(made, rows).reshape(x.shape)[goal], x)
    assert load(dump(plan.schedule)) == plan.schedule


def test_large_transposes_are_proved_and_counted():
    """Nothing depends on the number of nodes: 2^16 of them, on all ports but MAX_PARTS."""
    machine = gc.Machine(16, 8, startup=1.0, per_byte=1.0)
    plan = gc.plan(*blocks_transposed(16), 1 << 20, machine=machine, algorithm="rotated-parts")
    assert plan.verify()
    assert plan.cycles < 1.04 * 16 * (1 << 20) / (2 * 8)


def test_bits_in_a_cycle_trade_places_one_after_the_other():
    """Three bits in two trades, of which one has dimensions of both."""
    pair = gc.Layout.nodes(3), gc.Layout.parse("(|| b1 b0 b2)")
    for ports in (1, 2, 3):
        machine = gc.Machine(3, ports, startup=2.0, per_byte=1.0)
        plan = gc.plan(*pair, 24, machine=machine, algorithm="rotated-parts")
        assert plan.verify()
        assert not judge(plan.schedule, machine)[0]


@pytest.mark.parametrize("block", [5, 7, 11, 13])
@pytest.mark.parametrize("ports", [1, 2, 3])
def test_blocks_in_units_are_never_dearer_than_larger_ones(block, ports):
    """A block with some empty elements more is a plan for this one, too."""
    pair = gc.Layout.nodes(3), gc.Layout.parse("(|| b1 b0 b2)")
    machine = gc.Machine(3, ports, startup=0.5, per_byte=1.0)
    plan = gc.plan(*pair, block, machine=machine)
    padded = [gc.plan(*pair, -(-block // k) * k, machine=machine).cost for k in (2, 4, 8)]
    assert plan.cost <= min(padded)
    assert plan.verify()
    assert not judge(plan.schedule, machine)[0]


def test_units_have_ways_of_their_own():
    """What is made for four units is for 13 elements as far as they are there."""
    source, target = gc.Layout.nodes(4), gc.Layout.parse("(|| b0 b3 b2 b1)")
    machine = gc.Machine(4, 2)
    plan = gc.plan(source, target, 13, machine=machine)
    assert plan.algorithm == "units"
    sizes = {way.size for way in plan.schedule.ways}
    assert len(sizes) == 2
    assert by_links(plan.schedule) == (plan.cycles, plan.rounds, plan.traffic.crossings)
    x = np.arange(16 * 13).reshape(16, 13)
    whole = gc.plan(source, target, 13, machine=machine, algorithm="exchange")
    assert np.array_equal(plan.apply(x), whole.apply(x))
    made = list(scripts(plan.schedule, range(16)))
    rows = x.reshape(16, made[0].rows, made[0].unit)
    assert np.array_equal(rehearse(made, rows).reshape(x.shape), whole.apply(x))
