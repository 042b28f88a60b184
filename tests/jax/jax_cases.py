"""Arrays on meshes of virtual devices, with random shardings."""

import re
from math import prod

import jax
import numpy as np

import graycube as gc
from graycube.gf2 import AffineMap, Matrix

P = jax.sharding.PartitionSpec
MESHES = (8,), (2, 4), (2, 2, 2), (16,), (4, 2, 2)


def mesh_of(sizes, *, explicit):
    """A mesh with axes a, b, c: of make_mesh, whose axes are explicit, or of Mesh."""
    names, devices = tuple("abc"[: len(sizes)]), jax.devices()[: np.prod(sizes)]
    if not explicit:
        return jax.sharding.Mesh(np.array(devices).reshape(sizes), names)
    kinds = (jax.sharding.AxisType.Explicit,) * len(sizes)
    return jax.make_mesh(sizes, names, axis_types=kinds, devices=devices)


def random_spec(rng, names, d, *, every=True):
    """Each axis of the mesh on an axis of the array; if not ``every``, some are not used."""
    chosen = rng.sample(names, len(names) if every else rng.randrange(len(names) + 1))
    entries = [[] for _ in range(d)]
    for name in chosen:
        rng.choice(entries).append(name)
    return P(*(tuple(entry) or None for entry in entries))


def put(x, mesh, spec):
    return jax.device_put(x, jax.sharding.NamedSharding(mesh, spec))


def compiled(function, *arguments):
    return jax.jit(function).lower(*arguments).compile()


def collectives(program):
    """How often each collective is there, and the bytes that a device receives."""
    found = gc.jax.traffic(program)
    return found.counts, found.received


def permutes(program):
    """The collective permutes of a compiled program: bytes, and pairs of source and target."""
    found = re.findall(
        r"= (\w+)\[([\d,]*)\]\S* collective-permute(?:-start)?\(.*source_target_pairs={(.*?)}}",
        program.as_text(),
    )
    sizes = {"c64": 8, "f32": 4, "s32": 4}
    for kind, lengths, pairs in found:
        count = prod(int(length) for length in lengths.split(",") if length)
        numbers = [int(number) for number in re.findall(r"\d+", pairs)]
        yield count * sizes[kind], list(zip(numbers[::2], numbers[1::2], strict=True))


def fitting_spec(rng, mesh, shape, *, every=True):
    """A random spec whose devices divide the axes."""
    while True:
        spec = random_spec(rng, mesh.axis_names, len(shape), every=every)
        counts = [prod(mesh.shape[name] for name in entry or ()) for entry in spec]
        if all(length % count == 0 for length, count in zip(shape, counts, strict=True)):
            return spec


def random_layout(rng, shape, n):
    """A mesh of 2^n nodes: cyclic or not, in Gray or binary code, or one as a whole."""
    nodes = [1] * len(shape)
    for _ in range(n):
        roomy = [k for k, m in enumerate(nodes) if shape[k] % (2 * m) == 0]
        nodes[rng.choice(roomy)] *= 2
    if len(shape) == 1 and shape[0] & shape[0] - 1 == 0 and rng.random() < 0.3:
        kind = rng.choice([gc.Layout.cyclic, gc.Layout.consecutive])
        return kind(shape[0].bit_length() - 1, n, whole="gray")
    code, slots = (rng.choice(["gray", "binary"]) for _ in range(2))
    dealt = rng.random() < 0.5  # where stretches are made of it by moving bits
    allocation = [
        "cyclic"
        if dealt and (length % m**2 == 0 or length & (length - 1) == 0)
        else "consecutive"
        for length, m in zip(shape, nodes, strict=True)
    ]
    given = {"code": code, "slots": slots, "allocation": allocation}
    made = gc.Layout.mesh(shape, nodes, ownership=False, **given)
    if len(shape) > 1 or shape[0] & (shape[0] - 1):
        return made
    flipped = rng.randrange(1 << made.p)
    return made @ AffineMap(Matrix.identity(made.p), flipped)
