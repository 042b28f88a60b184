"""Verbs that run over MPI: under mpiexec, or starting it; and machines without it."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from unittest.mock import patch

import pytest
from cli_runs import COMMAND, Ran, cli
from mpi_runs import Job
from sweeping import long, sweep

import graycube as gc
from graycube.cli import ranks as ranks_module

MPIEXEC = str(Path(sys.executable).with_name("mpiexec"))
FLAGS, ROUNDS = ["--quick", "--json"], ["--rounds", "3"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a plan for two nodes and for four; profiles are saved in another."""
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path / "profiles"))
    for dims in (1, 2):
        words = ("--dims", dims, "--block", 16, "-o", tmp_path / f"a plan {2**dims}.json")
        assert cli("plan", "gray", "binary", *words).status == 0
    return tmp_path


def run(home, *command):
    """A command with a watchdog: no rank may hang, and nothing may be left."""
    (home / "job").mkdir()
    job = Job(list(map(str, command)), home / "job", 60)
    try:
        done = job.finish()
    finally:
        job.end()
    return Ran(done.returncode, done.stdout, done.stderr)


def under_mpiexec(home, *words):
    return run(home, MPIEXEC, "-n", 2, COMMAND, *words)


@pytest.mark.parametrize("start", ["--ranks", *long(("mpiexec",))])
def test_a_machine_is_measured_and_saved(home, start):
    words = ("calibrate", "ours", "--quick")
    if start == "mpiexec":
        ran = under_mpiexec(home, *words)
        assert ran.fine().startswith("2 ranks: start-up ")
        assert ran.out.count("2 ranks") == 1
    else:
        ran = run(home, COMMAND, *words, "--sizes", "8,2KiB", "--ranks", 2, "--json")
        found = ran.json()
        assert gc.Machine.profile("ours") == gc.Machine(**found["machine"])
        at_a_distance = [row for row in found["measured"] if row["kind"] == "distance"]
        assert {row["nbytes"] for row in at_a_distance} == {8, 2048}
    assert [path.name for path in (home / "profiles").iterdir()] == ["ours.toml"]
    assert ran.err == f"saved as {home / 'profiles' / 'ours.toml'}\n"
    saved = tomllib.loads((home / "profiles" / "ours.toml").read_text(encoding="utf-8"))
    assert saved["dims"] == 1
    plan = ("plan", "gray", "binary", "--dims", 1, "--block", 8, "--machine", "ours", "--json")
    assert cli(*plan).json()["machine"]["startup"] == saved["startup"]


@pytest.mark.parametrize("start", ["--ranks", *long(("mpiexec",))])
def test_candidates_are_timed(home, start):
    path = home / "a plan 2.json"
    words = ("bench", path, "--rounds", 2)
    if start == "mpiexec":
        text = under_mpiexec(home, *words).fine()
        assert text.count("measured") == 1
        assert text.count("the fastest") == 1
        return
    ran = run(home, COMMAND, *words, "--ranks", 2, "--json")
    assert ran.err == ""
    found = ran.json()
    plan = gc.load_plan(path)
    assert found["chosen"] == plan.algorithm
    priced = {c.algorithm.name: c for c in plan.candidates if c.traffic}
    del priced["relabel"]
    assert [timed["algorithm"] for timed in found["candidates"]] == list(priced)
    for timed in found["candidates"]:
        assert timed["predicted"] == priced[timed["algorithm"]].cost
        assert len(timed["runs"]) == 2
        assert all(seconds > 0 for seconds in timed["runs"])
    assert found["fastest"] in priced


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("bench", "a plan 4.json"), "2: the plan is for 4; say --ranks 4, or"),
        *sweep(
            (("bench", "missing.json"), "cannot read"),
            (("bench", "--nosuch"), "--nosuch"),
            (("bench", "a plan 2.json", "--rounds", 0), "at least 1"),
            (("bench", "a plan 2.json", "--ranks", 2), "within mpiexec"),
            (("calibrate", "a b", "--quick"), "the name is 'a b'"),
        ),
    ],
    ids=str,
)
def test_an_error_is_told_once_and_ends_all_ranks(home, words, complaint):
    words = [home / word if str(word).endswith(".json") else word for word in words]
    assert complaint in under_mpiexec(home, *words).refused()


@pytest.mark.long
def test_a_profile_that_cannot_be_saved_ends_all_ranks(home):
    (home / "profiles").write_text("a file is in the way", encoding="utf-8")
    ran = under_mpiexec(home, "calibrate", "ours", "--quick")
    assert "GRAYCUBE_PROFILES" in ran.refused()  # before it measures


