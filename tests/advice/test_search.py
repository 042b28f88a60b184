"""The cheapest sequence of layouts is what trying all of them finds, loops written out.

Prices come from plans, halo exchanges and emulations one by one; sequences are not pruned.
"""

from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from butterfly_cases import axis_bits
from sweeping import larger, seeds

import graycube as gc
from graycube.advice import Methods, Repeated, search
from graycube.advice.homes import homes
from graycube.advice.known import Conversion
from graycube.advice.paths import Ways, power
from graycube.advice.prices import options
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout.grids import tidied

FFT, STENCIL, TURN, POINTWISE = gc.FFT(), gc.Stencil(), gc.Transpose(), gc.Elementwise()
CLOSE = 1e-9
AT_HOME = Methods(fft=("restore", "whole blocks"))
EVERY = ("leave", "restore", "whole blocks")
SMALL = [  # shape, and nodes along the axes of each layout offered
    ((16,), [(4,)]),
    ((16,), [(8,)]),
    ((32,), [(16,)]),
    ((8, 8), [(2, 2), (4, 1)]),
    ((8, 8), [(4, 2)]),
    ((12, 4), [(2, 2)]),
    ((4, 20), [(2, 2)]),
    ((4, 4, 6), [(2, 2, 1)]),
]


@cache
def nodes_of(layout):
    """The node of every element."""
    return tuple(int(layout.locate(*at)[0]) for at in np.ndindex(layout.shape))


@cache
def converted(source, target, itemsize, machine, name="auto"):
    """The price of a conversion that leaves all ranks where they are."""
    block = source.block_size
    table = gc.plan(source, target, block, itemsize=itemsize, machine=machine).candidates
    return min(
        candidate.cost
        for candidate in table
        if candidate.algorithm.name != "relabel" and name in ("auto", candidate.algorithm.name)
    )


@cache
def in_whole_blocks(layout, axis, itemsize, machine):
    """A block to every partner: hop by hop, or over one circuit."""
    hops = [
        (layout.map.matrix.columns[bit] & (1 << layout.n) - 1).bit_count()
        for bit in axis_bits(layout, axis)
    ]
    if machine.switching == "circuit":
        hops = [min(count, 1) for count in hops]
    return sum(hops) * machine.message_time(layout.block_size * itemsize)


@cache
def left(layout, axis, itemsize, machine):
    """The plan of a transform that does not convert first, and where it leaves index bits."""
    table = gc.plan_fft(layout, axis, itemsize=itemsize, machine=machine).candidates
    as_they_are = (c for c in table if c.algorithm.name != "convert first")
    best = min(as_they_are, key=lambda c: c.cost)
    return (best.cost, best.traffic.schedule.task.target) if best.traffic else None


@cache
def restored(layout, axis, itemsize, machine):
    """The best emulation that brings everything back, with messages of any size."""
    slots, prices = layout.p - layout.n, []
    most = range(1, min(slots, machine.links_at_once) + 1)
    kinds = [gc.Method(radix=radix, overlap=o) for radix in most for o in (True, False)]
    for method in (*kinds, gc.Method("inter-node")):
        sizes = range(slots - method.radix + 1)
        made = [emulated(layout, axis, itemsize, method, merged) for merged in sizes]
        if made and made[0] and made[0].dimensions_at_once <= machine.links_at_once:
            prices += [seconds(one, itemsize, machine) for one in made if one]
    return (min(prices), layout) if prices else None


def emulated(layout, axis, itemsize, method, merged):
    method = gc.Method(method.conversion, method.radix, merged, method.overlap)
    try:
        return gc.emulation(layout, axis, method=method, restore=True, itemsize=itemsize)
    except InvalidValueError:  # memory is too small
        return None


def seconds(made, itemsize, machine):
    """As many messages of one length in sequence as there are rounds."""
    length = made.cycles // len(made.rounds) if made.rounds else 0
    return len(made.rounds) * machine.message_time(length * itemsize)


@cache
def ways(phase, layout, itemsize, machine, methods):
    """What a phase may cost, and the layout afterwards."""
    if phase == POINTWISE:
        return ((0.0, layout),)
    if isinstance(phase, gc.Stencil):
        made = gc.halo(
            layout,
            phase.reach,
            periodic=phase.periodic,
            corners=phase.corners,
            itemsize=itemsize,
            stride=phase.stride,
        )
        return ((made.time(machine), layout),)
    return tuple(transforms(phase, layout, itemsize, machine, methods))


