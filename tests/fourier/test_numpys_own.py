"""NumPy's own tests of ``numpy.fft`` pass with its functions replaced by those on arrays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from in_place_of_numpy import own_tests
from sweeping import sweep

COMMON = Path(__file__).parents[1] / "common"
NOT_OURS = ("output_order", "s_axes_none", "s_contains_none", "bad_out")
"""What is of NumPy alone: the order in memory, its deprecations, its words."""
LONG = ("TestFFTThreadSafe", "identity")
FEW = (4, (*NOT_OURS, *LONG))


@pytest.mark.long
@pytest.mark.parametrize(
    ("nodes", "without"), [FEW, *sweep(*((nodes, NOT_OURS) for nodes in (1, 2, 4, 8)))]
)
def test_numpys_own_tests_pass(nodes, without, tmp_path):
    (tmp_path / "test_numpys.py").write_text(own_tests(), encoding="utf-8")
    names = " or ".join(without)
    quiet = [
        "-q",
        "-k",
        f"not ({names})",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        "--rootdir",
        str(tmp_path),
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *quiet, str(tmp_path)],
        env={
            **os.environ,
            "GRAYCUBE_TEST_NODES": str(nodes),
            "PYTHONPATH": str(COMMON),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert " passed" in ran.stdout
