"""``graycube plan``: its figures are the library's, and a failure leaves no trace."""

import os
import shlex
from dataclasses import asdict
from math import isfinite
from pathlib import Path

import pytest
from cli_runs import cli, spawn, tree

import graycube as gc
from graycube.machine import entries_of

PLAN = ("plan", "gray", "binary", "--dims", 4, "--block", 64)


def same(found, made):
    """JSON of the command line against the plan of the library."""
    assert found == {
        "source": str(made.task.source),
        "target": str(made.task.target),
        "nodes": 2**made.task.n,
        "block": made.task.block,
        "itemsize": made.task.itemsize,
        "machine": entries_of(made.machine),
        "algorithm": made.algorithm,
        "rounds": made.rounds,
        "cycles": made.cycles,
        "seconds": made.cost,
        "lower_bound": made.lower_bound,
        "candidates": [candidate(c) for c in made.candidates],
        "bounds": [asdict(bound) for bound in made.bounds],
        "untried": list(made.untried),
    }


def candidate(found):
    named = {"algorithm": found.algorithm.name}
    if found.traffic is None:
        return {**named, "left_out": found.reason}
    moved = {"rounds": found.traffic.nonempty, "cycles": found.traffic.cycles}
    return {**named, **moved, "link_bytes": found.traffic.bytes, "seconds": found.cost}


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "machine"),
    [
        ([], gc.Machine(dims=4)),
        (["--machine", "ideal"], gc.Machine.profile("ideal", dims=4)),
        (["--machine", "ipsc2"], gc.Machine.profile("ipsc2", dims=4)),
        (["--machine", "cm2"], gc.Machine.profile("cm2", dims=4)),
        (["--ports", 2], gc.Machine(4, ports=2, startup=0, per_byte=1.0, name="custom")),
        (
            ["--ports", "all", "--startup", "1e-6", "--per-byte", "2e-9", "--packet", 32],
            gc.Machine(4, ports="all", startup=1e-6, per_byte=2e-9, packet=32, name="custom"),
        ),
        (
            ["--ports", 1, "--startup", 1e-6, "--per-byte", 1e-9, "--switching", "circuit"],
            gc.Machine(4, startup=1e-6, per_byte=1e-9, switching="circuit", name="custom"),
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("algorithm", ["auto", "gb1", "relabel"])
def test_the_figures_are_those_of_the_library(options, machine, algorithm):
    layouts = gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4)
    words = (*options, "--itemsize", 4, "--algorithm", algorithm, "--json")
    ran = cli("plan", "gray", "binary", "--dims", 4, "--block", "256B", *words)
    assert ran.err == ""
    same(ran.json(), gc.plan(*layouts, 64, itemsize=4, machine=machine, algorithm=algorithm))


def test_an_array_needs_no_block():
    source = gc.Layout.mesh((64, 32), (8, 4), code="gray")
    target = gc.Layout.mesh((64, 32), (8, 4), code="binary", allocation="cyclic")
    words = ("--shape", "64x32", "--nodes", "8x4", "--itemsize", 8, "--json")
    made = gc.plan(source, target, source.block_size, itemsize=8, machine=gc.Machine(5))
    same(cli("plan", "gray", "binary-cyclic", *words).json(), made)
    same(cli("plan", *words, "--", source, target).json(), made)


@pytest.mark.parametrize("saved", [True, False])
def test_a_plan_is_saved_and_can_be_seen(tmp_path, saved):
    path = tmp_path / "a fine plan é.json"
    output = ["--output", path] if saved else []
    ran = cli(*PLAN, *output, "--json")
    assert path.exists() == saved
    if not saved:
        assert ran.err == ""
        return
    same(ran.json(), gc.load_plan(path))
    first, hint = ran.err.strip().split("; see it with: graycube ")
    assert first == f"saved as {path}"
    assert cli(*shlex.split(hint)).status == 0
    assert path.with_suffix(".html").is_file()


def test_people_read_what_programs_read():
    found = cli(*PLAN, "--machine", "ipsc1", "--json").json()
    text = cli(*PLAN, "--machine", "ipsc1", "--why").fine()
    lines = text.splitlines()
    assert lines[0] == f"from  {found['source']}"
    assert lines[1] == f"to    {found['target']}"
    rows = {line.split()[0]: line.split()[1:5] for line in lines if line}
    for entry in found["candidates"]:
        if "left_out" in entry:
            named = [line for line in lines if line.startswith("left out:")]
            assert any(entry["algorithm"] in line for line in named)
        else:
            shown = [entry["rounds"], entry["cycles"], entry["link_bytes"]]
            assert list(map(int, rows[entry["algorithm"]][:3])) == shown
            assert float(rows[entry["algorithm"]][3]) == pytest.approx(entry["seconds"], 1e-3)
    (chosen,) = (line.split()[0] for line in lines if line.endswith("chosen"))
    assert chosen == found["algorithm"]
    bound = next(line for line in lines if line.startswith("lower bound"))
    assert float(bound.split()[2]) == pytest.approx(found["lower_bound"], 1e-3)


def test_a_machine_may_cost_nothing():
    free = ["--startup", 0, "--per-byte", 0]
    assert cli(*PLAN, *free, "--json").json()["seconds"] == 0
    assert cli(*PLAN, *free).fine()


@pytest.mark.parametrize("figure", ["startup", "per-byte"])
def test_no_price_is_infinite(figure):
    assert isfinite(cli(*PLAN, f"--{figure}", "1e100", "--json").json()["seconds"])
    assert "at most 1e+100" in cli(*PLAN, f"--{figure}", "1e308").refused()


@pytest.mark.parametrize("algorithm", ["", "GB1", "nosuch", "é", "x\ny", "a" * 5000])
def test_unknown_algorithms(algorithm):
    line = cli(*PLAN, "--algorithm", algorithm).refused()
    assert "the known ones are relabel, direct, gb1" in line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--machine", ""], "ipsc2"),
        (["--machine", "nowhere"], "ipsc2"),
        (["--machine", "../ipsc2"], "ipsc2"),
        (["--machine", "é\0"], "ipsc2"),
        (["--ports", 0], "1..4"),
        (["--ports", -1], "1..4"),
        (["--ports", 5], "1..4"),
        (["--ports", 10**30], "1..4"),
        (["--share", "two"], "share is 'two': it is a number of nodes"),
        (["--ports", "1,2"], "ports has 2 figures: the machine has 4 dimensions"),
        (["--torus", "4xo"], "is no mesh or torus: write 4x4, or 8x16o"),
        (["--torus", "4x8"], "the torus has 32 nodes: 16 are needed"),
        (["--torus", "4x4", "--machine", "ipsc1"], "leave one of them out"),
        (["--tree", "4x4", "--torus", "4x4"], "--tree and --torus are given"),
        (["--tree", "4x8"], "the tree has 32 nodes: 16 are needed"),
        (["--tree", "4x4", "--per-byte", "1,2,3"], "3 figures: there are 2 levels"),
        (["--oversubscribed", 2], "--oversubscribed 2 is given without --tree"),
        (["--ports", ""], "'all'"),
        (["--ports", "ALL"], "'all'"),
        (["--ports", "1.5"], "'all'"),
        (["--ports", "9" * 5000], "'all'"),
        (["--switching", "nosuch"], "circuit"),
        (["--startup", "-1"], ">= 0"),
        (["--startup", "nan"], "finite"),
        (["--per-byte", "inf"], "finite"),
        (["--per-byte", "1e400"], "finite"),
        (["--per-byte", ""], "'' is no number of seconds: write 2e-6, or 1e-6,5e-6"),
        (["--packet", 0], "at least 1"),
        (["--packet", "x"], "whole number"),
        (["--itemsize", 0], "at least 1"),
        (["--itemsize", -8], "at least 1"),
        (["--itemsize", 10**30], "at most"),
        (["--block", 0], "at least 1"),
        (["--block", "65B", "--itemsize", 2], "whole elements"),
        (["--block", "9999999TiB"], "at most"),
        (["--algorithm", "direct"], "circuits"),
    ],
)
def test_machines_and_sizes_that_mean_nothing(options, words):
    assert words in cli(*PLAN, *options).refused()


