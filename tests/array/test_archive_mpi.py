"""Stores and checkpoints over MPI, and a job that is killed while it writes one."""

import pytest
from mpi_checks import program
from mpi_runs import Launch, OverMPI, launch

pytest.importorskip("zarr", reason="the extra zarr is not installed")
CHECKPOINTS = program("checkpoints")


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("checkpoints",)),
        Launch(4, ("checkpoints",), sweep=True),
        Launch(8, ("checkpoints",), sweep=True),
    )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("moment", "ranks", "readers"),
    [
        ("archive._write_own", 8, (2, 6)),
        ("archive._finish", 4, (1, 3)),
        ("checkpoint.rmtree", 2, (4, 6)),
    ],
)
def test_what_was_there_is_loaded_after_a_kill(moment, ranks, readers, tmp_path):
    def job(count, *arguments):
        folder = tmp_path / f"{arguments[0]}{count}"
        folder.mkdir()
        return launch(CHECKPOINTS, count, folder, *arguments)

    state = str(tmp_path / "state")
    assert job(ranks, "write", state, "1").returncode == 0
    old = 2 if moment == "checkpoint.rmtree" else 1  # then the new one counts already
    (tmp_path / "again").mkdir()
    assert launch(CHECKPOINTS, ranks, tmp_path / "again", "die", state, "2", moment).returncode
    for count, place in zip(readers, ("cyclic", "blocks"), strict=True):
        read = job(count, "read", state, place)
        assert read.stdout == f"factor {float(old)}\n", read
