"""States over ranks are those of one process; the mistake of one rank is that of all."""

import numpy as np
from mpi_checks import checks, one_error
from qubit_cases import fourier, some_gates, some_layout

import graycube as gc
from graycube.errors import GraycubeError

Q = gc.qubits
P = 7


def states(comm):
    """The same circuits in random layouts, here and in one process."""
    n = comm.size.bit_length() - 1
    for seed in range(4):
        rng = np.random.default_rng(seed)
        layout = some_layout(rng, P, n)
        x = rng.standard_normal(1 << P) + 1j * rng.standard_normal(1 << P)
        gates = [*some_gates(rng, P, P - n, 12), *fourier(P)]
        alone = Q.run(gc.CubeArray.from_numpy(x, layout), gates)
        made = Q.run(gc.CubeArray.from_numpy(x, layout, comm), gates)
        same = made.layout == alone.layout
        yield same, f"{seed}: another layout"
        yield np.allclose(made.blocks[0], alone.blocks[made.nodes[0]]), f"{seed}: {made!r}"


def measured(comm):
    """The same on all ranks, and as in one process."""
    gates = [("h", 0), ("cx", 0, P - 1), (Q.ry(0.3), 3)]
    over = Q.run(Q.zeros(P, comm=comm), gates)
    alone = Q.run(Q.zeros(P, nodes=comm.size), gates)
    for name, call in {
        "all": Q.probabilities,
        "some": lambda s: Q.probabilities(s, [3, 0]),
        "sample": lambda s: Q.sample(s, 100, seed=2),
        "no sample": lambda s: Q.sample(s, 0),
        "a generator's": lambda s: Q.sample(s, 100, np.random.default_rng(2)),
        "measure": lambda s: Q.measure(s, [0, 3], seed=1)[0],
        "after": lambda s: Q.probabilities(Q.measure(s, [0, 3], seed=1)[1]),
        "expectation": lambda s: Q.expectation(s, "zxz", (0, 3, P - 1)),
        "of all": lambda s: Q.expectation(s, "xzyiyzx", range(P)),
        "of a matrix": lambda s: Q.expectation(s, Q.ry(0.2), P - 1),
    }.items():
        found = call(over)
        yield np.allclose(found, call(alone)), f"{name}: {found}"
        everywhere = comm.allgather(np.asarray(found).tobytes())
        yield len(set(everywhere)) == 1, f"{name}: ranks differ"


def mistakes(comm):
    """All ranks hear of what one of them got wrong."""
    state, last = Q.zeros(P, comm=comm), comm.rank == comm.size - 1
    for wrong, right in (
        (lambda: Q.apply(state, "h", 0), lambda: Q.apply(state, "h", 1)),
        (lambda: Q.apply(state, "h", P), lambda: Q.apply(state, "h", 1)),
        (lambda: Q.apply(state, Q.rx(0.1), 1), lambda: Q.apply(state, Q.rx(0.2), 1)),
        (lambda: Q.sample(state, 4), lambda: Q.sample(state, 5)),
        (lambda: Q.apply(state, "h", None), lambda: Q.apply(state, "h", 1)),
        (lambda: Q.zeros(0, comm=comm), lambda: Q.zeros(P, comm=comm)),
        (lambda: Q.zeros(P, nodes=2 * comm.size, comm=comm), lambda: Q.zeros(P, comm=comm)),
        (lambda: Q.zeros(P, comm=comm, dtype="foo"), lambda: Q.zeros(P, comm=comm)),
        (lambda: Q.zeros(60, comm=comm), lambda: Q.zeros(P, comm=comm)),
        (lambda: Q.measure(state, range(11)), lambda: Q.measure(state, [0])),
        (lambda: Q.expectation(state, "z", 0), lambda: Q.expectation(state, "x", 0)),
        (lambda: Q.expectation(state, "z", 0), lambda: Q.expectation(state, "h", 0)),
        (
            lambda: Q.sample(state, 3, np.random.default_rng(1)),
            lambda: Q.sample(state, 3, np.random.default_rng(2)),
        ),
        (lambda: Q.measure(state, [0], seed=3), lambda: Q.measure(state, [0])),
        (lambda: Q.probabilities(state, [0]), lambda: Q.probabilities(state, [1])),
        (
            lambda: Q.expectation(gc.stack([state]), "h", 0),
            lambda: Q.expectation(state, "h", 0),
        ),
    ):
        if comm.size > 1:
            yield from one_error(comm, wrong if last else right, GraycubeError)
    if comm.size > 1:
        some, turn = ([("h", 0), (Q.rx(angle), 1)] for angle in (0.1, 0.2))
        found = "the step 1 of the gates is on qubits (1,)"
        yield from one_error(
            comm, lambda: Q.run(state, turn if last else some), GraycubeError, found
        )
    yield np.isclose(Q.probabilities(Q.apply(state, "x", 0))[1], 1), "afterwards"


def small(comm):
    """Amplitudes that are too small for doubles, on one rank, where NumPy is told to raise."""
    x = np.zeros(1 << P)
    x[0], x[-1] = 1e-300, 1
    state = gc.CubeArray.from_numpy(x, Q.zeros(P, comm=comm).layout, comm)
    with np.errstate(all="raise"):
        found = Q.run(state, [(Q.ry(1e-20), 0), ("h", P - 1)])
        yield np.isclose(Q.expectation(found, "z", 0), -1), "expectation"
        yield np.isclose(Q.probabilities(found, [1])[1], 1), "probabilities"


CHECKS = checks((1, 2, 4, 8), states, measured, mistakes, small)
