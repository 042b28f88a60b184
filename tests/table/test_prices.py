"""What an algorithm thinks that its schedule takes is what the simulator counts."""

import importlib
from pathlib import Path

import pytest

import graycube as gc
from graycube.cost import simulate
from graycube.table import units
from graycube.table.exchanges import rotated_parts
from graycube.table.messages import by_message, streams

REVERSED = (gc.Layout.nodes(4), gc.Layout.parse("(|| b0 b1 b2 b3)"))
TRADED = (gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4))
PACKETS = gc.Machine(4, "all", startup=1.0, per_byte=1.0, packet=13)
LONG = gc.Machine(4, 3, startup=40.0, per_byte=1.0)
CIRCUITS = gc.Machine(4, "all", "circuit", startup=0.3, per_byte=1.0)


@pytest.mark.parametrize("machine", [PACKETS, LONG, CIRCUITS])
@pytest.mark.parametrize(
    ("algorithm", "layouts", "block"),
    [
        (by_message, REVERSED, 100),
        (by_message, REVERSED, 101),
        (rotated_parts, TRADED, 16 * 7),
        (rotated_parts, TRADED, 16 * 100),
    ],
)
def test_unequal_parts_are_priced_as_they_are(algorithm, layouts, block, machine):
    task = gc.Task(*layouts, block)
    made = algorithm.emit(task, machine)
    assert algorithm.price(task, machine) == pytest.approx(simulate(made).time(machine))


def test_what_is_left_over_is_priced_by_what_links_carry(monkeypatch):
    """Some hands wait for others on one node, and leave a gap on the links of another."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks" / "referee")
    pair = dict(importlib.import_module("kinds").kinds(6))["any map 2"]
    machine = gc.Machine(6, "all", startup=8.0, per_byte=1.0)
    made = rotated_parts.emit(gc.Task(*pair, 400), machine)
    assert sum(made.round_lengths) > simulate(made).cycles == 303
    assert rotated_parts.price(made.task, machine) == simulate(made).time(machine)


@pytest.mark.parametrize("startup", [0.3, 0.5, 4.0])
def test_a_short_unit_is_priced_as_it_is(startup):
    machine = gc.Machine(3, "all", startup=startup, per_byte=1.0, packet=128)
    task = gc.Task(gc.Layout.nodes(3), gc.Layout.parse("(|| b0 b2 b1)"), 4099)
    best = streams._best(task, machine)
    assert best is not None
    made = streams.emit(task, machine)
    assert best.price(task, machine) == pytest.approx(simulate(made).time(machine))
    assert task.block % best.unit


@pytest.mark.parametrize("startup", [0.0, 0.03])
def test_units_are_priced_by_what_they_have(startup):
    """A hundred elements are eight units of 12 or 13."""
    machine = gc.Machine(3, "all", startup=startup, per_byte=1.0)
    task = gc.Task(gc.Layout.nodes(3), gc.Layout.parse("(|| b0 b2 b1)"), 100)
    coarse = units.in_units(task, 8)
    assert coarse is not None
    for one in units.MADE:
        if one.applicable(coarse, machine) is None:
            made = one.emit(coarse, machine)
            of_elements = units.of_elements(task, coarse, made)
            found = units._price(task, coarse, made, machine)
            assert found == pytest.approx(simulate(of_elements).time(machine))
