"""Transforms and stencils on the ranks of a cube, in binary and in Gray code."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from measured import Comm, measured

import graycube as gc
from graycube.texts import counted

Row = dict[str, Any]
POINTS = 20  # bits of the number of points
BORDER = 1 << 13  # points that a stencil reads from each neighbour
RUNS = 5
MIXES = ((1, 1), (1, 8), (1, 32))  # transforms and stencils


def transforms(comm: Comm, machine: gc.Machine, less: int) -> Iterator[Row]:
    """TR-764: one transform of data in either code, with as many bytes on the links."""
    p, n = POINTS - less, machine.dims
    kinds = {
        (kind, code): getattr(gc.Layout, kind)(p, n, nodes=code)
        for kind in ("cyclic", "consecutive")
        for code in ("binary", "gray")
    }
    arrays = [filled(layout, comm) for layout in kinds.values()]
    found = measured([partial(gc.fft, a) for a in arrays], comm, RUNS)
    for (kind, code), one in zip(kinds, found, strict=True):
        sent = np.array(one.links)
        yield {
            "kind": kind,
            "code": code,
            "points": 1 << p,
            "seconds": one.seconds,
            "stolen": [round(share, 3) for share in one.stolen],
            "bytes": float(sent.sum()),
            "busiest": float(sent.max()),
        }


def mappings(comm: Comm, machine: gc.Machine, less: int) -> Iterator[Row]:
    """CAM-87-02: parts of k transforms and l stencils on a ring, and programs of them."""
    p, n = POINTS - less, machine.dims
    machine, reach = replace(machine, ports="all"), BORDER >> less or 1
    layouts = {code: gc.Layout.consecutive(p, n, nodes=code) for code in ("binary", "gray")}
    arrays = {code: filled(layout, comm) for code, layout in layouts.items()}
    works: dict[tuple[str, str], Callable[[], object]] = {}
    predicted: dict[tuple[str, str], float] = {}
    for code, a in arrays.items():
        other = layouts["gray" if code == "binary" else "binary"]
        block, item = a.blocks[0], a.dtype.itemsize
        turn = gc.plan(a.layout, other, len(block), itemsize=item, machine=machine)
        works["transform", code] = partial(gc.fft, a, order="natural")
        works["stencil", code] = a.halo(reach).exchange
        works["conversion", code] = turn.bind(block, comm).run
        predicted["stencil", code] = gc.halo(a.layout, reach, itemsize=item).time(machine)
        predicted["conversion", code] = turn.cost
    parts = dict(works)
    for transforming, reading in MIXES:
        for name, steps in {
            "binary": [("transform", "binary", transforming), ("stencil", "binary", reading)],
            "gray": [("transform", "gray", transforming), ("stencil", "gray", reading)],
            "both": [
                ("transform", "binary", transforming),
                ("conversion", "binary", 1),
                ("stencil", "gray", reading),
                ("conversion", "gray", 1),
            ],
        }.items():
            calls = [parts[part, code] for part, code, times in steps for _ in range(times)]
            program = f"{counted(transforming, 'transform')}, {counted(reading, 'stencil')}"
            works[program, name] = partial(in_turn, calls)
    found = measured([*works.values()], comm, RUNS)
    for (part, code), one in zip(works, found, strict=True):
        yield {
            "part": part,
            "code": code,
            "predicted": predicted.get((part, code)),
            "seconds": one.seconds,
            "stolen": [round(share, 3) for share in one.stolen],
            "bytes": float(np.sum(one.links)),
        }


def in_turn(calls: list[Callable[[], object]]) -> None:
    """One after the other."""
    for call in calls:
        call()


def filled(layout: gc.Layout, comm: Comm) -> gc.CubeArray:
    """Complex numbers."""
    return gc.CubeArray.from_function(lambda i: np.exp(0.7j * i), layout, comm)
