"""Schedules that programs find: right, no worse than the table, and never below the bound."""

import json
from dataclasses import replace
from itertools import pairwise
from math import ceil, inf
from time import monotonic

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import graycube as gc
from graycube.planning.kept import place_of
from graycube.schedule import expand
from graycube.simulate import simulate
from graycube.synthesis import least_cycles, least_flow, periodic, search
from graycube.synthesis.demand import Demand
from graycube.synthesis.layers import shortest
from graycube.synthesis.periodic import Period, period
from graycube.synthesis.rounds import Point, front, shares
from graycube.synthesis.search import candidates
from graycube.synthesis.ways import schedule_of
from graycube.verify import check_algebra, check_elements

GRAY = {n: (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)) for n in range(1, 8)}


def permuted(seed, n):
    """Layouts between which whole blocks move in a random way."""
    rng = np.random.default_rng(seed)
    while True:
        matrix = gc.Matrix(tuple(int(c) for c in rng.integers(0, 1 << n, size=n)), n)
        if matrix.is_invertible():
            move = gc.AffineMap(matrix, int(rng.integers(1 << n)))
            return gc.Layout.nodes(n), move @ gc.Layout.nodes(n)


def assert_right(schedule, machine):
    assert check_algebra(schedule, machine), str(check_algebra(schedule, machine))
    followed = check_elements(expand(schedule), machine)
    assert followed, str(followed)


@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from([1, 2, "all"]))
@settings(max_examples=12)
def test_all_that_is_found_for_random_moves_is_right(seed, n, ports):
    task = gc.Task(*permuted(seed, n), 24)
    machine = gc.Machine(n, ports=min(ports, n) if ports != "all" else ports, startup=1.0)
    flow = least_flow(task, machine)
    found = list(candidates(task, machine, flow, monotonic() + 8))
    for schedule in found:
        assert_right(schedule, machine)
        assert simulate(schedule).cycles >= float(flow.bound) * 24 - 1e-6
    assert found


@pytest.mark.parametrize("ports", [1, 2, "all"])
@pytest.mark.parametrize("n", [3, 4, 5])
def test_periods_come_near_the_flow(n, ports):
    """Units are single elements: cycles are rounds, and in the long run the flow is met."""
    units = {1: {3: 3, 4: 7, 5: 6}, 2: {3: 4, 4: 9, 5: 1}, "all": {3: 5, 4: 5, 5: 5}}[ports][n]
    machine = gc.Machine(n, ports=ports)
    demand = Demand.of(gc.Task(*GRAY[n], 1))
    found = period(demand, machine.links_at_once, units, deadline=monotonic() + 60)
    share = least_flow(gc.Task(*GRAY[n], 1), machine).bound
    assert found.rounds >= share * units
    if n < 5 or ports == "all":
        assert found.rounds == share * units  # 4/3, 12/7, 3/4, 8/9 and 3/5: optimal
    if ports == 2:
        assert found.rounds == ceil(share * units)
    for groups in (1, 2, 5):
        task = gc.Task(*GRAY[n], groups * units)
        schedule = schedule_of(task, "periods", demand, found.shares(groups))
        assert_right(schedule, machine)
        assert schedule.cycles <= found.total(groups)  # less if nobody moves in a round
        assert found.total(groups) == found.total(1) + (groups - 1) * found.rounds


