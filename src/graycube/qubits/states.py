"""States, and gates on them."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, nodes_here, spread, together
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import log2_exact, require_int
from graycube.layout import Layout
from graycube.qubits.amplitudes import carry_out
from graycube.qubits.circuits import Circuit, Whereabouts, plan, require_state
from graycube.qubits.gates import Operation, steps_of
from graycube.qubits.joined import Step
from graycube.run.mpi import Comm
from graycube.texts import counted
from graycube.warned import at_users_line, warn


def zeros(
    qubits: int,
    nodes: int | None = None,
    comm: Comm | None = None,
    dtype: Any = complex,  # noqa: ANN401 - as NumPy
) -> CubeArray:
    """The state in which so many qubits are 0, over 2^n nodes, or the ranks of a communicator.

    >>> zeros(2, nodes=2).to_numpy().real.tolist()
    [1.0, 0.0, 0.0, 0.0]
    """

    def prepare() -> tuple[CubeArray, dict[str, object]]:
        p, kind = require_int(qubits, "qubits", least=0), _require_dtype(dtype)
        n = log2_exact(_node_count(nodes, comm), "the number of nodes")
        if n > p:
            raise InvalidValueError(
                f"{p} qubits on {1 << n} nodes",
                f"a state of {p} qubits has {1 << p} amplitudes",
                f"use {1 << p} nodes or fewer",
            )
        layout = Layout.consecutive(p, n)
        here = nodes_here(layout, comm)
        blocks = _empty(p, (len(here), 1 << p - n), kind)
        if 0 in here:
            blocks[0, 0] = 1
        facts = {"operation": "zeros", "qubits": p, "dtype": kind}
        return CubeArray(blocks, layout, comm), facts

    return together(comm, prepare)


def _node_count(nodes: int | None, comm: Comm | None) -> int:
    over = spread(comm)
    if over is None:
        return 1 if nodes is None else require_int(nodes, "nodes")
    if nodes is not None and nodes != over.size:
        raise InvalidValueError(
            f"nodes is {nodes}",
            f"the communicator has {over.size} ranks, one for each node",
            "leave nodes out",
        )
    return over.size


def _require_dtype(dtype: Any) -> "np.dtype[Any]":  # noqa: ANN401
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError):
        kind = np.dtype(object)
    if kind.kind not in "fc":
        raise InvalidTypeError(
            f"the dtype is {dtype!r:.60}",
            "amplitudes are complex",
            "leave it out, or use complex64",
        )
    return kind


def _empty(qubits: int, shape: tuple[int, int], kind: "np.dtype[Any]") -> NDArray[Any]:
    try:
        return np.zeros(shape, kind)
    except (MemoryError, ValueError):  # or more than NumPy can number
        each = shape[1].bit_length() - 1
        raise InvalidValueError(
            f"{counted(qubits, 'qubit')} are 2^{each} amplitudes on each node",
            f"this process has no room for those of {counted(shape[0], 'node')}",
            "use fewer qubits, more ranks, or complex64",
        ) from None


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
        steps = steps_of(matrix, qubits, require_qubits(state).p)
        if check and not all(_is_unitary(step.matrix) for step in steps):
            warn("the gate is not unitary: the norm changes", UserWarning)
        return steps

    return _run(state, made)


def _is_unitary(matrix: NDArray[Any]) -> bool:
    return bool(np.allclose(matrix @ matrix.conj().T, np.eye(len(matrix)), atol=1e-6))


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
        facts = facts_of("a circuit", layout, state.blocks)
        steps = () if spread(state.comm) is None else enumerate(circuit.steps)
        told = {f"step {k} of the gates": _words(step) for k, step in steps}
        return circuit, {**facts, **told}

    circuit = together(getattr(state, "comm", None), prepare)
    nodes = nodes_here(state.layout, state.comm)
    now = state.astype(np.result_type(state.dtype, np.complex64))
    for step in circuit.steps:
        if not isinstance(step, Whereabouts):
            with np.errstate(all="ignore"):  # what one rank alone raises, the others wait for
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
    if state.dtype.kind not in "biufc":
        raise InvalidTypeError(
            f"the state has dtype {state.dtype}",
            "amplitudes are numbers",
            "use gc.qubits.zeros, or state.astype(complex)",
        )
    return require_state(state.layout)


def require_one_state(state: object) -> Layout:
    """The layout of a state, if it is a single one.

    >>> print(require_one_state(zeros(2, nodes=2)))
    (b0 || b1)
    """
    layout = require_qubits(state)
    payload = getattr(state, "payload", ())
    if payload:
        raise InvalidValueError(
            f"the state has payload {payload}, which makes it several",
            "one is looked at at a time",
            f"choose one, as in state[..., {', '.join('0' * len(payload))}]",
        )
    return layout


def _words(step: Step | Whereabouts) -> str:
    """What a step does, for ranks to compare."""
    if isinstance(step, Whereabouts):
        return f"to another layout, {_digest(repr(step.layout.map).encode())}"
    entries = np.ascontiguousarray(step.blocks)
    kind = repr((step.mixing, step.keeping, entries.shape, entries.dtype)).encode()
    return f"on qubits {(*step.mixing, *step.keeping)}, {_digest(kind + entries.tobytes())}"


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:12]
