"""Plans of all kinds to draw: by name, so that a failure says which one it was."""

from dataclasses import replace
from functools import cache

import graycube as gc
from graycube.cost import simulate

L = gc.Layout
COSTS = {"startup": 1e-5, "per_byte": 1e-8}


def conversion(n, block, algorithm="auto", **machine):
    """A plan from Gray to binary code."""
    return gc.plan(
        L.nodes(n, "gray"),
        L.nodes(n),
        block,
        itemsize=8,
        machine=gc.Machine(dims=n, **{**COSTS, **machine}),
        algorithm=algorithm,
    )


def between(source, target, block, algorithm="auto", **machine):
    """A plan from one printed layout to another."""
    source, target = (L.parse(x) if isinstance(x, str) else x for x in (source, target))
    cube = gc.Machine(dims=source.n, **{**COSTS, **machine})
    return gc.plan(source, target, block, machine=cube, algorithm=algorithm)


def transpose(p, n, block, algorithm="auto", **machine):
    return between(L.cyclic(p, n), L.consecutive(p, n), block, algorithm, **machine)


def on_tree(sizes=(2, 4, 2), slots=2, **machine):
    """A plan from cyclic to consecutive, on a tree of switches."""
    return on_machine(gc.Machine.tree(sizes, **{**COSTS, **machine}), slots)


def on_torus(sides, slots=2, **machine):
    return on_machine(gc.Machine.torus(sides, **{**COSTS, **machine}), slots)


def on_machine(machine, slots=2):
    """A plan from cyclic to consecutive, on any machine."""
    layouts = (f(machine.dims + slots, machine.dims) for f in (L.cyclic, L.consecutive))
    return gc.plan(*layouts, 4 << slots, machine=machine)


CARDS = gc.Machine(
    4,
    ports=(1, 1, 1, 1),
    share=(1, 2, 2, 8),
    startup=(1e-6, 2e-6, 2e-6, 5e-6),
    per_byte=(1e-10, 2e-10, 2e-10, 1e-9),
    switching="circuit",
)
"""Pairs with a link of their own, a card for each pair, and one for each eight nodes."""


def foreign(plan):
    """The plan as if somebody else had made it: no algorithm of the table does."""
    schedule = replace(plan.schedule, algorithm="by hand")
    return replace(plan, schedule=schedule, traffic=simulate(schedule))


CIRCUIT = {"switching": "circuit"}
ALL = {"ports": "all"}
CASES = {
    "gb1": lambda: conversion(3, 4, "gb1"),
    "gb3": lambda: conversion(4, 8, "gb3"),
    "gb2 of 5": lambda: conversion(3, 5, "gb2"),
    "minimum-path": lambda: conversion(4, 8, "minimum-path", **ALL),
    "nonminimum-ring": lambda: conversion(4, 12, "nonminimum-ring", **ALL),
    "nonminimum-path": lambda: conversion(3, 9, "nonminimum-path", **ALL),
    "tight": lambda: conversion(4, 5, "tight", **ALL),
    "few-ports": lambda: conversion(4, 8, "few-ports", ports=2),
    "two-cube": lambda: conversion(2, 7, "two-cube", **ALL),
    "direct": lambda: conversion(4, 6, "direct", **CIRCUIT),
    "circuit-split": lambda: conversion(3, 9, "circuit-split", ports=2, **CIRCUIT),
    "relabel": lambda: conversion(3, 4, "relabel"),
    "all-to-all": lambda: transpose(6, 3, 8, "all-to-all", **CIRCUIT),
    "all-to-all in hops": lambda: transpose(6, 3, 8, "all-to-all"),
    "groups": lambda: transpose(6, 3, 16, "groups", **CIRCUIT),
    "exchange": lambda: transpose(6, 3, 16, "exchange"),
    "pipeline": lambda: transpose(6, 3, 16, "pipeline", **ALL),
    "pipeline+relabel": lambda: transpose(6, 3, 16, "relabel", **ALL),
    "half-exchange": lambda: between("(|| b0 b1 b2)", "(|| b2 b0^b1 ~b1)", 8, "half-exchange"),
    "by-message": lambda: between("(|| b2 b1 b0)", "(|| b0 b1 b2)", 9, "by-message", **ALL),
    "mixed": lambda: between("(b5 b4 b3 || b2 b1 b0)", "(b1 b3 b0^b2 || b4 ~b5 b2)", 8),
    "in memory": lambda: between("(b1 b0 || b2)", "(b0 b1 || b2)", 4),
    "identity": lambda: between("(b1 b0 || b2)", "(b1 b0 || b2)", 4),
    "one node": lambda: conversion(0, 3),
    "two nodes": lambda: between("(|| b0)", "(|| ~b0)", 3),
    "mesh": lambda: between(
        L.mesh((12, 6), nodes=(4, 2), code="gray", ownership=False),
        L.mesh((12, 6), nodes=(4, 2), ownership=False),
        18,
    ),
    "seven": lambda: conversion(7, 4, "gb3"),
    "large": lambda: conversion(6, 65536, "gb3"),
    "large ring": lambda: conversion(5, 100_000, "nonminimum-ring", **ALL),
    "large prime": lambda: conversion(4, 1_000_003, "gb1"),
    "huge block": lambda: conversion(3, 1 << 60, "gb1"),
    "large transpose": lambda: transpose(10, 4, 1 << 20),
    "large array": lambda: transpose(20, 4, 1 << 16),
    "large mesh": lambda: between(
        L.mesh((96, 512), nodes=(4, 8), code="gray", ownership=False),
        L.mesh((96, 512), nodes=(4, 8), ownership=False),
        3 << 9,
        **ALL,
    ),
    "no elements": lambda: foreign(transpose(20, 4, 1 << 16)),
}
CASES = {name: cache(make) for name, make in CASES.items()}  # plans do not change
