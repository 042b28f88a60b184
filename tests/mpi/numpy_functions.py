"""NumPy's functions over ranks: NumPy's results, few messages, one error for all.

A communicator that counts what is called on it and on its duplicates shows what is sent.
"""

import tempfile
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import scipy.fft
import scipy.ndimage
from counting import GIVEN, Counting, sent
from deposits import added_back
from mpi_checks import checks, one_error, over_messages, raised, size_of
from numpy_cases import (
    BROADCASTS,
    CASES,
    MOVES,
    QUIET,
    alike,
    layouts,
    operands,
    plain,
    squares,
    written,
)

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError, OutOfRangeError


def spread(comm, layout):
    """The operands of the cases over the ranks, and whole."""
    whole = operands(layout)
    return [gc.CubeArray.from_numpy(x, layout, comm) for x in whole], whole


def results(comm):
    """Each function gives what NumPy gives, in one of the layouts."""
    kinds = [*layouts(size_of(comm))]
    for k, layout in enumerate(kinds):
        over, alone = spread(comm, layout)
        for name, call in [*CASES.items()][k :: len(kinds)]:
            wrong = alike(call, over, alone)
            yield not wrong, f"{name} in {layout}: {wrong}"


def everywhere_the_same(comm):
    """The copies of a result are the same on all ranks, to the last bit, as in one process."""
    for layout in layouts(size_of(comm)):
        over, whole = spread(comm, layout)
        alone = [gc.CubeArray.from_numpy(x, layout) for x in whole]
        for name, axis in product(("sum", "mean", "std", "max"), (None, 0, 1)):
            found, wanted = (
                getattr(x[0], name)(axis=axis, keepdims=True) for x in (over, alone)
            )
            here = wanted.blocks[comm.rank : comm.rank + 1]
            yield found.layout == wanted.layout, f"{name} {axis} in {layout}"
            yield found.blocks.tobytes() == here.tobytes(), f"{name} {axis} in {layout}"
            yield np.array_equal(plain(found), plain(wanted)), f"{name} {axis} in {layout}"


def nothing_is_sent(comm):
    """Elementwise functions, broadcasts and those of the payload send nothing at all."""
    counting = over_messages(Counting(comm.Dup()))
    for layout in layouts(size_of(comm)):
        over, _ = spread(counting, layout)
        for name, call in QUIET.items():
            with warnings.catch_warnings(action="ignore"):
                calls, _ = sent(lambda call=call, over=over: call(*over))
            yield not calls, f"{name} in {layout}: {calls}"
        means = [over[0].mean(axis, keepdims=True) for axis in (0, 1, (0, 1))]
        for mean in means:
            calls, _ = sent(lambda mean=mean, u=over[0]: u - mean)
            yield not calls, f"a broadcast in {layout}: {calls}"
        calls, _ = sent(lambda u=over[0], m=means: squares(u) * u + m[0] - m[1])
        yield not calls, f"thin arrays in {layout}: {calls}"
    yield sum(sent(over[0].to_numpy)[0].values()) > 0, "the counter counts nothing"


def reductions_send_little(comm):
    """A reduction sends one message for each cube dimension of its axes, and agrees once.

    Along the payload alone it sends nothing at all.
    """
    counting = over_messages(Counting(comm.Dup()))
    n = size_of(comm)
    for layout in layouts(n):
        over, _ = spread(counting, layout)
        for x, axis in product(over[:3:2], (None, 0, 1, (0, 1))):
            axes = (0, 1) if axis is None else axis if isinstance(axis, tuple) else (axis,)
            copies = layout.without_axes(axes, keepdims=True).copies
            calls, _ = sent(lambda x=x, axis=axis: x.sum(axis))
            wanted = {"Sendrecv": copies, "Iallreduce": 1}
            yield calls == {k: v for k, v in wanted.items() if v}, f"{axis} {layout}: {calls}"
        calls, _ = sent(lambda v=over[2]: v.sum(axis=-1))
        yield not calls, f"the payload of {layout}: {calls}"


def rolls_send_what_leaves(comm):
    """A roll by one sends at most to two other ranks along an axis, and gathers nothing."""
    counting = over_messages(Counting(comm.Dup()))
    n = size_of(comm)
    layout = gc.Layout.mesh((16 << n, 3), (1 << n, 1), code="gray", ownership=False)
    u = gc.CubeArray.from_numpy(operands(layout)[0], layout, counting)
    for step, most in ((1, 1), (-3, 1), (16, 1), (17, 2)):
        calls, _ = sent(lambda step=step: np.roll(u, step, axis=0))
        yield {*calls} <= {"Send_init", "Iallreduce"}, f"{step}: {calls}"
        yield calls.get("Send_init", 0) <= most, f"{step}: {calls}"
    for name, call in MOVES.items():
        over, _ = spread(counting, next(layouts(n)))
        with warnings.catch_warnings(action="ignore"):
            calls, _ = sent(lambda call=call, over=over: call(*over))
        by_index = name == "rows by a column"  # few keys go to all, and rows to who asks
        asked = {"Allgather", "Alltoall", "Alltoallv"} if by_index else set()
        yield {*calls} <= {"Send_init", "Iallreduce"} | asked, f"{name}: {calls}"


