"""Direct delivery: what is passed is right, what is broken is found, the rest is refused."""

import contextlib
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from json_trees import parent, places_in
from schedule_cases import blocks_of, longest_messages
from strategies import affine_map, affine_parts, apply_rows, ones
from sweeping import examples

import graycube as gc
from graycube.cost import simulate
from graycube.cost.messages import message_rounds as direct_rounds
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix, compose
from graycube.run.local import apply
from graycube.schedule import (
    Crossing,
    Delivery,
    Moves,
    Step,
    Way,
    delivered,
    dump,
    expand,
    load,
)
from graycube.table.exchanges import pipeline
from graycube.table.messages import all_to_all, groups
from graycube.verify import check_algebra, check_algebra as check_direct, check_elements

MANY = settings(max_examples=examples(200))
CIRCUIT, HOPS = "circuit", "store-and-forward"


def echelon(vectors):
    """The reduced echelon form of what some vectors span."""
    found = []
    for vector in vectors:
        rest = vector
        for c in sorted(found, reverse=True):
            rest = min(rest, rest ^ c)
        if rest:
            top = 1 << rest.bit_length() - 1
            found = [c ^ rest if c & top else c for c in found] + [rest]
    return tuple(found)


def words(n):
    return st.integers(0, (1 << n) - 1)


def subspaces(n):
    return st.lists(words(n), max_size=n).map(echelon)


def matrices(n):
    return affine_parts(n).map(lambda parts: affine_map(*parts).matrix)


def task_of(move, n, payload=1):
    plain = gc.Layout(AffineMap.identity(move.width), n)
    return gc.Task(plain, move @ plain, payload << move.width - n)


def total_of(moves, p):
    total = AffineMap.identity(p)
    for move in moves:
        total = move @ total
    return total


def changes_of(delivery):
    """The parts of a delivery, each with others: at random, or near."""
    n, p = delivery.partner.width, delivery.move.width
    turned = st.tuples(st.integers(0, n - 1), st.sampled_from([0, *delivery.classes]))
    orders = st.permutations(range(n))
    return st.one_of(
        matrices(n).map(lambda partner: {"partner": partner}),
        turned.map(lambda place: {"partner": with_column(delivery.partner, *place)}),
        subspaces(n).map(lambda classes: {"classes": classes}),
        st.just({"classes": delivery.classes[1:]}),
        st.permutations(delivery.dims).map(lambda dims: {"dims": tuple(dims)}),
        orders.map(lambda dims: {"dims": tuple(dims)}),
        st.tuples(orders, st.integers(0, n)).map(lambda cut: {"dims": tuple(cut[0][: cut[1]])}),
        subspaces(n).map(lambda parts: {"parts": parts}),
        st.just({"parts": delivery.parts[1:]}),
        st.integers(0, p - 1).map(lambda bit: {"move": flipped(delivery.move, 1 << bit)}),
    )


def with_column(matrix, place, change):
    columns = list(matrix.columns)
    columns[place] ^= change
    return Matrix(tuple(columns), matrix.height)


def flipped(move, bits):
    return AffineMap(move.matrix, move.constant ^ bits)


@st.composite
def changed(draw, delivery):
    """The delivery with up to two of its parts replaced."""
    for _ in range(draw(st.integers(0, 2))):
        delivery = replace(delivery, **draw(changes_of(delivery)))
    return delivery


@st.composite
def directs(draw, *, mutants=True):
    """Deliveries that the planner could make, changed or from scratch, and their machine."""
    n = draw(st.sampled_from([2, 3, 1, 4]))
    p = n + draw(st.sampled_from([2, 1, 3, 0]))
    moves = [affine_map(*draw(affine_parts(p))) for _ in range(draw(st.integers(1, 3)))]
    made = [all_to_all.delivery(move, n) for move in moves]
    if mutants and draw(st.integers(0, 3)) == 0:
        dims = tuple(draw(st.permutations(range(n))))
        made = [
            Delivery(move, draw(matrices(n)), draw(subspaces(n)), dims, draw(subspaces(n)))
            for move in moves
        ]
    elif mutants:
        made = [draw(changed(delivery)) for delivery in made]
    task = task_of(total_of(moves, p), n, draw(st.sampled_from([1, 2, 3])))
    circuits = draw(st.booleans())
    switching = CIRCUIT if circuits or draw(st.booleans()) else HOPS
    machine = gc.Machine(dims=n, switching=switching, startup=draw(st.sampled_from([0.0, 7.0])))
    if any(1 << len(d.classes) > 1 << p - n for d in made):
        assume(False)  # noqa: FBT003
    return delivered(task, "direct", made, circuits=circuits), machine