@pytest.mark.parametrize(("n", "ports", "layers"), [(3, 1, 4), (4, 1, 6), (4, 2, 5), (4, 4, 5)])
def test_fronts_trade_rounds_for_volume(n, ports, layers):
    demand = Demand.of(gc.Task(*GRAY[n], 1))
    machine = gc.Machine(n, ports=ports)
    points = front(demand, ports, layers)
    rounds = [point.rounds for point in points]
    assert all(a > b for a, b in pairwise(rounds))
    assert all(b >= a - 1e-6 for a, b in pairwise(p.steps.volume for p in points))
    share = float(least_flow(gc.Task(*GRAY[n], 1), machine).bound)
    for point in points[:: max(1, len(points) // 4)]:
        assert point.steps.volume >= share - 1e-6
        task = gc.Task(*GRAY[n], 10_000)
        schedule = schedule_of(task, "rounds", demand, shares(demand, point.steps))
        assert_right(schedule, machine)
        traffic = simulate(schedule)
        assert traffic.nonempty <= point.rounds
        assert traffic.cycles <= 10_000 * point.steps.volume * 1.01 + 50


def test_layers_get_shorter_with_their_number():
    """One port, four dimensions: GB3's half blocks are the best in four layers, not in more."""
    demand = Demand.of(gc.Task(*GRAY[4], 1))
    volumes = [
        shortest(demand, np.ones((layers, 16, 4), bool), 1, deadline=inf).volume
        for layers in range(3, 9)
    ]
    assert volumes[0] > 2.0
    assert volumes[1] == pytest.approx(2.0)
    assert all(b < a for a, b in pairwise(volumes))
    assert volumes[-1] > 12 / 7
    two = np.ones((2, 16, 4), bool)
    assert shortest(demand, two, 1, deadline=inf) is None


def test_no_programme_on_dimension_after_dimension_beats_gb3():
    """If all nodes use the same dimension in a round, n / 2 is the least, in any order."""
    rng = np.random.default_rng(3)
    demand = Demand.of(gc.Task(*GRAY[4], 1))
    for _ in range(40):
        order = rng.permutation([0, 1, 2, *rng.integers(0, 4, size=5)])
        allowed = np.zeros((8, 16, 4), bool)
        allowed[np.arange(8), :, order] = True
        steps = shortest(demand, allowed, deadline=inf)
        assert steps is None or steps.volume > 2 - 1e-6


def test_classes_of_nodes_do_the_same():
    demand = Demand.of(gc.Task(*GRAY[5], 1))
    assert demand.alike.tolist() == [0, 1]
    assert len(demand.homes) == 15  # the pair of node 0 keeps its blocks
    swapped = gc.Layout.nodes(3), gc.Layout.parse("(|| b0 b1 b2)")
    assert set(Demand.of(gc.Task(*swapped, 1)).alike.tolist()) == {0, 2, 5, 7}
    task = gc.Task(*swapped, 40)  # classes that are no subcubes
    machine = gc.Machine(3, ports="all")
    for schedule in candidates(task, machine, least_flow(task, machine), monotonic() + 10):
        assert_right(schedule, machine)


@pytest.mark.parametrize(("ports", "block"), [(1, 60), (2, 24), ("all", 7)])
def test_plans_are_no_worse_than_the_table(ports, block):
    machine = gc.Machine(3, ports=ports)
    known = gc.plan(*GRAY[3], block, machine=machine)
    found = gc.synthesize(*GRAY[3], block, machine=machine, time_limit=15, keep=False)
    assert found.lower_bound <= found.cost <= known.cost
    assert found.verify()
    data = np.random.default_rng(0).standard_normal((8, block))
    moved = found.apply(found.task.source.scatter(data))
    assert np.array_equal(found.task.target.gather(moved), data)
    assert "flow" in {bound.name for bound in found.bounds}


def test_start_ups_are_weighed():
    """Two blocks that cross: with dear start-ups few rounds, with cheap ones few bytes."""
    pair = permuted(5, 3)
    costs = {}
    for startup in (0.0, 50.0, 1e4):
        machine = gc.Machine(3, startup=startup)
        plan = gc.synthesize(*pair, 120, machine=machine, time_limit=10, keep=False)
        costs[startup] = plan.rounds
        assert plan.cost <= gc.plan(*pair, 120, machine=machine).cost
    assert costs[0.0] >= costs[1e4]


def test_circuits_are_searched_too():
    machine = gc.Machine(2, ports=2, switching="circuit")
    found = gc.synthesize(*GRAY[2], 4, machine=machine, time_limit=10, keep=False)
    assert found.cycles == 2  # half of each block takes the way of three links
    assert found.verify()
    for n, block, ports in ((2, 3, 1), (3, 2, 2), (3, 3, "all")):
        machine = gc.Machine(n, ports=ports, switching="circuit")
        best = least_cycles(gc.Task(*GRAY[n], block), machine)
        assert check_elements(best.moves, machine)
        assert best.moves.cycles == best.cycles
        slower = least_cycles(gc.Task(*GRAY[n], block), gc.Machine(n, ports=ports))
        assert best.cycles <= slower.cycles


def test_on_circuits_all_nodes_reach_the_opposite_one_at_once():
    """Dimension by dimension: each of the 24 links is used once, and one port is enough."""
    opposite = gc.AffineMap(gc.Matrix.identity(3), 7) @ GRAY[3][1]
    machine = gc.Machine(3, switching="circuit")
    best = least_cycles(gc.Task(GRAY[3][1], opposite, 1), machine)
    assert (best.cycles, best.proof) == (1, "distance")
    assert check_elements(best.moves, machine)


def test_what_is_found_is_priced_in_seconds_and_slots_stay():
    pair = gc.Layout.cyclic(3, 2), gc.Layout.parse("(b2 || b0 b1)")
    machine = gc.Machine(2, startup=1e-3, per_byte=1e-6)
    found = gc.synthesize(*pair, 60, itemsize=8, machine=machine, time_limit=10, keep=False)
    (flow,) = (bound for bound in found.bounds if bound.name == "flow")
    share = float(gc.certify(*pair, machine=machine).share)
    assert flow.seconds == pytest.approx(1e-3 + share * 60 * 8 * 1e-6)
    assert found.lower_bound <= found.cost
    assert found.verify()


@pytest.mark.parametrize(
    ("startup", "packet", "rounds"), [(100.0, None, 3), (1000.0, None, 2), (1000.0, 60, 3)]
)
def test_the_cheapest_point_is_taken(startup, packet, rounds, monkeypatch):
    """GB3 (3 rounds, 1.5 blocks) or GB1 (2 rounds, 2 blocks): start-ups and packets decide."""

    def two(demand, _ports, _layers, *, watch, **_):
        for order in ((1, 0, 1), (1, 0)):
            allowed = np.zeros((len(order), 8, 3), bool)
            allowed[np.arange(len(order)), :, order] = True
            watch(Point(allowed, shortest(demand, allowed, deadline=inf)))

    monkeypatch.setattr(search, "front", two)
    task = gc.Task(*GRAY[3], 60, 8)
    machine = gc.Machine(3, startup=startup, packet=packet)
    made = next(search._in_rounds(task, machine, least_flow(task, machine), inf, print))
    assert simulate(made).nonempty == rounds


def test_groups_are_as_many_as_are_cheapest():
    """They cost (g + 1) (s + 8 ceil(100 / g)): most groups without start-ups, else few."""
    found = Period(1, 1, ((0, ((0, 0), (1, 1))),))
    task = gc.Task(*GRAY[2], 100, 8)
    for startup, groups in ((0.0, 100), (80.0, 4)):
        assert search._groups(task, gc.Machine(2, startup=startup), found) == groups


def test_points_found_in_time_are_used(monkeypatch):
    def stopped(*arguments, **options):
        front(*arguments, **options)
        raise gc.UndecidedError("time is up", "no limit", "take more")

    monkeypatch.setattr(search, "front", stopped)
    task, machine = gc.Task(*GRAY[2], 12), gc.Machine(2)
    found = candidates(task, machine, least_flow(task, machine), inf)
    assert "rounds" in {schedule.algorithm for schedule in found}


def test_ways_of_a_program_that_was_stopped_are_used(monkeypatch):
    solve = scipy.optimize.linprog

    def stopped(*arguments, **settings):
        result = solve(*arguments, **settings)
        if settings.get("integrality") is not None:
            result.status = 1
        return result

    monkeypatch.setattr(scipy.optimize, "linprog", stopped)
    monkeypatch.setattr(periodic, "monotonic", lambda: inf)  # no time for a second order
    task = gc.Task(*GRAY[3], 6)
    demand = Demand.of(task)
    found = period(demand, 1, 3, deadline=monotonic() + 60)
    assert found.rounds == 4
    schedule = schedule_of(task, "periods", demand, found.shares(2))
    assert_right(schedule, gc.Machine(3))


def test_what_was_found_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path / "kept"))
    machine = gc.Machine(2, ports="all", startup=2.0)
    said = []
    first = gc.synthesize(*GRAY[2], 9, machine=machine, time_limit=10, tell=said.append)
    assert not any("before" in line for line in said)
    again = gc.synthesize(*GRAY[2], 9, machine=machine, time_limit=10, tell=said.append)
    assert said[-1].startswith("found before: ")
    assert (again.schedule, again.cost) == (first.schedule, first.cost)
    assert again.lower_bound == first.lower_bound
    place = place_of(first.task, machine, 10)
    assert [place] == list((tmp_path / "kept").iterdir())
    assert gc.load_plan(place).schedule == first.schedule
    others = [
        place_of(gc.Task(*GRAY[2], 10), machine, 10),
        place_of(gc.Task(*GRAY[2], 9, 2), machine, 10),
        place_of(first.task, gc.Machine(2, ports="all", startup=3.0), 10),
        place_of(gc.Task(*GRAY[2][::-1], 9), machine, 10),
        place_of(first.task, machine, 20),
    ]
    assert len({place, *others}) == 6
    assert place_of(first.task, machine, 10.0) == place