def transforms(phase, layout, itemsize, machine, methods):
    """All axes by the same method, if memory has room for it."""
    for method in methods.fft:
        place, cost = layout, 0.0
        for axis in range(len(layout.axes)) if phase.axes is None else phase.axes:
            found = along(method, place, axis, itemsize, machine)
            if found is None:
                break
            more, after = found
            if phase.order == "carried":  # the order of the digits has tests of its own
                alone, only = gc.FFT(axes=axis), Methods(fft=method)
                after = options(alone, place, itemsize, machine, only)[0].after
            place, cost = tidied(after), cost + more  # memory is put in order for nothing
        else:
            yield cost, place


def along(method, layout, axis, itemsize, machine):
    if method == "leave":
        return left(layout, axis, itemsize, machine)
    if method == "restore":
        return restored(layout, axis, itemsize, machine)
    return in_whole_blocks(layout, axis, itemsize, machine), layout


class Everything:
    """All sequences through phases, one by one: the cost and the last layout of each."""

    def __init__(self, layouts, machine, itemsize, methods):
        self.layouts, self.machine = layouts, machine
        self.itemsize, self.methods = itemsize, methods

    def conversions(self, cost, layout):
        yield cost, layout
        for other in self.layouts.values():
            if other.axes == layout.axes and nodes_of(other) != nodes_of(layout):
                name = self.methods.conversion
                yield cost + converted(layout, other, self.itemsize, self.machine, name), other

    def through(self, phases, start):
        found = [(0.0, start)]
        for phase in phases:
            before = [
                way
                for cost, layout in found
                for way in (
                    [(cost, layout)] if phase == POINTWISE else self.conversions(cost, layout)
                )
            ]
            found = [
                (cost + more, after)
                for cost, layout in before
                for more, after in ways(
                    phase, layout, self.itemsize, self.machine, self.methods
                )
            ]
        return found

    def least(self, phases, *, start=None, returns=False, back=False):
        """The cheapest; with ``back`` there may be a conversion after the last phase."""
        return min(
            cost
            for name, first in self.layouts.items()
            if start in (None, name)
            for end in self.through(phases, first)
            for cost, last in (self.conversions(*end) if back else [end])
            if not returns or nodes_of(last) == nodes_of(first)
        )


def offered(shape, splits, *, cyclic=True):
    """Layouts by name, no two of which have everything on the same nodes."""
    found = {}
    for nodes in splits:
        for code in ("binary", "gray"):
            for allocation in ("consecutive", "cyclic") if cyclic else ("consecutive",):
                made = gc.Layout.mesh(
                    shape, nodes=nodes, code=code, allocation=allocation, ownership=False
                )
                over = "x".join(map(str, nodes))
                found.setdefault(nodes_of(made), (f"{code} {over} {allocation}", made))
    return dict(found.values())


def random_case(seed, count):
    """A small program, with what it needs."""
    rng = np.random.default_rng(seed)
    shape, splits = SMALL[seed % len(SMALL)]
    every = offered(shape, splits)
    keep = rng.permutation(len(every))[:2]
    layouts = {name: layout for k, (name, layout) in enumerate(every.items()) if k in keep}
    n = next(iter(layouts.values())).n
    machine = gc.Machine(
        dims=n,
        ports=("all", 1, min(2, n))[rng.integers(3)],
        switching=("store-and-forward", "circuit")[rng.integers(2)],
        startup=float(rng.integers(0, 60)),
        per_byte=float(rng.integers(1, 4)),
        packet=(None, 16)[rng.integers(2)],
    )
    phases = [random_phase(rng, len(shape)) for _ in range(count)]
    return phases, layouts, machine, int(rng.integers(1, 9))


def random_phase(rng, axes):
    kind = rng.integers(8)
    if kind < 3:
        only = (int(rng.integers(axes)),) if rng.integers(2) else None
        return gc.FFT(axes=only, order=("carried", "free")[rng.integers(2)])
    if kind < 7:
        reach = tuple(int(rng.integers(0, 4)) for _ in range(axes))
        return gc.Stencil(reach, periodic=bool(rng.integers(2)), corners=bool(rng.integers(2)))
    return POINTWISE


def in_order(phase):
    """The same, if nobody minds the order of the output."""
    return gc.FFT(phase.axes, "free") if isinstance(phase, gc.FFT) else phase


