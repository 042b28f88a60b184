"""Windows: what is so many steps on is what NumPy's roll or a padded array has there."""

import numpy as np
import pytest
from beyond import pairs_of, seen, within_reach
from deposits import added_back
from hypothesis import given, settings, strategies as st
from scipy.ndimage import correlate
from strategies import mesh_specs
from sweeping import examples

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError, OutOfRangeError
from graycube.stencil.frame import within

FILL = -7
MANY = settings(max_examples=examples(150))
LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray")
X = np.arange(48.0).reshape(8, 6)
REACHES = (0, 0, 1, 1, 2, 3, 5, 11)


def shifted(x, steps, periodic, stride=None, fill=FILL):
    """The array that has at i what x has at i + step; beyond the ends: around, or the fill."""
    apart = stride or (1,) * len(steps)
    every = zip(steps, apart, periodic, pairs_of(fill, len(steps)), strict=True)
    for axis, (step, far, ring, pair) in enumerate(every):
        x = np.moveaxis(x, axis, 0)
        out = np.empty_like(x)
        for at, (sign, there) in enumerate(seen(len(x), step, far, ring, pair)):
            out[at] = sign * x[there] if sign else there
        x = np.moveaxis(out, 0, axis)
    return x


def some(low, high, draw):
    """A few steps within reach: both ends, none, and whatever else is drawn."""
    return {low, 0, high, draw(st.integers(low, high)), draw(st.integers(low, high))}


def stars(reach, draw):
    """Steps along one axis at a time."""
    zero = (0,) * len(reach)
    for axis, (below, above) in enumerate(reach):
        for step in some(-below, above, draw):
            yield (*zero[:axis], step, *zero[axis + 1 :])


def boxes(reach, draw):
    """Steps along all axes at once."""
    for _ in range(6):
        yield tuple(draw(st.sampled_from(sorted(some(-b, a, draw)))) for b, a in reach)


@st.composite
def reaches(draw, layout):
    """How far below and above, for each axis: also nothing, and more than the axis."""
    return [tuple(draw(st.sampled_from(REACHES)) for _ in "ba") for _ in layout.axes]


@st.composite
def fills(draw, reach):
    """One for all ends, or one for each of them."""
    one = st.sampled_from((FILL, 3, "edge", "reflect", "symmetric", "antisymmetric"))
    pairs = [within_reach((draw(one), draw(one)), *ends) for ends in reach]
    return draw(st.sampled_from((FILL, "edge", pairs)))


def require_same(window, x, steps, periodic, fill=FILL):
    found = window[steps].to_numpy()
    wanted = shifted(x, steps, periodic, window.halo.stride, fill)
    assert found.dtype == wanted.dtype
    assert np.array_equal(found, wanted), (window, steps)


@pytest.mark.long
@given(mesh_specs(room=96, max_axes=3), st.data())
@MANY
def test_every_step_is_numpys(spec, data):
    layout, draw = spec.layout(), data.draw
    reach = draw(reaches(layout))
    periodic = [draw(st.booleans()) for _ in reach]
    stride = [draw(st.sampled_from((1, 1, 2, 8))) for _ in reach]
    reach = [
        (b, a) if s == 1 else (b % 4, a % 4) for (b, a), s in zip(reach, stride, strict=True)
    ]
    corners, payload = draw(st.booleans()), draw(st.sampled_from(((), (2,), (2, 1))))
    x = np.arange(np.prod((*layout.shape, *payload))).reshape(*layout.shape, *payload)
    a = gc.CubeArray.from_numpy(x, layout)
    fill = draw(fills(reach))
    window = a.halo(reach, periodic=periodic, corners=corners, fill=fill, stride=stride)
    steps = sorted({*stars(reach, draw), *(boxes(reach, draw) if corners else ())})
    for these in steps:
        require_same(window, x, these, periodic, fill)
    other = 1000 + x[::-1]
    assert window.update(gc.CubeArray.from_numpy(other, layout)) is window
    for these in steps:
        require_same(window, other, these, periodic, fill)


