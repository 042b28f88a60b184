"""NumPy's functions over MPI: results, messages, copies, errors."""

import pytest
from mpi_runs import Launch, each, each_check, each_once

LAUNCHES = (
    Launch(1, ("numpy_functions",), sweep=True),
    Launch(2, ("numpy_functions",), messages=True, sweep=True),
    Launch(2, ("numpy_functions",), sweep=True),
    Launch(4, ("numpy_functions",)),
    Launch(8, ("numpy_functions",), sweep=True),
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
