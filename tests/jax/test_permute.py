"""Other orders of the elements, and blocks within a shard_map of the user's."""

import random
from functools import partial

import jax
import numpy as np
import pytest
from jax_cases import MESHES, P, collectives, compiled, mesh_of, put, random_spec

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, SingularError
from graycube.gf2 import AffineMap, Matrix
from graycube.jax.blocks import arranged, by_index
from graycube.jax.cube import MeshCube
from graycube.jax.moves import in_lines

SHAPES = (256,), (32, 16), (16, 16, 16)


def random_map(rng, p):
    """Any affine map, and now and then a permutation of bits."""
    if rng.random() < 0.5:
        return AffineMap(Matrix.permutation(rng.sample(range(p), p)), rng.randrange(1 << p))
    while True:
        matrix = Matrix(tuple(rng.randrange(1 << p) for _ in range(p)), p)
        if matrix.is_invertible():
            return AffineMap(matrix, rng.randrange(1 << p))


@pytest.mark.parametrize("seed", range(12))
def test_elements_go_where_the_map_says(seed):
    rng = random.Random(seed)
    mesh = mesh_of(rng.choice(MESHES), explicit=seed % 2 == 0)
    shape = rng.choice(SHAPES)
    x = np.arange(np.prod(shape)).reshape(shape)
    spec = random_spec(rng, mesh.axis_names, len(shape), every=seed % 3 > 0)
    given = put(x.astype(np.float32), mesh, spec)
    order = random_map(rng, x.size.bit_length() - 1)
    want = np.empty(x.size)
    want[order(np.arange(x.size))] = x.ravel()
    program = compiled(lambda x: gc.jax.permute(x, order, given.sharding), given)
    y = program(given)
    np.testing.assert_array_equal(np.asarray(y).ravel(), want)
    assert y.sharding.is_equivalent_to(given.sharding, x.ndim)
    counts, received = collectives(program)
    assert set(counts) <= {"all-to-all", "collective-permute"}
    assert received <= given.addressable_shards[0].data.nbytes


def test_the_layout_of_an_array_changes_and_nothing_moves():
    x = put(np.arange(64.0), mesh_of((8,), explicit=True), P("a"))
    a = gc.jax.Array.from_array(x)
    reversal = Matrix.permutation(range(6)[::-1])
    b = gc.jax.permute(a, reversal)
    assert b.blocks is a.blocks
    np.testing.assert_array_equal(
        np.asarray(b.to_array()), np.asarray(gc.jax.permute(x, reversal))
    )


def test_what_is_no_order_of_the_elements_is_refused():
    x = put(np.arange(64.0), mesh_of((8,), explicit=True), P("a"))
    with pytest.raises(InvalidValueError, match=r"5 bits to 5.*has 6 bits"):
        gc.jax.permute(x, Matrix.identity(5))
    with pytest.raises(InvalidTypeError, match="affine map"):
        gc.jax.permute(x, [1, 0])
    with pytest.raises(SingularError):
        gc.jax.permute(x, Matrix((1,) * 6, 6))
    odd = put(np.ones(24), mesh_of((8,), explicit=True), P("a"))
    with pytest.raises(InvalidValueError, match=r"axis 0 has 24 = 3 \* 2\^3"):
        gc.jax.permute(odd, Matrix.identity(3))


def within(mesh, function):
    """A function of blocks as one of arrays of blocks."""
    names = P(mesh.axis_names)
    return jax.shard_map(
        lambda blocks: function(blocks[0])[None], mesh=mesh, in_specs=names, out_specs=names
    )


