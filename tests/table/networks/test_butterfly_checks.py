"""Emulations by hand, each wrong in one way: rules, pairs, what is written out and refused.

Mutants of all kinds are in tests/verify/test_soundness.py; its follower judges here too.
"""

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from strategies import affine_map, affine_parts, axes_of
from sweeping import examples
from way_mutants import follow, moved as taken, mutant

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Exchange, Matrix, compose
from graycube.layout import ALLOCATIONS
from graycube.run import emulate
from graycube.schedule import Crossing, Delay, Moves, Step, Way, dump, expand, load
from graycube.verify import check_algebra, check_elements, check_pairs
from graycube.verify.report import MAX_LISTED

SEED = 764
THOROUGH = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
METHODS = (
    gc.Method(),
    gc.Method("inter-node"),
    gc.Method(radix=2),
    gc.Method(radix=3),
    gc.Method(merged=1),
    gc.Method("inter-node", merged=1),
    gc.Method(overlap=False),
)


# Followers: one element at a time.


def odd(bits):
    return f"{bits:b}".count("1") % 2


def stages_of(steps):
    return [step.stage for step in steps if step.stage is not None]


# Steps by hand, and what they are.


def stage(bit):
    return Step(stage=bit)


def crossing(exchange, start, delays=()):
    """The step of an exchange; its lowest bit is that of the node."""
    lowest = (exchange.flip & -exchange.flip).bit_length() - 1
    return Step(exchange, (Crossing(lowest, start, delays),))


def changed(step, **changes):
    """The crossing step with another start, other delays, or another exchange."""
    move = changes.pop("exchange", step.move)
    (old,) = step.crossings
    return crossing(move, changes.get("start", old.start), changes.get("delays", old.delays))


def steps_of(made):
    return made.ways[0].steps


def with_steps(made, steps, **changes):
    way = Way(0, changes.get("task", made.task).block, tuple(steps))
    return replace(made, ways=(way,), **changes)


def emulation(task, rounds, cycles, steps, name="by hand"):
    return gc.Schedule(task, name, rounds, cycles, (Way(0, task.block, steps),))


def is_crossing(step):
    return bool(step.crossings)


def is_stage(step):
    return step.stage is not None


def home_address(task, element):
    home, position = divmod(element, task.block)
    return position // task.payload << task.n | home


def rows_of(moves):
    names = ("cycle", "node", "dimension", "element")
    return list(zip(*(getattr(moves, name).tolist() for name in names), strict=True))


def followed(made):
    """(cycle, node, dimension, element) of every crossing, followed in plain integers."""
    return [row for way in made.ways for row in follow(made.task, way)[0]]


def partner(task, element, bit):
    """The element whose word differs in one bit, with the same place in the payload."""
    word = task.source.inverse_map(home_address(task, element)) ^ 1 << bit
    address = task.source.map(word)
    node, slot = address % (1 << task.n), address >> task.n
    return node * task.block + slot * task.payload + element % task.payload


def without_their_pair(task, cycles, rows, stages):
    """The elements that miss the other of their pair in the first stage where any does."""
    every = range(task.block << task.n)
    flips = defaultdict(int)
    for cycle, _, dimension, element in rows:
        flips[element, cycle + 1] ^= 1 << dimension
    place = {}
    for element in every:
        node = element // task.block
        place[element] = [node := node ^ flips[element, t] for t in range(cycles + 1)]
    ready = dict.fromkeys(every, 0)
    for bit in stages:
        met = {}
        for element in every:
            other = partner(task, element, bit)
            for t in range(max(ready[element], ready[other]), cycles + 1):
                if place[element][t] == place[other][t]:
                    met[element] = t
                    break
        if len(met) < len(every):
            return [element for element in every if element not in met]
        ready = met
    return []


def broken_by_elements(made, machine):
    """The same from the library's own followers."""
    moves = expand(made)
    reports = check_elements(moves, machine), check_pairs(moves, stages_of(steps_of(made)))
    return {rule for report in reports for rule, _ in report.counts}


# Emulations to break.


def with_payload(made, times):
    """The same with so many times the elements behind every slot."""
    task = replace(made.task, block=made.task.block * times)
    rounds = range(0, made.cycles * times, made.rounds.step * times)
    steps = [longer(step, times) for step in steps_of(made)]
    return with_steps(made, steps, task=task, rounds=rounds, cycles=made.cycles * times)


def longer(step, times):
    """The step with all its times so many times as long."""
    if not step.crossings:
        return step
    (old,) = step.crossings
    delays = tuple(replace(late, cycles=late.cycles * times) for late in old.delays)
    return changed(step, start=old.start * times, delays=delays)


