"""What the other modules share: the paper's exchanges on arrays, and prices counted from moves.

Rules. ``held[u]`` is what node u holds, with a column for each half of its block; an exchange
takes from the neighbour where a mask says so. Nothing here uses the library's algebra, so that
its schedules can be held against it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.papers.codes import Ints, ranks
from graycube.papers.library import Count, emitted, followed, task_of

Mask = NDArray[np.bool_]
ALGORITHMS = ("gb1", "gb2", "gb3")


class HalfStep(NamedTuple):
    """An exchange over a dimension: which nodes take part, for each half of their blocks."""

    name: str
    dimension: int
    where: tuple[Mask, ...]


def wanted(n: int, i: int) -> Mask:
    """Where GB1 exchanges in step i: bit i + 1 of the node's rank is 1."""
    found: Mask = ranks(n) >> (i + 1) & 1 == 1
    return found


def steps(algorithm: str, n: int) -> Iterator[HalfStep]:
    """The exchanges as sections 2.4, 3.2 and 3.3 describe them."""
    everywhere, nowhere = np.ones(1 << n, dtype=bool), np.zeros(1 << n, dtype=bool)
    normal = [(f"dimension {i}", i, wanted(n, i)) for i in range(n - 1)]
    if algorithm == "gb1":
        yield from (HalfStep(name, i, (where,)) for name, i, where in normal)
        return
    aside = n - 1 if algorithm == "gb2" else n - 2
    yield HalfStep("pre-exchange", aside, (nowhere, everywhere))
    yield from (HalfStep(name, i, (where, ~where)) for name, i, where in normal)
    if algorithm == "gb2":
        yield HalfStep("post-exchange", aside, (nowhere, everywhere))


def placements(algorithm: str, n: int) -> list[Ints]:
    """What every node holds before the first step and after each."""
    halves = 1 if algorithm == "gb1" else 2
    states = [np.repeat(ranks(n)[:, None], halves, axis=1)]
    for step in steps(algorithm, n):
        held, partner = states[-1], np.arange(1 << n) ^ 1 << step.dimension
        states.append(np.where(np.stack(step.where, axis=1), held[partner], held))
    return states


@lru_cache(maxsize=1 << 10)
def schedule(algorithm: str, n: int, block: int, ports: int = 1, kind: str = "") -> gc.Schedule:
    """The library's schedule; ``kind`` may be "circuit", "backwards" or both."""
    task = task_of((n,), block, backwards="backwards" in kind)
    return emitted(algorithm, task, machine(n, ports, kind))


def machine(n: int, ports: int = 1, kind: str = "") -> gc.Machine:
    """A machine with such nodes."""
    switching = "circuit" if "circuit" in kind else "store-and-forward"
    return gc.Machine(dims=n, ports=min(ports, n), switching=switching)  # type: ignore[arg-type]


@lru_cache(maxsize=1 << 10)
def counted(algorithm: str, n: int, block: int, ports: int = 1, kind: str = "") -> Count:
    """Start-ups and element transfers in sequence, counted from moves that are proved."""
    made = schedule(algorithm, n, block, ports, kind)
    return Count.of(made, followed(made, machine(n, ports, kind)))
