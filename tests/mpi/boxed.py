"""Transforms by ownership, called and bound: NumPy's numbers, in the layouts of one process."""

import numpy as np
from contents import noise
from mpi_checks import carry_out, checks
from uneven_cases import uneven

import graycube as gc
from graycube.fourier.choice import Wanted, legs_of
from graycube.run.windows import windows


def layouts(ranks):
    """Boxes in two and three axes, cyclic and Gray-coded ones, and empty ones."""
    yield from uneven(ranks)
    mesh = gc.Layout.mesh
    yield mesh((5, 2 * ranks + 1, 6), (1, ranks, 1), ownership=True)
    yield mesh((2 * ranks, 3, 4), (ranks, 1, 1), allocation="cyclic", ownership=True)
    yield mesh((ranks - 1, 7), (ranks, 1), ownership=True)
    if ranks % 2 == 0:
        code = ("gray", "binary", "binary")
        yield mesh((9, ranks + 1, 10), (2, 1, ranks // 2), code=code, ownership=True)


def calls(shape):
    """Functions, what they are given, and what NumPy's of that name are."""
    d = len(shape)
    axes = tuple(range(d))
    some, more = axes[::-2], tuple(n + 3 for n in shape)
    mixed = tuple(n + (-1) ** k * (n // 2) for k, n in enumerate(shape))
    for order in ({}, {"order": "natural"}):
        yield "fftn", "c16", {"axes": axes, **order}
        yield "ifftn", "f4", {"axes": axes, "norm": "ortho", **order}
        yield "rfftn", "f8", {"axes": axes, **order}
        yield "irfftn", "c16", {"axes": axes, "s": (*shape[:-1], 2 * shape[-1] - 1), **order}
    yield "fftn", "f8", {"axes": axes, "s": more}
    yield "ifftn", "c8", {"axes": axes, "s": mixed, "order": "natural"}
    yield "rfftn", "i4", {"axes": axes[::-1], "s": mixed[::-1]}
    yield "rfftn", "f8", {"axes": some, "s": tuple(more[k] for k in some), "norm": "forward"}
    yield "irfftn", "c16", {"axes": axes, "s": mixed}
    yield "irfftn", "c16", {"axes": axes[::-1], "s": more[::-1], "norm": "forward"}
    yield "fftn", "c16", {"axes": (0, 0)}
    yield "rfft", "f4", {"axis": 0}
    yield "irfft", "c16", {"axis": d - 1, "n": 5}
    yield "fft", "c16", {"axis": 0, "n": 4}


def wanted(name, x, options):
    """What NumPy makes of it, in double precision."""
    given = {key: value for key, value in options.items() if key != "order"}
    if x.dtype.kind == "c" or name != "fftn":
        x = x.astype("c16" if x.dtype.kind == "c" else "f8")
    return getattr(np.fft, name)(x, **given)


def close(found, expected, dtype):
    """Equal, but for rounding."""
    most = 1e-4 if dtype in {"f4", "c8"} else 1e-11
    scale = max(np.abs(expected).max(), 1)
    return found.shape == expected.shape and np.abs(found - expected).max() < most * scale


def as_numpy(comm):
    """Called and bound twice, with and without payload; where they end in one process too."""
    taking = 3 if comm.size == 3 and not windows(comm) else 1  # messages know no transforms
    for number, layout in enumerate(layouts(comm.size)):
        some = [*enumerate(calls(layout.shape))]
        for k, (name, dtype, options) in some[number % taking :: taking]:
            payload = ((), (3,))[(number + k) % 2]
            what = f"{name} of {dtype} in {layout}, {options}"
            ours = getattr(gc, name)
            x = noise((*layout.shape, *payload), dtype)
            a = gc.CubeArray.from_numpy(x, layout, comm)
            found = ours(a, **options)
            alone = ours(gc.CubeArray.from_numpy(x, layout), **options)
            expected = wanted(name, x, options)
            yield found.layout == alone.layout, f"{what}: {found.layout}, not {alone.layout}"
            yield found.dtype == alone.dtype, f"{what}: {found.dtype}"
            yield close(found.to_numpy(), expected, dtype), what
            yield close(alone.to_numpy(), expected, dtype), f"{what}, in one process"
            yield np.array_equal(a.to_numpy(), x), f"{what}: it was changed"
            bound = gc.bind(ours, a, **options)
            for seed in (1, 2):
                x = noise((*layout.shape, *payload), dtype, seed)
                a.set_local(x[layout.piece(a.nodes).slices])
                again = bound.run().to_numpy()
                yield close(again, wanted(name, x, options), dtype), f"{what}, run {seed}"


def made_of_legs(comm):
    """So are all, unless an axis has to stay over its nodes."""
    complex_ = np.dtype(complex)
    for shape, nodes, there in (
        ((9, 5), (comm.size, 1), True),
        ((8 * comm.size, 9), (1, comm.size), True),
        ((9,), (comm.size,), False),
        ((1, 9), (1, comm.size), False),
    ):
        layout = gc.Layout.mesh(shape, nodes, ownership=True)
        axes = tuple(range(len(shape)))
        for real in (False, True):
            legs = legs_of(layout, complex_, range(1), Wanted(axes, shape, real=real))
            yield (legs is not None) == there, f"{shape} on {nodes}: {legs}"
        a = gc.CubeArray.from_numpy(noise(shape, "f8"), layout, comm)
        yield (gc.bind(gc.rfftn, a)._program is not None) == there, f"bound, {shape}"


def with_copies(comm):
    """What is replicated stays so, and each of its ranks has all that it should."""
    x = noise((6, 3 * comm.size, 5), "f8")
    layout = gc.Layout.mesh(x.shape, (1, comm.size, 1), ownership=True)
    u = gc.CubeArray.from_numpy(x, layout, comm).mean(axis=1)
    for name in ("fftn", "rfftn"):
        bound = gc.bind(getattr(gc, name), u)
        expected = getattr(np.fft, name)(x.mean(axis=1))
        for found in (getattr(gc, name)(u), bound.run()):
            yield found.layout.copy_count == comm.size, f"{found.layout}"
            yield close(found.blocks.reshape(expected.shape), expected, "f8"), name


def redistributions(comm):
    """Bound from one layout by ownership to another."""
    kinds = [layout for layout in layouts(comm.size) if layout.shape == (9, 10)]
    kinds += [gc.Layout.mesh((9, 10), (1, comm.size), ownership=True)]
    x = noise((9, 10), "f8")
    for layout in kinds:
        for target in kinds:
            a = gc.CubeArray.from_numpy(x, layout, comm)
            bound = gc.bind(gc.CubeArray.relayout, a, target)
            yield bound.result.layout == target, f"{layout} -> {target}"
            a.blocks[...] += 1
            yield np.array_equal(bound.run().to_numpy(), x + 1), f"{layout} -> {target}"


def rolls(comm):
    """Around the ends, by any number of places."""
    for layout in layouts(comm.size):
        x = noise(layout.shape, "f8")
        a = gc.CubeArray.from_numpy(x, layout, comm)
        for steps in (1, -2, 7):
            axes = tuple(range(x.ndim))
            found = np.roll(a, (steps,) * x.ndim, axes)
            yield (
                np.array_equal(found.to_numpy(), np.roll(x, (steps,) * x.ndim, axes)),
                f"{layout}",
            )


CHECKS = checks((2, 3, 4, 6), as_numpy, made_of_legs, with_copies, redistributions, rolls)

if __name__ == "__main__":
    carry_out({name: check for name, (check, _) in CHECKS.items()})