@pytest.mark.long
@given(mesh_specs(room=96, max_axes=3), st.data())
@MANY
def test_what_is_written_to_neighbours_comes_back_as_in_numpy(spec, data):
    layout, draw = spec.layout(), data.draw
    reach = [(b % 4, a % 4) for b, a in draw(reaches(layout))]
    payload = draw(st.sampled_from(((), (2,))))
    x = np.arange(np.prod((*layout.shape, *payload))).reshape(*layout.shape, *payload)
    found, wanted, empty = added_back(
        gc.CubeArray.from_numpy(x, layout),
        x,
        reach,
        periodic=[draw(st.booleans()) for _ in reach],
        corners=draw(st.booleans()),
        fill=draw(fills(reach)),
        stride=[draw(st.sampled_from((1, 1, 2, 8))) for _ in reach],
    )
    assert np.array_equal(found.to_numpy(), wanted)
    assert empty


@pytest.mark.parametrize("kind", ["edge", "reflect", "symmetric"])
def test_what_lies_beyond_is_that_of_numpys_pad(kind):
    for layout in (LAYOUT, gc.Layout.mesh((8, 6), (3, 2)), gc.Layout.mesh((8, 6), (1, 1))):
        w = gc.CubeArray.from_numpy(X, layout).halo(
            2, periodic=(False, True), corners=True, fill=kind
        )
        wanted = np.pad(np.pad(X, ((2, 2), (0, 0)), kind), ((0, 0), (2, 2)), "wrap")
        for i, j in all_steps([(2, 2), (2, 2)]):
            part = wanted[2 + i : 10 + i, 2 + j : 8 + j]
            assert np.array_equal(w[i, j].to_numpy(), part)


def test_walls_of_the_cosine_and_sine_transforms():
    """Second differences between such walls are products there (type 2, and type 1 for 0)."""
    x, k = np.random.default_rng(0).standard_normal(12), np.arange(12)
    a = gc.CubeArray.from_numpy(x, gc.Layout.mesh((12,), (4,), code="gray"))
    cosine, sine = np.cos(np.pi * k / 12), np.cos(np.pi * (k + 1) / 12)
    inner = np.cos(np.pi * (k + 1) / 13)
    for fill, transform, inverse, kind, factor in (
        ("symmetric", gc.fourier.dctn, gc.fourier.idctn, 2, cosine),
        ("antisymmetric", gc.fourier.dstn, gc.fourier.idstn, 2, sine),
        ("reflect", gc.fourier.dctn, gc.fourier.idctn, 1, np.cos(np.pi * k / 11)),
        (0, gc.fourier.dstn, gc.fourier.idstn, 1, inner),
    ):
        w = a.halo(1, periodic=False, fill=fill)
        spectrum = transform(a, type=kind)
        factors = gc.CubeArray.from_numpy(2 * factor - 2, spectrum.layout)
        found = inverse(factors * spectrum, type=kind)
        gc.assert_allclose(
            found.relayout(a.layout), (w[1] - 2 * a + w[-1]).to_numpy(), atol=1e-12
        )


MODES = {"symmetric": "reflect", "reflect": "mirror", "edge": "nearest", "wrap": "wrap"}


@pytest.mark.parametrize("kind", MODES)
@pytest.mark.parametrize("nodes", [(4, 2), (3, 2), (1, 1)])
@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
def test_weighted_sums_are_those_of_scipy(kind, nodes, allocation, monkeypatch):
    """Of components too, and where pieces of rows are short and do not come out even."""
    layout = gc.Layout.mesh((24, 10), nodes, allocation=allocation)
    weights = np.random.default_rng(1).integers(-3, 4, (5, 3)).astype(float)
    x = np.random.default_rng(0).standard_normal((24, 10, 2))
    rules = {"periodic": kind == "wrap", "fill": 0 if kind == "wrap" else kind}
    a = gc.CubeArray.from_numpy(x, layout)
    w = a.halo((2, 1), corners=True, **rules)
    wanted = correlate(x, weights[..., None], mode=MODES[kind])
    for size in (1 << 18, 300):
        monkeypatch.setattr("graycube.array.halo.weights._PIECE", size)
        gc.assert_allclose(w.correlate(weights), wanted, atol=1e-12)
    assert w.correlate(weights.tolist(), out=a) is a
    gc.assert_allclose(a, wanted, atol=1e-12)
    star = a.halo((2, 1), **rules).correlate([[0, 1, 0], [2, 0, 2j], [0, -1, 0]])
    parts = [correlate(a.to_numpy(), y, mode=MODES[kind]) for y in star_parts()]
    gc.assert_allclose(star, parts[0] + 1j * parts[1], atol=1e-12)