@pytest.mark.parametrize("dims", [-1, 257, 10**4, 10**9, 10**30, "10**9", "1.5", "", "x"])
def test_cubes_that_are_none(dims):
    assert "--dims" in cli("plan", "gray", "binary", "--block", 8, "--dims", dims).refused()


def test_no_block():
    assert "--block 64KiB" in cli("plan", "gray", "binary", "--dims", 4).refused()


@pytest.fixture
def old(tmp_path):
    """A plan that is there already; every test of failures must leave it so."""
    path = tmp_path / "old.json"
    assert cli("plan", "gray", "binary", "--dims", 3, "--block", 4, "-o", path).status == 0
    return path


def test_another_plan_takes_its_place(old):
    assert cli(*PLAN, "-o", old).status == 0
    assert gc.load_plan(old).task.n == 4
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failing_write_leaves_the_old_plan(old, monkeypatch, error):
    def fail(*_):
        raise error

    before = tree(old.parent)
    monkeypatch.setattr(Path, "replace", fail)
    ran = cli(*PLAN, "-o", old, "--json")
    assert ran.status == (2 if isinstance(error, OSError) else 130)
    assert ran.out == ""
    assert tree(old.parent) == before


def test_a_failing_choice_leaves_the_old_plan(old):
    before = tree(old.parent)
    cli(*PLAN, "--algorithm", "nosuch", "-o", old).refused()
    assert tree(old.parent) == before


