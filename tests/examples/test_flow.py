"""The flow solver in examples: one process and four ranks, exact solutions and an oracle."""

import doctest
import importlib
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log2
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import launch
from sweeping import long

import graycube as gc

ROOT = Path(__file__).parents[2]
FLOW = ROOT / "examples" / "flow.py"
STEPS = 4
SHORT = ("--check", "--steps", str(STEPS))
COMM = "from mpi4py import MPI; comm = MPI.COMM_WORLD"


@pytest.fixture(scope="module")
def flow():
    """The example as a module; MPI is not started in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FLOW.parent)
        module = importlib.import_module("flow")
        patch.setattr(module, "communicator", lambda: None)
        yield module
    sys.modules.pop("flow")


@dataclass(frozen=True)
class Outcome:
    returncode: int
    stdout: str
    stderr: str
    picture: Path
    field: np.ndarray

    @property
    def rows(self):
        """Points, error and energies of each grid."""
        found = re.findall(
            r"(\d+) x \d+ +(\d\.\d+e-\d+) +(?:\d\.\d+ +)?(0\.\d{8}) +(0\.\d{8})", self.stdout
        )
        return np.array(found, dtype=float)


@pytest.fixture(scope="module")
def outcome_of(tmp_path_factory):
    """The example in one "process", or with four "ranks"; each is run once."""
    folder = tmp_path_factory.mktemp("flow")

    @cache
    def outcome(name):
        picture, field = folder / f"{name}.png", folder / f"{name}.npy"
        arguments = (*SHORT, "--picture", str(picture), "--save", str(field))
        if name == "ranks":
            ran = launch(FLOW, 4, folder, *arguments)
        else:
            ran = subprocess.run(
                [sys.executable, str(FLOW), *arguments],
                cwd=folder,
                timeout=120,
                capture_output=True,
                text=True,
                check=False,
            )
        assert not ran.returncode, ran
        return Outcome(ran.returncode, ran.stdout, ran.stderr, picture, np.load(field))

    return outcome


@pytest.fixture(params=["process", *long(("ranks",))])
def outcome(request, outcome_of):
    return outcome_of(request.param)


def test_it_ends_well_and_draws_no_bar_where_there_is_no_terminal(outcome):
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout.count("Taylor-Green") == 1  # one rank speaks


def test_errors_of_vorticity_and_energy_fall_with_second_order(outcome):
    points, errors, energies, exact = outcome.rows.T
    assert points.tolist() == [16, 32, 64]
    assert all(exact < 0.25)
    for wrong in (errors, abs(energies - exact)):
        orders = [log2(coarse / fine) for coarse, fine in pairwise(wrong)]
        assert min(orders) > 1.9
        assert max(orders) < 2.1


@pytest.mark.long
def test_one_process_and_four_ranks_have_the_same_numbers(outcome_of):
    process, ranks = outcome_of("process"), outcome_of("ranks")
    np.testing.assert_allclose(ranks.field, process.field, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ranks.rows, process.rows, rtol=2e-4, atol=2e-8)
    assert process.field.shape == (64, 64)
    assert process.field.std() > 0.9


def test_a_picture_is_made(outcome):
    image = pytest.importorskip("matplotlib.image").imread(outcome.picture)
    height, width, _ = image.shape
    assert (width, height) == (1200, 456)
    assert image[100:380, 80:370, :3].std(axis=(0, 1)).min() > 0.2  # within the first panel


def test_the_vorticity_is_the_exact_one_to_discretisation(outcome):
    x = 2 * np.pi / 64 * np.arange(64)
    t = STEPS * 0.5 * 2 * np.pi / 64
    u, v = x[:, None] - t, x[None, :] - 0.5 * t
    exact = 2 * np.cos(u) * np.cos(v) * np.exp(-2 * 0.02 * t)
    assert abs(outcome.field - exact).max() < 0.003
    assert abs(outcome.field - exact).max() == pytest.approx(outcome.rows[-1, 1], rel=1e-3)


def shifted(x, i, j):
    return np.roll(x, (-i, -j), (0, 1))


def jacobian(p, w, slope=(0, 0)):
    """Arakawa's, as he wrote it: the mean of three forms, with h = 1; p rises besides."""

    def around(a, along=(0, 0)):
        steps = (-1, 0, 1)
        return [[shifted(a, i, j) + along[0] * i + along[1] * j for j in steps] for i in steps]

    (psw, pw, pnw), (ps, _, pn), (pse, pe, pne) = around(p, slope)
    (wsw, ww, wnw), (ws, _, wn), (wse, we, wne) = around(w)
    plain = (pe - pw) * (wn - ws) - (pn - ps) * (we - ww)
    outer = pe * (wne - wse) - pw * (wnw - wsw) - pn * (wne - wnw) + ps * (wse - wsw)
    inner = pne * (wn - we) - psw * (ww - ws) - pnw * (wn - ww) + pse * (we - ws)
    return (plain + outer + inner) / 12


