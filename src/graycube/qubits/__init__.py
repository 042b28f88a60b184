"""Simulated qubits: states spread over 2^n nodes, whose amplitudes move as seldom as they can.

A state of p qubits is a :class:`~graycube.CubeArray` of 2^p amplitudes, and qubit q is bit q of
their index, the lowest first. ``import graycube as gc`` is enough: ``gc.qubits`` is loaded when
it is first used.

>>> state = zeros(3, nodes=2)
>>> state = run(state, [("h", 0), ("cx", 0, 1), ("cx", 1, 2)])
>>> probabilities(state).round(3).tolist()
[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]

What a gate costs depends on what it does to the index of an amplitude:

1. A gate that maps indices by an affine map (X, CNOT, SWAP, and all that they make) gives the
   state another layout. Nothing is moved or computed.
2. A qubit that a gate does not change (a control, or any of a diagonal gate) may be anywhere:
   its value is known from where an amplitude is.
3. A qubit that a gate mixes has to be a bit of the slots. :func:`plan` looks ahead, brings
   those that are mixed next there all at once, and leaves the others to the nodes.

The files: ``gates`` says what a gate does, ``homes`` is the algebra of layouts, ``circuits``
looks ahead, and ``amplitudes`` is the arithmetic within a node; ``states``, ``measured`` and
``expected`` are what people call.
"""

from graycube.qubits.circuits import Circuit, plan
from graycube.qubits.expected import expectation
from graycube.qubits.gates import controlled, gate, phase, rx, ry, rz
from graycube.qubits.measured import measure, probabilities, sample
from graycube.qubits.states import apply, run, zeros

__all__ = [
    "Circuit",
    "apply",
    "controlled",
    "expectation",
    "gate",
    "measure",
    "phase",
    "plan",
    "probabilities",
    "run",
    "rx",
    "ry",
    "rz",
    "sample",
    "zeros",
]
