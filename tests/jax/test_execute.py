"""Plans in their own rounds: against the layouts, and the programs send what the plan says."""

import os
import random
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import jax
import numpy as np
import pytest
from jax_cases import P, collectives, compiled, mesh_of, permutes, put
from sweeping import sweep
from way_mutants import corpus

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax.matchings import matchings
from graycube.jax.rounds import rounds_of
from graycube.run import scripts

ONE = gc.Machine(3, startup=2.0)
TWO = gc.Machine(3, 2, startup=2.0)
ALL = gc.Machine(3, "all", startup=2.0)
CIRCUITS = gc.Machine(3, switching="circuit", startup=2.0)
CODES = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
TURNED = gc.Layout.cyclic(7, 3, nodes="gray"), gc.Layout.consecutive(7, 3)
CASES = [
    ("gb1", CODES, ONE),
    ("gb3", CODES, ONE),
    ("three-fifths", CODES, ALL),
    ("exchange", TURNED, ONE),
    ("all-to-all", TURNED, CIRCUITS),
    *sweep(("gb2", CODES, ONE), ("few-ports", CODES, TWO), ("pipelined", CODES, ALL)),
    *sweep(("minimum-path", CODES, ALL), ("direct", CODES, CIRCUITS)),
    *sweep(("pipeline", TURNED, ALL), ("any-order", CODES, ONE), ("groups", TURNED, CIRCUITS)),
]
AUTOMATIC, EXPLICIT = False, True


def case(name, layouts, machine, block=32):
    """A plan, and the blocks of all nodes before and after by the layouts alone."""
    source, target = layouts
    plan = gc.plan(source, target, block, itemsize=4, machine=machine, algorithm=name)
    assert plan.verify()
    payload = block // source.block_size
    x = np.arange(source.size * payload, dtype=np.float32).reshape(source.size, payload)
    return plan, source.scatter(x), target.scatter(x)


def most_messages(plan):
    """Round by round, the most messages of one length that one node sends or receives.

    Counted in what ``plan.moves()`` lists: every crossing of a link by an element.
    """
    moves, ends = plan.moves(), Counter()
    starts = [*plan.schedule.rounds, plan.schedule.cycles]
    number = np.searchsorted(starts, moves.cycle, side="right")
    links = Counter(
        zip(number.tolist(), moves.node.tolist(), moves.dimension.tolist(), strict=True)
    )
    for (r, node, dim), length in links.items():
        ends["out", r, node, length] += 1
        ends["in", r, node ^ 1 << dim, length] += 1
    most = {}
    for (_, r, _, length), count in ends.items():
        most[r, length] = max(most.get((r, length), 0), count)
    return sum(most.values())


@pytest.mark.parametrize("explicit", [AUTOMATIC, *sweep((EXPLICIT,))])
@pytest.mark.parametrize(("name", "layouts", "machine"), CASES)
def test_what_is_sent_is_what_the_plan_says(name, layouts, machine, explicit):
    plan, before, after = case(name, layouts, machine)
    blocks = put(before, mesh_of((2, 4), explicit=explicit), P(("a", "b")))
    program = compiled(lambda x: gc.jax.execute(plan, x, blocks.sharding), blocks)
    made = program(blocks)
    np.testing.assert_array_equal(np.asarray(made), after)
    assert made.sharding.is_equivalent_to(blocks.sharding, made.ndim)
    sent, counts = [*permutes(program)], collectives(program)[0]
    assert counts == {"collective-permute": len(sent)}
    hops = [(size, (u ^ v).bit_count()) for size, pairs in sent for u, v in pairs]
    assert sum(size * far for size, far in hops) == plan.traffic.bytes
    if machine is not CIRCUITS:
        assert {far for _, far in hops} == {1}
        assert len(hops) == sum(r.links * r.times for r in plan.traffic.rounds)
        assert len(sent) == most_messages(plan)


@pytest.mark.parametrize(("name", "layouts"), [("gb1", CODES), ("exchange", TURNED)])
def test_a_round_on_one_port_is_one_permute(name, layouts):
    plan, before, _ = case(name, layouts, ONE)
    program = compiled(
        partial(gc.jax.execute, plan), put(before, mesh_of((8,), explicit=True), P("a"))
    )
    assert collectives(program)[0] == {"collective-permute": plan.rounds}


