"""What each node does, message by message, gives what the reference gives."""

from collections import Counter
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from schedule_cases import random_schedules
from sweeping import larger, sweep

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange
from graycube.planning.candidate import all_candidates
from graycube.run import apply, rehearse, scripts, scripts_at_once
from graycube.run.script import Bank
from graycube.schedule import Crossing, Delay, Step, Way, dump, expand, hop
from graycube.verify import check_algebra

COSTS = (0.0, 100.0)


def layouts(p, n):
    yield gc.Layout.cyclic(p, n)
    yield gc.Layout.cyclic(p, n, nodes="gray")
    yield gc.Layout.consecutive(p, n, whole="gray")
    yield gc.Layout.consecutive(p, n) @ gc.circuit([("cx", 0, p - 1), ("swap", 0, 1)], bits=p)


def machines(n):
    for switching in ("store-and-forward", "circuit"):
        for ports in {1, min(2, n), n}:
            for startup in COSTS:
                yield gc.Machine(n, ports, switching, startup=startup)


@cache
def schedules(n, slots):
    """All that the table makes for such layouts and machines, each once."""
    found, pairs = {}, [*permutations(layouts(n + slots, n), 2)]
    for source, target in pairs[:: larger(5, 1)]:
        task = gc.Task(source, target, 3 << slots)
        for candidate in (c for m in machines(n) for c in all_candidates(task, m)):
            if candidate.traffic is not None:
                schedule = candidate.traffic.schedule
                found.setdefault(dump(schedule), schedule)
    return [*found.values()]


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "slots"), [(1, 1), (2, 0), (2, 2), (3, 0), *sweep((2, 3), (3, 2))]
)
def test_messages_of_all_algorithms_give_what_the_reference_gives(n, slots):
    names = set()
    for schedule in schedules(n, slots):
        blocks = np.arange(3 << n + slots).reshape(1 << n, -1)
        made = [*scripts(schedule, range(1 << n))]
        assert np.array_equal(rehearse(made, blocks), apply(schedule, blocks))
        names.add(schedule.algorithm)
    assert len(names) > 3


@given(random_schedules())
def test_random_schedules_that_are_proved_are_carried_out_or_refused(schedule):
    n = schedule.task.n
    machine = gc.Machine(n, "all", "circuit")
    blocks = np.arange(schedule.task.block << n).reshape(1 << n, -1)
    try:
        made = [*scripts(schedule, range(1 << n))]
    except InvalidValueError:
        report = check_algebra(schedule, machine)
        mixes = any(
            (step.move.flip | step.move.when) >> n
            for strand in schedule.ways
            for step in strand.steps
        )
        assert mixes or not report
        return
    if check_algebra(schedule, machine):
        assert np.array_equal(rehearse(made, blocks), apply(schedule, blocks))


@given(st.integers(1, 4), st.integers(0, 4), st.data())
def test_at_once_takes_everything_where_the_map_says(n, slots, data):
    first, second = (data.draw(st.sampled_from([*layouts(n + slots + 1, n)])) for _ in "ab")
    x = np.arange(1 << n + slots + 1)
    made = [*scripts_at_once(first.conversion(second), n, range(1 << n))]
    assert np.array_equal(second.gather(rehearse(made, first.scatter(x))), x)
    assert all(len(script.rounds) <= 1 for script in made)


def test_rows_that_stay_together_are_one_row():
    """A transpose of large blocks needs a row for each message, not one for each element."""
    source = gc.Layout.mesh((64, 64), nodes=(8, 1))
    target = gc.Layout.mesh((64, 64), nodes=(1, 8), dims=((), (2, 1, 0)))
    (script,) = scripts_at_once(source.conversion(target), 3, range(1))
    assert script.unit == 8
    assert script.rows == 64


@pytest.mark.long
def test_no_row_is_written_while_it_is_sent():
    for schedule in (*schedules(2, 2), *schedules(3, 0)):
        for script in scripts(schedule, range(1 << schedule.task.n)):
            for r in script.rounds:
                sent = {
                    (part.bank, row) for m in r.sends for part in m.parts for row in rows(part)
                }
                for message in r.receives:
                    for part in message.parts:
                        assert part.bank != Bank.BLOCK
                        assert sent.isdisjoint((part.bank, row) for row in rows(part))


