"""One of two ranks of MPI with one device each: a block goes to the device and back, shared.

mpiexec -n 2 python mpi_rank.py PORT
"""

import os
import sys

os.environ |= {"XLA_FLAGS": "--xla_force_host_platform_device_count=1", "JAX_PLATFORMS": "cpu"}

import jax
import numpy as np
import pytest
from mpi4py import MPI

import graycube as gc
from graycube.errors import InvalidValueError


def main():
    comm = MPI.COMM_WORLD
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{sys.argv[1]}", comm.size, comm.rank)
    x = np.random.default_rng(0).standard_normal(256).astype(np.complex64)
    u = gc.CubeArray.from_numpy(x, gc.Layout.cyclic(8, 1), comm)
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("a",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("a"))
    a = gc.jax.Array.from_cube(u, sharding)
    back = jax.jit(gc.jax.fft)(a).to_cube(comm, copy=False)
    want, found = np.fft.fft(x), back.to_numpy()
    assert np.abs(found - want).max() < 1e-6 * np.abs(want).max()
    with pytest.raises(InvalidValueError, match="devices of other processes"):
        a.to_cube()
    print("right", flush=True)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
