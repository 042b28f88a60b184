"""Gates, and what they do to the qubits that they are on.

Rule: the first qubit of a gate is the highest bit of the index of its matrix, as in
``np.kron(first, second)`` and in the textbook matrix of CNOT, whose first qubit is the control.
"""

import cmath
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix, require_ints
from graycube.gf2.arrays import sums
from graycube.texts import as_given, counted

_Array = NDArray[Any]
MOST = 10
"""Qubits of one gate: its matrix has 4^k entries."""
_PAULI = frozenset("ixyz")
_HALF = 0.5**0.5
_NAMED: dict[str, list[list[complex]]] = {
    "i": [[1, 0], [0, 1]],
    "x": [[0, 1], [1, 0]],
    "y": [[0, -1j], [1j, 0]],
    "z": [[1, 0], [0, -1]],
    "h": [[_HALF, _HALF], [_HALF, -_HALF]],
    "s": [[1, 0], [0, 1j]],
    "sdg": [[1, 0], [0, -1j]],
    "t": [[1, 0], [0, cmath.exp(0.25j * cmath.pi)]],
    "tdg": [[1, 0], [0, cmath.exp(-0.25j * cmath.pi)]],
    "not": [[0, 1], [1, 0]],
    "swap": [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
}


def gate(name: str) -> _Array:
    """The matrix of a gate: one of a few names, and with a c before each control.

    They are i, x, y, z, h, s, t, swap; sdg and tdg, which undo s and t; and not, which is x. A
    word of x, y, z and i is the product of Pauli matrices, the first one on the first qubit.

    >>> gate("cx").real.astype(int).tolist()
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> gate("zz").real.astype(int).diagonal().tolist()
    [1, -1, -1, 1]
    """
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"the gate is {name!r:.60}", "it is a name or a matrix", "pass one of them"
        )
    word = name.lower()
    inner = word.lstrip("c")
    if not inner or not (inner in _NAMED or {*inner} <= _PAULI):
        raise InvalidValueError(
            f"the gate is {name!r:.60}",
            f"the known ones are {', '.join(_NAMED)}, and words of i, x, y and z",
            "put a c before each control, as in 'ccx', and pass the matrix of any other, such"
            " as gc.qubits.rx(angle), ry(angle), rz(angle) or phase(angle)",
        )
    factors = [_NAMED[inner]] if inner in _NAMED else [_NAMED[letter] for letter in inner]
    controls = len(word) - len(inner)
    qubits = controls + sum(len(factor) // 2 for factor in factors)
    if qubits > MOST:
        raise InvalidValueError(
            f"the gate {name!r:.60} is on {qubits} qubits",
            f"a gate is on at most {MOST}",
            "circuits and expected values take words of i, x, y and z of any length",
        )
    made = reduce(np.kron, [np.array(factor, complex) for factor in factors])
    for _ in range(controls):
        made = controlled(made)
    return made


def controlled(matrix: ArrayLike | str) -> _Array:
    """A gate with one more qubit before its own, which has to be 1 for it to be done.

    >>> controlled(phase(np.pi)).real.diagonal().tolist()
    [1.0, 1.0, 1.0, -1.0]
    """
    inner = _matrix(matrix)
    size = len(inner)
    made = np.eye(2 * size, dtype=np.result_type(inner, complex))
    made[size:, size:] = inner
    return made


def phase(angle: float) -> _Array:
    """The gate that turns the amplitudes of 1 by an angle.

    >>> phase(np.pi / 2).round(12).diagonal().tolist()
    [(1+0j), 1j]
    """
    return np.diag([1, cmath.exp(1j * _angle(angle))])


def rx(angle: float) -> _Array:
    """The rotation about x.

    >>> bool(np.allclose(rx(np.pi), -1j * gate("x")))
    True
    """
    return _turn("x", angle)


def ry(angle: float) -> _Array:
    """The rotation about y.

    >>> ry(np.pi / 2).real.round(3).tolist()
    [[0.707, -0.707], [0.707, 0.707]]
    """
    return _turn("y", angle)


def rz(angle: float) -> _Array:
    """The rotation about z.

    >>> bool(np.allclose(rz(np.pi), -1j * gate("z")))
    True
    """
    return _turn("z", angle)


def _turn(axis: str, angle: float) -> _Array:
    half = _angle(angle) / 2
    made: _Array = np.cos(half) * np.eye(2) - 1j * np.sin(half) * gate(axis)
    return made


def _angle(given: object) -> float:
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given[()]
    if not isinstance(given, int | float | np.integer | np.floating):
        raise InvalidTypeError(
            f"the angle is {given!r:.60}", "it must be a number", "pass it in radians"
        )
    angle = cmath.nan
    with suppress(OverflowError):  # of integers beyond all floats
        angle = float(given)
    if not cmath.isfinite(angle):
        raise InvalidValueError(
            f"the angle is {as_given(given)}", "it must be finite", "pass it in radians"
        )
    return angle


def require_matrix(matrix: object) -> _Array:
    """The matrix of a gate, if it can be one.

    >>> require_matrix([[0, 1], [1, 0]]).dtype
    dtype('complex128')
    """
    try:
        given = np.asarray(matrix)
    except ValueError:  # rows of different lengths
        given = np.asarray(None)
    if given.dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"the gate is {matrix!r:.60}",
            "its matrix must have numbers",
            "pass a square array of numbers",
        )
    found = given.astype(np.result_type(given, np.complex64))  # a copy: plans keep it
    bits = max(found.shape[0].bit_length() - 1, 1) if found.ndim == 2 else 1
    if found.shape != (1 << bits, 1 << bits) or bits > MOST:
        raise InvalidValueError(
            f"the matrix of the gate has shape {found.shape}",
            f"a gate on k qubits has 2^k rows and columns, and k is 1..{MOST}",
            "pass a square array",
        )
    return found