def laplacian(x):
    return sum(shifted(x, i, j) for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1))) - 4 * x


@pytest.mark.parametrize("name", ["taylor-green", "shear"])
def test_the_rate_of_any_field_is_that_of_an_oracle(name, flow):
    solver = flow.Flow(flow.CASES[name], 32, None)
    w = np.random.default_rng(0).standard_normal((32, 32))
    w -= w.mean()
    h, case = solver.h, solver.case
    waves = 4 * np.sin(np.pi * np.arange(32) / 32) ** 2 / h**2
    waves = waves[:, None] + waves
    waves[0, 0] = np.inf
    p = np.fft.ifft2(np.fft.fft2(w) / waves).real
    u, v = case.carried
    expected = (jacobian(p, w, (-h * v, h * u)) + case.viscosity * laplacian(w)) / h**2
    made = solver.rate(gc.CubeArray.from_numpy(w, solver.start.layout)).to_numpy()
    np.testing.assert_allclose(made, expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_a_shear_layer_keeps_its_balance_of_energy(flow, monkeypatch, capsys):
    arguments = ["flow.py", "--case", "shear", "--check", "--size", "32", "--steps", "20"]
    monkeypatch.setattr(sys, "argv", arguments)
    flow.main()
    printed = capsys.readouterr().out
    energies = [float(e) for e in re.findall(r"\n +\d\.\d{3} +(0\.\d{8})", printed)]
    assert len(energies) == 5
    assert energies == sorted(set(energies), reverse=True)
    balance = re.search(r"balance of energy (\S+)", printed)
    assert float(balance[1]) < 1e-15


def test_a_check_that_fails_says_so(flow, monkeypatch):
    """Too few points for the asymptotic order."""
    monkeypatch.setattr(sys, "argv", ["flow.py", "--check", "--size", "16", "--steps", "4"])
    with pytest.raises(SystemExit, match="not what they have to be"):
        flow.main()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--size", "0"], "at least 1"),
        (["--steps", "-1"], "at least 1"),
    ],
)
def test_sizes_that_cannot_be_are_refused(arguments, says, flow, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["flow.py", *arguments])
    with pytest.raises(SystemExit) as stopped:
        flow.main()
    assert says in f"{stopped.value}{capsys.readouterr().err}"


@pytest.mark.long
def test_three_ranks_are_refused_once(tmp_path):
    run = launch(FLOW, 3, tmp_path, *SHORT, limit=60)
    assert run.returncode != 0
    assert run.stderr.count("flow.py: an axis is on 3 nodes in Gray code") == 1


def test_without_matplotlib_there_is_no_picture(flow, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    flow.draw(tmp_path / "no.png", flow.CASES["shear"], [np.eye(4)] * 3)
    assert "pip install 'graycube[plot]'" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_the_bar_is_drawn_on_a_terminal_and_taken_away(flow, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    flow.run(flow.CASES["shear"], 8, None)
    drawn = capsys.readouterr().err
    assert "8 x 8 [####" in drawn
    assert not drawn.split("\r")[-2].strip()


@pytest.mark.long
def test_the_program_of_the_guide_runs_on_four_ranks(tmp_path):
    text = (ROOT / "docs" / "flow.md").read_text()
    lines = "".join(e.source for e in doctest.DocTestParser().get_examples(text)).splitlines()
    assert len(lines) < 30
    assert lines[2].startswith("comm = None")
    lines[2], lines[-1] = COMM, f"assert {lines[-1]}; print('right')"
    (tmp_path / "guide.py").write_text("\n".join(lines))
    run = launch(tmp_path / "guide.py", 4, tmp_path, limit=60)
    assert (run.returncode, run.stderr, run.stdout.count("right")) == (0, "", 4), run
