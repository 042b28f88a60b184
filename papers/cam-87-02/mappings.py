"""The paper's tables and figures beside ours.

    python papers/cam-87-02/mappings.py [--check]

Writes the CSV files of this folder and, where matplotlib is installed, both figures. With
``--check`` Table 2 is compared entry by entry, and the formulas with schedules, on random
machines, for up to ten dimensions; the rounds of the FFTs are carried out on data.
"""

import csv
import sys
from importlib.util import find_spec
from pathlib import Path

import mapping_figures
from mapping_checks import check_all
from mapping_tables import TABLES

FOLDER = Path(__file__).parent


def main() -> None:
    if "--check" in sys.argv[1:]:
        print(f"{check_all()} figures are right")
    for name, rows in TABLES.items():
        with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows())
    if find_spec("matplotlib"):
        mapping_figures.draw(FOLDER)


if __name__ == "__main__":
    main()
