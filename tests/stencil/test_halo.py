"""Halo exchanges: every element counted, every round replayed link by link."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings, strategies as st
from strategies import CODES, mesh_specs
from sweeping import examples

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.gf2 import AffineMap, Matrix
from graycube.stencil import Halo, halo

SWITCHINGS = ("store-and-forward", "circuit")
FEW = settings(max_examples=examples(125))


def axes_of_rows(layout):
    """For each address bit the axes it depends on."""
    words = [set(layout.word_bits(k)) for k in range(len(layout.axes))]
    rows = layout.map.matrix.rows
    return [{k for k, bits in enumerate(words) if any(r >> b & 1 for b in bits)} for r in rows]


@st.composite
def layouts(draw):
    """Meshes whose address bits have changed places and been added to one another.

    A node bit is added to bits of its axis only; slot bits may mix what they like.
    """
    layout = draw(mesh_specs(room=100, max_axes=3)).layout()
    if len(layout.axes) > 1 and draw(st.booleans()):
        gone = draw(st.integers(0, len(layout.axes) - 1))
        return with_copies_anywhere(draw, layout.without_axes([gone]))
    p, n = layout.p, layout.n
    order = Matrix.permutation(draw(st.permutations(range(p))))
    if draw(st.booleans()):
        layout = AffineMap(order, draw(st.integers(0, 2**p - 1))) @ layout
    pairs = st.tuples(st.integers(0, max(p - 1, 0)), st.integers(0, max(p - 1, 0)))
    for i, j in draw(st.lists(pairs, max_size=p)):
        owners = axes_of_rows(layout)
        if i != j and (i >= n or owners[i] == owners[j]):
            columns = tuple(1 << k | (1 << i if k == j else 0) for k in range(p))
            layout = AffineMap(Matrix(columns, p)) @ layout
    return layout


def with_copies_anywhere(draw, layout):
    """Copies that differ in other node bits as well."""
    free = [d for d, axes in enumerate(axes_of_rows(layout)[: layout.n]) if not axes]
    for i in free:
        j = draw(st.integers(0, layout.n - 1))
        columns = tuple(1 << k | (1 << j if k == i else 0) for k in range(layout.p))
        layout = AffineMap(Matrix(columns, layout.p)) @ layout
    return layout


@st.composite
def exchanges(draw):
    layout = draw(layouts())
    d = len(layout.axes)
    corners = draw(st.booleans())
    far = st.integers(0, 3 if corners or d > 1 else 40)
    reach = draw(st.tuples(*[st.tuples(far, far)] * d))
    periodic = draw(st.tuples(*[st.booleans()] * d))
    size = draw(st.sampled_from((1, 3, 8)))
    stride = draw(st.tuples(*[st.sampled_from((1, 1, 1, 2, 4, 8))] * d))
    return halo(layout, reach, periodic=periodic, corners=corners, itemsize=size, stride=stride)


@st.composite
def machines(draw, n):
    ports = draw(st.integers(1, max(n, 1)) | st.just("all"))
    switching = draw(st.sampled_from(SWITCHINGS))
    packet = draw(st.none() | st.integers(1, 20))
    return gc.Machine(n, ports, switching, startup=5.0, per_byte=0.25, packet=packet)


COPIES = halo(gc.Layout.parse("(b0 || c1 c0 c1^b2 c0^b1)"), reach=1, stride=2)


# What has to arrive ---------------------------------------------------------------------------


def neighbour(exchange, element, offsets):
    """The element at some offsets, or None beyond an end."""
    found = []
    for k, (i, offset) in enumerate(zip(element, offsets, strict=True)):
        length = exchange.layout.shape[k]
        if not exchange.periodic[k] and not 0 <= i + offset < length:
            return None
        found.append((i + offset) % length)
    return tuple(found)


def nodes_of(layout):
    everywhere = itertools.product(*map(range, layout.shape))
    return {element: layout.locate(*element)[0] for element in everywhere}


def owned_by(layout):
    """The elements of every node."""
    slots = range(layout.block_size)
    nodes = range(layout.node_count)
    return {node: {layout.coordinates(node, slot) for slot in slots} for node in nodes}


def wanted(exchange, offsets):
    """(node, element) for all elements that nodes read at the offsets and do not have."""
    owned = owned_by(exchange.layout)
    far = [np.multiply(o, exchange.stride).tolist() for o in offsets]
    read = {
        (node, neighbour(exchange, element, o))
        for node, elements in owned.items()
        for element in elements
        for o in far
    }
    return {(node, e) for node, e in read if e is not None and e not in owned[node]}


def faces(exchange, axis, sign):
    """The offsets of a star along an axis on one side."""
    far = exchange.reach[axis][sign > 0]
    d = len(exchange.reach)
    return [tuple(sign * t if k == axis else 0 for k in range(d)) for t in range(1, far + 1)]


def box(exchange):
    return itertools.product(*(range(-below, above + 1) for below, above in exchange.reach))


def all_messages(exchange):
    return [m for node in range(1 << exchange.layout.n) for m in exchange.messages(node)]


def brought(message):
    return list(itertools.product(*(along.tolist() for along in message.coordinates)))


def by_side(messages):
    """(node, element) of every delivery, for each axis and side."""
    found = {}
    for m in messages:
        side = found.setdefault((m.axis, 1 if m.step > 0 else -1), [])
        side += [(m.target, element) for element in brought(m)]
    return found


@given(exchanges())
@example(COPIES)
@FEW
def test_nodes_get_what_they_read_and_nothing_else(exchange):
    messages = all_messages(exchange)
    sides = by_side(messages)
    for delivered in sides.values():
        assert len(delivered) == len(set(delivered)), "an element came twice from one side"
    if exchange.corners:
        got = {entry for delivered in sides.values() for entry in delivered}
        assert got == wanted(exchange, list(box(exchange)))
    else:
        for axis, sign in itertools.product(range(len(exchange.reach)), (-1, 1)):
            expected = wanted(exchange, faces(exchange, axis, sign))
            assert set(sides.get((axis, sign), ())) == expected
    assert exchange.elements == sum(map(len, sides.values()))


@given(exchanges())
@example(COPIES)
@FEW
def test_nodes_send_what_they_have_by_then(exchange):
    have, owned = owned_by(exchange.layout), owned_by(exchange.layout)
    messages = all_messages(exchange)
    for axis in range(len(exchange.reach)):
        now = [m for m in messages if m.axis == axis]
        for m in now:
            sent = brought(m)
            assert m.size == len(sent) > 0
            assert have[m.source].issuperset(sent)
            if not exchange.corners:
                assert owned[m.source].issuperset(sent)
        for m in now:
            have[m.target].update(brought(m))


def key(message):
    coordinates = tuple(tuple(along.tolist()) for along in message.coordinates)
    return message.axis, message.step, message.source, message.target, coordinates


@given(exchanges())
@FEW
def test_both_ends_know_the_same_messages_and_a_step_has_one_for_each_pair(exchange):
    messages = all_messages(exchange)
    nodes = range(1 << exchange.layout.n)
    assert all(m.source == node for node in nodes for m in exchange.messages(node))
    assert all(m.target == node for node in nodes for m in exchange.received(node))
    received = [m for node in nodes for m in exchange.received(node)]
    assert sorted(map(key, messages)) == sorted(map(key, received))
    assert max(Counter(key(m)[:4] for m in messages).values(), default=1) == 1


def run_length(nodes):
    """The longest blocks of neighbours, from the first element on, that are never apart."""
    divisors = (m for m in range(len(nodes), 0, -1) if len(nodes) % m == 0)
    return next(m for m in divisors if all(len(set(b)) == 1 for b in batched(nodes, m)))


def batched(values, size):
    return [values[k : k + size] for k in range(0, len(values), size)]


@pytest.mark.long
@given(exchanges())
@FEW
def test_a_step_counts_runs_to_the_nearest_element_that_reads(exchange):
    assume(max(exchange.stride) == 1 == exchange.layout.copy_count)
    nodes = nodes_of(exchange.layout)
    for m in all_messages(replace(exchange, corners=False)):
        element, sign, length = (
            brought(m)[0],
            int(np.sign(m.step)),
            exchange.layout.shape[m.axis],
        )
        line = [nodes[(*element[: m.axis], i, *element[m.axis + 1 :])] for i in range(length)]
        i, run = element[m.axis], run_length(line)
        reads = (t for t in range(1, length) if line[(i - sign * t) % length] == m.target)
        if exchange.periodic[m.axis]:
            assert (next(reads) - 1) // run + 1 == abs(m.step)
        else:
            inside = (t for t in reads if 0 <= i - sign * t < length)
            assert (next(inside) - 1) // run + 1 == abs(m.step)


# The rounds -----------------------------------------------------------------------------------


class Replay:
    """Messages on their way through the cube, moved as the rounds say."""

    def __init__(self, exchange, machine):
        self.exchange, self.machine = exchange, machine
        self.messages = all_messages(exchange)
        self.at = [m.source for m in self.messages]
        self.ended = {}

    def chosen(self, move):
        """The numbers of the messages that a move means, by the rule that Move states."""
        flip = sum(1 << d for d in move.path)
        circuit = self.machine.switching == "circuit"
        for number, m in enumerate(self.messages):
            differ = m.source ^ m.target
            fits = differ == flip if circuit else differ & flip
            if (m.axis, m.step) == (move.axis, move.step) and fits:
                yield number

    def walk(self, number, move):
        """The links of a message in this move; dimensions in one order, the lower before."""
        m, at = self.messages[number], self.at[number]
        assert at != m.target
        if self.machine.switching == "circuit":
            assert list(move.path) in (sorted(move.path), sorted(move.path)[::-1])
        else:
            (d,) = move.path
            assert (at ^ m.target) & -(at ^ m.target) == 1 << d, "the lowest that is left"
        for d in move.path:
            yield at, d
            at ^= 1 << d
        self.at[number] = at

    def round(self, made):
        """Loads, starts and stops of one round."""
        loads, starts, stops, steps = Counter(), Counter(), Counter(), {}
        moved = []
        for move in made.moves:
            owner = move.axis, move.step
            for number in self.chosen(move):
                moved.append(number)
                starts[self.at[number]] += 1
                for link in self.walk(number, move):
                    loads[link] += self.messages[number].size
                    assert steps.setdefault(link, owner) == owner
                stops[self.at[number]] += 1
        assert len(moved) == len(set(moved)), "one hop, or one path, in a round"
        if self.machine.switching != "circuit":  # what shares a link is one message
            starts = Counter(node for node, _ in loads)
            stops = Counter(node ^ 1 << d for node, d in loads)
        return loads, max([*starts.values(), *stops.values()])


def check_rounds(exchange, machine):
    """All messages arrive, and every round is what it says."""
    replay = Replay(exchange, machine)
    rounds = exchange.rounds(machine)
    for made in rounds:
        loads, busiest = replay.round(made)
        assert made.longest == max(loads.values())
        assert made.crossings == sum(loads.values())
        assert made.busiest == busiest <= machine.links_at_once
    assert replay.at == [m.target for m in replay.messages]
    if exchange.corners:
        order = [move.axis for made in rounds for move in made.moves]
        ends = [{move.axis for move in made.moves} for made in rounds]
        assert order == sorted(order)
        assert all(len(axes) == 1 for axes in ends)
    sizes = [made.longest * exchange.itemsize for made in rounds]
    expected = sum(machine.message_time(size) for size in sizes)
    assert exchange.time(machine) == pytest.approx(expected, rel=1e-12)


@given(exchanges(), st.data())
@FEW
def test_every_link_carries_what_the_round_says(exchange, data):
    check_rounds(exchange, data.draw(machines(exchange.layout.n)))


@pytest.mark.long
@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("n", "far"),
    [(2, range(4)), (3, (0, 1, 5)), pytest.param(3, range(8), marks=pytest.mark.sweep)],
)
def test_open_lines_leave_some_nodes_idle_and_the_others_keep_to_their_ports(
    n, far, code, switching
):
    """A node may have room to send and none to receive, or the other way round."""
    for reach, ports in itertools.product(itertools.product(far, far), range(1, n + 1)):
        exchange = halo(gc.Layout.nodes(n, code), [reach], periodic=False)
        check_rounds(exchange, gc.Machine(n, ports, switching))


def routes_of(messages, dims):
    """The load of the busiest link, if all take the dimensions in one order."""
    loads = Counter()
    for m in messages:
        at = m.source
        for d in dims:
            if (at ^ m.target) >> d & 1:
                loads[at, d] += m.size
                at ^= 1 << d
    return max(loads.values(), default=0)


@pytest.mark.long
@given(exchanges())
@FEW
def test_circuits_take_the_better_order(exchange):
    n = exchange.layout.n
    machine = gc.Machine(n, "all", "circuit")
    steps = Counter(
        (move.axis, move.step) for r in exchange.rounds(machine) for move in r.moves
    )
    for made in exchange.rounds(machine):
        (axis, step), *others = {(move.axis, move.step) for move in made.moves}
        if not others and len(made.moves) == steps[axis, step]:  # all of one step, alone
            alone = [m for m in all_messages(exchange) if (m.axis, m.step) == (axis, step)]
            orders = range(n), range(n)[::-1]
            assert made.longest == min(routes_of(alone, dims) for dims in orders)


@pytest.mark.parametrize("dims", [((1, 0),), ((0, 1),)], ids=["rising", "falling"])
def test_either_order_of_dimensions_can_be_the_better_one(dims):
    layout = gc.Layout.mesh((8,), nodes=(4,), whole="gray", allocation="cyclic", dims=dims)
    made = halo(layout, [(0, 3)]).rounds(gc.Machine(2, "all", "circuit"))[-1]
    paths = [move.path for move in made.moves if len(move.path) == 2]
    assert (made.longest, paths) == (1, [dims[0][::-1]])


# Closed forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("d", range(1, 11))
def test_one_exchange_costs_what_cam_87_02_charges(code, switching, d):
    """Section 8.3: s + c in Gray code and d (s + c) in binary code, for one boundary datum."""
    startup, per_element = 7.0, 0.5
    machine = gc.Machine(d, 1, switching, startup, per_element / 4)
    layout = gc.Layout.consecutive(d + 2, d, nodes=code)
    hops = d if (code, switching) == ("binary", "store-and-forward") else 1
    for reach in ((0, 1), (1, 0)):
        exchange = halo(layout, [reach], itemsize=4)
        assert exchange.time(machine) == hops * (startup + per_element)
        assert exchange.elements == 2**d
    both = halo(layout, 1, itemsize=4)
    assert both.time(machine) == 2 * hops * (startup + per_element)


@given(st.data(), st.sampled_from(CODES))
def test_a_consecutive_mesh_needs_as_many_rounds_as_the_code_dilates(data, code):
    bits = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    local = data.draw(st.tuples(*[st.integers(1, 7)] * len(bits)))
    shape = [m << b for m, b in zip(local, bits, strict=True)]
    layout = gc.Layout.mesh(shape, nodes=[1 << b for b in bits], code=code, ownership=False)
    machine = gc.Machine(layout.n)
    for axis, m in enumerate(local):
        far = data.draw(st.integers(1, m))
        reach = [(0, far) if k == axis else 0 for k in range(len(bits))]
        exchange = halo(layout, reach)
        rounds = exchange.rounds(machine)
        assert len(rounds) == gc.mesh_distances(layout, axis).dilation
        assert {made.longest for made in rounds} == {far * np.prod(local) // m}
        assert all(len(move.path) == 1 for made in rounds for move in made.moves)
        if code == "gray":
            assert rounds[0].crossings == exchange.elements
    for periodic in (True, False):
        rounds = halo(layout, local, periodic=periodic).rounds(replace(machine, ports="all"))
        pairs = sum(b == 1 and periodic for b in bits)  # two nodes meet on one link twice
        assert code == "binary" or len(rounds) == (2 if pairs else 1)


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize(("ports", "rounds"), [(1, 4), (2, 2), (3, 2), (4, 1), ("all", 1)])
def test_ports_let_shifts_run_at_once(switching, ports, rounds):
    layout = gc.Layout.mesh((512, 512), nodes=(8, 8), code="gray")
    machine = gc.Machine(6, ports, switching, startup=10.0, per_byte=1.0)
    assert halo(layout, 1).time(machine) == rounds * (10.0 + 64.0)
    turns = halo(layout, 1, corners=True).rounds(machine)
    assert [made.longest for made in turns] == ([64, 64, 66, 66] if ports == 1 else [64, 66])


def test_ports_are_free_where_nothing_is_sent():
    """At the ends of an open line, each of two nodes sends on one side only."""
    layout = gc.Layout.mesh((8,), nodes=(2,))
    assert len(halo(layout, 1, periodic=False).rounds(gc.Machine(1))) == 1
    assert len(halo(layout, 1, periodic=True).rounds(gc.Machine(1))) == 2


@pytest.mark.parametrize("code", CODES)
def test_a_reach_beyond_the_block_takes_more_steps(code):
    layout = gc.Layout.mesh((1000,), nodes=(8,), code=code, ownership=False)
    exchange = halo(layout, [(0, 300)], periodic=False)
    sizes = {(m.step, m.size) for m in all_messages(exchange)}
    assert sizes == {(1, 125), (2, 125), (3, 50)}
    assert exchange.elements == 7 * 125 + 6 * 125 + 5 * 50
    circuits = exchange.rounds(gc.Machine(3, 1, "circuit"))
    assert [{move.step for move in made.moves} for made in circuits] == [{1}, {2}, {3}]


def test_contention_of_circuits_is_charged():
    """Three words of the Gray code on, two paths meet, whatever the order of dimensions."""
    exchange = halo(gc.Layout.mesh((40,), nodes=(8,), code="gray", ownership=False), [(0, 15)])
    rounds = exchange.rounds(gc.Machine(3, 1, "circuit"))
    assert [made.longest for made in rounds] == [5, 5, 10]


def test_everything_is_read_at_most_once_from_each_side():
    layout = gc.Layout.mesh((24,), nodes=(8,), code="gray", ownership=False)
    everything = halo(layout, [(0, 10**9)])
    assert everything.elements == 24 * 7
    assert halo(layout, [(0, 23)]).elements == 24 * 7


def test_large_meshes_are_counted_without_their_elements():
    layout = gc.Layout.mesh((1024,) * 3, nodes=(16,) * 3, code="gray")
    exchange = halo(layout, 1, itemsize=8)
    assert exchange.elements == 6 * 16 * 1024**2
    assert exchange.time(gc.Machine(12)) == 6 * 64**2 * 8
    huge = gc.Layout.mesh((2**70, 3 * 2**60), nodes=(8, 8), code="gray", ownership=False)
    assert halo(huge, (1, 0), corners=True).rounds(gc.Machine(6))[0].longest == 3 * 2**57


def test_nothing_to_send():
    for exchange in (
        halo(gc.Layout.nodes(3), 0),
        halo(gc.Layout.mesh((64,), nodes=(1,)), 5, corners=True),
        halo(gc.Layout.mesh((64, 8), nodes=(1, 8)), (1, 0)),
    ):
        machine = gc.Machine(exchange.layout.n, "all")
        assert (exchange.elements, exchange.rounds(machine), exchange.time(machine)) == (
            0,
            (),
            0,
        )
        assert exchange.messages(0) == exchange.received(0) == ()


def test_an_axis_may_be_long_where_nothing_is_sent_along_it():
    whole = gc.Layout.mesh((2**40, 8), nodes=(1, 8))
    assert halo(whole, 1, corners=True).elements == 16 * 2**40
    layout = gc.Layout.mesh((2**40, 8), nodes=(4, 8), code="gray", allocation="cyclic")
    assert halo(layout, (0, 1)).elements == 16 * 2**40


# Borders --------------------------------------------------------------------------------------

LAYOUT = gc.Layout.mesh((64, 32), nodes=(8, 4))
MIXED = gc.Layout.parse("(b0:0 || b0:0^b1:0)")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: halo("layout", 1), InvalidTypeError),
        (lambda: halo(LAYOUT, -1), InvalidValueError),
        (lambda: halo(LAYOUT, 1.0), InvalidTypeError),
        (lambda: halo(LAYOUT, (True, 1)), InvalidTypeError),
        (lambda: halo(LAYOUT, (1,)), InvalidValueError),
        (lambda: halo(LAYOUT, (1, 2, 3)), InvalidValueError),
        (lambda: halo(LAYOUT, (1, (1, 2, 3))), InvalidValueError),
        (lambda: halo(LAYOUT, (1, (0, -1))), InvalidValueError),
        (lambda: halo(LAYOUT, 2**32 + 1), InvalidValueError),
        (lambda: halo(LAYOUT, 1, periodic=1), InvalidTypeError),
        (lambda: halo(LAYOUT, 1, periodic=(True,)), InvalidValueError),
        (lambda: halo(LAYOUT, 1, corners=None), InvalidTypeError),
        (lambda: halo(LAYOUT, 1, itemsize=0), InvalidValueError),
        (lambda: halo(MIXED, 0), InvalidValueError),
        (lambda: halo(gc.Layout.cyclic(23, 4), 1), InvalidValueError),
        (lambda: halo(gc.Layout.cyclic(22, 4), 2), InvalidValueError),
        (lambda: halo(LAYOUT, 1).messages(32), OutOfRangeError),
        (lambda: halo(LAYOUT, 1).received(-1), OutOfRangeError),
        (lambda: halo(LAYOUT, 1).messages(1.5), InvalidTypeError),
        (lambda: halo(gc.Layout.consecutive(40, 4), 1).messages(0), InvalidValueError),
        (lambda: halo(LAYOUT, 1).time(gc.Machine(4)), InvalidValueError),
        (lambda: halo(LAYOUT, 1).rounds("cm5"), InvalidValueError),
    ],
)
def test_errors_name_the_value_the_limit_and_the_next_step(call, error):
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, GraycubeError)
    assert all(caught.value.args)
    assert len(str(caught.value)) < 300


def test_limits_are_within_reach():
    assert halo(LAYOUT, 2**32).elements > 0
    assert isinstance(halo(gc.Layout.cyclic(22, 4), [(0, 1)]), Halo)
    layout = gc.Layout.mesh((2**20,), nodes=(16,))
    assert halo(layout, [(0, 2**20)]).elements == 15 * 2**20


def test_halos_are_values():
    one, other = (halo(LAYOUT, reach) for reach in (1, [(1, 1), 1]))
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == "<Halo of (64, 32) on 32 nodes: reach 1 1, faces, 1024 elements sent>"
