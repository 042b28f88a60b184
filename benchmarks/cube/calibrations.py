"""How often a calibration finds what the links of a network are like.

    python benchmarks/cube/calibrations.py --runs 20

Near links are four times as fast as far ones, on a 3-cube with one and on one with two near
dimensions. Every run looks for the boundary between them and for the ratio of their rates.
Where other programs keep the processors busy, messages over near links come late: the ratio is
too small: ``others`` is what share of the processors they had meanwhile.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import numpy as np
from enclosed import PRIVATE, enclose
from measured import Means
from network import Network
from ranks import started

import graycube as gc

RATIO = 4.0
PER_BYTE = 1e-6  # seconds, of near links: a bucket is full again before the next message
OFF = 0.05


@click.command()
@click.option("--runs", type=click.IntRange(2), default=20, show_default=True)
def main(*, runs: int) -> None:
    """Calibrate both networks in half of the runs each; a line for every run."""
    enclose()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=PRIVATE) as folder:
        report = Path(folder) / "found.json"
        worker = [
            sys.executable,
            "-m",
            "mpi4py",
            str(Path(__file__).with_name("calibrated.py")),
        ]
        for near in (1, 2):
            rates = (PER_BYTE,) * near + (RATIO * PER_BYTE,) * (3 - near)
            network = Network(gc.Machine(3, "all", "circuit", per_byte=rates))
            network.build()
            before = busy()
            if code := started(network, [*worker, str(runs // 2), str(report)]):
                raise click.ClickException(f"status {code}")
            share = np.divide(*(busy() - before)).round(3)
            network.remove()
            content = json.loads(report.read_text(encoding="ascii"))
            rows += (
                {"others": share, **judged(gc.Machine(**found), near)} for found in content
            )
    for row in rows:
        click.echo(json.dumps(row))
    raise SystemExit(not all(row["right"] for row in rows))


def busy() -> Means:
    """Seconds that processors worked for other programs so far, and that they could have."""
    line = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    ticks = np.array([int(count) for count in line.split()[1:9]]) / os.sysconf("SC_CLK_TCK")
    own = sum(os.times()[:4])
    return np.array([ticks[:3].sum() - own, ticks.sum()])


def judged(found: gc.Machine, near: int) -> dict[str, Any]:
    """The levels and the ratio of rates that were found, and whether both are right."""
    levels = [len(dims) for dims, _ in found.levels]
    ratio = found.links[-1].per_byte / found.links[0].per_byte
    right = levels == [near, 3 - near] and abs(ratio / RATIO - 1) <= OFF
    return {"near": near, "levels": levels, "ratio": round(ratio, 4), "right": right}


if __name__ == "__main__":
    main()