@pytest.mark.parametrize("fill", [5, "symmetric", ["antisymmetric", (7, "edge")]])
def test_what_lies_beyond_is_there_again_whatever_was_written_over_it(fill):
    a = gc.CubeArray.from_numpy(X + 1, LAYOUT)
    rules = {"periodic": False, "corners": True, "fill": fill}
    wanted = [mesh.copy() for mesh in a.halo(1, **rules).meshes]
    w = a.halo(1, **rules)
    for mesh in w.meshes:
        mesh[...] = 99
    w.add_back()
    w.update(a)
    for mesh, one in zip(w.meshes, wanted, strict=True):
        assert np.array_equal(mesh, one)


def test_beyond_two_ends_is_what_the_later_axis_says():
    w = gc.CubeArray.from_numpy(X + 1, LAYOUT).halo(
        1, periodic=False, corners=True, fill=["antisymmetric", 7]
    )
    assert w[-1, -1].read[0].tolist() == [7, -1, -2, -3, -4, -5]


def test_vectors_whose_components_lie_apart():
    x = np.random.default_rng(0).standard_normal((8, 6, 2))
    for layout in (LAYOUT, gc.Layout.mesh((8, 6), (3, 1)), gc.Layout.mesh((8, 6), (1, 1))):
        a = gc.CubeArray.from_numpy(x, layout)
        b = gc.stack([a[..., 0], a[..., 1]])
        one, other = (v.halo(2, corners=True, periodic=False, fill="edge") for v in (a, b))
        for pair in zip(one.meshes, other.meshes, strict=True):
            assert np.array_equal(*pair)
            assert np.moveaxis(pair[1], -1, 0).flags.c_contiguous
        star = np.arange(15).reshape(3, 5)
        assert np.array_equal(one.correlate(star).to_numpy(), other.correlate(star).to_numpy())
        assert np.array_equal(one[2, -1].to_numpy(), other[2, -1].to_numpy())
        assert np.array_equal(one.add_back().to_numpy(), other.add_back().to_numpy())


def test_truth_values_and_half_precision_are_weighed_as_by_scipy():
    truth = gc.CubeArray.from_numpy(np.eye(8) > 0, gc.Layout.mesh((8, 8), (2, 2)))
    grown = truth.halo(periodic=False).correlate([[False, True, True]])
    assert grown.dtype == bool
    assert np.array_equal(grown.to_numpy(), (np.eye(8) + np.eye(8, k=-1)) > 0)
    half = gc.CubeArray.from_numpy(np.full((8, 8), 20000, np.float16), truth.layout)
    mean = half.halo().correlate([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]])
    assert mean.dtype == np.float16
    assert np.all(mean.to_numpy() == 20000)


def star_parts():
    star = np.array([[0, 1, 0], [2, 0, 2j], [0, -1, 0]])[..., None]
    return star.real, star.imag


def test_weighted_sums_in_strides_and_of_other_numbers():
    x = np.arange(16, dtype=np.float32) ** 2
    w = gc.CubeArray.from_numpy(x, gc.Layout.mesh((16,), (4,), code="gray")).halo(stride=4)
    found = w.correlate([1, -2, 1])
    assert found.dtype == np.float32
    assert np.array_equal(found.to_numpy(), np.roll(x, -4) - 2 * x + np.roll(x, 4))
    assert w.correlate([0, 0.5, 0]).dtype == np.float32
    assert not w.correlate([0]).to_numpy().any()
    whole = gc.CubeArray.from_numpy(x.astype(int), gc.Layout.mesh((16,), (4,))).halo()
    assert whole.correlate([1, 0, -1]).dtype == int
    assert whole.correlate([0.5, 0, -0.5]).dtype == float
    small = gc.CubeArray.from_numpy(np.full(16, 100, np.int8), gc.Layout.mesh((16,), (4,)))
    assert small.halo().correlate([0.5, 1, 0.5]).to_numpy().tolist() == [200] * 16
    with pytest.raises(InvalidValueError, match=r"out of bounds for int8.*; convert it first"):
        small.halo().correlate([1, 300, 1])


