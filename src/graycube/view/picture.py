"""What a plot shows, as numbers: the node of every square and the borders between them.

Rules. One square per cell. Two axes stay as they are, the first one down; one axis runs in
lines from left to right and top to bottom, as text does. Between neighbours along an axis
there is a border, which carries the number of hops between their nodes, unless it is none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.layout import Layout
from graycube.layout.cells import Cells, cells_of, node_at, number
from graycube.layout.in_bits import in_bits

Segment = tuple[tuple[int, int], tuple[int, int]]

_MOST_CELLS = 1 << 12
_SHORTEST_LINE = 16
_LONGEST_LABEL = 15  # letters


@dataclass(frozen=True, slots=True)
class Side:
    """What stands along a side of the picture: a title, and a label per square or none."""

    title: str
    labels: list[str]


@dataclass(frozen=True, slots=True)
class Picture:
    """Squares with their nodes, -1 where there is none.

    ``borders[h]`` lists the borders of h hops, each as its two ends (x, y); ``in_lines`` says
    that the rows are lines of one axis, so that there are no borders between them.
    """

    nodes: NDArray[np.int64]
    borders: dict[int, list[Segment]]
    down: Side
    across: Side
    in_lines: bool = False


def picture_of(layout: Layout) -> Picture:
    """What a plot of a layout of one or two axes shows.

    >>> picture = picture_of(Layout.nodes(3))
    >>> picture.nodes
    array([[0, 1, 2, 3, 4, 5, 6, 7]])
    >>> picture.borders[3]  # from node 3 to node 4 every bit changes
    [((4, 0), (4, 1))]
    """
    layout = in_bits(layout, "a picture")
    cells = cells_of(layout)
    if len(cells) > 2:
        raise InvalidValueError(
            f"the layout has {len(cells)} axes",
            "a plot shows one or two",
            "use graycube.view.text, which shows grids of the last two",
        )
    counts = [cell.count for cell in cells]
    if prod(counts) > _MOST_CELLS:
        raise InvalidValueError(
            f"the picture has {' x '.join(map(str, counts))} cells",
            f"a plot shows at most {_MOST_CELLS}",
            "use graycube.view.text, which leaves out the middle, or plot a smaller layout",
        )
    nodes = np.array(
        [node_at(layout, cells, place) for place in product(*map(range, counts))],
        dtype=np.int64,
    )
    return _lines(nodes, *cells) if len(cells) == 1 else _mesh(nodes, *cells)


def _mesh(nodes: NDArray[np.int64], down: Cells, across: Cells) -> Picture:
    grid = nodes.reshape(down.count, across.count)
    right = (
        (int(grid[i, j] ^ grid[i, j + 1]), ((j + 1, i), (j + 1, i + 1)))
        for i, j in product(range(down.count), range(across.count - 1))
    )
    below = (
        (int(grid[i, j] ^ grid[i + 1, j]), ((j, i + 1), (j + 1, i + 1)))
        for i, j in product(range(down.count - 1), range(across.count))
    )
    borders = _by_hops([*right, *below])
    return Picture(grid, borders, _side("axis 0", down), _side("axis 1", across))


def _lines(nodes: NDArray[np.int64], cells: Cells) -> Picture:
    """About as many lines as they are long, and a power of two of cells to a line."""
    root = 1 << ((cells.count - 1).bit_length() + 1) // 2
    length = min(cells.count, max(root, _SHORTEST_LINE))
    lines = -(-cells.count // length)
    grid = np.full((lines, length), -1, dtype=np.int64)
    grid.flat[: cells.count] = nodes
    ends = (divmod(k, length) for k in range(cells.count))
    borders = _by_hops(
        (int(a ^ b), ((j + 1, i), (j + 1, i + 1)))
        for (a, b), (i, j) in zip(pairwise(nodes), ends, strict=False)
    )
    across = Cells(cells.width, length)
    if lines == 1:
        return Picture(grid, borders, Side("", []), _side("index", across), in_lines=True)
    down = _side("line starts at index", Cells(cells.width * length, lines), first_only=True)
    return Picture(grid, borders, down, _side("place in the line", across), in_lines=True)


def _by_hops(borders: Iterable[tuple[int, Segment]]) -> dict[int, list[Segment]]:
    found: dict[int, list[Segment]] = {}
    for change, segment in borders:
        if change:
            found.setdefault(change.bit_count(), []).append(segment)
    return dict(sorted(found.items()))


def _side(title: str, cells: Cells, *, first_only: bool = False) -> Side:
    labels = [
        str(i * cells.width) if first_only else cells.label(i) for i in range(cells.count)
    ]
    if len(labels[-1]) <= _LONGEST_LABEL:
        return Side(title, labels)
    return Side(
        f"{title}, in units of {number(cells.width)}", [str(i) for i in range(cells.count)]
    )
