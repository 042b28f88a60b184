"""Advice is exact, or says by how much it may not be.

The oracle goes through programs phase by phase, loops written out, with a price for every
layout that data can be in: nothing is left out, and nothing is a bound.
"""

import random
from functools import cache
from itertools import product

import numpy as np
import pytest
from crowds import a_machine_of
from sweeping import seeds, sweep

import graycube as gc
from graycube.advice import (
    Butterfly,
    Methods,
    Scan,
    Sort,
    Tridiagonal,
    floors,
    homes,
    known,
)
from graycube.advice.homes import Place
from graycube.advice.prices import conversion, options
from graycube.errors import InvalidValueError
from graycube.layout.grids import tidied

CLOSE = 1 + 1e-9
EVERY = Methods()
SHAPES = [((16,), 2), ((32,), 3), ((8, 8), 2), ((12, 4), 2), ((16, 4), 3), ((4, 4, 2), 2)]
ORDERS = ("carried", "reversed", "free")
DIMS = {"dims": 4, "switching": "circuit", "startup": 10.0, "per_byte": 0.1}
ARRAY = {"machine": gc.Machine(**DIMS), "size": (24, 48), "itemsize": 8}
FLAT = {"flat": gc.Layout.mesh((24, 48), (1, 16), ownership=False)}
BEATEN = [  # by the layout above, and by a long way round
    ([gc.FFT(order="reversed"), gc.FFT(axes=(1,), order="free"), gc.Stencil(1)], 320.8),
    (
        [
            gc.FFT(0, "reversed"),
            gc.FFT(1, "reversed"),
            gc.Transpose(),
            gc.FFT(0, "reversed"),
            gc.Stencil(),
        ],
        311.6,
    ),
]


@cache
def done(phase, layout, itemsize, machine):
    return [
        (option.cost, tidied(option.after))
        for option in options(phase, layout, itemsize, machine, EVERY)
    ]


@cache
def converted(source, target, itemsize, machine):
    return conversion(source, target, itemsize, machine, EVERY)[0]


def key(layout):
    return Place(layout, "").key


def written_out(phases):
    for phase in phases:
        if isinstance(phase, gc.Loop):
            yield from list(written_out(phase.phases)) * phase.times
        else:
            yield phase


def choices(layouts, phases):
    """The layouts, and as transposes see them."""
    turns = [phase for phase in written_out(phases) if isinstance(phase, gc.Transpose)]
    found = {key(layout): layout for layout in layouts}
    for layout in (queue := list(found.values())):
        for turn in turns:
            ((_, after),) = done(turn, layout, 1, gc.Machine(layout.n))
            if key(after) not in found:
                found[key(after)] = after
                queue.append(after)
    return list(found.values())


class Everything:
    """All that a program can do on a machine with some layouts to convert to."""

    def __init__(self, phases, layouts, machine, itemsize):
        self.phases, self.machine, self.itemsize = phases, machine, itemsize
        self.targets = choices(layouts, phases)

    def least(self, *starts, returns=False, stay=False):
        """The least cost from a layout, or from the best of several."""
        reached = {key(start): (0.0, start) for start in starts}
        for phase in written_out(self.phases):
            if not stay and not isinstance(phase, gc.Elementwise):
                reached = self.converted(reached)
            reached = cheapest(
                (cost + more, after)
                for cost, layout in reached.values()
                for more, after in done(phase, layout, self.itemsize, self.machine)
            )
        if returns:
            return self.converted(reached).get(key(*starts), (np.inf,))[0]
        return min((cost for cost, _ in reached.values()), default=np.inf)

    def converted(self, reached):
        moved = (
            (cost + converted(layout, target, self.itemsize, self.machine), target)
            for cost, layout in reached.values()
            for target in self.targets
            if target.axes == layout.axes and key(target) != key(layout)
        )
        return cheapest([*reached.values(), *moved])


