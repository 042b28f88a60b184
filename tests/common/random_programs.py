"""Random small programs of NumPy's functions, on arrays over nodes and on plain ones.

A program makes some arrays in layouts of its own, and then call after call of what it has. Each
result is NumPy's, or the call is refused by an error of this library. After each call the
plain array takes the digits of the other one, so that rounding does not decide a later call.
"""

# ruff: noqa: ARG001, ARG005, PLW0108 - every call takes what it needs

import warnings

import numpy as np
from numpy_cases import flat, plain, written
from random_transforms import factors

import graycube as gc

DTYPES = ("f8", "f8", "f8", "f4", "c16", "c8", "i8", "i4", "u1", "?")
STEPS = 5


def some_layout(rng, shape, count):
    """A layout of a shape on so many nodes, of either kind."""
    nodes = [1] * len(shape)
    for factor in factors(count):
        nodes[rng.integers(len(nodes))] *= factor
    powers = [k & k - 1 == 0 for k in nodes]
    options = {
        "code": [("binary", "gray")[int(rng.integers(2)) * power] for power in powers],
        "allocation": [("consecutive", "cyclic")[rng.integers(2)] for _ in shape],
    }
    even = all(powers) and not any(n % k for n, k in zip(shape, nodes, strict=True))
    if even and rng.random() < 0.5:
        options["ownership"] = False
        options["slots"] = [("binary", "gray")[rng.integers(2)] for _ in shape]
    return gc.Layout.mesh(shape, nodes, **options)


def some_numbers(rng, shape, dtype):
    """Small numbers, many of them equal, a few of them no numbers."""
    x = rng.integers(0 if dtype in {"u1", "?"} else -4, 5, shape)
    if dtype in {"c16", "c8"}:
        x = x + 1j * rng.integers(-4, 5, shape)
    elif dtype[0] == "f":
        x = x / 2
        if rng.random() < 0.1:
            x = np.where(rng.random(shape) < 0.1, np.nan, x)
    return x.astype(dtype)


def some_key(rng, shape):
    """An index: integers, slices, lists, masks."""
    parts = []
    for n in shape[: rng.integers(1, len(shape) + 1)]:
        a, b = sorted(rng.integers(-n, n + 1, 2).tolist())
        parts.append(
            (
                slice(None),
                slice(a, b, [None, 1, 2, -1][rng.integers(4)]),
                int(rng.integers(-n, n)),
                rng.integers(-n, n, 2).tolist(),
            )[rng.integers(4)]
        )
    if rng.random() < 0.2:
        parts = [..., *parts] if len(parts) == len(shape) else [*parts, ...]
    return parts[0] if len(parts) == 1 else tuple(parts)


def elementwise(rng, x, y):
    c = [2, -1, 0.5, 1j, True, np.float32(1.5), np.int8(3)][rng.integers(7)]
    return [
        lambda x, y: x + y,
        lambda x, y: x * c - y,
        lambda x, y: c / (x + 9),
        lambda x, y: np.where(x == y, x, y),
        lambda x, y: np.where(x == y, c, x),
        lambda x, y: np.maximum(x, y),
        lambda x, y: np.minimum(x, c),
        lambda x, y: x > y,
        lambda x, y: x != c,
        lambda x, y: np.clip(x, -1, 2),
        lambda x, y: abs(x) ** 2,
        lambda x, y: -x,
        lambda x, y: ~x,
        lambda x, y: np.sqrt(abs(x)),
        lambda x, y: np.exp(x / 8),
        lambda x, y: np.conj(x) + x.real,
        lambda x, y: np.round(x, 1),
        lambda x, y: np.sign(x),
        lambda x, y: np.nan_to_num(x, nan=7),
        lambda x, y: np.isnan(x) | (y == 0),
        lambda x, y: np.angle(x),
        lambda x, y: x.astype("f4"),
        lambda x, y: x.astype("i4"),
        lambda x, y: np.add(x, y, out=np.copy(x)),
        lambda x, y: np.multiply(x, 2, out=np.copy(x), where=y > 0),
        lambda x, y: np.isclose(x, y),
        lambda x, y: np.full_like(x, 3) + np.zeros_like(y),
        lambda x, y: divmod(x, 3)[1],
        lambda x, y: np.floor_divide(x, 2),
        lambda x, y: np.arctan2(x, y),
        lambda x, y: np.select([x > 1, y > 0], [x, y], 7),
        lambda x, y: np.interp(x, [-2, 0, 3], [5, 1, 2]),
        lambda x, y: x * [1, 2, 3],
        lambda x, y: x - np.float32(2) * np.arange(x.shape[-1]),
    ]


REDUCTIONS = (
    *("sum", "prod", "mean", "std", "var", "min", "max", "argmin", "argmax", "any", "all"),
    *("ptp", "count_nonzero", "nansum", "nanmean", "nanmin", "nanmax", "nanstd", "median"),
    *("nanprod", "nanargmax", "average"),
)


