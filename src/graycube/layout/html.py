"""Layouts and distances as notebooks show them.

Rule: as in text, whatever is too much is left out in the middle, before it is computed.
"""

from collections.abc import Iterator

from graycube.layout import text
from graycube.layout.cells import cells_of, node_at, number
from graycube.layout.embedding import Distances
from graycube.layout.layout import Layout
from graycube.layout.words import amount, held, hops, sizes
from graycube.markup import Markup, card, card_of, element, figures, joined, shown
from graycube.texts import shortened

_HUES = ("230,159,0", "86,180,233", "0,158,115", "204,121,167", "213,94,0", "0,114,178")
_MOST_BITS = 12  # of the slot, and of the node
_MOST_CELLS = 10  # of a side
_MOST_AXES = 8
_LONGEST_BIT = 24  # characters
_SOFT = "text-align:center;font-size:80%;opacity:.7"
_ROOM = 48  # characters
_LONGEST_FIELD = 400
_GAP = "..."


@card_of.register(Layout)
def layout_card(layout: Layout) -> Markup:
    """The address bits, the sizes and, for one or two axes, who holds what.

    >>> "<td" in layout_card(Layout.nodes(2))
    True
    """
    picture = {1: _table, 2: _grid}.get(len(layout.axes), lambda _: "")
    body = (*layout_lines(layout), hops(layout), picture(layout))
    return card(joined(["Layout ", printed(layout)]), *body)


def layout_lines(layout: Layout) -> tuple[Markup | str, ...]:
    """The address bits, what is what in them, and the sizes.

    >>> layout_lines(Layout.nodes(2))[-1]
    '4 elements on 4 nodes, 1 on each'
    """
    return _bits(layout), _legend(layout), sizes(layout)


def printed(layout: Layout) -> Markup:
    """The printed layout, shortened if it is long.

    >>> printed(Layout.nodes(2))
    '<code>(|| b1 b0)</code>'
    """
    return element("code", shortened(layout, _LONGEST_FIELD))


@card_of.register(Distances)
def distances_card(distances: Distances) -> Markup:
    """The histogram with bars, and its summary.

    >>> "at most 2 hops" in distances_card(Distances({1: 8, 2: 24}))
    True
    """
    title = f"Distances of {amount(distances.pairs, 'pair')}"
    mean = f"{float(distances.mean):.4g} in the mean"
    far = f"at most {amount(distances.dilation, 'hop')}, {mean}"
    counted = sorted(distances.histogram.items())
    rows = []
    for k in shown(len(counted), _MOST_CELLS):
        distance, count = (_GAP, 0) if k is None else counted[k]
        rows.append((distance, number(count) if count else "", _bar(count, distances.pairs)))
    return card(title, far, figures(("hops", "pairs", ""), rows, "rrl"))


def _bar(count: int, pairs: int) -> Markup:
    width = 12 * count / max(pairs, 1)
    return element(
        "div", style=f"width:{width:.2f}em;height:.8em;background:currentColor;opacity:.5"
    )


def _bits(layout: Layout) -> Markup:
    """A row of cells, the highest bit first, with the numbers of the bits below them."""
    slot, node = _part(layout, "slot", layout.n, layout.p), _part(layout, "node", 0, layout.n)
    between = [element("td")], [element("td", "||")], [element("td")]
    lines = (element("tr", *a, *b, *c) for a, b, c in zip(slot, between, node, strict=True))
    return element(
        "table", *lines, style="border-collapse:separate;border-spacing:3px;margin:.4em 0"
    )


def _part(layout: Layout, what: str, low: int, high: int) -> tuple[list[Markup], ...]:
    """The cells of some address bits, in three lines: what they are, the bits, the numbers."""
    names, rows = text.tokens(layout.map, layout.axes), layout.map.matrix.rows
    places = [None if k is None else high - 1 - k for k in shown(high - low, _MOST_BITS)]
    if not places:
        return [], [], []
    cells = list[Markup]()
    for i in places:
        token = _GAP if i is None else shortened(names[i], _LONGEST_BIT)
        owners = () if i is None else _owners(layout, rows[i])
        cells.append(element("td", token, style=_cell_style(token, owners)))
    above = element("td", f"{what} bits", colspan=len(places), style=_SOFT)
    numbers = ("" if i is None else i - low for i in places)
    return [above], cells, [element("td", i, style=f"{_SOFT};padding:0") for i in numbers]


def _cell_style(token: str, owners: tuple[int, ...]) -> str:
    """Coloured by the axis, if there is one; a Gray-coded bit has a heavy dashed border."""
    hue = f"background:rgba({_HUES[owners[0] % len(_HUES)]},.35);" if len(owners) == 1 else ""
    border = "2px dashed" if _is_gray(token) else "1px solid rgba(128,128,128,.5)"
    return f"{hue}border:{border};text-align:center;padding:.1em .4em;font-family:monospace"


def _is_gray(token: str) -> bool:
    return token.startswith(("g", "~g"))


def _owners(layout: Layout, row: int) -> tuple[int, ...]:
    """The axes whose bits an address bit is made of."""
    bits = (layout.word_bits(k) for k in range(len(layout.axes)))
    return tuple(k for k, own in enumerate(bits) if row >> own.start & (1 << len(own)) - 1)


def _legend(layout: Layout) -> Markup:
    """The axes in their colours, and the mark of Gray-coded bits."""
    pieces: list[Markup] = []
    for k in shown(len(layout.axes), _MOST_AXES):
        axis = None if k is None else layout.axes[k]
        length = "" if axis is None else f"axis {k}: {shortened(number(axis.length), _ROOM)}"
        pieces.append(
            element("span", length or _GAP, style=_cell_style("", () if k is None else (k,)))
        )
    if any(map(_is_gray, text.tokens(layout.map, layout.axes))):
        pieces.append(element("span", "Gray-coded", style=_cell_style("g", ())))
    return joined(pieces, " ")


def _table(layout: Layout) -> Markup:
    """The nodes of one axis and the indices they hold."""
    rows = []
    for node in shown(1 << layout.n, _MOST_CELLS):
        if node is None:
            rows.append((_GAP, "", ""))
            continue
        bits = shortened(f"{node:0{layout.n}b}" if layout.n else "", _ROOM)
        rows.append((shortened(node, _ROOM), bits, held(layout, node, _ROOM)))
    return figures(("node", "bits", "indices in slot order"), rows, "rrl")


def _grid(layout: Layout) -> Markup:
    """The nodes of the cells of two axes."""
    down, across = cells_of(layout)
    columns = shown(across.count, _MOST_CELLS)
    head = [_GAP if j is None else shortened(across.label(j), _ROOM) for j in columns]

    def lines() -> Iterator[list[object]]:
        for i in shown(down.count, _MOST_CELLS):
            if i is None:
                yield [_GAP, *[""] * len(columns)]
                continue
            nodes = [
                None if j is None else node_at(layout, (down, across), (i, j)) for j in columns
            ]
            entries = [_GAP if node is None else shortened(node, _ROOM) for node in nodes]
            yield [element("b", shortened(down.label(i), _ROOM)), *entries]

    table = figures(["", *head], lines(), "r" * (len(columns) + 1))
    return joined([element("div", "node; axis 0 down, axis 1 across"), table])
