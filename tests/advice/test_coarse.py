"""Phases on coarse grids cost what the messages cost that arrays send, counted one by one."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.array.boxes import traffic
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.grids import thinned

ITEM = 8


def smoothing(times=3, *, corners=True):
    return [gc.Loop([gc.Stencil()], times), gc.Stencil(corners=corners), gc.Elementwise()]


def v_cycle(depth, factor=2):
    """Down so many grids and up again."""
    if depth == 0:
        return smoothing(1, corners=False)
    return [*smoothing(), gc.Coarse(factor, v_cycle(depth - 1, factor)), *smoothing(2)]


def advised(phases, layout, machine):
    return gc.advise(
        phases, machine=machine, size=layout.shape, itemsize=ITEM, layouts={"here": layout}
    )


def message(machine, source, target, elements):
    """Hop by hop, or at once."""
    hops = (source ^ target).bit_count() if machine.switching != "circuit" else 1
    return hops * machine.message_time(elements * ITEM)


@cache
def transfer(machine, source, target):
    """One port: what a node receives, one message after the other."""
    still, nodes = (0,) * len(target.shape), range(target.node_count)
    found = [0.0]
    for node in nodes:
        piece = np.empty(target.piece(range(node, node + 1)).shape)
        received = traffic(source, target, node, still).received
        found.append(
            sum(
                message(machine, peer, node, piece[places].size)
                for peer, places in received
                if peer != node
            )
        )
    return max(found)


@cache
def exchange(machine, layout, phase):
    """One port, neighbours that are alike: what a node receives, message after message."""
    made = gc.halo(layout, phase.reach, corners=phase.corners)
    return max(
        sum(message(machine, m.source, m.target, m.size) for m in made.received(node))
        for node in range(layout.node_count)
    )


def halving(d, axis):
    return tuple(2 if k == axis else 1 for k in range(d))


@cache
def coarser(layout, factors, gather=None):
    u = gc.CubeArray.from_numpy(np.zeros(layout.shape), layout)
    return gc.coarsen(u, factors, gather or 1).layout


def way_down(machine, layout, factors):
    """Axis by axis, a factor of two after the other."""
    seconds = 0.0
    for axis, factor in enumerate(factors):
        for _ in range(int(math.log2(factor))):
            halves = halving(len(factors), axis)
            target = coarser(layout, halves)
            seconds += transfer(machine, thinned(layout, halves), target)
            layout = target
    return seconds, layout


def gatherings(machine, layout):
    """All on more and more nodes, and what it takes to get there."""
    d, seconds = len(layout.shape), 0.0
    yield seconds, layout
    while layout.copy_count < layout.node_count:
        start = layout
        for axis in range(d):
            target = coarser(layout, (1,) * d, halving(d, axis))
            seconds += transfer(machine, layout, target)
            layout = target
        if layout == start:  # the rest are copies that have nothing to tell apart
            return
        yield seconds, layout


def counted(phases, layout, machine):
    """All phases one after the other, on every coarse grid where that is cheapest."""
    share = max(math.prod(layout.shape) / layout.node_count, 1)
    work = (machine.arithmetic or ITEM * machine.per_byte) * (layout.block_size - share)
    seconds = 0.0
    for phase in phases:
        if isinstance(phase, gc.Loop):
            seconds += phase.times * counted(phase.phases, layout, machine)
        elif isinstance(phase, gc.Coarse):
            factors = np.broadcast_to(phase.factor, len(layout.shape)).tolist()
            there, coarse = way_down(machine, layout, factors)
            seconds += there + min(
                more + counted(phase.phases, target, machine)
                for more, target in gatherings(machine, coarse)
            )
        else:
            seconds += work
            if isinstance(phase, gc.Stencil):
                seconds += exchange(machine, layout, phase)
    return seconds


MACHINES = [
    {"startup": 1.0, "per_byte": 0.0},
    {"startup": 5.0, "per_byte": 1.0},
    {"startup": 1.0, "per_byte": 1.0, "arithmetic": 0.5, "packet": 8},
    {"startup": 100.0, "per_byte": 1.0, "switching": "circuit"},
    {"startup": 0.25, "per_byte": 1.0},
]


FIGURES = range(len(MACHINES))
GRIDS = [((4, 4), (4, 4)), ((8, 4), (4, 1)), ((8,), (8,)), ((8, 8), (4, 4)), ((16, 16), (8, 8))]
FEW = [(0, 1), (0, 3), (1, 2), (1, 0), (2, 2), (2, 3), (2, 4)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("grid", "number"), [*FEW, *sweep(*(c for c in product(range(5), FIGURES) if c not in FEW))]
)
def test_a_v_cycle_costs_what_its_messages_cost(grid, number):
    (shape, nodes), figures = GRIDS[grid], MACHINES[number]
    layout = gc.Layout.mesh(shape, nodes, code="gray")
    machine = gc.Machine(layout.n, **figures)
    phases = v_cycle(int(math.log2(max(shape))))
    found = advised(phases, layout, machine).cost
    assert found == pytest.approx(counted(phases, layout, machine))


def test_equal_blocks_with_an_odd_part_stay_where_they_are():
    machine = gc.Machine(2, startup=1.0, per_byte=1.0)
    fine = gc.Layout.mesh((96, 12), (4, 1), code="gray", ownership=False)
    coarse = coarser(fine, (2, 2))
    assert transfer(machine, thinned(fine, (2, 2)), coarse) == 0
    found = advised([gc.Coarse(2, [gc.Stencil()])], fine, machine)
    assert found.cost == exchange(machine, coarse, gc.Stencil())
    assert found.steps[0].label[1] == "48 x 6 in place"


@pytest.mark.parametrize(
    ("layout", "factor"),
    [
        (gc.Layout.mesh((48, 48), (4, 1), allocation="cyclic", ownership=False), 2),
        (gc.Layout.mesh((96,), (4,), ownership=False), 16),  # 6 rows on 4 nodes
    ],
    ids=["moved", "unequal"],
)
def test_other_grids_with_an_odd_part_have_no_price(layout, factor):
    with pytest.raises(InvalidValueError, match="none of the 1 layouts"):
        advised([gc.Coarse(factor, [gc.Stencil()])], layout, gc.Machine(2, startup=1.0))


@cache
def how(startup, arithmetic=0.0):
    layout = gc.Layout.mesh((16, 16), (4, 4), code="gray")
    machine = gc.Machine(4, startup=startup, per_byte=1.0, arithmetic=arithmetic)
    advice = advised(gc.Coarse(2, v_cycle(3)), layout, machine)
    return advice.steps[0].label[1]


def test_grids_are_gathered_where_messages_are_dear_and_work_is_cheap():
    assert how(1e9) == "8 x 8 to 1 x 1 on every node"
    assert how(0.0) == "8 x 8 to 4 x 4 in place, 2 x 2 to 1 x 1 on every node"
    apart = "8 x 8 to 4 x 4 in place, 2 x 2 in 4 copies, 1 x 1 on every node"
    assert how(1e3, arithmetic=1e9) == apart


@pytest.mark.parametrize("figures", [MACHINES[3], *sweep((MACHINES[0],))], ids=str)
def test_other_factors_and_a_factor_for_each_axis(figures):
    layout = gc.Layout.mesh((8, 8), (4, 2), code="gray")
    machine = gc.Machine(3, **figures)
    for factor in (4, (4, 1), (1, 8)):
        phases = [gc.Coarse(factor, smoothing())]
        found = advised(phases, layout, machine).cost
        assert found == pytest.approx(counted(phases, layout, machine))


def test_a_factor_of_one_changes_nothing_where_work_is_dear():
    layout = gc.Layout.mesh((8, 8), (4, 4), code="gray")
    machine = gc.Machine(4, startup=1.0, per_byte=1.0, arithmetic=1e9)
    alone = advised(smoothing(), layout, machine).cost
    assert advised(gc.Coarse(1, smoothing()), layout, machine).cost == alone


def test_ways_by_dimension_are_heeded():
    """Copies of a line of 8 on nodes of one host, over its cheap links."""
    layout = gc.Layout.nodes(3, "gray")
    machine = gc.Machine(3, startup=(1.0, 10.0, 100.0), per_byte=0.0)
    copied = advised(gc.Coarse(2, [gc.Elementwise()]), layout, machine)
    assert copied.cost == 1.0
    assert advised(gc.Coarse(8, [gc.Elementwise()]), layout, machine).cost == 111.0


@pytest.mark.parametrize(("switching", "hops"), [("store-and-forward", 2.0), ("circuit", 1.0)])
def test_copies_may_be_hops_away(switching, hops):
    layout = gc.Layout.parse("(|| b0^b1 b0)")
    machine = gc.Machine(2, startup=1.0, per_byte=0.0, switching=switching)
    assert advised(gc.Coarse(2, [gc.Elementwise()]), layout, machine).cost == hops


def test_the_data_are_where_they_were_and_layouts_are_chosen():
    machine = gc.Machine(4, startup=1.0, per_byte=1e-3)
    advice = gc.advise(v_cycle(3), machine=machine, size=(16, 16), itemsize=ITEM)
    assert {step.before == step.after for step in advice.steps if hasattr(step, "label")} == {
        True
    }
    assert advice.cost == advice.lower_bound == min(cost for _, cost in advice.alternatives)
    assert "coarse grids by 2: 8 x 8" in advice.explain()


@pytest.mark.parametrize("size", [(8, 8), *sweep(((16, 16),))])
def test_transforms_beside_coarse_grids(size):
    machine = gc.Machine(4, startup=1.0, per_byte=1e-3)
    phases = [gc.FFT(), gc.Coarse(2, smoothing()), gc.FFT()]
    both = gc.advise(phases, machine=machine, size=size)
    assert both.lower_bound <= both.cost
    assert both.cost >= gc.advise(phases[1], machine=machine, size=size).cost


def test_loops_that_never_turn_cost_nothing():
    layout, machine = gc.Layout.nodes(3), gc.Machine(3, startup=1.0)
    never = gc.Loop([gc.Stencil(reach=3)], 0)
    copied = machine.message_time(ITEM)
    assert advised(gc.Coarse(2, [never]), layout, machine).cost == copied


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: gc.Coarse(3, []), InvalidValueError, r"factor\[0\] is 3: it must be a power"),
        (lambda: gc.Coarse(0, []), InvalidValueError, r"factor\[0\] is 0"),
        (lambda: gc.Coarse(1.5, []), InvalidTypeError, "must be an integer"),
        (lambda: gc.Coarse("2", []), gc.GraycubeError, "factor"),
        (lambda: gc.Coarse(2, 3), InvalidTypeError, "the phases are 3"),
        (
            lambda: gc.Coarse(2, [gc.FFT()]),
            InvalidValueError,
            "the phase 'fft'",
        ),
        (lambda: gc.Coarse(2, [gc.Loop([gc.Transpose()])]), InvalidValueError, "'transpose'"),
    ],
)
def test_phases_that_are_none(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("phase", "size", "words"),
    [
        (gc.Coarse((2, 2), []), (8,), "factor has 2 entries for 1 axes"),
        (gc.Coarse(8, []), (24, 12), "one in 8 of 12 elements along axis 1"),
        (gc.Coarse(2, [gc.Coarse(4, [])]), (8, 20), "one in 4 of 10 elements along axis 1"),
        (gc.Coarse(2, [gc.Stencil(reach=(1, 1, 1))]), (8, 8), "reach has 3 entries"),
    ],
)
def test_grids_that_an_array_has_not(phase, size, words):
    with pytest.raises(gc.GraycubeError, match=words):
        gc.advise(phase, machine=gc.Machine(1), size=size)
