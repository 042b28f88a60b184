"""What is chosen along axes that nodes have whole, beside the long way there, and NumPy's."""

# ruff: noqa: ARG005 - every call takes what it needs

from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
from mpi_checks import checks
from random_programs import some_layout, some_numbers

import graycube as gc
from graycube.array import differences
from graycube.array.indexed import assembling, here, rolling
from graycube.array.indexed.here import stays

SEEDS = {2: 200, 3: 12, 4: 12}  # on two ranks in the sweep only
CALLS = {
    "flip": lambda u, k, rng: np.flip(u, k),
    "flip all": lambda u, k, rng: np.flip(u),
    "every other": lambda u, k, rng: np.take(u, range(u.shape[k] - 1, 0, -2), k),
    "some": lambda u, k, rng: np.take(u, rng.integers(0, u.shape[k], u.shape[k] + 2), k),
    "all but one": lambda u, k, rng: np.take(u, range(u.shape[k] - 1), k),
    "one": lambda u, k, rng: np.take(u, -2, k),
    "repeat": lambda u, k, rng: np.repeat(u, 1 + np.arange(u.shape[k]) % 2, k),
    "delete": lambda u, k, rng: np.delete(u, 1, k),
    "tile": lambda u, k, rng: np.tile(u, [1 + (j == k) for j in range(u.ndim)]),
    "pad": lambda u, k, rng: np.pad(u, [(2 * (j == k), j == k) for j in range(u.ndim)]),
    "wrap": lambda u, k, rng: np.pad(u, [(j == k, 0) for j in range(u.ndim)], "wrap"),
    "concatenate": lambda u, k, rng: np.concatenate([u, np.flip(u, k), u.astype("c16")], k),
    "roll": lambda u, k, rng: np.roll(u, (1, -2), (k, -1)),
    "diff": lambda u, k, rng: np.diff(u, 2, k),
    "gradient": lambda u, k, rng: np.gradient(u, 0.3, axis=k, edge_order=2),
    "uneven steps": lambda u, k, rng: np.gradient(u, np.arange(u.shape[k]) ** 1.5, axis=k),
}


def case(seed, comm):
    """An array of any kind, and one of its axes that are over nodes or whole."""
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([3, 4, 5, 6, 8], rng.integers(1, 4)))
    payload = (2,) * int(rng.integers(2))
    x = some_numbers(rng, (*shape, *payload), str(rng.choice(["f8", "f4", "c16", "i4"])))
    u = gc.CubeArray.from_numpy(x, some_layout(rng, shape, comm.size), comm)
    return u, int(rng.integers(len(shape)))


def told(found):
    """All there is to compare: elements to the last bit, dtype, and layout."""
    x = found.blocks if isinstance(found, gc.CubeArray) else np.asarray(found)
    return x.dtype, x.shape, x.tobytes(), str(getattr(found, "layout", ""))


def the_same_as_the_long_way(comm):
    """Elements, dtype and layout are those of what moves all elements."""
    quick, count = 0, SEEDS[comm.size]
    for seed in range(count):
        u, k = case(seed, comm)
        quick += stays(u.layout, u.layout, (k,))
        for name, call in CALLS.items():
            found = told(call(u, k, np.random.default_rng(seed)))
            with ExitStack() as stack:
                for module in (here, rolling, differences):
                    stack.enter_context(patch.object(module, "stays", lambda *_: False))
                stack.enter_context(patch.object(assembling, "remains", lambda *_: False))
                wanted = told(call(u, k, np.random.default_rng(seed)))
            yield found == wanted, f"{name} along {k} of {u!r}, {seed}"
    yield count // 5 < quick < count, f"{quick} of {count} axes are whole"


def extremes_are_those_of_numpy(comm):
    """The first of the best, on the nodes where the best one is."""
    for seed in range(SEEDS[comm.size]):
        u, k = case(seed, comm)
        x = u.to_numpy()
        for axis in (None, k, -1):
            for find, best in ((np.argmax, np.max), (np.argmin, np.min)):
                for keep in (False, True):
                    found, like = (call(u, axis, keepdims=keep) for call in (find, best))
                    same = getattr(found, "layout", "") == getattr(like, "layout", "")
                    wanted = find(x, axis, keepdims=keep)
                    same = same and found.dtype == wanted.dtype
                    found = found.to_numpy() if isinstance(found, gc.CubeArray) else found
                    same = same and np.array_equal(found, wanted)
                    yield same, f"{find.__name__} along {axis} of {u!r}, {seed}: {found}"


def of_no_product(comm):
    """Where nodes have diagonals, everything goes the long way, and the payload any way."""
    n = comm.size.bit_length() - 1
    bits = " ".join(f"b0:{k}^b1:{k}" for k in reversed(range(n)))
    layout = gc.Layout.parse(f"({' '.join(f'b0:{k}' for k in reversed(range(n)))} || {bits})")
    x = np.random.default_rng(5).integers(0, 3, (*layout.shape, 4))
    u = gc.CubeArray.from_numpy(x, layout, comm)
    yield np.array_equal(np.argmax(u, -1).to_numpy(), np.argmax(x, -1)), "argmax"
    for name in ("flip", "flip all", "roll"):
        found, wanted = (CALLS[name](w, 1, None) for w in (u, x))
        yield np.array_equal(found.to_numpy(), wanted), f"{name}: {found.to_numpy()}"


CHECKS = {
    **checks((2, 3, 4), the_same_as_the_long_way, extremes_are_those_of_numpy),
    **checks((2, 4), of_no_product),
}
