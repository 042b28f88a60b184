"""Theorem 4, found by the planner: three strategies without being told of any.

The planner gets the program (k transforms, then l stencils of one neighbour, and back to where
it started), the two mappings, and the paper's ways of doing things: whole blocks to every
partner, conversion by GB1. It searches.
"""

from collections.abc import Iterator

import numpy as np

import graycube as gc

from .model import MAPPINGS
from .rounds import placed

SEED = 8702
METHODS = gc.Methods(fft="whole blocks", conversion="gb1")
NAMES = {"stay in FFT": "FFT", "stay in BRGC": "BRGC"}


def advice(  # noqa: PLR0913
    d: int, q: int, machine: gc.Machine, k: int, stencils: int, *, itemsize: int = 1
) -> gc.Advice:
    """What the planner says about the paper's program."""
    p = d + q.bit_length() - 1
    layouts = {str(mapping): placed(p, d, mapping) for mapping in MAPPINGS}
    program = [
        gc.Loop([gc.FFT(order="free")], k, name="k"),
        gc.Loop([gc.Stencil(reach=[(0, 1)])], stencils, name="l"),
    ]
    return gc.advise(
        program,
        machine=machine,
        size=1 << p,
        itemsize=itemsize,
        layouts=layouts,
        returns=True,
        methods=METHODS,
    )


def consulted(k: int, stencils: int, s: int, c: int, q: int, d: int) -> gc.Advice:  # noqa: PLR0913, PLR0917
    """The same for a machine of these costs."""
    return advice(d, q, gc.Machine(dims=d, startup=s, per_byte=c), k, stencils)


def chosen(found: gc.Advice) -> str:
    """The strategy of an advice, in the paper's terms."""
    return NAMES.get(found.strategy, "converted")


def cases(count: int) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Random k, l, s, c, q and d; half of them near a boundary of the theorem."""
    rng = np.random.default_rng(SEED)
    for number in range(count):
        d, q = int(rng.integers(1, 9)), 1 << int(rng.integers(0, 8))
        s, c = (int(10.0 ** rng.uniform(0, 5)) for _ in range(2))
        k = int(rng.integers(1, 6))
        ratio = (s + q * c) / (s + c)
        stencils = int(rng.integers(1, 20)) if number % 2 else round(rng.choice((k, 2)) * ratio)
        yield k, max(1, stencils + int(rng.integers(-1, 2))), s, c, q, d
