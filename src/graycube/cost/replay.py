"""An explicit schedule replayed cycle by cycle: every link and every node's memory.

Rule: in each cycle a node loses what it sends and gains what it receives; what a circuit only
passes through it does both, so that costs no memory. All nodes and cycles are counted at once,
in arrays of cycles x nodes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import require_range
from graycube.schedule import Moves

MAX_CELLS = 1 << 27
"""Most cycles x nodes that are replayed."""


@dataclass(frozen=True, eq=False)
class Replay:
    """What the links and memories of the cube do under a schedule.

    ``link_loads[u, d]`` is how many elements cross link (u, d), ``active[t]`` how many links
    carry one in cycle t, and ``peak[u]`` the most elements that node u holds after any cycle.

    >>> import graycube as gc
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> seen = replay(gc.plan(gray, binary, block=4, machine=gc.Machine(dims=3)).moves())
    >>> seen.link_loads[7].tolist(), seen.active.sum(), seen.peak.max()
    ([2, 4, 0], np.int64(48), np.int64(4))
    """

    link_loads: NDArray[np.int64]
    active: NDArray[np.int64]
    peak: NDArray[np.int64]


def replay(moves: Moves) -> Replay:
    """Count every crossing of an explicit schedule.

    >>> from graycube.table.gray import gb1
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task, expand
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=4)
    >>> seen = replay(expand(gb1.emit(task, Machine(dims=3))))
    >>> seen.link_loads.max(initial=0), seen.active.tolist(), seen.peak.tolist()
    (np.int64(4), [4, 4, 4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4, 4, 4])
    """
    n, cycles = moves.task.n, moves.cycles
    nodes = 1 << n
    if cycles << n > MAX_CELLS:
        raise InvalidValueError(
            f"the schedule has {cycles} cycles on {nodes} nodes",
            f"at most {MAX_CELLS} cycles x nodes are replayed",
            "simulate the symbolic schedule, or take a smaller cube or block",
        )
    limits = {"cycle": cycles, "node": nodes, "dimension": n}
    for name, limit in limits.items():
        hint = "verify the schedule first"
        require_range(getattr(moves, name), limit, f"a {name} of the moves", hint)
    when = moves.cycle.astype(np.int64) << n
    arrives = moves.node ^ (1 << moves.dimension.astype(np.int32))
    loads = np.bincount(moves.node.astype(np.int64) * n + moves.dimension, minlength=nodes * n)
    gained = np.bincount(when | arrives, minlength=cycles << n)
    lost = np.bincount(when | moves.node, minlength=cycles << n)
    held = np.cumsum((gained - lost).reshape(cycles, nodes), axis=0)
    return Replay(
        loads.reshape(nodes, n),
        np.bincount(moves.cycle, minlength=cycles),
        moves.task.block + held.max(axis=0, initial=0),
    )
