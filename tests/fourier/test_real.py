"""Transforms of real arrays agree with SciPy, and leave every element's node as it is."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.fft
from contents import assert_close
from hypothesis import given, settings, strategies as st
from strategies import (
    MeshSpec,
    affine_map,
    axes_of,
    codings,
    invertible_rows,
    mesh_specs,
    wirings,
)
from sweeping import examples

import graycube as gc
from graycube.cost import simulate
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.fourier import exchange_schedules
from graycube.fourier.real import irfft, irfft2, irfftn, rfft, rfft2, rfftn
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Ownership

LENGTHS = (1000, 96, 1536, 12, 7, 1, 2, 6, 64)
FEW = settings(max_examples=examples(150))
NORMS = (None, "backward", "ortho", "forward")
ORDERS = ("any", "natural")


def random(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def random_complex(shape):
    return random(shape) + 1j * random(shape, 1)


def nodes_of_lines(layout, axis):
    """The node of every line along the axis: all of a line is on one node."""
    nodes, _ = layout.locate(np.arange(layout.size))
    lines = np.moveaxis(nodes.reshape(layout.shape), axis, 0)
    assert (lines == lines[0]).all()
    return lines[0]


def assert_one_axis(layout, axis, payload=()):
    """A transform and back, against SciPy; an axis that was in memory stays there."""
    x = random((*layout.shape, *payload))
    a = gc.CubeArray.from_numpy(x, layout)
    y = rfft(a, axis)
    points = layout.shape[axis]
    assert_close(y.to_numpy(), scipy.fft.rfft(x, axis=axis), points)
    lines = nodes_of_lines(layout, axis)
    assert np.array_equal(nodes_of_lines(y.layout, axis), lines)
    back = irfft(y, axis, n=points)
    assert_close(back.to_numpy(), x, points)
    assert np.array_equal(nodes_of_lines(back.layout, axis), lines)


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("length", LENGTHS)
def test_the_layout_of_a_mesh_stays_that_of_a_mesh(length, code):
    """Memory in binary code keeps its order, so the way back ends where it began."""
    half = length // 2 + 1
    for others, counts, allocations in (
        ((), (), ()),
        ((8,), (4,), ("cyclic",)),
        ((12,), (4,), ("consecutive",)),
        ((8, 6), (4, 2), ("consecutive", "cyclic")),
    ):
        for k in range(len(others) + 1):
            nodes = (*counts[:k], 1, *counts[k:])
            kinds = (*allocations[:k], "cyclic", *allocations[k:])
            layout, spectrum = (
                gc.Layout.mesh(
                    (*others[:k], points, *others[k:]),
                    nodes,
                    code=code,
                    allocation=kinds,
                    ownership=False,
                )
                for points in (length, half)
            )
            x = random(layout.shape)
            y = rfft(gc.CubeArray.from_numpy(x, layout), k)
            assert y.layout == spectrum
            assert_close(y.to_numpy(), scipy.fft.rfft(x, axis=k), length)
            back = irfft(y, k, n=length)
            assert back.layout == layout
            assert_close(back.to_numpy(), x, length)


@st.composite
def meshes(draw, room=300):
    """A mesh with an axis that is in memory, and which one that is."""
    axes = list(draw(mesh_specs(room=room, max_axes=3)).axes)
    axis = draw(st.integers(0, len(axes) - 1))
    axes[axis] = draw(codings(axes[axis].bits, axes[axis].extent, node_bits=0))
    return MeshSpec(tuple(axes), draw(wirings(axes))).layout(), axis


@st.composite
def affine_layouts(draw):
    """Node bits that depend on other axes in any way, and memory on everything."""
    axes = draw(axes_of(draw(st.integers(0, 6))))
    axis = draw(st.integers(0, len(axes) - 1))
    p, offset = sum(a.bits for a in axes), sum(a.bits for a in axes[axis + 1 :])
    low, bits = (1 << offset) - 1, axes[axis].bits
    rows = [
        row >> offset << offset + bits | row & low for row in draw(invertible_rows(p - bits))
    ]
    n = draw(st.integers(0, p - bits))
    rows += [1 << offset + b for b in range(bits)]
    if p > max(n, 1):
        pairs = st.tuples(st.integers(n, p - 1), st.integers(1, p - 1))
        for i, step in draw(st.lists(pairs, max_size=2 * p)):
            rows[i] ^= rows[(i + step) % p]
    memory = draw(st.permutations(rows[n:]))
    place = affine_map([*rows[:n], *memory], draw(st.integers(0, 2**p - 1)))
    return gc.Layout(place, n, axes), axis


@given(meshes(), st.sampled_from([(), (1,), (3,), (2, 2)]))
@FEW
def test_any_mesh(drawn, payload):
    layout, axis = drawn
    assert_one_axis(layout, axis, payload)
    assert_one_axis(layout, axis - len(layout.axes))


@given(affine_layouts(), st.sampled_from([(), (3,)]))
@settings(max_examples=examples(200))
def test_any_affine_layout_with_the_axis_in_memory(drawn, payload):
    assert_one_axis(*drawn, payload)


@given(st.one_of(meshes(), affine_layouts()))
@FEW
def test_an_axis_over_nodes_changes_places_if_others_can_take_them(drawn):
    """Every bit of the axis that a node bit takes doubles the nodes that the axis is over."""
    layout, axis = drawn
    offset = sum(a.bits for a in layout.axes[axis + 1 :])
    rows = list(layout.map.matrix.rows)
    taken = min(layout.n, layout.axes[axis].bits)
    for bit in range(taken):
        rows[bit] ^= 1 << offset + bit
    place = AffineMap(Matrix.from_rows(rows, layout.p))
    if not taken or not place.matrix.is_invertible():
        return
    x = random(layout.shape)
    a = gc.CubeArray.from_numpy(x, replace(layout, map=place))
    y, points = rfft(a, axis), layout.shape[axis]
    assert_close(y.to_numpy(), scipy.fft.rfft(x, axis=axis), points)
    if layout.p - layout.axes[axis].bits >= layout.n:
        nodes_of_lines(y.layout, axis)
    assert_close(irfft(y, axis, n=points).to_numpy(), x, points)


@pytest.mark.long
@given(st.one_of(meshes(), affine_layouts()), st.booleans(), st.data())
@FEW
def test_several_axes_in_any_order(drawn, odd, data):
    layout, axis = drawn
    count = len(layout.axes)
    others = [k for k in range(count) if k != axis]
    some = data.draw(st.permutations(others))[: data.draw(st.integers(0, len(others)))]
    axes = [k - count * data.draw(st.booleans()) for k in (*some, axis)]
    norm, order = data.draw(st.sampled_from(NORMS)), data.draw(st.sampled_from(ORDERS))
    x = random(layout.shape)
    y = rfftn(gc.CubeArray.from_numpy(x, layout), axes, norm, order=order)
    assert_close(y.to_numpy(), scipy.fft.rfftn(x, axes=axes, norm=norm), layout.size)
    sizes = [x.shape[k] for k in axes]
    assert_close(irfftn(y, axes, norm, s=sizes, order=order).to_numpy(), x, layout.size)

    z = random_complex(layout.shape)
    points = max(1, 2 * (layout.shape[axis] - 1)) + (odd and layout.shape[axis] > 1)
    shape = [*(layout.shape[k] for k in some), points]
    found = irfftn(gc.CubeArray.from_numpy(z, layout), axes, norm, s=shape, order=order)
    expected = scipy.fft.irfftn(z, shape, axes=axes, norm=norm)
    assert_close(found.to_numpy(), expected, layout.size)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("points", [10, 11, None])
def test_norms_and_lengths_are_numpys(norm, points):
    layout = gc.Layout.mesh((8, 6), (4, 1), code="gray", ownership=False)
    spectrum = random_complex(layout.shape)
    a = gc.CubeArray.from_numpy(spectrum, layout)
    found = irfft(a, norm=norm, n=points).to_numpy()
    assert_close(found, np.fft.irfft(spectrum, points, norm=norm), 48)
    shape = None if points is None else (8, points)
    found = irfft2(a, norm=norm, s=shape).to_numpy()
    assert_close(found, np.fft.irfft2(spectrum, shape, norm=norm), 48)

    x = spectrum.real
    b = gc.CubeArray.from_numpy(x, layout)
    assert_close(rfft(b, norm=norm).to_numpy(), np.fft.rfft(x, norm=norm), 48)
    for ours, theirs in ((rfftn, np.fft.rfftn), (np.fft.rfftn, np.fft.rfftn)):
        s, axes = np.array(x.shape[:2]) + 2, np.array([0, 1])  # arrays, as padding makes them
        wanted = theirs(x, s=s.tolist(), axes=(0, 1), norm=norm)
        assert_close(ours(b, s=s, axes=axes, norm=norm).to_numpy(), wanted, 48)
    assert_close(rfft2(b, norm=norm).to_numpy(), np.fft.rfft2(x, norm=norm), 48)
    assert_close(rfftn(b, norm=norm).to_numpy(), np.fft.rfftn(x, norm=norm), 48)


def test_all_axes_of_the_layout_and_no_payload():
    layout = gc.Layout.mesh(
        (12, 8, 10), (4, 4, 1), code="gray", allocation="cyclic", ownership=False
    )
    x = random((*layout.shape, 2, 3))
    y = rfftn(gc.CubeArray.from_numpy(x, layout))
    assert_close(y.to_numpy(), scipy.fft.rfftn(x, axes=(0, 1, 2)), layout.size)
    assert_close(irfftn(y).to_numpy(), x, layout.size)
    y = rfft2(gc.CubeArray.from_numpy(x, layout), axes=(0, -1))
    assert_close(y.to_numpy(), scipy.fft.rfft2(x, axes=(0, 2)), layout.size)
    assert_close(irfft2(y, axes=(0, -1)).to_numpy(), x, layout.size)


@pytest.mark.parametrize(
    ("given_dtype", "real"),
    [(np.float16, np.float32), (np.float32, np.float32), (float, float), (np.int16, float),
     (np.uint64, float), (bool, float), (np.longdouble, np.longdouble), (">f4", np.float32)],
)  # fmt: skip
def test_precision_is_kept(given_dtype, real):
    layout = gc.Layout.mesh((4, 12), (4, 1), slots="gray")
    x = (random((4, 12)) > 0).astype(given_dtype)
    y = rfft(gc.CubeArray.from_numpy(x, layout))
    assert y.dtype == np.result_type(real, 1j)
    expected = scipy.fft.rfft(x.astype(real))
    assert_close(y.to_numpy(), expected, 12)
    back = irfft(y)
    assert back.dtype == real
    assert_close(back.to_numpy(), x.astype(back.dtype), 12)
    flat = irfft(gc.CubeArray.from_numpy(x, layout))  # a real spectrum is one too
    assert flat.dtype == back.dtype


@pytest.mark.parametrize("norm", NORMS)
def test_long_double_is_computed_in_long_double(norm):
    layout = gc.Layout.mesh((16, 15), (8, 1), code="gray", ownership=False)
    x = random(layout.shape).astype(np.longdouble) / 3
    y = rfft2(gc.CubeArray.from_numpy(x, layout), norm=norm)
    expected = np.fft.rfft2(x, norm=norm)  # the one witness here that is not of SciPy's engine
    assert expected.dtype == np.clongdouble
    assert_close(y.to_numpy(), expected, layout.size)
    assert_close(irfft2(y, norm=norm, s=(16, 15)).to_numpy(), x, layout.size)


EXTREMES = [
    np.full((8, 6), 1e306),
    np.full((8, 6), 1e308),
    np.full((8, 6), 1e-320),
    np.where(np.arange(6) == 0, np.inf, random((8, 6))),
    np.where(np.arange(6) == 1, np.nan, random((8, 6))),
]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("x", EXTREMES, ids=["large", "larger", "small", "inf", "nan"])
def test_extreme_numbers_are_finite_where_numpys_are(x, norm):
    layout = gc.Layout.mesh((8, 6), (4, 1), code="gray", ownership=False)
    a = gc.CubeArray.from_numpy(x, layout)
    with np.errstate(all="ignore"):
        for found, expected in (
            (rfft(a, norm=norm), np.fft.rfft(x, norm=norm)),
            (irfft(a, norm=norm), np.fft.irfft(x, norm=norm)),
        ):
            for kind in (np.isnan, np.isinf):
                assert np.array_equal(kind(found.to_numpy()), kind(expected)), kind


@given(st.sampled_from(LENGTHS[:-1]), st.integers(0, 2**32 - 1), st.integers(0, 1000))
@FEW
def test_a_shift_is_a_phase_and_energy_is_kept(length, seed, shift):
    layout = gc.Layout.mesh((8, length), (4, 1), code="gray", slots="gray")
    x = random(layout.shape, seed)
    y = rfft(gc.CubeArray.from_numpy(x, layout), norm="ortho").to_numpy()
    moved = gc.CubeArray.from_numpy(np.roll(x, shift, axis=1), layout)
    values = np.arange(length // 2 + 1)
    phase = np.exp(-2j * np.pi * (shift * values % length) / length)
    assert np.allclose(rfft(moved, norm="ortho").to_numpy(), y * phase)
    twice = np.where((values == 0) | (2 * values == length), 1, 2)  # the other half is alike
    assert np.allclose((twice * np.abs(y) ** 2).sum(axis=1), (x**2).sum(axis=1))


def test_it_is_the_first_half_of_the_whole_spectrum():
    layout = gc.Layout.mesh((8, 96), (8, 1), code="gray", slots="gray")
    a = gc.CubeArray.from_numpy(random(layout.shape), layout)
    assert np.allclose(rfft(a).to_numpy(), gc.fft(a).to_numpy()[:, :49])


def test_forward_pointwise_inverse_needs_no_reordering():
    """A circular convolution; memory in binary code comes back as it was."""
    layout = gc.Layout.mesh((16, 12), (4, 1), code="gray", allocation="cyclic", ownership=False)
    a, b = (gc.CubeArray.from_numpy(random(layout.shape, seed), layout) for seed in (0, 1))
    found = irfft(rfft(a) * rfft(b))
    x, y = a.to_numpy(), b.to_numpy()
    expected = sum(y[:, k : k + 1] * np.roll(x, k, axis=1) for k in range(12))
    assert np.allclose(found.to_numpy(), expected)
    assert np.allclose((found - a).to_numpy(), expected - x)
    both = irfft2(rfft2(a) * rfft2(b))
    whole = gc.ifft2(gc.fft2(a) * gc.fft2(b)).to_numpy().real
    assert np.allclose(both.to_numpy(), whole)


def test_half_a_spectrum_that_went_over_nodes_comes_back():
    """Four values have two bits, which the transform along the other axis gives away."""
    layout = gc.Layout.mesh((64, 6), (8, 1), ownership=False)
    x = random(layout.shape)
    y = rfftn(gc.CubeArray.from_numpy(x, layout))
    assert_close(irfft(y).to_numpy(), np.fft.irfft(np.fft.rfftn(x)), 384)
    for order in ORDERS:
        assert_close(irfftn(y, order=order).to_numpy(), x, 384)
    y = rfftn(gc.CubeArray.from_numpy(x, layout), order="natural")
    assert y.layout == gc.Layout.mesh((64, 4), (8, 1), ownership=False)


@pytest.mark.parametrize(
    ("shape", "nodes", "allocation", "ratio"),
    [
        ((64, 16), (8, 1), "cyclic", 9 / 16),
        ((64, 18), (8, 1), "consecutive", 10 / 18),
        ((32, 32, 16), (4, 2, 1), "consecutive", 9 / 16),
        ((64, 16), (8, 1), "consecutive", 2 * 9 / 16),  # what was traded has to come back
    ],
)
def test_later_transforms_exchange_half_as_much(shape, nodes, allocation, ratio):
    layout = gc.Layout.mesh(shape, nodes, allocation=allocation, ownership=False)
    half = rfft(gc.CubeArray.from_numpy(np.zeros(shape), layout)).layout
    real, whole = (
        sum(simulate(s).crossings for s in exchange_schedules(x, 0, x.block_size))
        for x in (half, layout)
    )
    assert real == ratio * whole


@pytest.mark.parametrize("slots", ["binary", "gray"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_input_is_never_changed(slots, dtype):
    layout = gc.Layout.mesh((8, 12), (4, 1), slots=slots)
    a = gc.CubeArray.from_numpy(random(layout.shape).astype(dtype), layout)
    y = rfft(a, norm="ortho")
    kept = a.blocks.copy(), y.blocks.copy()
    irfftn(y, norm="ortho")
    irfft(y)
    rfftn(a)
    assert np.array_equal(a.blocks, kept[0])
    assert np.array_equal(y.blocks, kept[1])


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
@pytest.mark.parametrize("nodes", [(4, 1), (1, 4), (2, 2)])
def test_planes_come_back_into_the_bits_of_all_nodes(nodes, axes, code):
    """Boxes are one block in this process, and bits are one for each node."""
    layout = gc.Layout.mesh((16, 8), nodes, code=code, ownership=False)
    x = random(layout.shape)
    half = rfftn(gc.CubeArray.from_numpy(x, layout), axes)
    assert isinstance(half.layout, Ownership)
    assert_close(half.to_numpy(), np.fft.rfftn(x, axes=axes), 128)
    out = gc.CubeArray.from_numpy(np.zeros_like(x), layout)
    assert_close(irfftn(half, axes, out=out).to_numpy(), x, 128)
    out.blocks[...] = 0
    assert_close(gc.bind(irfftn, half, axes, out=out).run().to_numpy(), x, 128)


def test_no_payload_at_all():
    a = gc.CubeArray.from_numpy(
        np.ones((4, 6, 0)), gc.Layout.mesh((4, 6), (4, 1), ownership=False)
    )
    assert rfft(a).shape == (4, 4, 0)
    assert irfft(rfft(a)).shape == (4, 6, 0)


LAYOUT = gc.Layout.mesh((4, 8, 3), (2, 4, 1), ownership=False)


@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda _: rfft(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda _: irfft(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda _: rfftn(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda _: irfft2(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda a: rfft(a, 3), OutOfRangeError, "the axes are 0..2"),
        (lambda a: irfft(a, axis=0.5), InvalidTypeError, "axis is 0.5"),
        (lambda a: rfftn(a, (0, 3)), OutOfRangeError, "axis is 3"),
        (lambda a: rfftn(a, 2), InvalidTypeError, "axes is 2: it must be a sequence"),
        (lambda a: irfftn(a, axes=()), InvalidValueError, "name at least one"),
        (lambda a: rfftn(a, (2, -1)), InvalidValueError, "axis 2 is in axes=.2, -1. more"),
        (lambda a: irfftn(a, (-1, 2)), InvalidValueError, "axis 2 is in axes"),
        (lambda a: rfft(a, norm="best"), InvalidValueError, "norm is 'best'"),
        (lambda a: irfft(a, norm="best"), InvalidValueError, "norm is 'best'"),
        (lambda a: rfftn(a, order="none"), InvalidValueError, "order is 'none'"),
        (lambda a: rfft2(a, order="none"), InvalidValueError, "order is 'none'"),
        (lambda a: irfft2(a, order="none"), InvalidValueError, "order is 'none'"),
        (lambda a: irfftn(a, order="none"), InvalidValueError, "order is 'none'"),
        (lambda a: rfft(a.astype(complex)), InvalidTypeError, "dtype complex128.*use fft"),
        (lambda a: rfftn(a.astype("c8")), InvalidTypeError, "dtype complex64"),
        (lambda a: rfft(a.astype("U8")), InvalidTypeError, "numbers are needed"),
        (lambda a: irfft(a.astype("U8")), InvalidTypeError, "numbers are needed"),
        (lambda a: rfft(a, n=0), InvalidValueError, "number of points is 0"),
        (lambda a: rfftn(a, s=(4, 8)), InvalidValueError, "s has 2 entries for 3 axes"),
        (lambda a: irfftn(a, s=5), InvalidTypeError, "s is 5"),
        (lambda a: irfftn(a, 5), InvalidTypeError, "axes is 5"),
        (lambda a: irfft(a, n=-6), InvalidValueError, "points is -6"),
        (lambda a: irfft(a, out=a.blocks), InvalidTypeError, "out is a ndarray"),
        (
            lambda a: rfft(a, out=a),
            InvalidValueError,
            "out has shape .4, 8, 3., .* .4, 8, 2.",
        ),
        (lambda a: irfft(a, n=True), InvalidTypeError, "points is True"),
    ],
)
def test_wrong_arguments_are_named(call, error, complaint):
    with pytest.raises(error, match=complaint):
        call(gc.CubeArray.from_numpy(np.ones(LAYOUT.shape), LAYOUT))


def test_one_value_is_that_of_one_point():
    a = gc.CubeArray.from_numpy(np.ones((4, 1)), gc.Layout.mesh((4, 1), (4, 1)))
    with pytest.raises(InvalidValueError, match=r"spectrum of 1 value.*n=1"):
        irfft(a)
    with pytest.raises(InvalidValueError, match="points is 0"):
        irfft(a, n=0)
    with pytest.raises(OutOfRangeError, match="axis is 6"):
        irfft(a, 6)
    assert irfft(a, n=1).to_numpy().tolist() == [[1.0]] * 4


@pytest.mark.parametrize("code", ["binary", "gray"])
def test_an_axis_that_memory_has_no_room_for_stays_over_its_nodes(code):
    x = random((2, 8))
    layout = gc.Layout.mesh((2, 8), (1, 8), code=code)
    y = rfftn(gc.CubeArray.from_numpy(x, layout))
    assert str(y.layout) == "(2 on 2, 5 on 4)"
    assert np.allclose(y.to_numpy(), np.fft.rfftn(x))
    again = irfftn(y, s=(2, 8))
    assert again.layout == gc.Layout.mesh((2, 8), (2, 4))
    assert np.allclose(again.to_numpy(), x)


@pytest.mark.parametrize("whole", [None, "gray"])
def test_a_code_over_the_whole_address_is_looked_through(whole):
    """A code over all of axis 1 makes every node bit of it depend on bits of axis 1 only."""
    layout = gc.Layout.mesh((6, 16), (1, 4), whole=whole, allocation="cyclic")
    assert_one_axis(layout, 0)
    x = random(layout.shape)
    found = rfft(gc.CubeArray.from_numpy(x, layout))
    assert str(found.layout) == "(6 on 4, 9)"
    assert np.allclose(found.to_numpy(), np.fft.rfft(x))


@pytest.mark.parametrize("nodes", [(4, 1), (2, 2), (1, 4)])
def test_an_array_by_ownership_stays_one(nodes):
    shape = (12, 16)
    layout = gc.Layout.mesh(shape, nodes, ownership=True)
    u = gc.CubeArray.from_numpy(np.random.default_rng(0).standard_normal(shape), layout)
    y = gc.rfftn(u)
    back = gc.irfftn(y, s=shape)
    fewer = gc.fourier.resampled(gc.fftn(u), shape, (8, 8), real=False)
    for found in (y, back, gc.rfftn(back), gc.fourier.dctn(u), fewer):
        assert isinstance(found.layout, Ownership), found
    assert gc.rfftn(back).layout == y.layout  # so programs can add them up


def test_an_axis_that_stays_over_its_nodes_comes_back_to_equal_blocks():
    u = gc.CubeArray.from_numpy(np.arange(16.0), gc.Layout.mesh((16,), (4,)))
    assert isinstance(gc.rfft(u).layout, Ownership)
    assert gc.irfft(gc.rfft(u), n=16).layout == u.layout == gc.fourier.dct(u).layout
