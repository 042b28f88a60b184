"""Start-ups and bytes together, against the cheapest of all schedules of few elements."""

import random
from collections import Counter
from heapq import heappop, heappush
from itertools import product

import pytest
from sweeping import sweep

import graycube as gc
from graycube.cost import lower_bounds
from graycube.gf2 import AffineMap, Matrix

HOPS, CIRCUIT = "store-and-forward", "circuit"


def paths(n, switching):
    """The ways that an element may take in a round, as dimensions."""
    alone = [(), *((d,) for d in range(n))]
    return alone if switching == HOPS or n < 2 else [*alone, (0, 1), (1, 0)]


def round_of(at, taken, ports):
    """Where everything is after a round, and its longest message; None with too many ports."""
    links, messages, after = Counter(), set(), []
    for node, path in zip(at, taken, strict=True):
        end = node
        for d in path:
            links[end, d] += 1
            end ^= 1 << d
        if path:
            messages.add((node, end))
        after.append(end)
    for ends in zip(*messages, strict=True):
        if max(Counter(ends).values()) > ports:
            return None
    return tuple(after), max(links.values(), default=0)


def cheapest(task, machine):
    """The least price of all schedules there are."""
    nodes, block = range(1 << task.n), range(task.block)
    start = tuple(u for u in nodes for _ in block)
    slots = [k // task.payload << task.n for k in block]
    goal = tuple(task.move(slot | u) & (1 << task.n) - 1 for u in nodes for slot in slots)
    ways, best, queue = paths(task.n, machine.switching), {start: 0.0}, [(0.0, start)]
    while queue:
        cost, at = heappop(queue)
        if at == goal:
            return cost
        if cost > best[at]:
            continue
        for taken in product(ways, repeat=len(at)):
            made = round_of(at, taken, machine.links_at_once)
            if made and made[1]:
                after, longest = made
                price = cost + machine.message_time(longest)
                if price < best.get(after, price + 1):
                    best[after] = price
                    heappush(queue, (price, after))
    raise AssertionError("the goal is never reached")


@pytest.mark.parametrize(
    ("n", "ports", "block", "switching"),
    [
        (1, 1, 3, HOPS),
        (1, 1, 2, CIRCUIT),
        (2, 1, 1, HOPS),
        *sweep((2, 2, 1, HOPS), (2, 1, 1, CIRCUIT), (2, 2, 1, CIRCUIT)),
    ],
)
def test_no_schedule_is_cheaper_than_start_ups_and_bytes_together(n, ports, block, switching):
    rng = random.Random(f"{n} {ports} {block}")  # noqa: S311
    for _ in range(2):
        p = n + (block == 2)
        columns = [0]
        while not Matrix(tuple(columns), len(columns)).is_invertible():
            columns = [rng.randrange(1 << p) for _ in range(p)]
        layout = gc.Layout.cyclic(p, n)
        target = AffineMap(Matrix(tuple(columns), p), rng.randrange(1 << p)) @ layout
        task = gc.Task(layout, target, block)
        machine = gc.Machine(n, ports, switching, startup=rng.choice([0.5, 2.0]))
        bound = max(lower_bounds(task, machine), key=lambda bound: bound.seconds)
        assert bound.seconds <= cheapest(task, machine) * (1 + 1e-12)


def test_rounds_and_flow_add_up():
    source, target = gc.Layout.cyclic(10, 5), gc.Layout.consecutive(10, 5)
    machine = gc.Machine(5, startup=100.0, per_byte=1.0)
    bounds = lower_bounds(gc.Task(source, target, 1024), machine)
    assert (
        str(bounds[-1]) == "start-ups and bytes: 3060 s (5 start-ups, and the bytes of 'links')"
    )


def test_nothing_is_added_where_links_differ():
    gray, binary = gc.Layout.nodes(5, "gray"), gc.Layout.nodes(5)
    task = gc.Task(gray, binary, 1000)
    for startup in (0.0, (100.0,) * 4 + (200.0,)):
        bounds = lower_bounds(task, gc.Machine(5, ports="all", startup=startup))
        assert "start-ups and bytes" not in {bound.name for bound in bounds}
