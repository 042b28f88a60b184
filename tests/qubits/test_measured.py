"""Probabilities, samples and outcomes: those of the vector, on any number of nodes."""

import numpy as np
import pytest
from qubit_cases import some_layout, some_state

import graycube as gc

q = gc.qubits
WORDS = gc.CubeArray.from_numpy(np.array(["a", "b"]), gc.Layout.consecutive(1, 1))


@pytest.mark.parametrize("seed", range(12))
def test_probabilities_are_those_of_the_vector(seed):
    rng = np.random.default_rng(seed)
    x = some_state(rng, 5)
    n = int(rng.integers(0, 6))
    layout = some_layout(rng, 5, n) if seed % 2 else gc.Layout.consecutive(5, n)
    state = gc.CubeArray.from_numpy(x, layout)
    whole = np.abs(x.reshape((2,) * 5)) ** 2  # axis k is qubit 4 - k
    assert np.allclose(q.probabilities(state), whole.ravel())
    assert np.allclose(q.probabilities(state, iter([1, 4])), whole.sum((1, 2, 4)).T.ravel())
    assert np.allclose(q.probabilities(state, []), [1])


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


@pytest.mark.long
@pytest.mark.parametrize("nodes", [1, 2])
def test_single_shots_of_many_seeds_have_the_probabilities(nodes):
    state = q.run(q.zeros(3, nodes=nodes), [("h", k) for k in range(3)])
    counts = np.bincount([q.sample(state, 1, seed)[0] for seed in range(4000)], minlength=8)
    assert ((counts - 500) ** 2 / 500).sum() < 30  # as much has one of 10,000 such draws


def test_samples_are_the_same_on_any_number_of_nodes_in_any_layout():
    rng = np.random.default_rng(0)
    x = some_state(rng, 6)
    layouts = [gc.Layout.consecutive(6, n) for n in range(4)] + [some_layout(rng, 6, 2)]
    states = [gc.CubeArray.from_numpy(x, layout) for layout in layouts]
    first, *others = (q.sample(state, 500, seed=1).tolist() for state in states)
    assert others == [first] * 4


def test_samples_have_no_outcomes_without_probability():
    state = q.run(q.zeros(6, nodes=4), [("h", 2), ("cx", 2, 5)])
    assert {*q.sample(state, 200).tolist()} == {0, 0b100100}


def test_single_precision_is_enough_for_many_amplitudes():
    """Their sum in single precision stops growing."""
    x = np.full(1 << 20, np.sqrt(0.1 / 2**20), np.complex64)
    x[0] = np.sqrt(0.9)
    for n in (0, 2):
        state = gc.CubeArray.from_numpy(x, gc.Layout.consecutive(20, n))
        found = q.sample(state, 100000)
        assert abs((found == 0).mean() - 0.9) < 0.005  # five standard deviations
        assert abs((found >> 19).mean() - 0.05) < 0.004  # the upper half
        assert q.probabilities(state, []) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_a_measured_qubit_has_its_value_from_then_on(seed):
    ghz = q.run(q.zeros(4, nodes=4), [("h", 0), ("cx", 0, 1), ("cx", 1, 2), ("cx", 2, 3)])
    outcome, state = q.measure(ghz, [3, 0], seed=seed)
    assert outcome in {0b00, 0b11}
    assert q.probabilities(state)[15 * (outcome & 1)] == pytest.approx(1)
    assert q.measure(state, 2, seed=seed + 9)[0] == outcome & 1


def test_qubits_are_measured_one_by_one_from_an_iterator():
    state = q.run(q.zeros(3, nodes=2), [("x", 1)])
    outcome, after = q.measure(state, iter([0, 1]))
    assert outcome == 0b01
    assert np.isclose(q.probabilities(after)[0b010], 1)


@pytest.mark.parametrize("along", [True, False])
def test_outcomes_one_after_the_other_are_independent(along):
    """With the seed of the shot for both, or with one generator that is passed along."""
    state, rng = q.run(q.zeros(2), [("h", 0), ("h", 1)]), np.random.default_rng(0)
    counts = np.zeros((2, 2))
    for shot in range(400):
        first, after = q.measure(state, 0, rng if along else shot)
        second, _ = q.measure(after, 1, rng if along else shot)
        counts[first, second] += 1
    assert ((counts - 100) ** 2 / 100).sum() < 21  # as much has one of 10,000 such tables


def test_a_generator_draws_others_each_time():
    state, rng = q.run(q.zeros(8), [("h", k) for k in range(8)]), np.random.default_rng(0)
    assert q.sample(state, 20, rng).tolist() != q.sample(state, 20, rng).tolist()


def test_both_outcomes_are_measured():
    state = q.run(q.zeros(2, nodes=2), [("h", 1)])
    assert {q.measure(state, 1, seed=seed)[0] for seed in range(10)} == {0, 1}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda s: q.probabilities(s, [0, 0]), r"qubits are \(0, 0\): they must be different"),
        (lambda s: q.measure(s, range(11)), "11 qubits have 2.11 outcomes: 1 to 10 qubits are"),
        (lambda s: q.measure(s, []), "0 qubits have 2.0 outcomes: 1 to 10 .* name one"),
        (lambda _: q.probabilities(q.zeros(21)), "21 qubits have .*: 0 to 20 qubits are"),
        (lambda s: q.measure(s, 0, seed=-1), "seed is -1"),
        (lambda s: q.sample(s, -1), "shots is -1"),
        (lambda s: q.sample(s, 10**16), "shots is 1.*: this process has no room for so many"),
        (lambda s: q.sample(s, 10**30), "shots is 1.*: this process has no room for so many"),
        (lambda s: q.sample(0 * s, 5), "squared norm 0.0: nothing can be drawn"),
        (lambda s: q.measure(0 * s, 1), "squared norm 0.0: nothing can be drawn"),
        (
            lambda s: q.sample(gc.stack([s, s]), 3),
            r"payload \(2,\), which makes it several: one",
        ),
        (lambda s: q.measure(gc.stack([s, s]), 0), "makes it several: .* as in state.*, 0]"),
        (lambda s: q.probabilities(gc.stack([s, s])), "makes it several"),
        (lambda _: q.sample(WORDS, 3), "the state has dtype <U1: amplitudes are numbers"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call(q.zeros(3, nodes=4))
