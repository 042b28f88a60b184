"""Affine maps x -> M x ^ c on bit vectors: the one object that says where everything is."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

import numpy as np

from graycube.errors import InvalidValueError
from graycube.gf2.arrays import IntArray, apply_columns
from graycube.gf2.bits import require_int
from graycube.gf2.matrix import MOST_SHOWN, Matrix, entries
from graycube.gf2.span import Span
from graycube.show import Lines, Sheet, Shown, shown


@dataclass(frozen=True, slots=True)
class AffineMap(Shown):
    """The map x -> ``matrix`` x ^ ``constant``.

    ``f @ g`` is f after g, and two maps are equal exactly when they agree everywhere.

    >>> f = AffineMap(Matrix.from_rows([0b11, 0b10], width=2), constant=0b01)
    >>> [f(x) for x in range(4)]
    [1, 0, 2, 3]
    >>> f @ f.inverse() == AffineMap.identity(2)
    True
    """

    matrix: Matrix
    constant: int = 0

    def __post_init__(self) -> None:
        if type(self.constant) is not int:
            object.__setattr__(self, "constant", require_int(self.constant, "the constant"))
        if self.constant < 0 or self.constant >> self.matrix.height:
            raise InvalidValueError(
                f"the constant is {self.constant}",
                f"it must fit {self.matrix.height} rows",
                "mask it to the height of the matrix",
            )

    @classmethod
    def identity(cls, size: int) -> "AffineMap":
        """The map that changes nothing.

        >>> AffineMap.identity(8)(77)
        77
        """
        return cls(Matrix.identity(size))

    @classmethod
    def interpolate(
        cls, function: Callable[[int], int], width: int, height: int
    ) -> "AffineMap":
        """The affine map that agrees with ``function`` at 0 and at every unit vector.

        It is the function itself exactly when the function is affine.

        >>> AffineMap.interpolate(lambda x: x ^ x >> 1, 8, 8)(255)
        128
        """
        constant = function(0)
        columns = tuple(function(1 << j) ^ constant for j in range(width))
        return cls(Matrix(columns, height), constant)

    @property
    def width(self) -> int:
        """Number of input bits.

        >>> AffineMap.identity(8).width
        8
        """
        return self.matrix.width

    @property
    def height(self) -> int:
        """Number of output bits.

        >>> AffineMap(Matrix((1, 1, 1), height=1)).height
        1
        """
        return self.matrix.height

    @overload
    def __call__(self, x: int) -> int: ...
    @overload
    def __call__(self, x: IntArray) -> IntArray: ...
    def __call__(self, x: int | IntArray) -> int | IntArray:
        """The image of a bit vector, or of every element of an integer array."""
        if isinstance(x, np.ndarray):
            return apply_columns(self.matrix.columns, self.constant, self.height, x)
        return self.matrix(x) ^ self.constant

    def __matmul__(self, other: "AffineMap") -> "AffineMap":
        if not isinstance(other, AffineMap):
            return NotImplemented
        return AffineMap(self.matrix @ other.matrix, self(other.constant))

    def widened(self, size: int) -> "AffineMap":
        """The same on the low bits of longer words, whose other bits stay.

        >>> AffineMap(Matrix.permutation([1, 0])).widened(3)(0b101)
        6
        """
        others = (1 << j for j in range(self.width, size))
        return AffineMap(Matrix((*self.matrix.columns, *others), size), self.constant)

    def affine(self, size: int) -> "AffineMap":
        """The map itself, on addresses of ``size`` bits; see :meth:`Exchange.affine`.

        >>> AffineMap.identity(3).affine(3) == AffineMap.identity(3)
        True
        """
        if (self.width, self.height) != (size, size):
            raise InvalidValueError(
                f"the map takes {self.width} bits to {self.height}",
                f"addresses have {size} bits",
                "give a map of these addresses",
            )
        return self

    def changes(self, bit: int) -> tuple[int, int]:
        """The mask and parity of the vectors in which the map changes a bit.

        >>> AffineMap(Matrix((1, 3), 2)).changes(0), AffineMap.identity(2).changes(0)
        ((2, 1), (0, 1))
        """
        row = sum((column >> bit & 1) << j for j, column in enumerate(self.matrix.columns))
        return row ^ 1 << bit, 1 ^ self.constant >> bit & 1

    def untouched(self, start: int) -> int:
        """How many bits from ``start`` on, one after the other, have nothing to do with others.

        They are neither changed by the map, nor does anything else depend on them.

        >>> swap = AffineMap(Matrix.permutation([0, 3, 2, 1]))
        >>> [swap.untouched(j) for j in range(4)]
        [1, 0, 1, 0]
        """
        rows, columns = self.matrix.rows, self.matrix.columns
        for j in range(start, self.width):
            alone = rows[j] == columns[j] == 1 << j and not self.constant >> j & 1
            if not alone:
                return j - start
        return self.width - start

    def inverse(self) -> "AffineMap":
        """The map that undoes this one.

        >>> f = AffineMap(Matrix((1, 3), height=2), constant=2)
        >>> f.inverse()(f(3))
        3
        """
        back = self.matrix.inverse()
        return AffineMap(back, back(self.constant))

    def __str__(self) -> str:
        return "\n".join(self._lines(max(self.matrix.size)))

    def _sheet(self) -> Sheet:
        title = f"AffineMap of {self.width} bits to {self.height}: matrix | constant"
        return Sheet(title, Lines(self._lines(MOST_SHOWN)))

    def _lines(self, most: int) -> list[str]:
        lines = zip(entries(self.matrix, most), shown(self.height, most), strict=True)
        return [f"{x} | {self.constant >> i & 1}" if i is not None else x for x, i in lines]


def shift_of(move: AffineMap, bits: int) -> AffineMap:
    """What a map of addresses adds to so many of their lowest bits.

    >>> swap = AffineMap(Matrix.permutation([1, 0]))
    >>> [shift_of(swap, 1)(address) for address in range(4)]
    [0, 1, 1, 0]
    """
    low = (1 << bits) - 1
    columns = ((c ^ 1 << j) & low for j, c in enumerate(move.matrix.columns))
    return AffineMap(Matrix(tuple(columns), bits), move.constant & low)


def nonzero_share(f: AffineMap) -> Fraction:
    """The part of all bit vectors that a map does not take to 0.

    >>> nonzero_share(shift_of(AffineMap(Matrix.permutation([1, 0])), 1))
    Fraction(1, 2)
    """
    span = Span(f.matrix.columns)
    return 1 - Fraction(int(f.constant in span), 1 << len(span))