def rebuilt(made, steps, *, step=None, same_target=False):
    """The emulation of other steps, which says rightly where everything ends, mostly."""
    task = made.task
    if not same_target:
        moves = (step.move for step in steps if not is_stage(step))
        task = replace(task, target=compose(moves, task.p) @ task.source)
    ends = (c.last + task.payload for s in steps for c in s.crossings)
    rounds, every = made.rounds, step or getattr(made.rounds, "step", 0)

    def lasting(cycles):
        marks = range(0, cycles, every) if every else rounds
        return with_steps(made, steps, task=task, rounds=marks, cycles=cycles)

    made = lasting(max((made.cycles, *ends)))
    needed = max((row[0] + 1 for row in followed(made)), default=0)
    return made if needed <= made.cycles else lasting(needed)


def places(steps, kind):
    return [k for k, step in enumerate(steps) if kind(step)]


def with_step(made, k, step):
    steps = list(steps_of(made))
    steps[k] = step
    return steps


def by_hand(layout, steps, cycles, step=1):
    """The emulation of these steps, wherever they lead."""
    start = emulation(gc.Task(layout, layout, layout.block_size), range(0, 0, step), 0, ())
    made = rebuilt(start, steps, step=step)
    assert made.cycles == cycles
    return made


def tempting():
    """Emulations that break rules in a way that a careless proof does not see: ports, which."""
    two, four = gc.Layout.mesh((2, 4), nodes=(1, 4)), gc.Layout.mesh((4, 4), nodes=(1, 4))
    in_memory, both = (stage(2),), (stage(3), stage(2))
    first, second = Exchange(1, 0, 0), Exchange(2, 0, 0)
    lower, upper, local = Exchange(1, 4), Exchange(2, 4, 0), Step(Exchange(4, 0, 0))
    by_slot = Delay(1, 4)
    # Both crossings of an element take turns that differ, but who has crossed the first one
    # meets, on its new node, one that has not.
    early = crossing(first, 0, (Delay(1, 4, 0), Delay(2, 9)))
    late = crossing(second, 0, (Delay(1, 4, 1), Delay(2, 8)))
    yield "all", by_hand(four, (*both, early, late), 4), {"link", "ports"}
    # The second crossing of the steps is over before the first one begins.
    early = crossing(lower, 4, (Delay(1, 8),))
    late = crossing(second, 0, (Delay(1, 8), Delay(2, 5)))
    yield "all", by_hand(four, (*both, early, late), 6), {"link"}
    # One round for both.
    steps = crossing(first, 0, (by_slot,)), crossing(second, 2, (by_slot,))
    yield "all", by_hand(two, (*in_memory, *steps), 4, step=4), {"round"}
    # One round and one port for messages to two nodes, each element in one of them.
    steps = crossing(lower, 0), crossing(upper, 1)
    yield 1, by_hand(two, (*in_memory, *steps), 2, step=2), {"round"}
    # Cycles 1 and 2 are of rounds 0 and 1, though no delay is as long as a round.
    steps = crossing(first, 1, (by_slot,)), local, crossing(second, 2, (by_slot,))
    yield "all", by_hand(two, (*in_memory, *steps), 4, step=2), {"time", "round"}
    # A delay of 3 in two parts.
    early = crossing(first, 0, (Delay(2, 4), by_slot))
    late = crossing(second, 3, (by_slot,))
    yield "all", by_hand(two, (*in_memory, early, local, late), 5), {"time", "round"}


TEMPTING = list(tempting())


@pytest.mark.parametrize(("ports", "made", "broken"), TEMPTING)
def test_nothing_slips_through(ports, made, broken):
    machine = gc.Machine(made.task.n, ports)
    assert broken_by_elements(made, machine) == broken
    assert not check_algebra(made, machine)


# Rule by rule: one small emulation, wrong in one way.

GOOD = gc.emulation(gc.Layout.cyclic(4, 2))
FIRST, SECOND = places(steps_of(GOOD), is_crossing)
CUBE = gc.Machine(2, "all")


def broken_by_algebra(made, machine=CUBE):
    return {rule for rule, _ in check_algebra(made, machine).counts}


def with_start(start):
    return rebuilt(GOOD, with_step(GOOD, SECOND, changed(steps_of(GOOD)[SECOND], start=start)))


def test_a_good_emulation_passes_all():
    assert broken_by_algebra(GOOD) == broken_by_elements(GOOD, CUBE) == set()


def test_end_another_target():
    wrong = replace(GOOD, task=replace(GOOD.task, target=GOOD.task.source))
    assert broken_by_algebra(wrong) == broken_by_elements(wrong, CUBE) == {"end"}


