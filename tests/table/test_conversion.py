"""Several fields at once: every algorithm by brute force, wherever the bits of fields are."""

from dataclasses import dataclass
from itertools import pairwise, permutations, product

import pytest
from all_port_cases import TABLE, assert_carried_out, ceil, machine_of
from hypothesis import given, settings, strategies as st
from strategies import AxisSpec, MeshSpec, affine_map, affine_parts, gray_word
from sweeping import examples, larger, sweep

import graycube as gc
from graycube.cost import lower_bounds, simulate
from graycube.gf2 import AffineMap, Matrix
from graycube.table.conversion import fields

FORWARD, BACKWARD = ("gray", "binary"), ("binary", "gray")
ON_CIRCUITS = ("direct", "circuit-split")


@dataclass(frozen=True)
class Fields:
    """Axes that are spread over all their indices, their dimensions, and their two codes."""

    dims: tuple[tuple[int, ...], ...]
    codes: tuple[tuple[str, str], ...]
    block: int

    def mesh(self, which):
        axes = (
            AxisSpec(len(group), 1, len(group), "consecutive", codes[which], "binary", None)
            for group, codes in zip(self.dims, self.codes, strict=True)
        )
        return MeshSpec(tuple(axes), self.dims)

    @property
    def n(self):
        return sum(map(len, self.dims))

    @property
    def task(self):
        """By the library's own words, without the strategies' defaults."""
        shape = tuple(2 ** len(group) for group in self.dims)
        layouts = (
            gc.Layout.mesh(shape, nodes=shape, code=codes, dims=self.dims)
            for codes in zip(*self.codes, strict=True)
        )
        return gc.Task(*layouts, self.block)

    @property
    def ends(self):
        """Where the block of every node has to go."""
        before, after = self.mesh(0).table, self.mesh(1).table
        ways = {before[index][0]: after[index][0] for index in before}
        return [ways[node] for node in range(1 << self.n)]

    @property
    def converted(self):
        """Widths and directions of the fields with anything to convert."""
        pairs = zip(self.dims, self.codes, strict=True)
        return [(len(d), codes) for d, codes in pairs if len(d) > 1 and codes[0] != codes[1]]

    @property
    def expected(self):
        """What should be recognised: dims from the lowest, to binary; one bit for the rest."""
        found = []
        for group, codes in zip(self.dims, self.codes, strict=True):
            if len(group) == 1 or codes[0] == codes[1]:
                found += [((d,), True) for d in group]
            else:
                found.append((group[::-1], codes == FORWARD or len(group) == 2))
        return sorted(found, key=lambda field: min(field[0]))


