"""Links that messages share: prices counted again from messages and their routes, and plans."""

import random
from collections import Counter, defaultdict
from math import ceil

import numpy as np
import pytest
from kinds_of_tasks import another_kind, planned
from sweeping import sweep

import graycube as gc
from graycube.cost import lower_bounds, shared, simulate
from graycube.cost.messages import by_turns
from graycube.planning.candidate import all_candidates
from graycube.schedule import Task
from graycube.schedule.way import are_straight

ASIDE = "relabel", "convert first"  # new numbers, and a second layout, are not in the moves
HARD = 110, 1193, 1318, 1510  # nodes pass on, and cards hear more than they send
SIDES = (2,), (4,), (8,), (2, 4), (4, 4), (2, 8), (8, 2), (4, 2, 2), (16,)


def torus(chance):
    sides = chance.choice(SIDES)
    return gc.Machine.torus(
        sides,
        joined=[chance.random() < 0.7 for _ in sides],
        ports=chance.choice([1, "all"]),
        switching=chance.choice(["store-and-forward", "circuit"]),
        startup=[chance.choice([0.0, 1.0, 20.0]) for _ in sides],
        per_byte=[chance.choice([0.5, 1.0, 4.0]) for _ in sides],
        packet=chance.choice([None, None, 8]),
    )


def cluster(chance):
    inner, outer = chance.randint(1, 2), chance.randint(1, 2)
    share = chance.choice([1, 1 << chance.randint(0, inner)])
    return gc.Machine(
        dims=inner + outer,
        ports=(inner,) * inner + (chance.randint(1, outer),) * outer,
        share=(1,) * inner + (share,) * outer,
        switching=chance.choice(["store-and-forward", "circuit"]),
        startup=(1.0,) * inner + (5.0,) * outer,
        per_byte=(0.25,) * inner + (1.0,) * outer,
        packet=chance.choice([None, None, 8]),
    )


def case(seed):
    """A machine and a task in the numbers of its cube."""
    chance = random.Random(seed)  # noqa: S311
    machine = torus(chance) if seed % 2 else cluster(chance)
    n = machine.dims
    p = n + chance.randint(0, 2)
    codes = ["gray", "binary"]
    source = gc.Layout.consecutive(p, n, nodes=chance.choice(codes))
    target = chance.choice([gc.Layout.cyclic, gc.Layout.consecutive])
    target = target(p, n, nodes=chance.choice(codes))
    block = chance.choice([1, 2, 5]) << p - n
    task = Task(source, target, block, itemsize=chance.choice([1, 4]))
    return machine, another_kind(task, seed) if seed % 3 == 0 else task


def messages(schedule, machine):
    """Round by round, the elements on each link, and from each node over some dimensions.

    A circuit that leads over shared links there and back does without them.
    """
    moves = gc.schedule.expand(schedule)
    number = np.searchsorted(np.asarray(list(schedule.rounds)), moves.cycle, side="right")
    shared = {dim for wires in machine.wires for dim in wires.dims}
    hops = defaultdict(lambda: defaultdict(list))
    fields = number, moves.cycle, moves.element, moves.node, moves.dimension
    for r, cycle, element, node, dim in zip(*(f.tolist() for f in fields), strict=True):
        hops[r][cycle, element].append((node, dim))
    for inside in hops.values():
        found, links = defaultdict(int), defaultdict(int)
        for crossed in map(dict, inside.values()):
            reached = {node ^ 1 << dim for node, dim in crossed.items()}
            (start,) = crossed.keys() - reached
            often = Counter(crossed.values())
            spared = {dim for dim, times in often.items() if times == 2} & shared
            at, flip = start, 0
            while at in crossed:
                dim = crossed[at]
                if dim not in spared:
                    links[start ^ flip, dim] += 1
                    flip ^= 1 << dim
                at ^= 1 << dim
            found[start, flip] += 1
        yield links, found