def test_blocks_are_transformed_within_a_shard_map():
    mesh, x = mesh_of((2, 4), explicit=False), np.arange(256.0).reshape(32, 8)
    layout = gc.Layout.mesh(x.shape, nodes=(4, 2), code="gray")
    found = []

    def body(block):
        made, result = gc.jax.local.fft(block, layout, mesh.axis_names)
        found.append(result)
        return made

    blocks = put(layout.scatter(x).astype(np.float32), mesh, P(("a", "b")))
    made = jax.jit(within(mesh, body))(blocks)
    want = np.fft.fft2(x)
    assert np.abs(found[0].gather(np.asarray(made)) - want).max() < 1e-6 * np.abs(want).max()


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_nodes_are_numbered_in_the_order_of_the_names(names):
    mesh, x = mesh_of((2, 4), explicit=False), np.arange(64.0)
    source = gc.Layout.cyclic(6, 3, nodes="gray")
    target = gc.Layout.consecutive(6, 3)
    turned = jax.shard_map(
        lambda blocks: gc.jax.local.relayout(blocks[0], source, target, names)[None],
        mesh=mesh,
        in_specs=P(names),
        out_specs=P(names),
    )
    made = jax.jit(turned)(put(source.scatter(x), mesh, P(names)))
    np.testing.assert_array_equal(np.asarray(made), target.scatter(x))


def test_blocks_of_other_layouts_are_refused():
    mesh, layout = mesh_of((2, 4), explicit=False), gc.Layout.cyclic(6, 3)
    blocks = put(np.ones((8, 8)), mesh, P(("a", "b")))
    with pytest.raises(InvalidValueError, match=r"axes \('a',\) have \(2,\) devices.*8 nodes"):
        within(mesh, lambda block: gc.jax.local.relayout(block, layout, layout, "a"))(blocks)
    with pytest.raises(InvalidValueError, match=r"block has shape \(4,\).* 8 elements"):
        within(mesh, lambda block: gc.jax.local.fft(block[:4], layout, ("a", "b"))[0])(blocks)


@pytest.mark.parametrize(("n", "m", "c"), [(0, 4, 3), (2, 3, 3), (3, 7, 3), (1, 12, 1)])
def test_cards_take_each_row_from_where_it_was(n, m, c):
    rng, x = random.Random(n), np.arange(c << n + m).reshape(-1, c)
    mesh, cube = mesh_of((1 << n,), explicit=False), MeshCube(("a",), (n,))
    linear = np.arange(1.0, c + 1) * np.arange(1 << n + m)[:, None]
    for _ in range(3):
        matrix = Matrix.from_rows([0] * (n + m), n + m)
        while not matrix.is_invertible():  # nodes stay, and decide about slots
            rows = [rng.getrandbits(n + m) for _ in range(m)]
            matrix = Matrix.from_rows([*(1 << d for d in range(n)), *rows], n + m)
        move, want = AffineMap(matrix, rng.getrandbits(m) << n), np.empty_like(x)
        for place in np.ndindex(1 << n, 1 << m):
            node, slot = divmod(move(place[1] << n | place[0]), 1 << n)[::-1]
            want[node << m | slot] = x[place[0] << m | place[1]]
        found = []
        for way in (by_index, arranged):
            work = partial(way, move=move, cube=cube)
            f = jax.jit(jax.shard_map(work, mesh=mesh, in_specs=P("a"), out_specs=P("a")))
            np.testing.assert_array_equal(f(put(x, mesh, P("a"))), want)
            slope = jax.grad(lambda x, f=f: (f(x) * linear).sum())
            found.append(slope(put(x.astype("f4"), mesh, P("a"))))
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("seed", range(30))
def test_a_map_is_two_that_keep_lines_whole_around_a_trade_of_bits(seed):
    rng = random.Random(seed)
    m, move = 8, random_map(rng, 8)
    line = rng.randrange(m + 1)
    parts = in_lines(move, 0, line)
    trade = AffineMap(Matrix.permutation(parts.places))
    assert parts.after @ trade @ parts.before == move
    for part in (parts.before, parts.after):
        assert all(column < 1 << line for column in part.matrix.columns[:line])
    leaving = {move(slot) >> line for slot in range(1 << line)}
    assert 1 << parts.traded == len(leaving)  # no map takes a line to more lines than it must
