"""The paper's communication as schedules: rounds whose messages are counted.

In a butterfly stage every node needs the block of its partner. It comes dimension by dimension,
whole, over the dimensions that separate the two in the layout; each is a round.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.papers.codes import digits_reversed
from graycube.run import apply
from graycube.schedule import Way, hop
from graycube.schedule.replication import of_ways

Mapping = Literal["FFT", "BRGC"]
"""The paper's names of binary code and of the binary-reflected Gray code."""
MAPPINGS: tuple[Mapping, ...] = ("FFT", "BRGC")
Hops = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]
"""The messages of a round: the nodes that send, and what each flips of its number."""


def placed(n: int, d: int, mapping: Mapping) -> gc.Layout:
    """2^n elements on a d-cube, consecutive ones together."""
    return gc.Layout.consecutive(n, d, nodes="binary" if mapping == "FFT" else "gray")


def partner(layout: gc.Layout, stage: int, block: int, itemsize: int = 1) -> gc.Schedule:
    """Every block to the node whose indices differ from its own in bit ``stage``."""
    change = layout.node_change(1 << stage)
    across = AffineMap(Matrix.identity(layout.p), change)
    dims = [dim for dim in reversed(range(layout.n)) if change >> dim & 1]
    everywhere = [Exchange(1 << dim, when=0, want=0) for dim in dims]
    task = gc.Task(layout, across @ layout, block, itemsize)
    return _in_rounds(task, "partner", block, len(dims), everywhere)


def fft_rounds(layout: gc.Layout, block: int, itemsize: int = 1) -> list[gc.Schedule]:
    """The stages of an FFT whose partners are on other nodes, in order."""
    stages = [j for j in reversed(range(layout.p)) if layout.node_change(1 << j)]
    return [partner(layout, stage, block, itemsize) for stage in stages]


def transform(layout: gc.Layout, x: NDArray[Any]) -> NDArray[np.complex128]:
    """The FFT, bit-reversed, computed from the blocks that the rounds bring."""
    blocks: NDArray[np.complex128] = layout.scatter(x).astype(np.complex128)
    index = layout.index(*np.indices(blocks.shape))
    for stage in reversed(range(layout.p)):
        if layout.node_change(1 << stage):
            other = apply(partner(layout, stage, layout.block_size), blocks)
        else:
            other = blocks[layout.locate(index ^ 1 << stage)]
        angle = (index & (1 << stage) - 1) / (2 << stage)
        upper = (other - blocks) * np.exp(-2j * np.pi * angle)
        blocks = np.where(index >> stage & 1, upper, blocks + other)
    gathered: NDArray[np.complex128] = layout.gather(blocks)
    return gathered


def makes_transform(layout: gc.Layout) -> bool:
    """Whether what the rounds bring makes the Fourier transform."""
    x = np.random.default_rng(layout.p).standard_normal(1 << layout.p)
    return np.allclose(transform(layout, x)[digits_reversed(layout.p)], np.fft.fft(x))


def neighbour_rounds(layout: gc.Layout) -> list[Hops]:
    """The last element of every block to the node of the next one, lowest dimension first."""
    here = layout.locate(np.arange(1 << layout.n) << layout.p - layout.n)[0]
    there = np.roll(here, -1)
    rounds: list[Hops] = []
    while np.any(here != there):
        step = (here ^ there) & -(here ^ there)
        rounds.append((here[step > 0], step[step > 0]))
        here = here ^ step
    return rounds


def steps(d: int) -> list[Exchange]:
    """Section 6, from BRGC to FFT: stage j in dimension d - 2 - j, where bit d - 1 - j is 1."""
    return [Exchange(1 << dim, when=2 << dim) for dim in reversed(range(d - 1))]


def conversion(d: int, block: int, unit: int, itemsize: int = 1) -> gc.Schedule:
    """The same in units of so many elements of the block, each a round behind the other.

    A whole block is one unit.
    """
    task = gc.Task(gc.Layout.nodes(d, "gray"), gc.Layout.nodes(d), block, itemsize)
    made = steps(d)
    rounds = -(-block // unit) + len(made) - 1 if made else 0
    return _in_rounds(task, "section 6", unit, rounds, made)


def planned(start: gc.Layout, end: gc.Layout, block: int) -> gc.Schedule:
    """The planner's conversion in whole blocks, on one port."""
    machine = gc.Machine(dims=start.n)
    return of_ways(gc.plan(start, end, block, machine=machine, algorithm="gb1").schedule)


def _in_rounds(
    task: gc.Task, name: str, unit: int, rounds: int, steps: list[Exchange]
) -> gc.Schedule:
    """All of the block through these exchanges, in rounds of ``unit`` cycles."""
    hops = tuple(hop(unit * j, exchange, task.n) for j, exchange in enumerate(steps))
    cycles = range(0, unit * rounds, unit)
    return gc.Schedule(task, name, cycles, unit * rounds, (Way(0, task.block, hops),))
