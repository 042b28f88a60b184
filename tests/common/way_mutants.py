"""Right schedules, what can be wrong with their ways, and a judge that knows the rules only.

:func:`judge` follows every element of every way in plain integers, by the rules of
:mod:`graycube.schedule.way`, and lets :func:`check_elements` and :func:`check_pairs` decide
about the rows that it wrote; it shares no code with the proof.

    python tests/common/way_mutants.py 100000    # so many mutants; what the proof says of them
"""

import random
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise, product

import graycube as gc
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.schedule import Crossing, Delay, Moves, Step, Way, expand, hop
from graycube.table.exchanges.piecewise import piecewise
from graycube.table.networks import rearrangement, sided
from graycube.verify import check_algebra, check_elements, check_pairs, check_schedule
from graycube.verify.algebra import THEOREMS

MOST_ELEMENTS = 1 << 9
TRIES = 40
SOME = 16  # of the mutants that the algebra refuses one in so many is judged
HOPS, CIRCUIT = "store-and-forward", "circuit"

# The judge.


def odd(bits):
    return bits.bit_count() & 1


def moved(move, a):
    """Where an exchange or a map takes an address."""
    if isinstance(move, Exchange):
        return a ^ move.flip if odd(a & move.when) == move.want else a
    total = move.constant
    for j, column in enumerate(move.matrix.columns):
        total ^= column if a >> j & 1 else 0
    return total


def clock_of(crossing, a):
    late = (late.cycles for late in crossing.delays if odd(a & late.mask) == late.want)
    return crossing.start + sum(late)


@cache
def goals(task):
    """The node and the position where each element belongs, from the layouts alone."""
    source, target, found = task.source, task.target, {}
    payload = task.block // source.block_size
    for home in product(range(1 << task.n), range(source.block_size)):
        node, slot = target.locate(source.index(*home))
        for behind in range(payload):
            found[home[0], home[1] * payload + behind] = node, slot * payload + behind
    return found


def hops_of(task, step, at, after):
    """The crossings of a step: element, clock, cycle and dimension."""
    n, low = task.n, (1 << task.n) - 1
    for crossing in step.crossings:
        messages = defaultdict(list)
        for e, (a, behind) in at.items():
            if (a ^ after[e]) >> crossing.dim & 1:
                messages[a & low, clock_of(crossing, a)].append((a >> n, behind, e))
        for (_, clock), message in messages.items():
            for turn, (*_, e) in enumerate(sorted(message)):
                yield e, clock, clock + turn, crossing.dim


def follow(task, way):
    """The rows of a way, its elements at the end, and the bits that changed without a link."""
    n, payload = task.n, task.payload
    places = (divmod(k, payload) for k in range(task.block))
    slots = [
        (k, slot << n, behind)
        for k, (slot, behind) in enumerate(places)
        if way.start <= (behind if way.per_slot else k) < way.stop
    ]
    at = {
        u * task.block + k: (slot | u, behind)
        for u in range(1 << n)
        for k, slot, behind in slots
        if (slot | u) & way.mask == way.value
    }
    hops, leaps, rows = {element: [] for element in at}, 0, []
    for step in way.steps:
        if step.move is not None:
            after = {element: moved(step.move, a) for element, (a, _) in at.items()}
            for e, *hop in hops_of(task, step, at, after):
                hops[e].append(hop)
            crossed = sum(1 << crossing.dim for crossing in step.crossings)
            for e, a in after.items():
                leaps |= (at[e][0] ^ a) & ~crossed & (1 << n) - 1
                at[e] = a, at[e][1]
    for e, path in hops.items():
        node = e // task.block
        for _, cycle, dim in sorted(path, key=lambda hop: hop[0]):
            rows.append((cycle, node, dim, e))
            node ^= 1 << dim
    return rows, at, leaps


def are_at_home(schedule, at):
    """Whether all elements that are at some addresses belong there."""
    task, relabel, wanted = schedule.task, schedule.relabel, goals(schedule.task)
    n, block, payload = task.n, task.block, task.payload
    for e, (a, behind) in at.items():
        end = a if relabel is None else moved(relabel, a)
        place = end & (1 << n) - 1, (end >> n) * payload + behind
        if place != wanted[divmod(e, block)]:
            return False
    return True


def judge(schedule, machine):
    """The rules that a schedule breaks, the most that a node holds, and the moves."""
    rows, wrong, seen = [], set(), Counter()
    for way in schedule.ways:
        more, at, leaps = follow(schedule.task, way)
        rows += more
        seen.update(at.keys())
        if leaps or not are_at_home(schedule, at):
            wrong.add("end")
    if seen != Counter(range(schedule.task.block << schedule.task.n)):
        wrong.add("share")
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    head = schedule.task, schedule.algorithm, schedule.rounds, schedule.cycles
    moves = Moves(*head, *columns, relabel=schedule.relabel)
    report = check_elements(moves, machine)
    wrong |= {rule for rule, _ in report.counts}
    if not wrong and schedule.stages and not check_pairs(moves, schedule.stages):
        wrong.add("pair")
    return wrong, report.peak, moves


# Right schedules.


def random_map(rng, size):
    """An invertible map of addresses."""
    while True:
        matrix = Matrix(tuple(rng.randrange(1 << size) for _ in range(size)), size)
        if matrix.is_invertible():
            return AffineMap(matrix, rng.randrange(1 << size))


def tasks(rng, n):
    """Tasks of all kinds on 2^n nodes."""
    nodes, block = gc.Layout.nodes, rng.choice([1, 2, 3, 4, 5, 8])
    pairs = [(nodes(n, "gray"), nodes(n)), (nodes(n), nodes(n, "gray"))]
    pairs.append((nodes(n), AffineMap(random_map(rng, n).matrix) @ nodes(n)))
    for slots in (1, 2):
        p = n + slots
        coded = gc.Layout.cyclic(p, n, nodes="gray")
        pairs += [(coded, gc.Layout.cyclic(p, n)), (gc.Layout.cyclic(p, n), coded)]
        pairs += [(gc.Layout.consecutive(p, n), coded)]
        pairs += [(gc.Layout.cyclic(p, n), gc.Layout.consecutive(p, n))]
        pairs += [(gc.Layout(random_map(rng, p), n), gc.Layout(random_map(rng, p), n))]
    if n > 1:
        shape, parts = ((4, 4), (4, 4)) if n == 4 else ((4 << n - 2, 6), (1 << n - 1, 2))
        codes = [gc.Layout.mesh(shape, parts, code=code) for code in ("gray", "binary")]
        pairs += [codes, codes[::-1]]
        wide = [
            gc.Layout.mesh((2 << n, 3), (1 << n, 1), code="gray", allocation=how)
            for how in ("consecutive", "cyclic")
        ]
        plain = gc.Layout.mesh((2 << n, 3), (1 << n, 1), allocation="cyclic")
        pairs += [wide, (wide[1], plain)]
    for source, target in pairs:
        payload = block if source.block_size == 1 else rng.choice([1, 1, 2, 3])
        yield gc.Task(source, target, source.block_size * payload, rng.choice([1, 8]))
    if n > 2:
        bits = [f"b{j}" for j in range(n)]
        for order in ([*bits[1:], bits[0]], [*bits[1::-1], *bits[:1:-1]]):  # a cycle, trades
            yield gc.Task(nodes(n), gc.Layout.parse(f"(|| {' '.join(order)})"), 7)


