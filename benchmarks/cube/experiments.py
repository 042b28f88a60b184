"""All experiments on cubes of 2 to 4 dimensions, or 5; an hour, or a minute with --quick.

    python benchmarks/cube/experiments.py [--quick] [--dims 3 --dims 4] [--report FILE]

Leave the machine alone meanwhile. The figures of every cube are written when it is done.
"""

import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import click
from enclosed import PRIVATE, enclosed, inside, settle
from network import BURST, MAX_DIMS, MIN_DIMS, MTU, Network
from ranks import started

import graycube as gc
from graycube.whole_files import write_whole

HERE = Path(__file__).parent
RATES = {2: 50.0, 3: 20.0, 4: 10.0, 5: 8.0}
"""Mbit/s of a link: the more links, the less two processors can do for each."""
LONGEST = {2: 4 << 20, 3: 16 << 20, 4: 16 << 20, 5: 1 << 20}
"""Bytes of a block."""
LESS = 8  # bits by which blocks are shorter when it is only tried


@click.command()
@click.option("--quick", is_flag=True, help="Small blocks, few runs: only to try it.")
@click.option(
    "--dims", type=click.IntRange(MIN_DIMS, MAX_DIMS), multiple=True, default=(2, 3, 4)
)
@click.option("--report", type=click.Path(path_type=Path), default=HERE / "results.json")
def main(*, quick: bool, dims: tuple[int, ...], report: Path) -> None:
    """Run all experiments, and write what was measured."""
    content = json.loads(report.read_text(encoding="ascii")) if report.exists() else {}
    content["machine"] = {
        "date": time.strftime("%Y-%m-%d"),
        "processors": os.cpu_count(),
        "kernel": ".".join(platform.release().split(".")[:2]),
        "python": platform.python_version(),
        "graycube": gc.__version__,
        "packet": MTU,
        "burst": BURST,
    }
    with tempfile.TemporaryDirectory(dir=PRIVATE) as folder:
        for n in dims:
            found = Path(folder) / "found.json"
            network = Network(n, RATES[n])
            network.build()
            worker = [sys.executable, str(HERE / "trials.py"), str(found), str(LONGEST[n])]
            code = started(network, [*worker, *([str(LESS)] if quick else [])])
            network.remove()
            if not found.exists():
                raise SystemExit(code)
            cubes = content.setdefault("cubes", {})
            cubes[str(n)] = {"rate": RATES[n], **json.loads(found.read_text(encoding="ascii"))}
            write_whole(report, json.dumps(content, indent=0))
            if code:
                raise SystemExit(code)
            found.unlink()


if __name__ == "__main__":
    if inside():
        settle()
    elif "--help" not in sys.argv:
        raise SystemExit(enclosed(sys.argv))
    main()
