"""Plans that a search found are kept: what is given again, and what has to be beaten."""

import json
from dataclasses import dataclass, replace
from importlib import import_module

import pytest

import graycube as gc
from graycube.planning import kept
from graycube.planning.kept import place_of
from graycube.schedule import Way
from graycube.search import least_flow
from graycube.search.search import ScheduleSearch, candidates

GRAY = {n: (gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)) for n in range(1, 4)}
SYNTHESIZE = import_module("graycube.planning.synthesize")


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path / "kept"))
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept"


@pytest.fixture
def searches(monkeypatch):
    """The costs that searches had to beat; every one of them is cut short, or finds nothing."""
    begun = []

    def nothing(search):
        begun.append(search.cost)
        search.untried += ["all of it"] if len(begun) == 1 else []
        return iter(())

    monkeypatch.setattr(SYNTHESIZE, "candidates", nothing)
    return begun


def test_what_was_found_is_kept(folder):
    machine, said = gc.Machine(2, ports="all", startup=2.0), []
    first = gc.synthesize(*GRAY[2], 9, machine=machine, tell=said.append)
    assert not any("before" in line for line in said)
    assert said[-1] == "the search ended by itself"
    again = gc.synthesize(*GRAY[2], 9, machine=machine, time_limit=10, tell=said.append)
    assert said[-1].startswith("found before: ")
    assert (again.schedule, again.cost) == (first.schedule, first.cost)
    assert (again.lower_bound, again.untried) == (first.lower_bound, ())
    place = place_of(first.task, machine, ended=True)
    assert [place] == list(folder.iterdir())
    assert gc.load_plan(place).schedule == first.schedule


def test_a_search_that_was_cut_short_goes_on_from_what_it_found(searches):
    """One that ended by itself is not repeated."""
    machine = gc.Machine(3, ports=2)
    cheaper = gc.synthesize(*GRAY[3], 8, machine=machine, keep=False)
    assert searches == [8.0]  # the table's
    searches.clear()
    first = gc.synthesize(*GRAY[3], 8, machine=machine)
    assert (first.cost, first.untried) == (8.0, ("all of it",))
    assert first.schedule == cheaper.schedule
    flow = least_flow(first.task, machine)
    found = candidates(ScheduleSearch(first.task, machine, flow, cost=8.0))
    better = next(schedule for schedule in found if schedule.cycles == 7)
    place = place_of(first.task, machine, ended=False)
    replace(first, schedule=better).save(place)
    second = gc.synthesize(*GRAY[3], 8, machine=machine)
    assert searches == [8.0, 7.0]
    assert (second.cost, second.untried) == (7.0, ())
    third = gc.synthesize(*GRAY[3], 8, machine=machine)
    assert third.schedule == second.schedule
    assert len(searches) == 2


def test_a_plan_of_an_older_search_stops_no_newer_one(searches, monkeypatch):
    machine, searches[:] = gc.Machine(2), [0.0]
    gc.synthesize(*GRAY[2], 9, machine=machine)
    gc.synthesize(*GRAY[2], 9, machine=machine)
    assert len(searches) == 2
    monkeypatch.setattr(kept, "VERSION", kept.VERSION + 1)
    gc.synthesize(*GRAY[2], 9, machine=machine)
    assert len(searches) == 3


def test_a_table_that_got_better_beats_what_was_kept():
    machine, task = gc.Machine(3), gc.Task(*GRAY[3], 8)
    worse = gc.plan(*GRAY[3], 8, machine=machine, algorithm="gb1")
    best = gc.plan(*GRAY[3], 8, machine=machine)
    assert worse.cost > best.cost
    worse.save(place_of(task, machine, ended=True))
    assert gc.synthesize(*GRAY[3], 8, machine=machine).schedule == best.schedule


