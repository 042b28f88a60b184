"""XLA's own way beside graycube's: what is received, the memory in between, and the time.

    python benchmarks/jax_arrays.py [--pairs COUNT] [bits of the points of a transform ...]

Blocks are a device's share of the array. What is received and the memory are read from the
compiled programs, which is exact; times are those of virtual devices on one processor. Errors
are the largest, by the largest value, against NumPy's transform in double precision. Where
jaxDecomp is installed (`pip install jaxdecomp packaging`), its transform of cubes is beside
the others.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=16")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # XLA warns of its gathers

import math
import random
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

import graycube as gc

Values: TypeAlias = Any
"""An array of JAX, a gc.jax.Array, a mesh or a sharding."""
P = jax.sharding.PartitionSpec
NamedSharding = jax.sharding.NamedSharding
MESHES = (8,), (2, 4), (2, 2, 2), (16,), (4, 2, 2)
FATAL = [((4, 2, 2), P("x", "z", "y", None), P("z", None, "x", "y"))]
"""XLA of JAX 0.10.2 divides by zero while it compiles this, and takes the process with it."""
TURNS = 8
SHAPES = {1: (1 << 16,), 2: (256, 256), 3: (32, 32, 64), 4: (16, 16, 16, 16)}


def mesh_of(*sizes: int) -> Values:
    devices = np.array(jax.devices()[: np.prod(sizes)]).reshape(sizes)
    return jax.sharding.Mesh(devices, tuple("xyz"[: len(sizes)]))


@dataclass(frozen=True)
class Measured:
    """What a compiled program sends and takes, and what it gives."""

    counts: str
    received: float
    memory: float
    seconds: float
    result: Values


Way: TypeAlias = tuple[Callable[..., Values], Values]
"""A function, and its argument."""


def measured(ways: Mapping[str, Way], block: int) -> dict[str, Measured]:
    """All ways; the times are the best of some turns, in which each has one after the other."""
    programs = {name: jax.jit(do).lower(x).compile() for name, (do, x) in ways.items()}
    results = {name: programs[name](x) for name, (_, x) in ways.items()}
    times = dict.fromkeys(ways, math.inf)
    for _ in range(TURNS):
        for name, (_, x) in ways.items():
            start = time.perf_counter()
            jax.block_until_ready(programs[name](x))
            times[name] = min(times[name], time.perf_counter() - start)
    return {name: told(programs[name], block, times[name], results[name]) for name in ways}


def told(program: Values, block: int, seconds: float, result: Values) -> Measured:
    sent = gc.jax.traffic(program)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(sent.counts.items()))
    memory = program.memory_analysis().temp_size_in_bytes / block
    return Measured(counts or "nothing", sent.received / block, memory, seconds, result)


def line(what: str, m: Measured, error: str = "") -> None:
    cells = f"{m.counts} | {m.received:.2f} | {m.memory:.2f} | {m.seconds * 1e3:.1f}"
    print(f"| {what} | {cells} |{f' {error} |' if error else ''}", flush=True)


def heading(first: str, *more: str) -> None:
    titles = ["collectives", "blocks received", "memory in blocks", "ms", *more]
    print(f"\n| {first} | {' | '.join(titles)} |")
    print("| --- | --- |" + " ---: |" * (len(titles) - 1))


def noise(shape: int | tuple[int, ...]) -> Values:
    numbers = np.random.default_rng(0)
    return numbers.standard_normal(shape) + 1j * numbers.standard_normal(shape)


def error(found: Values, want: Values) -> str:
    if isinstance(found, gc.jax.Array):
        found = found.layout.gather(np.asarray(found.blocks))
    return f"{np.abs(np.asarray(found) - want).max() / np.abs(want).max():.1e}"


def transforms(sizes: list[int]) -> None:
    heading("transform", "error")
    for p in sizes:
        values = noise(1 << p)
        want = np.fft.fft(values)
        for devices in (8, 16):
            sharding = NamedSharding(mesh_of(devices), P("x"))
            x = jax.device_put(values.astype(np.complex64), sharding)
            cyclic = gc.Layout.cyclic(p, devices.bit_length() - 1)
            a, block = gc.jax.Array.from_array(x, cyclic), x.nbytes // devices
            ways: dict[str, Way] = {
                "jnp.fft.fft": (jnp.fft.fft, x),
                "gc.jax.fft, natural": (partial(gc.jax.fft, source=sharding), x),
                "gc.jax.fft, carried": (gc.jax.fft, a),
            }
            for name, m in measured(ways, block).items():
                line(f"2^{p} points on {devices}: {name}", m, error(m.result, want))


def cubes(lengths: list[int]) -> None:
    """Transforms along all three axes, over eight devices; that of jaxDecomp is transposed."""
    heading("transform", "error")
    for length in lengths:
        values = noise((length,) * 3)
        want = np.fft.fftn(values)
        sharding = NamedSharding(mesh_of(2, 4), P("x", "y"))
        x = jax.device_put(values.astype(np.complex64), sharding)
        a, block = gc.jax.Array.from_array(x), x.nbytes // 8
        ways: dict[str, Way] = {
            "jnp.fft.fftn": (jnp.fft.fftn, x),
            "gc.jax.fftn, natural": (partial(gc.jax.fftn, source=sharding), x),
            "gc.jax.fftn, carried": (gc.jax.fftn, a),
        }
        if find_spec("jaxdecomp"):
            import jaxdecomp  # noqa: PLC0415 - few have it

            ways["jaxDecomp"] = jaxdecomp.fft.pfft3d, x
        for name, m in measured(ways, block).items():
            expected = want.transpose(1, 2, 0) if name == "jaxDecomp" else want
            line(f"{length}^3 on 2 x 4: {name}", m, error(m.result, expected))


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
        ways = {way: (do, given) for way, do in ways_between(source, target).items()}
        for way, m in measured(ways, block).items():
            line(f"{names}: {way}", m)


def rounds() -> None:
    """From Gray to binary order all at once, and in the rounds of plans."""
    heading("from Gray to binary order")
    size = 1 << 18
    for n in (3, 4):
        sharding = NamedSharding(mesh_of(1 << n), P("x"))
        gray, binary = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n)
        x = jax.device_put(noise((1 << n, size)).astype(np.complex64), sharding)
        a, block = gc.jax.Array(x, gray, sharding), x.nbytes >> n
        at_once = partial(gc.jax.Array.relayout, target=binary)
        ways: dict[str, Way] = {"all at once": (at_once, a)}
        for ports in (1, "all"):
            machine = gc.Machine(n, ports, startup=1e-5, per_byte=1e-9)
            plan = gc.plan(gray, binary, size, itemsize=8, machine=machine)
            name = f"{plan.algorithm}: {plan.rounds} rounds, ports: {ports}"
            ways[name] = partial(at_once, plan=plan), a
        for name, m in measured(ways, block).items():
            line(f"{1 << n} devices, {name}", m)


def ways_between(source: Values, target: Values) -> dict[str, Callable[..., Values]]:
    return {
        "XLA": partial(jax.lax.with_sharding_constraint, shardings=target),
        "gc.jax.reshard": partial(gc.jax.reshard, target=target, source=source),
    }


def spec_of(rng: random.Random, names: tuple[str, ...], d: int) -> Values:
    """Each axis of the mesh on one of d axes of an array."""
    entries: list[list[str]] = [[] for _ in range(d)]
    for name in rng.sample(names, len(names)):
        rng.choice(entries).append(name)
    return P(*(tuple(entry) or None for entry in entries))


def pairs(count: int) -> None:
    """Random pairs of shardings of arrays of one to four axes, 2^16 elements each."""
    titles = "pairs", "gathers", "blocks: mean", "most", "memory: mean", "most", "ms: sum"
    print(f"\n| mesh, way | {' | '.join(titles)} |\n| --- |" + " ---: |" * len(titles))
    rng = random.Random(0)  # noqa: S311
    for sizes in MESHES:
        mesh, found = mesh_of(*sizes), defaultdict[str, list[Measured]](list)
        for _ in range(count // len(MESHES)):
            d = rng.randrange(1, 5)
            x = jnp.arange(1 << 16, dtype=jnp.float32).reshape(SHAPES[d])
            source, target = (
                NamedSharding(mesh, spec_of(rng, mesh.axis_names, d)) for _ in range(2)
            )
            given, block = jax.device_put(x, source), x.nbytes // mesh.size
            ways = {way: (do, given) for way, do in ways_between(source, target).items()}
            if (sizes, source.spec, target.spec) in FATAL:
                del ways["XLA"]
            for way, m in measured(ways, block).items():
                if (np.asarray(m.result) != np.asarray(x)).any():
                    raise AssertionError((way, source, target))
                found[way].append(replace(m, result=None))
        for way, made in found.items():
            gathers = sum("all-gather" in m.counts for m in made)
            received, memory = ([getattr(m, n) for m in made] for n in ("received", "memory"))
            cells = f"{len(made)} | {gathers} | {np.mean(received):.2f} | {max(received):.2f}"
            cells += f" | {np.mean(memory):.2f} | {max(memory):.2f}"
            milliseconds = sum(m.seconds for m in made) * 1e3
            print(f"| {sizes}, {way} | {cells} | {milliseconds:.0f} |", flush=True)


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("bits", nargs="*", type=int, default=[20])
    parser.add_argument("--pairs", type=int, default=200, metavar="COUNT")
    given = parser.parse_args()
    print(f"JAX {jax.__version__}, {jax.devices()[0].platform}")
    transforms(given.bits)
    cubes([64, 128])
    rounds()
    reshardings()
    pairs(given.pairs)


if __name__ == "__main__":
    main()