def test_stage_pairs_on_two_nodes():
    steps = list(steps_of(GOOD))
    steps[FIRST], steps[FIRST + 1] = steps[FIRST + 1], steps[FIRST]
    wrong = rebuilt(GOOD, steps)
    assert broken_by_algebra(wrong) == {"stage"}
    moves = expand(wrong)  # the moves do not say after which stage they come
    assert check_pairs(moves, [3, 2, 1, 0])
    assert not check_pairs(moves, [3, 2, 0, 1])


@pytest.mark.parametrize("bits", [[3, 2, 1], [3, 2, 0, 1], [2, 3, 1, 0], [3, 2, 1, 0, 0], [0]])
def test_stage_not_every_bit_of_an_axis_in_order(bits):
    """All of them local, so that nothing else is wrong."""
    layout = gc.Layout.mesh((16, 4), nodes=(1, 4))
    steps = tuple(stage(2 + bit) for bit in bits)
    wrong = emulation(gc.Task(layout, layout, 16), (), 0, steps)
    assert broken_by_algebra(wrong) == {"stage"}


def test_the_last_round_may_be_longer_by_less_than_a_payload():
    task = gc.Task(gc.Layout.cyclic(2, 1), gc.Layout.parse("(b0 || b1)"), 6)
    steps = (stage(1), crossing(Exchange(3, 3), 0), stage(0))
    for rounds, cycles in (((0,), 6), ((0,), 7), ((0, 3), 8)):
        assert check_algebra(emulation(task, rounds, cycles, steps), gc.Machine(1))
    assert not check_algebra(emulation(task, (0, 3), 9, steps), gc.Machine(1))


def test_link_two_elements_in_one_cycle():
    alike = changed(steps_of(GOOD)[SECOND], delays=())
    wrong = rebuilt(GOOD, with_step(GOOD, SECOND, alike))
    assert "link" in broken_by_algebra(wrong)
    assert rows_of(expand(wrong)) == sorted(followed(wrong), key=lambda row: row[3])


def test_link_two_crossings_in_one_cycle():
    layout = gc.Layout.mesh((2, 2), nodes=(1, 2))
    one, other = Exchange(1, 2), Exchange(1, 2, 0)
    wrong = by_hand(layout, (stage(1), crossing(one, 0), crossing(other, 0)), 1)
    assert broken_by_algebra(wrong, gc.Machine(1)) == {"link"}
    assert broken_by_elements(wrong, gc.Machine(1)) == {"link", "ports"}


def test_ports_two_dimensions_in_one_cycle():
    machine = gc.Machine(2, 1)
    assert broken_by_algebra(GOOD, machine) == {"ports"}
    assert broken_by_elements(GOOD, machine) == {"ports", "round"}


@pytest.mark.parametrize(("start", "wrong"), [(0, True), (1, False), (2, False), (9, False)])
def test_time_before_the_pair_is_complete(start, wrong):
    made = with_start(start)
    assert broken_by_algebra(made) == ({"time"} if wrong else set())
    assert ("pair" in broken_by_elements(made, CUBE)) == wrong
    assert ("time" in broken_by_elements(made, CUBE)) == wrong


def test_round_with_a_part_of_a_payload():
    made = with_payload(GOOD, 2)
    assert broken_by_algebra(made) == broken_by_elements(made, CUBE) == set()
    wrong = replace(made, rounds=range(0, made.cycles, 3))
    assert "round" in broken_by_algebra(wrong)
    assert "round" in broken_by_elements(wrong, CUBE)


def test_round_of_another_length():
    wrong = replace(GOOD, rounds=(0, 2))
    assert "round" in broken_by_algebra(wrong)
    assert "round" in broken_by_elements(wrong, CUBE)


def test_rounds_may_be_a_tuple():
    made = replace(GOOD, rounds=tuple(GOOD.rounds))
    assert broken_by_algebra(made) == broken_by_elements(made, CUBE) == set()


def test_a_machine_of_another_size_is_not_judged():
    with pytest.raises(InvalidValueError, match="3 dimensions: the schedule is for a 2-cube"):
        check_algebra(GOOD, gc.Machine(3))


# Pairs.


def mutants(count):
    """Networks that are wrong in many ways, of one way each, and their machines."""
    made = (mutant("network", seed, synthesised=False) for seed in range(count))
    return [case for case in made if case is not None and len(case[0].ways) == 1]


@st.composite
def random_layouts(draw, most=6, slots=0):
    """Any layout of any axes; odd lengths stand behind the slots as a payload."""
    p = draw(st.integers(slots + 1, most))
    n = draw(st.integers(min(slots, 1), p - slots))
    return gc.Layout(affine_map(*draw(affine_parts(p))), n, draw(axes_of(p)))


