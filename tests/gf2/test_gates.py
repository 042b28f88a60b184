"""Circuits of X, CNOT and SWAP: what gates do to indices, and a plan to amplitudes."""

import contextlib

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from strategies import affine_map, affine_parts
from sweeping import examples

import graycube as gc

MANY = settings(max_examples=examples(150))
NAMES = {"x": 1, "not": 1, "cx": 2, "cnot": 2, "swap": 2}


@st.composite
def circuits(draw, bits):
    """Gates on so many qubits, at random."""
    names = [name for name, qubits in NAMES.items() if qubits <= bits]
    gates = []
    for _ in range(draw(st.integers(0, 3 * bits)) if names else 0):
        name = draw(st.sampled_from(names))
        qubits = draw(st.permutations(range(bits)))[: NAMES[name]]
        gates.append((name, *qubits))
    return gates


def done_to(index, gates):
    """One gate after the other on the bits of a basis index, from the definitions."""
    bits = {}
    for name, *qubits in gates:
        for q in qubits:
            bits.setdefault(q, index >> q & 1)
        if name in ("x", "not"):
            bits[qubits[0]] = 1 - bits[qubits[0]]
        elif name in ("cx", "cnot"):
            control, target = qubits
            if bits[control]:
                bits[target] = 1 - bits[target]
        else:
            one, other = qubits
            bits[one], bits[other] = bits[other], bits[one]
    kept = sum(1 << q for q in range(index.bit_length()) if q not in bits and index >> q & 1)
    return kept + sum(bit << q for q, bit in bits.items())


def state_after(state, gates):
    """The state vector, gate by gate, as a tensor with one axis for each qubit."""
    count = len(state).bit_length() - 1
    tensor = state.reshape((2,) * count)
    for name, *qubits in gates:
        axes = [count - 1 - q for q in qubits]  # the highest qubit is the first axis
        if name in ("x", "not"):
            tensor = np.flip(tensor, axes[0])
        elif name in ("cx", "cnot"):
            ones = tuple(1 if axis == axes[0] else slice(None) for axis in range(count))
            tensor = tensor.copy()
            tensor[ones] = np.flip(tensor[ones], axes[1] - (axes[1] > axes[0]))
        else:
            tensor = np.swapaxes(tensor, *axes)
    return tensor.reshape(-1)


def written(gates, style):
    """The circuit as text, in one of the ways to write it."""
    opening, between, closing, end = style
    statements = []
    for name, *qubits in gates:
        wires = between.join(f"{opening}{q}{closing}" for q in qubits)
        statements.append(f"{name} {wires}{end}")
    return "".join(statements)


@given(st.integers(0, 7).flatmap(lambda bits: st.tuples(st.just(bits), circuits(bits))))
@MANY
def test_a_circuit_does_to_every_index_what_its_gates_do(case):
    bits, gates = case
    made = gc.circuit(gates, bits)
    assert made.width == bits
    assert [made(i) for i in range(1 << bits)] == [done_to(i, gates) for i in range(1 << bits)]


@given(
    st.integers(1, 6).flatmap(lambda bits: st.tuples(st.just(bits), circuits(bits))),
    st.sampled_from(
        [
            ("q[", ", ", "]", "; "),
            ("", " ", "", "\n"),
            ("q[", " ", "]", ";\n\n"),
            ("", ",", "", ";"),
        ]
    ),
)
@MANY
def test_text_and_lists_of_gates_are_the_same_circuit(case, style):
    bits, gates = case
    text = written(gates, style)
    assert gc.circuit(text, bits) == gc.circuit(gates, bits)
    assert gc.circuit(text.upper().replace("Q", "q"), bits) == gc.circuit(gates, bits)


@given(st.integers(1, 6).flatmap(lambda bits: st.tuples(st.just(bits), circuits(bits))))
@MANY
def test_the_gates_in_reverse_are_the_inverse(case):
    """X, CNOT and SWAP undo themselves."""
    bits, gates = case
    there, back = gc.circuit(gates, bits), gc.circuit(gates[::-1], bits)
    assert back == there.inverse()
    cut = len(gates) // 2
    halves = gc.circuit(gates[:cut], bits), gc.circuit(gates[cut:], bits)
    assert halves[1] @ halves[0] == there


@st.composite
def simulations(draw):
    """A layout of amplitudes on nodes, a circuit, and how many amplitudes stand together."""
    n = draw(st.integers(0, 4))
    bits = n + draw(st.integers(1, 4))
    layout = gc.Layout(affine_map(*draw(affine_parts(bits))), n)
    return layout, draw(circuits(bits)), draw(st.sampled_from([1, 2, "all"]))


