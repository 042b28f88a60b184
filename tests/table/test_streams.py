"""Streams in slots: whole blocks in little more than the least flow, on small cubes."""

from collections import Counter
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from sweeping import seeds, sweep
from way_mutants import judge

import graycube as gc
from graycube.gf2 import AffineMap, Matrix
from graycube.table.messages.slots import in_rounds, in_slots
from graycube.table.messages.streams import OTHERS

NAME = "streams"
GRAY = tuple((u, gc.gray_inverse(u)) for u in range(8))


def scrambled(seed, n):
    """Whole blocks that go anywhere: rows are drawn until they are independent."""
    rng = np.random.default_rng(seed)
    while True:
        matrix = Matrix.from_rows([int(row) for row in rng.integers(0, 1 << n, n)], n)
        if matrix.is_invertible():
            return gc.Layout(AffineMap(matrix, int(rng.integers(0, 1 << n))), n)


def crossings(pairs, found, times=1):
    """Rounds, senders, dimensions: for each of so many rounds behind the begin of a hop."""
    for (u, v, _), hops in found.items():
        at, before = u, -1
        for begin, d in hops:
            assert begin >= before
            yield from ((begin + late, at, d) for late in range(times))
            at, before = at ^ 1 << d, begin
        assert at == v
    assert {(u, v) for u, v, _ in found} == {pair for pair in pairs if pair[0] != pair[1]}


def judged(uses, ports):
    """No link twice at a time, and no more of them at a node than it has ports."""
    uses = [*uses]
    assert len({*uses}) == len(uses)
    sends = Counter((when, at) for when, at, _ in uses)
    takes = Counter((when, at ^ 1 << d) for when, at, d in uses)
    assert max(*sends.values(), *takes.values()) <= ports


@pytest.mark.parametrize(("ports", "parts", "slots"), [(1, 1, 2), (2, 1, 1), (3, 5, 3)])
@pytest.mark.parametrize("size", [1, 4])
def test_slots_and_rounds_have_room_for_what_is_in_them(ports, parts, slots, size):
    found = in_slots(GRAY, parts, ports, slots)
    judged(crossings(GRAY, found), ports)
    timed, rounds = in_rounds(found, ports, size)
    judged(crossings(GRAY, timed, size), ports)
    assert rounds == size + max(begin for hops in timed.values() for begin, _ in hops)
    assert all(a < b for hops in timed.values() for (a, _), (b, _) in pairwise(hops))


def test_three_fifths_are_found_from_nothing():
    """Five parts in three slots, and not six of them: the cut says so."""
    assert in_slots(GRAY, 5, 3, 3)
    assert in_slots(GRAY, 6, 3, 3) is None


@pytest.mark.long
@pytest.mark.parametrize("ports", [1, 2, "all"])
@pytest.mark.parametrize(
    ("startup", "block"), [(0.0, 61), (5.0, 100), *sweep((0.5, 60), (5.0, 400))]
)
@pytest.mark.parametrize("seed", seeds(2, 30))
def test_each_block_arrives(ports, startup, block, seed):
    source, target = scrambled(seed, 4), scrambled(seed + 100, 4)
    machine = gc.Machine(4, ports, startup=startup, per_byte=1.0)
    plan = gc.plan(source, target, block, machine=machine)
    if plan.algorithm != NAME:
        assert NAME not in {c.algorithm.name for c in plan.candidates if c.cost < plan.cost}
        return
    wrong, _, _ = judge(plan.schedule, machine)
    assert not wrong
    assert plan.verify()
    index = np.arange(16)
    blocks = source.index(index, 0)[:, None] * 1000 + np.arange(block)
    assert (
        plan.apply(blocks) == target.index(index, 0)[:, None] * 1000 + np.arange(block)
    ).all()


@pytest.mark.parametrize(
    ("ports", "seed", "above", "gain"),
    [(1, 1, 1.09, 1.15), (2, 1, 1.01, 1.49), ("all", 1, 1.16, 1.49)],
)
def test_large_blocks_take_little_more_than_the_least_flow(ports, seed, above, gain):
    """Over the least flow, and how much more the best of the others takes."""
    source, target, block = scrambled(seed, 4), scrambled(seed + 100, 4), 1 << 16
    machine = gc.Machine(4, ports)
    plan = gc.plan(source, target, block, machine=machine)
    assert plan.algorithm == NAME
    assert plan.cycles <= above * block * gc.certify(source, target, machine=machine).share
    names = {NAME, "relabel"}
    others = (c.cost for c in plan.candidates if c.algorithm.name not in names)
    assert min(others) >= gain * plan.cost


def test_what_it_leaves_to_others():
    algorithm = next(a for a in gc.algorithms() if a.name == NAME)

    def why(source, target, machine):
        return algorithm.applicable(gc.Task(source, target, source.block_size), machine)

    one, other = scrambled(1, 3), scrambled(2, 3)
    assert why(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), gc.Machine(3)).startswith("conv")
    parted = gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3)
    assert why(*parted, gc.Machine(3)) == "it moves whole blocks"
    assert "alike" in why(one, other, gc.Machine(3, startup=(1.0, 2.0, 3.0)))
    wide = gc.Layout.parse(f"(|| {' '.join(f'b{j}' for j in range(9))})")
    assert "256 parts" in why(gc.Layout.nodes(9), wide, gc.Machine(9))


def test_circuits_hold_ports_at_their_ends():
    """Three messages to one node, or from it, take three slots on one port, and two on two."""
    to_one = tuple((1 << d, 0) for d in range(3))
    for pairs in (to_one, tuple((v, u) for u, v in to_one)):
        assert in_slots(pairs, 1, 1, 2, circuits=True) is None
        assert in_slots(pairs, 1, 2, 2, circuits=True)
        found = in_slots(pairs, 1, 1, 3, circuits=True)
        assert sorted(hops[0][0] for hops in found.values()) == [0, 1, 2]


def test_codes_of_three_bits_go_round_on_circuits():
    """Three fifths of a block, which is the least there is, with three start-ups."""
    machine = gc.Machine(3, "all", "circuit", startup=2.0, per_byte=1.0)
    gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    for pair in ((gray, binary), (binary, gray)):
        plan = gc.plan(*pair, 100, machine=machine)
        assert (plan.algorithm, plan.rounds, plan.cycles) == ("by-message", 3, 60)
        assert not judge(plan.schedule, machine)[0]


@pytest.mark.long
@pytest.mark.parametrize("startup", [0.0, 3.0, 40.0])
def test_they_are_offered_only_where_they_are_cheaper(startup):
    found = 0
    for seed in range(8):
        source, target = scrambled(seed, 3), scrambled(seed + 100, 3)
        machine = gc.Machine(3, 2, startup=startup, per_byte=1.0)
        plan = gc.plan(source, target, 60, machine=machine)
        costs = {c.algorithm.name: c.cost for c in plan.candidates if c.cost < inf}
        others = [costs.get(other.ALGORITHM.name, inf) for other in OTHERS]
        found += NAME in costs
        assert costs.get(NAME, 0) < min(others)
    assert found or startup > 0