def cheapest(ways):
    """For each layout the cheapest way to be there."""
    best = {}
    for cost, layout in ways:
        if cost < best.get(key(layout), (np.inf,))[0]:
            best[key(layout)] = cost, layout
    return best


def phase_of(rng, axes, depth=0):
    kind = rng.integers(9 if depth > 1 else 10)
    if kind < 5:
        only = None if rng.integers(2) else (int(rng.integers(axes)),)
        return gc.FFT(only, ORDERS[rng.integers(3)])
    if kind < 7:
        return gc.Stencil(tuple(int(far) for far in rng.integers(0, 3, axes)))
    if kind < 9:
        return (gc.Elementwise(), gc.Transpose())[kind - 7]
    inner = [phase_of(rng, axes, depth + 1) for _ in range(rng.integers(1, 3))]
    return gc.Loop(inner, int(rng.integers(4)))


def along(rng, shape):
    """A phase along an axis, whatever comes before it."""
    axis = int(rng.integers(len(shape)))
    kinds = [Scan(axis), Sort(axis), Tridiagonal(axis, bool(rng.integers(2)))]
    if all(length & length - 1 == 0 for length in shape):
        kinds += [Butterfly(axis), Butterfly(axis, "any"), Butterfly(axis, (0,))]
    return kinds[rng.integers(len(kinds))]


def random_case(seed, most, *, mixed=False, shared=False):
    """A program on a machine, whose links may be shared, and the usual layouts of its array."""
    rng = np.random.default_rng(seed)
    shape, n = SHAPES[seed % len(SHAPES)]
    machine = gc.Machine(
        dims=n,
        ports=(1, "all")[rng.integers(2)],
        switching=("store-and-forward", "circuit")[rng.integers(2)],
        startup=float((0, 1, 10, 50)[rng.integers(4)]),
        per_byte=float((0.1, 1)[rng.integers(2)]),
    )
    if shared:
        machine, _ = a_machine_of(n, random.Random(seed))  # noqa: S311
    phases = [phase_of(rng, len(shape)) for _ in range(rng.integers(1, most + 1))]
    if mixed:
        phases = [gc.Loop([along(rng, shape), phase], 2) for phase in phases]
    every = {place.name: place.layout for place in homes(shape, n)}
    return rng, phases, every, {"machine": machine, "size": shape, "itemsize": 8}


def some_of(rng, every, most):
    names = rng.permutation(list(every))[: rng.integers(1, most + 1)]
    return {str(name): every[name] for name in names}


def cost(phases, **rest):
    """What advice costs, infinite where there is none."""
    try:
        return gc.advise(phases, **rest).cost
    except InvalidValueError:
        return np.inf


# The oracle.


def compared(seed, most, **kinds):
    """Whether advice says that it is exact; what it says is compared with the oracle."""
    rng, phases, every, array = random_case(seed, most, **kinds)
    layouts, returns = some_of(rng, every, 3), bool(rng.integers(2))
    every = Everything(phases, layouts.values(), array["machine"], 8)
    wanted = {name: every.least(at, returns=returns) for name, at in layouts.items()}
    for start in (None, *layouts):
        best = min(wanted.values()) if start is None else wanted[start]
        more = {"layouts": layouts, "start": start, "returns": returns}
        if np.isfinite(best):
            found = gc.advise(phases, **array, **more)
            assert found.lower_bound <= best * CLOSE
            assert best <= found.cost * CLOSE
            yield found.lower_bound == found.cost
        else:
            assert cost(phases, **array, **more) == np.inf
            yield True


@pytest.mark.parametrize(
    "seed", [*range(0, 24, 3), *sweep(*((s,) for s in range(24) if s % 3))]
)
def test_advice_is_the_least_over_all_layouts_that_data_can_be_in(seed):
    assert all(compared(seed, 4))


@pytest.mark.parametrize("seed", seeds(4, 60))
def test_phases_along_an_axis_are_where_they_are_cheapest(seed):
    assert [*compared(seed, 2, mixed=True)]


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(3, 60))
def test_advice_is_the_least_where_links_are_shared(seed):
    assert [*compared(seed, 2, mixed=seed % 2, shared=True)]


