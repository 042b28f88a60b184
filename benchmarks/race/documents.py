"""The tables of the race in docs/, made from the times that are kept beside this file.

    python benchmarks/race/documents.py [--check]

A row of these tables begins with what was timed, and the first one of a case with the case. The
numbers of a row whose case, ranks and contender have times are written anew, the others stay as
they are. --check writes nothing, and fails where something would change.
"""

import json
import re
import sys
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"

LINES = {
    "graycube, cyclic": "graycube, cyclic, binary, bound, FFTW",
    "in place": "graycube, cyclic, binary, bound, FFTW, in place",
    "graycube, cyclic, ducc0": "graycube, cyclic, binary, bound",
    "graycube, consecutive": "graycube, consecutive, binary, bound, FFTW",
    "FFTW-MPI, natural order": "FFTW-MPI, natural order",
    "FFTW-MPI, scrambled order": "FFTW-MPI, scrambled",
    "gathered to one rank, SciPy": "gather, SciPy, scatter",
    "gathered to one rank, FFTW": "gather, pyFFTW, scatter",
}
MESHES = {
    "graycube, slabs": "graycube, slabs, Gray, bound, FFTW",
    "in place": "graycube, slabs, Gray, bound, FFTW, in place",
    "graycube, slabs, ducc0": "graycube, slabs, Gray, bound",
    "graycube, pencils, ducc0": "graycube, pencils, Gray, bound",
    "mpi4py-fft, slabs": "mpi4py-fft, slabs",
    "mpi4py-fft, slabs, collapsed": "mpi4py-fft, slabs, collapsed",
    "FFTW-MPI, natural order": "FFTW-MPI, natural order",
    "FFTW-MPI, transposed": "FFTW-MPI, transposed",
}
STEPS = {
    "payload": "graycube, payload",
    "payload, by FFTW": "graycube, payload, FFTW",
    "payload, bound": "graycube, bound, FFTW",
    "three arrays": "graycube, three arrays",
    "three arrays, by FFTW": "graycube, three arrays, FFTW",
    "three arrays, bound": "graycube, three arrays, bound, FFTW",
    "bound, on `u.local`": "graycube, three locals, bound, FFTW",
    "mpi4py-fft": "mpi4py-fft, slabs",
    "by components": "mpi4py-fft, by components",
}
PAIRS = {
    "bound, FFTW, memory": "graycube, bound, FFTW, memory",
    "in place": "graycube, bound, FFTW, in place, memory",
    "bound, FFTW, messages": "graycube, bound, FFTW, messages",
    "bound, memory": "graycube, bound, memory",
    "bound, messages": "graycube, bound, messages",
    "called, memory": "graycube, called, memory",
    "plain, FFTW": "plain mpi4py, FFTW",
    "mpi4py-fft, slabs": "mpi4py-fft, slabs",
    "lines alone, FFTW": "lines alone, FFTW",
}
BLOCKS = {
    "direct plan": "graycube, direct, bound",
    "plan by dimensions": "graycube, gb1, bound",
    "direct plan, called": "graycube, direct, execute",
    "new numbers": "graycube, new numbers",
    "`Alltoallv`": "Alltoallv",
    "persistent requests": "persistent requests",
    "`Split`, no data moved": "Split (no data moved)",
}
BORDERS = {
    "binary code": "graycube, binary",
    "Gray code": "graycube, gray",
    "by messages": "graycube, binary, messages",
    "`Sendrecv`, packed": "Sendrecv, packed",
    "`Neighbor_alltoallw`": "Neighbor_alltoallw",
}


class Page(NamedTuple):
    """A page, the files with its times, and how its rows call the contenders of each race."""

    name: str
    files: tuple[str, ...]
    contenders: dict[str, dict[str, str]]


SMALL = Page("benchmarks-small.md", ("small",), {"fft1d": LINES, "fftnd": MESHES})
RACES = {"fft1d": LINES, "fftnd": MESHES, "steps": STEPS}
LARGE = Page("benchmarks-transforms.md", ("transforms", "steps"), RACES)
MOVES = Page("benchmarks-transforms.md", ("moves",), {"moves": BLOCKS, "halo": BORDERS})
THERE_AND_BACK = Page("benchmarks-pairs.md", ("pairs",), {"pairs": PAIRS})


