"""What a device receives: by what JAX documents of each collective, and by turns of loops."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_cases import P, compiled, mesh_of, put

import graycube as gc
from graycube.errors import InvalidValueError

lax = jax.lax
BOTH = "a", "b"


def turned(block, axes, count):
    return lax.ppermute(block, axes, [(k, (k + 1) % count) for k in range(count)])


def many(k, turns, work):
    """The same work in so many turns of a loop."""
    return lax.fori_loop(0, turns, lambda _, block: work(block), k)


CASES = {  # of 16 numbers of four bytes on each device of 2 x 4
    "gather": (lambda x: lax.all_gather(x, BOTH).sum(0), 7 * 64),
    "gather of 4": (lambda x: lax.all_gather(x, "b").sum(0), 3 * 64),
    "sum to each its part": (
        lambda x: jnp.tile(lax.psum_scatter(x, BOTH, tiled=True), 8),
        7 * 8,
    ),
    "the same of 4": (lambda x: jnp.tile(lax.psum_scatter(x, "b", tiled=True), 4), 3 * 16),
    "sum around a ring": (lambda x: lax.psum(x, BOTH), 2 * 7 * 8),
    "sum of 2": (lambda x: lax.psum(x, "a"), 2 * 32),
    "all to all": (lambda x: lax.all_to_all(x, BOTH, 0, 0, tiled=True), 7 * 8),
    "all to all of 4": (lambda x: lax.all_to_all(x, "b", 0, 0, tiled=True), 3 * 16),
    "permutation": (lambda x: turned(x, BOTH, 8), 64),
    "a hundred": (lambda x: many(x, 100, lambda x: turned(x, BOTH, 8)), 6400),
    "loops in a loop": (
        lambda x: many(
            x, 10, lambda x: turned(many(x, 5, lambda x: turned(x, "b", 4)), "a", 2)
        ),
        60 * 64,
    ),
}


@pytest.mark.parametrize(("work", "received"), CASES.values(), ids=CASES)
def test_it_is_what_comes_from_other_devices(work, received):
    mesh = mesh_of((2, 4), explicit=False)
    x = put(np.ones(128, np.float32), mesh, P(BOTH))
    whole = jax.shard_map(work, mesh=mesh, in_specs=P(BOTH), out_specs=P(BOTH), check_vma=False)
    found = gc.jax.traffic(compiled(whole, x))
    assert (found.received, found.at_least) == (received, False)


def test_turns_that_nobody_knows_are_said_to_be_unknown():
    mesh = mesh_of((8,), explicit=False)
    x = put(np.ones(128, np.float32), mesh, P("a"))

    def work(x):
        return lax.while_loop(lambda x: x[0] < 9, lambda x: turned(x + 1, "a", 8), x)

    found = gc.jax.traffic(
        compiled(jax.shard_map(work, mesh=mesh, in_specs=P("a"), out_specs=P("a")), x)
    )
    told = "Collectives(counts={'collective-permute': 1}, received=64, at_least=True)"
    assert repr(found) == told
    alone = jax.jit(lambda x: lax.while_loop(lambda x: x[0] < 9, lambda x: x + 1, x))
    assert not gc.jax.traffic(alone.lower(jnp.ones(3)).compile()).at_least


class Text:
    """A program as other compilers write it."""

    def __init__(self, *lines):
        self._lines = (
            "HloModule m, num_partitions=8",
            "ENTRY %main (p: f32[16]) -> f32[16] {",
            *lines,
        )

    def as_text(self):
        return "\n".join((*self._lines, "}"))


@pytest.mark.parametrize(
    ("made", "received"),
    [
        (
            "(f32[16]{0:T(8)}, f32[64]{0}) all-gather-start({}), replica_groups=[2,4]<=[8]",
            192,
        ),
        ("f32[16]{0} all-reduce-start({}), replica_groups={{0,1},{2,3},{4,5},{6,7}}", 64),
        ("f32[16]{0} all-reduce({}), replica_groups={}", 112),
        ("f32[2]{0} reduce-scatter({}), replica_groups=mesh['a'=2,'b'=4] {'a','b'}", 56),
        (
            "f32[8]{0} all-gather({}), replica_groups=mesh['a'=2,'b'=4], ids=(T(1,0)) {'a'}",
            64,
        ),
        ("f32[16]{0} all-to-all({}), replica_groups=mesh['a'=8] {'a':(1)2}", 32),
        ("f32[16]{0} collective-permute({}), source_target_pairs={{0,0},{1,1}}", 0),
    ],
)
def test_other_spellings(made, received):
    lines = "  %p = f32[16]{0} parameter(0)", f"  ROOT %made = {made.replace('({})', '(%p)')}"
    assert gc.jax.traffic(Text(*lines)).received == received


def test_groups_that_cannot_be_read_are_refused():
    made = "f32[16]{0} all-to-all(%p), replica_groups=@somewhere"
    with pytest.raises(InvalidValueError, match="replica_groups=@somewhere"):
        gc.jax.traffic(Text("  %p = f32[16]{0} parameter(0)", f"  %q = {made}"))