def verdicts(direct, machine):
    """What the algebra says, what single elements and the data say."""
    proof = check_direct(direct, machine)
    assert {rule for rule, _ in proof.counts} == {v.rule for v in proof.violations}
    before, after = blocks_of(direct.task)
    right = np.array_equal(apply(direct, before), after)
    return proof, check_elements(expand(direct), machine), right


@pytest.mark.long
@given(directs())
@MANY
def test_what_the_algebra_passes_is_right_and_counted_element_by_element(case):
    direct, machine = case
    proof, followed, right = verdicts(direct, machine)
    if not proof:
        return
    assert followed, str(followed)
    assert right
    moves, traffic = expand(direct), simulate(direct)
    by_hand = sorted(longest_messages(moves).values())
    assert traffic.crossings == len(moves)
    counted = sorted(r.longest for r in traffic.rounds for _ in range(r.times))
    assert counted == by_hand
    assert traffic.cycles == sum(by_hand)
    assert traffic.time(machine) == sum(machine.startup + size for size in by_hand)


@pytest.mark.long
@given(directs(mutants=False))
@MANY
def test_what_the_planner_delivers_is_proved_and_read_back(case):
    direct, machine = case
    proof, followed, right = verdicts(direct, machine)
    assert proof, str(proof)
    assert followed
    assert right
    assert load(dump(direct)) == direct


@given(st.data(), st.sampled_from([2, 3, 1, 4]), st.sampled_from([2, 1, 3, 0]))
@MANY
def test_turns_share_out_what_a_node_sends(data, n, slots):
    """Every address has one turn; a node sends one message of one length in each."""
    delivery = all_to_all.delivery(affine_map(*data.draw(affine_parts(n + slots))), n)
    node = data.draw(words(n))
    rows, constant = delivery.move.matrix.rows, delivery.move.constant
    ends = {}
    for slot in range(1 << slots):
        address = slot << n | node
        end = apply_rows(rows, constant, address) & (1 << n) - 1
        ends.setdefault(delivery.turn(address), []).append(end)
    assert all(len(set(reached)) == 1 for reached in ends.values())
    assert {len(reached) for reached in ends.values()} == {1 << slots - len(delivery.classes)}
    mine = sum((ones(part & node) % 2) << k for k, part in enumerate(delivery.parts))
    assert {turn >> len(delivery.classes) for turn in ends} == {mine}


def transposition(n=2, payload=1):
    """All node bits change places with slot bits: one delivery of all messages."""
    task = gc.Task(gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n), payload << n)
    units = tuple(1 << d for d in range(n))
    return task, Delivery(task.move, Matrix.identity(n), units, tuple(range(n)))


def circuits_of(n):
    return gc.Machine(dims=n, switching=CIRCUIT)


def broken(direct, machine, rule, *others):
    """The algebra names the rule; single elements are stopped by it or by what follows."""
    proof = check_direct(direct, machine)
    assert rule in {name for name, _ in proof.counts}
    followed = check_elements(expand(direct), machine)
    assert {name for name, _ in followed.counts} & {rule, *others}


def test_a_wrong_end_is_found():
    task, swap = transposition()
    wrong = replace(swap, move=flipped(swap.move, 1))
    direct = delivered(task, "wrong", [wrong], circuits=True)
    broken(direct, circuits_of(2), "end")
    nothing = delivered(task, "nothing", [], circuits=True)
    broken(nothing, circuits_of(2), "end")
    twice = delivered(task, "twice", [swap, swap], circuits=True)
    broken(twice, circuits_of(2), "end")


def test_a_wrong_slot_is_found_by_algebra_and_in_the_data():
    """The explicit form knows nodes only."""
    task, swap = transposition()
    wrong = replace(swap, move=flipped(swap.move, 4))
    direct = delivered(task, "wrong", [wrong], circuits=True)
    proof, followed, right = verdicts(direct, circuits_of(2))
    assert not proof
    assert followed
    assert not right


