"""Networks of unequal links: what is told of them, and what calibration finds on them."""

import importlib
import importlib.util
import json
import subprocess
import sys

import pytest
from cubes import FOLDER, why_not


def in_network(program, *arguments):
    if (needed := why_not()) is not None:
        pytest.skip(f"a network needs {needed}")
    line = [sys.executable, str(FOLDER / program), *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=900, check=False)


def row(algorithm, seconds, predicted, chosen, ports=(1, "all")):
    return {
        "data": "a conversion",
        "algorithm": algorithm,
        "predicted": predicted,
        "seconds": seconds,
        "ports": list(ports),
        "chosen": list(chosen),
    }


RESULTS = {
    "a ring": {
        "startup": 2e-4,
        "rows": [
            row("direct", [2.0, 9.0, 1.9], 1.98, (1,)),
            row("gb1", [2.5, 2.5, 2.5], 1.5, ("all",)),
            row("pipeline", [1.0, 1.0, 1.0], 1.0, (), ports=("all",)),
        ],
    }
}


def test_regret_and_what_is_far_off_are_told(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    tables = importlib.import_module("unequal_tables")
    (found,) = [*tables.networks(RESULTS)][1:]
    assert found == (
        "a ring", "200 us", "2", "2.500", "0.600 to 0.990", "0.600 to 1.000", "2 of 3",
    )  # fmt: skip
    assert [*tables.choices(RESULTS, every=False)][1:] == [
        ("a ring", "a conversion, all ports", "gb1", "pipeline", "2.500", "0.600")
    ]
    assert len([*tables.choices(RESULTS, every=True)]) == 3
    assert [*tables.far_off(RESULTS)][1:] == [("a ring", "gb1", "0.600")]


@pytest.mark.sweep
@pytest.mark.timeout(1000)
def test_plans_transforms_and_placements_run_on_a_card_for_two(tmp_path):
    report = tmp_path / "unequal.json"
    name = "one card for two"
    done = in_network("unequal.py", "--quick", "--only", name, "--report", report)
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text())[name]["rows"]
    assert {row["algorithm"] for row in found} >= {"direct", "gb3", "all-to-all", "pipeline"}
    assert any("transform" in row["data"] for row in found)
    assert all(len(row["seconds"]) == 3 for row in found)
    tables = subprocess.run(
        [sys.executable, str(FOLDER / "unequal_tables.py"), str(report), "all"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"| {name} | Gray to binary code, 1 port |" in tables


@pytest.mark.sweep
@pytest.mark.timeout(1000)
def test_calibration_finds_near_and_far_links():
    done = in_network("calibrations.py", "--runs", 2)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["levels"] for row in found] == [[1, 2], [2, 1], [1, 2]], done.stderr
    assert [row["found"] for row in found] == [1, 1, [1, 2, 2]]
    assert all(1 < row["ratio"] < 4.2 for row in found)  # less than 4 where others compute
