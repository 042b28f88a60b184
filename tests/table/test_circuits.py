"""Whole blocks on circuits: several paths at once, counted by hand, and followed."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import affine_map, affine_parts
from sweeping import examples
from way_mutants import judge

import graycube as gc
from graycube.table.messages.circuits import by_detours
from graycube.verify import check_algebra


def nearest(taken, start, n):
    """How many links away each node is, over links that are not taken."""
    away, front = {start: 0}, [start]
    while front:
        links = [(u, d) for u in front for d in range(n) if (u, d) not in taken]
        front = list(dict.fromkeys(u ^ 1 << d for u, d in links if u ^ 1 << d not in away))
        away |= dict.fromkeys(front, max(away.values()) + 1)
    return away


@given(st.permutations(range(8)), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=examples(40))
def test_each_message_takes_a_shortest_free_path_of_the_first_round_that_has_one(
    to, parts, ports
):
    pairs = tuple(enumerate(to))
    if all(u == v for u, v in pairs):
        return
    n = max(max(u, v) for u, v in pairs if u != v).bit_length()
    manner = by_detours(pairs, parts, ports)[0]
    taken, sends, takes = {}, {}, {}
    hops = manner.hops()
    for k, (u, v) in product(range(parts), pairs):
        if u == v:
            continue
        path = hops[u, v, k]
        (number,) = {r for r, _ in path}
        for r in range(number + 1):
            used = taken.setdefault(r, set())
            free = sends.get((r, u), 0) < ports and takes.get((r, v), 0) < ports
            length = nearest(used, u, n).get(v) if free else None
            assert (length is None) if r < number else length == len(path)
        at = u
        for _, d in path:
            taken[number].add((at, d))
            at ^= 1 << d
        assert at == v
        sends[number, u] = sends.get((number, u), 0) + 1
        takes[number, v] = takes.get((number, v), 0) + 1
    assert manner.fullest == (1,) * len(taken)


@st.composite
def maps(draw):
    """Whole blocks that go anywhere, on several ports."""
    n = draw(st.integers(2, 4))
    target = gc.Layout(affine_map(*draw(affine_parts(n))), n)
    ports, startup = draw(st.integers(2, n)), draw(st.sampled_from([0.0, 0.5, 9.0]))
    machine = gc.Machine(n, ports, "circuit", startup=startup, per_byte=1.0)
    return gc.Layout.nodes(n), target, draw(st.integers(1, 13)), machine


@pytest.mark.long
@given(maps())
@settings(max_examples=examples(60))
def test_blocks_that_go_anywhere_arrive(case):
    source, target, block, machine = case
    plan = gc.plan(source, target, block, machine=machine)
    assert check_algebra(plan.schedule, machine)
    assert not judge(plan.schedule, machine)[0]


def test_three_parts_take_two_rounds_where_two_do_not_fit_into_one():
    rotated = gc.Layout.parse("(|| b0 b2 b1)")
    machine = gc.Machine(3, 2, "circuit", startup=1.0, per_byte=1.0)
    plan = gc.plan(gc.Layout.nodes(3), rotated, 30, machine=machine)
    assert (plan.algorithm, plan.rounds, plan.cycles) == ("by-message", 2, 20)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_bits_reversed_take_one_start_up_and_half_a_block(n):
    """Two ports can do no more."""
    reverse = gc.Layout.parse(f"(|| {' '.join(f'b{j}' for j in range(n))})")
    machine = gc.Machine(n, 2, "circuit", startup=5.0, per_byte=1.0)
    plan = gc.plan(gc.Layout.nodes(n), reverse, 10, machine=machine)
    assert (plan.algorithm, plan.rounds, plan.cycles) == ("by-message", 1, 5)
    assert check_algebra(plan.schedule, machine)


def fields(widths, codes):
    shape = [1 << width for width in widths]
    return [gc.Layout.mesh(shape, nodes=shape, code=each) for each in codes]


OTHER = {"gray": "binary", "binary": "gray"}


@pytest.mark.parametrize("widths", [(2,), (2, 2), (1, 2), (2, 2, 2), (2, 3), (3, 3), (4, 2)])
def test_several_fields_are_converted_over_two_paths(widths):
    """One start-up and half a block where no field has three bits, else two and two thirds."""
    n, block = sum(widths), 6
    machine = gc.Machine(n, 2, "circuit", startup=1.0, per_byte=1.0)
    for codes in product(("gray", "binary"), repeat=len(widths)):
        pair = fields(widths, (codes, [OTHER[code] for code in codes]))
        plan = gc.plan(*pair, block, machine=machine, algorithm="circuit-split")
        assert (plan.rounds, plan.cycles) == ((1, 3) if max(widths) == 2 else (2, 4))
        assert check_algebra(plan.schedule, machine)
        assert not judge(plan.schedule, machine)[0]


def test_many_fields_are_proved_as_well():
    wide = fields((12, 2, 9, 2), ("gray", "binary"))
    pairs = fields((2,) * 6, ("gray", "binary"))
    more = fields((2,) * 7, ("gray", "binary"))
    for pair, rounds in ((wide, 2), (pairs, 1), (more, 2)):
        machine = gc.Machine(pair[0].n, "all", "circuit")
        plan = gc.plan(*pair, 12, machine=machine, algorithm="circuit-split")
        assert plan.rounds == rounds
        assert check_algebra(plan.schedule, machine)


def test_parts_of_a_block_hold_their_paths_for_one_start_up():
    """Both halves of blocks of two fields at once: each link has one message."""
    pair = fields((2, 2), ("gray", "binary"))
    machine = gc.Machine(4, 2, "circuit", startup=1.0, per_byte=1.0)
    schedule = gc.plan(*pair, 8, machine=machine).schedule
    links = [
        (u, d)
        for way in schedule.ways
        for u in range(16)
        if way.starts_at(u)
        for u, d in walked(u, [step.crossings[0].dim for step in way.steps])
    ]
    assert len(links) == len(set(links)) == 64  # all that there are


def walked(node, dims):
    nodes = np.bitwise_xor.accumulate([node, *(1 << d for d in dims)]).tolist()
    return [(u, (u ^ v).bit_length() - 1) for u, v in pairwise(nodes)]


def test_messages_are_packed_for_fewer_ports_too():
    """Greedily for four ports they take four rounds, and 24 cycles."""
    target = gc.Layout.parse("(|| g2 ~b3 b1 ~b2^b1^b0)")
    machine = gc.Machine(4, 4, "circuit", startup=0.0, per_byte=1.0)
    plan = gc.plan(gc.Layout.nodes(4), target, 30, machine=machine, algorithm="by-message")
    assert (plan.rounds, plan.cycles) == (2, 20)
    assert check_algebra(plan.schedule, machine)
