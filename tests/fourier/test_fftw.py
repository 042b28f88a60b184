"""Lines that FFTW plans: any strides, any dtypes, in place, and nothing else is written."""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from scipy import fft

import graycube as gc
from graycube.errors import MissingExtraError
from graycube.fourier import engine, fftw

pyfftw = pytest.importorskip("pyfftw")

SHAPE = (3, 8, 5)
CUTS = {
    "whole": (slice(None),) * 3,
    "strided": (slice(1, None), slice(None, None, 2), slice(None)),
    "backwards": (slice(None, None, -1), slice(None), slice(3, 0, -1)),
}


def noise(dtype):
    rng = np.random.default_rng(5)
    x = rng.standard_normal(SHAPE)
    return (x + 1j * rng.standard_normal(SHAPE) if np.dtype(dtype).kind == "c" else x).astype(
        dtype
    )


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("dtype", ["c8", "c16", "G"])
@pytest.mark.parametrize("scaling", range(3))
def test_complex_lines_are_as_scipys(cut, axis, dtype, scaling):
    lines, whole = noise(dtype)[CUTS[cut]], np.zeros((*SHAPE[:2], 2 * SHAPE[2]), dtype)
    before, out = lines.copy(), whole[..., ::2][CUTS[cut]]
    for inverse, numpys in ((False, fft.fft), (True, fft.ifft)):
        norm = ("backward", "ortho", "forward")[2 - scaling if inverse else scaling]
        with engine.by_fftw("measure"):
            run = engine.bound(lines, axis, out, inverse=inverse, scaling=scaling)
        assert np.array_equal(lines, before)
        run()
        tolerance = 1e-5 if dtype == "c8" else 1e-13
        assert np.allclose(out, numpys(lines, axis=axis, norm=norm), rtol=0, atol=tolerance)
        out[...] = 0
        assert not whole.any()


@pytest.mark.parametrize("points", [5, 8])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_real_lines_and_half_their_spectra(points, dtype):
    x = noise(dtype).transpose(0, 2, 1)[:, :, :points]
    with engine.by_fftw("estimate"):
        spectrum = engine.half_spectrum(x, 2)
        back = engine.from_half(spectrum, 2, points)
    assert spectrum.dtype == np.result_type(dtype, 1j)
    assert np.allclose(spectrum, fft.rfft(x), atol=1e-5)
    assert np.allclose(back, points * x, atol=1e-5)


def test_in_place_and_without_elements():
    x = noise("c16")
    expected = fft.fft(x, axis=1)
    with engine.by_fftw("patient"):
        engine.bound(x, 1, x[:], inverse=False, scaling=0)()
        engine.bound(x[:0], 1, x[:0], inverse=False, scaling=0)()
    assert np.allclose(x, expected)


def test_only_what_is_bound_meanwhile_is_planned_by_fftw(monkeypatch):
    asked = []
    monkeypatch.setattr(fftw, "planned", lambda *_, effort, **__: asked.append(effort))
    x = noise("c16")
    with suppress(KeyError), engine.by_fftw("measure"):
        engine.bound(x, 0, x, inverse=False, scaling=0)
        raise KeyError
    engine.bound(x, 0, x, inverse=False, scaling=0)
    assert asked == ["measure"]


@pytest.mark.parametrize(("seconds", "chosen"), [(0, False), (2, True)])
def test_what_is_faster_on_such_lines_does_it(monkeypatch, seconds, chosen):
    """On room of their own: the data are as they were."""
    x, asked = noise("c16"), []
    before = x.copy()

    def rival(lines, out):
        asked.append(lines)
        return partial(out.fill, len(asked))

    def timed(call):
        return 1 if isinstance(call, partial) else seconds

    monkeypatch.setattr(fftw, "_seconds", timed)
    run = fftw.planned(x, 1, x, inverse=False, effort="measure", rival=rival)
    assert np.array_equal(x, before)
    assert [lines is x for lines in asked] == [False, True][: 1 + chosen]
    run()
    assert np.allclose(x, 2 if chosen else fft.fft(before, axis=1))


def test_one_process_calls_with_it():
    x = gc.CubeArray.from_numpy(noise("f8"), gc.Layout.mesh(SHAPE, (1, 2, 1)))
    bound = gc.bind(gc.rfftn, x, fftw="estimate")
    assert np.allclose(bound.run().to_numpy(), fft.rfftn(noise("f8")))


def test_without_pyfftw_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyfftw", None)
    x = gc.CubeArray.from_numpy(noise("f8"), gc.Layout.mesh(SHAPE, (1, 2, 1)))
    with pytest.raises(MissingExtraError, match=r"graycube\[fftw\]"):
        gc.bind(gc.rfftn, x, fftw="measure")