def emulated(rng):
    """Butterfly networks, with every method."""
    layouts = [
        gc.Layout.cyclic(4, 2),
        gc.Layout.consecutive(5, 2, nodes="gray"),
        gc.Layout.cyclic(5, 3, nodes="gray"),
        gc.Layout.mesh((8, 4), (2, 2), code="gray"),
        gc.Layout.mesh((24, 4), (4, 1), ownership=False),
        gc.Layout.cyclic(2, 1),
    ]
    ways = [{}, {"radix": 2}, {"radix": 3}, {"merged": 1}, {"overlap": False}]
    ways += [{"conversion": "inter-node"}, {"conversion": "inter-node", "overlap": False}]
    for layout in layouts:
        for way in ways:
            for restore in (False, True):
                how = {"restore": restore, "descending": rng.random() < 0.7}
                try:
                    made = gc.emulation(layout, method=gc.Method(**way), **how)
                except gc.GraycubeError:
                    continue
                yield made, gc.Machine(layout.n, rng.choice(["all", layout.n]))
    for layout in (gc.Layout.cyclic(6, 3), gc.Layout.cyclic(8, 4, nodes="gray")):
        stages, size = tuple(range(layout.p))[::-1], 1 << layout.p - layout.n
        for payload in (1, 2):
            task = gc.Task(layout, layout, size * payload, stages=stages, free=True)
            yield sided(task), gc.Machine(layout.n, "all")
    for method in (gc.Method(), gc.Method(radix=2), gc.Method(overlap=False)):
        coded = gc.Layout.cyclic(5, 2, nodes="gray"), gc.Layout.consecutive(5, 2)
        for block in (8, 24):
            made = rearrangement(*coded, method=method, block=block)
            yield made, gc.Machine(2, "all", rng.choice([HOPS, CIRCUIT]))


def searched():
    """What a search finds that may take little time."""
    for n, block, ports in ((2, 3, "all"), (3, 11, "all"), (2, 4, 1)):
        machine = gc.Machine(n, ports)
        pair = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
        made = gc.synthesize(*pair, block, machine=machine, time_limit=1.0, keep=False)
        yield made.schedule, machine


def crowded():
    """All-to-alls on circuits, with several messages of a node at the same time."""
    pair, known = (gc.Layout.cyclic(6, 3), gc.Layout.consecutive(6, 3)), gc.algorithms()
    (by_part,) = (algorithm for algorithm in known if algorithm.name == "by-part")
    for block, ports, startup in ((8, 2, 4.0), (24, 2, 4.0), (8, 3, 4.0), (8, 3, 0.0)):
        machine = gc.Machine(3, ports, CIRCUIT, startup=startup)
        task = gc.Task(*pair, block)
        if by_part.applicable(task, machine) is None:
            yield by_part.emit(task, machine), machine


def in_turn():
    """Pieces that take turns over each dimension, in parts."""
    for n, slots, block, ports in ((2, 1, 16, 2), (3, 1, 32, 2), (4, 1, 32, 3), (3, 2, 32, 2)):
        pair = gc.Layout.cyclic(n + slots, n), gc.Layout.consecutive(n + slots, n)
        bits = (block >> slots).bit_length() - 1
        task = gc.Task(*pair, block).refined(bits)
        for startup, switching in ((0.0, HOPS), (2.0, HOPS), (0.0, CIRCUIT)):
            machine = gc.Machine(n, ports, switching, startup=startup)
            if made := piecewise(task, "mine", machine):
                yield made, machine


@cache
def corpus(seed=0, *, synthesised=True):
    """Right schedules and their machines, no two alike."""
    rng, found = random.Random(seed), {}
    for n in (1, 2, 3, 4):
        machines = [
            gc.Machine(n, ports, switching, startup=rng.choice([0.0, 4.0]))
            for switching in (HOPS, CIRCUIT)
            for ports in sorted({1, min(2, n), n})
        ]
        levels = gc.Machine.tree((2,) * n, startup=4.0)
        for task in tasks(rng, n):
            for machine in (*machines, levels):
                for algorithm in gc.algorithms():
                    if machine is levels and algorithm.name != "hierarchical":
                        continue
                    if algorithm.applicable(task, machine) is None:
                        made = algorithm.emit(task, machine)
                        found.setdefault((made, machine.switching), (made, machine))
    made = [*found.values(), *crowded(), *in_turn(), *emulated(rng)]
    made += searched() if synthesised else ()
    return [
        (schedule, machine)
        for schedule, machine in made
        if schedule.task.block << schedule.task.n <= MOST_ELEMENTS and schedule.cycles <= 999
    ]


# Faults. Each takes a schedule and a machine and changes something, or raises Nothing.


class Nothing(Exception):  # noqa: N818 - not an error
    """There is no such thing to change here."""


def pick(rng, things):
    things = list(things)
    if not things:
        raise Nothing
    return rng.choice(things)


def put(entries, k, *new):
    """The entries with others in the place of number k."""
    return (*entries[:k], *new, *entries[k + 1 :])


def with_way(schedule, s, **changes):
    made = replace(schedule.ways[s], **changes)
    return replace(schedule, ways=put(schedule.ways, s, made))


def with_step(schedule, s, k, *steps):
    return with_way(schedule, s, steps=put(schedule.ways[s].steps, k, *steps))


def steps_of(schedule, wanted=lambda _: True):
    return [
        (s, k, step)
        for s, way in enumerate(schedule.ways)
        for k, step in enumerate(way.steps)
        if wanted(step)
    ]


def crosses(step):
    return bool(step.crossings)


def waits(step):
    return any(crossing.delays for crossing in step.crossings)


def by_exchange(step):
    return isinstance(step.move, Exchange)


def by_map(step):
    return isinstance(step.move, AffineMap)


def shifts(rng, schedule):
    task = schedule.task
    spans = [1, 1, task.payload, task.block, *schedule.round_lengths[:3]]
    return rng.choice(spans) * rng.choice([-1, 1])


def later(crossing, shift):
    return replace(crossing, start=crossing.start + shift)


def one_start(rng, schedule, machine):
    s, k, step = pick(rng, steps_of(schedule, crosses))
    shift, which = shifts(rng, schedule), rng.randrange(len(step.crossings))
    if rng.random() < 0.5:
        crossings = tuple(later(crossing, shift) for crossing in step.crossings)
    else:
        crossings = put(step.crossings, which, later(step.crossings[which], shift))
    return with_step(schedule, s, k, replace(step, crossings=crossings)), machine