@st.composite
def field_cases(draw, most, block, ways=(FORWARD, BACKWARD)):
    """A cube of up to ``most`` dimensions cut into fields, each with one of the codings."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    cuts = draw(st.sets(st.integers(1, n - 1), max_size=3)) if n > 1 else ()
    groups = [tuple(order[a:b]) for a, b in pairwise([0, *sorted(cuts), n])]
    codes = st.sampled_from(ways)
    if draw(st.booleans()):  # all in one direction
        codes = st.just(draw(codes))
    return Fields(tuple(groups), tuple(draw(codes) for _ in groups), draw(block))


def recognised(task):
    found = fields(task)
    return found and [(f.dims, f.to_binary or f.width <= 2) for f in found]


def detours(widths, units):
    """All shares convert another field in every phase, each of share + max(share, widths)."""
    share = ceil(units, len(widths))
    return len(widths) * (share + max(share, *widths)) if units else 0


def best_split(widths, block, short):
    return min(max(short(block - u), detours(widths, u)) for u in range(block + 1))


CLAIMED = {
    "relabel": lambda w, k: 0 * len(w) * k,
    "direct": lambda _, k: k,
    "gb1": lambda w, k: (sum(w) - len(w)) * k,
    "gb2": lambda w, k: (sum(w) - len(w)) * ceil(k, 2) + 2 * len(w) * (k // 2),
    "gb3": lambda w, k: (sum(w) - len(w)) * ceil(k, 2) + len(w) * (k // 2),
    "any-order": lambda w, k: (sum(w) - len(w)) * k,
    "circuit-split": lambda w, k: ceil(k, 2) if max(w) == 2 else ceil(2 * k, 3),
    "pipelined": lambda w, k: k + sum(w) - len(w) - 1,
    "minimum-path": lambda w, k: max(k, sum(w) - len(w)),  # Theorems 4 and 6
    "nonminimum-path": lambda w, k: best_split(
        w, k, lambda units: units + sum(w) - len(w) - 1 if units else 0
    ),
    "nonminimum-ring": lambda w, k: best_split(w, k, lambda units: max(units, sum(w) - len(w))),
    "two-cube": lambda _, k: ceil(k, 2) + 1 if k > 1 else 1,
    "tight": lambda w, k: w[0] * ceil(k, 5 if w[0] == 4 else w[0] + 2) - (k == 1),
}
"""Cycles for fields of two bits or more; a tight single element leaves a round idle."""
RARELY = ("its start-ups", "it would need more than", "schedules for all fields at once")
"""Reasons that depend on prices, and on how many ways there are."""
WITHOUT_CLAIM = ("rotations", "few-ports", "three-fifths", "field-phases", "fewer-bytes")
"""Those whose cycles have tests of their own."""


FOR_OTHER_TASKS = (
    "exchange",
    "half-exchange",
    "rotated-parts",
    "pipeline",
    "all-to-all",
    "groups",
    "hierarchical",
    "pairs",
    "by-message",
    "by-part",
    "units",
    "streams",
)


def fewer_bytes_has(ports, widths):
    """Whether there are tables for fields of these widths."""
    if len(widths) > 1:
        return len(widths) <= 4 and max(widths) <= 7 and ports >= sum(widths)
    (width,) = widths or (0,)
    return 3 <= width <= 8 if ports >= width and ports > 1 else width >= 4


def applies(name, case, machine):
    """When an algorithm should be there, from the fields and the machine alone."""
    widths = [width for width, _ in case.converted]
    ways = {codes for width, codes in case.converted if width > 2}
    ports, low = machine.links_at_once, sum(widths) - len(widths)
    circuits = machine.switching == "circuit"
    return {
        "direct": circuits,
        "circuit-split": circuits and ports > 1 and bool(widths),
        "gb2": bool(widths),
        "gb3": bool(widths),
        "few-ports": bool(widths),
        "rotations": 2 <= ports < low,
        "pipelined": ports >= low,
        "minimum-path": ports >= low,
        "nonminimum-path": bool(widths) and ports >= sum(widths),
        "nonminimum-ring": bool(widths) and ports >= sum(widths) and len(ways) < 2,
        "two-cube": widths == [2] and ports > 1,
        "three-fifths": len(widths) == 1 and 3 <= widths[0] <= ports,
        "field-phases": 2 <= len(widths) <= 4 and ports >= sum(widths),
        "tight": widths == [case.n] and case.n >= 4 and ports == case.n,
        "fewer-bytes": fewer_bytes_has(ports, widths),
    }.get(name, name not in FOR_OTHER_TASKS)


def assert_all_algorithms(case, machine, names):
    task, ends = case.task, case.ends
    widths = tuple(width for width, _ in case.converted)
    bound = max(b.seconds for b in lower_bounds(task, machine))
    for name in names:
        algorithm = TABLE[name]
        reason, possible = algorithm.applicable(task, machine), applies(name, case, machine)
        assert (reason is None) == (possible and not (reason or "").startswith(RARELY))
        if reason is not None:
            continue
        schedule = algorithm.emit(task, machine)
        assert_carried_out(schedule, machine, ends)
        traffic = simulate(schedule)
        assert name == "relabel" or bound <= traffic.time(machine) * (1 + 1e-12)
        if machine.startup or name in WITHOUT_CLAIM:
            continue
        assert traffic.cycles == (CLAIMED[name](widths, case.block) if widths else 0)
        if widths:
            assert traffic.cycles == algorithm.cycles(widths, case.block)


HOP_BY_HOP = [name for name in TABLE if name not in ON_CIRCUITS]
UNCHANGED = (FORWARD, BACKWARD, ("gray", "gray"))
SMALL, LARGE = field_cases(6, st.integers(1, 24)), field_cases(10, st.integers(1, 4))


@pytest.mark.long
@given(field_cases(6, st.integers(1, larger(12, 24)), UNCHANGED))
@settings(max_examples=examples(50))
def test_every_algorithm_converts_fields_on_all_ports(case):
    assert_all_algorithms(case, machine_of(case.n), HOP_BY_HOP)


@pytest.mark.long
@given(LARGE)
@settings(max_examples=examples(20))
def test_every_algorithm_converts_the_fields_of_large_cubes(case):
    assert_all_algorithms(case, machine_of(case.n), HOP_BY_HOP)


@pytest.mark.long
@given(SMALL, st.data())
@settings(max_examples=examples(50))
def test_every_algorithm_converts_fields_on_few_ports(case, data):
    ports = data.draw(st.one_of(st.just(1), st.integers(1, case.n)))
    assert_all_algorithms(case, machine_of(case.n, ports), HOP_BY_HOP)


@given(SMALL, st.sampled_from([1, "all"]), st.sampled_from([0.5, 20.0]))
@settings(max_examples=examples(60))
def test_start_ups_change_units_and_not_what_is_done(case, ports, startup):
    assert_all_algorithms(case, machine_of(case.n, ports, startup=startup), HOP_BY_HOP)


@given(SMALL, st.integers(1, 2))
@settings(max_examples=examples(60))
def test_circuits_convert_fields(case, ports):
    machine = machine_of(case.n, min(ports, case.n), switching="circuit")
    assert_all_algorithms(case, machine, [*ON_CIRCUITS, "gb1", "gb3"])


@given(field_cases(7, st.integers(1, 64)))
@settings(max_examples=examples(30))
def test_shortest_paths_meet_the_bound_of_theorem_4(case):
    """max(K, n - d), with n and d of the fields of two bits or more; the planner knows it."""
    low = sum(width - 1 for width, _ in case.converted)
    machine = machine_of(case.n)
    schedule = TABLE["minimum-path"].emit(case.task, machine)
    cycles = simulate(schedule).cycles
    assert cycles == (max(case.block, low) if low else 0)
    plan = gc.plan(case.task.source, case.task.target, case.block, machine=machine)
    assert plan.lower_bound <= plan.cycles <= cycles


@given(field_cases(10, st.just(1), UNCHANGED))
@settings(max_examples=examples(200))
def test_the_fields_of_a_task_are_recognised(case):
    assert recognised(case.task) == case.expected


def test_a_field_of_two_bits_is_the_same_in_both_directions():
    for order in permutations(range(2)):
        tasks = [Fields((order,), (codes,), 1).task for codes in (FORWARD, BACKWARD)]
        assert tasks[0].move == tasks[1].move
        assert recognised(tasks[0]) == recognised(tasks[1]) == [(order[::-1], True)]


def orders_of(dims):
    """All ways to cut a set of dimensions into fields, each in any order."""
    if not dims:
        yield ()
        return
    for order in permutations(dims):
        for cuts in product((False, True), repeat=len(order) - 1):
            marks = [0, *(1 + k for k, cut in enumerate(cuts) if cut), len(order)]
            groups = tuple(order[a:b] for a, b in pairwise(marks))
            if list(groups) == sorted(groups, key=min):
                yield groups


def conversions(n):
    """Where every node's block goes, for all fields and directions on a cube: brute force."""
    found = {}
    for groups in orders_of(range(n)):
        for codes in product((FORWARD, BACKWARD), repeat=len(groups)):
            ends = []
            for node in range(1 << n):
                end = 0
                for group, way in zip(groups, codes, strict=True):  # dims from the lowest
                    word = sum((node >> d & 1) << i for i, d in enumerate(group))
                    words = [gray_word(i, len(group)) for i in range(1 << len(group))]
                    after = words.index(word) if way == FORWARD else words[word]
                    end += sum((after >> i & 1) << d for i, d in enumerate(group))
                ends.append(end)
            field = [
                (g, c == FORWARD or len(g) <= 2) for g, c in zip(groups, codes, strict=True)
            ]
            assert found.setdefault(tuple(ends), field) == field
    return found