@st.composite
def random_moves(draw):
    """Any elements over any links in any cycles, one of them several times in a cycle too."""
    layout = draw(random_layouts(most=4))
    task = gc.Task(layout, layout, layout.block_size * draw(st.integers(1, 2)))
    cycles = draw(st.integers(1, 5))
    elements = task.block << task.n
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count = int(rng.integers(3 * elements)) if task.n else 0
    together = draw(st.booleans())  # all elements of a cycle do the same: pairs stay pairs
    rows = []
    for _ in range(count // elements + 1 if together else count):
        cycle, dimension = int(rng.integers(cycles)), int(rng.integers(max(task.n, 1)))
        crossing = range(elements) if together else [int(rng.integers(elements))]
        rows += [(cycle, 0, dimension, element) for element in crossing if task.n]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return Moves(task, "random", (0,), cycles, *map(list, columns))


@given(random_moves(), st.data())
@THOROUGH
def test_pairs_meet_or_do_not(moves, data):
    task = moves.task
    bits = st.lists(st.integers(0, task.p - 1), max_size=4)
    stages = data.draw(bits | st.permutations(range(task.p)))
    report = check_pairs(moves, stages)
    missed = without_their_pair(task, moves.cycles, rows_of(moves), stages)
    assert [violation.element for violation in report.violations] == missed[:MAX_LISTED]
    assert report.counts == ((("pair", len(missed)),) if missed else ())
    assert bool(report) == (not missed)


def test_pairs_of_good_and_bad_emulations():
    outcomes = Counter()
    for made, _ in mutants(150):
        moves, stages = expand(made), stages_of(steps_of(made))
        if moves.cycle.max(initial=0) >= made.cycles:
            continue
        missed = without_their_pair(made.task, made.cycles, rows_of(moves), stages)
        report = check_pairs(moves, stages)
        assert [violation.element for violation in report.violations] == missed
        outcomes[bool(missed)] += 1
    assert len(outcomes) == 2
    assert min(outcomes.values()) > 10


def test_a_pair_meets_late_or_on_a_third_node():
    """Both of a pair may move at once, and wait for earlier stages."""
    task = gc.Task(gc.Layout.nodes(2), gc.Layout.nodes(2), 1)
    rows = [(0, 0, 1, 0), (2, 1, 0, 1), (3, 0, 1, 1), (5, 1, 0, 1), (4, 2, 1, 2), (5, 3, 1, 3)]
    moves = Moves(task, "by hand", (0,), 7, *map(list, zip(*rows, strict=True)))
    assert [v.element for v in check_pairs(moves, [0]).violations] == [2, 3]
    missing = without_their_pair(task, 7, rows_of(moves), [0])
    assert missing == [2, 3]


def test_too_many_places_are_refused():
    task = gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.cyclic(4, 2), 4)
    moves = Moves(task, "idle", (0,), 1 << 40, [], [], [], [])
    with pytest.raises(InvalidValueError, match="16 elements move in 1099511627776 cycles"):
        check_pairs(moves, [3])


# Written out.


def test_every_crossing_is_written_out():
    for made, _ in mutants(150):
        moves = expand(made)
        assert sorted(rows_of(moves)) == sorted(followed(made))
        head = moves.task, moves.algorithm, moves.rounds, moves.cycles
        assert head == (made.task, made.algorithm, made.rounds, made.cycles)


def test_an_element_that_comes_twice_is_written_out_in_the_order_of_time():
    """The second crossing of the steps happens first, from the node that is left first."""
    steps = crossing(Exchange(1, 0, 0), 1), crossing(Exchange(2, 0, 0), 0)
    made = by_hand(gc.Layout.nodes(2), steps, 2)
    assert rows_of(expand(made)) == followed(made)
    assert rows_of(expand(made))[:2] == [(0, 0, 1, 0), (1, 2, 0, 0)]
    assert not {"start", "presence", "time", "end"} & broken_by_elements(made, CUBE)


def test_a_crossing_names_the_cycle_of_every_address():
    for made, _ in mutants(60):
        for over in (over for step in steps_of(made) for over in step.crossings):
            every = np.arange(1 << made.task.p)
            found = [over.clock(address) for address in every.tolist()]
            assert over.start <= min(found) <= max(found) <= over.last
            late = [
                [turn.cycles for turn in over.delays if odd(a & turn.mask) == turn.want]
                for a in every.tolist()
            ]
            assert found == [over.start + sum(delays) for delays in late]
            assert over.clock(every).tolist() == found


def test_the_layouts_are_those_of_the_steps():
    for made, _ in mutants(60):
        task, layouts = made.task, list(made.layouts())
        words = [task.source.inverse_map(a) for a in range(1 << task.p)]
        place = list(range(1 << task.p))
        assert [layouts[0].map(w) for w in words] == place
        moving = [step.move for step in steps_of(made) if not is_stage(step)]
        assert len(layouts) == 1 + len(moving)
        for exchange, layout in zip(moving, layouts[1:], strict=True):
            place = [taken(exchange, a) for a in place]
            assert [layout.map(w) for w in words] == place
        assert made.stages == tuple(stages_of(steps_of(made)))


