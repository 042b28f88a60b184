"""Rounds as a range: what a pipeline costs and whether it is right do not depend on it."""

import json
import random
import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from schedule_cases import conversion, detours, every_machine, one_port, stretches, ways
from sweeping import examples, seeds

import graycube as gc
from graycube.cost import lower_bounds, simulate
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix, compose
from graycube.schedule import (
    Crossing,
    Delay,
    Moves,
    Step,
    Way,
    actions,
    dump,
    expand,
    hop,
    load,
)
from graycube.table.gray import few_ports, minimum_path, nonminimum_ring, pipelined
from graycube.verify import check_algebra, check_elements

THOROUGH = settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
ALL = {"ports": "all"}


@st.composite
def pipelines(draw):
    """Routes of several units, a unit apart or a little more or less, in equal rounds."""
    n, block = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    unit = draw(st.integers(1, 4))
    base = draw(detours(n, draw(st.integers(0, (1 << n) - 1))))
    marks = sorted({0, *draw(st.lists(st.integers(0, block), max_size=2)), block})
    strands = []
    for start, stop in pairwise(marks):
        way = draw(ways(n, n, base, (start, stop, 0, 0)))
        cycle, hops = unit * draw(st.integers(0, 4)), []
        for exchange in way:
            hops.append(hop(cycle, exchange, n))
            cycle += unit * draw(st.sampled_from([1, 1, 1, 2, block])) - draw(
                st.sampled_from([0, 0, 0, 0, 1])
            )
        strands.append(Way(start, stop, tuple(hops)))
    ends = [h.crossings[0].start + s.size for s in strands for h in s.steps]
    starts = [h.crossings[0].start + 1 for s in strands for h in s.steps]
    cycles = max([*starts, max(ends, default=0) + draw(st.sampled_from([0, 0, 1, -1, unit]))])
    cycles = cycles if ends else draw(st.sampled_from([0, 0, unit]))
    step = draw(st.sampled_from([1, unit, unit, unit + 1, 2 * unit, cycles + 1]))
    source = gc.Layout.nodes(n)
    task = gc.Task(source, compose(base, n) @ source, block, draw(st.sampled_from((1, 8))))
    return gc.Schedule(task, "pipeline", range(0, cycles, step), cycles, tuple(strands))


def listed(schedule):
    """The same rounds one by one."""
    return replace(schedule, rounds=tuple(schedule.rounds))


def one_by_one(traffic):
    return [replace(r, times=1) for r in traffic.rounds for _ in range(r.times)]


def test_what_is_sent_after_the_end_is_in_no_round():
    """Such a schedule is refused, and has a price until then."""
    layout = gc.Layout.nodes(1)
    ways = (Way(0, 2, (hop(0, Exchange(1, 0, 0), n=1),)),)
    schedule = gc.Schedule(gc.Task(layout, layout, 2), "too short", (0,), 1, ways)
    assert [(r.longest, r.crossings) for r in simulate(schedule).rounds] == [(1, 2)]


@given(pipelines())
@THOROUGH
def test_equal_rounds_cost_what_a_list_of_them_costs(schedule):
    pipeline, rounds = simulate(schedule), simulate(listed(schedule))
    assert [r.times for r in rounds.rounds] == [1] * len(schedule.rounds)
    assert sum(r.times for r in pipeline.rounds) == len(schedule.rounds)
    assert one_by_one(pipeline) == list(rounds.rounds)
    for name in ("cycles", "crossings", "bytes"):
        assert getattr(pipeline, name) == getattr(rounds, name)
    for packet in (None, 1, 5):
        machine = gc.Machine(schedule.task.n, startup=3.0, per_byte=0.5, packet=packet)
        assert pipeline.startups(machine) == rounds.startups(machine)
        assert pipeline.time(machine) == pytest.approx(rounds.time(machine), rel=1e-12)


