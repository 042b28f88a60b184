"""Break schedules on purpose, one rule at a time: the algebra names it."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, strategies as st
from layers import layers
from schedule_cases import FEW, ON_CIRCUITS, circuits, conversion, conversions, one_port

import graycube as gc
from graycube.schedule import Schedule, Way, expand, hop
from graycube.table.gray import gb1, gb3
from graycube.verify import RULES, check_algebra, check_elements
from graycube.verify.conditions import combinations, most_combined
from graycube.verify.shares import check_shares
from graycube.verify.uses import MAX_COMPARISONS, Effort


def rules(report):
    return {rule for rule, _ in report.counts}


def caught(mutant, machine, *expected):
    """The algebra names a rule, and whatever single elements break it breaks too."""
    report = check_algebra(mutant, machine)
    assert not report
    assert rules(report) == {v.rule for v in report.violations}
    assert rules(report) & set(expected)


def never_blind(mutant, machine):
    if not check_elements(expand(mutant), machine):
        assert not check_algebra(mutant, machine)


def with_strand(schedule, s, **changes):
    made = list(schedule.ways)
    made[s] = replace(made[s], **changes)
    return replace(schedule, ways=tuple(made))


@st.composite
def hops(draw, **how):
    """A schedule, its machine, and the place of one of its hops."""
    schedule, machine = draw(conversions(**how))
    s = draw(st.sampled_from([s for s, way in enumerate(schedule.ways) if way.steps]))
    return schedule, machine, s, draw(st.integers(0, len(schedule.ways[s].steps) - 1))


def with_hop(schedule, s, k, **changes):
    """The schedule with another hop k in strand s; cycle, or parts of its exchange."""
    way = list(schedule.ways[s].steps)
    cycle = changes.pop("cycle", way[k].crossings[0].start)
    way[k] = hop(cycle, replace(way[k].move, **changes), schedule.task.n)
    return with_strand(schedule, s, steps=tuple(way))


@FEW
@given(st.one_of(hops(), hops(algorithms=ON_CIRCUITS, machine=circuits)))
def test_a_dropped_hop_ends_elsewhere(case):
    schedule, machine, s, k = case
    way = schedule.ways[s].steps
    mutant = with_strand(schedule, s, steps=way[:k] + way[k + 1 :])
    caught(mutant, machine, "end")
    assert "end" in rules(check_elements(expand(mutant), machine))


@FEW
@given(st.one_of(hops(), hops(algorithms=ON_CIRCUITS, machine=circuits)))
def test_the_opposite_condition_ends_elsewhere(case):
    schedule, machine, s, k = case
    exchange = schedule.ways[s].steps[k].move
    assume(exchange.when)
    mutant = with_hop(schedule, s, k, want=1 - exchange.want)
    caught(mutant, machine, "end")
    assert "end" in rules(check_elements(expand(mutant), machine))


@FEW
@given(st.one_of(hops(), hops(algorithms=ON_CIRCUITS, machine=circuits)), st.data())
def test_another_condition_ends_elsewhere(case, data):
    schedule, machine, s, k = case
    exchange = schedule.ways[s].steps[k].move
    others = {w for w in range(1, 1 << machine.dims) if not w & exchange.flip}
    when = data.draw(st.sampled_from(sorted(others - {exchange.when} or others)))
    assume(when != exchange.when)
    mutant = with_hop(schedule, s, k, when=when)
    caught(mutant, machine, "end")
    assert "end" in rules(check_elements(expand(mutant), machine))


@FEW
@given(hops(rounds=2))
def test_a_hop_before_its_predecessor_is_out_of_time(case):
    schedule, machine, s, k = case
    assume(k)
    mutant = with_hop(schedule, s, k, cycle=schedule.ways[s].steps[k - 1].crossings[0].start)
    caught(mutant, machine, "time")
    assert not check_elements(expand(mutant), machine)


@FEW
@given(st.integers(2, 5), st.integers(2, 9))
def test_two_strands_over_one_link_collide(n, block):
    schedule = gb3.emit(conversion(n, block), one_port(n))
    first, second = schedule.ways
    same = with_strand(
        schedule, 0, steps=(hop(0, second.steps[0].move, schedule.task.n), *first.steps[:])
    )
    caught(same, one_port(n), "link")
    report = check_elements(expand(same), one_port(n))
    assert "link" in rules(report)


@FEW
@given(st.integers(3, 5), st.integers(2, 9))
def test_a_hop_before_the_last_element_has_arrived_is_too_early(n, block):
    schedule = gb1.emit(conversion(n, block), one_port(n))
    early = with_hop(schedule, 0, 1, cycle=1)
    caught(early, one_port(n), "ports")
    assert "ports" in rules(check_elements(expand(early), one_port(n)))
    two = gc.Machine(dims=n, ports=2)
    assert rules(check_algebra(early, two)) == {"round"}
    assert rules(check_elements(expand(early), two)) == {"round"}


@FEW
@given(conversions(rounds=1), st.data())
def test_a_share_must_be_there_exactly_once(case, data):
    schedule, machine = case
    s = data.draw(st.integers(0, len(schedule.ways) - 1))
    strand = schedule.ways[s]
    short = with_strand(schedule, s, stop=strand.stop - 1)
    caught(short, machine, "share")
    never_blind(short, machine)
    twice = replace(schedule, ways=(*schedule.ways, strand))
    caught(twice, machine, "share")
    never_blind(twice, machine)


@FEW
@given(conversions(least=3))
def test_merged_rounds_are_too_many_messages(case):
    schedule, machine = case
    schedule = gb1.emit(schedule.task, machine)
    mutant = replace(schedule, rounds=schedule.rounds[:-1])
    assert rules(check_algebra(mutant, machine)) == {"round"}
    assert rules(check_elements(expand(mutant), machine)) == {"round"}


@FEW
@given(conversions(), st.data())
def test_too_few_cycles_are_too_short_a_time(case, data):
    schedule, machine = case
    last = max(step.crossings[0].start for strand in schedule.ways for step in strand.steps)
    assume(last + 1 < schedule.cycles)
    mutant = replace(schedule, cycles=data.draw(st.integers(last + 1, schedule.cycles - 1)))
    caught(mutant, machine, "time")
    assert "range" in rules(check_elements(expand(mutant), machine))


def broken_rules():
    """One schedule of eight nodes for each rule that breaks it, by both checks."""
    machine = one_port(3)
    good = gb1.emit(conversion(3, 4), machine)
    first = good.ways[0].steps[0]
    mutants = [
        with_strand(good, 0, stop=3),
        with_strand(good, 0, steps=(first,)),
        with_hop(good, 0, 1, cycle=0),
        replace(good, rounds=(0,)),
        replace(good, cycles=7),
        with_strand(good, 0, steps=(first, *good.ways[0].steps)),
    ]
    for mutant in mutants:
        yield from rules(check_algebra(mutant, machine))
        yield from rules(check_elements(expand(mutant), machine))


def test_every_symbolic_rule_can_be_broken():
    of_networks = {"stage", "pair", "copy"}  # in tests/table/networks/test_butterfly_checks.py
    assert set(broken_rules()) >= set(RULES) - of_networks - {"start", "presence"}


@pytest.mark.parametrize("n", [40, 80])
def test_the_algebra_finds_one_wrong_hop_in_a_huge_cube(n):
    schedule = gb3.emit(conversion(n, 64), one_port(n))
    assert check_algebra(schedule, one_port(n))
    k = len(schedule.ways[1].steps) - 1
    wrong = with_hop(schedule, 1, k, want=1 - schedule.ways[1].steps[k].move.want)
    caught(wrong, one_port(n), "end")


@pytest.mark.long
@given(
    st.frozensets(
        st.tuples(
            st.integers(0, 4),
            st.frozensets(st.tuples(st.integers(1, 31), st.integers(0, 1)), max_size=4).map(
                lambda conditions: tuple(sorted(conditions))
            ),
        ),
        max_size=8,
    )
)
def test_the_most_dimensions_that_meet_are_those_of_some_node(uses):
    """Parities may depend on each other, be left open, or have two values, which is nobody."""
    met = (
        {d for d, wanted in uses if all((u & m).bit_count() % 2 == w for m, w in wanted)}
        for u in range(32)
    )
    assert most_combined(uses) == max(map(len, met))
    masks = {mask for _, conditions in uses for mask, _ in conditions}
    assert combinations(uses) <= len(uses) << len(masks)


def test_partners_that_are_far_apart_take_no_more_memory_than_others():
    """In a cube of 64 dimensions numbers of nodes differ in up to 64 bits."""
    low, high = ((1, 0),), ((1, 1),)
    uses = frozenset([(1 << 62, low), (1 << 63, high), (1 << 61, ((2, 1),))])
    assert most_combined(uses) == 2


def test_shares_that_are_cut_at_many_places_take_no_more_work_each():
    """Each node has its block in two shares, cut at another place than those of all others."""

    def work(n):
        task, low = gc.Task(gc.Layout.nodes(n), gc.Layout.nodes(n), 2 << n), (1 << n) - 1
        cuts = [(u, u + 1) for u in range(1 << n)]
        ways = [(Way(0, k, (), low, u), Way(k, task.block, (), low, u)) for u, k in cuts]
        made = Schedule(task, "many cuts", (), 0, tuple(way for both in ways for way in both))
        assert [*check_shares(made, Effort(MAX_COMPARISONS))] == []
        return layers(lambda: [*check_shares(made, Effort(MAX_COMPARISONS))])

    assert work(7) < 2 * 2**4 * work(3)
