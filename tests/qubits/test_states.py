"""Circuits beside dense vectors; what moves, amplitude by amplitude; mistakes."""

import re
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI, launch
from qubit_cases import after, fourier, some_gates, some_layout
from sweeping import sweep

import graycube as gc
from graycube.qubits.circuits import Whereabouts
from graycube.qubits.homes import home, moving, seat

q = gc.qubits
EXAMPLE = Path(__file__).parents[2] / "examples" / "qubits.py"


def some_state(rng, p):
    x = rng.standard_normal(1 << p) + 1j * rng.standard_normal(1 << p)
    return x / np.linalg.norm(x)


@pytest.mark.parametrize("seed", [*range(16), *sweep(*((k,) for k in range(16, 1000)))])
def test_any_circuit_in_any_layout_is_that_of_a_dense_vector(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 8))
    n = int(rng.integers(0, max(1, p - 1)))
    layout, x = some_layout(rng, p, n), some_state(rng, p)
    gates = some_gates(rng, p, p - n, 10)
    state = gc.CubeArray.from_numpy(x, layout)
    found = q.run(state, gates)
    assert np.allclose(found.to_numpy(), after(x, gates), atol=1e-12)
    assert np.array_equal(state.to_numpy(), x)
    assert found.layout == q.plan(gates, layout).end


