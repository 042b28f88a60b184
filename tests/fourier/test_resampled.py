"""Spectra on other numbers of points: the sum of the same waves, term by term."""

from itertools import product

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI

import graycube as gc
from graycube.fourier import resampled, to_points, to_waves


def waves(shape, old, new, seed=0):
    """A sum of random waves that both have, on a grid of some shape, written out."""
    rng = np.random.default_rng(seed)
    tops = [(min(pair) - 1) // 2 for pair in zip(old, new, strict=True)]
    grid = np.ogrid[tuple(slice(n) for n in shape)]
    total = np.zeros(shape)
    for k in product(*(range(-top, top + 1) for top in tops)):
        phase = sum(q * x / n for q, x, n in zip(k, grid, shape, strict=True))
        total += rng.standard_normal() * np.cos(2 * np.pi * (phase + rng.random()))
    return total


MESHES = [
    ((4, 1), {}),
    ((2, 4), {"code": "gray", "allocation": "cyclic"}),
    ((3, 2), {}),
    ((1, 5), {}),
]
NUMBERS = [((8, 12), (12, 18)), ((12, 16), (8, 12)), ((7, 9), (10, 5)), ((8, 8), (8, 9))]


@pytest.mark.parametrize(("nodes", "options"), MESHES)
@pytest.mark.parametrize(("old", "new"), NUMBERS)
def test_the_waves_are_the_same(nodes, options, old, new):
    a = gc.CubeArray.from_numpy(waves(old, old, new), gc.Layout.mesh(old, nodes, **options))
    expected = waves(new, old, new)
    v = resampled(gc.rfftn(a, norm="forward"), old, new)
    gc.assert_allclose(gc.irfftn(v, s=new, norm="forward"), expected, atol=1e-12)
    w = resampled(gc.fftn(a, norm="forward"), old, new, real=False)
    gc.assert_allclose(gc.ifftn(w, norm="forward"), expected + 0j, atol=1e-12)


@pytest.mark.parametrize(("nodes", "options"), MESHES)
@pytest.mark.parametrize(("old", "new"), NUMBERS)
@pytest.mark.parametrize("boxes", [None, True])
def test_in_one_go_they_are_the_same(nodes, options, old, new, boxes):
    layout = gc.Layout.mesh(old, nodes, **options, ownership=boxes)
    u, expected = waves(old, old, new), waves(new, old, new)
    a = gc.CubeArray.from_numpy(u, layout)
    for real, transform in ((True, gc.rfftn), (False, gc.fftn)):
        v = transform(a, norm="forward")
        fine = to_points(v, old, new, norm="forward", real=real)
        gc.assert_allclose(fine, expected + 0 if real else expected + 0j, atol=1e-12)
        back = to_waves(fine, old, norm="forward", real=real)
        steps = resampled(transform(fine, norm="forward"), new, old, real=real)
        gc.assert_allclose(back, steps.to_numpy(), atol=1e-12)
        half, all_ = gc.irfftn(back, s=old, norm="forward"), gc.ifftn(back, norm="forward")
        gc.assert_allclose(half if real else all_, u, atol=1e-12)


def test_waves_go_along_some_axes():
    x = np.random.default_rng(1).standard_normal((8, 6, 10))
    a = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (2, 1, 1)))
    y = gc.rfftn(a, axes=(2, 1))
    found = to_points(y, (10, 6), (15, 9), axes=(2, 1), norm="ortho")
    wanted = resampled(y, (10, 6), (15, 9), axes=(2, 1))
    steps = gc.irfftn(wanted, (2, 1), "ortho", s=(15, 9))
    gc.assert_allclose(found, steps.to_numpy(), atol=1e-12)
    assert to_waves(found, (10, 6), axes=(2, 1)).shape == y.shape


