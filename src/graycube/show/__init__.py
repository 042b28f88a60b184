"""What objects say of themselves: a *sheet* of lines and tables, and a writer for each medium.

``sheet`` is what there is to say, as data; ``text`` writes it for terminals and ``html`` for
notebooks and pages. Rule: nothing here knows what it shows. That texts are escaped, that what
cannot be seen is written out, and that what is too long is shortened is up to the writers.
"""

from graycube.show.html import Shown
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
from graycube.show.text import text

__all__ = [
    "GAP",
    "Bar",
    "Folded",
    "Lines",
    "Piece",
    "Reasons",
    "Sheet",
    "Shown",
    "Table",
    "Tile",
    "Tiles",
    "shown",
    "text",
]