@pytest.mark.parametrize(
    ("weights", "kind", "text"),
    [
        ([1, -2, 1], InvalidValueError, r"the weights have shape \(3,\): they have 2 axes"),
        ([[1, -1]], InvalidValueError, "odd number of weights"),
        ([["1"]], InvalidTypeError, "the weights have dtype"),
        (np.ones((1, 5)), OutOfRangeError, r"the steps are \(0, -2\): the window reaches"),
        (np.ones((3, 3)), InvalidValueError, "corners=True"),
    ],
)
def test_weights_that_cannot_be(weights, kind, text):
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    w = a.halo()
    refused(lambda: w.correlate(weights), kind, text)
    refused(lambda: w.correlate([[0.5]], out=a.astype("f4")), InvalidValueError, "float32")
    fixed = a.copy()
    fixed.blocks.setflags(write=False)
    refused(lambda: w.correlate([[0.5]], out=fixed), InvalidValueError, "cannot be written")


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (["edge"], r"fill has 1 entries: \['edge'\]: the array has 2 axes"),
        ([0, ("edge", 0, 1)], r"an entry of fill is \('edge', 0, 1\): an axis has two ends"),
        (["reflect", 0], r"fill is 'reflect', axis 0 is left by 2, and entered by 1"),
        ([0, ("edge", "mirror")], r"fill is 'mirror': .* one of 'edge', 'reflect'"),
        ([[0, 1], 0.5j], r"fill is 0.5j: the array has dtype float64"),
    ],
)
def test_ends_that_cannot_be(fill, message):
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    refused(lambda: a.halo([(2, 1), 1], periodic=False, fill=fill), InvalidValueError, message)
    a.halo([(2, 1), 1], periodic=False, fill=[("symmetric", "reflect"), "antisymmetric"])
    with pytest.raises(InvalidValueError, match="fill is 'edge', without periodic"):
        a.halo(fill="edge")
    with pytest.raises(InvalidValueError, match="needs negative numbers"):
        (a > 3).halo(periodic=False, fill="antisymmetric")


def all_steps(reach):
    spans = [range(-below, above + 1) for below, above in reach]
    return [tuple(steps) for steps in np.stack(np.meshgrid(*spans), -1).reshape(-1, len(reach))]


@pytest.mark.parametrize("allocation", ["consecutive", "cyclic"])
@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("periodic", [(True, False), (False, True)])
def test_every_step_of_a_box(allocation, code, periodic):
    """Every combination, also farther than a block and farther than the axis is long."""
    layout = gc.Layout.mesh((12, 4), (4, 2), code=code, allocation=allocation)
    reach = [(4, 13), (5, 0)]
    x = np.arange(48).reshape(12, 4)
    a = gc.CubeArray.from_numpy(x, layout)
    window = a.halo(reach, periodic=periodic, corners=True, fill=FILL)
    for steps in all_steps(reach):
        require_same(window, x, steps, periodic)


@given(mesh_specs(room=60, max_axes=2), st.integers(0, 3), st.booleans(), st.booleans())
@settings(max_examples=examples(100))
def test_the_frames_are_what_is_around_the_own_mesh(spec, reach, ring, corners):
    """With corners and consecutive axes every cell of the frame is the array's, or the fill."""
    layout = spec.layout()
    x = np.arange(layout.size).reshape(layout.shape)
    a = gc.CubeArray.from_numpy(x, layout)
    window = a.halo(reach, periodic=ring, corners=corners, fill=FILL)
    assert len(window.meshes) == 1 << layout.n
    for node, mesh in enumerate(window.meshes):
        own = layout.coordinates(np.array(node), np.arange(layout.block_size))
        spans = [np.unique(np.add.outer(c, np.arange(-reach, reach + 1))) for c in own]
        assert mesh.shape == tuple(map(len, spans))
        if corners:
            assert np.array_equal(mesh, around(x, spans, ring=ring))