def seconds(links, found, task, machine):
    """What a round takes: its slowest link, whoever shares it."""
    shared = {wires.dims: wires for wires in machine.wires}
    worst = [0.0]
    for dims, _ in machine.levels:
        mask, joint = sum(1 << d for d in dims), defaultdict(int)
        for (start, flip), elements in found.items():
            if flip & mask:
                joint[start, flip] += elements * task.itemsize
        if dims in shared and joint:
            way = side if machine.sides else cards
            worst.append(way(joint, mask, shared[dims], machine))
        elif dims not in shared:
            worst += [
                machine.message_time(elements * task.itemsize, d)
                for (_, d), elements in links.items()
                if d in dims
            ]
    return max(worst)


def side(joint, mask, wires, machine):
    """Step by step, as long as the busiest link: where each hop is a message, else at once.

    A message comes to this side by those of lower dimensions.
    """
    back, at_once = machine.numbers.inverse(), machine.switching == "circuit"
    below, passing = (1 << wires.dims.start) - 1, defaultdict(list)
    sent = merged(joint, mask | below)
    for (start, flip), m in sent.items():
        come = start ^ flip & below
        for step, hop in enumerate(machine.route(back(come), back(start ^ flip))):
            passing[0 if at_once else step, hop.name].append((start, m))
    return busiest(passing, max(sent.values()), wires, machine)


