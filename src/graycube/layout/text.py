"""The printed form of a layout: the address field of TR-764, and back.

    (b9 b8 b7 b6 b5 b4 || b3 g2 g1 g0)

lists the address bits from the highest to the lowest, memory before ``||`` and node after.
``bJ`` is bit J of the index, ``gJ`` is bJ ^ b(J+1), any other sum is written out (``b5^b3``),
and ``~`` complements. With several axes ``bK:J`` is bit J of axis K. ``cJ`` is bit J of the
number of a copy, where nodes have copies of elements. An extent follows as ``x 125``, or
``x 3 on axis 1 above bit 2`` where that is needed.
"""

import re
from collections.abc import Sequence

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix, bit_indices
from graycube.layout.axis import Axis

MAX_AXES = 64  # as many as NumPy has
MAX_BITS = 1 << 10  # of an address that is read; to invert a map takes the cube of them
_BIT = "[0-9]{1,4}"
_TERM = re.compile(rf"([bg])(?:({_BIT}):)?({_BIT})|(c)({_BIT})")
_COPY = -1  # as an axis
_EXTENT = re.compile(rf"x ([0-9]{{1,1000}})(?: on axis ({_BIT}))?(?: above bit ({_BIT}))?")


def address_field(address: AffineMap, n: int, axes: Sequence[Axis]) -> str:
    """The printed form of an address map."""
    names = tokens(address, axes)[::-1]
    split = len(names) - n
    field = " ".join([*names[:split], "||", *names[split:]])
    extents = ", ".join(
        f"x {axis.extent}"
        + (f" on axis {k}" if len(axes) > 1 else "")
        + (f" above bit {axis.low - 1}" if axis.low else "")
        for k, axis in enumerate(axes)
        if axis.extent > 1 or (len(axes) > 1 and axis.bits == 0)  # else the axis would not show
    )
    return f"({field}) {extents}".rstrip()


def tokens(address: AffineMap, axes: Sequence[Axis]) -> list[str]:
    """The address bits one by one, the lowest first.

    >>> tokens(AffineMap.identity(3), [Axis(1), Axis(2)])
    ['b1:0', 'b1:1', 'b0:0']
    """
    names = [(f"b{k}:" if len(axes) > 1 else "b", j) for k, j in _bit_positions(axes)]
    names += [("c", j) for j in range(address.width - len(names))]
    rows = enumerate(address.matrix.rows)
    return [_token(row, address.constant >> i & 1, names) for i, row in rows]


def parse(field: str) -> tuple[AffineMap, int, tuple[Axis, ...], int]:
    """The address map and the number of node bits, the axes and the number of copy bits."""
    if not isinstance(field, str):
        raise InvalidTypeError(f"got {field!r}", "an address field is text", "pass a str")
    match = re.match(r"\s*\(([^()|]*)\|\|([^()|]*)\)", field)
    if match is None:
        raise _unreadable(field, "it needs the form (slot bits || node bits)")
    slots, nodes, suffix = match[1].split(), match[2].split(), field[match.end() :].strip()
    if len(slots) + len(nodes) > MAX_BITS:
        raise _unreadable(field, f"an address has at most {MAX_BITS} bits")
    parsed = [_parse_token(field, token) for token in (slots + nodes)[::-1]]
    named = {name for _, names in parsed for name in names}
    copies = max((j + 1 for axis, j in named if axis == _COPY), default=0)
    axes = _parse_axes(field, suffix, [name for name in named if name[0] != _COPY])
    positions = [*_bit_positions(axes), *((_COPY, j) for j in range(copies))]
    column = {name: j for j, name in enumerate(positions)}
    if len(column) != len(parsed):
        raise _unreadable(field, f"it has {len(parsed)} bits for the {len(column)} it names")
    rows = (sum(1 << column[name] for name in names) for _, names in parsed)
    constant = sum(bar << i for i, (bar, _) in enumerate(parsed))
    return AffineMap(Matrix.from_rows(rows, len(column)), constant), len(nodes), axes, copies


_Name = tuple[int, int]  # axis and bit


def _parse_token(field: str, token: str) -> tuple[int, set[_Name]]:
    """Whether an address bit is complemented, and the index bits it sums."""
    bar = token.startswith("~")
    names: set[_Name] = set()
    for term in token[bar:].split("^"):
        found = _TERM.fullmatch(term)
        if found is None:
            raise _unreadable(field, "a bit is written b3, g3, b1:3, b5^b3 or ~b3")
        if found[4]:
            names ^= {(_COPY, int(found[5]))}
            continue
        axis, j = int(found[2] or 0), int(found[3])
        names ^= {(axis, j)} | ({(axis, j + 1)} if found[1] == "g" else set())
    return int(bar), names


def _parse_axes(field: str, suffix: str, names: Sequence[_Name]) -> tuple[Axis, ...]:
    extents: dict[int, tuple[int, int]] = {}
    for part in suffix.split(",") if suffix else ():
        found = _EXTENT.fullmatch(part.strip())
        if found is None or int(found[2] or 0) in extents:
            raise _unreadable(field, "an extent is written once, x 125 on axis 0 above bit 2")
        low = int(found[3]) + 1 if found[3] else 0
        extents[int(found[2] or 0)] = (int(found[1]), low)
    bits: dict[int, int] = {}
    for axis, j in names:
        bits[axis] = max(bits.get(axis, 0), j + 1)
    count = max([*bits, *extents, 0]) + 1
    if count > MAX_AXES:
        raise _unreadable(field, f"there are at most {MAX_AXES} axes")
    return tuple(Axis(bits.get(k, 0), *extents.get(k, (1, 0))) for k in range(count))


def _bit_positions(axes: Sequence[Axis]) -> list[tuple[int, int]]:
    """Axis and bit of every bit of the index, lowest first."""
    return [(k, j) for k in reversed(range(len(axes))) for j in range(axes[k].bits)]


def _token(row: int, constant: int, names: Sequence[tuple[str, int]]) -> str:
    bits = [names[j] for j in bit_indices(row)][::-1]
    bar = "~" if constant else ""
    if len(bits) == 2:
        (prefix, high), (other, low) = bits
        if prefix == other and prefix != "c" and high == low + 1:
            return f"{bar}g{prefix[1:]}{low}"
    return bar + "^".join(f"{prefix}{j}" for prefix, j in bits)


def _unreadable(field: str, rule: str) -> InvalidValueError:
    return InvalidValueError(
        f"cannot read {field[:80]!r}",
        rule,
        "print a layout with lengths of 2^k to see one; Layout.mesh makes all others",
    )
