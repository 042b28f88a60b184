"""Arrays made of elements by their index along axes: some of one, or several side by side.

Rules.

1. What comes about has another length along an axis, on the same nodes as before: the layout is
   that of the array where all lengths stay, else one by ownership, with the same codes.
2. Each element goes straight to where it belongs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.boxes import carried, in_memory, places_here, places_of, places_read
from graycube.array.held import Held
from graycube.array.indexed.here import of_box, remains
from graycube.array.local import local
from graycube.array.moving import as_product, brought
from graycube.array.ranks import spread
from graycube.errors import InvalidValueError
from graycube.layout import Layout, Ownership
from graycube.layout.chosen import Chosen
from graycube.layout.grids import in_shares
from graycube.layout.in_bits import in_boxes
from graycube.layout.indices import Some
from graycube.layout.placement import Placement
from graycube.run import no_way_back
from graycube.run.agreement import Told
from graycube.run.mpi import Comm

_H = TypeVar("_H", bound=Held)
_KEPT = 64  # layouts and lengths
_ASSEMBLED = Told(operation="arrays put together")


@lru_cache(maxsize=_KEPT)
def with_length(layout: Placement, axis: int, length: int) -> Placement:
    """The layout with another length of an axis, on the same nodes (rule 1).

    >>> print(with_length(Layout.mesh((8, 8), (4, 1), code="gray"), 0, 9))
    (9 on 4 gray, 8)
    """
    if length == layout.shape[axis]:
        return layout
    if length < 1:
        raise InvalidValueError(
            f"axis {axis} would have {length} elements",
            "an array over nodes has one at least along each axis",
            f"its length is {layout.shape[axis]}: take less away",
        )
    if isinstance(layout, Layout):
        boxes = in_boxes(layout)
        layout = in_shares(layout, [1] * len(layout.shape)) if boxes is None else boxes
    if not isinstance(layout, Ownership):
        raise TypeError(layout)
    return layout.with_axis(axis, replace(layout.axes[axis], length=length))


def with_lengths(layout: Placement, lengths: Mapping[int, int]) -> Placement:
    """The layout with other lengths of some axes.

    >>> print(with_lengths(Layout.mesh((8, 8), (4, 1), code="gray"), {0: 9, 1: 3}))
    (9 on 4 gray, 3)
    """
    for axis, length in lengths.items():
        layout = with_length(layout, axis, length)
    return layout


def chosen(a: _H, some: Mapping[int, Some], target: Placement | None = None) -> _H:
    """What is at some indices along axes of the layout.

    >>> a = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> chosen(a, {0: range(1, -1, -1)}).blocks.tolist()
    [[6], [5]]
    """
    if target is None:
        target = with_lengths(a.layout, {k: len(indices) for k, indices in some.items()})
    along = tuple(some.get(k, range(n)) for k, n in enumerate(a.layout.shape))
    over = spread(a.comm)
    if over is None:
        return of_box(a, local(a)[places_of(along)], target)
    if remains(a.layout, target, along):
        return of_box(a, local(a)[places_here(Chosen(a.layout, along), a.nodes)], target)
    source, goal = Chosen(as_product(a.layout), along), as_product(target)
    rows = local(brought(a, source.layout))[places_here(source, a.nodes)]
    blocks = rows.reshape(1, prod(rows.shape[: len(along)]), *a.payload)
    return brought(a.with_blocks(carried(blocks, source, goal, over), goal), target)


def again(a: _H, places: Mapping[int, Sequence[range]]) -> _H:
    """The array in each of some places along axes, which fill these together.

    >>> a = Held(np.array([[5], [6]]), Layout.nodes(1))
    >>> again(a, {0: [range(0, 4, 2), range(1, 4, 2)]}).blocks.tolist()
    [[5, 5, 6, 6]]
    """
    lengths = {k: sum(map(len, along)) for k, along in places.items()}
    target = with_lengths(a.layout, lengths)
    every = (places.get(k, [range(n)]) for k, n in enumerate(a.layout.shape))
    parts = [(a, along) for along in product(*every)]
    found: _H = assembled(target, parts, partial(np.empty, dtype=a.dtype))
    return found


def assembled(
    target: Placement,
    parts: Sequence[tuple[Held, tuple[range, ...]]],
    empty: Callable[..., NDArray[Any]],
) -> Any:  # noqa: ANN401 - an array
    """An array of arrays, each at some indices, and of what is in an empty one elsewhere.

    >>> odd = Held(np.array([[5], [6]]), Layout.nodes(1)), (range(1, 4, 2),)
    >>> assembled(Layout.mesh((4,), nodes=(2,)), [odd], np.zeros).blocks.tolist()
    [[0.0, 5.0], [0.0, 6.0]]
    """
    first = parts[0][0]
    over, nodes, payload = spread(first.comm), first.nodes, first.payload
    last = target if over is None else as_product(target)
    shape = target.shape if over is None else last.piece(nodes).shape
    box = empty((*shape, *payload))
    if over is None:
        for x, along in parts:
            box[places_of(along)] = local(x)
        return of_box(first, box, last)
    come = list[tuple[Held, Chosen]]()
    for x, along in parts:
        goal = Chosen(last, along)
        if remains(last, x.layout, along):
            box[places_here(goal, nodes)] = local(x)
        else:
            come.append((x, goal))
    if come:
        _brought(come, box, over)
    return brought(of_box(first, box, last), target)


def _brought(come: Sequence[tuple[Held, Chosen]], box: NDArray[Any], comm: Comm) -> None:
    """Put arrays into the box of a node where they belong, each sent once; collective."""
    each, nodes = {id(x): x for x, _ in come}, come[0][0].nodes
    sent = {one: brought(x, as_product(x.layout)) for one, x in each.items()}
    wholes = in_memory([(x.blocks, x.layout) for x in sent.values()], comm, _ASSEMBLED)
    with no_way_back(lambda: "arrays put together"):
        for x, goal in come:
            there = places_here(goal, nodes)
            if wholes is None:
                own = sent[id(x)]
                found = carried(own.blocks, own.layout, goal, comm)
                box[there] = found.reshape(box[there].shape)
            else:
                whole = wholes[[*sent].index(id(x))]
                box[there] = whole[places_read(goal, nodes)[1]]
