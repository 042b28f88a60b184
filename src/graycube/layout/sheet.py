"""What a layout says of itself: its address bits, its sizes, and a picture of who holds what.

Rules. One axis is a table of nodes and the indices they hold; two axes are a grid of cells
with their nodes; more axes are such grids of the last two, one for each place along the
others. Whatever is too much for the picture is left out in the middle, before it is computed:
a picture costs the same at any size.
"""

from collections.abc import Iterator, Sequence
from math import prod

from graycube.layout.cells import Cells, cells_of, node_at, number
from graycube.layout.indexing import unravel
from graycube.layout.layout import Layout
from graycube.layout.text import tokens
from graycube.layout.words import held, hops, sizes
from graycube.show import GAP, Lines, Piece, Sheet, Table, Tile, Tiles, shown

_MOST_BITS = 12  # of the slot, and of the node
_MOST_AXES = 8
_MOST_ROWS_OF_MANY = 8
_MOST_GRIDS = 4
_FEW = 10  # rows and columns of a picture in a notebook
_WIDTH = 120  # characters of it


def sheet_of(layout: Layout) -> Sheet:
    """The address bits, the sizes and, for one or two axes, who holds what.

    >>> sheet_of(Layout.nodes(2)).pieces[2:4]
    ('4 elements on 4 nodes, 1 on each', 'neighbours are at most 2 hops apart')
    """
    picture = pictures(layout, _WIDTH, _FEW) if len(layout.axes) < 3 else ()
    return Sheet(f"Layout\n{layout}", *facts(layout), hops(layout), *picture)


def facts(layout: Layout) -> tuple[Piece, ...]:
    """The address bits, what is what in them, and the sizes.

    >>> facts(Layout.nodes(2))[-1]
    '4 elements on 4 nodes, 1 on each'
    """
    names, rows = tokens(layout.map, layout.axes), layout.map.matrix.rows

    def tiles(low: int, high: int) -> Iterator[Tile]:
        for k in shown(high - low, _MOST_BITS):
            if k is None:
                yield Tile(GAP)
                continue
            i = high - 1 - k
            yield Tile(names[i], str(i - low), _axis(layout, rows[i]), _is_gray(names[i]))

    slot, node = [*tiles(layout.n, layout.p)], [*tiles(0, layout.n)]
    legend = [
        Tile(GAP) if k is None else Tile(f"axis {k}: {number(layout.shape[k])}", hue=k)
        for k in shown(len(layout.axes), _MOST_AXES)
    ]
    if any(map(_is_gray, names)):
        legend.append(Tile("Gray-coded", dashed=True))
    bits = Tiles([("slot bits", slot), ("node bits", node)])
    return bits, Tiles([("", legend)]), sizes(layout)


def _is_gray(token: str) -> bool:
    return token.startswith(("g", "~g"))


def _axis(layout: Layout, row: int) -> int | None:
    """The axis whose bits an address bit is made of, if it is one."""
    bits = (layout.word_bits(k) for k in range(len(layout.axes)))
    owners = [k for k, own in enumerate(bits) if row >> own.start & (1 << len(own)) - 1]
    return owners[0] if len(owners) == 1 else None


def pictures(layout: Layout, width: int, most: int) -> Iterator[Piece]:
    """Who holds what, at most ``width`` characters wide where that is possible.

    >>> [table] = pictures(Layout.cyclic(5, 2, nodes="gray"), 80, most=4)
    >>> table.rows[2]
    (2, '10', '3, 7, 11, ... 31')
    """
    if len(layout.axes) == 1:
        yield _table(layout, width, most)
        return
    cells = cells_of(layout)
    leading, k = cells[:-2], len(cells) - 2
    yield f"node; axis {k} down, axis {k + 1} across"
    if not leading:
        yield _grid(layout, cells, (), width, most)
        return
    for place in shown(prod(cell.count for cell in leading), _MOST_GRIDS):
        if place is None:
            yield Lines(["", GAP])
            continue
        at = unravel([cell.count for cell in leading], place)
        where = zip(leading, at, strict=True)
        title = ", ".join(f"axis {j} at {cell.label(i)}" for j, (cell, i) in enumerate(where))
        yield Lines(["", title])
        yield _grid(layout, cells, at, width, most)


def _table(layout: Layout, width: int, most: int) -> Table:
    """The nodes of one axis and the indices they hold."""
    last = (1 << layout.n) - 1
    room = width - max(4, len(str(last))) - max(4, layout.n) - 4
    rows = [
        (GAP, "", "")
        if node is None
        else (node, f"{node:0{layout.n}b}", held(layout, node, room))
        for node in shown(last + 1, most)
    ]
    return Table(("node", "bits", "indices in slot order"), rows, "rrl")


def _grid(
    layout: Layout, cells: Sequence[Cells], leading: Sequence[int], width: int, most: int
) -> Table:
    """The nodes of the cells of the last two axes."""
    down, across = cells[-2:]
    rows = shown(down.count, _MOST_ROWS_OF_MANY if leading else most)
    side = max(len(_label(down, i)) for i in rows)
    last = across.label(across.count - 1), str((1 << layout.n) - 1)
    wide = 2 + max(2, *map(len, last))
    room = width - side - 3  # a gap may be wider by one
    columns = shown(across.count, min(most, room // wide))

    def node(i: int, j: int | None) -> str:
        return GAP if j is None else str(node_at(layout, cells, (*leading, i, j)))

    body = [
        (_label(down, i), *("" if i is None else node(i, j) for j in columns)) for i in rows
    ]
    return Table(("", *(_label(across, j) for j in columns)), body, "R" + "r" * len(columns))


def _label(cells: Cells, position: int | None) -> str:
    return GAP if position is None else cells.label(position)
