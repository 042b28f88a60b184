"""Draws ``front.png``: rounds against bytes from Gray to binary code for n = 5 on all ports.

python docs/pictures/front.py [FILE]
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import graycube as gc

WIDE, HIGH = 9.0, 4.6  # inches


def main(path: Path) -> None:
    """Draw it."""
    machine = gc.Machine(5, ports="all", startup=3e-4, per_byte=1e-9)
    plan = gc.plan(gc.Layout.nodes(5, "gray"), gc.Layout.nodes(5), 10**7, machine=machine)
    figure = Figure(figsize=(WIDE, HIGH), layout="constrained")
    gc.view.plot_front(plan, figure.subplots())
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).with_name("front.png"))
