"""``graycube calibrate``: measure this machine, and save it as a profile."""

import os
from typing import TYPE_CHECKING

import click

import graycube as gc
from graycube.cli.console import print_json, say, tell
from graycube.cli.ranks import started, world
from graycube.cli.sizes import as_amounts
from graycube.errors import InvalidValueError
from graycube.machine.profiles import place_for, set_aside
from graycube.measure import Calibration
from graycube.measure.calibrate import from_first
from graycube.measure.placement import differs
from graycube.run import mpi

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm


@click.command(short_help="Measure this machine for the planner.")
@click.argument("name")
@click.option("--ranks", type=int, metavar="N", help="Start N ranks with mpiexec.")
@click.option("--quick", is_flag=True, help="Fewer sizes and repeats.")
@click.option("--sizes", type=as_amounts, metavar="B,B,...", help="Bytes of the exchanges.")
@click.option("--merge", is_flag=True, help="Keep what was saved as NAME, and add to it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def calibrate(  # noqa: PLR0913
    name: str,
    ranks: int | None,
    sizes: tuple[int, ...] | None,
    *,
    quick: bool,
    merge: bool,
    as_json: bool,
) -> int:
    """Measure start-up, rate, ports and switching of this machine; save them as profile NAME.

    It runs on all ranks that mpiexec started, or starts some with --ranks. With --merge several
    runs, on the same ranks or on more, make one profile: of what two of them measured, the
    shorter time counts. Without it, a profile that had this name is kept as NAME.toml.before.

    \b
    graycube calibrate our-laptop --ranks 4
    mpiexec -n 64 graycube calibrate our-cluster --sizes 8,64KiB,4MiB
    """
    if ranks is not None:
        given = {"--quick": quick, "--merge": merge, "--json": as_json}
        flags = [flag for flag, set_ in given.items() if set_]
        if sizes is not None:
            flags += ["--sizes", ",".join(map(str, sizes))]
        return started(ranks, ["calibrate", *flags, "--", name])
    comm = world()
    if comm.size == 1:
        raise InvalidValueError(
            "the number of ranks is 1",
            "an exchange needs two",
            "say --ranks 4, or start it with mpiexec -n 4",
        )
    saved = from_first(comm, lambda: _saved(name, merge=merge))
    crowd = _crowd(comm)
    found = gc.calibrate(comm, name, sizes=sizes, quick=quick)
    if comm.rank == 0:
        if saved is not None:
            if differs(saved.source, found.source):
                tell(
                    f"other places than before ({saved.source}): such runs are worth two names"
                )
            found = found.merged(saved)
        try:  # before anything is printed: it took minutes, and the reader may have left
            kept = None if merge else set_aside(name)
            path = found.save()
        finally:
            print_json(found.as_dict()) if as_json else say(found.report())
        if crowd:
            tell(crowd)
        if ", in turn;" in found.source:
            tell(
                "ranks of a computer do not follow each other: srun --distribution=block:block"
            )
        tell(f"saved as {path}" + (f"; the one before is {kept}" if kept else ""))
    return 0


def _saved(name: str, *, merge: bool) -> Calibration | None:
    """What a run is added to, if it is; told now if it is damaged, or nothing can be saved."""
    place_for(name)
    return Calibration.saved(name) if merge and name in gc.profiles() else None


def _crowd(comm: "Intracomm") -> str:
    """What there is to say if a computer has more ranks than processors; the same on all."""
    near = comm.Split_type(mpi().COMM_TYPE_SHARED)
    processors = len(set[int]().union(*near.allgather(os.sched_getaffinity(0))))
    ranks, processors = max(
        comm.allgather((near.size, processors)), key=lambda both: both[0] / both[1]
    )
    near.Free()
    if ranks <= processors:
        return ""
    return f"{ranks} ranks shared {processors} processors: start-ups hold for such runs only"
