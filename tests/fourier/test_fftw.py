"""Lines that FFTW plans: any strides, any dtypes, in place, and nothing else is written."""

from contextlib import suppress
from functools import partial
from unittest.mock import Mock

import contents
import numpy as np
import pytest
from scipy import fft

import graycube as gc
from graycube.errors import InvalidValueError, MissingExtraError
from graycube.fourier import engine, fftw, ways
from graycube.fourier.works import LineWork

pyfftw = pytest.importorskip("pyfftw")

SHAPE = (3, 8, 5)
noise = partial(contents.noise, SHAPE)
CUTS = {
    "whole": (slice(None),) * 3,
    "strided": (slice(1, None), slice(None, None, 2), slice(None)),
    "backwards": (slice(None, None, -1), slice(None), slice(3, 0, -1)),
}


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
            run = engine.bound(LineWork(lines, (axis,), out, "c2c", inverse, scaling))
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
    assert contents.close(spectrum, fft.rfft(x))
    assert contents.close(back, points * x)


def test_in_place_and_without_elements():
    x = noise("c16")
    expected = fft.fft(x, axis=1)
    with engine.by_fftw("patient"):
        engine.bound(LineWork(x, (1,), x[:]))()
        engine.bound(LineWork(x[:0], (1,), x[:0]))()
    assert np.allclose(x, expected)


def test_only_what_is_bound_meanwhile_is_planned_by_fftw(monkeypatch):
    asked = []
    monkeypatch.setattr(ways, "planned", lambda _, effort, __, **___: asked.append(effort))
    x = noise("c16")
    with suppress(KeyError), engine.by_fftw("measure"):
        engine.bound(LineWork(x, (0,), x))
        raise KeyError
    engine.bound(LineWork(x, (0,), x))
    assert asked == ["measure"]


@pytest.mark.parametrize(("seconds", "chosen"), [(0, False), (2, True)])
def test_what_is_faster_on_such_lines_does_it(monkeypatch, seconds, chosen):
    """On room of their own: the data are as they were."""
    x, asked = noise("c16"), []
    before = x.copy()

    def rival(work):
        asked.append(work.lines)
        return partial(work.out.fill, len(asked))

    def timed(call, _caches):
        return 1 if isinstance(call, partial) else seconds

    monkeypatch.setattr(ways, "_seconds", timed)
    run = ways.planned(LineWork(x, (1,), x), "measure", rival)
    assert np.array_equal(x, before)
    assert [lines is x for lines in asked] == [False, True][: 1 + chosen]
    run()
    assert np.allclose(x, 2 if chosen else fft.fft(before, axis=1))


def test_what_is_known_of_such_arrays_is_not_tried_again(monkeypatch):
    """Nor is anything written, even if FFTW has forgotten it."""
    x, out = noise("c16"), np.empty(SHAPE, complex)
    before, tried, work = x.copy(), Mock(return_value=None), fftw.Like.work
    monkeypatch.setattr(fftw.Like, "work", lambda like: tried() or work(like))
    monkeypatch.setattr(ways, "_seconds", lambda *_: 1)
    wisdom = pyfftw.export_wisdom()

    def rival(_work):
        raise AssertionError

    with pytest.raises(AssertionError):
        ways.planned(LineWork(x, (0,), out, inverse=True), "measure", rival)
    tried.reset_mock()
    for forget, times in ((False, 1), (False, 1), (True, 2)):
        if forget:
            pyfftw.forget_wisdom()
        run = ways.planned(LineWork(x, (0,), out), "measure", nothing)
        assert tried.call_count == times
        assert np.array_equal(x, before)
        out[...] = 0
        run()
        assert np.allclose(out, fft.fft(x, axis=0))
    pyfftw.import_wisdom(wisdom)


def nothing(_work):
    return lambda: None


