"""Transforms that follow each other and are one for FFTW: the same numbers, and fewer works."""

from itertools import product
from math import prod

import numpy as np
import pytest
from contents import noise
from scipy import fft

import graycube as gc
from graycube.fourier import engine, ways, works
from graycube.fourier.works import LineWork, joined

pytest.importorskip("pyfftw")

SHAPES = ((4, 6), (2, 2, 6), (24,), (1, 24), (4, 1, 6), (8, 3), (3, 8), (2, 12))


def run(todo):
    for call in engine.ready(todo):
        call()


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
def test_complex_lines_of_one_memory_in_any_two_shapes(in_place, inverse):
    """However axes are cut; where they are not cut alike, two works are left."""
    transform, norm = (fft.ifft, "forward") if inverse else (fft.fft, "backward")
    ones = 0
    for before, after in product(SHAPES, repeat=2):
        x = noise(24)
        for first, last in product(range(len(before)), range(len(after))):
            out = x.copy() if in_place else np.empty(24, complex)
            source = out if in_place else x
            a, b = (out.reshape(shape) for shape in (before, after))
            todo = [
                LineWork(source.reshape(before), (first,), a, inverse=inverse),
                LineWork(b, (last,), b, inverse=inverse),
            ]
            expected = transform(x.reshape(before), axis=first, norm=norm)
            expected = transform(expected.reshape(after), axis=last, norm=norm)
            ones += len(joined(todo)) == 1
            with engine.by_fftw("estimate"):
                run(todo)
            assert np.allclose(b, expected), (before, after, first, last)
    assert 0 < ones < 200


@pytest.mark.parametrize("order", ["C", "F"])
def test_half_a_spectrum_and_back(order):
    x = np.array(noise((4, 3, 6)).real, order=order)
    half = np.empty((4, 3, 4), complex, order)
    there = [LineWork(x, (2,), half, "r2c"), *(LineWork(half, (k,), half) for k in (0, 1))]
    back = [
        *(LineWork(half, (k,), half, inverse=True) for k in (1, 0)),
        LineWork(half, (2,), x, "c2r", inverse=True),
    ]
    assert [[each.axes for each in joined(todo)] for todo in (there, back)] == [
        [(0, 1, 2)],
        [(1, 0, 2)],
    ]
    assert [[each.axes for each in joined(todo)[0].apart()] for todo in (there, back)] == [
        [(2,), (0,), (1,)],
        [(1,), (0,), (2,)],
    ]
    expected = x.copy()
    with engine.by_fftw("estimate"):
        run(there)
        assert np.allclose(half, fft.rfftn(expected))
        run(back)
    assert np.allclose(x, expected * x.size)


def test_what_others_may_need_is_not_overwritten():
    """A plan for half a spectrum along several axes writes into what it reads."""
    x, between, out = noise((3, 4)), np.empty((3, 4), complex), np.empty((3, 6))
    todo = [
        LineWork(x, (0,), between, inverse=True),
        LineWork(between, (1,), out, "c2r", inverse=True),
    ]
    assert [each.spent for each in joined(todo)] == [False, True]  # what is between may be
    assert [each.spent for each in joined(todo[1:])] == [False]
    before = x.copy()
    with engine.by_fftw("estimate"):
        run(todo)
    assert np.array_equal(x, before)


def test_only_what_goes_on_with_all_of_it_is_one():
    x, y = noise((4, 6)), noise((4, 6))
    for other in (
        LineWork(y, (0,), y),  # other memory
        LineWork(x[:2], (0,), x[:2]),  # a part
        LineWork(x.T, (0,), x.T),  # in another order
        LineWork(x, (0,), x, inverse=True),
        LineWork(x, (0,), x, scaling=1),
    ):
        for todo in ([LineWork(x, (1,), x), other], [other, LineWork(x, (1,), x)]):
            assert len(joined(todo)) == 2
    assert len(joined([LineWork(x, (1,), x), print, LineWork(x, (0,), x)])) == 3
    for size in (0, 1):
        small = np.zeros((size, 1), complex)
        assert len(joined([LineWork(small, (1,), small), LineWork(small, (0,), small)])) == 2


