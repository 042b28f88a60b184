"""One of two processes with four devices each: no process has the whole array.

python rank.py PORT NUMBER
"""

import sys

import jax
import numpy as np

import graycube as gc
from graycube.errors import InvalidValueError
from graycube.gf2 import Matrix

P = jax.sharding.PartitionSpec


def same(y, want, bound=1e-5):
    """Whether what this process has of an array is right."""
    assert not y.is_fully_addressable
    for shard in y.addressable_shards:
        np.testing.assert_allclose(
            np.asarray(shard.data), want[shard.index], atol=bound * np.abs(want).max()
        )


def main():
    port, number = sys.argv[1], int(sys.argv[2])
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=number)
    assert len(jax.devices()) == 8
    assert len(jax.local_devices()) == 4
    mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "b"))
    x = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)

    def put(spec):
        sharding = jax.sharding.NamedSharding(mesh, spec)
        return jax.make_array_from_callback(x.shape, sharding, lambda index: x[index])

    given = put(P("a", "b"))
    same(gc.jax.reshard(given, P(("b", "a"))), x)
    same(gc.jax.fftn(given), np.fft.fftn(x))
    a = gc.jax.Array.from_array(
        given, gc.Layout.mesh(x.shape, nodes=(8, 1), code="gray", allocation="cyclic")
    )
    same(jax.jit(lambda a: gc.jax.ifftn(gc.jax.fftn(a)).to_array())(a), x)
    b = gc.jax.Array.from_array(given)
    same(jax.jit(lambda b: gc.jax.irfft(gc.jax.rfft(b)).to_array())(b), x)
    same(gc.jax.fft(put(P(None, "b"))), np.fft.fft(x))
    reversal = Matrix.permutation(range(11)[::-1])
    order = reversal(np.arange(x.size))
    same(gc.jax.permute(given, reversal), x.ravel()[order].reshape(x.shape))
    wide = gc.jax.halo(put(P(("a", "b"))), [1, 0])
    rows = np.arange(64).reshape(8, 8)
    same(wide, x[np.hstack([rows[:, :1] - 1, rows, (rows[:, -1:] + 1) % 64]).ravel()])
    gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    plan = gc.plan(gray, binary, 256, itemsize=4, machine=gc.Machine(3, startup=1.0))
    same(
        gc.jax.execute(plan, put(P(("a", "b"))).reshape(8, 256)), plan.apply(x.reshape(8, 256))
    )

    def energy(x):
        return (abs(gc.jax.fft(x, axis=0, source=given.sharding)) ** 2).sum()

    same(jax.jit(jax.grad(energy))(given), 2 * 64 * x)
    try:
        a.to_cube()
    except InvalidValueError as error:
        print("devices of other processes" in str(error) and "right")


if __name__ == "__main__":
    main()
