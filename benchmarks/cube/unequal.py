"""Plans and placements on links that differ or are shared: predicted beside measured.

    python benchmarks/cube/unequal.py [--quick] [--only NETWORK]

It takes about half an hour, and as root. Every network is built from the machine that plans for
it; what is found is added to unequal.json, and unequal_tables.py makes tables of it.
"""

import json
import sys
import tempfile
from pathlib import Path

import click
from enclosed import PRIVATE, enclose
from experiments import about
from network import Network
from ranks import started

import graycube as gc
from graycube.whole_files import write_whole

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "unequal.json"


def each(*rates: float) -> tuple[float, ...]:
    """Seconds for a byte of data at so many Mbit/s."""
    return tuple(8e-6 / rate for rate in rates)


NETWORKS = {
    "near and far": gc.Machine(3, "all", "circuit", per_byte=each(24, 6, 6)),
    "one card for two": gc.Machine(
        3, (1, 1, 1), "circuit", per_byte=each(24, 12, 12), share=(1, 2, 2)
    ),
    "a ring of 8": gc.Machine.torus((8,), per_byte=each(12)[0]),
    "a torus of 8 x 2": gc.Machine.torus((8, 2), per_byte=each(6)[0]),
}
"""Links alike in their rates take long enough that two processors can do what they carry."""


@click.command()
@click.option("--quick", is_flag=True, help="Small blocks: only to try it.")
@click.option("--only", type=click.Choice([*NETWORKS]), help="The others stay as they are.")
@click.option("--report", type=click.Path(path_type=Path), default=RESULTS)
def main(*, quick: bool, only: str | None, report: Path) -> None:
    """Build the networks one after the other, and measure on each."""
    if quick and report.resolve() == RESULTS:
        raise click.UsageError("--quick needs a --report of its own: this one has real figures")
    enclose()
    found = json.loads(report.read_text(encoding="ascii")) if report.exists() else {}
    with tempfile.TemporaryDirectory(dir=PRIVATE) as folder:
        for name in [only] if only else NETWORKS:
            network, rows = Network(NETWORKS[name]), Path(folder) / "rows.json"
            network.build()
            worker = [sys.executable, "-m", "mpi4py", str(HERE / "unequal_trials.py")]
            code = started(network, [*worker, name, str(rows), str(4 if quick else 0)])
            network.remove()
            if code:
                raise click.ClickException(f"{name}: status {code}")
            found[name] = about() | json.loads(rows.read_text(encoding="ascii"))
            write_whole(report, json.dumps(found, indent=0))


if __name__ == "__main__":
    main()
