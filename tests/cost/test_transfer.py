"""Lower bounds: the distances behind them by brute force, and no candidate beats them."""

from itertools import product
from math import comb, isfinite

import pytest
from hypothesis import given, settings, strategies as st
from strategies import affine_map, affine_parts, gray_word
from sweeping import examples, larger

import graycube as gc
from graycube.cost import lower_bounds, simulate
from graycube.gf2 import AffineMap, Matrix
from graycube.schedule import Way, expand, hop
from graycube.verify import check_algebra, check_elements


def distances(n):
    return [(i ^ gray_word(i, n)).bit_count() for i in range(1 << n)]


def bound(task, name, **machine):
    """One bound in seconds, on a machine of the task's size."""
    found = lower_bounds(task, gc.Machine(dims=task.n, **machine))
    return next((b.seconds for b in found if b.name == name), 0.0)


def conversion(n, block, direction=("gray", "binary"), itemsize=1):
    return gc.Task(*(gc.Layout.nodes(n, code) for code in direction), block, itemsize)


@pytest.mark.parametrize("n", range(2, 11))
def test_lemma_2_distances_are_binomial(n):
    found = distances(n)
    assert [found.count(j) for j in range(n + 1)] == [2 * comb(n - 1, j) for j in range(n + 1)]


@pytest.mark.parametrize("direction", [("gray", "binary"), ("binary", "gray")])
@pytest.mark.parametrize("n", range(2, 11))
def test_lemma_3_is_the_sum_and_the_largest_of_the_distances(n, direction):
    task = conversion(n, 6, direction)
    assert sum(distances(n)) == (n - 1) << (n - 1)
    assert bound(task, "links") == (n - 1) * 3 == sum(distances(n)) * 6 / 2**n
    startups = bound(task, "start-ups", startup=7.0, per_byte=0.0)
    assert startups == 7.0 * (n - 1) == 7.0 * max(distances(n))


@pytest.mark.parametrize("direction", [("gray", "binary"), ("binary", "gray")])
@pytest.mark.parametrize("n", [13, 20, 40, 100])
def test_lemma_3_holds_at_any_size(n, direction):
    task = conversion(n, 6, direction)
    assert bound(task, "links") == (n - 1) * 3
    assert bound(task, "start-ups", startup=1.0, per_byte=0.0) == n - 1


def test_the_largest_distance_is_found_among_too_many_to_try():
    """Every second node bit trades places with the next, and all are turned over."""
    n = 28
    turned = AffineMap(Matrix.permutation([j ^ 1 for j in range(n)]), 2**n - 1)
    task = gc.Task(gc.Layout.nodes(n), turned @ gc.Layout.nodes(n), 1)
    assert bound(task, "start-ups", startup=1.0, per_byte=0.0) == n


@pytest.mark.parametrize("n", range(2, 9))
def test_theorem_3_shares_the_links_among_all_ports(n):
    """TR-20-91: (1 - 1/n) K / 2."""
    task = conversion(n, 12 * n)
    assert bound(task, "links", ports="all") == pytest.approx((n - 1) * 6, rel=1e-12)


@st.composite
def affine_tasks(draw):
    """Any two placements of up to 2^7 elements."""
    p = draw(st.integers(1, 7))
    n = draw(st.integers(0, p))
    source, target = (gc.Layout(affine_map(*draw(affine_parts(p))), n) for _ in range(2))
    payload = draw(st.integers(1, 3))
    return gc.Task(source, target, payload << (p - n), draw(st.integers(1, 9)))


def travelled(task):
    """Hops that the content of every machine address has to go, node by node."""
    hops = [[] for _ in range(1 << task.n)]
    for i in range(1 << task.p):
        (here, _), (there, _) = task.source.locate(i), task.target.locate(i)
        hops[here].append((here ^ there).bit_count())
    return hops


@given(affine_tasks())
def test_mean_and_largest_distance_of_any_placement(task):
    hops = [distance for of_node in travelled(task) for distance in of_node]
    mean = sum(hops) / len(hops)
    assert bound(task, "links") == pytest.approx(task.block_bytes * mean, rel=1e-12)
    assert bound(task, "start-ups", startup=1.0, per_byte=0.0) == max(hops)


@given(affine_tasks())
def test_what_leaves_a_node_is_at_most_what_some_node_sends(task):
    shares = [sum(map(bool, hops)) / len(hops) for hops in travelled(task)]
    leaving = bound(task, "leaving a node") / task.block_bytes
    mean = sum(shares) / len(shares)
    assert mean * (1 - 1e-12) <= leaving <= max(shares) * (1 + 1e-12)
    if all(share in (0, 1) for share in shares):
        assert leaving in (mean, max(shares))


@given(affine_tasks())
def test_nothing_is_bounded_exactly_when_nothing_moves(task):
    rests = not any(map(any, travelled(task)))
    names = [b.name for b in lower_bounds(task, gc.Machine(dims=task.n))]
    assert (names == ["nothing moves"]) == rests


COSTS = st.floats(0, 1e6, allow_subnormal=False)


