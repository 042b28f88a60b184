"""Files of version 1, as the release that wrote them left them: read, proved, and as dear.

``version1/`` has files in every old form, and ``figures.json`` what that release said of each:
``moves`` is a digest of all crossings. ``thousand.xz`` has 1,227 more, of every algorithm and
network that it knew; ``tools/version1.py`` made them, which no later release can.
"""

import json
import lzma
from collections import Counter
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.run import emulate, rehearse, scripts
from graycube.schedule import dump, expand, load
from graycube.verify import check_algebra, check_elements

PARTS = 16  # of the archive; `make test` reads one of them
FOLDER = Path(__file__).parent / "version1"
FIGURES = json.loads((FOLDER / "figures.json").read_text())
PLANS = sorted(name for name in FIGURES if not name.startswith("moves"))
MOVES = sorted(FIGURES.keys() - set(PLANS))


def digest(moves):
    """Of all crossings, element by element in the order of the cycles."""
    order = np.lexsort((moves.cycle, moves.element))
    columns = (moves.element, moves.cycle, moves.node, moves.dimension)
    return sha256(np.stack(columns).astype(np.int64)[:, order].tobytes()).hexdigest()


def test_every_old_form_is_there():
    content = [json.loads((FOLDER / name).read_text()) for name in FIGURES]
    schedules = [entry.get("schedule", entry) for entry in content]
    assert {entry["version"] for entry in schedules} == {1}
    forms = {"strands", "deliveries", "steps", "moves"}
    assert {form for entry in schedules for form in forms & entry.keys()} == forms


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_says_what_it_said(name):
    plan, said = gc.load_plan(FOLDER / name), FIGURES[name]
    proved = check_algebra(plan.schedule, plan.machine)
    assert proved, str(proved)
    moves = expand(plan.schedule)
    followed = check_elements(moves, plan.machine)
    assert followed, str(followed)
    assert plan.verify().peak == followed.peak
    assert {
        "algorithm": plan.algorithm,
        "seconds": pytest.approx(plan.cost),
        "rounds": plan.rounds,
        "cycles": plan.cycles,
        "crossings": plan.traffic.crossings,
        "startups": plan.traffic.startups(plan.machine),
        "peak": followed.peak,
        "moves": digest(moves),
    } == {key: fact for key, fact in said.items() if key != "bound"}
    assert said["bound"] <= plan.lower_bound * (1 + 1e-9)  # bounds have become better
    assert plan.schedule.relabel or plan.lower_bound <= plan.cost * (1 + 1e-9)
    assert len(moves) == said["crossings"]


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_the_same_when_it_was_written_again(name):
    schedule = gc.load_plan(FOLDER / name).schedule
    assert json.loads(dump(schedule))["version"] == 2
    assert load(dump(schedule)) == schedule


@pytest.mark.parametrize("name", MOVES)
def test_moves_are_what_they_were(name):
    moves, said = load((FOLDER / name).read_text()), FIGURES[name]
    machine = gc.Machine(said["dims"], said["ports"], said["switching"])
    followed = check_elements(moves, machine)
    assert followed, str(followed)
    assert (digest(moves), followed.peak) == (said["moves"], said["peak"])
    assert digest(load(dump(moves))) == said["moves"]


@cache
def archive():
    with lzma.open(FOLDER / "thousand.xz", "rt") as lines:
        return [json.loads(line) for line in lines]


def test_the_archive_has_every_algorithm_on_all_kinds_of_machines():
    plans = [json.loads(entry["plan"]) for entry in archive()]
    assert {plan["version"] for plan in plans} == {1}
    assert {plan["schedule"]["version"] for plan in plans} == {1}
    names = Counter(plan["schedule"]["algorithm"].rpartition("+")[2] for plan in plans)
    assert (len(plans), len(names)) == (
        1227,
        32,
    )  # 23 of the table, 7 kinds of networks, 2 of searches
    assert names.keys() >= {"gb3", "tight", "fewer-bytes", "relabel", "bi-sectioning"}
    for key, least in (("ports", 4), ("switching", 2), ("dims", 6), ("packet", 4)):
        assert len({plan["machine"][key] for plan in plans}) >= least


def sums(results):
    """A few sums that show what a network computes, in any rounding."""
    flat = results.ravel()
    made = (flat @ np.cos(k * np.arange(flat.size)) for k in (1, 2))
    return [part for s in made for part in (s.real, s.imag)]


def results(plan, elements):
    """What the plan makes of numbered elements, which a network computes with."""
    task = plan.task
    if any(step.stage is not None for way in plan.schedule.ways for step in way.steps):
        points = elements.reshape(1 << task.n, -1, task.payload)
        return {"sums": pytest.approx(sums(emulate(plan.schedule, points)), abs=1e-6)}
    moved = plan.apply(elements)
    told = [*scripts(plan.schedule, range(1 << task.n))]
    assert np.array_equal(rehearse(told, elements), moved)
    return {"blocks": sha256(moved.astype(np.int64).tobytes()).hexdigest()[:16]}


def same(entry):
    """Whether what is said of a file today is what was said then.

    Rounds in which nothing moves cost nothing; those of pipelines had a price then.
    """
    plan = gc.Plan.from_text(entry["plan"], "a file")
    task, moves, report = plan.task, expand(plan.schedule), plan.verify()
    followed, traffic = check_elements(moves, plan.machine), plan.traffic
    assert report, str(report)
    assert followed, str(followed)
    idle = 1
    if plan.rounds < entry["rounds"]:
        assert entry["rounds"] == len(plan.schedule.rounds)
        assert plan.rounds == len(np.unique(moves.round))
        idle = Fraction(plan.rounds, entry["rounds"])
    elements = np.arange(task.block << task.n).reshape(1 << task.n, task.block)
    figures = {
        "seconds": pytest.approx(plan.cost, rel=1e-12),
        "rounds": plan.rounds,
        "cycles": plan.cycles,
        "startups": traffic.startups(plan.machine),
    }
    assert figures == {key: entry[key] * idle for key in figures}
    facts = {
        "algorithm": plan.algorithm,
        "crossings": traffic.crossings,
        "peak": followed.peak,
        "moves": digest(moves)[:16],
        **results(plan, elements),
    }
    known = {"plan", "bound", *figures}
    assert facts == {key: fact for key, fact in entry.items() if key not in known}
    assert len(moves) == entry["crossings"]
    assert plan.lower_bound >= entry["bound"] * (1 - 1e-9)  # bounds have become better


@pytest.mark.long
@pytest.mark.parametrize("part", [0, *sweep(*((k,) for k in range(1, PARTS)))])
def test_plans_of_the_archive_say_what_they_said(part):
    entries = archive()[part::PARTS]
    for entry in entries:
        same(entry)
    assert len(entries) > 70
