"""What every algorithm keeps to, on tasks and machines of all kinds: the corpus of the harness.

Beside this file are the cycles that the papers claim, and what one algorithm alone is for.
"""

from collections import Counter

import numpy as np
import pytest
from all_port_cases import distributed, sends_of
from sweeping import sweep
from way_mutants import corpus, goals, judge, rows_of

import graycube as gc
from graycube.cost import simulate
from graycube.run import apply
from graycube.schedule import dump, expand, load
from graycube.schedule.way import are_straight, tells_slots_apart
from graycube.verify import check_algebra

NAMES = [algorithm.name for algorithm in gc.algorithms() if not algorithm.network]
NETWORKS = "networks"
FEW = 8
every_algorithm = pytest.mark.parametrize(
    ("name", "most"),
    [*((name, FEW) for name in (*NAMES, NETWORKS)), *sweep(*((n, 10**6) for n in NAMES))],
)


def schedules_of(name, most):
    """So many of an algorithm, or of networks, evenly chosen."""
    found = [
        (schedule, machine)
        for schedule, machine in corpus(synthesised=False)
        if schedule.algorithm == name or (name == NETWORKS and schedule.stages)
    ]
    assert found, f"nothing in the corpus is by {name}"
    return found[:: -(-len(found) // most)]


@every_algorithm
def test_every_element_arrives(name, most):
    """Followed in plain integers, proved, written out, and carried out on data."""
    for schedule, machine in schedules_of(name, most):
        wrong, peak, moves = judge(schedule, machine)
        assert not wrong
        report = check_algebra(schedule, machine)
        assert report, str(report)
        assert report.peak in {-1, peak}
        assert rows_of(moves) == rows_of(expand(schedule))
        if not schedule.stages:
            task = schedule.task
            blocks = np.arange(task.block << task.n).reshape(1 << task.n, -1)
            after = apply(schedule, blocks)
            for place, end in goals(task).items():
                assert after[end] == blocks[place]


@every_algorithm
def test_what_is_written_is_read_back(name, most):
    for schedule, _ in schedules_of(name, most):
        assert load(dump(schedule)) == schedule
        assert dump(load(dump(schedule))) == dump(schedule)


@every_algorithm
def test_nodes_that_know_their_own_actions_do_all_of_it(name, most):
    """Where no slot is told apart: what they send is the schedule, and what they hold."""
    for schedule, machine in schedules_of(name, most):
        task = schedule.task
        if tells_slots_apart(schedule.ways, task.n) or not are_straight(schedule.ways):
            continue
        moves = expand(schedule)
        columns = (moves.cycle.tolist(), moves.node.tolist(), moves.dimension.tolist())
        assert sends_of(schedule) == Counter(zip(*columns, strict=True))
        assert len(moves) == simulate(schedule).crossings
        if schedule.relabel is None and machine.switching == "store-and-forward":
            held, peak = distributed(schedule)
            for (node, place), (end, there) in goals(task).items():
                assert held[end][there] == (there, (node, place))
            assert peak == judge(schedule, machine)[1]


LARGE = [("gb1", 1), ("gb2", 1), ("gb3", 1), ("any-order", 1)]
LARGE += [("few-ports", 3), ("rotations", 7), ("pipelined", "all"), ("minimum-path", "all")]
LARGE += [("nonminimum-path", "all"), ("nonminimum-ring", "all"), ("three-fifths", "all")]
LARGE += [("tight", "all"), ("direct", 1), ("circuit-split", 2)]


@pytest.mark.parametrize("n", [9, *sweep((16,), (30,))])
@pytest.mark.parametrize(("name", "ports"), LARGE)
def test_large_cubes_are_proved_and_counted(name, ports, n):
    switching = "circuit" if name in {"direct", "circuit-split"} else "store-and-forward"
    machine = gc.Machine(n, ports, switching, startup=0.0, per_byte=1.0)
    (algorithm,) = (a for a in gc.algorithms() if a.name == name)
    for codes in (("gray", "binary"), ("binary", "gray")):
        block = n + 2 if name == "tight" else 10**6
        task = gc.Task(*(gc.Layout.nodes(n, code) for code in codes), block)
        schedule = algorithm.emit(task, machine)
        assert check_algebra(schedule, machine)
        cycles = simulate(schedule).cycles
        assert cycles <= schedule.cycles
        if name not in {"few-ports", "rotations"}:
            assert cycles == algorithm.cycles((n,), block)
