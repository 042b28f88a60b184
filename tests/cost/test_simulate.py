"""The simulator counts what the explicit moves show, message by message."""

from collections import Counter

import pytest
from hypothesis import assume, example, given, strategies as st
from sweeping import sweep

import graycube as gc
from graycube.cost import simulate
from graycube.cost.classes import Senders, load
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix, bit_indices
from graycube.schedule import Crossing, Step, Way, expand, hop


def machine_for(n, packet=None):
    """Two ports and circuits: every algorithm applies."""
    return gc.Machine(n, min(2, n), "circuit", startup=3.0, per_byte=0.5, packet=packet)


def messages(moves):
    """Elements on every link, round by round, from the columns alone."""
    rounds = [Counter() for _ in moves.rounds]
    for cycle, node, d in zip(
        moves.cycle.tolist(), moves.node.tolist(), moves.dimension.tolist(), strict=True
    ):
        number = sum(start <= cycle for start in moves.rounds) - 1
        rounds[number][node, d] += 1
    return rounds


def summary(loads):
    """Longest message, crossings and links of a round."""
    return max(loads.values(), default=0), sum(loads.values()), len(loads)


def assert_counts(schedule):
    """The whole traffic, against a count of the moves one by one."""
    rounds = [summary(loads) for loads in messages(expand(schedule))]
    traffic = simulate(schedule)
    assert [(r.longest, r.crossings, r.links) for r in traffic.rounds] == rounds
    size = schedule.task.itemsize
    assert traffic.cycles == sum(r[0] for r in rounds)
    assert traffic.crossings == sum(r[1] for r in rounds)
    assert traffic.bytes == sum(r[1] for r in rounds) * size
    for packet in (None, 1, 5, 64):
        machine = machine_for(schedule.task.n, packet)
        startups = sum(-(-r[0] * size // (packet or 10**9)) for r in rounds)
        assert traffic.startups(machine) == startups
        expected = 3.0 * startups + 0.5 * size * traffic.cycles
        assert traffic.time(machine) == pytest.approx(expected, rel=1e-12)


@st.composite
def conversion_tasks(draw):
    """Conversions of nodes, with and without slots behind them."""
    n = draw(st.integers(1, 6))
    p = n + draw(st.integers(0, 2))
    layouts = [gc.Layout.cyclic(p, n, nodes="gray"), gc.Layout.cyclic(p, n)]
    if draw(st.booleans()):
        layouts.reverse()
    block = draw(st.integers(1, 9)) << (p - n)
    return gc.Task(*layouts, block, draw(st.sampled_from((1, 3, 8))))


@given(conversion_tasks(), st.sampled_from(gc.algorithms()))
def test_traffic_of_every_algorithm_is_what_its_moves_show(task, algorithm):
    machine = machine_for(task.n)
    if algorithm.applicable(task, machine) is None:
        assert_counts(algorithm.emit(task, machine))


@pytest.mark.parametrize("n", range(2, 9))
def test_the_detours_put_all_links_of_all_dimensions_but_one_to_use(n):
    """TR-20-92 sections 3.2 and 3.3: half-filled rounds of GB1 become full."""
    source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    machine = gc.Machine(dims=n)
    for name in ("gb2", "gb3"):
        traffic = gc.plan(source, target, 8, machine=machine, algorithm=name).traffic
        assert {r.links for r in traffic.rounds} == {1 << n}
        assert traffic.crossings == traffic.cycles << n
    plain = gc.plan(source, target, 8, machine=machine, algorithm="gb1").traffic
    assert {r.links for r in plain.rounds} == {1 << (n - 1)}
    assert 2 * plain.crossings == plain.cycles << n


def test_nothing_sent_is_nothing_used():
    task = gc.Task(gc.Layout.nodes(3), gc.Layout.nodes(3), 4)
    traffic = simulate(gc.Schedule(task, "rest", (), 0, (Way(0, 4, ()),)))
    assert traffic.rounds == ()
    assert (traffic.cycles, traffic.crossings) == (0, 0)
    assert traffic.startups(machine_for(3)) == 0
    assert traffic.time(machine_for(3)) == 0.0


def test_a_round_that_only_rearranges_slots_sends_nothing():
    task = gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.cyclic(4, 2), 8)
    step = hop(0, Exchange(flip=4, when=1), 2)
    traffic = simulate(gc.Schedule(task, "slots", (0,), 8, (Way(0, 8, (step,)),)))
    assert (len(traffic.rounds), traffic.cycles, traffic.crossings) == (1, 0, 0)
    assert traffic.time(machine_for(2)) == 0.0


def test_ways_without_elements_send_nothing():
    task = gc.Task(gc.Layout.nodes(2), gc.Layout.nodes(2), 4)
    low, high = (Exchange(flip=1 << d, when=0, want=0) for d in (0, 1))
    ways = (Way(0, 4, (hop(0, low, 2),), 2, 0), Way(0, 4, (hop(0, high, 2),), 2, 2))
    empty = Way(4, 4, (hop(1, low, 2),), 2, 2)
    some, more = (gc.Schedule(task, "one", (0,), 4, each) for each in (ways, (*ways, empty)))
    assert simulate(more).rounds == simulate(some).rounds


def test_a_part_of_a_block_has_no_known_share_of_a_slot():
    task = gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.cyclic(4, 2), 8)
    step = hop(0, Exchange(flip=1, when=4), 2)
    strands = (Way(0, 3, (step,)), Way(3, 8, ()))
    with pytest.raises(InvalidValueError, match="tests slots"):
        simulate(gc.Schedule(task, "part", (0,), 8, strands))