def test_two_messages_to_one_node_in_a_turn_are_found():
    """Classes that are right, but a partner that is not a bijection."""
    task, swap = transposition()
    alone = replace(swap, partner=Matrix((0, 0), 2))
    broken(delivered(task, "one goal", [alone], circuits=True), circuits_of(2), "ports", "link")


def test_longer_messages_than_said_are_found():
    """One slot bit goes to the nodes, but messages are said to be a quarter of a block."""
    n, move = 2, AffineMap(Matrix.permutation([2, 1, 0, 3]))
    task = task_of(move, n, 2)
    wrong = Delivery(move, Matrix.identity(n), (1, 2), (0, 1))
    direct = delivered(task, "short", [wrong], circuits=True)
    assert direct.rounds.step == 2
    report = check_direct(direct, circuits_of(n))
    assert "round" in {rule for rule, _ in report.counts}


def test_a_dimension_that_nobody_crosses_is_no_round():
    swap = gc.Layout.parse("(b1 || b2 b0)")
    task = gc.Task(gc.Layout.consecutive(3, 2), swap, block=2)
    units = Matrix.identity(2)
    one, two = (Delivery(task.move, units, [1], dims=dims) for dims in ((0,), (0, 1)))
    for circuits in (False, True):
        plain, wider = (delivered(task, "by hand", [d], circuits=circuits) for d in (one, two))
        assert [*direct_rounds(wider)] == [*direct_rounds(plain)] != []


def test_messages_without_a_turn_are_found():
    task, swap = transposition()
    few = replace(swap, classes=(1,))
    broken(
        delivered(task, "few", [few], circuits=True), circuits_of(2), "ports", "link", "round"
    )


def test_senders_that_meet_on_a_link_are_found():
    """Node permutations in an order of dimensions in which two paths share a link."""
    n = 4
    move = AffineMap(Matrix.permutation([2, 3, 0, 1]))
    task, found = task_of(move, n), set()
    good = all_to_all.delivery(move, n)
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (2, 3, 0, 1), (1, 3, 0, 2)):
        direct = delivered(task, "paths", [replace(good, dims=order, parts=())], circuits=True)
        proof = check_direct(direct, circuits_of(n))
        assert bool(proof) == bool(check_elements(expand(direct), circuits_of(n)))
        found.add(bool(proof))
        if not proof:
            broken(direct, circuits_of(n), "link")
    assert found == {True, False}


def test_senders_in_turns_do_not_meet():
    """The same with parities that tell apart who would meet: each turn is a round more."""
    n, move = 4, AffineMap(Matrix.permutation([2, 3, 0, 1]))
    task = task_of(move, n)
    good = all_to_all.delivery(move, n)
    for parts, right in (((), False), ((1,), False), ((4, 8), False), ((5, 10), True)):
        told_apart = replace(good, dims=(0, 1, 2, 3), parts=parts)
        direct = delivered(task, "turns", [told_apart], circuits=True)
        assert told_apart.turns == len(direct.rounds) == 1 << len(parts)
        assert bool(check_direct(direct, circuits_of(n))) == right
        assert bool(check_elements(expand(direct), circuits_of(n))) == right


def test_dimensions_that_are_left_out_are_found():
    task, swap = transposition()
    direct = delivered(task, "short", [replace(swap, dims=(0,))], circuits=True)
    report = check_direct(direct, circuits_of(2))
    assert {rule for rule, _ in report.counts} == {"end"}
    report = check_elements(expand(direct), circuits_of(2))
    assert {rule for rule, _ in report.counts} == {"end"}


def test_circuits_need_a_machine_that_has_them():
    task, swap = transposition()
    circuit = delivered(task, "circuits", [swap], circuits=True)
    hops = delivered(task, "hops", [swap], circuits=False)
    broken(circuit, gc.Machine(dims=2), "time", "round")
    assert check_direct(circuit, circuits_of(2))
    assert check_direct(hops, gc.Machine(dims=2))
    assert check_direct(hops, circuits_of(2))


def test_machines_of_another_size_are_refused():
    task, swap = transposition()
    with pytest.raises(InvalidValueError, match="3 dimensions"):
        check_algebra(delivered(task, "x", [swap], circuits=True), gc.Machine(dims=3))