@given(pipelines())
@THOROUGH
def test_equal_rounds_are_judged_like_a_list_of_them(schedule):
    moves = [expand(s) for s in (schedule, listed(schedule))]
    for machine in every_machine(schedule.task.n):
        algebra = [check_algebra(s, machine) for s in (schedule, listed(schedule))]
        elements = [check_elements(m, machine) for m in moves]
        assert elements[0] == elements[1]
        assert bool(algebra[0]) == bool(algebra[1])
        if algebra[0]:
            assert elements[0]


@given(pipelines())
@THOROUGH
def test_rounds_do_not_change_what_a_node_does(schedule):
    for node in range(1 << schedule.task.n):
        assert actions(schedule, node) == actions(listed(schedule), node)
    assert [schedule.round_of(c) for c in range(schedule.cycles)] == [
        listed(schedule).round_of(c) for c in range(schedule.cycles)
    ]
    assert schedule.round_lengths == listed(schedule).round_lengths
    assert sum(schedule.round_lengths) == schedule.cycles


@given(pipelines())
@THOROUGH
def test_a_pipeline_is_read_back(schedule):
    for form in (schedule, listed(schedule)):
        text = dump(form)
        assert load(text) == form
        assert dump(load(text)) == text
    moves = expand(schedule)
    again = load(dump(moves))
    assert (again.rounds, again.cycles) == (schedule.rounds, schedule.cycles)
    step = {"every": schedule.rounds.step}
    assert json.loads(dump(schedule))["rounds"] == step


@given(st.data(), st.integers(1, 12), st.integers(1, 14))
def test_any_rounds_are_refused_if_an_element_goes_twice_in_one(data, gap, block):
    """Two hops a gap apart: a range of rounds is fine if none is longer than the gap."""
    hops = (hop(0, Exchange(1, 0, 0), 2), hop(gap, Exchange(2, 0, 0), 2))
    source = gc.Layout.nodes(2)
    strand = Way(0, block, hops)
    task = gc.Task(source, strand.move(2) @ source, block)
    cycles = gap + block
    rounds = data.draw(stretches([0, gap], cycles, block + gap))
    schedule = gc.Schedule(task, "two hops", rounds, cycles, (strand,))
    number = [sum(r <= c for r in rounds) for c in range(cycles)]
    together = any(number[k] == number[k + gap] for k in range(block))
    for switching in ("store-and-forward", "circuit"):
        machine = gc.Machine(2, "all", switching)
        assert bool(check_elements(expand(schedule), machine)) is not together
        if together:
            assert not check_algebra(schedule, machine)
        elif isinstance(rounds, range) and rounds.step <= gap:
            assert check_algebra(schedule, machine)


EMITTED = [
    (algorithm, n, block, backwards, startup)
    for algorithm in (pipelined, minimum_path, nonminimum_ring, few_ports)
    for n, block in ((2, 5), (3, 7), (4, 10))
    for backwards in (False, True)
    for startup in (0.0, 2.0, 50.0)
]


@pytest.mark.long
@pytest.mark.parametrize(("algorithm", "n", "block", "backwards", "startup"), EMITTED)
def test_longer_rounds_of_a_pipeline_are_refused(algorithm, n, block, backwards, startup):
    """Units go on in the round after, so rounds of two units break the rule for all."""
    machine = gc.Machine(n, startup=startup, **ALL)
    schedule = algorithm.emit(conversion(n, block, backwards=backwards), machine)
    step = schedule.rounds.step
    for longer in (step, step + 1, 2 * step, schedule.cycles + 1):
        other = replace(schedule, rounds=range(0, schedule.cycles, longer))
        confirmed = check_elements(expand(other), machine)
        accepted = check_algebra(other, machine)
        assert confirmed or not accepted
        if longer == step:
            assert accepted
        if longer > schedule.cycles and any(len(s.steps) > 1 for s in schedule.ways):
            assert not accepted
            assert not confirmed
        assert bool(check_algebra(listed(other), machine)) is bool(accepted)


# What is no range of rounds.


