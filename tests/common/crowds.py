"""Machines whose links are shared, and what rounds of single messages take on them.

Nothing here asks graycube for a route: links are those that the documentation tells of. A
message is (source, target, path, bytes); the path has the dimensions in their order. Schedules
say over which links of a cube or square their circuits go: then there are bytes of links too.
"""

from collections import Counter, defaultdict
from itertools import accumulate
from math import ceil, prod
from operator import mul

from link_loads import on_torus
from round_messages import with_links

import graycube as gc

SIDES = (4,), (8,), (2, 4), (4, 4), (2, 8), (8, 2), (4, 2, 2), (16,), (4, 8)


def a_torus(chance):
    sides = chance.choice(SIDES)
    joined = [chance.random() < 0.7 for _ in sides]
    startup = [chance.choice([0.0, 1.0, 20.0]) for _ in sides]
    rates = [chance.choice([0.5, 1.0, 4.0]) for _ in sides]
    machine = gc.Machine.torus(
        sides,
        joined=joined,
        ports=chance.choice([1, "all"]),
        switching=chance.choice(["store-and-forward", "circuit"]),
        startup=startup,
        per_byte=rates,
        packet=chance.choice([None, None, 8]),
    )
    if not (machine.wires or machine.renumbers):
        return a_torus(chance)
    return machine, lambda *sent: torus_seconds(
        machine, [*zip(startup, rates, strict=True)], *sent
    )


def a_cluster(chance):
    """Levels of dimensions, the inner ones with links of their own, the others with cards."""
    machine = None
    while machine is None or not machine.wires:
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
        spread = [
            tuple(f for f, width in zip(figures, widths, strict=True) for _ in range(width))
            for figures in (shares, ports, startups, rates)
        ]
        machine = gc.Machine(
            dims=first,
            ports=spread[1],
            share=spread[0],
            switching=chance.choice(["store-and-forward", "circuit"]),
            startup=spread[2],
            per_byte=spread[3],
            packet=chance.choice([None, None, 8]),
        )
    return machine, lambda *sent: cluster_seconds(levels, machine.packet, *sent)


def a_tree(chance):
    sizes = chance.choice([(2, 2), (4, 2), (2, 4), (2, 2, 2), (4, 4), (2, 4, 2)])
    startup = [chance.choice([0.0, 1.0, 20.0]) for _ in sizes]
    rates = [chance.choice([0.25, 1.0, 4.0]) for _ in sizes]
    machine = gc.Machine.tree(
        sizes,
        startup=startup,
        per_byte=rates,
        switching=chance.choice(["store-and-forward", "circuit"]),
        packet=chance.choice([None, None, 8]),
    )
    levels = [*zip(accumulate(sizes[:-1], mul, initial=1), startup, rates, strict=True)]
    return machine, lambda sent, *_: tree_seconds(sent, levels, machine.packet)


def any_machine(chance):
    """A machine, and a function that tells the seconds of a round."""
    return chance.choice([a_torus, a_cluster, a_tree])(chance)


def a_machine_of(dims, chance):
    """One of so many dimensions."""
    while True:
        machine, seconds = any_machine(chance)
        if machine.dims == dims:
            return machine, seconds


def counted(schedule, machine, seconds):
    """Seconds of a schedule in the numbers of the cube, from all that it moves."""
    user, itemsize = machine.numbers.inverse(), schedule.task.itemsize
    total = 0.0
    for sent, links in with_links(schedule):
        messages = [
            (
                user(u),
                user(v),
                [d for d in range(machine.dims) if (u ^ v) >> d & 1],
                m * itemsize,
            )
            for (u, v), m in sent.items()
        ]
        total += seconds(messages, {link: m * itemsize for link, m in links.items()})
    return total


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


def cluster_seconds(levels, packet, sent, links=None):
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
        loads = [m for (_, d), m in (links or on_links(sent)).items() if d in dims]
        worst += [starts(m, packet) * startup + m * rate for m in loads]
    return max(worst)


def on_links(sent):
    """What each node sends over each dimension, if messages go from node to node."""
    loads = Counter()
    for source, _, path, nbytes in sent:
        at = source
        for d in path:
            loads[at, d] += nbytes
            at ^= 1 << d
    return loads


def tree_seconds(sent, levels, packet):
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


def torus_seconds(machine, costs, sent, links=None):
    """Side by side, as long as the busiest link: at once in circuits, else step by step."""
    worst, sides, joined = [0.0], machine.sides, machine.joined
    route_of = on_torus(sides, joined, [rate for _, rate in costs])
    for axis, (length, (startup, rate)) in enumerate(zip(sides, costs, strict=True)):
        stride = prod(sides[axis + 1 :])
        if links is not None and (length == 2 or (length == 4 and joined[axis])):
            dims = range(stride.bit_length() - 1, (stride * length).bit_length() - 1)
            loads = [nbytes for (_, d), nbytes in links.items() if d in dims]
            worst += [starts(m, machine.packet) * startup + m * rate for m in loads]
            continue
        ends = lambda node, stride=stride, length=length: node // stride % length  # noqa: E731
        ways = joined_by(
            sent,
            lambda u, v, ends=ends: (ends(u) ^ ends(v)) or None,
        )
        passing = defaultdict(list)
        for (source, way), nbytes in ways.items():
            target = source + ((ends(source) ^ way) - ends(source)) * stride
            for step, (link, _) in enumerate(route_of(source, target)):
                passing[0 if machine.switching == "circuit" else step, link].append(
                    (source, nbytes)
                )
        if not ways:
            continue
        longest = max(ways.values())
        alone = starts(longest, machine.packet) * startup + longest * rate
        steps = {step: alone for step, _ in passing}
        for (step, _), messages in passing.items():
            paid = Counter()
            for source, nbytes in messages:
                paid[source] += starts(nbytes, machine.packet)
            nbytes = sum(nbytes for _, nbytes in messages)
            busy = max(paid.values()) * startup + nbytes * rate
            steps[step] = max(steps[step], busy)
        worst.append(sum(steps.values()))
    return max(worst)