# Carried out.


def digits_reversed(data, axis):
    bits = data.shape[axis].bit_length() - 1
    order = [int(f"{i:0{bits}b}"[::-1], 2) if bits else 0 for i in range(1 << bits)]
    return data.take(order, axis)


def by_address(task, layout, words):
    """The blocks of the elements that are listed by word."""
    blocks = np.empty((1 << task.n, 1 << task.p - task.n, *words.shape[1:]), words.dtype)
    for word, value in enumerate(words):
        address = layout.map(word)
        blocks[address % (1 << task.n), address >> task.n] = value
    return blocks


def by_word(task, layout, blocks):
    addresses = [layout.map(word) for word in range(1 << task.p)]
    return np.stack([blocks[a % (1 << task.n), a >> task.n] for a in addresses])


def transformed(made, data, **options):
    """What becomes of an array of the power-of-two parts of all axes."""
    task, d = made.task, len(made.task.source.axes)
    words = data.reshape(1 << task.p, *data.shape[d:])
    blocks = by_address(task, task.source, words)
    given = blocks.copy()
    out = emulate(made, blocks, **options)
    assert np.array_equal(blocks, given)  # it is not changed in place
    return by_word(task, task.target, out).reshape(data.shape)


DTYPES = {
    "complex128": "complex128",
    "complex64": "complex64",
    "float64": "complex128",
    "float32": "complex64",
    "float16": "complex64",
    "int64": "complex128",
    "uint8": "complex64",
    "bool": "complex64",
}


def some_data(rng, shape, dtype):
    values = rng.integers(-9, 9, size=shape) + 1j * rng.integers(-9, 9, size=shape)
    if dtype == "uint8":
        values = np.abs(values)
    return (values if dtype.startswith("complex") else values.real).astype(dtype)


@given(
    random_layouts(slots=2),
    st.data(),
    st.sampled_from(METHODS),
    st.sampled_from(sorted(DTYPES)),
    st.sampled_from([(), (1,), (3,), (2, 3), (0,)]),
)
@THOROUGH
def test_emulations_are_fourier_transforms(layout, data, method, dtype, behind):
    axis = data.draw(st.integers(-len(layout.axes), len(layout.axes) - 1))
    falling, inverse = data.draw(st.booleans()), data.draw(st.booleans())
    try:
        made = gc.emulation(layout, axis, method=method, descending=falling)
    except InvalidValueError:
        return
    axis %= len(layout.axes)
    shape = (*(1 << along.bits for along in layout.axes), *behind)
    values = some_data(np.random.default_rng(SEED), shape, dtype)
    if falling:
        found = digits_reversed(transformed(made, values, inverse=inverse), axis)
    else:
        found = transformed(made, digits_reversed(values, axis), inverse=inverse)
    exact = values.astype(complex)
    if values.size:
        exact = np.fft.fft(exact, axis=axis)
        if inverse:  # without the division by the length
            exact = np.fft.ifft(values.astype(complex), axis=axis) * shape[axis]
    assert found.dtype == DTYPES[dtype]
    assert np.allclose(found, exact, atol=1e-3 if DTYPES[dtype] == "complex64" else 1e-9)


def test_there_and_back_is_the_identity():
    """The inverse of falling stages takes rising ones: their digits are already reversed."""
    falling = gc.emulation(gc.Layout.cyclic(6, 3, nodes="gray"))
    rising = gc.emulation(falling.task.target, descending=False)
    values = np.random.default_rng(SEED).normal(size=64) + 0j
    back = transformed(rising, transformed(falling, values), inverse=True)
    assert np.allclose(back / 64, values)


@pytest.mark.parametrize("steps", [(stage(0),), (*steps_of(GOOD)[:FIRST], stage(1))])
def test_remote_stages_cannot_be_carried_out(steps):
    wrong = with_steps(GOOD, steps)
    with pytest.raises(InvalidValueError, match="are on different nodes in"):
        emulate(wrong, np.zeros((4, 4)))


@pytest.mark.parametrize(
    "shape", [(), (4,), (16,), (4, 2), (2, 4), (4, 5), (5, 4), (0, 4), (4, 0), (1, 4, 4)]
)
def test_blocks_of_another_shape_are_refused(shape):
    with pytest.raises(InvalidValueError, match="put the node first") as e:
        emulate(GOOD, np.zeros(shape))
    assert str(shape) in e.value.found
    assert "(4, 4)" in e.value.limit


# Borders. Every refusal names the value, the limit and the next step.

TASK = gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.cyclic(4, 2), 4)
SWAP = crossing(Exchange(5, 5), 0)
NO_LIST = "no sequence is taken for one"
ANY_OBJECT = "any object is taken for one"


