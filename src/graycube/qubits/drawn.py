"""What is drawn at random: all ranks draw the same, so nobody has to be told.

Rule: points are drawn on a line that is as long as all probabilities together, and each falls
into a piece. A node finds the pieces of its own points. So the same seed draws the same,
whatever the number of nodes.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import require_int

_Array = NDArray[Any]
Seed = int | np.random.Generator
"""A whole number from 0, or a generator that is in the same state on all ranks."""


def generator(seed: Seed, qubits: Iterable[int]) -> np.random.Generator:
    """The generator given, or a new one: of the same seed another one for other qubits.

    >>> generator(3, [0]).random() == generator(3, [1]).random()
    False
    >>> rng = np.random.default_rng()
    >>> generator(rng, [0]) is rng
    True
    """
    if isinstance(seed, np.random.Generator):
        return seed
    start = require_int(seed, "seed", least=0)
    return np.random.default_rng(np.random.SeedSequence(start, spawn_key=tuple(qubits)))


def told(seed: Seed) -> str:
    """What ranks have alike that draw the same.

    >>> told(3)
    '3'
    >>> told(np.random.default_rng(3)) == told(np.random.default_rng(4))
    False
    """
    if not isinstance(seed, np.random.Generator):
        return str(seed)
    state = repr(seed.bit_generator.state)
    return f"a generator in state {sha256(state.encode()).hexdigest():.12}"


def pieces(lengths: _Array, points: _Array) -> tuple[_Array, _Array]:
    """The pieces of a line into which points fall, and how far behind their beginnings.

    No point falls into a piece without length, and one behind the end falls into the last.

    >>> [found.tolist() for found in pieces(np.array([0, 2, 0, 1]), np.array([0, 2.5, 3]))]
    [[1, 3, 3], [0.0, 0.5, 1.0]]
    """
    ends = np.cumsum(lengths, dtype=float)
    inside = np.minimum(points, np.nextafter(ends[-1], 0))
    found = np.searchsorted(ends, inside, side="right")
    return found, points - np.where(found > 0, ends[found - 1], 0)


def require_norm(total: float) -> float:
    """What all probabilities add up to, if that is anything.

    >>> require_norm(1.0)
    1.0
    """
    if not 0 < total < np.inf:
        raise InvalidValueError(
            f"the amplitudes have the squared norm {total}",
            "nothing can be drawn from a state without one",
            "look at the gates that made it",
        )
    return total
