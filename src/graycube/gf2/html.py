"""Matrices and affine maps as notebooks show them: ones and dots."""

from graycube.gf2.affine import AffineMap
from graycube.gf2.matrix import Matrix
from graycube.markup import Markup, card, card_of, element, shown

_MOST = 32  # rows and columns


@card_of.register(Matrix)
def matrix_card(matrix: Matrix) -> Markup:
    """The entries, a row for each output bit.

    >>> "1 1" in matrix_card(Matrix((1, 3), 2))
    True
    """
    title = f"Matrix {matrix.height} x {matrix.width} over GF(2)"
    return _entries(title, matrix)


@card_of.register(AffineMap)
def affine_card(affine: AffineMap) -> Markup:
    """The entries of the matrix and of the constant.

    >>> "1 1 | 0" in affine_card(AffineMap(Matrix((1, 3), 2), 0b10))
    True
    """
    title = f"AffineMap of {affine.width} bits to {affine.height}: matrix | constant"
    return _entries(title, affine.matrix, affine.constant)


def _entries(title: str, matrix: Matrix, constant: int = -1) -> Markup:
    across = shown(matrix.width, _MOST)
    lines = []
    for i in shown(matrix.height, _MOST):
        if i is None:
            lines.append("...")
            continue
        row = " ".join(
            "..." if j is None else "1" if matrix.columns[j] >> i & 1 else "." for j in across
        )
        lines.append(row if constant < 0 else f"{row} | {constant >> i & 1}")
    return card(title, element("pre", "\n".join(lines), style="line-height:1.2"))
