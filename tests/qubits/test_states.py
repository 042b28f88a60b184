"""Circuits beside dense vectors; what moves, amplitude by amplitude; mistakes."""

import re
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI, launch
from qubit_cases import after, fourier, some_gates, some_layout, some_state
from sweeping import sweep

import graycube as gc
from graycube.qubits.circuits import Whereabouts
from graycube.qubits.homes import home, moving, seat

q = gc.qubits
WORDS = gc.CubeArray.from_numpy(np.array(["a", "b"]), gc.Layout.consecutive(1, 1))
EXAMPLE = Path(__file__).parents[2] / "examples" / "qubits.py"


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


def test_gates_have_the_names_that_people_use():
    undone = [("s", 0), ("sdg", 0), ("t", 1), ("tdg", 1), ("ccnot", 0, 1, 2), ("ccx", 0, 1, 2)]
    x = some_state(np.random.default_rng(0), 3)
    state = gc.CubeArray.from_numpy(x, gc.Layout.consecutive(3, 1))
    assert np.allclose(q.run(state, undone).to_numpy(), x)
    assert not np.allclose(q.run(state, undone[::2]).to_numpy(), x)
    assert np.array_equal(q.controlled("x"), q.gate("cnot"))
    assert np.array_equal(q.rx(np.array(0.3)), q.rx(0.3))
    assert q.gate("cccccccswap").shape == (512, 512)


@pytest.mark.long
def test_words_of_any_length_are_done_letter_by_letter():
    """On more nodes than there is room for a matrix of so many qubits."""
    rng = np.random.default_rng(0)
    x, word = some_state(rng, 12), "xyzzyxiyzxxz"
    qubits = rng.permutation(12).tolist()
    state = gc.CubeArray.from_numpy(x, gc.Layout.consecutive(12, 11))
    found = q.run(state, [(word, *qubits), ("z", 0)])
    assert found.layout == q.run(q.apply(state, word, qubits), [("z", 0)]).layout
    letters = [*zip(word, qubits, strict=True), ("z", 0)]
    assert np.allclose(found.to_numpy(), after(x, letters))


def test_a_matrix_is_multiplied_with_itself_for_a_check_only():
    large = np.diag([1e200, 1])
    with np.errstate(all="raise"):
        q.apply(q.zeros(1), large, 0)
        with pytest.raises(FloatingPointError):
            q.apply(q.zeros(1), large, 0, check=True)


def test_amplitudes_may_be_too_small_for_doubles():
    """What NumPy would raise, some ranks only might."""
    state = gc.CubeArray.from_numpy([1e-300, 0, 0, 1], gc.Layout.consecutive(2, 1))
    with np.errstate(all="raise"):
        found = q.run(state, [(q.ry(1e-20), 0), ("t", 1)])
    assert abs(found.to_numpy()[3]) == pytest.approx(1)


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
            r"qubits are \(3,\): they must be different ones of 0..2; 3 is none of them",
        ),
        (
            lambda s: q.apply(s, "cx", (1, 1)),
            r"are \(1, 1\): they must be different .* name each once",
        ),
        (lambda s: q.apply(s, "cx", 1), "given 1 qubit: its matrix, of shape .4, 4., is on 2"),
        (lambda s: q.apply(s, np.ones((2, 3)), 1), r"shape \(2, 3\): a gate on k qubits"),
        (lambda s: q.apply(s, np.ones((3, 3)), 1), r"shape \(3, 3\): a gate on k qubits"),
        (lambda s: q.apply(s, [["a"]], 1), "its matrix must have numbers"),
        (lambda s: q.apply(s, [[1, 0], [0]], 1), "its matrix must have numbers"),
        (lambda s: q.apply(s, "toffoli", (0, 1, 2)), "the gate is 'toffoli': the known ones"),
        (lambda s: q.run(s, [("cnut", 0, 1)]), "the gate is 'cnut': the known ones"),
        (
            lambda s: q.run(s, [("c" * 10 + "x", 0)]),
            "the gate 'ccccccccccx' is on 11 qubits: a gate is on at most 10",
        ),
        (lambda _: q.gate("z" * 11), "'zzzzzzzzzzz' is on 11 qubits: a gate is on at most 10"),
        (lambda s: q.apply(s, "zz", 0), "'zz' is given 1 qubit: it has a letter for each of 2"),
        (lambda s: q.run(s, [("c", 0)]), "the gate is 'c': the known ones"),
        (lambda s: q.run(s, [("rx", 0.5, 1)]), r"pass the matrix .*gc\.qubits\.rx\(angle\)"),
        (
            lambda s: q.apply(s, np.ones((4, 4)), (0, 1)),
            "mixes 2 qubits: a node has room for 1 of 3",
        ),
        (lambda _: q.run(q.zeros(1, nodes=2), [("h", 0)]), "mixes 1 qubit: a node has room"),
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
        (lambda _: q.zeros(2, dtype=int), "the dtype is <class 'int'>: amplitudes are complex"),
        (lambda _: q.zeros(2, dtype="foo"), "the dtype is 'foo': amplitudes are complex"),
        (
            lambda _: q.zeros(50),
            r"50 qubits are 2\^50 amplitudes on each node: this process has no room",
        ),
        (
            lambda _: q.zeros(100, nodes=2),
            r"are 2\^99 amplitudes on each node: .* no room for those of 2 nodes",
        ),
        (lambda _: q.run(WORDS, [("h", 0)]), "the state has dtype <U1: amplitudes are numbers"),
        (lambda _: q.rx("half"), "the angle is 'half': it must be a number"),
        (lambda _: q.phase(None), "the angle is None: it must be a number"),
        (lambda _: q.phase(np.inf), "the angle is inf: it must be finite"),
        (lambda _: q.rx(np.float64("nan")), "the angle is .*nan.*: it must be finite"),
        (lambda _: q.ry(10**5000), "the angle is a number of .* bits: it must be finite"),
        (lambda _: q.zeros(2, nodes=2.0), "nodes is 2.0: it must be an integer"),
        (lambda s: q.apply(s, "h", 10**5000), "a number of 16610 bits is none of them"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call(q.zeros(3, nodes=4))


@pytest.mark.parametrize("ranks", [2, *sweep((1,), (4,))])
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
