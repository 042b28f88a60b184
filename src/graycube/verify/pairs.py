"""Follow all elements of a network: its pairs, stage by stage.

Where every element is at every time follows from the moves alone; a pair meets in the first
cycle in which both are on one node and over with their earlier stages.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import require_ints
from graycube.schedule import Moves
from graycube.verify.report import Report, Violation, tally

MAX_PLACES = 1 << 28
"""Most places, elements times cycles, that are kept to follow all elements."""


def check_pairs(moves: Moves, stages: Sequence[int]) -> Report:
    """Check, element by element, that all pairs of all stages meet, one stage after the other.

    >>> from graycube.layout import Layout
    >>> from graycube.schedule import Task
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> moves = Moves(task, "by hand", (0,), 1, [0, 0], [1, 0], [0, 0], [2, 1])
    >>> print(check_pairs(moves, stages=[1, 0]))
    pair by pair: nothing is wrong (pair)
    >>> print(check_pairs(moves, stages=[0, 1]))
    pair by pair: 4 x pair
      pair: element 0: both of a pair are on one node when their earlier stages are over
      pair: element 1: both of a pair are on one node when their earlier stages are over
      pair: element 2: both of a pair are on one node when their earlier stages are over
      pair: element 3: both of a pair are on one node when their earlier stages are over
    """
    task = moves.task
    bits = require_ints(stages, "stages") if not isinstance(stages, int) else ()
    _require_in_range(moves, stages, bits)
    node = _places(moves)
    element = np.arange(task.block << task.n)
    home, position = np.divmod(element, task.block)
    slot, payload = np.divmod(position, task.payload)
    word = task.source.inverse_map(slot << task.n | home)
    by_word = np.empty((1 << task.p, task.payload), dtype=np.int64)
    by_word[word, payload] = element
    time = np.arange(node.shape[1])
    ready = np.zeros(len(element), dtype=np.int64)
    for bit in bits:
        other = by_word[word ^ 1 << bit, payload]
        since = np.maximum(ready, ready[other])
        together = (node == node[other]) & (time >= since[:, None])
        missed = np.flatnonzero(~together.any(axis=1))
        if len(missed):
            violations = [Violation("pair", element=int(e)) for e in missed]
            return tally("pair by pair", ("pair",), violations)
        ready = together.argmax(axis=1)
    return tally("pair by pair", ("pair",), ())


def _require_in_range(moves: Moves, stages: object, bits: Sequence[int]) -> None:
    task = moves.task
    if isinstance(stages, int) or any(not 0 <= bit < task.p for bit in bits):
        raise InvalidValueError(
            f"the stages are {stages!r:.60}", f"an index has {task.p} bits", "list some of them"
        )
    limits = {"cycle": moves.cycles, "dimension": task.n, "element": task.block << task.n}
    for name, limit in limits.items():
        column = getattr(moves, name)
        if len(column) and not 0 <= column.min() <= column.max() < limit:
            raise InvalidValueError(
                f"a {name} is {column.min() if column.min() < 0 else column.max()}",
                f"there are 0..{limit - 1}",
                "see what check_elements says",
            )


def _places(moves: Moves) -> NDArray[np.int32]:
    """The node of every element before every cycle and at the end."""
    task = moves.task
    elements = task.block << task.n
    if elements * (moves.cycles + 1) > MAX_PLACES:
        raise InvalidValueError(
            f"{elements} elements move in {moves.cycles} cycles",
            f"at most {MAX_PLACES} places are kept",
            "check by algebra, or take a smaller cube or block",
        )
    change = np.zeros((elements, moves.cycles + 1), dtype=np.int32)
    np.bitwise_xor.at(
        change, (moves.element, moves.cycle + 1), 1 << moves.dimension.astype(int)
    )
    change[:, 0] = np.arange(elements) // task.block
    return np.bitwise_xor.accumulate(change, axis=1)
