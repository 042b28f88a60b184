"""Gates that are done as one, beside the same gates done one by one on a dense vector."""

import numpy as np
import pytest
from qubit_cases import after, some_layout
from sweeping import sweep

import graycube as gc
from graycube.qubits.circuits import Whereabouts
from graycube.qubits.gates import MOST, operations
from graycube.qubits.joined import product

q = gc.qubits


def some_state(rng, p, dtype=complex):
    x = rng.standard_normal(1 << p) + 1j * rng.standard_normal(1 << p)
    return (x / np.linalg.norm(x)).astype(dtype)


def unitary(rng, k):
    size = 1 << k, 1 << k
    return np.linalg.qr(rng.standard_normal(size) + 1j * rng.standard_normal(size))[0]


def joining_gates(rng, p, room, count):
    """Gates that keep many qubits and mix few, so that most can be joined."""
    for _ in range(count):
        a, b, c, *_ = (int(k) for k in rng.permutation(p))
        angle = float(rng.uniform(0, 6))
        phases = np.diag(np.exp(1j * rng.uniform(0, 6, 8)))
        controlled = q.controlled(unitary(rng, 1))
        choices = [("h", a), (q.controlled(q.phase(angle)), a, b), (phases, a, b, c)]
        choices += [choices[1], (controlled, a, b), ("cx", a, b)]
        choices += [(unitary(rng, 2), a, b)] * (room > 1)
        yield choices[rng.integers(len(choices))]


def whole(step, p):
    """The matrix of a step on all qubits, entry by entry."""
    made = np.zeros((1 << p, 1 << p), complex)
    for i in range(1 << p):
        for j in range(1 << p):
            changed = [k for k in range(p) if (i ^ j) >> k & 1]
            if not {*changed} <= {*step.mixing}:
                continue
            kept, row, column = (
                int("0" + "".join(str(word >> k & 1) for k in qubits), 2)
                for word, qubits in ((j, step.keeping), (i, step.mixing), (j, step.mixing))
            )
            made[i, j] = step.blocks[kept, row, column]
    return made


@pytest.mark.parametrize("seed", [*range(20), *sweep(*((k,) for k in range(20, 400)))])
def test_a_product_is_that_of_the_matrices(seed):
    rng, p = np.random.default_rng(seed), 5
    first, second = operations(joining_gates(rng, p, p, 2), p)
    made = product(first, second)
    mixed = {*first.mixing, *second.mixing}
    assert (made is None) == (len(mixed) > max(len(first.mixing), len(second.mixing)))
    if made is not None:
        assert {*made.mixing} == mixed
        assert not mixed & {*made.keeping}
        assert np.allclose(whole(made, p), whole(second, p) @ whole(first, p))


@pytest.mark.parametrize("seed", [*range(16), *sweep(*((k,) for k in range(16, 400)))])
def test_joined_circuits_are_those_of_a_dense_vector(seed):
    rng = np.random.default_rng(seed)
    p, dtype = int(rng.integers(6, 10)), (complex, np.complex64)[seed % 2]
    n = int(rng.integers(0, 3))
    gates = [*joining_gates(rng, p, p - n, 30)]
    plain = (gc.Layout.consecutive(p, n), gc.Layout.cyclic(p, n, whole="gray"))
    layout = (*plain, some_layout(rng, p, n))[seed % 3]
    x = some_state(rng, p, dtype)
    two = np.stack((x, 2 * x), axis=-1)
    found = q.run(gc.CubeArray.from_numpy(two, layout), gates)
    assert found.dtype == dtype
    wanted, most = after(x.astype(complex), gates), 1e-12 if dtype is complex else 1e-5
    assert np.abs(found.to_numpy()[..., 1] - 2 * wanted).max() < most
    assert np.abs(found.to_numpy()[..., 0] - wanted).max() < most


def test_blocks_larger_than_a_piece():
    """Factors of high, low and all bits between, and pieces of blocks that are cut in two."""
    p, rng = 17, np.random.default_rng(3)
    x = some_state(rng, p)
    for qubits in ((16, 0, 3, 5, 8), (6, 16, 15, 14, 13), (2, 16, 9, 4, 3), (9, 10, 11, 12, 8)):
        first, *others = qubits
        gates = [("h", first), *((q.controlled(q.phase(0.1 + k)), k, first) for k in others)]
        state = gc.CubeArray.from_numpy(x, gc.Layout.consecutive(p, 0))
        circuit = q.plan(gates, state.layout)
        assert len(circuit.steps) == 1
        digit = [np.arange(1 << p) >> k & 1 for k in range(p)]
        low = np.arange(1 << p) & ~(1 << first)
        pair = x[low], x[low | 1 << first]
        wanted = np.where(digit[first], pair[0] - pair[1], pair[0] + pair[1]) * 0.5**0.5
        turns = sum(digit[k] * (0.1 + k) for k in others) * digit[first]
        found = q.run(state, circuit).to_numpy()
        assert np.allclose(found, wanted * np.exp(1j * turns), atol=1e-13)


def test_what_is_not_unitary_may_leave_nothing():
    rng, p = np.random.default_rng(5), 8
    x = some_state(rng, p)
    phases = [(q.controlled(q.phase(0.1 + k)), k, 7) for k in (0, 2, 5, 6)]
    gates = [(np.array([[1.0, 1], [0, 0]]), 7), *phases]
    found = q.run(gc.CubeArray.from_numpy(x, gc.Layout.consecutive(p, 0)), gates)
    assert np.allclose(found.to_numpy(), after(x, gates))
    assert not found.to_numpy()[1 << 7 :].any()


def test_few_passes():
    """The Fourier transform of 20 qubits; a product is of at most so many qubits."""
    gates = [
        gate
        for j in reversed(range(20))
        for gate in (
            ("h", j),
            *((q.controlled(q.phase(np.pi / 2 ** (j - k))), k, j) for k in range(j)),
        )
    ]
    steps = q.plan(gates, gc.Layout.consecutive(20, 0)).steps
    assert len(steps) == 26
    assert all(len({*step.mixing, *step.keeping}) <= MOST for step in steps)
    assert "26 passes" in q.plan(gates, gc.Layout.consecutive(20, 0)).explain()


def test_what_lies_between_keeps_gates_apart():
    """A gate that renames, or brings qubits near, and gates that mix different qubits."""
    gates = [("h", 0), ("cx", 0, 1), ("h", 0), ("h", 1), ("h", 2)]
    steps = q.plan(gates, gc.Layout.consecutive(3, 1)).steps
    assert [isinstance(step, Whereabouts) for step in steps].count(True) >= 2
    assert sum(not isinstance(step, Whereabouts) for step in steps) == 4
