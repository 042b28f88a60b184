"""Matrices over GF(2), one integer per column.

Rules: bit i of ``columns[j]`` is the entry in row i, column j; so column j is the image of
unit vector j, M v is the XOR of the columns at the ones of v, and nothing is larger than
height x width bits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from graycube.errors import InvalidValueError, SingularError
from graycube.gf2.arrays import IntArray, apply_columns
from graycube.gf2.bits import bit_indices, require_int, require_ints
from graycube.gf2.span import Span, reduced_basis
from graycube.show import GAP, Lines, Sheet, Shown, shown

MOST_SHOWN = 32  # rows and columns, in notebooks


@dataclass(frozen=True, slots=True)
class Matrix(Shown):
    """A height x width matrix over GF(2).

    >>> m = Matrix.from_rows([0b11, 0b10], width=2)  # y0 = x0 + x1, y1 = x1
    >>> m(0b10), m.inverse() @ m == Matrix.identity(2)
    (3, True)
    >>> print(m)
    1 1
    . 1
    """

    columns: tuple[int, ...]
    height: int

    def __post_init__(self) -> None:
        height = require_int(self.height, "height", least=0)
        columns = require_ints(self.columns, "columns")
        object.__setattr__(self, "height", height)
        object.__setattr__(self, "columns", columns)
        if columns and (min(columns) < 0 or max(columns) >> height):
            j = next(j for j, c in enumerate(columns) if c < 0 or c >> height)
            raise InvalidValueError(
                f"column {j} is {columns[j]}",
                f"it must fit {height} rows, 0 <= column < 2^{height}",
                "mask it or raise the height",
            )

    @property
    def width(self) -> int:
        """Number of columns.

        >>> Matrix((1, 2, 3), height=2).width
        3
        """
        return len(self.columns)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width.

        >>> Matrix((1, 2, 3), height=2).size
        (2, 3)
        """
        return self.height, self.width

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows as bit vectors: bit j of ``rows[i]`` is the entry (i, j).

        >>> Matrix((0b01, 0b11), height=2).rows
        (3, 2)
        """
        return self.transpose().columns

    @classmethod
    def identity(cls, size: int) -> "Matrix":
        """The size x size identity.

        >>> Matrix.identity(3)(5)
        5
        """
        return cls.permutation(range(require_int(size, "size", least=0)))

    @classmethod
    def from_rows(cls, rows: Iterable[int], width: int) -> "Matrix":
        """The matrix whose row i is the bit vector ``rows[i]``.

        >>> Matrix.from_rows([0b110], width=3)(0b010)
        1
        """
        return cls(tuple(rows), width).transpose()

    @classmethod
    def permutation(cls, targets: Sequence[int]) -> "Matrix":
        """The matrix that moves bit j to bit ``targets[j]``.

        >>> Matrix.permutation([1, 2, 0])(0b001)
        2
        """
        targets = require_ints(targets, "targets")
        size = len(targets)
        if sorted(targets) != list(range(size)):
            raise InvalidValueError(
                f"targets are {targets}",
                f"each of 0..{size - 1} must occur once",
                "list the new position of every bit",
            )
        return cls(tuple(1 << t for t in targets), size)

    @classmethod
    def block_diagonal(cls, blocks: Iterable["Matrix"]) -> "Matrix":
        """Blocks along the diagonal; the first one acts on the lowest bits.

        >>> m = Matrix.block_diagonal([Matrix.identity(1), Matrix.permutation([1, 0])])
        >>> m(0b010)
        4
        """
        columns: list[int] = []
        height = 0
        for block in blocks:
            columns.extend(column << height for column in block.columns)
            height += block.height
        return cls(tuple(columns), height)

    @overload
    def __call__(self, x: int) -> int: ...
    @overload
    def __call__(self, x: IntArray) -> IntArray: ...
    def __call__(self, x: int | IntArray) -> int | IntArray:
        """The product with a bit vector, or with every element of an integer array."""
        if isinstance(x, np.ndarray):
            return apply_columns(self.columns, 0, self.height, x)
        x = require_int(x, "the vector")
        if x < 0 or x >> self.width:
            raise InvalidValueError(
                f"the vector is {x}", f"it must lie in 0..2^{self.width} - 1", "mask it first"
            )
        return _product(self.columns, x)

    def __matmul__(self, other: "Matrix") -> "Matrix":
        if not isinstance(other, Matrix):
            return NotImplemented
        if self.width != other.height:
            raise InvalidValueError(
                f"a matrix of size {self.size} meets one of size {other.size}",
                "the inner sizes must agree",
                "check the order of the factors",
            )
        columns = self.columns
        return fitting(tuple([_product(columns, x) for x in other.columns]), self.height)

    def __add__(self, other: "Matrix") -> "Matrix":
        if not isinstance(other, Matrix):
            return NotImplemented
        if self.size != other.size:
            raise InvalidValueError(
                f"a matrix of size {self.size} meets one of size {other.size}",
                "a sum needs equal sizes",
                "pad the smaller one with block_diagonal",
            )
        pairs = zip(self.columns, other.columns, strict=True)
        return fitting(tuple(a ^ b for a, b in pairs), self.height)

    def transpose(self) -> "Matrix":
        """Rows and columns exchanged.

        >>> Matrix((0b01, 0b11), height=2).transpose().columns
        (3, 2)
        """
        rows = [0] * self.height
        for j, column in enumerate(self.columns):
            rest, unit = column, 1 << j
            while rest:
                low = rest & -rest
                rows[low.bit_length() - 1] |= unit
                rest ^= low
        return fitting(tuple(rows), self.width)

    def rank(self) -> int:
        """Dimension of the image.

        >>> Matrix((1, 1), height=1).rank()
        1
        """
        return len(Span(self.columns))

    def image(self) -> tuple[int, ...]:
        """A reduced basis of everything the matrix can produce, highest leading bit first.

        >>> Matrix((0b11, 0b01, 0b10), height=2).image()
        (2, 1)
        """
        return tuple(reduced_basis(self.columns))

    def kernel(self) -> tuple[int, ...]:
        """A basis of the vectors that map to zero.

        >>> Matrix((0b11, 0b01, 0b10), height=2).kernel()
        (7,)
        """
        kernel: list[int] = []
        basis: dict[int, tuple[int, int]] = {}  # a sum and its columns, by its highest bit
        for j, column in enumerate(self.columns):
            rest, combination = column, 1 << j
            while rest and (known := basis.get(rest.bit_length())):
                rest, combination = rest ^ known[0], combination ^ known[1]
            if rest:
                basis[rest.bit_length()] = rest, combination
            else:
                kernel.append(combination)
        return tuple(kernel)

    def is_invertible(self) -> bool:
        """Whether the matrix is square and of full rank.

        >>> Matrix((0b11, 0b10), height=2).is_invertible()
        True
        """
        return self.height == self.width == self.rank()

    def inverse(self) -> "Matrix":
        """The matrix with ``m.inverse() @ m == m @ m.inverse() == identity``.

        >>> Matrix((0b01, 0b11), height=2).inverse().columns
        (1, 3)
        """
        pivots = _eliminate(self.columns)
        if not len(pivots) == self.width == self.height:
            raise SingularError(
                f"the {self.height} x {self.width} matrix has rank {len(pivots)}",
                f"an inverse needs rank {max(self.height, self.width)}",
                "look at kernel() for what it maps to zero",
            )
        return fitting(tuple(pivots[lead][1] for lead in range(self.width)), self.width)

    def __str__(self) -> str:
        return "\n".join(entries(self, max(self.size)))

    def _sheet(self) -> Sheet:
        title = f"Matrix {self.height} x {self.width} over GF(2)"
        return Sheet(title, Lines(entries(self, MOST_SHOWN)))


def fitting(columns: tuple[int, ...], height: int) -> Matrix:
    """The matrix with columns that fit, as those do that come of other matrices.

    >>> fitting((1, 2), 2) == Matrix.identity(2)
    True
    """
    made = object.__new__(Matrix)
    object.__setattr__(made, "columns", columns)
    object.__setattr__(made, "height", height)
    return made


def entries(matrix: Matrix, most: int) -> list[str]:
    """Ones and dots, a line for each row; of more than ``most`` the middle is left out.

    >>> entries(Matrix.identity(8), most=3)
    ['1 ... .', '...', '. ... 1']
    """
    across = shown(matrix.width, most)

    def line(i: int) -> str:
        bits = (None if j is None else matrix.columns[j] >> i & 1 for j in across)
        return " ".join(GAP if bit is None else ".1"[bit] for bit in bits)

    return [GAP if i is None else line(i) for i in shown(matrix.height, most)]


def _product(columns: Sequence[int], x: int) -> int:
    """The XOR of the columns at the ones of x; everything that is linear goes through here."""
    y = 0
    while x:
        low = x & -x
        y ^= columns[low.bit_length() - 1]
        x ^= low
    return y


def _eliminate(vectors: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Gauss-Jordan elimination that remembers how each result was made.

    Returns ``pivots``, where ``pivots[lead] == (v, combination)`` says that the XOR of the
    given vectors at the ones of ``combination`` is v, whose leading bit ``lead`` occurs in no
    other pivot.
    """
    pivots: dict[int, tuple[int, int]] = {}
    leads = 0
    for j, vector in enumerate(vectors):
        v, combination = vector, 1 << j
        for lead in bit_indices(vector & leads):
            w, how = pivots[lead]
            v, combination = v ^ w, combination ^ how
        if v == 0:
            continue
        new = v.bit_length() - 1
        for lead, (w, how) in pivots.items():
            if w >> new & 1:
                pivots[lead] = (w ^ v, how ^ combination)
        pivots[new], leads = (v, combination), leads | 1 << new
    return pivots