def linear_maps(n, rows=(), span=frozenset((0,))):
    """All invertible matrices, as rows."""
    if len(rows) == n:
        yield rows
        return
    for row in range(1, 1 << n):
        if row not in span:
            yield from linear_maps(n, (*rows, row), span | {row ^ x for x in span})


@pytest.mark.parametrize("n", [1, 2, 3, *sweep((4,))])
def test_fields_are_recognised_and_nothing_else_is_among_all_linear_maps(n):
    wanted, nodes = conversions(n), gc.Layout.nodes(n)
    assert len(list(orders_of(range(n)))) == (1, 3, 13, 73)[n - 1]  # sets of lists
    found = {}
    for rows in linear_maps(n):
        move = affine_map(rows, 0)
        task = gc.Task(nodes, move @ nodes, 1)
        result = recognised(task)
        if result is not None:
            found[tuple(move(node) for node in range(1 << n))] = result
    assert found == wanted


@given(field_cases(5, st.just(1), UNCHANGED), st.data())
def test_complemented_bits_are_not_a_conversion(case, data):
    constant = data.draw(st.integers(1, (1 << case.n) - 1))
    flip = AffineMap(Matrix.identity(case.n), constant)
    task = case.task
    assert fields(gc.Task(task.source, flip @ task.target, 1)) is None


