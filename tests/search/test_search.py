"""Schedules that programs find: right, no worse than the table, and never below the bound."""

import importlib
from dataclasses import replace
from itertools import pairwise
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sweeping import sweep

import graycube as gc
from graycube.cost import simulate
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import expand
from graycube.search import dive, least_cycles, least_flow, search
from graycube.search.demand import Demand
from graycube.search.dive import shorter
from graycube.search.layers import shortest
from graycube.search.limits import deadline_after
from graycube.search.periodic import Period, period
from graycube.search.rounds import Point, rounds_of, shares
from graycube.search.search import ScheduleSearch, candidates
from graycube.search.step_arcs import DETOUR, Lower, arcs_of
from graycube.search.ways import schedule_of
from graycube.verify import check_algebra, check_elements

GRAY = {n: (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)) for n in range(1, 8)}


def permuted(seed, n):
    """Layouts between which whole blocks move in a random way."""
    rng = np.random.default_rng(seed)
    while True:
        matrix = Matrix(tuple(int(c) for c in rng.integers(0, 1 << n, size=n)), n)
        if matrix.is_invertible():
            move = AffineMap(matrix, int(rng.integers(1 << n)))
            return gc.Layout.nodes(n), move @ gc.Layout.nodes(n)


def assert_right(schedule, machine):
    assert check_algebra(schedule, machine), str(check_algebra(schedule, machine))
    followed = check_elements(expand(schedule), machine)
    assert followed, str(followed)


@pytest.mark.long
@pytest.mark.parametrize(
    ("most", "cases"), [(2, 8), pytest.param(3, 30, marks=pytest.mark.sweep)]
)
def test_all_that_is_found_for_random_moves_is_right(most, cases):
    @given(st.integers(0, 2**32), st.integers(1, most), st.sampled_from([1, 2, "all"]))
    @settings(max_examples=cases)
    def law(seed, n, ports):
        task = gc.Task(*permuted(seed, n), 12)
        machine = gc.Machine(n, ports=min(ports, n) if ports != "all" else ports, startup=1.0)
        flow = least_flow(task, machine)
        found = list(candidates(ScheduleSearch(task, machine, flow, deadline_after(8))))
        for schedule in found:
            assert_right(schedule, machine)
            assert simulate(schedule).cycles >= float(flow.bound) * 12 - 1e-6
        assert found

    law()


ALL_PORTS = (2, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 10, 11, 11, 12, 13)
"""The fewest cycles for 1 to 20 elements on three dimensions, by the integer program alone."""


@pytest.mark.parametrize(
    "block",
    [1, 2, 3, 7, 11, *sweep(*((k,) for k in range(1, 21) if k not in {1, 2, 3, 7, 11}))],
)
def test_optima_on_all_ports_are_reached(block):
    machine = gc.Machine(3, ports="all")
    found = gc.synthesize(*GRAY[3], block, machine=machine, keep=False)
    assert (found.cycles, found.untried) == (ALL_PORTS[block - 1], ())
    assert found.optimal
    assert found.lower_bound == found.cycles
    assert found.verify()


@pytest.mark.sweep
def test_optima_are_those_of_the_integer_program():
    machine = gc.Machine(3, ports="all")
    found = (least_cycles(gc.Task(*GRAY[3], block), machine).cycles for block in range(1, 21))
    assert tuple(found) == ALL_PORTS


FOUR = (3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 10, 11, 11, 12, 13)
"""The same on four dimensions."""


@pytest.mark.parametrize("block", [7, *sweep(*((k,) for k in range(1, 21) if k != 7))])
def test_optima_on_four_dimensions_are_reached(block):
    found = gc.synthesize(*GRAY[4], block, machine=gc.Machine(4, ports="all"), keep=False)
    assert (found.cycles, found.optimal, found.untried) == (FOUR[block - 1], True, ())
    assert "it is optimal" in found.explain()
    assert found.verify()


def test_a_search_that_somebody_stops_keeps_the_best(monkeypatch):
    def stopped(search):
        for schedule in candidates(search):
            yield schedule
            raise KeyboardInterrupt

    module = importlib.import_module("graycube.planning.synthesize")
    monkeypatch.setattr(module, "candidates", stopped)
    machine, told = gc.Machine(3, ports="all"), []
    found = gc.synthesize(*GRAY[3], 11, machine=machine, keep=False, tell=told.append)
    table = gc.plan(*GRAY[3], 11, machine=machine)
    assert found.cycles <= table.cycles
    assert found.untried == ("all that was left",) or found.optimal
    assert found.verify()
    assert any("above the bound" in line or "optimal" in line for line in told)


