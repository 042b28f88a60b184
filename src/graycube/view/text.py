"""A layout as text for the terminal.

Rules. One axis is a table of nodes and the indices they hold; two axes are a grid of cells
with their nodes; more axes are such grids of the last two, one for each place along the
others. Whatever is too much for the picture is left out in the middle, before it is computed:
a picture costs the same at any size.
"""

import shutil
from collections.abc import Sequence
from math import prod

from graycube.layout import Layout
from graycube.layout.cells import Cells, cells_of, node_at
from graycube.layout.words import held, hops, sizes
from graycube.markup import shown
from graycube.view.checks import require_layout

_MOST_ROWS = _MOST_COLUMNS = 16
_MOST_ROWS_OF_MANY = 8
_MOST_GRIDS = 4
_GAP = "..."


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
    require_layout(layout)
    room = shutil.get_terminal_size().columns if width is None else width
    picture = _table(layout, room) if len(layout.axes) == 1 else _grids(layout, room)
    return "\n".join([str(layout), sizes(layout), hops(layout), "", *picture])


def _table(layout: Layout, room: int) -> list[str]:
    last = (1 << layout.n) - 1
    decimal, binary = max(4, len(str(last))), max(4, layout.n)
    lines = [f"{'node':>{decimal}}  {'bits':>{binary}}  indices in slot order"]
    for node in shown(last + 1, _MOST_ROWS):
        if node is None:
            lines.append(f"{_GAP:>{decimal}}")
            continue
        start = f"{node:>{decimal}}  {f'{node:0{layout.n}b}':>{binary}}  "
        lines.append(start + held(layout, node, room - len(start)))
    return lines


def _grids(layout: Layout, room: int) -> list[str]:
    """The grid of the last two axes, for the first and last places along the others."""
    cells = cells_of(layout)
    leading, k = cells[:-2], len(cells) - 2
    lines = [f"node; axis {k} down, axis {k + 1} across"]
    if not leading:
        return lines + _grid(layout, cells, (), room)
    for place in shown(prod(cell.count for cell in leading), _MOST_GRIDS):
        if place is None:
            lines += ["", _GAP]
            continue
        at = _unravel(place, leading)
        where = zip(leading, at, strict=True)
        title = ", ".join(f"axis {j} at {cell.label(i)}" for j, (cell, i) in enumerate(where))
        lines += ["", title, *_grid(layout, cells, at, room)]
    return lines


def _grid(
    layout: Layout, cells: Sequence[Cells], leading: Sequence[int], room: int
) -> list[str]:
    down, across = cells[-2:]
    rows = shown(down.count, _MOST_ROWS_OF_MANY if leading else _MOST_ROWS)
    side = max(len(_GAP if i is None else down.label(i)) for i in rows)
    gap = 2 + len(_GAP)
    last = across.label(across.count - 1), str((1 << layout.n) - 1)
    wide = max(gap - 1, 2 + max(map(len, last)))
    columns = shown(across.count, min(_MOST_COLUMNS, (room - side - 2) // wide))

    def line(label: str, entries: Sequence[str]) -> str:
        widths = (min(wide, gap) if entry == _GAP else wide for entry in entries)
        return f"{label:>{side}} |" + "".join(map(str.rjust, entries, widths))

    head = line("", [_GAP if j is None else across.label(j) for j in columns])
    lines = [head, "-" * (side + 1) + "+" + "-" * (len(head) - side - 2)]
    for i in rows:
        if i is None:
            lines.append(line(_GAP, ()))
            continue
        nodes = [
            _GAP if j is None else str(node_at(layout, cells, (*leading, i, j)))
            for j in columns
        ]
        lines.append(line(down.label(i), nodes))
    return lines


def _unravel(place: int, cells: Sequence[Cells]) -> tuple[int, ...]:
    """The position along each axis, for a place in C order."""
    backwards = []
    for cell in reversed(cells):
        place, position = divmod(place, cell.count)
        backwards.append(position)
    return tuple(reversed(backwards))
