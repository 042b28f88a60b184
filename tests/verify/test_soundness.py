"""What the algebra proves is right: mutants of all kinds of ways, random ones, and traps."""

from dataclasses import replace

import pytest
from schedule_cases import circuits, conversion, hop_of, one_port
from sweeping import sweep
from way_mutants import KINDS, corpus, judge, mutant, tried

import graycube as gc
from graycube.cost import simulate
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.planning.others import counted
from graycube.schedule import Crossing, Step, Way, expand, hop
from graycube.schedule.way import are_straight
from graycube.table.gray import gb1
from graycube.verify import RULES, check_algebra, check_elements

SLOT, FIRST, SECOND = 0b100, 0b001, 0b010  # address bits of two node bits and one slot bit
FEW, MANY = 60, 4000  # mutants of each kind


def verified(make, machine):
    """Whether something can be built and passes the algebra."""
    try:
        return bool(check_algebra(make(), machine))
    except gc.GraycubeError:
        return False


def one_strand(exchanges, cycles, *, block=2, total=None):
    """A strand of whole blocks on four nodes with two slots; its task is what it does."""
    pairs = zip(exchanges, cycles, strict=True)
    strand = Way(0, block, tuple(hop(c, Exchange(*e), 2) for e, c in pairs))
    source = gc.Layout.consecutive(3, 2)
    task = gc.Task(source, strand.move(3) @ source, block)
    total = total or max(cycles) + block
    return gc.Schedule(task, "by hand", tuple(sorted(set(cycles))), total, (strand,))


STILL_RIGHT = {"as_map", "more_ways"}  # the same said otherwise, which may be no known shape


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "count"), [*((k, FEW) for k in KINDS), *sweep(*((k, MANY) for k in KINDS))]
)
def test_what_is_proved_every_element_confirms(kind, count):
    found = tried(kind, range(count), synthesised=False)
    assert not found.false
    assert found.made > count // 2
    assert found.proved < found.made
    assert set(found.broken) <= set(RULES)


@pytest.mark.parametrize("kind", sorted({*KINDS} - STILL_RIGHT))
def test_mutants_of_each_kind_are_wrong(kind):
    made = (mutant(kind, seed, synthesised=False) for seed in range(100))
    assert any(judge(*case)[0] for case in made if case is not None)


def test_what_is_proved_is_counted_as_its_moves_are():
    machine = gc.Machine(1, startup=3.0)
    cases = [made for made, _ in corpus(synthesised=False) if not are_straight(made.ways)]
    for made in cases[::9]:
        found, wanted = counted(made), simulate(made, expand(made))
        for one in ("nonempty", "cycles", "crossings"):
            assert getattr(found, one) == getattr(wanted, one)
        assert found.time(machine) == pytest.approx(wanted.time(machine))


# By hand: what a careless proof does not see.


ORDER_CHANGES = [
    [(FIRST | SLOT, 0, 0), (SECOND, 0, 0)],
    [(FIRST, 0, 0), (SLOT, 0, 0), (SECOND, 0, 0)],
    [(FIRST, 0, 0), (SLOT, SECOND, 1), (SECOND, 0, 0)],
    [(FIRST, SLOT, 0), (SECOND, SLOT, 1)],
    [(FIRST, 0, 0), (SECOND, SLOT, 1)],
]


@pytest.mark.parametrize("switching", ["store-and-forward", "circuit"])
@pytest.mark.parametrize("way", ORDER_CHANGES)
@pytest.mark.parametrize("wait", [0, 1])
def test_elements_that_change_their_turn_are_waited_for(way, wait, switching):
    schedule = one_strand(way, [wait * k for k in range(len(way))], block=4)
    machine = gc.Machine(dims=2, ports=2, switching=switching)
    if not check_elements(expand(schedule), machine):
        assert not check_algebra(schedule, machine)


def test_slots_that_change_behind_the_last_link_are_not_waited_for():
    """So a block keeps its order on a circuit; in front of the last link it does not."""
    circuit, change = [(FIRST, 0, 0), (SECOND, 0, 0)], (SLOT, SECOND, 1)
    machine = gc.Machine(dims=2, ports=2, switching="circuit")
    schedule = one_strand([*circuit, change], [0, 0, 0], block=4)
    assert check_elements(expand(schedule), machine)
    assert check_algebra(schedule, machine)
    between = one_strand([circuit[0], change, circuit[1]], [0, 0, 0], block=4)
    assert not check_algebra(between, machine)


def test_the_halves_of_a_block_on_one_path_need_two_ports():
    schedule = one_strand([(FIRST, SLOT, 0), (SECOND, SLOT, 1)], [0, 0], total=1)
    machine = gc.Machine(dims=2, switching="circuit")
    assert "ports" in dict(check_elements(expand(schedule), machine).counts)
    assert not check_algebra(schedule, machine)


def test_cycles_without_rounds_are_not_free():
    task = conversion(3, 4)
    parts = gb1.emit(task, one_port(3)).ways
    assert not verified(lambda: gc.Schedule(task, "no rounds", (), 8, parts), one_port(3))


def test_renumbering_nodes_moves_nothing_between_slots():
    task = gc.Task(gc.Layout.cyclic(4, 2), gc.Layout.consecutive(4, 2), block=4)
    still = (Way(0, 4, ()),)

    def magic():
        return gc.Schedule(task, "magic", (), 0, still, relabel=task.move)

    assert not verified(magic, one_port(2))


