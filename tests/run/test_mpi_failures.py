"""Failures over MPI: wrong calls fail alike on all ranks; no failure leaves a job behind."""

import os
import signal

import pytest
from mpi_checks import program
from mpi_runs import Launch, OverMPI, launch, started
from sweeping import long, sweep

FAILURES = program("failures")


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("failures",), messages=True, sweep=True),
        Launch(8, ("failures",), sweep=True),
    )


@pytest.mark.long
def test_ranks_that_no_node_has_hear_the_same(tmp_path):
    launch(FAILURES, 4, tmp_path, "apart", limit=30).require("other renumberings")


@pytest.fixture(
    scope="module",
    params=[
        (2, "messages"),
        *long(((4, "memory"),)),
        *sweep(((2, "memory"),), ((4, "messages"),)),
    ],
    ids=lambda of: f"{of[0]} ranks, {of[1]}",
)
def alone(request, tmp_path_factory):
    """The ranks, and a job in which rank 1 does not do what the others do, and ends first."""
    ranks, how = request.param
    run = launch(FAILURES, ranks, tmp_path_factory.mktemp("job"), "alone", how, limit=60)
    assert "nothing was heard" not in run.stdout, run
    return ranks, run


def test_nobody_waits_for_a_rank_whose_program_has_ended(alone):
    ranks, run = alone
    for rank in {*range(ranks)} - {1}:
        words = f"alone: the program of rank 1 has ended, and rank {rank} waits for it in "
        assert run.stdout.count(f"{words}failures.py, line ") == 2 * 8, run
    assert run.returncode == 0, run


def test_ranks_that_wait_for_each_other_hear_so(alone):
    ranks, run = alone
    assert run.stdout.count("and rank 1 calls something else") == ranks - 1, run
    assert run.stdout.count("calls something else") == ranks, run
    assert run.stdout.count("in a call on another communicator") == ranks, run


def test_who_waits_long_says_so_and_all_goes_on(alone):
    ranks, run = alone
    assert run.stdout.count("late: 168.0") == ranks, run
    assert run.stderr.count("graycube: ") == 1, run
    assert "graycube: rank 0 has waited for 1 s in failures.py, line " in run.stderr, run
    assert "1 did not come; all ranks have to make this call" in run.stderr, run


@pytest.mark.long
def test_a_rank_is_there_until_all_is_done_that_it_does_at_exit(tmp_path):
    run = launch(FAILURES, 2, tmp_path, "at exit", limit=40)
    assert run.stdout.count("in the end 28.0") == 2, run


@pytest.mark.parametrize(
    ("ending", "ranks"),
    [("killed inside", 2), *long(("killed before", 2), ("killed inside", 4))],
)
def test_a_rank_that_is_killed_ends_the_job(ending, ranks, tmp_path):
    assert launch(FAILURES, ranks, tmp_path, ending, limit=40).returncode != 0


@pytest.mark.parametrize(
    ("ending", "ranks", "where", "cause"),
    [
        ("raises", 4, "round 1 of gb3", "ZeroDivisionError('a bad day')"),
        ("raises in a half", 4, "round 0 of exchange", "ZeroDivisionError('a bad day')"),
        ("leaves inside", 2, "round 0 of exchange", "SystemExit(0)"),
        pytest.param(
            "raises in a half", 8, "round 1 of gb3", "ZeroDivisionError('a bad day')",
            marks=pytest.mark.sweep,
        ),
    ],
)  # fmt: skip
def test_a_rank_that_fails_while_data_move_ends_the_job_and_says_why(
    ending, ranks, where, cause, tmp_path
):
    run = launch(FAILURES, ranks, tmp_path, ending, limit=40)
    assert run.returncode != 0
    words = f"graycube: rank 1 failed in {where}: {cause}; the job ends here"
    assert words in run.stderr, run
    assert run.stderr.count("graycube: rank") == 1, run
    assert "Traceback" in run.stderr, run


@pytest.mark.parametrize(
    ("ending", "ranks", "who"),
    [
        ("interrupted inside", 2, "rank 1 was interrupted in round 0 of exchange"),
        ("all interrupted", 4, "rank 0 was interrupted in round 1 of gb3"),
    ],
)
def test_ranks_that_are_interrupted_while_data_move_end_the_job_in_a_line(
    ending, ranks, who, tmp_path
):
    run = launch(FAILURES, ranks, tmp_path, ending, limit=40)
    assert run.returncode != 0
    words = f"graycube: {who}; the job ends here"
    assert run.stderr.count(words) == run.stderr.count("graycube: rank") == 1, run
    assert "Traceback" not in run.stderr, run


@pytest.mark.parametrize("busy", ["runs", "waits"])
def test_an_interrupt_ends_everything(busy, tmp_path):
    through = ("-m", "mpi4py")  # it may come between two runs, where the program has to end
    with started(FAILURES, 2, tmp_path, busy, limit=40, through=through) as job:
        job.wait_for("running")
        os.kill(job.process.pid, signal.SIGINT)
        assert job.finish().returncode != 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "ranks", "complaint"),
    [
        ("hangs", 2, r"did not end in 1 s; stdout:\n(?s:.*)running"),
        ("litters", 1, "files are left: .*litter"),
        ("outlives", 1, "processes are left: .*time.sleep.600"),
    ],
)
def test_the_watchdog_barks(fault, ranks, complaint, tmp_path, monkeypatch):
    monkeypatch.setattr("mpi_runs.GRACE", 1)
    with started(FAILURES, ranks, tmp_path, fault, limit=40) as job:
        job.wait_for("running")
        with pytest.raises(pytest.fail.Exception, match=complaint):
            job.finish(within=1 if fault == "hangs" else None)
    assert not job.alive()
