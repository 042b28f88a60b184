"""Follow every element of an explicit schedule.

The witness is independent: where an element has to go comes from the layouts' ``index`` and
``locate``, not from the map that schedules are built with, and every rule is decided from the
columns of the moves alone.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.machine import Machine
from graycube.schedule import Moves, Task
from graycube.verify.report import Report, Violation, require_same_cube

SHOWN = 5  # violations listed per rule
MAX_ELEMENTS = 1 << 26
MAX_CYCLES = 1 << 31  # so that keys of element, cycle and link fit 64 bits
_RULES = ("range", "start", "presence", "time", "end", "link", "ports", "round")

_Column = NDArray[np.int64]
_Note = Callable[[str, _Column, _Column, _Column], None]


def check_elements(moves: Moves, machine: Machine) -> Report:
    """Check all rules on every crossing.

    The explicit form knows nodes, not slots: that an element ends in the right slot of its node
    is for :func:`check_algebra` to prove.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
    >>> good = Moves(task, "by hand", (0,), 1, [0, 0], [2, 3], [0, 0], [2, 3])
    >>> print(check_elements(good, Machine(dims=2)).peak)
    1
    >>> bad = Moves(task, "by hand", (0,), 1, [0], [2], [1], [2])
    >>> for violation in check_elements(bad, Machine(dims=2)).violations:
    ...     print(violation)
    end: node 0, element 2: an element ends where the task says
    end: node 3, element 3: an element ends where the task says
    """
    require_same_cube(moves.task, machine)
    _require_affordable(moves)
    rows = np.stack([moves.cycle, moves.node, moves.dimension, moves.element]).astype(np.int64)
    found: dict[str, tuple[int, list[Violation]]] = {}

    def note(rule: str, cycle: _Column, node: _Column, element: _Column) -> None:
        if len(element):
            count, listed = found.get(rule, (0, []))
            new = zip(cycle[:SHOWN], node[:SHOWN], element[:SHOWN], strict=True)
            listed += [Violation(rule, int(c), int(u), int(e)) for c, u, e in new]
            found[rule] = count + len(element), listed

    outside = _outside(moves, rows)
    note("range", *rows[[0, 1, 3]][:, outside])
    rows = rows[:, ~outside]
    in_order = np.argsort(rows[3] * moves.cycles + rows[0], kind="stable")
    rows = rows[:, in_order]  # by element, then cycle, then as listed
    _check_paths(moves, rows, note, circuits=machine.switching == "circuit")
    _check_links(moves.task, rows, note)
    sends, receipts = _messages(rows, circuits=machine.switching == "circuit")
    for ends in (sends, receipts):
        _check_ports(moves.task, ends, machine.links_at_once, note)
    _check_rounds(moves, sends, receipts, machine.links_at_once, note)
    peak = _peak(moves, sends, receipts)
    violations = [v for _, listed in found.values() for v in listed]
    counts = tuple((rule, count) for rule, (count, _) in found.items())
    return Report("element by element", _RULES, tuple(violations), counts, peak)


def _require_affordable(moves: Moves) -> None:
    elements = moves.task.block << moves.task.n
    if elements > MAX_ELEMENTS:
        raise InvalidValueError(
            f"the task has {elements} elements",
            f"at most {MAX_ELEMENTS} are followed one by one",
            "check by algebra, or take a smaller cube or block",
        )
    if moves.cycles > MAX_CYCLES:
        raise InvalidValueError(
            f"the schedule has {moves.cycles} cycles",
            f"at most {MAX_CYCLES} are followed",
            "check by algebra, or count only cycles in which something moves",
        )


def _outside(moves: Moves, rows: _Column) -> NDArray[np.bool_]:
    n = moves.task.n
    limits = (moves.cycles, 1 << n, n, moves.task.block << n)
    outside = np.zeros(rows.shape[1], dtype=bool)
    for column, limit in zip(rows, limits, strict=True):
        outside |= (column < 0) | (column >= limit)
    return outside


def _target_nodes(task: Task) -> _Column:
    """The node on which every element has to end."""
    element = np.arange(task.block << task.n)
    home, position = np.divmod(element, task.block)
    behind = task.block // task.source.block_size
    target, _ = task.target.locate(task.source.index(home, position // behind))
    return target.astype(np.int64)


def _check_paths(moves: Moves, rows: _Column, note: _Note, *, circuits: bool) -> None:
    """Every element starts at home, walks link by link in time, and ends at its target."""
    task = moves.task
    cycle, node, dimension, element = rows
    arrives = node ^ 1 << dimension
    first = np.diff(element, prepend=-1) != 0
    follows, wait = ~first[1:], np.diff(cycle)
    stray = first & (node != element // task.block)
    note("start", cycle[stray], node[stray], element[stray])
    lost = 1 + np.flatnonzero(follows & (node[1:] != arrives[:-1]))
    note("presence", cycle[lost], node[lost], element[lost])
    early = 1 + np.flatnonzero(follows & (wait < (0 if circuits else 1)))
    note("time", cycle[early], node[early], element[early])
    again = follows & (np.diff(_round_numbers(moves, cycle)) == 0)
    if circuits:
        again &= wait != 0
    again = 1 + np.flatnonzero(again)
    note("round", cycle[again], node[again], element[again])
    ends = np.arange(task.block << task.n) // task.block
    names = np.arange(1 << task.n)
    if moves.relabel is not None:
        names = np.array([moves.relabel(int(u)) & (len(names) - 1) for u in names])
    last = np.roll(first, -1)
    ends[element[last]] = arrives[last]
    wrong = np.flatnonzero(names[ends] != _target_nodes(task))
    note("end", np.full(len(wrong), -1), ends[wrong], wrong)


def _round_numbers(moves: Moves, cycle: _Column) -> _Column:
    """The round of each cycle; a range of rounds is not listed."""
    if isinstance(moves.rounds, range):
        return cycle // moves.rounds.step
    return np.searchsorted(moves.rounds, cycle, side="right")


def _check_links(task: Task, rows: _Column, note: _Note) -> None:
    cycle, node, dimension, element = rows
    again = _beyond((cycle << task.n | node) * task.n + dimension, 1)
    note("link", cycle[again], node[again], element[again])


def _messages(rows: _Column, *, circuits: bool) -> tuple[_Column, _Column]:
    """Who sends and who receives: cycle, node, the other end, element.

    With circuits the hops of an element within a cycle are one path, and only its ends count.
    """
    cycle, node, dimension, element = rows
    new = np.ones(len(element), dtype=bool)
    if circuits:
        new[1:] = (element[1:] != element[:-1]) | (cycle[1:] != cycle[:-1])
    last = np.roll(new, -1)
    start, stop = node[new], (node ^ 1 << dimension)[last]
    sends = np.stack([cycle[new], start, stop, element[new]])
    return sends, sends[[0, 2, 1, 3]]


def _check_ports(task: Task, ends: _Column, ports: int, note: _Note) -> None:
    cycle, node, _, element = ends
    crowded = _beyond(cycle << task.n | node, ports)
    note("ports", cycle[crowded], node[crowded], element[crowded])


def _check_rounds(
    moves: Moves, sends: _Column, receipts: _Column, ports: int, note: _Note
) -> None:
    """Within a round, a node exchanges messages with as many others as it has ports."""
    n = moves.task.n
    for cycle, node, other, element in (sends, receipts):
        number = _round_numbers(moves, cycle)
        messages, row = np.unique((number << n | node) << n | other, return_index=True)
        extra = row[_beyond(messages >> n, ports)]
        note("round", cycle[extra], node[extra], element[extra])


def _beyond(keys: _Column, allowed: int) -> NDArray[np.intp]:
    """The rows whose key has occurred ``allowed`` times before them."""
    in_order = np.sort(keys)
    if not np.any(in_order[allowed:] == in_order[:-allowed]):
        return np.empty(0, dtype=np.intp)
    order = np.argsort(keys, kind="stable")
    place = np.arange(len(order)) - _group_starts(keys[order])
    return order[place >= allowed]


def _group_starts(keys: _Column) -> _Column:
    """For every row of sorted keys, the first row with the same key."""
    change = np.diff(keys, prepend=-1) != 0
    return np.maximum.accumulate(np.where(change, np.arange(len(change)), 0))


def _peak(moves: Moves, sends: _Column, receipts: _Column) -> int:
    """The most elements that a node holds at the end of a cycle."""
    leaving, arriving = (np.sort(end[1] * moves.cycles + end[0]) for end in (sends, receipts))
    if np.array_equal(leaving, arriving):
        return moves.task.block  # pure exchanges: for each element that leaves, one comes
    keys, row = np.unique(np.concatenate([leaving, arriving]), return_inverse=True)
    change = np.bincount(row[len(leaving) :], minlength=len(keys))
    change -= np.bincount(row[: len(leaving)], minlength=len(keys))
    total = np.cumsum(change)
    before = np.concatenate([[0], total])[_group_starts(keys // moves.cycles)]
    return moves.task.block + int((total - before).max(initial=0))
