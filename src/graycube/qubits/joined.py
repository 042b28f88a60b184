"""Gates that follow each other, as one: fewer passes over the amplitudes.

Rules.

1. A product is a matrix of the qubits that it mixes for each value of those that it keeps. It
   mixes no more qubits than one of its gates: a matrix of more takes longer than two passes.
2. A phase keeps all of its qubits. So a Hadamard gate and the controlled phases after it, as in
   the quantum Fourier transform, are one product, up to so many qubits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.qubits.gates import MOST, Operation
from graycube.qubits.homes import word

_Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Product:
    """Gates one after the other, for each value of the keeping qubits a matrix of the mixing.

    The first qubit of each is the highest bit, as in :class:`.Operation`.

    >>> from graycube.qubits.gates import gate
    >>> made = product(Operation(gate("h"), (0,)), Operation(gate("cz"), (1, 0)))
    >>> made.mixing, made.keeping, made.blocks.real.round(2).tolist()
    ((0,), (1,), [[[0.71, 0.71], [0.71, -0.71]], [[0.71, 0.71], [-0.71, 0.71]]])
    """

    mixing: tuple[int, ...]
    keeping: tuple[int, ...]
    blocks: _Array


Step = Operation | Product
"""What is computed in one pass."""


def product(first: Step, second: Step) -> Product | None:
    """Two steps as one, if that takes less time than both.

    >>> from graycube.qubits.gates import gate
    >>> h = [Operation(gate("h"), (q,)) for q in range(2)]
    >>> product(*h), product(h[0], h[0]).blocks.real.round(12).tolist()
    (None, [[[1.0, 0.0], [0.0, 1.0]]])
    """
    mixing = (*dict.fromkeys((*first.mixing, *second.mixing)),)
    if len(mixing) > max(len(first.mixing), len(second.mixing)):
        return None
    every = dict.fromkeys((*first.keeping, *second.keeping))
    keeping = tuple(q for q in every if q not in mixing)
    if len(mixing) + len(keeping) > MOST:
        return None
    one, other = (_blocks(step, mixing, keeping) for step in (first, second))
    return Product(mixing, keeping, other @ one)


def _blocks(step: Step, mixing: Sequence[int], keeping: Sequence[int]) -> _Array:
    """The matrices of a step, as those of more qubits, of which it may keep some."""
    values, *sides = np.ogrid[: 1 << len(keeping), : 1 << len(mixing), : 1 << len(mixing)]
    pair = [_bits(keeping, values) | _bits(mixing, side) for side in sides]  # row and column
    kept = word(pair[0][q] for q in step.keeping)
    found = step.blocks[kept, *(word(bits[q] for q in step.mixing) for bits in pair)]
    others = [q for q in mixing if q not in step.mixing]
    here, there = (word(bits[q] for q in others) for bits in pair)
    made: _Array = np.where(np.equal(here, there), found, 0)
    return made


def _bits(qubits: Sequence[int], words: _Array) -> dict[int, Any]:
    """The bit of each qubit in some words, the first one the highest."""
    return {q: words >> k & 1 for k, q in enumerate(reversed(qubits))}
