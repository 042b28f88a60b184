"""Thin arrays, of length 1 along all axes but one, make whole ones without messages."""

import numpy as np
import pytest

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

LAYOUTS = [
    gc.Layout.mesh((8, 6, 4), (2, 2, 2), code="gray"),
    gc.Layout.mesh((4, 12, 8), (4, 1, 2), allocation="cyclic"),
    gc.Layout.mesh((4, 4, 16), (1, 4, 2), whole="gray"),
    gc.Layout.mesh((7, 9, 5), (2, 3, 1), allocation=("cyclic", "consecutive", "cyclic")),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("transform", [gc.fftn, gc.rfftn, lambda u: gc.fft(u, 1)])
def test_wavenumbers_broadcast_as_a_sparse_meshgrid(layout, transform):
    u = gc.CubeArray.from_function(lambda i, j, k: np.sin(i) + j * k, layout)
    v = transform(u)
    whole = v.to_numpy()
    along = [np.fft.fftfreq(n, 1 / n) for n in layout.shape]
    if transform is gc.rfftn:
        along[2] = np.fft.rfftfreq(layout.shape[2], 1 / layout.shape[2])
    wanted = np.meshgrid(*along, indexing="ij", sparse=True)
    thin = v.frequencies([1 / n for n in u.shape], s=u.shape, sparse=True)
    pairs = [
        (thin[0] ** 2 + thin[1] ** 2 + thin[2] ** 2, sum(x**2 for x in wanted)),
        ((thin[2] - thin[1]) * v, (wanted[2] - wanted[1]) * whole),
        (v / (1 + (thin[0] * thin[2]) ** 2), whole / (1 + (wanted[0] * wanted[2]) ** 2)),
        (sum(thin) * v, sum(wanted) * whole),
    ]
    for found, expected in pairs:
        assert np.allclose(found.to_numpy(), expected)
    v *= thin[0] + thin[1] + thin[2]
    assert np.allclose(v.to_numpy(), whole * sum(wanted))


def test_what_is_on_all_nodes_goes_with_what_is_spread():
    layout = gc.Layout.mesh((8, 6), (4, 2), code="gray")
    u = gc.CubeArray.from_function(lambda i, j: 10 * i + j, layout)
    copies = gc.Layout.mesh((8, 6), (8, 1)).without_axes([0])
    assert copies.copy_count == 8
    row = gc.CubeArray.from_numpy(np.arange(6.0), copies)
    found = row * u
    assert found.layout == layout
    assert np.array_equal(found.to_numpy(), np.arange(6) * u.to_numpy())


def test_a_mesh_has_one_layout_however_its_axes_meet():
    u = gc.CubeArray.from_function(lambda i, j, k: i + j + k, LAYOUTS[0])
    i, j, k = u.indices(sparse=True)
    for found in (i + j + k, k + j + i, j + (i + k)):
        assert found.layout == u.layout
        gc.assert_allclose(found, u)


def test_new_axes_behind_a_layout_are_payload_where_they_meet_payload():
    x = np.random.default_rng(1).standard_normal((4, 8, 6, 3))
    v = gc.CubeArray.from_numpy(x, gc.Layout.mesh((4, 8, 6), (1, 4, 1)))
    row = v.mean(axis=(0, 3))
    found = v - row[..., None]
    assert found.layout == v.layout
    assert np.allclose(found.to_numpy(), x - x.mean(axis=(0, 3))[..., None])
    one = v[..., 0] - row  # payload that no array meets stays what it is
    assert (one[..., None] * row[..., None]).shape == (4, 8, 6, 1)


def test_what_may_be_payload_or_a_new_axis_is_refused():
    """A square has rows and columns of one length: the axis of length 1 may be behind both."""
    x = np.random.default_rng(2).standard_normal((8, 8))
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh((8, 8), (1, 4)))
    mean = u.mean(axis=1)
    with pytest.raises(InvalidValueError, match="make second with keepdims=True"):
        u - mean[:, None]
    kept = u - u.mean(axis=1, keepdims=True)
    assert np.allclose(kept.to_numpy(), x - x.mean(axis=1)[:, None])
    payload = u[..., None] - mean[..., None]
    assert np.allclose(payload.to_numpy()[..., 0], x - x.mean(axis=1))


def test_new_axes_that_do_not_help_are_named():
    u = gc.CubeArray.from_numpy(np.zeros((8, 6)), gc.Layout.mesh((8, 6), (4, 1)))
    with pytest.raises(
        InvalidValueError, match=r"first has shape \(8, 6\) and second \(4, 1\)"
    ):
        u + gc.CubeArray.from_numpy(np.zeros(4), gc.Layout.mesh((4,), (4,)))[:, None]
    with pytest.raises(InvalidTypeError, match=r"np\.expand_dims\(u, 1\)"):
        u[:, None]
