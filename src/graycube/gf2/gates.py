"""Circuits of X, CNOT and SWAP gates as affine maps: what they do to basis indices.

Qubit q is bit q of the index, the lowest first. Only gates that permute the basis by an affine
map can be had; a Toffoli gate is a permutation too, but not an affine one.
"""

import re
from collections.abc import Iterable

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2.affine import AffineMap
from graycube.gf2.bits import require_int
from graycube.gf2.exchange import MAX_BITS, Exchange, compose

Gate = tuple[str, int] | tuple[str, int, int]
"""A name and its qubits, the control first."""

_QUBITS = {"x": 1, "not": 1, "cx": 2, "cnot": 2, "swap": 2}
_STATEMENT = re.compile(r"\s*([A-Za-z]+)((?:[\s,]+(?:q\[[0-9]{1,4}\]|[0-9]{1,4}))*)\s*")


def circuit(gates: str | Iterable[Gate], bits: int) -> AffineMap:
    """The map of indices that a circuit on so many qubits does, the first gate first.

    The gates are ``("x", q)``, ``("cx", control, target)`` and ``("swap", q, r)``, or text with
    one statement after the other, as in OpenQASM.

    >>> flip_then_copy = circuit([("x", 0), ("cx", 0, 1)], bits=2)
    >>> [flip_then_copy(i) for i in range(4)]
    [3, 0, 1, 2]
    >>> circuit("x q[0]; cx q[0], q[1];", bits=2) == flip_then_copy
    True
    """
    bits = require_int(bits, "bits", least=0)
    if bits > MAX_BITS:
        raise InvalidValueError(
            f"bits is {str(bits)[:40]}", f"at most {MAX_BITS}", "use fewer qubits"
        )
    listed = _statements(gates) if isinstance(gates, str) else gates
    if not isinstance(listed, Iterable):
        raise InvalidTypeError(
            f"the gates are {gates!r:.60}",
            "a list is needed",
            "pass a list such as [('cx', 0, 1)]",
        )
    return compose((e for gate in listed for e in _exchanges(gate, bits)), bits)


def _statements(text: str) -> Iterable[Gate]:
    for statement in re.split(r"[;\n]", text):
        if not statement.strip():
            continue
        match = _STATEMENT.fullmatch(statement)
        if match is None:
            raise InvalidValueError(
                f"cannot read the gate {statement.strip()!r:.60}",
                "a gate is written 'cx q[0], q[1]' or 'cx 0 1'",
                f"use {', '.join(_QUBITS)} and numbers of qubits",
            )
        qubits = [int(q) for q in re.findall(r"[0-9]+", match[2])]
        yield (match[1].lower(), *qubits)  # type: ignore[misc]  # counted in _exchanges


def _exchanges(gate: Gate, bits: int) -> list[Exchange]:
    """A gate as exchanges of index bits."""
    try:
        name, *qubits = gate
        known = _QUBITS.get(name)
    except (TypeError, ValueError):
        known, name, qubits = None, str(gate), []
    if known is None:
        raise InvalidValueError(
            f"the gate is {gate!r:.60}",
            f"the known ones are {', '.join(_QUBITS)}: they map indices by affine maps",
            "take other gates out of the circuit",
        )
    qubits = [require_int(q, "a qubit", least=0) for q in qubits]
    if len(qubits) != known or len(set(qubits)) < known or max(qubits) >= bits:
        raise InvalidValueError(
            f"the gate is {gate!r:.60}",
            f"{name!r} has {known} different qubits, below {bits}",
            "check its qubits",
        )
    masks = [1 << q for q in qubits]
    if name in ("x", "not"):
        return [Exchange(masks[0], 0, 0)]
    if name == "swap":
        return [Exchange(sum(masks), sum(masks))]
    control, target = masks
    return [Exchange(target, control)]
