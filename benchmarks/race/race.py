"""The race: graycube and others side by side, for several numbers of ranks.

    python benchmarks/race/race.py [--ranks 1,2,4,8] [--only fft1d,pairs,...] [--quick]
                                   [--cases 16384,65536,...]

All contenders of a race run in one MPI job, in turn. README.md says what to install.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import apart
from contest import ratios
from launch import run, scratch

CASES = {  # shapes (r: real), bytes of a block, shapes; the first ones are quick
    "fft1d": ["1048576", "4194304", "16777216"],
    "fftnd": ["2048x2048", "128x128x128", "4096x4096", "256x256x256"],
    "pairs": [
        "32x32x32r",
        "64x64x64r",
        "96x96x96r",
        "128x128x128r",
        "256x256x256r",
        "64x64x64",
        "96x96x96",
        "128x128x128",
        "256x256r",
        "1024x1024r",
        "2048x2048r",
        "4096x4096r",
    ],
    "steps": ["32x32x32", "64x64x64", "96x96x96"],
    "moves": ["8192", "65536", "1048576", "16777216"],
    "halo": ["1024x1024", "4096x4096"],
}
QUICK = {"fft1d": 1, "fftnd": 2, "pairs": 2, "steps": 1, "moves": 3, "halo": 1}


def heat(race: str, cases: list[str], ranks: int, rounds: int) -> dict[str, Any]:
    """One race on one number of ranks."""
    worker = Path(__file__).with_name("worker.py")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "times.json"
        command = [sys.executable, str(worker), race, str(rounds), ",".join(cases), str(path)]
        run(command, ranks=ranks, shown=True)
        result: dict[str, Any] = json.loads(path.read_text())
        return result


def cell(heat: dict[str, Any], case: str, name: str) -> str:
    times = heat["seconds"].get(case, {})
    if name not in times:
        return "-"
    own = 1e3 * median(times[name])
    if heat["reference"] not in times:
        return f"{own:.3g}"
    return f"{own:.3g} ({median(ratios(times, name, heat['reference'])):.2f})"


def summary(race: str, heats: list[dict[str, Any]]) -> None:
    cases = dict.fromkeys(case for heat in heats for case in heat["seconds"])
    for case in cases:
        entered = (heat["seconds"].get(case, {}) for heat in heats)
        names = dict.fromkeys(name for times in entered for name in times)
        reference = heats[0]["reference"]
        print(f"\n{race}, {case}: milliseconds, in brackets in times of: {reference}")
        print(f"  {'ranks':34}" + "".join(f"{heat['ranks']:>18}" for heat in heats))
        for name in names:
            row = "".join(f"{cell(heat, case, name):>18}" for heat in heats)
            print(f"  {name:34}{row}")


def forget() -> None:
    for path in scratch().glob("*.wisdom"):
        path.unlink()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--ranks", default="1,2,4,8")
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="small sizes only, five rounds")
    parser.add_argument("--cases", help="other sizes than those that every race has")
    parser.add_argument(
        "--apart",
        type=int,
        default=0,
        metavar="LAUNCHES",
        help="also FFTW-MPI in C, in jobs of its own in turn with Python's",
    )
    parser.add_argument("--replan", action="store_true", help="forget FFTW's plans first")
    parser.add_argument("--json", type=Path, help="a file for all times")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    if chosen.replan:
        forget()
    rounds = 5 if chosen.quick else chosen.rounds
    ranks = [int(number) for number in chosen.ranks.split(",")]
    cases = {race: CASES[race][: QUICK[race] if chosen.quick else None] for race in CASES}
    if chosen.cases:
        cases = dict.fromkeys(CASES, chosen.cases.split(","))
    results = {
        race: [heat(race, cases[race], number, rounds) for number in ranks]
        for race in chosen.only.split(",")
    }
    for race, heats in results.items():
        summary(race, heats)
    if chosen.apart:
        apart.race(CASES["fft1d"][: 1 if chosen.quick else None], ranks, chosen.apart)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
