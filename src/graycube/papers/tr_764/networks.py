"""What the library says about networks: layouts by the names of Table 1, schedules, bounds."""

from functools import lru_cache

import numpy as np

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.layout import ALLOCATIONS
from graycube.papers.codes import Ints
from graycube.papers.library import cycles_of
from graycube.table.networks.state import Code

CODES: tuple[Code, ...] = ("binary", "gray")
NODES = "Binary || Gray"
LOCAL, INTER = gc.Method(), gc.Method("inter-node")


def bits(K: int) -> int:
    """The slot bits of so many elements on a node."""
    return K.bit_length() - 1


def named(kind: str, encoding: str, p: int, n: int) -> gc.Layout:
    """The layout of that name."""
    (row,) = (a for a in ALLOCATIONS if (a.kind, a.encoding) == (kind, encoding))
    return row.layout(p, n)


def by_library(kind: str, encoding: str, p: int, n: int) -> Ints:
    """The address of every element."""
    node, slot = named(kind, encoding, p, n).locate(np.arange(1 << p))
    return np.asarray(slot << n | node)


def bound(kind: str, encoding: str, n: int, K: int, *, descending: bool = True) -> int:
    """Cycles that every network needs with the stages in this order."""
    layout = named(kind, encoding, n + bits(K), n)
    stages = range(layout.p)
    return butterfly_cycles(layout, 0, K, n, stages[::-1] if descending else stages)


@lru_cache(maxsize=4096)
def proved(  # noqa: PLR0913, PLR0917
    kind: str,
    encoding: str,
    n: int,
    K: int,
    method: gc.Method,
    output: Code = "binary",
    *,
    descending: bool = True,
) -> int:
    """The cycles of the library's schedule, which is proved first."""
    layout = named(kind, encoding, n + bits(K), n)
    made = gc.emulation(layout, method=method, output=output, descending=descending)
    return cycles_of(made, gc.Machine(n, ports="all"))