@dataclass(frozen=True, eq=False)
class Operation:
    """A gate on some qubits.

    >>> cx = Operation(gate("cx"), (3, 0))
    >>> cx.mixing, cx.keeping  # the qubits that it changes, and those that only decide
    ((0,), (3,))
    """

    matrix: _Array
    qubits: tuple[int, ...]

    @cached_property
    def mixing(self) -> tuple[int, ...]:
        """The qubits whose value it changes."""
        rows, columns = np.nonzero(self.matrix)
        changed = int(np.bitwise_or.reduce(rows ^ columns))
        return tuple(q for k, q in enumerate(self.qubits[::-1]) if changed >> k & 1)[::-1]

    @cached_property
    def keeping(self) -> tuple[int, ...]:
        """The qubits whose value it keeps: the matrix has a block for each value."""
        return tuple(q for q in self.qubits if q not in self.mixing)

    @cached_property
    def blocks(self) -> _Array:
        """For each value of the keeping qubits the matrix of the mixing ones."""
        k = len(self.qubits)
        places = {q: j for j, q in enumerate(self.qubits)}
        order = [places[q] for q in (*self.keeping, *self.mixing)]
        digits = self.matrix.reshape((2,) * (2 * k)).transpose(*order, *(k + j for j in order))
        outer, inner = 1 << len(self.keeping), 1 << len(self.mixing)
        made: _Array = np.einsum("kikj->kij", digits.reshape(outer, inner, outer, inner))
        return made

    def index_map(self, bits: int) -> AffineMap | None:
        """The affine map that it does to indices of so many bits, if it does nothing else.

        >>> move = Operation(gate("cx"), (3, 0)).index_map(4)
        >>> [move(i) for i in (0, 1, 8, 9)]
        [0, 1, 9, 8]
        """
        size = len(self.matrix)
        columns, rows = np.nonzero(self.matrix.T)
        if len(rows) != size or (self.matrix[rows, columns] != 1).any():
            return None
        found = rows.tolist()
        if columns.tolist() != [*range(size)] or len({*found}) < size:
            return None
        start, own = found[0], self.qubits[::-1]
        steps = [found[1 << j] ^ start for j in range(len(own))]
        if sums(steps, start).tolist() != found:
            return None
        place = Matrix(tuple(1 << q for q in own), bits)
        spread = [1 << q for q in range(bits)]
        for q, step in zip(own, steps, strict=True):
            spread[q] = place(step)
        return AffineMap(Matrix(tuple(spread), bits), place(start))