@pytest.mark.long
def test_an_interrupt_ends_all_ranks(home):
    (home / "job").mkdir()
    job = Job([COMMAND, "bench", str(home / "a plan 2.json"), "--ranks", "2", "--rounds",
               "10000"], home / "job", 60)  # fmt: skip
    try:
        for _ in range(600):
            if len(job.alive()) >= 5 or job.process.poll() is not None:
                break
            subprocess.run(["/bin/sleep", "0.1"], check=True)
        subprocess.run(["/bin/sleep", "1.5"], check=True)  # until the ranks are at work
        os.killpg(job.process.pid, signal.SIGINT)
        assert job.finish().returncode == 130
    finally:
        job.end()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["calibrate", "ours"], "say --ranks 4, or"),
        (["calibrate", "ipsc1"], "ranks is 1"),
        (["calibrate", "--", "-x"], "ranks is 1"),
        (["bench", "a plan 2.json"], "say --ranks 2, or start it with mpiexec -n 2"),
        *(
            (["calibrate", "ours", "--ranks", n], "--ranks 4")
            for n in (0, -2, 3, 6, 10**30 + 1)
        ),
        (["calibrate", "ours", "--ranks", 1 << 30], "at most 4096"),
        (["calibrate", "ours", "--ranks", "x"], "whole number"),
        (["calibrate", "ours", "--ranks", 2, "--sizes", "8,x"], "'x' is no amount"),
        (["bench", "a plan 2.json", "--ranks", ""], "whole number"),
    ],
    ids=str,
)
def test_calls_on_one_process(home, monkeypatch, words, complaint):
    monkeypatch.chdir(home)
    assert complaint in cli(*words).refused()


@pytest.mark.parametrize("dims", [0, 1])
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=str)
def test_a_plan_that_moves_nothing_has_nothing_to_time(home, dims, flags):
    path = home / "still.json"
    cli("plan", "gray", "gray", "--dims", dims, "--block", 8, "-o", path)
    ran = cli("bench", path, *flags)
    if dims:
        assert "mpiexec -n 2" in ran.refused()
    elif flags:
        assert ran.json() == {"candidates": [], "chosen": "relabel", "fastest": None}
    else:
        assert ran.fine().startswith("candidate")


@pytest.mark.parametrize("ranks", [[], ["--ranks", 2]], ids=str)
@pytest.mark.parametrize("words", [["calibrate", "ours"], ["bench", "plan.json"]], ids=str)
def test_without_mpi4py(words, ranks, monkeypatch):
    """Nor is the mpiexec of another MPI started, which would say something else."""
    monkeypatch.setattr(ranks_module.subprocess, "run", None)
    with patch.dict("sys.modules", {"mpi4py": None, "mpi4py.MPI": None}):
        assert "pip install 'graycube[mpi]'" in cli(*words, *ranks).refused()


@pytest.mark.parametrize("words", [["calibrate", "ours"], ["bench", "plan.json"]], ids=str)
def test_without_mpiexec(tmp_path, monkeypatch, words):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert "pip install 'graycube[mpi]'" in cli(*words, "--ranks", 2).refused()


@pytest.mark.parametrize("status", [0, 1, 2])
@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (["calibrate", "ours"], ["calibrate", "--", "ours"]),
        (["calibrate", "--json", "--quick", "--", "-x"], ["calibrate", *FLAGS, "--", "-x"]),
        (["bench", "a b.json"], ["bench", "--rounds", "9", "--", "a b.json"]),
        (["bench", "p", "--rounds", 3, "--json"], ["bench", *ROUNDS, "--json", "--", "p"]),
    ],
)
def test_what_the_ranks_are_told(monkeypatch, words, passed, status):
    started = []

    def run(command, *, check):
        assert not check
        started.append(command)
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(ranks_module.subprocess, "run", run)
    assert cli(words[0], "--ranks", 4, *words[1:]).status == status
    assert started == [[MPIEXEC, "-n", "4", sys.executable, "-m", "graycube", *passed]]


def test_an_mpiexec_on_the_path(tmp_path, monkeypatch):
    program = tmp_path / "mpiexec"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$*" > "$0.said"\nexit 1\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert cli("calibrate", "ours", "--ranks", 2).status == 1
    said = (tmp_path / "mpiexec.said").read_text(encoding="utf-8")
    assert said == f"-n 2 {tmp_path}/python -m graycube calibrate -- ours\n"
