"""Arrays that carry their layout: values, arithmetic, as a pytree, refusals."""

from functools import partial

import jax
import numpy as np
import pytest
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