@pytest.mark.parametrize(
    ("rounds", "cycles"),
    [
        (range(1, 8), 8),
        (range(0, 7, 2), 8 + 2),
        (range(8), 7),
        (range(7), 8),
        (range(0, 8, 2), 6),
        (range(8, 0, -1), 8),
        (range(0, -8, -1), 0),
        (range(0, 8, -1), 8),
        (range(0), 8),
        (range(8), 0),
        (range(2, 8, 2), 8),
        (range(10**9), 10**9 - 1),
        (range(5, 5), 1),
    ],
)
def test_a_range_that_does_not_fill_the_cycles_is_refused(rounds, cycles):
    task = conversion(2, 4)
    with pytest.raises(InvalidValueError, match="rounds"):
        gc.Schedule(task, "wrong", rounds, cycles, (Way(0, 4, ()),))


@pytest.mark.parametrize("rounds", [range(0, 8, 3), range(0, 9, 3), range(0, 8, 100), range(8)])
def test_a_range_that_fills_them_is_taken(rounds):
    if rounds == range(0, 8, 100):
        assert rounds == range(0, 8, 8)
    task = conversion(2, 4)
    schedule = gc.Schedule(task, "right", range(0, 8, rounds.step), 8, (Way(0, 4, ()),))
    assert len(schedule.rounds) == -(-8 // rounds.step)
    assert schedule.rounds[-1] + schedule.round_lengths[-1] == 8


def test_no_cycles_have_no_rounds():
    task = conversion(2, 4)
    for step in (1, 5, 10**18):
        schedule = gc.Schedule(task, "rest", range(0, 0, step), 0, (Way(0, 4, ()),))
        assert simulate(schedule).rounds == ()
        assert simulate(schedule).cycles == 0
        assert load(dump(schedule)) == schedule
        assert not check_algebra(schedule, one_port(2))  # the conversion is not done
        assert not check_elements(expand(schedule), one_port(2))


@pytest.mark.parametrize("rounds", [[0] * 10**4, [1, *range(1, 10**4)]])
def test_many_wrong_rounds_have_a_short_message(rounds):
    refused({**example(), "rounds": rounds, "cycles": 10**6})
    with pytest.raises(InvalidValueError) as caught:
        gc.Schedule(conversion(2, 4), "wrong", tuple(rounds), 10**6, (Way(0, 4, ()),))
    assert len(str(caught.value)) < 1000


# Texts.


def example():
    return json.loads(dump(pipelined.emit(conversion(3, 4), gc.Machine(3, **ALL))))


def refused(content):
    with pytest.raises(gc.GraycubeError) as caught:
        load(json.dumps(content))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "rounds",
    [
        {"every": 0},
        {"every": -1},
        {"every": 1.0},
        {"every": True},
        {"every": None},
        {"every": "1"},
        {"every": [1]},
        {"every": {}},
        {"every": 1 << 62},
        {"every": 10**4000},
        {"every": 1, "more": 1},
        {"Every": 1},
        {},
        [{"every": 1}],
        "every 1",
        1,
    ],
    ids=lambda r: str(r)[:20],
)
def test_wrong_lengths_of_rounds_are_refused(rounds):
    refused({**example(), "rounds": rounds})


