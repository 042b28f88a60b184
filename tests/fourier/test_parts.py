"""Transforms in parts: the same numbers, whatever the way, and nothing else is written."""

from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from contents import noise
from scipy import fft

from graycube.fourier import engine, fftw, parts, ways
from graycube.fourier.works import Copy, LineWork

SHAPE = (6, 4, 8, 5)
WAYS = (ways._whole, ways._by_rival, ways._in_parts, ways._through_room, ways._in_two)
AXES = [some for count in (1, 2, 3) for some in combinations(range(4), count)]


@pytest.fixture
def small(monkeypatch):
    """Parts of three rows of 2.5 KiB at most, and all are worth the trouble."""
    pytest.importorskip("pyfftw")
    monkeypatch.setattr(parts, "_LARGE", 3 * 4 * 8 * 5 * 16)
    monkeypatch.setattr(ways, "_WORTH", 0)
    monkeypatch.setattr(ways, "_APART", 17)


def done(work, way, monkeypatch):
    """Carry out a work in one way; whether there was one."""
    made = []

    def forced(each, how, rival):
        if each.axes != work.axes:  # it is one of two
            return ways._whole(each, how, rival)
        made.append(way(each, how, rival))
        return made[0] or (lambda: None)

    with monkeypatch.context() as patched, engine.by_fftw("measure"):
        patched.setattr(ways, "_fastest", lambda *_: forced)
        engine.bound(work)()
    return made[0] is not None


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("inverse", [False, True])
def test_complex_lines_are_as_scipys(way, inverse, monkeypatch):
    """In place, from one array into another, and between strided ones."""
    transform, norm = (fft.ifftn, "forward") if inverse else (fft.fftn, "backward")
    tried = 0
    for axes in AXES:
        x, wide = noise(SHAPE), np.zeros((*SHAPE[:3], 10), complex)
        before, expected = x.copy(), transform(x, axes=axes, norm=norm)
        for lines, out in ((x, np.empty_like(x)), (x, wide[..., 1::2]), (before.copy(), None)):
            made = lines if out is None else out
            work = LineWork(lines, axes, made, inverse=inverse, factor=0.5)
            if done(work, way, monkeypatch):
                assert np.allclose(made, expected / 2), axes
                tried += 1
        assert np.array_equal(x, before)
        assert not wide[..., ::2].any()
    assert tried >= 9


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
def test_real_lines_and_half_their_spectra(way, monkeypatch):
    """Half a spectrum along several axes is spent, and only then."""
    x, tried = noise(SHAPE).real, 0
    for axes in (each for each in AXES if each != (0, 1, 2)):
        before, expected = x.copy(), fft.rfftn(x, axes=axes)
        half, back = np.empty_like(expected), np.empty_like(x)
        if done(LineWork(x, axes, half, "r2c", factor=0.5), way, monkeypatch):
            assert np.allclose(half, expected / 2), axes
            tried += 1
        half[...], spent = expected, len(axes) > 1
        work = LineWork(half, axes, back, "c2r", inverse=True, spent=spent, factor=0.5)
        if done(work, way, monkeypatch):
            assert np.allclose(back, before * work.points / 2), axes
            assert spent or np.array_equal(half, expected)
            tried += 1
        assert np.array_equal(x, before)
    assert tried >= 6 * (way is not ways._through_room)


@pytest.mark.parametrize("chosen", range(len(WAYS)))
@pytest.mark.usefixtures("small")
def test_the_fastest_way_is_taken(chosen, monkeypatch):
    """Once it is known, no other one is made."""
    x, out, made = noise(SHAPE), np.empty(SHAPE, complex), []
    every = tuple(told(way, k, made) for k, way in enumerate(WAYS))
    monkeypatch.setattr(ways, "_WAYS", every)
    ways._fastest.cache_clear()
    seconds = {chosen: 1}
    monkeypatch.setattr(
        ways, "_seconds", lambda call, _: seconds.get(getattr(call, "number", None), 1.25)
    )
    work = LineWork(x, (1, 2), out)
    for _ in range(2):
        made.clear()
        with engine.by_fftw("measure"):
            engine.bound(work)()
        assert made[-1] == chosen
        assert np.allclose(out, fft.fftn(x, axes=(1, 2)))
    assert made == [chosen]
    ways._fastest.cache_clear()


