"""``graycube bench``: all candidates of a plan carried out and timed."""

from dataclasses import asdict
from pathlib import Path

import click

import graycube as gc
from graycube.cli.console import print_json, say
from graycube.cli.files import read_plan
from graycube.cli.ranks import started, world
from graycube.errors import InvalidValueError
from graycube.run import agreed


@click.command(short_help="Run the candidates of a plan over MPI and time them.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--ranks", type=int, metavar="N", help="Start N ranks with mpiexec.")
@click.option("--rounds", type=int, default=9, show_default=True, help="Runs of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def bench(file: Path, ranks: int | None, rounds: int, *, as_json: bool) -> int:
    """Carry out all candidates of the plan in FILE, measured beside predicted.

    It needs a rank for each node: under mpiexec, or with --ranks.

    \b
    graycube plan gray binary --dims 3 --block 1MiB --machine ours -o plan.json
    graycube bench plan.json --ranks 8
    """
    if ranks is not None:
        flags = ["--rounds", str(rounds), *(["--json"] if as_json else [])]
        return started(ranks, ["bench", *flags, "--", str(file)])
    comm = world()
    plan = agreed(comm, lambda: (read_plan(file), {}))  # no rank waits where it is missing
    if comm.size != (nodes := 1 << plan.task.n):
        raise InvalidValueError(
            f"the number of ranks is {comm.size}",
            f"the plan is for {nodes}",
            f"say --ranks {nodes}, or start it with mpiexec -n {nodes}",
        )
    found = gc.bench(plan, comm, rounds)
    if comm.rank == 0:
        if as_json:
            fastest = found.fastest.algorithm if found.candidates else None
            print_json({**asdict(found), "fastest": fastest})
        else:
            say(found.report())
    return 0
