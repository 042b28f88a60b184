"""Gates on dense vectors, amplitude by amplitude, and random circuits in random layouts."""

import numpy as np

import graycube as gc
from graycube.gf2 import AffineMap, Matrix

NAMES = ("h", "t", "x", "y", "cx", "cz", "swap", "ccx", "ch", "zz", "xy")


def done(x, matrix, qubits):
    """The vector after a gate: each amplitude is spread over those it is mixed with."""
    y, k = np.zeros_like(x), len(qubits)
    for i in range(len(x)):
        column = sum((i >> q & 1) << k - 1 - j for j, q in enumerate(qubits))
        for row in range(1 << k):
            there = i
            for j, q in enumerate(qubits):
                there = there & ~(1 << q) | (row >> k - 1 - j & 1) << q
            y[there] += matrix[row, column] * x[i]
    return y


def some_layout(rng, p, n):
    """Any affine layout."""
    while True:
        matrix = Matrix.from_rows([int(row) for row in rng.integers(0, 1 << p, p)], p)
        if matrix.is_invertible():
            return gc.Layout(AffineMap(matrix, int(rng.integers(1 << p))), n)


def some_state(rng, p):
    """Any vector of norm 1."""
    x = rng.standard_normal(1 << p) + 1j * rng.standard_normal(1 << p)
    return x / np.linalg.norm(x)


def some_gates(rng, p, room, count):
    """Gates of all kinds, which mix at most as many qubits as there is room for."""
    made = []
    while len(made) < count:
        angle = float(rng.uniform(0, 6))
        unitary = np.linalg.qr(rng.standard_normal((4, 4)) + 1j * rng.standard_normal((4, 4)))[
            0
        ]
        q = gc.qubits
        turn = np.eye(4)[[0, 2, 3, 1]]  # indices by a map that is not its own inverse
        others = (turn, q.rx(angle), q.phase(angle), q.controlled(q.ry(angle)), unitary)
        choice = (*NAMES, *others)[rng.integers(len(NAMES) + len(others))]
        matrix = q.gate(choice) if isinstance(choice, str) else choice
        k = len(matrix).bit_length() - 1
        if k <= min(p, room):
            made.append((choice, *[int(qubit) for qubit in rng.permutation(p)[:k]]))
    return made


def after(x, gates):
    """The vector after all gates."""
    for named, *qubits in gates:
        x = done(x, gc.qubits.gate(named) if isinstance(named, str) else named, qubits)
    return x


def fourier(p):
    """The quantum Fourier transform of p qubits."""
    q = gc.qubits
    for j in reversed(range(p)):
        yield ("h", j)
        yield from ((q.controlled(q.phase(np.pi / 2 ** (j - k))), k, j) for k in range(j))
    yield from (("swap", j, p - 1 - j) for j in range(p // 2))