def operations(gates: Iterable[object], bits: int) -> tuple[Operation, ...]:
    """Gates as people write them: a name or a matrix, and then its qubits.

    >>> [step.qubits for step in operations([("h", 0), (phase(0.1), 2)], 3)]
    [(0,), (2,)]
    """
    if isinstance(gates, str) or not isinstance(gates, Iterable):
        raise InvalidTypeError(
            f"the gates are {gates!r:.60}", "a list is needed", "pass [('h', 0), ('cx', 0, 1)]"
        )
    return tuple(step for given in gates for step in _operations(given, bits))


def _operations(given: object, bits: int) -> tuple[Operation, ...]:
    if isinstance(given, Operation):
        return (given,)
    if not isinstance(given, list | tuple) or not given:
        raise InvalidTypeError(
            f"a gate is {given!r:.60}",
            "it is a name or a matrix, followed by its qubits",
            "write ('cx', 0, 1)",
        )
    named, *qubits = given
    return steps_of(named, qubits, bits)


def steps_of(matrix: object, qubits: object, bits: int) -> tuple[Operation, ...]:
    """A gate on some of so many qubits; a word of Pauli matrices is a gate for each letter.

    Letters that only change the layout come last: those before them may be done in one pass.

    >>> [step.qubits for step in steps_of("xz", [2, 0], 3)]
    [(0,), (2,)]
    """
    if not is_word(matrix) or len(matrix) == 1:
        return (operation(matrix, qubits, bits),)
    pairs = sorted(letters(matrix, qubits, bits), key=lambda pair: pair[0] in "ix")
    return tuple(Operation(gate(letter), (qubit,)) for letter, qubit in pairs)


def is_word(matrix: object) -> TypeGuard[str]:
    """Whether it is a word of Pauli matrices.

    >>> is_word("zz"), is_word("cz")
    (True, False)
    """
    return isinstance(matrix, str) and bool(matrix) and {*matrix.lower()} <= _PAULI


def letters(word: str, qubits: object, bits: int) -> tuple[tuple[str, int], ...]:
    """The letters of a word of Pauli matrices, each with its qubit.

    >>> letters("ZX", [2, 0], 3)
    (('z', 2), ('x', 0))
    """
    named = require_ints(qubits, "qubits")  # type: ignore[arg-type] # it checks
    if len(named) != len(word):
        raise InvalidValueError(
            f"the word {word!r:.60} is given {counted(len(named), 'qubit')}",
            f"it has a letter for each of {counted(len(word), 'qubit')}",
            "name as many qubits",
        )
    return tuple(zip(word.lower(), require_different(named, bits), strict=True))


def operation(matrix: object, qubits: object, bits: int) -> Operation:
    """A gate on some of so many qubits.

    >>> operation(gate("h"), [2], 3).qubits
    (2,)
    """
    found = _matrix(matrix)
    named = require_ints(qubits, "qubits")  # type: ignore[arg-type] # it checks
    wanted = len(found).bit_length() - 1
    if len(named) != wanted:
        raise InvalidValueError(
            f"the gate is given {counted(len(named), 'qubit')}",
            f"its matrix, of shape {found.shape}, is on {wanted}",
            "name as many qubits",
        )
    return Operation(found, (*require_different(named, bits),))


def _matrix(given: object) -> _Array:
    return gate(given) if isinstance(given, str) else require_matrix(given)


def require_different(qubits: Sequence[int], bits: int) -> Sequence[int]:
    """Qubits, if each is one of so many and named once.

    >>> require_different([2, 0], 3)
    [2, 0]
    """
    beyond = [q for q in qubits if not 0 <= q < bits]
    if beyond or len(set(qubits)) != len(qubits):
        raise InvalidValueError(
            f"the qubits are {as_given(tuple(qubits))}",
            f"they must be different ones of 0..{bits - 1}",
            f"{as_given(beyond[0])} is none of them" if beyond else "name each once",
        )
    return qubits