def emulation_of(*steps, cycles=1):
    return emulation(TASK, (0,), cycles, steps)


def moved(cycle=0, dimension=0, element=0):
    return Moves(TASK, "by hand", (0,), 1, [cycle], [0], [dimension], [element])


def large(p, **options):
    return gc.emulation(gc.Layout.cyclic(p, 2), **options)


REFUSED = [
    (lambda: gc.emulation("gray"), InvalidTypeError, "the layout is 'gray'"),
    (lambda: gc.emulation(gc.Layout.mesh((9,), (4,))), InvalidValueError, "are 8 and 12"),
    (lambda: large(4, axis=0.0), InvalidTypeError, "axis is 0.0"),
    (lambda: large(4, axis=None), InvalidTypeError, "axis is None"),
    (lambda: large(4, axis=True), InvalidTypeError, "axis is True"),
    (lambda: large(4, axis=1), OutOfRangeError, "axis is 1"),
    (lambda: large(4, axis=-2), OutOfRangeError, "axis is -2"),
    (lambda: large(4, axis=10**30), OutOfRangeError, f"axis is {10**30}"),
    (lambda: large(4, output=None), InvalidValueError, "output is None"),
    (lambda: large(4, output=["gray"]), InvalidValueError, "output is ['gray']"),
    (lambda: large(4, output="Gray"), InvalidValueError, "output is 'Gray'"),
    (lambda: large(4, itemsize=0), InvalidValueError, "itemsize is 0"),
    (lambda: large(4, itemsize=1.5), InvalidTypeError, "itemsize is 1.5"),
    (lambda: large(4, itemsize=1 << 62), InvalidValueError, f"itemsize is {1 << 62}"),
    (lambda: large(65), InvalidValueError, f"block is {1 << 63}"),
    (lambda: gc.emulation(gc.Layout.nodes(4)), InvalidValueError, "has 1 slot:"),
    (lambda: gc.emulation(gc.Layout.nodes(1, "gray")), InvalidValueError, "has 1 slot:"),
    (lambda: gc.Method(conversion=3), InvalidValueError, "conversion is 3"),
    (lambda: gc.Method(conversion=None), InvalidValueError, "conversion is None"),
    (lambda: gc.Method(radix="2"), InvalidTypeError, "radix is '2'"),
    (lambda: gc.Method(radix=1.0), InvalidTypeError, "radix is 1.0"),
    (lambda: gc.Method(radix=True), InvalidTypeError, "radix is True"),
    (lambda: gc.Method(radix=0), InvalidValueError, "radix is 0"),
    (lambda: gc.Method("inter-node", radix=2), InvalidValueError, "radix is 2"),
    (lambda: gc.Method(merged=-1), InvalidValueError, "merged is -1"),
    (lambda: gc.Method(merged="1"), InvalidTypeError, "merged is '1'"),
    (lambda: large(4, method=gc.Method(merged=2)), InvalidValueError, "2^2 slots"),
    (lambda: large(4, method=gc.Method(merged=10**9)), InvalidValueError, "slots"),
    (lambda: Delay(-1, 1), InvalidValueError, "cycles is -1"),
    (lambda: Delay(1, -1), InvalidValueError, "mask is -1"),
    (lambda: Delay(1, 1, 2), InvalidValueError, "parity is 2"),
    (lambda: Delay(1, 1, -1), InvalidValueError, "want is -1"),
    (lambda: Delay("1", 1), InvalidTypeError, "cycles is '1'"),
    (lambda: Delay(1.0, 1), InvalidTypeError, "cycles is 1.0"),
    (lambda: Delay(1, None), InvalidTypeError, "mask is None"),
    (lambda: Crossing(0, -1), InvalidValueError, "start is -1"),
    (lambda: Crossing(0, "0"), InvalidTypeError, "start is '0'"),
    (lambda: Crossing(1.5, 0), InvalidTypeError, "dim is 1.5"),
    (lambda: stage(-1), InvalidValueError, "stage is -1"),
    (lambda: stage(1.0), InvalidTypeError, "stage is 1.0"),
    (lambda: Step(SWAP.move, (), 1), InvalidValueError, "butterflies of bit 1"),
    (lambda: emulation_of(stage(4)), InvalidValueError, "butterflies of bit 4"),
    (lambda: emulation_of(stage(10**30)), InvalidValueError, f"bit {10**30}"),
    (lambda: emulation_of(changed(SWAP, start=1)), InvalidValueError, "in cycle 1"),
    (
        lambda: emulation_of(changed(SWAP, delays=[Delay(1, 8)])),
        InvalidValueError,
        "in cycle 1",
    ),
    (
        lambda: emulation_of(crossing(Exchange(3, 3), 0)),
        InvalidValueError,
        "flip 0 1 where",
    ),
    (
        lambda: emulation_of(crossing(Exchange(4, 2), 0)),
        InvalidValueError,
        "flip 2 where",
    ),
    (lambda: emulation_of(Step(Exchange(1, 2))), InvalidValueError, "flip 0 where"),
    (lambda: emulation_of(Step(Exchange(16, 2))), InvalidValueError, "flip 4 where"),
    (lambda: emulation_of(Step(Exchange(4, 16))), InvalidValueError, "where a4 = 1"),
    (lambda: emulation_of(cycles=-1), InvalidValueError, "cycles is -1"),
    (lambda: emulation_of(cycles="1"), InvalidTypeError, "cycles is '1'"),
    (lambda: emulation_of(cycles=0), InvalidValueError, "(0,) of 0 cycles"),
    (lambda: replace(GOOD, rounds=None), InvalidTypeError, "rounds[0] is None"),
    (lambda: replace(GOOD, rounds=(0, 1.5)), InvalidTypeError, "rounds[1] is 1.5"),
    (lambda: replace(GOOD, rounds=(1,)), InvalidValueError, "(1,) of"),
    (lambda: replace(GOOD, rounds=range(9)), InvalidValueError, "range(0, 9) of"),
    (lambda: replace(GOOD, rounds=range(2, -1, -1)), InvalidValueError, "range(2, -1, -1)"),
    (lambda: expand(large(62)), InvalidValueError, "can be written out"),
    (lambda: expand(large(30)), InvalidValueError, "can be written out"),
]


