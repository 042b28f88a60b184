"""The printed form of a layout: the address field of TR-764, and back.

    (b9 b8 b7 b6 b5 b4 || b3 g2 g1 g0)

lists the address bits from the highest to the lowest, memory before ``||`` and node after.
``bJ`` is bit J of the index, ``gJ`` is bJ ^ b(J+1), any other sum is written out (``b5^b3``),
and ``~`` complements. With several axes ``bK:J`` is bit J of axis K. An extent follows as
``x 125``, or ``x 3 on axis 1 above bit 2`` where that is needed.
"""

import re
from collections.abc import Sequence

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix, bit_indices
from graycube.layout.axis import Axis

_TERM = re.compile(r"([bg])(?:(\d+):)?(\d+)")
_EXTENT = re.compile(r"x (\d+)(?: on axis (\d+))?(?: above bit (\d+))?")


def address_field(address: AffineMap, n: int, axes: Sequence[Axis]) -> str:
    """The printed form of an address map."""
    names = _bit_names(axes)
    row_masks = address.matrix.rows
    tokens = [
        _token(row_masks[i], address.constant >> i & 1, names)
        for i in reversed(range(address.height))
    ]
    split = len(tokens) - n
    field = " ".join([*tokens[:split], "||", *tokens[split:]])
    extents = ", ".join(
        f"x {axis.extent}"
        + (f" on axis {k}" if len(axes) > 1 else "")
        + (f" above bit {axis.low - 1}" if axis.low else "")
        for k, axis in enumerate(axes)
        if axis.extent > 1 or (len(axes) > 1 and axis.bits == 0)  # else the axis would not show
    )
    return f"({field}) {extents}".rstrip()


def parse(address_field: str) -> tuple[AffineMap, int, tuple[Axis, ...]]:
    """The address map, the number of node bits and the axes of a printed form."""
    match = re.fullmatch(r"\s*\(([^()|]*)\|\|([^()|]*)\)\s*(.*?)\s*", address_field)
    if match is None:
        raise _unreadable(address_field, "it needs the form (slot bits || node bits)")
    slots, nodes, suffix = match[1].split(), match[2].split(), match[3]
    tokens = (slots + nodes)[::-1]
    terms = [_TERM.fullmatch(term) for token in tokens for term in token.lstrip("~").split("^")]
    if not all(terms):
        raise _unreadable(address_field, "a bit is written b3, g3, b1:3, b5^b3 or ~b3")
    bits: dict[int, int] = {}
    for axis, j in (_position(term) for term in terms if term):
        bits[axis] = max(bits.get(axis, 0), j + 1)
    axes = _parse_axes(address_field, suffix, bits)
    column = {name: j for j, name in enumerate(_bit_positions(axes))}
    rows, constant = [], 0
    for i, token in enumerate(tokens):
        row = 0
        for term in token.lstrip("~").split("^"):
            found = _TERM.fullmatch(term)
            axis, j = _position(found) if found else (0, 0)
            row ^= 1 << column[axis, j]
            if term.startswith("g") and (axis, j + 1) in column:
                row ^= 1 << column[axis, j + 1]
        rows.append(row)
        constant |= (token.count("~") & 1) << i
    return AffineMap(Matrix.from_rows(rows, len(column)), constant), len(nodes), axes


def _parse_axes(field: str, suffix: str, bits: dict[int, int]) -> tuple[Axis, ...]:
    extents: dict[int, tuple[int, int]] = {}
    for part in filter(None, (part.strip() for part in suffix.split(","))):
        found = _EXTENT.fullmatch(part)
        if found is None:
            raise _unreadable(field, "an extent is written x 125 on axis 0 above bit 2")
        low = int(found[3]) + 1 if found[3] else 0
        extents[int(found[2] or 0)] = (int(found[1]), low)
    count = max([*bits, *extents, 0]) + 1
    return tuple(Axis(bits.get(k, 0), *extents.get(k, (1, 0))) for k in range(count))


def _position(term: re.Match[str]) -> tuple[int, int]:
    return int(term[2] or 0), int(term[3])


def _bit_positions(axes: Sequence[Axis]) -> list[tuple[int, int]]:
    """Axis and bit of every bit of the word, lowest first."""
    return [(k, j) for k in reversed(range(len(axes))) for j in range(axes[k].bits)]


def _bit_names(axes: Sequence[Axis]) -> list[tuple[str, int]]:
    """Axis prefix and bit of every bit of the word, lowest first."""
    return [(f"{k}:" if len(axes) > 1 else "", j) for k, j in _bit_positions(axes)]


def _token(row: int, constant: int, names: Sequence[tuple[str, int]]) -> str:
    bits = [names[j] for j in bit_indices(row)][::-1]
    bar = "~" if constant else ""
    if len(bits) == 2:
        (prefix, high), (other, low) = bits
        if prefix == other and high == low + 1:
            return f"{bar}g{prefix}{low}"
    return bar + "^".join(f"b{prefix}{j}" for prefix, j in bits)


def _unreadable(field: str, rule: str) -> InvalidValueError:
    return InvalidValueError(
        f"cannot read {field!r}", rule, "see what print(layout) shows for a similar layout"
    )
