"""``graycube place``: the order of ranks in which a machine's busiest link has least to do."""

from typing import Any

import click

import graycube as gc
from graycube.cli.console import print_json, say
from graycube.cli.machines import MachineOptions, machine_options
from graycube.cli.sizes import Figures, Shape
from graycube.errors import InvalidValueError
from graycube.gf2 import log2_exact


@click.command(short_help="Find the order of ranks that suits a machine.")
@click.argument("mesh", type=Shape())
@click.option("--neighbours", type=Figures(), metavar="B[,B...]", help="Bytes to each of two.")
@click.option(
    "--butterflies", type=Figures(), metavar="B[,B...]", help="Bytes to each partner."
)
@click.option("--all-to-all", type=Figures(), metavar="B[,B...]", help="Bytes to each other.")
@click.option("--open", "is_open", is_flag=True, help="The mesh has no wrap-around.")
@machine_options
@click.option("--hosts", metavar="A,B...", help="Hosts in the order of the nodes.")
@click.option("--hostfile", is_flag=True, help="Print a host for each rank, as Slurm wants.")
@click.option(
    "--rankfile", is_flag=True, help="Print host and slot of ranks, as Open MPI wants."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def place(  # noqa: PLR0913
    mesh: tuple[int, ...],
    neighbours: tuple[float, ...] | None,
    butterflies: tuple[float, ...] | None,
    all_to_all: tuple[float, ...] | None,
    hosts: str | None,
    *,
    is_open: bool,
    hostfile: bool,
    rankfile: bool,
    as_json: bool,
    **machine: Any,  # noqa: ANN401
) -> None:
    """Find the order of the ranks of a MESH in which the busiest link has least to do.

    Say what each rank sends along the axes: one figure for all, or one for each. Without any it
    is a byte to each neighbour.

    \b
    graycube place 8x8 --torus 4x4x4 --per-byte 1e-11
    graycube place 4x4x4 --open --machine dgx-h100-cluster --neighbours 1e6
    graycube place 16 --torus 4x4 --hosts a,b,c,d --hostfile
    """
    if (hostfile or rankfile) and (hosts is None or (hostfile and rankfile) or as_json):
        raise InvalidValueError(
            "--hostfile or --rankfile is given",
            "each is the whole output, and needs the names of hosts",
            "say --hosts a,b and one of them",
        )
    sent = {"neighbours": neighbours, "butterflies": butterflies, "all_to_all": all_to_all}
    given = {k: v if len(v) > 1 else v[0] for k, v in sent.items() if v is not None}
    pattern = gc.Pattern.mesh(mesh, periodic=not is_open, **(given or {"neighbours": 1.0}))
    dims = log2_exact(pattern.places, "the number of places")
    found = gc.place(pattern, MachineOptions(**machine).machine(dims))
    if hostfile or rankfile:
        names = (hosts or "").split(",")
        say((found.hostfile if hostfile else found.rankfile)(names).rstrip("\n"))
    elif as_json:
        print_json(
            {
                "mesh": list(mesh),
                "order": found.order.tolist(),
                "keys": found.keys.tolist(),
                "chosen": found.chosen.name,
                "candidates": [
                    {"order": c.name, "busiest": c.load.busiest, "total": c.load.total}
                    for c in found.candidates
                ],
            }
        )
    else:
        say(found.explain())
        say(f"The node of each place: {found.order.tolist()!s:.2000}")
