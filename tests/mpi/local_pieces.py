"""The piece of a rank: where it is, taken out, put back, and made into an array."""

import re
from functools import partial

import numpy as np
from mpi_checks import checks, one_error, raised
from numpy_cases import layouts

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError, OutOfRangeError

POINTS = (
    np.s_[[1, 3], [2, 4]],
    np.s_[[1, 3]],
    np.s_[[[0], [-1]], [2, 4], 1],
    np.s_[[0, 5], ..., [1, 0]],
    np.s_[2, :, [1, 0]],
    np.s_[np.array([1, 3]), ::-2],
)


def pieces(comm):
    """What a rank has is where its slices say; views are written through, copies are not."""
    for layout in layouts(comm.size.bit_length() - 1):
        x = np.random.default_rng(1).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        yield np.array_equal(u.local, x[u.ix]), f"ix of {layout}"
        yield np.array_equal(x[u.slices], x[u.ix]), f"slices of {layout}"
        made = gc.CubeArray.from_local(x[u.slices], layout, comm)
        yield np.array_equal(made.blocks, u.blocks), f"from_local {layout}"
        made.set_local(u.local * 2)
        yield np.array_equal(made.to_numpy(), 2 * x), f"set_local {layout}"
        if made.local.flags.writeable:
            made.local[...] *= 2
            yield np.array_equal(made.to_numpy(), 4 * x), f"a view in {layout}"
        mean = u.mean(axis=0)
        again = gc.CubeArray.from_local(mean.local, mean.layout, comm)
        yield np.array_equal(again.to_numpy(), mean.to_numpy()), f"copies {mean.layout}"


def views(comm):
    """With lengths that are powers of two, pieces of meshes are views."""
    for place in ("consecutive", "cyclic"):
        layout = gc.Layout.mesh((16, 8), (comm.size, 1), code="gray", allocation=place)
        u = gc.CubeArray.from_numpy(np.zeros((16, 8)), layout, comm)
        if comm.size > 1:
            yield u.local.flags.writeable, f"{layout}"
            u.local[0, 0] = 1
            yield u.sum() == comm.size, f"{layout}"
    yield True, "in one process there is no view"


def mistakes(comm):
    """A piece of another shape on one rank is an error on all."""
    layout = gc.Layout.mesh((16, 8), (comm.size, 1))
    shape = (16 // comm.size, 8 + (comm.rank == comm.size - 1))
    made = partial(gc.CubeArray.from_local, np.zeros(shape), layout, comm)
    yield from one_error(comm, made, InvalidValueError)


def masks(comm):
    """What errors say to write for elements where a mask is true finds them, with copies."""
    for layout in layouts(comm.size.bit_length() - 1):
        x = np.random.default_rng(1).standard_normal(layout.shape)
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for a, whole in ((u, x), (u.max(axis=0), x.max(axis=0))):
            names = {"u": a, "mask": a > 0.3}
            places = r"\[i\.read.*?\(\)\]", np.nonzero(whole > 0.3)
            for call, (line, wanted) in (
                (lambda n=names: n["u"][n["mask"]], (r"u\.read\[mask\]", whole[whole > 0.3])),
                (lambda n=names: np.where(n["mask"]), places),
                (lambda n=names: np.nonzero(n["mask"]), places),
            ):
                hint = raised(call).hint
                found = eval(re.search(line, hint)[0], names)  # noqa: S307 - of our own making
                yield np.array_equal(found, wanted), f"{hint} in {a.layout}"


def tables(comm):
    """What the error says to write looks up numbers or vectors in a table."""
    draw = np.random.default_rng(2)
    for layout in layouts(comm.size.bit_length() - 1):
        x = draw.integers(-7, 7, layout.shape)
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for a, whole in ((u, x), (u.max(axis=0), x.max(axis=0)), (gc.stack([u, u]), None)):
            for table in (draw.standard_normal(7), draw.standard_normal((7, 3))):
                index = np.stack([x, x], axis=-1) if whole is None else whole
                line = "u.with_blocks(table[u.blocks])"
                for call in (lambda t=table, a=a: t[a], lambda t=table, a=a: np.take(t, a)):
                    if comm.size > 1:
                        yield line in raised(call).hint, f"{raised(call)}"
                made = eval(line, {"u": a, "table": table})  # noqa: S307 - of our own making
                yield np.array_equal(made.to_numpy(), table[index]), f"a table in {a.layout}"


def plots(comm):
    """What matplotlib asks for on one rank is an error there; it does not wait for others."""
    x = np.arange(16.0)
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh((16,), (comm.size,)), comm)
    if comm.rank == 0:
        from matplotlib.figure import Figure  # noqa: PLC0415 - other ranks do without

        axes = Figure().subplots()
        error = raised(lambda: axes.plot(u))
        if comm.size == 1:
            yield error is None and np.array_equal(axes.lines[0].get_ydata(), x), f"{error!r}"
        else:
            yield isinstance(error, InvalidTypeError), f"{error!r}"
            yield "matplotlib asks" in str(error), f"{error}"
            yield isinstance(raised(lambda: axes.imshow(u)), InvalidTypeError), "imshow"
    whole = u.to_numpy()
    yield np.array_equal(whole, x), "all ranks ask"


def boxes(comm):
    """Every rank reads the same box, of components and copies too; a wrong one fails on all."""
    for layout in layouts(comm.size.bit_length() - 1):
        x = np.random.default_rng(1).standard_normal((*layout.shape, 2))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for box in (np.s_[1], np.s_[-1, ...], np.s_[0:3, ..., 1], np.s_[..., None]):
            yield np.array_equal(u.read[box], x[box]), f"{box} of {layout}"
        for box in POINTS:
            yield np.array_equal(u.read[box], x[box]), f"{box} of {layout}"
            made, wanted = u.copy(), x.copy()
            made[box] = wanted[box] = 7 + np.arange(x[box].size).reshape(x[box].shape)
            yield np.array_equal(made.to_numpy(), wanted), f"{box} of {layout}, written"
        for limit in (0, x.max()):
            for of in (np.s_[...], np.s_[..., 0]):
                found, wanted = u.read[u[of] > limit], x[x[of] > limit]
                yield np.array_equal(found, wanted), f"above {limit} in {layout}"
        top = u.max(axis=0)
        found, wanted = top.read[top > 1], x.max(axis=0)
        yield np.array_equal(found, wanted[wanted > 1]), f"a mask of copies {top.layout}"
        yield np.array_equal(top.read[0], x.max(axis=0)[0]), f"copies {top.layout}"
        top[[0, -1], [1, 0]] = [5, 6]
        yield top.read[[0, -1], [1, 0]].tolist() == [5, 6], f"copies {top.layout}, written"
    last = comm.rank == comm.size - 1
    yield from one_error(comm, lambda: u.read[99 if last else 0], OutOfRangeError)
    other = gc.CubeArray.from_numpy(x > 0, u.layout)  # of one process
    for wrong in (u, *[other] * (comm.size > 1)):
        read = partial(u.read.__getitem__, wrong if last else u > 0)
        yield from one_error(comm, read, InvalidValueError)
    read = partial(u.read.__getitem__, [99] if last else u > 0)
    yield from one_error(comm, read, OutOfRangeError)
    many = np.arange(3000) % 5
    many[1500] = int(last)  # where what NumPy prints of it has dots
    if comm.size > 1:
        for wrong in (([0], [int(last)]), many):
            read = partial(u.read.__getitem__, wrong)
            yield from one_error(comm, read, InvalidValueError, "index")


CHECKS = checks((1, 2, 4, 8), pieces, views, mistakes, masks, tables, plots, boxes)
