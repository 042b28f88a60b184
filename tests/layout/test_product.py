"""Blocks cut out axis by axis are those that are found element by element."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import mesh_specs

import graycube as gc
from graycube.layout.product import product_of


def require_same(layout, payload=()):
    x = np.random.default_rng(0).permutation(layout.size * int(np.prod(payload)))
    x = x.reshape(*layout.shape, *payload)
    again = np.full_like(x, -1)
    for node in range(1 << layout.n):
        found = product_of(layout, node)
        wanted = layout.coordinates(np.array(node), np.arange(layout.block_size))
        for one, other in zip(found.indices(), wanted, strict=True):
            assert np.array_equal(one, other)
        block = found.cut(x)
        assert np.array_equal(block, x[wanted])
        assert not np.may_share_memory(block, x)
        piece = layout.piece(range(node, node + 1))
        part = x[np.ix_(*map(np.unique, wanted))]
        assert np.array_equal(piece.of(block[None]), part)
        assert np.array_equal(piece.block(part), block)
        found.put(again, block)
    assert np.array_equal(again, x)


@given(mesh_specs(room=200, max_axes=3), st.sampled_from(((), (2,), (2, 3))))
def test_every_node_has_what_it_has(spec, payload):
    require_same(spec.layout(), payload)


@pytest.mark.parametrize("slots", ["gray", "binary"])
@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
def test_slots_in_gray_code_and_lengths_with_odd_factors(slots, allocation):
    for shape, nodes in (((12, 20), (4, 2)), ((16, 4), (2, 4)), ((24,), (8,))):
        options = {"code": "gray", "slots": slots, "allocation": allocation}
        require_same(gc.Layout.mesh(shape, nodes, ownership=False, **options))


def test_copies_have_the_same():
    layout = gc.Layout.mesh((8, 6), (4, 2), ownership=False).without_axes([1])
    kept = [[*product_of(layout, node).along[0]] for node in range(8)]
    assert kept == [[0, 1], [0, 1], [2, 3], [2, 3], [4, 5], [4, 5], [6, 7], [6, 7]]


def test_slots_that_mix_axes_are_left_to_others():
    layout = gc.Layout.parse("(b0:0 || b0:0^b1:0)")
    assert product_of(layout, 0) is None
    x = np.arange(4).reshape(2, 2)
    assert np.array_equal(layout.gather(layout.scatter(x)), x)


def test_large_blocks_of_several_nodes_are_those_of_small_ones(monkeypatch):
    layout = gc.Layout.mesh((24, 10), (4, 2), code="gray", ownership=False)
    x = np.random.default_rng(0).random((24, 10, 2))
    wanted, index = layout.scatter(x), layout.indices_on(range(8))
    monkeypatch.setattr("graycube.layout.affine._LARGE", 1)
    assert np.array_equal(layout.scatter(x), wanted)
    assert np.array_equal(layout.gather(wanted), x)
    assert np.array_equal(layout.indices_on(range(8)), index)
