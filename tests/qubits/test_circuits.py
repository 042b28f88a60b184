"""What a plan looks ahead for, and how often it looks."""

from itertools import chain

import numpy as np
import pytest

import graycube as gc
from graycube.qubits.circuits import Whereabouts, _Ahead
from graycube.qubits.gates import Operation

q = gc.qubits


@pytest.mark.parametrize("seed", range(8))
def test_the_next_ones_are_those_that_gates_mix_next(seed):
    rng = np.random.default_rng(seed)
    mixed = [rng.permutation(6)[: rng.integers(0, 3)].tolist() for _ in range(12)]
    ahead = _Ahead(mixed)
    for k in sorted(rng.choice(13, 4).tolist()):
        assert ahead.next_ones(k) == [*dict.fromkeys(chain(*mixed[k:]))]


def test_gates_are_looked_at_once(monkeypatch):
    """However often a qubit is brought in, which is once in five gates here."""
    looked, index_map = [], Operation.index_map
    monkeypatch.setattr(
        Operation, "index_map", lambda self, bits: looked.append(self) or index_map(self, bits)
    )
    gates = [("cx", k % 6, (k + 1) % 6) if k % 2 else (q.rx(k), k % 6) for k in range(200)]
    circuit = q.plan(gates, gc.Layout.consecutive(6, 2))
    assert len(looked) == 200
    assert sum(isinstance(step, Whereabouts) for step in circuit.steps) > 110


def test_gates_in_a_row_that_only_change_the_layout_are_one_step():
    gates = [("swap", k, k + 1) for k in range(5)] + [("h", 0), ("cx", 0, 5)]
    circuit = q.plan(gates, gc.Layout.consecutive(6, 0))
    assert len(circuit.steps) == 3
    told = circuit.explain()
    assert "gates computed: 1, in 1 pass; gates that only change the layout: 6\n" in told


def test_a_circuit_keeps_the_matrices_that_it_was_planned_with():
    turn = q.rx(1.0)
    circuit = q.plan([(turn, 0)], gc.Layout.consecutive(2, 0))
    turn[:] = 0
    assert q.probabilities(q.run(q.zeros(2), circuit)).sum() == pytest.approx(1)
