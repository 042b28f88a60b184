"""What a gate does to the amplitudes of a node: arithmetic on slices of its block.

A block is seen with an axis for each bit of the slot that a gate uses, so that the amplitudes
with the same values are a slice of it. Slices on which a gate does nothing are left alone.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.layout import Layout
from graycube.qubits.gates import Operation
from graycube.qubits.homes import Seat, seat

_Array = NDArray[Any]
_CHUNK = 1 << 15  # amplitudes whose factors are made at a time: they stay in the cache


def carry_out(step: Operation, blocks: _Array, nodes: range, layout: Layout) -> None:
    """Carry out a gate on the blocks of some nodes, in place; its mixing qubits are plain.

    >>> from graycube.qubits.gates import gate
    >>> blocks = np.array([[1, 0], [0, 0]], complex)
    >>> carry_out(Operation(gate("h"), (0,)), blocks, range(2), Layout.consecutive(2, 1))
    >>> blocks.real.round(3).tolist()
    [[0.707, 0.707], [0.0, 0.0]]
    """
    mixing = [seat(layout, q) for q in step.mixing]
    keeping = [seat(layout, q) for q in step.keeping]
    table = step.blocks.astype(blocks.dtype)
    for node, block in zip(nodes, blocks, strict=True):
        flips = _word([one.at(node) for one in mixing])
        order = np.arange(table.shape[1]) ^ flips
        known = _word([one.at(node) for one in keeping])
        values = np.arange(len(table)) ^ known
        own = table[values][:, order][:, :, order]
        if mixing or all(one.slot & one.slot - 1 == 0 for one in keeping):
            _by_slices(own, block, [one.slot for one in keeping], mixing)
        else:
            _by_factors(own[:, 0, 0], block, [one.slot for one in keeping])


def _word(bits: Sequence[int]) -> int:
    return sum(bit << k for k, bit in enumerate(reversed(bits)))


def _by_slices(
    table: _Array, block: _Array, keeping: Sequence[int], mixing: Sequence[Seat]
) -> None:
    """Each slice with the same values of the keeping qubits by its matrix."""
    changed, known = [one.slot for one in mixing], sorted({*keeping} - {0})
    seen, axis = _bits_apart(block, [*known, *changed])
    for bits_known in product((0, 1), repeat=len(known)):
        value = {0: 0, **dict(zip(known, bits_known, strict=True))}
        matrix = table[_word([value[mask] for mask in keeping])]
        if np.array_equal(matrix, np.eye(len(matrix))):
            continue
        index: list[Any] = [slice(None)] * seen.ndim
        for mask in known:
            index[axis[mask]] = value[mask]
        parts = []
        for bits in product((0, 1), repeat=len(changed)):
            for mask, bit in zip(changed, bits, strict=True):
                index[axis[mask]] = bit
            parts.append(seen[tuple(index)])
        _mix(matrix, parts)


def _bits_apart(block: _Array, masks: Sequence[int]) -> tuple[_Array, dict[int, int]]:
    """The block with an axis for each of these bits, and which axis that is."""
    shape, axis, rest = [], {}, len(block)
    for mask in sorted(masks, reverse=True):
        shape += [rest // (2 * mask), 2]
        axis[mask] = len(shape) - 1
        rest = mask
    return block.reshape(*shape, rest, *block.shape[1:]), axis


def _mix(matrix: _Array, parts: Sequence[_Array]) -> None:
    if len(parts) == 1:
        (part,) = parts
        part *= matrix[0, 0]
        return
    if len(parts) == 2:
        low, high = parts
        new = matrix[0, 0] * low
        new += matrix[0, 1] * high
        high *= matrix[1, 1]
        high += matrix[1, 0] * low
        low[...] = new
        return
    together = np.stack(parts)
    mixed = (matrix @ together.reshape(len(parts), -1)).reshape(together.shape)
    for part, new in zip(parts, mixed, strict=True):
        part[...] = new


def _by_factors(table: _Array, block: _Array, masks: Sequence[int]) -> None:
    """Each amplitude by the factor of its values, which are sums of bits."""
    for start in range(0, len(block), _CHUNK):
        some = block[start : start + _CHUNK]
        slots = np.arange(start, start + len(some))
        values = np.zeros(len(some), np.intp)
        for mask in masks:
            values <<= 1
            values |= np.bitwise_count(slots & mask) & 1
        some *= table[values].reshape(-1, *(1,) * (block.ndim - 1))
