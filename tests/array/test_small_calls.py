"""Calls on small arrays: few layers, and what is kept or taken as it is changes nothing."""

from copy import deepcopy

import numpy as np
import pytest
from layers import layers

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

SHAPE = (8, 4, 4)
LAYOUT = gc.Layout.mesh(SHAPE, nodes=(1, 1, 1))
X = np.arange(1.0, 129.0).reshape(SHAPE)
U = gc.CubeArray.from_numpy(X, LAYOUT)
V = gc.CubeArray.from_numpy(-X, gc.Layout.mesh(SHAPE, nodes=(1, 1, 1)))
T = gc.stack([U, V])
VECTORS = gc.stack([U, V, U])
LARGE = gc.CubeArray.from_numpy(np.ones((32, 32, 32)), gc.Layout.mesh((32, 32, 32), (1, 1, 1)))
SPECTRUM = gc.rfftn(U)
MOST = {
    "u + v": (lambda: U + V, 30),
    "u * 2": (lambda: U * 2, 25),
    "np.sin(u)": (lambda: np.sin(U), 20),
    "np.where(u > 0, u, 0)": (lambda: np.where(U > 0, U, 0), 50),
    "t * u": (lambda: T * U, 45),
    "t * u[..., None]": (lambda: T * U[..., None], 70),
    "t * [1, 2]": (lambda: T * np.array([1, 2]), 60),
    "large + large": (lambda: LARGE + LARGE, 30),
    "np.cross(vectors, vectors)": (lambda: np.cross(VECTORS, VECTORS), 40),
    "u.sum()": (U.sum, 20),
    "np.sum(u)": (lambda: np.sum(U), 35),
    "u.max()": (U.max, 20),
    "u.mean()": (U.mean, 55),
    "np.vdot(u, v)": (lambda: np.vdot(U, V), 60),
    "np.linalg.norm(u)": (lambda: np.linalg.norm(U), 50),
    "np.roll(u, 1, 0)": (lambda: np.roll(U, 1, 0), 55),
    "u.halo(1)": (lambda: U.halo(1), 125),
    "gc.rfftn(u)": (lambda: gc.rfftn(U), 75),
    "gc.irfftn(spectrum)": (lambda: gc.irfftn(SPECTRUM), 75),
}


@pytest.mark.parametrize("name", MOST)
def test_a_call_has_few_layers(name):
    call, most = MOST[name]
    assert layers(call) <= most


@pytest.mark.parametrize("nodes", [(1, 1, 1), (2, 1, 2), (8, 1, 1)])
def test_payload_aligns_in_any_layout(nodes):
    u = gc.CubeArray.from_numpy(X, gc.Layout.mesh(SHAPE, nodes, code="gray"))
    t = gc.stack([u, -u, u])
    x = np.stack([X, -X, X], -1)
    weights = np.array([1.0, 2.0, 3.0])
    for found, wanted in (
        (t * u, x * X[..., None]),
        (u[..., None] - t, X[..., None] - x),
        (t * weights, x * weights),
        (np.where(t > 0, u, weights), np.where(x > 0, X[..., None], weights)),
    ):
        assert np.array_equal(found.to_numpy(), wanted)
    out = t.copy()
    assert np.add(t, u, out=out) is out
    assert np.array_equal(out.to_numpy(), x + X[..., None])


def test_payload_that_does_not_align_is_refused_in_shapes_of_whole_arrays():
    for other in (gc.stack([U, U, U]), np.ones(3)):
        with pytest.raises(InvalidValueError, match=r"has shape \(8, 4, 4, 2\)"):
            T + other
    with pytest.raises(InvalidTypeError, match=r"shape \(2, 2\), beside first of shape"):
        T + np.ones((2, 2))


def test_layouts_that_differ_are_not_taken_for_one():
    other = gc.CubeArray.from_numpy(X, gc.Layout.mesh(SHAPE, (1, 1, 1), slots="gray"))
    assert np.array_equal((U + other).to_numpy(), 2 * X)
    binary, gray = (
        gc.CubeArray.from_numpy(X, gc.Layout.mesh(SHAPE, (4, 1, 1), code=code))
        for code in ("binary", "gray")
    )
    for a in (binary, gc.stack([binary, binary])):  # as they are, and aligned
        with pytest.raises(InvalidValueError, match="elements meet on the nodes"):
            a + gray


