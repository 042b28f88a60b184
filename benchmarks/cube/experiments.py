"""All experiments on cubes of 2 to 4 dimensions, or 5; two hours, or a minute with --quick.

    python benchmarks/cube/experiments.py [--quick] [--dims 3 --dims 4] [--only NAME]

Leave the machine alone meanwhile. The figures of every cube are written when it is done. With
--only, one experiment runs again on the machine that was calibrated, and the others stay.
"""

import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click
from cables import alike
from enclosed import PRIVATE, enclose
from network import BURST, MAX_DIMS, MIN_DIMS, MTU, Network
from ranks import started

import graycube as gc
from graycube.whole_files import write_whole

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
RATES = {2: 25.0, 3: 16.0, 4: 8.0, 5: 4.0}
"""Mbit/s of a link: the more links, the less two processors can do for each."""
EXPERIMENTS = ("conversions", "layouts", "grains", "short blocks", "transforms", "mappings")
LESS = 8  # bits by which blocks are shorter when it is only tried


@click.command()
@click.option("--quick", is_flag=True, help="Small blocks, few runs: only to try it.")
@click.option(
    "--dims", type=click.IntRange(MIN_DIMS, MAX_DIMS), multiple=True, default=(2, 3, 4)
)
@click.option(
    "--longest", type=click.IntRange(1), default=16, show_default=True,
    metavar="MIB", help="Blocks of 1, 4 and 16 MiB are moved, up to this.",
)  # fmt: skip
@click.option("--only", type=click.Choice(EXPERIMENTS), help="The others in the report stay.")
@click.option("--report", type=click.Path(path_type=Path), default=RESULTS)
def main(
    *, quick: bool, dims: tuple[int, ...], longest: int, only: str | None, report: Path
) -> None:
    """Run all experiments, and write what was measured."""
    if quick and report.resolve() == RESULTS:
        raise click.UsageError("--quick needs a --report of its own: this one has real figures")
    cubes = json.loads(report.read_text(encoding="ascii"))["cubes"] if report.exists() else {}
    less = LESS if quick else 0
    for n in dims if only else ():
        if not setting(n, less).items() <= cubes.get(str(n), {}).items():
            raise click.UsageError(f"{report} has no {n}-cube with {setting(n, less)}")
    enclose()
    with tempfile.TemporaryDirectory(dir=PRIVATE) as folder:
        for n in dims:
            found = Path(folder) / "found.json"
            known = cubes[str(n)] if only else setting(n, less)
            found.write_text(json.dumps(known), encoding="ascii")
            network = Network(alike(n, RATES[n]))
            network.build()
            worker = [sys.executable, "-m", "mpi4py", str(HERE / "trials.py"), str(found)]
            asked = [str(longest << 20), str(less), *([only] if only else [])]
            code = started(network, [*worker, *asked])
            network.remove()
            cube = json.loads(found.read_text(encoding="ascii"))
            cube["made"] = cube.get("made", {}) | {only or "all": about()}
            cubes[str(n)] = cube
            written = report.with_suffix(".partial.json") if code else report
            write_whole(written, json.dumps({"cubes": dict(sorted(cubes.items()))}, indent=0))
            if code:
                raise click.ClickException(f"status {code}; {written} has what was measured")


def setting(n: int, less: int) -> dict[str, Any]:
    """What the links of an n-cube are like, and by how many bits blocks are shorter."""
    links = {"rate": RATES[n], "packet": MTU, "burst": BURST, "turns": "senders"}
    return links | {"less": less}


def about() -> dict[str, Any]:
    """When, and on what."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processors": os.cpu_count(),
        "kernel": ".".join(platform.release().split(".")[:2]),
        "python": platform.python_version(),
        "graycube": gc.__version__,
    }


if __name__ == "__main__":
    main()
