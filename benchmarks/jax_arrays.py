"""XLA's own way beside graycube's: what is received, the memory in between, and the time.

    python benchmarks/jax_arrays.py [bits of the points of a transform ...]

Blocks are a device's share of the array. What is received and the memory are read from the
compiled programs, which is exact; times are those of virtual devices on one processor.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=16")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # XLA warns of its gathers

import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

import graycube as gc

Values: TypeAlias = Any
"""An array of JAX, a gc.jax.Array, a mesh or a sharding."""
P = jax.sharding.PartitionSpec
NamedSharding = jax.sharding.NamedSharding


def mesh_of(*sizes: int) -> Values:
    devices = np.array(jax.devices()[: np.prod(sizes)]).reshape(sizes)
    return jax.sharding.Mesh(devices, tuple("xyz"[: len(sizes)]))


def line(what: str, function: Callable[..., Values], argument: Values, block: int) -> None:
    program = jax.jit(function).lower(argument).compile()
    sent = gc.jax.traffic(program)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(sent.counts.items()))
    memory = program.memory_analysis().temp_size_in_bytes / block
    times = []
    for _ in range(4):
        start = time.perf_counter()
        jax.block_until_ready(program(argument))
        times.append(time.perf_counter() - start)
    print(
        f"| {what} | {counts or 'nothing'} | {sent.received / block:.2f} | {memory:.2f} "
        f"| {min(times[1:]) * 1e3:.1f} |"
    )


def heading(first: str) -> None:
    print(f"\n| {first} | collectives | blocks received | memory in blocks | ms |")
    print("| --- | --- | ---: | ---: | ---: |")


def transforms(sizes: list[int]) -> None:
    heading("transform")
    for devices in (8, 16):
        mesh = mesh_of(devices)
        for p in sizes:
            x = jax.device_put(jnp.ones(1 << p, jnp.complex64), NamedSharding(mesh, P("x")))
            cyclic = gc.Layout.cyclic(p, devices.bit_length() - 1)
            a, block = gc.jax.Array.from_array(x, cyclic), x.nbytes // devices
            name = f"2^{p} points on {devices}"
            line(f"{name}: jnp.fft.fft", jnp.fft.fft, x, block)
            natural = partial(gc.jax.fft, source=x.sharding)
            line(f"{name}: gc.jax.fft, natural", natural, x, block)
            line(f"{name}: gc.jax.fft, carried", gc.jax.fft, a, block)


def reshardings() -> None:
    heading("from, to")
    mesh = mesh_of(2, 2, 2)
    x = jnp.arange(1 << 21, dtype=jnp.float32).reshape(128, 128, 128)
    for before, after in (
        (P("x", "y", "z"), P("z", "x", "y")),
        (P(("x", "y"), "z"), P("z", None, ("y", "x"))),
        (P("z", "y", "x"), P(None, None, ("z", "y", "x"))),
        (P("x", ("y", "z")), P(("y", "z"), "x")),
    ):
        source, target = (NamedSharding(mesh, spec) for spec in (before, after))
        given, block = jax.device_put(x, source), x.nbytes // 8
        names = f"{tuple(before)} to {tuple(after)}"
        xla = partial(jax.lax.with_sharding_constraint, shardings=target)
        line(f"{names}: XLA", xla, given, block)
        ours = partial(gc.jax.reshard, target=target, source=source)
        line(f"{names}: gc.jax.reshard", ours, given, block)


def pairs(count: int) -> Iterator[tuple[float, float]]:
    """Blocks received by XLA and by graycube, for random pairs of shardings of 3-D arrays."""
    rng, mesh = random.Random(0), mesh_of(2, 2, 2)  # noqa: S311
    x = jnp.zeros((16, 16, 16), jnp.float32)

    def spec() -> Values:
        entries: list[list[str]] = [[], [], []]
        for name in rng.sample("xyz", 3):
            rng.choice(entries).append(name)
        return P(*(tuple(entry) or None for entry in entries))

    for _ in range(count):
        source, target = NamedSharding(mesh, spec()), NamedSharding(mesh, spec())
        given = jax.device_put(x, source)
        xla = partial(jax.lax.with_sharding_constraint, shardings=target)
        ours = partial(gc.jax.reshard, target=target, source=source)
        programs = [jax.jit(f).lower(given).compile() for f in (xla, ours)]
        theirs, mine = (gc.jax.traffic(p).received / (x.nbytes / 8) for p in programs)
        yield theirs, mine


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [20]
    print(f"JAX {jax.__version__}, {jax.devices()[0].platform}")
    transforms(sizes)
    reshardings()
    theirs, mine = np.array(list(pairs(200))).T
    print("\n200 random pairs on 2 x 2 x 2, blocks received: mean and most")
    for name, blocks in (("XLA", theirs), ("gc.jax.reshard", mine)):
        print(f"{name}: {blocks.mean():.2f} and {blocks.max():.2f}")


if __name__ == "__main__":
    main()
