"""Arrays over MPI, from 1 to 16 ranks: each number is started once for many checks."""

import pytest
from mpi_runs import checks_of, each_once

RANKS = {"arrays": (1, 2, 3, 4, 8, 16), "array_mistakes": (2, 4)}
JOBS = [(name, ranks) for name, sizes in RANKS.items() for ranks in sizes]


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    return {name: each_once(name, tmp_path_factory) for name in RANKS}


@pytest.mark.parametrize(
    ("name", "ranks", "check"),
    [(name, ranks, check) for name, ranks in JOBS for check in checks_of(name, ranks)],
)
def test_over_mpi_as_in_one_process(name, ranks, check, jobs):
    jobs[name](ranks).require(check)


@pytest.mark.parametrize(("name", "ranks"), JOBS)
def test_the_job_ends_well_and_says_nothing(name, ranks, jobs):
    run = jobs[name](ranks)
    assert (run.returncode, run.stderr) == (0, ""), run
