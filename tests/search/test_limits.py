"""Searches end in time: on a clock that only solvers move, and by what is asked of them."""

from math import inf

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import OptimizeResult
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.search import least_flow, limits, periodic, search
from graycube.search.demand import Demand
from graycube.search.dive import shorter
from graycube.search.layers import shortest
from graycube.search.limits import SolverGaveUpError, require_answer, solver_options
from graycube.search.periodic import Period, period
from graycube.search.rounds import rounds_of
from graycube.search.search import ScheduleSearch, candidates
from graycube.search.ways import schedule_of
from graycube.verify import check_algebra

GRAY = {n: (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)) for n in range(1, 7)}


class Clock:
    """Every solver takes ``pace`` seconds, or ends without an answer if it has fewer."""

    def __init__(self, pace):
        self.now, self.pace, self.asked = 0.0, pace, []

    def __call__(self):
        return self.now

    def timed(self, solve):
        def solver(*arguments, **settings):
            limit = settings.get("options", {}).get("time_limit", inf)
            self.asked.append((self.now, limit))
            if limit < self.pace:
                self.now += limit
                return OptimizeResult(status=1, x=None, message="HiGHS Status 13: tired")
            if limit < inf:
                settings["options"] = settings["options"] | {"time_limit": 100.0}
                self.now += self.pace
            return solve(*arguments, **settings)

        return solver


@pytest.fixture
def clock(monkeypatch):
    made = Clock(pace=1.0)
    for name in ("linprog", "milp"):
        monkeypatch.setattr(scipy.optimize, name, made.timed(getattr(scipy.optimize, name)))
    monkeypatch.setattr(limits, "monotonic", made)
    return made


@pytest.mark.parametrize(
    ("seconds", "ports"),
    [
        *((0.5, 1), (2, 2), (4, 1), (9, 2), (17, 1), (30, 2)),
        *sweep((0.5, 2), (2, 1), (4, 2), (9, 1), (17, 2), (30, 1)),
    ],
)
def test_no_solver_is_asked_for_more_than_the_time_that_is_left(seconds, ports, clock):
    machine, said = gc.Machine(3, ports=ports, startup=0.25), []
    plan = gc.synthesize(
        *GRAY[3], 24, machine=machine, time_limit=seconds, keep=False, tell=said.append
    )
    assert plan.verify()
    assert clock.now <= seconds
    assert clock.asked
    for now, limit in clock.asked:
        assert now < seconds
        assert limit == inf or now + limit <= seconds + 1e-9
    assert plan.untried
    assert said[-1] == "the search was cut short" or plan.untried == (
        "everything: the least flow is not known",
    )
    assert "The search was cut short. Untried: " in plan.explain()
    assert not any(word in line for word in ("HiGHS", "Status") for line in said)


def test_with_more_time_less_is_left_untried_and_nothing_gets_worse(clock):
    machine, plans = gc.Machine(3, ports="all"), []
    for seconds in (0.5, 4, 9, 1000):
        clock.now = 0.0
        plans.append(
            gc.synthesize(*GRAY[3], 11, machine=machine, time_limit=seconds, keep=False)
        )
    costs = [plan.cost for plan in plans]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    assert plans[-1].untried == ()
    assert "cut short" not in plans[-1].explain()


def test_what_no_time_was_left_for_is_named(clock):
    """Units have half of the time at first; groups a third of the rest; rounds what is left."""
    machine = gc.Machine(3, ports=2)
    clock.pace = 5.0
    plan = gc.synthesize(*GRAY[3], 400, machine=machine, time_limit=8, keep=False)
    first, *others = plan.untried
    assert first == "groups of 4 units"
    assert "groups of 8 units" in others
    assert any("rounds" in entry for entry in others)


