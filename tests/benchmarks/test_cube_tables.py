"""The tables of the cube's page on invented figures, and which runs count."""

import importlib

import numpy as np
import pytest
from cubes import FOLDER


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("tables").tables


def row(algorithm, seconds, **others):
    return {"algorithm": algorithm, "seconds": seconds, "block": 1 << 20} | others


def short(algorithm, times):
    return [row(algorithm, [time]) | {"block": size} for size, time in times.items()]


SIZES = (1, 2, 8, 16)
CUBE = {
    "rate": 8.0,
    "latency": 1e-4,
    "calibration": {
        "machine": {"ports": "all", "switching": "circuit", "startup": 3e-6, "per_byte": 1e-6}
    },
    "conversions": [
        row("direct", [2.0, 9.0, 1.9], predicted=2.0, ports=[1, 2, "all"], chosen=[1, 2]),
        row("three-fifths", [1.3, 1.2, 1.25], predicted=1.0, ports=["all"], chosen=[]),
        row("tight", [1.5, 1.5, 1.5], predicted=0.9, ports=["all"], chosen=["all"]),
        row("Alltoallv", [1.9, 1.9, 1.9]),
    ],
    "layouts": [],
    "short blocks": [
        *short("gb1", {k: float(k) for k in SIZES}),
        *short("gb3", {k: 2 * k**0.5 for k in SIZES}),
    ],
    "transforms": [],
    "mappings": [],
}


def cells(lines):
    """What stands in the rows of a table, below its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_ratios_and_regret(tables):
    made = tables({3: CUBE})
    assert cells(made["ratios"]) == [
        ["8", "1 MiB", "1.000", "1.250", "1.667", "0.625", "+350 %"]
    ]
    assert cells(made["regret"]) == [
        ["8", "Gray to binary code", "1 MiB", "1", "direct", "direct", "1.000"],
        ["8", "Gray to binary code", "1 MiB", "2", "direct", "direct", "1.000"],
        ["8", "Gray to binary code", "1 MiB", "all", "tight", "three-fifths", "1.200"],
    ]


def test_where_gb3_begins_to_win_lies_between_two_sizes(tables):
    (found,) = cells(tables({3: CUBE})["break-even"])
    assert found == ["8", "6 bytes", "4 bytes", "2.00 at 0 KiB", "1.33"]


class Alone:
    """The communicator of one rank, as far as it is needed."""

    def bcast(self, value):
        return value


@pytest.mark.parametrize(
    ("stolen", "counts", "tries"),
    [
        ([0.03, 0.0], (0.03, "run 1"), 1),
        ([0.3, 0.04, 0.0], (0.04, "run 2"), 2),
        ([0.3, 0.2, 0.1, 0.2, 0.0], (0.1, "run 3"), 4),
    ],
)
def test_a_calm_run_counts_or_the_calmest(stolen, counts, tries, monkeypatch):
    """The host takes so much of 100 ticks in each run."""
    monkeypatch.syspath_prepend(FOLDER)
    measured = importlib.import_module("measured")
    ticks, runs = np.zeros(2), []

    def run():
        ticks[:] += 100 * stolen[len(runs)], 100
        runs.append(f"run {len(runs) + 1}")
        return (runs[-1],)

    monkeypatch.setattr(measured, "processors", ticks.copy)
    share, found = measured.calm(run, Alone())
    assert (pytest.approx(share), found) == counts
    assert len(runs) == tries