def test_a_cycle_beyond_32_bits_is_refused_or_followed():
    task = conversion(3, 4)
    first, second = gb1.emit(task, one_port(3)).ways[0].steps
    late = (Way(0, 4, (first, hop_of(2**32, second.move))),)
    schedule = gc.Schedule(task, "late", (0, 4), 2**33, late)
    assert check_algebra(schedule, one_port(3))
    try:
        moves = expand(schedule)
    except gc.GraycubeError:
        return
    assert check_elements(moves, one_port(3))


def test_a_path_of_hops_may_start_after_another_has_passed():
    schedule = one_strand([(FIRST, SECOND, 1), (SECOND, 0, 0)], [0, 2])
    for machine in (one_port(2), circuits(2)):
        assert check_algebra(schedule, machine)
        assert check_elements(expand(schedule), machine)


def test_elements_that_change_turns_are_not_forwarded_within_a_round():
    """Slots are rearranged in between, so the last to arrive is the first to go on."""
    task = gc.Task(gc.Layout.cyclic(3, 1), gc.Layout.cyclic(3, 1), 4)
    link, slots = Exchange(1, 0, 0), Exchange(6, 0, 0)
    hops = (hop_of(0, link, 1), hop_of(4, slots, 1), hop_of(4, link, 1))
    strands = (Way(0, 4, hops),)
    for rounds, fine in (((0, 4), True), ((0, 3, 7), False)):
        schedule = gc.Schedule(task, "there and back", rounds, 8, strands)
        moves = expand(schedule)
        assert ("round" in dict(check_elements(moves, one_port(1)).counts)) is not fine
        assert ("round" in dict(check_algebra(schedule, one_port(1)).counts)) is not fine


def test_two_circuits_over_one_link_are_two_messages():
    """In round 0 every node sends one element to its neighbour and one to a node beyond it."""
    source = gc.Layout.nodes(3)
    task = gc.Task(source, AffineMap(Matrix.identity(3), 5) @ source, 2)
    flips = [Exchange(1 << d, 0, 0) for d in range(3)]
    strands = (
        Way(0, 1, (hop_of(2, flips[2]), hop_of(4, flips[0]))),
        Way(1, 2, (hop_of(0, flips[2]), hop_of(0, flips[0]))),
    )
    schedule = gc.Schedule(task, "by hand", range(0, 5, 3), 5, strands)
    machine = gc.Machine(3, ports=1, switching="circuit")
    assert not check_algebra(schedule, machine)
    assert not check_elements(expand(schedule), machine)


def test_nodes_that_send_apart_may_not_receive_together():
    """Half of the nodes send over dimension 0, the others over 1: these receive from both."""
    task = gc.Task(gc.Layout.nodes(2), gc.Layout.nodes(2), 1)
    across, along = (Exchange(1 << d, 0, 0) for d in range(2))
    strands = (
        Way(0, 1, (hop_of(0, across), hop_of(1, across)), mask=1, value=0),
        Way(0, 1, (hop_of(0, along), hop_of(2, along)), mask=1, value=1),
    )
    schedule = gc.Schedule(task, "by hand", range(3), 3, strands)
    for ports in (1, 2):
        machine = gc.Machine(2, ports=ports)
        for report in (
            check_algebra(schedule, machine),
            check_elements(expand(schedule), machine),
        ):
            assert ("ports" in dict(report.counts)) is (ports == 1)


HALFWAY = [  # a circuit that ends within an exchange over two links, and one that starts there
    [((0b01, 0, 0), (0,)), ((0b11, 0b11, 1), (0, 2))],
    [((0b11, 0b11, 1), (0, 2)), ((0b10, 0, 0), (2,))],
]


@pytest.mark.parametrize("hops", HALFWAY, ids=["end", "start"])
@pytest.mark.parametrize("ports", [1, 2])
def test_halfway_through_an_exchange_a_node_has_two_blocks(hops, ports):
    """Both are sent in one cycle, or arrive in one; the steps are those of one way."""
    steps = tuple(
        Step(
            Exchange(*move),
            tuple(map(Crossing, (d for d in (1, 0) if move[0] >> d & 1), starts)),
        )
        for move, starts in hops
    )
    way = Way(0, 1, steps)
    task = gc.Task(gc.Layout.nodes(2), way.move(2) @ gc.Layout.nodes(2), 1)
    schedule = gc.Schedule(task, "by hand", range(3), 3, (way,))
    machine = gc.Machine(2, ports=ports, switching="circuit")
    wrong, _, moves = judge(schedule, machine)
    assert ("ports" in wrong) is (ports == 1)
    assert bool(check_elements(moves, machine)) is (not wrong)
    assert bool(check_algebra(schedule, machine)) is (not wrong)


@pytest.mark.parametrize("n", [1, 30])
@pytest.mark.parametrize("free", [False, True])
def test_a_task_of_butterflies_needs_them(n, free):
    """Everything is where it belongs from the start; but nothing has been computed."""
    layout = gc.Layout.cyclic(n + 1, n)
    task = gc.Task(layout, layout, 2, stages=range(n + 1), free=free)
    flip = Exchange(1, 0, 0)
    there_and_back = Way(0, 2, (hop(0, flip, n), hop(2, flip, n)))
    as_maps = Way(
        0, 2, tuple(Step(flip.affine(n + 1), s.crossings) for s in there_and_back.steps)
    )
    halves = (Way(0, 1, ()), Way(1, 2, ()))
    for ways in ((Way(0, 2, ()),), halves, (there_and_back,), (as_maps,)):
        schedule = gc.Schedule(task, "nothing done", (0, 2), 4, ways)
        assert not check_algebra(schedule, gc.Machine(n))
        moved = replace(schedule, task=gc.Task(layout, layout, 2))
        assert check_algebra(moved, gc.Machine(n))