def test_what_overlaps_is_kept_apart_by_what_is_between():
    memory, between = noise(30), np.zeros((4, 6), complex)
    x, y = memory[:24].reshape(4, 6), memory[3:27].reshape(4, 6)
    works = LineWork(x, (1,), between), LineWork(between, (0,), y)
    assert len(joined(works)) == 2
    wanted = np.fft.fft2(x)
    with engine.by_fftw("estimate"):
        run(works)
    assert np.allclose(y, wanted)


@pytest.mark.parametrize("effort", ["estimate", "measure"])
def test_axes_in_memory_are_one_plan(monkeypatch, effort):
    """All of them if they are bound; a call plans the first one alone, which it does anew."""
    shape, asked = (8, 4, 16), []
    x = noise(shape)
    planned = ways.planned

    def told(work, effort, rival, **options):
        asked.append(sorted(work.axes))
        return planned(work, effort, rival, **options)

    monkeypatch.setattr(ways, "planned", told)
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(shape, (1, 1, 1)))
    for way in (ways._by_rival, ways._whole):
        monkeypatch.setattr(ways, "_fastest", lambda *_, way=way: way)
        with engine.by_fftw(effort):
            asked.clear()
            assert np.allclose(gc.fftn(u).to_numpy(), fft.fftn(x))
            assert max(map(len, asked)) <= 2
            asked.clear()
            assert np.allclose(gc.bind(gc.fftn, u).run().to_numpy(), fft.fftn(x))
            assert [0, 1, 2] in asked


def test_without_fftw_each_axis_is_a_work():
    x = noise((4, 6))
    todo = [LineWork(x, (1,), x), LineWork(x, (0,), x)]
    assert len(engine.ready(todo)) == 2
    assert prod(works._both((4, 6), (2, 12))) == 24


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64", "longdouble"])
def test_a_copy_multiplies(dtype):
    """Rows that are apart, and numbers that are infinite in one part."""
    x = noise((4, 6), dtype)
    x[1, 2] = complex(np.inf, 3) if dtype.startswith("c") else np.inf
    out = np.full((2, 6), np.nan, dtype)
    todo = works.multiplied([np.ones, works.Copy(x[::2], np.empty((2, 6))[:, ::-1])], 3)
    assert todo is None
    todo = works.multiplied([np.ones, works.Copy(x[1::2], out), np.zeros], np.longdouble(3))
    assert [len(todo), todo[0], todo[2]] == [3, np.ones, np.zeros]
    run(todo[1:2])
    assert out.tolist() == engine_scaled(x[1::2].copy(), 3).tolist()


def engine_scaled(x, factor):
    works.scaled(x, factor)()
    return x


def test_numbers_that_are_not_neighbours_are_not_multiplied_on_the_way():
    x, out = noise((4, 6)), np.empty((4, 6), complex)
    for lines, target in ((x.T, out.T), (x[:, ::2], out[:, ::2]), (x.real, out)):
        assert works.multiplied([works.Copy(lines, target)], 3) is None


def test_one_memory_in_any_shape_and_order():
    x = np.moveaxis(noise((3, 4, 6)), 0, 2)  # components lie apart
    cut, other = x.reshape(2, 2, 6, 3), x.swapaxes(0, 1)
    assert cut.base is not None
    assert works.of_one(x, cut)
    assert not any(works.of_one(y, x) for y in (other, x[::-1], x[:2], x.copy(), x.real))


def test_components_that_lie_apart_are_scaled_as_real_numbers():
    x = np.moveaxis(noise((3, 4, 6)), 0, 2).astype(complex)
    wanted, scaling = 0.5 * x, works.scaled(x, 0.5)
    assert scaling.func is np.multiply  # in one pass
    scaling()
    np.testing.assert_array_equal(x, wanted)
