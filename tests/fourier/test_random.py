"""Random transforms of all kinds, lengths, norms, dtypes and layouts, beside SciPy's."""

import numpy as np
import pytest
import scipy.fft
from random_transforms import (
    BACK,
    COMPLEX,
    REAL,
    WAVES,
    WORST,
    excess,
    random_case,
    random_layout,
    rms,
    uneven_layout,
)
from sweeping import sweep

import graycube as gc


@pytest.mark.long
@pytest.mark.parametrize(
    ("count", "longest", "most"),
    [(300, 40, 4096), *sweep((9000, 100, 2**14), (1000, 3000, 2**16))],
)
def test_the_error_is_that_of_scipy(count, longest, most):
    rng = np.random.default_rng(count)
    layouts = [(random_layout, uneven_layout)[k % 3 == 2] for k in range(count)]
    cases = [random_case(rng, layout(rng, longest, most)) for layout in layouts]
    assert {case.name for case in cases} == {*COMPLEX, *REAL, *BACK, *WAVES}
    errors = [(case, excess(case, case.ours().to_numpy())) for case in cases]
    assert [(c.name, c.layout, c.options, e) for c, e in errors if e > WORST] == []


def test_the_check_sees_a_small_error():
    case = random_case(*of_seed(5))
    found = case.ours().to_numpy()
    assert excess(case, found) <= WORST
    assert excess(case, found * (1 + 1e-6)) > WORST
    assert excess(case, found.astype("c8")) == np.inf


def of_seed(seed):
    rng = np.random.default_rng(seed)
    return rng, random_layout(rng, 40, 4096)


@pytest.mark.parametrize("name", [*COMPLEX, *REAL, *BACK, *WAVES])
def test_out_takes_the_result_into_its_layout(name):
    layout = gc.Layout.mesh((8, 16), (2, 4), code="gray")
    x = np.random.default_rng(0).standard_normal((8, 16, 2))
    a = gc.CubeArray.from_numpy(x, layout)
    call = getattr(gc.fourier, name)
    wanted = call(a)
    shape = wanted.layout.shape
    home = gc.Layout.mesh(shape, (8, 1), code="gray")
    assert home != wanted.layout
    out = gc.CubeArray.from_numpy(np.zeros((*shape, 2), wanted.dtype), home)
    blocks = out.blocks
    assert call(a, out=out) is out
    assert out.blocks is blocks
    assert np.array_equal(out.to_numpy(), wanted.to_numpy())
    with pytest.raises(gc.GraycubeError, match="out has shape"):
        call(a, out=gc.CubeArray.from_numpy(np.zeros((4, 4)), gc.Layout.mesh((4, 4), (2, 4))))
    if wanted.dtype.kind == "c":
        with pytest.raises(gc.GraycubeError, match="out has dtype float64"):
            call(a, out=gc.CubeArray.from_numpy(np.zeros(wanted.shape), home))


@pytest.mark.parametrize("name", ["fftn", "dctn"])
def test_natural_order_is_that_of_the_array(name):
    layout = gc.Layout.mesh((8, 16), (2, 4), code="gray")
    a = gc.CubeArray.from_numpy(np.eye(8, 16), layout)
    call, theirs = getattr(gc.fourier, name), getattr(scipy.fft, name)
    y = call(a, order="natural")
    assert y.layout == layout
    y = call(a, s=(8, 24), order="natural")
    assert np.allclose(y.to_numpy(), theirs(np.eye(8, 16), s=(8, 24)))
    assert y.slices == (slice(0, 8), slice(0, 24))


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
def test_long_double_stays_long_double(dtype):
    layout = gc.Layout.mesh((8, 12), (2, 2), code="gray")
    x = (np.random.default_rng(0).standard_normal((8, 12)) / 3).astype(dtype)
    a = gc.CubeArray.from_numpy(x, layout)
    for name in ("dctn", "dstn", "fftn"):
        found = getattr(gc.fourier, name)(a, s=(8, 16)).to_numpy()
        expected = getattr(scipy.fft, name)(x, s=(8, 16))
        assert found.dtype == expected.dtype
        assert rms(found - expected) <= 4 * np.finfo(dtype).eps * rms(expected)


def layout_of(*shape_and_nodes):
    shape, nodes = zip(*shape_and_nodes, strict=True)
    return gc.CubeArray.from_numpy(np.ones(shape), gc.Layout.mesh(shape, nodes))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: gc.fft(layout_of((8, 4)), n=0), "number of points is 0"),
        (lambda: gc.fft(layout_of((8, 4)), n=2.5), "number of points is 2.5"),
        (lambda: gc.fftn(layout_of((8, 4)), s=8), "s is 8"),
        (lambda: gc.fftn(layout_of((8, 4)), s=(8, 8)), "s has 2 entries for 1 axes"),
        (lambda: gc.fftn(layout_of((8, 4)), (0, 0), s=(8, 8)), "named twice"),
        (lambda: gc.fft(layout_of((8, 4)), out=np.zeros(8, complex)), "out is a ndarray"),
        (lambda: gc.fourier.dct(layout_of((8, 4)), 5), "type is 5: the known ones are 1, 2, 3"),
        (lambda: gc.fourier.dct(layout_of((1, 1)), 1), "an axis has 1 point"),
        (lambda: gc.fourier.dct(layout_of((8, 1)), norm="best"), "norm is 'best'"),
        (lambda: gc.fourier.idst(layout_of((8, 1)), order="x"), "order is 'x'"),
        (lambda: gc.fourier.dct(np.ones(8)), "got a ndarray"),
        (lambda: gc.fourier.dct(layout_of((8, 1)).astype("U3")), "numbers are needed"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call()
