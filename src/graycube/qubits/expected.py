"""Expected values: of a matrix on some qubits, or of a word of Pauli matrices on any number.

Rule: a word does to the amplitudes three things. X and Y add a word to their indices; so a node
meets a single other node, or itself. Y and Z give those a minus whose index has an odd number
of ones there. And each Y is one more factor i. What is expected of a word is real.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, spread, together
from graycube.array.reducing.weighted import added
from graycube.array.sharing import swapped
from graycube.gf2 import parity
from graycube.layout import Layout
from graycube.qubits.gates import is_word, letters
from graycube.qubits.homes import Seat, seat
from graycube.qubits.states import apply, require_one_state

_Array = NDArray[Any]
_CHUNK = 1 << 15  # amplitudes at a time: they stay in the cache


def expectation(
    state: CubeArray, matrix: ArrayLike | str, qubits: int | Iterable[int]
) -> complex:
    """The expected value of a matrix on some qubits, or of a word such as "zz"; collective.

    A word of i, x, y and z may be as long as there are qubits.

    >>> from graycube.qubits import run, zeros
    >>> bell = run(zeros(2, nodes=2), [("h", 0), ("cx", 0, 1)])
    >>> round(expectation(bell, "zz", (0, 1)).real, 9)
    1.0
    """
    if is_word(matrix):
        return _of_word(state, matrix, qubits)
    together(getattr(state, "comm", None), lambda: (require_one_state(state), {}))
    after = apply(state, matrix, qubits)
    before = state if state.layout == after.layout else state.relayout(after.layout)
    with np.errstate(all="ignore"):  # what one rank alone raises, the others wait for
        return complex(np.vdot(before, after))


def _of_word(state: CubeArray, name: str, qubits: int | Iterable[int]) -> complex:
    def prepare() -> tuple["_Word", dict[str, object]]:
        layout = require_one_state(state)
        pairs = letters(name, qubits, layout.p)
        facts = facts_of("expectation", layout, state.blocks)
        return _placed(layout, pairs), {**facts, "word": pairs}

    word = together(getattr(state, "comm", None), prepare)
    over, others = spread(state.comm), state.blocks
    if over is not None and word.nodes:
        others = swapped(others, over.rank ^ word.nodes, over, "an expected value")

    def here() -> _Array:
        pairs = enumerate(zip(state.nodes, state.blocks, strict=True))
        parts = [
            word.of(node, block, others[k ^ word.nodes if over is None else 0])
            for k, (node, block) in pairs
        ]
        return np.array([sum(parts).real])  # what is left of the rest is rounding

    return complex(added(state, here, np.dtype(float))[0])


@dataclass(frozen=True, slots=True)
class _Word:
    """A word in a layout: which amplitudes it brings together, and their factors."""

    nodes: int
    """What is added to the node,"""
    slots: int
    """and what to the slot."""
    sign: Seat
    """Where it is odd, there is a minus."""
    turns: int
    """And everywhere so many factors i."""

    def of(self, node: int, block: _Array, other: _Array) -> complex:
        """What a node adds to the expected value, beside the block that it meets."""
        size = min(len(block), _CHUNK)
        inner, outer = self.slots % size, self.slots & -size
        slots = np.arange(size)
        signs = 1.0 - 2 * (np.bitwise_count(slots & self.sign.slot) & 1)
        total = 0j
        with np.errstate(all="ignore"):  # what one rank alone raises, the others wait for
            for start in range(0, len(block), size):
                met = other[start ^ outer :][:size]
                some = met[slots ^ inner] if inner else met
                own = block[start : start + size] * signs
                part = np.multiply(np.conj(some), own, dtype=complex).sum()
                total += (-1) ** parity(start & self.sign.slot) * complex(part)
        return complex(total * (-1) ** self.sign.at(node) * 1j**self.turns)


def _placed(layout: Layout, pairs: Sequence[tuple[str, int]]) -> _Word:
    """The word of these letters, each with its qubit, where a layout has the amplitudes."""
    change = layout.map.matrix(sum(1 << q for letter, q in pairs if letter in "xy"))
    signs = [seat(layout, q) for letter, q in pairs if letter in "yz"]
    sign = Seat(
        reduce(xor, (one.slot for one in signs), 0),
        reduce(xor, (one.node for one in signs), 0),
        bool(sum(one.flip for one in signs) % 2),
        None,
    )
    turns = sum(letter == "y" for letter, _ in pairs)
    return _Word(change % (1 << layout.n), change >> layout.n, sign, turns)
