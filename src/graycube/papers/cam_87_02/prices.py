"""Section 8: times counted from proved schedules, held against the paper's formulas.

What is counted are the start-ups in sequence and the elements in sequence, as integers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

import graycube as gc
from graycube.papers import compared, require, tried
from graycube.papers.checks import Check
from graycube.papers.library import Count, proved
from graycube.verify import check_algebra

from .rounds import MAPPINGS, Mapping, conversion, fft_rounds, neighbour_rounds, placed, planned

DELTA: dict[int, Mapping] = dict(enumerate(MAPPINGS, 1))


@dataclass(frozen=True, slots=True)
class Costs:
    """The paper's s, c and a: of a message, of an element in it, of an element in a stage."""

    startup: Fraction
    transfer: Fraction
    arithmetic: Fraction = Fraction(0)


def counted(schedules: Iterable[gc.Schedule], machine: gc.Machine) -> Count:
    """What schedules one after the other take, each of them proved for the machine's ports."""
    return sum((Count.of(proved(made, machine)) for made in schedules), Count(0, 0))


@cache
def transforms(d: int, q: int, mapping: Mapping) -> Count:
    """The sends of an FFT with q elements on each node, any number."""
    return in_layout(placed(d, d, mapping), q)


def split(costs: Costs, n: int, d: int, mapping: Mapping) -> tuple[Fraction, Fraction]:
    """T_fft of 2^n elements on a d-cube: what a node computes, and the sends."""
    q = 1 << n - d
    sent = transforms(d, q, mapping).price(costs.startup, costs.transfer)
    return q * n * costs.arithmetic, sent


@cache
def in_layout(layout: gc.Layout, q: int) -> Count:
    """The sends of an FFT, with blocks of q that each node of the layout holds."""
    return counted(fft_rounds(layout, q), gc.Machine(dims=layout.n))


@cache
def stencil(d: int, mapping: Mapping) -> Count:
    """The sends of a nearest-neighbour computation: each round of a port, link by link."""
    layout = placed(d + 1, d, mapping)  # only the last one of a block is sent
    rounds = neighbour_rounds(layout)
    once = all(len(np.unique(nodes)) == len(nodes) for nodes, _ in rounds)
    require(once, "a node sends twice in a round")
    needed = gc.mesh_distances(layout).dilation
    require(len(rounds) == needed, "more rounds than the farthest pair needs")
    loads = [np.unique(np.array(r), axis=1, return_counts=True)[1].max() for r in rounds]
    return Count(len(rounds), int(sum(loads)))


@cache
def whole_blocks(d: int, q: int) -> Count:
    """The conversion of section 6."""
    if d == 0:  # a task needs two nodes
        return Count(0, 0)
    return counted([conversion(d, q, q)], gc.Machine(dims=d))


@cache
def planned_blocks(d: int, q: int) -> Count:
    """The planner's gb1, which takes the same there and back."""
    codes = gc.Layout.nodes(d, "gray"), gc.Layout.nodes(d)
    ways = (planned(*codes, q), planned(*codes[::-1], q))
    there, back = (counted([way], gc.Machine(dims=d)) for way in ways)
    require(there == back == whole_blocks(d, q), "gb1 takes another time")
    return there


@cache
def single_elements(d: int, q: int) -> Count:
    """The same in a pipeline of single elements, which needs d - 1 ports, or q."""
    schedule, ports = conversion(d, q, 1), min(d - 1, q)
    machine, fewer = (gc.Machine(dims=d, ports=max(1, k)) for k in (ports, ports - 1))
    require(ports <= 1 or not check_algebra(schedule, fewer), "fewer ports are enough")
    return counted([schedule], machine)


def strategies(d: int, q: int, k: int, l: int) -> dict[str, Count]:  # noqa: E741
    """T_b, T_f and T_c of section 8.3, counted: k FFTs, then l stencils."""
    ffts = {mapping: transforms(d, q, mapping).times(k) for mapping in DELTA.values()}
    mesh = {mapping: stencil(d, mapping).times(l) for mapping in DELTA.values()}
    return {
        "T_b": mesh["BRGC"] + ffts["BRGC"],
        "T_f": mesh["FFT"] + ffts["FFT"],
        "T_c": mesh["BRGC"] + whole_blocks(d, q).times(2) + ffts["FFT"],
    }


@compared
def fft(n: int, d: int, delta: int, **costs: int) -> int:
    """T_fft: what is computed on a node, and what is sent."""
    layout = placed(n, d, DELTA[delta])
    sends = in_layout(layout, layout.block_size)
    computed = layout.block_size * layout.p * costs["a"]
    return computed + sends.price(costs["s"], costs["c"])


conversion_in_blocks = compared(lambda d, q, s, c: planned_blocks(d, q).price(s, c))
"""T_c of section 8.2, by the planner and by section 6."""
conversion_in_elements = compared(lambda d, q, s, c: single_elements(d, q).price(s, c))
"""T_cp."""


def _strategy(name: str) -> Check:
    def ours(d: int, q: int, s: int, c: int, **program: int) -> int:
        return strategies(d, q, program["k"], program["l"])[name].price(s, c)

    return compared(ours)


stay_in_brgc, stay_in_fft, converting = map(_strategy, ("T_b", "T_f", "T_c"))


@tried
def startups(d: int, q: int) -> bool:
    """Section 8.2: a pipeline has more start-ups, and fewer elements in sequence."""
    blocks, elements = whole_blocks(d, q), single_elements(d, q)
    return elements.startups > blocks.startups and elements.elements <= blocks.elements
