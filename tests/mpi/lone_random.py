"""Random transforms along an axis that stays over its nodes, with SciPy's errors.

The roads that they take are counted: a draw that never comes to one says nothing about it.
"""

from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
from mpi_checks import checks
from random_transforms import WORST, excess, factors, lone_layout, random_case

from graycube.fourier import lone, lone_cosine, real, transform
from graycube.layout import Ownership

ROADS = {
    "complex": (transform, "over_nodes"),
    "half": (real, "half_spectrum"),
    "from half": (real, "from_half"),
    "cosines": (lone_cosine, "cosines"),
    "cosines back": (lone_cosine, "cosines_back"),
    "convolution": (lone, "_chirped"),
}
SUMMED, OF_SUMMED = range(101, 230), 2.25
"""Points whose largest prime factor is one of these may have so many times SciPy's error.

SciPy's real transforms sum such factors up directly. ducc0 and SciPy's complex ones take a
convolution, in memory too, which has up to 2.2 times the error.
"""
OF_CONVOLUTION = 1.75
"""A convolution of ours may have so many times SciPy's error."""
FEW = 60
COUNTS = {2: 3000, 3: 3000, 6: 2500, 8: 1500}


def drawn(comm, count):
    """Each case, with its error on rank 0 and the roads that it took."""
    rng = np.random.default_rng(comm.size)
    for _ in range(count):
        case = random_case(rng, lone_layout(rng, 3000, comm.size), types=(2, 3))
        taken = set()
        with ExitStack() as stack:
            for road, place in ROADS.items():
                stack.enter_context(_noted(*place, road, taken))
            found = case.ours(comm).to_numpy()
        yield case, 0.0 if comm.rank else excess(case, found), taken


def _noted(module, name, road, taken):
    work = getattr(module, name)

    def noted(*args, **options):
        taken.add(road)
        return work(*args, **options)

    return patch.object(module, name, noted)


def few(comm):
    """Some of each kind."""
    for case, error, taken in drawn(comm, FEW):
        yield error <= worst(case, taken), f"{error}: {case}"


def many(comm):
    """All of them, on every road by ownership and by cube."""
    roads = Counter()
    for case, error, taken in drawn(comm, COUNTS[comm.size]):
        yield error <= worst(case, taken), f"{error}: {case}"
        roads.update((road, isinstance(case.layout, Ownership)) for road in taken)
    cubes = (True, False) if comm.size & (comm.size - 1) == 0 else (True,)
    for road in ROADS:
        for owned_layout in cubes:
            taken = roads[road, owned_layout]
            yield taken >= COUNTS[comm.size] // 200, f"{road} {owned_layout}: {taken} times"


def worst(case, taken):
    """How many times SciPy's error a case may have."""
    if "convolution" in taken:
        return OF_CONVOLUTION
    return OF_SUMMED if max(factors(n)[-1] for n in case.points) in SUMMED else WORST


CHECKS = checks((4,), few) | checks(tuple(COUNTS), many)