def test_programs_do_not_grow_with_the_block():
    sizes = set()
    for p in (9, 15):
        layouts = gc.Layout.cyclic(p, 3, nodes="gray"), gc.Layout.consecutive(p, 3)
        plan, before, _ = case("exchange", layouts, ONE, block=1 << p - 3)
        blocks = put(before, mesh_of((8,), explicit=True), P("a"))
        text = jax.jit(partial(gc.jax.execute, plan)).lower(blocks).as_text()
        assert {*re.findall(r"tensor<(\d+)xi32>", text)} <= {"1", "8"}
        sizes.add(len(text.splitlines()))
    assert len(sizes) == 1


def links(program, mesh):
    """The devices at both ends of every message of a program."""
    for _, pairs in permutes(program):
        yield from ((mesh.devices[u].id, mesh.devices[v].id) for u, v in pairs)


def are_neighbours(ends, shape):
    """Whether two devices are next to each other on a torus, numbered in C order."""
    places = zip(*(np.unravel_index(device, shape) for device in ends), shape, strict=True)
    return sum(min((a - b) % side, (b - a) % side) for a, b, side in places) == 1


def on_a_torus(shape):
    """Plans on a torus of fours: a ring of 4 is a square, its places numbered in Gray code."""
    n = 2 * len(shape)
    devices = np.array(jax.devices()[: 1 << n])
    mesh = jax.sharding.Mesh(devices[gc.split_keys(shape)], ("x",))
    machine = gc.Machine(n, "all", startup=2.0)
    codes = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    turned = gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n)
    for source, target in (codes, turned):
        plan = gc.plan(source, target, 1 << n, itemsize=4, machine=machine)
        x = np.arange(1 << 2 * n, dtype=np.float32).reshape(source.size, -1)
        blocks = put(source.scatter(x), mesh, P("x"))
        program = compiled(partial(gc.jax.execute, plan, source=blocks.sharding), blocks)
        np.testing.assert_array_equal(np.asarray(program(blocks)), target.scatter(x))
        used = [*links(program, mesh)]
        assert used
        assert all(are_neighbours(ends, shape) for ends in used)
        assert len(used) == sum(r.links * r.times for r in plan.traffic.rounds)
    blocks = put(codes[0].scatter(np.arange(1 << n)), mesh, P("x"))
    a = gc.jax.Array(blocks, codes[0], blocks.sharding)
    at_once = compiled(partial(gc.jax.Array.relayout, target=codes[1]), a)
    assert not all(are_neighbours(ends, shape) for ends in links(at_once, mesh))


def test_on_a_torus_of_fours_all_links_are_those_of_neighbours():
    on_a_torus((4, 4))


@pytest.mark.sweep
def test_64_devices_on_a_torus():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=64", "JAX_PLATFORMS": "cpu"}
    program = "import test_execute; test_execute.on_a_torus((4, 4, 4))"
    folders = [Path(__file__).parent, Path(__file__).parents[1] / "common"]
    path = {"PYTHONPATH": ":".join(map(str, folders))}
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | flags | path)


def test_it_is_differentiated_and_batched():
    plan, before, after = case("exchange", TURNED, ONE)
    mesh = mesh_of((8,), explicit=False)
    blocks = put(before, mesh, P("a"))
    run = partial(gc.jax.execute, plan, source=blocks.sharding)
    weights = np.random.default_rng(0).standard_normal(after.shape).astype(np.float32)

    def energy(x):
        return (run(x) * weights).sum()

    back = gc.plan(*TURNED[::-1], 32, itemsize=4, machine=ONE, algorithm="exchange")
    want = back.apply(weights)
    np.testing.assert_array_equal(np.asarray(jax.jit(jax.grad(energy))(blocks)), want)
    pair = put(np.stack([before, 2 * before]), mesh, P(None, "a"))
    both = jax.jit(jax.vmap(run))(pair)
    np.testing.assert_array_equal(np.asarray(both), np.stack([after, 2 * after]))


