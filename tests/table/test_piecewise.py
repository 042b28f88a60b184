"""Parts that take one order of dimensions, piece by piece, on fewer ports than dimensions."""

import importlib
import random
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from sweeping import seeds, sweep
from way_mutants import judge, random_map, rows_of, tasks

import graycube as gc
from graycube.cost import simulate
from graycube.schedule import expand
from graycube.table.exchanges.piecewise import goes_in_pieces, piecewise
from graycube.verify import check_algebra

REFEREE = Path(__file__).parents[2] / "benchmarks" / "referee"


def shifted(n, block):
    """A task in which each of n dimensions trades with the one slot bit in turn."""
    return gc.Task(gc.Layout.cyclic(n + 1, n), gc.Layout.consecutive(n + 1, n), block)


def pieces(task, machine):
    """The schedule if there is one, which every element confirms."""
    made = piecewise(task, "mine", machine)
    if made is not None:
        assert check_algebra(made, machine)
        wrong, _, moves = judge(made, machine)
        assert not wrong
        assert rows_of(moves) == rows_of(expand(made))
    return made


@pytest.mark.parametrize(
    ("n", "ports"), [(2, 2), (3, 2), (4, 2), (4, 3), (5, 3), *sweep((5, 4), (6, 4), (6, 5))]
)
def test_all_ports_are_busy_in_all_phases(n, ports):
    """n K / 2p elements in sequence, and p - 1 more, whatever p is."""
    made = pieces(shifted(n, 240), gc.Machine(n, ports))
    assert made.cycles == simulate(made).cycles == n * 120 // ports + ports - 1


def test_elements_that_ports_do_not_divide_cost_one_for_each_phase():
    """Of 80 elements that cross a dimension two parts of three have 27; they come first."""
    assert pieces(shifted(4, 160), gc.Machine(4, 3)).cycles == 27 + 27 + 27 + 26 + 2


def test_messages_are_as_long_as_start_ups_ask_for():
    rounds, prices = [], []
    for startup in (0.0, 1.0, 5.0):
        machine = gc.Machine(4, 3, startup=startup, per_byte=1.0)
        made = pieces(shifted(4, 240), machine)
        rounds.append(len(made.rounds))
        prices.append(simulate(made).time(machine))
    assert rounds == sorted({*rounds}, reverse=True)
    machine = gc.Machine(4, 3, startup=5.0, per_byte=1.0)
    every = (piecewise(shifted(4, 240), "", gc.Machine(4, 3, startup=s)) for s in range(60))
    assert prices[2] == min(simulate(made).time(machine) for made in every)


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
@pytest.mark.parametrize("seed", seeds(2, 30))
def test_maps_of_all_kinds_go_in_pieces_or_not_at_all(seed, switching):
    rng, made = random.Random(seed), 0  # noqa: S311
    for n in (2, 3, 4):
        wide = [gc.Layout(random_map(rng, n + 2), n) for _ in range(6)]
        some = [gc.Task(*pair, 4 * 3) for pair in zip(wide[::2], wide[1::2], strict=True)]
        bits = [f"b{j}" for j in range(n)]
        turned = [gc.Layout.parse(f"(b{n} || {' '.join(bits[k:] + bits[:k])})") for k in (0, 1)]
        for task in chain(tasks(rng, n), some, [gc.Task(*turned, 24)]):
            for ports in range(1, n + 1):
                machine = gc.Machine(n, ports, switching, startup=rng.choice([0.0, 2.0]))
                found = pieces(task, machine)
                made += found is not None
                assert found is None or goes_in_pieces(task.move, n)
    assert made > 5


def test_what_does_not_go_in_pieces():
    nothing = gc.Machine(4, 3)
    codes = gc.Task(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 64)
    assert piecewise(codes, "", nothing) is None  # whole blocks move
    many = gc.Task(gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4), 1 << 10)
    assert piecewise(many, "", nothing) is None  # too many pieces
    assert piecewise(shifted(4, 240), "", gc.Machine(4)) is None
    assert piecewise(shifted(4, 2), "", nothing) is None  # a message for each port is needed


CELLS = {  # the kind, n, ports, and the fewest cycles of a page's pipeline
    ("few slots", 4, 3): 5464,
    ("few slots", 6, 2): 12289,
    ("any map 1", 3, 2): 12290,
    ("any mesh 2", 6, 3): 27320,
}


@pytest.mark.parametrize("cell", CELLS)
def test_no_simple_pipeline_is_better(monkeypatch, cell):
    """Which sends 4096 parts one behind the other; here they are a few dozen ways."""
    (kind, n, ports), least = cell, CELLS[cell]
    monkeypatch.syspath_prepend(REFEREE)
    pair = dict(importlib.import_module("kinds").kinds(n))[kind]
    block = pair[0].block_size << 12
    plan = gc.plan(*pair, block, machine=gc.Machine(n, ports))
    assert plan.algorithm == "pipeline"
    assert plan.cycles <= least
    assert len(plan.schedule.ways) <= 64
    assert plan.verify()


def test_it_carries_data_as_others_do():
    task = shifted(4, 240)
    x = np.arange(240 << 4).reshape(16, 240)
    made = {}
    for name in ("pipeline", "exchange"):
        plan = gc.plan(task.source, task.target, 240, machine=gc.Machine(4, 3), algorithm=name)
        made[name] = plan.apply(x)
    assert np.array_equal(made["pipeline"], made["exchange"])
