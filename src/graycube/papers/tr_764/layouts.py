"""The library's layouts of the eight allocations, by the names of Table 1."""

import numpy as np

import graycube as gc
from graycube.layout import ALLOCATIONS
from graycube.papers.codes import Ints


def named(kind: str, encoding: str, p: int, n: int) -> gc.Layout:
    """The layout of that name."""
    (row,) = (a for a in ALLOCATIONS if (a.kind, a.encoding) == (kind, encoding))
    return row.layout(p, n)


def by_library(kind: str, encoding: str, p: int, n: int) -> Ints:
    """The address of every element."""
    layout = named(kind, encoding, p, n)
    node, slot = (np.asarray(x) for x in layout.locate(np.arange(1 << p)))
    address: Ints = slot << n | node
    return address