def test_an_array_goes_from_layout_to_layout_as_a_plan_says():
    source, target = (gc.Layout.mesh((16, 8), (2, 4), code=code) for code in ("gray", "binary"))
    x = put(np.arange(256.0).reshape(16, 8, 2), mesh_of((2, 4), explicit=False), P("a", "b"))
    plan = gc.plan(source, target, 16, itemsize=4, machine=ONE)
    with pytest.raises(InvalidValueError, match=r"traced.*source="):
        jax.jit(partial(gc.jax.execute, plan))(x)
    a = gc.jax.Array.from_array(x[..., 0], source)
    program = compiled(partial(gc.jax.Array.relayout, target=target, plan=plan), a)
    b = program(a)
    np.testing.assert_array_equal(np.asarray(b.to_array()), np.asarray(x)[..., 0])
    np.testing.assert_array_equal(np.asarray(b.blocks), np.asarray(a.relayout(target).blocks))
    assert b.layout == target
    with pytest.raises(InvalidValueError, match=r"array goes from .* plan goes from"):
        b.relayout(source, plan)
    with pytest.raises(InvalidTypeError, match=r"gc.jax.Array.*relayout\(target, plan\)"):
        gc.jax.execute(plan, a)


@pytest.mark.parametrize(
    ("layouts", "machine", "options", "words"),
    [
        (CODES, ONE, {"algorithm": "relabel"}, "renumbers the nodes.*keep their numbers"),
        (
            CODES,
            gc.Machine(3, "all"),
            {"block": 1 << 11},
            "has [0-9]+ rounds.*at most 512.*start-up",
        ),
        ((gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)), gc.Machine(2), {}, "for 4 nodes"),
        (CODES, ONE, {"block": 48}, r"32 elements, in the shape \(32,\).*blocks of 48"),
    ],
)
def test_plans_that_cannot_be_carried_out_are_refused(layouts, machine, options, words):
    chosen = {"block": 32, "itemsize": 4, **options}
    plan = gc.plan(*layouts, machine=machine, **chosen)
    shape = (8, max(32, chosen["block"]) if chosen["block"] != 48 else 32)
    blocks = put(np.zeros(shape, np.float32), mesh_of((2, 4), explicit=False), P(("a", "b")))
    with pytest.raises(InvalidValueError, match=words):
        gc.jax.execute(plan, blocks)


def test_what_is_no_plan_or_no_blocks_is_refused():
    plan, before, _ = case("gb1", CODES, ONE)
    mesh = mesh_of((2, 4), explicit=False)
    with pytest.raises(InvalidTypeError, match=r"pass what graycube.plan gives"):
        gc.jax.execute("gb1", put(before, mesh, P(("a", "b"))))
    with pytest.raises(
        InvalidValueError, match=r"first axis is the node.*P\(mesh.axis_names\)"
    ):
        gc.jax.execute(plan, put(before[:, 0], mesh, P("a", "b")))
    with pytest.raises(InvalidValueError, match=r"shape \(16, .*one for each of 8"):
        gc.jax.execute(plan, put(np.zeros((16, 32)), mesh, P(("a", "b"))))
    transform = gc.plan_fft(TURNED[0], machine=ONE)
    with pytest.raises(InvalidValueError, match="butterflies of bit"):
        gc.jax.execute(transform, put(np.zeros((8, 16)), mesh, P(("a", "b"))))


@pytest.mark.parametrize("start", [0, *sweep(*zip(range(1, 16)))])
def test_a_round_has_as_few_permutes_as_a_device_has_messages(start):
    schedules = [s for s, _ in corpus(synthesised=False) if not s.stages and s.relabel is None]
    for schedule in schedules[start::16]:
        most = Counter()
        for script in scripts(schedule, range(1 << schedule.task.n)):
            for r in script.rounds:
                for messages in (r.sends, r.receives):
                    for length, count in Counter(
                        m.count * script.unit for m in messages
                    ).items():
                        most[r.number, length] = max(most[r.number, length], count)
        assert sum(map(len, rounds_of(schedule).rounds)) == most.total()


@pytest.mark.parametrize("seed", range(40))
def test_pairs_are_as_few_permutations_as_there_can_be(seed):
    rng = random.Random(seed)
    nodes = rng.randrange(1, 12)
    every = [(u, v) for u in range(nodes) for v in range(nodes)]
    pairs = rng.sample(every, rng.randrange(len(every) + 1))
    made = matchings(pairs)
    assert sorted(pair for some in made for pair in some) == sorted(pairs)
    for some in made:
        assert all(len({*ends}) == len(some) for ends in zip(*some, strict=True))
    degrees = [Counter(ends) for ends in zip(*pairs, strict=True)]
    assert len(made) == max((most for d in degrees for most in d.values()), default=0)
