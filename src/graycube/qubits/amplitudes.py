"""What a gate does to the amplitudes of a node: arithmetic on slices of its block.

A block is seen with an axis for each bit of the slot that a gate uses, so that the amplitudes
with the same values are a slice of it. Slices on which a gate does nothing are left alone.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.layout import Layout
from graycube.qubits.homes import seat, word
from graycube.qubits.joined import Step
from graycube.run.reused import reused

_Array = NDArray[Any]
_FEW = 8  # values of keeping qubits whose slices are worked on apart
_LOW = 6  # bits whose amplitudes are next to each other
_CHUNK = 1 << 15  # amplitudes whose factors are made at a time: they stay in the cache


def carry_out(step: Step, blocks: _Array, nodes: range, layout: Layout) -> None:
    """Carry out a gate on the blocks of some nodes, in place; its mixing qubits are plain.

    >>> from graycube.qubits.gates import Operation, gate
    >>> blocks = np.array([[1, 0], [0, 0]], complex)
    >>> carry_out(Operation(gate("h"), (0,)), blocks, range(2), Layout.consecutive(2, 1))
    >>> blocks.real.round(3).tolist()
    [[0.707, 0.707], [0.0, 0.0]]
    """
    mixing = [seat(layout, q) for q in step.mixing]
    keeping = [seat(layout, q) for q in step.keeping]
    changed, known = [one.slot for one in mixing], [one.slot for one in keeping]
    plain = mixing or all(mask & mask - 1 == 0 for mask in known)
    table = step.blocks.astype(blocks.dtype)
    for node, block in zip(nodes, blocks, strict=True):
        own = table
        if values := word(one.at(node) for one in keeping):
            own = own[np.arange(len(own)) ^ values]
        if flips := word(one.at(node) for one in mixing):
            order = np.arange(own.shape[1]) ^ flips
            own = own[:, order][:, :, order]
        if plain and len(table) > _FEW:
            _by_tables(own, block, known, changed)
        elif plain:
            _by_slices(own, block, known, changed)
        else:
            _by_factors(own[:, 0, 0], block, known)


def _by_slices(
    table: _Array, block: _Array, keeping: Sequence[int], changed: Sequence[int]
) -> None:
    """Each slice with the same values of the keeping qubits by its matrix."""
    known = sorted({*keeping} - {0})
    seen, _ = _bits_apart(block, [*known, *changed])
    idle = (table == np.eye(table.shape[1])).all(axis=(1, 2))
    for values in product((0, 1), repeat=len(known)):
        value = dict(zip((0, *known), (0, *values), strict=True))
        which = word(value[mask] for mask in keeping)
        if not idle[which]:
            _mix(table[which], _parts(seen[values], changed))


def _by_tables(
    table: _Array, block: _Array, keeping: Sequence[int], changed: Sequence[int]
) -> None:
    """All slices at once, where there are many: the factors of the amplitudes are arrays."""
    digits, known = _digits(table, keeping, len(block), changed)
    seen, shape = _bits_apart(block, changed, known)
    size = table.shape[-1]
    factors = [
        [_short(digits[..., i, j].reshape(shape)) for j in range(size)] for i in range(size)
    ]
    parts = _parts(seen, changed)
    room = reused((1 + size, min(parts[0].size, _CHUNK)), block.dtype)
    for cut in _cuts(parts[0].shape):
        some = [part[cut] for part in parts]
        spare, *new = room[:, : some[0].size].reshape(-1, *some[0].shape)
        for row, made in zip(factors, new, strict=True):
            _add([_cut(factor, cut) for factor in row], some, made, spare)
        for part, made in zip(some, new, strict=True):
            part[...] = made


def _digits(
    table: _Array, keeping: Sequence[int], size: int, changed: Sequence[int]
) -> tuple[_Array, list[int]]:
    """The matrices with an axis for each bit that they depend on, the highest bit first.

    Qubits that the node knows have one value. Low bits between others are taken in, so that
    NumPy's innermost loop is not over a single one.
    """
    here = {*keeping} - {0}
    low = {1 << k for k in range(_LOW) if 1 << k < size} - {*changed}
    known = sorted(here | low if here & low else here, reverse=True)
    grid = np.ogrid[(slice(2),) * len(known)]
    values: dict[int, Any] = dict(zip((0, *known), (0, *grid), strict=True))
    value = word(values[mask] for mask in keeping)
    return table[np.broadcast_to(value, (2,) * len(known))], known


def _short(factor: _Array) -> Any:  # noqa: ANN401 - an array or a number
    first = factor.flat[0]
    return first if (factor == first).all() else np.ascontiguousarray(factor)


def _cuts(shape: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Indices of pieces that stay in the cache while they are worked on."""
    axis, rest = len(shape) - 1, 1
    while axis > 0 and rest * shape[axis] <= _CHUNK:
        rest *= shape[axis]
        axis -= 1
    step = max(1, _CHUNK // rest)
    for before in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], step):
            yield (*(slice(k, k + 1) for k in before), slice(start, start + step))


def _cut(factor: Any, cut: tuple[Any, ...]) -> Any:  # noqa: ANN401
    if not isinstance(factor, np.ndarray):
        return factor
    pairs = zip(factor.shape, cut, strict=False)
    return factor[tuple(slice(None) if size == 1 else part for size, part in pairs)]


def _add(row: Sequence[Any], parts: Sequence[_Array], made: _Array, spare: _Array) -> None:
    """The sum of parts, each by its factor."""
    begun = False
    for factor, part in zip(row, parts, strict=True):
        if not isinstance(factor, np.ndarray) and factor == 0:
            continue
        np.multiply(part, factor, out=spare if begun else made)
        if begun:
            np.add(made, spare, out=made)
        begun = True
    if not begun:
        made[...] = 0


def _bits_apart(
    block: _Array, first: Sequence[int], others: Sequence[int] = ()
) -> tuple[_Array, list[int]]:
    """The block with an axis for each of these bits, the first ones in front.

    And the shape that an array with an axis for each of the others has beside the rest.
    """
    shape, rest = [], len(block)
    masks = sorted([*first, *others], reverse=True)
    for mask in masks:
        shape += [rest // (2 * mask), 2]
        rest = mask
    seen = block.reshape(*shape, rest, *block.shape[1:])
    front = [2 * masks.index(mask) + 1 for mask in first]
    behind = [k for k in range(seen.ndim) if k not in front]
    beside = [2 if k % 2 and k < len(shape) else 1 for k in behind]
    return seen.transpose(*front, *behind), beside


def _parts(seen: _Array, changed: Sequence[int]) -> list[_Array]:
    """The slices for each value of the bits in front."""
    return [seen[bits] for bits in product((0, 1), repeat=len(changed))]


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
