"""Blocks that are parted, as messages with ways of their own: proved, followed, counted."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import affine_map, affine_parts
from sweeping import examples
from way_mutants import judge

import graycube as gc
from graycube.planning.candidate import all_candidates
from graycube.schedule import Task

NAME = "by-part"


def few_slots(n):
    """Two slots on a node, whose contents go to two nodes."""
    return gc.Layout.cyclic(n + 1, n), gc.Layout.consecutive(n + 1, n)


def by_name(task, machine):
    return {candidate.algorithm.name: candidate for candidate in all_candidates(task, machine)}


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_two_circuits_at_the_same_time_send_both_halves_of_a_block(n):
    """One start-up and half a block: no schedule takes less."""
    machine = gc.Machine(n, 2, "circuit", startup=5.0, per_byte=1.0)
    plan = gc.plan(*few_slots(n), 12, machine=machine)
    assert (plan.algorithm, plan.rounds, plan.cycles) == (NAME, 1, 6)
    assert plan.optimal
    assert plan.verify()


@st.composite
def cases(draw):
    """Any layouts of few nodes, on several ports."""
    n = draw(st.integers(2, 3))
    p = n + draw(st.integers(1, 3))
    source, target = (gc.Layout(affine_map(*draw(affine_parts(p))), n) for _ in range(2))
    task = Task(source, target, draw(st.sampled_from([1, 2, 3, 4])) << p - n)
    switching = draw(st.sampled_from(["store-and-forward", "circuit"]))
    costs = draw(st.sampled_from([0.0, 1.0, 9.0])), draw(st.sampled_from([0.0, 1.0]))
    ports = draw(st.integers(2, n) | st.just("all"))
    return task, gc.Machine(n, ports, switching, *costs, draw(st.sampled_from([None, 3])))


@pytest.mark.long
@given(cases())
@settings(max_examples=examples(40))
def test_each_element_arrives_in_its_slot_where_it_is_the_cheapest(case):
    task, machine = case
    found = by_name(task, machine)
    assume(found[NAME].traffic is not None)
    schedule = found[NAME].traffic.schedule
    wrong, _, _ = judge(schedule, machine)
    assert not wrong
    for name in ("exchange", "all-to-all", "rotated-parts", "pipeline", "pairs"):
        assert found[NAME].cost < found[name].cost
    parts = task.source, task.target, task.block
    plan = gc.plan(*parts, machine=machine, algorithm=NAME)
    assert plan.verify()
    blocks = np.arange(task.block << task.n).reshape(1 << task.n, -1)
    expected = gc.plan(*parts, machine=machine, algorithm="exchange").apply(blocks)
    assert np.array_equal(plan.apply(blocks), expected)


def test_what_it_leaves_to_others():
    def why(source, target, ports=2, n=3):
        found = by_name(Task(source, target, source.block_size), gc.Machine(n, ports))
        return found[NAME].reason

    assert "one port" in why(*few_slots(3), ports=1)
    assert why(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)).startswith("conversions")
    whole = gc.Layout.parse("(|| b0 b1 b2)")
    assert why(gc.Layout.nodes(3), whole) == "it moves blocks that are parted"
    swapped = gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2)
    assert why(*swapped, n=2) == "others need no more"
    many = gc.Layout.cyclic(14, 7), gc.Layout.consecutive(14, 7)
    assert "8192 pieces" in why(*many, n=7)


RIVALS = {
    "in the order of nodes": ((5, "any mesh 0", 1, 3, "circuit", 0.1), (2, 4)),
    "within subcubes": ((5, "any map 0", 1, 2, "circuit", 3.0), (2, 4)),
    "in strides": ((4, "any map 0", 6, 2, "circuit", 3.0), (3, 18)),
    "by detours": ((4, "any mesh 1", 6, 2, "circuit", 0.1), (1, 24)),
    "in more parts than ports": ((5, "any map 2", 6, 2, "circuit", 0.001), (4, 16)),
    "pieces of a message apart": ((5, "any map 2", 1, 2, "circuit", 0.0), (3, 3)),
    "circuits dealt out": ((4, "any mesh 0", 6, 2, "circuit", 0.0), (2, 24)),
    "hops dealt out": ((3, "cyclic to consecutive", 1, 2, "store-and-forward", 0.0), (7, 7)),
    "hops by stride": ((4, "cyclic to consecutive", 1, 3, "store-and-forward", 0.0), (12, 12)),
    "dealt orders": ((3, "any map 1", 1, 2, "store-and-forward", 0.4), (3, 5)),
}


@pytest.mark.long
@pytest.mark.parametrize("name", RIVALS)
def test_it_takes_what_a_rival_takes(monkeypatch, name):
    (n, kind, behind, ports, switching, startup), least = RIVALS[name]
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks" / "referee")
    pair = dict(importlib.import_module("kinds").kinds(n))[kind]
    block = pair[0].block_size * behind
    machine = gc.Machine(n, ports, switching, startup=startup * block, per_byte=1.0)
    plan = gc.plan(*pair, block, machine=machine)
    assert (plan.algorithm, plan.rounds, plan.cycles) == (NAME, *least)
    assert plan.verify()
    x = np.arange(block << n).reshape(1 << n, -1)
    expected = gc.plan(*pair, block, machine=machine, algorithm="exchange").apply(x)
    assert np.array_equal(plan.apply(x), expected)
