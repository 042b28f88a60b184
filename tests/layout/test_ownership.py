"""Layouts by ownership put every element where the definition says."""

from itertools import product

import numpy as np
import pytest
from uneven_cases import owners

import graycube as gc
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


def test_what_divides_is_affine_as_ever():
    for length, count in product(range(1, 20), range(1, 9)):
        layout = gc.Layout.mesh((length,), (count,))
        affine = count & (count - 1) == 0 and length % count == 0
        assert isinstance(layout, gc.Layout) == affine
        assert layout.shape == (length,)
        assert layout.node_count == count


def test_layouts_are_equal_where_elements_are_in_the_same_places():
    def mesh(**options):
        return gc.Layout.mesh((3,), (5,), **options)

    assert mesh() == mesh(allocation="cyclic")
    assert gc.Layout.mesh((9,), (4,)) != gc.Layout.mesh((9,), (4,), allocation="cyclic")
    assert gc.Layout.mesh((9,), (2,)) == gc.Layout.mesh((9,), (2,), code="gray")