def test_files_are_apart_for_all_that_counts():
    task, machine = gc.Task(*GRAY[2], 9), gc.Machine(2, ports="all", startup=2.0)
    places = [
        place_of(task, machine, ended=True),
        place_of(task, machine, ended=False),
        place_of(gc.Task(*GRAY[2], 10), machine, ended=True),
        place_of(gc.Task(*GRAY[2], 9, 2), machine, ended=True),
        place_of(gc.Task(*GRAY[2][::-1], 9), machine, ended=True),
        *(
            place_of(task, replace(machine, **change), ended=True)
            for change in (
                {"startup": 3.0},
                {"ports": 1},
                {"per_byte": 2.0},
                {"packet": 4},
                {"switching": "circuit"},
            )
        ),
    ]
    assert len(set(places)) == len(places)
    assert place_of(task, replace(machine, name="other"), ended=True) == places[0]


def test_a_machine_with_more_properties_is_the_same_where_they_are_as_usual():
    @dataclass(frozen=True, slots=True)
    class Newer(gc.Machine):
        bends: int = 1

    task = gc.Task(*GRAY[2], 9)
    usual, newer, bent = gc.Machine(2), Newer(2), Newer(2, bends=3)
    places = [place_of(task, machine, ended=True) for machine in (usual, newer, bent)]
    assert places[0] == places[1] != places[2]


@pytest.mark.parametrize("text", ["", "{}", "[" * 4000, "\x00"])
def test_a_kept_file_that_is_broken_is_replaced(text):
    machine = gc.Machine(1)
    place = place_of(gc.Task(*GRAY[1], 2), machine, ended=True)
    place.write_text(text)
    plan = gc.synthesize(*GRAY[1], 2, machine=machine)
    assert gc.load_plan(place).task == plan.task


@pytest.mark.parametrize("kind", ["wrong", "renumbers", "other machine"])
def test_a_kept_plan_that_does_not_fit_is_not_given(kind):
    machine, said = gc.Machine(2), []
    plan = gc.plan(*GRAY[2], 4, machine=machine)
    if kind == "wrong":
        plan = replace(plan, schedule=replace(plan.schedule, ways=(Way(0, 4, ()),)))
    elif kind == "renumbers":
        plan = gc.plan(*GRAY[2], 4, machine=machine, algorithm="relabel")
    else:
        plan = gc.plan(*GRAY[2], 4, machine=gc.Machine(2, ports="all"))
    place = place_of(gc.Task(*GRAY[2], 4), machine, ended=True)
    plan.save(place)
    found = gc.synthesize(*GRAY[2], 4, machine=machine, tell=said.append)
    assert found.verify()
    assert found.schedule.relabel is None
    assert not any(line.startswith("found before") for line in said)
    assert gc.load_plan(place).schedule == found.schedule  # which replaces the other one


def test_the_plan_of_another_task_is_not_taken():
    machine, task = gc.Machine(2), gc.Task(*GRAY[2], 2)
    gc.plan(*GRAY[2], 64, machine=machine).save(place_of(task, machine, ended=True))
    assert gc.synthesize(*GRAY[2], 2, machine=machine).task.block == 2


def test_without_a_place_to_keep_it_the_plan_is_given(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("GRAYCUBE_CACHE", str(blocked / "below"))
    assert gc.synthesize(*GRAY[2], 2, machine=gc.Machine(2)).verify()


def test_kept_plans_are_json(folder):
    gc.synthesize(*GRAY[2], 2, machine=gc.Machine(2))
    (file,) = folder.iterdir()
    assert json.loads(file.read_text())["format"] == "graycube plan"


def test_a_kept_plan_of_parted_blocks_is_known_again():
    pair = gc.Layout.nodes(4), gc.Layout.parse("(|| b1 b2 b0 b3)")
    machine, said = gc.Machine(4, ports=2), []
    plan = gc.plan(*pair, 2, machine=machine, algorithm="half-exchange")
    plan.save(place_of(gc.Task(*pair, 2), machine, ended=True))
    found = gc.synthesize(*pair, 2, machine=machine, tell=said.append)
    assert said[-1].startswith("found before")
    assert found.task == gc.Task(*pair, 2)
    assert "flow" in {bound.name for bound in found.bounds}