def advised(phases, layouts, machine, itemsize, **rest):
    size = next(iter(layouts.values())).shape
    return gc.advise(
        phases, machine=machine, size=size, itemsize=itemsize, layouts=layouts, **rest
    )


def ends(trace):
    """The places before and after, with every step checked against the one before it."""
    for first, second in pairwise(trace):
        assert ends((first,))[1] == ends((second,))[0]
    if isinstance(trace[0], Repeated) or isinstance(trace[-1], Repeated):
        if len(trace) == 1:
            inner = ends(trace[0].steps)
            assert trace[0].times == 1 or inner[0] == inner[1]
            return inner
        return ends(trace[:1])[0], ends(trace[-1:])[1]
    return trace[0].before, trace[-1].after


def paid(trace):
    return sum(
        step.times * paid(step.steps) if isinstance(step, Repeated) else step.cost
        for step in trace
    )


def done(trace):
    """How often each phase is done."""
    counts = {}
    for step in trace:
        if isinstance(step, Repeated):
            for phase, count in done(step.steps).items():
                counts[phase] = counts.get(phase, 0) + step.times * count
        elif not isinstance(step.label, Conversion):
            counts[step.label[0]] = counts.get(step.label[0], 0) + 1
    return counts


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(8, 16))
def test_advice_is_the_least_of_all_sequences(seed):
    phases, layouts, machine, itemsize = random_case(seed, 2 + seed % 3)
    every = Everything(layouts, machine, itemsize, Methods())
    start = (None, *layouts)[seed % 5 % (1 + len(layouts))]
    found = advised(phases, layouts, machine, itemsize, start=start)
    assert found.cost == pytest.approx(every.least(phases, start=start), rel=CLOSE)


@pytest.mark.parametrize("seed", seeds(8, 40))
def test_advice_that_keeps_data_at_home_is_the_least_of_all_sequences(seed):
    phases, layouts, machine, itemsize = random_case(seed, 3)
    phases = [in_order(phase) for phase in phases]
    every = Everything(layouts, machine, itemsize, AT_HOME)
    for start in (None, *layouts):
        found = advised(phases, layouts, machine, itemsize, start=start, methods=AT_HOME)
        assert found.cost == pytest.approx(every.least(phases, start=start), rel=CLOSE)


@pytest.mark.parametrize("seed", seeds(4, 8))
def test_advice_for_five_phases_is_the_least_of_all_sequences(seed):
    phases, layouts, machine, itemsize = random_case(seed, 5)
    some = Methods(fft=("leave", "restore")[seed % 2])
    every = Everything(layouts, machine, itemsize, some)
    found = advised(phases, layouts, machine, itemsize, methods=some)
    assert found.cost == pytest.approx(every.least(phases), rel=CLOSE)


@pytest.mark.parametrize("fft", [*EVERY, EVERY[:2]], ids=str)
@pytest.mark.parametrize("seed", range(100, 102))
def test_methods_are_all_that_advice_uses(seed, fft):
    phases, layouts, machine, itemsize = random_case(seed, 3)
    some = Methods(fft=fft)
    every = Everything(layouts, machine, itemsize, some)
    found = advised(phases, layouts, machine, itemsize, methods=some)
    assert found.cost == pytest.approx(every.least(phases), rel=CLOSE)


@pytest.mark.parametrize("conversion", ["gb1", "gb3", "all-to-all"])
def test_conversions_are_by_the_named_algorithm(conversion):
    machine = gc.Machine(dims=3, startup=2.0, per_byte=1.0)
    layouts = {code: gc.Layout.consecutive(6, 3, nodes=code) for code in ("binary", "gray")}
    assert conversion in {algorithm.name for algorithm in gc.algorithms()}
    phases = [FFT, gc.Stencil(reach=3), STENCIL, FFT]
    some = Methods(fft="whole blocks", conversion=conversion)
    every = Everything(layouts, machine, 1, some)
    found = advised(phases, layouts, machine, 1, methods=some)
    assert found.cost == pytest.approx(every.least(phases), rel=CLOSE)


