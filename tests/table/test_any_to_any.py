"""Any layout to any other, by every candidate: proved, followed, and priced by hand."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from schedule_cases import blocks_of, longest_messages
from strategies import AxisSpec, MeshSpec, affine_map, affine_parts, codings, wirings
from sweeping import examples, larger

import graycube as gc
from graycube.cost import lower_bounds, simulate
from graycube.gf2 import AffineMap, Matrix
from graycube.planning.candidate import all_candidates
from graycube.run.local import apply
from graycube.schedule import dump, expand, load
from graycube.table.exchanges import dimension_exchange, pipeline
from graycube.verify import check_algebra, check_elements

MANY = settings(max_examples=examples(100))
FOLLOWED = larger(1 << 10, 1 << 12)  # elements that are followed one by one
CIRCUIT, HOPS = "circuit", "store-and-forward"
MORE = 1 + 1e-12  # floating-point sums of the same figures


@st.composite
def machines(draw, n):
    """One, two or all ports; both kinds of switching; with and without start-up and packets."""
    return gc.Machine(
        dims=n,
        ports=draw(st.sampled_from([1, min(2, max(n, 1)), "all"])),
        switching=draw(st.sampled_from([CIRCUIT, HOPS])),
        startup=draw(st.sampled_from([0.0, 1.0, 20.0, 400.0])),
        packet=draw(st.sampled_from([None, None, 2, 16])),
    )


@st.composite
def affine_layouts(draw, most):
    """Two entirely random layouts of one size."""
    n = draw(st.sampled_from([3, 4, 2, 5, 1, 6, 7, 0]))
    p = n + draw(st.sampled_from(range(min(most - n, 7), -1, -1)))
    return tuple(gc.Layout(affine_map(*draw(affine_parts(p))), n) for _ in range(2))


@st.composite
def meshes(draw, most):
    """Two layouts of one mesh: other axes distributed, other codes, other dimensions."""
    axes = draw(st.integers(1, 3))
    bits = [draw(st.sampled_from([3, 2, 4, 5, 1, 0])) for _ in range(axes)]
    extents = [draw(st.sampled_from([1, 1, 3])) for _ in range(axes)]
    total = min(sum(bits), most)
    n = draw(st.sampled_from(range(min(total, 7), -1, -1)))

    def one():
        left, room, made = n, sum(bits), []
        for k, count in enumerate(bits):
            room -= count
            taken = draw(st.integers(max(0, left - room), min(left, count)))
            made.append(draw(codings(count, extents[k], taken)))
            left -= taken
        return MeshSpec(tuple(made), draw(wirings(made)))

    return one().layout(), one().layout()


@st.composite
def cases(draw, most=9):
    """A task and a machine."""
    pairs = st.one_of(affine_layouts(most), meshes(most))
    source, target = draw(pairs.filter(lambda pair: pair[0].axes == pair[1].axes))
    payload = draw(st.sampled_from([1, 2, 3, 4, 5, 8]))
    itemsize = draw(st.sampled_from([1, 8]))
    task = gc.Task(source, target, source.block_size * payload, itemsize)
    return task, draw(machines(task.n))


def emitted(task, machine):
    return [c for c in all_candidates(task, machine) if c.traffic is not None]


def time_by_hand(moves, machine):
    size = moves.task.itemsize
    sizes = sorted(longest_messages(moves).values())
    total = 0.0
    for amount in sizes:
        nbytes = amount * size
        packets = 1 if machine.packet is None else -(-nbytes // machine.packet)
        total += packets * machine.startup + nbytes * machine.per_byte
    return total


@pytest.mark.long
@given(cases(most=larger(8, 9)))
@MANY
def test_every_candidate_is_proved_followed_and_moves_the_data(case):
    task, machine = case
    before, after = blocks_of(task)
    for candidate in emitted(task, machine):
        schedule = candidate.traffic.schedule
        assert check_algebra(schedule, machine), schedule.algorithm
        assert np.array_equal(apply(schedule, before), after), schedule.algorithm
        assert load(dump(schedule)) == schedule
        if task.block << task.n > FOLLOWED:
            continue
        moves = expand(schedule)
        assert check_elements(moves, machine), schedule.algorithm
        assert candidate.traffic.crossings == len(moves)


@given(cases(most=larger(8, 9)))
@MANY
def test_prices_are_those_of_the_moves(case):
    """Exactly, but for pipelines: no round of theirs is longer than it is charged."""
    task, machine = case
    if task.block << task.n > FOLLOWED:
        return
    for candidate in emitted(task, machine):
        traffic = candidate.traffic
        moves = expand(traffic.schedule)
        by_hand = time_by_hand(moves, machine)
        steps = [step for way in traffic.schedule.ways for step in way.steps]
        waiting = any(c.delays for step in steps for c in step.crossings)
        if candidate.algorithm.name == "pipeline" and waiting:
            (charged,) = traffic.rounds or (None,)
            longest = longest_messages(moves)
            assert all(amount <= charged.longest for amount in longest.values())
            assert len(longest) <= (charged.times if charged else 0)
            assert by_hand <= candidate.cost * MORE
        else:
            assert candidate.cost == pytest.approx(by_hand, rel=1e-12)
            assert traffic.cycles == sum(longest_messages(moves).values())


@pytest.mark.long
@given(cases(most=larger(9, 14)))
@settings(max_examples=larger(12, 400))
def test_no_plan_is_dearer_than_all_to_all_or_cheaper_than_its_bound(case):
    task, machine = case
    found = emitted(task, machine)
    bound = max(b.seconds for b in lower_bounds(task, machine))
    moving = [c for c in found if c.traffic.schedule.relabel is None]
    assert all(bound <= c.cost * MORE for c in moving)
    if not moving:
        return
    ends = (task.source, task.target, task.block)
    plan = gc.plan(*ends, itemsize=task.itemsize, machine=machine)
    simple = [c.cost for c in found if c.algorithm.name in ("all-to-all", "direct", "gb1")]
    assert plan.cost == min(c.cost for c in moving)
    assert plan.cost <= min(simple)
    assert plan.lower_bound <= plan.cost * MORE


@pytest.mark.long
@given(cases())
@MANY
def test_new_rank_numbers_are_never_the_dearer_way(case):
    """What is left after renumbering costs no more than the whole, and moves fewer bits."""
    task, machine = case
    found = {c.algorithm.name: c for c in emitted(task, machine)}
    others = [c.cost for name, c in found.items() if name in ("exchange", "gb1")]
    if "relabel" in found and others:
        schedule = found["relabel"].traffic.schedule
        assert schedule.relabel is not None
        assert schedule.relabel != AffineMap.identity(task.p) or schedule.cycles == 0
        assert found["relabel"].cost <= min(others) * MORE


def candidate_of(name, task, **costs):
    machine = gc.Machine(dims=task.n, **costs)
    found = {c.algorithm.name: c for c in emitted(task, machine)}
    assert check_algebra(found[name].traffic.schedule, machine)
    return found[name].traffic


def bound_of(task, **costs):
    return max(b.seconds for b in lower_bounds(task, gc.Machine(dims=task.n, **costs)))


def matrix_transpose(a, b, n, payload=1):
    """A 2^a x 2^b matrix from rows to columns, on 2^n nodes that hold whole ones."""
    shape = (1 << a, 1 << b)
    rows = gc.Layout.mesh(shape, nodes=(1 << n, 1))
    columns = gc.Layout.mesh(shape, nodes=(1, 1 << n))
    return gc.Task(rows, columns, payload << a + b - n)


TRANSPOSES = [(a, b, n) for n in range(1, 6) for a in (n, n + 1, 6) for b in (n, n + 2)
              if a >= n]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "n"), TRANSPOSES)
def test_a_transpose_takes_half_a_block_for_every_dimension_on_one_port(a, b, n):
    """K n / 2 cycles: optimal, because every element crosses n / 2 links (TR-20-92 Lemma 3)."""
    task = matrix_transpose(a, b, n)
    traffic = candidate_of("exchange", task)
    assert (traffic.nonempty, traffic.cycles) == (n, n * task.block // 2)
    assert bound_of(task) == traffic.cycles


@pytest.mark.parametrize(("a", "b", "n"), TRANSPOSES)
def test_a_transpose_by_all_to_all_has_a_message_for_each_other_node(a, b, n):
    """(2^n - 1) K / 2^n cycles on circuits: all that leaves a node, so none has fewer."""
    task = matrix_transpose(a, b, n)
    traffic = candidate_of("all-to-all", task, switching=CIRCUIT)
    others = (1 << n) - 1
    assert (traffic.nonempty, traffic.cycles) == (others, others * task.block >> n)
    assert {r.longest for r in traffic.rounds} == {task.block >> n}
    assert bound_of(task, switching=CIRCUIT) == traffic.cycles


@pytest.mark.long
@pytest.mark.parametrize(("a", "b", "n"), [t for t in TRANSPOSES if t[2] > 1])
def test_a_transpose_on_all_ports_takes_half_a_block_and_the_fill(a, b, n):
    """K / 2 is the bound of the bisection; the pipeline adds the time of the way to the end."""
    task = matrix_transpose(a, b, n)
    traffic = candidate_of("pipeline", task, ports="all")
    assert bound_of(task, ports="all") == task.block / 2
    assert task.block // 2 <= traffic.cycles <= task.block // 2 + n - 1


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("payload", [1, 2, 7])
def test_cyclic_to_consecutive_is_a_transpose(n, payload):
    for slots in (n, n + 2):
        task = gc.Task(
            gc.Layout.cyclic(n + slots, n),
            gc.Layout.consecutive(n + slots, n),
            payload << slots,
        )
        traffic = candidate_of("exchange", task)
        assert (traffic.nonempty, traffic.cycles) == (n, n * task.block // 2)
        assert traffic.cycles == bound_of(task)  # links: TR-20-92 Lemma 3


@pytest.mark.parametrize("slots", range(1, 5))
def test_fewer_slots_than_dimensions_leave_some_dimensions_alone(slots):
    """Cyclic to consecutive with s < n slot bits: s node bits go out, the others move up."""
    n = 5
    task = gc.Task(gc.Layout.cyclic(n + slots, n), gc.Layout.consecutive(n + slots, n),
                   1 << slots)  # fmt: skip
    traffic = candidate_of("all-to-all", task, switching=CIRCUIT)
    assert traffic.schedule.rounds.step == 1
    assert bound_of(task, switching=CIRCUIT) <= traffic.cycles
    before, after = blocks_of(task)
    assert np.array_equal(apply(traffic.schedule, before), after)


def bit_task(order, n, payload=1, constant=0):
    """The task that moves address bits: bit j of the source becomes bit order[j]."""
    p = len(order)
    nodes = gc.Layout(AffineMap.identity(p), n)
    move = AffineMap(Matrix.permutation(order), constant)
    return gc.Task(nodes, move @ nodes, payload << p - n)


@pytest.mark.parametrize("p", range(2, 11))
def test_a_bit_reversal_trades_the_bits_that_nodes_and_slots_exchange(p):
    """With n = p / 2 node bits all of them are traded: K n / 2, which meets the link bound."""
    n = p // 2
    order = [*range(p)][::-1]
    task = bit_task(order, n)
    assert [task.move(1 << j) for j in range(p)] == [1 << p - 1 - j for j in range(p)]
    traffic = candidate_of("exchange", task)
    assert (traffic.nonempty, traffic.cycles) == (n, n * task.block // 2)
    assert traffic.cycles == bound_of(task)


@pytest.mark.parametrize("p", range(3, 9))
@pytest.mark.parametrize("way", [1, -1])
def test_a_perfect_shuffle_crosses_every_dimension_once(p, way):
    """Each bit moves one place up, around: all n node bits change.

    The links bound n K / 2 (TR-20-92 Lemma 3) is met: each dimension is crossed by half.
    """
    for n in range(1, p):
        task = bit_task([(j + way) % p for j in range(p)], n)
        traffic = candidate_of("exchange", task)
        assert bound_of(task) == n * task.block / 2
        assert n * task.block // 2 <= traffic.cycles <= (n + 1) * task.block // 2
        before, after = blocks_of(task)
        assert np.array_equal(apply(traffic.schedule, before), after)


@pytest.mark.parametrize("half", range(1, 4))
@pytest.mark.parametrize("payload", [2, 6])
def test_a_transpose_of_a_node_mesh_exchanges_pairs_of_dimensions(half, payload):
    """Block (i, j) to node (j, i), on n = 2 half dimensions.

    One port: K n / 2 is the bound of the links, and K + n - 1 that of a path over all of them.
    Three exchanges of half blocks swap two dimensions: half a block more than the links need.
    """
    n = 2 * half
    order = [*range(half, n), *range(half)]
    task = bit_task(order, n, payload)
    assert bound_of(task) == max(n * payload / 2, payload + n - 1)
    traffic = candidate_of("half-exchange", task)
    assert traffic.cycles == 3 * half * payload // 2
    whole = candidate_of("exchange", task)
    assert whole.cycles == 3 * half * payload
    direct = candidate_of("all-to-all", task, switching=CIRCUIT)
    assert bound_of(task, switching=CIRCUIT) == payload  # some node sends all it has
    assert direct.cycles == payload  # and in one turn it does
    for other in (traffic, whole, direct):
        before, after = blocks_of(task)
        assert np.array_equal(apply(other.schedule, before), after)


@pytest.mark.parametrize("payload", [1, 3, 4, 6])
def test_permutations_of_nodes_move_whole_blocks_or_halves(payload):
    """One port: an odd block has no halves, an even one takes half a block for a trade more."""
    task = bit_task([1, 2, 0], 3, payload)
    machine = gc.Machine(dims=3)
    found = {c.algorithm.name: c for c in emitted(task, machine)}
    assert found["relabel"].cost == 0
    assert ("half-exchange" in found) == (payload % 2 == 0)
    plan = gc.plan(task.source, task.target, payload, machine=machine)
    assert plan.verify()
    assert plan.lower_bound == ceil(payload * 3 / 2) or plan.lower_bound >= payload * 2
    before, after = blocks_of(task)
    assert np.array_equal(plan.apply(before), after)


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("switching", [HOPS, CIRCUIT])
def test_a_complement_sends_everything_over_one_dimension(n, switching):
    """K cycles: everything crosses that dimension, which is the bound of the bisection."""
    for d in range(n):
        for slots in (0, 2):
            task = bit_task([*range(n + slots)], n, 3, constant=1 << d)
            plan = gc.plan(task.source, task.target, task.block,
                           machine=gc.Machine(dims=n, switching=switching))  # fmt: skip
            assert (plan.rounds, plan.cycles) == (1, task.block)
            assert plan.cost == plan.lower_bound
            assert set(plan.moves().dimension.tolist()) == {d}


def test_complements_of_all_bits_take_one_circuit():
    """One round of K; hop by hop K for each dimension. Both are bounds: leaving, and links."""
    for n in range(1, 6):
        task = bit_task([*range(n)], n, 4, constant=(1 << n) - 1)
        for switching, cycles in ((CIRCUIT, 4), (HOPS, 4 * n)):
            plan = gc.plan(task.source, task.target, 4,
                           machine=gc.Machine(dims=n, switching=switching))  # fmt: skip
            assert plan.cycles == cycles == plan.lower_bound


@st.composite
def large_meshes(draw, n=20, p=30):
    """A mesh of 2^30 points on 2^20 nodes, distributed in two ways."""
    first = draw(st.integers(5, p - 5))
    specs = []
    for _ in range(2):
        taken = draw(st.integers(max(0, n - (p - first)), min(n, first)))
        axes = []
        for bits, nodes in ((first, taken), (p - first, n - taken)):
            code = st.sampled_from(["binary", "gray"])
            allocation = draw(st.sampled_from(["consecutive", "cyclic"]))
            axes.append(AxisSpec(bits, 1, nodes, allocation, draw(code), draw(code), None))
        specs.append(MeshSpec(tuple(axes), draw(wirings(axes))))
    return specs


@given(large_meshes(), st.sampled_from([1, 2, "all"]), st.sampled_from([HOPS, CIRCUIT]))
@settings(max_examples=examples(4))
def test_plans_for_a_million_nodes_are_proved(specs, ports, switching):
    source, target = (spec.layout() for spec in specs)
    machine = gc.Machine(dims=20, ports=ports, switching=switching, startup=100.0)
    plan = gc.plan(source, target, 1 << 10, machine=machine)
    assert plan.verify()
    assert plan.lower_bound <= plan.cost * MORE
    assert load(dump(plan.schedule)) == plan.schedule
    assert simulate(plan.schedule).time(machine) == plan.cost
    assert "lower bound" in plan.explain()


@MANY
@given(st.data())
def test_a_pipeline_left_out_on_one_port_would_send_for_as_long_as_exchange(data):
    layouts = data.draw(affine_layouts(8))
    machine = gc.Machine(dims=layouts[0].n)
    task = gc.Task(*layouts, layouts[0].block_size * data.draw(st.sampled_from([1, 2, 4, 6])))
    if pipeline.applicable(task, machine) == "on one port it is exchange":
        cycles = dimension_exchange.emit(task, machine).cycles
        assert pipeline.emit(task, machine).cycles >= cycles
