"""The reference transport: all nodes in one process, on one NumPy array.

It does what the schedule says, hop by hop and strand by strand, so that the data is a witness
of the schedule and not of the layouts.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap
from graycube.schedule import Schedule, Task


def apply(
    schedule: Schedule, blocks: ArrayLike, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The blocks of all nodes after the schedule; ``out`` may be ``blocks`` itself.

    >>> from graycube.algorithms import gb1
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> apply(gb1.emit(task, Machine(dims=2)), [[0, 0], [1, 1], [3, 3], [2, 2]]).tolist()
    [[0, 0], [1, 1], [2, 2], [3, 3]]
    """
    task = schedule.task
    array = np.asarray(blocks)
    _require_blocks(task, array)
    if out is not None and not isinstance(out, np.ndarray):
        raise InvalidTypeError(f"out is {out!r}", "it must be an array", "pass one or nothing")
    if out is not None and (out.shape, out.dtype) != (array.shape, array.dtype):
        raise InvalidValueError(
            f"out has shape {out.shape} and dtype {out.dtype}",
            f"the blocks have {array.shape} and {array.dtype}",
            "pass an array like the blocks, or the blocks themselves",
        )
    work = array.reshape(1 << task.n, task.block, -1).copy()
    for strand in schedule.strands:
        share = work[:, strand.start : strand.stop]
        for hop in strand.hops:
            share[...] = _moved(task, share, hop.exchange.affine(task.p))
    if schedule.relabel is not None:
        work = _moved(task, work, schedule.relabel)
    result = work.reshape(array.shape)
    if out is None:
        return result
    out[...] = result
    return out


def _moved(task: Task, share: NDArray[Any], move: AffineMap) -> NDArray[Any]:
    """A share of all blocks after everything at address a has gone to ``move(a)``."""
    nodes = 1 << task.n
    low = nodes - 1
    moved = np.empty_like(share)
    if not any(c >> task.n for c in move.matrix.columns[: task.n]) and _keeps_slots(task, move):
        moved[move(np.arange(nodes)) & low] = share
        return moved
    if share.shape[1] != task.block:
        raise InvalidValueError(
            f"a strand of {share.shape[1]} elements changes slots",
            f"only whole blocks of {task.block} can do that",
            "give the strand whole blocks",
        )
    slots = share.reshape(nodes, -1, task.payload, share.shape[-1])
    address = np.arange(1 << task.p)
    after = move(address)
    arranged = np.empty_like(slots)
    arranged[after & low, after >> task.n] = slots[address & low, address >> task.n]
    return arranged.reshape(share.shape)


def _keeps_slots(task: Task, move: AffineMap) -> bool:
    """Whether the move changes node numbers only, whatever the slot is."""
    slots = enumerate(move.matrix.columns[task.n :], start=task.n)
    return move.constant >> task.n == 0 and all(c == 1 << j for j, c in slots)


def _require_blocks(task: Task, array: NDArray[Any]) -> None:
    if array.ndim == 0 or array.shape[0] != 1 << task.n:
        raise InvalidValueError(
            f"the blocks have shape {array.shape}",
            f"the first axis must be the {1 << task.n} nodes",
            "stack the blocks of all nodes",
        )
    elements = array.size >> task.n
    if elements == 0 or elements % task.block:
        raise InvalidValueError(
            f"the blocks have shape {array.shape}: {elements} numbers on each node",
            f"a block has {task.block} elements",
            "pass blocks of that many elements, with any payload behind each",
        )
