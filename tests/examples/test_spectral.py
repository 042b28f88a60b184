"""The two programs beside those of mpi4py-fft: as NumPy does it, and short enough."""

import ast
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import launch
from sweeping import sweep

import graycube as gc

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = EXAMPLES.parent / "docs" / "from-mpi4py-fft.md"


def module(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        found = importlib.import_module(name)
    sys.modules.pop(name)
    return found


def code_lines(text):
    """Lines that are not empty, without the docstring of the file."""
    first = ast.parse(text).body[0]
    rest = text.splitlines()[first.end_lineno :] if isinstance(first, ast.Expr) else text
    lines = rest if isinstance(rest, list) else rest.splitlines()
    return sum(bool(line.strip()) for line in lines)


def heat(shape, time):
    """With whole spectra."""
    i, j = np.ogrid[: shape[0], : shape[1]]
    u = np.exp(np.sin(2 * np.pi * i / shape[0]) + 2 * np.pi * j / shape[1])
    a, b = (2 * np.pi / n for n in shape)
    x, y = 2 * np.pi * np.fft.fftfreq(shape[0], a), 2 * np.pi * np.fft.fftfreq(shape[1], b)
    decay = np.exp(-time * (x[:, None] ** 2 + y**2))
    return np.fft.ifft2(np.fft.fft2(u) * decay).real


def vortex(points, steps):
    """Full spectra, components first, and the curl written out."""
    x, y, z = np.meshgrid(*[2 * np.pi * np.arange(points) / points] * 3, indexing="ij")
    u = np.array([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * z])
    waves = np.fft.fftfreq(points, 1 / points)
    k = np.array(np.meshgrid(waves, waves, waves, indexing="ij"))
    squares = (k**2).sum(0)
    kept = (np.abs(k) < points / 3).all(0)
    each = (1, 2, 3)

    def slope(v):
        u = np.fft.ifftn(v, axes=each).real
        parts = [1j * (k[i - 2] * v[i - 1] - k[i - 1] * v[i - 2]) for i in range(3)]
        w = np.fft.ifftn(parts, axes=each).real
        products = [u[i - 2] * w[i - 1] - u[i - 1] * w[i - 2] for i in range(3)]
        force = np.fft.fftn(products, axes=each) * kept
        pressure = (k * force).sum(0) / np.maximum(squares, 1)
        return force - k * pressure - 0.000625 * squares * v

    v, h = np.fft.fftn(u, axes=each), 0.01
    for _ in range(steps):
        one = slope(v)
        two = slope(v + h / 2 * one)
        three = slope(v + h / 2 * two)
        four = slope(v + h * three)
        v = v + h / 6 * (one + 2 * two + 2 * three + four)
    return np.moveaxis(np.fft.ifftn(v, axes=each).real, 0, -1)


@pytest.mark.parametrize(
    ("nodes", "options"),
    [((1, 1), {}), ((4, 2), {"code": "gray"}), ((1, 8), {"allocation": "cyclic"})],
)
def test_heat_is_numpys_to_12_digits(nodes, options):
    layout = gc.Layout.mesh((16, 24), nodes, **options)
    found, expected = module("heat").solve(layout, 0.1), heat((16, 24), 0.1)
    assert found.layout == layout
    assert np.abs(found.to_numpy() - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("nodes", "options"),
    [((4, 1, 1), {}), ((2, 2, 2), {"code": "gray"}), ((8, 2, 1), {"allocation": "cyclic"})],
)
def test_the_vortex_is_numpys_to_12_digits(nodes, options):
    layout = gc.Layout.mesh((16, 16, 16), nodes, **options)
    found = module("taylor_green").solve(layout, steps=2)
    assert found.layout == layout
    assert np.abs(found.to_numpy() - vortex(16, 2)).max() < 1e-12


def test_they_are_short_and_the_page_says_how_short():
    page = PAGE.read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```python\n")[1:]]
    pairs = zip(blocks[::2], blocks[1::2], strict=True)
    for name, most, (ours, theirs) in zip(
        ("heat", "taylor_green"), (18, 40), pairs, strict=True
    ):
        text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        assert text.endswith(f'"""\n\n{ours}')
        assert code_lines(text) <= most
        assert f"{code_lines(text)} lines" in page
        assert f"mpi4py-fft {code_lines(theirs)}." in page


ENERGY = "0.124953117517"  # the value with which others check their solvers


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "ranks", "printed"),
    [
        ("heat", 2, "105.078671427873"),
        *sweep(
            ("heat", 4, "105.078671427873"),
            ("taylor_green", 1, ENERGY),
            ("taylor_green", 4, ENERGY),
        ),
    ],
)
def test_over_mpi(name, ranks, printed, tmp_path):
    run = launch(EXAMPLES / f"{name}.py", ranks, tmp_path)
    assert (run.returncode, run.stderr) == (0, ""), run
    assert run.stdout.split()[1] == printed
