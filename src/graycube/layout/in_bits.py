"""The same places in bits: the affine map of a layout by ownership that has equal blocks."""

from graycube.gf2 import is_power_of_two
from graycube.layout.layout import Layout, require_cube
from graycube.layout.ownership import Ownership
from graycube.layout.required import require_single


def in_bits(layout: object, what: str) -> Layout:
    """The layout as an affine map, in which every element is on the same node.

    Slots are numbered as in a :class:`Layout`, address bits first. Blocks of a layout by
    ownership are in C order: whoever has some takes them there with ``relayout``.

    >>> box = Layout.mesh((12, 12), nodes=(2, 2), ownership=True)
    >>> in_bits(box, "a plan") == Layout.mesh((12, 12), nodes=(2, 2), ownership=False)
    True
    """
    if isinstance(layout, Ownership):
        require_single(layout, what)
    if not isinstance(layout, Ownership) or not _is_even(layout):
        return require_cube(layout, what)
    axes = layout.axes
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


def _is_even(layout: Ownership) -> bool:
    """Whether it has equal blocks on 2^n nodes."""
    equal = all(axis.length % axis.parts == 0 for axis in layout.axes)
    return equal and is_power_of_two(layout.node_count)