def many_starts(rng, schedule, machine):
    """A whole way, or what follows a step, or everything, is earlier or later."""
    s, k, _ = pick(rng, steps_of(schedule, crosses))
    shift, kind = shifts(rng, schedule), rng.randrange(3)
    ways = []
    for t, way in enumerate(schedule.ways):
        start = 0 if kind == 1 else k
        steps = [
            replace(step, crossings=tuple(later(c, shift) for c in step.crossings))
            if (kind == 2 or t == s) and j >= start
            else step
            for j, step in enumerate(way.steps)
        ]
        ways.append(replace(way, steps=tuple(steps)))
    longer = schedule.cycles + (max(0, shift) if rng.random() < 0.5 else 0)
    rounds = schedule.rounds
    if isinstance(rounds, range):
        rounds = range(0, longer, rounds.step)
    return replace(schedule, ways=tuple(ways), cycles=longer, rounds=rounds), machine


def delays(rng, schedule, machine):
    s, k, step = pick(rng, steps_of(schedule, waits))
    late = list(rng.choice([c.delays for c in step.crossings if c.delays]))
    j, p = rng.randrange(len(late)), schedule.task.p
    kind = rng.randrange(8)
    if kind == 0:
        del late[j]
    elif kind == 1:
        late.append(late[j])
    elif kind == 2:
        late[j] = replace(late[j], mask=late[j].mask ^ 1 << rng.randrange(p))
    elif kind == 3:
        late[j] = replace(late[j], want=1 - late[j].want)
    elif kind == 4:
        cycles = late[j].cycles + rng.choice([-1, 1, -late[j].cycles, late[j].cycles])
        late[j] = replace(late[j], cycles=max(0, cycles))
    elif kind == 5:
        late.append(Delay(abs(shifts(rng, schedule)), rng.randrange(1 << p)))
    elif kind == 6:
        late[j] = Delay(late[j].cycles, rng.choice([0, rng.randrange(1 << p)]))
    else:
        other = rng.randrange(len(late))
        one, two = late[j], late[other]
        late[j] = replace(one, cycles=two.cycles)
        late[other] = replace(two, cycles=one.cycles)
    every = rng.random() < 0.7
    which = rng.randrange(len(step.crossings))
    crossings = tuple(
        replace(crossing, delays=tuple(late)) if every or w == which else crossing
        for w, crossing in enumerate(step.crossings)
    )
    return with_step(schedule, s, k, replace(step, crossings=crossings)), machine


def new_delay(rng, schedule, machine):
    s, k, step = pick(rng, steps_of(schedule, crosses))
    mask = rng.choice([0, 1 << rng.randrange(schedule.task.p)])
    late = Delay(rng.choice([0, abs(shifts(rng, schedule))]), mask, rng.randrange(2))
    crossings = tuple(replace(c, delays=(*c.delays, late)) for c in step.crossings)
    return with_step(schedule, s, k, replace(step, crossings=crossings)), machine


def dropped(rng, schedule, machine):
    s, k, _ = pick(rng, steps_of(schedule))
    return with_step(schedule, s, k), machine


def doubled(rng, schedule, machine):
    """A step twice, at once or later, or there and back."""
    s, k, step = pick(rng, steps_of(schedule))
    shift = rng.choice([0, abs(shifts(rng, schedule))])
    again = replace(step, crossings=tuple(later(c, shift) for c in step.crossings))
    times = rng.choice([1, 2])
    return with_step(schedule, s, k, step, *[again] * times), machine


def swapped(rng, schedule, machine):
    """Steps in another order, with or without their times."""
    s, k, _ = pick(rng, steps_of(schedule))
    steps = list(schedule.ways[s].steps)
    other = pick(rng, [j for j in range(len(steps)) if j != k])
    if rng.random() < 0.6:
        other = k + 1 if k + 1 < len(steps) else k - 1
    steps[k], steps[other] = steps[other], steps[k]
    if rng.random() < 0.5:
        counts = [len(step.crossings) for step in (steps[k], steps[other])]
        if counts == [1, 1]:
            starts = [steps[j].crossings[0].start for j in (other, k)]
            for j, start in zip((k, other), starts, strict=True):
                (crossing,) = steps[j].crossings
                steps[j] = replace(steps[j], crossings=(replace(crossing, start=start),))
    return with_way(schedule, s, steps=tuple(steps)), machine


def crossed_by(step, move, n):
    """The step with another exchange, over what that crosses, as it was in time."""
    start = min((crossing.start for crossing in step.crossings), default=0)
    late = step.crossings[0].delays if step.crossings else ()
    links = [d for d in range(n) if move.flip >> d & 1]
    return Step(move, tuple(Crossing(d, start, late) for d in links))


def exchange(rng, schedule, machine):
    """Another flip, condition or parity, or another dimension in both."""
    s, k, step = pick(rng, steps_of(schedule, by_exchange))
    p, move, bit = schedule.task.p, step.move, 1 << rng.randrange(schedule.task.p)
    kind = rng.randrange(4)
    if kind == 0:
        move = replace(move, flip=move.flip ^ bit)
    elif kind == 1:
        when = move.when ^ bit
        move = replace(move, when=when, want=move.want if when else 0)
    elif kind == 2:
        move = replace(move, want=1 - move.want)
    else:
        order = list(range(p))
        one, other = rng.randrange(p), rng.randrange(p)
        order[one], order[other] = order[other], order[one]
        turn = Matrix.permutation(order)
        move = replace(move, flip=turn(move.flip), when=turn(move.when))
    return with_step(schedule, s, k, crossed_by(step, move, schedule.task.n)), machine


def map_of(rng, schedule, machine):
    """A map with another column or constant; an exchange counts as a map."""
    wanted = by_map if rng.random() < 0.7 else lambda step: step.move is not None
    s, k, step = pick(rng, steps_of(schedule, wanted))
    move, p = step.affine(schedule.task.p), schedule.task.p
    if rng.random() < 0.5:
        move = replace(move, constant=move.constant ^ 1 << rng.randrange(p))
    else:
        columns, j = list(move.matrix.columns), rng.randrange(p)
        columns[j] ^= 1 << rng.randrange(p)
        move = AffineMap(Matrix(tuple(columns), p), move.constant)
    return with_step(schedule, s, k, replace(step, move=move)), machine


def crossings(rng, schedule, machine):
    """Crossings of a map in another order, with or without times, one too few or too many."""
    s, k, step = pick(rng, steps_of(schedule, crosses))
    made, kind = list(step.crossings), rng.randrange(4)
    step = replace(step, move=step.affine(schedule.task.p))
    if kind == 0:
        rng.shuffle(made)
    elif kind == 1:
        dims = [crossing.dim for crossing in made]
        rng.shuffle(dims)
        made = [replace(c, dim=d) for c, d in zip(made, dims, strict=True)]
    elif kind == 2:
        made.pop(rng.randrange(len(made)))
    else:
        new = replace(rng.choice(made), dim=rng.randrange(schedule.task.n))
        made.insert(rng.randrange(len(made) + 1), later(new, rng.choice([0, 0, 1])))
    return with_step(schedule, s, k, replace(step, crossings=tuple(made))), machine


