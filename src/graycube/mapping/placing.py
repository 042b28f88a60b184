"""Which order a machine likes best: those worth a look, and a search."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.ranks import Code, rank_order as coded_order
from graycube.machine import Interconnect, Machine, machine_named
from graycube.machine.figures import most
from graycube.mapping.digits import count_of
from graycube.mapping.floors import cheapest, floor
from graycube.mapping.improve import ALL
from graycube.mapping.loads import load_of
from graycube.mapping.orders import Order, meshes, orders
from graycube.mapping.pattern import Pattern
from graycube.mapping.placed import Considered, RankOrder
from graycube.mapping.search import as_little, better, routes_of
from graycube.texts import as_given

EFFORT = 1 << 23
"""Of a mesh no more orders are looked at than have so many pairs together,"""
SOME = 11
"""but so many at least."""
LARGE = 1 << 18
"""Of more pairs none is looked at after the best there can be: each takes part of a second."""


def place(
    pattern: Pattern,
    machine: Machine | Interconnect | str,
    *,
    also: Mapping[str, ArrayLike] | None = None,
) -> RankOrder:
    """The order of ranks in which the busiest link has least to do for a pattern.

    Where some are as good, the one in which all links together have least to do, and then the
    one that changes least. Only bytes count, not start-ups. ``also`` has orders of your own by
    name, each the node of each place. They are looked at with those that follow the parts of
    the machine (:mod:`graycube.mapping.orders`). Then there is a search for up to about a
    thousand nodes (:mod:`graycube.mapping.search`), which tries every order of up to 8.

    >>> cluster = Machine(dims=3, ports=(2, 2, 1), share=(1, 1, 4), per_byte=1e-9)
    >>> halo = Pattern.mesh((2, 4), neighbours=1.0, periodic=False)
    >>> place(halo, cluster).order.tolist()
    [[0, 1, 5, 4], [2, 3, 7, 6]]
    >>> three_hosts = Interconnect.tree((2, 3), per_byte=(1e-10, 1e-9))
    >>> place(Pattern.mesh((3, 2), neighbours=1.0), three_hosts).load.busiest
    4e-09
    """
    machine = _checked(pattern, machine)
    looked: list[Considered] = []
    is_large, least = len(pattern.nbytes) > LARGE, cheapest(pattern, machine)
    mine = {name: _order(name, order, pattern) for name, order in _named(also).items()}
    for name, order in _known(pattern, machine, mine):
        if name in mine or _is_new(order, looked):
            looked.append(_considered(name, order, pattern, machine))
        is_done = is_large and mine.keys() <= {one.name for one in looked}
        if is_done and as_little(_least(looked).load, least):
            break
    routes = routes_of(machine) if pattern.places > 1 and len(pattern.nbytes) else None
    if routes is not None:
        least, best = floor(pattern, routes), _least(looked)
        if not as_little(best.load, least):
            for name, order in better(pattern, routes, best.order.ravel(), least):
                shaped = order.reshape(pattern.shape)
                if _is_new(shaped, looked):
                    looked.append(_considered(name, shaped, pattern, machine))
    proved = pattern.places <= ALL or as_little(_least(looked).load, least)
    return RankOrder(pattern, machine, tuple(looked), _least(looked), proved, tuple(mine))


def rank_order(
    mesh_shape: int | Sequence[int],
    code: Code | Sequence[Code] | None = None,
    *,
    machine: Machine | Interconnect | str | None = None,
) -> NDArray[np.int64]:
    """The node for each mesh coordinate; an array of shape ``mesh_shape``.

    In Gray code, which it is without a ``machine``, mesh neighbours have numbers that differ in
    one bit: neighbours on a cube. With a machine it is the order that :func:`place` finds for
    neighbours along all axes. ``code`` is "gray", "binary" or a :class:`~graycube.GrayCode`,
    for all axes or one per axis.

    >>> rank_order((4, 2))
    array([[0, 1],
           [2, 3],
           [6, 7],
           [4, 5]])
    >>> rank_order((8,), machine=Machine.torus((2, 4), per_byte=1e-9)).tolist()
    [0, 1, 2, 3, 7, 6, 5, 4]
    """
    if machine is None:
        return coded_order(mesh_shape, "gray" if code is None else code)
    if code is not None:
        raise InvalidValueError(
            f"code is {as_given(code, 40)}, and a machine is given",
            "the machine decides the order",
            "leave one of them out",
        )
    return place(Pattern.mesh(mesh_shape, neighbours=1.0), machine).order


def _checked(pattern: object, machine: object) -> Machine | Interconnect:
    if not isinstance(pattern, Pattern):
        raise InvalidTypeError(
            f"the pattern is {as_given(pattern)}",
            "it must be a Pattern, which says what ranks send",
            "build one with Pattern.mesh or Pattern.matrix",
        )
    if isinstance(machine, str):
        machine = machine_named(machine)
    if not isinstance(machine, Machine | Interconnect):
        raise InvalidTypeError(
            f"the machine is {as_given(machine)}",
            "it must be a Machine, an Interconnect, or the name of a profile",
            "build one with graycube.Machine(dims=...)",
        )
    if pattern.places != count_of(machine):
        raise InvalidValueError(
            f"the mesh has {pattern.places} places",
            f"the machine has {count_of(machine)} nodes",
            "each node gets one place: choose a mesh of as many, or any Interconnect",
        )
    if not most(machine.per_byte):
        raise InvalidValueError(
            "the machine's bytes take no time",
            "orders are compared by the bytes on links; start-ups do not count",
            "give it per_byte",
        )
    return machine


def _named(also: object) -> Mapping[str, ArrayLike]:
    if also is None or isinstance(also, Mapping):
        return also or {}
    raise InvalidTypeError(
        f"also is {as_given(also)}",
        "it has orders by name",
        'pass also={"mine": order}',
    )


def _order(name: str, order: ArrayLike, pattern: Pattern) -> Order:
    """An order of the user's: a node for each place, in the shape of the mesh."""
    try:
        nodes: Any = np.asarray(order)
    except ValueError:  # rows that are not as long as each other
        nodes = np.zeros(0)
    every = np.arange(pattern.places)
    if nodes.dtype.kind not in "iu" or not np.array_equal(np.sort(nodes, axis=None), every):
        raise InvalidValueError(
            f"the order {as_given(name, 40)} has shape {nodes.shape} and dtype {nodes.dtype}",
            f"it has each node of 0 to {pattern.places - 1} once",
            "give the node of each place",
        )
    placed: Order = nodes.astype(np.int64).reshape(pattern.shape)
    return placed


