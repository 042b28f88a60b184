"""Transforms of other lengths: against NumPy, and against waves put in their places."""

import jax
import numpy as np
import pytest
from jax_cases import P, collectives, compiled, mesh_of, put
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

SENT = {"all-to-all", "collective-permute"}
COMPLEX = [
    ((8,), P("a"), (32, 48), "fftn", (96, 16), (0, 1)),
    ((8,), P(None, "a"), (32, 16), "ifftn", (24, 64), (1, 0)),
    ((2, 4), P("a", "b"), (32, 16), "fftn", (8, 24), None),
    ((2, 4), P("b"), (16, 12, 7), "fftn", (12, 9), None),  # the last two axes, in copies
    ((2, 4), P(("b", "a")), (16, 12), "fftn", (-1, 20), (0, 1)),
]
REAL = [
    ((8,), P("a"), (32, 48), "rfftn", (64, 25), (0, 1)),
    ((8,), P(None, "a"), (32, 16), "irfftn", (24, 64), (1, 0)),
    ((2, 4), P("a", "b"), (16, 24, 9), "rfftn", (8, 40, 16), None),
    ((2, 4), P("b"), (16, 12, 7), "irfftn", (12, 9), None),
    ((2, 4), P(("b", "a")), (16, 12), "irfftn", (-1, 20), (0, 1)),
]
TIGHT = [  # which have room in no other order, or too few points on a device
    ((2, 2), P("a", "b"), (30, 20, 12)),
    ((2, 4), P("a", "b"), (30, 20, 12)),
    ((8,), P("a"), (8, 7)),
    ((8,), P("a"), (40, 12)),
]


def near(got, want):
    assert got.shape == want.shape
    assert np.abs(np.asarray(got) - want).max() < 2e-6 * np.abs(want).max()


def numbers(shape, name="rfftn"):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    return x if name == "rfftn" else x + 1j * rng.standard_normal(shape)


@pytest.mark.parametrize(
    "case",
    [COMPLEX[0], COMPLEX[3], *REAL[:3], *sweep(*zip([*COMPLEX[1:3], COMPLEX[4], *REAL[3:]]))],
    ids=str,
)
def test_axes_are_cut_and_padded_as_those_of_numpy(case):
    sizes, spec, shape, name, s, axes = case
    x, function = numbers(shape, name), getattr(gc.jax, name)
    whole = tuple(range(len(shape)))[-len(s) :] if axes is None else axes
    points = [shape[k] if n == -1 else n for k, n in zip(whole, s, strict=True)]
    want = getattr(np.fft, name)(x, points, whole)
    kind = np.float32 if name == "rfftn" else np.complex64
    given = put(x.astype(kind), mesh_of(sizes, explicit=False), spec)
    source = given.sharding
    program = compiled(lambda x: function(x, s, axes, source=source), given)
    y = program(given)
    near(y, want)
    assert y.sharding.is_equivalent_to(source, y.ndim)
    assert set(collectives(program)[0]) <= SENT
    if len(sizes) == sum(len(names) for names in map(gc.jax.shardings.names_of, spec)):
        a = gc.jax.Array.from_array(given)
        program = compiled(lambda a: function(a, s, axes), a)
        b = program(a)
        near(b.layout.gather(np.asarray(b.blocks)), want)
        assert set(collectives(program)[0]) <= SENT


@pytest.mark.parametrize("names", [("fftn", "ifftn"), ("rfftn", "irfftn")], ids=str)
@pytest.mark.parametrize("case", [*TIGHT[:2], *sweep(*zip(TIGHT[2:]))], ids=str)
def test_zeros_make_room_where_there_is_none(case, names):
    sizes, spec, shape = case
    x, devices = numbers(shape), np.array(jax.devices()[: int(np.prod(sizes))])
    mesh = jax.sharding.Mesh(devices.reshape(sizes), ("a", "b")[: len(sizes)])
    given = put(x.astype(np.float32), mesh, spec)
    source = given.sharding
    there, back = (getattr(gc.jax, name) for name in names)
    want = getattr(np.fft, names[0])(x)
    program = compiled(lambda x: there(x, source=source), given)
    y = program(given)
    near(y, want)
    assert set(collectives(program)[0]) <= SENT
    near(back(y, shape), x)
    near(there(gc.jax.Array.from_array(given), order="natural").to_array(spec), want)


