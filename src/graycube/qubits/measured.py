"""What is measured: probabilities, samples and outcomes."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array import CubeArray
from graycube.array.ranks import facts_of, spread, together
from graycube.array.reducing.weighted import added
from graycube.errors import InvalidValueError
from graycube.gf2 import bit_indices, require_int, require_ints
from graycube.gf2.arrays import sums
from graycube.layout import Layout
from graycube.qubits.drawn import Seed, generator, pieces, require_norm, told
from graycube.qubits.gates import MOST, require_different
from graycube.qubits.homes import seat, word
from graycube.qubits.states import apply, require_one_state
from graycube.run import mpi
from graycube.texts import counted, in_digits

_Array = NDArray[Any]
_MOST_TOLD = 20  # qubits whose outcomes are listed: 8 MiB


def probabilities(state: CubeArray, qubits: Iterable[int] | None = None) -> NDArray[Any]:
    """How likely each outcome of some qubits is, or of all; collective, the same on all ranks.

    The first qubit is the highest bit of the outcome, as in matrices. All of them, if none are
    named, make the index of the amplitude.

    >>> from graycube.qubits import run, zeros
    >>> probabilities(run(zeros(2, nodes=2), [("h", 0), ("cx", 0, 1)]), [1]).round(3).tolist()
    [0.5, 0.5]
    """

    def prepare() -> tuple[tuple[int, ...], dict[str, object]]:
        layout = require_one_state(state)
        every = range(layout.p)[::-1]
        wanted = _listed(every if qubits is None else qubits, layout, range(_MOST_TOLD + 1))
        facts = facts_of("probabilities", layout, state.blocks)
        return wanted, {**facts, "qubits": wanted}

    return _outcomes(state, together(getattr(state, "comm", None), prepare))


def sample(state: CubeArray, shots: int, seed: Seed = 0) -> NDArray[np.int64]:
    """Indices drawn with the probabilities of a state; collective, the same on all ranks.

    They do not depend on the number of nodes. A generator draws others each time; it has to be
    in the same state on all ranks.

    >>> from graycube.qubits import run, zeros
    >>> sample(run(zeros(2, nodes=2), [("x", 1)]), shots=3).tolist()
    [2, 2, 2]
    """

    def prepare() -> tuple[tuple[int, np.random.Generator], dict[str, object]]:
        layout, count = require_one_state(state), require_int(shots, "shots", least=0)
        draw = generator(seed, range(layout.p))
        facts = {**facts_of("sample", layout, state.blocks), "shots": count}
        return (count, draw), {**facts, "seed": told(seed)}

    count, draw = together(getattr(state, "comm", None), prepare)
    in_order = Layout.consecutive(state.layout.p, state.layout.n)
    likely = state.with_blocks(_weights(state.blocks)).relayout(in_order)
    over = spread(state.comm)
    with np.errstate(all="ignore"):  # what one rank alone raises, the others wait for
        some = likely.blocks.sum(axis=1)
    totals = some if over is None else np.concatenate(over.allgather(some))
    length = require_norm(totals.sum())

    def here() -> tuple[_Array, dict[str, object]]:
        try:
            points, found = draw.random(count) * length, np.zeros(count, np.int64)
        except (MemoryError, ValueError):  # or more than NumPy can number
            raise InvalidValueError(
                f"shots is {in_digits(count)}",
                "this process has no room for so many",
                "draw fewer at a time, with one generator",
            ) from None
        nodes, rest = pieces(totals, points)
        for node, weights in zip(likely.nodes, likely.blocks, strict=True):
            own = nodes == node
            found[own] = node * len(weights) + pieces(weights, rest[own])[0]
        return found, {}

    found = together(state.comm, here)
    if over is not None:
        over.Allreduce(mpi().IN_PLACE, found)
    return found


def measure(
    state: CubeArray, qubits: int | Iterable[int], seed: Seed = 0
) -> tuple[int, CubeArray]:
    """An outcome of some qubits, and the state after it; collective, the same on all ranks.

    With the same seed, other qubits are drawn independently. Who measures again and again
    passes the same generator along: ``rng = np.random.default_rng(7)``, on all ranks.

    >>> from graycube.qubits import run, zeros
    >>> outcome, state = measure(run(zeros(2, nodes=2), [("h", 0), ("cx", 0, 1)]), 0)
    >>> bool(np.isclose(probabilities(state)[3 * outcome], 1))
    True
    """

    def prepare() -> tuple[tuple[tuple[int, ...], np.random.Generator], dict[str, object]]:
        layout = require_one_state(state)
        wanted = _listed(qubits, layout, range(1, MOST + 1))
        facts = {**facts_of("measure", layout, state.blocks), "qubits": wanted}
        return (wanted, generator(seed, wanted)), {**facts, "seed": told(seed)}

    wanted, draw = together(getattr(state, "comm", None), prepare)
    chances = _outcomes(state, wanted)
    point = draw.random(1) * require_norm(chances.sum())
    outcome = int(pieces(chances, point)[0][0])
    kept = np.zeros(len(chances))
    kept[outcome] = chances[outcome] ** -0.5
    return outcome, apply(state, np.diag(kept), wanted)


def _listed(
    qubits: int | Iterable[int], layout: Layout, counts: Sequence[int]
) -> tuple[int, ...]:
    """Different qubits, as many as can be looked at at once."""
    wanted = require_ints(qubits, "qubits")
    if len(wanted) not in counts:
        raise InvalidValueError(
            f"{counted(len(wanted), 'qubit')} have 2^{len(wanted)} outcomes",
            f"{counts[0]} to {counts[-1]} qubits are looked at at once",
            "name fewer, measure the others later, or use sample" if wanted else "name one",
        )
    return (*require_different(wanted, layout.p),)


def _outcomes(state: CubeArray, qubits: Sequence[int]) -> _Array:
    """How likely each outcome is, on all ranks; collective."""
    seats = [seat(state.layout, q) for q in qubits]
    used = reduce(or_, (one.slot for one in seats), 0)  # bits of the slot that tell outcomes
    steps = [word(one.slot >> k & 1 for one in seats) for k in bit_indices(used)]

    def here() -> _Array:
        found, outcomes = np.zeros(1 << len(qubits)), sums(steps)
        for node, weights in zip(state.nodes, _weights(state.blocks), strict=True):
            known = word(one.at(node) for one in seats)
            found += np.bincount(outcomes ^ known, _folded(weights, used), len(found))
        return found

    return added(state, here, np.dtype(float))


def _weights(blocks: _Array) -> _Array:
    """How likely each slot of some nodes is: a sum of squares, in double precision."""
    with np.errstate(all="ignore"):  # what one rank alone raises, the others wait for
        found: _Array = np.square(blocks.real, dtype=float)
        if np.iscomplexobj(blocks):
            found += np.square(blocks.imag, dtype=float)
    return found


def _folded(weights: _Array, kept: int) -> _Array:
    """The sums over slots that are alike in some bits, the highest of the others first."""
    for k in reversed(range(len(weights).bit_length() - 1)):
        if not kept >> k & 1:
            halves = weights.reshape(-1, 2, 1 << k)
            weights = (halves[:, 0] + halves[:, 1]).ravel()
    return weights
