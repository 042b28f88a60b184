"""A sheet and its pieces: plain data, which every writer writes in its own way."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

GAP = "..."
"""What stands for what is left out in the middle of something long."""


class Table(NamedTuple):
    """Rows below a head, which may be empty; ``sides`` has l or r for each column.

    A first column with L or R has labels: it is set apart. ``marks`` says which rows are
    "strong" or "soft".

    >>> Table(("n", "cycles"), [(3, 8), (4, 16)], "rr", {1: "strong"}).sides
    'rr'
    """

    head: Sequence[object]
    rows: Sequence[Sequence[object]]
    sides: str
    marks: Mapping[int, str] = {}


class Lines(NamedTuple):
    """Lines that stand as they are, character below character.

    >>> Lines(("1 .", ". 1")).lines
    ('1 .', '. 1')
    """

    lines: Sequence[str]


class Folded(NamedTuple):
    """A table that notebooks show after a click on the summary.

    >>> Folded("Rounds measured: 1", Table(("round",), [(1,)], "r")).summary
    'Rounds measured: 1'
    """

    summary: str
    table: Table


class Reasons(NamedTuple):
    """What was left out and why: names, and the reason that they have in common.

    >>> Reasons([(["pipelined", "tight"], "it needs 3 ports")]).number
    2
    """

    entries: Sequence[tuple[Sequence[str], str]]

    @property
    def number(self) -> int:
        """How many are left out."""
        return sum(len(names) for names, _ in self.entries)


class Tile(NamedTuple):
    """A short text in the colour of a number, dashed if wanted, with a remark below.

    >>> Tile("g0", below="0", hue=1, dashed=True).text
    'g0'
    """

    text: str
    below: str = ""
    hue: int | None = None
    dashed: bool = False


class Tiles(NamedTuple):
    """Tiles side by side, in groups with captions.

    >>> len(Tiles([("slot", [Tile("b1")]), ("node", [Tile("b0")])]).groups)
    2
    """

    groups: Sequence[tuple[str, Sequence[Tile]]]


class Bar(NamedTuple):
    """A bar in a cell of a table, as long as a share of the longest.

    >>> str(Bar(0.25))
    '######'
    """

    share: float

    def __str__(self) -> str:
        return "#" * round(24 * self.share)


Piece: TypeAlias = str | Table | Lines | Folded | Reasons | Tiles


class Sheet:
    """What a thing says of itself: which one it is, and then piece by piece; "" is a gap.

    The first line of the title is a name for people, the others are written as they are.
    Only cards have titles: who prints a text knows what it is about.

    >>> Sheet("Seven", "It is a prime.", "It is odd.").pieces
    ('It is a prime.', 'It is odd.')
    """

    __slots__ = ("pieces", "title")

    def __init__(self, title: str, *pieces: Piece) -> None:
        self.title = title
        self.pieces = pieces


def shown(count: int, most: int) -> list[int | None]:
    """Positions 0..count - 1, or the first and last of them with ``None`` for the gap.

    >>> shown(5, 8), shown(100, 8)
    ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, None, 98, 99])
    """
    most = max(most, 3)  # the first, the gap, the last
    if count <= most:
        return list(range(count))
    tail = max(1, most // 4)
    return [*range(most - 1 - tail), None, *range(count - tail, count)]
