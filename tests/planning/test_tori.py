"""Plans on tori: in the numbers of their users, over links that are there."""

import pickle

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.errors import GraycubeError

SHAPES = ((4,), (2, 4), (4, 2), (4, 4), (2, 2, 4), *sweep(((8, 4),), ((4, 4, 4),)))


def tasks(n):
    yield gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    yield gc.Layout.cyclic(n + 2, n), gc.Layout.consecutive(n + 2, n, nodes="gray")


def neighbours(sides, node):
    """The nodes next to one on a torus whose nodes are numbered row by row."""
    place = np.unravel_index(node, sides)
    for k, length in enumerate(sides):
        for step in (1, -1):
            other = list(place)
            other[k] = (other[k] + step) % length
            yield int(np.ravel_multi_index(other, sides))


@pytest.mark.long
@pytest.mark.parametrize("sides", SHAPES, ids=str)
@pytest.mark.parametrize("algorithm", ["auto", "relabel"])
def test_blocks_and_layouts_have_the_numbers_of_the_user(sides, algorithm):
    machine = gc.Machine.torus(sides, startup=1.0, per_byte=1.0)
    for source, target in tasks(machine.dims):
        values = np.arange(source.size)
        block = 3 * source.block_size
        plan = gc.plan(source, target, block, machine=machine, algorithm=algorithm)
        assert plan.verify()
        blocks = np.repeat(source.scatter(values), 3, axis=1)
        wanted = np.repeat(target.scatter(values), 3, axis=1)
        made = plan.apply(blocks)
        if algorithm == "relabel":
            assert sorted(made[:, 0].tolist()) == sorted(wanted[:, 0].tolist())
        else:
            assert np.array_equal(made, wanted)
            out = blocks.copy()
            assert plan.apply(out, out=out) is out
            assert np.array_equal(out, wanted)
        sent = pickle.loads(pickle.dumps(plan))  # noqa: S301 - our own bytes
        assert np.array_equal(sent.apply(blocks), made)
        assert (sent.machine, sent.cost) == (machine, plan.cost)
        parted = (
            sent.task.p - plan.task.p
        )  # a schedule that parts blocks has slots for the parts
        assert sent.task.move == (plan.task.refined(parted) if parted else plan.task).move


@pytest.mark.parametrize("sides", [(2, 4), (4, 4), (4, 4, 4)], ids=str)
def test_on_squares_messages_go_to_neighbours_only(sides):
    machine = gc.Machine.torus(sides, ports=1, switching="store-and-forward", startup=1.0)
    plan = gc.plan(
        gc.Layout.nodes(machine.dims, "gray"), gc.Layout.nodes(machine.dims), 4, machine=machine
    )
    user = machine.numbers.inverse()
    moves = plan.moves()
    assert len(moves)
    for node, dim in {*zip(moves.node.tolist(), moves.dimension.tolist(), strict=True)}:
        assert user(node ^ 1 << dim) in neighbours(sides, user(node))
    for node in range(1 << machine.dims):
        peers = {m.peer for r in plan._script(node).rounds for m in r.sends}
        assert peers <= {*neighbours(sides, node)}


@pytest.mark.parametrize("sides", [(8,), (4, 8), (16, 2)], ids=str)
@pytest.mark.parametrize("joined", [True, False])
def test_routes_are_shortest_paths_over_links_that_are_there(sides, joined):
    machine = gc.Machine.torus(sides, joined=joined)
    for source in range(1 << machine.dims):
        for target in range(1 << machine.dims):
            at = source
            for hop in machine.route(source, target):
                node, axis, step = hop.name
                assert node == at
                place = list(np.unravel_index(at, sides))
                place[axis] += step
                assert joined or 0 <= place[axis] < sides[axis]
                at = int(np.ravel_multi_index(place, sides, mode="wrap"))
            assert at == target
            ends = zip(
                *(np.unravel_index(node, sides) for node in (source, target)),
                sides,
                strict=True,
            )
            away = [(abs(int(a) - int(b)), length) for a, b, length in ends]
            least = sum(min(d, length - d) if joined else d for d, length in away)
            assert len(machine.route(source, target)) == least


