"""The report of a check, and every verdict against a plain simulation, cycle by cycle."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from schedule_cases import (
    ON_CIRCUITS,
    circuits,
    conversion,
    conversions,
    one_port,
    rows_of,
    with_rows,
)
from sweeping import examples

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import Exchange
from graycube.schedule import Moves, Way, expand, hop
from graycube.table import relabel
from graycube.table.gray import gb1, gb3
from graycube.table.messages import direct
from graycube.verify import RULES, Report, Violation, check_algebra, check_elements


class PlainCube:
    """Where every element is, kept in a dictionary and moved row by row."""

    def __init__(self, moves, machine):
        task = moves.task
        elements = range(task.block << task.n)
        self.moves, self.machine, self.task = moves, machine, task
        self.node = {element: element // task.block for element in elements}
        self.sound, self.peak = True, task.block

    def require(self, holds):
        self.sound &= bool(holds)

    def run(self):
        exists = [range(self.moves.cycles), range(1 << self.task.n), range(self.task.n)]
        in_cycle, rounds = {}, {}
        for cycle, *send in rows_of(self.moves):
            known = all(x in r for x, r in zip((cycle, *send), exists, strict=False))
            self.require(known and send[2] in self.node)
            if known and send[2] in self.node:
                in_cycle.setdefault(cycle, []).append(send)
        for cycle in sorted(in_cycle):
            messages = self.step(in_cycle[cycle])
            number = sum(start <= cycle for start in self.moves.rounds)
            sent = rounds.setdefault(number, {})
            self.require(not sent.keys() & messages.keys())
            sent.update(messages)
            self.require_ports(messages.values())
            self.peak = max(self.peak, *Counter(self.node.values()).values())
        for sent in rounds.values():
            self.require_ports(set(sent.values()))
        self.require_ends()
        return self.sound

    def step(self, sends):
        """One cycle; from where to where each element that moves was sent."""
        paths, links = {}, set()
        for u, dimension, element in sends:
            v = u ^ 1 << dimension
            self.require(self.node[element] == u and (u, v) not in links)
            self.require(element not in paths or self.machine.switching == "circuit")
            links.add((u, v))
            self.node[element] = v
            paths[element] = paths.get(element, (u,))[0], v
        return paths

    def require_ports(self, messages):
        for end in (0, 1):
            used = Counter(message[end] for message in messages)
            self.require(max(used.values()) <= self.machine.links_at_once)

    def require_ends(self):
        task = self.task
        for element, node in self.node.items():
            home, position = divmod(element, task.block)
            address = position // task.payload << task.n | home
            low = (1 << task.n) - 1
            named = node if self.moves.relabel is None else self.moves.relabel(node) & low
            self.require(named == task.move(address) & low)


def agree(moves, machine):
    plain, report = PlainCube(moves, machine), check_elements(moves, machine)
    assert plain.run() == bool(report)
    if report:
        assert plain.peak == report.peak
    return report


@st.composite
def round_trips(draw):
    """Elements that go somewhere and come back, at cycles that may or may not fit."""
    n, block = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    same = gc.Layout.nodes(n)
    rows = []
    for _ in range(draw(st.integers(0, 3))):
        element = draw(st.integers(0, (block << n) - 1))
        node, cycle = element // block, draw(st.integers(0, 2))
        way = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=2))
        for d in (*way, *way[::-1]):
            rows.append((cycle, node, d, element))
            node, cycle = node ^ 1 << d, cycle + draw(st.sampled_from([1, 1, 1, 0, 2]))
    noise = st.tuples(*(st.integers(0, k) for k in (3, 1, 1, 1)))
    rows += draw(st.one_of(st.just([]), st.lists(noise, max_size=1)))
    moves = expand(gc.Schedule(gc.Task(same, same, block), "there and back", (0,), 1, ()))
    cycles = draw(st.integers(6, 12))
    rounds = tuple(sorted({0, *draw(st.sets(st.integers(1, 5), max_size=5))}))
    machine = gc.Machine(
        n,
        draw(st.sampled_from([1, n, "all"])),
        draw(st.sampled_from(["store-and-forward", "circuit"])),
    )
    return with_rows(moves, rows, cycles=cycles, rounds=rounds), machine


@settings(max_examples=examples(300))
@given(round_trips())
def test_the_verdict_on_any_moves_is_that_of_a_plain_simulation(case):
    agree(*case)


@settings(max_examples=examples(100))
@given(conversions(algorithms=ON_CIRCUITS, machine=circuits), st.data())
def test_the_verdict_on_a_disturbed_schedule_is_that_of_a_plain_simulation(case, data):
    schedule, machine = case
    moves = expand(schedule)
    assert agree(moves, machine)
    rows = rows_of(moves)
    r, s = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    column = data.draw(st.integers(0, 3))
    rows[r] = (*rows[r][:column], rows[s][column], *rows[r][column + 1 :])
    agree(with_rows(moves, rows), machine)


def test_elements_that_pile_up_are_counted():
    same = gc.Layout.nodes(2)
    moves = expand(gc.Schedule(gc.Task(same, same, 2), "pile", (0, 1, 2, 3), 4, ()))
    rows = [(0, 1, 0, 2), (1, 1, 0, 3), (2, 0, 0, 2), (3, 0, 0, 3)]
    assert agree(with_rows(moves, rows), one_port(2)).peak == 4
    rows = [(0, 1, 0, 2), (0, 2, 1, 4), (1, 0, 0, 2), (1, 0, 1, 4)]
    assert agree(with_rows(moves, rows), gc.Machine(2, ports=2)).peak == 4


@pytest.mark.parametrize("slots", [0, 1, 2])
def test_whole_slots_are_followed(slots):
    moves = expand(gb3.emit(conversion(3, 2, slots=slots), one_port(3)))
    assert agree(moves, one_port(3)).peak == 2 << slots
    assert not agree(with_rows(moves, rows_of(moves)[1:]), one_port(3))


def test_slots_that_part_are_followed():
    task = gc.Task(gc.Layout.cyclic(2, 1), gc.Layout.consecutive(2, 1), 4)
    swap = [Exchange(0b11, 0b11)]
    moves = expand(gc.Schedule(task, "swap", (0,), 2, (Way(0, 4, _hops(swap)),)))
    assert agree(moves, one_port(1))
    assert sorted(rows_of(moves)) == [(0, 0, 0, 2), (0, 1, 0, 4), (1, 0, 0, 3), (1, 1, 0, 5)]


def _hops(exchanges):
    return tuple(hop(0, exchange, 1) for exchange in exchanges)


@pytest.mark.parametrize("block", [3, 6, 12])
def test_extents_are_followed(block):
    gray, binary = (
        gc.Layout.mesh((12,), (4,), code=code, ownership=False) for code in ("gray", "binary")
    )
    schedule = gb1.emit(gc.Task(gray, binary, block), one_port(2))
    assert check_algebra(schedule, one_port(2))
    assert agree(expand(schedule), one_port(2)).peak == block


def test_renumbered_nodes_count_as_renumbered():
    schedule = relabel.emit(conversion(3, 4), one_port(3))
    assert check_algebra(schedule, one_port(3))
    assert agree(expand(schedule), one_port(3))
    assert not agree(replace(expand(schedule), relabel=None), one_port(3))


def test_all_ports_are_as_many_as_dimensions():
    same = gc.Layout.nodes(3)
    moves = expand(gc.Schedule(gc.Task(same, same, 3), "all", (0, 1), 2, ()))
    rows = [(0, 0, d, d) for d in range(3)] + [(1, 1 << d, d, d) for d in range(3)]
    moves = with_rows(moves, rows)
    assert agree(moves, gc.Machine(3, ports="all"))
    assert dict(agree(moves, gc.Machine(3, ports=2)).counts) == {"ports": 2, "round": 2}


def test_a_machine_without_links_has_no_ports_to_use():
    moves = expand(gb1.emit(conversion(2, 1), one_port(2)))
    try:
        report = check_elements(moves, gc.Machine(0, ports="all"))
    except gc.GraycubeError:
        return
    assert "ports" in dict(report.counts)


def test_circuits_share_a_cycle_but_no_link():
    moves = expand(direct.emit(conversion(3, 1), circuits(3)))
    assert set(moves.cycle.tolist()) == {0}
    assert agree(moves, circuits(3))
    assert not agree(moves, one_port(3))
    twice = with_rows(moves, [*rows_of(moves), rows_of(moves)[0]])
    assert "link" in dict(agree(twice, circuits(3)).counts)


def test_a_huge_number_of_cycles_changes_nothing():
    moves = expand(gb3.emit(conversion(3, 4), one_port(3)))
    idle = replace(moves, cycles=2**31)
    assert check_elements(idle, one_port(3)).peak == 4
    assert not check_elements(with_rows(idle, rows_of(idle)[1:]), one_port(3))
    with pytest.raises(InvalidValueError, match="cycles"):  # its keys would not fit 64 bits
        check_elements(replace(moves, cycles=2**60), one_port(3))


@pytest.mark.parametrize(("n", "block"), [(26, 2), (40, 1), (1, 2**61)])
def test_what_is_too_large_to_follow_is_refused(n, block):
    task = gc.Task(gc.Layout.nodes(n), gc.Layout.nodes(n), block)
    nothing = [np.empty(0, dtype=np.int64)] * 4
    with pytest.raises(InvalidValueError, match="check by algebra"):
        check_elements(Moves(task, "large", (), 0, *nothing), one_port(n))


@pytest.mark.parametrize("n", [40, 70])
def test_what_is_too_large_to_write_out_is_refused(n):
    still = relabel.emit(conversion(n, 8), one_port(n))
    moving = gb3.emit(conversion(n, 8), one_port(n))
    for schedule in (still, moving):
        with pytest.raises(InvalidValueError, match="verify by algebra"):
            expand(schedule)


def test_a_report_is_true_when_nothing_is_wrong():
    good = Report("by hand", ("end",), (), peak=3)
    assert good
    assert str(good) == "by hand: nothing is wrong (end); a node holds at most 3 elements"
    bad = Report("by hand", ("end",), (Violation("end", node=2),), (("end", 7),))
    assert not bad
    assert str(bad) == f"by hand: 7 x end\n  end: node 2: {RULES['end']}"


def test_joined_reports_have_everything_of_both():
    one = Report("one", ("end", "link"), (Violation("end"),), (("end", 1),), peak=2)
    two = Report("two", ("end", "time"), (Violation("time"),), (("time", 1),), peak=5)
    joined = one.joined(two)
    assert not joined
    assert (joined.method, joined.peak) == ("one and two", 5)
    assert joined.rules == ("end", "link", "time")
    assert joined.violations == (Violation("end"), Violation("time"))
    assert joined.counts == (("end", 1), ("time", 1))


def test_counts_have_all_and_the_list_has_the_first_ones():
    moves = expand(gb1.emit(conversion(4, 9), one_port(4)))
    report = check_elements(with_rows(moves, []), one_port(4))
    assert report.counts == (("end", 14 * 9),)
    assert [v.rule for v in report.violations] == ["end"] * 5
    assert str(report).startswith("element by element: 126 x end; a node holds at most 9")
