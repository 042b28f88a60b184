"""Matrices and affine maps as notebooks show them: ones and dots."""

from collections.abc import Sequence

from graycube.markup import Markup, card, element, shown

_MOST = 32  # rows and columns


def matrix_card(title: str, columns: Sequence[int], height: int, constant: int = -1) -> Markup:
    """The entries of a matrix, and of a constant if there is one; a row for each output bit.

    >>> "1 1 | 0" in matrix_card("map", (1, 3), 2, 0)
    True
    """
    across = shown(len(columns), _MOST)
    lines = []
    for i in shown(height, _MOST):
        if i is None:
            lines.append("...")
            continue
        row = " ".join(
            "..." if j is None else "1" if columns[j] >> i & 1 else "." for j in across
        )
        lines.append(row if constant < 0 else f"{row} | {constant >> i & 1}")
    return card(title, element("pre", "\n".join(lines), style="line-height:1.2"))