@pytest.mark.parametrize("text", ["", "{}", "[" * 4000, "\x00"])
def test_a_kept_file_that_is_broken_is_replaced(text, monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path))
    machine = gc.Machine(1)
    place = place_of(gc.Task(*GRAY[1], 2), machine, 60.0)
    place.write_text(text)
    plan = gc.synthesize(*GRAY[1], 2, machine=machine)
    assert gc.load_plan(place).task == plan.task


@pytest.mark.parametrize("kind", ["wrong", "renumbers", "other machine"])
def test_a_kept_plan_that_does_not_fit_is_not_given(kind, monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path))
    machine, said = gc.Machine(2), []
    kept = gc.plan(*GRAY[2], 4, machine=machine)
    if kind == "wrong":
        kept = replace(kept, schedule=replace(kept.schedule, strands=(gc.Strand(0, 4, ()),)))
    elif kind == "renumbers":
        kept = gc.plan(*GRAY[2], 4, machine=machine, algorithm="relabel")
    else:
        kept = gc.plan(*GRAY[2], 4, machine=gc.Machine(2, ports="all"))
    place = place_of(gc.Task(*GRAY[2], 4), machine, 5)
    kept.save(place)
    found = gc.synthesize(*GRAY[2], 4, machine=machine, time_limit=5, tell=said.append)
    assert found.verify()
    assert found.schedule.relabel is None
    assert not any(line.startswith("found before") for line in said)
    assert gc.load_plan(place).schedule == found.schedule  # which replaces the other one


