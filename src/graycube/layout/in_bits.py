"""The same places in bits and in boxes: layouts of both kinds, each element on one node."""

from functools import lru_cache
from itertools import product

from graycube.gf2 import is_power_of_two
from graycube.layout.layout import Layout, require_cube
from graycube.layout.lines import exchanged_dims
from graycube.layout.ownership import Ownership, are_apart
from graycube.layout.required import require_single
from graycube.layout.share import SharedAxis

_KEPT = 64


def in_bits(layout: object, what: str) -> Layout:
    """The layout as an affine map, in which every element is on the same node.

    Slots are numbered as in a :class:`Layout`, address bits first. Blocks of a layout by
    ownership are in C order: ``array.moving`` puts some in the other order.

    >>> box = Layout.mesh((12, 12), nodes=(2, 2), ownership=True)
    >>> in_bits(box, "a plan") == Layout.mesh((12, 12), nodes=(2, 2), ownership=False)
    True
    """
    if isinstance(layout, Ownership):
        require_single(layout, what)
        found = bits_of(layout)
        if found is not None:
            return found
    return require_cube(layout, what)


@lru_cache(maxsize=_KEPT)
def bits_of(layout: Ownership) -> Layout | None:
    """The same, or None where blocks are not equal, on 2^n nodes, or there are copies.

    >>> bits_of(Layout.mesh((9, 8), nodes=(2, 2))) is None
    True
    """
    axes = layout.axes
    equal = all(axis.length % axis.parts == 0 for axis in axes)
    if not (equal and is_power_of_two(layout.node_count) and layout.copy_count == 1):
        return None
    lows = [axis.stride.bit_length() - 1 for axis in axes]
    widths = [axis.parts.bit_length() - 1 for axis in axes]
    return Layout.mesh(
        layout.shape,
        [axis.parts for axis in axes],
        code=["gray" if axis.gray else "binary" for axis in axes],
        allocation=["cyclic" if axis.cyclic else "consecutive" for axis in axes],
        dims=[
            range(low + width - 1, low - 1, -1) for low, width in zip(lows, widths, strict=True)
        ],
        ownership=False,
    )


@lru_cache(maxsize=_KEPT)
def in_boxes(layout: Layout) -> Ownership | None:
    """The layout by ownership in which every element is on the same nodes, if there is one.

    >>> in_boxes(Layout.mesh((8, 8), nodes=(4, 2), code="gray"))
    <Ownership (8, 8) on 8 nodes: (8 on 4 gray, 8 on 2)>
    >>> in_boxes(Layout.cyclic(4, 2, whole="gray")) is None
    True
    """
    choices = [[*_shares(layout, k)] for k in range(len(layout.axes))]
    for axes in product(*choices):
        if are_apart(axes, layout.node_count):
            found = Ownership(axes, layout.node_count)
            if _alike(layout, found):
                return found
    return None


def in_order(layout: Layout) -> bool:
    """Whether slots are in C order on every node, as in boxes: blocks of both are the same.

    >>> in_order(Layout.mesh((8, 8), (4, 2), code="gray")), in_order(Layout.parse("(b0 b1 ||)"))
    (True, False)
    """
    rows, (*others, last) = layout.map.matrix.rows[layout.n :], layout.axes
    alone = all(row & row - 1 == 0 for row in rows) and list(rows) == sorted(rows)
    behind = all(axis.extent == 1 for axis in others) and not last.low
    return alone and behind and not layout.map.constant >> layout.n


def _shares(layout: Layout, axis: int) -> list[SharedAxis]:
    """What an axis may be: the node bits that depend on it are next to each other.

    Where the extent is not between index bits that say which node, it says nothing of it.
    """
    dims = exchanged_dims(layout, axis)
    length = layout.shape[axis]
    if not dims:
        return [SharedAxis(length)]
    parts, stride = 1 << len(dims), 1 << dims[0]
    if dims[-1] - dims[0] >= len(dims) or length % parts:
        return []
    own, low = layout.axes[axis].bits, layout.axes[axis].low
    apart = {False: low <= own - len(dims), True: low >= len(dims)}
    return [
        SharedAxis(length, parts, cyclic, gray, stride)
        for cyclic, gray in product((False, True), (False, True))
        if apart[cyclic] or layout.axes[axis].extent == 1
    ]


def _alike(layout: Layout, boxes: Ownership) -> bool:
    """Whether elements are on the same nodes: in both, nodes are an affine map of bits."""
    if layout.copy_count != boxes.copy_count or layout.nodes_like(0) != boxes.nodes_like(0):
        return False
    places = [[0] * len(layout.axes)]
    for k, axis in enumerate(layout.axes):
        for bit in range(axis.bits):
            place = [0] * len(layout.axes)
            place[k] = axis.join(1 << bit, 0)
            places.append(place)
    return all(int(layout.locate(*at)[0]) == boxes.locate(*at)[0] for at in places)
