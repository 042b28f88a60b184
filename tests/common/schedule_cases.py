"""Schedules to check and to break: conversions by every algorithm, and entirely random ones."""

from bisect import bisect_right
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import settings, strategies as st
from sweeping import examples

import graycube as gc
from graycube.gf2 import AffineMap, Exchange, Matrix, compose
from graycube.schedule import Way, hop
from graycube.table.gray import any_order, circuit_split, gb1, gb2, gb3
from graycube.table.messages import direct

HOP_BY_HOP = (gb1, gb2, gb3, any_order)
ON_CIRCUITS = (*HOP_BY_HOP, direct, circuit_split)
FEW = settings(max_examples=examples(62))
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


def hop_of(cycle, exchange, n=64):
    """The step of an exchange; all bits are those of nodes, unless n says how many."""
    return hop(cycle, exchange, n)


def starts_of(way):
    """When the steps of a way begin that cross links."""
    return [step.crossings[0].start for step in way.steps if step.crossings]


@st.composite
def exchanges(draw, n, p):
    """Exchanges that cross one dimension, or none and only change slots."""
    links = [0, *(1 << d for d in range(n))] if p > n else [1 << d for d in range(n)]
    local = draw(st.sampled_from([0, 0, *range(1 << (p - n))])) << n
    flip = draw(st.sampled_from(links)) | local or 1
    when = draw(st.sampled_from([0, *(1 << j for j in range(p)), *range(1 << p)]))
    if (flip & when).bit_count() % 2:
        when ^= flip & when & -(flip & when)
    return Exchange(flip, when, draw(st.integers(0, 1)) if when else 0)


@st.composite
def timed(draw, exchange_list, block, n):
    """Hops with random waits between them: often enough, often too short."""
    cycle, hops = draw(st.sampled_from([0, 0, block, draw(st.integers(0, 2 * block))])), []
    for exchange in exchange_list:
        hops.append(hop_of(cycle, exchange, n))
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
        made.append(Way(start, stop, draw(timed(way, block, n))))
    return tuple(made)


@st.composite
def node_maps(draw, n, p):
    """A map that changes node numbers only, as a renumbering must."""
    order = draw(st.permutations(range(n)))
    constant = draw(st.integers(0, (1 << n) - 1))
    return AffineMap(Matrix.permutation([*order, *range(n, p)]), constant)


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
    begun = [start for way in made for start in starts_of(way)]
    last = max(begun, default=-1)
    cycles = last + 1 + draw(st.sampled_from([block, block, 0]))
    marks = begun if draw(st.booleans()) else draw(st.sets(st.integers(0, max(last, 0))))
    rounds = tuple(sorted(m for m in {0, *marks} if m < cycles))
    return gc.Schedule(task, "random", rounds, cycles, made, relabel=relabel)


@st.composite
def subcubes(draw, n, mask=0, value=0):
    """A random partition of the nodes into subcubes, as pairs of mask and value."""
    free = [1 << d for d in range(n) if not mask >> d & 1]
    if not free or draw(st.integers(0, 2)) == 0:
        return [(mask, value)]
    bit = draw(st.sampled_from(free))
    halves = ((mask | bit, value), (mask | bit, value | bit))
    return [piece for half in halves for piece in draw(subcubes(n, *half))]


@st.composite
def pieces(draw, n, block):
    """Shares of some nodes: start, stop, mask, value; sometimes one too few or too many."""
    marks = sorted({0, *draw(st.lists(st.integers(1, block), max_size=1)), block})
    made = [
        (start, stop, mask, value)
        for start, stop in pairwise(marks)
        for mask, value in draw(subcubes(n))
    ]
    wrong = draw(st.integers(0, 11))
    if wrong == 0:
        made.pop(draw(st.integers(0, len(made) - 1)))
    elif wrong == 1:
        made.append(draw(st.sampled_from(made)))
    elif wrong == 2:
        start, stop, mask, value = made.pop(draw(st.integers(0, len(made) - 1)))
        bit = 1 << draw(st.integers(0, n - 1))
        made.append((start, stop, mask & ~bit, value & ~bit))
    return made


@st.composite
def detours(draw, n, displacement):
    """Unconditional flips in any order that add up, sometimes with some there and back."""
    dims = [d for d in range(n) if displacement >> d & 1]
    dims += draw(st.lists(st.integers(0, n - 1), max_size=1)) * 2
    return [Exchange(1 << d, 0, 0) for d in draw(st.permutations(dims))]


@st.composite
def ways(draw, n, p, base, piece):
    """A list of exchanges that does on the nodes of a piece what the base does, mostly."""
    _, _, mask, value = piece
    corners = [a for a in range(1 << n) if a & mask == value]
    move = compose(base, p)
    displacements = {move(a) ^ a for a in corners}
    still = p == n or all(not (e.flip | e.when) >> n for e in base)
    if still and len(displacements) == 1 and draw(st.integers(0, 3)):
        return draw(detours(n, displacements.pop()))
    kind = draw(st.integers(0, 7))
    if kind == 0:
        return draw(st.lists(exchanges(n, p), max_size=3))
    if kind == 1:
        return list(draw(st.permutations(base)))
    if kind < 4:
        aside = draw(exchanges(n, p))
        return [*base, aside, aside]
    return list(base)