@pytest.mark.parametrize("every", [1, 2, 5, 1000, (1 << 62) - 1])
@pytest.mark.parametrize("cycles", [5, 6, 10**9, (1 << 62) - 1])
def test_any_length_of_rounds_is_read(every, cycles):
    schedule = load(json.dumps({**example(), "rounds": {"every": every}, "cycles": cycles}))
    assert len(schedule.rounds) == -(-cycles // every)
    assert load(dump(schedule)) == schedule
    traffic = simulate(schedule)
    assert traffic.crossings == 8 * 4  # half of eight nodes, two dimensions, four elements
    check_algebra(schedule, gc.Machine(3, **ALL))


@pytest.mark.parametrize("every", [1, (1 << 62) - 1])
def test_cycles_without_a_hop_are_cheap_in_any_number(every):
    content = {**example(), "rounds": {"every": every}, "cycles": (1 << 62) - 1, "ways": []}
    schedule = load(json.dumps(content))
    assert simulate(schedule).cycles == 0
    assert not check_algebra(schedule, one_port(3))


@pytest.mark.parametrize(
    "nodes",
    [
        *(
            "",
            "..",
            "....",
            "..2",
            "..x",
            "0 1",
            "...\n",
            "-1.",
            "+1.",
            "1_0",
            "..\u0661",
            "0b1",
        ),
        *(None, 0, 1.0, True, ["0", "1", "."], {"mask": 1}, "." * 10**5),
    ],
    ids=lambda pattern: repr(pattern)[:12],
)
def test_wrong_patterns_of_nodes_are_refused(nodes):
    content = example()
    content["ways"][0]["nodes"] = nodes
    refused(content)


@pytest.mark.parametrize(
    ("nodes", "mask", "value"),
    [("...", 0, 0), ("0..", 4, 0), ("1..", 4, 4), ("..1", 1, 1), ("101", 7, 5), ("000", 7, 0)],
)
def test_patterns_of_nodes_are_read(nodes, mask, value):
    content = example()
    content["ways"][0]["nodes"] = nodes
    schedule = load(json.dumps(content))
    assert (schedule.ways[0].mask, schedule.ways[0].value) == (mask, value)
    assert load(dump(schedule)) == schedule
    written = json.loads(dump(schedule))["ways"][0]
    assert written.get("nodes", "...") == nodes


def test_a_cube_of_one_node_has_the_empty_pattern():
    layout = gc.Layout.nodes(0)
    schedule = gc.Schedule(gc.Task(layout, layout, 2), "rest", (), 0, (Way(0, 2, ()),))
    content = json.loads(dump(schedule))
    for pattern, fits in (("", True), (".", False), ("0", False)):
        content["ways"][0]["nodes"] = pattern
        if fits:
            assert load(json.dumps(content)) == schedule
        else:
            refused(content)


def test_moves_have_no_patterns():
    moves = expand(pipelined.emit(conversion(2, 2), gc.Machine(2, **ALL)))
    content = json.loads(dump(moves))
    assert load(json.dumps(content)).rounds == moves.rounds
    refused({**content, "nodes": ".."})
    content["moves"]["nodes"] = [".."] * len(content["moves"]["cycle"])
    refused(content)


# Large ones.


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n", [3, 10, 40, pytest.param(200, marks=pytest.mark.sweep)])
def test_a_billion_rounds_are_counted_between_events(n, backwards):
    block = 10**9
    machine = gc.Machine(n, startup=1e-30, per_byte=1.0, **ALL)
    strand_of = pipelined.emit(conversion(n, block, backwards=backwards), machine).ways[0]
    hops = tuple(hop(k, step.move, n) for k, step in enumerate(strand_of.steps))
    cycles = block + n - 2
    schedule = gc.Schedule(
        conversion(n, block, backwards=backwards),
        "pipeline",
        range(cycles),
        cycles,
        (Way(0, block, hops),),
    )
    traffic = simulate(schedule)
    assert traffic.cycles == traffic.startups(machine) == cycles
    assert traffic.crossings == (n - 1) * block << (n - 1)
    assert len(traffic.rounds) < 4 * n + 8
    assert check_algebra(schedule, machine)
    assert not check_algebra(replace(schedule, rounds=range(0, cycles, 2)), machine)
    assert not check_algebra(schedule, gc.Machine(n, n - 2 or 1))
    assert load(dump(schedule)) == schedule
    node = (1 << n) - 1
    assert len(actions(schedule, node)) == sum(h.move(node) != node for h in hops)


@pytest.mark.parametrize("startup", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("algorithm", [pipelined, minimum_path, nonminimum_ring])
def test_pipelines_of_algorithms_with_a_billion_elements(algorithm, startup):
    for n in (5, 30):
        machine = gc.Machine(n, startup=startup, per_byte=1.0, **ALL)
        schedule = algorithm.emit(conversion(n, 10**9), machine)
        assert check_algebra(schedule, machine)
        traffic = simulate(schedule)
        bounds = lower_bounds(schedule.task, machine)
        assert traffic.time(machine) >= max(bound.seconds for bound in bounds)
        assert sum(r.times for r in traffic.rounds) == len(schedule.rounds)
        assert load(dump(schedule)) == schedule


def test_a_partial_last_unit_costs_what_it_has():
    """Seven elements in units of three: three rounds and one element in the last."""
    task = conversion(2, 7)
    strand = Way(0, 7, (hop(0, Exchange(1, 2), 2),))
    for cycles, last in ((7, 1), (9, 1), (8, 1)):
        schedule = gc.Schedule(task, "units", range(0, cycles, 3), cycles, (strand,))
        assert [(r.longest, r.times) for r in simulate(schedule).rounds] in (
            [(3, 1), (3, 1), (last, 1)],
            [(3, 2), (last, 1)],
        )
        assert check_algebra(schedule, one_port(2))
        assert check_elements(expand(schedule), one_port(2))


def taking_turns(rng):
    """Crossings at which bits decide by how many rounds an element is late, with pauses."""
    n, slots, every = rng.randint(2, 4), rng.randint(0, 3), rng.choice([1, 3])
    steps = []
    for _ in range(rng.randint(1, 5)):
        dim, rounds = rng.randrange(n), [1, 2, 3, 4, 6, 9]
        bits = rng.sample(sorted({*range(n + slots)} - {dim}), rng.randint(1, n + slots - 1))
        late = [Delay(every * rng.choice(rounds), 1 << bit, rng.randint(0, 1)) for bit in bits]
        twice = Delay(every * rng.choice(rounds), late[0].mask, 1 - late[0].want)
        late += [twice] if rng.random() < 0.3 else []
        crossing = Crossing(dim, every * rng.randint(0, 12), tuple(late))
        steps.append(Step(Exchange(1 << dim, 0, 0), (crossing,)))
    cycles = max(step.crossings[0].last for step in steps) + every
    layout = gc.Layout.cyclic(n + slots, n)
    task = gc.Task(layout, layout, every << slots)
    way = Way(0, task.block, tuple(steps))
    return gc.Schedule(task, "turns", range(0, cycles, every), cycles, (way,))


@pytest.mark.parametrize("seed", seeds(60, 600))
def test_the_rounds_of_elements_that_take_turns_are_those_of_their_clocks(seed):
    made = taking_turns(random.Random(seed))  # noqa: S311
    every, busy = made.task.payload, {}
    for step in made.ways[0].steps:
        (crossing,) = step.crossings
        clocks = crossing.clock(np.arange(1 << made.task.p))
        for late in np.unique(clocks // every).tolist():
            busy.setdefault(late, set()).add(crossing.dim)
    (found,) = simulate(made).rounds
    assert (found.times, found.longest) == (len(busy), every)
    all_crossings = len(made.ways[0].steps) * made.task.block << made.task.n
    assert found.crossings * found.times == all_crossings
    machine = gc.Machine(made.task.n, "all", startup=tuple(map(float, range(made.task.n))))
    loads = [set(used) for times, used in simulate(made).seconds(machine) for _ in range(times)]
    assert loads == [busy[late] for late in sorted(busy)]


def test_half_of_the_slots_cross_half_as_many_links():
    """One half goes after the other, and each is a way of its own."""
    source = gc.Layout(AffineMap.identity(6), 3)
    target = gc.Layout(AffineMap(Matrix((8, 1, 2, 4, 16, 32), 6)), 3)
    machine = gc.Machine(3, 2, "circuit", startup=0.0, per_byte=1.0)
    plan = gc.plan(source, target, 8, itemsize=1, machine=machine, algorithm="pipeline")
    assert [way.mask for way in plan.schedule.ways] == [32, 32]
    assert plan.traffic.crossings == len(expand(plan.schedule)) == 96


def test_rounds_of_the_explicit_form_are_not_listed_either():
    """A list of moves in 2^22 cycles, in none of which anything happens."""
    layout = gc.Layout.nodes(1)
    task = gc.Task(layout, layout, 1)
    moves = Moves(task, "rest", range(1 << 22), 1 << 22, [], [], [], [])
    tracemalloc.start()
    try:
        assert check_elements(moves, one_port(1))
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()
