"""Trees of switches: prices counted again from messages on the uplinks that they pass."""

import random
from collections import Counter, defaultdict
from itertools import accumulate
from math import ceil
from operator import mul

import pytest
from kinds_of_tasks import another_kind, planned
from round_messages import rounds
from sweeping import sweep

import graycube as gc
from graycube.cost import lower_bounds, shared
from graycube.cost.messages import by_turns
from graycube.planning.candidate import all_candidates
from graycube.schedule import Task
from graycube.schedule.way import are_straight

ASIDE = "relabel", "convert first"  # their moves are not in the schedule
SIZES = (2, 2), (4, 2), (2, 2, 2), (2, 4), (8,), (2, 2, 4)


def case(seed):
    """A tree, the (nodes, start-up, rate) of each level's uplinks, and a task."""
    chance = random.Random(seed)  # noqa: S311
    sizes = chance.choice(SIZES)
    startup = [chance.choice([0.0, 1.0, 20.0]) for _ in sizes]
    rates = [chance.choice([0.25, 1.0, 4.0]) for _ in sizes]
    packet = chance.choice([None, None, 8])
    machine = gc.Machine.tree(
        sizes,
        startup=startup,
        per_byte=rates,
        switching=chance.choice(["store-and-forward", "circuit"]),
        packet=packet,
    )
    nodes = accumulate(sizes[:-1], mul, initial=1)
    n, p = machine.dims, machine.dims + chance.randint(0, 2)
    codes = ["gray", "binary"]
    source = gc.Layout.consecutive(p, n, nodes=chance.choice(codes))
    target = chance.choice([gc.Layout.cyclic, gc.Layout.consecutive])
    task = Task(
        source,
        target(p, n, nodes=chance.choice(codes)),
        chance.choice([1, 2, 5]) << p - n,
        itemsize=chance.choice([1, 4]),
    )
    task = another_kind(task, seed) if seed % 3 == 0 else task
    return machine, [*zip(nodes, startup, rates, strict=True)], task


def seconds(sent, levels, task, packet):
    """As long as the busiest uplink: all bytes, and the start-ups of the node with most."""
    worst = 0.0
    for nodes, startup, rate in levels:
        to_part = Counter()
        for (source, target), elements in sent.items():
            if source // nodes != target // nodes:
                to_part[source, target // nodes] += elements * task.itemsize
        nbytes, starts = Counter(), defaultdict(Counter)
        for (source, part), m in to_part.items():
            for link in (("up", source // nodes), ("down", part)):
                nbytes[link] += m
                pays = 1 if packet is None else ceil(m / packet)
                if link[0] == "up":
                    starts[link][source] += pays
                else:
                    starts[link][source] = pays
        worst = max(
            [worst, *(max(starts[k].values()) * startup + nbytes[k] * rate for k in nbytes)]
        )
    return worst


def priced(task, machine):
    for candidate in all_candidates(task, machine):
        if candidate.traffic is not None and candidate.algorithm.name not in ASIDE:
            yield candidate, candidate.traffic.schedule


@pytest.mark.long
@pytest.mark.parametrize("cases", [25, *sweep((3_000,))])
def test_prices_are_those_of_single_messages_on_their_uplinks(cases):
    tried = 0
    for seed in [73, 118, *range(cases)]:  # uplinks of inner levels are the narrow ones
        machine, levels, task = case(seed)
        bound = max(b.seconds for b in lower_bounds(task, machine))
        for candidate, schedule in priced(task, machine):
            sent = rounds(schedule)
            least = sum(seconds(one, levels, task, machine.packet) for one in sent)
            told = seed, machine, task, candidate, least
            assert candidate.cost >= least * (1 - 1e-12), told
            assert bound <= least * (1 + 1e-12), told
            if are_straight(schedule.ways) or by_turns(schedule):
                assert candidate.cost == pytest.approx(least), told
                tried += 1
    assert tried > 2 * cases


@pytest.mark.parametrize("cases", [8, *sweep((3_000,))])
def test_to_know_the_tree_is_never_worse(cases):
    for seed in range(cases):
        machine, _, task = case(seed)
        plan = planned(task, machine)
        assert plan.verify(), (seed, machine, task)
        for link in {*machine.links}:
            on = gc.Machine(machine.dims, 1, machine.switching, *link, machine.packet)
            for candidate, _ in priced(plan.task, on):
                cost = candidate.traffic.time(machine)
                assert plan.cost <= cost * (1 + 1e-12), (seed, link, candidate)


def test_many_turns_cost_what_few_do(monkeypatch):
    tree = gc.Machine.tree((2, 4, 2), startup=(1.0, 3.0), per_byte=(1.0, 2.0, 0.5))
    task = Task(gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4), 48)
    (direct,) = (c for c, _ in priced(task, tree) if c.algorithm.name == "all-to-all")
    exactly = direct.traffic.time(tree)
    monkeypatch.setattr(shared, "MOST", 0)
    assert direct.traffic.time(tree) == pytest.approx(exactly)


@pytest.mark.parametrize("cases", [40, *sweep((3_000,))])
def test_the_bound_is_what_leaves_the_busiest_part(cases):
    """Element by element: where each begins, where it belongs, whose uplinks are between."""
    for seed in range(cases):
        machine, levels, task = case(seed)
        mask, leaving = (1 << machine.dims) - 1, Counter()
        for address in range(1 << task.p):
            here, there = address & mask, task.move(address) & mask
            for nodes, startup, rate in levels:
                if here // nodes != there // nodes:
                    leaving[here // nodes, nodes, startup, rate] += 1
        each = task.block * task.itemsize >> task.p - machine.dims
        most = [s + count * each * rate for (_, _, s, rate), count in leaving.items()]
        told = {bound.name: bound.seconds for bound in lower_bounds(task, machine)}
        assert told.get("cards", 0.0) == max(most, default=0.0), (seed, machine, task)


def test_what_goes_far_fills_the_uplinks_on_its_way():
    """All of 8 nodes send 16 bytes to the other half, two of them over each narrow uplink."""
    tree = gc.Machine.tree((2, 2, 2), startup=(1.0, 7.0, 2.0), per_byte=(1.0, 4.0, 1.0))
    far = gc.Layout(gc.gf2.AffineMap(gc.gf2.Matrix.identity(3), 0b100), 3)
    plan = gc.plan(gc.Layout.nodes(3), far, 16, machine=tree)
    assert plan.cost == plan.lower_bound == 7 + 2 * 16 * 4


def test_a_transpose_between_halves_fills_the_narrow_uplinks():
    """Of 64 bytes on each of 8 nodes half change sides, over an uplink of a byte a second."""
    narrow = gc.Machine.tree((4, 2), per_byte=(0.0, 1.0))
    task = Task(gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3), 64)
    found = {bound.name: bound.seconds for bound in lower_bounds(task, narrow)}
    assert found["cards"] == 4 * 64 / 2
    direct = next(c for c, _ in priced(task, narrow) if c.algorithm.name == "all-to-all")
    assert direct.cost == found["cards"]


@pytest.mark.parametrize("leaves", [16, *sweep((4096,))])
def test_a_tree_of_many_nodes_is_priced(leaves):
    sizes = 8, 32, leaves
    startup, rates = (1e-6, 2e-6, 5e-6), (1e-11, 2e-11)
    tree = gc.Machine.tree(sizes, startup=startup, per_byte=rates, oversubscribed=4)
    n = tree.dims
    plan = gc.plan(
        gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n), 1 << n, machine=tree
    )
    assert plan.verify()
    assert plan.lower_bound <= plan.cost
