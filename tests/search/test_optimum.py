"""Optima: every schedule followed element by element, every bound against what is known."""

from collections import Counter
from functools import cache
from itertools import product
from math import inf

import pytest
import scipy.optimize
from hypothesis import given, settings, strategies as st
from schedule_cases import conversion, rows_of
from scipy.optimize import OptimizeResult
from sweeping import examples, sweep

import graycube as gc
from graycube.cost import lower_bounds
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.search import feasible, least_cycles, optimum, program
from graycube.verify import check_elements

BOTH_WAYS = pytest.mark.parametrize("backwards", [False, True], ids=["to-binary", "to-gray"])
KNOWN = {  # (n, ports): the fewest cycles of a block of 1, 2, 3, ... elements
    (2, "all"): (1, 2, 3, 3, 4, 4, 5, 5),
    (2, 1): (1, 2, 3, 4, 5, 6),
    (3, "all"): (2, 2, 3, 4, 4, 5, 5, 6),
    (3, 2): (2, 2, 3, 4, 4, 5),
    (3, 1): (2, 3, 5, 6, 8),
    (4, "all"): (3, 3, 3, 4, 4, 5),
}

CHANGES = {
    "gray": ((0b01, 0b11), 0),
    "opposite": ((0b01, 0b10), 0b11),
    "transpose": ((0b10, 0b01), 0),
    "neighbours": ((0b01, 0b10), 0b01),
    "ring": ((0b10, 0b11), 0b01),
}


def cube(n, ports):
    return gc.Machine(dims=n, ports=ports)


@cache
def best(n, block, ports, *, backwards=False):
    """The optimum of a conversion, after following its schedule."""
    found = least_cycles(conversion(n, block, backwards=backwards), cube(n, ports))
    assert check_elements(found.moves, cube(n, ports))
    assert found.moves.cycles == found.cycles
    return found


def permuting(columns, constant, block):
    """The task of sending each node's block to the image of the node under an affine map."""
    binary = gc.Layout.nodes(len(columns))
    target = AffineMap(Matrix(columns, len(columns)), constant) @ binary
    return gc.Task(binary, target, block)


@pytest.mark.long
@BOTH_WAYS
@pytest.mark.parametrize(("n", "ports"), KNOWN)
def test_known_optima_are_found(n, ports, backwards):
    blocks = range(1, len(KNOWN[n, ports]) + 1)
    found = tuple(best(n, block, ports, backwards=backwards).cycles for block in blocks)
    assert found == KNOWN[n, ports]


@BOTH_WAYS
def test_large_blocks_need_as_long_as_known(backwards):
    assert best(3, 15, "all", backwards=backwards).cycles == 10
    assert best(2, 40, "all", backwards=backwards).cycles == 21
    assert best(2, 41, "all", backwards=backwards).cycles == 22


@pytest.mark.parametrize("block", range(1, 6))
def test_more_ports_never_hurt_and_more_elements_never_help(block):
    cycles = [best(3, block, ports).cycles for ports in (1, 2, 3)]
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[2] == best(3, block, "all").cycles
    assert all(best(3, block + 1, p).cycles >= c for p, c in enumerate(cycles, start=1))


@pytest.mark.parametrize(
    ("n", "block", "ports", "proof"),
    [
        (3, 2, "all", "distance"),
        (4, 3, "all", "distance"),
        (3, 3, "all", "linear program"),  # the solver's
        (2, 5, 1, "linear program"),  # a node cannot send faster
        (3, 8, 1, "branch and bound"),
    ],
)
def test_one_cycle_less_is_excluded_for_the_reason_given(n, block, ports, proof):
    found = best(n, block, ports)
    assert found.proof == proof
    assert feasible(conversion(n, block), cube(n, ports), found.cycles - 1) is None


@pytest.mark.parametrize("ports", [1, 2])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_fractions_say_no_wherever_counting_does(change, ports):
    """What is counted needs no solver, but it would agree: the proof is rightly named."""
    flows = optimum.flows_of(permuting(*change, 5), cube(2, ports))
    for cycles in range(flows.distance, flows.least):
        arcs = program.arcs_of(flows, cycles)
        assert program.solve(flows, arcs, inf, whole=False) is None
    assert flows.least > flows.distance


@pytest.mark.parametrize("cycles", range(2, 7))
def test_there_is_a_schedule_for_any_number_of_cycles_from_the_optimum_on(cycles):
    moves = feasible(conversion(3, 3), cube(3, "all"), cycles)
    assert (moves is not None) == (cycles >= 3)
    if moves is not None:
        assert moves.cycles == cycles
        assert len(moves.rounds) == cycles
        assert check_elements(moves, cube(3, "all"))


