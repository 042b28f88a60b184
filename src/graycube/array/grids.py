"""Coarser and finer grids: every so-manieth element of an array, and the way back."""

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.boxes import carried, places_of
from graycube.array.held import Held, require_array
from graycube.array.local import laid_out, local
from graycube.array.moving import as_product, straight
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
_Blocks = NDArray[Any]
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
    over, target = spread(u.comm), found[-1].target
    blocks = straight(u.blocks, u.layout, whole, u.comm)
    if over is None:
        steps = tuple(slice(None, None, f) for f in factors)
        return u.with_blocks(target.scatter(whole.gather(blocks)[steps]), target)
    for stage in found:
        if isinstance(stage.source, Chosen):
            blocks = _taken(u.with_blocks(blocks, stage.source.layout), stage.source)
        blocks = carried(blocks, stage.source, stage.target, over)
    return u.with_blocks(blocks, target)


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

    def prepare() -> tuple[tuple[Placement, Chosen, Placement], Facts]:
        factors = require_powers(factor, len(u.layout.shape), "factor", MOST)
        target = finer(u.layout, factors) if layout is None else require_layout(layout)
        _require_finer(u, factors, target)
        thin = thinned(as_product(target), factors)
        return (as_product(u.layout), thin, target), _facts("refine", u, factors, target)

    whole, thin, target = together(u.comm, prepare)
    over, between = spread(u.comm), thin.layout
    blocks = straight(u.blocks, u.layout, whole, u.comm)
    if over is None:
        made = np.zeros((*between.shape, *u.payload), u.dtype)
        made[places_of([*map(np.asarray, thin.along)])] = whole.gather(blocks)
        return u.with_blocks(target.scatter(made), target)
    rows = carried(blocks, whole, thin, over)
    piece = np.zeros((*between.piece(u.nodes).shape, *u.payload), u.dtype)
    piece[places_of(thin.places(u.nodes))] = rows.reshape(
        *thin.piece(u.nodes).shape, *u.payload
    )
    fine = laid_out(between, u.nodes, piece)
    return u.with_blocks(straight(fine, between, target, u.comm), target)


def _taken(u: Held, thin: Chosen) -> _Blocks:
    """The block of this rank with those elements of the one that it has."""
    piece = local(u)[places_of(thin.places(u.nodes))]
    rows = piece.reshape(*thin.held_shape(u.nodes), *u.payload)
    return rows.copy() if np.may_share_memory(rows, u.blocks) else rows


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
