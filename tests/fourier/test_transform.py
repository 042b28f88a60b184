"""Transforms of coded data agree with SciPy, wherever the data is (TR-764)."""

import numpy as np
import pytest
import scipy.fft
from contents import assert_close, noise
from hypothesis import given, settings, strategies as st
from strategies import mesh_specs
from sweeping import examples, larger, seeds

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.fourier import passes
from graycube.fourier.along import carried_out
from graycube.run import emulate
from graycube.run.butterflies import replicate

TABLE = [
    (allocation, coding)
    for allocation in (gc.Layout.cyclic, gc.Layout.consecutive)
    for coding in (
        {},
        {"nodes": "gray"},
        {"nodes": "gray", "slots": "gray"},
        {"whole": "gray"},
    )
]
SHAPES = [
    ((1000,), (8,)),
    ((1536,), (16,)),
    ((96,), (8,)),
    ((96, 40), (8, 2)),
    ((12, 20, 8), (2, 4, 2)),
    ((24, 6), (8, 2)),
]
FEW = settings(max_examples=examples(100))


def assert_transforms(layout, payload=(), dtype=np.complex128):
    x = noise((*layout.shape, *payload), dtype=dtype)
    axes = range(len(layout.axes))
    a = gc.CubeArray.from_numpy(x, layout)
    y = gc.fftn(a)
    expected = scipy.fft.fftn(x, axes=axes)
    assert y.dtype == expected.dtype == dtype
    assert_close(y.to_numpy(), expected, layout.size)
    assert_close(gc.ifftn(y).to_numpy(), x, layout.size)


@pytest.mark.parametrize(("allocation", "coding"), TABLE)
def test_every_layout_of_table_1(allocation, coding):
    for p in range(larger(7, 9)):
        for n in range(p + 1):
            assert_transforms(allocation(p, n, **coding))


@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize(("shape", "nodes"), SHAPES)
def test_meshes_with_lengths_that_are_no_powers_of_two(shape, nodes, code, allocation):
    layout = gc.Layout.mesh(shape, nodes, code=code, allocation=allocation)
    assert_transforms(layout)
    assert_transforms(layout, payload=(3,), dtype=np.complex64)
    assert_transforms(layout, payload=(2,), dtype=np.clongdouble)


@given(mesh_specs(room=300, max_axes=3))
@FEW
def test_any_mesh(spec):
    assert_transforms(spec.layout())


@given(mesh_specs(room=300, max_axes=3), st.data())
@FEW
def test_one_axis_and_real_input(spec, data):
    layout = spec.layout()
    axis = data.draw(st.integers(-len(layout.axes), len(layout.axes) - 1))
    x = noise(layout.shape).real
    y = gc.fft(gc.CubeArray.from_numpy(x, layout), axis)
    assert_close(y.to_numpy(), scipy.fft.fft(x, axis=axis).astype(complex), layout.size)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("inverse", [False, True])
def test_norms_are_numpys(norm, inverse):
    layout = gc.Layout.mesh((8, 12), (4, 2), code="gray")
    x = noise(layout.shape)
    ours, theirs = (gc.ifft2, np.fft.ifft2) if inverse else (gc.fft2, np.fft.fft2)
    y = ours(gc.CubeArray.from_numpy(x, layout), norm=norm)
    assert_close(y.to_numpy(), theirs(x, norm=norm), x.size)


@pytest.mark.parametrize(
    ("given_dtype", "expected"),
    [(np.float32, np.complex64), (np.int16, np.complex128), (np.complex64, np.complex64),
     (bool, np.complex128), (float, np.complex128), (np.float16, np.complex64),
     (">f4", np.complex64), (np.longdouble, np.clongdouble), (">g", np.clongdouble)],
)  # fmt: skip
def test_precision_is_kept(given_dtype, expected):
    x = np.ones(8, given_dtype)
    a = gc.CubeArray.from_numpy(x, gc.Layout.cyclic(3, 2))
    assert gc.fft(a).dtype == np.fft.fft(x).dtype == expected


def plainly(x, *, inverse=False):
    """The transform by its definition, in the precision of x."""
    points, real = len(x), x.real.dtype
    turn = 2 * np.arccos(real.type(-1)) / points
    angles = turn * (np.outer(np.arange(points), np.arange(points)) % points).astype(real)
    return ((np.cos(angles) + (1j if inverse else -1j) * np.sin(angles)) * x).sum(axis=1)


