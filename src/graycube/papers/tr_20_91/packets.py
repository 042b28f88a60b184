"""Sections 1, 5.2 and 6: comparisons, fields, packets and other numbers of ports."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import graycube as gc
from graycube.cost import simulate
from graycube.gf2 import Exchange
from graycube.papers import Case, Claim, compared, tried
from graycube.papers.codes import compositions
from graycube.schedule import Way, actions, expand, hop
from graycube.table import few_ports

from .model import all_ports, best, cycles_of, proved, task_of
from .routes import above, routes

BLOCKS = (1, 3, 8, 12, 16, 24, 40)
"""Elements on a node where several fields are compared with one."""


def rotations(n: int, block: int) -> gc.Schedule:
    """N - 1 sets of elements, each in its own rotation of the descending order."""
    real = n - 1
    marks = [block * s // real for s in range(real + 1)]
    length = -(-block // real)
    ways = []
    for s in range(real):
        done: list[int] = []
        hops = []
        for t in range(real):
            m = (n - 2 - s - t) % real
            x = min((d for d in done if d > m), default=n - 1)
            condition = above(n, m) & (2 << x) - 1
            hops.append(hop(t * length, Exchange(1 << m, condition), n))
            done.append(m)
        ways.append(Way(marks[s], marks[s + 1], tuple(hops)))
    rounds = range(0, real * length, length)
    return gc.Schedule(task_of((n,), block), "rotations", rounds, real * length, tuple(ways))


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


def speed_up(claim: Claim) -> Iterator[Case]:
    """Cycles of the pipeline over those of the best schedule, and of section 5.1's routes."""
    for sizes in claim.cases():
        n, block = sizes["n"], sizes["K"]
        pipeline = cycles_of("pipelined", (n,), block)
        over = Fraction(pipeline, best(n, block))
        by_routes = Fraction(pipeline, cycles_of("nonminimum-path", (n,), block))
        twice = block == n + 2 and n >= 5
        near = Fraction(3, 2) - Fraction(n, block) <= by_routes <= Fraction(3, 2)
        case = claim.compare(over, **sizes)
        yield replace(case, corrected=case.corrected and (over == 2) == twice and near)


@tried
def two_thirds(n: int, K: int) -> bool:
    """The routes with detours take two thirds of K, and less than n more."""
    return 2 * K <= 3 * cycles_of("nonminimum-path", (n,), K) <= 2 * K + 3 * n


def like_one_field(claim: Claim) -> Iterator[Case]:
    """Several fields against one of as many bits: the largest difference of all ways."""
    name = "nonminimum-path"

    def differences(n: int, d: int) -> Iterator[int]:
        for block in BLOCKS:
            one = cycles_of(name, (n,), block)
            many = (cycles_of(name, widths, block) for widths in compositions(n, d, least=2))
            yield from (abs(c - one) for c in many)

    return claim.compared(lambda n, d: max(differences(n, d)))


@tried
def on_some_ports(n: int, K: int) -> bool:
    """Schedules on every number of ports: proved, and never slower than on fewer."""
    task = task_of((n,), K)
    made = [few_ports.emit(task, all_ports(n, p)) for p in range(1, n + 1)]
    cycles = [proved(schedule, p) for p, schedule in enumerate(made, 1)]
    return cycles == sorted(cycles, reverse=True) and cycles[-1] < cycles[0]


@tried
def by_the_address(n: int, K: int) -> bool:
    """What each node does, from its own number, is what following all elements shows."""
    made = routes(n, K - K // 3, K // 3)
    told = Counter(
        (cycle, node, action.dimension)
        for node in range(1 << n)
        for action in actions(made, node)
        for cycle in range(action.cycle, action.cycle + action.stop - action.start)
    )
    moves = expand(made)
    columns = (moves.cycle.tolist(), moves.node.tolist(), moves.dimension.tolist())
    return told == Counter(zip(*columns, strict=True))
