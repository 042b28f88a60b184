"""All experiments on cubes of 2 to 4 dimensions, or 5; an hour, or a minute with --quick.

    python benchmarks/cube/experiments.py [--quick] [--dims 3,4] [--report results.json]

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
from enclosed import enclosed, inside, settle
from network import BURST, MTU, Network
from ranks import started

import graycube as gc

HERE = Path(__file__).parent
RATES = {2: 50.0, 3: 20.0, 4: 10.0, 5: 8.0}
"""Mbit/s of a link: the more links, the less two processors can do for each."""
LONGEST = {2: 4 << 20, 3: 16 << 20, 4: 16 << 20, 5: 1 << 20}
"""Bytes of a block."""
LESS = 8  # bits by which blocks are shorter when it is only tried


@click.command()
@click.option("--quick", is_flag=True, help="Small blocks, few runs: only to try it.")
@click.option("--dims", default="2,3,4", show_default=True, metavar="N,N,...")
@click.option("--report", type=click.Path(path_type=Path), default=HERE / "results.json")
def main(*, quick: bool, dims: str, report: Path) -> None:
    """Run all experiments, and write what was measured."""
    wanted = [int(n) for n in dims.split(",")]
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
    settle()
    with tempfile.TemporaryDirectory() as folder:
        for n in wanted:
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
            whole = Path(folder) / "whole.json"
            whole.write_text(json.dumps(content, indent=0), encoding="ascii")
            report.write_bytes(whole.read_bytes())
            if code:
                raise SystemExit(code)
            found.unlink()


if __name__ == "__main__":
    if not inside() and "--help" not in sys.argv:
        raise SystemExit(enclosed(sys.argv))
    main()