LINES = [
    gc.Layout.cyclic(6, 0),
    gc.Layout.cyclic(6, 3, nodes="gray"),
    gc.Layout.consecutive(6, 4, nodes="gray", slots="gray"),
    gc.Layout.nodes(6),
    gc.Layout.mesh((60,), (4,), code="gray"),
]


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("layout", LINES)
def test_long_double_is_computed_in_long_double(layout, inverse):
    x = noise(layout.shape, dtype=np.clongdouble) / 3
    a = gc.CubeArray.from_numpy(x, layout)
    transform = gc.ifft if inverse else gc.fft
    y = transform(a, norm="forward" if inverse else "backward")
    expected = plainly(x, inverse=inverse)
    assert y.dtype == expected.dtype == np.clongdouble
    assert_close(y.to_numpy(), expected, layout.size)
    planned = transform(a, norm="ortho", plan=gc.plan_fft(layout, machine="ideal"))
    assert planned.dtype == np.clongdouble
    assert_close(planned.to_numpy(), expected / np.sqrt(np.longdouble(len(x))), layout.size)


@pytest.mark.parametrize("inverse", [False, True])
def test_butterflies_of_the_reference_are_as_precise(inverse):
    x = noise(64, dtype=np.clongdouble) / 3
    expected = plainly(x, inverse=inverse)
    made = gc.emulation(gc.Layout.cyclic(6, 3, nodes="gray"))
    out = emulate(made, made.task.source.scatter(x), inverse=inverse)
    reversed_digits = [int(f"{k:06b}"[::-1], 2) for k in range(64)]
    assert_close(made.task.target.gather(out)[reversed_digits], expected, 64)
    if not inverse:
        copied = gc.plan_fft(gc.Layout.nodes(6), machine="ideal").schedule
        assert_close(np.sort(abs(replicate(copied, x))), np.sort(abs(expected)), 64)


def kinds(x):
    """Which numbers are finite, which are infinite, and which are none."""
    return np.where(np.isnan(x), "nan", np.where(np.isinf(x), "inf", "finite"))


def with_one(value, place):
    x = noise(64).real
    x[place] = value
    return x


EXTREMES = {
    "sums that overflow": np.full(64, 1e307),
    "sums of two that overflow": np.full(64, -1.7e308),
    "complex sums that overflow": np.full(64, 1e307 - 1e307j),
    "the largest number": with_one(np.finfo(float).max / 2, 5),
    "denormal numbers": np.full(64, 1e-320),
    "noise of denormal numbers": noise(64) * 1e-319,
    "infinite at the origin": with_one(-np.inf, 0),
    "no number": with_one(np.nan, 5),
}


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("x", EXTREMES.values(), ids=EXTREMES)
def test_extreme_numbers_are_finite_where_numpys_are(x, inverse, norm):
    ours, theirs = (gc.ifft, np.fft.ifft) if inverse else (gc.fft, np.fft.fft)
    with np.errstate(all="ignore"):
        expected = kinds(theirs(x, norm=norm))
        for layout in LINES[:4]:
            y = ours(gc.CubeArray.from_numpy(x, layout), norm=norm)
            assert np.array_equal(kinds(y.to_numpy()), expected), layout


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("place", [1, 8, 63])
def test_what_an_infinite_number_meets_is_infinite_or_none(place, norm):
    """Which of the two depends on the order of the sums, as in NumPy, but not on the norm."""
    with np.errstate(all="ignore"):
        for layout in LINES[:4]:
            a = gc.CubeArray.from_numpy(with_one(np.inf, place), layout)
            found = kinds(gc.fft(a, norm=norm).to_numpy())
            assert "finite" not in found
            assert np.array_equal(found, kinds(gc.fft(a).to_numpy()))


@pytest.mark.parametrize(("allocation", "coding"), TABLE)
def test_natural_order_is_the_layout_that_came(allocation, coding):
    layout = allocation(7, 3, **coding)
    a = gc.CubeArray.from_numpy(noise(128), layout)
    y = gc.fft(a, order="natural")
    assert y.layout == layout
    assert np.allclose(y.to_numpy(), np.fft.fft(a.to_numpy()))


@given(st.integers(0, 2**32 - 1), st.integers(0, 127))
@FEW
def test_a_shift_is_a_phase_and_energy_is_kept(seed, shift):
    layout = gc.Layout.consecutive(7, 3, nodes="gray")
    x = noise(128, seed=seed)
    y = gc.fft(gc.CubeArray.from_numpy(x, layout), norm="ortho")
    shifted = gc.fft(gc.CubeArray.from_numpy(np.roll(x, shift), layout), norm="ortho")
    phase = np.exp(-2j * np.pi * shift * np.arange(128) / 128)
    assert np.allclose(shifted.to_numpy(), y.to_numpy() * phase)
    assert np.allclose(np.linalg.norm(y.blocks), np.linalg.norm(x))


