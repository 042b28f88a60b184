"""Schedules of others are counted right, or refused, and followed where algebra is silent."""

from dataclasses import replace

import numpy as np
import pytest

import graycube as gc
from graycube.cli.main import main
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange
from graycube.schedule import Crossing, Moves, Schedule, Step, Way, expand, hop
from graycube.table import Algorithm, unregister

SOURCE, TARGET = gc.Layout.nodes(2), gc.Layout.parse("(|| b0 b1)")
MACHINE = gc.Machine(2, ports="all", startup=100.0, per_byte=1.0)


def swap(start, stop, dims, size):
    """Nodes 1 and 2 exchange these positions over one dimension, then the other, by a map."""
    crossings = tuple(Crossing(d, k * size) for k, d in enumerate(dims))
    return Way(start, stop, (Step(Exchange(flip=3, when=3).affine(2), crossings),))


def both_ways(block, target=TARGET):
    """Half of each block goes row first, and the other half column first."""
    half = block // 2
    ways = (swap(0, half, (0, 1), half), swap(half, block, (1, 0), half))
    return Schedule(gc.Task(SOURCE, target, block), "both", (0, half), 2 * half, ways)


def test_several_ways_over_two_dimensions_have_the_price_of_their_moves():
    plan = gc.Plan.from_schedule(both_ways(8), MACHINE)
    assert (plan.rounds, plan.cycles, plan.cost, plan.traffic.crossings) == (2, 8, 208.0, 32)
    assert gc.price(both_ways(8), MACHINE) == 208.0
    report = plan.verify()
    assert report
    assert report.method == "element by element (algebra does not decide)"
    assert np.array_equal(plan.apply(np.arange(32).reshape(4, 8))[1], np.arange(16, 24))


def test_what_ends_elsewhere_is_wrong_where_algebra_is_silent():
    report = gc.Plan.from_schedule(both_ways(8, SOURCE), MACHINE).verify()
    assert not report
    assert dict(report.counts)["end"] == 32  # by its way, and by its moves


def test_too_many_elements_without_a_theorem_have_no_price():
    made = both_ways(1 << 17)
    for refused in (gc.price, gc.Plan.from_schedule):
        with pytest.raises(InvalidValueError, match="no theorem counts"):
            refused(made, MACHINE)


def test_the_planner_takes_what_every_element_confirms():
    gc.register(
        Algorithm(
            name="both",
            applicable=lambda *_: None,
            emit=lambda task, _: both_ways(task.block),
        )
    )
    try:
        plan = gc.plan(SOURCE, TARGET, 8, machine=MACHINE, algorithm="both")
        assert plan.cost == 208.0
    finally:
        unregister("both")


def test_the_command_line_says_that_the_elements_decided(tmp_path, capsys):
    gc.Plan.from_schedule(both_ways(8), MACHINE).save(tmp_path / "both.json")
    assert main(["verify", str(tmp_path / "both.json")]) == 0
    assert "algebra does not decide" in capsys.readouterr().out


def test_ways_of_single_nodes_are_written_out_as_what_they_are():
    nodes = range(256)
    ways = tuple(
        Way(0, 1 << 10, (hop(0, Exchange(1, 0, 0), 8),), mask=255, value=u) for u in nodes
    )
    flipped = gc.Layout.nodes(8) @ gc.circuit("x 0", bits=8)
    made = Schedule(gc.Task(gc.Layout.nodes(8), flipped, 1 << 10), "one", (0,), 1 << 10, ways)
    assert len(expand(made)) == 1 << 18


def test_moves_are_priced_planned_and_kept(tmp_path):
    source, target = gc.Layout.cyclic(5, 2), gc.Layout.consecutive(5, 2)
    made = gc.plan(source, target, 24, machine=MACHINE)
    moves = made.moves()
    assert gc.price(moves, MACHINE) == made.cost
    plan = gc.Plan.from_schedule(moves, MACHINE)
    assert (plan.cost, bool(plan.verify())) == (made.cost, True)
    blocks = np.arange(96).reshape(4, 24)
    assert np.array_equal(plan.apply(blocks), made.apply(blocks))
    plan.save(tmp_path / "moves.json")
    assert gc.load_plan(tmp_path / "moves.json").schedule == plan.schedule


def test_moves_from_where_nothing_is_are_no_schedule():
    task = gc.Task(SOURCE, TARGET, block=1)
    moves = Moves(task, "mine", (0,), 1, [0], [2], [0], [1])
    for call in (gc.price, gc.Plan.from_schedule):
        with pytest.raises(InvalidValueError, match="node 2 sends an element"):
            call(moves, MACHINE)


def broadcast(n, block, turns):
    """Node 0's block to all 2^n nodes, over one dimension after the other."""
    task = gc.Task(gc.Layout.nodes(n), gc.Layout.nodes(n), block=block)
    rows = [(t * block + k, u, d, k) for t, d in enumerate(turns) for u in range(1 << n)
            for k in range(block) if not u & ~sum(1 << e for e in turns[:t])]  # fmt: skip
    return Moves(
        task, "to all", range(0, n * block, block), n * block, *zip(*rows, strict=True)
    )


MACHINES = [
    (gc.Machine(3, startup=10.0, per_byte=1.0), 3 * (10 + 5)),
    (gc.Machine(3, startup=10.0, per_byte=(1.0, 2.0, 4.0)), 3 * 10 + 7 * 5),
    # on a tree the four messages of the last turn share an uplink
    (gc.Machine.tree((4, 2), startup=10.0, per_byte=(1.0, 1.0)), 3 * 10 + 5 + 5 + 4 * 5),
]


@pytest.mark.parametrize(("machine", "seconds"), MACHINES, ids=["alike", "unequal", "tree"])
def test_broadcasts_have_a_price_and_no_plan(machine, seconds):
    moves = broadcast(3, 5, (0, 1, 2))
    assert gc.price(moves, machine) == seconds
    with pytest.raises(
        InvalidValueError, match=r"one place, and no task has copies; .*price takes"
    ):
        gc.Plan.from_schedule(moves, machine)


def test_a_copy_is_sent_by_those_who_have_one():
    early = broadcast(3, 5, (0, 1, 2))
    late = replace(early, cycle=early.cycles - 1 - early.cycle)
    with pytest.raises(InvalidValueError, match="that it never had: a node sends what it has"):
        gc.price(late, gc.Machine(3))


def test_rows_of_moves_count_where_they_cost_something():
    made = gc.plan(gc.Layout.cyclic(5, 2), gc.Layout.consecutive(5, 2), 24, machine=MACHINE)
    machine = replace(MACHINE, per_row=1.0)
    assert gc.price(made.moves(), machine) == gc.price(made.schedule, machine) > made.cost


def test_moves_of_too_many_elements_are_no_schedule():
    task = gc.Task(SOURCE, TARGET, block=1 << 17)
    moves = Moves(task, "mine", (0,), 1, [0], [1], [0], [1 << 17])
    with pytest.raises(InvalidValueError, match="at most 262144 are made a schedule"):
        gc.price(moves, MACHINE)


def test_the_trace_of_any_schedule_is_drawn():
    assert "4 elements" in gc.view.trace(gc.Plan.from_schedule(both_ways(8), MACHINE))