@cache
def heats(file: str) -> dict[str, dict[int, dict[str, Any]]]:
    """What is kept in a file, by race and ranks."""
    kept = json.loads((HERE / f"{file}.json").read_text(encoding="ascii"))
    return {race: {heat["ranks"]: heat for heat in found} for race, found in kept.items()}


def case_of(words: str) -> str:
    """A case as races call it: "2^14", "256 x 256", "96^3", "1024^2 real" or "8 KiB"."""
    if words.endswith("iB"):
        number, unit = words.split()
        return str(int(number) << {"KiB": 10, "MiB": 20}[unit])
    base, _, power = words.removesuffix(" real").removesuffix(" complex").partition("^")
    if base == "2":
        return str(2 ** int(power))
    shape = [base] * int(power) if power else base.split(" x ")
    return "x".join(shape) + "r" * words.endswith(" real")


def times_of(page: Page, case: str, ranks: int, label: str) -> tuple[list[float], float] | None:
    """Seconds, and the median of the ratios within a round: 1 for the reference."""
    for file, (race, names) in product(page.files, page.contenders.items()):
        heat = heats(file).get(race, {}).get(ranks)
        times = heat["seconds"].get(case, {}) if heat else {}
        if heat and names.get(label) in times:
            found, others = times[names[label]], times[heat["reference"]]
            return found, median(a / b for a, b in zip(found, others, strict=True))
    return None


def milliseconds(seconds: list[float]) -> str:
    """The median, with two or three digits."""
    found = median(seconds) * 1e3
    if found < 20:
        return f"{found:.{2 if found < 1 else 1}f}"
    return f"{float(f'{found:.3g}'):.0f}"


class ByContender:
    """Rows of contenders, the first of a case with its name; columns for numbers of ranks."""

    def __init__(self, page: Page) -> None:
        self.page, self.case = page, ""

    def __call__(self, head: list[str], cells: list[str]) -> list[str]:
        """The row, made of these cells."""
        case, _, label = cells[0].rpartition(": ")
        if re.fullmatch(r"\d+(\^\d+| x \d+| [KM]iB)", case):
            self.case = case_of(case)
        made = cells[:1]
        for column, old in zip(head[1:], cells[1:], strict=True):
            ranks = re.match(r"\d+", column)
            found = ranks and times_of(self.page, self.case, int(ranks[0]), label)
            made.append(self.cell(*found) if old and self.case and found else old)
        return made

    def cell(self, seconds: list[float], ratio: float) -> str:
        """Milliseconds, and the ratio to the reference."""
        own = milliseconds(seconds)
        return own if ratio == 1 else f"{own} ({ratio:.2f})"


class ByRatio(ByContender):
    """The same without milliseconds."""

    def cell(self, _seconds: list[float], ratio: float) -> str:
        """The ratio to the reference."""
        return f"{ratio:.2f}"


def by_case(head: list[str], cells: list[str]) -> list[str]:
    """Rows of ranks and cases, with ratios; a column for each contender. Other tables stay."""
    if head[0] != "ranks":
        return cells
    made = cells[:2]
    for label, old in zip(head[2:], cells[2:], strict=True):
        found = times_of(THERE_AND_BACK, case_of(cells[1]), int(cells[0]), label)
        made.append(f"{found[1]:.2f}" if found else old)
    return made


Row = Callable[[list[str], list[str]], list[str]]
PAGES: tuple[tuple[Page, Row], ...] = (
    (SMALL, ByContender(SMALL)),
    (LARGE, ByContender(LARGE)),
    (MOVES, ByRatio(MOVES)),
    (THERE_AND_BACK, by_case),
)


def written(text: str, row: Row) -> str:
    """A page, in which each row of its tables is made from itself and the head of the table."""
    head: list[str] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        if not line.startswith("| "):
            head = []
        elif not head:
            head = cells
        elif not set(line) <= {*"|- "}:
            made = (f"{cell} |".strip() for cell in row(head, cells))
            lines[number] = " ".join(["|", *made])
    return "\n".join(lines) + "\n"


def main() -> None:
    changed = []
    for page, row in PAGES:
        path = DOCS / page.name
        text = path.read_text(encoding="utf-8")
        made = written(text, row)
        changed += [page.name] * (made != text)
        if "--check" not in sys.argv:
            path.write_text(made, encoding="utf-8")
    print("changed:", ", ".join(changed) or "nothing")
    sys.exit("--check" in sys.argv and bool(changed))


if __name__ == "__main__":
    main()
