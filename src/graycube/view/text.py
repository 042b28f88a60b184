"""A layout as text for the terminal.

Rules. One axis is a table of nodes and the indices they hold; two axes are a grid of cells
with their nodes; more axes are such grids of the last two, one for each place along the
others. Whatever is too much for the picture is left out in the middle, before it is computed:
a picture costs the same at any size.
"""

import shutil
from collections.abc import Sequence
from itertools import islice
from math import prod

from graycube.layout import Layout, mesh_distances
from graycube.view.cells import Cells, cells_of, node_at, number, require_layout
from graycube.view.runs import runs

_MOST_ROWS = _MOST_COLUMNS = 16
_MOST_ROWS_OF_MANY = 8
_MOST_GRIDS = 4
_FEWEST = 3  # the first, the gap, the last
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
    return "\n".join([str(layout), _sizes(layout), _hops(layout), "", *picture])


def _sizes(layout: Layout) -> str:
    elements, nodes = _amount(layout.size, "element"), _amount(1 << layout.n, "node")
    if len(layout.axes) > 1:
        elements = " x ".join(map(number, layout.shape)) + f" = {elements}"
    return f"{elements} on {nodes}, {number(layout.block_size)} on each"


def _hops(layout: Layout) -> str:
    far = [mesh_distances(layout, k).dilation for k in range(len(layout.axes))]
    along = [f"{hops} along axis {k}" for k, hops in enumerate(far)]
    along[0] = f"{_amount(far[0], 'hop')} apart" + (" along axis 0" if len(far) > 1 else "")
    return "neighbours are at most " + ", ".join(along)


def _table(layout: Layout, room: int) -> list[str]:
    last = (1 << layout.n) - 1
    decimal, binary = max(4, len(str(last))), max(4, layout.n)
    lines = [f"{'node':>{decimal}}  {'bits':>{binary}}  indices in slot order"]
    for node in _shown(last + 1, _MOST_ROWS):
        if node is None:
            lines.append(f"{_GAP:>{decimal}}")
            continue
        start = f"{node:>{decimal}}  {f'{node:0{layout.n}b}':>{binary}}  "
        lines.append(start + _held(layout, node, room - len(start)))
    return lines


def _held(layout: Layout, node: int, room: int) -> str:
    """As many runs of indices as there is room for, and the last index."""
    last = layout.index(node, layout.block_size - 1)
    end = f", {_GAP} {last}"
    words: list[str] = []
    used = 0
    for run in runs(layout, node):
        word = _run(run)
        used += len(word) + (2 if words else 0)
        if words and used > (room if run[-1] == last else room - len(end)):
            return ", ".join(words) + end
        words.append(word)
    return ", ".join(words)


def _run(run: range) -> str:
    """A run in as few words as say it.

    >>> _run(range(125)), _run(range(3, 1, -1)), _run(range(0, 64, 8))
    ('0-124', '3, 2', '0, 8, 16, ... 56')
    """
    few = list(islice(run, 5))
    if len(few) > 2 and abs(run.step) == 1:
        return f"{run[0]}-{run[-1]}"
    if len(few) > 4:
        return f"{few[0]}, {few[1]}, {few[2]}, {_GAP} {run[-1]}"
    return ", ".join(map(str, few))


def _grids(layout: Layout, room: int) -> list[str]:
    """The grid of the last two axes, for the first and last places along the others."""
    cells = cells_of(layout)
    leading, k = cells[:-2], len(cells) - 2
    lines = [f"node; axis {k} down, axis {k + 1} across"]
    if not leading:
        return lines + _grid(layout, cells, (), room)
    for place in _shown(prod(cell.count for cell in leading), _MOST_GRIDS):
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
    rows = _shown(down.count, _MOST_ROWS_OF_MANY if leading else _MOST_ROWS)
    side = max(len(_GAP if i is None else down.label(i)) for i in rows)
    gap = 2 + len(_GAP)
    last = across.label(across.count - 1), str((1 << layout.n) - 1)
    wide = max(gap - 1, 2 + max(map(len, last)))
    columns = _shown(across.count, min(_MOST_COLUMNS, (room - side - 2) // wide))

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


def _shown(count: int, most: int) -> list[int | None]:
    """Positions 0..count - 1, or the first and last of them with ``None`` for the gap.

    >>> _shown(5, 8), _shown(100, 8)
    ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, None, 98, 99])
    """
    most = max(most, _FEWEST)
    if count <= most:
        return list(range(count))
    tail = max(1, most // 4)
    return [*range(most - 1 - tail), None, *range(count - tail, count)]


def _unravel(place: int, cells: Sequence[Cells]) -> tuple[int, ...]:
    """The position along each axis, for a place in C order."""
    backwards = []
    for cell in reversed(cells):
        place, position = divmod(place, cell.count)
        backwards.append(position)
    return tuple(reversed(backwards))


def _amount(x: int, what: str) -> str:
    return f"{number(x)} {what}" if x == 1 else f"{number(x)} {what}s"
