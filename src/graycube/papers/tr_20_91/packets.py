"""Sections 1, 4, 5.2 and 6: grids, comparisons, fields, packets and numbers of ports."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

import graycube as gc
from graycube.cost import replay, simulate
from graycube.papers import Case, Claim, at_every_size, compared, require, tried
from graycube.papers.codes import compositions, distance, mesh, reflected
from graycube.papers.library import emitted, task_of
from graycube.schedule import actions, expand

from .model import all_ports, best, cycles_of, proved, schedule
from .routes import routes

BLOCKS = (1, 3, 8, 12, 16, 24, 40)
"""Elements on a node where several fields are compared with one."""


def rotations(n: int, block: int) -> gc.Schedule:
    """N - 1 sets of elements, each in its own rotation of the descending order."""
    return emitted("rotations", task_of((n,), block), all_ports(n, n - 1))


def startups(made: gc.Schedule, packet: int) -> int:
    """Start-ups in sequence, with elements of one byte."""
    proved(made)
    machine = gc.Machine(made.task.n, ports="all", packet=packet)
    return simulate(made).startups(machine)


shortest = compared(lambda n, K, B: startups(rotations(n, K), B))
"""Packets on rotations."""


def with_detours(n: int, block: int, packet: int) -> int:
    """A packet is a unit of the routes of section 5.1, a third of them on long ones."""
    aside = -(-block // (3 * packet))
    short = -(-2 * block // (3 * packet))
    return startups(routes(n, short, aside, overlap=False), 1)


detours = compared(lambda n, K, B: with_detours(n, block=K, packet=B))
few_packets = compared(lambda n: with_detours(n, 6 * (n - 1), 6))
"""Packets of K / (n - 1) elements."""
few_packets_shortest = compared(lambda n: startups(rotations(n, 6 * (n - 1)), 6))


def ratio(n: int, block: int, packet: int) -> Fraction:
    """Start-ups on shortest paths over start-ups with detours."""
    return Fraction(startups(rotations(n, block), packet), with_detours(n, block, packet))


ratio_of_few = tried(lambda n: abs(ratio(n, n - 1, 1) - Fraction(3, 5)) <= Fraction(1, n))
"""It differs from 3/5 by less and less."""


@tried
def ratio_of_many(n: int, K: int) -> bool:
    """It comes closer to 3/2 as packets get smaller."""
    here, later = (ratio(n, k * (n - 1), 1) for k in (K, 2 * K))
    return later >= here and 0 < Fraction(3, 2) - later <= Fraction(2, K)


@tried
def saved_startups(n: int) -> bool:
    """The part of the start-ups that shortest paths save, for larger packets too."""
    block = n - 1
    saved = [1 - ratio(n, block, packet) for packet in range(1, block + 1)]
    return saved[0] == max(saved) and abs(saved[0] - Fraction(2, 5)) <= Fraction(1, n)


@compared
def shorter_than_pipeline(n: int, K: int) -> int:
    """Cycles of the pipeline, less those of the ring."""
    return cycles_of("pipelined", (n,), K) - cycles_of("minimum-path", (n,), K)


@at_every_size
def speed_up(claim: Claim, n: int, K: int) -> Iterator[Case]:
    """Cycles of the pipeline over those of the best schedule, and of section 5.1's routes."""
    pipeline = cycles_of("pipelined", (n,), K)
    over = Fraction(pipeline, best(n, K))
    by_routes = Fraction(pipeline, cycles_of("nonminimum-path", (n,), K))
    twice = n + 2 == K and n >= 5
    near = Fraction(3, 2) - Fraction(n, K) <= by_routes <= Fraction(3, 2)
    case = claim.compare(over, n=n, K=K)
    yield replace(case, corrected=case.corrected and (over == 2) == twice and near)


@tried
def two_thirds(n: int, K: int) -> bool:
    """The routes with detours take two thirds of K, and less than n more."""
    return 2 * K <= 3 * cycles_of("nonminimum-path", (n,), K) <= 2 * K + 3 * n


@compared
def like_one_field(n: int, d: int) -> int:
    """Several fields against one of as many bits: the largest difference of all ways."""
    cycles = partial(cycles_of, "nonminimum-path")
    ways = product(BLOCKS, compositions(n, d, least=2))
    return max(abs(cycles(widths, block) - cycles((n,), block)) for block, widths in ways)


@tried
def on_some_ports(n: int, K: int) -> bool:
    """Schedules on every number of ports: proved, and never slower than on fewer."""
    task = task_of((n,), K)
    made = [emitted("few-ports", task, all_ports(n, p)) for p in range(1, n + 1)]
    cycles = [proved(schedule, p) for p, schedule in enumerate(made, 1)]
    return cycles == sorted(cycles, reverse=True) and cycles[-1] < cycles[0]


@tried
def by_the_address(n: int, K: int) -> bool:
    """What each node does, from its own number, is what following all elements shows."""
    made = routes(n, K - K // 3, K // 3)
    told = Counter(
        (action.cycle + k, node, action.dimension)
        for node in range(1 << n)
        for action in actions(made, node)
        for k in range(action.stop - action.start)
    )
    moves = expand(made)
    columns = (moves.cycle.tolist(), moves.node.tolist(), moves.dimension.tolist())
    return told == Counter(zip(*columns, strict=True))


@tried
def grids(n: int, d: int) -> bool:
    """Neighbours along every axis of every grid of so many axes, axes closed to rings."""
    return all(_hops(widths) == {1} for widths in compositions(n, d, least=2))


def _hops(widths: tuple[int, ...]) -> set[int]:
    """The distances of neighbours, with the code of each axis in a field of its own."""
    lengths = [1 << width for width in widths]
    layout = gc.Layout.mesh(lengths, nodes=lengths, code="gray")
    ours = layout.locate(*np.indices(lengths))[0]
    require(np.array_equal(mesh(map(reflected, widths)), ours), "the layout is another one")
    shifted = [np.roll(ours, 1, axis=axis) for axis in range(len(widths))]
    return {*distance(ours, np.array(shifted)).ravel().tolist()}


@tried
def allocations(n: int, m: int) -> bool:
    """Both allocations, element by element; a conversion moves whole blocks, and the data."""
    i, node = np.arange(1 << n + m), reflected(n)
    places = {
        gc.Layout.consecutive: (node[i >> m], i & (1 << m) - 1),
        gc.Layout.cyclic: (node[i & (1 << n) - 1], i >> n),
    }
    for make, place in places.items():
        gray, binary = make(n + m, n, nodes="gray"), make(n + m, n)
        plan = gc.plan(gray, binary, 1 << m, machine=all_ports(n), algorithm="minimum-path")
        moved = binary.gather(plan.apply(gray.scatter(i)))
        sound = plan.verify() and plan.cycles == max(n - 1, 1 << m)
        if not (sound and np.array_equal([*gray.locate(i), moved], [*place, i])):
            return False
    return True


@tried
def loads(n: int, K: int) -> bool:
    """Shortest paths load all links together less, but the busiest one more."""
    made = [schedule(name, (n,), K) for name in ("minimum-path", "nonminimum-ring")]
    short, wide = (replay(expand(s)).link_loads for s in made)
    return bool(short.sum() < wide.sum() and K == short.max() > wide.max())


@tried
def improvement(n: int, K: int) -> bool:
    """Cycles of the pipeline less those with detours, which is about a third of K."""
    saved = cycles_of("pipelined", (n,), K) - cycles_of("nonminimum-path", (n,), K)
    return K / 3 - 1 <= saved <= (K + n) / 3
