"""Plans over MPI give what they give in one process, and candidates are timed."""

import pytest
from mpi_runs import Launch, each, each_check, each_once

LAUNCHES = (
    Launch(2, ("plans", "benches"), messages=True),
    Launch(4, ("plans", "benches")),
    Launch(8, ("plans",), sweep=True),
    Launch(16, ("plans",), sweep=True),
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return each_once(tmp_path_factory)


@each_check(LAUNCHES)
def test_over_mpi_as_in_one_process(launch, check, ran):
    ran(launch).require(check)


@each(LAUNCHES)
def test_the_job_ends_well_and_says_nothing(launch, ran):
    run = ran(launch)
    assert (run.returncode, run.stderr) == (0, ""), run