@pytest.mark.parametrize("seed", seeds(8, 24))
def test_data_return_to_where_they_started(seed):
    phases, layouts, machine, itemsize = random_case(seed, 2 + seed % 2)
    every = Everything(layouts, machine, itemsize, AT_HOME)
    only = {"returns": True, "methods": AT_HOME}
    phases = [in_order(phase) for phase in phases]
    for start in (None, *layouts):
        found = advised(phases, layouts, machine, itemsize, start=start, **only)
        before, after = ends(found.steps) if found.steps else (0, 0)
        assert before == after
        least = every.least(phases, start=start, returns=True, back=True)
        most = every.least(phases, start=start, returns=True)
        assert least <= found.cost * (1 + CLOSE)
        assert found.cost <= most * (1 + CLOSE)


@pytest.mark.parametrize("methods", [AT_HOME, Methods(fft="leave")], ids=lambda m: m.fft[0])
@pytest.mark.parametrize("seed", seeds(4, 6))
def test_a_loop_is_its_body_so_many_times(seed, methods):
    phases, layouts, machine, itemsize = random_case(seed, 2)
    for times in (0, 1, 2, 3, 5, 7):
        loop, flat = (
            advised(program, layouts, machine, itemsize, methods=methods).cost
            for program in ([gc.Loop(phases, times)], phases * times)
        )
        assert loop == pytest.approx(flat, rel=CLOSE)


@pytest.mark.parametrize(("outer", "inner"), [(0, 3), (3, 0), (1, 4), (2, 2), (3, 2)])
def test_nested_loops_are_their_bodies_so_many_times(outer, inner):
    for seed in range(larger(2, 4)):
        (first, second), layouts, machine, itemsize = random_case(seed, 2)
        nested = [gc.Loop([first, gc.Loop([second], inner)], outer)]
        loops, flat = (
            advised(program, layouts, machine, itemsize, methods=AT_HOME).cost
            for program in (nested, [first, *[second] * inner] * outer)
        )
        assert loops == pytest.approx(flat, rel=CLOSE)


def test_a_loop_that_never_runs_costs_nothing_and_moves_nothing():
    phases, layouts, machine, itemsize = random_case(3, 3)
    never = [gc.Loop(phases, 0), gc.Loop([gc.Loop(phases, 5)], 0)]
    found = advised(never, layouts, machine, itemsize, methods=AT_HOME)
    assert (found.cost, done(found.steps)) == (0.0, {})
    around = [phases[0], gc.Loop(phases, 0), phases[1]]
    with_it = advised(around, layouts, machine, itemsize, methods=AT_HOME).cost
    without = advised(phases[:2], layouts, machine, itemsize, methods=AT_HOME).cost
    assert with_it == without


@pytest.mark.parametrize("seed", seeds(4, 8))
def test_long_loops_grow_by_the_same_in_every_period(seed):
    """From some turn on, more turns cost what a cycle of places costs."""
    phases, layouts, machine, itemsize = random_case(seed, 2)
    turns = gc.Loop([in_order(phase) for phase in phases], 3, name="turns")
    found = advised([turns], layouts, machine, itemsize, methods=AT_HOME)
    period = 12
    turns = [10**6, 10**6 + period, 10**6 + 2 * period, 10**9, 10**9 + period]
    costs = found.vary(turns=turns).costs
    grown = costs[1] - costs[0]
    assert costs[2] - costs[1] == pytest.approx(grown, rel=1e-6)
    assert costs[3] - costs[0] == pytest.approx(grown * (10**9 - 10**6) / period, rel=1e-6)


@pytest.mark.parametrize("seed", seeds(8, 12))
def test_steps_chain_and_add_up_and_every_phase_is_done(seed):
    phases, layouts, machine, itemsize = random_case(seed, 3)
    first, second, third = phases
    program = [first, gc.Loop([second, gc.Loop([third], 3)], 1000), gc.Loop(phases, 7)]
    found = advised(program, layouts, machine, itemsize, methods=Methods(fft="leave"))
    assert paid(found.steps) == pytest.approx(found.cost, rel=CLOSE)
    before, _ = ends(found.steps)
    assert str(found.places[before]) in layouts
    wanted = {}
    for phase, count in zip(phases, (1 + 7, 1000 + 7, 3000 + 7), strict=True):
        wanted[phase] = wanted.get(phase, 0) + count
    if POINTWISE in wanted:  # every phase has a label, also one that costs nothing
        assert done(found.steps)[POINTWISE] == wanted[POINTWISE]
    assert done(found.steps) == wanted