def test_the_plan_of_another_task_is_not_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path))
    machine = gc.Machine(2)
    gc.plan(*GRAY[2], 64, machine=machine).save(place_of(gc.Task(*GRAY[2], 2), machine, 5))
    assert gc.synthesize(*GRAY[2], 2, machine=machine, time_limit=5).task.block == 2


def test_without_a_place_to_keep_it_the_plan_is_given(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("GRAYCUBE_CACHE", str(blocked / "below"))
    assert gc.synthesize(*GRAY[2], 2, machine=gc.Machine(2), time_limit=5).verify()


def test_little_time_gives_what_is_known_by_then():
    with pytest.raises(gc.UndecidedError, match="time_limit"):
        gc.certify(*GRAY[6], machine=gc.Machine(6), time_limit=1e-3)
    plan = gc.synthesize(*GRAY[4], 1000, machine=gc.Machine(4), time_limit=3, keep=False)
    assert plan.verify()
    known = gc.plan(*GRAY[6], 1000, machine=gc.Machine(6))
    plan = gc.synthesize(*GRAY[6], 1000, machine=gc.Machine(6), time_limit=1e-3, keep=False)
    assert plan.schedule == known.schedule


@pytest.mark.parametrize(
    ("source", "target", "machine", "complaint"),
    [
        (gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2), gc.Machine(2), "stays together"),
        (*GRAY[2], gc.Machine(3), "has 3 dimensions"),
        (gc.Layout.nodes(8, "gray"), gc.Layout.nodes(8), gc.Machine(8), "2 to 2\\^7 nodes"),
    ],
)
def test_what_is_not_searched_for_is_an_error(source, target, machine, complaint):
    with pytest.raises(gc.InvalidValueError, match=complaint):
        gc.synthesize(source, target, source.block_size, machine=machine)