def around(x, spans, *, ring):
    """What x has at these coordinates, of which some are beyond its ends."""
    places = np.ix_(*(span % length for span, length in zip(spans, x.shape, strict=True)))
    beyond = [(span < 0) | (span >= n) for span, n in zip(spans, x.shape, strict=True)]
    out = x[places].copy()
    for axis, those in enumerate(beyond):
        np.moveaxis(out, axis, 0)[those & (not ring)] = FILL
    return out


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("nodes", [(4, 2), (1, 8), (1, 1)])
def test_programs_that_work_on_the_meshes(nodes, corners):
    """What is within the frame is the program's; an exchange brings it to the others."""
    x = np.arange(128.0).reshape(8, 16)
    layout = gc.Layout.mesh((8, 16), nodes, code="gray")
    periodic = (True, False)
    a = gc.CubeArray.from_numpy(x, layout)
    window = a.halo([(1, 2), 1], periodic=periodic, corners=corners, fill=FILL)
    for turn in range(1, 4):
        for mesh in window.meshes:
            mesh[1:-2, 1:-1] += 1000
        assert window.exchange() is window
        for steps in ((0, 0), (-1, 0), (2, 0), (0, -1), (0, 1), *[(2, -1)] * corners):
            require_same(window, x + 1000 * turn, steps, periodic)


@pytest.mark.parametrize("reach", [0, 1, 2])
def test_meshes_of_cyclic_arrays_are_read_by_slices(reach):
    """Arrays of places would be copied one by one."""
    layout = gc.Layout.mesh((32, 18), (4, 3), allocation="cyclic")
    bits = gc.Layout.mesh((32, 16), (4, 2), allocation="cyclic")
    for a in (gc.CubeArray.from_numpy(np.zeros(x.shape), x) for x in (layout, bits)):
        window = a.halo(reach)
        for steps in ((0, 0), (reach, 0), (0, -reach)):
            for places in window.places(steps):
                assert all(isinstance(along, slice) for along in places)


# Data of all kinds


RECORD = np.dtype([("name", "U2"), ("weight", "c8")])


@pytest.mark.parametrize("dtype", ["?", "f2", "c8", ">f4", "g", "M8[s]", "U3", "S2", RECORD])
def test_any_dtype(dtype):
    names = [(str(k), k) for k in range(48)] if dtype is RECORD else np.arange(48)
    x = np.array(names).astype(dtype) if dtype is not RECORD else np.array(names, dtype)
    x = x.reshape(8, 6)
    window = gc.CubeArray.from_numpy(x, LAYOUT).halo(2)
    assert window[1, 0].dtype == x.dtype
    assert np.array_equal(window[-2, 0].to_numpy(), np.roll(x, 2, axis=0))


@pytest.mark.parametrize(
    "seen",
    [
        np.asfortranarray,
        lambda blocks: blocks[::-1].copy()[::-1],
        lambda blocks: np.repeat(blocks, 2, axis=1)[:, ::2],
        lambda blocks: blocks.astype(np.float32).astype(float).view(),
    ],
)
def test_blocks_in_any_order_that_may_not_be_written(seen):
    blocks = seen(LAYOUT.scatter(X))
    blocks.setflags(write=False)
    window = gc.CubeArray(blocks, LAYOUT).halo(1)
    assert np.array_equal(window[0, 1].to_numpy(), np.roll(X, -1, axis=1))
    assert np.array_equal(blocks, LAYOUT.scatter(X))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (3,), (3, 5)])
