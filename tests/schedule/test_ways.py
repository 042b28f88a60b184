"""A kind of schedule that no algorithm of the table makes: this file is all that it needs.

Each block goes to one node whole, and leaves half of it for another one in the next round.
"""

import numpy as np
import pytest
from cli_runs import cli

import graycube as gc
from graycube.cost import replay, simulate
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange, compose
from graycube.run import apply, scripts
from graycube.run.together import rehearse
from graycube.schedule import Schedule, Task, Way, dump, expand, hop, load
from graycube.table import Algorithm, unregister
from graycube.verify import check_algebra, check_elements
from graycube.view.page.follow import follow

MACHINE = gc.Machine(dims=3, startup=5.0, per_byte=1.0)
THERE = Exchange(flip=0b001, when=0, want=0)


def half(n):
    """Over dimension 1, of the upper half of two slots."""
    return Exchange(flip=0b010, when=1 << n)


def dropped(n, block=6):
    """The task that it is for."""
    source = gc.Layout.consecutive(n + 1, n)
    return Task(source, compose([THERE, half(n)], n + 1) @ source, block)


def emit(task, _):
    n, block = task.n, task.block
    steps = hop(0, THERE, n), hop(block, half(n), n)
    ways = (Way(0, block, steps),)
    return Schedule(task, "dropping", (0, block), block + block // 2, ways)


def why_not(task, _):
    if task.stages or task.n < 2 or task != dropped(task.n, task.block):
        return "it leaves half of each block at the node next to the first one"
    return None


ALGORITHM = Algorithm(name="dropping", applicable=why_not, emit=emit)


@pytest.fixture
def registered():
    yield gc.register(ALGORITHM)
    unregister(ALGORITHM.name)


def dropping():
    return emit(dropped(3), MACHINE)


def by_locate(task):
    """The blocks before and after, by the layouts alone."""
    index = np.arange(task.source.size)
    values = np.arange(task.block << task.n).reshape(len(index), -1)
    blocks = []
    for layout in (task.source, task.target):
        node, slot = layout.locate(index)
        made = np.empty((1 << task.n, layout.block_size, values.shape[1]), values.dtype)
        made[node, slot] = values
        blocks.append(made.reshape(1 << task.n, task.block))
    return blocks


def test_it_is_proved_followed_and_priced():
    made = dropping()
    assert check_algebra(made, MACHINE)
    assert check_elements(expand(made), MACHINE)
    assert [r.longest for r in simulate(made).rounds] == [6, 3]
    assert simulate(made).crossings == len(expand(made)) == 8 * 6 + 8 * 3
    hasty = Schedule(made.task, "hasty", (0, 5), 9, made.ways)
    assert not check_algebra(hasty, MACHINE)


def test_it_is_carried_out():
    made = dropping()
    before, after = by_locate(made.task)
    assert np.array_equal(apply(made, before), after)
    assert np.array_equal(rehearse([*scripts(made, range(8))], before), after)


def test_it_is_written_read_and_drawn():
    made = dropping()
    assert load(dump(made)) == made
    seen = follow(made)
    last = dict(zip(seen.element.tolist(), seen.position.tolist(), strict=True))
    assert all(seen.home_position[element] == place for element, place in last.items())


@pytest.mark.usefixtures("registered")
def test_the_planner_has_it_beside_the_table(tmp_path):
    """Priced as its moves are, proved, explained, saved, read, drawn, and chosen by name."""
    task, saved, page = dropped(3), tmp_path / "plan.json", tmp_path / "plan.html"
    plan = gc.plan(task.source, task.target, 6, machine=MACHINE, algorithm="dropping")
    assert plan.verify().method == "by algebra and element by element"
    assert (plan.rounds, plan.cycles, plan.cost) == (2, 9, 5 + 6 + 5 + 3)
    seen = replay(plan.moves())
    assert (seen.active.tolist(), seen.peak.max()) == ([8] * 9, 6)
    assert plan.lower_bound <= plan.cost
    assert "dropping" in plan.explain()
    before, after = by_locate(task)
    assert np.array_equal(plan.apply(before), after)
    plan.save(saved)
    assert gc.load_plan(saved) == plan
    assert "nothing is wrong" in cli("verify", saved).fine()
    cli("view", saved, "--output", page).fine()
    assert "dropping" in page.read_text()


@pytest.mark.usefixtures("registered")
def test_it_is_found_by_itself_where_it_is_as_good_as_any():
    task = dropped(3)
    plan = gc.plan(task.source, task.target, 6, machine=MACHINE)
    (ours,) = (c for c in plan.candidates if c.algorithm.name == "dropping")
    assert plan.cost <= ours.cost == 19
    other = gc.plan(task.source, gc.Layout.cyclic(4, 3), 6, machine=MACHINE)
    (ours,) = (c for c in other.candidates if c.algorithm.name == "dropping")
    assert ours.reason.startswith("it leaves half")


@pytest.mark.usefixtures("registered")
def test_it_is_planned_on_a_million_nodes():
    task, machine = dropped(20, 2**20), gc.Machine(dims=20, startup=5.0)
    plan = gc.plan(task.source, task.target, 2**20, machine=machine, algorithm="dropping")
    assert plan.verify().method == "by algebra"
    assert plan.traffic.crossings == 2**40 + 2**39


def test_steps_of_all_ways_have_to_fit():
    task = Task(gc.Layout.nodes(1), gc.Layout.nodes(1), 4)
    first, late = (hop(cycle, Exchange(flip=1, when=0, want=0), 1) for cycle in (0, 9))
    with pytest.raises(InvalidValueError, match="starts in cycle 9"):
        Schedule(task, "late", (0,), 8, (Way(0, 2, (first,)), Way(2, 4, (first, late))))