@given(st.integers(2, 8).flatmap(lambda n: st.permutations(range(n))))
def test_moving_whole_bits_is_not_a_conversion(order):
    """Transposes and bit reversals; a plan says so."""
    n = len(order)
    nodes = gc.Layout.nodes(n)
    moved = AffineMap(Matrix.permutation(order)) @ nodes
    found = fields(gc.Task(nodes, moved, 1))
    if order == [*range(n)]:
        assert [field.dims for field in found] == [(d,) for d in range(n)]
    else:
        assert found is None
        for name in ("gb1", "pipelined", "minimum-path", "few-ports"):
            reason = TABLE[name].applicable(gc.Task(nodes, moved, 1), machine_of(n))
            assert (
                reason == "it converts fields of the node number between Gray and binary code"
            )


def test_a_transpose_of_coded_axes_is_not_a_conversion():
    for code in ("gray", "binary"):
        there = gc.Layout.mesh((8, 4), nodes=(8, 4), code=code)
        back = gc.Layout.mesh((8, 4), nodes=(8, 4), dims=[(2, 1, 0), (4, 3)])
        assert fields(gc.Task(there, back, 1)) is None


@pytest.mark.parametrize("n", range(2, 6))
@pytest.mark.parametrize("spread", ["cyclic", "consecutive"])
def test_slots_must_stay_as_they_are(spread, n):
    make = getattr(gc.Layout, spread)
    p = n + 2
    plain = make(p, n)
    coded = make(p, n, nodes="gray")
    expected = [(tuple(range(n)), True)]
    assert recognised(gc.Task(coded, plain, 8)) == expected
    assert recognised(gc.Task(make(p, n, nodes="gray", slots="gray"),
                              make(p, n, slots="gray"), 4)) == expected  # fmt: skip
    for other in (make(p, n, nodes="gray", slots="gray"), make(p, n, whole="gray")):
        assert fields(gc.Task(other, plain, 4)) is None
        assert fields(gc.Task(plain, other, 4)) is None
    swapped = "consecutive" if spread == "cyclic" else "cyclic"
    assert fields(gc.Task(coded, getattr(gc.Layout, swapped)(p, n), 4)) is None


@given(st.integers(2, 5).flatmap(affine_parts), st.data())
def test_random_maps_of_nodes_and_slots_are_recognised_or_not(parts, data):
    """What is recognised has slots that stay and nodes that go where its fields say."""
    rows, constant = parts
    p = len(rows)
    n = data.draw(st.integers(1, min(p, 3)))
    layout = gc.Layout.consecutive(p, n)
    move = affine_map(rows, constant)
    found = recognised(gc.Task(layout, move @ layout, 1 << (p - n)))
    table = [move(node) for node in range(1 << n)]
    expected = None
    if all(move(a) == (a >> n << n) + table[a % 2**n] for a in range(1 << p)):
        expected = conversions(n).get(tuple(table)) if max(table) < 1 << n else None
    assert found == expected