@pytest.mark.parametrize("seed", range(12))
def test_what_moves_is_what_the_circuit_says(seed):
    """Counted amplitude by amplitude."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(3, 8))
    n = int(rng.integers(1, p - 1))
    now = some_layout(rng, p, n)
    circuit, index, crossed = q.plan(some_gates(rng, p, p - n, 20), now), np.arange(1 << p), 0
    for step in circuit.steps:
        if not isinstance(step, Whereabouts):
            continue
        if step.share is not None:
            crossed += np.mean(now.locate(index)[0] != step.layout.locate(index)[0])
        now = step.layout
    assert circuit.sent == pytest.approx(crossed)


@pytest.mark.parametrize("seed", range(10))
def test_a_home_has_all_of_them_near_and_keeps_what_it_can(seed):
    """No other layout with the same qubits in the slots moves less."""
    rng = np.random.default_rng(seed)
    p, n = 5, int(rng.integers(1, 4))
    layout = some_layout(rng, p, n)
    near = rng.permutation(p)[: p - n].tolist()
    found = home(layout, near)
    assert all(seat(found, qubit).is_plain for qubit in near)
    far = [qubit for qubit in range(p) if qubit not in near]
    nodes = layout.locate(np.arange(1 << p))[0]
    least = 1.0
    for _ in range(300):  # node numbers that are any affine function of the other qubits
        inner = some_layout(rng, n, n)
        word = sum((np.arange(1 << p) >> qubit & 1) << k for k, qubit in enumerate(far))
        least = min(least, np.mean(inner.locate(word)[0] != nodes))
    assert moving(layout, found) <= least


@pytest.mark.parametrize(("p", "nodes"), [(10, 1), (10, 4), (10, 8)])
def test_the_fourier_transform_is_numpys_with_few_exchanges(p, nodes):
    x = some_state(np.random.default_rng(0), p)
    n = nodes.bit_length() - 1
    circuit = q.plan(fourier(p), gc.Layout.consecutive(p, n))
    assert circuit.sent <= 2 * (1 - 1 / nodes)
    found = q.run(gc.CubeArray.from_numpy(x, circuit.layout), circuit).to_numpy()
    assert np.allclose(found, np.fft.ifft(x, norm="ortho"))
    words = circuit.explain()
    assert f"gates: {p * (p + 1) // 2 + p // 2}, on {p} qubits" in words
    assert f"crossings of an amplitude: {circuit.sent:.3g} on" in words


def test_gates_that_permute_indices_or_turn_phases_send_nothing():
    gates = [
        ("x", 9),
        ("cx", 9, 0),
        ("swap", 0, 9),
        ("ccz", 9, 8, 1),
        (q.rz(1.0), 9),
        ("zz", 8, 9),
    ]
    assert q.plan(gates, gc.Layout.consecutive(10, 3)).sent == 0


def test_a_single_qubit_comes_near_alone():
    """The other qubits of the node number stay there: half of the amplitudes move."""
    assert q.plan([("h", 5)], gc.Layout.consecutive(6, 3)).sent == 0.5


def test_payloads_and_single_precision_stay():
    """Several states side by side."""
    x = np.random.default_rng(0).standard_normal((16, 3)).astype(np.complex64)
    state = gc.CubeArray.from_numpy(x, gc.Layout.consecutive(4, 2))
    gates = [("h", 3), ("cx", 3, 0), (q.ry(0.4), 0), ("zz", 0, 3)]
    found = q.run(state, gates)
    assert found.dtype == np.complex64
    for k in range(3):
        wanted = after(x[:, k].astype(complex), gates)
        assert np.allclose(found.to_numpy()[:, k], wanted, atol=1e-5)


def test_probabilities_are_those_of_the_vector():
    rng = np.random.default_rng(0)
    x = some_state(rng, 5)
    state = gc.CubeArray.from_numpy(x, some_layout(rng, 5, 2))
    whole = np.abs(x.reshape((2,) * 5)) ** 2  # axis k is qubit 4 - k
    assert np.allclose(q.probabilities(state), whole.ravel())
    assert np.allclose(q.probabilities(state, [1, 4]), whole.sum((1, 2, 4)).T.ravel())


def test_samples_have_the_probabilities():
    rng = np.random.default_rng(1)
    state = gc.CubeArray.from_numpy(some_state(rng, 4), some_layout(rng, 4, 2))
    drawn = q.sample(state, 20000, seed=3)
    found = np.bincount(drawn, minlength=16) / 20000
    assert np.abs(found - q.probabilities(state)).max() < 0.02  # five standard deviations
    assert np.array_equal(drawn, q.sample(state, 20000, seed=3))
    assert not np.array_equal(drawn, q.sample(state, 20000, seed=4))
    first, second = drawn[:10000], drawn[10000:]  # in no order
    assert abs(first.mean() - second.mean()) < 0.3


def test_nodes_draw_apart():
    state = q.run(q.zeros(12, nodes=4), [("h", k) for k in range(12)])
    nodes, slots = state.layout.locate(q.sample(state, 400))
    drawn = [{*slots[nodes == node].tolist()} for node in range(4)]
    assert not any(a <= b for a in drawn for b in drawn if a is not b)


@pytest.mark.parametrize("seed", range(4))
def test_a_measured_qubit_has_its_value_from_then_on(seed):
    ghz = q.run(q.zeros(4, nodes=4), [("h", 0), ("cx", 0, 1), ("cx", 1, 2), ("cx", 2, 3)])
    outcome, state = q.measure(ghz, [3, 0], seed=seed)
    assert outcome in {0b00, 0b11}
    assert q.probabilities(state)[15 * (outcome & 1)] == pytest.approx(1)
    assert q.measure(state, 2, seed=seed + 9)[0] == outcome & 1


def test_both_outcomes_are_measured():
    state = q.run(q.zeros(2, nodes=2), [("h", 1)])
    assert {q.measure(state, 1, seed=seed)[0] for seed in range(10)} == {0, 1}


@pytest.mark.parametrize("word", ["xx", "yy", "zz", "xy", "zx"])
def test_expected_values_are_those_of_the_matrix(word):
    rng = np.random.default_rng(2)
    x = some_state(rng, 4)
    state = gc.CubeArray.from_numpy(x, some_layout(rng, 4, 2))
    wanted = np.vdot(x, after(x, [(word, 3, 1)]))
    assert np.isclose(q.expectation(state, word, (3, 1)), wanted)


def test_a_gate_that_is_not_unitary_is_warned_of_on_request():
    state = q.zeros(1)
    q.apply(state, [[2, 0], [0, 1]], 0)
    with pytest.warns(UserWarning, match="not unitary"):
        q.apply(state, [[2, 0], [0, 1]], 0, check=True)
    with pytest.warns(UserWarning, match="not unitary"):
        q.apply(state, [[1.001, 0], [0, 1]], 0, check=True)
    q.apply(state, "h", 0, check=True)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda s: q.apply(s, "h", 3),
            r"qubits are \(3,\): they must be different ones of 0..2",
        ),
        (lambda s: q.apply(s, "cx", (1, 1)), r"qubits are \(1, 1\): they must be different"),
        (lambda s: q.apply(s, "cx", 1), "given 1 qubits: its matrix, of shape .4, 4., is on 2"),
        (lambda s: q.apply(s, np.ones((2, 3)), 1), r"shape \(2, 3\): a gate on k qubits"),
        (lambda s: q.apply(s, np.ones((3, 3)), 1), r"shape \(3, 3\): a gate on k qubits"),
        (lambda s: q.apply(s, [["a"]], 1), "its matrix must have numbers"),
        (lambda s: q.apply(s, [[1, 0], [0]], 1), "its matrix must have numbers"),
        (lambda s: q.apply(s, "toffoli", (0, 1, 2)), "the gate is 'toffoli': the known ones"),
        (lambda s: q.run(s, [("cnot", 0, 1)]), "the gate is 'cnot': the known ones"),
        (
            lambda s: q.run(s, [("c" * 10 + "x", 0)]),
            "the gate is 'ccccccccccx': the known ones",
        ),
        (lambda s: q.run(s, [("c", 0)]), "the gate is 'c': the known ones"),
        (lambda s: q.run(s, [("rx", 0.5, 1)]), r"pass the matrix .*gc\.qubits\.rx\(angle\)"),
        (lambda s: q.apply(s, "xyz", (0, 1, 2)), "mixes 2 qubits: a node has room for 1 of 3"),
        (lambda s: q.run(s, "h 0"), "the gates are 'h 0': a list is needed"),
        (lambda s: q.run(s, ["h"]), "a gate is 'h': it is a name or a matrix, followed by"),
        (
            lambda s: q.run(s, q.plan([], gc.Layout.consecutive(3, 1))),
            "circuit is for the layout",
        ),
        (lambda _: q.run(np.ones(4), []), "got a ndarray: a state is a CubeArray"),
        (lambda _: q.plan([], gc.Layout.mesh((4, 4), (2, 2))), r"has shape \(4, 4\): a state"),
        (lambda _: q.plan([], gc.Layout.mesh((9,), (2,))), "9 elements on 2 nodes: a state of"),
        (lambda _: q.zeros(2, nodes=8), "2 qubits on 8 nodes"),
        (lambda _: q.zeros(2, nodes=3), "number of nodes is 3"),
        (lambda _: q.zeros(2, dtype=int), "the dtype is int64: amplitudes are complex"),
        (lambda _: q.rx("half"), "the angle is 'half': it must be a number"),
        (lambda _: q.phase(None), "the angle is None: it must be a number"),
        (lambda s: q.probabilities(s, [0, 0]), r"qubits are \(0, 0\): they must be different"),
        (lambda s: q.measure(s, range(11)), "11 qubits have 2.11 outcomes: at most 10"),
        (lambda s: q.sample(s, -1), "shots is -1"),
        (lambda s: q.sample(0 * s, 5), "squared norm 0.0: nothing can be drawn"),
        (lambda s: q.measure(0 * s, 1), "squared norm 0.0: nothing can be drawn"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call(q.zeros(3, nodes=4))


@pytest.mark.parametrize("ranks", sweep((1,), (2,), (4,)))
def test_the_example_sends_less_than_half_and_is_right(ranks, tmp_path):
    run = launch(EXAMPLE, ranks, tmp_path, "8")
    assert (run.returncode, run.stderr) == (0, ""), run
    sent = re.findall(r"sent by a node: ([0-9.]+), gate by gate ([0-9]+)", run.stdout)
    errors = re.findall(r"dense simulation: (.*)", run.stdout)
    assert len(sent) == len(errors) == 2
    assert all(float(ours) <= 0.55 * int(theirs) for ours, theirs in sent)
    assert all(float(error) < 1e-12 for error in errors)


class TestOverMPI(OverMPI):
    launches = (
        *(Launch(ranks, ("qubits",), sweep=True) for ranks in (1, 2, 8)),
        Launch(2, ("qubits",), messages=True, sweep=True),
    )
