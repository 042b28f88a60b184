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
from sweeping import sweep

HERE = Path(__file__).parent
KINDS = ("plan", "schedule", "certificate", "workload", "profile", "claims", "layout", "array")
FEW, MANY = 60, 12_500
MEMORY = 512 << 20  # bytes of address space beyond what an idle process has


@pytest.mark.long
@pytest.mark.parametrize(
    ("kinds", "count"), [(KINDS, FEW), *sweep(*(((kind,), MANY) for kind in KINDS))]
)
def test_any_file_is_read_or_refused(kinds, count, tmp_path):
    """In a process of its own: memory can be limited, and a hang ends that process alone."""
    seed = "a few" if count == FEW else "many"
    done = subprocess.run(
        [sys.executable, HERE / "read_mutants.py", str(count), seed, str(MEMORY), *kinds],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert [*found] == [*kinds]
    for kind, told in found.items():
        assert told["read"] + told["refused"] == count, kind
        assert told["refused"] > count / 4, kind
        assert told["read"] > 0, kind
