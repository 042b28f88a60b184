"""The ways to do a transform along one axis on a machine, priced from their schedules."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from graycube.bounds import exchanged_dims
from graycube.butterflies import (
    Method,
    emulation,
    one_point,
    seconds,
    with_best_messages,
)
from graycube.errors import GraycubeError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.machine import Machine
from graycube.planning import Plan, plan
from graycube.schedule import Replication, Schedule

RADICES = (1, 2, 3, 4)
"""So many dimensions at once are tried, and as many as there are."""


@dataclass(frozen=True)
class TransformCandidate:
    """A way to do the exchanges of a transform: its schedule and price, or why it is not one.

    ``cost`` is in seconds. ``before`` is the plan of the code conversion that comes first.

    >>> machine = Machine(dims=4, ports="all", startup=10.0, per_byte=1.0)
    >>> layout = Layout.cyclic(10, 4, nodes="gray")
    >>> for candidate in transform_candidates(layout, 0, 1, machine)[:2]:
    ...     print(candidate.name, candidate.rounds, candidate.cost)
    bi-sectioning 7 126.0
    four-sectioning 4 104.0
    """

    name: str
    schedule: Schedule | Replication | None
    rounds: int
    cycles: int
    cost: float
    reason: str | None = None
    before: Plan | None = None

    def __repr__(self) -> str:
        figures = f"{self.rounds} rounds, {self.cost:.4g} s"
        price = figures if self.reason is None else f"left out, {self.reason}"
        return f"<TransformCandidate {self.name}: {price}>"


def transform_candidates(
    layout: Layout, axis: int, itemsize: int, machine: Machine
) -> tuple[TransformCandidate, ...]:
    """All ways, for elements of ``itemsize`` bytes."""
    if layout.p == layout.n:
        return (_copies(layout, axis, itemsize, machine),)
    found = list(_as_they_are(layout, axis, itemsize, machine))
    plain = uncoded(layout)
    if plain != layout:
        found.append(_converted_first(layout, plain, axis, itemsize, machine))
    return tuple(found)


def uncoded(layout: Layout) -> Layout:
    """The layout with one index bit on each dimension, the lowest that it depends on.

    >>> print(uncoded(Layout.cyclic(6, 3, nodes="gray")))
    (b5 b4 b3 || b2 b1 b0)
    """
    low = [row & -row for row in layout.map.matrix.rows[: layout.n]]
    rows = Matrix.from_rows([*low, *layout.map.matrix.rows[layout.n :]], layout.p)
    return replace(layout, map=AffineMap(rows)) if rows.is_invertible() else layout


def in_place(
    layout: Layout, axis: int, itemsize: int, machine: Machine, *, restore: bool = False
) -> TransformCandidate | None:
    """The cheapest way on the data as they are, if there is one; see ``emulation``.

    >>> machine = Machine(dims=4, ports="all", startup=10.0, per_byte=1.0)
    >>> layout = Layout.cyclic(10, 4, nodes="gray")
    >>> for restore in (False, True):
    ...     print(in_place(layout, 0, 1, machine, restore=restore).cost)
    104.0
    208.0
    """
    if layout.p == layout.n:
        best = _copies(layout, axis, itemsize, machine)
    else:
        best = cheapest(list(_as_they_are(layout, axis, itemsize, machine, restore=restore)))
    return None if best.schedule is None else best


def _as_they_are(
    layout: Layout, axis: int, itemsize: int, machine: Machine, *, restore: bool = False
) -> Iterator[TransformCandidate]:
    dims = len(exchanged_dims(layout, axis))
    most = max(1, min(layout.p - layout.n, dims, machine.links_at_once))
    radices = sorted({radix for radix in (*RADICES, most) if radix <= most})
    methods = []
    if machine.links_at_once > 1:
        methods += [Method(radix=radix) for radix in radices]
        methods.append(Method("inter-node"))
    methods += [Method(radix=radix, overlap=False) for radix in radices]
    for method in methods:

        def make(merged: int, method: Method = method) -> Schedule:
            chosen = replace(method, merged=merged)
            return emulation(layout, axis, method=chosen, restore=restore, itemsize=itemsize)

        yield _best_messages(make, layout.p - layout.n - method.radix, machine, method.name)


def _best_messages(
    make: Callable[[int], Schedule], most: int, machine: Machine, name: str
) -> TransformCandidate:
    """The method with messages of the best size, of the powers of two."""
    try:
        made = make(0)
        if made.algorithm != name:
            return _left_out(name, f"memory has room for {made.algorithm}")
        ports = made.dimensions_at_once
        if ports > machine.links_at_once:
            return _left_out(name, f"it needs {ports} ports")
        made = with_best_messages(make, most, machine)
    except GraycubeError as error:
        return _left_out(name, str(error))
    return TransformCandidate(name, made, len(made.rounds), made.cycles, seconds(made, machine))


def _left_out(name: str, reason: str) -> TransformCandidate:
    return TransformCandidate(name, None, 0, 0, inf, reason)


def _converted_first(
    layout: Layout, plain: Layout, axis: int, itemsize: int, machine: Machine
) -> TransformCandidate:
    """The alternative of old: to binary code first, then a transform of binary data."""
    name = "convert first"
    try:
        before = plan(layout, plain, layout.block_size, itemsize=itemsize, machine=machine)
    except GraycubeError as error:
        return _left_out(name, str(error))
    ways = _as_they_are(plain, axis, itemsize, machine)
    best = min(ways, key=lambda candidate: candidate.cost)
    if best.schedule is None:
        return replace(best, name=name)
    return TransformCandidate(
        name,
        best.schedule,
        best.rounds + before.rounds,
        best.cycles + before.cycles,
        best.cost + before.cost,
        before=before,
    )


def _copies(layout: Layout, axis: int, itemsize: int, machine: Machine) -> TransformCandidate:
    """One point, or one payload, on a node."""
    name = "copies"
    try:
        made = one_point(layout, axis)
    except GraycubeError as error:
        return _left_out(name, str(error))
    ports = 1
    for stage in range(made.cycles):
        sources = (made.sources(stage, node) for node in range(1 << min(layout.n, 10)))
        ports = max(ports, *(sum(s != u for s in pair) for u, pair in enumerate(sources)))
    turns = -(-ports // machine.links_at_once) if layout.n else 0
    rounds = made.cycles * turns
    cost = rounds * machine.message_time(layout.block_size * itemsize)
    return TransformCandidate(name, made, rounds, rounds * layout.block_size, cost)


def cheapest(candidates: Sequence[TransformCandidate]) -> TransformCandidate:
    """The first of the cheapest ones."""
    return min(candidates, key=lambda candidate: candidate.cost)