def reductions(rng, x, y):
    name = REDUCTIONS[rng.integers(len(REDUCTIONS))]
    axis = some_axis(rng, x, several=name not in {"argmin", "argmax", "nanargmax", "median"})
    options = {"axis": axis, "keepdims": bool(rng.integers(2))}
    if name in {"sum", "prod", "mean"} and rng.random() < 0.3:
        options["dtype"] = ["f8", "c16", "f4"][rng.integers(3)]
    if name in {"std", "var"} and rng.random() < 0.5:
        options["ddof"] = 1
    masked = name in {"sum", "prod", "mean", "std", "any", "all"} and rng.random() < 0.3

    def call(x, y):
        return getattr(np, name)(x, **options, **({"where": y > 0} if masked else {}))

    p = [None, 1, np.inf, 3][rng.integers(4)]
    along = axis if isinstance(axis, int) else -1
    return [
        *([call] * 6),
        lambda x, y: np.linalg.norm(x, p, axis=along),
        lambda x, y: np.quantile(x, 0.3, axis=axis),
        lambda x, y: np.percentile(x, [20, 70], axis=along),
        lambda x, y: np.vdot(x, y),
        lambda x, y: np.trapezoid(x.astype(float), axis=along),
        lambda x, y: np.array_equal(x, y),
        lambda x, y: np.histogram(x, 4, (-3, 3))[0],
        lambda x, y: np.unique(x).sum(),
        lambda x, y: np.maximum.reduce(x, axis=along),
        lambda x, y: x - x.mean(axis=along, keepdims=True),
        lambda x, y: x + x.max(0),
    ]


def some_axis(rng, x, *, several=False):
    """None, an axis counted from either end, or some."""
    d = np.ndim(x)
    if rng.random() < 0.2:
        return None
    if several and d > 1 and rng.random() < 0.3:
        return tuple(rng.permutation(d)[: rng.integers(1, d + 1)].tolist())
    return int(rng.integers(-d, d)) if d else None


def moves(rng, x, y):
    d, n = np.ndim(x), np.shape(x)
    k = int(rng.integers(-d, d))
    some = rng.integers(-n[k], n[k], int(rng.integers(1, 5))).tolist()
    width = rng.integers(0, 3, (d, 2)).tolist()
    mode = ["constant", "edge", "wrap", "reflect", "symmetric"][rng.integers(5)]
    order = rng.permutation(d).tolist()
    key, shift = some_key(rng, n), int(rng.integers(-9, 9))
    norm, points = [None, "ortho", "forward"][rng.integers(3)], int(rng.integers(1, 9))
    value = [3, -1.5, 2j, True][rng.integers(4)]
    return [
        lambda x, y: np.roll(x, shift, k),
        lambda x, y: np.roll(x, (shift, 1), (k, 0)),
        lambda x, y: np.flip(x, k),
        lambda x, y: np.take(x, some, axis=k),
        lambda x, y: np.take(x, some[0], axis=k),
        lambda x, y: np.repeat(x, 2, axis=k),
        lambda x, y: np.diff(x, axis=k),
        lambda x, y: np.pad(x, width, mode),
        lambda x, y: np.concatenate([x, y, x], axis=k),
        lambda x, y: np.gradient(x, axis=k),
        lambda x, y: np.gradient(x, 0.5, axis=k, edge_order=2),
        lambda x, y: np.cumsum(x, axis=k),
        lambda x, y: np.cumprod(x, axis=k),
        lambda x, y: np.sort(x, axis=k),
        lambda x, y: np.argsort(x, axis=k, kind="stable"),
        lambda x, y: np.take_along_axis(x, np.argsort(y, axis=k, kind="stable"), k),
        lambda x, y: np.transpose(x, order),
        lambda x, y: np.moveaxis(x, k, 0),
        lambda x, y: np.swapaxes(x, k, 0),
        lambda x, y: x.T,
        lambda x, y: np.stack([x, y], axis=-1),
        lambda x, y: x[..., 0],
        lambda x, y: x[..., ::-1],
        lambda x, y: x[..., None] * [1, 2],
        lambda x, y: np.fft.fft(x, axis=k, norm=norm),
        lambda x, y: np.fft.fftn(x, norm=norm),
        lambda x, y: np.fft.ifft(x, points, axis=k),
        lambda x, y: np.fft.rfft(x.real, axis=k, norm=norm),
        lambda x, y: np.fft.irfft(x, points, axis=k),
        lambda x, y: np.fft.fftshift(x, k),
        lambda x, y: written(x, key, value),
        lambda x, y: written(x, x > y, value),
        lambda x, y: read(x, key),
        lambda x, y: relaid(rng, x),
        lambda x, y: neighbour(x, shift % 3 - 1),
        lambda x, y: np.tile(x, 2),
        lambda x, y: np.squeeze(x),
        lambda x, y: np.expand_dims(x, k),
        lambda x, y: np.rot90(x, shift),
        lambda x, y: np.unwrap(x.real, axis=k),
        lambda x, y: np.delete(x, some[:1], axis=k),
        lambda x, y: np.array_split(x, 2, axis=k)[0],
        lambda x, y: np.einsum("...i,...i->...", x, y),
        lambda x, y: np.einsum("xyz,xyz->x", x, y),
        lambda x, y: np.einsum("x,x->", x, y),
        lambda x, y: np.apply_along_axis(np.cumsum, k, x),
        lambda x, y: np.apply_along_axis(np.max, k, x),
        lambda x, y: np.nancumsum(x, axis=k),
        lambda x, y: np.vstack([x, y]),
        lambda x, y: np.hstack([y, x]),
        lambda x, y: np.dstack([y, x]),
        lambda x, y: np.compress([True, False, True, True], x, axis=k),
        lambda x, y: np.trace(x, axis1=-2, axis2=-1),
        lambda x, y: np.quantile(x, [0.5, 0.1], axis=k),
        lambda x, y: np.choose(x > y, [x, y]),
        lambda x, y: np.piecewise(x, [x > 1, x < 0], [np.negative, 3]),
        lambda x, y: np.cov(x),
        lambda x, y: np.corrcoef(x, y),
        lambda x, y: np.histogram2d(flat(x), flat(y), 3, ((-4, 4), (-3, 2)))[0],
        lambda x, y: x @ y,
        lambda x, y: np.tensordot(x, y, x.ndim),
        lambda x, y: np.nanargmin(x, axis=k),
        lambda x, y: np.fft.hfft(x, axis=k, norm=norm),
        lambda x, y: np.swapaxes(x, 0, 1)[..., None],
        lambda x, y: x[:, None],
    ]