def test_what_comes_first_to_a_node_leaves_it_first():
    """Elements of one home leave a node in the order in which they came."""
    arrived = {}
    left = []
    for cycle, node, dimension, element in sorted(rows_of(best(4, 9, "all").moves)):
        came = arrived.get((node, element), -1)
        left.append(((node, element // 9), cycle, came))
        arrived[node ^ 1 << dimension, element] = cycle
    for key in {key for key, *_ in left}:
        came = [c for k, _, c in left if k == key]
        assert came == sorted(came)


def test_a_task_that_moves_nothing_needs_no_cycles():
    same = gc.Layout.nodes(3, "gray")
    found = least_cycles(gc.Task(same, same, 7), cube(3, 1))
    assert (found.cycles, len(found.moves), found.proof) == (0, 0, "distance")
    circuits = gc.Machine(dims=3, switching="circuit")
    found = least_cycles(gc.Task(same, same, 7), circuits)
    assert (found.cycles, len(found.moves), found.proof) == (0, 0, "distance")
    assert feasible(gc.Task(same, same, 7), cube(3, 1), 2).cycles == 2
    assert least_cycles(conversion(0, 7), gc.Machine(dims=0, ports="all")).cycles == 0


@pytest.mark.parametrize("slots", [1, 2])
def test_slots_are_elements_like_all_others(slots):
    found = least_cycles(conversion(3, 2, slots=slots), cube(3, "all"))
    assert found.cycles == best(3, 2 << slots, "all").cycles
    assert check_elements(found.moves, cube(3, "all"))


def turns_by_dimension(task):
    """Cycles if all elements cross dimension 0, then 1, ..., each link one block at a time."""
    load = Counter()
    for home in range(1 << task.n):
        node, (target, _) = home, task.target.locate(task.source.index(home, 0))
        for d in range(task.n):
            if (node ^ target) >> d & 1:
                load[d, node] += 1
                node ^= 1 << d
    return task.block * sum(max(load[d, u] for u in range(1 << task.n)) for d in range(task.n))


@st.composite
def permutations(draw):
    """Blocks of few elements that change places under any affine map of node numbers."""
    n = draw(st.integers(1, 3))
    order = draw(st.permutations(range(n)))
    columns = [1 << j for j in order]
    for i, j in draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=3)):
        columns[i] ^= columns[j] if i != j else 0
    task = permuting(tuple(columns), draw(st.integers(0, 2**n - 1)), draw(st.integers(1, 4)))
    return task, cube(n, draw(st.integers(1, n)))


@settings(max_examples=examples(60))
@given(permutations())
def test_any_change_of_places_is_at_its_best_both_ways(case):
    task, machine = case
    there = least_cycles(task, machine)
    assert check_elements(there.moves, machine)
    back = gc.Task(task.target, task.source, task.block)
    assert least_cycles(back, machine).cycles == there.cycles
    assert there.cycles >= max(bound.seconds for bound in lower_bounds(task, machine))
    enough = optimum.flows_of(task, machine).enough
    assert there.cycles <= enough == turns_by_dimension(task)


def choices(held, n, ports):
    """Every way for a node to send some of what it holds: per dimension, a kind or None."""
    for sent in product((None, *held), repeat=n):
        used = Counter(kind for kind in sent if kind is not None)
        if used.total() <= ports and all(used[kind] <= held[kind] for kind in used):
            yield sent


def sends(options, received, ports):
    """Every way for all nodes to send, a choice each; none receives more than it has ports."""
    node = len(received) - len(options)
    if not options:
        yield ()
        return
    for sent in options[0]:
        after = list(received)
        for d, kind in enumerate(sent):
            after[node ^ 1 << d] += kind is not None
        if max(after) <= ports:
            yield from ((sent, *rest) for rest in sends(options[1:], after, ports))


def one_cycle_on(states, n, ports):
    """All states after one more cycle; a state says how many of each home are where."""
    found = set()
    for state in states:
        held = [Counter(dict(kinds)) for kinds in state]
        options = [list(choices(h, n, ports)) for h in held]
        for sent_by in sends(options, [0] * len(held), ports):
            after = [h.copy() for h in held]
            for (u, sent), d in product(enumerate(sent_by), range(n)):
                if sent[d] is not None:
                    after[u][sent[d]] -= 1
                    after[u ^ 1 << d][sent[d]] += 1
            found.add(tuple(frozenset((+h).items()) for h in after))
    return found


def fewest_by_trying(task, ports, cap):
    """The fewest cycles, all elements of all nodes being free to move; cap + 1 if above cap.

    Backwards in time every state can become what it could forwards, so both ends meet.
    """
    start = [frozenset({(u, task.block)}) for u in range(1 << task.n)]
    goal = [frozenset()] * len(start)
    for u in range(1 << task.n):
        goal[task.target.locate(task.source.index(u, 0))[0]] = frozenset({(u, task.block)})
    ends = [{tuple(start)}, {tuple(goal)}]
    for cycles in range(cap + 1):
        if ends[0] & ends[1]:
            return cycles
        if cycles < cap:
            ends[cycles % 2] = one_cycle_on(ends[cycles % 2], task.n, ports)
    return cap + 1


@pytest.mark.long
@pytest.mark.parametrize("block", [1, 2, 3])
@pytest.mark.parametrize(("ports", "cap"), [(1, 3), (2, 2)], ids=["one-port", "all-port"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_faster_on_a_square(change, ports, cap, block):
    task = permuting(*change, block)
    found = min(least_cycles(task, cube(2, ports)).cycles, cap + 1)
    assert found == fewest_by_trying(task, ports, cap)


@pytest.mark.long
@pytest.mark.parametrize("block", [1, *sweep((2,))])
def test_nothing_is_faster_on_a_cube_with_one_port(block):
    assert best(3, block, 1).cycles == fewest_by_trying(conversion(3, block), 1, cap=2)


@pytest.mark.parametrize("time_limit", [1e-9, 0.2])
def test_a_time_limit_ends_the_search(time_limit):
    task, machine = conversion(5, 60), cube(5, "all")
    with pytest.raises(gc.UndecidedError, match=r"between \d+ and 240 cycles; raise time_"):
        least_cycles(task, machine, time_limit=time_limit)
    with pytest.raises(gc.UndecidedError, match="30 cycles are enough is undecided"):
        feasible(task, machine, 30, time_limit=time_limit)


def test_an_ended_search_says_what_is_excluded_by_then(monkeypatch):
    """Two and three cycles are too few, and of four the solver is made to know nothing."""
    solve = scipy.optimize.milp

    def finds_nothing(*arguments, **options):
        result = solve(*arguments, **options)
        return result if result.x is None else OptimizeResult(status=1, message="tired")

    monkeypatch.setattr(scipy.optimize, "milp", finds_nothing)
    with pytest.raises(gc.UndecidedError) as caught:
        least_cycles(conversion(3, 4), cube(3, "all"))
    assert caught.value.found == "whether 4 cycles are enough is undecided (time ran out)"
    assert caught.value.limit == "the optimum lies between 4 and 8 cycles"


def test_enough_time_changes_nothing():
    assert least_cycles(conversion(3, 4), cube(3, 1), time_limit=600).cycles == 6


@pytest.mark.parametrize(
    ("task", "machine", "complaint"),
    [
        (conversion(2, 1), gc.Machine(3), "the machine has 3 dimensions: the task is for a 2"),
        (
            gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2), 4),
            gc.Machine(2),
            "every block stays together",
        ),
        (
            gc.Task(
                gc.Layout.nodes(2),
                AffineMap(Matrix.identity(2), 1) @ gc.Layout.nodes(2),
                2**40,
            ),
            gc.Machine(2),
            "are written as an integer program; take a smaller",
        ),
        (conversion(30, 1), gc.Machine(30), "take a smaller cube or block"),
    ],
    ids=["dims", "parted", "large-block", "large-cube"],
)
def test_what_has_no_optimum_here_is_an_error_that_says_why(task, machine, complaint):
    with pytest.raises(InvalidValueError, match=complaint):
        least_cycles(task, machine)
    with pytest.raises(InvalidValueError, match=complaint):
        feasible(task, machine, 2**40)


@pytest.mark.parametrize("target", [((1, 2, 5), 0), ((1, 2, 4), 4), ((5, 2, 4), 0)])
def test_slots_that_part_or_change_are_refused(target):
    layout = gc.Layout.cyclic(3, 2)
    moved = AffineMap(Matrix(target[0], 3), target[1]) @ layout
    with pytest.raises(InvalidValueError, match="in its order"):
        least_cycles(gc.Task(layout, moved, 2), gc.Machine(2))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"task": "gray"}, InvalidTypeError),
        ({"machine": "ipsc1"}, InvalidTypeError),
        ({"cycles": 1.0}, InvalidTypeError),
        ({"cycles": -1}, InvalidValueError),
        ({"time_limit": "1 s"}, InvalidTypeError),
        ({"time_limit": True}, InvalidTypeError),
        ({"time_limit": 0}, InvalidValueError),
        ({"time_limit": float("nan")}, InvalidValueError),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused(change, error):
    arguments = {"task": conversion(2, 1), "machine": gc.Machine(2), "cycles": 1} | change
    with pytest.raises(error):
        feasible(**arguments)
