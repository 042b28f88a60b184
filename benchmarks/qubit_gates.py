"""The quantum Fourier transform over MPI: planned ahead, beside an exchange for each gate.

``mpiexec -n 4 python benchmarks/qubit_gates.py [QUBITS] [ROUNDS]``
"""

import sys
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from mpi4py import MPI

import graycube as gc

COMM = MPI.COMM_WORLD
State = np.ndarray[Any, Any]
q = gc.qubits


class Plain:
    """The highest qubits are the rank; blocks are exchanged for each gate that mixes one."""

    def __init__(self, block: State, qubits: int) -> None:
        self.block, self.near, self.sent = block, qubits - (COMM.size.bit_length() - 1), 0

    def _other(self, qubit: int) -> State:
        peer, found = COMM.rank ^ 1 << qubit - self.near, np.empty_like(self.block)
        COMM.Sendrecv(self.block, peer, recvbuf=found, source=peer)
        self.sent += found.nbytes
        return found

    def _value(self, qubit: int) -> int:
        return COMM.rank >> qubit - self.near & 1

    def hadamard(self, qubit: int) -> None:
        """The gate h."""
        if qubit < self.near:
            pairs = self.block.reshape(-1, 2, 1 << qubit)
            low, high = pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]
            pairs[:, 0], pairs[:, 1] = low, high
        else:
            other = self._other(qubit)
            self.block = other - self.block if self._value(qubit) else self.block + other
        self.block *= 0.5**0.5

    def turned(self, one: int, other: int, angle: float) -> None:
        """A phase where both qubits, the lower one first, are 1."""
        if other >= self.near and not self._value(other):
            return
        if one >= self.near:
            self.block *= np.exp(1j * angle) if self._value(one) else 1
            return
        block = self.block.reshape(-1, 2, 1 << other) if other < self.near else self.block
        ones = block[:, 1] if other < self.near else block[None]
        ones.reshape(len(ones), -1, 2, 1 << one)[:, :, 1] *= np.exp(1j * angle)

    def swap(self, one: int, other: int) -> None:
        """The lower one is near: half of a block changes places with that of another rank."""
        if other < self.near:
            four = self.block.reshape(-1, 2, 1 << other - one - 1, 2, 1 << one)
            first = four[:, 0, :, 1].copy()
            four[:, 0, :, 1] = four[:, 1, :, 0]
            four[:, 1, :, 0] = first
            return
        half = self.block.reshape(-1, 2, 1 << one)[:, 1 - self._value(other)]
        peer, own = COMM.rank ^ 1 << other - self.near, np.ascontiguousarray(half)
        found = np.empty_like(own)
        COMM.Sendrecv(own, peer, recvbuf=found, source=peer)
        self.sent += found.nbytes
        half[...] = found

    def fourier(self, qubits: int) -> None:
        """All gates."""
        for j in reversed(range(qubits)):
            self.hadamard(j)
            for k in range(j):
                self.turned(k, j, np.pi / 2 ** (j - k))
        for j in range(qubits // 2):
            self.swap(j, qubits - 1 - j)


def gates(qubits: int) -> list[tuple[Any, ...]]:
    found = list[tuple[Any, ...]]()
    for j in reversed(range(qubits)):
        found.append(("h", j))
        found += [(q.controlled(q.phase(np.pi / 2 ** (j - k))), k, j) for k in range(j)]
    return found + [("swap", j, qubits - 1 - j) for j in range(qubits // 2)]


def main(qubits: int = 20, rounds: int = 7) -> None:
    start = q.run(q.zeros(qubits, comm=COMM), [(q.ry(0.1 + k), k) for k in range(qubits)])
    start = start.relayout(q.zeros(qubits, comm=COMM).layout)
    circuit = q.plan(gates(qubits), start.layout)
    times = list[tuple[float, float]]()
    for _ in range(rounds + 1):
        plain = Plain(start.blocks[0].copy(), qubits)
        each = []
        for call in (partial(q.run, start, circuit), partial(plain.fourier, qubits)):
            COMM.Barrier()
            begun = perf_counter()
            made = call()
            COMM.Barrier()
            each.append(COMM.allreduce(perf_counter() - begun, MPI.MAX))
            if made is not None:
                found = made
        times.append((each[0], each[1]))
    ours = found.relayout(start.layout).blocks[0]
    error = COMM.allreduce(float(np.abs(ours - plain.block).max()), MPI.MAX)
    if COMM.rank == 0:
        sent = circuit.sent * plain.block.nbytes
        first, second = (median(each) for each in zip(*times[1:], strict=True))
        ratio = median(other / one for one, other in times[1:])
        print(f"{qubits} qubits on {COMM.size} ranks, {len(times) - 1} rounds")
        print(f"bytes sent by a rank: {sent:.0f}, gate by gate {plain.sent}")
        print(f"ms: {1e3 * first:.0f}, gate by gate {1e3 * second:.0f}: {ratio:.2f} times ours")
        print(f"largest difference of an amplitude: {error:.0e}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
