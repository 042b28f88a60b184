"""Bounds from how far, how much, and to how many nodes, data has to travel.

They follow from the displacement of each address (:mod:`graycube.cost.displacement`).
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from graycube.cost.bound import Bound, require_kinds
from graycube.cost.butterflies import butterfly_bound
from graycube.cost.cards import card_bound
from graycube.cost.certificate import KNOWN_DIMS, known_certificate
from graycube.cost.cut import best_cut
from graycube.cost.displacement import (
    crossed,
    crossing_halves,
    displacement_of,
    distances,
    goals_of,
    largest_distance,
    leaving_share,
    mean_distance,
)
from graycube.cost.few_rounds import converted_width, least_volumes
from graycube.cost.paths import disjoint_paths, rounds_to_know, shortest_paths
from graycube.gf2 import AffineMap
from graycube.machine import Link, Machine
from graycube.schedule import Task
from graycube.texts import counted

_BOTH = "start-ups and bytes"
_ROUNDED = 1 - 1e-12  # so much of a sum of seconds is surely there


def lower_bounds(task: Task, machine: Machine) -> tuple[Bound, ...]:
    """The bounds that hold for a task on a machine; the largest one is the lower bound.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(5, "gray"), Layout.nodes(5), block=100)
    >>> for bound in lower_bounds(task, Machine(dims=5, startup=7.0, per_byte=1.0)):
    ...     print(bound)
    start-ups: 32 s (TR-20-92 Lemma 3)
    leaving a node: 107 s (every byte of a block passes its ports)
    bisection: 57 s (half of the elements cross dimension 0)
    cut: 107 s (1 block leaves by 1 link)
    links: 200 s (TR-20-92 Lemma 3)
    paths: 103 s (TR-20-91 section 3.1)
    flow: 221.4 s (tolls prove 223/104 of a block)
    start-ups and bytes: 277 s (6 start-ups, and 2.344 blocks, which up to 6 rounds need)
    """
    require_kinds(task, machine, "bounds")
    if task.stages:
        return (butterfly_bound(task, machine),)
    displacement = displacement_of(task)
    if not any((*displacement.matrix.columns, displacement.constant)):
        return (Bound("nothing moves", 0.0, "every element is on its node already"),)
    ports, least = machine.links_at_once, machine.cheapest
    circuits = machine.switching == "circuit"
    rates = capacities(machine)
    leaving = task.block_bytes * leaving_share(displacement) / sum(sorted(rates)[-ports:])
    bounds = [
        _startup_bound(task, machine, displacement),
        Bound(
            "leaving a node",
            least.startup + _seconds(leaving, least),
            "every byte of a block passes its ports",
            least.startup,
        ),
        _bisection_bound(task, machine, displacement),
    ]
    cut = best_cut(task, machine.dims if circuits else ports, rates)
    if (cards := card_bound(task, machine, displacement)) is not None:
        bounds.append(cards)
    if cut is not None:
        seconds = least.startup + _seconds(task.block_bytes * cut.share, least)
        bounds.append(Bound("cut", seconds, cut.counts, least.startup))
    if not circuits:
        volume = task.block_bytes * mean_distance(displacement, rates) / ports
        citation = "TR-20-91 Theorem 3" if ports > 1 else "TR-20-92 Lemma 3"
        bounds.append(Bound("links", _seconds(volume, least), citation))
        bounds.append(_path_bound(task, machine, displacement))
        share = _certified(task, ports)
        if share is not None:
            seconds = least.startup + _seconds(task.block_bytes * share, least)
            counts = f"tolls prove {share} of a block"
            bounds.append(Bound("flow", seconds, counts, least.startup))
    return (*bounds, *_summed(bounds, task, machine, displacement))


class Stair(NamedTuple):
    """Schedules of so many rounds or more have so many elements in sequence, up to the next.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=10)
    >>> stairs(task, Machine(dims=2, startup=7.0, per_byte=1.0))[0]
    Stair(rounds=1, elements=10, counts="the bytes of 'leaving a node'")
    """

    rounds: int
    elements: int
    counts: str


def stairs(task: Task, machine: Machine) -> tuple[Stair, ...]:
    """What is proved of rounds and elements in sequence together, where links are alike.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(5, "gray"), Layout.nodes(5), block=100)
    >>> proved = stairs(task, Machine(dims=5, startup=7.0, per_byte=1.0))
    >>> [(rounds, elements) for rounds, elements, _ in proved[:4]]
    [(4, 400), (5, 250), (6, 235), (7, 232)]
    """
    require_kinds(task, machine, "bounds")
    displacement = displacement_of(task)
    bounds = [bound for bound in lower_bounds(task, machine) if bound.name != _BOTH]
    if task.stages or not machine.alike or len(bounds) < 2:
        return ()
    return tuple(_stairs(bounds, task, machine, displacement))


def _summed(
    bounds: Sequence[Bound], task: Task, machine: Machine, displacement: AffineMap
) -> Sequence[Bound]:
    """Start-ups in sequence and elements in sequence, which a price adds up.

    Where links differ or are shared, a round is not the sum of the two.
    """
    if not machine.alike:
        return ()
    each, found = task.itemsize * machine.cheapest.per_byte, list[Bound]()
    packets, startup = machine.startups(task.itemsize), machine.cheapest.startup
    for rounds, elements, counts in _stairs(bounds, task, machine, displacement):
        startups = rounds * packets
        told = counted(startups, "start-up") if startup else counted(rounds, "round")
        least = startups * startup
        says = f"{told}, and {counts}"
        found.append(Bound(_BOTH, least + elements * each, says, least))
    cheapest = min(found, key=lambda bound: bound.seconds)
    if cheapest.seconds * _ROUNDED <= max(bound.seconds for bound in bounds):
        return ()
    return (cheapest,)


def _stairs(
    bounds: Sequence[Bound], task: Task, machine: Machine, displacement: AffineMap
) -> Iterator[Stair]:
    """Fewer rounds need more elements, and each in which something moves has one at least."""
    link, each = machine.cheapest, task.itemsize * machine.cheapest.per_byte
    starts = max(bounds, key=lambda bound: bound.startup)
    volume = max(bounds, key=lambda bound: bound.seconds - bound.startup)
    bare = max(volume.seconds * _ROUNDED - volume.startup, 0.0)
    always = ceil(bare / each) if each else 0
    one = machine.startups(task.itemsize) * link.startup  # of a message with one element
    rounds = round(starts.startup / one) if one else 0
    farthest = (
        0 if any(displacement.matrix.columns[task.n :]) else largest_distance(displacement)
    )
    for most, share in (*least_volumes(task, machine, farthest), (None, Fraction(0))):
        if most is not None and most < rounds:
            continue
        needed = ceil(share * task.block)
        if most is not None and needed > always:
            counts = f"{float(share):.4g} blocks, which up to {counted(most, 'round')} need"
        else:
            counts = f"the bytes of {volume.name!r}"
        yield Stair(rounds, max(needed, always, rounds), counts)
        rounds = (most or 0) + 1


def capacities(machine: Machine) -> tuple[Fraction, ...]:
    """What a link of each dimension carries while the fastest carries one byte.

    >>> [str(rate) for rate in capacities(Machine(dims=3, per_byte=(1.0, 4.0, 1.0)))]
    ['1', '1/4', '1']
    """
    if machine.alike or not machine.cheapest.per_byte:  # a fastest link takes no time at all
        return (Fraction(1),) * machine.dims
    fastest = Fraction(machine.cheapest.per_byte)
    return tuple(fastest / Fraction(link.per_byte) for link in machine.links)


def _seconds(nbytes: Fraction, link: Link) -> float:
    """The time of some bytes: where links differ, they may be more than any float."""
    return float(nbytes * Fraction(link.per_byte))


def _startup_bound(task: Task, machine: Machine, displacement: AffineMap) -> Bound:
    """Something has to go so far, or to so many nodes, one message after the other.

    A message has an element at least, which may take several packets.
    """
    seconds = [machine.message_time(task.itemsize, d) for d in range(task.n)]
    startup = machine.startups(task.itemsize) * machine.cheapest.startup
    goals, knowing = goals_of(displacement)
    rounds = rounds_to_know(knowing, min(machine.links_at_once, task.n))
    many = f"a block goes to 2^{goals} nodes"
    wide = Bound("start-ups", rounds * min(seconds), many, rounds * startup)
    if machine.switching == "circuit":
        total = max(seconds[d] for d in crossed(displacement))
        far = Bound("start-ups", total, "what moves at all is sent once", startup)
    else:
        total = largest_distance(displacement, seconds)
        startup *= largest_distance(displacement)
        far = Bound("start-ups", total, "TR-20-92 Lemma 3", startup)
    return wide if wide.seconds > far.seconds else far


def _certified(task: Task, ports: int) -> Fraction | None:
    """What is proved of flows between Gray and binary code on small cubes.

    Nodes that differ in other bits count as one, with the mean of what they carry.
    """
    width = min(converted_width(task), KNOWN_DIMS.stop - 1)
    if width not in KNOWN_DIMS:
        return None
    return known_certificate(width, ports if ports < width else "all").share


def _bisection_bound(task: Task, machine: Machine, displacement: AffineMap) -> Bound:
    """What changes sides of a dimension goes over its links, one for each node at most.

    Nodes that share a card with several ports also share out their start-ups.
    """
    narrow = {d: float(w.narrowness(d)) for w in machine.wires for d in w.dims}
    cards = {d: w.ports for w in machine.wires for d in w.dims if narrow[d] > 1}
    startups = [link.startup / cards.get(d, 1) for d, link in enumerate(machine.links)]
    halves = crossing_halves(displacement)
    seconds = [
        startups[d] + task.block_bytes * half / 2 * link.per_byte * narrow.get(d, 1.0)
        if half
        else 0.0
        for d, (half, link) in enumerate(zip(halves, machine.links, strict=True))
    ]
    busiest = max(range(task.n), key=seconds.__getitem__)
    share = "half of the" if halves[busiest] == 1 else "all"
    counts = f"{share} elements cross dimension {busiest}"
    return Bound("bisection", seconds[busiest], counts, startups[busiest])


def _path_bound(task: Task, machine: Machine, displacement: AffineMap) -> Bound:
    ports = machine.links_at_once
    seconds = _whole_blocks(
        task, machine, displacement, lambda d: disjoint_paths(task.n, d, task.block, ports)
    )
    return Bound("paths", seconds, "TR-20-91 section 3.1")


def minimum_path_bound(task: Task, machine: Machine) -> Bound:
    """The bound for schedules that use paths of minimum length only (TR-20-91 Theorem 4).

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(5, "gray"), Layout.nodes(5), block=100)
    >>> print(minimum_path_bound(task, Machine(dims=5, ports="all")))
    minimum paths: 100 s (TR-20-91 Theorems 2 and 4)
    """
    require_kinds(task, machine, "bounds")
    ports, displacement = machine.links_at_once, displacement_of(task)
    seconds = _whole_blocks(
        task, machine, displacement, lambda d: shortest_paths(d, task.block, ports)
    )
    return Bound("minimum paths", seconds, "TR-20-91 Theorems 2 and 4")


def _whole_blocks(
    task: Task, machine: Machine, displacement: AffineMap, cycles: Callable[[int], int]
) -> float:
    """What the cycles take to each distance over which some node sends its whole block."""
    parted = any(displacement.matrix.columns[task.n :])
    most = max(map(cycles, () if parted else distances(displacement)), default=0)
    return most * task.itemsize * machine.cheapest.per_byte
