"""The planner and what anybody would try: its figures, and that it is as good as it was."""

import importlib
from itertools import chain, product
from pathlib import Path

import numpy as np
import pytest
from sweeping import larger, sweep

import graycube as gc
from graycube.run import apply, rehearse, scripts

FOLDER = Path(__file__).parents[2] / "benchmarks" / "referee"


@pytest.fixture
def referee(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("referee")


@pytest.fixture
def simple(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("simple")


def wanted_between(simple, source, target, behind):
    index = np.arange(source.block_size << source.n)
    ends = (np.asarray(each.locate(index)[0]) for each in (source, target))
    return simple.wanted_of(source.n, *ends, behind)


def test_what_is_kept_has_the_whole_grid(referee):
    kept = referee.read()
    assert sum(len(row.rival) for row in kept) >= 20_000
    assert {row.n for row in kept} == set(referee.SIZES)
    assert min(chain.from_iterable(row.bound for row in kept)) >= 1


def test_what_is_simple_is_seldom_better_and_by_little(referee):
    most = {"whole blocks": 1.06, "conversions": 1.12, "blocks that are parted": 1.34}
    kept = referee.read()
    for row in kept:
        if row.best.startswith("simple"):
            group = referee.group_of(row.kind)
            assert max(row.rival) <= most[group]
            assert group != "blocks that are parted" or row.ports != 1
    ratios = [*chain.from_iterable(row.rival for row in kept)]
    assert sum(ratio > 1.001 for ratio in ratios) < 0.015 * len(ratios)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["binary to gray", "any mesh 0", *sweep(("bits reversed",))])
def test_some_cells_are_as_good_as_they_were(referee, kind):
    found = [*referee.rows(kind, dict(referee.kinds(3))[kind], 100)]
    assert len(found) == 6
    assert referee.worse(found, referee.read()) == []


@pytest.mark.long
@pytest.mark.parametrize("n", [2, *sweep((3,), (4,))])
def test_what_is_chosen_runs(n, referee):
    for _, (source, target) in referee.kinds(n):
        for behind, ports, switching, startup in product(
            larger((5,), (1, 3, 5, 6, 7, 12, 40)),
            sorted({1, 2, n - 1, n}),
            referee.SWITCHING,
            larger((0.1,), (0.0, 0.02, 0.1, 0.4)),
        ):
            block = source.block_size * behind
            machine = gc.Machine(n, ports, switching, startup=startup, per_byte=1 / block)
            schedule = gc.plan(source, target, block, machine=machine).schedule
            data = np.arange(block << n).reshape(1 << n, block)
            made = [*scripts(schedule, range(1 << n))]
            rows = data.reshape(1 << n, made[0].rows, made[0].unit)
            ran = rehearse(made, rows).reshape(data.shape)
            assert np.array_equal(ran, apply(schedule, data))


@pytest.mark.sweep
def test_all_cells_are_as_good_as_they_were(referee):
    assert referee.worse(referee.grid(), referee.read()) == []


def test_worse_cells_are_told(referee):
    row = referee.read()[0]
    better = row._replace(rival=tuple(ratio / 1.1 for ratio in row.rival))
    (line,) = referee.worse([row], [better])
    assert line.startswith(" ".join(row.where) + ": rival 1 ")


def test_simple_constructions_count_what_the_papers_have(simple):
    """GB1, GB3 and the pipeline from Gray code, for n = 4 and 64 elements."""
    wanted = wanted_between(simple, gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 64)
    found = list(simple.constructions(wanted, 4, circuits=True))
    assert ("in order", {64: 3}) in found
    assert ("half by a detour", {32: 4}) in found
    assert ("pipeline", {16: 6}) in found
    assert ("circuits", {64: 1}) in found


def test_a_transpose_takes_half_a_block_for_each_dimension(simple):
    rows, columns = (gc.Layout.mesh((8, 8), nodes) for nodes in ((8, 1), (1, 8)))
    wanted = wanted_between(simple, rows, columns, 12)
    found = list(simple.constructions(wanted, 3, circuits=True))
    assert ("in order", {48: 3}) in found
    assert ("rotated orders", {16: 3}) in found
    assert ("turns of circuits", {12: 4}) in found
    assert wanted.amount.sum() == 12 * 8 * 7


def test_messages_that_meet_wait(simple):
    """Two blocks that need the same link take it one after the other."""
    start, goal, amount = np.array([0, 1]), np.array([3, 3]), np.array([5, 7])
    wanted = simple.Wanted(2, start, goal, amount)
    assert simple.lengths([simple.Part(wanted, [0, 1])]) == {5: 1, 12: 1}
    assert simple.lengths([simple.Part(wanted, [1, 0])]) == {7: 1, 5: 1}
    assert simple.farthest_first(wanted, 2).total() == 2
    with pytest.raises(AssertionError):
        simple.lengths([simple.Part(wanted, [1])])


def test_a_beaten_plan_is_seen(referee, monkeypatch):
    """Without the best algorithms of the table a rival is better."""
    known = importlib.import_module("graycube.planning.candidate")
    few = [a for a in known.algorithms() if a.name in ("all-to-all", "exchange")]
    monkeypatch.setattr(known, "algorithms", lambda: few)
    pair = dict(referee.kinds(3))["bits reversed"]
    found = list(referee.rows("bits reversed", pair, 100))
    assert max(max(row.rival) for row in found) > 1.4
    assert referee.worse(found, referee.read())