def cards(joint, mask, wires, machine):
    """As long as the busiest card: it sends what starts there, and takes what ends there."""
    passing, share = defaultdict(list), 1 << len(wires.nodes)
    for (start, _), m in merged(joint, mask).items():
        passing[0, "out", start // share].append((start, m))
    entering = defaultdict(int)
    for (start, flip), m in joint.items():
        entering[start, (start ^ flip) // share] += m
    for (start, card), m in entering.items():
        passing[0, "in", card].append((start, m))
    return busiest(passing, max(merged(joint, mask).values()), wires, machine)


def merged(joint, mask):
    """What a node sends over some of these dimensions is one message."""
    found = defaultdict(int)
    for (start, flip), m in joint.items():
        found[start, flip & mask] += m
    return found


def busiest(passing, longest, wires, machine):
    """The time of each step: no less than that of its longest message."""
    steps = {at: machine.message_time(longest, wires.dims[0]) for at, *_ in passing}
    for (at, *_), messages in passing.items():
        starts = Counter()
        for start, m in messages:
            starts[start] += 1 if machine.packet is None else ceil(m / machine.packet)
        nbytes = sum(m for _, m in messages)
        paid = max(starts.values()) * wires.link.startup + nbytes * wires.link.per_byte
        steps[at] = max(steps[at], paid / wires.ports)
    return sum(steps.values())


def exact(schedule):
    """With delays within a block every node counts as if it sent as much."""
    return are_straight(schedule.ways) or by_turns(schedule)


@pytest.mark.parametrize("cases", [25, *sweep((4_000,))])
def test_prices_are_those_of_single_messages_on_their_routes(cases):
    tried = 0
    for seed in [*HARD, *range(cases)]:
        machine, task = case(seed)
        bound = max(b.seconds for b in lower_bounds(task, machine))
        for candidate in all_candidates(task, machine):
            if candidate.traffic is None or candidate.algorithm.name in ASIDE:
                continue
            schedule = candidate.traffic.schedule
            least = sum(seconds(*seen, task, machine) for seen in messages(schedule, machine))
            told = seed, machine, task, candidate, least
            assert candidate.cost >= least * (1 - 1e-12), told
            if exact(schedule):
                assert candidate.cost == pytest.approx(least), told
                tried += 1
            assert bound <= candidate.cost * (1 + 1e-12), told
    assert tried > cases


@pytest.mark.parametrize("cases", [40, *sweep((1_000,))])
def test_messages_on_tori_load_the_links_of_their_whole_routes(cases):
    for seed in range(1, 2 * cases, 2):
        machine, task = case(seed)
        sides = sum(len(wires.dims) for wires in machine.wires)
        if machine.switching != "circuit" or sides < machine.dims:
            continue  # sides of 2 and squares are crossed as the schedule says
        for candidate in all_candidates(task, machine):
            if candidate.traffic is None or candidate.algorithm.name in ASIDE:
                continue
            schedule = candidate.traffic.schedule
            if exact(schedule):
                sent = (found for _, found in messages(schedule, machine))
                least = sum(longest(found, task, machine) for found in sent)
                assert candidate.cost == pytest.approx(least), (seed, machine, candidate)


def longest(found, task, machine):
    """The time of the busiest of all links, on whatever side of the torus."""
    back, carried = machine.numbers.inverse(), defaultdict(list)
    for (start, flip), elements in found.items():
        for hop in machine.route(back(start), back(start ^ flip)):
            carried[hop].append((start, elements * task.itemsize))
    times = [0.0]
    for hop, sent in carried.items():
        starts = Counter()
        for start, nbytes in sent:
            starts[start] += 1 if machine.packet is None else ceil(nbytes / machine.packet)
        nbytes = sum(nbytes for _, nbytes in sent)
        times.append(max(starts.values()) * hop.link.startup + nbytes * hop.link.per_byte)
    return max(times)


@pytest.mark.parametrize(
    "machine",
    [
        gc.Machine.torus((8,), startup=1.0, per_byte=1.0),
        gc.Machine.torus((16,), joined=False, startup=1.0, per_byte=1.0),
        gc.Machine(4, (1, 2, 2, 2), share=(1, 2, 2, 2), switching="circuit", startup=9.0),
        gc.Machine(4, (1, 2, 2, 2), switching="circuit", startup=0.5, per_byte=1.0),
    ],
    ids=lambda machine: machine.wires[-1].shared,
)
def test_many_turns_cost_what_few_do(machine, monkeypatch):
    n = machine.dims
    layouts = gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n)
    task = Task(*layouts, 3 << n)
    (direct,) = (c for c in all_candidates(task, machine) if c.algorithm.name == "all-to-all")
    exactly = direct.traffic.time(machine)
    monkeypatch.setattr(shared, "MOST", 0)
    assert direct.traffic.time(machine) == pytest.approx(exactly)


@pytest.mark.parametrize("sides", [(8,), (8, 2)])
def test_pipelines_on_rings_load_each_link_with_all_that_passes_it(sides):
    """Messages over several dimensions at once are not all busiest on the same link."""
    ring = gc.Machine.torus(sides, startup=1.0, per_byte=1.0)
    n = ring.dims
    task = Task(gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n), 3 << n)
    (found,) = (c for c in all_candidates(task, ring) if c.algorithm.name == "pipeline")
    assert not exact(found.traffic.schedule)
    least = sum(seconds(*seen, task, ring) for seen in messages(found.traffic.schedule, ring))
    assert found.cost == least


def test_half_of_the_data_cross_the_links_in_the_middle():
    ring = gc.Machine.torus((16,), startup=3.0, per_byte=1.0)
    path = gc.Machine.torus((16,), joined=False, startup=3.0, per_byte=1.0)
    hosts = gc.Machine(4, (2, 2, 1, 1), share=(1, 1, 4, 4), startup=3.0)
    task = Task(gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4), 16)
    for machine, links in ((ring, 2), (path, 1), (hosts, 2)):
        found = {bound.name: bound.seconds for bound in lower_bounds(task, machine)}
        half = 8 * 16 / 2  # elements on one side that have to change it
        assert found["bisection"] == 3.0 + half / links


@pytest.mark.parametrize("ports", [1, 2])
def test_several_ports_of_a_card_share_out_start_ups(ports):
    """Four nodes send a block each over two ports: 1000 / 2 + 4 x 16 / 2 seconds at least."""
    machine = gc.Machine(4, (2, 2, ports, ports), share=(1, 1, 4, 4), startup=1000.0)
    far = gc.Layout(gc.gf2.AffineMap(gc.gf2.Matrix.identity(4), 0b1000), 4)
    plan = gc.plan(gc.Layout.nodes(4), far, 16, machine=machine)
    assert plan.lower_bound <= plan.cost
    found = {bound.name: bound.seconds for bound in plan.bounds}
    assert found["bisection"] == (1000 + 4 * 16) / ports


