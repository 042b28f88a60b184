"""The README says what is so: its program runs, its figures were measured, it is short."""

import json
import re
from pathlib import Path
from statistics import median

import pytest
from mpi_runs import launch

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
(PRINTED,) = re.findall(r"`python first.py` prints `([^`]*)`", TEXT)
WALKED = "5206.333854"  # in one process
COLUMNS = ["graycube, bound, FFTW, memory", "graycube, called, memory", "mpi4py-fft, slabs"]
IN_WORDS = {
    "transforms made once took": "graycube, bound, FFTW, messages",
    "FFTW's plans takes": "plain mpi4py, FFTW",
}


def test_it_is_one_screen_and_a_bit():
    assert len(TEXT.splitlines()) <= 120


def test_its_program_runs_as_it_is(capsys):
    exec(compile(PROGRAM, "first.py", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == f"{PRINTED}\n"


@pytest.mark.long
def test_it_and_the_tutorial_run_over_mpi(tmp_path):
    """One job for both programs, for the time that it takes to start one."""
    pytest.importorskip("mpi4py")
    line = next(line for line in PROGRAM.splitlines() if line.startswith("f = "))
    over_ranks = line.replace(", layout)", ", layout, MPI.COMM_WORLD)")
    assert over_ranks != line
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    (walk,) = re.findall(r"```python\n(.*?)```", tutorial, re.DOTALL)
    saved = walk.replace("low.npy", str(tmp_path / "low.npy"))
    path = tmp_path / "both.py"
    path.write_text(saved + PROGRAM.replace(line, over_ranks))
    run = launch(path, 4, tmp_path)
    assert (run.returncode, run.stderr) == (0, ""), run
    assert run.stdout.count(PRINTED) == 4  # lines of ranks may run into each other
    assert f"4 ranks, (32, 32) on this one, sum {WALKED}" in run.stdout


def test_its_figures_are_the_medians_of_what_was_measured():
    text = (ROOT / "benchmarks" / "race" / "pairs.json").read_text(encoding="ascii")
    races = {race["ranks"]: race["seconds"] for race in json.loads(text)["pairs"]}
    assert "of real points in slabs" in TEXT
    assert "in four processes" in TEXT
    rows = dict(re.findall(r"^\| (\d+)\^3 \| (.*) \|$", TEXT, re.MULTILINE))
    assert [*rows] == ["128", "96", "32"]

    def ratio(points, name):
        seconds = races[4]["x".join([points] * 3) + "r"]
        pairs = zip(seconds[name], seconds["plain mpi4py"], strict=True)
        return f"{median(ours / plain for ours, plain in pairs):.2f}"

    for points, figures in rows.items():
        shown = re.findall(r"[\d.]+", figures)
        assert shown == [ratio(points, name) for name in COLUMNS]
    for words, name in IN_WORDS.items():
        (shown,) = re.findall(rf"{words} ([\d.]+), ([\d.]+)\s+and ([\d.]+)\.", TEXT)
        assert [*shown] == [ratio(points, name) for points in rows]
