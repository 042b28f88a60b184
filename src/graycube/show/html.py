"""The writer of HTML: cards for notebooks, and tables for them and for pages.

Notebooks have no style sheet of ours and a light or a dark theme, so cards are styled in place,
with the colours of the theme and what is translucent over them; and they are bounded: what is
too much is left out in the middle.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graycube.markup import Markup, element, joined
from graycube.show.sheet import (
    GAP,
    Bar,
    Folded,
    Lines,
    Piece,
    Reasons,
    Sheet,
    Table,
    Tile,
    Tiles,
    shown,
)
from graycube.texts import shortened

_LONGEST_LINE, _LONGEST_CELL, _LONGEST_TILE = 400, 200, 32  # characters
_SPACE = "\N{NO-BREAK SPACE}"  # which browsers keep
_RULE = "1px solid rgba(128,128,128,.5)"
_HUES = ("230,159,0", "86,180,233", "0,158,115", "204,121,167", "213,94,0", "0,114,178")
_SOFT = "text-align:center;font-size:80%;opacity:.7"


class Look(NamedTuple):
    """How what is called strong, soft, r, l or head looks: the attribute that says so.

    >>> Look("class_", {"strong": "chosen"})("r", "strong")
    {'class_': 'chosen'}
    """

    attribute: str
    words: Mapping[str, str]
    most: int | None = None

    def __call__(self, *names: str) -> dict[str, str]:
        """The attribute of an element that is all of this, if any of it is to be seen."""
        between = ";" if self.attribute == "style" else " "
        found = between.join(self.words[name] for name in names if name in self.words)
        return {self.attribute: found} if found else {}


_CARD = Look(
    "style",
    {
        "table": "border-collapse:collapse;margin:.3em 0",
        "l": "text-align:left;padding:.1em .6em",
        "r": "text-align:right;white-space:nowrap;padding:.1em .6em",
        "head": f"border-bottom:{_RULE}",
        "strong": "font-weight:bold",
        "soft": "opacity:.7",
    },
    most=40,
)


class Shown:
    """A base for classes whose objects have a sheet, which is their card in notebooks.

    >>> class Seven(Shown):
    ...     def _sheet(self):
    ...         return Sheet("7 < 8", "It is odd.")
    >>> Seven()._repr_html_()[45:]
    '<div><b>7 &lt; 8</b></div><div>It is odd.</div></div>'
    """

    __slots__ = ()

    def _sheet(self) -> Sheet:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return card(self._sheet())


def card(sheet: Sheet) -> Markup:
    """A sheet in a notebook: its title in bold, and what there is to say.

    >>> print(card(Sheet("a < b", "so")))
    <div style="line-height:1.5;overflow-x:auto"><div><b>a &lt; b</b></div><div>so</div></div>
    """
    name, *exact = sheet.title.split("\n")
    title = element("div", element("b", shortened(name, _LONGEST_LINE)))
    pieces = (Lines(exact) if exact else "", *sheet.pieces)
    body = (_written(piece) for piece in pieces if piece != "")
    return element("div", title, *body, style="line-height:1.5;overflow-x:auto")


def table_of(table: Table, look: Look = _CARD) -> Markup:
    """A table.

    >>> table_of(Table((), [("a < b", 3)], "lr"), Look("class_", {"r": "figure"}))
    '<table><tbody><tr><td>a &lt; b</td><td class="figure">3</td></tr></tbody></table>'
    """
    columns = [(s.lower(), "strong") if s.isupper() else (s,) for s in table.sides]
    count = len(table.rows)

    def line(tag: str, row: Sequence[object], *names: str) -> list[Markup]:
        styled = zip(row, columns, strict=True)
        scope = {"scope": "col"} if tag == "th" else {}
        return [element(tag, _cell(x), **scope, **look(*how, *names)) for x, how in styled]

    body = [
        element("tr", *line("td", (GAP, *[""] * (len(columns) - 1))))
        if k is None
        else element("tr", *line("td", table.rows[k]), **look(table.marks.get(k, "")))
        for k in shown(count, count if look.most is None else look.most)
    ]
    parts = [element("tbody", *body)]
    if table.head:
        parts.insert(0, element("thead", element("tr", *line("th", table.head, "head"))))
    return element("table", *parts, **look("table"))


def _cell(content: object) -> object:
    if isinstance(content, Bar):
        look = "height:.8em;background:currentColor;opacity:.5"
        return element("div", style=f"width:{12 * content.share:.2f}em;{look}")
    whole = shortened(content, _LONGEST_CELL)
    inner = whole.lstrip(" ")
    return _SPACE * (len(whole) - len(inner)) + inner


def _written(piece: Piece) -> Markup:
    match piece:
        case Table():
            return table_of(piece)
        case Folded():
            summary = element("summary", shortened(piece.summary, _LONGEST_LINE))
            return element("details", summary, table_of(piece.table))
        case Lines():
            some = shown(len(piece.lines), _CARD.most or 0)
            lines = (
                GAP if k is None else shortened(piece.lines[k], _LONGEST_LINE) for k in some
            )
            return element("pre", "\n".join(lines), style="line-height:1.2;margin:.3em 0")
        case Reasons():
            rows = [(", ".join(names), reason) for names, reason in piece.entries]
            folded = Folded(f"Left out: {piece.number}", Table((), rows, "ll"))
            return _written(folded) if rows else joined(())
        case Tiles():
            return _tiles(piece.groups)
        case _:
            return element("div", shortened(piece, _LONGEST_LINE))


def _tiles(groups: Sequence[tuple[str, Sequence[Tile]]]) -> Markup:
    """A line of tiles; with captions above and remarks below them if the groups have names."""
    if not any(name for name, _ in groups):
        spans = (_tile("span", tile) for _, tiles in groups for tile in tiles)
        return element("div", joined(spans, " "))
    rows: tuple[list[Markup], ...] = [], [], []
    for k, (name, tiles) in enumerate(groups):
        if k:
            for row, between in zip(rows, ("", "||", ""), strict=True):
                row.append(element("td", between))
        if tiles:
            above = shortened(name, _LONGEST_TILE)
            rows[0].append(element("td", above, colspan=len(tiles), style=_SOFT))
        below = (shortened(tile.below, _LONGEST_TILE) for tile in tiles)
        rows[1].extend(_tile("td", tile) for tile in tiles)
        rows[2].extend(element("td", text, style=f"{_SOFT};padding:0") for text in below)
    style = "border-collapse:separate;border-spacing:3px;margin:.4em 0"
    return element("table", *(element("tr", *row) for row in rows), style=style)


def _tile(tag: str, tile: Tile) -> Markup:
    hue = "" if tile.hue is None else f"background:rgba({_HUES[tile.hue % len(_HUES)]},.35);"
    border = "2px dashed" if tile.dashed else _RULE
    look = f"{hue}border:{border};text-align:center;padding:.1em .4em;font-family:monospace"
    return element(tag, shortened(tile.text, _LONGEST_TILE), style=look)
