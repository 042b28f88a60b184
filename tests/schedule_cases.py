"""Schedules to check and to break: conversions by every algorithm, and entirely random ones."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st

import graycube as gc
from graycube.algorithms import any_order, circuit_split, direct, gb1, gb2, gb3

HOP_BY_HOP = (gb1, gb2, gb3, any_order)
ON_CIRCUITS = (*HOP_BY_HOP, direct, circuit_split)
FEW = settings(max_examples=25)
COLUMNS = ("cycle", "node", "dimension", "element")


def one_port(n):
    return gc.Machine(dims=n)


def circuits(n):
    return gc.Machine(dims=n, ports=2, switching="circuit")


def conversion(n, block, *, backwards=False, slots=0):
    """The task from Gray to binary code of the node number, or back."""
    layouts = gc.Layout.cyclic(n + slots, n, nodes="gray"), gc.Layout.cyclic(n + slots, n)
    source, target = layouts[::-1] if backwards else layouts
    return gc.Task(source, target, block << slots)


@st.composite
def conversions(draw, least=2, algorithms=HOP_BY_HOP, machine=one_port, rounds=0):
    """A correct schedule, with at least so many rounds, and its machine."""
    n = draw(st.integers(least, 5))
    task = conversion(n, draw(st.integers(1, 9)), backwards=draw(st.booleans()))
    schedule = draw(st.sampled_from(algorithms)).emit(task, machine(n))
    if len(schedule.rounds) < rounds:
        schedule = gb1.emit(task, machine(n))
    return schedule, machine(n)


def rows_of(moves):
    return list(zip(*(getattr(moves, name).tolist() for name in COLUMNS), strict=True))


def with_rows(moves, rows, **changes):
    """The same schedule with other rows (cycle, node, dimension, element)."""
    columns = zip(*rows, strict=True) if rows else ((),) * 4
    return replace(moves, **dict(zip(COLUMNS, map(list, columns), strict=True)), **changes)


@st.composite
def exchanges(draw, n, p):
    """Exchanges that cross one dimension, or none and only change slots."""
    links = [0, *(1 << d for d in range(n))] if p > n else [1 << d for d in range(n)]
    local = draw(st.sampled_from([0, 0, *range(1 << (p - n))])) << n
    flip = draw(st.sampled_from(links)) | local or 1
    when = draw(st.sampled_from([0, *(1 << j for j in range(p)), *range(1 << p)]))
    if (flip & when).bit_count() % 2:
        when ^= flip & when & -(flip & when)
    return gc.Exchange(flip, when, draw(st.integers(0, 1)) if when else 0)


@st.composite
def timed(draw, exchange_list, block):
    """Hops with random waits between them: often enough, often too short."""
    cycle, hops = draw(st.sampled_from([0, 0, block, draw(st.integers(0, 2 * block))])), []
    for exchange in exchange_list:
        hops.append(gc.Hop(cycle, exchange))
        cycle += draw(st.sampled_from([0, 1, block // 2, block, block]))
    return tuple(hops)


@st.composite
def strands(draw, n, p, block):
    """Strands that share the block, mostly along the same way in another order."""
    marks = draw(st.lists(st.integers(0, block), max_size=2))
    bounds = [0, *sorted(marks), block]
    base = draw(st.lists(exchanges(n, p), max_size=4))
    made = []
    for start, stop in pairwise(bounds):
        way = list(draw(st.permutations(base))) if draw(st.booleans()) else base
        if draw(st.integers(0, 3)) == 0:
            detour = draw(exchanges(n, p))
            way = [detour, *way, detour]
        made.append(gc.Strand(start, stop, draw(timed(way, block))))
    return tuple(made)


@st.composite
def node_maps(draw, n, p):
    """A map that changes node numbers only, as a renumbering must."""
    order = draw(st.permutations(range(n)))
    constant = draw(st.integers(0, (1 << n) - 1))
    return gc.AffineMap(gc.Matrix.permutation([*order, *range(n, p)]), constant)


@st.composite
def random_schedules(draw):
    """Any strands at all; the task is the one that the first strand fulfils."""
    n, slots = draw(st.integers(1, 3)), draw(st.integers(0, 2))
    p, block = n + slots, draw(st.integers(1, 3)) << slots
    made = draw(strands(n, p, block))
    relabel = draw(st.one_of(st.none(), st.none(), node_maps(n, p)))
    source = gc.Layout.consecutive(p, n)
    move = made[0].move(p) if relabel is None else relabel @ made[0].move(p)
    task = gc.Task(source, move @ source, block)
    last = max((hop.cycle for strand in made for hop in strand.hops), default=-1)
    cycles = last + 1 + draw(st.sampled_from([block, block, 0]))
    starts = {hop.cycle for strand in made for hop in strand.hops}
    marks = starts if draw(st.booleans()) else draw(st.sets(st.integers(0, max(last, 0))))
    rounds = tuple(sorted(m for m in {0, *marks} if m < cycles))
    return gc.Schedule(task, "random", rounds, cycles, made, relabel=relabel)


@st.composite
def machines(draw, n):
    ports = draw(st.sampled_from([1, n, "all"]))
    return gc.Machine(n, ports, draw(st.sampled_from(["store-and-forward", "circuit"])))