def test_what_has_no_sign_or_no_room_is_left_out():
    x = np.random.default_rng(1).standard_normal((8, 8))
    y = np.fft.rfftn(x, norm="forward")
    a = gc.CubeArray.from_numpy(y, gc.Layout.mesh(y.shape, (4, 1)))
    found = resampled(a, (8, 8), (6, 6)).to_numpy()
    expected = np.zeros((6, 4), complex)
    for k, m in product((-2, -1, 0, 1, 2), (0, 1, 2)):
        expected[k, m] = y[k, m]
    assert np.array_equal(found, expected)
    assert not resampled(a, (8, 8), (12, 12)).to_numpy()[[4, 8]].any()


def test_one_axis_and_payload():
    x = np.random.default_rng(1).standard_normal((8, 6, 2))
    y = np.fft.rfft(x, axis=0)
    a = gc.CubeArray.from_numpy(y, gc.Layout.mesh(y.shape[:2], (1, 2)))
    found = resampled(a, [8], [5], axes=[0])
    assert np.array_equal(found.to_numpy(), y[:3])
    same = resampled(a, [8], [8], axes=[0])
    assert same is not a
    assert np.array_equal(same.to_numpy(), y)


@pytest.mark.parametrize(
    ("points", "s", "options", "text"),
    [
        ((8, 7), (12, 12), {}, "axis 1 of the spectrum has length 5: the spectrum of 7 points"),
        ((8, 8), (12, 12), {"real": False}, "axis 1 .* length 5: .* 8 points has 8 values"),
        ((8,), (12, 12), {}, "s has 1 entries for 2 axes"),
        ((8, 8), (12, 0), {}, "the number of points is 0"),
        ((8, 8), (12, 12), {"axes": (0, 2)}, "axis is 2"),
    ],
)
def test_mistakes_are_named(points, s, options, text):
    a = gc.CubeArray.from_numpy(np.ones((8, 5)), gc.Layout.mesh((8, 5), (4, 1)))
    with pytest.raises(gc.GraycubeError, match=text):
        resampled(a, points, s, **options)
    with pytest.raises(gc.GraycubeError, match=text):
        to_points(a, points, s, **options)


def test_of_real_numbers_all_waves_can_be_had():
    x = np.random.default_rng(1).standard_normal((12, 9))
    a = gc.CubeArray.from_numpy(x, gc.Layout.mesh((12, 9), (4, 1)))
    steps = resampled(gc.fftn(a), (12, 9), (8, 7), real=False)
    gc.assert_allclose(to_waves(a, (8, 7), real=False), steps.to_numpy(), atol=1e-12)


def test_the_kind_of_a_layout_follows_from_lengths():
    a = gc.CubeArray.from_numpy(np.eye(8), gc.Layout.mesh((8, 8), (4, 1)))
    assert isinstance(gc.fftn(a, s=(16, 16)).layout, gc.Layout)
    assert isinstance(gc.fftn(a, s=(16, 12)).layout, gc.layout.Ownership)


def test_without_axes_nothing_changes_and_half_a_spectrum_has_a_last_one():
    a = gc.CubeArray.from_numpy(np.eye(8), gc.Layout.mesh((8, 8), (4, 1)))
    for found in (to_points(a, (), (), (), real=False), to_waves(a, (), (), real=False)):
        gc.assert_allclose(found, np.eye(8))
    for call in (lambda: to_points(a, (), (), ()), lambda: to_waves(a, (), ())):
        with pytest.raises(gc.GraycubeError, match="name at least one axis"):
            call()


def test_other_mistakes():
    a = gc.CubeArray.from_numpy(np.ones((8, 5), complex), gc.Layout.mesh((8, 5), (4, 1)))
    with pytest.raises(gc.GraycubeError, match="complex128"):
        to_waves(a, (8, 5))
    with pytest.raises(gc.GraycubeError, match="s has 1 entries"):
        to_waves(a.real, (8,))
    for call in (
        lambda: to_waves(a.real, (8, 5), norm="no"),
        lambda: to_points(a, (8, 8), (9, 9), norm="no"),
    ):
        with pytest.raises(gc.GraycubeError, match="norm"):
            call()


class TestOverMPI(OverMPI):
    launches = (*(Launch(ranks, ("resampled",), sweep=True) for ranks in (2, 3, 6)),)
