"""Coarser and finer grids: every so-manieth element of an array, and the way back."""

from collections.abc import Sequence
from functools import partial
from typing import SupportsIndex, TypeVar

import numpy as np

from graycube.array.boxes import carried
from graycube.array.held import Held, require_array
from graycube.array.indexed.assembling import assembled, chosen
from graycube.array.moving import as_product, brought
from graycube.array.ranks import facts_of, require_layout, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidValueError
from graycube.layout.chosen import Chosen
from graycube.layout.gathering import Copying, stages
from graycube.layout.grids import finer, thinned
from graycube.layout.placement import Placement
from graycube.layout.required import require_powers
from graycube.run.agreement import Facts

_H = TypeVar("_H", bound=Held)
Factor = SupportsIndex | Sequence[SupportsIndex]
MOST = 1 << 62


def coarsen(u: _H, factor: Factor, gather: Factor = 1) -> _H:
    """Every ``factor``-th element along the axes of the layout, as ``u[::factor]``; collective.

    The factor is a power of two, or one for each axis. Elements stay on their nodes, and
    nothing is sent while each node has one. Then each node gets a copy of the coarse element
    that stands for the fine ones it had: in Gray code, neighbours are one hop apart on every
    grid. What has uneven blocks, such as 500 elements on 8 nodes, is shared out again. With
    ``gather``, a power of two or one for each axis, each node gets what so many nodes would
    have along an axis, or all of it.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy(np.arange(16), Layout.mesh((16,), nodes=(8,), code="gray"))
    >>> coarsen(u, 2)
    <CubeArray (8,) int64 on 8 nodes: (|| b2 g1 g0)>
    >>> coarsen(u, 4), coarsen(u, 4).to_numpy()
    (<CubeArray (4,) int64 on 8 nodes: (|| b1 g0 c0)>, array([ 0,  4,  8, 12]))
    >>> coarsen(u, 4, gather=4)
    <CubeArray (4,) int64 on 8 nodes: (b1 b0 || c2 c1 c0)>
    """
    require_array(u, "a coarser grid")

    def prepare() -> tuple[tuple[tuple[int, ...], Placement, list[Copying]], Facts]:
        count = len(u.layout.shape)
        factors = require_powers(factor, count, "factor", MOST)
        shared = require_powers(gather, count, "gather", MOST)
        whole = as_product(u.layout)
        facts = {**_facts("coarsen", u, factors), "gather": shared}
        return (factors, whole, stages(whole, factors, shared)), facts

    factors, whole, found = together(u.comm, prepare)
    over = spread(u.comm)
    if over is None:
        steps, target = tuple(slice(None, None, f) for f in factors), found[-1].target
        return u.with_blocks(target.scatter(u.layout.gather(u.blocks)[steps]), target)
    made = brought(u, whole)
    for stage in found:
        source, target = stage.source, stage.target
        if isinstance(source, Chosen):
            made = chosen(made, dict(enumerate(source.along)), target)
        else:
            made = made.with_blocks(carried(made.blocks, source, target, over), target)
    return made


def refine(u: _H, factor: Factor, layout: Placement | None = None) -> _H:
    """The array whose every ``factor``-th element is one of u, with zeros between; collective.

    So ``coarsen(refine(u, factor), factor)`` is u. Without a layout all that stands for an
    element is where this element is, and nothing is sent. With one, such as that of the array
    that u was coarsened from, elements go there.

    >>> from graycube.array import CubeArray
    >>> from graycube.layout import Layout
    >>> u = CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray"))
    >>> refine(u, 2).to_numpy()
    array([5, 0, 6, 0, 7, 0, 8, 0])
    >>> refine(u, 2), refine(coarsen(u, 2), 2, u.layout)
    (<CubeArray (8,) int64 on 4 nodes: (b0 || b2 g1)>,
     <CubeArray (4,) int64 on 4 nodes: (|| b1 g0)>)
    """
    require_array(u, "a finer grid")

    def prepare() -> tuple[tuple[tuple[int, ...], Placement], Facts]:
        factors = require_powers(factor, len(u.layout.shape), "factor", MOST)
        target = finer(u.layout, factors) if layout is None else require_layout(layout)
        _require_finer(u, factors, target)
        return (factors, target), _facts("refine", u, factors, target)

    factors, target = together(u.comm, prepare)
    places = tuple(range(0, n, f) for n, f in zip(target.shape, factors, strict=True))
    found: _H = assembled(target, [(u, places)], partial(np.zeros, dtype=u.dtype))
    return found


def _facts(
    what: str, u: Held, factors: tuple[int, ...], target: Placement | None = None
) -> Facts:
    if spread(u.comm) is not None:
        require_plain(u.dtype)
    return {**facts_of(what, u.layout, u.blocks), "factor": factors, "target": target}


def _require_finer(u: Held, factors: tuple[int, ...], target: Placement) -> None:
    found = thinned(target, factors).shape if len(target.shape) == len(factors) else None
    if found != u.layout.shape or target.node_count != u.layout.node_count:
        raise InvalidValueError(
            f"the array has shape {u.layout.shape} on {u.layout.node_count} nodes",
            f"every {factors}-th element of {target.shape} on {target.node_count} nodes is one "
            f"of {found}",
            "take the layout of what was coarsened, or none",
        )
