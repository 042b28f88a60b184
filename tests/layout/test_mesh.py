"""Meshes of any shape against element-by-element placement; forms, dtypes, data, errors."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import AxisSpec, MeshSpec, affine_map, affine_parts, mesh_specs, recoded

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.layout import Axis


@given(mesh_specs())
def test_every_element_is_where_the_definition_puts_it(spec):
    layout, size = spec.layout(), math.prod(spec.shape)
    assert (layout.shape, layout.size, layout.n) == (spec.shape, size, spec.n)
    assert layout.block_size * 2**spec.n == size
    places = list(spec.table.values())
    assert set(places) == set(itertools.product(range(2**spec.n), range(layout.block_size)))
    node, slot = layout.locate(np.arange(size))
    assert list(zip(node.tolist(), slot.tolist(), strict=True)) == places
    assert layout.index(node, slot).tolist() == list(range(size))
    found = layout.coordinates(node, slot)
    assert list(zip(*(c.tolist() for c in found), strict=True)) == list(spec.table)


@given(mesh_specs(), st.data())
def test_scalars_and_coordinates_agree_with_the_definition(spec, data):
    layout, elements = spec.layout(), list(spec.table)
    for flat in data.draw(st.lists(st.integers(0, len(elements) - 1), max_size=12)):
        place = spec.table[elements[flat]]
        assert layout.locate(flat) == layout.locate(*elements[flat]) == place
        assert layout.index(*place) == flat
        assert layout.coordinates(*place) == elements[flat]
        results = (*layout.locate(flat), layout.index(*place), *layout.coordinates(*place))
        assert {type(x) for x in results} == {int}


@given(mesh_specs())
def test_coordinate_arrays_broadcast(spec):
    layout = spec.layout()
    node, slot = layout.locate(*np.ogrid[tuple(map(slice, spec.shape))])
    assert node.shape == slot.shape == spec.shape
    places = list(zip(node.ravel().tolist(), slot.ravel().tolist(), strict=True))
    assert places == list(spec.table.values())
    grid = layout.index(np.arange(2**spec.n)[:, None], np.arange(layout.block_size))
    flat = {place: i for i, place in enumerate(spec.table.values())}
    assert grid.shape == (2**spec.n, layout.block_size)
    assert all(grid[place] == i for place, i in flat.items())


@given(mesh_specs(room=48), st.data())
def test_a_conversion_of_meshes_moves_slot_bits_and_keeps_the_extent_digit(spec, data):
    codes = data.draw(recoded(spec))
    axes = [
        AxisSpec(a.bits, a.extent, a.node_bits, a.allocation, b.nodes, b.slots, b.whole)
        for a, b in zip(spec.axes, codes.axes, strict=True)
    ]
    other = MeshSpec(tuple(axes))
    move = spec.layout().conversion(other.layout())
    for coordinates, (node, slot) in spec.table.items():
        moved = move((slot // spec.extents) * 2**spec.n + node)
        slot_bits, new_node = divmod(moved, 2**spec.n)
        new_slot = slot_bits * spec.extents + slot % spec.extents
        assert (new_node, new_slot) == other.table[coordinates]


@given(mesh_specs(room=48), st.data())
def test_maps_act_on_the_words_of_a_mesh(spec, data):
    p = sum(axis.bits for axis in spec.axes)
    change = affine_map(*data.draw(affine_parts(p)))
    before, after = spec.layout() @ change, change @ spec.layout()
    named = {}
    for coordinates in spec.table:
        word, rests = 0, []
        for axis, i in zip(spec.axes, coordinates, strict=True):
            part, rest = axis.word(i)
            word, rests = word * 2**axis.bits + part, [*rests, rest]
        named[word, tuple(rests)] = coordinates
    for (word, rests), coordinates in named.items():
        assert before.locate(*coordinates) == spec.table[named[change(word), rests]]
        node, slot = spec.table[coordinates]
        slot_bits, moved = divmod(change(slot // spec.extents * 2**spec.n + node), 2**spec.n)
        place = moved, slot_bits * spec.extents + slot % spec.extents
        assert after.locate(*coordinates) == place


def test_large_arrays_get_what_small_ones_get():
    layout = gc.Layout.mesh(
        (600, 384), (8, 4), code="gray", allocation=("consecutive", "cyclic"), ownership=False
    )
    index = np.arange(layout.size).reshape(layout.shape)[:, ::-1]
    node, slot = layout.locate(index)
    rows = [layout.locate(row) for row in index]
    assert np.array_equal(node, [nodes for nodes, _ in rows])
    assert np.array_equal(slot, [slots for _, slots in rows])
    assert np.array_equal(layout.index(node, slot), index)


def test_one_argument_serves_all_axes():
    options = {"code": "gray", "slots": "gray", "allocation": "cyclic"}
    axes = (AxisSpec(3, 3, 2, "cyclic", "gray", "gray", None),) * 2
    layout = gc.Layout.mesh((24, 24), (4, 4), **options)
    assert layout == MeshSpec(axes).layout()
    whole = (AxisSpec(3, 3, 2, "consecutive", "binary", "binary", "gray"),) * 2
    assert gc.Layout.mesh((24, 24), (4, 4), whole="gray") == MeshSpec(whole).layout()
    assert gc.Layout.mesh(24, 4, ownership=False) == gc.Layout.mesh(
        (24,), (4,), ownership=False
    )


@pytest.mark.parametrize("extent", [2, 6, 96])
def test_an_extent_is_odd_so_that_a_length_splits_in_one_way(extent):
    with pytest.raises(InvalidValueError, match=f"is {extent}"):
        Axis(1, extent)


@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
@pytest.mark.parametrize("whole", [None, "gray"])
def test_sixty_bits_with_extents_are_exact(allocation, whole):
    codes = ("gray", "gray", None) if whole is None else ("binary", "binary", whole)
    axes = (AxisSpec(20, 125, 10, allocation, *codes), AxisSpec(40, 3, 20, allocation, *codes))
    spec = MeshSpec(axes, dims=(tuple(range(10)), tuple(range(10, 30))))
    layout = spec.layout()
    assert (layout.p, layout.n, layout.shape) == (60, 30, spec.shape)
    assert gc.Layout.parse(str(layout)) == layout
    rows, columns = spec.shape
    for k in range(20, 60):
        i, j = 3**k % rows, 5**k % columns
        place = spec.place((i, j))
        assert layout.locate(i, j) == layout.locate(i * columns + j) == place
        assert layout.coordinates(*place) == (i, j)
        assert layout.index(*place) == i * columns + j


@pytest.mark.parametrize("dtype", "bBhHiIlLqQ")
def test_every_integer_dtype_gives_int64(dtype):
    layout = gc.Layout.mesh((12, 4), (4, 2), code="gray", ownership=False)
    results = layout.locate(np.arange(48, dtype=dtype))
    results += layout.locate(np.arange(12, dtype=dtype), 1)
    results += layout.coordinates(np.arange(8, dtype=dtype), 0)
    results += (layout.index(np.arange(8, dtype=dtype), 0),)
    assert {array.dtype for array in results} == {np.dtype(np.int64)}


WIDE = [(2**62, 30), (2**63, 30), (2**64, 30), (2**63, 63), (2**64, 64)]
WIDE_EXTENTS = [(15 << 59, 9), (15 << 60, 9)]


@pytest.mark.parametrize(("size", "n"), WIDE + WIDE_EXTENTS)
def test_arrays_are_exact_up_to_64_bits(size, n):
    layout = gc.Layout.mesh(size, 2**n, whole="gray", allocation="cyclic")
    indices = [0, 1, size - 1, size // 2, *(3**k % size for k in range(30, 60))]
    node, slot = layout.locate(np.array(indices, dtype=np.uint64))
    back, [along] = layout.index(node, slot), layout.coordinates(node, slot)
    dtype = np.int64 if size <= 2**63 else np.uint64
    assert {array.dtype for array in (node, slot, back, along)} == {np.dtype(dtype)}
    assert [*zip(node.tolist(), slot.tolist(), strict=True)] == [*map(layout.locate, indices)]
    assert back.tolist() == along.tolist() == indices


def test_numpy_scalars_and_empty_arrays_are_indices_too():
    layout = gc.Layout.mesh((12, 4), (4, 2), code="gray", ownership=False)
    for scalar in (np.int64(31), np.uint8(31), np.array(31)):
        assert layout.locate(scalar) == layout.locate(31)
    node, slot = layout.locate(np.zeros((0, 3), dtype=int))
    assert node.shape == slot.shape == (0, 3)


PAYLOADS = {
    "float32": lambda i: np.float32(i) / 3,
    "complex128": lambda i: complex(i, -i),
    "S4": lambda i: b"%d" % (i % 1000),
    "i4,f8": lambda i: (i, i / 7),
    "O": lambda i: (i, str(i)),
    "M8[D]": lambda i: np.datetime64(i, "D"),
}


def sample(dtype, shape):
    x = np.empty(math.prod(shape), dtype=dtype)
    for i in range(x.size):
        x[i] = PAYLOADS[dtype](i)
    return x.reshape(shape)


@given(
    mesh_specs(room=60), st.sampled_from([*PAYLOADS]), st.sampled_from([(), (2,), (1, 3), (0,)])
)
def test_scatter_puts_every_element_in_its_slot_and_gather_undoes_it(spec, dtype, payload):
    layout, x = spec.layout(), sample(dtype, spec.shape + payload)
    blocks = layout.scatter(x)
    assert blocks.dtype == x.dtype
    assert blocks.shape == (2**spec.n, layout.block_size, *payload)
    for coordinates, place in spec.table.items():
        assert np.all(blocks[place] == x[coordinates])
    back = layout.gather(blocks)
    assert back.dtype == x.dtype
    assert back.shape == x.shape
    assert (back == x).all()


BAD_MESHES = [
    ((1000,), (16,), {"whole": "gray"}, ["whole", "1000 elements", "16 nodes", "992", "1008"]),
    ((96,), (6,), {"code": "gray"}, ["6 nodes in Gray code", "4 and 8"]),
    ((8, 20), (2, 8), {"slots": "gray"}, ["axis 1", "20 elements", "8 nodes", "16 and 24"]),
    ((96,), (6,), {"dims": ((0,),)}, ["dims", "6 nodes", "4 and 8"]),
    ((7,), (16,), {"whole": "gray"}, ["7 elements", "16 nodes", "is 16"]),
    ((96,), (0,), {}, ["is 0"]),
    ((0,), (1,), {}, ["length of axis 0 is 0", "at least 1"]),
    ((0, 4), (3, 1), {}, ["length of axis 0 is 0", "at least 1"]),
    ((4, 0), (3, 1), {}, ["length of axis 1 is 0", "at least 1"]),
    ((64,), (0,), {}, ["number of nodes of axis 0 is 0", "at least 1"]),
    ((8, 8), (2,), {}, ["2 axes", "has 1"]),
    ((30, 24, 20), (4, 1), {}, ["3 axes", "has 2"]),
    ((30, 24, 20), 4, {"ownership": True}, ["3 axes", "has 1"]),
    ((30, 24), (4, 1), {"ownership": False}, ["30 elements on 4 nodes", "28 and 32"]),
    ((48,), (3,), {"ownership": False}, ["is 3", "2 and 4"]),
    ((8,), (2,), {"code": "grey"}, ["'grey'", "'gray'"]),
    ((8,), (2,), {"whole": "g"}, ["'g'", "'gray'"]),
    ((8,), (2,), {"allocation": "block"}, ["'block'", "'cyclic'"]),
    ((8, 8), (4,), {}, ["2 axes", "nodes has 1", "or gc.node_mesh(4, 2)"]),
    ((8, 8), (2, 2), {"code": ["gray"]}, ["1 entries", "2 axes"]),
    ((8, 8), (2, 2), {"allocation": ["cyclic"] * 3}, ["3 entries", "2 axes"]),
    ((8,), (2,), {"code": "gray", "whole": "gray"}, ["axis 0", "whole='gray'"]),
    ((8,), (4,), {"dims": ((0, 2),)}, ["((0, 2),)", "0..1"]),
    ((8, 8), (4, 2), {"dims": ((0,), (1, 2))}, ["((0,), (1, 2))", "(2, 1)"]),
]


@pytest.mark.parametrize(("shape", "nodes", "options", "words"), BAD_MESHES)
def test_a_bad_mesh_names_the_value_and_the_nearest_good_ones(shape, nodes, options, words):
    with pytest.raises(InvalidValueError) as caught:
        gc.Layout.mesh(shape, nodes, **options)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("shape", "nodes", "options", "word"),
    [
        ((8.0,), (2,), {}, "8.0"),
        ((8,), (2.0,), {}, "2.0"),
        ((8,), (2,), {"code": 5}, "5"),
        ((8,), (4,), {"dims": 7}, "7"),
        ((8,), (4,), {"dims": ((0, "x"),)}, "x"),
    ],
)
def test_a_mesh_of_the_wrong_types_says_so(shape, nodes, options, word):
    with pytest.raises(gc.GraycubeError, match=word):
        gc.Layout.mesh(shape, nodes, **options)


BAD_CALLS = [
    ("locate", [48], OutOfRangeError, ["is 48", "0..47"]),
    ("locate", [np.array([2**63], "u8")], OutOfRangeError, [str(2**63), "0..47"]),
    ("locate", [11, 4], OutOfRangeError, ["axis 1", "is 4", "0..3"]),
    ("locate", [np.array([3, 12]), 0], OutOfRangeError, ["axis 0", "is 12", "0..11"]),
    ("index", [8, 0], OutOfRangeError, ["node is 8", "0..7"]),
    ("coordinates", [0, 6], OutOfRangeError, ["slot is 6", "0..5"]),
    ("locate", [1, 2, 3], InvalidValueError, ["3 coordinates", "2 axes"]),
    ("locate", [], InvalidValueError, ["0 coordinates", "2 axes"]),
    ("locate", [np.arange(3), np.arange(4)], InvalidValueError, ["(3,)", "(4,)"]),
    ("locate", [np.arange(3.0)], InvalidTypeError, ["float64"]),
    ("locate", [np.ones(3, bool)], InvalidTypeError, ["bool"]),
    ("scatter", [np.zeros((12, 5))], InvalidValueError, ["(12, 5)", "(12, 4)"]),
    ("gather", [np.zeros((6, 8))], InvalidValueError, ["(6, 8)", "(8, 6)"]),
    ("permuted", [[0, 2]], OutOfRangeError, ["axis is 2", "0..1"]),
]


@pytest.mark.parametrize(("method", "arguments", "error", "words"), BAD_CALLS)
def test_a_bad_call_names_the_value_and_the_limit(method, arguments, error, words):
    layout = gc.Layout.mesh((12, 4), (4, 2), code="gray", ownership=False)
    with pytest.raises(error) as caught:
        getattr(layout, method)(*arguments)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("ownership", [False, True])
def test_axes_are_in_another_order_each_of_them_once(ownership):
    layout = gc.Layout.mesh((8, 4, 2), (2, 2, 1), ownership=ownership)
    assert layout.permuted([-1, 0, 1]) == layout.permuted([2, 0, 1])
    assert layout.permuted([2, 0, 1]).shape == (2, 8, 4)
    for order in ([0, 1], [0, 1, 1], [0, 1, 2, 2]):
        with pytest.raises(InvalidValueError, match=r"0\.\.2 is in it once"):
            layout.permuted(order)
