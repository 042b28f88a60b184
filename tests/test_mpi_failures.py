"""Failures over MPI: wrong calls fail alike on all ranks; no failure leaves a job behind."""

import os
import signal

import pytest
from mpi_runs import checks_of, each_once, launch, started

RANKS = (2, 4, 8)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    return each_once("failures", tmp_path_factory)


@pytest.mark.parametrize(
    ("ranks", "check"),
    [(ranks, check) for ranks in RANKS for check in checks_of("failures", ranks)],
)
def test_all_ranks_hear_the_same_and_go_on(ranks, check, job):
    job(ranks).require(check)


@pytest.mark.parametrize("ranks", RANKS)
def test_the_job_ends_well_and_says_nothing(ranks, job):
    run = job(ranks)
    assert (run.returncode, run.stderr) == (0, ""), run


def test_ranks_that_no_node_has_hear_the_same(tmp_path):
    launch("failures", 4, tmp_path, "apart", limit=30).require("other renumberings")


@pytest.mark.parametrize("ending", ["killed before", "killed inside"])
def test_a_rank_that_is_killed_ends_the_job(ending, tmp_path):
    assert launch("failures", 4, tmp_path, ending, limit=40).returncode != 0


@pytest.mark.parametrize(
    ("ending", "ranks", "where", "cause"),
    [
        ("raises", 8, "round 1 of gb3", "ZeroDivisionError('a bad day')"),
        ("raises in a half", 8, "round 1 of gb3", "ZeroDivisionError('a bad day')"),
        ("interrupted inside", 4, "round 1 of gb3", "KeyboardInterrupt()"),
        ("leaves inside", 4, "round 1 of gb3", "SystemExit(0)"),
    ],
)
def test_a_rank_that_fails_while_data_move_ends_the_job_and_says_why(
    ending, ranks, where, cause, tmp_path
):
    run = launch("failures", ranks, tmp_path, ending, limit=40)
    assert run.returncode != 0
    words = f"graycube: rank 1 failed in {where}: {cause}; the job ends here"
    assert words in run.stderr, run
    assert run.stderr.count("graycube: rank") == 1, run
    assert "Traceback" in run.stderr, run


@pytest.mark.parametrize("busy", ["runs", "waits"])
def test_an_interrupt_ends_everything(busy, tmp_path):
    with started("failures", 4, tmp_path, busy, limit=40) as job:
        job.wait_for("running")
        os.kill(job.process.pid, signal.SIGINT)
        assert job.finish().returncode != 0


@pytest.mark.parametrize(
    ("fault", "ranks", "complaint"),
    [
        ("hangs", 4, r"did not end in 10 s; stdout:\n(?s:.*)running"),
        ("litters", 1, "files are left: .*litter"),
        ("outlives", 1, "processes are left: .*time.sleep.600"),
    ],
)
def test_the_watchdog_barks(fault, ranks, complaint, tmp_path, monkeypatch):
    monkeypatch.setattr("mpi_runs.GRACE", 1)
    with (
        pytest.raises(pytest.fail.Exception, match=complaint),
        started("failures", ranks, tmp_path, fault, limit=10) as job,
    ):
        job.finish()
    assert not job.alive()