@st.composite
def machines(draw, n):
    """Every switching, number of ports, cost and packet size."""
    return gc.Machine(
        dims=n,
        ports=draw(st.integers(1, max(1, n)) | st.just("all")),
        switching=draw(st.sampled_from(("store-and-forward", "circuit"))),
        startup=draw(COSTS),
        per_byte=draw(COSTS),
        packet=draw(st.none() | st.integers(1, 300)),
    )


@pytest.mark.long
@given(
    st.data(), st.integers(2, larger(6, 8)), st.integers(1, 200), st.sampled_from((1, 4, 16))
)
@settings(max_examples=examples(60))
def test_no_candidate_beats_a_bound(data, n, block, itemsize):
    direction = data.draw(st.permutations(("gray", "binary")))
    source, target = (gc.Layout.nodes(n, code) for code in direction)
    machine = data.draw(machines(n))
    plan = gc.plan(source, target, block, itemsize=itemsize, machine=machine)
    assert plan.lower_bound == max(b.seconds for b in plan.bounds)
    for candidate in plan.candidates:
        if candidate.reason is None and candidate.algorithm.name != "relabel":
            assert plan.lower_bound <= candidate.cost * (1 + 1e-9)


@pytest.mark.long
@given(st.data(), affine_tasks())
@settings(max_examples=examples(100))
def test_no_candidate_beats_a_bound_of_any_task(data, task):
    machine = data.draw(machines(task.n))
    parts = task.source, task.target, task.block
    plan = gc.plan(*parts, itemsize=task.itemsize, machine=machine)
    for candidate in plan.candidates:
        if candidate.reason is None and candidate.algorithm.name != "relabel":
            assert plan.lower_bound <= candidate.cost * (1 + 1e-9), candidate


@pytest.mark.parametrize("block", [1, 4])
def test_what_passes_the_checks_does_not_beat_a_bound(block):
    """All exchanges in one round, every hop a cycle after the one before."""
    task, machine = conversion(4, block), gc.Machine(dims=4, ports="all", startup=5.0)
    steps = enumerate(gc.gray_to_binary(4))
    strand = Way(0, block, tuple(hop(k, exchange, 4) for k, exchange in steps))
    schedule = gc.Schedule(task, "pipeline", (0,), block + 2, (strand,))
    proved = check_algebra(schedule, machine) and check_elements(expand(schedule), machine)
    bounds = lower_bounds(task, machine)
    dearer = simulate(schedule).time(machine) >= max(b.seconds for b in bounds)
    assert dearer or not proved


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
@pytest.mark.parametrize(("startup", "per_byte"), [(0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("n", [2, 3])
def test_no_candidate_beats_a_bound_on_the_smallest_cubes(n, startup, per_byte, switching):
    for ports, block in product(range(1, n + 1), (1, 2, 3, 5, 8)):
        machine = gc.Machine(n, ports, switching, startup, per_byte)
        layouts = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
        plan = gc.plan(*layouts, block, machine=machine)
        costs = [c.cost for c in plan.candidates if c.algorithm.name != "relabel"]
        assert plan.lower_bound <= min(costs)


def cycle_outcomes(places, ports, links=frozenset()):
    """Where the elements of a 2-cube can be after one more cycle, links and ports obeyed."""
    if not places:
        yield ()
        return
    u, *others = places
    for v in (u, u ^ 1, u ^ 2):
        more = links if v == u else links | {(u, v)}
        sends, receipts = ([link[k] for link in more] for k in (0, 1))
        fits = sends.count(u) <= ports and receipts.count(v) <= ports
        if v == u or (fits and (u, v) not in links):
            yield from ((v, *rest) for rest in cycle_outcomes(others, ports, more))


@pytest.mark.parametrize("ports", [1, 2])
@pytest.mark.parametrize("block", [1, 2])
def test_an_exhaustive_search_of_the_2_cube_finds_nothing_below_the_bound(block, ports):
    """One port needs K cycles and two need K / 2 + 1 (TR-20-91 section 3), for K > 1."""
    code = [gray_word(i, 2) for i in range(4)]
    start = tuple(u for u in code for _ in range(block))
    end = tuple(i for i in range(4) for _ in range(block))
    after, before = (set(cycle_outcomes(places, ports)) for places in (start, end))
    cycles = 1 if end in after else 2
    assert cycles == block
    assert not after.isdisjoint(before)  # a cycle run backwards is a cycle
    bounds = lower_bounds(conversion(2, block), gc.Machine(dims=2, ports=ports))
    assert max(b.seconds for b in bounds) <= cycles


@pytest.mark.parametrize(
    ("startup", "per_byte"), [(0.0, (1e100, 5e-324)), (0.0, (1e-9, 1e-320)), (1e100, 5e-324)]
)
@pytest.mark.parametrize("switching", ["circuit", "store-and-forward"])
def test_bounds_are_finite_whatever_links_cost(startup, per_byte, switching):
    """The slow link is worth more bytes of the fast one than floats can count."""
    machine = gc.Machine(2, 1, switching, startup, per_byte)
    transpose = gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2), block=4)
    for task in (conversion(2, 64), transpose):
        assert all(isfinite(found.seconds) for found in lower_bounds(task, machine))
