"""Scans beside a loop, in all kinds of layouts; what is met; what is refused."""

# ruff: noqa: ARG005 - operators take both operands, and use what they need

from itertools import pairwise

import numpy as np
import pytest
from random_butterflies import any_affine
from random_transforms import random_layout, uneven_layout
from sweeping import sweep

import graycube as gc
from graycube.array.scanning.stretches import stretches
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError

X = np.arange(16).reshape(8, 2)
A = gc.CubeArray.from_numpy(X, gc.Layout.mesh((8, 2), (4, 2), code="gray"))
UFUNCS = (np.add, np.multiply, np.maximum, np.minimum, np.logical_or, np.bitwise_xor)
DTYPES = ("?", "i1", "u2", "i8")


def after(x, y):
    """One map t -> a t + b after another, modulo a prime: it matters which one is first."""
    a, b, c, d = x[..., 0], x[..., 1], y[..., 0], y[..., 1]
    return np.stack([a * c % 251, (b * c + d) % 251], axis=-1)


def one_by_one(op, x, axis, options):
    """The scan of a plain array, from the definition."""
    exclusive, reverse, so_far = (options[k] for k in ("exclusive", "reverse", "initial"))
    x = np.moveaxis(x, axis, 0)[:: -1 if reverse else 1]
    found = np.empty_like(x)
    for k, element in enumerate(x):
        before = so_far
        if before is None:
            so_far = element
        else:
            whole = np.broadcast_to(before, element.shape)
            so_far = op(element, whole) if reverse else op(whole, element)
        found[k] = before if exclusive else so_far
    return np.moveaxis(found[:: -1 if reverse else 1], 0, axis)


def any_layout(rng, k):
    """Uneven ones, meshes, affine ones, and some with copies."""
    layout = [uneven_layout, random_layout, random_layout][k % 3](rng, 40, 600)
    if k % 3 == 1:
        return any_affine(rng, layout)
    if len(layout.axes) > 1 and k % 7 == 0:
        try:
            return layout.without_axes([0])
        except InvalidValueError:  # slots that mix axes
            return layout
    return layout


@pytest.mark.parametrize("count", [120, *sweep((3000,))])
def test_what_a_loop_gives(count):
    rng = np.random.default_rng(count)
    for k in range(count):
        layout = any_layout(rng, k)
        axis = int(rng.integers(len(layout.shape)))
        exclusive, reverse = (bool(rng.integers(2)) for _ in range(2))
        initial = np.array([1, 0]) if exclusive or rng.integers(2) else None
        options = {"exclusive": exclusive, "reverse": reverse, "initial": initial}
        x = rng.integers(0, 251, (*layout.shape, 2))
        a = gc.CubeArray.from_numpy(x, layout)
        y = gc.scan(after, a, axis, **options)
        assert y.layout == layout
        wanted = one_by_one(after, x, axis, options)
        assert np.array_equal(y.to_numpy(), wanted), (layout, axis, options)
        assert np.array_equal(a.to_numpy(), x)


