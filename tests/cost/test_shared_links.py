"""Links that messages share: prices counted again from messages and their routes, and plans."""

import random
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import product

import pytest
from crowds import a_torus, a_tree, cluster_seconds, counted, priced, torus_seconds
from kinds_of_tasks import another_kind, planned
from sweeping import long, sweep

import graycube as gc
from graycube.cost import lower_bounds, shared, simulate
from graycube.cost.messages import by_turns
from graycube.planning.candidate import all_candidates
from graycube.schedule import Task
from graycube.schedule.way import are_straight

HARD = 110, 1318, 1510, 145, 189, 1193  # nodes pass on, cards hear more, sides are met in turn
NARROW = 73, 118  # trees whose uplinks of inner levels are the narrow ones
SIDES = (2,), (4,), (8,), (2, 4), (4, 4), (2, 8), (8, 2), (4, 2, 2), (16,)
TREES = (2, 2), (4, 2), (2, 2, 2), (2, 4), (8,), (2, 2, 4)


def cluster(chance):
    inner, outer = chance.randint(1, 2), chance.randint(1, 2)
    share = chance.choice([1, 1 << chance.randint(0, inner)])
    ports = chance.randint(1, outer)
    machine = gc.Machine(
        dims=inner + outer,
        ports=(inner,) * inner + (ports,) * outer,
        share=(1,) * inner + (share,) * outer,
        switching=chance.choice(["store-and-forward", "circuit"]),
        startup=(1.0,) * inner + (5.0,) * outer,
        per_byte=(0.25,) * inner + (1.0,) * outer,
        packet=chance.choice([None, None, 8]),
    )
    near = range(inner), 1, inner, 1.0, 0.25
    far = range(inner, inner + outer), share, ports, 5.0, 1.0
    return machine, partial(cluster_seconds, [near, far], machine.packet)


def case(seed, *, trees):
    """A machine, how its rounds are counted, and a task in the numbers of its cube."""
    chance = random.Random(seed)  # noqa: S311
    if trees:
        machine, seconds = a_tree(chance, TREES)
    else:
        machine, seconds = a_torus(chance, SIDES) if seed % 2 else cluster(chance)
    n = machine.dims
    p = n + chance.randint(0, 2)
    codes = ["gray", "binary"]
    source = gc.Layout.consecutive(p, n, nodes=chance.choice(codes))
    target = chance.choice([gc.Layout.cyclic, gc.Layout.consecutive])
    target = target(p, n, nodes=chance.choice(codes))
    block = chance.choice([1, 2, 5]) << p - n
    task = Task(source, target, block, itemsize=chance.choice([1, 4]))
    return machine, seconds, another_kind(task, seed) if seed % 3 == 0 else task


def exact(schedule):
    """With delays within a block every node counts as if it sent as much."""
    return are_straight(schedule.ways) or by_turns(schedule)


def judged(task, machine, seconds):
    """Candidates, and whether their prices are what single messages take: none is less."""
    bound = max(b.seconds for b in lower_bounds(task, machine))
    for candidate, schedule in priced(task, machine):
        least = counted(schedule, machine, seconds)
        told = machine, task, candidate, least
        assert candidate.cost >= least * (1 - 1e-12), told
        assert bound <= least * (1 + 1e-12), told
        if exact(schedule):
            assert candidate.cost == pytest.approx(least, rel=1e-9), told
        yield candidate, exact(schedule)


@pytest.mark.long
@pytest.mark.parametrize("wide", [1, 64])
@pytest.mark.parametrize("cases", [8, *sweep((800,))])
def test_prices_are_those_of_single_messages_on_their_routes(cases, wide):
    """Elements that are wide take long enough for nodes to meet between rounds."""
    tried, met = 0, set()
    for seed in [*HARD, *range(cases)]:
        machine, seconds, task = case(seed, trees=False)
        task = replace(task, itemsize=task.itemsize * wide)
        for candidate, is_exact in judged(task, machine, seconds):
            met.add(candidate.traffic.meetings(machine) > 0)
            tried += is_exact
    assert tried > cases
    assert wide == 1 or met == {False, True}


