"""The piece of a process: where it is in the whole array, taken out and put back."""

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI
from numpy_cases import layouts

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix


@pytest.mark.parametrize("n", range(4))
def test_in_one_process_the_piece_is_the_whole_array(n):
    for layout in layouts(n):
        x = np.random.default_rng(0).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_local(x, layout)
        assert np.array_equal(u.to_numpy(), x)
        assert np.array_equal(u.local, x)
        assert u.slices == tuple(slice(0, length) for length in layout.shape)
        assert np.array_equal(x[u.ix], x)
        u.set_local(-x)
        assert np.array_equal(u.to_numpy(), -x)
        u.local = 3
        assert (u.to_numpy() == 3).all()


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
def test_the_pieces_of_nodes_are_slices_of_the_whole(code, allocation):
    """Also with odd parts, and with copies, where pieces come more than once."""
    mesh = gc.Layout.mesh((12, 20), (4, 2), code=code, allocation=allocation, ownership=False)
    for layout in (mesh, mesh.without_axes([1]), mesh.without_axes([0], keepdims=True)):
        x = np.arange(layout.size).reshape(layout.shape)
        times = np.zeros(layout.shape, int)
        for node in range(8):
            piece = layout.piece(range(node, node + 1))
            mine = x[piece.slices]
            index = layout.index(np.array(node), np.arange(layout.block_size))
            assert sorted(mine.ravel()) == sorted(index)
            assert np.array_equal(x[np.ix_(*piece.coordinates)], mine)
            times[piece.slices] += 1
        assert (times == 1 << layout.copies).all()


def test_one_node_with_powers_of_two_has_a_view():
    u = gc.CubeArray.from_numpy(np.zeros((8, 4, 3)), gc.Layout.mesh((8, 4), (1, 1)))
    u.local[2, 3] = [1, 2, 3]
    assert u.sum() == 6
    spread = gc.CubeArray.from_numpy(np.zeros((8, 4)), gc.Layout.mesh((8, 4), (2, 2)))
    with pytest.raises(ValueError, match="read-only"):
        spread.local[0, 0] = 1


def test_what_is_no_slice_or_no_product_says_so():
    swapped = gc.Layout.parse("(b1 || b2 b0)")  # node 0 has 0 and 2, node 1 has 1 and 3
    assert swapped.piece(range(1, 2)).slices == (slice(1, 4, 2),)
    far = gc.Layout.parse("(b3 b0 || b2 b1)")
    with pytest.raises(InvalidValueError, match=r"axis 0 are \[0, 1, 8, 9\].*use ix"):
        _ = far.piece(range(1)).slices
    # node bit b0:1 ^ b1:1 mixes the axes
    mixed = gc.Layout(AffineMap(Matrix((0b0010, 0b0001, 0b0100, 0b1001), 4)), 1,
                      gc.Layout.mesh((4, 4), (2, 1)).axes)  # fmt: skip
    with pytest.raises(InvalidValueError, match="is no product"):
        mixed.piece(range(1))


@pytest.mark.parametrize("wrong", [np.zeros((12, 19)), np.zeros(240), 1.0])
def test_pieces_of_another_shape_are_refused(wrong):
    layout = gc.Layout.mesh((12, 20), (4, 2), ownership=False)
    with pytest.raises(InvalidValueError, match=r"the piece has shape .* \(12, 20\)") as told:
        gc.CubeArray.from_local(wrong, layout)
    assert "x[layout.piece(range(0, 8)).slices]" in str(told.value)
    if np.ndim(wrong):
        with pytest.raises(InvalidValueError, match="the piece has shape"):
            gc.CubeArray.from_numpy(np.zeros((12, 20)), layout).set_local(wrong)


class TestOverMPI(OverMPI):
    launches = (
        Launch(1, ("local_pieces",), sweep=True),
        Launch(2, ("local_pieces",), messages=True, sweep=True),
        Launch(8, ("local_pieces",), sweep=True),
    )
