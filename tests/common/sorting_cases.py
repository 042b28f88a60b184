"""Keys of all kinds in layouts of all kinds, and what sorting has to give."""

import numpy as np

import graycube as gc
from graycube.array import argsort, quantile, sort, unique

KINDS = ("random", "few values", "integers", "constant", "half NaN", "complex", "text")
Q = [0, 0.1, 0.5, 0.77, 1]


def keys(rng, kind, shape):
    x = rng.standard_normal(shape)
    return {
        "random": lambda: x,
        "few values": lambda: np.round(x),
        "integers": lambda: rng.integers(0, 3, shape),
        "constant": lambda: np.full(shape, 2.5),
        "half NaN": lambda: np.where(rng.random(shape) < 0.5, np.nan, x),
        "complex": lambda: np.round(x) + 1j * np.round(rng.standard_normal(shape)),
        "text": lambda: rng.integers(0, 9, shape).astype("U3"),
    }[kind]()


def layouts(rng, shape, nodes):
    """By ownership, in blocks or dealt out; affine ones where they can be, of every code."""
    counts = [1] * len(shape)
    counts[int(rng.integers(len(shape)))] = nodes
    where = {"allocation": ("consecutive", "cyclic")[int(rng.integers(2))]}
    even = (
        all(n % k == 0 for n, k in zip(shape, counts, strict=True)) and nodes & nodes - 1 == 0
    )
    if even:
        where |= {"code": "gray", "slots": ("binary", "gray")[int(rng.integers(2))]}
    return gc.Layout.mesh(shape, counts, **where)


def case(seed, nodes):
    """An array, its layout, and its kind."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    shape = tuple(int(n) for n in rng.integers(1, 20, rng.integers(1, 4)))
    if rng.random() < 0.5:
        shape = tuple(nodes * -(-n // nodes) for n in shape)
    payload = (2,) * int(rng.integers(2))
    return keys(rng, kind, (*shape, *payload)), layouts(rng, shape, nodes), kind


def payloads(a, x, axis):
    """Whether elements go with their keys: numbers, records, and those of few components."""
    order = np.argsort(x, axis, kind="stable")
    index = np.arange(x.size).reshape(x.shape)
    vector = np.stack([index, -index, index**2], axis=-1).astype("f4")
    records = np.zeros(x.shape, "i4, ?")
    records["f0"], records["f1"] = index, index % 3 == 0
    each = (index, vector, records)
    keys, *made = sort(a, axis, payload=[a.from_numpy(v, a.layout, a.comm) for v in each])
    nan = {"equal_nan": x.dtype.kind in "fc"}
    yield "keys", np.array_equal(keys.to_numpy(), np.sort(x, axis), **nan)
    for v, own in zip(each, made, strict=True):
        places = order.reshape(*order.shape, *(1,) * (v.ndim - order.ndim))
        wanted = np.take_along_axis(v, places, axis)
        yield f"payload {v.dtype}", np.array_equal(own.to_numpy(), wanted)
        yield f"layout of {v.dtype}", own.layout == a.layout


def complaints(seed, nodes, comm=None):
    """What is not as NumPy has it, in one process or over ranks."""
    x, layout, kind = case(seed, nodes)
    a = gc.CubeArray.from_numpy(x, layout, comm)
    nan = {"equal_nan": x.dtype.kind in "fc"}
    found = {}
    for k in range(x.ndim):
        made, order = sort(a, k), argsort(a, k)
        found[f"sort {k}"] = np.array_equal(made.to_numpy(), np.sort(x, k), **nan)
        found[f"layout {k}"] = made.layout == order.layout == layout
        wanted = np.argsort(x, k, kind="stable")
        found[f"argsort {k}"] = np.array_equal(order.to_numpy(), wanted)
        if k < len(layout.shape):
            taken = np.take_along_axis(a, order, k)
            found[f"taken {k}"] = np.array_equal(taken.to_numpy(), np.sort(x, k), **nan)
            found[f"layout of what is taken {k}"] = taken.layout == layout
    if x.ndim == len(layout.shape):
        found |= dict(payloads(a, x, seed % x.ndim))
    values, counts = unique(a, return_counts=True)
    wanted = np.unique(x, return_counts=True)
    found["unique"] = np.array_equal(values.to_numpy(), wanted[0], **nan)
    found["counts"] = np.array_equal(counts.to_numpy(), wanted[1])
    found["balanced"] = values.blocks.shape[1] <= -(-len(wanted[0]) // nodes) * len(
        values.nodes
    )
    if kind not in {"complex", "text"}:
        k = seed % x.ndim
        lines = quantile(a, 0.77, k)
        lines = lines.to_numpy() if isinstance(lines, gc.CubeArray) else lines
        wanted = np.quantile(x, 0.77, k)
        found["quantile of lines"] = np.array_equal(lines, wanted, equal_nan=True)
        found["quantile"] = np.array_equal(quantile(a, Q), np.quantile(x, Q), equal_nan=True)
    found["as it was"] = np.array_equal(a.to_numpy(), x, **nan)
    return [
        f"{what} of {kind}, seed {seed}, in {layout}"
        for what, fine in found.items()
        if not fine
    ]
