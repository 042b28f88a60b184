"""Quantum circuits on a state over many nodes: the Fourier transform, and random gates.

``python qubits.py [QUBITS]``, or ``mpiexec -n 4 python qubits.py 20``.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import graycube as gc

q = gc.qubits


def fourier(p: int) -> Iterator[tuple[Any, ...]]:
    """The quantum Fourier transform."""
    for j in reversed(range(p)):
        yield ("h", j)
        yield from ((q.controlled(q.phase(np.pi / 2 ** (j - k))), k, j) for k in range(j))
    yield from (("swap", j, p - 1 - j) for j in range(p // 2))


def random_gates(p: int, layers: int) -> Iterator[tuple[Any, ...]]:
    """Layers of rotations, each followed by phases between neighbours."""
    rng = np.random.default_rng(0)
    for layer in range(layers):
        yield from ((q.rx(rng.uniform(0, 6)), k) for k in range(p))
        yield from (("cz", k, k + 1) for k in range(layer % 2, p - 1, 2))


def one_by_one(gates: list[tuple[Any, ...]], layout: gc.Layout) -> int:
    """Blocks sent if each gate that changes a qubit of the node number exchanges a block."""
    far = {k for k in range(layout.p) if layout.node_change(1 << k)}
    steps = q.gates.operations(gates, layout.p)
    return sum(bool(far.intersection(step.mixing)) for step in steps)


def dense(x: np.ndarray[Any, Any], gates: list[tuple[Any, ...]]) -> np.ndarray[Any, Any]:
    """The state after the gates, by one product of tensors after the other."""
    p = len(x).bit_length() - 1
    state = x.reshape((2,) * p)  # axis k is qubit p - 1 - k
    for named, *qubits in gates:
        matrix, k = q.gate(named) if isinstance(named, str) else named, len(qubits)
        axes = [p - 1 - qubit for qubit in qubits]
        product = np.tensordot(matrix.reshape((2,) * 2 * k), state, (range(k, 2 * k), axes))
        state = np.moveaxis(product, range(k), axes)
    return state.ravel()


def main(p: int, comm: Any = None) -> list[str]:
    """What the circuits send, and how far their results are from those in one process."""
    nodes = 4 if comm is None or comm.size == 1 else comm.size
    start = q.run(q.zeros(p, nodes, comm), [(q.ry(0.1 + k), k) for k in range(p)])
    start = start.relayout(q.zeros(p, nodes, comm).layout)
    x, lines = start.to_numpy(), []
    for name, gates in {
        "Fourier transform": [*fourier(p)],
        "random gates": [*random_gates(p, 10)],
    }.items():
        circuit = q.plan(gates, start.layout)
        found = q.run(start, circuit).to_numpy()
        error = np.abs(found - dense(x, gates)).max()
        naive = one_by_one(gates, start.layout)
        lines += [
            f"{name}: {len(gates)} gates on {p} qubits, {start.layout.node_count} nodes",
            f"  blocks sent by a node: {circuit.sent:.2f}, gate by gate {naive}",
            f"  beside a dense simulation: {error:.0e}",
        ]
    return lines


if __name__ == "__main__":
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    text = "\n".join(main(int(sys.argv[1]) if len(sys.argv) > 1 else 12, comm))
    if comm.rank == 0:
        print(text)
