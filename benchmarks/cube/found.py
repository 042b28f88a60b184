"""What the experiments found: rows of times, as results.json has them."""

from typing import Any

import numpy as np

Row = dict[str, Any]


def typical(row: Row) -> float:
    """The median of the runs."""
    return float(np.median(row["seconds"]))


def spread(row: Row) -> float:
    """How much longer the slowest run took, as a share."""
    return float(max(row["seconds"]) / typical(row) - 1)


def size(nbytes: int) -> str:
    """Bytes as people say them."""
    return f"{nbytes >> 20} MiB" if nbytes >> 20 else f"{nbytes >> 10} KiB"


def calibrated(cube: Row) -> Row:
    """The machine that graycube.calibrate found it to be; its links are alike, by their make.

    Where a noisy run took some for slower, their mean stands.
    """
    found: Row = dict(cube["calibration"]["machine"])
    for name in ("startup", "per_byte"):
        found[name] = float(np.mean(found[name]))
    return found


def by_size(cube: Row) -> dict[int, list[Row]]:
    """The rows of each size of a block."""
    found: dict[int, list[Row]] = {}
    for row in cube["conversions"]:
        found.setdefault(row["block"], []).append(row)
    return found


def by_move(cube: Row) -> dict[str, list[Row]]:
    """The rows of each conversion from a cyclic to a consecutive layout."""
    found: dict[str, list[Row]] = {}
    for row in cube["layouts"]:
        found.setdefault(row["move"], []).append(row)
    return found


def by_algorithm(cube: Row) -> dict[str, dict[int, float]]:
    """Times by algorithm and size."""
    found: dict[str, dict[int, float]] = {}
    for row in cube["short blocks"]:
        found.setdefault(row["algorithm"], {})[row["block"]] = typical(row)
    return found