def _known(
    pattern: Pattern, machine: Machine | Interconnect, mine: Mapping[str, Order]
) -> Iterator[tuple[str, Order]]:
    """Orders by name: ranks as they are, Gray code, the user's, and those of the machine."""
    tries = max(SOME, EFFORT // max(1, len(pattern.nbytes)))
    others = islice(orders(pattern.shape, machine), tries)
    yield next(others)
    if not any(length & length - 1 for length in pattern.shape):
        yield "gray", coded_order(pattern.shape)
    yield from mine.items()
    yield from others
    for shape in meshes(pattern):
        lengths = " x ".join(map(str, shape))
        for name, order in islice(orders(shape, machine), 1, tries):
            yield f"as {lengths}: {name}", order.reshape(pattern.shape)


def _is_new(order: Order, looked: Sequence[Considered]) -> bool:
    return not any(np.array_equal(order, one.order) for one in looked)


def _considered(
    name: str, order: Order, pattern: Pattern, machine: Machine | Interconnect
) -> Considered:
    nodes = order.ravel()
    source, target = nodes[pattern.source], nodes[pattern.target]
    return Considered(name, order, load_of(machine, source, target, pattern.nbytes))


def _least(looked: Sequence[Considered]) -> Considered:
    """The first with the least load, but for rounding."""
    busiest = min(one.load.busiest for one in looked) * (1 + 1e-12)
    close = [one for one in looked if one.load.busiest <= busiest]
    total = min(one.load.total for one in close) * (1 + 1e-12)
    return next(one for one in close if one.load.total <= total)