SPARE = [  # where no axis has room to lose the zeros behind it
    ((8,), P("a"), (64, 6, 6), "irfftn", None, (2, 0)),
    ((8,), P(None, "a"), (6, 32), "fftn", (6, 24), (0, 1)),
    ((8,), P(None, "a"), (4, 64), "fftn", (32,), (1,)),
    ((8,), P(None, None, "a"), (6, 2, 64), "rfftn", (30, 8, 64), (0, 1, 2)),
    ((2, 4), P("b", "a"), (20, 2), "ifftn", None, (1,)),
    ((2, 4), P("b", "a"), (12, 12), "fftn", None, (1, 0)),
    ((2, 4), P(None, "a", "b"), (5, 2, 12), "fftn", None, (0, 1, 2)),
    ((2, 4), P("a", "b"), (6, 20), "fftn", (10, 12), (1, 0)),
]


@pytest.mark.parametrize("case", [*SPARE[:3], SPARE[-2], *sweep(*zip(SPARE[3:]))], ids=str)
def test_spare_memory_makes_room_where_zeros_behind_an_axis_do_not(case):
    sizes, spec, shape, name, s, axes = case
    x, function = numbers(shape, name), getattr(gc.jax, name)
    want = getattr(np.fft, name)(x, s, axes)
    kind = np.float32 if name == "rfftn" else np.complex64
    given = put(x.astype(kind), mesh_of(sizes, explicit=True), spec)
    for order in ("any", "natural"):
        a = gc.jax.Array.from_array(given)
        program = compiled(lambda a, order=order: function(a, s, axes, order=order), a)
        b = program(a)
        near(b.layout.gather(np.asarray(b.blocks)), want)
        assert set(collectives(program)[0]) <= SENT
        if order == "natural" and want.shape == shape:
            assert b.layout == a.layout
    names = gc.jax.shardings.axes_of(spec, len(shape), "spec")
    counts = [
        np.prod([given.sharding.mesh.shape[n] for n in each], dtype=int) for each in names
    ]
    if not any(length % count for length, count in zip(want.shape, counts, strict=True)):
        near(function(given, s, axes), want)


def test_results_that_do_not_fit_the_devices_are_refused():
    x = put(np.ones((4, 64), np.float32), mesh_of((8,), explicit=True), P(None, "a"))
    a = gc.jax.Array.from_array(x)
    for call, want in (
        (gc.jax.rfft, np.fft.rfft(x)),
        (lambda a: gc.jax.fft(a, 33), np.fft.fft(x, 33)),
        (lambda a: gc.jax.rfft2(a, order="natural"), np.fft.rfft2(x)),
        (lambda a: gc.jax.to_waves(a, (4, 32), (0, 1)), np.fft.rfft2(x)[:, :17]),
    ):
        with pytest.raises(InvalidValueError, match=r"shape \(4, \d\d\), .*8 dev.*reshard\(x"):
            call(a)
        near(call(gc.jax.reshard(a.to_array(), P())), want)
    with pytest.raises(
        InvalidValueError, match=r"result has 33 .*equally many; call it on cop"
    ):
        gc.jax.rfft(x)
    with pytest.raises(InvalidValueError, match=r"33 el.*many; pass gc.jax.Array.from_array"):
        gc.jax.rfft(
            put(np.ones((8, 64), np.float32), mesh_of((8,), explicit=True), P(None, "a"))
        )


def test_the_first_numbers_are_those_of_jnp():
    mesh = mesh_of((8,), explicit=True)
    x = numbers((16, 8))
    given = put(x.astype(np.float32), mesh, P("a"))
    near(gc.jax.fft(given, 12, 1, "ortho"), np.fft.fft(x, 12, 1, "ortho"))
    near(gc.jax.ifft(given, 24, 0), np.fft.ifft(x, 24, 0))
    near(gc.jax.rfft(given, 12, 1), np.fft.rfft(x, 12, 1))
    near(gc.jax.irfft(given, 9, 1), np.fft.irfft(x, 9, 1))
    for n in (1, 2):  # as many values as points
        near(gc.jax.rfft(given, n), np.fft.rfft(x, n))
        back = gc.jax.irfft(given[:, :n], n)
        near(back, np.fft.irfft(x[:, :n], n))
        assert back.dtype == np.float32
    near(gc.jax.rfft2(given, (8, 10), (0, 1)), np.fft.rfft2(x, (8, 10), (0, 1)))
    near(gc.jax.irfft2(given, (8, 10)), np.fft.irfft2(x, (8, 10)))


