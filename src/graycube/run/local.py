"""The reference transport: all nodes in one process, on one NumPy array.

It follows what the schedule says, way by way and step by step, so that the data is a witness of
the schedule and not of the layouts. Only addresses are followed; the elements are copied once,
to where that ends, whatever has been done within memory on the way.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.host import host_array
from graycube.schedule import Replication, Schedule, Task, Way
from graycube.schedule.replication import of_ways
from graycube.schedule.way import require_no_stages, tells_slots_apart


def apply(
    schedule: Schedule | Replication, blocks: ArrayLike, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The blocks of all nodes after the schedule; ``out`` may be ``blocks`` itself.

    >>> from graycube.table.gray import gb1
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=2)
    >>> apply(gb1.emit(task, Machine(dims=2)), [[0, 0], [1, 1], [3, 3], [2, 2]]).tolist()
    [[0, 0], [1, 1], [2, 2], [3, 3]]
    """
    task = schedule.task
    array = host_array(blocks)
    require_blocks(task, array)
    if out is not None:
        require_out(out, array)
    work = array.reshape(1 << task.n, task.block, -1)
    moved = np.array(work, order="C")
    require_no_stages(of_ways(schedule).ways)
    for way in of_ways(schedule).ways:
        _carry(task, way, work, moved)
    if schedule.relabel is not None:
        names = schedule.relabel(np.arange(1 << task.n)) & ((1 << task.n) - 1)
        moved[names] = moved.copy()
    result = moved.reshape(array.shape)
    if out is None:
        return result
    out[...] = result
    return out


def require_out(out: object, array: NDArray[Any]) -> NDArray[Any]:
    """A result of the shape and the dtype of the blocks, that can be written."""
    if not isinstance(out, np.ndarray):
        raise InvalidTypeError(
            f"out is {out!r:.60}", "it must be an array", "pass one, or call it without out="
        )
    if (out.shape, out.dtype) != (array.shape, array.dtype) or not out.flags.writeable:
        raise InvalidValueError(
            f"out has shape {out.shape} and dtype {out.dtype}",
            f"what is moved has {array.shape} and {array.dtype}, and out must be writeable",
            "pass an array like what is moved, or that itself",
        )
    return out


def _carry(task: Task, way: Way, source: NDArray[Any], target: NDArray[Any]) -> None:
    """The elements of one way, from where they are to where its steps take them: one copy."""
    if not way.size:
        return
    low, every = (1 << task.n) - 1, np.arange(1 << task.n)
    home = every[every & way.mask == way.value & low]
    if not tells_slots_apart([way], task.n):
        share = slice(way.start, way.stop)
        target[_ends(way, home) & low, share] = source[home, share]
        return
    if way.size != task.block and not way.per_slot:
        raise InvalidValueError(
            f"a way of {way.size} elements changes slots",
            f"only whole blocks of {task.block} can do that",
            "give the way whole blocks, or positions of each slot",
        )
    part = slice(way.start, way.stop) if way.per_slot else slice(None)
    slots = np.arange(1 << task.p - task.n)
    slots = slots[slots & way.mask >> task.n == way.value >> task.n]
    start = (slots[:, None] << task.n | home).ravel()
    end = _ends(way, start)
    shape = (1 << task.n, 1 << task.p - task.n, task.payload, -1)
    arriving = target.reshape(shape)  # a view: the array is contiguous
    leaving = source.reshape(shape)[start & low, start >> task.n, part]
    arriving[end & low, end >> task.n, part] = leaving


def _ends(way: Way, address: IntArray) -> IntArray:
    for step in way.steps:
        address = step(address)
    return address


def require_blocks(task: Task, array: NDArray[Any]) -> None:
    """That there is a block for each node."""
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
