"""What was measured on unequal links, as tables of Markdown for docs/cube-links.md.

    python benchmarks/cube/unequal_tables.py [RESULTS [all]]

With "all" the second table has every case, otherwise those whose choice was not the fastest.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from found import Row, typical
from tables import lines
from unequal import RESULTS

Results = dict[str, dict[str, Any]]
NEAR = 0.05  # what is predicted within that share is said to agree


def accuracy(row: Row) -> float:
    """Predicted over measured."""
    return float(row["predicted"] / typical(row))


def cases(results: Results) -> Iterator[tuple[str, str, list[Row]]]:
    """Network, what is moved for which ports, and all rivals, the planner's choice first."""
    for network, content in results.items():
        kinds = dict.fromkeys(
            (row["data"], port) for row in content["rows"] for port in row["ports"]
        )
        for data, port in kinds:
            rows = [r for r in content["rows"] if r["data"] == data and port in r["ports"]]
            rows.sort(key=lambda row: port not in row["chosen"])
            yield network, f"{data}, {port} port{'s' if port == 'all' else ''}", rows


def regret(rows: Sequence[Row]) -> float:
    """How much longer the choice took than the fastest."""
    return typical(rows[0]) / min(map(typical, rows))


def networks(results: Results) -> Iterator[Sequence[str]]:
    """A line for each network."""
    yield (
        "network",
        "start-up",
        "cases",
        "greatest regret",
        "choices: predicted over measured",
        "all that was tried",
        "within 5 %",
    )
    for network, content in results.items():
        found = [rows for name, _, rows in cases(results) if name == network]
        choices = sorted(accuracy(rows[0]) for rows in found)
        every = sorted(map(accuracy, content["rows"]))
        near = sum(abs(share - 1) <= NEAR for share in every)
        yield (
            network,
            f"{1e6 * content['startup']:.0f} us",
            str(len(found)),
            f"{max(map(regret, found)):.3f}",
            f"{choices[0]:.3f} to {choices[-1]:.3f}",
            f"{every[0]:.3f} to {every[-1]:.3f}",
            f"{near} of {len(every)}",
        )


def choices(results: Results, *, every: bool) -> Iterator[Sequence[str]]:
    """A line for each case in which the choice was not the fastest, or for every one."""
    yield "network", "data", "choice", "fastest", "regret", "predicted over measured"
    for network, data, rows in cases(results):
        best = min(rows, key=typical)
        if every or best is not rows[0]:
            names = (rows[0]["algorithm"], best["algorithm"])
            yield network, data, *names, f"{regret(rows):.3f}", f"{accuracy(rows[0]):.3f}"


def far_off(results: Results) -> Iterator[Sequence[str]]:
    """What took another time than predicted, by algorithm."""
    yield "network", "algorithm", "predicted over measured"
    for network, content in results.items():
        found: dict[str, list[float]] = {}
        for row in content["rows"]:
            if abs(accuracy(row) - 1) > NEAR:
                found.setdefault(row["algorithm"], []).append(accuracy(row))
        for algorithm, shares in found.items():
            yield network, algorithm, ", ".join(f"{share:.3f}" for share in sorted(shares))


def main(results: str = str(RESULTS), which: str = "") -> None:
    content = json.loads(Path(results).read_text(encoding="ascii"))
    for table in (networks(content), choices(content, every=which == "all"), far_off(content)):
        print("\n".join(lines(table)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
