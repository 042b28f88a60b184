"""The V-cycle: residuals fall, the solution is that of a direct solve, and hops are counted."""

import importlib
import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mpi_runs import launch
from sweeping import sweep

import graycube as gc

EXAMPLES = Path(__file__).parents[2] / "examples"
PRINTED = r"^ +\d+  (\d\.\d\de[+-]\d\d)"


@pytest.fixture(scope="module")
def multigrid():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        found = importlib.import_module("multigrid")
    sys.modules.pop("multigrid")
    return found


def direct(f):
    """What has this second difference and no mean, by NumPy's transforms."""
    waves = [4 * np.sin(np.pi * np.arange(n) / n) ** 2 for n in f.shape]
    symbol = waves[0][:, None] + waves[1]
    symbol[0, 0] = np.inf
    return np.fft.ifft2(np.fft.fft2(f) / symbol).real


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "nodes", "code"),
    [
        (16, (4, 2), "gray"),
        (4, (4, 4), "gray"),  # one point a node, and fewer
        *sweep(
            (64, (4, 4), "gray"),
            (8, (8, 8), "gray"),
            (128, (1, 8), "gray"),
        ),
    ],
)
def test_a_cycle_takes_residuals_to_an_eighth_and_less(size, nodes, code, multigrid):
    layout = gc.Layout.mesh((size, size), nodes, code=code)
    f, u, norms = multigrid.solve(layout, 8)
    assert all(8 * now < before for before, now in pairwise(norms))
    exact = direct(f.to_numpy())
    found = u.to_numpy() - u.mean()
    assert np.abs(found - exact).max() < 1e-6 * np.abs(exact).max()
    assert u.layout == layout


@pytest.mark.parametrize("d", [2, 3, *sweep((4,), (5,))])
def test_hops_are_those_of_cam_87_02_and_advice_counts_the_same(d, multigrid):
    """One in Gray code on every grid, two where strides are in place, d and fewer in binary."""
    layouts = [gc.Layout.mesh((2**d, 2**d), (2**d, 2**d), code=c) for c in ("binary", "gray")]
    binary, gray = map(multigrid.hops, layouts)
    sides = 4
    assert binary == [(sides * (d - k), sides * (d - k)) for k in range(d)]
    assert gray == [(sides, sides * min(k + 1, 2)) for k in range(d)]
    for layout, counted in zip(layouts, (binary, gray), strict=True):
        machine, phases = multigrid.one_port(layout), multigrid.program(layout)
        size = (2**d, 2**d)
        advice = gc.advise(phases, machine=machine, size=size, layouts={"here": layout})
        exchanges = 2 * (len(multigrid.STEPS) + 1) + 2
        assert advice.cost == exchanges * sum(in_place for _, in_place in counted)
        phases = multigrid.own_grids(2**d)
        advice = gc.advise(phases, machine=machine, size=size, layouts={"here": layout})
        copies = 2 * d  # each dimension is crossed once: from then on all is on every node
        assert advice.cost == exchanges * counted[0][0] + copies


@pytest.mark.parametrize("ranks", sweep((2,), (4,), (8,)))
def test_ranks_print_what_one_process_prints(ranks, multigrid, capsys, tmp_path):
    run = launch(EXAMPLES / "multigrid.py", ranks, tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    multigrid.main()
    alone = capsys.readouterr().out
    ours, theirs = (
        np.array(re.findall(PRINTED, text, re.MULTILINE), float) for text in (run.stdout, alone)
    )
    assert np.allclose(ours, theirs, rtol=0.02)
    assert len(ours) == 7
    assert run.stdout.partition("\n\n")[2] == alone.partition("\n\n")[2]