def cheapest_walk(costs, times):
    """So many steps, one after the other, from every place to every place."""
    size = len(costs)
    best = [[0.0 if i == j else np.inf for j in range(size)] for i in range(size)]
    for _ in range(times):
        best = [
            [min(row[k] + costs[k][j] for k in range(size)) for j in range(size)]
            for row in best
        ]
    return np.array(best)


def turns(trace):
    """Turns of a loop: those of groups that alternate count one by one."""
    if not any(isinstance(step, Repeated) for step in trace):
        return 1
    return sum(step.times * turns(step.steps) for step in trace)


@pytest.mark.parametrize("seed", range(10))
def test_powers_are_cheapest_walks(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 6))
    costs = rng.integers(0, 9, (size, size)).astype(float)
    costs[rng.random((size, size)) < 0.4] = np.inf
    steps = Ways(costs, lambda i, j: f"{i} {j}")
    for times in range(10):
        made = power(steps, times, size)
        assert np.array_equal(made.costs, cheapest_walk(costs, times))
        for i, j in product(range(size), repeat=2):
            if times and np.isfinite(made.costs[i, j]):
                trace = made.trace(i, j)
                assert paid(trace) == made.costs[i, j]
                assert ends(trace) == (i, j)
                assert turns(trace) == times


@pytest.mark.parametrize("seed", range(6))
def test_powers_of_more_turns_follow_from_those_of_fewer(seed):
    """In (min, +), the power of a sum is the product of the powers."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 99, (4, 4)).astype(float)
    steps = Ways(costs, lambda i, j: f"{i} {j}")
    for few, many in ((10**4, 1), (12345, 54321), (2**20, 2**20 - 1)):
        left_, right = power(steps, few, 4).costs, power(steps, many, 4).costs
        both = (left_[:, :, None] + right[None, :, :]).min(axis=1)
        assert np.array_equal(power(steps, few + many, 4).costs, both)


def test_conversions_come_before_a_loop_rather_than_in_it():
    machine = gc.Machine(dims=3, startup=1.0, per_byte=1.0)
    layouts = {code: gc.Layout.consecutive(6, 3, nodes=code) for code in ("binary", "gray")}
    turns = gc.Loop([STENCIL, POINTWISE, STENCIL], 1000)
    found = advised([gc.Loop([turns], 5)], layouts, machine, 1, start="binary")
    first, *rest = found.steps
    assert isinstance(first.label, Conversion)
    assert done(rest) == {STENCIL: 10000, POINTWISE: 5000}
    (outer,) = rest
    (inner,) = outer.steps
    assert (outer.times, inner.times) == (5, 1000)


# Transposes.


def renamed(phases, order):
    """The program without its transposes: axes have the names that they began with."""
    made = []
    for phase in phases:
        if isinstance(phase, gc.Transpose):
            axes = range(len(order))[::-1] if phase.axes is None else phase.axes
            order = [order[axis] for axis in axes]
        elif isinstance(phase, gc.FFT):
            axes = range(len(order)) if phase.axes is None else phase.axes
            made.append(gc.FFT(tuple(order[axis] for axis in axes), phase.order))
        elif isinstance(phase, gc.Stencil) and isinstance(phase.reach, tuple):
            reach = [None] * len(order)
            for axis, far in zip(order, phase.reach, strict=True):
                reach[axis] = far
            made.append(gc.Stencil(tuple(reach), phase.periodic, phase.corners))
        else:
            made.append(phase)
    return made


WITH_TRANSPOSES = [
    ((8, 8), [gc.FFT(axes=0), TURN, gc.FFT(axes=0), TURN]),
    ((16, 8), [gc.Stencil((2, 0)), TURN, gc.Stencil((2, 0)), TURN, gc.FFT(axes=1)]),
    ((48, 80), [gc.FFT(axes=1, order="free"), TURN, gc.FFT(axes=1), gc.Stencil((1, 3))]),
    ((12, 20), [STENCIL, gc.Transpose((0, 1)), gc.FFT(axes=(1, 0)), TURN, STENCIL]),
    ((4, 8, 12), [gc.FFT(axes=2), gc.Transpose((1, 2, 0)), gc.Stencil((2, 0, 1))]),
    ((8, 4, 4), [TURN, gc.FFT(axes=0), TURN, gc.Transpose((2, 0, 1)), gc.FFT(axes=1)]),
]


@pytest.mark.long
@pytest.mark.parametrize(("shape", "phases"), WITH_TRANSPOSES, ids=str)
@pytest.mark.parametrize("ports", [1, "all"])
def test_a_transpose_is_a_renaming_of_axes(shape, phases, ports):
    """Bands along the last axis, so that it matters which axis is which."""
    machine = gc.Machine(dims=2, ports=ports, startup=7.0, per_byte=1.0)
    nodes = {2: [(4, 1), (2, 2)], 3: [(4, 1, 1), (2, 2, 1)]}[len(shape)]
    layouts = offered(shape, nodes, cyclic=False)
    found = advised(phases, layouts, machine, 2).cost
    plain = renamed(phases, list(range(len(shape))))
    assert not any(isinstance(phase, gc.Transpose) for phase in plain)
    assert found == pytest.approx(advised(plain, layouts, machine, 2).cost, rel=CLOSE)
    assert found > 0


def test_transposes_alone_cost_nothing():
    machine = gc.Machine(dims=3, startup=1.0)
    for phases in ([TURN], [gc.Transpose((1, 2, 0))] * 3, [gc.Loop([TURN], 1001)]):
        found = gc.advise(phases, machine=machine, size=(8, 24, 40))
        assert found.cost == 0.0
        assert all(step.cost == 0 for step in found.steps if not isinstance(step, Repeated))


def test_three_turns_of_three_axes_come_back():
    machine = gc.Machine(dims=2, startup=1.0)
    layouts = offered((4, 8, 12), [(2, 2, 1)], cyclic=False)
    around = [gc.Transpose((1, 2, 0))] * 3
    found = advised(around, layouts, machine, 1, returns=True, start=next(iter(layouts)))
    assert found.cost == 0.0
    before, after = ends(found.steps)
    assert before == after


@pytest.mark.parametrize("shape", [(48, 80), (80, 48), (24, 20, 12)], ids=str)
def test_lengths_with_odd_parts_have_the_least_of_all_sequences(shape):
    machine = gc.Machine(dims=2, startup=20.0, per_byte=1.0)
    nodes = [(2, 2, 1)[: len(shape)]]
    layouts = offered(shape, nodes, cyclic=False)
    phases = [gc.FFT(order="free"), gc.Stencil(1, corners=True)]
    every = Everything(layouts, machine, 8, Methods())
    found = advised(phases, layouts, machine, 8)
    assert found.cost == pytest.approx(every.least(phases), rel=CLOSE)


@pytest.mark.long
def test_turns_that_alternate_are_told_as_one():
    """In the order of a run, two turns of a transform go to and fro."""
    loop = gc.Loop([gc.FFT(), gc.Stencil()], times=10**5)
    machine = gc.Machine(dims=3, startup=1.0, per_byte=1.0)
    found = gc.advise(loop, machine=machine, size=64)
    assert len(found.explain().splitlines()) < 60
    assert paid(found.steps) == pytest.approx(found.cost)


@pytest.mark.long
@pytest.mark.parametrize("times", [10**3, 1 << 29])
def test_turns_that_come_round_in_threes_are_told_as_one(times):
    """However the halves of a loop begin."""
    loop = gc.Loop([gc.FFT(), gc.Stencil()], times)
    machine = gc.Machine.profile("ipsc2", dims=4)
    found = gc.advise(loop, machine=machine, size=(64, 64))
    assert len(found.explain().splitlines()) < 100
    assert paid(found.steps) == pytest.approx(found.cost)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_ways_through_long_loops_are_short_to_tell(seed):
    """Also where many turns come round."""
    rng = np.random.default_rng(seed)
    for count in (7, 11):
        costs = rng.integers(1, 30, (count, count)) * 1.0
        costs[rng.random((count, count)) < 0.5] = np.inf
        ring = np.where(np.roll(np.eye(count), 1, axis=1) > 0, 1.0, np.inf)
        for turn in (costs, ring):
            ways = power(Ways(turn, lambda i, j: f"{i} {j}"), 1 << 20, count)
            end = int(ways.costs[0].argmin())
            if np.isfinite(ways.costs[0, end]):
                trace = ways.trace(0, end)
                assert told(trace) < 150
                assert paid(trace) == pytest.approx(ways.costs[0, end])


def told(trace):
    """How many steps are named."""
    return sum(told(step.steps) if isinstance(step, Repeated) else 1 for step in trace)


def test_programs_of_many_phases_have_advice():
    machine = gc.Machine(dims=2, startup=1.0)
    assert gc.advise([gc.FFT(), gc.Stencil()] * 300, machine=machine, size=16).cost > 0


def test_loops_that_occur_again_are_thought_of_once(monkeypatch):
    """Also under other names; a name that is varied tells them apart."""
    turns = []
    monkeypatch.setattr(search, "power", lambda *args: turns.append(args) or power(*args))
    asked = {"machine": gc.Machine(dims=2, startup=1.0, per_byte=1.0), "size": 16}
    body, thought = [gc.FFT(), gc.Stencil()], []
    for count in (3, 30):
        loops = [gc.Loop(body, 5, name=f"loop {k}") for k in range(count)]
        found = gc.advise(loops, **asked)
        thought.append(len(turns))
        turns.clear()
    assert thought[0] == thought[1]
    assert found.cost == pytest.approx(gc.advise(gc.Loop(body, 150), **asked).cost)
    longer = gc.advise([*loops[:4], gc.Loop(body, 9), *loops[5:]], **asked)
    assert longer.cost == pytest.approx(gc.advise(gc.Loop(body, 154), **asked).cost)
    assert found.vary(**{"loop 4": [9]}).costs == (pytest.approx(longer.cost),)


@pytest.mark.parametrize("order", [("stencil", "fft"), ("fft", "stencil")])
def test_data_may_be_converted_back_at_the_end(order):
    """Theorem 4 does not care which kind of phase comes first."""
    machine = gc.Machine.profile("ipsc1", dims=6)
    layouts = {
        "binary": gc.Layout.consecutive(12, 6),
        "gray": gc.Layout.consecutive(12, 6, nodes="gray"),
    }
    kinds = {"fft": gc.FFT(order="free"), "stencil": gc.Stencil([(0, 1)])}
    costs = {
        start: gc.advise(
            [gc.Loop([kinds[kind]], times=8) for kind in order],
            machine=machine,
            size=4096,
            itemsize=8,
            layouts=layouts,
            start=start,
            returns=True,
            methods=Methods("whole blocks", "gb1"),
        ).cost
        for start in layouts
    }
    assert costs["gray"] == pytest.approx(costs["binary"])


@pytest.mark.parametrize("axis", [0, 1])
def test_the_layout_after_a_transform_is_that_of_its_run(axis):
    machine = gc.Machine(dims=3, startup=5.0, per_byte=1.0)
    for place in homes((32, 8), 3):
        plan = gc.plan_fft(place.layout, axis, itemsize=1, machine=machine)
        if plan.algorithm != "convert first":
            a = gc.CubeArray.from_numpy(np.zeros((32, 8)), place.layout)
            ran = gc.fft(a, axis, plan=plan)
            only = Methods(fft="leave")
            option = options(gc.FFT(axes=axis), place.layout, 1, machine, only)[0]
            assert option.cost == plan.cost
            assert option.after == tidied(ran.layout)


def test_one_of_two_axes_takes_its_own_stages_only():
    """With one element on each node, by copies."""
    layout = gc.Layout.mesh((8, 8), nodes=(8, 8))
    for axis in (0, 1):
        plan = gc.plan_fft(layout, axis, machine=gc.Machine(dims=6))
        assert (plan.rounds, bool(plan.verify())) == (3, True)


@pytest.mark.parametrize("constant", [0b011, 0b101, 0b110])
def test_complemented_nodes_stay_complemented(constant):
    """Only names change, and the layout after a transform keeps them."""
    machine = gc.Machine(dims=3, startup=5.0, per_byte=1.0)
    plain = gc.Layout.cyclic(6, 3)
    flipped = AffineMap(Matrix.identity(6), constant) @ plain
    only = Methods(fft="leave")
    for order in ("carried", "free"):
        phase = gc.FFT(order=order)
        one, other = (options(phase, at, 1, machine, only)[0] for at in (plain, flipped))
        assert one.cost == other.cost
        assert other.after.map.constant == constant


def test_one_layout_under_two_names():
    layouts = {"a": gc.Layout.nodes(1), "b": gc.Layout.nodes(1, "gray")}
    machine = gc.Machine(dims=1, startup=1.0)
    for start in layouts:
        found = gc.advise(
            gc.Stencil(),
            machine=machine,
            size=2,
            layouts=layouts,
            start=start,
            returns=True,
        )
        assert np.isfinite([cost for _, cost in found.alternatives]).all()
