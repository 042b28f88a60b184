"""A machine that explains measured rounds.

Rules. Start-up and rate minimise the relative error of the exchanges of neighbours, since sizes
differ by orders of magnitude; both are >= 0, and outliers count less than their square. Ports
and switching are those among which all measured ratios are nearest, as logarithms: a single
noisy ratio then decides nothing. Dimensions whose messages take clearly longer than those of
the one below are links of another kind, with figures of their own. Where one rank of a group
alone is clearly faster than all of them, the group shares a card. What a row costs is what
exchanges that gather rows take longer than those of one stretch and the same sizes, all in all:
those with most rows decide.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log, log2
from operator import attrgetter

import numpy as np

from graycube.errors import InvalidValueError
from graycube.machine import Machine
from graycube.machine.model import Switching
from graycube.measure.samples import Kind, RoundKind, Sample

_OUTLIER = 0.2  # relative errors above it count less than their square
_APART = 1.7  # links that differ by more are of two kinds
_SHARED = 1.5  # how much faster one rank is than all, at least, if they share a card
_NOTHING = 1e-6  # a share of the time that is none


def fit(samples: Iterable[Sample], dims: int, name: str = "calibrated") -> Machine:
    """The machine of 2^``dims`` ranks that explains the samples best.

    >>> truth = Machine(dims=1, startup=3e-6, per_byte=2e-9)
    >>> sizes = [8 << k for k in range(0, 18, 2)]
    >>> times = [truth.message_time(size) for size in sizes]
    >>> pairs = zip(sizes, times, strict=True)
    >>> found = fit([Sample("distance", 1, size, t) for size, t in pairs], dims=1)
    >>> f"{found.startup:.3g} {found.per_byte:.3g}"
    '3e-06 2e-09'
    """
    samples = list(samples)
    for sample in samples:
        if not 0 < sample.seconds < np.inf:
            raise InvalidValueError(
                f"{sample.label} takes {sample.seconds} s",
                "a round takes some time",
                "measure again",
            )
    links = _links(samples, dims, name)
    switching, ports = _switching(samples, links), _ports(samples, links)
    return replace(_with_ports(links, ports), switching=switching, per_row=_per_row(samples))


def ratios(samples: Iterable[Sample], kind: Kind) -> dict[tuple[int, int], float]:
    """Times over the time of the first of that kind and size, by count and size.

    >>> times = {1: 2.0, 2: 3.0, 3: 6.0}
    >>> ratios([Sample("at once", k, 8, times[k]) for k in times], "at once")
    {(1, 8): 1.0, (2, 8): 1.5, (3, 8): 3.0}
    """
    times = _times(samples, kind)
    return {(k, b): t / times[1, b] for (k, b), t in times.items() if (1, b) in times}


def _times(samples: Iterable[Sample], kind: Kind) -> dict[tuple[int, int], float]:
    return {(s.count, s.nbytes): s.seconds for s in samples if s.kind == kind}


def _cost(samples: Sequence[Sample]) -> tuple[float, float]:
    """Start-up and seconds per byte."""
    from scipy.optimize import least_squares, nnls  # noqa: PLC0415 - slow to import

    if len({s.nbytes for s in samples}) < 2:
        raise InvalidValueError(
            "the neighbours exchanged fewer than two sizes",
            "a start-up and a rate need two",
            "measure more sizes",
        )
    times = np.array([s.seconds for s in samples])
    terms = np.array([(1.0, s.nbytes) for s in samples]) / times[:, None]
    scale = terms.max(axis=0)  # both unknowns become numbers of about one
    terms /= scale
    start, _ = nnls(terms, np.ones(len(times)))
    found = least_squares(
        lambda unknowns: np.log(terms @ unknowns),
        np.maximum(start, 1e-9),
        bounds=(0, np.inf),
        loss="soft_l1",
        f_scale=_OUTLIER,
        xtol=1e-12,
    )
    unknowns = np.where(found.x < _NOTHING, 0.0, found.x)  # the search stops short of zero
    startup, per_byte = (unknowns / scale).tolist()
    return startup, per_byte


def _links(samples: Sequence[Sample], dims: int, name: str) -> Machine:
    """What links cost and who shares them: all alike, or dimension by dimension.

    Neighbouring dimensions belong together unless the times of one are ``_APART`` times those
    of the other, for the smallest messages or for the largest, and more where repeats differ.
    """
    alone = {d: [s for s in samples if s.kind == "alone" and s.count == d] for d in range(dims)}
    levels = [[0]]
    for d in range(1, dims):
        if _apart(alone[d - 1], alone[d]):
            levels.append([])
        levels[-1].append(d)
    if len(levels) == 1:
        startup, rate = _cost([s for s in samples if s.kind == "distance" and s.count == 1])
        return Machine(dims, startup=startup, per_byte=rate, name=name)
    each = []
    for level in levels:
        startup, rate = _cost([s for d in level for s in alone[d]])
        ranks = _sharers(samples, level[0])
        each += [(startup, rate / ranks, ranks)] * len(level)
    startups, rates, shares = zip(*each, strict=True)
    machine = Machine(dims, startup=startups, per_byte=rates, name=name)
    return replace(machine, share=shares) if max(shares) > 1 else machine


def _sharers(samples: Sequence[Sample], first: int) -> int:
    """How many ranks have a card together over dimensions from ``first`` on.

    They differ in bits below these, so each card has one of every 2^``first`` ranks to serve.
    """
    faster = alone_over_lone(samples)
    lone = [s for s in samples if s.kind == "lone" and s.count == first]
    largest = max(lone, key=attrgetter("nbytes"), default=None)
    if largest is None:
        return 1
    ratio = faster.get((first, largest.nbytes), 1.0)
    return 1 << min(round(log2(ratio)), first) if ratio >= _SHARED * (1 + largest.spread) else 1


def alone_over_lone(samples: Sequence[Sample]) -> dict[tuple[int, int], float]:
    """How much faster one rank of each group is than all, by dimension and size.

    >>> alone_over_lone([Sample("alone", 1, 8, 2.0), Sample("lone", 1, 8, 1.0)])
    {(1, 8): 2.0}
    """
    alone, lone = _times(samples, "alone"), _times(samples, "lone")
    return {key: alone[key] / lone[key] for key in lone if key in alone}


def _apart(near: Sequence[Sample], far: Sequence[Sample]) -> bool:
    """Whether times differ by more than the repeats of each do besides.

    Runs that were merged may have other sizes; only those that both have are compared.
    """
    times = {sample.nbytes: sample for sample in near}
    pairs = [(times[s.nbytes], s) for s in far if s.nbytes in times]
    pairs.sort(key=lambda both: both[0].nbytes)
    return any(
        abs(log(b.seconds / a.seconds)) > log(_APART * (1 + a.spread) * (1 + b.spread))
        for a, b in pairs[:1] + pairs[-1:]
    )


def _switching(samples: Sequence[Sample], links: Machine) -> Switching:
    """Circuits, unless the times grow with the distance as if hop by hop."""
    measured = ratios(samples, "distance")
    circuits = _misfit(measured, "distance", replace(links, switching="circuit"))
    return "store-and-forward" if _misfit(measured, "distance", links) < circuits else "circuit"


def _ports(samples: Sequence[Sample], links: Machine) -> int:
    """How many exchanges overlap where bytes decide: at the largest size."""
    measured = ratios(samples, "at once")
    largest = max((nbytes for _, nbytes in measured), default=0)
    measured = {key: value for key, value in measured.items() if key[1] == largest}
    ports = range(1, max(links.dims, 1) + 1)  # of those that fit alike the fewest
    return min(ports, key=lambda k: _misfit(measured, "at once", _with_ports(links, k)))


def _with_ports(links: Machine, ports: int) -> Machine:
    """The machine with so many ports; a card that ranks share has one."""
    if isinstance(links.share, int):
        return replace(links, ports="all" if ports == links.dims > 1 else ports)
    each = [min(ports, len(dims)) for dims, _ in links.levels for _ in dims]
    shared = zip(each, links.share, strict=True)
    return replace(links, ports=tuple(1 if share > 1 else p for p, share in shared))


def _per_row(samples: Sequence[Sample]) -> float:
    """Seconds for each row, beyond those of a message that is one stretch."""
    one = _times(samples, "distance")
    rows = [s for s in samples if s.kind == "rows" and (1, s.nbytes) in one]
    longer = sum(s.seconds - one[1, s.nbytes] for s in rows)
    if longer <= _NOTHING * sum(s.seconds for s in rows):
        return 0.0
    return longer / sum(s.count for s in rows)


def _misfit(measured: dict[tuple[int, int], float], kind: Kind, machine: Machine) -> float:
    """How far the ratios to the first of a kind are from those on the machine."""

    def expected(count: int, nbytes: int) -> float:
        first = RoundKind(kind, 1, nbytes).predicted(machine)
        return RoundKind(kind, count, nbytes).predicted(machine) / first if first else 1.0

    return sum(log(ratio / expected(*key)) ** 2 for key, ratio in measured.items())