def test_units_that_are_undecided_wait_for_the_rest_of_the_time(monkeypatch):
    """Eleven units are not known in the first ten seconds, and are in the next forty."""
    asked = []

    def slow(task, machine, cycles, *, time_limit):
        asked.append((task.block, cycles, time_limit))
        if task.block == 11 and time_limit < 11:
            raise gc.UndecidedError("not in time", "11 units", "more")
        return found(task, machine, cycles)

    found = search.feasible
    monkeypatch.setattr(search, "feasible", slow)
    for name in ("_in_periods", "_in_rounds"):
        monkeypatch.setattr(search, name, lambda *_: iter(()))
    machine = gc.Machine(3, ports="all")
    plan = gc.synthesize(*GRAY[3], 11, machine=machine, time_limit=600, keep=False)
    assert (plan.cycles, plan.untried) == (7, ())
    slices = [seconds for block, _, seconds in asked if block == 11]
    assert slices[0] <= 10 < slices[-1] <= 40


def test_a_search_ends_when_nothing_can_be_better(clock):
    """Two cycles of one element: the table's plan is at the bound, and no program is tried."""
    plan = gc.synthesize(*GRAY[2], 1, machine=gc.Machine(2), time_limit=9, keep=False)
    assert plan.cost == plan.lower_bound
    assert plan.untried == ()
    assert len(clock.asked) == 1  # for the flow


def test_a_limit_that_passes_while_a_solver_prepares_is_seen_before():
    """HiGHS would forget it: its interior point method then has none."""
    deadline = limits.monotonic() + 1.0
    assert 0 < solver_options(deadline, entries=10)["time_limit"] <= 1.0
    with pytest.raises(SolverGaveUpError, match="time ran out"):
        solver_options(deadline, entries=10**6)


@pytest.mark.parametrize(
    ("status", "words"), [(1, "time ran out"), (3, "gave up"), (4, "gave up")]
)
def test_ends_of_solvers_are_told_in_words(status, words):
    with pytest.raises(SolverGaveUpError, match=words):
        require_answer(status)


def test_after_the_deadline_nothing_is_begun(clock):
    demand = Demand.of(gc.Task(*GRAY[3], 1))
    load = np.ones((8, 3))
    clock.now = 5.0
    for begin in (
        lambda: shortest(demand, np.ones((4, 8, 3), bool), 1, deadline=5.0),
        lambda: period(demand, 1, 3, deadline=5.0),
        lambda: list(rounds_of(demand, load, 1, deadline=5.0)),
        lambda: least_flow(gc.Task(*GRAY[3], 1), gc.Machine(3), time_limit=1e-9),
    ):
        with pytest.raises(gc.UndecidedError, match="time ran out"):
            begin()
    assert clock.asked == []


def test_schedules_are_as_large_as_there_is_time_to_check(clock):
    """Without start-ups 4096 groups of six ways are the cheapest, and one where time is up."""
    task, machine = gc.Task(*GRAY[3], 4096), gc.Machine(3, ports=2)
    found = Period(1, 1, tuple((home, ((0, 0), (1, 1))) for home in range(2, 8)))
    flow, counts = least_flow(task, machine), []
    for seconds in (0.01, 1.0, 1000.0):
        clock.now = 0.0
        counts.append(
            search._groups(ScheduleSearch(task, machine, flow, deadline=seconds), found)
        )
    assert counts[0] == 1
    assert counts == sorted(set(counts))
    assert counts[1] * 6 <= search._CHECKED


def test_ways_that_cannot_be_checked_in_time_are_said(monkeypatch):
    task, machine = gc.Task(*GRAY[2], 24), gc.Machine(2)
    seek = ScheduleSearch(task, machine, least_flow(task, machine))
    assert list(search._in_rounds(seek))
    assert seek.untried == []
    monkeypatch.setattr(ScheduleSearch, "most_ways", property(lambda _: 0))
    assert list(search._in_rounds(seek)) == []
    assert all("ways in" in entry for entry in seek.untried)
    assert seek.untried


