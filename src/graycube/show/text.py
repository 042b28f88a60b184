"""The writer of text: columns side by side, and sentences that are filled."""

from collections.abc import Callable, Iterator
from textwrap import wrap

from graycube.show.sheet import GAP, Folded, Lines, Piece, Reasons, Sheet, Table, Tiles
from graycube.texts import visible

WIDTH = 92  # characters
_LEAST = 20  # of a last column that is wrapped


def text(sheet: Sheet, width: int | None = WIDTH, strong: Callable[[str], str] = str) -> str:
    """The pieces of a sheet, not wider than ``width`` where that is possible.

    ``strong`` is applied to the lines of heads and of strong rows.

    >>> rows = [("gb1", 3, "chosen"), ("pipelined", 12, "dearer")]
    >>> print(text(Sheet("", "Two ways:", Table(("way", "rounds", ""), rows, "lrl"))))
    Two ways:
    way        rounds
    gb1             3  chosen
    pipelined      12  dearer
    """
    return "\n".join(line for piece in sheet.pieces for line in _lines(piece, width, strong))


def _lines(piece: Piece, width: int | None, strong: Callable[[str], str]) -> Iterator[str]:
    match piece:
        case Table():
            yield from _rows(piece, width, strong)
        case Folded():
            yield from _rows(piece.table, width, strong)
        case Lines():
            yield from map(visible, piece.lines)
        case Reasons():
            why = (f"{', '.join(names)} ({reason})" for names, reason in piece.entries)
            yield from _filled(f"Left out: {'; '.join(why)}.", width) if piece.entries else ()
        case Tiles():
            groups = (" ".join(tile.text for tile in tiles) for _, tiles in piece.groups)
            yield from _filled(" || ".join(groups), width)
        case _:
            yield from _filled(piece, width)


def _filled(sentence: str, width: int | None) -> list[str]:
    whole = " ".join(visible(sentence).split("\n"))
    if width is None or len(whole) <= width:
        return [whole]
    return wrap(whole, width, break_long_words=False, break_on_hyphens=False)


def _rows(table: Table, width: int | None, strong: Callable[[str], str]) -> Iterator[str]:
    rows = [list(map(_line, row)) for row in (table.head, *table.rows) if row]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides, grid = table.sides.lower(), table.sides[:1].isupper()
    if grid:  # its columns are alike, but for a gap
        wide = max(w for w, name in zip(widths[1:], rows[0][1:], strict=True) if name != GAP)
        widths[1:] = [len(GAP) if name == GAP else wide for name in rows[0][1:]]
    for k, row in enumerate(rows, start=-bool(table.head)):
        mark = strong if k < 0 or table.marks.get(k) == "strong" else str
        *cells, last = map(_padded, row, sides, widths)
        if grid:
            cells[0] += " |"
        before = "".join(f"{cell}  " for cell in cells)
        room = max(width - len(before), _LEAST) if width and sides[-1] == "l" else None
        for part in _filled(last.rstrip(), room):
            yield mark((before + part).rstrip())
            before = " " * len(before)
        if grid and k < 0:
            yield "-" * (widths[0] + 1) + "+" + "-" * sum(2 + wide for wide in widths[1:])


def _line(cell: object) -> str:
    return visible(str(cell).replace("\n", "\\n"))


def _padded(cell: str, side: str, width: int) -> str:
    return cell.ljust(width) if side == "l" else cell.rjust(width)
