"""The general butterfly beside a loop over pairs, and what is refused."""

# ruff: noqa: ARG001, ARG005 - a stage takes all four, and uses what it needs

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from random_butterflies import layouts, pair_by_pair, random_bits, random_numbers, stage
from random_transforms import random_layout
from sweeping import sweep

import graycube as gc
from graycube.butterflies import groups
from graycube.butterflies.walsh import memory_first
from graycube.cost import simulate
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.fourier import passes
from graycube.gf2 import AffineMap
from graycube.verify import check_elements, check_pairs

LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray")
ZEROS = gc.CubeArray.from_numpy(np.zeros((8, 6)), LAYOUT)


def sums(low, high, bit, index):
    return low + high, low - high


@pytest.mark.parametrize("count", [60, *sweep((1000,))])
def test_what_a_loop_over_pairs_gives(count):
    rng = np.random.default_rng(count)
    for layout, axes in layouts(rng, count):
        axis = int(rng.choice(axes))
        bits = random_bits(rng, layout.axes[axis].bits)
        x = random_numbers(rng, layout)
        a = gc.CubeArray.from_numpy(x, layout)
        y = gc.butterfly(a, stage, axis, bits)
        every = range(layout.axes[axis].bits)[::-1] if bits is None else bits
        wanted = pair_by_pair(x, axis, every, stage)
        assert np.array_equal(y.to_numpy(), wanted), (layout, axis, bits)
        assert np.array_equal(a.to_numpy(), x)


def test_copies_stay_alike():
    rng, tried = np.random.default_rng(0), 0
    while tried < 15:
        whole = random_layout(rng, 40, 1024)
        gone = [int(rng.integers(len(whole.axes)))]
        layout = whole.without_axes(gone) if len(whole.axes) > 1 else whole
        if layout.copies and layout.axes[-1].extent == 1:
            tried += 1
            x = random_numbers(rng, layout)
            y = gc.butterfly(gc.CubeArray.from_numpy(x, layout), stage)
            bits = range(layout.axes[-1].bits)[::-1]
            wanted = pair_by_pair(x, len(layout.axes) - 1, bits, stage)
            assert np.array_equal(y.to_numpy(), wanted), layout
            node, slot = np.indices(y.blocks.shape[:2])
            index = y.layout.coordinates(node, slot)
            assert np.array_equal(y.blocks, wanted[index]), layout


@pytest.mark.parametrize("count", [25, *sweep((500,))])
def test_a_plan_does_the_same_and_is_proved(count):
    rng = np.random.default_rng(count)
    planned = 0
    for layout, axes in layouts(rng, count, 16, 128):
        axis, ports = int(rng.choice(axes)), ("all", 1)[int(rng.integers(2))]
        bits = random_bits(rng, layout.axes[axis].bits)
        machine = gc.Machine(dims=layout.n, ports=ports, startup=3.0, per_byte=1.0)
        try:
            plan = gc.plan_butterfly(layout, axis, bits, machine=machine)
        except InvalidValueError:  # one element on a node, or no network with so little memory
            continue
        planned += 1
        assert plan.verify(), (layout, axis, bits)
        x = random_numbers(rng, layout)
        y = gc.butterfly(gc.CubeArray.from_numpy(x, layout), stage, axis, bits, plan=plan)
        every = range(layout.axes[axis].bits)[::-1] if bits is None else bits
        assert np.array_equal(y.to_numpy(), pair_by_pair(x, axis, every, stage)), layout
        assert y.layout.map == plan.schedule.task.target.map
    assert planned > count // 2


def test_a_transform_is_one_case():
    """The stages of a Fourier transform, and its plan."""
    layout = gc.Layout.cyclic(6, 3, nodes="gray")
    x = np.random.default_rng(0).standard_normal(64) + 0j

    def turned(low, high, bit, index):
        roots = np.exp(-2j * np.pi * (index % (1 << bit)) / (2 << bit))
        return low + high, (low - high) * roots

    plan = gc.plan_fft(layout, machine="ideal")
    assert plan.schedule == gc.plan_butterfly(layout, itemsize=16, machine="ideal").schedule
    for options in ({}, {"plan": plan}):
        y = gc.butterfly(gc.CubeArray.from_numpy(x, layout), turned, **options)
        backwards = [int(f"{k:06b}"[::-1], 2) for k in range(64)]
        assert np.allclose(y.to_numpy()[backwards], np.fft.fft(x))


@pytest.mark.parametrize("code", ["binary", "gray"])
def test_every_dimension_is_exchanged_once(code):
    """As in transforms; with bits in memory first also where allocation is consecutive."""
    cyclic = gc.Layout.cyclic(10, 6, nodes=code)
    assert [g.dims for g in groups(cyclic, range(9, -1, -1))] == [(), (2, 3, 4, 5), (0, 1)]
    for layout in (gc.Layout.consecutive(10, 4, nodes=code), cyclic):
        bits = memory_first(layout, (0,))  # of a Walsh-Hadamard transform
        dims = [d for group in groups(layout, bits) for d in group.dims]
        assert sorted(dims) == list(range(layout.n))


