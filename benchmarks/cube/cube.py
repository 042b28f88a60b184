"""A real hypercube on this machine, of network namespaces, and programs on its nodes.

    python benchmarks/cube/cube.py run --dims 3 --rate 50 graycube calibrate cube3
    python benchmarks/cube/cube.py run --dims 4 --torus 8x2 --per-byte 1e-6 PROGRAM
    python benchmarks/cube/cube.py plan plan.json --rate 50

It needs root and iproute2; README.md says what it builds and how it takes that down.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import numpy as np
from cables import alike
from enclosed import PRIVATE, enclose
from network import MAX_DIMS, MIN_DIMS, Network
from ranks import started

import graycube as gc
from graycube.cli.machines import MachineOptions, machine_options

COUNTED = 1 << 24  # crossings of links by elements: each is followed to know what links carry
RATE = click.option(
    "--rate", type=click.FloatRange(0.1, 10_000), default=50.0, show_default=True,
    metavar="MBIT", help="Mbit/s of each link in each direction.",
)  # fmt: skip


@click.group()
def main() -> None:
    """A hypercube of network namespaces, and programs on its nodes."""


@main.command(context_settings={"allow_interspersed_args": False})
@click.option("--dims", type=click.IntRange(MIN_DIMS, MAX_DIMS), required=True)
@RATE
@machine_options
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(dims: int, rate: float, command: tuple[str, ...], **machine: Any) -> None:  # noqa: ANN401
    """Run COMMAND on every node, as mpiexec does.

    The network is that of a machine: the usual one has links of one --rate.
    """
    if shutil.which(command[0]) is None:
        raise click.UsageError(f"there is no program {command[0]!r}: give its path")
    network = Network(MachineOptions(**machine).machine(dims, alike(dims, rate)))
    enclose()
    with_network(network, list(command))


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@RATE
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan(file: Path, rate: float, runs: int, *, as_json: bool) -> None:
    """Carry out the plan in FILE: its time, its result, and what every link carries."""
    loaded = gc.load_plan(file)
    dims = loaded.task.n
    if (crossings := loaded.traffic.crossings) > COUNTED:
        raise click.UsageError(
            f"elements cross {crossings} links in the plan, and {COUNTED} can be followed: "
            "plan it with a larger --itemsize"
        )
    if not MIN_DIMS <= dims <= MAX_DIMS:
        raise click.UsageError(f"the plan is for a {dims}-cube, not {MIN_DIMS} to {MAX_DIMS}")
    enclose()
    with tempfile.TemporaryDirectory(dir=PRIVATE) as folder:
        report = Path(folder) / "report.json"
        worker = [sys.executable, "-m", "mpi4py", str(Path(__file__).with_name("carry.py"))]
        with_network(Network(alike(dims, rate)), [*worker, str(file), str(runs), str(report)])
        content = json.loads(report.read_text(encoding="ascii"))
    click.echo(json.dumps(content, indent=2) if as_json else told(content, rate))
    if not content["right"]:
        raise SystemExit("the result is wrong")


def with_network(network: Network, command: list[str]) -> None:
    """Build it, run the command on it, and end unless all went well."""
    network.build()
    code = started(network, command)
    if code:
        raise SystemExit(code)


def told(content: dict[str, Any], rate: float) -> str:
    """The report of a plan for people."""
    times, block = content["seconds"], content["block"]
    seconds = float(np.median(times))
    links, planned = np.array(content["links"]), np.array(content["planned"])
    used = planned > 0
    ratios = links[used] / planned[used]
    carried = (
        f"{ratios.min():.4f} to {ratios.max():.4f} x the plan" if used.any() else "nothing"
    )
    lines = {
        content["algorithm"]: f"{content['nodes']} nodes, {block} bytes on each",
        "result": "right on all nodes" if content["right"] else "WRONG",
        "time": f"{seconds:.4g} s; {len(times)} runs of {min(times):.4g} to {max(times):.4g}",
        "predicted": f"{content['predicted']:.4g} s on the machine of the plan",
        "rate": f"{8e-6 * links.max() / seconds:.1f} of {rate:g} Mbit/s on the busiest link",
        "latency": f"{1e6 * content['latency']:.0f} us for a byte to a neighbour",
        "links": f"{used.sum()} carry {carried}",
        "others": f"{links[~used].max(initial=0):.0f} bytes at most",
        "sent again": f"{content['resent']} segments",
    }
    return "\n".join(f"{name:<16}{line}" for name, line in lines.items())


if __name__ == "__main__":
    main()
