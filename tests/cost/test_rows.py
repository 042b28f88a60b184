"""Rows that messages gather, against the moves written out; and what they change."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

import graycube as gc
from graycube.cost import simulate
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import expand

MACHINES = [
    gc.Machine(2, 1, switching, startup=5.0) for switching in ("circuit", "store-and-forward")
]


def ends(task, element):
    """Node and position of an element at the end, from the layouts alone."""
    payload = task.block // task.source.block_size
    node, position = divmod(element, task.block)
    slot, behind = divmod(position, payload)
    node, slot = task.target.locate(task.source.index(node, slot))
    return node, slot * payload + behind


def stay_together(task, crossings, size):
    """Whether aligned runs of so many positions cross together and end side by side."""
    for first in range(0, task.block << task.n, size):
        node, position = ends(task, first)
        for k in range(1, size):
            same = crossings[first + k] == crossings[first]
            if not same or ends(task, first + k) != (node, position + k):
                return False
    return True


def counted_rows(schedule):
    """The most runs in a message, summed over the rounds in which there is more than one."""
    task, moves = schedule.task, expand(schedule)
    crossings, sent = defaultdict(set), defaultdict(set)
    for cycle, node, d, element in zip(
        *(
            column.tolist()
            for column in (moves.cycle, moves.node, moves.dimension, moves.element)
        ),
        strict=True,
    ):
        number = schedule.round_of(cycle)
        crossings[element].add((number, node, d))
        sent[number, node, d].add(element)
    payload = task.block // task.source.block_size
    sizes = (payload << k for k in range(task.p - task.n, -1, -1))
    size = next(size for size in sizes if stay_together(task, crossings, size))
    most = defaultdict(int)
    for (number, _, _), elements in sent.items():
        most[number] = max(most[number], len({element // size for element in elements}))
    return sum(rows for rows in most.values() if rows > 1)


def swapped(p, n, seed):
    """A layout whose address bits are those of the index in any order."""
    places = np.random.default_rng(seed).permutation(p).tolist()
    return gc.Layout(AffineMap(Matrix.permutation(places)), n)


def tasks():
    yield gc.Layout.cyclic(6, 2), gc.Layout.consecutive(6, 2), 3
    yield gc.Layout.consecutive(5, 2, nodes="gray"), gc.Layout.cyclic(5, 2), 1
    rows, across = (gc.Layout.mesh((8, 16), nodes=nodes) for nodes in ((4, 1), (1, 4)))
    yield rows, across, 2
    coded = gc.Layout.consecutive(6, 2, slots="gray")
    yield coded, gc.Layout.parse("(b5 b2 b1 b0 || b3 b4)"), 1  # lowest slots change in memory
    for seed in range(8):
        yield swapped(6, 2, seed), swapped(6, 2, seed + 100), 1 + seed % 2


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.switching)
@pytest.mark.parametrize("name", ["exchange", "half-exchange", "all-to-all", "groups"])
def test_rows_are_those_of_the_moves_written_out(name, machine):
    algorithm = next(a for a in gc.algorithms() if a.name == name)
    for source, target, payload in tasks():
        task = gc.Task(source, target, payload * source.block_size)
        if algorithm.applicable(task, machine) is None:
            schedule = algorithm.emit(task, machine)
            assert simulate(schedule).rows == counted_rows(schedule)


@pytest.mark.parametrize("name", ["gb1", "gb2", "gb3", "direct", "minimum-path"])
def test_whole_blocks_and_their_shares_gather_nothing(name):
    algorithm = next(a for a in gc.algorithms() if a.name == name)
    task = gc.Task(gc.Layout.cyclic(5, 3, nodes="gray"), gc.Layout.cyclic(5, 3), block=24)
    machine = gc.Machine(3, "all", "circuit", startup=5.0)
    assert algorithm.applicable(task, machine) is None
    assert simulate(algorithm.emit(task, machine)).rows == 0


@pytest.mark.parametrize("startup", [(5.0,), (5.0, 9.0)], ids=["alike", "unequal links"])
def test_each_row_costs_what_the_machine_says(startup):
    machine = gc.Machine(2, 1, "circuit", startup=startup * (2 // len(startup)))
    task = gc.Task(gc.Layout.cyclic(6, 2), gc.Layout.consecutive(6, 2), 16)
    for algorithm in gc.algorithms():
        if algorithm.applicable(task, machine) is None and not algorithm.network:
            traffic = simulate(algorithm.emit(task, machine))
            costly = traffic.time(replace(machine, per_row=0.25))
            assert costly == traffic.time(machine) + 0.25 * traffic.rows


def test_a_planner_that_knows_of_rows_sends_fewer_of_them():
    """Two halves of a block have more rows than three quarters."""
    layouts = gc.Layout.cyclic(12, 2), gc.Layout.consecutive(12, 2)
    machine = gc.Machine(2, 1, "circuit", startup=1e-5, per_byte=1e-10)
    made = {
        per_row: gc.plan(*layouts, 1024, machine=replace(machine, per_row=per_row))
        for per_row in (0.0, 1e-6)
    }
    assert [(p.algorithm, p.traffic.rows) for p in made.values()] == [
        ("exchange", 1024),
        ("all-to-all", 768),
    ]
    assert "768 rows are gathered, 1e-06 s each" in made[1e-6].explain()
    assert "rows are gathered" not in made[0.0].explain()


def test_advice_leaves_the_order_in_memory_open():
    program = [gc.Stencil(reach=4), gc.FFT()]
    costs = [
        gc.advise(program, machine=gc.Machine(2, startup=1.0, per_row=per_row), size=256).cost
        for per_row in (0.0, 100.0)
    ]
    assert costs[0] == costs[1]
