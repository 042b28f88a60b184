"""``graycube calibrate``: measure this machine, and save it as a profile."""

import click

import graycube as gc
from graycube.cli.console import print_json, say, tell
from graycube.cli.ranks import started, world
from graycube.cli.sizes import Sizes
from graycube.measure import Calibration
from graycube.measure.calibrate import REPEATS, SIZES


@click.command(short_help="Measure this machine for the planner.")
@click.argument("name")
@click.option("--ranks", type=int, metavar="N", help="Start N ranks with mpiexec.")
@click.option("--quick", is_flag=True, help="Fewer sizes and repeats.")
@click.option("--sizes", type=Sizes(), metavar="B,B,...", help="Bytes of the exchanges.")
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
    shorter time counts.

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
    usual, repeats = (SIZES[::3], REPEATS // 5) if quick else (SIZES, REPEATS)
    found = gc.calibrate(comm, name, sizes=sizes or usual, repeats=repeats)
    if comm.rank == 0:
        if merge and name in gc.profiles():
            found = found.merged(Calibration.saved(name))
        if as_json:
            print_json(found.as_dict())
        else:
            say(found.report())
        tell(f"saved as {found.save()}")
    return 0