@pytest.mark.long
@pytest.mark.parametrize("cases", [25, *sweep((3_000,))])
def test_prices_are_those_of_single_messages_on_their_uplinks(cases):
    tried = 0
    for seed in [*NARROW, *range(cases)]:
        machine, seconds, task = case(seed, trees=True)
        tried += sum(is_exact for _, is_exact in judged(task, machine, seconds))
    assert tried > 2 * cases


@pytest.mark.parametrize(
    "machine",
    [
        gc.Machine.tree((2, 4, 2), startup=(1.0, 3.0), per_byte=(1.0, 2.0, 0.5)),
        *long(
            (gc.Machine.torus((8,), startup=1.0, per_byte=1.0),),
            (gc.Machine.torus((16,), joined=False, startup=1.0, per_byte=1.0),),
            (gc.Machine(4, (1, 2, 2, 2), "circuit", share=(1, 2, 2, 2), startup=9.0),),
            (gc.Machine(4, (1, 2, 2, 2), "circuit", startup=0.5, per_byte=1.0),),
        ),
    ],
    ids=lambda machine: machine.wires[-1].shared,
)
def test_many_turns_cost_what_few_do(machine, monkeypatch):
    n = machine.dims
    task = Task(gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n), 3 << n)
    (direct,) = (c for c, _ in priced(task, machine) if c.algorithm.name == "all-to-all")
    exactly = direct.traffic.time(machine)
    monkeypatch.setattr(shared, "MOST", 0)
    assert direct.traffic.time(machine) == pytest.approx(exactly)


@pytest.mark.parametrize("sides", [(8,), (8, 2)])
def test_pipelines_on_rings_load_each_link_with_all_that_passes_it(sides):
    """Messages over several dimensions at once are not all busiest on the same link."""
    ring = gc.Machine.torus(sides, startup=1.0, per_byte=1.0)
    n = ring.dims
    task = Task(gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n), 3 << n)
    (found,) = (c for c in all_candidates(task, ring) if c.algorithm.name == "pipeline")
    assert not exact(found.traffic.schedule)
    costs = [(1.0, 1.0)] * len(sides)
    least = counted(found.traffic.schedule, ring, partial(torus_seconds, ring, costs))
    assert found.cost == least


def test_half_of_the_data_cross_the_links_in_the_middle():
    ring = gc.Machine.torus((16,), startup=3.0, per_byte=1.0)
    path = gc.Machine.torus((16,), joined=False, startup=3.0, per_byte=1.0)
    hosts = gc.Machine(4, (2, 2, 1, 1), share=(1, 1, 4, 4), startup=3.0)
    task = Task(gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4), 16)
    for machine, links in ((ring, 2), (path, 1), (hosts, 2)):
        found = {bound.name: bound.seconds for bound in lower_bounds(task, machine)}
        half = 8 * 16 / 2  # elements on one side that have to change it
        assert found["bisection"] == 3.0 + half / links


@pytest.mark.parametrize("ports", [1, 2])
def test_several_ports_of_a_card_share_out_start_ups(ports):
    """Four nodes send a block each over two ports: 1000 / 2 + 4 x 16 / 2 seconds at least."""
    machine = gc.Machine(4, (2, 2, ports, ports), share=(1, 1, 4, 4), startup=1000.0)
    far = gc.Layout(gc.gf2.AffineMap(gc.gf2.Matrix.identity(4), 0b1000), 4)
    plan = gc.plan(gc.Layout.nodes(4), far, 16, machine=machine)
    assert plan.lower_bound <= plan.cost
    found = {bound.name: bound.seconds for bound in plan.bounds}
    assert found["bisection"] == (1000 + 4 * 16) / ports