@st.composite
def in_time(draw, way, least, last, n):
    """Hops in distinct units of some cycles, or anyhow in the first ``last`` units."""
    if draw(st.integers(0, 3)) and len(way) <= last:
        unit = st.integers(0, last - 1)
        units = sorted(draw(st.sets(unit, min_size=len(way), max_size=len(way))))
    else:
        units = sorted(
            draw(st.lists(st.integers(0, last), min_size=len(way), max_size=len(way)))
        )
    return tuple(hop_of(least * u, exchange, n) for u, exchange in zip(units, way, strict=True))


@st.composite
def stretches(draw, begun, cycles, block):
    """Rounds of all kinds: where a hop starts, anywhere, and equal ones as a range."""
    kind = draw(st.integers(0, 3))
    if kind < 2:
        return range(0, cycles, draw(st.integers(1, block + 1)))
    marks = set(begun)
    if kind == 2:
        marks = draw(st.sets(st.integers(0, max(0, cycles - 1)), max_size=4))
    return tuple(sorted(m for m in {0, *marks} if m < cycles))


@st.composite
def subcube_schedules(draw, slots=1):
    """Strands of the nodes of some subcubes; the task is what most of them do."""
    n = draw(st.integers(1, 3))
    p = n + draw(st.sampled_from([0, 0, 0, slots]))
    block = draw(st.integers(1, 3)) << (p - n)
    if draw(st.booleans()):
        base = draw(st.lists(exchanges(n, p), max_size=3))
    else:
        base = draw(detours(n, draw(st.integers(0, (1 << n) - 1))))
    parts = draw(pieces(n, block))
    unit, last = draw(st.sampled_from([1, block, block])), draw(st.integers(1, 3 + len(parts)))
    made = []
    for part in parts:
        start, stop, mask, value = part
        way = draw(ways(n, p, base, part))
        made.append(Way(start, stop, draw(in_time(way, unit, last, n)), mask, value))
    if draw(st.integers(0, 9)) == 0:
        nothing = draw(st.lists(exchanges(n, p), max_size=2))
        made.append(Way(0, 0, draw(in_time(nothing, unit, last, n))))
    begun = [start for way in made for start in starts_of(way)]
    relabel = draw(st.one_of(st.none(), st.none(), st.none(), node_maps(n, p)))
    source = gc.Layout.consecutive(p, n)
    move = compose(base, p) if relabel is None else relabel @ compose(base, p)
    task = gc.Task(source, move @ source, block, draw(st.integers(1, 3)))
    end = max(begun, default=-1)
    cycles = end + 1 + draw(st.sampled_from([0, block - 1, block - 1, block, block + 2]))
    rounds = draw(stretches(begun, cycles, block))
    return gc.Schedule(task, "random", rounds, cycles, tuple(made), relabel=relabel)


def every_machine(n):
    """Machines of n dimensions with all numbers of ports, for both kinds of switching."""
    return [
        gc.Machine(n, ports, switching)
        for switching in ("store-and-forward", "circuit")
        for ports in (*range(1, n + 1), "all")
    ]


def gray_matrix(width):
    """From an index to its Gray code: bit j is the sum of bits j and j + 1."""
    return Matrix(tuple(1 << j | (1 << j >> 1) for j in range(width)), width)


def recoded(fields, places, block, *, itemsize=1, constant=0):
    """Fields (width, to binary), from Gray code to binary or back, their bits at any places."""
    n = sum(width for width, _ in fields)
    place = AffineMap(Matrix.permutation(places), constant)
    codes = {True: gray_matrix, False: Matrix.identity}
    ends = []
    for is_gray in (True, False):
        matrix = Matrix.block_diagonal(codes[d is is_gray](width) for width, d in fields)
        ends.append(gc.Layout(place @ AffineMap(matrix, 0), n))
    return gc.Task(*ends, block, itemsize)


@st.composite
def recodings(draw, most=6, largest=40):
    """Tasks that convert several fields, each in its own direction."""
    widths = [draw(st.integers(1, min(most, 4)))]
    widths += draw(st.lists(st.integers(1, 4), max_size=2))
    while sum(widths) > most:
        widths.pop()
    directions = [draw(st.booleans()) for _ in widths]
    if draw(st.booleans()):
        directions = [directions[0]] * len(widths)
    places = draw(st.permutations(range(sum(widths))))
    block = draw(st.integers(1, largest))
    fields = list(zip(widths, directions, strict=True))
    return recoded(fields, places, block, itemsize=draw(st.sampled_from((1, 4))))


def longest_messages(moves):
    """Elements of the longest message of every round in which something moves, one by one."""
    columns = (moves.cycle.tolist(), moves.node.tolist(), moves.dimension.tolist())
    loads, longest = Counter(), {}
    for cycle, node, dimension in zip(*columns, strict=True):
        loads[bisect_right(moves.rounds, cycle) - 1, node, dimension] += 1
    for (number, _, _), amount in loads.items():
        longest[number] = max(longest.get(number, 0), amount)
    return longest


def blocks_of(task):
    """Blocks before and after: element by element, from ``locate`` alone."""
    elements = task.source.size
    behind = task.block // task.source.block_size
    x = np.arange(elements * behind).reshape(elements, behind)
    blocks = []
    for layout in (task.source, task.target):
        node, slot = layout.locate(*np.unravel_index(np.arange(elements), layout.shape))
        made = np.full((1 << task.n, layout.block_size, behind), -1)
        made[node, slot] = x
        assert made.min() >= 0
        blocks.append(made)
    return blocks
