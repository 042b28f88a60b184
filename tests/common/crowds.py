"""Machines whose links are shared, and what rounds of single messages take on them.

Nothing here asks graycube for a route: links are those that the documentation tells of. A
message is (source, target, path, bytes); the path has the dimensions in their order. Where no
links are shared, hops are on the links that schedules say, and circuits where links are alike.
"""

from collections import Counter, defaultdict
from functools import partial
from itertools import accumulate
from math import ceil
from operator import mul

import numpy as np
from link_loads import on_torus
from round_messages import with_links

import graycube as gc
from graycube.planning.candidate import all_candidates

SIDES = (4,), (8,), (2, 4), (4, 4), (2, 8), (8, 2), (4, 2, 2), (16,), (4, 8)
TREES = (2, 2), (4, 2), (2, 4), (2, 2, 2), (4, 4), (2, 4, 2)
ASIDE = "relabel", "convert first"  # new numbers, and a second layout, are not in the moves


def a_torus(chance, sizes=SIDES):
    sides = chance.choice(sizes)
    joined = [chance.random() < 0.7 for _ in sides]
    ports = chance.choice([1, "all"])
    switching = chance.choice(["store-and-forward", "circuit"])
    startup = [chance.choice([0.0, 1.0, 20.0]) for _ in sides]
    rates = [chance.choice([0.5, 1.0, 4.0]) for _ in sides]
    packet = chance.choice([None, None, 8])
    machine = gc.Machine.torus(
        sides,
        joined=joined,
        ports=ports,
        switching=switching,
        startup=startup,
        per_byte=rates,
        packet=packet,
    )
    return machine, partial(torus_seconds, machine, [*zip(startup, rates, strict=True)])


def a_cluster(chance):
    """Levels of dimensions, the inner ones with links of their own, the others with cards."""
    widths = [chance.randint(1, 2) for _ in range(chance.choice([2, 2, 3]))]
    levels, first = [], 0
    for k, width in enumerate(widths):
        card = k > 0 and chance.random() < 0.8
        share = 1 << chance.randint(0, first) if card else 1
        ports = chance.randint(1, width) if card else width
        cost = float(k + 1), chance.choice([0.25, 1.0, 2.0])
        levels.append((range(first, first + width), share, ports, *cost))
        first += width
    _, shares, ports, startups, rates = zip(*levels, strict=True)
    each = (shares, ports, startups, rates)
    shares, ports, startups, rates = (np.repeat(one, widths).tolist() for one in each)
    machine = gc.Machine(
        dims=first,
        ports=ports,
        share=shares,
        switching=chance.choice(["store-and-forward", "circuit"]),
        startup=startups,
        per_byte=rates,
        packet=chance.choice([None, None, 8]),
    )
    return machine, partial(cluster_seconds, levels, machine.packet)


def a_tree(chance, sizes=TREES):
    sizes = chance.choice(sizes)
    startup = [chance.choice([0.0, 1.0, 20.0]) for _ in sizes]
    rates = [chance.choice([0.25, 1.0, 4.0]) for _ in sizes]
    packet = chance.choice([None, None, 8])
    switching = chance.choice(["store-and-forward", "circuit"])
    machine = gc.Machine.tree(
        sizes, startup=startup, per_byte=rates, switching=switching, packet=packet
    )
    levels = [*zip(accumulate(sizes[:-1], mul, initial=1), startup, rates, strict=True)]
    return machine, partial(tree_seconds, levels, packet)


def any_machine(chance):
    """A machine that is no cube of links alone, and a function that tells a round's seconds."""
    while True:
        machine, seconds = chance.choice([a_torus, a_cluster, a_tree])(chance)
        if machine.wires or machine.renumbers:
            return machine, seconds


def a_machine_of(dims, chance):
    """One of so many dimensions."""
    while True:
        machine, seconds = any_machine(chance)
        if machine.dims == dims:
            return machine, seconds


def priced(task, machine):
    """The candidates that have a price, and the schedules whose moves make it."""
    for candidate in all_candidates(task, machine):
        if candidate.traffic is not None and candidate.algorithm.name not in ASIDE:
            yield candidate, candidate.traffic.schedule


def counted(schedule, machine, seconds):
    """Seconds of a schedule in the numbers of the cube, from all that it moves."""
    user, itemsize = machine.numbers.inverse(), schedule.task.itemsize
    total, rounds = 0.0, 0
    for sent, links in with_links(schedule):
        rounds += bool(sent)
        if machine.wires or (not machine.alike and machine.switching == "circuit"):
            dims = range(machine.dims)
            total += seconds(
                [
                    (user(u), user(v), [d for d in dims if (u ^ v) >> d & 1], m * itemsize)
                    for (u, v), m in sent.items()
                ]
            )
        else:
            total += max(machine.message_time(m * itemsize, d) for (_, d), m in links.items())
    return total + all_meetings(machine, rounds, total)