def test_one_node(shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    layout = gc.Layout.mesh(shape, (1,) * len(shape))
    for ring in (True, False):
        window = gc.CubeArray.from_numpy(x, layout).halo(4, periodic=ring, fill=FILL)
        for step in range(-4, 5):
            steps = (step, *(0,) * (len(shape) - 1))
            require_same(window, x, steps, [ring] * len(shape))


def test_no_payload_at_all():
    window = gc.CubeArray.from_numpy(np.zeros((8, 6, 0)), LAYOUT).halo()
    assert window[1, 0].to_numpy().shape == (8, 6, 0)


def test_what_a_window_gave_stays_when_it_is_updated():
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    window = a.halo()
    before = window[1, 0]
    window.update(a * 2)
    assert np.array_equal(before.to_numpy(), np.roll(X, -1, axis=0))
    before += 1
    assert np.array_equal(window[1, 0].to_numpy(), 2 * np.roll(X, -1, axis=0))
    assert np.array_equal(a.to_numpy(), X)


def test_an_update_with_what_the_window_gave():
    window = gc.CubeArray.from_numpy(X, LAYOUT).halo((1, 0))
    for step in range(1, 5):
        window.update(window[-1, 0])
        assert np.array_equal(window[0, 0].to_numpy(), np.roll(X, step, axis=0))


# Copies


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("corners", [True, False])
def test_copies_have_the_halo_that_one_would_have(code, stride, corners):
    layout = gc.Layout.mesh((8, 6, 4), (4, 2, 2), code=code)
    x = np.random.default_rng(0).standard_normal((8, 6, 4))
    for gone in (0, 1, 2):
        a = gc.CubeArray.from_numpy(x, layout).max(axis=gone)
        assert a.layout.copy_count > 1
        ring = [True, False]
        w = a.halo((1, 2), periodic=ring, corners=corners, fill=FILL, stride=stride)
        for steps in ((1, 0), (-1, 0), (0, 2), (0, -1), *[(1, -2)] * corners):
            require_same(w, x.max(axis=gone), steps, ring)
            each = w[steps].blocks  # every copy, not the first one alone
            assert np.array_equal(each, w[steps].layout.scatter(w[steps].to_numpy()))


# What is refused


def refused(call, kind, text=None):
    with pytest.raises(GraycubeError, match=text) as caught:
        call()
    assert isinstance(caught.value, kind)


@pytest.mark.parametrize(
    ("steps", "kind", "text"),
    [
        ((2, 0), OutOfRangeError, "reaches .*; make one with more reach"),
        ((-1, 0), OutOfRangeError, r"the steps are \(-1, 0\)"),
        ((0, 4), OutOfRangeError, "more reach"),
        ((1, 1), InvalidValueError, "no corners; make it with corners=True"),
        (1, InvalidValueError, "the array has 2 axes; give one step"),
        ((1, 0, 0), InvalidValueError, "the array has 2 axes"),
        ((1.0, 0), InvalidTypeError, "it must be an integer"),
        ((True, 0), InvalidTypeError, "it must be an integer"),
        (None, InvalidTypeError, "it must be an integer"),
        ("ab", InvalidTypeError, "it must be an integer"),
    ],
)
def test_steps_that_the_window_does_not_have(steps, kind, text):
    window = gc.CubeArray.from_numpy(X, LAYOUT).halo([(0, 1), (3, 3)])
    refused(lambda: window[steps], kind, text)
    assert np.array_equal(window[1, 0].to_numpy(), np.roll(X, -1, axis=0))


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (lambda a: a.astype(np.float32), "dtype float32: .*use astype\\('float64'\\), or make"),
        (lambda a: a.relayout(gc.Layout.mesh((8, 6), (4, 2))), "with relayout, or make"),
        (lambda _: gc.CubeArray.from_numpy(np.stack([X, X], -1), LAYOUT), "shape .* make a"),
        (
            lambda _: gc.CubeArray.from_numpy(X[:4], gc.Layout.mesh((4, 6), (4, 2))),
            r"shape \(4, 6\)",
        ),
        (lambda _: X, "works on a CubeArray"),
        (lambda _: None, "works on a CubeArray"),
    ],
)
def test_updates_with_something_else(other, text):
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    window = a.halo()
    refused(lambda: window.update(other(a)), GraycubeError, text)
    assert np.array_equal(window[0, 0].to_numpy(), X)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"reach": -1}, "at least 0"),
        ({"reach": 1.5}, "must be an integer"),
        ({"reach": True}, "must be an integer"),
        ({"reach": (1, 2, 3)}, "3 entries for 2 axes"),
        ({"reach": [(1, 2, 3), 0]}, "has 3 entries"),
        ({"reach": 1 << 40}, "at most"),
        ({"periodic": 1}, "must be a bool"),
        ({"periodic": (True,)}, "1 entries for 2 axes"),
        ({"corners": "yes"}, "must be a bool"),
        ({"stride": 3}, "stride.0. is 3: it must be a power of two"),
        ({"stride": 0}, "power of two"),
        ({"stride": 1.5}, "must be an integer"),
        ({"stride": (2, 2, 2)}, "3 entries for 2 axes"),
        ({"stride": 1 << 40}, "at most"),
        ({"stride": 1 << 20, "reach": 1 << 20}, "at most"),
        ({"stride": 2, "reach": 65}, "reaches at most 64"),
    ],
)
def test_windows_that_cannot_be(options, text):
    a = gc.CubeArray.from_numpy(X, LAYOUT)
    refused(lambda: a.halo(**options), GraycubeError, text)


