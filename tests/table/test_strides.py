"""Strides: the rounds that are kept, what they carry, and all-to-alls that take them."""

from collections import Counter

import numpy as np
import pytest
from sweeping import sweep
from way_mutants import judge

import graycube as gc
from graycube.table.messages import strides
from graycube.verify import check_algebra

SIZES = range(3, 7)
EVERY = [(n, ports) for n in SIZES for ports in range(2, n + 1)]


def transposed(n):
    return gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n)


def pattern_of(one, chosen):
    """The dimensions of the strides of a sum, in plain integers."""
    total = 0
    for some, k in zip(one.rounds, chosen, strict=True):
        total ^= (0, *some)[k]
    return total


@pytest.mark.parametrize(("n", "ports"), EVERY)
def test_no_two_strides_of_a_round_have_a_dimension_in_common(n, ports):
    for one in strides.known(n, ports):
        assert one.n == n
        for some in one.rounds:
            assert 0 < len(some) <= ports
            bits = Counter(d for stride in some for d in range(n) if stride >> d & 1)
            assert set(bits.values()) == {1}


@pytest.mark.parametrize(("n", "ports"), EVERY)
def test_each_pattern_is_its_sum(n, ports):
    for one in strides.known(n, ports):
        assert [pattern_of(one, chosen) for chosen in one.sums] == list(range(1 << n))
        load = Counter((r, k) for chosen in one.sums for r, k in enumerate(chosen) if k)
        fullest = [max(load[r, k] for k in range(1, n + 1)) for r in range(len(one.rounds))]
        assert one.elements == sum(fullest) / 2**n


@pytest.mark.parametrize(("n", "ports"), EVERY)
def test_what_is_kept_is_a_front(n, ports):
    """More rounds carry less: half of a block has to cross each dimension, whatever is done."""
    kept = strides.known(n, ports)
    assert kept
    points = sorted((len(one.rounds), one.elements) for one in kept)
    assert points == sorted(set(points), key=lambda point: (point[0], -point[1]))
    assert [volume for _, volume in points] == sorted({v for _, v in points}, reverse=True)
    assert points[-1][1] >= 0.5


@pytest.mark.parametrize(
    ("n", "ports", "payload"),
    [
        *((3, 2, 3), (3, 3, 1), (4, 3, 1)),
        *sweep((3, 2, 1), (3, 3, 3), (4, 2, 1), (4, 2, 3), (4, 3, 3), (5, 3, 1), (5, 3, 3)),
    ],
)
def test_an_all_to_all_takes_as_many_rounds(n, ports, payload):
    machine = gc.Machine(n, ports, "circuit", startup=1e4, per_byte=1.0)
    plan = gc.plan(*transposed(n), payload << n, machine=machine)
    least = min(strides.known(n, ports), key=lambda one: len(one.rounds))
    assert (plan.algorithm, plan.rounds) == ("by-part", len(least.rounds))
    assert plan.cycles == least.elements * (payload << n)
    assert check_algebra(plan.schedule, machine)
    assert not judge(plan.schedule, machine)[0]
    x = np.arange(payload << 2 * n).reshape(1 << n, -1)
    expected = gc.plan(
        *transposed(n), payload << n, machine=machine, algorithm="exchange"
    ).apply(x)
    assert np.array_equal(plan.apply(x), expected)


def test_two_rounds_on_three_ports_move_as_little_as_three_of_one_dimension_each():
    machine = gc.Machine(3, 3, "circuit", startup=5.0, per_byte=1.0)
    plan = gc.plan(*transposed(3), 48, machine=machine)
    assert (plan.rounds, plan.cycles) == (2, 24)
    others = {c.algorithm.name: c.cost for c in plan.candidates}
    assert others["rotated-parts"] == 3 * 5 + 24


def test_without_circuits_or_on_one_port_there_are_none():
    for machine in (gc.Machine(3, 3, startup=9.0), gc.Machine(3, 1, "circuit", startup=9.0)):
        assert gc.plan(*transposed(3), 8, machine=machine).rounds >= 3


def test_dimensions_that_no_message_crosses_are_left_out():
    pair = [
        gc.Layout.parse(text)
        for text in ("(b2 b1 b0 || b6 b5 b4 b3)", "(b6 b5 b4 || b2 b1 b0 b3)")
    ]
    machine = gc.Machine(4, 3, "circuit", startup=1e4, per_byte=1.0)
    plan = gc.plan(*pair, 8, machine=machine)
    assert (plan.algorithm, plan.rounds, plan.cycles) == ("by-part", 2, 4)
    assert check_algebra(plan.schedule, machine)
    assert not judge(plan.schedule, machine)[0]