@pytest.mark.parametrize("count", [60, *sweep((1000,))])
def test_what_numpy_accumulates(count):
    rng = np.random.default_rng(count)
    for k in range(count):
        layout, op = any_layout(rng, k), UFUNCS[k % len(UFUNCS)]
        x = rng.integers(0, 5, layout.shape).astype(DTYPES[k // 6 % 4])
        axis = int(rng.integers(-x.ndim, x.ndim))
        a, wanted = gc.CubeArray.from_numpy(x, layout), op.accumulate(x, axis)
        y = gc.scan(op, a, axis)
        assert y.dtype == wanted.dtype
        assert np.array_equal(y.to_numpy(), wanted), (layout, axis, op)
        if k % 6 < 2:
            ours, theirs = ((gc.cumsum, np.cumsum), (gc.cumprod, np.cumprod))[k % 6]
            assert ours(a, axis).dtype == theirs(x, axis).dtype
            assert np.array_equal(theirs(a, axis).to_numpy(), theirs(x, axis)), layout


@pytest.mark.parametrize("count", [40, *sweep((500,))])
def test_every_node_has_a_stretch_and_meets_the_next_group(count):
    """Element by element: intervals, the same in all lines; a meeting joins two halves."""
    rng = np.random.default_rng(count)
    for k in range(count):
        layout = any_layout(rng, 3 * k + 1 + k % 2)
        axis = int(rng.integers(len(layout.shape)))
        made = stretches(layout, axis, range(layout.node_count))
        lines = made.lines(made.layout.scatter(np.indices(layout.shape)[axis]))
        first = lines[:, :1, 0, :1]
        assert (lines == first[:, :, None] + np.arange(lines.shape[2])[:, None]).all()
        known = [{int(start)} for start in first.ravel()]
        for met in made.rounds:
            assert np.array_equal(met.peers[met.peers], np.arange(len(known)))
            sides = [(known[q], known[p]) for q, p in enumerate(met.peers)]
            for (own, other), behind in zip(sides, met.behind, strict=True):
                assert min(own) > max(other) if behind else max(own) < min(other)
            known = [own | other for own, other in sides]
        assert known == [{*first.ravel().tolist()}] * len(known)


@pytest.mark.parametrize("code", ["binary", "gray"])
@pytest.mark.parametrize("n", range(1, 7))
def test_one_element_on_a_node_takes_as_many_transfers_as_dimensions(code, n):
    """Each round is a neighbour's, over one dimension; and so a network from the lowest bit."""
    layout = gc.Layout.nodes(n, code)
    rounds = stretches(layout, 0, range(1 << n)).rounds
    links = [np.bitwise_count(met.peers ^ np.arange(1 << n)) for met in rounds]
    assert len(links) == n
    assert all((hops == 1).all() for hops in links)
    machine = gc.Machine(dims=n, ports="all", startup=0.0, per_byte=1.0)
    plan = gc.plan_butterfly(layout, bits=range(n), itemsize=1, machine=machine)
    assert plan.cycles == n
    assert plan.verify()


def test_a_segmented_scan_is_an_operator_on_pairs():
    """Sums that begin anew where a flag is set."""
    rng = np.random.default_rng(0)
    values, flags = rng.integers(0, 9, 64), rng.integers(0, 4, 64) == 0

    def join(x, y):
        anew = y[..., 1] != 0
        total = np.where(anew, y[..., 0], x[..., 0] + y[..., 0])
        return np.stack([total, x[..., 1] | y[..., 1]], axis=-1)

    pairs = gc.CubeArray.from_numpy(np.stack([values, flags], axis=-1), gc.Layout.cyclic(6, 3))
    found = gc.scan(join, pairs, 0).to_numpy()[:, 0]
    starts = np.flatnonzero(flags)[1:] if flags[0] else np.flatnonzero(flags)
    wanted = np.concatenate([np.cumsum(part) for part in np.split(values, starts)])
    assert np.array_equal(found, wanted)


def test_matrices_are_payload():
    x = np.random.default_rng(0).standard_normal((16, 3, 3))
    a = gc.CubeArray.from_numpy(x, gc.Layout.nodes(4, "gray"))
    wanted = x.copy()
    for k in range(1, 16):
        wanted[k] = wanted[k - 1] @ x[k]
    assert np.allclose(gc.scan(np.matmul, a, 0).to_numpy(), wanted)


def test_along_the_payload_and_of_nothing():
    v = gc.CubeArray.from_numpy(np.ones((8, 2, 3)), A.layout)
    for axis in (2, -1):
        assert np.array_equal(gc.scan(np.add, v, axis).to_numpy()[0, 0], [1, 2, 3])
        made = gc.scan(lambda x, y: x + y, v, axis, exclusive=True, reverse=True, initial=5)
        assert np.array_equal(made.to_numpy()[7, 1], [7, 6, 5])
    empty = gc.CubeArray.from_numpy(np.ones((8, 2, 0)), A.layout)
    assert gc.cumsum(empty, 0).shape == (8, 2, 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gc.scan(np.add, X, 0), InvalidTypeError, "works on a CubeArray"),
        (lambda: gc.cumsum(X), InvalidTypeError, "works on a CubeArray"),
        (lambda: gc.scan(3, A, 0), InvalidTypeError, "op is a int"),
        (lambda: gc.scan(np.sqrt, A, 0), InvalidTypeError, "op is sqrt, of 1 operands"),
        (lambda: gc.scan(np.divmod, A, 0), InvalidTypeError, "with 2 results"),
        (lambda: gc.scan(np.add, A, 2), OutOfRangeError, "axis is 2"),
        (lambda: gc.scan(np.maximum, A, 0, exclusive=True), InvalidValueError, "initial="),
        (lambda: gc.scan(np.add, A, 0, initial=0.5), InvalidValueError, "dtype float64"),
        (lambda: gc.scan(np.add, A, 0, initial=[1, 2]), InvalidValueError, r"shape \(2,\)"),
        (lambda: gc.scan(lambda x, y: x + 0.5, A, 0), InvalidValueError, "and dtype float64"),
        (
            lambda: gc.scan(lambda x, y: x[0], A, 0),
            InvalidValueError,
            "op gives an array of shape",
        ),
        (lambda: gc.scan(lambda x, y: x.sort(), A, 0), ValueError, "read-only"),
        (A.cumsum, InvalidTypeError, "name an axis"),
        (lambda: np.cumsum(A, 0, out=A), InvalidTypeError, "takes axis, dtype"),
    ],
)
def test_what_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("count", [60, *sweep((2000,))])
def test_segments_are_scanned_one_by_one(count):
    rng = np.random.default_rng(count)
    for k in range(count):
        layout = any_layout(rng, k)
        axis, alone = int(rng.integers(len(layout.shape))), k % 4 == 0
        x = rng.integers(0, 251, (*layout.shape, 2))
        begins = rng.random(x.shape[:-1]) < rng.choice([0.0, 0.2, 0.7, 1.0])
        a, marks = (gc.CubeArray.from_numpy(v, layout) for v in (x, begins))
        options = {"exclusive": k % 2 == 0, "reverse": k % 3 == 0, "initial": [3, 7]}
        if alone:
            options |= {"exclusive": False, "initial": None}
        op = np.add if k % 5 == 0 else after
        found = gc.scan(op, a, axis, segments=marks, **options).to_numpy()
        lines, places = np.moveaxis(x, axis, -2), np.moveaxis(begins, axis, -1)
        wanted = np.empty_like(lines)
        for line in np.ndindex(places.shape[:-1]):
            cuts = [0, *np.flatnonzero(places[line]), len(places[line])]
            for first, last in pairwise(cuts):
                part = lines[line][first:last]
                wanted[line][first:last] = one_by_one(op, part, 0, options)
        assert np.array_equal(found, np.moveaxis(wanted, -2, axis)), (layout, options)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [2, 3])
