"""Candidates timed over MPI: all of them, the same times on all ranks, in words too."""

from mpi_checks import checks

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError


def plan(n):
    """A plan with several candidates, on a machine where most of them apply."""
    machine = gc.Machine(n, "all", "circuit", startup=1e-6, per_byte=1e-9)
    return gc.plan(
        gc.Layout.cyclic(n + 3, n), gc.Layout.consecutive(n + 3, n), 64, machine=machine
    )


def all_candidates(comm):
    made = plan(comm.size.bit_length() - 1)
    found = gc.bench(made, comm, rounds=3)
    named = [c.algorithm.name for c in made.candidates if c.traffic is not None]
    names = [timed.algorithm for timed in found.candidates]
    yield names == [name for name in named if name != "relabel"], f"timed are {names}"
    for timed in found.candidates:
        yield len(timed.runs) == 3 and min(timed.runs) > 0, f"{timed}"
        candidate = next(c for c in made.candidates if c.algorithm.name == timed.algorithm)
        yield timed.predicted == candidate.cost, f"{timed} is predicted {candidate.cost}"
    yield found.chosen == made.algorithm, f"chosen is {found.chosen}"
    yield found.regret >= 1, f"the regret is {found.regret}"
    yield (
        [line.split()[0] for line in found.report().split("\n")[1 : 1 + len(names)]] == names,
        (found.report()),
    )


def the_same_everywhere(comm):
    found = gc.bench(plan(comm.size.bit_length() - 1), comm, rounds=2)
    yield comm.allgather(found) == [found] * comm.size, "ranks have other times"


def agreement(comm):
    rounds = 3 if comm.rank else 2
    try:
        gc.bench(plan(comm.size.bit_length() - 1), comm, rounds=rounds)
        yield False, "other numbers of rounds are taken"
    except InvalidValueError as error:
        yield "rounds is 2 on rank 0 and 3 on rank 1" in str(error), str(error)
    try:
        gc.bench(plan(comm.size.bit_length() - 1), comm, rounds=10**12)
        yield False, "so many times have no room in memory"
    except InvalidValueError as error:
        yield "at most 10000" in str(error), str(error)
    try:
        gc.bench("gb1", comm)
        yield False, "a name is taken for a plan"
    except InvalidTypeError as error:
        yield "got a str" in str(error), str(error)


CHECKS = checks((2, 4), all_candidates, agreement) | checks((4,), the_same_everywhere)