def refused(make, *wrong):
    """One of the library's own errors, in three short parts."""
    with pytest.raises(gc.GraycubeError) as caught:
        make(*wrong)
    error = caught.value
    assert all(
        isinstance(part, str) and part for part in (error.found, error.limit, error.hint)
    )
    assert len(str(error)) < 1000


GOOD = {
    "move": AffineMap.identity(4),
    "partner": Matrix.identity(2),
    "classes": (1, 2),
    "dims": (0, 1),
    "parts": (),
}
WRONG = {
    "move": [None, 1, "x", Matrix.identity(4), AffineMap.identity(1),
             AffineMap(Matrix((0, 0, 0, 0), 2))],
    "partner": [None, 1, (1, 2), AffineMap.identity(2), Matrix((1, 2), 3), Matrix((1, 2, 3), 2),
                Matrix.identity(5)],
    "classes": [None, "1", (0,), (4,), (-1,), (1, 1), (1, 3), (3, 1), (1.0,), (True,), (None,),
                [[1]], (10**40,), range(300)],
    "dims": [None, "0", (2,), (-1,), (0, 0), (0.0,), (False,), [[0]], (10**40,), range(300)],
    "parts": [None, "1", (0,), (1, 1), (1, 2, 3), (4,), (-1,), (1.5,), (True,), (10**40,)],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "wrong"), [(name, wrong) for name, entries in WRONG.items() for wrong in entries]
)
def test_deliveries_that_mean_nothing_are_refused(name, wrong):
    Delivery(**GOOD)
    refused(lambda: Delivery(**{**GOOD, name: wrong}))


def test_timetables_are_those_of_the_messages():
    task, swap = transposition(payload=3)
    good = delivered(task, "all-to-all", [swap], circuits=True)
    assert (good.rounds, good.cycles) == (range(0, 12, 3), 12)
    for rounds, cycles in (((0, 3, 6, 9), 12), (range(0, 15, 3), 15)):
        assert check_direct(replace(good, rounds=rounds, cycles=cycles), circuits_of(2))
    for rounds in (range(0, 12, 4), range(0, 12, 2), (0, 3, 5, 9), (0, 3, 6), (0,)):
        assert not check_direct(replace(good, rounds=rounds), circuits_of(2))
    assert not check_direct(replace(good, cycles=11), circuits_of(2))
    for rounds, cycles in (((), 0), (range(0, 9, 3), 9), (range(0, 9, 3), 12)):
        refused(lambda r=rounds, c=cycles: replace(good, rounds=r, cycles=c))
    for changes in ({"task": None}, {"ways": None}, {"ways": (None,)}, {"ways": swap},
                    {"rounds": None}, {"cycles": "12"},
                    {"relabel": AffineMap.identity(3)}):  # fmt: skip
        refused(lambda c=changes: replace(good, **c))
    for wrong in (None, (None,), swap, (replace(swap, move=AffineMap.identity(6)),)):
        refused(lambda w=wrong: delivered(task, "wrong", w, circuits=True))
    for circuits in (1, None):
        refused(lambda c=circuits: delivered(task, "wrong", [swap], circuits=c))


def test_a_round_that_outlasts_the_schedule_is_as_long_as_it():
    layout, turned = gc.Layout.nodes(1), AffineMap(Matrix.identity(1), 1)
    way = Way(0, 7, (Step(turned, (Crossing(0, 0),)),))
    for length, fine in ((7, True), (14, True), (3, False)):
        rounds = range(0, 7, length)
        made = gc.Schedule(gc.Task(layout, turned @ layout, 7), "flip", rounds, 7, (way,))
        assert bool(check_direct(made, gc.Machine(1))) == fine


def test_deliveries_that_are_too_many_or_too_large_are_refused_at_once():
    task, swap = transposition()
    refused(lambda: delivered(task, "many", [swap] * 20_000, circuits=True))
    huge, units = (
        gc.Task(gc.Layout.cyclic(100, 50), gc.Layout.consecutive(100, 50), 1 << 60),
        tuple(1 << d for d in range(50)),
    )
    every = Delivery(huge.move, Matrix.identity(50), units, tuple(range(50)))
    refused(lambda: delivered(huge, "long", [every], circuits=False))
    refused(lambda: delivered(huge, "many", [every, every], circuits=True))
    more = Delivery(task.move, Matrix.identity(2), (1, 2), (0, 1))
    small = task_of(AffineMap(Matrix.permutation([1, 0, 2])), 2)
    refused(lambda: delivered(small, "wide", [more], circuits=True))
    single = delivered(huge, "circuits", [every], circuits=True)
    assert check_direct(single, circuits_of(50))
    assert simulate(single).time(circuits_of(50)) == (2**50 - 1) * 2.0**10
    refused(lambda: expand(single))


