"""Transforms that change lengths or places, over MPI."""

import pytest
from mpi_runs import Launch, each, each_check, each_once

LAUNCHES = (
    *(Launch(ranks, ("lone_axes",), sweep=True) for ranks in (1, 3, 6)),
    Launch(2, ("lengths", "lone_axes"), sweep=True),
    Launch(4, ("lengths", "lone_axes")),
    Launch(8, ("lengths", "lone_axes"), sweep=True),
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