@pytest.mark.usefixtures("small")
def test_what_is_called_has_few_plans():
    """A call makes its beginning anew each time, so it is a plan or what does without."""
    x = np.zeros(SHAPE, complex)
    for once, most in ((True, 2), (False, len(WAYS))):
        with engine.by_fftw("measure"), patch.object(ways, "_fastest") as fastest:
            engine.ready([LineWork(x, (1, 2), x)], once=once)
        assert fastest.call_args.args[-1] == WAYS[:most]


def told(way, number, made):
    """The same way, which says that it was asked, and whose calls have a number."""

    def asked(work, how, rival):
        run = way(work, how, rival)
        if work.axes != (1, 2):  # it is a part of another one
            return run
        made.append(number)

        def call():
            run()

        call.number = number
        return call

    return asked


@pytest.mark.parametrize("effort", [None, "measure"])
@pytest.mark.parametrize("spent", [False, True])
def test_a_copy_and_what_follows_take_turns(spent, effort, monkeypatch):
    """What is spent has room for a part: the others stay as they were."""
    if effort:
        pytest.importorskip("pyfftw")
    monkeypatch.setattr(parts, "_LARGE", 2 * 6 * 5 * 16)
    x, room, out = (
        noise((2, 4, 3, 5)),
        np.zeros((4, 2, 3, 5), complex),
        np.empty((4, 6, 5), complex),
    )
    lines = room.reshape(1, 4, 6, 5)[0]
    todo = [
        Copy(x.swapaxes(0, 1), room, 2.0),
        LineWork(lines, (1,), out, spent=spent),
        LineWork(out, (2,), out),
    ]
    taken = parts.in_step(todo)
    assert [type(each) for each in taken] == [Copy, LineWork] * 2 + [LineWork]
    with engine.by_fftw(effort):
        for call in engine.ready(todo):
            call()
    whole = 2 * x.swapaxes(0, 1).reshape(4, 6, 5)
    assert np.allclose(out, fft.fftn(whole, axes=(1, 2)))
    assert room[2:].any() == (not spent)


def test_only_what_has_one_outermost_axis_takes_turns(monkeypatch):
    monkeypatch.setattr(parts, "_LARGE", 1)
    x, y = noise((4, 6)), np.empty((4, 6), complex)
    copy = Copy(x, y)
    for work in (
        LineWork(y, (0,), y),  # the outermost axis is transformed
        LineWork(y.reshape(2, 2, 6), (2,), y.reshape(2, 2, 6)),  # it is cut
        LineWork(y[:2], (1,), y[:2]),  # a part
        LineWork(y[:, ::-1], (1,), y[:, ::-1]),  # in another order
        LineWork(x, (1,), x),  # other memory
        LineWork(y, (1,), x),  # it overwrites what the copy has to read
        LineWork(y.reshape(24), (0,), y.reshape(24)),
    ):
        assert parts.in_step([copy, work]) == [copy, work]
    work = LineWork(y, (1,), y)
    assert parts.in_step([print, work, copy, print]) == [print, work, copy, print]
    assert len(parts.in_step([copy, work])) == 8


def test_pieces_are_equal_and_not_too_many():
    for length in (*range(1, 100), 8192, 1 << 40):
        for most in (0, 1, 3, 1 << 20):
            size = parts._size(length, most)
            assert length % size == 0
            assert length // size <= parts._MOST
            fewer = [count for count in range(1, length // size) if length % count == 0]
            assert all(length // count > most for count in fewer)


@pytest.mark.usefixtures("small")
def test_room_is_for_what_lies_far_apart():
    """A long line has none, and nothing has a very large one."""
    how = fftw.How("measure", threads=1)
    for shape, axis in (((1 << 15, 1), 0), ((4, 4096), 1)):
        x = np.zeros(shape, complex)
        assert ways._through_room(LineWork(x, (axis,), x), how, None) is None
