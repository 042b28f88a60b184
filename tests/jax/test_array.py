"""Arrays that carry their layout: values, arithmetic, as a pytree, refusals."""

from functools import partial

import jax
import numpy as np
import pytest
from jax.test_util import check_grads
from jax_cases import P, collectives, compiled, mesh_of, put

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

LAYOUTS = [
    gc.Layout.mesh((16, 8), nodes=(2, 4), code="gray"),
    gc.Layout.mesh((16, 8), nodes=(8, 1), code="gray", slots="gray"),
    gc.Layout.mesh((16, 8), nodes=(4, 2), allocation="cyclic", whole="gray"),
]


@pytest.fixture(params=[True, False], ids=["explicit", "automatic"])
def x(request):
    mesh = mesh_of((2, 4), explicit=request.param)
    return put(np.arange(128.0).reshape(16, 8), mesh, P("a", "b"))


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_blocks_are_where_the_layout_says(x, layout):
    a = gc.jax.Array.from_array(x, layout)
    np.testing.assert_array_equal(np.asarray(a.blocks), layout.scatter(np.asarray(x)))
    y = a.to_array(P("b", "a"))
    assert y.sharding.is_equivalent_to(jax.sharding.NamedSharding(a.mesh, P("b", "a")), 2)
    np.testing.assert_array_equal(np.asarray(y), np.asarray(x))
    for axis in (0, 1):
        indices = layout.gather(np.asarray(a.coordinate(axis).blocks))
        np.testing.assert_array_equal(indices, np.indices((16, 8))[axis])


@pytest.mark.parametrize("target", LAYOUTS, ids=str)
def test_a_relayout_moves_at_most_a_block(x, target):
    for layout in LAYOUTS:
        a = gc.jax.Array.from_array(x, layout)
        program = compiled(partial(gc.jax.Array.relayout, target=target), a)
        counts, received = collectives(program)
        assert set(counts) <= {"all-to-all", "collective-permute"}
        assert received <= a.blocks.nbytes // 8
        np.testing.assert_array_equal(np.asarray(program(a).to_array()), np.asarray(x))


def test_arithmetic(x):
    a, v = gc.jax.Array.from_array(x, LAYOUTS[0]), np.asarray(x)
    made = 2 + abs(-(3 * a - a / 4 + 1)) ** 2 - a * a + (1 - a) + 1 / (a + 1)
    want = 2 + abs(-(3 * v - v / 4 + 1)) ** 2 - v * v + (1 - v) + 1 / (v + 1)
    np.testing.assert_allclose(np.asarray(made.to_array()), want, rtol=1e-6)