def test_a_bound_of_cycles_holds_for_rounds_too():
    """With start-ups the fewest cycles are a bound, and not what is planned."""
    machine = gc.Machine(3, ports="all", startup=5.0)
    found = gc.synthesize(*GRAY[3], 10, machine=machine, keep=False)
    (known,) = (bound for bound in found.bounds if bound.name == "branch and bound")
    assert known.seconds <= 5 + ALL_PORTS[9]
    assert known.seconds <= found.lower_bound <= found.cost
    assert found.optimal == (found.cost == found.lower_bound)


def test_what_cannot_be_cheaper_is_not_tried_or_written():
    task, machine = gc.Task(*GRAY[3], 100), gc.Machine(3, ports="all")
    flow = least_flow(task, machine)
    for cost, some in ((inf, True), (30.0, False)):
        known = ScheduleSearch(task, machine, flow, cost=cost)
        assert bool(search._numbers(known)) == some
        assert bool(list(search._in_periods(known, inf))) == some
        assert bool(list(search._in_rounds(known))) == some
        assert known.untried == []


LONG = [(4, 2), (5, 1), (5, 2), (5, "all")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "ports"),
    [
        *((3, 1), (3, 2), (3, "all"), (4, 1), (4, "all")),
        *(pytest.param(*case, marks=pytest.mark.sweep) for case in LONG),
    ],
)
def test_periods_come_near_the_flow(n, ports):
    """Units are single elements: cycles are rounds, and in the long run the flow is met."""
    units = {1: {3: 3, 4: 7, 5: 6}, 2: {3: 4, 4: 9, 5: 1}, "all": {3: 5, 4: 5, 5: 5}}[ports][n]
    machine = gc.Machine(n, ports=ports)
    demand = Demand.of(gc.Task(*GRAY[n], 1))
    found = period(demand, machine.links_at_once, units, deadline=deadline_after(60))
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


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "ports", "numbers"),
    [
        (3, 1, (2, 3, 14)),
        (3, 2, (2, 4, 6)),
        *sweep((3, 1, (2, 3, 5, 8, 14)), (4, 1, (4, 11, 13)), (4, 2, (3, 5, 13))),
    ],
)
def test_dives_trade_rounds_for_volume(n, ports, numbers):
    """Above twelve rounds they begin with fewer, and only a few are open."""
    demand, machine = Demand.of(gc.Task(*GRAY[n], 1)), gc.Machine(n, ports=ports)
    task = gc.Task(*GRAY[n], 10_000)
    share = float(least_flow(task, machine).bound)
    best, volumes = None, []
    for rounds in numbers:
        *_, best = shorter(demand, ports, rounds, after=best, tries=4)
        volumes.append(best.steps.volume)
        schedule = schedule_of(task, "rounds", demand, shares(demand, best.steps))
        assert_right(schedule, machine)
        traffic = simulate(schedule)
        assert traffic.nonempty <= best.rounds == rounds
        assert traffic.cycles <= 10_000 * volumes[-1] * 1.01 + 50
    assert all(b <= a + 1e-6 for a, b in pairwise(volumes))
    assert volumes[0] - 0.1 > volumes[-1] >= share - 1e-6


@pytest.mark.long
@pytest.mark.parametrize(("shares_", "sizes"), [(1, ((11, 5), (14, 6))), (2, ((6, 1), (8, 2)))])
def test_half_of_a_share_came_over_an_even_number_of_links(shares_, sizes):
    """Where it does lower dimensions, also if a schedule begins with those of another."""
    demand = Demand.of(gc.Task(*GRAY[4], 1), every=True)
    best, volume = None, inf
    for rounds, begin in sizes:
        lower = Lower(begin, shares_)
        *_, best = shorter(demand, shares_, rounds, after=best, tries=0, lower=lower)
        assert best.lower == lower
        assert best.steps.volume <= volume + 1e-6
        volume = best.steps.volume
        parts = np.zeros((shares_, 8, 2))
        for share in shares(demand, best.steps):
            node, crossed, free = share.home, 0, 0
            for r, d in share.hops:
                assert r >= free
                free = r + 1
                if d == 4:
                    parts[r - begin, node >> 1, crossed % 2] += share.weight / 10_000
                    free = r + shares_
                    continue
                node, crossed = node ^ 1 << d, crossed + 1
            assert free <= rounds
            assert node == gc.gray_inverse(share.home)
        assert parts == pytest.approx(np.full((shares_, 8, 2), 0.5 / shares_), abs=0.01)
        used = best.links.sum(axis=2).max(axis=1)
        assert (used + lower.busy(rounds) <= shares_).all()
        assert (best.steps.lengths[lower.busy(rounds) > 0] >= 0.5 / shares_ - 1e-6).all()


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "ports", "rounds", "least"),
    [
        (3, 1, 2, 2),  # GB1
        (3, 1, 3, 3 / 2),  # GB3
        (3, 2, 5, 4 / 5),  # the bound of tolls
        (4, 2, 3, 3 / 2),
        pytest.param(5, 2, 5, 5 / 4, marks=pytest.mark.sweep),
        pytest.param(6, 3, 6, 1, marks=pytest.mark.sweep),
    ],
)
def test_dives_find_short_schedules_of_few_rounds(n, ports, rounds, least):
    demand = Demand.of(gc.Task(*GRAY[n], 1))
    *before, best = shorter(demand, ports, rounds, tries=20)
    assert best.steps.volume == pytest.approx(least)
    assert best.rounds == rounds
    assert all(point.steps.volume > best.steps.volume for point in before)
    made = schedule_of(gc.Task(*GRAY[n], 10_000), "rounds", demand, shares(demand, best.steps))
    assert_right(made, gc.Machine(n, ports=ports))
    assert simulate(made).nonempty <= rounds