@pytest.mark.parametrize("effort", ["measure", "estimate"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_calls_are_planned_meanwhile_and_scaled_once(monkeypatch, effort, norm):
    """On all nodes of a process, and on one; what is remembered of other calls is not used."""
    for nodes in (1, 2):
        x = gc.CubeArray.from_numpy(noise("f8"), gc.Layout.mesh(SHAPE, (1, nodes, 1)))
        expected = gc.rfftn(x, norm=norm).to_numpy()
        asked = Mock(wraps=ways.planned)
        with monkeypatch.context() as patched, gc.fourier.by_fftw(effort):
            patched.setattr(ways, "planned", asked)
            for _ in range(2):
                made = gc.rfftn(x, norm=norm)
                back = gc.irfftn(made, s=SHAPE, norm=norm)
        assert {call.args[1] for call in asked.mock_calls} == {effort}
        works = [call.args[0] for call in asked.mock_calls]
        found = {(axis, work.inverse) for work in works for axis in work.axes}
        assert found == {(axis, inverse) for axis in range(3) for inverse in (False, True)}
        assert np.allclose(made.to_numpy(), expected)
        assert np.allclose(expected, fft.rfftn(noise("f8"), norm=norm))
        assert np.allclose(back.to_numpy(), noise("f8"))


@pytest.mark.parametrize("n", [0, 1])
def test_long_lines_are_a_pass_by_its_plans(n):
    """So the result of a call, and of what is bound, has another layout than without them."""
    x = np.random.default_rng(0).standard_normal(1 << 18 + n) + 0j
    u = gc.CubeArray.from_numpy(x, gc.Layout.cyclic(18 + n, n))
    without = gc.fft(u).layout
    with gc.fourier.by_fftw("estimate"):
        called = gc.fft(u)
        bound = gc.bind(gc.fft, u)
    assert called.layout == bound.result.layout != without
    assert np.allclose(called.to_numpy(), np.fft.fft(x))
    assert np.allclose(bound.run().to_numpy(), np.fft.fft(x))


@pytest.mark.parametrize("nodes", [1, 2])
def test_results_are_as_exact_as_numbers_are(nodes):
    x = noise("g") / 3
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(SHAPE, (1, nodes, 1)))
    for norm in ("backward", "ortho", "forward"):
        with gc.fourier.by_fftw("estimate"):
            back = gc.irfftn(gc.rfftn(u, norm=norm), s=SHAPE, norm=norm)
        assert np.allclose(back.to_numpy(), x, rtol=0, atol=100 * np.finfo("g").eps)


def test_bytes_that_begin_anywhere_are_not_for_fftw():
    x = noise("f8")
    odd = np.frombuffer(bytes(1) + x.tobytes(), "f8", offset=1).reshape(1, -1)
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(SHAPE, (1, 1, 1)))
    with gc.fourier.by_fftw("estimate"):
        assert np.allclose(gc.rfftn(u.with_blocks(odd)).to_numpy(), fft.rfftn(x))


def test_what_is_bound_meanwhile_stays_planned(monkeypatch):
    x = gc.CubeArray.from_numpy(noise("f8"), gc.Layout.mesh(SHAPE, (1, 1, 1)))
    asked = Mock(wraps=ways.planned)
    monkeypatch.setattr(ways, "planned", asked)
    with gc.fourier.by_fftw("estimate"):
        bound = gc.bind(gc.rfftn, x)
    asked.reset_mock()
    x.blocks[...] *= 2
    assert np.allclose(bound.run().to_numpy(), 2 * fft.rfftn(noise("f8")))
    assert not asked.called
    for effort in ("hard", np.array(["measure"]), True):
        with pytest.raises(InvalidValueError, match=r"patient"), gc.fourier.by_fftw(effort):
            raise AssertionError


def test_one_process_calls_with_it():
    x = gc.CubeArray.from_numpy(noise("f8"), gc.Layout.mesh(SHAPE, (1, 2, 1)))
    bound = gc.bind(gc.rfftn, x, fftw="estimate")
    assert np.allclose(bound.run().to_numpy(), fft.rfftn(noise("f8")))


def test_without_pyfftw_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyfftw", None)
    x = gc.CubeArray.from_numpy(noise("f8"), gc.Layout.mesh(SHAPE, (1, 2, 1)))
    with pytest.raises(MissingExtraError, match=r"graycube\[fftw\]"):
        gc.bind(gc.rfftn, x, fftw="measure")
    with pytest.raises(MissingExtraError), gc.fourier.by_fftw():
        raise AssertionError


def test_arrays_that_begin_elsewhere_in_a_line_of_cache_have_the_same_plans():
    room = np.zeros(64)
    looks = [fftw.Strided.of(room[k : k + 8]) for k in range(16)]
    assert len({*looks}) == 2
    for look in looks:
        assert fftw.Strided.of(look.room()) == look
