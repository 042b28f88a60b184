"""Random transforms of all kinds, lengths, norms, dtypes and layouts, beside SciPy's.

The reference is SciPy's transform in long double. The root mean square error is at most twice
that of SciPy's transform in the precision of the result, or twice its last digit.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np
import pytest
import scipy.fft
from sweeping import sweep

import graycube as gc
from graycube.errors import InvalidValueError

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

    def any_of(*words):
        return [words[rng.integers(len(words))] for _ in shape]

    return gc.Layout.mesh(
        shape,
        [1 << bits for bits in nodes],
        code=any_of("binary", "gray"),
        slots=any_of("binary", "gray"),
        allocation=any_of("consecutive", "cyclic"),
        dims=dims,
    )


@dataclass
class Case:
    """A transform: its name, the layout of its input, and the arguments of the call."""

    name: str
    layout: gc.Layout
    x: np.ndarray
    options: dict

    @property
    def axes(self):
        named = self.options.get("axes", [self.options.get("axis")])
        return [k % len(self.layout.axes) for k in named]

    def ours(self):
        a = gc.CubeArray.from_numpy(self.x, self.layout)
        return getattr(gc.fourier, self.name)(a, **self.options)

    def scipys(self, x):
        """SciPy counts the payload; its axes are named from the front."""
        options = {**self.options}
        options.pop("order", None)
        options.update({"axes": self.axes} if "axes" in options else {"axis": self.axes[0]})
        return getattr(scipy.fft, self.name)(x, **options)


def random_case(rng, longest, most):
    layout = random_layout(rng, longest, most)
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
        options["type"] = int(rng.integers(2, 4))
    single, payload = rng.random() < 0.3, (2,) * int(rng.integers(0, 2))
    x = rng.standard_normal((*layout.shape, *payload)).astype("f4" if single else "f8")
    if name in BACK or (name not in REAL and rng.random() < 0.5):
        x = x + 1j * rng.standard_normal(x.shape).astype(x.dtype)
    return Case(name, layout, x, options)


def rms(x):
    return float(np.sqrt((np.abs(x) ** 2).mean())) if x.size else 0.0


def problem(case):
    """What is wrong with the result, if anything; None if the layout has no room for it."""
    try:
        made = case.ours()
    except InvalidValueError as error:
        if error.limit.startswith("its length must be"):
            return None
        if "other axes can take" in error.limit:
            return None
        raise
    found, expected = made.to_numpy(), case.scipys(case.x)
    if (found.shape, found.dtype) != (expected.shape, expected.dtype):
        return f"{found.shape} {found.dtype} and not {expected.shape} {expected.dtype}"
    wide = np.result_type(case.x.dtype, np.longdouble)
    exact = case.scipys(case.x.astype(wide))
    floor = np.finfo(expected.dtype).eps * rms(exact)
    error, scipys = rms(found - exact), rms(expected - exact)
    return f"error {error}, of SciPy {scipys}" if error > WORST * max(scipys, floor) else ""


@pytest.mark.parametrize(
    ("count", "longest", "most"),
    [(300, 40, 4096), *sweep((9000, 100, 2**14), (1000, 3000, 2**16))],
)
def test_the_error_is_that_of_scipy(count, longest, most):
    rng = np.random.default_rng(count)
    cases = [random_case(rng, longest, most) for _ in range(count)]
    assert {case.name for case in cases} == {*COMPLEX, *REAL, *BACK, *WAVES}
    results = [problem(case) for case in cases]
    wrong = [(case, text) for case, text in zip(cases, results, strict=True) if text]
    assert [(c.name, c.layout, c.options, text) for c, text in wrong] == []
    refused = [case for case, text in zip(cases, results, strict=True) if text is None]
    assert len(refused) < 0.2 * count
    for case in refused:  # the other axes cannot take all nodes, before or after
        shape = [*case.layout.shape]
        changed = dict(
            zip(case.axes, case.options.get("s", [case.options.get("n")]), strict=True)
        )
        least = [
            min(n & -n, changed.get(k, n) & -changed.get(k, n)) for k, n in enumerate(shape)
        ]
        room = min(prod(least[:k] + least[k + 1 :]) for k in case.axes)
        assert room < 1 << case.layout.n, case


def test_the_check_sees_a_small_error():
    case = random_case(np.random.default_rng(5), 40, 4096)
    assert problem(case) == ""
    worse = replace(case, x=case.x * (1 + 1e-6))
    worse.scipys = case.scipys
    case.ours = worse.ours
    assert problem(case).startswith("error")


@pytest.mark.parametrize("name", [*COMPLEX, *REAL, *BACK, *WAVES])
def test_out_takes_the_result_into_its_layout(name):
    layout = gc.Layout.mesh((8, 16), (2, 4), code="gray")
    x = np.random.default_rng(0).standard_normal((8, 16, 2))
    a = gc.CubeArray.from_numpy(x, layout)
    call = getattr(gc.fourier, name)
    wanted = call(a)
    shape = wanted.layout.shape
    home = gc.Layout.mesh(shape, (8, 1), code="gray")
    assert home != wanted.layout
    out = gc.CubeArray.from_numpy(np.zeros((*shape, 2), wanted.dtype), home)
    blocks = out.blocks
    assert call(a, out=out) is out
    assert out.blocks is blocks
    assert np.array_equal(out.to_numpy(), wanted.to_numpy())
    with pytest.raises(gc.GraycubeError, match="out has shape"):
        call(a, out=gc.CubeArray.from_numpy(np.zeros((4, 4)), gc.Layout.mesh((4, 4), (2, 4))))
    if wanted.dtype.kind == "c":
        with pytest.raises(gc.GraycubeError, match="out has dtype float64"):
            call(a, out=gc.CubeArray.from_numpy(np.zeros(wanted.shape), home))


@pytest.mark.parametrize("name", ["fftn", "dctn"])
def test_natural_order_is_that_of_the_array(name):
    layout = gc.Layout.mesh((8, 16), (2, 4), code="gray")
    a = gc.CubeArray.from_numpy(np.eye(8, 16), layout)
    call, theirs = getattr(gc.fourier, name), getattr(scipy.fft, name)
    y = call(a, order="natural")
    assert y.layout == layout
    y = call(a, s=(8, 24), order="natural")
    assert np.allclose(y.to_numpy(), theirs(np.eye(8, 16), s=(8, 24)))
    assert y.slices == (slice(0, 8), slice(0, 24))


def test_n_of_irfftn_is_the_last_of_s():
    x = np.random.default_rng(0).standard_normal((8, 7))
    y = gc.rfftn(gc.CubeArray.from_numpy(x, gc.Layout.mesh((8, 7), (4, 1))))
    for call in (gc.irfftn, gc.irfft2):
        with pytest.warns(DeprecationWarning, match=r"irfftn\(s="):
            back = call(y, n=7)
        assert np.allclose(back.to_numpy(), x)


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
def test_long_double_stays_long_double(dtype):
    layout = gc.Layout.mesh((8, 12), (2, 2), code="gray")
    x = (np.random.default_rng(0).standard_normal((8, 12)) / 3).astype(dtype)
    a = gc.CubeArray.from_numpy(x, layout)
    for name in ("dctn", "dstn", "fftn"):
        found = getattr(gc.fourier, name)(a, s=(8, 16)).to_numpy()
        expected = getattr(scipy.fft, name)(x, s=(8, 16))
        assert found.dtype == expected.dtype
        assert rms(found - expected) <= 4 * np.finfo(dtype).eps * rms(expected)


def layout_of(*shape_and_nodes):
    shape, nodes = zip(*shape_and_nodes, strict=True)
    return gc.CubeArray.from_numpy(np.ones(shape), gc.Layout.mesh(shape, nodes))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: gc.fft(layout_of((8, 4)), n=0), "number of points is 0"),
        (lambda: gc.fft(layout_of((8, 4)), n=2.5), "number of points is 2.5"),
        (lambda: gc.fftn(layout_of((8, 4)), s=8), "s is 8"),
        (lambda: gc.fftn(layout_of((8, 4)), s=(8, 8)), "s has 2 entries for 1 axes"),
        (lambda: gc.fftn(layout_of((8, 4)), (0, 0), s=(8, 8)), "named twice"),
        (lambda: gc.fft(layout_of((8, 4)), out=np.zeros(8, complex)), "out is a ndarray"),
        (lambda: gc.fourier.dct(layout_of((8, 4)), 1), "type is 1: the known ones are 2, 3"),
        (lambda: gc.fourier.dct(layout_of((8, 1)), norm="best"), "norm is 'best'"),
        (lambda: gc.fourier.idst(layout_of((8, 1)), order="x"), "order is 'x'"),
        (lambda: gc.fourier.dct(np.ones(8)), "got a ndarray"),
        (lambda: gc.fourier.dct(layout_of((8, 1)).astype("U3")), "numbers are needed"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(gc.GraycubeError, match=text):
        call()
