"""Halo exchanges: against the padded array, and only permutations are sent."""

import jax
import numpy as np
import pytest
from jax_cases import P, collectives, compiled, mesh_of, put

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

CASES = [
    ((8,), (32,), P("a"), [(2, 1)]),
    ((2, 4), (8, 12), P("b", "a"), [(1, 2), (0, 3)]),
    ((2, 4), (16, 6), P(("b", "a"), None), [(2, 2), (1, 0)]),
    ((2, 2, 2), (8, 4, 6), P("c", None, "a"), [(1, 1), (2, 1), (3, 2)]),
]


def blocks_of(x, counts):
    """The parts of a padded array that begin where blocks do, each as a range of indices."""
    for corner in np.ndindex(*counts):
        yield (
            corner,
            tuple(
                slice(c * (n // k), (c + 1) * (n // k))
                for c, k, n in zip(corner, counts, x.shape, strict=True)
            ),
        )


def padded_by(x, reach, rings, fill):
    """The array with its own ends around it along some axes, and other things along others."""
    for k, (pair, ring) in enumerate(zip(reach, rings, strict=True)):
        widths = [pair if j == k else (0, 0) for j in range(x.ndim)]
        if ring:
            x = np.pad(x, widths, "wrap")
            continue
        every = fill if isinstance(fill, list) else [fill] * x.ndim
        ends = every[k] if isinstance(every[k], tuple) else (every[k],) * 2
        for first, end in enumerate(ends):
            width = [(w[0] * (1 - first), w[1] * first) for w in widths]
            kind = str(end).removeprefix("anti")
            sign = -1 if kind != str(end) else 1
            more = {"mode": kind} if isinstance(end, str) else {"constant_values": end}
            wide = np.pad(x, width, **more)
            wide[_rows(wide, k, pair[first], first)] *= sign
            x = wide
    return x


def _rows(x, axis, count, first):
    """The first or last rows along an axis."""
    span = slice(x.shape[axis] - count, None) if first else slice(count)
    return (slice(None),) * axis + (span,)


@pytest.mark.parametrize(
    ("periodic", "fill"),
    [
        (True, 0),
        (False, 0),
        (False, -7),
        ([True, False, True], 5),
        ([True, False, False], "edge"),
        (False, "symmetric"),
        (False, [("antisymmetric", "edge"), (3, "symmetric"), "antisymmetric"]),
    ],
)
@pytest.mark.parametrize("case", CASES)
def test_blocks_have_what_is_around_them(case, periodic, fill):
    sizes, shape, spec, reach = case
    mesh = mesh_of(sizes, explicit=periodic is True)
    fill = fill[: len(shape)] if isinstance(fill, list) else fill
    rings = periodic[: len(shape)] if isinstance(periodic, list) else [periodic] * len(shape)
    periodic = periodic if isinstance(periodic, bool) else rings
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + 1
    given = put(x, mesh, spec)
    source = given.sharding
    known = {"periodic": periodic, "fill": fill}
    program = compiled(lambda x: gc.jax.halo(x, reach, **known, source=source), given)
    wide = np.asarray(program(given))
    inside = jax.shard_map(
        lambda block: gc.jax.local.halo(block, reach, spec, **known),
        mesh=mesh,
        in_specs=spec,
        out_specs=spec,
    )
    np.testing.assert_array_equal(jax.jit(inside)(given), wide)
    padded = padded_by(x, reach, rings, fill)
    length = dict(mesh.shape)
    counts = [np.prod([length[n] for n in entry or ()], dtype=int) for entry in (*spec,)]
    counts += [1] * (len(shape) - len(counts))
    for corner, inner in blocks_of(x, counts):
        outer = tuple(
            slice(i.start, i.stop + a + b) for i, (a, b) in zip(inner, reach, strict=True)
        )
        block = tuple(
            slice(c * (s // k), (c + 1) * (s // k))
            for c, k, s in zip(corner, counts, wide.shape, strict=True)
        )
        np.testing.assert_array_equal(wide[block], padded[outer])
    counted, _ = collectives(program)
    assert set(counted) == {"collective-permute"}


@pytest.mark.parametrize("devices", [1, 4])
def test_walls_on_points(devices):
    x = put(np.arange(8.0) ** 2, mesh_of((devices,), explicit=False), P("a"))
    wide = gc.jax.halo(x, 1, periodic=False, fill="reflect")
    assert [wide[0], wide[-1]] == [1, 36]
    with pytest.raises(InvalidValueError, match="'reflect' and the reach along axis 0 is"):
        gc.jax.halo(x, 8 // devices, periodic=False, fill="reflect")


def test_a_stencil_has_its_gradient():
    mesh = mesh_of((8,), explicit=False)
    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    given = put(x, mesh, P("a"))

    def body(part):
        wide = gc.jax.local.halo(part, 1, ["a"])
        return wide[:-2] - 2 * wide[1:-1] + wide[2:]

    def energy(x):
        return (jax.shard_map(body, mesh=mesh, in_specs=P("a"), out_specs=P("a"))(x) ** 2).sum()

    def dense(x):
        return ((jax.numpy.roll(x, 1) - 2 * x + jax.numpy.roll(x, -1)) ** 2).sum()

    want = jax.grad(dense)(jax.numpy.asarray(x))
    np.testing.assert_allclose(jax.jit(jax.grad(energy))(given), want, rtol=1e-4, atol=1e-4)


def test_what_is_out_of_reach_is_refused():
    x = put(np.ones((8, 4)), mesh_of((8,), explicit=False), P("a"))
    with pytest.raises(InvalidValueError, match=r"reach along axis 0 is 2.*1 elements"):
        gc.jax.halo(x, [2, 0])
    with pytest.raises(InvalidValueError, match="reach has 1 entries for 2 axes"):
        gc.jax.halo(x, [1])
    with pytest.raises(InvalidValueError, match=r"reach\[0\] has 3 entries.*a pair"):
        gc.jax.halo(x, [(1, 1, 1), 0])
    with pytest.raises(InvalidValueError, match=r"reach\[0\] is -1"):
        gc.jax.halo(x, -1)
    for periodic, error in (
        ((True,), InvalidValueError),
        ("yes", InvalidTypeError),
        (1, InvalidTypeError),
    ):
        with pytest.raises(error, match="periodic"):
            gc.jax.halo(x, 1, periodic=periodic)
    with pytest.raises(InvalidValueError, match="fill is 'wall'"):
        gc.jax.halo(x, 1, periodic=False, fill="wall")
    with pytest.raises(InvalidValueError, match="fill is 0, without periodic"):
        gc.jax.halo(x, 1, fill=0)
    with pytest.raises(InvalidTypeError, match=r"natural order.*to_array"):
        gc.jax.halo(gc.jax.Array.from_array(x), 1)
