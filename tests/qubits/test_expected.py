"""Expected values: those of the dense matrix, amplitude by amplitude."""

import numpy as np
import pytest
from qubit_cases import after, some_layout, some_state

import graycube as gc

q = gc.qubits
P = 6


@pytest.mark.parametrize("seed", range(24))
def test_the_expected_value_of_a_word_is_that_of_its_matrix(seed):
    rng = np.random.default_rng(seed)
    x, count = some_state(rng, P), int(rng.integers(1, P + 1))
    word = "".join(rng.choice([*"ixyzIXYZ"], count))
    qubits = rng.permutation(P)[:count].tolist()
    layout = some_layout(rng, P, int(rng.integers(0, P + 1)))
    state = gc.CubeArray.from_numpy(x, layout)
    wanted = np.vdot(x, after(x, [(word, *qubits)]))
    assert np.isclose(q.expectation(state, word, iter(qubits)), wanted), word


@pytest.mark.parametrize(
    ("matrix", "qubits"),
    [("h", 3), ("swap", (3, 1)), (q.rx(0.3), [1]), (np.diag([1, 2, 3, 4]), (0, 2))],
)
def test_other_matrices_have_expected_values_too(matrix, qubits):
    rng = np.random.default_rng(2)
    x = some_state(rng, 4)
    state = gc.CubeArray.from_numpy(x, some_layout(rng, 4, 1))
    wanted = np.vdot(x, after(x, [(matrix, *np.atleast_1d(qubits))]))
    assert np.isclose(q.expectation(state, matrix, qubits), wanted)


def test_words_are_as_long_as_there_are_qubits():
    """More letters than a matrix has qubits, and more amplitudes than a chunk."""
    state = q.zeros(17, nodes=2)
    ghz = q.run(state, [("h", 0), *(("cx", k, k + 1) for k in range(16))])
    assert np.isclose(q.expectation(ghz, "x" * 17, range(17)), 1)
    assert np.isclose(q.expectation(ghz, "yy" + "x" * 15, range(17)), -1)
    assert np.isclose(q.expectation(ghz, "z" * 16, range(1, 17)), 1)
    assert np.isclose(q.expectation(ghz, "z" * 17, range(17)), 0)
    assert np.isclose(q.expectation(q.run(ghz, [("x", 16)]), "zz", (0, 16)), -1)


def test_states_have_any_precision():
    rng = np.random.default_rng(0)
    x = some_state(rng, 4).astype(np.complex64)
    state = gc.CubeArray.from_numpy(x, gc.Layout.consecutive(4, 2))
    wanted = np.vdot(x, after(x.astype(complex), [("xzy", 0, 3, 2)]))
    assert np.isclose(q.expectation(state, "xzy", (0, 3, 2)), wanted, rtol=1e-5)
    real = gc.CubeArray.from_numpy(np.array([3, 4]), gc.Layout.consecutive(1, 1))
    assert q.expectation(real, "z", 0) == -7
    assert q.expectation(real, "x", 0) == 24
    assert q.expectation(real, "y", 0) == 0


def test_no_matrix_is_made_of_a_word(monkeypatch):
    monkeypatch.setattr("graycube.qubits.gates.gate", lambda _: pytest.fail("a dense matrix"))
    assert q.expectation(q.zeros(5), "zzzzz", range(5)) == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda s: q.expectation(s, "zz", 0),
            "is given 1 qubit: it has a letter for each of 2",
        ),
        (lambda s: q.expectation(s, "zz", (0, 3)), r"are \(0, 3\): .* 3 is none of them"),
        (lambda s: q.expectation(s, "", ()), "the gate is ''"),
        (lambda s: q.expectation(gc.stack([s, s]), "z", 0), "makes it several"),
        (lambda s: q.expectation(gc.stack([s, s]), q.rx(1), 0), "makes it several"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call(q.zeros(3, nodes=4))