@pytest.mark.parametrize("where", ["nowhere/x.json", ".", "", "old.json/x", "a" * 300, "a/b/c"])
def test_paths_where_no_file_can_be(old, monkeypatch, where):
    monkeypatch.chdir(old.parent)
    before = tree(old.parent)
    cli(*PLAN, "-o", where).refused()
    assert tree(old.parent) == before


def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "must name a file" in cli(*PLAN, "-o", pipe).refused()
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_what_a_link_names_is_written_not_the_link(old):
    link = old.with_name("link.json")
    link.symlink_to(old)
    assert cli(*PLAN, "-o", link).status == 0
    assert link.is_symlink()
    assert gc.load_plan(old).task.n == 4
    assert sorted(old.parent.iterdir()) == [link, old]


@pytest.mark.long
def test_where_there_is_no_terminal_nothing_is_cut_and_nothing_is_coloured():
    text = spawn(*PLAN, env={**os.environ, "COLUMNS": "20"}).fine()
    assert "\x1b" not in text
    assert text == cli(*PLAN).fine()


def test_the_target_may_have_its_own_mesh_of_nodes():
    words = ["--shape", "64x64", "--nodes", "4x4", "--to-nodes", "16x1"]
    found = cli("plan", "gray", "binary", *words, "--json").json()
    source = gc.Layout.mesh((64, 64), nodes=(4, 4), code="gray")
    target = gc.Layout.mesh((64, 64), nodes=(16, 1))
    assert (found["source"], found["target"]) == (str(source), str(target))
    assert (found["block"], found["itemsize"]) == (256, 8)


def test_a_plan_too_large_to_draw_does_not_promise_a_picture(tmp_path):
    file = tmp_path / "plan.json"
    for dims, promised in ((8, True), (9, False)):
        done = cli("plan", "gray", "binary", "--dims", dims, "--block", 4, "-o", file)
        assert ("graycube view" in done.err) is promised
