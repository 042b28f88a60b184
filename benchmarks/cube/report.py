"""Tables and pictures of what the experiments measured.

    python benchmarks/cube/report.py [RESULTS [FOLDER]]

The tables are printed, for docs/cube.md and docs/cube-papers.md; the pictures go to
docs/pictures.
"""

import json
import sys
from pathlib import Path

from matplotlib import pyplot as plt
from pictures import pictures
from tables import tables

HERE = Path(__file__).parent


def main(
    results: Path = HERE / "results.json", folder: Path = HERE.parents[1] / "docs" / "pictures"
) -> None:
    content = json.loads(results.read_text(encoding="ascii"))
    cubes = {int(n): cube for n, cube in sorted(content["cubes"].items())}
    for heading, table in tables(cubes).items():
        print(f"\n{heading}\n\n" + "\n".join(table))
    for name, figure in pictures(cubes).items():
        figure.savefig(folder / f"cube-{name}.png", dpi=110)
        plt.close(figure)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