def planned_messages(schedule):
    """How many elements go from where to where in every round, written out one by one."""
    ends = {}
    moves = expand(schedule)
    for row in np.lexsort((moves.cycle, moves.element)).tolist():
        key = schedule.round_of(int(moves.cycle[row])), int(moves.element[row])
        here = int(moves.node[row])
        ends[key] = (ends.get(key, (here,))[0], here ^ 1 << int(moves.dimension[row]))
    return Counter((r, *way) for (r, _), way in ends.items() if way[0] != way[1])


def sent_messages(schedule):
    found = Counter()
    for script in scripts(schedule, range(1 << schedule.task.n)):
        for r in script.rounds:
            for message in r.sends:
                found[r.number, script.node, message.peer] += message.count * script.unit
    return found


@pytest.mark.long
@pytest.mark.parametrize(("n", "slots"), [(2, 0), (2, 2), (3, 0), *sweep((3, 1))])
def test_every_round_sends_what_the_schedule_says(n, slots):
    for schedule in schedules(n, slots):
        assert sent_messages(schedule) == planned_messages(schedule)


@pytest.mark.parametrize(("n", "payload"), [(2, 5), (2, 7), (3, 3), *sweep((3, 7), (4, 5))])
def test_what_one_slot_sends_in_several_rounds_is_cut_there(n, payload):
    """Units of a slot that follow each other are one way, whatever the rounds are."""
    pair, block = (gc.Layout.cyclic(n + 1, n), gc.Layout.consecutive(n + 1, n)), 2 * payload
    machine = gc.Machine(n, 2, startup=0.1, per_byte=1 / block)
    plan = gc.plan(*pair, block, machine=machine, algorithm="units")
    schedule = plan.schedule
    assert any(
        way.per_slot and schedule.round_of(c.start) < schedule.round_of(c.start + way.size - 1)
        for way in schedule.ways
        for step in way.steps
        for c in step.crossings
    )
    blocks = np.arange(block << n).reshape(1 << n, -1)
    made = [*scripts(schedule, range(1 << n))]
    rows = blocks.reshape(1 << n, made[0].rows, made[0].unit)
    assert np.array_equal(rehearse(made, rows).reshape(blocks.shape), apply(schedule, blocks))
    assert sent_messages(schedule) == planned_messages(schedule)


def test_turns_that_reach_into_the_next_round_are_not_left_out():
    source = gc.Layout.cyclic(3, 1)
    swap = Exchange(flip=0b011, when=0b011)
    task = gc.Task(source, swap.affine(3) @ source, 4)
    late = Step(swap, (Crossing(0, 1, (Delay(1, 0b100),)),))
    schedule = gc.Schedule(task, "by hand", range(0, 3, 2), 3, (Way(0, 4, (late,)),))
    assert sent_messages(schedule) == planned_messages(schedule)
    assert {r for r, *_ in sent_messages(schedule)} == {0, 1}


def rows(part):
    return range(part.rows.start, part.rows.stop) if isinstance(part.rows, slice) else part.rows


def test_what_comes_in_a_round_is_not_sent_on_in_it():
    task = gc.Task(gc.Layout.nodes(2), gc.Layout.nodes(2), 4)
    there, back = hop(0, Exchange(1, 0, 0), 2), hop(1, Exchange(1, 0, 0), 2)
    hasty = gc.Schedule(task, "hasty", (0,), 8, (Way(0, 4, (there, back)),))
    with pytest.raises(InvalidValueError, match="sent on in a later one"):
        list(scripts(hasty, range(1)))


@pytest.mark.parametrize("rounds", [range(0, 2, 1), (0, 1)])
def test_messages_that_change_slots_are_not_cut_by_rounds(rounds):
    source, swap = gc.Layout.cyclic(2, 1), Exchange(flip=0b11, when=0b11)
    task = gc.Task(source, swap.affine(2) @ source, 4)
    made = gc.Schedule(task, "cut", rounds, 2, (Way(0, 4, (hop(0, swap, 1),)),))
    with pytest.raises(InvalidValueError, match="sent in one message, within a round"):
        [*scripts(made, range(2))]