def assert_refused(call, error=gc.GraycubeError):
    with pytest.raises(error) as caught:
        call()
    text = caught.value
    assert text.found
    assert text.limit
    assert text.hint
    return str(text)


@pytest.mark.parametrize(("call", "error", "value"), REFUSED)
def test_what_is_wrong_is_named(call, error, value):
    assert value in assert_refused(call, error)


OF_THE_WRONG_KIND = [
    ("a layout", lambda: gc.emulation("cyclic")),
    ("a layout", lambda: gc.emulation(None)),
    ("a method", lambda: large(4, method="inter-node")),
    ("a method", lambda: large(4, method=3)),
    (NO_LIST, lambda: Crossing(0, 0, 5)),
    (NO_LIST, lambda: Step(SWAP.move, None)),
    (NO_LIST, lambda: Way(0, 4, 5)),
    (ANY_OBJECT, lambda: emulation_of("stage 1")),
    (ANY_OBJECT, lambda: emulation_of(Exchange(1, 2))),
    (ANY_OBJECT, lambda: Step("flip 0")),
    (ANY_OBJECT, lambda: crossing(SWAP.move, 0, ("+ 1",))),
    (ANY_OBJECT, lambda: gc.Schedule("task", "by hand", (0,), 1, ())),
    ("a turn has bits", lambda: emulation_of(wide(1 << 20), cycles=2)),
    ("a turn has bits", lambda: check_algebra(emulation_of(wide(1 << 20), cycles=2), CUBE)),
    ("a turn has bits", lambda: expand(emulation_of(wide(1 << 70), cycles=2))),
    ("no crossing", lambda: expand(gc.emulation(gc.Layout.cyclic(60, 0)))),
    ("a stage has a bit", lambda: check_pairs(moved(), [4])),
    ("a stage has a bit", lambda: check_pairs(moved(), [-1])),
    ("a stage has a bit", lambda: check_pairs(moved(), [1.5])),
    ("a stage has a bit", lambda: check_pairs(moved(), ["x"])),
    ("stages", lambda: check_pairs(moved(), 3)),
    ("numbers", lambda: emulate(GOOD, np.full((4, 4), "a"))),
    ("numbers", lambda: emulate(GOOD, np.full((4, 4), None))),
    ("numbers", lambda: emulate(GOOD, np.zeros((4, 4), dtype="M8[s]"))),
    ("an array", lambda: emulate(GOOD, [[1, 2], [3]])),
]


def wide(when):
    return changed(SWAP, delays=(Delay(1, when),))


@pytest.mark.parametrize(("what", "call"), OF_THE_WRONG_KIND)
def test_what_is_of_the_wrong_kind_is_refused(what, call):
    assert assert_refused(call), what


@pytest.mark.parametrize(
    "place", [{"cycle": 1}, {"cycle": -3}, {"element": 16}, {"element": -1}, {"dimension": 40}]
)
def test_pairs_of_moves_that_do_not_exist(place):
    (name,) = place
    assert f"a {name} is {place[name]}" in assert_refused(
        lambda: check_pairs(moved(**place), [3])
    )


