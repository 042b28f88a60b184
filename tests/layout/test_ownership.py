"""Layouts by ownership put every element where the definition says."""

from itertools import product

import numpy as np
import pytest
from uneven_cases import owners

import graycube as gc
from graycube.errors import OutOfRangeError
from graycube.layout import Ownership

CASES = [
    ((9,), (8,), ("gray",), ("consecutive",)),
    ((9,), (3,), ("binary",), ("cyclic",)),
    ((7, 5), (4, 3), ("gray", "binary"), ("consecutive", "cyclic")),
    ((5, 6, 3), (2, 1, 6), ("binary", "gray", "binary"), ("cyclic", "consecutive", "cyclic")),
]


@pytest.mark.parametrize(("shape", "nodes", "codes", "places"), CASES)
def test_nodes_have_what_the_definition_gives_them(shape, nodes, codes, places):
    layout = gc.Layout.mesh(shape, nodes, code=codes, allocation=places)
    assert isinstance(layout, Ownership)
    wanted = owners(shape, nodes, codes, places)
    found = layout.node_of(*np.indices(shape))
    assert np.array_equal(found, wanted)
    x = np.arange(layout.size).reshape(shape)
    for node in range(layout.node_count):
        piece = layout.piece(range(node, node + 1))
        assert np.array_equal(x[piece.slices].ravel(), x[wanted == node])
        assert layout.held_shape(range(node, node + 1)) == (1, np.sum(wanted == node))
        for axes in ([0], [len(shape) - 1]):
            group, some = layout.sharing(axes, node)
            digits = np.array(np.unravel_index(np.arange(layout.node_count), nodes))
            others = np.delete(digits, axes, axis=0)
            alike = (others == others[:, node : node + 1]).all(axis=0)
            assert sorted(group) == np.flatnonzero(alike).tolist()
            assert 1 <= some <= len(group)


@pytest.mark.parametrize(("shape", "nodes", "codes", "places"), CASES)
def test_elements_are_located_where_the_blocks_have_them(shape, nodes, codes, places):
    layout = gc.Layout.mesh(shape, nodes, code=codes, allocation=places)
    x = np.arange(layout.size).reshape(shape)
    node, slot = layout.locate(*np.indices(shape))
    assert np.array_equal(layout.locate(np.arange(layout.size)), [node.ravel(), slot.ravel()])
    for one in range(layout.node_count):
        block = layout.scatter(x, range(one, one + 1))[0]
        assert np.array_equal(block[slot[node == one]], x[node == one])
        if len(block) and one in node:
            assert np.array_equal(layout.index(one, np.arange(len(block))), block)
            last = len(block) - 1
            assert layout.coordinates(one, last) == np.unravel_index(block[last], shape)
            assert layout.locate(int(block[last])) == (one, last)
        with pytest.raises(OutOfRangeError, match="slot"):
            layout.index(one, len(block))
    assert layout.block_size >= np.bincount(node.ravel()).max()


def test_powers_of_two_are_in_bits_and_all_else_is_in_boxes():
    for length, count in product(range(1, 20), range(1, 9)):
        layout = gc.Layout.mesh((length,), (count,))
        powers = length & (length - 1) == 0 == count & (count - 1)
        assert isinstance(layout, gc.Layout) == (powers and count <= length)
        assert layout.shape == (length,)
        assert layout.node_count == count
        if count & (count - 1) == 0 and length % count == 0:
            bits = gc.Layout.mesh((length,), (count,), ownership=False)
            assert isinstance(bits, gc.Layout)
            assert np.array_equal(
                bits.node_of(np.arange(length)), layout.node_of(np.arange(length))
            )
    assert isinstance(gc.Layout.mesh((12,), (4,), slots="gray"), gc.Layout)
    assert isinstance(gc.Layout.mesh((12, 4), (2, 2), dims=((0,), (1,))), gc.Layout)


def test_layouts_are_equal_where_elements_are_in_the_same_places():
    def mesh(**options):
        return gc.Layout.mesh((3,), (5,), **options)

    assert mesh() == mesh(allocation="cyclic")
    assert gc.Layout.mesh((9,), (4,)) != gc.Layout.mesh((9,), (4,), allocation="cyclic")
    assert gc.Layout.mesh((9,), (2,)) == gc.Layout.mesh((9,), (2,), code="gray")
