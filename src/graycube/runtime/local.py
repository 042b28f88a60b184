"""The reference transport: all nodes in one process, on one NumPy array.

It follows what the schedule says, hop by hop and strand by strand, or step by step, so that the
data is a witness of the schedule and not of the layouts. Only addresses are followed; the
elements are copied once, to where that ends, whatever has been done within memory on the way.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap
from graycube.host import host_array
from graycube.schedule import (
    AnySchedule,
    Crossing,
    Direct,
    Emulation,
    Schedule,
    Stage,
    Strand,
    Task,
)


def apply(
    schedule: AnySchedule, blocks: ArrayLike, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The blocks of all nodes after the schedule; ``out`` may be ``blocks`` itself.

    >>> from graycube.table import gb1
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> apply(gb1.emit(task, Machine(dims=2)), [[0, 0], [1, 1], [3, 3], [2, 2]]).tolist()
    [[0, 0], [1, 1], [2, 2], [3, 3]]
    """
    task = schedule.task
    array = host_array(blocks)
    _require_blocks(task, array)
    if out is not None and not isinstance(out, np.ndarray):
        raise InvalidTypeError(f"out is {out!r}", "it must be an array", "pass one or nothing")
    if out is not None and (out.shape, out.dtype) != (array.shape, array.dtype):
        raise InvalidValueError(
            f"out has shape {out.shape} and dtype {out.dtype}",
            f"the blocks have {array.shape} and {array.dtype}",
            "pass an array like the blocks, or the blocks themselves",
        )
    work = array.reshape(1 << task.n, task.block, -1)
    moved = np.array(work, order="C")
    if isinstance(schedule, Schedule):
        for strand in schedule.strands:
            _carry(task, strand, work, moved)
    else:
        _send(task, np.arange(1 << task.p), _steps(schedule), work, moved)
    if schedule.relabel is not None:
        names = schedule.relabel(np.arange(1 << task.n)) & ((1 << task.n) - 1)
        moved[names] = moved.copy()
    result = moved.reshape(array.shape)
    if out is None:
        return result
    out[...] = result
    return out


def _carry(task: Task, strand: Strand, source: NDArray[Any], target: NDArray[Any]) -> None:
    """The elements of one strand, from where they are to where its hops take them."""
    nodes, share = np.arange(1 << task.n), slice(strand.start, strand.stop)
    home: NDArray[np.integer[Any]] = nodes[nodes & strand.mask == strand.value]
    low = len(nodes) - 1
    if not strand.size:
        return
    if _keeps_slots(task, strand):
        address = home
        for hop in strand.hops:
            address = hop.exchange.affine(task.p)(address)
        target[address & low, share] = source[home, share]
        return
    if strand.size != task.block:
        raise InvalidValueError(
            f"a strand of {strand.size} elements changes slots",
            f"only whole blocks of {task.block} can do that",
            "give the strand whole blocks",
        )
    slots = np.arange(1 << (task.p - task.n))
    start = (slots[:, None] << task.n | home).ravel()
    steps = [hop.exchange.affine(task.p) for hop in strand.hops]
    _send(task, start, steps, source, target)


def _steps(schedule: Direct | Emulation) -> list[AffineMap]:
    """What is done to addresses, step by step."""
    if isinstance(schedule, Direct):
        return [delivery.move for delivery in schedule.deliveries]
    maps = []
    for step in schedule.steps:
        if isinstance(step, Stage):
            raise InvalidValueError(
                f"there is the step '{step}'",
                "a schedule with butterflies does more than move data",
                "carry it out with a transform, or plan a rearrangement",
            )
        exchange = step.exchange if isinstance(step, Crossing) else step
        maps.append(exchange.affine(schedule.task.p))
    return maps


def _send(
    task: Task,
    start: NDArray[np.integer[Any]],
    steps: Sequence[AffineMap],
    source: NDArray[Any],
    target: NDArray[Any],
) -> None:
    """What is at these addresses, to where the steps take it: one copy."""
    address = start
    for step in steps:
        address = step(address)
    low = (1 << task.n) - 1
    blocks = (1 << task.n, 1 << task.p - task.n, task.payload, -1)
    arriving = target.reshape(blocks)  # a view: the array is contiguous
    arriving[address & low, address >> task.n] = source.reshape(blocks)[
        start & low, start >> task.n
    ]


def _keeps_slots(task: Task, strand: Strand) -> bool:
    """Whether the strand changes node numbers only, whatever the slot is."""
    return not any((hop.exchange.flip | hop.exchange.when) >> task.n for hop in strand.hops)


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