def test_comparisons_and_the_other_operators_are_by_element(x):
    whole = jax.numpy.asarray(x, int)
    a, v = gc.jax.Array.from_array(whole, LAYOUTS[0]), np.asarray(whole)
    pairs = [
        *[(a < 9, v < 9), (a <= 9, v <= 9), (a > 9, v > 9), (9 >= a, 9 >= v)],  # noqa: SIM300
        *[(a == 9, v == 9), (a != a * a, v != v * v), (~(a < 9), v >= 9)],
        *[((a > 3) & (a < 9), (v > 3) & (v < 9)), ((a < 3) | (a > 9), (v < 3) | (v > 9))],
        *[(a // 3, v // 3), (a % 3, v % 3), (300 // (a + 1), 300 // (v + 1))],
        *[(300 % (a + 1), 300 % (v + 1)), (2 ** (a % 5), 2 ** (v % 5))],
        *[(True & (a < 9), v < 9), (False | (a < 9), v < 9), (5 ^ a, 5 ^ v)],
        *[
            (a << 2, v << 2),
            (a >> 2, v >> 2),
            (1 << a % 5, 1 << v % 5),
            (99 >> a % 5, 99 >> v % 5),
        ],
        ((a < 9).map(jax.numpy.where, a, -a), np.where(v < 9, v, -v)),
        (a.map(jax.numpy.maximum, 7), np.maximum(v, 7)),
    ]
    for made, want in pairs:
        np.testing.assert_array_equal(np.asarray(made.to_array()), want)


def test_what_is_not_by_element_is_refused(x):
    a = gc.jax.Array.from_array(x, LAYOUTS[0])
    with pytest.raises(InvalidValueError, match=r"shape \(\) for .*write a.blocks.sum"):
        a.map(jax.numpy.sum)
    with pytest.raises(InvalidValueError, match=r"arrays of layouts .* meet"):
        a.map(jax.numpy.maximum, a.relayout(LAYOUTS[1]))
    with pytest.raises(InvalidValueError, match=r"truth value for each.*blocks.all"):
        assert a == a  # noqa: PLR0124
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


def test_only_a_compiled_program_tells_its_traffic(x):
    lowered = jax.jit(lambda x: x + 1).lower(x)
    assert gc.jax.traffic(lowered.compile()).received == 0
    with pytest.raises(InvalidTypeError, match=r"got a Lowered.*compile\(\)"):
        gc.jax.traffic(lowered)


def test_it_goes_through_jit_and_grad(x):
    a = gc.jax.Array.from_array(x, LAYOUTS[0])

    def energy(a):
        return (a.relayout(LAYOUTS[1]) ** 2).blocks.sum()

    gradient = jax.jit(jax.grad(energy))(a)
    assert gradient.layout == a.layout
    np.testing.assert_allclose(np.asarray(gradient.to_array()), 2 * np.asarray(x))
    sharding = x.sharding
    inside = jax.jit(lambda x: gc.jax.Array.from_array(x, source=sharding).to_array())
    np.testing.assert_array_equal(np.asarray(inside(x)), np.asarray(x))


def test_what_cannot_meet_is_refused(x):
    a, b = (gc.jax.Array.from_array(x, layout) for layout in LAYOUTS[:2])
    with pytest.raises(InvalidValueError, match=r"one layout.*relayout"):
        a + b
    with pytest.raises(InvalidTypeError, match=r"shape \(16, 8\).*from_array"):
        a + x
    with pytest.raises(InvalidValueError, match=r"on 2\^3 nodes meets .* 2\^2 nodes"):
        a.relayout(gc.Layout.mesh((16, 8), nodes=(4, 1)))


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("components", [3, 8])
def test_axes_of_layouts_meet_and_payload_aligns_from_the_back(components, explicit):
    x = np.random.default_rng(0).standard_normal((16, 8, components)).astype(np.float32)
    sharding = jax.sharding.NamedSharding(mesh_of((2, 4), explicit=explicit), P("a", "b"))
    u = gc.CubeArray.from_numpy(x, LAYOUTS[0])
    a, k = gc.jax.Array.from_cube(u, sharding), np.indices((16, 8))[0][..., None]
    assert (a.shape, repr(a)[:24]) == (x.shape, f"<gc.jax.Array (16, 8, {components})")
    weights = np.arange(components, dtype=np.float32)
    scalar = a.coordinate(0)
    assert scalar.shape == (16, 8)
    for made, want in (
        (a * scalar, x * k),
        (scalar - a, k - x),
        (jax.jit(lambda a, b: a * b)(scalar, a), k * x),
        (scalar.map(jax.numpy.where, a, 1), np.where(k, x, 1)),
        (a * weights, x * weights),
        (gc.jax.fftn(gc.jax.ifftn(a) * 2, order="natural").map(jax.numpy.real), 2 * x),
    ):
        got = made.relayout(a.layout)
        assert got.shape == x.shape
        np.testing.assert_allclose(np.asarray(got.to_array()), want, rtol=1e-5, atol=1e-5)
    with pytest.raises(InvalidValueError, match=r"payloads of shapes .* meet"):
        a * np.ones(components + 1)
    with pytest.raises(InvalidTypeError, match=r"from_cube\(u, a.sharding\)"):
        a + u


USES = {
    "fftn": gc.jax.fftn,
    "rfft": gc.jax.rfft,
    "permute": lambda a: gc.jax.permute(a, gc.Layout.cyclic(7, 0).map),
    "to_array": lambda a: a.to_array(),
    "to_cube": lambda a: a.to_cube(),
    "relayout": lambda a: a.relayout(LAYOUTS[1]),
    "to itself": lambda a: a.relayout(a.layout),
    "times": lambda a: a * 2,
    "map": lambda a: a.map(jax.numpy.exp),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_batch_is_no_array_and_an_array_is_no_batch(x, use):
    a = gc.jax.Array.from_array(x)
    for count in (8, 3):
        batch = jax.vmap(lambda c: a * c)(jax.numpy.arange(float(count)))
        with pytest.raises(InvalidValueError, match=rf"\({count}, 8, 16\).*within jax.vmap"):
            use(batch)
    with pytest.raises(InvalidValueError, match=r"shape \(16,\).*apart by its devices"):
        jax.vmap(use)(a)
    with pytest.raises(InvalidValueError, match=r"have \(8, 16\); spread elements by"):
        gc.jax.Array(x, a.layout, a.sharding)


def test_a_batch_goes_through_vmap_again(x):
    a = gc.jax.Array.from_array(x)
    batch = jax.vmap(lambda c: a * c)(jax.numpy.arange(3.0))
    spectra = jax.jit(jax.vmap(gc.jax.fftn))(batch)
    one = gc.jax.fftn(jax.tree.map(lambda v: v[2], spectra).relayout(a.layout))
    want = np.fft.fftn(np.fft.fftn(2 * np.asarray(x)))
    error = np.abs(one.layout.gather(np.asarray(one.blocks)) - want).max()
    assert error < 1e-6 * np.abs(want).max()


def test_leaves_from_elsewhere_go_to_their_devices(x):
    a = gc.jax.Array.from_array(x, LAYOUTS[0])
    copies = jax.sharding.NamedSharding(a.mesh, P())
    for b in (jax.device_get(a), jax.device_put(a, copies)):
        assert b.to_array().sharding.is_equivalent_to(x.sharding, 2)
        np.testing.assert_array_equal(b.relayout(LAYOUTS[1]).to_cube().to_numpy(), x)
        spectra = [np.asarray(gc.jax.fftn(each).blocks) for each in (a, b)]
        np.testing.assert_array_equal(*spectra)

    def loss(a):
        return (abs(gc.jax.fftn(a)) ** 2).blocks.mean()

    with jax.set_mesh(a.mesh):
        check_grads(jax.jit(loss), (a / 100,), order=1, modes=["rev"], rtol=0.1)


def test_what_has_no_natural_order_says_so():
    mesh = mesh_of((8,), explicit=False)
    a = gc.jax.Array.from_array(put(np.arange(96.0, dtype=np.float32), mesh, P("a")))
    spectrum = gc.jax.fft(a)
    with pytest.raises(InvalidValueError, match=r"factor 3 above bit .*to_cube\(\).to_numpy"):
        spectrum.to_array()
    want = np.fft.fft(np.arange(96))
    assert np.abs(spectrum.to_cube().to_numpy() - want).max() < 1e-6 * np.abs(want).max()
    cyclic = gc.Layout.mesh((96,), (8,), allocation="cyclic", ownership=False)
    with pytest.raises(InvalidValueError, match="above bit 0 of its index here, above bit 3"):
        a.relayout(cyclic)


def test_what_is_elsewhere_is_named(x):
    a = gc.jax.Array.from_array(x)
    for name in ("real", "T", "sum", "itemsize"):
        with pytest.raises(AttributeError, match=rf"no '{name}': write a.map"):
            getattr(a, name)
    for function in (gc.sort, gc.argsort, gc.unique, lambda a: gc.quantile(a, 0.5), gc.cumsum):
        for given in (a, x):
            with pytest.raises(InvalidTypeError, match=r"works on a CubeArray.*a.to_cube\(\)"):
                function(given)
    for call in (gc.jax.fftn, lambda b: gc.jax.halo(b, 1, source=x.sharding)):
        inside = jax.shard_map(call, mesh=a.mesh, in_specs=P("a", "b"), out_specs=P("a", "b"))
        with pytest.raises(InvalidTypeError, match=r"within shard_map.*gc.jax.local"):
            inside(x)