@pytest.mark.parametrize(
    ("field", "radix"), [("(b1 b3 || b4 b2 b0)", 2), ("(b4 b4^b1 b2 || b0 b6 b4^b3^b1 b5)", 1)]
)
def test_layouts_of_any_kind_are_emulated(field, radix):
    layout = gc.Layout.parse(field)
    made = gc.emulation(layout, method=gc.Method(radix=radix), output="gray")
    assert check_algebra(made, gc.Machine(layout.n, "all"))


@pytest.mark.parametrize("one", [np.int8(1), np.uint64(1)])
def test_numpy_integers_are_integers(one):
    layout = gc.Layout.cyclic(16, 4)
    made = gc.emulation(layout, method=gc.Method(merged=one))
    assert made == gc.emulation(layout, method=gc.Method(merged=1))


def test_the_largest_radix_has_a_name_and_a_larger_one_is_refused():
    assert gc.Method(radix=256).name.endswith("-sectioning")
    assert "at most 256" in assert_refused(lambda: gc.Method(radix=257))


def test_more_cycles_than_a_file_can_hold_are_refused():
    turns = Delay(1, 4), Delay(1 << 70, 8)
    steps = [crossing(Exchange(1, 2), start, turns) for start in (0, 5)]
    with pytest.raises(InvalidValueError, match="cycles: at most"):
        emulation(TASK, range(1 << 80), 1 << 80, tuple(steps))


def test_inter_node_conversion_of_many_slots_is_verified():
    layout = gc.Layout.cyclic(24, 2, nodes="gray")
    made = gc.emulation(layout, method=gc.Method("inter-node"))
    assert check_algebra(made, CUBE)


def test_new_numbers_for_the_nodes_count_at_the_end():
    flip = AffineMap(Matrix.identity(GOOD.task.p), 1)
    wrong = replace(GOOD, relabel=flip)
    machine = gc.Machine(GOOD.task.n, "all")
    assert check_algebra(wrong, machine).counts == (("end", 1),)
    assert not check_elements(expand(wrong), machine)
    task = replace(GOOD.task, target=flip @ GOOD.task.target)
    right = replace(GOOD, task=task, relabel=flip)
    assert check_algebra(right, machine)
    assert check_elements(expand(right), machine)


def test_nothing_to_exchange():
    """No nodes, no bits, an axis of one element, or all of the axis in memory."""
    mesh = gc.Layout.mesh((8, 3, 4), nodes=(4, 1, 1), ownership=False)
    for layout, axis in (
        (gc.Layout.cyclic(0, 0), 0),
        (gc.Layout.cyclic(4, 0), 0),
        (gc.Layout.mesh((3,), (1,), ownership=False), 0),
        (mesh, 1),
        (mesh, -1),
    ):
        for method in METHODS:
            made = gc.emulation(layout, axis, method=method)
            assert not any(map(is_crossing, steps_of(made)))
            assert made.cycles == 0
            assert check_algebra(made, gc.Machine(layout.n, "all"))
            moves = expand(made)
            assert len(moves) == 0
            assert check_pairs(moves, stages_of(steps_of(made)))


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS[:5])
def test_the_rows_of_the_table_are_emulated_or_refused(method):
    """Also with one slot or none too many, and all nodes or one."""
    for row in ALLOCATIONS:
        for p in range(5):
            for n in range(p + 1):
                for output in ("binary", "gray"):
                    try:
                        made = gc.emulation(row.layout(p, n), method=method, output=output)
                    except gc.GraycubeError:
                        assert n
                        assert p - n < 2 + method.merged
                        continue
                    assert check_algebra(made, gc.Machine(n, "all"))


@pytest.mark.parametrize("want", [0, 1])
def test_nobody_leaves_before_its_partner_has_come(want):
    """Each element alone is in time, but partners of the first to go come last."""
    layout = gc.Layout.cyclic(4, 2)

    def made(start):
        first = crossing(Exchange(0b0110, 0b0110), 0, (Delay(1, 0b1010, want),))
        second = crossing(Exchange(0b0101, 0b0101), start, (Delay(1, 0b1100, want),))
        steps = (stage(3), stage(2), first, stage(1), second, stage(0))
        return by_hand(layout, steps, start + 2)

    assert check_algebra(made(2), CUBE)
    assert not broken_by_elements(made(2), CUBE)
    assert set(dict(check_algebra(made(1), CUBE).counts)) == {"time"}
    assert broken_by_elements(made(1), CUBE) == {"pair"}


@pytest.mark.sweep
def test_what_the_largest_cubes_get_is_read_back_and_proved():
    layout = gc.Layout.consecutive(140, 100, nodes="gray")
    made = gc.emulation(layout, method=gc.Method("inter-node"))
    assert load(dump(made)) == made
    assert check_algebra(made, gc.Machine(100, "all"))