@pytest.mark.sweep
def test_advice_is_the_least_over_all_layouts_in_many_programs():
    exact = [is_exact for seed in range(24, 400) for is_exact in compared(seed, 5)]
    assert exact.count(False) < len(exact) / 50


@pytest.mark.long
def test_a_transpose_changes_what_a_transform_costs_at_least():
    machine = gc.Machine(dims=2, ports="all", startup=10.0, per_byte=1.0)
    phases = [gc.FFT(0, "reversed"), gc.Transpose(), gc.FFT(0, "reversed"), gc.Stencil()]
    layouts = [place.layout for place in homes((16, 2), 2)]
    oracle = Everything(phases, layouts, machine, 1)
    found = gc.advise(phases, machine=machine, size=(16, 2), itemsize=1)
    assert found.cost == found.lower_bound == oracle.least(*layouts)


@pytest.mark.parametrize(("phases", "seconds"), BEATEN, ids=["one way", "long way round"])
def test_no_layout_is_dropped_where_many_lead_on(phases, seconds):
    found = gc.advise(phases, **ARRAY)
    assert found.cost == found.lower_bound == pytest.approx(seconds)
    assert "not every" not in found.explain().lower()
    assert found.cost <= gc.advise(phases, **ARRAY, layouts=FLAT).cost * CLOSE


@pytest.mark.parametrize("seed", [*range(0, 24, 4), *sweep(*((s,) for s in range(2, 24, 4)))])
def test_alternatives_are_the_least_without_conversions(seed):
    rng, phases, every, array = random_case(seed, 4)
    layouts = some_of(rng, every, 3)
    found = gc.advise(phases, layouts=layouts, **array)
    oracle = Everything(phases, layouts.values(), array["machine"], 8)
    for name, seconds in found.alternatives:
        assert seconds == pytest.approx(oracle.least(layouts[name], stay=True), rel=1e-9)


# Fewer layouts.


def assert_no_better_with_fewer(seed):
    rng, phases, every, array = random_case(seed, 4)
    fewer = some_of(rng, every, len(every) - 1)
    start = (None, str(rng.choice(list(fewer))))[rng.integers(2)]
    more = {"start": start, "returns": bool(rng.integers(2))}
    few = cost(phases, layouts=fewer, **more, **array)
    if np.isfinite(few):
        found = gc.advise(phases, layouts=every, **more, **array)
        assert found.lower_bound <= few * CLOSE
        assert found.cost <= few * CLOSE or found.lower_bound < found.cost


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(6, 10, 1000))
def test_fewer_layouts_never_give_better_advice(seed):
    assert_no_better_with_fewer(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(1010, 1380, 37))
def test_fewer_layouts_never_give_better_advice_in_many_programs(first):
    for seed in range(first, first + 37):
        assert_no_better_with_fewer(seed)


# The limit.

TURNS = [gc.Loop([gc.Stencil(), gc.FFT(0), gc.FFT()], 100, name="turns")]
SMALL = {"machine": gc.Machine(dims=2, startup=10.0, per_byte=1.0), "size": (8, 8)}


@pytest.mark.long
def test_a_limit_that_is_reached_is_told(monkeypatch):
    whole = gc.advise(TURNS, **SMALL)
    assert whole.lower_bound == whole.cost
    open_ = []
    for room in (0, 1, 4):
        monkeypatch.setattr(known, "LEFT_BEHIND", room)
        found = gc.advise(TURNS, **SMALL)
        assert found.lower_bound <= whole.cost <= found.cost
        open_.append(found.lower_bound < found.cost)
        said = f"through others it would take at least {found.lower_bound:.4g}."
        assert (said in " ".join(found.explain().split())) == open_[-1]
        varied = found.vary(turns=(0, 1, 100))
        assert varied.lower_bounds[0] == varied.costs[0] == 0
        assert varied.costs[2] == found.cost
        assert (varied.lower_bounds[2] < found.cost) == open_[-1]
    assert open_[0]


