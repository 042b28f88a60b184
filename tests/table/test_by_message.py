"""Blocks that change nodes as messages: what they take, counted by hand, and where they fit."""

import numpy as np
import pytest
from sweeping import sweep
from way_mutants import judge

import graycube as gc

NAME = "by-message"
REVERSED = {
    n: gc.Layout.parse(f"(|| {' '.join(f'b{j}' for j in range(n))})") for n in (3, 4, 5)
}


def planned(target, block, machine, source=None):
    source = source or gc.Layout.nodes(target.n)
    return gc.plan(source, target, block, machine=machine, algorithm=NAME)


@pytest.mark.parametrize("ports", [1, 2, "all"])
@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
@pytest.mark.parametrize("block", [1, 7, *sweep((2,), (60,))])
def test_each_block_arrives(ports, switching, block):
    machine = gc.Machine(4, ports, switching, startup=9.0, per_byte=1.0)
    plan = planned(REVERSED[4], block, machine)
    wrong, _, _ = judge(plan.schedule, machine)
    assert not wrong
    assert plan.verify()
    blocks = np.arange(16)[:, None] * 100 + np.arange(block)
    moved = plan.apply(blocks)
    assert all((moved[REVERSED[4].locate(u)[0]] == blocks[u]).all() for u in range(16))


def test_a_shift_to_the_opposite_takes_rotated_orders():
    """All links are used in each of n rounds, by a third of each block."""
    opposite = gc.Layout.parse("(|| ~b2 ~b1 ~b0)")
    plan = planned(opposite, 99, gc.Machine(3, "all", startup=50.0, per_byte=1.0))
    assert (plan.rounds, plan.cycles) == (3, 99)
    assert plan.traffic.crossings == plan.cycles * 3 << 3  # all links, always
    assert plan.lower_bound == plan.cost == 3 * 50 + 99


def test_two_bits_that_change_places_take_two_rounds():
    """Nodes 01 and 10 trade blocks over both ways of their square, or over two circuits."""
    swapped = gc.Layout.parse("(|| b0 b1)")
    hops = planned(swapped, 8, gc.Machine(2, "all", startup=1.0))
    assert (hops.rounds, hops.cycles) == (2, 8)
    circuits = planned(swapped, 8, gc.Machine(2, "all", "circuit", startup=1.0))
    assert (circuits.rounds, circuits.cycles) == (1, 4)
    alone = planned(swapped, 8, gc.Machine(2, 1, "circuit", startup=1.0))
    assert (alone.rounds, alone.cycles) == (1, 8)


def test_start_ups_make_parts_fewer():
    free, dear = (gc.Machine(5, "all", startup=s, per_byte=1.0) for s in (0.0, 1e4))
    assert planned(REVERSED[5], 600, free).cycles < planned(REVERSED[5], 600, dear).cycles
    assert planned(REVERSED[5], 600, free).rounds > planned(REVERSED[5], 600, dear).rounds


def test_parts_that_are_not_equal_are_dealt():
    """Six elements in four parts: whose part has two goes round, so links carry 2.2 a round."""
    source = gc.Layout.parse("(|| b4^b3^b2^b1 ~b4^b3^b1^b0 ~b3^b2^b1^b0 b4^b2^b1 b3^b1^b0)")
    target = gc.Layout.parse("(|| g2 b3^b2^b0 ~b3^b1 b4^b2^b1^b0 b4^b3^b2^b1)")
    plan = planned(target, 6, gc.Machine(5, 4, startup=2.4, per_byte=1.0), source)
    assert (plan.rounds, plan.cycles) == (5, 11)  # 12 if the first part has two everywhere
    wrong, _, _ = judge(plan.schedule, plan.machine)
    assert not wrong
    assert plan.verify()


def test_what_it_leaves_to_others():
    def why(source, target, n=3):
        task = gc.Task(source, target, source.block_size)
        known = {a.name: a for a in gc.algorithms()}
        return known[NAME].applicable(task, gc.Machine(n))

    assert why(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)).startswith("conversions")
    assert why(gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3)) == "it moves whole blocks"
    wide = gc.Layout.parse(f"(|| {' '.join(f'b{j}' for j in range(10))})")
    assert "512 messages" in why(gc.Layout.nodes(10), wide, 10)


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
def test_no_node_takes_more_than_it_has_ports_for(switching):
    """Hop by hop with the farthest first, which several senders might have for one node."""
    source, target = gc.Layout.parse("(|| ~g1 b1 b0)"), gc.Layout.parse("(|| b0 g0 g1)")
    machine = gc.Machine(3, 1, switching, startup=9.0)
    plan = planned(target, 12, machine, source)
    assert plan.verify()