@pytest.mark.parametrize("bits", [[0], [5], [7], [6, 5]])
def test_bits_of_the_node_that_are_not_exchanged_stay_as_they_are(bits):
    """Also where they are the other way round: else everything would move."""
    plain = gc.Layout.consecutive(8, 3, nodes="gray")
    turned = replace(plain, map=AffineMap(plain.map.matrix, 0b101))
    words, moving = np.arange(256), []
    for layout in (plain, turned):
        places = [layout.map, *(group.place for group in groups(layout, bits))]
        nodes = [place(words) & 7 for place in places]
        moving.append([int((a != b).sum()) for a, b in pairwise(nodes)])
    assert moving[0] == moving[1]


def test_bits_that_are_needed_later_stay_in_memory():
    layout = gc.Layout.mesh((16, 16), (4, 4), code="gray", allocation="cyclic")
    made, result = passes(layout, 1, (0,))
    here = [bit for bit in layout.word_bits(0) if not layout.node_change(1 << bit)]
    assert any(group.dims for group in made)
    assert len(here) == 2
    assert not any(result.node_change(1 << bit) for bit in here)


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("n", [2, 3, 4, *sweep((5,))])
def test_transfers_are_those_of_tr_764(code, n):
    """One point on a node: n. P points on N nodes: P/2N + n - 2. In either order of stages."""
    machine = gc.Machine(dims=n, ports="all", startup=0.0, per_byte=1.0)
    one = gc.Layout.nodes(n, code)
    for bits in (range(n), range(n)[::-1]):
        plan = gc.plan_butterfly(one, bits=bits, itemsize=1, machine=machine)
        assert plan.cycles == n
        assert plan.verify()
    for p in range(n + 3, n + 5):
        layout = gc.Layout.cyclic(p, n, nodes=code)
        plan = gc.plan_butterfly(layout, machine=machine, algorithm="four-sectioning")
        assert simulate(plan.schedule).cycles == (1 << p - n - 1) + n - 2
        followed = check_elements(plan.moves(), machine)
        assert followed.joined(check_pairs(plan.moves(), plan.task.stages))


def test_natural_order_and_no_stages():
    x = np.arange(8)
    a = gc.CubeArray.from_numpy(x, gc.Layout.cyclic(3, 1, nodes="gray"))
    moved = gc.butterfly(a, sums)
    back = gc.butterfly(a, sums, order="natural")
    assert moved.layout != a.layout == back.layout
    assert np.array_equal(moved.to_numpy(), back.to_numpy())
    same = gc.butterfly(a, sums, bits=())
    assert np.array_equal(same.to_numpy(), x)
    assert not np.may_share_memory(same.blocks, a.blocks)


def test_what_a_stage_gives_may_be_what_it_got():
    a = gc.CubeArray.from_numpy(np.arange(16), gc.Layout.consecutive(4, 2))
    y = gc.butterfly(a, lambda low, high, bit, index: (high, low))
    assert np.array_equal(y.to_numpy(), np.arange(16)[::-1])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gc.butterfly(np.zeros(4), sums), InvalidTypeError, "works on a CubeArray"),
        (lambda: gc.butterfly(ZEROS, 3, 0), InvalidTypeError, "the stage is a int"),
        (lambda: gc.butterfly(ZEROS, sums, 1), InvalidValueError, r"6 = 3 \* 2\^1 elements"),
        (lambda: gc.butterfly(ZEROS, sums, 0, [1, 1]), InvalidValueError, "once"),
        (lambda: gc.butterfly(ZEROS, sums, 0, [3]), InvalidValueError, r"bits 0\.\.2"),
        (lambda: gc.butterfly(ZEROS, sums, 0, order="up"), InvalidValueError, "order is 'up'"),
        (
            lambda: gc.butterfly(ZEROS, lambda low, high, bit, index: low, 0),
            InvalidTypeError,
            "the stage of bit 2 gives a ndarray",
        ),
        (
            lambda: gc.butterfly(ZEROS, lambda low, high, bit, index: (low, high > 0), 0),
            InvalidValueError,
            "dtype bool.*dtype float64",
        ),
        (
            lambda: gc.butterfly(ZEROS, lambda low, high, bit, index: (low.sum(), high), 0),
            InvalidValueError,
            r"shape \(\)",
        ),
        (
            lambda: gc.butterfly(
                ZEROS, lambda low, high, bit, index: (np.add(low, high, out=low), high), 0
            ),
            ValueError,
            "read-only",
        ),
        (
            lambda: gc.butterfly(
                gc.CubeArray.from_numpy(np.zeros(9), gc.Layout.mesh((9,), (4,))), sums
            ),
            InvalidValueError,
            "a butterfly needs equally many",
        ),
        (
            lambda: gc.butterfly(
                ZEROS, sums, 0, plan=gc.plan_butterfly(LAYOUT, 0, [0, 1], machine="ideal")
            ),
            InvalidValueError,
            "the plan has the stages",
        ),
    ],
)
def test_what_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_what_is_not_proved_is_not_run():
    plan = gc.plan_butterfly(LAYOUT, 0, machine=gc.Machine(dims=3, ports="all"))
    (way,) = plan.schedule.ways
    worse = replace(plan.schedule, ways=(replace(way, steps=way.steps[:-1]),))
    with pytest.raises(InvalidValueError, match="is not proved"):
        gc.butterfly(ZEROS, sums, 0, plan=replace(plan, schedule=worse))
