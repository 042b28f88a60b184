"""Scans over ranks: results in all kinds of layouts, messages, one error for all."""

import numpy as np
from counting import Counting, sent
from mpi_checks import checks, one_error, over_messages
from random_butterflies import any_affine
from random_transforms import lone_layout, random_layout, uneven_layout

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, PeerError


def joined(x, y):
    """One map t -> a t + b after another: it matters which one is first."""
    a, b, c, d = x[..., 0], x[..., 1], y[..., 0], y[..., 1]
    return np.stack([a * c % 251, (b * c + d) % 251], axis=-1)


def over(comm, count):
    """Layouts of both kinds on as many nodes as there are ranks."""
    rng, made = np.random.default_rng(comm.size), 0
    for k in range(4000):
        layout = (random_layout, uneven_layout)[k % 2](rng, 20, 300)
        if k % 4 == 2:
            layout = any_affine(rng, layout)
        if k % 16 == 1:
            layout = lone_layout(rng, 40, comm.size)
        if layout.node_count == comm.size and made < count:
            made += 1
            yield layout, int(rng.integers(len(layout.shape))), made


def results(comm):
    """What one process gives, and NumPy."""
    for layout, axis, k in over(comm, 5 if comm.size == 4 else 10):
        x = np.random.default_rng(k).integers(0, 251, (*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        alone = gc.CubeArray.from_numpy(x, layout)
        options = {"exclusive": k % 2 == 0, "reverse": k % 3 == 0, "initial": [1, 0]}
        marks = np.random.default_rng(k).random(layout.shape) < 0.3
        cut, cut_alone = (
            gc.scan(joined, v, axis, segments=v.from_numpy(marks, layout, v.comm), **options)
            for v in (u, alone)
        )
        same = np.array_equal(cut.to_numpy(), cut_alone.to_numpy())
        yield same, f"segments along {axis}, {options} in {layout}"
        found = gc.scan(joined, u, axis, **options)
        wanted = gc.scan(joined, alone, axis, **options).to_numpy()
        yield found.layout == layout, f"the layout of {axis} in {layout}"
        yield np.array_equal(found.to_numpy(), wanted), f"{axis} {options} in {layout}"
        found = np.cumsum(u, axis).to_numpy()
        yield np.array_equal(found, np.cumsum(x, axis)), f"cumsum {axis} in {layout}"


def messages(comm):
    """A round for each dimension along the axis, an element a line, and nothing else."""
    counting = over_messages(Counting(comm.Dup()))
    n = comm.size.bit_length() - 1
    rounds = (comm.size - 1).bit_length()
    layouts = [gc.Layout.mesh((5 * comm.size - 2, 3), (comm.size, 1))]
    if 1 << n == comm.size:
        layouts += [gc.Layout.nodes(n, "gray"), gc.Layout.consecutive(n + 4, n, nodes="gray")]
    for layout in layouts:
        u = gc.CubeArray.from_function(lambda i, *_: i, layout, counting)
        for call in (lambda u=u: u.cumsum(0), lambda u=u: gc.scan(np.add, u, 0, reverse=True)):
            calls, found = sent(call)
            yield calls.pop("Iallreduce", 0) == 1, f"{calls} in {layout}"
            yield calls.pop("Sendrecv", 0) <= rounds and not calls, f"{calls} in {layout}"
        wanted = np.add.accumulate(np.indices(layout.shape)[0][::-1])[::-1]
        yield np.array_equal(found.to_numpy(), wanted), f"{layout}"
    counting.Free()


def records(comm):
    """Segments of cyclic data travel as records, whose size is that of no word."""
    own = over_messages(comm.Dup())
    layout = gc.Layout.mesh((8 * comm.size,), (comm.size,), allocation="cyclic")
    x = np.arange(64 * comm.size).reshape(-1, 8)
    u = gc.CubeArray.from_numpy(x, layout, own)
    marks = u.from_numpy(np.arange(len(x)) == 5, layout, own)
    wanted = np.concatenate([x[:5].cumsum(0), x[5:].cumsum(0)])
    found = gc.scan(np.add, u, 0, segments=marks).to_numpy()
    yield np.array_equal(found, wanted), f"{found}"
    own.Free()


def mistakes(comm):
    """What is wrong on one rank, also within the rounds, is raised on all."""
    last = comm.rank == comm.size - 1
    for layout in (
        gc.Layout.mesh((5 * comm.size - 2,), (comm.size,)),
        gc.Layout.mesh((4 * comm.size,), (comm.size,), allocation="cyclic"),
    ):
        u = gc.CubeArray.from_function(lambda i: i, layout, comm)
        shapes = []

        def fails(x, y, seen=shapes):
            seen.append(x.shape)
            if comm.rank == 0 and x.shape[-2:] != seen[0][-2:]:
                raise ArithmeticError("within")
            return x + y

        for call, kind, words in (
            (lambda u=u: u.cumsum(int(last)), Exception, "axis"),
            (
                lambda u=u: gc.scan(lambda x, y: x[last:] + y[last:], u, 0),
                Exception,
                "op gives",
            ),
            (lambda u=u, f=fails: gc.scan(f, u, 0), PeerError, "within"),
            (
                lambda u=u: gc.scan(np.add, u, 0, initial=int(last)),
                InvalidValueError,
                "initial is 0 on rank 0",
            ),
            (
                lambda u=u: gc.scan(np.add, u, 0, segments=None if last else 5),
                InvalidTypeError,
                "segments is a int",
            ),
        ):
            yield from one_error(comm, call, kind, words)
        length = layout.shape[0]
        found = u.cumsum().to_numpy()
        yield np.array_equal(found, np.cumsum(np.arange(length))), f"after errors in {layout}"


CHECKS = checks((2, 3, 4, 6, 8), results, messages, records, mistakes)