def test_segments_along_the_payload_and_of_nothing(axis, reverse):
    rng = np.random.default_rng(0)
    x, begins = rng.integers(0, 99, (8, 2, 5, 3)), rng.random((8, 2, 5, 3)) < 0.4
    a, marks = (gc.CubeArray.from_numpy(np.moveaxis(v, 2, axis), A.layout) for v in (x, begins))
    options = {"exclusive": True, "reverse": reverse, "initial": [3, 7, 11]}
    found = gc.scan(np.add, a, axis, segments=marks, **options).to_numpy()
    found = np.moveaxis(found, axis, 2)
    for i, j, c in np.ndindex(8, 2, 3):
        cuts = [0, *np.flatnonzero(begins[i, j, :, c]), 5]
        for first, last in pairwise(cuts):
            part = x[i, j, first:last, c]
            wanted = one_by_one(np.add, part, 0, options | {"initial": (3, 7, 11)[c]})
            assert np.array_equal(found[i, j, first:last, c], wanted)
    empty = gc.CubeArray.from_numpy(np.ones((8, 2, 0)), A.layout)
    assert gc.scan(np.add, empty, 0, segments=empty != 0, initial=1).shape == (8, 2, 0)


@pytest.mark.parametrize("segments", [[True], A, X, 3])
def test_segments_that_are_none(segments):
    with pytest.raises((InvalidTypeError, InvalidValueError), match="segments"):
        gc.scan(np.add, A, 0, segments=segments)
