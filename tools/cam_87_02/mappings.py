"""The paper's tables and figures beside ours.

    python tools/cam_87_02/mappings.py

Writes the CSV files of this folder and, where matplotlib is installed, the kept figures.
"""

import csv
from importlib.util import find_spec
from pathlib import Path

from graycube.papers import cam_87_02
from graycube.papers.cam_87_02 import figures
from graycube.papers.cam_87_02.tables import TABLES

FOLDER = Path(cam_87_02.__file__).parent


def main() -> None:
    for name, rows in TABLES.items():
        with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())
    if find_spec("matplotlib"):
        figures.draw(FOLDER)


if __name__ == "__main__":
    main()
