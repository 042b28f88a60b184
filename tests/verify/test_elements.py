"""Break explicit schedules on purpose: each mutation is caught by the rule it breaks."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, strategies as st
from schedule_cases import (
    COLUMNS,
    FEW,
    ON_CIRCUITS,
    circuits,
    conversion,
    conversions,
    one_port,
    rows_of,
    with_rows,
)

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.schedule import expand
from graycube.table.gray import gb1
from graycube.verify import check_elements


def places(report, rule):
    return {(v.cycle, v.node, v.element) for v in report.violations if v.rule == rule}


def caught(mutant, machine, rule, place):
    """The rule is broken, counted, and the report names the place."""
    report = check_elements(mutant, machine)
    assert not report
    assert dict(report.counts)[rule] > 0
    assert place in places(report, rule)


@st.composite
def journeys(draw, least=1, first=0, last=1):
    """Moves, machine, their rows, the row numbers of one element's hops in order, and one hop.

    It is not one of the ``first``, and there are ``last`` from it on.
    """
    schedule, machine = draw(conversions(rounds=least))
    moves = expand(schedule)
    rows = rows_of(moves)
    hops = {}
    for r, row in enumerate(rows):
        hops.setdefault(row[3], []).append(r)
    long_enough = [way for way in hops.values() if len(way) >= least]
    assume(long_enough)
    way = draw(st.sampled_from(long_enough))
    return moves, machine, rows, way, draw(st.integers(first, len(way) - last))


def after(k):
    """The rule that a hop breaks when the element did not come as hop k - 1 promised."""
    return "start" if k == 0 else "presence"


@FEW
@given(journeys())
def test_a_dropped_send_leaves_the_element_behind(case):
    moves, machine, rows, way, k = case
    kept = [row for r, row in enumerate(rows) if r != way[k]]
    if k == len(way) - 1:
        _, node, _, element = rows[way[k]]
        caught(with_rows(moves, kept), machine, "end", (-1, node, element))
    else:
        cycle, node, _, element = rows[way[k + 1]]
        place = (cycle, node, element)
        caught(with_rows(moves, kept), machine, after(k), place)


@FEW
@given(journeys())
def test_a_send_twice_is_twice_on_its_link(case):
    moves, machine, rows, way, k = case
    cycle, node, dimension, element = rows[way[k]]
    mutant = with_rows(moves, [*rows, (cycle, node, dimension, element)])
    caught(mutant, machine, "link", (cycle, node, element))
    caught(mutant, machine, "ports", (cycle, node, element))
    caught(mutant, machine, "time", (cycle, node, element))


@FEW
@given(journeys(), st.data())
def test_a_send_over_another_dimension_arrives_elsewhere(case, data):
    moves, machine, rows, way, k = case
    cycle, node, dimension, element = rows[way[k]]
    other = data.draw(st.sampled_from([d for d in range(machine.dims) if d != dimension]))
    rows[way[k]] = cycle, node, other, element
    mutant = with_rows(moves, rows)
    if k == len(way) - 1:
        caught(mutant, machine, "end", (-1, node ^ 1 << other, element))
    else:
        cycle, node, _, element = rows[way[k + 1]]
        caught(mutant, machine, "presence", (cycle, node, element))


@pytest.mark.long
@FEW
@given(journeys(least=2, last=2))
def test_a_send_delayed_onto_its_successor_is_too_late(case):
    moves, machine, rows, way, k = case
    late = rows[way[k + 1]]
    rows[way[k]] = (late[0], *rows[way[k]][1:])
    caught(with_rows(moves, rows), machine, "time", (late[0], late[1], late[3]))


@FEW
@given(journeys(least=2, first=1))
def test_a_send_advanced_onto_its_predecessor_is_too_early(case):
    moves, machine, rows, way, k = case
    cycle = rows[way[k - 1]][0]
    rows[way[k]] = (cycle, *rows[way[k]][1:])
    caught(with_rows(moves, rows), machine, "time", (cycle, rows[way[k]][1], rows[way[k]][3]))


@FEW
@given(journeys(least=2, last=2))
def test_two_sends_of_an_element_in_the_wrong_order_leave_from_nowhere(case):
    moves, machine, rows, way, k = case
    first, second = rows[way[k]], rows[way[k + 1]]
    rows[way[k]], rows[way[k + 1]] = (second[0], *first[1:]), (first[0], *second[1:])
    place = (first[0], second[1], first[3])
    caught(with_rows(moves, rows), machine, after(k), place)


@FEW
@given(journeys(), st.data())
def test_a_send_in_the_name_of_another_element_is_of_an_absent_one(case, data):
    moves, machine, rows, way, k = case
    mine = rows[way[k]]
    rivals = [r for r, row in enumerate(rows) if row[0] == mine[0] and row[1] != mine[1]]
    assume(rivals)
    r = data.draw(st.sampled_from(rivals))
    rows[way[k]], rows[r] = (*mine[:3], rows[r][3]), (*rows[r][:3], mine[3])
    place = (mine[0], rows[r][1], mine[3])
    caught(with_rows(moves, rows), machine, after(k), place)


@FEW
@given(journeys(), st.data())
def test_a_send_from_a_wrong_node_is_of_an_absent_element(case, data):
    moves, machine, rows, way, k = case
    cycle, node, dimension, element = rows[way[k]]
    wrong = data.draw(st.integers(0, (1 << machine.dims) - 1).filter(lambda u: u != node))
    rows[way[k]] = cycle, wrong, dimension, element
    caught(with_rows(moves, rows), machine, after(k), (cycle, wrong, element))


@FEW
@given(conversions(least=3), st.data())
def test_two_dimensions_in_a_cycle_overload_a_port(case, data):
    schedule, machine = case
    moves = expand(schedule)
    rows = rows_of(moves)
    pairs = [
        (a, b)
        for a, x in enumerate(rows)
        for b, y in enumerate(rows)
        if x[1] == y[1] and x[2] != y[2] and x[0] != y[0]
    ]
    a, b = data.draw(st.sampled_from(pairs[:: max(len(pairs) // 50, 1)]))
    cycle, node = rows[b][:2]
    rows[a] = (cycle, *rows[a][1:])
    report = check_elements(with_rows(moves, rows), machine)
    assert (cycle, node) in {place[:2] for place in places(report, "ports")}
    assert places(report, "ports") <= {(cycle, v.node, v.element) for v in report.violations}


@pytest.mark.parametrize("below", [True, False])
@pytest.mark.parametrize("column", range(4))
@FEW
@given(case=journeys())
def test_what_does_not_exist_is_out_of_range(column, below, case):
    moves, machine, rows, way, k = case
    r, n = way[k], machine.dims
    limits = (moves.cycles, 1 << n, n, moves.task.block << n)
    row = list(rows[r])
    row[column] = -1 if below else limits[column]
    rows[r] = tuple(row)
    caught(with_rows(moves, rows), machine, "range", (row[0], row[1], row[3]))


@FEW
@given(conversions(), st.data())
def test_two_elements_that_trade_places_end_wrongly_and_nothing_else(case, data):
    schedule, machine = case
    moves = expand(schedule)
    task, block = moves.task, moves.task.block
    node = data.draw(st.integers(0, (1 << task.n) - 1))
    other = node ^ 1 << data.draw(st.integers(0, task.n - 1))
    here, there = (task.move.inverse()(u) * block for u in (node, other))
    dimension = (node ^ other).bit_length() - 1
    extra = [(moves.cycles, node, dimension, here), (moves.cycles, other, dimension, there)]
    rounds = (*moves.rounds, moves.cycles)
    mutant = with_rows(moves, rows_of(moves) + extra, rounds=rounds, cycles=moves.cycles + 1)
    report = check_elements(mutant, machine)
    assert report.counts == (("end", 2),)
    assert places(report, "end") == {(-1, other, here), (-1, node, there)}


@FEW
@given(conversions(algorithms=ON_CIRCUITS, machine=circuits))
def test_another_target_is_missed_by_all_that_should_not_have_moved(case):
    schedule, machine = case
    task = schedule.task
    stay = gc.Task(task.source, task.source, task.block)
    moved = sum(task.move(u) != u for u in range(1 << task.n)) * task.block
    report = check_elements(replace(expand(schedule), task=stay), machine)
    assert report.counts == (("end", moved),)


@FEW
@given(conversions(least=3), st.data())
def test_two_rounds_as_one_are_two_messages_on_one_port(case, data):
    schedule, machine = case
    schedule = gb1.emit(schedule.task, machine)
    moves = expand(schedule)
    k = data.draw(st.integers(1, len(moves.rounds) - 1))
    merged = moves.rounds[:k] + moves.rounds[k + 1 :]
    report = check_elements(replace(moves, rounds=merged), machine)
    assert [rule for rule, _ in report.counts] == ["round"]


def test_a_row_of_every_column_is_needed():
    moves = expand(gb1.emit(conversion(2, 1), one_port(2)))
    for name in COLUMNS:
        with pytest.raises(InvalidValueError, match="equally long"):
            replace(moves, **{name: []})
