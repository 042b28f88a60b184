"""Links that differ: prices counted again from single moves, bounds, what planning gains."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from crowds import cluster_seconds, counted, priced
from kinds_of_tasks import another_kind, planned
from sweeping import sweep

import graycube as gc
from graycube.cost import best_cut, lower_bounds
from graycube.errors import GraycubeError

HARD = (147,)  # parts of single elements, which the slot tells apart
STARTUPS, RATES = (0.0, 1.0, 3.0, 20.0), (0.25, 1.0, 1.5, 8.0)


def machines(chance, dims):
    """A machine of random links."""
    return gc.Machine(
        dims=dims,
        ports=chance.choice([1, min(2, dims), "all"]),
        switching=chance.choice(["store-and-forward", "circuit"]),
        startup=[chance.choice(STARTUPS) for _ in range(dims)],
        per_byte=[chance.choice(RATES) for _ in range(dims)],
        packet=chance.choice([None, None, 8]),
    )


def tasks(chance, dims):
    """Codes converted, axes dealt out anew, or any affine map of addresses."""
    p = dims + chance.randint(0, 3)
    codes = [
        gc.Layout.consecutive(p, dims, nodes=chance.choice(["gray", "binary"])),
        gc.Layout.cyclic(p, dims, nodes=chance.choice(["gray", "binary"])),
        gc.Layout.nodes(dims, chance.choice(["gray", "binary"])),
    ]
    source, target = chance.choice(codes[:2]), chance.choice(codes[:2])
    if chance.random() < 0.4:
        source, target = codes[2], gc.Layout.nodes(dims, chance.choice(["gray", "binary"]))
    block = chance.choice([1, 2, 3]) << source.p - dims
    return gc.schedule.Task(source, target, block, itemsize=chance.choice([1, 4]))


def case(seed):
    chance = random.Random(seed)  # noqa: S311
    dims = chance.randint(1, 4)
    task = tasks(chance, dims)
    return machines(chance, dims), another_kind(task, seed) if seed % 3 == 0 else task


def recounted(schedule, machine):
    """Seconds, from single moves: a round lasts as long as the slowest of all links."""
    levels = [(range(d, d + 1), 1, 1, *link) for d, link in enumerate(machine.links)]
    return counted(schedule, machine, partial(cluster_seconds, levels, machine.packet))


@pytest.mark.parametrize("cases", [12, *sweep((10_000,))])
def test_prices_are_those_of_single_moves(cases):
    for seed in (*HARD, *range(cases)):
        machine, task = case(seed)
        bound = max(b.seconds for b in lower_bounds(task, machine))
        for candidate, schedule in priced(task, machine):
            told = seed, machine, task, candidate
            least = recounted(schedule, machine)
            if machine.alike and task.stages:  # a round of a pipeline that is idle counts there
                assert candidate.cost >= least * (1 - 1e-12), told
            else:
                assert candidate.cost == pytest.approx(least), told
            assert bound <= candidate.cost * (1 + 1e-12), told


def test_links_that_cost_the_same_are_what_they_were():
    alike = gc.Machine(dims=3, ports=2, startup=2.0, per_byte=0.5)
    listed = gc.Machine(dims=3, ports=2, startup=[2.0] * 3, per_byte=np.full(3, 0.5))
    assert listed == alike
    assert listed.alike
    task = case(5)[1]
    machine = gc.Machine(dims=task.n, startup=3.0)
    almost = replace(machine, startup=(3.0,) * (task.n - 1) + (3.0 * (1 + 1e-13),))
    found = zip(lower_bounds(task, machine), lower_bounds(task, almost), strict=True)
    assert all(a.seconds == pytest.approx(b.seconds) for a, b in found)


@pytest.mark.parametrize("cases", [8, *sweep((4_000,))])
def test_to_know_the_links_is_never_worse(cases):
    for seed in range(cases):
        machine, task = case(seed)
        plan = planned(task, machine)
        assert plan.verify(), (seed, machine, task)
        for link in {*machine.links, machine.cheapest, machine.dearest}:
            on = replace(machine, startup=link.startup, per_byte=link.per_byte)
            other = planned(task, on)
            assert plan.cost <= other.traffic.time(machine) * (1 + 1e-12), (seed, link)


def test_messages_suit_one_of_the_links():
    startup, per_byte = (50.0, 50.0, 50.0, 1.0), (1.0, 0.1, 1.0, 5.0)
    machine = gc.Machine(dims=4, ports="all", startup=startup, per_byte=per_byte)
    plan = gc.plan(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 256, machine=machine)
    assert plan.cost == 408.0  # 456 with messages for the largest start-up and rate


def test_bounds_count_what_links_carry():
    task = gc.schedule.Task(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 100)
    rates = Fraction(1), Fraction(1, 4)
    assert best_cut(task, 1, rates).share == 1
    assert best_cut(task, 2, rates).share == Fraction(4, 5)
    machine = gc.Machine(dims=2, ports="all", per_byte=(1.0, 4.0))
    bounds = {bound.name: bound.seconds for bound in lower_bounds(task, machine)}
    assert (bounds["leaving a node"], bounds["cut"], bounds["bisection"]) == (80, 80, 50)


def test_far_links_carry_few_messages():
    near, far = 3, 3
    machine = gc.Machine(
        dims=near + far,
        switching="circuit",
        startup=(1.0,) * near + (50.0,) * far,
        per_byte=(0.001,) * near + (0.01,) * far,
    )
    cyclic, consecutive = gc.Layout.cyclic(18, 6), gc.Layout.consecutive(18, 6)
    plan = gc.plan(cyclic, consecutive, 1 << 12, itemsize=8, machine=machine)
    costs = {c.algorithm.name: c.cost for c in plan.candidates if c.traffic is not None}
    assert plan.algorithm == "groups"
    assert costs["groups"] < min(costs["exchange"], costs["all-to-all"])
    sent = sum(times for times, used in plan.traffic.seconds(machine) if max(used) >= near)
    assert sent < 1 << far


@pytest.mark.parametrize("ports", [1, 2])
def test_copies_wait_for_the_slowest_link_of_each_stage(ports):
    layout = gc.Layout.nodes(3, "gray")
    task = gc.schedule.Task(layout, layout, 1, stages=(2, 1, 0), free=True)
    machine = gc.Machine(dims=3, ports=ports, per_byte=(1.0, 4.0, 16.0))
    found = (pair for pair in priced(task, machine) if pair[0].algorithm.name == "copies")
    ((copies, schedule),) = found
    slowest = [
        max(
            machine.links[(node ^ source).bit_length() - 1].per_byte
            for node in range(8)
            for source in schedule.sources(stage, node)
            if source != node
        )
        for stage in range(3)
    ]
    assert copies.cost == schedule.turns * sum(slowest)


def test_halos_wait_for_the_slowest_link_of_each_round():
    layout = gc.Layout.mesh((8, 8), nodes=(2, 4), code="gray")
    machine = gc.Machine(dims=3, startup=(0.0, 0.0, 10.0), per_byte=(1.0, 1.0, 2.0))
    halo = gc.stencil.halo(layout, reach=1)
    far, near = ((2, 2),), ((0, 4), (1, 4))  # blocks of 4 x 2: an edge of 2 there, of 4 here
    assert [r.loads for r in halo.rounds(machine)] == [far, far, near, near]
    assert halo.time(machine) == 2 * (10.0 + 2 * 2.0) + 2 * 4.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"startup": (1.0, 2.0)}, "startup has 2 figures: the machine has 3 dimensions"),
        ({"per_byte": []}, "per_byte has 0 figures"),
        ({"startup": (1.0, -2.0, 0.0)}, "startup of dimension 1 is -2.0"),
        ({"per_byte": (1.0, "x", 0.0)}, "per_byte of dimension 1 is 'x'"),
    ],
    ids=str,
)
def test_figures_that_no_machine_has(given, words):
    with pytest.raises(GraycubeError, match=words):
        gc.Machine(dims=3, **given)


def test_a_machine_of_unlike_links_in_another_size(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    cluster = gc.Machine(dims=3, startup=(1e-6, 1e-6, 5e-6), per_byte=1e-9)
    gc.machine.save_profile(cluster, "cluster", source="its data sheet")
    assert gc.Machine.profile("cluster") == cluster
    assert gc.Machine.profile("cluster", dims=2) == gc.Machine(2, startup=1e-6, per_byte=1e-9)
    assert gc.Machine.profile("cluster", dims=0).startup == 1e-6
    with pytest.raises(GraycubeError, match="costs for 3 dimensions: nothing is known of 4"):
        gc.Machine.profile("cluster", dims=4)


def test_plans_keep_them_in_files(tmp_path):
    cluster = gc.Machine(dims=3, startup=(1e-6, 1e-6, 5e-6), per_byte=1e-9)
    plan = gc.plan(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 8, machine=cluster)
    plan.save(tmp_path / "plan.json")
    read = gc.load_plan(tmp_path / "plan.json")
    assert (read.machine, read.cost) == (cluster, plan.cost)
