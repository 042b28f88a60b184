"""Components that lie apart in memory: who makes them, and that they give the same."""

import numpy as np
import pytest

import graycube as gc
from graycube.errors import InvalidTypeError
from graycube.gf2 import AffineMap, Matrix
from graycube.run.fetch import fetch
from graycube.run.reused import apart, components_first, components_last

LAYOUTS = {
    "one node": gc.Layout.mesh((16, 8, 12), (1, 1, 1)),
    "nodes": gc.Layout.mesh((16, 8, 12), (4, 1, 1), code="gray"),
    "boxes": gc.Layout.mesh((9, 10, 7), (2, 2, 1)),
    "cyclic": gc.Layout.mesh(
        (16, 8), (4, 1), code="gray", allocation="cyclic", ownership=False
    ),
}
SIZES = {
    "small": 1,
    "large": 8,
}  # the memory of small results is NumPy's, that of large ones ours


def vectors(layout, count=3, dtype="f8"):
    rng = np.random.default_rng(count)
    x = rng.standard_normal((*layout.shape, count)).astype(dtype)
    together = gc.CubeArray.from_numpy(x, layout)
    loose = gc.stack([together[..., k] for k in range(count)])
    assert not apart(together.blocks)
    assert apart(loose.blocks)
    return together, loose


@pytest.mark.parametrize("size", SIZES)
def test_what_is_computed_lies_as_what_it_is_computed_from(size):
    layout = gc.Layout.mesh((16 * SIZES[size], 16, 8), (2, 1, 1), code="gray")
    u = gc.CubeArray.from_function(lambda i, j, k: (i, j * k, k - 0.5), layout)
    v = u.copy()
    length = (u * u).sum(axis=-1)
    for made in (
        u,
        v,
        u + v,
        2 * u,
        u * length,
        np.cross(u, v),
        np.where(u > 1, u, 0),
        np.roll(u, 0, 0),
        u.relayout(gc.Layout.mesh(layout.shape, (1, 2, 1))),
    ):
        assert apart(made.blocks)
    assert not apart(length.blocks)
    assert not apart((u.with_blocks(np.ascontiguousarray(u.blocks)) + 1).blocks)


def test_components_of_components_lie_apart():
    layout = gc.Layout.mesh((8, 4), (2, 1))
    u = gc.CubeArray.from_function(lambda i, j: ((i, j), (i + j, 1), (0, i * j)), layout)
    i, j = np.indices((8, 4))
    rows = (i, j), (i + j, 1 + 0 * i), (0 * i, i * j)
    wanted = np.moveaxis(np.array(rows), (0, 1), (2, 3))
    again = gc.stack([gc.stack([u[..., m, k] for k in range(2)]) for m in range(3)], axis=2)
    for found in (u, again):
        assert apart(found.blocks)
        np.testing.assert_array_equal(found.to_numpy(), wanted)


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_transforms_are_the_same(name, dtype):
    together, loose = vectors(LAYOUTS[name], dtype=dtype)
    shape = together.layout.shape
    d = len(shape)
    plain = together.to_numpy()
    wanted = np.fft.fftn(plain, axes=range(d))
    for u in (together, loose):
        found = gc.fftn(u)
        np.testing.assert_allclose(found.to_numpy(), wanted, atol=1e-10)
        assert name == "cyclic" or apart(found.blocks) == (u is loose)
        for end in (together.astype(complex), loose.astype(complex)):
            gc.ifftn(found, out=end)
            np.testing.assert_allclose(end.to_numpy(), plain, atol=1e-12)
            bound = gc.bind(gc.fftn, u, out=end)
            np.testing.assert_allclose(bound.run().to_numpy(), wanted, atol=1e-10)
        if dtype == "f8":
            half = gc.rfftn(u, norm="ortho")
            kept = np.fft.rfftn(plain, axes=range(d), norm="ortho")
            np.testing.assert_allclose(half.to_numpy(), kept, atol=1e-11)
            for end in (together.copy(), loose.copy()):
                gc.irfftn(half, s=shape, norm="ortho", out=end)
                np.testing.assert_allclose(end.to_numpy(), plain, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name != "boxes"])
def test_planned_transforms_are_the_same(name):
    for u in vectors(LAYOUTS[name], dtype="c16"):
        for axis in range(len(u.layout.shape)):
            plan = gc.plan_fft(u.layout, axis, machine="ideal")
            wanted = np.fft.fft(u.to_numpy(), axis=axis)
            np.testing.assert_allclose(
                gc.fft(u, axis, plan=plan).to_numpy(), wanted, atol=1e-10
            )


@pytest.mark.parametrize("name", LAYOUTS)
def test_moves_are_the_same(name):
    together, loose = vectors(LAYOUTS[name])
    shape = together.layout.shape
    target = gc.Layout.mesh(shape, (1, together.layout.node_count, *(1,) * (len(shape) - 2)))
    plain = together.to_numpy()
    for u in (together, loose):
        for end in (None, gc.stack([u.relayout(target)[..., k] for k in range(3)])):
            bound = gc.bind(gc.CubeArray.relayout, u, target, out=end)
            np.testing.assert_array_equal(bound.run().to_numpy(), plain)
        np.testing.assert_array_equal(np.roll(u, 3, 0).to_numpy(), np.roll(plain, 3, 0))
        np.testing.assert_array_equal(np.flip(u, 0).to_numpy(), np.flip(plain, 0))
        np.testing.assert_allclose(np.cumsum(u, 0).to_numpy(), np.cumsum(plain, 0), atol=1e-13)
        np.testing.assert_array_equal(u.local, together.local)


def test_rows_from_a_list_are_written_where_components_lie_apart():
    move = fetch(AffineMap(Matrix((1, 3, 7), 3)), 1, 1)  # no strides
    assert move.strides is None
    buffer = np.arange(48.0).reshape(8, 2, 3)
    wanted, found = np.empty((4, 2, 3)), np.moveaxis(np.empty((3, 4, 2)), 0, 2)
    move.into(wanted, buffer)
    move.into(found, buffer)
    np.testing.assert_array_equal(found, wanted)


def test_orders():
    x = np.arange(24).reshape(1, 4, 2, 3)
    loose = components_last(components_first(x).copy())
    np.testing.assert_array_equal(loose, x)
    assert apart(loose)
    assert not any(map(apart, (x, x[..., 0, 0], loose[:, ::2], np.ones((1, 4, 1)))))


RECORD = [("k", "i4"), ("x", "f8"), ("v", "f4", (3,))]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_fields_of_records_are_numpys(layout):
    x = np.zeros(layout.shape, RECORD)
    x["v"] = np.random.default_rng(2).random((*layout.shape, 3))
    u = gc.CubeArray.from_numpy(x, layout)
    for a in (x, u):
        a["k"] = 3
        a["x"] = a["v"][..., 1] + a["k"]
        a["v"] = [1, 2, 3]
        a["v"][..., 0] = a["x"]
    assert np.array_equal(u.to_numpy(), x)
    for name in x.dtype.names:
        assert u[name].layout == layout
        assert np.array_equal(u[name].to_numpy(), x[name])
        assert np.shares_memory(u[name].blocks, u.blocks)
    for wrong, words in (
        (lambda: u["q"], r"u\['q'\] is asked for.*has k, x, v; name a field"),
        (lambda: u["x"]["k"], "an array of dtype float64 has no fields"),
        (lambda: u.__setitem__("q", 1), "name a field"),
    ):
        with pytest.raises(InvalidTypeError, match=words):
            wrong()