@pytest.mark.parametrize("seed", seeds(8, 20, 1000))
def test_bounds_hold_where_the_limit_is_reached(seed, monkeypatch):
    rng, phases, every, array = random_case(seed, 4)
    fewer = some_of(rng, every, 3)
    best = cost(phases, layouts=fewer, **array)
    monkeypatch.setattr(known, "LEFT_BEHIND", 1)
    if np.isfinite(best) and np.isfinite(cost(phases, layouts=fewer, **array)):
        found = gc.advise(phases, layouts=fewer, **array)
        assert found.lower_bound <= best * CLOSE
        assert best <= found.cost * CLOSE


def test_chains_that_never_come_back_end(monkeypatch):
    """Transforms of an array that has many layouts, one after the other."""
    monkeypatch.setattr(known, "LEFT_BEHIND", 5)
    phases = [gc.FFT(axes=axis % 2) for axis in range(40)]
    machine = gc.Machine(dims=4, startup=10.0, per_byte=1.0)
    layouts = {"mesh": gc.Layout.mesh((64, 64), (4, 4), code="gray")}
    found = gc.advise(phases, machine=machine, size=(64, 64), layouts=layouts)
    assert 0 < found.lower_bound < found.cost
    assert len(found.places) < 40


# Little is priced, and bounds hold.


def test_what_cannot_be_on_the_cheapest_way_is_not_priced(monkeypatch):
    priced, plans, usual = [], [], len(homes(SMALL["size"], 2))
    price, plan = known.options, known.conversion
    monkeypatch.setattr(known, "options", lambda *args: priced.append(args) or price(*args))
    monkeypatch.setattr(known, "conversion", lambda *args: plans.append(args) or plan(*args))
    gc.advise([gc.FFT(), gc.Stencil(), gc.FFT()], **SMALL)
    transforms = [phase for phase, *_ in priced if isinstance(phase, gc.FFT)]
    assert usual < len(transforms) < 3 * usual
    assert len(plans) < usual


@pytest.mark.long
@pytest.mark.parametrize("seed", seeds(4, 40))
@pytest.mark.parametrize("shared", [False, True])
def test_no_phase_costs_less_than_its_bounds(seed, shared):
    rng, _, every, array = random_case(seed, 1, shared=shared)
    machine, axes = array["machine"], len(array["size"])
    layout = every[str(rng.choice(list(every)))]
    for k in range(4):
        phase = along(rng, array["size"]) if k % 2 else phase_of(rng, axes, depth=2)
        ways = done(phase, layout, 8, machine)
        for seconds, _ in ways:
            assert floors.anywhere(phase, layout, 8, machine) <= seconds * CLOSE
            if isinstance(phase, gc.FFT | Butterfly):
                assert floors.here(phase, layout, 8, machine) <= seconds * CLOSE
        for other in every.values():
            if other.axes == layout.axes and key(other) != key(layout):
                rough = floors.conversion(layout, other, 8, machine)
                assert rough <= converted(layout, other, 8, machine) * CLOSE
        if not ways:
            break
        _, layout = ways[rng.integers(len(ways))]


@pytest.mark.long
@pytest.mark.parametrize("reach", [1, 3, (0, 2), (5, 1)], ids=str)
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("shape", [(32,), (24,), (16, 12)], ids=str)
def test_no_halo_costs_less_than_its_bound(shape, reach, periodic):
    for ports, stride in product((1, 2), (1, 2, 4, 16)):
        machine = gc.Machine(dims=3, ports=ports, startup=3.0, per_byte=1.0)
        phase = gc.Stencil((reach,) * len(shape), periodic=periodic, stride=stride)
        for place in homes(shape, 3):
            bound = floors.anywhere(phase, place.layout, 1, machine)
            for seconds, _ in done(phase, place.layout, 1, machine):
                assert bound <= seconds * CLOSE
