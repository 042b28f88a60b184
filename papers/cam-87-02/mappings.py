"""The paper's tables and figures beside ours.

    python papers/cam-87-02/mappings.py

Writes the CSV files of this folder and, where matplotlib is installed, the kept figures.
"""

import csv
from importlib.util import find_spec
from pathlib import Path

import mapping_figures
from mapping_tables import TABLES

FOLDER = Path(__file__).parent


def main() -> None:
    for name, rows in TABLES.items():
        with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())
    if find_spec("matplotlib"):
        mapping_figures.draw(FOLDER)


if __name__ == "__main__":
    main()