def test_forward_pointwise_inverse_needs_no_reordering():
    """A circular convolution: the transforms meet in the layout that both have."""
    layout = gc.Layout.cyclic(8, 4, whole="gray")
    x, kernel = noise(256, seed=1), noise(256, seed=2)
    a, b = (gc.CubeArray.from_numpy(v, layout) for v in (x, kernel))
    found = gc.ifft(gc.fft(a) * gc.fft(b)).to_numpy()
    expected = np.array([x @ np.roll(kernel[::-1], k + 1) for k in range(256)])
    assert np.allclose(found, expected)


def exchanged(layout):
    return [step.dims for step in passes(layout, 0)[0]]


@pytest.mark.parametrize("n", seeds(7, 10, 1))
@pytest.mark.parametrize("allocation", [gc.Layout.cyclic, gc.Layout.consecutive])
def test_gray_coded_data_exchanges_as_many_dimensions_as_binary_data(n, allocation):
    """The claim of TR-764 for four elements a node or more: no more than for binary data."""
    for p in range(n + 2, 2 * n + 3):
        counts = [
            sum(map(len, exchanged(allocation(p, n, **coding))))
            for coding in ({}, {"nodes": "gray"}, {"nodes": "gray", "slots": "gray"})
        ]
        assert len(set(counts)) == 1
        if allocation == gc.Layout.cyclic:
            assert counts[0] == n  # every dimension once, the least there is


@pytest.mark.parametrize(("allocation", "coding"), TABLE)
def test_a_pass_finds_its_group_in_memory(allocation, coding):
    layout = allocation(9, 4, **coding)
    for step in passes(layout, 0)[0]:
        for bit in range(step.low, step.high):
            assert step.place.matrix(1 << bit) == 1 << (4 + step.slot + bit - step.low)


def test_only_exchanged_dimensions_change():
    layout = gc.Layout.consecutive(12, 5, nodes="gray")
    place = layout.map
    for step in passes(layout, 0)[0]:
        rows = zip(place.matrix.rows, step.place.matrix.rows, strict=True)
        changed = [i for i, (before, after) in enumerate(rows) if i < 5 and before != after]
        assert tuple(changed) == step.dims
        place = step.place


@pytest.mark.parametrize(
    ("call", "error", "complaint"),
    [
        (lambda _: gc.fft(np.ones(8)), InvalidTypeError, "got a ndarray"),
        (lambda a: gc.fft(a, axis=1), OutOfRangeError, "the axes are 0..0"),
        (lambda a: gc.irfftn(a, (16,)), OutOfRangeError, "NumPy's second argument.*n= or s="),
        (lambda a: gc.fft(a, axis=0.5), InvalidTypeError, "axis is 0.5"),
        (lambda a: gc.fft(a, norm="best"), InvalidValueError, "norm is 'best'"),
        (lambda a: gc.fft(a, norm=""), InvalidValueError, "norm is ''"),
        (lambda a: gc.fft(a, order="none"), InvalidValueError, "order is 'none'"),
        (lambda a: gc.fft(a.astype("U8")), InvalidTypeError, "the array has dtype <U8"),
    ],
)
def test_wrong_arguments_are_named(call, error, complaint):
    a = gc.CubeArray.from_numpy(np.ones(8), gc.Layout.cyclic(3, 2))
    with pytest.raises(error, match=complaint):
        call(a)


def test_single_precision_does_not_overflow_before_it_is_scaled():
    layout = gc.Layout.mesh((32, 32), (4, 4))
    a = gc.CubeArray.from_numpy(np.full((32, 32), 1e37, np.complex64), layout)
    assert np.isfinite(gc.ifft2(a).blocks).all()


@pytest.mark.parametrize(("allocation", "coding"), TABLE)
def test_the_input_is_never_changed(allocation, coding):
    for dtype in (np.complex64, np.complex128):
        a = gc.CubeArray.from_numpy(noise(64, dtype=dtype), allocation(6, 3, **coding))
        before = a.blocks.copy()
        gc.ifft(gc.fft(a, norm="ortho"))
        assert np.array_equal(a.blocks, before)


@pytest.mark.parametrize("layout", [gc.Layout.cyclic(12, 2), gc.Layout.consecutive(12, 2)])
def test_long_lines_are_transformed_in_pieces_that_fit_the_cache(layout):
    groups, result = passes(layout, 0, longest=3)
    assert max(group.high - group.low for group in groups) <= 3
    x = np.random.default_rng(0).standard_normal(1 << 12)
    done = carried_out(layout, groups, result, "complex128", inverse=False)
    found = result.gather(done.run(layout.scatter(x).astype(complex)))
    np.testing.assert_allclose(found, np.fft.fft(x), atol=1e-10)
