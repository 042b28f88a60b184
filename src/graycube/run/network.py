"""What one node does in a network: a script, and between its rounds the lines to transform.

Rules.

1. All rows of a node are in its result from the start. In a round as many come as leave, and
   what comes takes the rows of what leaves. So a node never holds more than its block.
2. A *phase* is a run of crossings with one start. Elements cross its dimensions in the order of
   their clocks, and no element is in two phases at once.
3. A *line* is the elements that differ in the bits of one group of stages. It is complete after
   the round in which its last element comes, and none of them leaves before it is transformed.
4. An element that has done a phase before its time is where the element would be that takes
   its place in the list: words tell what an element does, and addresses where it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.run.groups import Group, groups
from graycube.run.script import Bank, Draft, Part, Script, part
from graycube.schedule import Schedule

FIRST = -1
"""The number of the round before all others."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadyLines:
    """ReadyLines of a node that are complete after a round: their rows, and the words in them.

    The points of a line are the values of ``bits`` of the index, in order; a line without bits
    is one row.
    """

    after: int
    group: int
    bits: range
    rows: NDArray[np.intp]
    words: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class NodeNetwork:
    """A node's script, its lines in order, and the row in which each slot ends."""

    script: Script
    lines: tuple[ReadyLines, ...]
    end: NDArray[np.intp]


def node_network(
    schedule: Schedule, node: int, lines: "Sequence[Sequence[range]]"
) -> NodeNetwork:
    """The script and the lines of a node; ``lines`` has the groups of each run of stages.

    >>> from graycube.layout import Layout
    >>> from graycube.table.networks import emulation
    >>> made = emulation(Layout.cyclic(3, 2))
    >>> done = node_network(made, 0, [[range(2, 3)], [range(1, 2)], [range(1)]])
    >>> [(lines.after, lines.rows.tolist()) for lines in done.lines]
    [(-1, [[0, 1]]), (0, [[0, 1]]), (1, [[0, 1]])]
    """
    walk = _Walk(schedule, node)
    waiting = iter(lines)
    number = 0
    for group in groups(schedule):
        if group.bits:
            for bits in next(waiting):
                walk.transform(number, bits)
                number += 1
            continue
        (walk.cross if group.start >= 0 else walk.arrange)(group)
    task = schedule.task
    rows = task.block // task.payload
    whole = slice(0, rows)
    script = Script(
        node=node,
        number=node,
        unit=task.payload,
        rows=rows,
        spare=0,
        kept=((Part(Bank.BLOCK, whole), Part(Bank.RESULT, whole)),),
        rounds=walk.draft.rounds(),
    )
    return NodeNetwork(script, tuple(walk.lines), walk.row)