def split_map(rng, schedule, machine):
    """A step in two: first some of the dimensions, then the rest."""
    p = schedule.task.p
    s, k, step = pick(rng, steps_of(schedule, lambda step: len(step.crossings) > 1))
    move, count = step.affine(p), rng.randrange(1, len(step.crossings))
    early = step.crossings[:count]
    rows, constant = list(Matrix.identity(p).rows), 0
    for d in (crossing.dim for crossing in early):
        rows[d] = move.matrix.rows[d]
        constant |= move.constant & 1 << d
    first = AffineMap(Matrix.from_rows(rows, p), constant)
    if not first.matrix.is_invertible():
        raise Nothing
    rest = Step(move @ first.inverse(), step.crossings[count:])
    return with_step(schedule, s, k, Step(first, early), rest), machine


def merged_steps(rng, schedule, machine):
    """Several steps as one map with all their crossings."""
    p = schedule.task.p
    s, k, _ = pick(rng, steps_of(schedule, lambda step: step.move is not None))
    steps = schedule.ways[s].steps
    stop = min(len(steps), k + rng.randrange(2, 5))
    some = steps[k:stop]
    if len(some) < 2 or any(step.stage is not None for step in some):
        raise Nothing
    move = AffineMap.identity(p)
    for step in some:
        move = step.affine(p) @ move
    made = Step(move, tuple(c for step in some for c in step.crossings))
    return with_way(schedule, s, steps=(*steps[:k], made, *steps[stop:])), machine


def as_map(rng, schedule, machine):
    """Exchanges as the same maps: one, or all of a way."""
    s, k, step = pick(rng, steps_of(schedule, by_exchange))
    p, way = schedule.task.p, schedule.ways[s]
    if rng.random() < 0.3:
        return with_step(schedule, s, k, replace(step, move=step.affine(p))), machine
    steps = tuple(replace(t, move=t.affine(p)) if by_exchange(t) else t for t in way.steps)
    return with_way(schedule, s, steps=steps), machine


def shares(rng, schedule, machine):
    """Ways that overlap, miss some, have other nodes or slots, or are twice or not at all."""
    s, bit = pick(rng, range(len(schedule.ways))), 1 << rng.randrange(schedule.task.p)
    way, other = schedule.ways[s], rng.choice(schedule.ways)
    mask, by = way.mask ^ bit, rng.choice([-1, 1])
    parts = [
        lambda: (replace(way, stop=way.stop + by),),
        lambda: (replace(way, start=way.start + by),),
        lambda: (replace(way, mask=mask, value=way.value & mask),),
        lambda: (replace(way, value=way.value ^ bit),),
        lambda: (replace(way, per_slot=not way.per_slot),),
        lambda: (replace(way, steps=other.steps),),
        lambda: (),
        lambda: (way, way),
    ]
    return replace(schedule, ways=put(schedule.ways, s, *rng.choice(parts)())), machine


def split_way(rng, schedule, machine):
    """A way in two: of some positions, nodes or slots each; perhaps one of them later."""
    s = pick(rng, range(len(schedule.ways)))
    way, bit = schedule.ways[s], 1 << rng.randrange(schedule.task.p)
    if way.size == schedule.task.block and rng.random() < 0.3:
        way = replace(way, stop=schedule.task.payload, per_slot=True)
    if rng.random() < 0.5:
        at = rng.randint(way.start, way.stop)
        parts = [replace(way, stop=at), replace(way, start=at)]
        if rng.random() < 0.6:
            parts[1] = shifted(parts[1], at - way.start)
    elif way.mask & bit:
        raise Nothing
    else:
        mask = way.mask | bit
        parts = [replace(way, mask=mask, value=way.value | v) for v in (0, bit)]
        if rng.random() < 0.3:
            parts[1] = shifted(parts[1], abs(shifts(rng, schedule)))
    return replace(schedule, ways=put(schedule.ways, s, *parts)), machine


def shifted(way, shift):
    steps = (
        replace(step, crossings=tuple(later(c, shift) for c in step.crossings))
        for step in way.steps
    )
    return replace(way, steps=tuple(steps))


def merged_ways(rng, schedule, machine):
    s = pick(rng, range(len(schedule.ways)))
    other = pick(rng, [t for t in range(len(schedule.ways)) if t != s])
    one, two = schedule.ways[s], schedule.ways[other]
    both = one.mask & two.mask & ~(one.value ^ two.value)
    start, stop = min(one.start, two.start), max(one.stop, two.stop)
    made = replace(one, start=start, stop=stop, mask=both, value=one.value & both)
    left = [way for t, way in enumerate(schedule.ways) if t not in {s, other}]
    return replace(schedule, ways=(*left, made)), machine


def more_ways(rng, schedule, machine):
    """A way of no elements, whatever it does."""
    s = pick(rng, range(len(schedule.ways)))
    at = rng.randint(0, schedule.task.block)
    way = shifted(schedule.ways[s], rng.choice([0, shifts(rng, schedule)]))
    return replace(schedule, ways=(*schedule.ways, replace(way, start=at, stop=at))), machine


def rounds(rng, schedule, machine):
    """Rounds too long, too short, shifted, listed, or all alike."""
    marks, cycles = list(schedule.rounds), schedule.cycles
    kind = rng.randrange(6)
    if kind == 0:
        every = max(1, (schedule.round_lengths or (1,))[0] + rng.choice([-1, 1, 1, 2]))
        made = range(0, cycles, rng.choice([every, 2 * every, cycles or 1]))
    elif kind == 1:
        made = tuple(marks)
    elif kind == 2:
        made = tuple(mark for mark in marks if mark != pick(rng, marks))
    elif kind == 3:
        made = tuple(sorted({*marks, rng.randrange(max(1, cycles))}))
    elif kind == 4:
        j = rng.randrange(max(1, len(marks)))
        made = tuple(m + (rng.choice([-1, 1]) if k == j else 0) for k, m in enumerate(marks))
    else:
        made = range(0, cycles, pick(rng, schedule.round_lengths))
    return replace(schedule, rounds=made), machine


def cycles(rng, schedule, machine):
    made = schedule.cycles + rng.choice([-1, 1, -1, 2])
    marks = schedule.rounds
    if isinstance(marks, range):
        marks = range(0, made, marks.step)
    return replace(schedule, cycles=made, rounds=marks), machine


def task(rng, schedule, machine):
    """Another block, with the ways as they are or all of it, or another target."""
    task, kind = schedule.task, rng.randrange(3)
    if kind == 2:
        bit = Exchange(1 << rng.randrange(task.p), 0, 0).affine(task.p)
        return replace(schedule, task=replace(task, target=bit @ task.target)), machine
    unit = task.source.block_size
    block = max(unit, rng.choice([task.block + unit, task.block - unit, 2 * task.block]))
    ways = tuple(
        replace(way, stop=block) if kind and way.stop == task.block else way
        for way in schedule.ways
    )
    return replace(schedule, task=replace(task, block=block), ways=ways), machine


def machines(rng, schedule, machine):
    """Fewer ports, or the other kind of switching."""
    if rng.random() < 0.5 and machine.links_at_once > 1:
        return schedule, replace(machine, ports=machine.links_at_once - 1)
    other = HOPS if machine.switching == CIRCUIT else CIRCUIT
    return schedule, replace(machine, switching=other)


