"""All-to-alls level by level: right on data, priced message by message, and worth it."""

import random

import numpy as np
import pytest
from crowds import any_machine, counted
from sweeping import sweep

import graycube as gc
from graycube.cost import lower_bounds, simulate
from graycube.gf2 import AffineMap, Matrix
from graycube.run import apply
from graycube.schedule import Task
from graycube.table.messages import hierarchical
from graycube.verify import check_algebra


def a_task(chance, n):
    """A transpose as a rule, or any permutation of address bits."""
    p = n + chance.randint(1, n)
    source, target = gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n)
    if chance.random() < 0.5:
        order = chance.sample(range(p), p)
        anywhere = AffineMap(Matrix.permutation(order), chance.randrange(1 << p))
        source = anywhere @ gc.Layout.cyclic(p, n, nodes="gray")
    return Task(source, target, 2 << p - n, itemsize=chance.choice([1, 8]))


def cases(seeds):
    """Machines, tasks in the numbers of their cubes, schedules, and what rounds take."""
    for seed in seeds:
        chance = random.Random(seed)  # noqa: S311
        machine, seconds = any_machine(chance)
        task = a_task(chance, machine.dims).numbered(machine.numbers)
        if hierarchical.applicable(task, machine) is None:
            yield machine, task, hierarchical.emit(task, machine), seconds


@pytest.mark.parametrize("seeds", [range(80), *sweep((range(80, 1080),))])
def test_everything_arrives_at_the_price_of_all_messages(seeds):
    tried = 0
    for machine, task, made, seconds in cases(seeds):
        report = check_algebra(made, machine)
        assert report, (machine, task, str(report))
        values = np.arange(task.source.size)
        given, wanted = (
            np.repeat(layout.scatter(values), 2, axis=1)
            for layout in (task.source, task.target)
        )
        assert np.array_equal(apply(made, given), wanted), (machine, task)
        cost = simulate(made).time(machine)
        assert cost == pytest.approx(counted(made, machine, seconds)), (machine, task)
        bound = max(bound.seconds for bound in lower_bounds(task, machine))
        assert bound <= cost * (1 + 1e-12), (machine, task)
        tried += 1
    assert tried > len(seeds) / 4


def transpose(n, block):
    return Task(gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n), block << n)


def transposed(tree, block):
    return simulate(hierarchical.emit(transpose(tree.dims, block), tree))


@pytest.mark.parametrize("startup", [0.0, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("sizes", [(4, 16), (2, 4, 8), (8, 8)], ids=str)
def test_gathering_pays_or_is_left_out(sizes, startup, monkeypatch):
    tree = gc.Machine.tree(sizes, startup=startup, per_byte=1.0, oversubscribed=4)
    gathered = transposed(tree, 16).time(tree)
    monkeypatch.setattr(hierarchical, "_gathered", lambda *_: ())
    assert gathered <= transposed(tree, 16).time(tree)


@pytest.mark.parametrize(
    ("sizes", "startups", "seconds"),
    [
        ((8, 8), (1.0, 1e3), 7 * (1 + 8) + (1e3 + 7 * 64 / 2) + 7 * (1 + 8)),
        ((4, 16), (1.0, 1e3), 3 * 17 + 1192 + 3 * 17 + 1192 + 3 * 17),
        ((2, 4, 8), (1.0, 20.0, 1e3), (33 + 3 * 84) + 1896 + (33 + 3 * 84)),
    ],
    ids=str,
)
def test_near_nodes_send_what_goes_far_together(sizes, startups, seconds):
    """As many far messages as there must be: one in each turn of 8 leaves, and twice of 16."""
    tree = gc.Machine.tree(sizes, startup=startups, per_byte=1.0, oversubscribed=4)
    assert transposed(tree, 1).time(tree) == seconds
    task = transpose(tree.dims, 1)
    crowd = hierarchical.Crowded.of(tree, task.block_bytes)
    deliveries = hierarchical.by_level(task.move, task.n, crowd)
    assert seconds <= crowd.price(deliveries) <= 1.1 * seconds  # as if all left their parts


@pytest.mark.parametrize("order", [(1, 0, 4, 5, 2, 3), (1, 0, 5, 4, 3, 2), (0, 1, 4, 5, 2, 3)])
def test_near_nodes_do_the_rest_after_far_ones(order):
    """Near bits only trade places: they are done last, when shares are handed out."""
    tree = gc.Machine.tree((4, 4), startup=(1.0, 1e6), per_byte=1.0)
    target = gc.Layout.cyclic(6, 4)
    task = Task(AffineMap(Matrix.permutation(order)) @ target, target, 16)
    made = hierarchical.emit(task, tree)
    assert check_algebra(made, tree)
    assert sum(times for times, of in simulate(made).seconds(tree) if 2 in of) == 1


def test_an_uplink_carries_everything_once():
    """16 leaves of 16 nodes: each node has what its leaf sends to one other, in one message."""
    tree = gc.Machine.tree((16, 16), startup=(1.0, 1000.0), per_byte=(0.0, 1.0))
    waits = list(transposed(tree, 1).seconds(tree))
    far = sum(times * of[4] for times, of in waits if 4 in of)
    assert far == 1000 + 15 * 256  # one message of a node, and all that leaves a leaf
    near = sum(times for times, of in waits if 4 not in of)
    assert near == 2 * 4  # a start-up for each near dimension, before and after


@pytest.mark.parametrize("leaves", [64, *sweep((4096,))])
def test_many_nodes_are_near_the_bound(leaves):
    """The uplinks that are too narrow are what takes time; they carry all bytes once."""
    startup, rates = (1e-6, 2e-6, 5e-6), (1e-11, 2e-11)
    tree = gc.Machine.tree((8, 32, leaves), startup=startup, per_byte=rates, oversubscribed=4)
    n = tree.dims
    layouts = gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n)
    plan = gc.plan(*layouts, 1 << 23, machine=tree)
    assert plan.algorithm == "hierarchical"
    assert plan.verify()
    assert plan.lower_bound <= plan.cost < 1.6 * plan.lower_bound
