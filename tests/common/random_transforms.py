"""Random transforms of all kinds, lengths, norms, dtypes and layouts, beside SciPy's.

The reference is SciPy's transform in long double. The root mean square error is at most twice
that of SciPy's transform in the precision of the result, or twice its last digit.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy.fft

import graycube as gc

COMPLEX = ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn")
REAL = ("rfft", "rfft2", "rfftn")
BACK = ("irfft", "irfft2", "irfftn")
WAVES = ("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn")
NORMS = (None, "backward", "ortho", "forward")
WORST = 2  # times the error of SciPy's


def powers(rng, length, left):
    """A number of nodes for an axis: a power of two that divides it, and is left."""
    bits = min((length & -length).bit_length(), left + 1)
    return int(rng.integers(0, bits))


def any_of(rng, axes, *words):
    """One of the words for each axis."""
    return [words[rng.integers(len(words))] for _ in axes]


def random_layout(rng, longest, most):
    """A mesh of one to three axes on 1 to 16 nodes, each axis coded and dealt out anyhow."""
    shape, size = [], 1
    for _ in range(rng.integers(1, 4)):
        length = int(rng.integers(1, max(2, min(longest, most // size) + 1)))
        if rng.random() < 0.7:  # otherwise few have any nodes
            length = max(1, length >> 3 << 3)
        shape.append(length)
        size *= length
    left, nodes = int(rng.integers(0, 5)), []
    for length in shape:
        nodes.append(powers(rng, length, left))
        left -= nodes[-1]
    count = sum(nodes)
    order = rng.permutation(count).tolist()
    dims = [[order.pop() for _ in range(bits)] for bits in nodes]

    return gc.Layout.mesh(
        shape,
        [1 << bits for bits in nodes],
        code=any_of(rng, shape, "binary", "gray"),
        slots=any_of(rng, shape, "binary", "gray"),
        allocation=any_of(rng, shape, "consecutive", "cyclic"),
        dims=dims,
    )


def uneven_layout(rng, longest, most):
    """One to three axes of any length on 1 to 16 nodes, often more nodes than elements."""
    shape, nodes, size, count = [], [], 1, 1
    for _ in range(rng.integers(1, 4)):
        shape.append(int(rng.integers(1, max(2, min(longest, most // size) + 1))))
        nodes.append(int(rng.integers(1, 16 // count + 1)))
        size, count = size * shape[-1], count * nodes[-1]
    return gc.Layout.mesh(shape, nodes, **anyhow(rng, nodes))


def anyhow(rng, nodes):
    """How axes over so many nodes are coded and dealt out."""
    powers = [k & k - 1 == 0 for k in nodes]
    codes = [("binary", "gray")[int(rng.integers(2)) * power] for power in powers]
    return {"code": codes, "allocation": any_of(rng, nodes, "consecutive", "cyclic")}


def lone_layout(rng, longest, count):
    """An axis over all of so many nodes which the other axes, if any, cannot take."""
    length = lone_length(rng, longest, count)
    kind = rng.random()
    if kind < 0.2 and count % 2 == 0:  # pairs of nodes have copies
        whole = gc.Layout.mesh((2, length), (2, count // 2), **anyhow(rng, (2, count // 2)))
        return whole.without_axes([0])
    shape, nodes = [
        ((length,), (count,)),
        ((length, 1), (count, 1)),
        ((1, length), (1, count)),
    ][int(rng.integers(3))]
    if kind < 0.4 and count > 4:  # the other axis takes no more than two nodes
        shape, nodes = (2, length), (1, count)
    in_bits = count & (count - 1) == 0 and length % count == 0 and rng.random() < 0.5
    return gc.Layout.mesh(
        shape, nodes, **anyhow(rng, nodes), **({"ownership": False} if in_bits else {})
    )


def lone_length(rng, longest, count):
    """A prime, a composite, a tiny length, one below the nodes, or a multiple of them."""
    any_length = int(np.exp(rng.uniform(0, np.log(longest))))
    if rng.random() < 0.5:  # many of them are long
        any_length = int(rng.integers(1, longest + 1))
    prime = next(n for n in range(any_length, 0, -1) if len(factors(n)) == 1)
    return (
        any_length,
        prime,
        2 * (prime // 2 or 1),
        int(rng.integers(1, 4)),
        int(rng.integers(1, count + 1)),
        count * max(1, any_length // count),
    )[int(rng.integers(6))]


@dataclass
class Case:
    """A transform: its name, the layout of its input, and the arguments of the call."""

    name: str
    layout: gc.Layout
    x: np.ndarray = field(repr=False)
    options: dict

    @property
    def points(self):
        return self.options.get("s", [self.options.get("n")])

    @property
    def axes(self):
        named = self.options.get("axes", [self.options.get("axis")])
        return [k % len(self.layout.axes) for k in named]

    def ours(self, comm=None):
        a = gc.CubeArray.from_numpy(self.x, self.layout, comm)
        return getattr(gc.fourier, self.name)(a, **self.options)

    def scipys(self, x):
        """SciPy counts the payload; its axes are named from the front."""
        options = {**self.options}
        options.pop("order", None)
        options.update({"axes": self.axes} if "axes" in options else {"axis": self.axes[0]})
        return getattr(scipy.fft, self.name)(x, **options)


def random_case(rng, layout, types=(1, 2, 3, 4)):
    """A transform of random numbers in a layout, along any axes of it."""
    kinds = COMPLEX + REAL + BACK + WAVES
    d = len(layout.axes)
    name = kinds[rng.integers(len(kinds))]
    if name.endswith("2") and d == 1:
        name = name[:-1]
    options = {"norm": NORMS[rng.integers(4)]}
    several = name.endswith(("2", "n"))
    count = 2 if name.endswith("2") else int(rng.integers(1, d + 1)) if several else 1
    axes = [int(k) - d * int(rng.integers(2)) for k in rng.permutation(d)[:count]]
    lengths = [layout.shape[k] for k in axes]
    if rng.random() < 0.5:
        change = [1, 2, 0.5, 1.5, rng.random() + 0.5]
        lengths = [max(1, int(n * change[rng.integers(5)])) for n in lengths]
    elif name in BACK:
        lengths[-1] = max(1, 2 * (lengths[-1] - 1) + int(rng.integers(2)))
    options |= {"axes": axes, "s": lengths} if several else {"axis": axes[0], "n": lengths[0]}
    if name in WAVES:
        options["type"] = int(rng.choice(types))
        if options["type"] == 1 and "ct" in name and 1 in lengths:
            options["type"] = 2
    single, payload = rng.random() < 0.3, (2,) * int(rng.integers(0, 2))
    x = rng.standard_normal((*layout.shape, *payload)).astype("f4" if single else "f8")
    if name in BACK or (name not in REAL and rng.random() < 0.5):
        x = x + 1j * rng.standard_normal(x.shape).astype(x.dtype)
    return Case(name, layout, x, options)


def rms(x):
    return float(np.sqrt((np.abs(x) ** 2).mean())) if x.size else 0.0


def excess(case, found):
    """The error of a result in those of SciPy's, or in last digits; infinite if it is none."""
    expected = case.scipys(case.x)
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        return np.inf
    wide = np.result_type(case.x.dtype, np.longdouble)
    exact = case.scipys(case.x.astype(wide))
    floor = np.finfo(expected.dtype).eps * rms(exact)
    error, scipys = rms(found - exact), rms(expected - exact)
    return error / max(scipys, floor) if error else 0.0


def factors(n):
    """The prime factors of a number, the largest last."""
    found, k = [], 2
    while k * k <= n:
        if n % k:
            k += 1
        else:
            found.append(k)
            n //= k
    return [*found, n]