def stages(rng, schedule, machine):
    """Stages moved, left out, doubled, of another bit, or where there were none."""
    found = steps_of(schedule, lambda step: step.stage is not None)
    if rng.random() < 0.1:
        found = []
    if not found:
        s, k, step = pick(rng, steps_of(schedule))
        new = Step(stage=rng.randrange(schedule.task.p))
        return with_step(schedule, s, k, new, step), machine
    s, k, step = rng.choice(found)
    kind = rng.randrange(5)
    if kind == 0:
        return with_step(schedule, s, k), machine
    if kind == 1:
        return with_step(schedule, s, k, step, step), machine
    if kind == 2:
        other = Step(stage=rng.randrange(schedule.task.p))
        return with_step(schedule, s, k, other), machine
    steps = list(schedule.ways[s].steps)
    del steps[k]
    to = k + rng.choice([-1, 1]) if kind == 3 else rng.randrange(len(steps) + 1)
    steps.insert(max(0, to), step)
    return with_way(schedule, s, steps=tuple(steps)), machine


def oddities(rng, schedule, machine):
    """Steps and delays that do nothing, links that nobody crosses, maps that lose something."""
    s, k, step = pick(rng, steps_of(schedule))
    p, n, kind = schedule.task.p, schedule.task.n, rng.randrange(6)
    start = rng.choice([0, *(c.start for c in step.crossings)])
    nobody = (Crossing(rng.randrange(n), start),)
    if kind == 0:
        odd_one = Step(None, rng.choice([(), nobody]))
        return with_step(
            schedule, s, k, *rng.choice([(odd_one, step), (step, odd_one)])
        ), machine
    if kind == 1:
        still = Step(AffineMap.identity(p), rng.choice([(), nobody]))
        return with_step(schedule, s, k, step, still), machine
    if kind == 2:
        dims = {crossing.dim for crossing in step.crossings}
        new = Crossing(pick(rng, set(range(n)) - dims), start)
        crossings = (*step.crossings, new)
        return with_step(schedule, s, k, Step(step.affine(p), crossings)), machine
    if kind == 3:
        late = Delay(rng.choice([0, schedule.task.payload]), 0, rng.choice([0, 1]))
        crossings = tuple(replace(c, delays=(late, *c.delays)) for c in step.crossings)
        return with_step(schedule, s, k, replace(step, crossings=crossings)), machine
    if kind == 4:
        columns = list(step.affine(p).matrix.columns)
        columns[rng.randrange(p)] = rng.choice([0, *columns])
        lost = AffineMap(Matrix(tuple(columns), p), step.affine(p).constant)
        return with_step(schedule, s, k, replace(step, move=lost)), machine
    delayed = steps_of(schedule, waits)
    s, k, step = pick(rng, delayed)
    crossings = tuple(
        replace(c, delays=(replace(late, cycles=late.cycles // 2), *c.delays[1:], late))
        for c in step.crossings
        for late in c.delays[:1]
    )
    return with_step(schedule, s, k, replace(step, crossings=crossings)), machine


FAULTS = {
    fault.__name__: fault
    for fault in (
        one_start,
        many_starts,
        delays,
        new_delay,
        dropped,
        doubled,
        swapped,
        exchange,
        map_of,
        crossings,
        split_map,
        merged_steps,
        as_map,
        shares,
        split_way,
        merged_ways,
        more_ways,
        rounds,
        cycles,
        task,
        machines,
        stages,
        oddities,
    )
}


def combined(rng, schedule, machine):
    """Two or three faults at once."""
    for _ in range(rng.choice([2, 2, 3])):
        schedule, machine = rng.choice(list(FAULTS.values()))(rng, schedule, machine)
    return schedule, machine


def network(rng, schedule, machine):
    """One to three faults of a network, whatever schedule was given."""
    schedule, machine = rng.choice(networks())
    for _ in range(rng.choice([1, 1, 2, 3])):
        schedule, machine = rng.choice(list(FAULTS.values()))(rng, schedule, machine)
    return schedule, machine


@cache
def networks():
    return [case for case in corpus(synthesised=False) if case[0].stages]


MIXED = {"combined": combined, "network": network}

# Entirely random schedules, whose task is what they do.


def random_exchange(rng, n, p, *, local=False):
    links = [0] if local or not n else [1 << d for d in range(n)]
    flip = rng.choice(links) | (rng.randrange(1 << p - n) << n if rng.random() < 0.5 else 0)
    if not flip:
        flip = 1 << p - 1 if p > n else 1
    when = rng.choice([0, 1 << rng.randrange(p), rng.randrange(1 << p)])
    if odd(flip & when):
        when ^= flip & when & -(flip & when)
    return Exchange(flip, when, rng.randrange(2) if when else 0)


def random_sizes(rng):
    n, slots = rng.choice([1, 2, 2, 3]), rng.choice([0, 0, 1, 1, 2])
    return n, n + slots, rng.choice([1, 1, 2, 3])


def of_ways(rng, sizes, ways, every, source=None):
    """The schedule of some ways, with rounds and a machine at random."""
    n, p, payload = sizes
    move, relabel = ways[0].move(p), None
    if rng.random() < 0.15:
        nodes, rest = random_map(rng, n), Matrix.identity(p - n)
        matrix = Matrix.block_diagonal([nodes.matrix, rest])
        relabel = AffineMap(matrix, nodes.constant)
        move = relabel @ move
    if source is None:
        half = rng.random() < 0.5
        source = gc.Layout.consecutive(p, n) if half else gc.Layout(random_map(rng, p), n)
    block = payload << p - n
    starts = {c.start for way in ways for step in way.steps for c in step.crossings}
    last = max((c.last for w in ways for t in w.steps for c in t.crossings), default=-1)
    size = max((way.size for way in ways), default=0)
    cycles = last + 1 + rng.choice([0, payload - 1, payload - 1, size - 1, block - 1, block])
    kind = rng.randrange(4)
    if kind < 2:
        marks = range(0, cycles, rng.choice([every, every, every, 1, payload, 2 * every]))
    elif kind == 2:
        marks = tuple(sorted({0, *starts} & set(range(cycles))))
    else:
        marks = tuple(range(0, cycles, every))
    made = gc.Task(source, move @ source, block)
    switching = rng.choice([HOPS, CIRCUIT])
    machine = gc.Machine(n, rng.choice([n, n, rng.randint(1, n)]), switching)
    given = (made, "random", marks, cycles, tuple(ways))
    return gc.Schedule(*given, relabel=relabel), machine


def random_straight(rng):
    """Exchanges without delays, for shares of the block or of the nodes."""
    n, p, payload = random_sizes(rng)
    block = payload << p - n
    marks = sorted({0, block, *(rng.randint(0, block) for _ in range(rng.choice([0, 0, 1])))})
    base = [random_exchange(rng, n, p) for _ in range(rng.choice([1, 2, 2, 3]))]
    parts = []
    for start, stop in pairwise(marks):
        bit = 1 << rng.randrange(n)
        halves = [(bit, 0), (bit, bit)] if rng.random() < 0.3 else [(0, 0)]
        parts += [(start, stop, mask, value) for mask, value in halves]
    ways, unit = [], rng.choice([1, block, block, payload, max(1, block // 2)])
    clash = rng.random()
    for number, (start, stop, mask, value) in enumerate(parts):
        moves = list(base)
        if rng.random() < 0.3:
            rng.shuffle(moves)
        if rng.random() < 0.15:
            moves.insert(rng.randrange(len(moves) + 1), random_exchange(rng, n, p, local=True))
        at = 0 if clash < 0.5 else number * unit * len(base) * (clash < 0.8)
        steps = []
        for move in moves:
            steps.append(hop(at, move, n))
            at += unit * rng.choice([0, 1, 1, 1, 2]) if rng.random() < 0.9 else 1
        ways.append(Way(start, stop, tuple(steps), mask, value))
    return of_ways(rng, (n, p, payload), ways, unit)


def random_trades(rng):
    """Exchanges over several dimensions, one after the other, of parts behind each other."""
    n, slots, payload = rng.choice([2, 2, 3]), rng.choice([0, 0, 1]), rng.choice([1, 2, 3])
    p, block, base = n + slots, payload << slots, []
    for _ in range(rng.choice([1, 1, 2])):
        flip = rng.randrange(1, 1 << n) | (rng.randrange(1 << slots) << n) * (
            rng.random() < 0.3
        )
        bits = [j for j in range(p) if flip >> j & 1]
        when = sum(1 << j for j in rng.sample(bits, len(bits) // 2 * 2))
        when ^= rng.randrange(1 << p) & ~flip
        dims = rng.sample([d for d in bits if d < n], sum(d < n for d in bits))
        base.append((Exchange(flip, when, rng.randrange(2) if when else 0), dims))
    unit = rng.choice([1, 1, block, payload])
    cuts = {0, block, *(rng.randint(0, block) for _ in range(rng.choice([0, 1, 1, 2])))}
    apart, ways = unit * rng.choice([0, 1, 1, 2]), []
    for number, (start, stop) in enumerate(pairwise(sorted(cuts))):
        at, steps = number * apart, []
        for move, dims in base:
            crossings = []
            for d in dims if rng.random() < 0.9 else dims[::-1]:
                crossings.append(Crossing(d, at))
                at += unit if rng.random() < 0.9 else rng.choice([0, 1, 2 * unit])
            steps.append(Step(move, tuple(crossings)))
        ways.append(Way(start, stop, tuple(steps)))
    return of_ways(rng, (n, p, payload), ways, unit)


def random_parts(rng):
    """Blocks, or positions of slots, whose nodes and slots are shared out in subcubes."""
    n, slots, payload = rng.choice([1, 2, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 2, 3])
    p, block = n + slots, payload << slots
    parts = [(1 << rng.randrange(n, p), 0)]
    parts.append((parts[0][0], parts[0][0]))
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        mask, value = parts.pop(rng.randrange(len(parts)))
        bit = 1 << rng.randrange(p)
        parts += [(mask | bit, value & ~bit), (mask | bit, value | bit)]
    base = [random_exchange(rng, n, p) for _ in range(rng.choice([1, 2, 2, 3]))]
    traded = rng.sample(range(n), rng.randint(1, n)) if rng.random() < 0.6 else []
    if traded and slots >= len(traded):
        base = [
            Exchange(1 << d | 1 << n + k, 1 << d | 1 << n + k) for k, d in enumerate(traded)
        ]
    unit = rng.choice([block, block // 2, max(1, block // 4), payload])
    spans = [(0, block, False)]
    if rng.random() < 0.5:
        at = rng.randint(0, payload)
        spans = [(0, at, True), (at, payload, True)]
    shares = [(part, span) for part in parts for span in spans]
    ways, apart = [], rng.choice([0, 0, 0, 1]) * unit
    for number, (part, (start, stop, per_slot)) in enumerate(shares):
        first, at, steps = rng.randrange(len(base)) * (rng.random() < 0.5), 0, []
        at += number * apart
        for move in (*base[first:], *base[:first]):
            steps.append(hop(at, move, n))
            at += unit if rng.random() < 0.9 else rng.choice([0, 1, unit // 2, block])
        ways.append(Way(start, stop, tuple(steps), *part, per_slot))
    return of_ways(rng, (n, p, payload), ways, unit)


def random_paths(rng):
    """Flips of all nodes that add up to one, in other orders for other nodes and shares."""
    n, block = rng.choice([2, 2, 3]), rng.choice([1, 1, 2, 3])
    goal = rng.randrange(1 << n)
    marks = sorted({0, block, rng.randint(0, block)})
    mask = rng.choice([0, 1 << rng.randrange(n), 3 << rng.randrange(n - 1)])
    apart = rng.choice([0, 0, block, 2 * block])
    values = [value for value in range(1 << n) if not value & ~mask]
    ways = []
    for start, stop in pairwise(marks):
        for turn, value in enumerate(values):
            dims = [d for d in range(n) if goal >> d & 1]
            dims += [rng.randrange(n)] * rng.choice([0, 0, 2])
            rng.shuffle(dims)
            at, steps = rng.choice([0, 0, 0, 0, 1, block]), []
            at += turn * apart
            wait = rng.choice([0, 0, 1, 1, block])
            for d in dims:
                steps.append(hop(at, Exchange(1 << d, 0, 0), n))
                at += wait if rng.random() < 0.9 else 1
            ways.append(Way(start, stop, tuple(steps), mask, value))
    return of_ways(rng, (n, n, block), ways, rng.choice([1, block]))


def random_mixed(rng):
    """Ways of some positions that change places, one way after the other or all at once."""
    n, slots, payload = rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
    p, block, base = n + slots, payload << slots, []
    for _ in range(rng.choice([1, 2, 2, 3])):
        move, d = random_exchange(rng, n, p), rng.randrange(n)
        if rng.random() < 0.5:
            both = 1 << d | 1 << rng.randrange(n, p)
            move = Exchange(both, both)
        base.append(move)
    marks = [0, *sorted(rng.sample(range(1, block), rng.choice([0, 1, 1]))), block]
    at, ways = 0, []
    for start, stop in pairwise(marks):
        begun, steps = at, []
        for move in base:
            steps.append(hop(at, move, n))
            at += rng.choice([stop - start, stop - start, block // 2, block, 1])
        bit = rng.choice([0, 0, 1 << rng.randrange(n)])
        nodes = [(bit, value) for value in {0, bit}]
        ways += [Way(start, stop, tuple(steps), *which) for which in nodes]
        at = rng.choice([at, at, begun])
    every = rng.choice([1, payload, block // 2, block])
    return of_ways(rng, (n, p, payload), ways, every)


def random_pipeline(rng):
    """One way in which elements take turns; local exchanges and stages in between."""
    n, p, payload = random_sizes(rng)
    every = payload * rng.choice([1, 1, 1, 2, 4])
    at, steps = 0, []
    for _ in range(rng.choice([1, 2, 2, 3, 4])):
        if rng.random() < 0.25:
            local = random_exchange(rng, n, p, local=True) if p > n else None
            steps.append(Step(local))
        if rng.random() < 0.15:
            steps.append(Step(stage=rng.randrange(p)))
        move = random_exchange(rng, n, p)
        need = p - n - (1 if move.when >> n and rng.random() < 0.9 else 0)
        units = [payload << k for k in range(need)]
        if rng.random() < 0.3:
            units = [every << k for k in range(need)]
        rng.shuffle(units)
        masks = [rng.randrange(1 << p) for _ in units]
        if rng.random() < 0.6:
            masks = rng.sample([1 << j for j in range(n, p)], len(units))
        late = [Delay(u, m, rng.randrange(2)) for u, m in zip(units, masks, strict=True)]
        if rng.random() < 0.05:
            late.append(Delay(rng.choice([0, payload]), rng.choice([0, 1]), 1))
        dims = [d for d in range(n) if move.flip >> d & 1]
        steps.append(Step(move, tuple(Crossing(d, at, tuple(late)) for d in dims)))
        longest = sum(units) + payload
        at = max(0, at + every * rng.choice([-1, 0, 1, 1, 2, -(-longest // every)]))
    way = Way(0, payload << p - n, tuple(steps))
    return of_ways(rng, (n, p, payload), [way], every)


def random_subcubes(rng):
    """Elements of several subcubes that take turns, the same exchanges at other times."""
    n, slots, payload = rng.choice([1, 2, 2, 3]), rng.choice([2, 2, 3]), rng.choice([1, 1, 2])
    p, every = n + slots, payload * rng.choice([1, 1, 2])
    bits, tied = rng.sample(range(n, p), slots), rng.randint(0, min(2, slots - 1))
    if rng.random() < 0.1:
        bits.insert(0, rng.randrange(n))
    parts = [(0, 0)]
    for bit in bits[:tied]:
        k = rng.randrange(len(parts))
        mask, value = parts.pop(k)
        parts += [(mask | 1 << bit, value), (mask | 1 << bit, value | 1 << bit)]
    dims = rng.sample(range(n), rng.randint(1, n))
    moves = [Exchange(1 << d | 1 << bits[-1], 1 << d | 1 << bits[-1]) for d in dims]
    if rng.random() < 0.3:
        moves = [random_exchange(rng, n, p) for _ in dims]
    ways, begun, apart = [], 0, rng.choice([0, 1, 1, 2, 4])
    for mask, value in parts:
        at, steps, free = begun, [], [b for b in bits if b >= n and not mask >> b & 1]
        for move in moves if rng.random() < 0.9 else moves[::-1]:
            told = free[:-1] if rng.random() < 0.9 else free
            units = [rng.choice([payload, every]) << k for k in range(len(told))]
            masks = [1 << b ^ (rng.random() < 0.1) for b in told]
            late = [Delay(u, m, rng.randrange(2)) for u, m in zip(units, masks, strict=True)]
            links = [d for d in range(n) if move.flip >> d & 1]
            steps.append(Step(move, tuple(Crossing(d, at, tuple(late)) for d in links)))
            at += every * rng.choice([0, 1, 1, 1, 2, 4])
        ways.append(Way(0, payload << slots, tuple(steps), mask, value))
        begun += every * apart * (rng.random() < 0.9)
    return of_ways(rng, (n, p, payload), ways, every)


def random_halves(rng):
    """A chain with sides, where a sum decides in which order elements cross; with a fault."""
    n = rng.choice([3, 3, 4])
    layout = gc.Layout.cyclic(n + rng.choice([3, 4]), n)
    if rng.random() < 0.3:
        layout = gc.Layout.cyclic(8, 4, nodes="gray")
    block, stages = 1 << layout.p - layout.n, tuple(range(layout.p))[::-1]
    task = gc.Task(layout, layout, block * rng.choice([1, 1, 2]), stages=stages, free=True)
    made = sided(task, rng.choice([0, 0, 1])), gc.Machine(layout.n, "all")
    return FAULTS[rng.choice([*FAULTS])](rng, *made)


def random_turns(rng):
    """Crossings of different dimensions with nothing in between, in any order of time."""
    n, slots, payload = rng.choice([2, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
    p, every, steps = n + slots, payload * rng.choice([1, 1, 2]), []
    tests = [0, *(1 << j for j in range(n, p))]
    if rng.random() < 0.3:
        tests = range(1 << p)
    dims = rng.sample(range(n), rng.randint(2, n))
    masks = [rng.randrange(1, 1 << p) for _ in range(slots)]
    for d in dims:
        when = rng.choice(tests) & ~(1 << d)
        move = Exchange(1 << d, when, rng.randrange(2) if when else 0)
        if rng.random() < 0.6:
            masks = [rng.randrange(1, 1 << p) for _ in range(slots)]
        units = [payload << k for k in range(slots)]
        if rng.random() < 0.7:
            units = [every * rng.choice([1, 1, 2]) << k for k in range(slots)]
        rng.shuffle(units)
        late = [Delay(u, m, rng.randrange(2)) for u, m in zip(units, masks, strict=True)]
        start = every * rng.randrange(4)
        steps.append(Step(move, (Crossing(d, start, tuple(late)),)))
    way = Way(0, payload << slots, tuple(steps))
    return of_ways(rng, (n, p, payload), [way], every)


def random_halfway(rng):
    """Circuits that may end, or begin, between the links of an exchange."""
    n, block, at, steps = rng.choice([2, 2, 3]), rng.choice([1, 1, 2]), 0, []
    for _ in range(rng.choice([2, 2, 3])):
        dims = rng.sample(range(n), rng.choice([1, 2]))
        flip = sum(1 << d for d in dims)
        when = rng.choice([0, rng.randrange(1 << n)])
        when ^= flip & -flip if odd(flip & when) else 0
        starts = at, at + rng.choice([block, block, 2 * block])
        crossings = tuple(map(Crossing, dims, starts))
        steps.append(Step(Exchange(flip, when, rng.randrange(2) if when else 0), crossings))
        at = crossings[-1].start + rng.choice([0, 0, block])
    way, every = Way(0, block, tuple(steps)), rng.choice([1, block])
    schedule, machine = of_ways(rng, (n, n, block), [way], every)
    return schedule, replace(machine, switching=CIRCUIT, ports=rng.choice([1, 1, 2]))


def random_network(rng):
    """Exchanges that bring bits into memory, each stage where its pairs are there."""
    n, slots, payload = rng.choice([1, 2, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 1, 3])
    p, steps, at = n + slots, [], 0
    place, bits = random_map(rng, p), list(range(p))
    if rng.random() < 0.6:
        place = gc.Layout.cyclic(p, n).map
    start, bits = place, bits[:: rng.choice([-1, 1])]
    for bit in bits:
        for d in range(n):
            column = place.matrix(1 << bit)
            if not column >> d & 1:
                continue
            held = [j for j in range(n, p) if column >> j & 1]
            s = rng.choice(held or list(range(n, p)))
            move = Exchange(1 << d, 1 << s, rng.randrange(2))
            if not held or rng.random() < 0.1:
                move = Exchange(1 << d | 1 << s, 1 << d | 1 << s)
            masks = [1 << j for j in range(n, p) if j != s]
            if rng.random() < 0.3:
                masks = [mask ^ rng.randrange(1 << p) for mask in masks]
            units = [payload << k for k in range(len(masks))]
            rng.shuffle(units)
            late = [Delay(u, m, rng.randrange(2)) for u, m in zip(units, masks, strict=True)]
            at = max(0, at + payload * rng.choice([-1, 0, 1, 1, 1, 2]))
            steps.append(Step(move, (Crossing(d, at, tuple(late)),)))
            place = move.affine(p) @ place
        steps.append(Step(stage=bit))
        if rng.random() < 0.1:
            move = random_exchange(rng, n, p, local=True)
            steps.append(Step(move))
            place = move.affine(p) @ place
    if not any(step.crossings for step in steps):
        raise Nothing
    way = Way(0, payload << slots, tuple(steps))
    return of_ways(rng, (n, p, payload), [way], payload, source=gc.Layout(start, n))


def random_messages(rng):
    """One way of maps, with crossings at once or one after the other, and turns."""
    n, p, payload = random_sizes(rng)
    at, steps, every = 0, [], None
    for _ in range(rng.choice([1, 1, 2])):
        move = rng.choice([random_map(rng, p), random_exchange(rng, n, p).affine(p)])
        if rng.random() < 0.4:  # nodes go to nodes as a whole, by slots and parts
            rows = [
                1 << j | (rng.randrange(1 << p - n) << n if j < n and p > n else 0)
                for j in range(p)
            ]
            matrix = Matrix.from_rows(rows, p)
            move = AffineMap(matrix, rng.randrange(1 << p))
        units = [move.matrix.rows[d] ^ 1 << d for d in range(n)]
        dims = [d for d in range(n) if units[d] or move.constant >> d & 1]
        if rng.random() < 0.1:
            dims = [d for d in range(n) if rng.random() < 0.8]
        rng.shuffle(dims)
        masks = [m for m in dict.fromkeys(u >> n << n for u in units) if m]
        if rng.random() < 0.3:
            masks = [m for m in dict.fromkeys(units) if m]
        if rng.random() < 0.3:
            masks.append(1 << rng.randrange(p))
        if rng.random() < 0.2 and masks:
            masks.pop()
        kept = len(Matrix(tuple(m >> n for m in masks), p - n).image())
        size = payload << p - n - kept
        every = every or size
        circuit = rng.random() < 0.5
        unit = size * (1 if circuit else max(1, len(dims)))
        rng.shuffle(masks)
        late = tuple(Delay(unit << k, m, rng.randrange(2)) for k, m in enumerate(masks))
        if rng.random() < 0.05:
            late = (*late, Delay(rng.choice([0, unit]), 0, rng.randrange(2)))
        apart = 0 if circuit else size if rng.random() < 0.95 else 1
        crossings = tuple(Crossing(d, at + k * apart, late) for k, d in enumerate(dims))
        steps.append(Step(move, crossings))
        if crossings:
            at = max(c.last for c in crossings) + size + rng.choice([0, 0, 0, -1, size])
    way = Way(0, payload << p - n, tuple(steps))
    schedule, machine = of_ways(rng, (n, p, payload), [way], every)
    return schedule, replace(machine, switching=rng.choice([machine.switching, CIRCUIT]))


RANDOM = {
    made.__name__: made
    for made in (
        random_straight,
        random_trades,
        random_parts,
        random_paths,
        random_mixed,
        random_pipeline,
        random_subcubes,
        random_turns,
        random_halves,
        random_halfway,
        random_network,
        random_messages,
    )
}
KINDS = (*FAULTS, *MIXED, *RANDOM)


def mutant(kind, seed, *, synthesised=True):
    """A mutant of some kind and its machine, or None; the same for the same seed."""
    rng = random.Random(f"{kind} {seed}")
    for _ in range(TRIES):
        try:
            if kind in RANDOM:
                return RANDOM[kind](rng)
            return {**FAULTS, **MIXED}[kind](rng, *rng.choice(corpus(synthesised=synthesised)))
        except (Nothing, gc.GraycubeError):
            continue
    return None


@dataclass
class Tally:
    """What became of some mutants."""

    made: int = 0
    proved: int = 0
    refused: int = 0
    broken: Counter = field(default_factory=Counter)
    false: list = field(default_factory=list)
    alarms: Counter = field(default_factory=Counter)


def tried(kind, seeds, *, judged=False, synthesised=True):
    """Judge what the algebra accepts, and some others or all; keep what only one refuses."""
    found = Tally()
    for seed in seeds:
        case = mutant(kind, seed, synthesised=synthesised)
        if case is None or case[0].task.block << case[0].task.n > MOST_ELEMENTS << 1:
            continue
        found.made += 1
        report = check_algebra(*case)
        found.proved += bool(report)
        found.broken.update(rule for rule, _ in report.counts)
        if not (report or judged or seed % SOME == 0):
            continue
        wrong, peak, moves = judge(*case)
        if not report and moves_only(case[0]) and bool(check_schedule(*case)) == bool(wrong):
            found.false.append((kind, seed, ["followed", *sorted(wrong)]))
        found.refused += bool(wrong)
        if report and (wrong or report.peak not in {-1, peak}):
            found.false.append((kind, seed, sorted(wrong)))
        if report and rows_of(moves) != rows_of(expand(case[0])):
            found.false.append((kind, seed, ["expand"]))
        if not report and not wrong:
            names = [check.__name__ for applies, check in THEOREMS if applies(case[0])]
            rules = " ".join(sorted(rule for rule, _ in report.counts))
            found.alarms[" ".join(names) or "none", rules] += 1
    return found


def moves_only(schedule):
    """Whether there are no butterflies."""
    return not schedule.task.stages and not any(
        step.stage is not None for way in schedule.ways for step in way.steps
    )


def rows_of(moves):
    names = ("element", "cycle", "node", "dimension")
    columns = (getattr(moves, name).tolist() for name in names)
    return sorted(zip(*columns, strict=True))


def main(count):
    begun, per_kind = time.time(), -(-count // len(KINDS))
    total, alarms = Counter(), Counter()
    for kind in KINDS:
        found = tried(kind, range(per_kind), judged=True)
        print(
            f"{kind}: {found.made} made, {found.refused} refused by the judge, "
            f"{found.proved} proved, {found.alarms.total()} false alarms, "
            f"{len(found.false)} FALSE, {time.time() - begun:.0f} s",
            flush=True,
        )
        for case in found.false[:5]:
            print("  FALSE", *case, flush=True)
        for (names, rules), times in found.alarms.most_common(4):
            print(f"    {times} x {rules} by {names}", flush=True)
        alarms.update(found.alarms)
        total.update(
            made=found.made,
            refused=found.refused,
            proved=found.proved,
            alarms=found.alarms.total(),
            false=len(found.false),
        )
    print(dict(total), f"{time.time() - begun:.0f} s")
    for (names, rules), times in alarms.most_common():
        print(f"{times} x {rules} by {names}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