def test_blocks_that_do_not_fit_are_still_refused():
    halves = gc.CubeArray.from_numpy(X, gc.Layout.mesh(SHAPE, nodes=(2, 1, 1)))
    quarters = gc.Layout.mesh(SHAPE, nodes=(4, 1, 1))
    for a, shape, layout in (
        (U, (1, 64), None),
        (U, (3,), None),
        (U, (1, 128), quarters),
        (halves, (2, 32), quarters),
    ):
        with pytest.raises(InvalidValueError, match="first axes must be"):
            a.with_blocks(np.ones(shape), layout)
    with pytest.raises(InvalidTypeError, match="must be a Layout"):
        U.with_blocks(U.blocks, "a layout")
    assert type(U.with_blocks(U.blocks.view(np.ma.MaskedArray)).blocks) is np.ndarray
    assert type(U.with_blocks(U.blocks.tolist()).blocks) is np.ndarray


def test_an_array_in_another_layout_knows_its_nodes():
    halves = gc.CubeArray.from_numpy(X, gc.Layout.mesh(SHAPE, nodes=(2, 1, 1)))
    assert halves.nodes == range(2)
    assert halves.with_blocks(X.reshape(1, -1), LAYOUT).nodes == range(1)
    means = halves.mean(axis=0)
    assert (means.nodes, means.layout.copy_count) == (range(2), 2)
    assert np.allclose(means.to_numpy(), X.mean(axis=0))


def test_what_equals_a_known_argument_is_not_taken_for_it():
    U.halo(1, periodic=True)
    U.halo([1, 1, 1], stride=(1, 1, 1))
    for wrong in ({"reach": 1.0}, {"reach": (1.0, 1, 1)}, {"periodic": 1}, {"corners": 0}):
        with pytest.raises(InvalidTypeError):
            U.halo(**wrong)
    gc.rfftn(U, s=(8, 4, 4))
    with pytest.raises(InvalidTypeError):
        gc.rfftn(U, s=(8.0, 4, 4))


def test_arguments_have_names_in_any_order():
    assert np.array_equal(np.sum(axis=0, a=U).to_numpy(), X.sum(axis=0))
    assert np.array_equal(np.flip(axis=3, m=T).to_numpy(), np.flip(T.to_numpy(), 3))
    assert np.array_equal(np.clip(a_max=9, a_min=5, a=U).to_numpy(), X.clip(5, 9))
    out = V.copy()
    assert np.clip(U, 5, 9, out) is out
    assert np.array_equal(out.to_numpy(), X.clip(5, 9))


def test_layouts_that_are_equal_are_one_key():
    for layout in (LAYOUT, gc.Layout.mesh((9, 5), nodes=(3, 1))):
        hash(layout)
        again = deepcopy(layout)
        assert (again, hash(again)) == (layout, hash(layout))
    assert len({LAYOUT, U.layout, V.layout}) == 1


def test_transforms_do_not_touch_what_they_are_given():
    for call, given in ((gc.rfftn, U), (gc.fftn, U), (gc.ifft, U + 1j), (gc.irfftn, SPECTRUM)):
        before = given.blocks.copy()
        first = call(given)
        kept = first.blocks.copy()
        second = call(given * 2)
        assert np.array_equal(given.blocks, before)
        assert np.array_equal(first.blocks, kept)
        assert not np.may_share_memory(first.blocks, second.blocks)


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("slots", ["binary", "gray"])
def test_transforms_of_one_block_are_those_of_several(nodes, slots):
    layout = gc.Layout.mesh(SHAPE, nodes=(nodes, 1, 1), slots=slots)
    u = gc.CubeArray.from_numpy(X, layout)
    for a in (u, u.astype("f4"), u.with_blocks(np.repeat(u.blocks, 2, axis=1)[:, ::2])):
        assert np.allclose(gc.fftn(a).to_numpy(), np.fft.fftn(X), rtol=1e-5)
        assert np.allclose(gc.irfftn(gc.rfftn(a)).to_numpy(), X, rtol=1e-5)