def written_examples():
    """A text of each form: messages with circuits and without, groups, and turns."""
    task, _ = transposition()
    larger, _ = transposition(4)
    yield all_to_all.emit(task, circuits_of(2))
    yield all_to_all.emit(task, gc.Machine(dims=2))
    yield groups.emit(larger, gc.Machine(dims=4, switching=CIRCUIT, startup=2.0))
    yield pipeline.emit(transposition(payload=2)[0], gc.Machine(dims=2, ports="all"))


EXAMPLES = list(written_examples())
STRANGE = [None, True, False, -1, 0, 1, 2, 3, 255, 1.5, "", "x", [], {}, [[]], [0], [1, 1],
           10**30, 2**62 - 1, 2**63, float("nan"), "flip 0 where a1 = 1",
           "flip 99 where a1 = 1", {"every": 1}, {"columns": [], "constant": 0}]  # fmt: skip


def test_every_form_is_read_back():
    for schedule in EXAMPLES:
        assert load(dump(schedule)) == schedule
        assert dump(load(dump(schedule))) == dump(schedule)


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.algorithm)
@pytest.mark.parametrize("strange", [*STRANGE, "leave out", "twice"], ids=repr)
def test_strange_values_in_a_file_are_refused_or_judged(example, strange):
    """What loads can be judged and counted, and is not taken for what it is not."""
    text = dump(example)
    for path in places_in(json.loads(text)):
        if not path:
            continue
        tree = json.loads(text)
        inner = parent(tree, path)
        if strange == "leave out":
            del inner[path[-1]]
        elif strange == "twice" and isinstance(inner, list):
            inner.append(inner[path[-1]])
        else:
            inner[path[-1]] = strange
        with contextlib.suppress(gc.GraycubeError):
            judged(load(json.dumps(tree)))


def judged(schedule):
    if isinstance(schedule, Moves):
        return
    machine = gc.Machine(dims=schedule.task.n, ports="all", switching=CIRCUIT)
    proof = check_algebra(schedule, machine)
    simulate(schedule)
    if schedule.task.block << schedule.task.n > 1 << 10 or schedule.cycles > 1 << 10:
        return
    if proof:
        assert check_elements(expand(schedule), machine)
        before, after = blocks_of(schedule.task)
        assert np.array_equal(apply(schedule, before), after)


def test_a_file_of_several_forms_is_refused():
    texts = [json.loads(dump(e)) for e in EXAMPLES]
    refused(load, json.dumps(texts[0] | {"steps": []}))
    refused(load, json.dumps(texts[0] | {"strands": []}))
    refused(load, json.dumps(texts[0] | {"moves": {}}))
    refused(load, json.dumps({k: v for k, v in texts[0].items() if k != "ways"}))
    refused(load, json.dumps(texts[-1] | {"circuits": True}))


@pytest.mark.parametrize("n", [3, 6, 20])
def test_permutations_of_nodes_take_one_turn_of_circuits(n):
    """The block leaves its node and no bound lets it leave faster: K cycles, one round."""
    up, half = ([(j + step) % n for j in range(n)] for step in (1, n // 2))
    for order in ([*range(n)][::-1], up, half):
        move = AffineMap(Matrix.permutation(order))
        direct = all_to_all.emit(task_of(move, n, 5), circuits_of(n))
        assert check_direct(direct, circuits_of(n))
        assert (direct.cycles, len(direct.rounds)) == (5, 1)


def test_a_relabelled_delivery_ends_where_the_numbers_say():
    task, swap = transposition()
    numbers = compose([Exchange(1, 2)], 4)
    renamed = replace(
        delivered(task, "x", [swap], circuits=True),
        task=gc.Task(task.source, numbers @ task.target, task.block),
        relabel=numbers,
    )
    proof, followed, right = verdicts(renamed, circuits_of(2))
    assert proof
    assert followed
    assert right
    assert not check_direct(replace(renamed, relabel=None), circuits_of(2))
    assert load(dump(renamed)) == renamed