def no_more_rows_are_sent_than_leave(comm):
    """What is chosen, joined or differenced along the axis that is spread, counted in rows."""
    layout = gc.Layout.mesh((16 * comm.size, 6), (comm.size, 1))
    end, others = 16 * comm.size - 1, comm.size - 1
    first, last = comm.rank == 0, comm.rank == others
    for name, call, rows in (
        ("gradient", lambda u: np.gradient(u, axis=0), 2 - first - last),
        ("the other gradient", lambda u: np.gradient(u, axis=1), 0),
        ("diff", lambda u: np.diff(u, axis=0), 1 - first),
        ("flip", lambda u: np.flip(u, 0), 16),
        ("take", lambda u: np.take(u, end, axis=0), others * last),
        ("take some", lambda u: np.take(u, [5, 0], axis=1), 0),
        ("pad", lambda u: np.pad(u, ((0, comm.size), (0, 0))), comm.rank),
        ("concatenate", lambda u: np.concatenate([u, u], axis=1), 0),
        ("one more", lambda u: np.concatenate([u, u[:]]), 32 - 16 * (first + last)),
        ("trapezoid", np.trapezoid, 0),
        ("a row", lambda u: u.__setitem__(end, 7), 0),
    ):
        counting = over_messages(Counting(comm.Dup()))
        u = gc.CubeArray.from_numpy(operands(layout)[0], layout, counting)
        sent(lambda call=call, u=u: call(u))
        found = sum(args[0][0].nbytes for what, args in GIVEN if what == "Send_init")
        yield found == rows * 6 * u.itemsize, f"{name}: {found} bytes, and {rows} rows leave"


def rings_within_a_node(comm):
    """What is added beside the ends of an axis that is on one node comes back around."""
    x = np.arange(8 * comm.size * 6).reshape(8 * comm.size, 6)
    u = gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (comm.size, 1)), comm)
    found, wanted, empty = added_back(u, x, 1, corners=True)
    yield empty and np.array_equal(found.to_numpy(), wanted), f"{u.layout}"


def copies_are_one_array(comm):
    """Arrays with copies: files, relayouts, transforms and sums take one copy."""
    n = size_of(comm)
    for layout in layouts(n):
        over, whole = spread(comm, layout)
        for axis in (0, 1):
            u, x = over[0].sum(axis, keepdims=True), whole[0].sum(axis, keepdims=True)
            yield np.isclose(u.sum(), x.sum()), f"the sum in {u.layout}"
            again = gc.CubeArray.from_numpy(plain(u), u.layout, comm)
            yield np.array_equal(again.blocks, u.blocks), f"from_numpy {u.layout}"
            given = plain(u)
            sent_on = gc.CubeArray.scatter(given if comm.rank == 0 else None, u.layout, comm)
            yield np.array_equal(sent_on.blocks, u.blocks), f"scatter {u.layout}"
            flat = gc.Layout.mesh(
                x.shape, [comm.size if k != axis else 1 for k in (0, 1)], ownership=False
            )
            apart = u.relayout(flat)
            yield np.allclose(plain(apart), x), f"{u.layout} -> {flat}"
            back = apart.relayout(u.layout)
            yield np.array_equal(back.blocks, u.blocks), f"{flat} -> {u.layout}"
            rolled = np.roll(u, 3, 1 - axis)
            yield np.allclose(plain(rolled), np.roll(x, 3, 1 - axis)), f"roll {u.layout}"


