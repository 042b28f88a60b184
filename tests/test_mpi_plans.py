"""Plans over MPI: 2, 4, 8 and 16 ranks, each started once for many checks."""

import pytest
from mpi_runs import checks_of, each_once

RANKS = (2, 4, 8, 16)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    return each_once("plans", tmp_path_factory)


@pytest.mark.parametrize(
    ("ranks", "check"),
    [(ranks, check) for ranks in RANKS for check in checks_of("plans", ranks)],
)
def test_over_mpi_as_in_one_process(ranks, check, job):
    job(ranks).require(check)


@pytest.mark.parametrize("ranks", RANKS)
def test_the_job_ends_well_and_says_nothing(ranks, job):
    run = job(ranks)
    assert (run.returncode, run.stderr) == (0, ""), run