def test_a_square_is_a_cube():
    square = gc.Machine.torus((4, 4), startup=2.0, per_byte=1.0)
    cube = gc.Machine(4, "all", "circuit", startup=2.0, per_byte=1.0)
    for source, target in tasks(4):
        on_cube = gc.plan(source, target, 3 * source.block_size, machine=cube)
        assert square.alike
        conjugated = [
            gc.Layout((square.numbers.inverse().widened(layout.p) @ layout.map), 4, layout.axes)
            for layout in (source, target)
        ]
        on_square = gc.plan(*conjugated, 3 * source.block_size, machine=square)
        assert on_square.schedule == on_cube.schedule


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: gc.Machine.torus((6, 4)), "side 0 is 6"),
        (lambda: gc.Machine.torus((4, 4), joined=(True,)), "joined is .True,.: there are 2"),
        (lambda: gc.Machine.torus((4, 4), joined="yes"), "joined is"),
        (lambda: gc.Machine.torus((4, 4), joined=1), "joined is"),
        (lambda: gc.Machine.torus((2048,)), "a side is 2048: it must be at most 1024"),
        (lambda: gc.Machine.torus((4, 4), per_byte=(1.0, 2.0, 3.0)), "per_byte has 3 figures"),
        (
            lambda: gc.Machine(3, sides=(4, 4), joined=(True, True)),
            "16 nodes: the machine has 8",
        ),
        (lambda: gc.Machine(3, share=(1, 2, 3)), "share, of dimension 2, is 3"),
        (lambda: gc.Machine(3, share=(1, 4, 4)), "share is 4 for dimension 1"),
        (lambda: gc.Machine(3, share=2), "share is 2 for dimension 0"),
        (lambda: gc.Machine(3, ports=(1, 2)), "ports has 2 figures"),
        (lambda: gc.Machine(3, ports=(1, 2, 4)), "ports is 4: a node of a 3-cube has 1..3"),
        (lambda: gc.Machine(3, ports=(1, 0, 1)), "ports is 0"),
        (lambda: gc.Machine(2, (1, 1), sides=(2, 2), joined=(True, True)), "sides and cards"),
        (
            lambda: gc.Machine.torus((4, 4), per_byte=(1e-9,)),
            "per_byte has 1 figures: the torus has 2 sides",
        ),
        (lambda: gc.Machine.tree((4, 1)), "the sizes are .4, 1.: there are two parts or more"),
        (lambda: gc.Machine.tree((4, 6)), "the size of level 1 is 6"),
        (
            lambda: gc.Machine.tree((4, 2), per_byte=(1, 2, 3)),
            "3 figures: there are 2 levels",
        ),
        (lambda: gc.Machine.tree((4, 2), startup=(1.0, -1.0)), "startup of level 1 is -1.0"),
        (
            lambda: gc.Machine.tree((4, 2), oversubscribed=0),
            "oversubscribed is 0: it is",
        ),
        (lambda: gc.Machine.tree((4, 2), oversubscribed="2"), "oversubscribed is '2'"),
        (
            lambda: gc.Machine.tree((4, 2), per_byte=(1.0, 2.0), oversubscribed=2),
            "oversubscribed is 2: per_byte has the rate of each level",
        ),
        (lambda: gc.Machine.tree((4,), oversubscribed=2), "the rate of the only level"),
        (lambda: gc.Machine(2, nested=1), "nested is 1: cards are nested or not"),
        (
            lambda: gc.Machine(2, sides=(2, 2), joined=(True, True), nested=True),
            "nodes of a torus have no cards",
        ),
        (lambda: gc.Machine.torus((8,)).route(0, 8), "a node is 8: the machine has 8"),
    ],
)
def test_machines_that_are_none(made, words):
    with pytest.raises(GraycubeError, match=words):
        made()


def test_a_transform_refuses_a_plan_in_other_numbers():
    layout = gc.Layout.cyclic(6, 2)
    plan = gc.plan_fft(layout, machine=gc.Machine.torus((4,)))
    assert plan.verify()
    u = gc.CubeArray.from_numpy(np.arange(64.0), layout)
    with pytest.raises(GraycubeError, match="torus with squares"):
        gc.fft(u, plan=plan)


def test_a_search_knows_the_numbers_too():
    machine = gc.Machine.torus((2, 4), switching="store-and-forward")
    source, target = next(iter(tasks(3)))
    found = gc.synthesize(source, target, 11, machine=machine, keep=False)
    blocks = np.repeat(source.scatter(np.arange(8)), 11, axis=1)
    assert np.array_equal(
        found.apply(blocks), np.repeat(target.scatter(np.arange(8)), 11, axis=1)
    )
    assert found.cycles <= gc.plan(source, target, 11, machine=machine).cycles
    assert found.lower_bound <= found.cost
