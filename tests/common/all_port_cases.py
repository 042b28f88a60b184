"""Conversions on all ports: brute force for the data, and nodes that know only themselves."""

from collections import Counter, defaultdict
from itertools import count

import numpy as np
from strategies import gray_word

import graycube as gc
from graycube.run import apply
from graycube.schedule import actions, expand
from graycube.verify import check_algebra, check_elements

DIRECTIONS = (("gray", "binary"), ("binary", "gray"))
TABLE = {algorithm.name: algorithm for algorithm in gc.algorithms() if not algorithm.network}
ALL_PORT = (
    "pipelined",
    "minimum-path",
    "nonminimum-path",
    "nonminimum-ring",
    "two-cube",
    "tight",
    "few-ports",
)


def machine_of(n, ports="all", **costs):
    """A machine that counts cycles, if nothing else is said."""
    return gc.Machine(**{"dims": n, "ports": ports, "startup": 0.0, "per_byte": 1.0} | costs)


def task_of(n, block, direction=DIRECTIONS[0]):
    return gc.Task(*(gc.Layout.nodes(n, code) for code in direction), block)


def emitted(name, task, machine):
    """The schedule of an algorithm, or None where it does not apply."""
    algorithm = TABLE[name]
    return None if algorithm.applicable(task, machine) else algorithm.emit(task, machine)


def destinations(n, direction=DIRECTIONS[0]):
    """Where the block of every node has to go, from the definition of the reflected code."""
    words = {"gray": [gray_word(i, n) for i in range(1 << n)], "binary": range(1 << n)}
    ways = dict(zip(*(words[code] for code in direction), strict=True))
    return [ways[node] for node in range(1 << n)]


def assert_carried_out(schedule, machine, ends):
    """The data is right, and nothing is wrong by algebra nor element by element."""
    nodes, block = len(ends), schedule.task.block
    blocks = np.arange(nodes * block).reshape(nodes, block)
    assert np.array_equal(apply(schedule, blocks)[ends], blocks)
    proof = check_algebra(schedule, machine)
    assert proof, str(proof)
    followed = check_elements(expand(schedule), machine)
    assert followed, str(followed)
    return followed


def crossings_of(moves, nodes):
    """How many links each element crosses, by its home and position."""
    block = moves.task.block
    return np.bincount(moves.element, minlength=nodes * block).reshape(nodes, block)


def ceil(numerator, denominator):
    return -(-numerator // denominator)


class Node:
    """A node that knows its own actions, and keeps by strand and position what it is brought.

    Which strand its own elements belong to it need not know: what it is to send and was not
    brought is its own.
    """

    def __init__(self, address, block, todo):
        self.own = {position: (address, position) for position in range(block)}
        self.guests = {}
        self.sends, self.receives = defaultdict(dict), defaultdict(dict)
        for action in todo:
            for cycle, position in zip(count(action.cycle), range(action.start, action.stop)):
                for wanted, book in ((action.sends, self.sends),
                                     (action.receives, self.receives)):  # fmt: skip
                    if wanted:
                        assert action.dimension not in book[cycle], "the link is taken"
                        book[cycle][action.dimension] = (action.way, position)

    def send(self, cycle):
        """What leaves in a cycle, by dimension."""
        return {d: self._take(*place) for d, place in self.sends[cycle].items()}

    def _take(self, strand, position):
        if (strand, position) in self.guests:
            return self.guests.pop((strand, position))
        return self.own.pop(position)

    def receive(self, cycle, arriving):
        """Keep what comes, and expect nothing else."""
        assert set(arriving) == set(self.receives[cycle])
        for d, element in arriving.items():
            assert self.receives[cycle][d] not in self.guests, "the place is taken"
            self.guests[self.receives[cycle][d]] = element

    @property
    def load(self):
        return len(self.own) + len(self.guests)

    @property
    def held(self):
        """The elements by position, each position with all that is there."""
        places = [*self.own.items(), *((k, element) for (_, k), element in self.guests.items())]
        return sorted(places)


def distributed(schedule):
    """What every node holds in the end, and the most that any held, by their actions alone."""
    task = schedule.task
    nodes = [Node(u, task.block, actions(schedule, u)) for u in range(1 << task.n)]
    peak = task.block
    for cycle in range(schedule.cycles):
        sent = [node.send(cycle) for node in nodes]
        arriving = [{} for _ in nodes]
        for u, messages in enumerate(sent):
            for d, element in messages.items():
                arriving[u ^ 1 << d][d] = element
        for node, messages in zip(nodes, arriving, strict=True):
            node.receive(cycle, messages)
        peak = max(peak, *(node.load for node in nodes))
    return [node.held for node in nodes], peak


def sends_of(schedule):
    """Cycle, node and dimension of everything that the nodes send, by their actions."""
    return Counter(
        (action.cycle + j, u, action.dimension)
        for u in range(1 << schedule.task.n)
        for action in actions(schedule, u)
        if action.sends
        for j in range(action.stop - action.start)
    )