def test_messages_within_a_computer_do_without_its_card():
    """Circuits lead out and back here; messages do not, and wait for the near links."""
    near, far = (1.0, 0.25), (5.0, 1.0)
    startup, per_byte = zip(near, near, far, strict=True)
    machine = gc.Machine(3, (2, 2, 1), "circuit", startup, per_byte, share=(1, 1, 4))
    layouts = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    on = gc.Machine(3, 3, "circuit", *near)  # there each circuit is as good as another
    plan = gc.plan(*layouts, 24, itemsize=4, machine=on, algorithm="by-message")
    for schedule in (plan.schedule, gc.schedule.expand(plan.schedule)):
        assert simulate(schedule).time(machine) == 2 * 1.0 + (8 + 24) * 4 * 0.25
    found = gc.plan(*layouts, 24, itemsize=4, machine=machine)
    assert found.lower_bound <= found.cost == 25.0


def test_nodes_send_what_passes_within_a_step_too():
    """Both nodes of a pair may cross the second dimension of a step, at one of them."""
    path = gc.Machine.torus(
        (4, 2, 2), joined=False, switching="store-and-forward", per_byte=(0.5, 1.0, 0.5)
    )
    source = gc.Layout.parse("(|| ~b0 ~b2^b0 b3^b2^b1^b0 ~b3^b2^b0)")
    target = gc.Layout.parse("(|| ~b2^b1 b3 b3^b1^b0 b0)")
    task = Task(source, target, 5)
    (parts,) = (c for c in all_candidates(task, path) if c.algorithm.name == "rotated-parts")
    schedule = parts.traffic.schedule
    least = sum(seconds(*seen, task, path) for seen in messages(schedule, path))
    assert parts.cost == least == simulate(gc.schedule.expand(schedule)).time(path)


@pytest.mark.parametrize("cases", [16, *sweep((3_000,))])
def test_to_know_what_is_shared_is_never_worse(cases):
    for seed in range(cases):
        machine, task = case(seed)
        plan = planned(task, machine)
        assert plan.verify(), (seed, machine, task)
        conjugate = plan.task.numbered(machine.numbers)
        for ports in {1, machine.links_at_once}:
            for link in {*machine.links}:
                on = gc.Machine(machine.dims, ports, machine.switching, *link, machine.packet)
                for candidate in all_candidates(conjugate, on):
                    if candidate.traffic is None or candidate.algorithm.name in ASIDE:
                        continue
                    cost = candidate.traffic.time(machine)
                    assert plan.cost <= cost * (1 + 1e-12), (seed, ports, link, candidate)


def test_fewer_links_at_once_can_be_better():
    near, far = (12.5, 0.25), (50.0, 1.0)
    startup, per_byte = zip(near, near, far, far, strict=True)
    machine = gc.Machine(
        4, (1, 2, 2, 2), share=(1, 2, 2, 2), startup=startup, per_byte=per_byte
    )
    layouts = gc.Layout.cyclic(8, 4), gc.Layout.consecutive(8, 4)
    plan = gc.plan(*layouts, 1024, machine=machine, algorithm="pipeline")
    assert plan.cost == 1505.0  # 1533 with as many as there are


@pytest.mark.parametrize("n", [40, 63])
def test_cubes_of_any_size_are_priced(n):
    share = (1, 1, 1) + (8,) * (n - 3)
    machine = gc.Machine(n, (1,) * n, share=share, switching="circuit", startup=1e-6)
    source, target = gc.Layout.cyclic(n + 3, n), gc.Layout.consecutive(n + 3, n)
    plan = gc.plan(source, target, 8, machine=machine)
    assert plan.verify()
    assert plan.lower_bound <= plan.cost