def all_meetings(machine, rounds, seconds):
    """Seconds in which nodes meet between rounds: where sides are long, if it is 5 percent."""
    sides = [*zip(machine.sides, machine.joined, strict=True)]
    if all(length <= (4 if joined else 2) for length, joined in sides):
        return 0.0
    startups, each = list(machine.links), 0.0
    for length, joined in sides[::-1]:  # the last side has the lowest dimensions
        for bit in range(length.bit_length() - 1):
            far = min(1 << bit, length - (1 << bit)) if joined else 1 << bit
            cube = length <= (4 if joined else 2)  # with a link over each dimension
            hops = 1 if cube or machine.switching == "circuit" else far
            each += hops * startups.pop(0).startup
    spent = max(rounds - 1, 0) * each
    return spent if spent <= 0.05 * seconds else 0.0


def starts(nbytes, packet):
    return 1 if packet is None else ceil(nbytes / packet)


def joined_by(sent, key):
    """What a node sends of a kind is one message."""
    found = Counter()
    for source, target, _, nbytes in sent:
        if (kind := key(source, target)) is not None:
            found[source, kind] += nbytes
    return found


def card_seconds(out, into, link, packet):
    """As long as the busier end: all bytes, and the start-ups of whoever pays most there."""
    ports, startup, rate = link
    leaving, entering = defaultdict(Counter), defaultdict(Counter)
    for (source, card), messages in out.items():
        leaving[card][source] += sum(starts(m, packet) for m in messages)
    for (source, card), nbytes in into.items():
        entering[card][source] = starts(nbytes, packet)
    nbytes_out, nbytes_in = Counter(), Counter()
    for (_, card), messages in out.items():
        nbytes_out[card] += sum(messages)
    for (_, card), nbytes in into.items():
        nbytes_in[card] += nbytes
    longest = max(m for messages in out.values() for m in messages)
    busy = [starts(longest, packet) * startup + longest * rate]
    for paid, nbytes in ((leaving, nbytes_out), (entering, nbytes_in)):
        busy += [
            (max(paid[card].values()) * startup + nbytes[card] * rate) / ports
            for card in nbytes
        ]
    return max(busy)


def cluster_seconds(levels, packet, sent):
    worst = [0.0]
    for dims, share, ports, startup, rate in levels:
        mask = sum(1 << d for d in dims)
        if share > 1 or ports < len(dims):
            out = defaultdict(list)
            ways = joined_by(sent, lambda u, v, mask=mask: (u ^ v) & mask or None)
            for (source, _), nbytes in ways.items():
                out[source, source // share].append(nbytes)
            into = joined_by(
                sent,
                lambda u, v, mask=mask, share=share: v // share if (u ^ v) & mask else None,
            )
            if out:
                worst.append(card_seconds(out, into, (ports, startup, rate), packet))
            continue
        passing = on_links(sent)
        worst += [busy(passing[at, d], startup, rate, packet) for at, d in passing if d in dims]
    return max(worst)


def on_links(sent):
    """What passes each link, by its node and dimension, if messages go from node to node."""
    passing = defaultdict(list)
    for source, _, path, nbytes in sent:
        at = source
        for d in path:
            passing[at, d].append((source, nbytes))
            at ^= 1 << d
    return passing


def busy(messages, startup, rate, packet):
    """How long a link is: for all bytes, and the start-ups of the node that pays most."""
    paid = Counter()
    for source, nbytes in messages:
        paid[source] += starts(nbytes, packet)
    return max(paid.values()) * startup + sum(nbytes for _, nbytes in messages) * rate


def tree_seconds(levels, packet, sent):
    """A node's messages over the same dimensions from here outwards are one message."""
    worst = [0.0]
    for nodes, startup, rate in levels:
        far = [message for message in sent if message[0] // nodes != message[1] // nodes]
        out = defaultdict(list)
        ways = joined_by(far, lambda u, v, nodes=nodes: (u ^ v) // nodes)
        for (source, _), nbytes in ways.items():
            out[source, source // nodes].append(nbytes)
        into = joined_by(far, lambda _, v, nodes=nodes: v // nodes)
        if out:
            worst.append(card_seconds(out, into, (1, startup, rate), packet))
    return max(worst)


def torus_seconds(machine, costs, sent):
    """As long as the busiest link: at once in circuits, else step by step along each side."""
    route_of = on_torus(machine.sides, machine.joined, [rate for _, rate in costs])
    passing, longest = defaultdict(list), Counter()
    for (source, target), nbytes in joined_by(sent, lambda _, v: v).items():
        for step, (link, _) in enumerate(route_of(source, target)):
            axis = link[-2]
            passing[axis, 0 if machine.switching == "circuit" else step, link].append(
                (source, nbytes)
            )
            longest[axis] = max(longest[axis], nbytes)
    steps, sides = Counter(), Counter()
    for (axis, step, _), messages in passing.items():
        alone = [(None, longest[axis])]
        for some in (messages, alone):
            seconds = busy(some, *costs[axis], machine.packet)
            steps[axis, step] = max(steps[axis, step], seconds)
    for (axis, _), seconds in steps.items():
        sides[axis] += seconds
    return max(sides.values(), default=0.0)