@pytest.mark.long
@given(simulations())
@MANY
def test_a_plan_moves_amplitudes_as_the_circuit_does(case):
    """Amplitude i goes to where i was mapped; then the layout is the old one again."""
    layout, gates, ports = case
    bits = layout.p
    circuit = gc.circuit(gates, bits)
    state = np.exp(1j * np.arange(1 << bits))
    machine = gc.Machine(dims=layout.n, ports=1 if ports == 2 and layout.n < 2 else ports)
    plan = gc.plan(layout, layout @ circuit, layout.block_size, machine=machine)
    assert plan.verify()
    moved = plan.apply(layout.scatter(state))
    assert np.array_equal(layout.gather(moved), state_after(state, gates))
    assert np.array_equal((layout @ circuit).gather(moved), state)


@pytest.mark.long
@given(simulations())
@MANY
def test_a_circuit_taken_into_the_layout_moves_nothing(case):
    """The same blocks, read by L C^-1, are the state after the circuit."""
    layout, gates, _ = case
    circuit = gc.circuit(gates, layout.p)
    state = np.exp(1j * np.arange(1 << layout.p))
    absorbed = layout @ circuit.inverse()
    assert np.array_equal(absorbed.gather(layout.scatter(state)), state_after(state, gates))
    machine = gc.Machine(dims=layout.n, startup=1.0)
    later = gc.plan(absorbed, layout, layout.block_size, machine=machine)
    now = gc.plan(layout, layout @ circuit, layout.block_size, machine=machine)
    assert later.task.move == now.task.move  # moving later is no dearer
    assert later.cost == now.cost


@pytest.mark.parametrize("n", range(1, 5))
def test_gates_on_memory_qubits_cost_nothing_and_swaps_half_a_block(n):
    layout = gc.Layout.cyclic(n + 3, n)  # the lowest qubits are those of the nodes
    machine = gc.Machine(dims=n)
    costs = {
        f"cx {n} {n + 1}; swap {n + 1} {n + 2}; x {n}": 0,
        f"cx 0 {n}": 0,  # a node qubit controls what is in memory
        f"swap 0 {n}": 4,
        f"cx {n} 0": 4,
        "x 0": 8,
    }
    for text, cycles in costs.items():
        target = layout @ gc.circuit(text, n + 3)
        plan = gc.plan(layout, target, 8, machine=machine)
        assert (plan.cycles, plan.cost) == (cycles, plan.lower_bound)


WRONG_TEXTS = (
    "h 0",
    "ccx 0 1 2",
    "x",
    "x -1",
    "x 3",
    "x 0 1",
    "cx 0",
    "cx 1 1",
    "swap 0 0",
    "x 0.5",
    "x 99999",
    "rz(0.5) 0",
    "x 0 //",
    "0 x",
    ";x 0;;!",
    "x \u0660",
    "\uff58 0",
    "x 0\x00",
)
WRONG_GATES = (
    None,
    5,
    b"x 0",
    [5],
    [None],
    ["x 0"],
    [()],
    [("x",)],
    [("x", "0")],
    [("x", 0.0)],
    [("x", True)],
    [("x", None)],
    [("x", 3)],
    [("x", -1)],
    [("x", 10**40)],
    [("cx", 0, 0)],
    [("cx", 0)],
    [("X", 0)],
    [([], 0)],
    [({}, 0)],
    [(None, 1)],
    [("x", [0])],
    {"x": 0},
)


def refused(gates, bits):
    with pytest.raises(gc.GraycubeError) as caught:
        gc.circuit(gates, bits)
    error = caught.value
    assert all(
        isinstance(part, str) and part for part in (error.found, error.limit, error.hint)
    )
    assert len(str(error)) < 400


@pytest.mark.parametrize("gates", [*WRONG_TEXTS, *WRONG_GATES])
def test_wrong_gates_are_refused_in_three_parts(gates):
    refused(gates, 3)


@pytest.mark.parametrize("bits", [-1, None, 1.0, True, "3", [3]])
def test_wrong_numbers_of_qubits_are_refused(bits):
    refused("x 0", bits)


@given(st.text(alphabet="xcnotswap q[]0123456789,;\n-.", max_size=40), st.integers(0, 12))
@example("x 0" * 40, 1)
@MANY
def test_any_text_is_a_circuit_or_refused(text, bits):
    with contextlib.suppress(gc.GraycubeError):
        assert gc.circuit(text, bits).matrix.is_invertible()


@pytest.mark.parametrize(
    "text",
    ["a" * 10**5, "x " + "0 " * 10**5, "x" + " " * 10**5 + "!", "x" + ",q[0" * 10**4 + "?"],
)
def test_long_statements_are_refused_at_once(text):
    refused(text, 2)
