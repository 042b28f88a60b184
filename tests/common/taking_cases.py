"""Indices of all kinds into arrays of all kinds, and what ``np.take_along_axis`` gives."""

import numpy as np
from sorting_cases import layouts

import graycube as gc


def case(seed, nodes):
    """An array, its indices in another layout, and the axis; plain, and where they are."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 12, rng.integers(1, 4)))
    k = int(rng.integers(len(shape)))
    wanted = (*shape[:k], int(rng.integers(0, 15)), *shape[k + 1 :])
    payload = (3, 2)[: int(rng.integers(3))]
    picked = tuple(int(rng.choice([1, n])) for n in payload)
    at = rng.integers(-shape[k], shape[k], (*wanted, *picked))
    if rng.random() < 0.3:
        at = at.astype("i1")
    x = rng.integers(0, 99, (*shape, *payload)).astype(
        str(rng.choice(["i2", "f8", "c16", "U2"]))
    )
    wanted = (*shape[:k], max(1, wanted[k]), *shape[k + 1 :])
    at = at if at.size else np.zeros((*wanted, *picked), int)
    return x, at, k, layouts(rng, shape, nodes), layouts(rng, wanted, nodes)


def complaint(seed, nodes, comm=None):
    """What is not as NumPy has it, in one process or over ranks."""
    x, at, k, layout, target = case(seed, nodes)
    u = gc.CubeArray.from_numpy(x, layout, comm)
    found = np.take_along_axis(u, gc.CubeArray.from_numpy(at, target, comm), k)
    wanted = np.take_along_axis(x, at, k)
    alike = found.layout == target and found.dtype == x.dtype
    if alike and np.array_equal(found.to_numpy(), wanted):
        return ""
    return (
        f"{seed}: {found!r} is {found.to_numpy().tolist()!s:.200}, not {wanted.tolist()!s:.200}"
    )