def test_points_found_in_time_are_used(monkeypatch):
    def stopped(*arguments, **options):
        yield from shorter(*arguments, **options)
        raise gc.UndecidedError("time is up", "no limit", "take more")

    monkeypatch.setattr(search, "shorter", stopped)
    task, machine = gc.Task(*GRAY[2], 12), gc.Machine(2)
    seek = ScheduleSearch(task, machine, least_flow(task, machine))
    assert "rounds" in {schedule.algorithm for schedule in candidates(seek)}
    assert seek.untried == ["1 rounds"]


def test_ways_of_a_program_that_was_stopped_are_used(monkeypatch):
    solve = scipy.optimize.linprog

    def stopped(*arguments, **settings):
        result = solve(*arguments, **settings)
        if settings.get("integrality") is not None:
            result.status = 1
        return result

    monkeypatch.setattr(scipy.optimize, "linprog", stopped)
    demand = Demand.of(gc.Task(*GRAY[3], 6))
    found = period(demand, 1, 3)
    assert (found.rounds, found.ended) == (4, False)
    schedule = schedule_of(gc.Task(*GRAY[3], 6), "periods", demand, found.shares(2))
    assert check_algebra(schedule, gc.Machine(3))


def test_a_program_of_ways_leaves_time_for_their_rounds(clock, monkeypatch):
    """It has half of the time, all of which it may take, and its best ways so far are used."""
    solve = scipy.optimize.linprog

    def slow(*arguments, **settings):
        before = clock.now
        result = solve(*arguments, **settings)
        if settings.get("integrality") is not None:
            clock.now = before + settings["options"]["time_limit"]
            result.status = 1
        return result

    monkeypatch.setattr(scipy.optimize, "linprog", slow)
    found = period(Demand.of(gc.Task(*GRAY[3], 1)), 1, 3, deadline=10.0)
    assert (found.rounds, found.ended, clock.now) == (4, False, 5.0)


def test_a_solver_that_gives_up_does_not_keep_the_search_going(monkeypatch):
    """It is asked again some times, but not for ever where there is no time limit."""
    solve = scipy.optimize.milp

    def gives_up(*arguments, **settings):
        result = solve(*arguments, **settings)
        return OptimizeResult(status=4, x=None) if result.x is not None else result

    monkeypatch.setattr(scipy.optimize, "milp", gives_up)
    task, machine = gc.Task(*GRAY[2], 4), gc.Machine(2, ports="all")
    seek = ScheduleSearch(task, machine, least_flow(task, machine))
    assert "integer program" not in {schedule.algorithm for schedule in candidates(seek)}
    assert any(entry.startswith("4 units in ") for entry in seek.untried)


def test_units_of_a_program_that_was_stopped_still_arrive():
    """It may have circulations, which start at no home and end there: 4, 5, 1, 0 and 4."""
    amounts = np.zeros((8, 3))
    for node, dimension in ((4, 0), (5, 2), (1, 0), (0, 2), (4, 1), (6, 0)):
        amounts[node, dimension] = 1
    assert periodic._paths(4, 7, amounts, 1) == [[1, 0]]


def test_little_time_gives_what_is_known_by_then():
    with pytest.raises(gc.UndecidedError, match="time_limit"):
        gc.certify(*GRAY[6], machine=gc.Machine(6), time_limit=1e-3)
    known = gc.plan(*GRAY[6], 1000, machine=gc.Machine(6))
    plan = gc.synthesize(*GRAY[6], 1000, machine=gc.Machine(6), time_limit=1e-3, keep=False)
    assert plan.schedule == known.schedule
    assert plan.untried == ("everything: the least flow is not known",)


@pytest.mark.parametrize("limit", [-1, "x", float("nan")])
def test_a_time_limit_is_a_number_of_seconds(limit):
    with pytest.raises((InvalidValueError, InvalidTypeError), match="time_limit"):
        gc.synthesize(*GRAY[2], 2, machine=gc.Machine(2), time_limit=limit)
