"""A layout as text for the terminal."""

import shutil

from graycube import show
from graycube.gf2 import require_int
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.sheet import pictures
from graycube.layout.words import hops, sizes

_MOST = 16  # rows and columns


def text(layout: Layout, *, width: int | None = None) -> str:
    """A picture of who holds what, at most ``width`` columns wide where that is possible.

    Without a width it is the terminal's. The first line is the printed layout, in full.

    >>> print(text(Layout.mesh((1000, 96), nodes=(4, 4), code="gray"), width=60))
    (b0:0 b1:2 b1:1 b1:0 || b0:2 g0:1 b1:4 g1:3) x 125 on axis 0, x 3 on axis 1
    1000 x 96 = 96000 elements on 16 nodes, 6000 on each
    neighbours are at most 1 hop apart along axis 0, 1 along axis 1
    <BLANKLINE>
    node; axis 0 down, axis 1 across
            |   0-23  24-47  48-71  72-95
    --------+----------------------------
      0-249 |      0      1      3      2
    250-499 |      4      5      7      6
    500-749 |     12     13     15     14
    750-999 |      8      9     11     10
    """
    layout = in_bits(layout, "a picture")
    room = shutil.get_terminal_size().columns if width is None else require_int(width, "width")
    head = str(layout), sizes(layout), hops(layout), ""
    return show.text(show.Sheet("", *head, *pictures(layout, room, _MOST)), width=None)
