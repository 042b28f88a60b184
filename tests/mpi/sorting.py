"""Arrays sorted over ranks, beside NumPy's; mistakes; and how little is held."""

import re
import tracemalloc
from unittest.mock import patch

import numpy as np
from mpi_checks import checks, one_error
from sorting_cases import case, complaints

import graycube as gc
from graycube.array.ordering import merging
from graycube.errors import GraycubeError, InvalidTypeError


def as_numpy_sorts(comm):
    """Every kind of keys, in any layout; without shared memory also as if they were many."""
    for seed in range(14 if comm.size in {3, 4} else 28):
        with patch.object(merging, "SMALL", seed % 2 * merging.SMALL):
            found = complaints(seed, comm.size, comm)
        yield found == [], f"{found}"


def most_used(comm, call):
    """The largest memory that a call uses on any rank, and what it gives."""
    call()  # what is kept for the next call is not counted
    tracemalloc.start()
    made = call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return max(comm.allgather(most)), made


def blocks_stay(comm):
    """However the keys are, no rank receives more than it had, or needs more to get it."""
    n = 1 << 12
    layout = gc.Layout.mesh((n * comm.size,), (comm.size,))
    rng = np.random.default_rng(comm.rank)
    some = gc.CubeArray(rng.random((1, n)), layout, comm)
    enough, _ = most_used(comm, lambda: gc.sort(some))
    for name, own in {
        "skewed": rng.pareto(0.3, n),
        "constant": np.ones(n),
        "sorted": np.arange(n) + n * comm.rank,
        "reversed": -np.arange(n) - n * comm.rank,
        "one rank has all of the small ones": np.arange(n) + 1e6 * (comm.rank == 0),
        "NaN": np.full(n, np.nan),
    }.items():
        u = gc.CubeArray(np.asarray(own, float)[None], layout, comm)
        used, made = most_used(comm, lambda u=u: gc.sort(u))
        yield used < 1.1 * enough, f"{name}: {used} bytes, {enough} for random keys"
        yield made.blocks.shape == u.blocks.shape, f"{name}: {made.blocks.shape}"
        whole = np.sort(np.concatenate(comm.allgather(own)))
        mine = whole[comm.rank * n : (comm.rank + 1) * n]
        yield np.array_equal(made.blocks[0], mine, equal_nan=True), f"{name}: another order"


def records(comm):
    """They have no order, and the error says how a field brings them into one."""
    x = np.zeros(24, [("k", "i4"), ("v", "f8", (2,))])
    x["k"] = np.arange(24) * 7 % 12
    x["v"][:, 1] = np.arange(24)
    for place in ("consecutive", "cyclic"):
        layout = gc.Layout.mesh((24,), (comm.size,), allocation=place)
        u = gc.CubeArray.from_numpy(x, layout, comm)
        error = yield from one_error(comm, lambda u=u: gc.sort(u), InvalidTypeError)
        line = re.search(r"gc\.sort\(.*\)", error.hint)[0]
        keys, moved = eval(line, {"gc": gc, "u": u})  # noqa: S307 - of our own making
        order = np.argsort(x["k"], kind="stable")
        yield np.array_equal(moved.to_numpy(), x[order]), f"{layout}"
        yield np.array_equal(moved["k"].to_numpy(), keys.to_numpy()), f"{layout}, keys"
        yield np.array_equal(u["v"].sum(axis=0), x["v"].sum(axis=0)), f"{layout}, a sum"
        there = u["v"].relayout(gc.Layout.mesh((24,), (comm.size,)))
        yield np.array_equal(there.to_numpy(), x["v"]), f"{layout}, moved"


def mistakes(comm):
    """All ranks hear of what one of them got wrong."""
    last = comm.rank == comm.size - 1
    x, layout, _ = case(0, comm.size)
    u = gc.CubeArray.from_numpy(x, layout, comm)
    for wrong, right in (
        (lambda: gc.argsort(u), lambda: gc.sort(u)),
        (lambda: gc.quantile(u, 0.4), lambda: gc.quantile(u, 0.5)),
        (lambda: gc.quantile(u, 4), lambda: gc.quantile(u, 0.5)),
        (lambda: np.nanmedian(u), lambda: np.median(u)),
        (lambda: np.percentile(u, "half"), lambda: np.percentile(u, 50)),
        (lambda: gc.sort(u, axis=None), lambda: gc.sort(u)),
        (lambda: gc.unique(u.astype("f4")), lambda: gc.unique(u)),
        (lambda: gc.sort(u, payload=u), lambda: gc.sort(u)),
        (lambda: gc.sort(u, payload=u), lambda: gc.sort(u, payload=u.astype("f4"))),
        (lambda: gc.sort(u, payload=x), lambda: gc.sort(u, payload=u)),
    ):
        if comm.size > 1:
            yield from one_error(comm, wrong if last else right, GraycubeError)
    yield gc.sort(u).shape == x.shape, "afterwards"


CHECKS = checks((1, 2, 3, 4, 8), as_numpy_sorts, blocks_stay, records, mistakes)