@pytest.mark.long
@pytest.mark.parametrize("tries", [4, *sweep((12,))])
def test_rounds_that_are_chosen_anew_make_it_shorter(tries):
    demand = Demand.of(gc.Task(*GRAY[4], 1))
    (first,) = shorter(demand, 3, 5, tries=0)
    *_, best = shorter(demand, 3, 5, tries=tries)
    assert 0.75 <= best.steps.volume < first.steps.volume - 0.01


def test_open_rounds_come_before_lower_dimensions_and_behind_them():
    """The rounds that are known stay in order, each on its side."""
    demand = Demand.of(gc.Task(*GRAY[3], 1))
    links = np.random.default_rng(1).random((5, 8, 3)) < 0.5
    steps = shortest(demand, np.ones((5, 8, 3), bool), deadline=inf)
    known = Point(links, steps, Lower(1, shares=2))
    dives = dive._Dive(demand, 2, Lower(4, shares=2), DETOUR, np.random.default_rng(0), inf)
    for made in dive._longer(dives, known, 10):
        kept = [r for r, used in enumerate(made) if used is not None]
        assert kept[0] < 4 < kept[-1]
        assert kept[1:4] == [4, 5, 6]
        assert all(np.array_equal(made[r], used) for r, used in zip(kept, links, strict=True))


@pytest.mark.long
def test_more_rounds_begin_with_those_of_fewer():
    demand = Demand.of(gc.Task(*GRAY[4], 1))
    *_, few = shorter(demand, 2, 4, tries=4)
    *_, more = shorter(demand, 2, 6, after=few, tries=0)
    assert more.rounds == 6
    assert more.steps.volume <= few.steps.volume + 1e-6


def test_no_dive_arrives_in_too_few_rounds():
    assert list(shorter(Demand.of(gc.Task(*GRAY[4], 1)), 2, 2, tries=2)) == []


def test_ways_are_a_little_longer_than_the_shortest():
    """Up to two links: the others are not in the program."""
    demand = Demand.of(gc.Task(*GRAY[5], 1))
    arcs = arcs_of(demand, np.ones((9, 32, 5), bool))
    target = demand.amounts.argmax(axis=1)[arcs.home]
    home = demand.homes[arcs.home]
    spare = [
        (int(u ^ h).bit_count() + int(u ^ t).bit_count()) - int(h ^ t).bit_count()
        for u, h, t in zip(arcs.stop.tolist(), home.tolist(), target.tolist(), strict=True)
    ]
    assert set(spare) == {0, DETOUR}


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
    gray = Demand.of(gc.Task(*GRAY[5], 1))
    assert gray.alike.tolist() == [0, 1]
    assert len(gray.homes) == 15  # the pair of node 0 keeps its blocks
    task = gc.Task(gc.Layout.nodes(3), gc.Layout.parse("(|| b0 b1 b2)"), 40)
    demand = Demand.of(task)
    assert set(demand.alike.tolist()) == {0, 2, 5, 7}  # classes that are no subcubes
    machine = gc.Machine(3, ports="all")
    for point in shorter(demand, 3, 3, tries=0):
        made = schedule_of(task, "rounds", demand, shares(demand, point.steps))
        assert_right(made, machine)
    assert_right(schedule_of(task, "periods", demand, period(demand, 3, 2).shares(3)), machine)


@pytest.mark.parametrize(
    ("ports", "block"),
    [
        *((1, 5), (2, 6), ("all", 7)),
        pytest.param(1, 60, marks=pytest.mark.sweep),
        pytest.param(2, 24, marks=pytest.mark.sweep),
    ],
)
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


