"""Whatever is in a file, graycube reads it or says in its own words why not.

Each mutant is read in a process whose memory is limited, with a time limit of its own. What
loads is used: proved, written again and read back.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KINDS = ("plan", "schedule", "certificate", "workload", "profile", "claims", "layout", "array")
FEW, MANY = 60, 12_500
MEMORY = 512 << 20  # bytes of address space beyond what an idle process has


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        *((kind, FEW) for kind in KINDS),
        *(pytest.param(kind, MANY, marks=pytest.mark.sweep) for kind in KINDS),
    ],
)
def test_any_file_is_read_or_refused(kind, count, tmp_path):
    """In a process of its own: memory can be limited, and a hang ends that process alone."""
    seed = "a few" if count == FEW else "many"
    done = subprocess.run(
        [sys.executable, HERE / "read_mutants.py", kind, str(count), seed, str(MEMORY)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told["read"] + told["refused"] == count
    assert told["refused"] > count / 4
    assert told["read"] > 0