def test_nothing_to_move_needs_nothing():
    plan = gc.synthesize(GRAY[3][0], GRAY[3][0], 5, machine=gc.Machine(3), keep=False)
    assert (plan.cycles, plan.lower_bound) == (0, 0.0)
    proof = gc.certify(GRAY[3][0], GRAY[3][0], machine=gc.Machine(3))
    assert proof.share == 0


def test_slots_may_go_different_ways_in_a_bound():
    """A transpose: half of everything crosses each dimension, and the exchange meets that."""
    source, target = gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2)
    for ports, share in ((1, 1), (2, 0.5)):
        machine = gc.Machine(2, ports=ports)
        assert gc.certify(source, target, machine=machine).share == share
        assert gc.plan(source, target, 4096, machine=machine).cycles >= share * 4096


def test_kept_plans_are_json(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path))
    gc.synthesize(*GRAY[2], 2, machine=gc.Machine(2), time_limit=5)
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["format"] == "graycube plan"


def test_units_of_a_program_that_was_stopped_still_arrive():
    """It may have circulations, which start at no home and end there."""
    source = gc.Layout.parse("(|| g1 g0 b1 b3^b2^b1^b0)")
    target = gc.Layout.parse("(|| b3^b1 ~b3^b0 b3^b1^b0 ~g2)")
    task = gc.Task(source, target, 3)
    demand = Demand.of(task)
    try:
        found = period(demand, 4, 3, deadline=monotonic() + 0.5)
    except gc.UndecidedError:
        return
    schedule = schedule_of(task, "periods", demand, found.shares(1))
    assert_right(schedule, gc.Machine(4, ports="all"))


def test_a_kept_plan_of_parted_blocks_is_known_again(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path))
    pair = gc.Layout.nodes(4), gc.Layout.parse("(|| b1 b2 b0 b3)")
    machine, said = gc.Machine(4, ports=2), []
    plan = gc.plan(*pair, 2, machine=machine, algorithm="half-exchange")
    plan.save(place_of(gc.Task(*pair, 2), machine, 30))
    found = gc.synthesize(*pair, 2, machine=machine, time_limit=30, tell=said.append)
    assert said[-1].startswith("found before")
    assert found.task == gc.Task(*pair, 2)
    assert "flow" in {bound.name for bound in found.bounds}


@pytest.mark.parametrize("limit", [-1, "x", float("nan")])
def test_a_time_limit_is_a_number_of_seconds(limit):
    with pytest.raises((gc.InvalidValueError, gc.InvalidTypeError), match="time_limit"):
        gc.synthesize(*GRAY[2], 2, machine=gc.Machine(2), time_limit=limit)
