"""On a graphics card: what one does beside ``jnp``, and what a program for eight consists of.

    python benchmarks/jax_cards.py one   [--bits 26] [--length 512]
    python benchmarks/jax_cards.py eight [--bits 26] [--length 256]

``one`` has all of the array on one card, where nothing should be lost to JAX's own function;
permutations are beside a copy, and beside an index. ``eight`` needs one card, too. XLA
compiles for eight and leaves the others out: what is sent, and the memory, are those of eight
cards; the time is that of a card's own work, without any exchange.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_gpu_shard_autotuning=false --xla_gpu_autotune_level=0"

import random
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

import graycube as gc
from graycube.gf2 import Matrix, gray_matrix

Values: TypeAlias = Any
"""An array of JAX, a compiled program or a sharding."""
Ways: TypeAlias = Mapping[str, Callable[..., Values]]
P = jax.sharding.PartitionSpec
TURNS = 15


def on_mesh(*sizes: int, spec: Values) -> Values:
    devices = np.array(jax.devices()[: prod(sizes)]).reshape(sizes)
    mesh = jax.sharding.Mesh(devices, tuple("xyz"[: len(sizes)]))
    return jax.sharding.NamedSharding(mesh, spec)


def times(programs: Mapping[str, Values], *given: Values) -> dict[str, list[float]]:
    """In milliseconds, of each in turn."""
    found: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(TURNS + 2):
        for name, program in programs.items():
            start = time.perf_counter()
            jax.block_until_ready(program(*given))
            if turn > 1:
                found[name].append((time.perf_counter() - start) * 1e3)
    return found


def told(what: str, programs: Mapping[str, Values], block: int, *given: Values) -> None:
    """A line for each way: what it sends and takes, in blocks, and how long it runs."""
    for name, taken in times(programs, *given).items():
        sent = gc.jax.traffic(programs[name])
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(sent.counts.items()))
        memory = programs[name].memory_analysis().temp_size_in_bytes / block
        low, middle, high = np.percentile(taken, (25, 50, 75))
        cells = f"{counts or 'nothing'} | {sent.received / block:.2f} | {memory:.2f}"
        print(
            f"| {what}: {name} | {cells} | {middle:.3f} | {low:.3f} to {high:.3f} |", flush=True
        )


def heading(first: str) -> None:
    print(
        f"\n| {first} | collectives | blocks received | memory in blocks | ms | middle half |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: |")


def one(bits: int, length: int) -> None:
    """Each way of the same, with its result compared."""
    heading("on one card")

    def line(what: str, x: Values, ways: Ways, *more: Values) -> None:
        compiled = {}
        for name, do in ways.items():
            start = time.perf_counter()
            compiled[name] = jax.jit(do).lower(x, *more).compile()
            seconds = time.perf_counter() - start
            print(f"{what}: {name}: compiled in {seconds:.1f} s", file=sys.stderr, flush=True)
        first, *others = (np.asarray(program(x, *more)) for program in compiled.values())
        told(what, compiled, x.nbytes, x, *more)
        for other in others:
            error = np.abs(other - first).max() / np.abs(first).max()
            if not error < 1e-5:
                raise AssertionError((what, error))

    def noise(shape: tuple[int, ...], dtype: str, where: Values) -> Values:
        return jax.device_put(jax.random.normal(jax.random.key(0), shape, dtype), where)

    x_only = on_mesh(1, spec=P("x"))
    for name, dtype in (
        ("fft", "complex64"),
        ("cumsum", "float32"),
        ("sort", "float32"),
        ("argsort", "float32"),
    ):
        ways = both(name, x_only)
        points = noise((1 << bits,), dtype, x_only)
        if name == "cumsum":  # of whole numbers, so that the order of sums does not show
            points = jnp.round(points)
        line(f"{name}, 2^{bits} points", points, ways)
    for name, dtype in (("fftn", "complex64"), ("rfftn", "float32")):
        line(f"{name}, {length}^3", noise((length,) * 3, dtype, x_only), both(name, x_only))
    points, zero = noise((1 << bits,), "float32", x_only), jnp.uint32(0)
    line("copy", points, {"x + 1": lambda x: x + 1})
    for name, map_ in maps(bits).items():
        line(
            f"permute, {name}",
            points,
            {
                "x[inverse(index)]": indexed(map_.inverse()),
                "gc.jax": lambda x, _, map_=map_: gc.jax.permute(x, map_, source=x_only),
            },
            zero,
        )


def both(name: str, where: Values) -> Ways:
    """JAX's function and graycube's."""
    jaxs = getattr(jnp.fft, name, None) or getattr(jnp, name)
    ours = getattr(gc.jax, name)
    return {"jnp": jaxs, "gc.jax": lambda x: ours(x, source=where)}


def maps(bits: int) -> dict[str, Matrix]:
    rng = random.Random(0)  # noqa: S311
    anything = Matrix(tuple(1 << k for k in range(bits)), bits)
    for _ in range(20 * bits):  # shears, until nothing of the identity is left
        a, b = rng.sample(range(bits), 2)
        columns = [1 << k for k in range(bits)]
        columns[a] |= 1 << b
        anything = Matrix(tuple(columns), bits) @ anything
    return {
        "bit reversal": Matrix.permutation(range(bits)[::-1]),
        "transpose": Matrix.permutation([(k + bits // 2) % bits for k in range(bits)]),
        "8 by 2^k by 8": Matrix.permutation(
            [*range(bits - 3, bits), *range(3, bits - 3), 0, 1, 2]
        ),
        "Gray code": gray_matrix(bits),
        "its inverse": gray_matrix(bits).inverse(),
        "any map": anything,
    }


def indexed(map_: Matrix) -> Callable[..., Values]:
    """One line of JAX: an index for each element, counted on the card."""

    def taken(x: Values, zero: Values) -> Values:  # zero: else XLA counts while it compiles
        index = jax.lax.iota(jnp.uint32, len(x)) + zero
        places = jnp.zeros_like(index)
        for k, column in enumerate(map_.columns):
            places ^= (index >> k & 1) * jnp.uint32(column)
        return x.at[places].get(mode="promise_in_bounds", unique_indices=True)

    return taken


def eight(bits: int, length: int) -> None:
    """Programs for eight cards, of which one is here."""
    heading("for eight cards")
    row, plane = on_mesh(8, spec=P("x")), on_mesh(2, 4, spec=P("x", "y"))
    ring = (1 << bits,)
    for name, shape, dtype, where in (
        ("fft", ring, "complex64", row),
        ("fftn", (length,) * 3, "complex64", plane),
        ("rfftn", (length,) * 3, "float32", plane),
        ("sort", ring, "float32", row),
        ("argsort", ring, "float32", row),
        ("hadamard", ring, "float32", row),
        ("cumsum", ring, "float32", row),
    ):
        part = jnp.ones(where.shard_shape(shape), dtype)
        x = jax.make_array_from_single_device_arrays(shape, where, [part])
        ways = both(name, where) if name != "hadamard" else {}
        ways = ways or {"gc.jax": lambda x: gc.jax.hadamard(x, source=row)}
        for way, do in ways.items():
            start = time.perf_counter()
            program = jax.jit(do).lower(x).compile()
            seconds = time.perf_counter() - start
            told(name, {f"{way}, compiled in {seconds:.1f} s": program}, part.nbytes, x)


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("cards", choices=["one", "eight"])
    parser.add_argument("--bits", type=int, default=26)
    parser.add_argument("--length", type=int, default=512)
    given = parser.parse_args()
    if given.cards == "eight":
        jax.config.update("jax_mock_gpu_topology", "1x8x1")
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}")
    (one if given.cards == "one" else eight)(given.bits, given.length)


if __name__ == "__main__":
    main()
