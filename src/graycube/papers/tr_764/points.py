"""Section 5: one point on a node, butterflies computed twice.

The values of the programs of the nodes are those of a Fourier transform, so that a wrong point,
or the wrong half of a butterfly, shows in the numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.cost import butterfly_cycles
from graycube.papers import Case, Claim, answers, at_every_size, compared, tried
from graycube.papers.codes import Ints, above, digits_reversed, odd, ranks, rounds_to_know_all
from graycube.table.networks import one_point
from graycube.table.networks.state import Code
from graycube.verify import check_replication

from .theorems import LIBRARY, PROGRAM, by_both
from .two import one_slot_free

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
        index = ranks(n)
        return cls(n, x[index], index, tables={"initial": index})

    def inputs(self, j: int, *, in_order: bool = True) -> tuple[Ints, Ints]:
        """Both nodes that a node hears from in stage j; at j = 0 one is itself.

        The one whose point has bit j = 0 comes first, if they are in order.
        """
        node = np.arange(1 << self.n)
        one, other = node ^ 1 << j, node ^ (1 << j >> 1)
        swapped = in_order & self.index[one] >> j & 1 == 1
        return np.where(swapped, other, one), np.where(swapped, one, other)

    def step(self, j: int, first: Ints, second: Ints, index: Ints) -> None:
        """Every node computes one output of stage j from the points of two nodes."""
        low = index & ((1 << j) - 1)
        turned = np.exp(-1j * np.pi * low / (1 << j))
        x, y = self.values[first], self.values[second]
        self.values = np.where(index >> j & 1, (x - y) * turned, x + y)
        self.index = index
        self.cycles += 1
        self.tables[f"stage {j}"] = index


def sample_code(x: Values, variant: Variant) -> Points:
    """Gray code to Gray code, by the sample code of section 5."""
    points = Points.in_gray_code(x)
    n, node = points.n, np.arange(len(x))
    own = ranks(n)
    for stage, j in enumerate(range(n - 1, n % 2 - 1, -1)):
        index, low = own, (1 << j) - 1
        if stage % 2 == 0:
            index = own ^ low if variant in {"outputs mended", "mended"} else own[node ^ low]
        in_order = variant in {"inputs mended", "mended"}
        points.step(j, *points.inputs(j, in_order=in_order), index)
    if n % 2:
        points.step(0, *points.inputs(0), own)
    return points


def to_binary(x: Values, variant: Variant) -> Points:
    """Gray code to binary code: which half of a butterfly a node computes.

    As printed, a node with a 1 in the dimension computes the bottom where data are in normal
    order, and the top where they are reversed. Mended, it always computes the bottom.
    """
    points = Points.in_gray_code(x)
    n, node = points.n, np.arange(len(x))
    for j in reversed(range(n)):
        one, other = points.inputs(j)
        bottom = node >> j & 1
        if variant == "printed":  # of an odd number of zeros above the order is reversed
            bottom ^= odd(~node, above(n, j))
        points.step(j, one, other, points.index[one] & ~(1 << j) | bottom << j)
    return points


def transformed(points: Points, x: Values) -> bool:
    """Whether the values are the transform of x, with the digits of the index reversed."""
    digits = digits_reversed(points.n)[points.index]
    return bool(np.allclose(points.values, np.fft.fft(x)[digits]))


def signal(n: int) -> Values:
    """Values to transform."""
    real, imaginary = np.random.default_rng(n).standard_normal((2, 1 << n))
    values: Values = real + 1j * imaginary
    return values


@compared
def all_inputs(n: int) -> int:
    """Cycles until some node can know all points: every output depends on all of them."""
    bound = butterfly_cycles(gc.Layout.nodes(n, "gray"), 0, block=1, ports=max(n, 1))
    return bound if bound == rounds_to_know_all(n) else -1


@compared
def obvious_way(n: int) -> int:
    cube = one_slot_free(n)
    every = np.array_equal(np.sort(cube.place), np.arange(1 << n))
    return cube.checked() if every else -1


def ran(n: int, variant: Variant, output: Code) -> tuple[int, bool, bool]:
    """Cycles of a program on data, whether they are transformed, and the code of the points."""
    x, gray = signal(n), output == "gray"
    made = sample_code(x, variant) if gray else to_binary(x, variant)
    wanted = ranks(n) if gray else np.arange(1 << n)
    return made.cycles, transformed(made, x), np.array_equal(made.index, wanted)


def in_gray(n: int, variant: Variant) -> bool:
    """Whether the sample code is right."""
    return all(ran(n, variant, "gray")[1:])


sample_program = tried(
    lambda n: in_gray(n, "printed"),
    lambda n: (
        [in_gray(n, v) for v in ("mended", "inputs mended", "outputs mended")]
        == [True, n <= 2, n == 1]
    ),
)
"""As printed, but for j = 0, and as mended; both changes are needed."""
binary_rule = tried(
    lambda n: all(ran(n, "printed", "binary")[1:]),
    lambda n: all(ran(n, "mended", "binary")[1:]) and ran(n, "printed", "binary")[1],
)
"""As printed it is a transform too, but not in binary code."""


@tried
def restored_pairs(n: int) -> bool:
    """After every second stage node G(i) has point i again."""
    x = signal(n)
    made = sample_code(x, "mended")
    first, *tables = list(made.tables.values())[::2]
    start, *layouts = one_point(gc.Layout.nodes(n, "gray"), output="gray").layouts[::2]
    library = all(layout == start for layout in layouts)
    same = all(np.array_equal(table, first) for table in tables)
    return library and same and transformed(made, x)


def theorem_5(claim: Claim) -> Iterator[Case]:
    """By programs of the nodes, on data, and by the library, followed by its verifier."""

    def program(n: int, output: Code) -> int:
        cycles, *right = ran(n, "mended", output)
        return cycles if all(right) else -1

    def library(n: int, output: Code) -> int:
        made = one_point(gc.Layout.nodes(n, "gray"), output=output)
        right = check_replication(made, gc.Machine(n, ports="all"))
        return made.cycles if right and made.layouts[-1] == gc.Layout.nodes(n, output) else -1

    return by_both(claim, (PROGRAM, program), (LIBRARY, library))


@at_every_size
def figure_23(_: Claim, n: int) -> Iterator[Case]:
    """Straight and reflected halves, top and bottom, and the values in the end."""
    x = signal(n)
    made = sample_code(x, "mended")
    first, after, second = list(made.tables.values())[:3]
    half = 1 << n - 1
    layouts = one_point(gc.Layout.nodes(n, "gray"), output="gray").layouts
    node = np.arange(2 * half)
    held = [layout.index(node, 0 * node) for layout in layouts]
    found = {
        "tops in half 0": bool((after[:half] < half).all()),
        "bottoms in half 1": bool((after[half:] >= half).all()),
        "half 0 reflected": np.array_equal(after[:half], half - 1 - first[:half]),
        "half 1 straight": np.array_equal(after[half:], half + ranks(n - 1)),
        "neighbour's index": np.array_equal(after, first[node ^ 1 << n - 2]),
        "order restored": np.array_equal(second, first),
        "library": all(map(np.array_equal, held, (first, after, second))),
        "transform, Gray code": transformed(made, x) and np.array_equal(made.index, ranks(n)),
    }
    return answers(f"n = {n}: ", found)
