"""``graycube place``: the order of ranks in which a machine's busiest link has least to do."""

import warnings
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.lib import format as npy

import graycube as gc
from graycube.cli.console import print_json, say, show, status, tell
from graycube.cli.machines import MachineOptions, machine_options
from graycube.cli.sizes import as_loads, as_sides
from graycube.errors import InvalidValueError
from graycube.gf2 import log2_exact
from graycube.mapping import RankOrder
from graycube.mapping.explain import lost_by_slurm, sheet_of
from graycube.mapping.hosts import host_names, nodes_of_host, nodes_of_socket
from graycube.texts import as_given

MOST_SHOWN = 2000
"""So many characters of an order are printed."""
PAIRS = 3 << 17
"""Of a large mesh so many pairs of ranks take a second, with all orders that are looked at."""
LONG = 3  # seconds: what takes longer is said beforehand


@click.command(short_help="Find the order of ranks that suits a machine.")
@click.argument("mesh", type=as_sides)
@click.option("--neighbours", type=as_loads, metavar="B[,B...]", help="Bytes to each of two.")
@click.option("--butterflies", type=as_loads, metavar="B[,B...]", help="Bytes to each partner.")
@click.option("--all-to-all", type=as_loads, metavar="B[,B...]", help="Bytes to each other.")
@click.option("--open", "is_open", is_flag=True, help="No axis of the mesh has a wrap-around.")
@click.option(
    "--matrix",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Bytes from each rank (row) to each rank: a .npy file, or one with commas.",
)
@machine_options
@click.option(
    "--hosts",
    metavar="A,B...",
    help="Hosts in the order of the nodes, also as Slurm writes them: n[00-15].",
)
@click.option("--hostfile", is_flag=True, help="Print a host for each rank, as Slurm wants.")
@click.option(
    "--rankfile", is_flag=True, help="Print host and slot of ranks, as Open MPI wants."
)
@click.option(
    "--sockets", type=int, metavar="N", help="Sockets of a host: slots are socket:core."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def place(  # noqa: PLR0913
    mesh: tuple[tuple[int, ...], tuple[bool, ...]],
    neighbours: tuple[float, ...] | None,
    butterflies: tuple[float, ...] | None,
    all_to_all: tuple[float, ...] | None,
    *,
    matrix: Path | None,
    hosts: str | None,
    sockets: int | None,
    is_open: bool,
    hostfile: bool,
    rankfile: bool,
    as_json: bool,
    **machine: Any,  # noqa: ANN401
) -> None:
    """Find the order of the ranks of a MESH in which the busiest link has least to do.

    Say what each rank sends along the axes: one figure for all, or one for each. Without any it
    is a byte to each neighbour. Axes with an o have no wrap-around.

    \b
    graycube place 8x8o --torus 4x4x4 --per-byte 1e-11
    graycube place 4x4x4 --open --machine dgx-h100-cluster --neighbours 1MB
    graycube place 16 --torus 4x4 --hosts n[01-04] --hostfile
    graycube place 6x8 --tree 8x2x3 --per-byte 1e-10 --hosts a,b,c --rankfile
    """
    if sockets is not None and not rankfile:
        raise InvalidValueError(
            f"--sockets {sockets} is given", "only --rankfile has sockets", "add --rankfile"
        )
    _require_one_form(hosts, hostfile=hostfile, rankfile=rankfile, as_json=as_json)
    sent = {"neighbours": neighbours, "butterflies": butterflies, "all_to_all": all_to_all}
    given = {k: v if len(v) > 1 else v[0] for k, v in sent.items() if v is not None}
    lengths, rings = mesh
    if matrix is None:
        rings = tuple(ring and not is_open for ring in rings)
        pattern = gc.Pattern.mesh(lengths, periodic=rings, **given)
    elif given or is_open:
        raise InvalidValueError(
            "--matrix is given, and what ranks send along axes",
            "a matrix has all that is sent",
            "leave one of them out",
        )
    else:
        pattern = gc.Pattern.matrix(_table(matrix, prod(lengths)), lengths)
    if machine["startup"] and not machine["per_byte"]:
        raise InvalidValueError(
            f"--startup {machine['startup'][0]:g} is given without --per-byte",
            "orders are compared by the bytes on links; start-ups do not count",
            "say --per-byte, the seconds that a byte takes, or leave --startup out",
        )
    options = MachineOptions(**machine)
    on = options.interconnect() or options.machine(_dims(pattern))
    _require_hosts(hosts, sockets, on)
    if (seconds := len(pattern.nbytes) / PAIRS) > LONG:
        tell(f"{pattern.places} ranks take some {seconds:.0f} seconds")
    with status(f"placing {pattern.places} ranks"):
        found = gc.place(pattern, on)
    if hosts is not None and hostfile:
        say(found.hostfile(hosts).rstrip("\n"))
        if lost := lost_by_slurm(found, len(host_names(hosts))):
            tell(lost)
    elif hosts is not None:
        say(found.rankfile(hosts, sockets=sockets).rstrip("\n"))
    elif as_json:
        print_json(_content(found))
    else:
        _show(found, told=any(value is not None for value in machine.values()))


def _dims(pattern: gc.Pattern) -> int:
    if pattern.places & pattern.places - 1:
        sides = [str(length) for length in pattern.shape]
        raise InvalidValueError(
            f"the mesh has {pattern.places} places",
            "a cube, and each profile of a Machine, has 2^n nodes",
            "name a machine of as many nodes as places, with --per-byte, "
            f"such as --tree {'x'.join(sides[::-1])} or --torus {'x'.join(sides)}",
        )
    return log2_exact(pattern.places, "the number of places")


def _require_one_form(
    hosts: str | None, *, hostfile: bool, rankfile: bool, as_json: bool
) -> None:
    if hostfile + rankfile + as_json > 1:
        raise InvalidValueError(
            "two of --hostfile, --rankfile and --json are given",
            "each is the whole output",
            "say one of them",
        )
    if (hosts is None) == (hostfile or rankfile):
        what = "--hosts is given" if hosts else "--hostfile or --rankfile is given"
        raise InvalidValueError(
            what, "files for launchers need the names of hosts", "say --hosts a,b --hostfile"
        )


def _require_hosts(
    hosts: str | None, sockets: int | None, machine: gc.Machine | gc.Interconnect
) -> None:
    """That they have as many nodes each, before the search, which may take long."""
    if hosts is not None:
        nodes_of_socket(machine, nodes_of_host(machine, len(host_names(hosts))), sockets)


def _table(path: Path, places: int) -> Any:  # noqa: ANN401 - checked by the pattern
    try:
        _require_end(path)
        if path.suffix == ".npy":
            _require_square(path, places)
            return np.load(path, mmap_mode="r", allow_pickle=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of a file without numbers NumPy only warns
            return np.loadtxt(path, delimiter=",", ndmin=2, encoding="utf-8-sig")
    except InvalidValueError:
        raise
    except (ValueError, EOFError, UnicodeDecodeError, UserWarning) as error:
        raise InvalidValueError(
            f"{str(path)!r:.60} has no table of numbers ({error!s:.80})",
            "it is a .npy file, or lines of numbers with commas",
            "save it by numpy.save or numpy.savetxt(..., delimiter=',')",
        ) from None


def _require_end(path: Path) -> None:
    """A device may never end."""
    if not (path.is_file() or path.is_fifo()):
        raise ValueError("it is neither a file nor a pipe")


def _require_square(path: Path, places: int) -> None:
    """That a .npy file says it has a table for so many places, before room is made for one."""
    with path.open("rb") as file:
        is_first = npy.read_magic(file) == (1, 0)
        header = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
        shape, _, dtype = header(file)
    if shape != (places, places) or dtype.kind not in "iuf":
        raise InvalidValueError(
            f"{str(path)!r:.60} has shape {as_given(shape)} and dtype {dtype!s:.20}",
            f"the mesh has {places} places, each with a row and a column of numbers",
            "give the mesh of its ranks, or save the bytes from each to each",
        )


def _show(found: RankOrder, *, told: bool) -> None:
    order = str(found.order.tolist())
    rest = " ... (--json has all of it)" if len(order) > MOST_SHOWN else ""
    show(
        *([] if told else ["No machine is named: these are bytes on the links of a cube."]),
        *sheet_of(found).pieces,
        "For a launcher: --hosts a,b --rankfile (mpiexec), or --hosts a,b --hostfile (Slurm).",
        f"The node of each place: {order[:MOST_SHOWN]}{rest}",
    )


def _content(found: RankOrder) -> dict[str, Any]:
    """Loads are in seconds, or in bytes if the machine has no costs."""
    return {
        "mesh": list(found.order.shape),
        "machine": asdict(found.machine),
        "unit": found.unit,
        "order": found.order.tolist(),
        "keys": found.keys.tolist(),
        "chosen": found.chosen.name,
        "load": found.load._asdict(),
        "as_they_are": found.candidates[0].load._asdict(),
        "proved": found.proved,
        "candidates": [{"order": c.name, **c.load._asdict()} for c in found.candidates],
    }