class _Walk:
    """The elements of a node, from step to step: which row each slot has, and since when."""

    def __init__(self, schedule: Schedule, node: int) -> None:
        self._schedule, self._task, self._node = schedule, schedule.task, node
        self._place = schedule.task.source.map
        self._slots = np.arange(1 << self._task.p - self._task.n)
        self._ahead: Group | None = None  # what some elements have done before their time
        self.row: NDArray[np.intp] = np.arange(len(self._slots))
        self._since = np.full(len(self._slots), FIRST)
        self.draft, self.lines = Draft(), list[ReadyLines]()

    def _here(self) -> IntArray:
        return self._slots << self._task.n | self._node

    def _words(self, address: IntArray) -> IntArray:
        """The index of the element at each address."""
        word = self._place.inverse()(address)
        if (ahead := self._ahead) is None:
            return word
        return np.where(ahead.has(word), ahead.after.inverse()(ahead.before(word)), word)

    def _addresses(self, word: IntArray) -> IntArray:
        """Where the elements are."""
        if (ahead := self._ahead) is not None:
            word = np.where(ahead.has(word), ahead.before.inverse()(ahead.after(word)), word)
        return self._place(word)

    def arrange(self, group: Group) -> None:
        """Moves within memory: rows stay, and slots get other rows."""
        word = self._words(self._here())
        self._place = group.after
        self._put(self._addresses(word), self.row.copy(), self._since.copy())

    def _put(self, address: IntArray, row: NDArray[np.intp], since: IntArray) -> None:
        slot = address >> self._task.n
        self.row[slot], self._since[slot] = row, since

    def transform(self, number: int, bits: range) -> None:
        """The lines of a group of bits, each when its last element has come."""
        word = self._words(self._here())
        mask = sum(1 << bit for bit in bits)
        order = np.lexsort((word & mask, word & ~mask)).reshape(-1, 1 << len(bits))
        line = word[order] & ~mask
        if (line != line[:, :1]).any():
            raise self._refused(f"for stages of bits {list(bits)}")
        ready = self._since[order].max(axis=1)
        for after in np.unique(ready).tolist():
            some = order[ready == after]
            self.lines.append(ReadyLines(after, number, bits, self.row[some], word[some]))
        self._since[order] = ready[:, None]

    def cross(self, group: Group) -> None:
        """A phase: what leaves makes room for what comes, round by round."""
        n, nodes, steps = self._task.n, (1 << self._task.n) - 1, group.steps
        dims = [step.crossings[0].dim for step in steps]
        near = [self._node]
        for dim in dict.fromkeys(dims):
            near += [node ^ 1 << dim for node in near]
        label = np.sort((self._slots << n | np.array(near)[:, None]).ravel())
        word, crosses, clock = self._words(label), [], []
        has, listed = group.has(word), group.before(word)
        for step, dim in zip(steps, dims, strict=True):
            before, listed = listed, step(listed)
            crosses.append(has & ((before ^ listed) >> dim & 1 == 1))
            clock.append(step.crossings[0].clock(before))
        row, since = np.full(len(label), -1), np.full(len(label), FIRST)
        mine = label & nodes == self._node
        row[mine], since[mine] = self.row, self._since
        events = []
        for k, dim in enumerate(dims):
            at = label & nodes
            for j, other in enumerate(dims):
                earlier = crosses[j] & (
                    (clock[j] < clock[k]) | (clock[j] == clock[k]) & (j < k)
                )
                at = at ^ earlier.astype(np.int64) << other
            for leaves in (True, False):
                side = self._node if leaves else self._node ^ 1 << dim
                which = np.flatnonzero(crosses[k] & (at == side))
                events.append((k, leaves, which, self._rounds(clock[k][which])))
        for number in np.unique(np.concatenate([e[3] for e in events])).tolist():
            self._exchange(number, dims, events, row, since)
        for dim, which in zip(dims, crosses, strict=True):
            label = label ^ which.astype(np.int64) << dim
        address = self._over(group, word)
        if ((address ^ label) & nodes).any():
            raise self._refused(f"after cycle {group.start}")
        stay = address & nodes == self._node
        self._put(address[stay], row[stay], since[stay])

    def _over(self, group: Group, word: IntArray) -> IntArray:
        """Where the elements are when a phase is over."""
        if group.late is None or not group.first:
            self._place = group.after
        if group.late is not None:
            self._ahead = group if group.first else None
        return self._addresses(word)

    def _rounds(self, clock: IntArray) -> IntArray:
        rounds = self._schedule.rounds
        if isinstance(rounds, range):
            return clock // rounds.step
        return np.searchsorted(rounds, clock, side="right") - 1

    def _refused(self, when: str) -> InvalidValueError:
        return InvalidValueError(
            f"node {self._node} does not have what it needs {when}",
            "elements leave after they came, and as many come as leave",
            "list crossings in the order of time, or leave plan= out",
        )

    def _exchange(
        self,
        number: int,
        dims: Sequence[int],
        events: Sequence[tuple[int, bool, NDArray[np.intp], IntArray]],
        row: NDArray[np.intp],
        since: IntArray,
    ) -> None:
        """One round of a phase."""
        now = [(k, leaves, which[at == number]) for k, leaves, which, at in events]
        leaving = [(k, which) for k, leaves, which in now if leaves and len(which)]
        coming = [(k, which) for k, leaves, which in now if not leaves and len(which)]
        gone, come = (
            np.concatenate([which for _, which in some]) if some else np.empty(0, np.intp)
            for some in (leaving, coming)
        )
        if len(gone) != len(come) or bool((since[gone] >= number).any()):
            raise self._refused(f"in round {number}")
        for k, which in leaving:
            peer = self._node ^ 1 << dims[k]
            self.draft.send(number, peer, (k,), part(Bank.RESULT, row[which]))
        row[come] = row[gone]
        row[gone], since[come] = -1, number
        for k, which in coming:
            peer = self._node ^ 1 << dims[k]
            self.draft.receive(number, peer, (k,), part(Bank.RESULT, row[which]))
