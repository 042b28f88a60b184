"""What is measured: probabilities, samples, outcomes and expected values."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, nodes_here, spread, together
from graycube.errors import InvalidValueError
from graycube.gf2 import require_int, require_ints
from graycube.layout import Layout
from graycube.qubits.gates import MOST, require_different
from graycube.qubits.states import apply, require_qubits

_MOST_TOLD = 20  # qubits whose outcomes are listed: 8 MiB


def probabilities(state: CubeArray, qubits: Iterable[int] | None = None) -> NDArray[Any]:
    """How likely each outcome of some qubits is, or of all; collective, the same on all ranks.

    The first qubit is the highest bit of the outcome, as in matrices. All of them, if none are
    named, make the index of the amplitude.

    >>> from graycube.qubits import run, zeros
    >>> probabilities(run(zeros(2, nodes=2), [("h", 0), ("cx", 0, 1)]), [1]).round(3).tolist()
    [0.5, 0.5]
    """
    return _probabilities(state, qubits, _MOST_TOLD)


def sample(state: CubeArray, shots: int, seed: int = 0) -> NDArray[np.int64]:
    """Indices drawn with the probabilities of a state; collective, the same on all ranks.

    >>> from graycube.qubits import run, zeros
    >>> sample(run(zeros(2, nodes=2), [("x", 1)]), shots=3).tolist()
    [2, 2, 2]
    """

    def prepare() -> tuple[tuple[int, list[tuple[int, Any]]], dict[str, object]]:
        layout, count = require_qubits(state), require_int(shots, "shots", least=0)
        start = require_int(seed, "seed", least=0)
        facts = {**facts_of("sample", layout, state.blocks), "shots": count, "seed": start}
        return (count, [*_weights(state)]), facts

    count, weights = together(getattr(state, "comm", None), prepare)
    layout: Layout = state.layout
    totals = _of_all_ranks(state, [float(weight.sum()) for _, weight in weights])
    draw = np.random.default_rng(seed)
    shares = draw.multinomial(count, np.array(totals) / _norm(sum(totals)))
    own = [
        layout.index(np.array(node), _drawn(weight, int(shares[node]), [seed, node]))
        for node, weight in weights
    ]
    found = np.concatenate(_of_all_ranks(state, own)).astype(np.int64)
    return draw.permutation(found)


def measure(
    state: CubeArray, qubits: int | Iterable[int], seed: int = 0
) -> tuple[int, CubeArray]:
    """An outcome of some qubits, and the state after it; collective, the same on all ranks.

    >>> from graycube.qubits import run, zeros
    >>> outcome, state = measure(run(zeros(2, nodes=2), [("h", 0), ("cx", 0, 1)]), 0)
    >>> bool(np.isclose(probabilities(state)[3 * outcome], 1))
    True
    """
    named = [qubits] if isinstance(qubits, int | np.integer) else qubits
    chances = _probabilities(state, named, MOST, seed)
    outcome = int(
        np.random.default_rng(seed).choice(len(chances), p=chances / _norm(chances.sum()))
    )
    kept = np.zeros(len(chances))
    kept[outcome] = chances[outcome] ** -0.5
    return outcome, apply(state, np.diag(kept), named)


def expectation(
    state: CubeArray, matrix: ArrayLike | str, qubits: int | Iterable[int]
) -> complex:
    """The expected value of a matrix on some qubits, or of a word such as "zz"; collective.

    >>> from graycube.qubits import run, zeros
    >>> bell = run(zeros(2, nodes=2), [("h", 0), ("cx", 0, 1)])
    >>> round(expectation(bell, "zz", (0, 1)).real, 9)
    1.0
    """
    after = apply(state, matrix, qubits)
    before = state if state.layout == after.layout else state.relayout(after.layout)
    return complex(np.vdot(before, after))


def _probabilities(
    state: CubeArray, qubits: Iterable[int] | None, most: int, seed: int = 0
) -> NDArray[Any]:
    """How likely each outcome of at most so many qubits is, if all ranks have the same seed."""

    def prepare() -> tuple[NDArray[Any], dict[str, object]]:
        layout, start = require_qubits(state), require_int(seed, "seed", least=0)
        wanted = _listed(qubits, layout, most)
        found = np.zeros(1 << len(wanted))
        for node, weights in _weights(state):
            index = layout.index(np.array(node), np.arange(layout.block_size))
            found += np.bincount(_outcomes(index, wanted), weights, len(found))
        facts = {**facts_of("probabilities", layout, state.blocks), "seed": start}
        return found, {**facts, "qubits": tuple(wanted)}

    own = together(getattr(state, "comm", None), prepare)
    over = spread(state.comm)
    return own if over is None else np.sum(over.allgather(own), axis=0)


def _listed(qubits: Iterable[int] | None, layout: Layout, most: int) -> Sequence[int]:
    """Qubits whose outcomes fit in memory, the highest bit first."""
    if qubits is None:
        wanted: Sequence[int] = range(layout.p)[::-1]
    else:
        wanted = require_ints(qubits, "qubits")
    if len(wanted) > most:
        raise InvalidValueError(
            f"{len(wanted)} qubits have 2^{len(wanted)} outcomes",
            f"at most {most} qubits are looked at at once",
            "name fewer, measure the others later, or use sample",
        )
    return require_different(wanted, layout.p)


def _norm(total: float) -> float:
    """What all probabilities add up to, if that is anything."""
    if not 0 < total < np.inf:
        raise InvalidValueError(
            f"the amplitudes have the squared norm {total}",
            "nothing can be drawn from a state without one",
            "look at the gates that made it",
        )
    return total


def _weights(state: CubeArray) -> list[tuple[int, NDArray[Any]]]:
    """How likely each slot of the nodes here is."""
    nodes = nodes_here(state.layout, state.comm)
    return [
        (node, (np.abs(block) ** 2).reshape(len(block), -1).sum(axis=1))
        for node, block in zip(nodes, state.blocks, strict=True)
    ]


def _outcomes(index: NDArray[Any], qubits: Sequence[int]) -> NDArray[Any]:
    found = np.zeros(len(index), np.intp)
    for qubit in qubits:
        found = found << 1 | index >> qubit & 1
    return found


def _of_all_ranks(state: CubeArray, own: list[Any]) -> list[Any]:
    """An entry for each node, those of all ranks in order."""
    over = spread(state.comm)
    return own if over is None else [entry for some in over.allgather(own) for entry in some]


def _drawn(weight: NDArray[Any], count: int, seed: Sequence[int]) -> NDArray[Any]:
    steps = np.cumsum(weight)
    points = np.random.default_rng(seed).random(count) * (steps[-1] if len(steps) else 0)
    return np.minimum(np.searchsorted(steps, points, side="right"), len(steps) - 1)