@pytest.mark.long
def test_start_ups_are_weighed():
    """Two blocks that cross: with dear start-ups few rounds, with cheap ones few bytes."""
    pair = permuted(5, 3)
    rounds = {}
    for startup in (1.0, 1e4):
        machine = gc.Machine(3, startup=startup)
        plan = gc.synthesize(*pair, 24, machine=machine, keep=False)
        rounds[startup] = plan.rounds
        assert plan.cost <= gc.plan(*pair, 24, machine=machine).cost
    assert rounds[1.0] > rounds[1e4]


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
    opposite = AffineMap(Matrix.identity(3), 7) @ GRAY[3][1]
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


@pytest.mark.parametrize("ports", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_rounds_of_whole_units_take_no_longer_than_they_must(seed, ports):
    """As long as the busiest link, or port (Koenig's theorem), where no nodes are alike."""
    rng = np.random.default_rng(seed)
    demand = each_node_for_itself(4)
    load = rng.integers(0, 4, size=(16, 4)) * (rng.random((16, 4)) < 0.6) * 1.0
    assert rounds_needed(demand, load, ports) == rounds_made(demand, load, ports)


def test_a_link_that_needs_every_round_gets_it():
    """Three units go from 0 to 8, six more leave 0 and six more reach 8, on three ports.

    Rounds with all of the six links would be fuller, and the three units would come late.
    """
    demand = each_node_for_itself(4)
    load = np.zeros((16, 4))
    load[0] = 2, 2, 2, 3
    for d in range(3):
        load[8 ^ 1 << d, d] = 2
    assert rounds_needed(demand, load, 3) == rounds_made(demand, load, 3) == 3


def each_node_for_itself(n):
    nodes = np.arange(1 << n)
    return replace(Demand.of(gc.Task(*GRAY[n], 1)), classes=nodes, alike=nodes[:1])


def rounds_needed(demand, load, ports):
    """Units of the busiest link, and of the busiest node by port."""
    into = sum(load[demand.neighbours[:, d], d] for d in range(demand.n))
    return max(load.max(), ceil(load.sum(axis=1).max() / ports), ceil(into.max() / ports))


def rounds_made(demand, load, ports):
    """The length of all rounds, each of which is one that ports allow; all units go in them."""
    total, gone = 0.0, np.zeros_like(load)
    for links, length in rounds_of(demand, load, ports):
        into = sum(links[demand.neighbours[:, d], d].astype(int) for d in range(demand.n))
        assert max(links.sum(axis=1).max(), into.max()) <= ports
        total, gone = total + length, gone + links * length
    assert (gone >= load).all()
    return total


@pytest.mark.parametrize(
    ("startup", "packet", "rounds"), [(100.0, None, 3), (1000.0, None, 2), (1000.0, 60, 3)]
)
def test_the_cheapest_point_is_taken(startup, packet, rounds, monkeypatch):
    """GB3 (3 rounds, 1.5 blocks) or GB1 (2 rounds, 2 blocks): start-ups and packets decide."""

    def two(demand, *_, **__):
        for order in ((1, 0, 1), (1, 0)):
            allowed = np.zeros((len(order), 8, 3), bool)
            allowed[np.arange(len(order)), :, order] = True
            yield Point(allowed, shortest(demand, allowed, deadline=inf))

    monkeypatch.setattr(search, "shorter", two)
    task = gc.Task(*GRAY[3], 60, 8)
    machine = gc.Machine(3, startup=startup, packet=packet)
    made = next(search._in_rounds(ScheduleSearch(task, machine, least_flow(task, machine))))
    assert simulate(made).nonempty == rounds


def test_groups_are_as_many_as_are_cheapest():
    """They cost (g + 1) (s + 8 ceil(100 / g)): most groups without start-ups, else few."""
    found = Period(1, 1, ((0, ((0, 0), (1, 1))),))
    task = gc.Task(*GRAY[2], 100, 8)
    for startup, groups in ((0.0, 100), (80.0, 4)):
        machine = gc.Machine(2, startup=startup)
        seek = ScheduleSearch(task, machine, least_flow(task, machine))
        assert search._groups(seek, found) == groups


@pytest.mark.parametrize(
    ("source", "target", "machine", "complaint"),
    [
        (gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2), gc.Machine(2), "stays together"),
        (*GRAY[2], gc.Machine(3), "has 3 dimensions"),
        (gc.Layout.nodes(8, "gray"), gc.Layout.nodes(8), gc.Machine(8), "2 to 2\\^7 nodes"),
    ],
)
def test_what_is_not_searched_for_is_an_error(source, target, machine, complaint):
    with pytest.raises(InvalidValueError, match=complaint):
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
