"""How often a calibration finds what the links of a network are like.

    python benchmarks/cube/calibrations.py --runs 20

Near links are four times as fast as far ones, on a 3-cube with one near dimension, on one with
two, and on one where two nodes share the card of all that is far. Every run looks for the
boundary between near and far, for the ratio of their rates, and for who shares a card.
Where other programs keep the processors busy, messages over near links come late, and the ratio
is too small.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from enclosed import PRIVATE, enclose
from network import Network
from ranks import started

import graycube as gc

RATIO = 4.0
PER_BYTE = 1e-6  # seconds, of near links: a bucket is full again before the next message
OFF = 0.05
NETWORKS = ((1, 1), (2, 1), (1, 2))  # near dimensions, and nodes with one card


@click.command()
@click.option("--runs", type=click.IntRange(2), default=20, show_default=True)
def main(*, runs: int) -> None:
    """Calibrate each network in a third of the runs, or one more; a line for every run."""
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
        for near, share in NETWORKS:
            network = Network(machine(near, share))
            network.build()
            some = -(-runs // len(NETWORKS))
            if code := started(network, [*worker, str(some), str(report)]):
                raise click.ClickException(f"status {code}")
            network.remove()
            content = json.loads(report.read_text(encoding="ascii"))
            rows += (judged(gc.Machine(**found), near, share) for found in content)
    for row in rows:
        click.echo(json.dumps(row))
    raise SystemExit(not all(row["right"] for row in rows))


def machine(near: int, share: int) -> gc.Machine:
    """A 3-cube with so many near dimensions, and as many nodes with one card for the others."""
    rates = (PER_BYTE,) * near + (RATIO * PER_BYTE,) * (3 - near)
    if share == 1:
        return gc.Machine(3, "all", "circuit", per_byte=rates)
    shares = (1,) * near + (share,) * (3 - near)
    return gc.Machine(3, (1, 1, 1), "circuit", per_byte=rates, share=shares)


def judged(found: gc.Machine, near: int, share: int) -> dict[str, Any]:
    """The levels, the ratio of rates and the cards found, and whether all is right."""
    levels = [len(dims) for dims, _ in found.levels]
    ratio = found.links[-1].per_byte / found.links[0].per_byte
    right = (
        levels == [near, 3 - near]
        and abs(ratio / RATIO - 1) <= OFF
        and found.share == machine(near, share).share
    )
    return {
        "near": near, "share": share, "levels": levels, "ratio": round(ratio, 4),
        "found": found.share, "right": right,
    }  # fmt: skip


if __name__ == "__main__":
    main()
