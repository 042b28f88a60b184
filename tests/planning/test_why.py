"""What a plan says of its choice, against prices that are computed anew."""

import re
from dataclasses import replace

import pytest

import graycube as gc
from graycube.planning.why import gap_of, parts_of, turning_points, weighs, why

MACHINES = {
    "one port": gc.Machine(4, startup=30.0, per_byte=1.0),
    "two ports": gc.Machine(4, 2, startup=5.0, per_byte=1.0),
    "all ports": gc.Machine(4, "all", startup=9.0, per_byte=2.0),
    "circuits": gc.Machine(4, 2, "circuit", startup=9.0, per_byte=0.5),
    "packets": gc.Machine(4, "all", startup=9.0, per_byte=1.0, packet=64),
}
GRAY, BINARY = gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4)
PAIRS = {
    "conversion": (GRAY, BINARY),
    "reversal": (BINARY, gc.Layout.parse("(|| b0 b1 b2 b3)")),
    "transpose": (gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4)),
}


@pytest.fixture(params=MACHINES.values(), ids=MACHINES)
def machine(request):
    return request.param


@pytest.fixture(params=PAIRS.values(), ids=PAIRS)
def plan(request, machine):
    return gc.plan(*request.param, block=160, itemsize=2, machine=machine)


@pytest.mark.long
def test_parts_are_the_price(plan):
    chosen, *others = parts_of(plan)
    assert chosen.cost == pytest.approx(plan.cost)
    prices = [c.cost for c in plan.candidates if c.reason is None]
    assert all(any(other.cost == pytest.approx(price) for price in prices) for other in others)
    assert min(other.cost for other in others) >= plan.cost * (1 - 1e-12)


def test_parts_of_a_gap_are_the_gap(plan):
    gap = gap_of(plan)
    assert sum(gap) == pytest.approx(plan.cost - plan.lower_bound)
    assert min(gap) >= -1e-9
    assert max(bound.startup for bound in plan.bounds) <= plan.lower_bound


def test_startups_that_save_bytes_of_the_bound_count_for_the_rest():
    """The bound is for five rounds, which need more bytes than the six of the plan."""
    machine = gc.Machine(6, 2, startup=30.0, per_byte=1.0)
    layouts = gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6)
    made = gc.plan(*layouts, 8, itemsize=8, machine=machine)
    assert gap_of(made) == (made.cost - made.lower_bound, 0.0, 0.0) == (22.0, 0.0, 0.0)


def test_where_a_block_turns_the_choice():
    """GB1 has three rounds of a block and GB3 four of half a block: even at K t = s."""
    for block in (20, 50):
        machine = gc.Machine(4, startup=30.0, per_byte=1.0)
        made = gc.plan(GRAY, BINARY, block, machine=machine)
        chosen, *others = parts_of(made)
        more, less = turning_points(block, chosen, others)
        assert (chosen.name, more, less) == {
            20: ("gb1", (31, "gb3"), None),
            50: ("gb3", more, (29, "gb1")),
        }[block]
    for block, name in ((29, "gb1"), (31, "gb3")):
        even = block + block % 2
        assert gc.plan(GRAY, BINARY, even, machine=machine).algorithm == (
            name if even != 30 else "gb1"
        )


def test_the_lines_name_the_plan_and_the_next(plan):
    lines = list(why(plan))
    assert lines[0].startswith(f"The plan takes {plan.traffic.startups(plan.machine)} start-up")
    assert lines[-1] in plan.explain().replace("\n", " ")
    gap = plan.cost - plan.lower_bound
    seconds = re.findall(r"([0-9.e+-]+) s of", lines[-1].partition(" s is ")[2])
    assert sum(map(float, seconds)) == pytest.approx(gap, rel=2e-3)


def test_a_part_of_the_gap_that_comes_of_rounding_is_not_told():
    rows, columns = (gc.Layout.mesh((8, 8), nodes) for nodes in ((8, 1), (1, 8)))
    machine = gc.Machine(3, switching="circuit", startup=1e-6, per_byte=1e-9)
    made = gc.plan(rows, columns, 4096, machine=machine, algorithm="all-to-all")
    assert 0 < abs(gap_of(made).fill) < 1e-20
    assert [*why(made)][-1].endswith("the gap of 4e-06 s is 4e-06 s of start-ups.")


def test_a_gap_that_is_a_small_part_of_the_price_is_told():
    machine = gc.Machine(2, "all", startup=1e-9, per_byte=1.0, packet=64)
    made = gc.plan(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 64, machine=machine)
    assert 0 < made.cost - made.lower_bound < 1e-9 * made.cost
    assert [*why(made)][-1].endswith("the gap of 1.6e-08 s is 1.6e-08 s of start-ups.")


def test_nothing_is_weighed_without_startups(plan):
    free = replace(plan.machine, startup=0.0)
    made = gc.plan(plan.task.source, plan.task.target, plan.task.block, machine=free)
    assert not weighs(made)
    assert not list(why(made))


def test_nothing_is_weighed_where_links_differ_or_nothing_moves():
    dear = gc.Machine(4, startup=1.0, per_byte=(1.0, 1.0, 1.0, 9.0))
    assert not weighs(gc.plan(GRAY, BINARY, 16, machine=dear))
    alike = gc.Machine(4, startup=1.0)
    assert not weighs(gc.plan(GRAY, GRAY, 16, machine=alike))
    assert not weighs(gc.plan(GRAY, BINARY, 16, machine=alike, algorithm="relabel"))


@pytest.mark.long
def test_no_break_even_is_said_that_planning_denies():
    machine = gc.Machine(6, ports="all", startup=1e-4, per_byte=1e-9)
    gray, binary = gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6)
    plan = gc.plan(gray, binary, 10000, itemsize=8, machine=machine)
    assert "tight is cheaper" not in plan.explain()  # it is dearer: fewer-bytes re-tunes