def test_an_enormous_frame_is_refused_at_once():
    """Not by running out of memory or time: a frame is as large as the reach."""
    a = gc.CubeArray.from_numpy(np.arange(8.0), gc.Layout.mesh((8,), (4,)))
    refused(lambda: a.halo(1 << 32), InvalidValueError)


@given(st.sets(st.integers(-50, 50), min_size=1), st.integers(0, 9), st.integers(0, 9))
def test_what_is_within_reach_of_some_coordinates(own, below, above):
    reached = {at + step for at in own for step in range(-below, above + 1)}
    assert within(np.array(sorted(own)), below, above).tolist() == sorted(reached)


def test_a_wide_reach_into_long_blocks_costs_what_it_reads():
    """Not its product with the block, which would be 8 GB of coordinates here."""
    x, layout = np.arange(1 << 18), gc.Layout.consecutive(18, 2, nodes="gray")
    window = gc.CubeArray.from_numpy(x, layout).halo(1 << 12)
    for step in (-(1 << 12), 1, 1 << 12):
        assert np.array_equal(window[step,].to_numpy(), np.roll(x, -step))


@pytest.mark.parametrize("fill", [np.nan, 0.5, 300, -1, "x", "edges", [None]])
def test_a_fill_that_the_dtype_cannot_hold(fill):
    """Zeros or wrapped numbers beyond the ends would be wrong without a word."""
    a = gc.CubeArray.from_numpy(X.astype(np.uint8), LAYOUT)
    refused(lambda: a.halo(periodic=False, fill=fill), GraycubeError)


def test_what_ranks_are_told_of_adding_back_is_worked_out_once(monkeypatch):
    told, w = [], gc.CubeArray.from_numpy(X, LAYOUT).halo()
    monkeypatch.setattr(
        "graycube.array.halo.window.together", lambda _, prepare: told.append(prepare()[1])
    )
    w.add_back()
    w.add_back()
    assert told[0] is told[1]


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8"])
def test_a_fill_is_rounded_as_numpy_does_it(dtype):
    a = gc.CubeArray.from_numpy(X.astype(dtype), LAYOUT)
    for fill in (0.1, np.float64(1e-30), np.inf):
        beyond = a.halo(periodic=False, fill=fill)[1, 0].to_numpy()[-1]
        assert np.array_equal(beyond, np.full_like(beyond, fill))
    for fill in (1e300, [0.5, "inf"], 0.1j if dtype != "c8" else 1e300j):
        refused(lambda fill=fill: a.halo(periodic=False, fill=fill), InvalidValueError)


@pytest.mark.parametrize("dtype", [RECORD, "M8[s]", "U3"])
def test_walls_of_what_is_no_number(dtype):
    a = gc.CubeArray.from_numpy(np.ones(8, dtype), gc.Layout.mesh((8,), (4,)))
    w = a.halo(periodic=False)
    assert w[1].to_numpy()[-1] == np.zeros(1, int).astype(dtype)[0]
    refused(lambda: a.halo(periodic=False, fill="antisymmetric"), InvalidValueError, "negative")


def test_bits_of_several_axes_are_refused():
    layout = gc.Layout.parse("(b0:0 || b0:0^b1:0)")
    a = gc.CubeArray.from_numpy(np.eye(2), layout)
    refused(a.halo, InvalidValueError, "convert to a mesh layout first")
