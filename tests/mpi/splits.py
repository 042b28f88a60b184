"""Merge-splits over ranks: wherever they can be taken, beside NumPy's, and what is sent."""

from contextlib import ExitStack
from itertools import product
from unittest.mock import patch

import numpy as np
from counting import Counting, sent
from mpi_checks import checks, over_messages
from sorting_cases import KINDS, complaints, keys

import graycube as gc
from graycube.array.ordering import merging, ways
from graycube.run.windows import Windows


def as_numpy_sorts(comm):
    """Where data are dealt out, of any number of axes, in any code."""
    apart = over_messages(comm.Dup())
    with patch.object(ways, "is_quicker", lambda *_: True):
        for seed in range(14):
            found = complaints(seed, comm.size, apart)
            yield found == [], f"{found}"
    apart.Free()


def nodes_trade_in_place(comm):
    """In both codes, lines along any axis, components too: n (n + 1) / 2 trades, no more."""
    counting, rng = over_messages(Counting(comm.Dup())), np.random.default_rng(0)
    n, p = comm.size.bit_length() - 1, comm.size
    shapes = ((5 * p,), (), 0), ((4 * p, 1), (), 0), ((1, 8 * p), (2,), 1), ((3 * p,), (2,), 0)
    cases = [*product(("binary", "gray"), shapes, KINDS)]
    for code, (shape, components, axis), kind in cases:
        nodes = [p if k == axis else 1 for k in range(len(shape))]
        layout = gc.Layout.mesh(shape, nodes, code=code, ownership=True)
        x = keys(rng, kind, (*shape, *components))
        u = gc.CubeArray.from_numpy(x, layout, counting)
        asked = []
        with patch.object(
            ways, "is_quicker", lambda *given, a=asked: a.append(given[3]) or True
        ):
            calls, made = sent(lambda u=u, axis=axis: gc.sort(u, axis))
            order = gc.argsort(u, axis).to_numpy()
        what = f"{kind} of {shape} {components} in {code}"
        yield calls.get("Sendrecv") == n * (n + 1) // 2, f"{what}: {calls}"
        yield set(asked) == {u.blocks.nbytes}, f"{what}: priced for {asked} bytes"
        yield set(calls) <= {"Sendrecv", "Iallreduce"}, f"{what}: {calls}"
        same = np.array_equal(made.to_numpy(), np.sort(x, axis), equal_nan=x.dtype.kind in "fc")
        yield same, f"{what} is in another order"
        yield made.blocks.shape == u.blocks.shape, f"{what} has other blocks"
        yield np.array_equal(order, np.argsort(x, axis, kind="stable")), f"{what}: argsort"
    counting.Free()


def gray_code_without_room(comm):
    """Ranks that share memory, but not enough for the keys, send these in Gray code, too."""
    layout = gc.Layout.mesh((16 * comm.size,), (comm.size,), code="gray")
    x = np.round(np.random.default_rng(0).standard_normal(layout.shape), 1)
    u = gc.CubeArray.from_numpy(x, layout, comm)
    for small in (0, merging.SMALL):
        with ExitStack() as patched:
            patched.enter_context(patch.object(Windows, "reserve", lambda *_: False))
            patched.enter_context(patch.object(merging, "SMALL", small))
            made, order = gc.sort(u), gc.argsort(u)
        yield np.array_equal(made.to_numpy(), np.sort(x)), f"sort, {small}"
        stable = np.argsort(x, kind="stable")
        yield np.array_equal(order.to_numpy(), stable), f"argsort, {small}"


CHECKS = checks((2, 4, 8), as_numpy_sorts, nodes_trade_in_place, gray_code_without_room)
