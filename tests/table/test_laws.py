"""What every algorithm keeps to, on tasks and machines of all kinds: the corpus of the harness.

Beside this file are the cycles that the papers claim, and what one algorithm alone is for.
"""

import random
from collections import Counter

import numpy as np
import pytest
from all_port_cases import distributed, sends_of
from sweeping import seeds, sweep
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
    """Where no slot is told apart, or meets: what they send is the schedule, and hold."""
    for schedule, machine in schedules_of(name, most):
        task = schedule.task
        if tells_slots_apart(schedule.ways, task.n) or not are_straight(schedule.ways):
            continue
        if any(len(step.crossings) > 1 for way in schedule.ways for step in way.steps):
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


def conversion(chance):
    """Of one field or of several, and a machine whose links are alike."""
    widths = chance.choice([(chance.randint(2, 10),), [chance.randint(1, 3) for _ in range(3)]])
    shape, n = tuple(1 << width for width in widths), sum(widths)
    if len(widths) == 1:
        layouts = [gc.Layout.nodes(n, code) for code in chance.sample(["gray", "binary"], 2)]
    else:
        codes = [[chance.choice(["gray", "binary"]) for _ in widths] for _ in range(2)]
        layouts = [gc.Layout.mesh(shape, shape, code=tuple(code)) for code in codes]
    block = chance.choice([chance.randint(1, 40), chance.randint(1, 1000)])
    startup, packet = chance.choice([0.0, 1.0, 30.0, 1e3, 1e5]), chance.choice([None, None, 16])
    ports = chance.choice([n, n, max(1, n - 1)])
    machine = gc.Machine(n, ports, startup=startup, per_byte=1.0, packet=packet)
    return gc.Task(*layouts, block, chance.choice([1, 8])), machine


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(40, 2000))
def test_nothing_costs_less_than_its_floor(seed):
    """And what a plan leaves out costs no less than what it takes."""
    task, machine = conversion(random.Random(seed))  # noqa: S311
    layouts = task.source, task.target
    plan = gc.plan(*layouts, task.block, itemsize=task.itemsize, machine=machine)
    for candidate in plan.candidates:
        algorithm = candidate.algorithm
        if candidate.traffic is None:
            continue
        if algorithm.floor is not None:
            assert algorithm.floor(task, machine) <= candidate.cost * (1 + 1e-12)
        assert plan.cost <= candidate.cost * (1 + 1e-12) or algorithm.name == "relabel"


@pytest.mark.parametrize(("n", "block"), [(9, 20), (10, 25), (13, 26)])
def test_the_last_lower_dimension_may_be_idle(n, block):
    """Whether it is crossed depends on the class: so there is a round less than there are."""
    (algorithm,) = (a for a in gc.algorithms() if a.name == "three-fifths")
    machine = gc.Machine(n, "all", startup=0.0, per_byte=1.0)
    task = gc.Task(gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n), block)
    seconds = simulate(algorithm.emit(task, machine)).time(machine)
    assert algorithm.floor(task, machine) == seconds < algorithm.cycles((n,), block)


@pytest.mark.long
def test_what_cannot_be_the_cheapest_is_not_written_out():
    machine = gc.Machine(32, "all", startup=1e3)
    made = gc.plan(gc.Layout.nodes(32, "gray"), gc.Layout.nodes(32), 3 << 12, machine=machine)
    assert made.algorithm == "minimum-path"
    written = {candidate.algorithm.name for candidate in made.__dict__["_priced"]}
    every = {candidate.algorithm.name: candidate.cost for candidate in made.candidates}
    assert {"three-fifths", "tight", "nonminimum-ring"} <= every.keys() - written
    assert every["nonminimum-ring"] == made.cost < every["tight"] < every["three-fifths"]


LARGE = [("gb1", 1), ("gb2", 1), ("gb3", 1), ("any-order", 1)]
LARGE += [("few-ports", 3), ("rotations", 7), ("pipelined", "all"), ("minimum-path", "all")]
LARGE += [("nonminimum-path", "all"), ("nonminimum-ring", "all"), ("three-fifths", "all")]
LARGE += [("tight", "all"), ("direct", 1), ("circuit-split", 2)]


@pytest.mark.long
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
