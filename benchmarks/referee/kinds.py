"""The tasks of the referee: pairs of layouts on a cube, by name."""

from collections.abc import Iterator
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import graycube as gc
from graycube.gf2 import AffineMap, Matrix

Pair = tuple[gc.Layout, gc.Layout]
CODES: tuple[Literal["gray", "binary"], ...] = ("gray", "binary")
RANDOM = 3  # draws of each random kind


def kinds(n: int) -> Iterator[tuple[str, Pair]]:
    """All kinds that there are on a cube of n dimensions."""
    gray, binary = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
    yield "gray to binary", (gray, binary)
    yield "binary to gray", (binary, gray)
    if n > 3:
        yield from _fields(n)
    yield "cyclic to consecutive", (gc.Layout.cyclic(2 * n, n), gc.Layout.consecutive(2 * n, n))
    yield "few slots", (gc.Layout.cyclic(n + 1, n), gc.Layout.consecutive(n + 1, n))
    coded = gc.Layout.cyclic(2 * n, n, nodes="gray"), gc.Layout.consecutive(2 * n, n)
    yield "cyclic gray to consecutive", coded
    side, parted = 1 << n, (1 << n // 2, 1 << n - n // 2)
    rows, columns, tiles = (
        gc.Layout.mesh((side, side), nodes=nodes) for nodes in ((side, 1), (1, side), parted)
    )
    yield "rows to columns", (rows, columns)
    yield "rows to tiles", (rows, tiles)
    yield (
        "extents",
        (
            gc.Layout.mesh((3 * side, 5 * side), nodes=(side, 1), ownership=False),
            gc.Layout.mesh((3 * side, 5 * side), nodes=(1, side), ownership=False),
        ),
    )
    bits = [f"b{j}" for j in range(n)]
    yield "bits reversed", (binary, gc.Layout.parse(f"(|| {' '.join(bits)})"))
    yield (
        "bits rotated",
        (binary, gc.Layout.parse(f"(|| {' '.join([*bits[:1], *bits[:0:-1]])})")),
    )
    if n > 2 and n % 2 == 0:
        columns_first = [*bits[n // 2 - 1 :: -1], *bits[: n // 2 - 1 : -1]]
        yield "blocks transposed", (binary, gc.Layout.parse(f"(|| {' '.join(columns_first)})"))
    yield "all to the opposite", (binary, gc.Layout(AffineMap(Matrix.identity(n), side - 1), n))
    rng = np.random.default_rng(n)
    for draw in range(RANDOM):
        yield f"any nodes {draw}", (scrambled(rng, n, n), scrambled(rng, n, n))
        yield f"any map {draw}", (scrambled(rng, n + 2, n), scrambled(rng, n + 2, n))
        shape = np.bincount(rng.integers(0, 2, size=n + 3), minlength=2)
        yield f"any mesh {draw}", (mesh(rng, shape, n), mesh(rng, shape, n))


def _fields(n: int) -> Iterator[tuple[str, Pair]]:
    """Several axes over the nodes."""
    shape = (1 << n // 2, 1 << n - n // 2)
    layouts = {
        codes: gc.Layout.mesh(shape, nodes=shape, code=codes)
        for codes in product(CODES, repeat=2)
    }
    yield "two fields", (layouts["gray", "gray"], layouts["binary", "binary"])
    yield "two fields, one each way", (layouts["gray", "binary"], layouts["binary", "gray"])
    if n > 5:
        three = (1 << n // 3, 1 << n // 3, 1 << n - 2 * (n // 3))
        yield (
            "three fields",
            (
                gc.Layout.mesh(three, nodes=three, code="gray"),
                gc.Layout.mesh(three, nodes=three),
            ),
        )


def scrambled(rng: np.random.Generator, p: int, n: int) -> gc.Layout:
    """A layout by a random invertible map: rows are drawn until they are independent."""
    while True:
        rows = [int(row) for row in rng.integers(0, 1 << p, size=p)]
        matrix = Matrix.from_rows(rows, p)
        if matrix.is_invertible():
            return gc.Layout(AffineMap(matrix, int(rng.integers(0, 1 << p))), n)


def mesh(rng: np.random.Generator, shape: NDArray[np.int64], n: int) -> gc.Layout:
    """An array of 2^shape elements along each axis, divided and coded in any way."""
    axes = rng.permutation(np.repeat(np.arange(len(shape)), shape))[:n]
    over = np.bincount(axes, minlength=len(shape))
    return gc.Layout.mesh(
        [1 << int(b) for b in shape],
        nodes=[1 << int(b) for b in over],
        code=["gray" if k else "binary" for k in rng.integers(2, size=len(shape))],
        allocation=["cyclic" if k else "consecutive" for k in rng.integers(2, size=len(shape))],
    )


def group_of(kind: str) -> str:
    """What kind of tasks a name is."""
    if kind.startswith(("gray to", "binary to", "two", "three")):
        return "conversions"
    whole = kind.startswith(("bits", "blocks transposed", "all to", "any nodes"))
    return "whole blocks" if whole else "blocks that are parted"
