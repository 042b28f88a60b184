"""The blocks in which lines are sorted: in memory, or over all nodes, which are in a row."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from graycube.array.ordering.merging import InARow
from graycube.array.ordering.ways import SortWay, sort_way
from graycube.gf2 import is_power_of_two
from graycube.layout.in_bits import in_boxes, in_order as slots_in_order
from graycube.layout.layout import require_cube
from graycube.layout.lines import exchanged_dims
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.ownership import Ownership
from graycube.layout.placement import Placement

_KEPT = 128  # layouts and axes


@lru_cache(maxsize=_KEPT)
def is_whole(layout: Placement, axis: int) -> bool:
    """Whether every node has whole lines of an axis.

    >>> from graycube.layout import Layout
    >>> is_whole(Layout.mesh((8, 8), (4, 1)), 0), is_whole(Layout.mesh((8, 8), (4, 1)), 1)
    (False, True)
    """
    if isinstance(layout, Ownership):
        return layout.axes[axis].parts == 1
    cube = require_cube(layout, "a sort")
    return not exchanged_dims(cube, axis) and cube.is_product


@lru_cache(maxsize=_KEPT)
def blocks_along(
    layout: Placement, axis: int, *, any_order: bool, stays: bool = False
) -> Ownership:
    """Blocks with the axis in memory, or over all nodes, in order or in any order.

    It is in memory if another axis is long enough for all nodes, unless it is over them and
    ``stays``. It may be the layout itself.

    >>> from graycube.layout import Layout
    >>> dealt, gray = Layout.cyclic(6, 2), Layout.consecutive(6, 2, nodes="gray")
    >>> [blocks_along(x, 0, any_order=True) for x in (dealt, gray)]
    [<Ownership (64,) on 4 nodes: (64 on 4)>, <Ownership (64,) on 4 nodes: (64 on 4 gray)>]
    >>> print(blocks_along(Layout.mesh((8, 9), (4, 1)), 0, any_order=True))
    (8, 9 on 4)
    """
    count, found = layout.node_count, own_blocks(layout)
    nodes = work_nodes(layout.shape, count, axis)
    if found is None or (nodes[axis] < count and not stays):
        return in_blocks(layout.shape, nodes)
    along = found.axes[axis]
    here = along.parts == count and not along.cyclic and (any_order or not along.gray)
    return found if here else in_blocks(layout.shape, nodes)


def with_lines(layout: Placement, axis: int, *, stays: bool = False) -> Ownership:
    """Blocks with whole lines of an axis, or with parts in order where it is over all nodes.

    Where it is, and other axes could be, it ``stays`` there if told so.

    >>> from graycube.layout import Layout
    >>> with_lines(Layout.mesh((8, 8), (2, 2)), 1), with_lines(Layout.cyclic(6, 2), 0)
    (<Ownership (8, 8) on 4 nodes: (8 on 4, 8)>, <Ownership (64,) on 4 nodes: (64 on 4)>)
    """
    own = own_blocks(layout)
    if own is not None and own.axes[axis].parts == 1:
        return own
    return blocks_along(layout, axis, any_order=False, stays=stays)


def where_and_how(
    layout: Placement, axis: int, itemsize: int, keys: int = 1
) -> tuple[Ownership, SortWay | None]:
    """Where keys are sorted by messages, and how, if nodes can have equal parts of lines.

    An element of the array may be several keys. Gray code stays where an axis has to be over
    all nodes, if merge-splits are taken.

    >>> from graycube.layout import Layout
    >>> blocks, way = where_and_how(Layout.consecutive(20, 8, nodes="gray"), 0, itemsize=8)
    >>> blocks.axes[0].gray, way.told
    (True, 'merge-splits as nodes are many')
    """
    shape, count = layout.shape, layout.node_count
    in_order = blocks_along(layout, axis, any_order=False)
    if shape[axis] % count or not (is_power_of_two(count) and keys):
        return in_order, None
    alone = work_nodes(shape, count, axis)[axis] == count
    blocks = blocks_along(layout, axis, any_order=alone)
    lines = prod(shape) // shape[axis] * keys
    way = sort_way(count, lines, shape[axis], itemsize, gray=blocks.axes[axis].gray)
    return (blocks if way.in_place else in_order), way


@lru_cache(maxsize=_KEPT)
def row_along(blocks: Ownership, axis: int) -> InARow | None:
    """The nodes in the order of their blocks along an axis, if it is over nodes.

    >>> from graycube.layout import Layout
    >>> blocks = blocks_along(Layout.consecutive(3, 2, nodes="gray"), 0, any_order=True)
    >>> row_along(blocks, 0)
    InARow(ranks=(0, 1, 3, 2), ends=(0, 2, 4, 6, 8))
    """
    share, nodes = blocks.axes[axis], range(blocks.nodes)
    if share.parts == 1:
        return None
    ranks = sorted(nodes, key=lambda node: (share.own(node).start, node))
    return InARow(tuple(ranks), (0, *(share.own(node).stop for node in ranks)))


def work_nodes(shape: Sequence[int], count: int, axis: int) -> list[int]:
    """Over how many nodes each axis is where lines are sorted: one axis has all of them.

    >>> work_nodes((4, 100), 8, axis=0), work_nodes((4, 100), 8, axis=1)
    ([1, 8], [1, 8])
    """
    others = [k for k in range(len(shape)) if k != axis]
    longest = max(others, key=shape.__getitem__, default=axis)
    over = longest if shape[longest] >= count else axis
    return [count if k == over else 1 for k in range(len(shape))]


@lru_cache(maxsize=_KEPT)
def own_blocks(layout: Placement) -> Ownership | None:
    """The layout by ownership that has the same blocks, if there is one.

    >>> from graycube.layout import Layout
    >>> own_blocks(Layout.consecutive(3, 2)), own_blocks(Layout.cyclic(3, 2, whole="gray"))
    (<Ownership (8,) on 4 nodes: (8 on 4)>, None)
    """
    if isinstance(layout, Ownership):
        return layout
    cube = require_cube(layout, "a sort")
    return in_boxes(cube) if slots_in_order(cube) else None
