"""States, and gates on them."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, nodes_here, spread, together
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import log2_exact, require_int
from graycube.layout import Layout
from graycube.qubits.amplitudes import carry_out
from graycube.qubits.circuits import Circuit, Whereabouts, plan, require_state
from graycube.qubits.gates import Operation, operation
from graycube.run.mpi import Comm
from graycube.warned import at_users_line, warn


def zeros(
    qubits: int,
    nodes: int = 1,
    comm: Comm | None = None,
    dtype: Any = complex,  # noqa: ANN401 - as NumPy
) -> CubeArray:
    """The state in which so many qubits are 0, over 2^n nodes, or the ranks of a communicator.

    >>> zeros(2, nodes=2).to_numpy().real.tolist()
    [1.0, 0.0, 0.0, 0.0]
    """

    def prepare() -> tuple[Layout, dict[str, object]]:
        p, kind = require_int(qubits, "qubits", least=0), np.dtype(dtype)
        if kind.kind not in "fc":
            raise InvalidTypeError(
                f"the dtype is {kind}",
                "amplitudes are complex",
                "leave it out, or use complex64",
            )
        over = spread(comm)
        n = log2_exact(nodes if over is None else over.size, "the number of nodes")
        if n > p:
            raise InvalidValueError(
                f"{p} qubits on {1 << n} nodes",
                f"a state of {p} qubits has {1 << p} amplitudes",
                f"use {1 << p} nodes or fewer",
            )
        return Layout.consecutive(p, n), {"operation": "zeros", "qubits": p, "dtype": kind}

    layout = together(comm, prepare)
    return CubeArray.from_function(lambda i: (i == 0).astype(dtype), layout, comm)


def apply(
    state: CubeArray,
    matrix: ArrayLike | str,
    qubits: int | Iterable[int],
    *,
    check: bool = False,
) -> CubeArray:
    """The state after a gate on some qubits; collective, and the layout is where it leaves it.

    The first qubit is the highest bit of the matrix, as in ``np.kron`` and in CNOT, whose
    control comes first. With ``check`` a matrix that is not unitary is warned of.

    >>> state = apply(zeros(2, nodes=2), [[0.6, -0.8], [0.8, 0.6]], 1)
    >>> state.to_numpy().real.tolist()
    [0.6, 0.0, 0.8, 0.0]
    """

    def made() -> tuple[Operation, ...]:
        named = [qubits] if isinstance(qubits, int | np.integer) else qubits
        step = operation(matrix, named, require_qubits(state).p)
        product = step.matrix @ step.matrix.conj().T
        if check and not np.allclose(product, np.eye(len(product)), atol=1e-6):
            warn("the gate is not unitary: the norm changes", UserWarning)
        return (step,)

    return _run(state, made)


def run(state: CubeArray, gates: "Iterable[object] | Circuit") -> CubeArray:
    """The state after some gates, or a circuit that was planned for its layout; collective.

    A gate is a name or a matrix followed by its qubits.

    >>> bell = run(zeros(2, nodes=2), [("h", 1), ("cx", 1, 0)])
    >>> bell.to_numpy().real.round(3).tolist()
    [0.707, 0.0, 0.0, 0.707]
    """
    return _run(state, lambda: gates)


@at_users_line
def _run(state: CubeArray, made: Any) -> CubeArray:  # noqa: ANN401 - a function of no arguments
    def prepare() -> tuple[Circuit, dict[str, object]]:
        layout, given = require_qubits(state), made()
        circuit = given if isinstance(given, Circuit) else plan(given, layout)
        if circuit.layout != layout:
            raise InvalidValueError(
                f"the circuit is for the layout {circuit.layout}",
                f"the state has {layout}",
                "plan it for that layout, or relayout the state",
            )
        return circuit, {
            **facts_of("a circuit", layout, state.blocks),
            "gates": _digest(circuit),
        }

    circuit = together(getattr(state, "comm", None), prepare)
    nodes = nodes_here(state.layout, state.comm)
    now = state.astype(np.result_type(state.dtype, np.complex64))
    for step in circuit.steps:
        if not isinstance(step, Whereabouts):
            carry_out(step, now.blocks, nodes, now.layout)
        elif step.share is None:
            now = now.with_blocks(now.blocks, step.layout)
        else:
            now = now.relayout(step.layout)
    return now


def require_qubits(state: object) -> Layout:
    """The layout of a state, if it is one.

    >>> print(require_qubits(zeros(2, nodes=2)))
    (b0 || b1)
    """
    if not isinstance(state, CubeArray):
        raise InvalidTypeError(
            f"got a {type(state).__name__}", "a state is a CubeArray", "use gc.qubits.zeros"
        )
    return require_state(state.layout)


def _digest(circuit: Circuit) -> str:
    found = sha256()
    for step in circuit.steps:
        if isinstance(step, Whereabouts):
            found.update(repr(step.layout.map).encode())
        else:
            blocks = np.ascontiguousarray(step.blocks)
            found.update(repr((step.mixing, step.keeping, blocks.shape, blocks.dtype)).encode())
            found.update(blocks.tobytes())
    return found.hexdigest()
