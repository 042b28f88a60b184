"""Carry an emulation out: exchanges and butterflies on the blocks of all nodes.

This is the reference: a radix-2 transform that works slot by slot and uses what is on a node
only. It is there to prove emulations on data, not to be fast.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2.arrays import IntArray
from graycube.host import host_array
from graycube.layout import Layout
from graycube.schedule import Replication, Schedule

_Blocks = NDArray[Any]


def emulate(emulation: Schedule, blocks: ArrayLike, *, inverse: bool = False) -> _Blocks:
    """The blocks after all exchanges and butterflies; the first axes are node and slot.

    Stages from the highest bit down take indices in natural order, and the digits of the
    output index are reversed; from the lowest bit up it is the other way round.

    >>> from graycube.gf2 import Exchange
    >>> from graycube.schedule import Step, Task, Way, hop
    >>> task = Task(Layout.cyclic(2, 1), Layout.parse("(b0 || b1)"), block=2)
    >>> steps = (Step(stage=1), hop(0, Exchange(flip=3, when=3), n=1), Step(stage=0))
    >>> emulation = Schedule(task, "by hand", (0,), 1, (Way(0, 2, steps),))
    >>> out = task.target.gather(emulate(emulation, task.source.scatter([1, 2, 3, 4])))
    >>> np.allclose(out[[0, 2, 1, 3]], np.fft.fft([1, 2, 3, 4]))
    True
    """
    task = emulation.task
    slots = 1 << (task.p - task.n)
    data = _complex(blocks)
    if data.shape[:2] != (1 << task.n, slots):
        raise InvalidValueError(
            f"the blocks have shape {data.shape}",
            f"their first axes must be {(1 << task.n, slots)}",
            "put the node first and the slot second",
        )
    descending = list(emulation.stages) == sorted(emulation.stages, reverse=True)
    flat = data.swapaxes(0, 1).reshape(1 << task.p, *data.shape[2:])  # by address
    layout, address = task.source, np.arange(1 << task.p)
    for step in emulation.ways[0].steps:
        if step.stage is not None:
            flat = _stage(layout, step.stage, flat, descending=descending, inverse=inverse)
        elif step.move is not None:
            move, moved = step.affine(task.p), np.empty_like(flat)
            moved[move(address)] = flat
            layout, flat = move @ layout, moved
    return np.ascontiguousarray(
        flat.reshape(slots, 1 << task.n, *data.shape[2:]).swapaxes(0, 1)
    )


def replicate(network: Replication, blocks: ArrayLike) -> _Blocks:
    """The points of all nodes after the stages of a network of copies; node is the first axis.

    >>> from graycube.schedule import Task
    >>> one = Layout.nodes(1)
    >>> task = Task(one, one, 1, stages=(0,), free=True)
    >>> network = Replication(task, "copies", (0,), 1, (one, one))
    >>> replicate(network, [3.0, 1.0]).real.tolist()
    [4.0, 2.0]
    """
    data = _complex(blocks)
    nodes = 1 << network.layouts[0].n
    if data.shape[:1] != (nodes,):
        raise InvalidValueError(
            f"the blocks have shape {data.shape}",
            f"their first axis must be {nodes} nodes",
            "put the node first",
        )
    for stage, bit in enumerate(network.stages):
        sources = np.array([network.sources(stage, node) for node in range(nodes)])
        word = network.layouts[stage + 1].inverse_map(np.arange(nodes))
        upper, low = word >> bit & 1, word & ((1 << bit) - 1)
        turns = unit_roots(low, 1 << bit + 1, data.dtype, inverse=False)
        shape = (nodes, *(1,) * (data.ndim - 1))
        signs = (1 - 2 * upper).astype(data.dtype)
        sign, root = (x.reshape(shape) for x in (signs, np.where(upper, turns, 1)))
        a, b = data[sources[:, 0]], data[sources[:, 1]]
        data = (a + sign * b) * root
    return data


def unit_roots(
    powers: IntArray, points: int, dtype: np.dtype[Any], *, inverse: bool
) -> _Blocks:
    """Powers of the root of unity, in double precision or in more if the dtype has it.

    Whole quarters of a turn are exact. What is left is an angle of at most an eighth of a turn,
    which is rounded less than a large one.

    >>> unit_roots(np.arange(3), 4, np.dtype("c8"), inverse=True).tolist()
    [(1+0j), 1j, (-1+0j)]
    """
    wide = np.result_type(dtype, complex)
    real = np.finfo(wide).dtype.type
    fourths = 4 * (powers % points)
    quarters = (2 * fourths + points) // (2 * points)
    angles = np.arccos(real(0)) * (fourths - quarters * points).astype(real) / real(points)
    roots = np.empty(angles.shape, wide)
    roots.real, roots.imag = np.cos(angles), np.sin(angles)
    roots *= np.array([1, 1j, -1, -1j], wide)[quarters % 4]
    found = roots if inverse else roots.conj()
    return found.astype(dtype, copy=False)


def _complex(blocks: ArrayLike) -> _Blocks:
    """A copy of the blocks, complex, of at least their precision."""
    given = host_array(blocks)
    if given.dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"the blocks have dtype {given.dtype}",
            "numbers are needed",
            "convert them with astype",
        )
    return given.astype(np.result_type(given, np.complex64))


def _stage(
    layout: Layout, bit: int, flat: _Blocks, *, descending: bool, inverse: bool
) -> _Blocks:
    """The butterflies of one bit; the pair of an element is in another slot of its node."""
    if layout.node_change(1 << bit):
        raise InvalidValueError(
            f"the pairs of bit {bit} are on different nodes in {layout}",
            "a stage is done in memory",
            "exchange their dimensions first",
        )
    axes = map(layout.word_bits, range(len(layout.axes)))
    below = next(bits.index(bit) for bits in axes if bit in bits)
    address = np.arange(len(flat))
    word = layout.inverse_map(address)
    first = address[word >> bit & 1 == 0]
    second = first ^ layout.map.matrix(1 << bit)
    low = word[first] >> (bit - below) & ((1 << below) - 1)
    root = unit_roots(low, 1 << below + 1, flat.dtype, inverse=inverse)
    root = root.reshape(-1, *(1,) * (flat.ndim - 1))
    a, b = flat[first], flat[second]
    out = np.empty_like(flat)
    if descending:
        out[first], out[second] = a + b, (a - b) * root
    else:
        out[first], out[second] = a + b * root, a - b * root
    return out