def test_messages_within_a_computer_do_without_its_card():
    """Circuits lead round about here; messages do not: from 2 to 3 goes all on one link."""
    near, far = (1.0, 0.25), (5.0, 1.0)
    startup, per_byte = zip(near, near, far, strict=True)
    machine = gc.Machine(3, (2, 2, 1), "circuit", startup, per_byte, share=(1, 1, 4))
    layouts = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    on = gc.Machine(3, 3, "circuit", *near)  # there each circuit is as good as another
    plan = gc.plan(*layouts, 24, itemsize=4, machine=on, algorithm="by-message")
    for schedule in (plan.schedule, gc.schedule.expand(plan.schedule)):
        assert simulate(schedule).time(machine) == 2 * 1.0 + (24 + 16) * 4 * 0.25
    found = gc.plan(*layouts, 24, itemsize=4, machine=machine)
    assert found.lower_bound <= found.cost == 25.0


def test_nodes_send_what_passes_within_a_step_too():
    """Both nodes of a pair may cross the second dimension of a step, at one of them."""
    path = gc.Machine.torus(
        (4, 2, 2), joined=False, switching="store-and-forward", per_byte=(0.5, 1.0, 0.5)
    )
    source = gc.Layout.parse("(|| ~b0 ~b2^b0 b3^b2^b1^b0 ~b3^b2^b0)")
    target = gc.Layout.parse("(|| ~b2^b1 b3 b3^b1^b0 b0)")
    task = Task(source, target, 5)
    (parts,) = (c for c in all_candidates(task, path) if c.algorithm.name == "rotated-parts")
    schedule = parts.traffic.schedule
    costs = (0.0, 0.5), (0.0, 1.0), (0.0, 0.5)
    least = counted(schedule, path, partial(torus_seconds, path, costs))
    assert parts.cost == least == simulate(gc.schedule.expand(schedule)).time(path)


@pytest.mark.parametrize(
    ("cases", "trees"),
    [
        ((*range(6), 1404), False),
        (range(8), True),
        *sweep((range(3_000), False), (range(3_000), True)),
    ],
    ids=str,
)
def test_to_know_what_is_shared_is_never_worse(cases, trees):
    for seed in cases:
        machine, _, task = case(seed, trees=trees)
        plan = planned(task, machine)
        assert plan.verify(), (seed, machine, task)
        conjugate = plan.task.numbered(machine.numbers)
        for ports, link in product({1, machine.links_at_once}, {*machine.links}):
            on = gc.Machine(machine.dims, ports, machine.switching, *link, machine.packet)
            for candidate, _ in priced(conjugate, on):
                cost = candidate.traffic.time(machine)
                assert plan.cost <= cost * (1 + 1e-12), (seed, ports, link, candidate)


def test_fewer_links_at_once_can_be_better():
    near, far = (12.5, 0.25), (50.0, 1.0)
    startup, per_byte = zip(near, near, far, far, strict=True)
    machine = gc.Machine(
        4, (1, 2, 2, 2), share=(1, 2, 2, 2), startup=startup, per_byte=per_byte
    )
    layouts = gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4)
    plan = gc.plan(*layouts, 1024, machine=machine, algorithm="pipeline")
    assert plan.cost == 1505.0  # 1533 with as many as there are


@pytest.mark.parametrize("n", [40, 63])
def test_cubes_of_any_size_are_priced(n):
    share = (1, 1, 1) + (8,) * (n - 3)
    machine = gc.Machine(n, (1,) * n, share=share, switching="circuit", startup=1e-6)
    source, target = gc.Layout.cyclic(n + 3, n), gc.Layout.consecutive(n + 3, n)
    plan = gc.plan(source, target, 8, machine=machine)
    assert plan.verify()
    assert plan.lower_bound <= plan.cost


@pytest.mark.parametrize("cases", [40, *sweep((3_000,))])
def test_the_bound_of_a_tree_is_what_leaves_its_busiest_part(cases):
    """Element by element: where each begins, where it belongs, whose uplinks are between."""
    for seed in range(cases):
        machine, seconds, task = case(seed, trees=True)
        levels, _ = seconds.args
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
