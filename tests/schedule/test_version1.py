"""Files of version 1, as the release that wrote them left them: read, proved, and as dear.

``version1/`` has files in every old form, and ``figures.json`` what that release said of each:
``moves`` is a digest of all crossings.
"""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import graycube as gc
from graycube.schedule import dump, expand, load
from graycube.verify import check_algebra, check_elements

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
