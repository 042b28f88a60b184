"""Rank orders: what the ring, the mesh, MPI and JAX make of them, by plain simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import gray_word, ones

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout import rank_coordinates

# A code that no reflection gives, from CAM-87-02: its bit runs differ from the reflected ones.
G4 = [0, 1, 3, 2, 6, 7, 5, 13, 15, 14, 10, 11, 9, 8, 12, 4]


def words_of(code, length):
    """Words of a code for an axis: a name, or the listed words themselves."""
    if code == "binary":
        return list(range(length))
    if code == "gray":
        return [gray_word(i, length.bit_length() - 1) for i in range(length)]
    return code


@st.composite
def cyclic_codes(draw, n):
    """Words of a cyclic Gray code: dimensions permuted, bits flipped, turned around."""
    start = G4 if n == 4 and draw(st.booleans()) else words_of("gray", 2**n)
    wires = draw(st.permutations(range(n)))
    flip = draw(st.integers(0, 2**n - 1))
    words = [sum((w >> j & 1) << wires[j] for j in range(n)) ^ flip for w in start]
    turn = draw(st.integers(0, 2**n - 1))
    return words[turn:] + words[:turn]


@st.composite
def coded_meshes(draw, names=("gray", "binary")):
    """A mesh shape of at most 2^8 places with one code per axis."""
    bits = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    bits = [b if sum(bits[: k + 1]) <= 8 else 0 for k, b in enumerate(bits)]
    codes = [draw(st.sampled_from(names) | cyclic_codes(b)) for b in bits]
    return tuple(2**b for b in bits), codes


def library_codes(codes):
    return [code if isinstance(code, str) else gc.GrayCode(code) for code in codes]


def node_of(shape, codes, coordinate):
    """Concatenated words of the components, first axis highest."""
    node = 0
    for length, code, i in zip(shape, codes, coordinate, strict=True):
        node = node * length + words_of(code, length)[i]
    return node


def places(shape):
    return list(itertools.product(*map(range, shape)))


def comm_split(keys):
    """Old ranks in the new order, as MPI_Comm_split defines it for one color."""
    return sorted(range(len(keys)), key=lambda old: (keys[old], old))


def group_incl(old_group, ranks):
    """Members of the new group: new rank i is what had rank ranks[i]."""
    return [old_group[rank] for rank in ranks]


@given(coded_meshes())
def test_the_node_of_a_place_concatenates_the_codes_of_its_components(mesh):
    shape, codes = mesh
    order = gc.rank_order(shape, code=library_codes(codes))
    assert order.shape == shape
    assert order.dtype == np.int64
    assert {place: order[place] for place in places(shape)} == {
        place: node_of(shape, codes, place) for place in places(shape)
    }


@given(coded_meshes(names=("gray",)))
def test_mesh_neighbours_are_cube_neighbours_with_every_cyclic_gray_code(mesh):
    shape, codes = mesh
    order = gc.rank_order(shape, code=library_codes(codes))
    for place, axis in itertools.product(places(shape), range(len(shape))):
        step = [i + (k == axis) for k, i in enumerate(place)]
        beyond = tuple(i % length for i, length in zip(step, shape, strict=True))
        assert ones(int(order[place] ^ order[beyond])) == (shape[axis] > 1)


@given(coded_meshes())
def test_rank_coordinates_invert_the_rank_order(mesh):
    shape, codes = mesh
    rows = rank_coordinates(shape, code=library_codes(codes)).tolist()
    assert len(rows) == math.prod(shape)
    for node, row in enumerate(rows):
        assert node_of(shape, codes, row) == node


@given(coded_meshes())
def test_split_and_incl_make_the_same_communicator_with_c_order_ranks(mesh):
    shape, codes = mesh
    keys = gc.split_keys(shape, code=library_codes(codes)).tolist()
    ranks = gc.rank_order(shape, code=library_codes(codes)).ravel()
    members = comm_split(keys)
    assert members == group_incl(range(math.prod(shape)), ranks)
    for rank, place in enumerate(places(shape)):
        assert members[rank] == node_of(shape, codes, place)


@given(coded_meshes())
def test_a_device_mesh_holds_the_very_objects_in_rank_order(mesh):
    shape, codes = mesh
    # Sequences are the hard case: numpy would open them.
    devices = [[node] for node in range(math.prod(shape))]
    grid = gc.device_mesh(devices, shape, code=library_codes(codes))
    assert grid.shape == shape
    assert grid.dtype == object
    for place in places(shape):
        assert grid[place] is devices[node_of(shape, codes, place)]


def test_rings_are_the_orders_jax_hard_codes():
    # jax.experimental.mesh_utils: _TRAY_2x2_RING_ORDER and _V5P_2x2x2_ORDER.
    assert tuple(gc.rank_order((4,))) == (0, 1, 3, 2)
    assert tuple(gc.rank_order((8,))) == (0, 1, 3, 2, 6, 7, 5, 4)


def test_a_ring_is_the_list_of_words():
    for n in range(9):
        assert gc.rank_order((2**n,)).tolist() == [gray_word(i, n) for i in range(2**n)]
        assert gc.rank_order((2**n,), "binary").tolist() == list(range(2**n))
    assert gc.rank_order((16,), gc.GrayCode(G4)).tolist() == G4


def test_one_code_serves_all_axes_and_gray_is_the_default():
    both = gc.rank_order((16, 16), code=gc.GrayCode(G4))
    assert (both == gc.rank_order((16, 16), code=[gc.GrayCode(G4)] * 2)).all()
    assert (gc.rank_order((4, 8)) == gc.rank_order((4, 8), code="gray")).all()
    assert (gc.rank_order((4, 8)) != gc.rank_order((4, 8), code="binary")).any()


def test_rank_orders_place_the_blocks_of_the_mesh_layout():
    layout = gc.Layout.mesh((8, 12), (4, 2), code="gray", ownership=False)
    order = gc.rank_order((4, 2))
    for i, j in places((8, 12)):
        assert layout.locate(i, j)[0] == order[i // 2, j // 6]


REFLECTED = gc.GrayCode([0, 1, 3, 2])


@pytest.mark.parametrize(
    ("call", "arguments", "words"),
    [
        (gc.rank_order, ((6,),), ["is 6", "4 and 8"]),
        (gc.rank_order, ((0,),), ["is 0"]),
        (gc.rank_order, ((-4,),), ["is -4"]),
        (gc.rank_order, ((4,), "grey"), ["'grey'", "'gray'"]),
        (gc.rank_order, ((8,), REFLECTED), ["4 words", "8 places"]),
        (gc.rank_order, ((4, 12),), ["axis 1", "is 12", "8 and 16"]),
        (gc.rank_order, ((4, 2), ["gray"]), ["1 entries", "2 axes"]),
        (gc.rank_order, ((4, 2), REFLECTED), ["axis 1", "4 words", "2 places"]),
        (rank_coordinates, ((4, 3),), ["axis 1", "is 3", "2 and 4"]),
        (gc.split_keys, ((5,),), ["is 5", "4 and 8"]),
        (gc.device_mesh, ("abc", (4,)), ["3 devices", "4 places"]),
        (gc.device_mesh, ("abcde", (2, 2)), ["5 devices", "4 places"]),
    ],
)
def test_bad_meshes_name_the_value_and_the_nearest_sizes(call, arguments, words):
    with pytest.raises(InvalidValueError) as caught:
        call(*arguments)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("shape", [(4.0,), ("4",), 4.0, (True, 2)])
def test_a_mesh_shape_is_made_of_integers(shape):
    with pytest.raises(InvalidTypeError, match="integer"):
        gc.rank_order(shape)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_node_mesh_has_all_nodes_and_is_as_square_as_their_factors_let_it(axes):
    for nodes in range(1, 130):
        mesh = gc.node_mesh(nodes, axes)
        assert len(mesh) == axes
        assert np.prod(mesh) == nodes
        assert [*mesh] == sorted(mesh, reverse=True)
        if nodes & (nodes - 1) == 0:
            assert mesh[0] <= 2 * mesh[-1]
    assert gc.node_mesh(48, 2) == (8, 6)
    assert gc.node_mesh(96, 3) == (6, 4, 4)