@st.composite
def far_ways(draw, n=3):
    """A way of each element of three, from some nodes, over one dimension after the other."""
    ways = []
    for k in range(3):
        steps, cycles = [], iter(range(2 * n))
        for _ in range(draw(st.integers(0, 2))):
            flip, when = draw(st.integers(1, 2**n - 1)), draw(st.integers(1, 2**n - 1))
            assume(not (flip & when).bit_count() & 1)
            crossings = tuple(Crossing(d, next(cycles)) for d in bit_indices(flip))
            steps.append(Step(Exchange(flip, when, draw(st.integers(0, 1))), crossings))
        mask, value = draw(st.integers(0, 2**n - 1)), draw(st.integers(0, 2**n - 1))
        ways.append(Way(k, k + 1, tuple(steps), mask, mask & value))
    return tuple(ways)


@given(far_ways())
def test_whoever_sends_on_has_flipped_the_bits_of_the_links_before(ways):
    """The nodes between are neither where a way begins nor where it ends."""
    task = gc.Task(gc.Layout.nodes(3), gc.Layout.nodes(3), 3)
    assert_counts(gc.Schedule(task, "far", (0,), 6, ways))


SENDERS = st.builds(
    Senders,
    st.lists(st.tuples(st.integers(1, 31), st.integers(0, 1)), max_size=3).map(tuple),
    st.integers(1, 3),
)


NOBODY = Senders(((1, 0), (1, 1)), 1)


@given(st.lists(SENDERS, min_size=1, max_size=3).map(tuple))
@example((NOBODY, Senders(((2, 1),), 1)))
@example((NOBODY,))
def test_classes_count_what_the_nodes_count(group):
    loads = Counter()
    for node in range(32):
        for s in group:
            if all((node & mask).bit_count() & 1 == want for mask, want in s.conditions):
                loads[node] += s.amount
    assert load(5, group) == summary(loads)


@pytest.mark.parametrize("n", [16, *sweep((24,), (40,))])
def test_pipelines_with_many_conditions_at_a_time_are_counted(n):
    machine = gc.Machine(dims=n, ports="all", startup=0.0, per_byte=1.0)
    gray, binary = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    plan = gc.plan(gray, binary, 10**6, machine=machine, algorithm="three-fifths")
    assert plan.cycles == 600_000 + n - 2


def at_once(*ways):
    """Over two dimensions at one time, without turns; each slot has an element."""
    layout = gc.Layout.cyclic(4, 2)
    task = gc.Task(layout, ways[0].move(4) @ layout, 4)
    return gc.Schedule(task, "at once", range(0, 4, 4), 4, ways)


MASKS = {  # what flips each dimension, and whether a node's messages share a link
    "a slot bit for both": ((0b0100, 0b0100), False),
    "a slot bit for each": ((0b0100, 0b1000), True),
    "a slot bit, and all": ((0b0100, 0), True),
}


@pytest.mark.parametrize(("masks", "shared"), MASKS.values(), ids=MASKS)
def test_messages_that_share_a_link_are_counted_from_moves_only(masks, shared):
    """A node would send three messages in one turn, two of them over each link."""
    rows = [1 << j | (masks[j] if j < 2 else 0) for j in range(4)]
    move = AffineMap(Matrix.from_rows(rows, 4), 0b10 if not masks[1] else 0)
    made = at_once(Way(0, 4, (Step(move, (Crossing(0, 0), Crossing(1, 0))),)))
    moved = simulate(made, expand(made))
    if shared:
        with pytest.raises(InvalidValueError, match="several messages of one node on one link"):
            simulate(made)
    else:
        assert (simulate(made).nonempty, simulate(made).cycles) == (1, moved.cycles)
    assert gc.price(made, gc.Machine(2, "all", "circuit")) == moved.cycles


def test_messages_of_several_ways_are_counted_from_moves_only():
    step = Step(Exchange(3, 0, 0), (Crossing(0, 0), Crossing(1, 0)))
    halves = at_once(Way(0, 2, (step,)), Way(2, 4, (step,)))
    with pytest.raises(InvalidValueError, match="there are 2 ways of messages in turns"):
        simulate(halves)
