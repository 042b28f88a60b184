"""Layouts of coarser and finer grids: every so-manieth element along the axes, where it is.

Rules.

1. Every 2^k-th index has k low bits that are zero. What is left of an affine map is one again:
   nothing moves. Index bits that are in memory leave a smaller block.
2. Bits that tell nodes apart leave nodes without elements. Each of these keeps a copy: that of
   the coarse element which stands for the fine ones it had.
3. Where the odd part of a length is below the bits that go, and in layouts by ownership, the
   elements go to the blocks that so many of them have on as many nodes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graycube.gf2 import AffineMap, Matrix
from graycube.gf2.span import Span
from graycube.layout.axis import Axis
from graycube.layout.chosen import Chosen
from graycube.layout.layout import Layout
from graycube.layout.ownership import Ownership, are_apart
from graycube.layout.placement import Placement
from graycube.layout.share import SharedAxis


def thinned(layout: Placement, factors: Sequence[int]) -> Chosen:
    """Every so-manieth element of a layout, on the nodes that have it.

    >>> thinned(Layout.mesh((8,), nodes=(2,)), (2,)).piece(range(1, 2)).coordinates
    (array([2, 3]),)
    """
    pairs = zip(layout.shape, factors, strict=True)
    return Chosen(layout, tuple(range(0, length, factor) for length, factor in pairs))


def coarser(layout: Placement, factors: Sequence[int]) -> Placement:
    """The layout of every so-manieth element: that of these elements, wherever it can be.

    >>> print(coarser(Layout.mesh((64,), nodes=(8,), code="gray"), [4]))
    (b0 || b3 g2 g1)
    >>> print(coarser(Layout.nodes(3, "gray"), [2]), coarser(Layout.nodes(3), [8]))
    (|| b1 g0 c0) (|| c2 c1 c0)
    >>> print(coarser(Layout.mesh((1000,), nodes=(8,), code="gray", ownership=False), [2]))
    (500 on 8 gray)
    """
    counts = [factor.bit_length() - 1 for factor in factors]
    if isinstance(layout, Layout):
        axes = [_coarser(axis, k) for axis, k in zip(layout.axes, counts, strict=True)]
        found = tuple(axis for axis in axes if axis is not None)
        return (
            without_low(layout, found)
            if len(found) == len(axes)
            else in_shares(layout, factors)
        )
    if not isinstance(layout, Ownership):
        raise TypeError(layout)
    shares = [
        replace(axis, length=-(-axis.length // factor))
        for axis, factor in zip(layout.axes, factors, strict=True)
    ]
    return replace(layout, axes=tuple(shares))


def finer(layout: Placement, factors: Sequence[int]) -> Placement:
    """A layout of an array with so many elements for each one, all of them where that one is.

    >>> print(finer(Layout.nodes(3, "gray"), [4]))
    (b1 b0 || b4 g3 g2)
    """
    counts = [factor.bit_length() - 1 for factor in factors]
    if isinstance(layout, Ownership):
        shares = [
            replace(axis, length=axis.length * factor)
            for axis, factor in zip(layout.axes, factors, strict=True)
        ]
        return replace(layout, axes=tuple(shares))
    if not isinstance(layout, Layout):
        raise TypeError(layout)
    fresh, columns = layout.p, list[int]()
    for k in reversed(range(len(layout.axes))):
        columns += [1 << fresh + j for j in range(counts[k])]
        columns += [layout.map.matrix.columns[bit] for bit in layout.word_bits(k)]
        fresh += counts[k]
    columns += layout.copy_flips
    axes = tuple(
        Axis(axis.bits + k, axis.extent, axis.low + k if axis.extent > 1 else 0)
        for axis, k in zip(layout.axes, counts, strict=True)
    )
    address = AffineMap(Matrix(tuple(columns), fresh), layout.map.constant)
    return tidied(Layout(address, layout.n, axes, layout.copies))


def tidied(layout: Layout) -> Layout:
    """The layout with the same nodes, and index bits in order in memory.

    >>> print(tidied(Layout.parse("(g2 b4 g3 || b1 b0)")))
    (b4 b3 b2 || b1 b0)
    """
    n, p = layout.n, layout.p
    address = in_order(layout.map.matrix.rows[:n], p)
    return replace(layout, map=AffineMap(address, layout.map.constant & (1 << n) - 1))


def in_order(rows: Sequence[int], width: int) -> Matrix:
    """The rows of node bits, and the bits of the word in memory that tell the rest apart.

    >>> in_order([0b110], 3).rows
    (6, 1, 2)
    """
    known = Span(rows)
    slots = [1 << bit for bit in range(width) if known.add(1 << bit)]
    return Matrix.from_rows([*rows, *slots], width)


def _coarser(axis: Axis, bits: int) -> Axis | None:
    """The axis without its low bits, or None if the odd part is below one of them."""
    if axis.extent > 1:
        kept = bits <= axis.low
        return Axis(axis.bits - bits, axis.extent, axis.low - bits) if kept else None
    return Axis(max(axis.bits - bits, 0))


def without_low(layout: Layout, axes: tuple[Axis, ...]) -> Layout:
    """Rules 1 and 2: the layout of indices that are zero in the low bits that axes lack.

    >>> layout = Layout.mesh((24,), nodes=(4,), code="gray", ownership=False)
    >>> print(without_low(layout, (Axis(2),)))
    (|| b1 g0)
    """
    mask = (1 << layout.n) - 1
    nodes = [column & mask for column in layout.map.matrix.columns]
    kept, gone = list[int](), list[int]()
    for k in reversed(range(len(axes))):
        word = layout.word_bits(k)
        gone += nodes[word.start : word.stop - axes[k].bits]
        kept += nodes[word.stop - axes[k].bits : word.stop]
    known = Span([*kept, *layout.copy_flips])
    copies = [*layout.copy_flips, *(node for node in gone if known.add(node))]
    rows = Matrix((*kept, *copies), layout.n).rows
    address = AffineMap(in_order(rows, len(kept) + len(copies)), layout.map.constant & mask)
    return Layout(address, layout.n, axes, len(copies))


def in_shares(layout: Layout, factors: Sequence[int]) -> Ownership:
    """Rule 3: each axis on as many nodes as before, on the same ones where that is a mesh.

    >>> print(in_shares(Layout.mesh((8, 6), nodes=(4, 1), ownership=False), [1, 1]))
    (8 on 4, 6)
    """
    mask = (1 << layout.n) - 1
    columns, found = layout.map.matrix.columns, list[SharedAxis]()
    for k, (length, factor) in enumerate(zip(layout.shape, factors, strict=True)):
        dims = 0
        for bit in layout.word_bits(k):
            dims |= columns[bit] & mask
        here = [np.arange(length) if j == k else np.zeros(1, int) for j in range(len(factors))]
        nodes = layout.node_of(*here) ^ layout.map.constant & mask
        gray = SharedAxis(length, 1 << dims.bit_count(), gray=True, stride=max(dims & -dims, 1))
        coded = np.array_equal(gray.place(here[k]), nodes)
        found.append(replace(gray, length=-(-length // factor), gray=coded))
    if not are_apart(found, layout.node_count):
        strides = np.cumprod([1, *(axis.parts for axis in found[:0:-1])])[::-1].tolist()
        found = [replace(axis, stride=s) for axis, s in zip(found, strides, strict=True)]
    return Ownership(tuple(found), layout.node_count)
