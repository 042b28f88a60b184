"""Resharding: the right elements, and at most one block received, by the compiled program."""

import random

import jax
import numpy as np
import pytest
from jax_cases import MESHES, P, collectives, compiled, mesh_of, put, random_spec
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError

SHAPES = (256,), (32, 48), (16, 32, 16), (16, 16, 16, 16)
NamedSharding = jax.sharding.NamedSharding


def pair(seed, *, every):
    """A random array, and two shardings of it."""
    rng = random.Random(seed)
    mesh = mesh_of(rng.choice(MESHES), explicit=rng.random() < 0.5)
    shape = rng.choice(SHAPES)
    before, after = (
        NamedSharding(mesh, random_spec(rng, mesh.axis_names, len(shape), every=every))
        for _ in range(2)
    )
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return x, before, after


def checked(seed, *, every):
    """The collectives of a resharding that has been seen to do what it should."""
    x, before, after = pair(seed, every=every)
    given = jax.device_put(x, before)
    program = compiled(lambda x: gc.jax.reshard(x, after, before), given)
    y = program(given)
    assert y.sharding.is_equivalent_to(after, x.ndim)
    np.testing.assert_array_equal(np.asarray(y), x)
    counts, received = collectives(program)
    assert received <= y.addressable_shards[0].data.nbytes
    return counts, before, after


@pytest.mark.parametrize("start", [*range(0, 40, 10), *sweep(*zip(range(40, 500, 10)))])
def test_at_most_a_block_is_moved_and_nothing_is_gathered(start):
    for seed in range(start, start + 10):
        counts, _, _ = checked(seed, every=True)
        assert set(counts) <= {"all-to-all", "collective-permute"}


@pytest.mark.parametrize("start", [*range(0, 40, 10), *sweep(*zip(range(40, 200, 10)))])
def test_copies_are_gathered_over_the_axes_that_newly_have_them(start):
    for seed in range(start, start + 10):
        counts, before, after = checked(seed, every=False)
        used = [{name for entry in s.spec for name in entry or ()} for s in (before, after)]
        assert set(counts) <= {"all-to-all", "collective-permute", "all-gather"}
        assert ("all-gather" in counts) == bool(used[0] - used[1])


def test_it_works_outside_of_jit_and_reads_the_types_of_explicit_axes():
    mesh = mesh_of((2, 4), explicit=True)
    x = put(np.arange(64.0).reshape(8, 8), mesh, P("a", "b"))
    for y in (
        gc.jax.reshard(x, P("b", "a")),
        jax.jit(gc.jax.reshard, static_argnums=1)(x, P("b", "a")),
    ):
        assert y.sharding.spec == P("b", "a")
        np.testing.assert_array_equal(np.asarray(y), np.asarray(x))


def test_what_is_smaller_than_the_mesh_is_left_to_jax():
    mesh = mesh_of((2, 4), explicit=False)
    x = put(np.arange(4.0).reshape(2, 2), mesh, P("a"))
    y = gc.jax.reshard(x, P(None, "a"))
    assert y.sharding.spec == P(None, "a")
    np.testing.assert_array_equal(np.asarray(y), np.asarray(x))


@pytest.mark.parametrize("dtype", ["bool", "int8", "bfloat16", "complex64"])
def test_any_dtype_is_moved(dtype):
    mesh = mesh_of((8,), explicit=False)
    x = put(jax.numpy.arange(64).reshape(8, 8).astype(dtype), mesh, P("a"))
    np.testing.assert_array_equal(np.asarray(gc.jax.reshard(x, P(None, "a"))), np.asarray(x))


def test_a_layout_says_where_the_elements_of_a_sharding_are():
    mesh = mesh_of((2, 4), explicit=False)
    x = np.arange(8 * 24).reshape(8, 24)
    for spec in (P("a", "b"), P(("b", "a")), P(None, ("a", "b")), P("b", "a")):
        shards = put(x, mesh, spec).addressable_shards
        blocks = gc.jax.layout(NamedSharding(mesh, spec), x.shape).scatter(x)
        for node, device in enumerate(mesh.devices.ravel()):
            (shard,) = (s for s in shards if s.device == device)
            assert sorted(blocks[node]) == sorted(shard.data.ravel().tolist())


def test_what_has_no_layout_is_refused():
    mesh = mesh_of((2, 4), explicit=False)
    with pytest.raises(InvalidValueError, match=r"mesh axis 'b' is not in.*4 copies"):
        gc.jax.layout(NamedSharding(mesh, P("a")), (8,))
    with pytest.raises(
        InvalidValueError,
        match=r"axis 1 of sharding has 6 .* 4 devices.*to 8",
    ):
        gc.jax.layout(NamedSharding(mesh, P("a", "b")), (8, 6))
    with pytest.raises(InvalidValueError, match=r"2 entries.*1 axes"):
        gc.jax.layout(NamedSharding(mesh, P("a", "b")), (8,))
    with pytest.raises(InvalidTypeError, match="SingleDeviceSharding"):
        gc.jax.layout(jax.numpy.ones(8).sharding, (8,))
    with pytest.raises(InvalidValueError, match="axis 0 of sharding is unconstrained"):
        gc.jax.layout(NamedSharding(mesh, P(P.UNCONSTRAINED)), (8,))
    three = jax.sharding.Mesh(np.array(jax.devices()[:3]), ("x",))
    with pytest.raises(InvalidValueError, match=r"mesh axis 'x' has 3 devices.*power of two"):
        gc.jax.layout(NamedSharding(three, P("x")), (6,))
    with pytest.raises(InvalidValueError, match=r"there are 3 devices.*8 nodes"):
        gc.jax.sharding(gc.Layout.nodes(3), jax.devices()[:3])
    with pytest.raises(InvalidTypeError, match="it must be a Layout"):
        gc.jax.sharding("cyclic")


def test_what_cannot_be_resharded_is_refused_when_it_is_traced():
    mesh, other = mesh_of((2, 4), explicit=False), mesh_of((8,), explicit=False)
    x = put(np.ones((8, 8)), mesh, P("a", "b"))
    with pytest.raises(InvalidValueError, match=r"sharding of a traced array.*source="):
        jax.jit(lambda x: gc.jax.reshard(x, NamedSharding(mesh, P("b"))))(x)
    with pytest.raises(InvalidValueError, match=r"one mesh of all its axes"):
        gc.jax.reshard(x, NamedSharding(other, P("a")))
    turned = jax.sharding.Mesh(mesh.devices[::-1], mesh.axis_names)
    with pytest.raises(InvalidValueError, match=r"devices in other orders.*Gray code"):
        gc.jax.reshard(x, NamedSharding(turned, P("b", "a")))
    with pytest.raises(InvalidTypeError, match="got a ndarray"):
        gc.jax.reshard(np.ones(8), P("a"))
    keys = put(jax.random.split(jax.random.key(0), 8), mesh, P("b"))
    with pytest.raises(InvalidTypeError, match=r"dtype key<fry>.*key_data\(x\)"):
        gc.jax.reshard(keys, P())
