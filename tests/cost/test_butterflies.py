"""The bound of butterflies: its counting by brute force, its rule on schedules, its optima."""

import itertools
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from kept import TOOLS, rows
from strategies import affine_map, affine_parts
from sweeping import examples, sweep

import graycube as gc
from graycube.cost import butterfly_cycles, spread
from graycube.errors import InvalidValueError
from graycube.schedule import expand
from graycube.table.networks import sided

OPEN = {("4", "8"), ("5", "8"), ("5", "16"), ("6", "4"), ("6", "8"), ("6", "16"), ("6", "32")}


@pytest.fixture(scope="module")
def scripts():
    """The scripts, which import one another by name."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(TOOLS / "tr_764")
        import least_program  # noqa: PLC0415
        import least_transfers  # noqa: PLC0415

        yield least_program, least_transfers
    for name in set(sys.modules) - before:
        if (TOOLS / "tr_764" / f"{name}.py").exists():
            del sys.modules[name]


# How many nodes are near all of a set.


@pytest.mark.parametrize("n", range(1, 5))
def test_no_set_of_nodes_has_more_near_all_of_it(n):
    """All sets of nodes; and some set has as many."""
    nodes = np.arange(1 << n)
    distance = np.bitwise_count(nodes[:, None] ^ nodes)
    sets = np.arange(1, 1 << (1 << n))
    size = np.bitwise_count(sets)
    for late in range(n):
        near = ((distance <= late) << nodes).sum(axis=1)
        shared = np.full(len(sets), (1 << (1 << n)) - 1)
        for u in range(1 << n):
            shared &= np.where(sets >> u & 1, near[u], -1)
        most = np.bitwise_count(shared)
        for s in range(1, (1 << n) + 1):
            assert spread.near_all(n, s)[late] == most[size == s].max()


def test_leaving_out_the_rest_of_a_ball_never_raises_the_bound(monkeypatch):
    exact = {(n, s): spread.near_all(n, s) for n in (5, 8) for s in range(1, 1 << n)}
    monkeypatch.setattr(spread, "EXACT", 0)
    for (n, s), counts in exact.items():
        assert all(a <= b for a, b in zip(counts, spread.near_all(n, s), strict=True))
    assert exact[8, 100] != spread.near_all(8, 100)
    assert spread.near_all(2000, 2**1990)[0] == 0


# The rule, on what schedules do.


def crossings_left(moves, stages):
    """How many pairs of the first remote stage cross a dimension last, by cycles left.

    For each dimension that tells these pairs apart.
    """
    task = moves.task
    nodes = (1 << task.n) - 1
    word = np.arange(1 << task.p)
    address = np.array([task.source.map(int(w)) for w in word])
    element = (address & nodes) * task.block + (address >> task.n)
    first = next(bit for bit in stages if task.source.node_change(1 << bit))
    other = np.empty_like(element)
    other[element] = element[word ^ 1 << first]
    where = np.zeros((len(element), moves.cycles + 1), dtype=np.int64)
    where[:, 0] = np.arange(len(element)) // task.block
    where[moves.element, moves.cycle + 1] ^= 1 << moves.dimension.astype(np.int64)
    where = np.bitwise_xor.accumulate(where, axis=1)
    meets = (where == where[other]).argmax(axis=1)
    for d in range(task.n):
        if task.source.node_change(1 << first) >> d & 1:
            apart = (where ^ where[other]) >> d & 1
            last = [np.flatnonzero(apart[e, : meets[e] + 1])[-1] for e in element]
            pair = element < other[element]
            yield np.bincount(moves.cycles - 1 - np.array(last)[pair], minlength=task.n)


def assert_the_last_cycles_carry_no_more(moves, stages):
    n, p, block = moves.task.n, moves.task.p, moves.task.block
    remote = [bool(moves.task.source.node_change(1 << bit)) for bit in stages]
    joined = 1 << p - remote.index(True)
    networks = (block << n) // joined
    room = spread.near_all(n, -(-joined // block))
    for counts in crossings_left(moves, stages):
        assert counts.sum() == block << n - 1
        for late in range(n):
            assert counts[late] <= min(1 << n, networks * room[late])


@pytest.mark.parametrize("kind", ["cyclic", "consecutive"])
@pytest.mark.parametrize("code", ["binary", "gray"])
def test_no_schedule_crosses_later_than_the_rule_says(kind, code):
    for n, m, descending in itertools.product((2, 3, 4), (2, 3), (True, False)):
        layout = getattr(gc.Layout, kind)(n + m, n, nodes=code)
        for radix in (1, 2):
            made = gc.emulation(layout, method=gc.Method(radix=radix), descending=descending)
            stages = sorted(range(n + m), reverse=descending)
            assert_the_last_cycles_carry_no_more(expand(made), stages)


def test_the_rule_leaves_no_room_in_the_fastest_schedules():
    """A crossing later than the rule says would make them faster than the bound."""
    for n, m in ((4, 3), (5, 3), (6, 4)):
        layout, stages = gc.Layout.cyclic(n + m, n), tuple(range(n + m))[::-1]
        moves = expand(sided(gc.Task(layout, layout, 1 << m, stages=stages, free=True)))
        assert_the_last_cycles_carry_no_more(moves, range(n + m - 1, -1, -1))
        assert moves.cycles == butterfly_cycles(moves.task.source, 0, 1 << m, n)


# The bound.


def test_the_bound_is_half_a_block_and_a_cycle_for_each_halving_of_the_network():
    for n in range(1, 7):
        for m in range(1, n + 3):
            layout = gc.Layout.cyclic(n + m, n, nodes="gray")
            found = butterfly_cycles(layout, 0, 1 << m, n)
            assert found == (1 << m - 1) + max(n - m, 0)


def test_with_many_dimensions_it_grows_with_most_of_them():
    for n, m, more in ((10, 6, 3), (20, 6, 10), (40, 10, 20), (100, 10, 68)):
        layout = gc.Layout.cyclic(n + m, n, nodes="gray")
        assert butterfly_cycles(layout, 0, 1 << m, n) == (1 << m - 1) + more


def test_stages_in_memory_that_come_last_wait_for_all_nodes():
    """What is joined by them ends everywhere, n links away from somewhere."""
    for n, m in itertools.product(range(1, 6), range(1, 5)):
        layout = gc.Layout.consecutive(n + m, n, nodes="gray")
        down, up = range(n + m - 1, -1, -1), range(n + m)
        assert butterfly_cycles(layout, 0, 1 << m, n, down) == (1 << m - 1) + n
        in_any_order = butterfly_cycles(layout, 0, 1 << m, n)
        assert butterfly_cycles(layout, 0, 1 << m, n, up) == in_any_order


def test_the_stages_are_all_of_the_axis():
    layout = gc.Layout.cyclic(5, 3)
    for wrong in ([4, 3, 2, 1], [4, 4, 3, 2, 1], [5, 3, 2, 1, 0], [-1, 3, 2, 1, 0]):
        with pytest.raises(InvalidValueError, match="the axis has the index bits"):
            butterfly_cycles(layout, 0, 4, 3, wrong)


@settings(max_examples=examples(60))
@given(data=st.data(), descending=st.booleans())
def test_no_emulation_on_any_layout_is_below_the_bound(data, descending):
    p = data.draw(st.integers(2, 8))
    n = data.draw(st.integers(1, p - 1))
    layout = gc.Layout(affine_map(*data.draw(affine_parts(p))), n)
    try:
        made = gc.emulation(layout, descending=descending)
    except InvalidValueError:  # too little memory
        assume(False)  # noqa: FBT003
    stages = sorted(range(p), reverse=descending)
    assert made.cycles >= butterfly_cycles(layout, 0, layout.block_size, n, stages)


# Against optima.


def optimum(program, layout, stages, bound):
    """The fewest cycles of any network, by integer program, or one below the bound."""
    cycles = itertools.count(bound - 1)
    return next(t for t in cycles if program(layout, stages, t).solve(100) == "yes")


USUAL = [(0, 1, 2), (2, 0, 1)]
OTHERS = [order for order in itertools.permutations(range(3)) if order not in USUAL]
ORDERS = [*USUAL, *sweep(*((order,) for order in OTHERS))]


@pytest.mark.parametrize("stages", ORDERS)
@pytest.mark.parametrize("kind", ["cyclic", "consecutive"])
@pytest.mark.parametrize("code", ["binary", "gray"])
def test_two_elements_on_four_nodes_need_what_the_bound_says(scripts, kind, code, stages):
    layout = getattr(gc.Layout, kind)(3, 2, nodes=code)
    bound = butterfly_cycles(layout, 0, 2, 2, stages)
    assert optimum(scripts[0].Program, layout, stages, bound) == bound


@pytest.mark.long
@pytest.mark.parametrize("stages", ORDERS)
@pytest.mark.parametrize("kind", ["cyclic", "consecutive"])
def test_four_elements_on_two_nodes_need_no_less(scripts, kind, stages):
    layout = getattr(gc.Layout, kind)(3, 1)
    bound = butterfly_cycles(layout, 0, 4, 1, stages)
    assert optimum(scripts[0].Program, layout, stages, bound) in {bound, bound + 1}


# The kept figures.


def test_the_figures_are_those_of_the_library():
    for row in rows("tr_764", "least_transfers"):
        n, slots = int(row["n"]), int(row["slots"])
        code = "gray" if row["encoding"].endswith("Gray") else "binary"
        layout = gc.Layout.cyclic(n + slots.bit_length() - 1, n, nodes=code)
        assert butterfly_cycles(layout, 0, slots, n) == int(row["bound"])
        radices = [gc.Method(radix=r) for r in range(1, n + 1)]
        found = []
        for method in (*radices, gc.Method("inter-node")):
            try:
                found.append(gc.emulation(layout, method=method).cycles)
            except InvalidValueError:  # too little memory for local conversion
                assert slots == 2
        stages = tuple(reversed(range(layout.p)))
        task = gc.Task(layout, layout, slots, stages=stages, free=True)
        with suppress(InvalidValueError):  # too few dimensions or elements for sides
            found.append(sided(task).cycles)
        assert min(found) == int(row["ours"]) >= int(row["least"]) >= int(row["bound"])
        assert (row["by"] == "ours") == (row["ours"] == row["least"])
        assert row["optimum"] == (row["least"] if row["least"] == row["bound"] else "")


def test_all_optima_of_binary_data_are_known_and_gray_code_is_one_off_at_most():
    unknown = {
        (r["encoding"], r["n"], r["slots"])
        for r in rows("tr_764", "least_transfers")
        if not r["optimum"]
    }
    assert unknown == {("Binary || Gray", *size) for size in OPEN}
    for row in rows("tr_764", "least_transfers"):
        assert int(row["least"]) <= int(row["bound"]) + 1
    assert len(rows("tr_764", "least_transfers")) == 40


@pytest.mark.parametrize(
    ("n", "m", "code"), [(3, 2, "gray"), (4, 2, "gray"), (4, 3, "binary"), (5, 4, "gray")]
)
def test_rows_are_found_again(scripts, n, m, code):
    encoding = "Binary" if code == "binary" else "Binary || Gray"
    same = [str(n), str(1 << m), encoding]
    row = next(
        tuple(r.values())
        for r in rows("tr_764", "least_transfers")
        if list(r.values())[:3] == same
    )
    assert scripts[1].row(n, m, code) == row
