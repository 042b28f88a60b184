"""Candidates timed over MPI; and a rank that is given something else than the others."""

import pytest
from mpi_runs import checks_of, each_once

RANKS = (2, 4)


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    return each_once("benches", tmp_path_factory)


@pytest.mark.parametrize(
    ("ranks", "check"),
    [(ranks, check) for ranks in RANKS for check in checks_of("benches", ranks)],
)
def test_candidates_are_timed(ranks, check, job):
    job(ranks).require(check)
