"""Bound transforms on ranks that share memory, and on ranks that send messages."""

import pytest
from mpi_runs import Launch, each, each_check, each_once

LAUNCHES = (
    Launch(2, ("bound",), messages=True),
    Launch(2, ("bound",), sweep=True),
    Launch(4, ("bound",)),
    Launch(4, ("bound",), messages=True, sweep=True),
    Launch(8, ("bound",), sweep=True),
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return each_once(tmp_path_factory)


@each_check(LAUNCHES)
def test_bound_transforms(launch, check, ran):
    ran(launch).require(check)


@each(LAUNCHES)
def test_the_job_ends_well_and_says_nothing(launch, ran):
    run = ran(launch)
    assert (run.returncode, run.stderr) == (0, ""), run
