"""The best of ours over the best of the others, from the times that races kept.

    python benchmarks/race/best.py [--json] [--free] [--without NAME;NAME] FILE [FILE ...]

A cell is a case on a number of ranks. Of either side that contender counts whose median is the
least. A ratio compares two times of one round: what is printed are the median and the middle
half, with a mark where that half is wholly above 1, and geometric means. Contenders whose names
begin with one of those given are left out. With --free an exchange costs nothing: where lines
alone were timed, they count as ours.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean, median, quantiles
from typing import Any, NamedTuple

from contest import Times, ratios

OURS = "graycube"
ALONE = "lines alone"


class Cell(NamedTuple):
    """Who is best on either side, and how far apart they are."""

    race: str
    case: str
    ranks: int
    ours: str
    rival: str
    low: float
    ratio: float
    high: float

    @property
    def behind(self) -> bool:
        """Whether the middle half of the rounds says that the rival is ahead."""
        return self.low > 1


def best(times: Times, names: list[str]) -> str:
    return min(names, key=lambda name: median(times[name]))


def cell(race: str, case: str, ranks: int, times: Times, given: argparse.Namespace) -> Cell:
    ours = [name for name in times if name.startswith((OURS, *[ALONE] * given.free))]
    without = [name for name in given.without.split(";") if name]
    rivals = [name for name in times if not name.startswith((OURS, ALONE, *without))]
    one, other = best(times, ours), best(times, rivals)
    found = ratios(times, one, other)
    low, _, high = quantiles(found, n=4, method="inclusive")
    return Cell(race, case, ranks, one, other, low, median(found), high)


def cells(
    results: dict[str, list[dict[str, Any]]], given: argparse.Namespace
) -> Iterator[Cell]:
    for race, heats in results.items():
        for heat in heats:
            for case, times in heat["seconds"].items():
                yield cell(race, case, heat["ranks"], times, given)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--free", action="store_true")
    parser.add_argument("--without", default="")
    given = parser.parse_args()
    found = [one for path in given.files for one in cells(json.loads(path.read_text()), given)]
    if given.json:
        print(json.dumps([one._asdict() for one in found], indent=1))
        return
    for one in found:
        spread = f"{one.ratio:5.2f} ({one.low:.2f} - {one.high:.2f})"
        name, rival = one.ours.removeprefix(f"{OURS}, "), f"  over {one.rival}"
        mark = "  behind" if one.behind else ""
        print(f"{one.race:6} {one.case:13} {one.ranks}: {spread}  {name}{rival}{mark}")
    for ranks in sorted({one.ranks for one in found}):
        here = [one for one in found if one.ranks == ranks]
        mean, behind = (
            geometric_mean(one.ratio for one in here),
            sum(one.behind for one in here),
        )
        print(f"{ranks} ranks: geometric mean {mean:.2f}, behind in {behind} of {len(here)}")
    print(f"all: geometric mean {geometric_mean(one.ratio for one in found):.2f}")


if __name__ == "__main__":
    main()