def saved(comm):
    """A file of an array with copies is that of the array."""
    folder = Path(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
    for layout in layouts(size_of(comm)):
        over, whole = spread(comm, layout)
        u = over[2].max(axis=0)
        u.save(folder / "x.npy")
        yield np.array_equal(np.load(folder / "x.npy"), whole[2].max(axis=0)), f"{layout}"
        found = gc.CubeArray.load(folder / "x.npy", u.layout, comm)
        yield np.array_equal(found.blocks, u.blocks), f"load {layout}"
        comm.Barrier()
    if comm.rank == 0:
        (folder / "x.npy").unlink()
        folder.rmdir()


def reproducible_sums(comm):
    """Sums that are the same on any number of ranks: those of one process with one node."""
    n = size_of(comm)
    draw = np.random.default_rng(3)
    for layout in layouts(n):
        x = draw.standard_normal(layout.shape) * 10.0 ** draw.integers(-12, 12, layout.shape)
        one = gc.CubeArray.from_numpy(x, gc.Layout.mesh(layout.shape, (1, 1), ownership=False))
        u = gc.CubeArray.from_numpy(x, layout, comm)
        for axis in (None, 0, 1):
            found, wanted = (plain(a.sum(axis, reproducible=True)) for a in (u, one))
            yield found.tobytes() == wanted.tobytes(), f"{axis} in {layout}"


def new_axes(comm):
    """Axes of length 1 behind a layout fit axes of another, as in NumPy; nothing is sent."""
    counting = over_messages(Counting(comm.Dup()))
    draw = np.random.default_rng(5)
    shapes = ((8, 16, 24), False), ((24, 8), False), ((9, 5, 7), True), ((9, 8), True)
    for (shape, boxes), payload in product(shapes, ((), (3,))):
        x, d = draw.standard_normal((*shape, *payload)), len(shape)
        for axis in range(d):
            nodes = [comm.size if k == axis else 1 for k in range(d)]
            layout = gc.Layout.mesh(shape, nodes, ownership=boxes)
            u = gc.CubeArray.from_numpy(x, layout, counting)
            pairs = [(u, x)] if d < 3 else [(u, x), (u.max(axis=0), x.max(axis=0))]
            for (a, whole), count in product(pairs, range(1, d)):
                axes = len(a.layout.shape)
                if count < axes:
                    yield from with_new_axes(a, whole, tuple(range(axes - count, axes)))


def with_new_axes(a, x, gone):
    """What is made of an array, and of its mean along its last axes."""
    mean, whole = a.mean(axis=gone), x.mean(axis=gone)
    index = (*(slice(None),) * gone[0], *(None,) * len(gone))
    for name, call in {
        "less": lambda x, m: x - m[index],
        "more": lambda x, m: np.expand_dims(m, gone) * x,
        "in place": lambda x, m: np.add(x, m[index], out=np.copy(x)),
        "written": lambda x, m: written(x, ..., m[index]),
        "where": lambda x, m: np.where(x > m[index], x, 0),
    }.items():
        calls, found = sent(lambda call=call: call(a, mean))
        yield not calls, f"{name} in {a.layout}: {calls}"
        yield found.layout == a.layout, f"{name} in {a.layout}: {found.layout}"
        same = np.allclose(plain(found), call(x, whole))
        yield same, f"{name} along {gone} in {a.layout}"


def mistakes(comm):
    """What is wrong is one error on all ranks, and names what works."""
    n = size_of(comm)
    layout = gc.Layout.mesh((8, 8), (1 << n, 1))
    u = gc.CubeArray.from_numpy(operands(layout)[0], layout, comm)
    last = comm.rank == comm.size - 1
    other = gc.CubeArray(u.blocks, gc.Layout.mesh((8, 8), (1, 1 << n)), comm)
    w = u.halo()
    turned = comm.Split(0, -comm.rank)
    nothing = gc.CubeArray.from_numpy(
        np.zeros((1, 8, 0)), gc.Layout.mesh((1, 8), (1 << n, 1)), comm
    )
    cases = {
        "np.asarray": (lambda: np.asarray(u), InvalidTypeError, "to_numpy()"),
        "scipy": (
            lambda: scipy.fft.dctn(u),
            InvalidTypeError,
            "use np.fft, or gc.fourier.dctn(u)",
        ),
        "scipy's filters": (lambda: scipy.ndimage.sobel(u), InvalidTypeError, "scipy.ndimage"),
        "np.trace": (lambda: np.trace(u), InvalidTypeError, "i == j"),
        "stack": (lambda: np.stack([u, u]), InvalidValueError, "axis=-1"),
        "ndarray": (lambda: u * np.ones((8, 8)), InvalidTypeError, "(8, 8)"),
        "axes": (lambda: u.sum(0 if last else 1), InvalidValueError, "axis"),
        "out": (lambda: np.sum(u, axis=0, out=np.zeros(8)), InvalidTypeError, "out"),
        "shift": (lambda: np.roll(u, int(last), 0), InvalidValueError, "shift"),
        "dtype": (lambda: u.sum(dtype="f4" if last else "f8"), InvalidValueError, "result"),
        "norm": (lambda: np.linalg.norm(u, "x" if last else None), GraycubeError, "'x'"),
        "std": (lambda: u.std(dtype="x" if last else "f8"), GraycubeError, "'x'"),
        "argmax": (lambda: u.argmax(2 if last else 0), GraycubeError, "has 2 axes"),
        "vdot": (lambda: np.vdot(u, u[..., None] if last else u), GraycubeError, "(8, 8, 1)"),
        "vdot of other ranks": (
            lambda: np.vdot(u, gc.CubeArray(u.blocks, u.layout, turned)),
            InvalidValueError,
            "different communicators",
        ),
        "sums": (lambda: u.sum(7 * last, reproducible=True), GraycubeError, "has 2 axes"),
        "close": (
            lambda: gc.assert_allclose(u, other if last else u),
            GraycubeError,
            "relayout",
        ),
        "equal": (lambda: np.array_equal(u, other if last else u), GraycubeError, "relayout"),
        "nansum": (lambda: np.nansum(u, axis="x" if last else 0), GraycubeError, "'x'"),
        "truth": (lambda: bool(u), ValueError, "ambiguous"),
        "average": (
            lambda: np.average(u, 0, [1] * 7 + [1 + last]),
            InvalidValueError,
            "weights",
        ),
        "bins": (lambda: np.histogram(u, 7 + last), InvalidValueError, "bins"),
        "counts": (
            lambda: np.bincount(u.astype(int) * 0 - last),
            GraycubeError,
            "integers from 0",
        ),
        "halo": (lambda: u.halo(stride=3 if last else 2), InvalidValueError, "power of two"),
        "back": (lambda: u.sum() if last else w.add_back(), InvalidValueError, "add_back"),
        "take": (lambda: np.take(u, [7 + last], 0), InvalidValueError, "indices"),
        "take none": (lambda: np.take(nothing, 0, -1), OutOfRangeError, "axis 2 is 0"),
        "diff": (lambda: np.diff(u, 1 + last, 0), InvalidValueError, "the n is 1"),
        "pad": (lambda: np.pad(u, 1, "edge" if last else "wrap"), InvalidValueError, "mode"),
        "flip": (lambda: np.flip(u, "x" if last else 0), InvalidValueError, "axis is 0"),
        "repeat": (
            lambda: np.repeat(u, [1] * 7 + [int(last)], 0),
            InvalidValueError,
            "repeats",
        ),
        "gradient": (lambda: np.gradient(u, u if last else 1), InvalidTypeError, "spacings"),
        "trapezoid": (
            lambda: np.trapezoid(u, u if last else None),
            InvalidTypeError,
            "plain, and alike",
        ),
        "points": (
            lambda: np.gradient(u, [*range(7), 7 + last], axis=0),
            InvalidValueError,
            "spacings",
        ),
        "concatenate": (
            lambda: np.concatenate([u, u[..., None] if last else u]),
            InvalidValueError,
            "(8, 8, 1)",
        ),
        "dtypes": (
            lambda: np.concatenate([u, u.astype("f4" if last else "f8")]),
            InvalidValueError,
            "float32",
        ),
        "a plain one": (
            lambda: np.concatenate([u, u.local if last else u]),
            InvalidTypeError,
            "ndarray",
        ),
        "ranks": (
            lambda: np.concatenate([u, gc.CubeArray(u.blocks, layout, turned)]),
            InvalidValueError,
            "different communicators",
        ),
        "lines": (
            lambda: np.apply_along_axis(lambda line: line[: 4 + last], 1, u),
            InvalidValueError,
            "one length and dtype",
        ),
        "index": (lambda: u.__setitem__(8, 1), OutOfRangeError, "axis 0 is 8"),
    }
    for name, (call, kind, text) in cases.items():
        error = yield from one_error(comm, call, kind, text)
        yield isinstance(error, GraycubeError), f"{name}: {error!r}"
    wrong = raised(lambda: gc.assert_allclose(u, u + last))
    yield isinstance(wrong, AssertionError), f"{wrong!r}"
    yield raised(lambda: gc.assert_allclose(u, u + 1e-12)) is None, "close enough"
    for name, call in BROADCASTS.items():
        over, alone = spread(comm, layout)
        yield not alike(call, over, alone), f"afterwards, {name}"


def along_other_axes(comm):
    """Ranks that have nothing of one axis take part in what is done along the others."""
    x = np.random.default_rng(3).normal(size=(1, 16))
    layout = gc.Layout.mesh(x.shape, (2, comm.size // 2), ownership=True)
    u = gc.CubeArray.from_numpy(x, layout, comm)
    for name in ("gradient", "diff", "cumsum", "sort", "unwrap", "flip"):
        call = getattr(np, name)
        yield np.allclose(plain(call(u, axis=1)), call(x, axis=1)), name


MANY = (2, 4, 8)
CHECKS = checks(
    (1, 2, 4, 8),
    results,
    new_axes,
    everywhere_the_same,
    copies_are_one_array,
    saved,
    reproducible_sums,
) | checks(
    MANY,
    nothing_is_sent,
    reductions_send_little,
    rolls_send_what_leaves,
    no_more_rows_are_sent_than_leave,
    rings_within_a_node,
    mistakes,
    along_other_axes,
)
