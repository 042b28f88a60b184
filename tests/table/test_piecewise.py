"""Parts that take one order of dimensions, piece by piece, on fewer ports than dimensions."""

import importlib
import random
from itertools import chain
from math import gcd
from pathlib import Path

import numpy as np
import pytest
from sweeping import seeds, sweep
from way_mutants import judge, random_map, rows_of, tasks

import graycube as gc
from graycube.cost import simulate
from graycube.run.scripts import scripts
from graycube.run.together import rehearse
from graycube.schedule import expand
from graycube.table.exchanges.piecewise import piecewise
from graycube.verify import check_algebra

REFEREE = Path(__file__).parents[2] / "benchmarks" / "referee"


def shifted(n, block):
    """A task in which each of n dimensions trades with the one slot bit in turn."""
    return gc.Task(gc.Layout.cyclic(n + 1, n), gc.Layout.consecutive(n + 1, n), block)


def pieces(task, machine):
    """The schedule if there is one, which every element confirms; blocks are cut finely."""
    bits = (task.payload & -task.payload).bit_length() - 1
    made = piecewise(task.refined(bits), "mine", machine)
    if made is not None:
        assert check_algebra(made, machine)
        wrong, _, moves = judge(made, machine)
        assert not wrong
        assert rows_of(moves) == rows_of(expand(made))
    return made


@pytest.mark.parametrize(
    ("n", "ports"), [(2, 2), (3, 2), (4, 2), (4, 3), *sweep((5, 3), (5, 4), (6, 4), (6, 5))]
)
def test_all_ports_are_busy_in_all_phases(n, ports):
    """n K / 2p elements in sequence, p - 1 more, and one a phase if parts are not equal."""
    made, phases = pieces(shifted(n, 256), gc.Machine(n, ports)), n // gcd(n, ports)
    assert made.cycles == simulate(made).cycles
    assert 0 <= made.cycles - (ports - 1) - n * 128 / ports < phases


def test_elements_that_ports_do_not_divide_cost_one_for_each_phase():
    """Of 64 elements that cross a dimension one part of three has 22; it comes first."""
    assert pieces(shifted(4, 128), gc.Machine(4, 3)).cycles == 22 + 22 + 21 + 21 + 2


@pytest.mark.parametrize("step", [12, *sweep((4,))])
def test_messages_are_as_long_as_start_ups_ask_for(step):
    rounds, prices = [], []
    for startup in (0.0, 0.5, 8.0):
        machine = gc.Machine(4, 3, startup=startup, per_byte=1.0)
        made = pieces(shifted(4, 256), machine)
        rounds.append(len(made.rounds))
        prices.append(simulate(made).time(machine))
    assert rounds == sorted({*rounds}, reverse=True)
    machine = gc.Machine(4, 3, startup=8.0, per_byte=1.0)
    every = (pieces(shifted(4, 256), gc.Machine(4, 3, startup=s)) for s in range(0, 60, step))
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
    assert made > 5


def test_what_does_not_go_in_pieces():
    nothing = gc.Machine(4, 3)
    codes = gc.Task(gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4), 64).refined(6)
    assert piecewise(codes, "", nothing) is None  # whole blocks move
    assert pieces(shifted(4, 256), gc.Machine(4)) is None
    assert pieces(shifted(4, 2), nothing) is None  # a message for each port is needed


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "slots", "ports"), [(12, 1, 11), (12, 9, 11), *sweep((16, 1, 15))]
)
def test_a_port_less_than_links_costs_little(n, slots, ports):
    """Parts must not wait for a port that one dimension at a time leaves free."""
    pair = gc.Layout.cyclic(n + slots, n), gc.Layout.consecutive(n + slots, n)
    plan = gc.plan(*pair, 1 << 16, machine=gc.Machine(n, ports))
    assert plan.algorithm == "pipeline"
    assert plan.cycles <= 1.02 * plan.lower_bound
    assert plan.verify()


CELLS = {  # the kind, n, ports, and the fewest cycles of a page's pipeline
    ("few slots", 4, 3): 5464,
    ("few slots", 6, 2): 12289,
    ("any map 1", 3, 2): 12290,
    ("any mesh 2", 6, 3): 27320,
}


@pytest.mark.long
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
    task, machine = shifted(4, 192), gc.Machine(4, 3)
    made = pieces(task, machine)
    x = np.random.default_rng(5).integers(0, 1 << 30, (16, 192))
    pair = task.source, task.target
    expected = gc.plan(*pair, 192, machine=machine, algorithm="exchange").apply(x)
    assert len(made.ways) > 3
    found = rehearse([*scripts(made, range(16))], x.reshape(16, -1, made.task.payload))
    assert np.array_equal(found.reshape(x.shape), expected)
