"""Arrays over MPI are what they are in one process: each launch carries many checks."""

import pytest
from mpi_runs import Launch, each, each_check, each_once

LAUNCHES = (
    Launch(1, ("arrays",)),
    Launch(2, ("arrays", "array_mistakes"), messages=True),
    Launch(2, ("arrays", "array_mistakes"), sweep=True),
    Launch(3, ("arrays",), sweep=True),
    Launch(4, ("arrays",)),
    Launch(4, ("array_mistakes",), sweep=True),
    Launch(4, ("arrays",), messages=True, sweep=True),
    Launch(8, ("arrays",), sweep=True),
    Launch(16, ("arrays",), sweep=True),
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