def read(x, key):
    return x.read[key] if isinstance(x, gc.CubeArray) else x[key]


def relaid(rng, x):
    """The same array in another layout; plain arrays stay."""
    if not isinstance(x, gc.CubeArray):
        return np.copy(x)
    again = np.random.default_rng(x.size)
    return x.relayout(some_layout(again, x.layout.shape, x.layout.node_count))


def neighbour(x, step):
    """The next element along the first axis."""
    if not isinstance(x, gc.CubeArray):
        return np.roll(x, -step, 0)
    return x.halo(1)[(step, *(0,) * (len(x.layout.shape) - 1))]


def trouble(found, wanted):
    """What is wrong with a result, or nothing."""
    given, expected = plain(found), np.asarray(wanted)
    if (given.shape, given.dtype) != (expected.shape, expected.dtype):
        return f"{given.shape} {given.dtype}, NumPy's {expected.shape} {expected.dtype}"
    if given.dtype.kind in "biu":
        return "" if np.array_equal(given, expected) else f"{given}, NumPy's {expected}"
    finite = abs(expected[np.isfinite(expected)])
    eps = 64 * np.finfo(expected.dtype).eps
    scale = finite.max() if finite.size else 0
    if not np.allclose(given, expected, rtol=eps, atol=eps * scale, equal_nan=True):
        return f"{given}, NumPy's {expected}"
    return ""


def program(seed, count, comm=None):
    """Run a program on so many nodes: for each call what it was, and what came of it."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    shape = [int(n) for n in rng.choice([1, 2, 3, 4, 5, 8, 8, 12], d)]
    payload = [(), (), (3,), (2, 3), (3, 3)][rng.integers(5)]
    layout = some_layout(rng, shape, count)
    pool = []
    for inside in ((), (), payload):
        x = some_numbers(rng, (*shape, *inside), DTYPES[rng.integers(len(DTYPES))])
        pool.append((gc.CubeArray.from_numpy(x, layout, comm), x))
    for step in range(STEPS):
        u, x = pool[rng.integers(len(pool))]
        alike = [(v, y) for v, y in pool if ranks_of(v) == ranks_of(u)]
        v, y = alike[rng.integers(len(alike))]
        kinds = (elementwise, reductions, moves, moves)
        calls = kinds[rng.integers(4)](rng, x, y)
        which = int(rng.integers(len(calls)))
        name = f"seed {seed} step {step} {calls[which].__code__.co_firstlineno}"
        name += f" of {u!r} {v!r}"
        outcome, found = one_call(calls[which], (u, v), (x, y))
        yield name, outcome
        kept = not outcome and isinstance(found, gc.CubeArray) and 0 < found.size < 5000
        if kept and found.dtype != np.float16:  # in which NumPy transforms with its digits
            pool.append((found, found.to_numpy()))


def findings(seed, count, comm=None):
    """The calls of a program, what came of them, and whether that is wrong."""
    for name, outcome in program(seed, count, comm):
        yield name, outcome, bool(outcome) and not outcome.startswith("refused")


def ranks_of(u):
    """Arrays whose layouts and payloads have as many axes align as in NumPy."""
    return len(u.layout.shape), len(u.payload)


def one_call(call, over, alone):
    """What is wrong with a call, or 'refused', and the result."""
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            wanted = call(*alone)
        except Exception as error:  # noqa: BLE001 - whatever NumPy says
            wanted = error
        try:
            found = call(*over)
        except gc.GraycubeError as error:
            return f"refused: {error}", None
        except Exception as error:  # noqa: BLE001
            same = isinstance(wanted, Exception) and isinstance(error, type(wanted))
            return "refused: as NumPy" if same else f"raises {error!r}", None
    if isinstance(wanted, Exception):
        return f"gives {found!r}, where NumPy raises {wanted!r}", None
    return trouble(found, wanted), found