def on_grid(waves, n):
    """The field with these amplitudes, by wave numbers, at n points along each axis."""
    angles = [2j * np.pi * k[:, None] * np.arange(n) / n for k in waves.numbers]
    return np.einsum("ab,ai,bj->ij", waves.amplitudes, *map(np.exp, angles)).real


class Waves:
    """Amplitudes of a real field, with fewer than half as many periods as there are points."""

    def __init__(self, points):
        most = (points - 1) // 2
        self.numbers = (np.arange(-most, most + 1),) * 2
        shape = 2 * most + 1, 2 * most + 1
        rng = np.random.default_rng(1)
        x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        self.amplitudes = x + x[::-1, ::-1].conj()


@pytest.mark.parametrize("real", [True, False])
@pytest.mark.parametrize(
    ("sizes", "spec"), [((8,), P("a")), ((2, 4), P("a", "b")), ((1,), P("a"))]
)
def test_a_product_by_the_three_halves_rule(sizes, spec, real):
    n, m, waves = 16, 24, Waves(16)
    mesh, forward = mesh_of(sizes, explicit=False), (gc.jax.rfftn if real else gc.jax.fftn)
    a = gc.jax.Array.from_array(put(on_grid(waves, n).astype(np.float32), mesh, spec))
    spectrum, known = forward(a, norm="forward"), {"norm": "forward", "real": real}

    def square(spectrum):
        fine = gc.jax.to_points(spectrum, (n, n), (m, m), **known)
        return fine, gc.jax.to_waves(abs(fine) ** 2, (n, n), **known)

    program = compiled(square, spectrum)
    fine, product = program(spectrum)
    near(fine.layout.gather(np.asarray(fine.blocks)), on_grid(waves, m))
    squares = np.fft.fftn(on_grid(waves, 4 * n) ** 2, norm="forward")  # which has all its waves
    kept = np.arange(-n // 2, n // 2) % (4 * n)
    want = np.fft.ifftshift(squares[np.ix_(kept, kept)])
    want[n // 2] = want[:, n // 2] = 0  # the wave in the middle has no sign
    near(
        product.layout.gather(np.asarray(product.blocks)),
        want[:, : n // 2 + 1] if real else want,
    )
    assert set(collectives(program)[0]) <= SENT
    if not real:
        x = put(np.fft.fftn(on_grid(waves, n), norm="forward").astype(np.complex64), mesh, spec)
        y = gc.jax.to_points(x, (n, n), (m, m), source=x.sharding, **known)
        near(y.real, on_grid(waves, m))
        near(gc.jax.to_waves(y**2, (n, n), source=x.sharding, **known), want)


def test_lengths_that_mean_nothing_are_refused():
    mesh = mesh_of((8,), explicit=True)
    x = put(numbers((16, 8)).astype(np.float32), mesh, P("a"))
    line = gc.jax.Array.from_array(put(np.ones(64, np.float32), mesh, P("a")))
    for call, error, words in (
        (lambda: gc.jax.fftn(x, 16), InvalidTypeError, "s is 16: it must be a sequence"),
        (lambda: gc.jax.fftn(x, (8,), (0, 1)), InvalidValueError, "s has 1 entries for 2 axes"),
        (lambda: gc.jax.fft(x, 0), InvalidValueError, "number of points is 0"),
        (lambda: gc.jax.fft(x, 12, 0), InvalidValueError, "axis 0 of the result has 12.*8 dev"),
        (lambda: gc.jax.fft(line, 96), InvalidValueError, "axis 0 has 64 points.*whole lines"),
        (
            lambda: gc.jax.to_points(x, (16, 16), (24, 24)),
            InvalidValueError,
            "axis 1 of the spectrum has length 8.*16 points has 9",
        ),
        (lambda: gc.jax.fft(x.sum()), InvalidValueError, "no axes"),
    ):
        with pytest.raises(error, match=words):
            call()
