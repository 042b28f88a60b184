"""Section 5 as a program of the nodes: one point on each, butterflies computed twice.

The values are those of a Fourier transform, so that a wrong point, or the wrong half of a
butterfly, shows in the numbers.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graycube.papers.codes import Ints, digits_reversed

from .cube import decoded, odd, reflected

Values = NDArray[np.complex128]
Variant = Literal["printed", "inputs mended", "outputs mended", "mended"]


@dataclass
class Points:
    """One value on every node, and which index of the network it stands for."""

    n: int
    values: Values
    index: Ints
    cycles: int = 0
    tables: dict[str, Ints] = field(default_factory=dict)

    @classmethod
    def in_gray_code(cls, x: Values) -> "Points":
        """Node G(i) has point i."""
        n = len(x).bit_length() - 1
        index = decoded(np.arange(len(x)), n)
        return cls(n, x[index], index, tables={"initial": index})

    def step(self, j: int, first: Ints, second: Ints, index: Ints) -> None:
        """Every node computes one output of stage j from the points of two nodes."""
        low = index & ((1 << j) - 1)
        turned = np.exp(-1j * np.pi * low / (1 << j))
        x, y = self.values[first], self.values[second]
        self.values = np.where(index >> j & 1, (x - y) * turned, x + y)
        self.index = index
        self.cycles += 1
        self.tables[f"stage {j}"] = index


def butterfly(points: Points, j: int) -> tuple[Ints, Ints]:
    """Both neighbours that a node hears from in stage j; at j = 0 one is itself."""
    node = np.arange(1 << points.n)
    return node ^ 1 << j, node ^ (1 << j >> 1)


def in_order(points: Points, j: int, one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """The one whose point has bit j = 0 comes first."""
    swapped = points.index[one] >> j & 1 == 1
    return np.where(swapped, other, one), np.where(swapped, one, other)


def sample_code(x: Values, variant: Variant) -> Points:
    """Gray code to Gray code, by the sample code of section 5."""
    points = Points.in_gray_code(x)
    n, node = points.n, np.arange(len(x))
    own = decoded(node, n)
    for stage, j in enumerate(range(n - 1, n % 2 - 1, -1)):
        one, other = butterfly(points, j)
        index = own
        if stage % 2 == 0 and variant in {"printed", "inputs mended"}:
            index = decoded(node ^ (1 << j) - 1, n)
        elif stage % 2 == 0:
            index = own ^ (1 << j) - 1
        if variant in {"inputs mended", "mended"}:
            one, other = in_order(points, j, one, other)
        points.step(j, one, other, index)
    if n % 2:
        points.step(0, *in_order(points, 0, node, node ^ 1), own)
    return points


def to_binary(x: Values, variant: Variant) -> Points:
    """Gray code to binary code: which half of a butterfly a node computes.

    As printed, a node with a 1 in the dimension computes the bottom where data are in normal
    order, and the top where they are reversed. Mended, it always computes the bottom.
    """
    points = Points.in_gray_code(x)
    n, node = points.n, np.arange(len(x))
    for j in reversed(range(n)):
        one, other = in_order(points, j, *butterfly(points, j))
        above = (1 << n) - (2 << j)
        reversed_order = odd(node ^ above, above) if j < n - 1 else 0 * node
        bottom = node >> j & 1
        if variant == "printed":
            bottom ^= reversed_order
        low = points.index[one] & ((1 << j) - 1)
        high = points.index[one] >> j + 1 << j + 1
        points.step(j, one, other, high | bottom << j | low)
    return points


def transformed(points: Points, x: Values) -> bool:
    """Whether the values are the transform of x, with the digits of the index reversed."""
    digits = digits_reversed(points.n)[points.index]
    return bool(np.allclose(points.values, np.fft.fft(x)[digits]))


def gray_again(points: Points) -> bool:
    """Whether node G(i) has point i."""
    node = np.arange(1 << points.n)
    return np.array_equal(reflected(points.index), node)


def signal(n: int) -> Values:
    """Values to transform."""
    random = np.random.default_rng(n)
    real, imaginary = random.standard_normal((2, 1 << n))
    values: Values = real + 1j * imaginary
    return values
