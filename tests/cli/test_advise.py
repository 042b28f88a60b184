"""``graycube advise``: the library's advice, and programs and machines that are none."""

from dataclasses import replace
from pathlib import Path

import pytest
from cli_runs import PROGRAM, cli

import graycube as gc
from graycube.advice.search import steps_of


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a program.toml").write_text(PROGRAM, encoding="utf-8")
    return "a program.toml"


def steps(found):
    """All steps with how often they are taken."""
    for step in found:
        if "steps" in step:
            yield from ((step["times"] * n, one) for n, one in steps(step["steps"]))
        else:
            yield 1, step


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "profile", "changes"),
    [
        ((), "ipsc1", {}),
        (
            ("--machine", "ipsc2", "--ports", "2", "--startup", "1"),
            "ipsc2",
            {"ports": 2, "startup": 1.0, "name": "custom"},
        ),
    ],
)
def test_advice_is_the_library_s(program, options, profile, changes):
    machine = replace(gc.Machine.profile(profile, dims=2), **changes)
    made = replace(gc.load_workload(program), machine=machine).advise()
    assert cli("advise", program, *options).fine() == f"{made.explain()}\n"
    found = cli("advise", program, *options, "--json").json()
    assert (found["strategy"], found["seconds"]) == (made.strategy, made.cost)
    assert found["without_conversions"] == dict(made.alternatives)
    taken = list(steps(found["steps"]))
    assert sum(n * step["seconds"] for n, step in taken) == pytest.approx(made.cost)
    assert all(step[end] in found["layouts"] for _, step in taken for end in ("from", "to"))
    for name, text in found["layouts"].items():
        assert text == str(next(p.layout for p in made.places if str(p) == name))


V_CYCLE = Path(__file__).parents[2] / "examples" / "v_cycle.toml"


@pytest.mark.long
def test_coarse_grids_say_where_they_are():
    made = gc.load_workload(V_CYCLE).advise()
    (grids,) = (step for step in steps_of(made.steps) if "grid" in str(step.label[0]))
    found = cli("advise", V_CYCLE, "--json").json()
    (told,) = (step for _, step in steps(found["steps"]) if "grid" in step["what"])
    assert (told["what"], told["how"]) == ("coarse grids by 2", grids.label[1])
    assert told["seconds"] == grids.cost > 0
    assert f"coarse grids by 2: {grids.label[1]}" in cli("advise", V_CYCLE).fine()


def test_layouts_that_cannot_do_a_program_have_no_price(tmp_path):
    text = PROGRAM.replace("[16, 16]", "[16, 16, 4]").replace('{kind = "stencil"}', "")
    (tmp_path / "three.toml").write_text(text, encoding="utf-8")
    found = cli("advise", tmp_path / "three.toml", "--json").json()
    made = gc.load_workload(tmp_path / "three.toml").advise()
    priced = {name: None if cost == float("inf") else cost for name, cost in made.alternatives}
    assert found["without_conversions"] == priced


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("nodes = 4", "nodes = 3", "power of two"),
        ("nodes = 4", "nodes = 0", "at least 1"),
        ("nodes = 4", "nodes = 1099511627776", "fewer nodes"),
        ("[16, 16]", "[]", "at least one"),
        ("[16, 16]", "[0]", "multiple"),
        ("[16, 16]", "[-4]", "at least 1"),
        ("times = 10", "times = -1", "at least 0"),
        ("times = 10", "times = 99999999999", "at most"),
        ("stencil", "nosuch", "kind"),
        ("ipsc1", "nowhere", "known ones"),
        ("ipsc1", "", "known ones"),
        ('"ipsc1"', "{startup = nan}", "finite"),
        ("nodes", "knoten", "look at"),
    ],
)
def test_programs_that_mean_nothing(tmp_path, old, new, words):
    (tmp_path / "program.toml").write_text(PROGRAM.replace(old, new, 1), encoding="utf-8")
    assert words in cli("advise", tmp_path / "program.toml").refused()


@pytest.mark.parametrize("options", [["--machine", "nowhere"], ["--ports", 0], ["--packet", 0]])
def test_a_program_on_a_machine_that_is_none(program, options):
    cli("advise", program, *options).refused()


SLABS = """
shape = [64, 64]
nodes = 16
machine = "ipsc2"
phases = [{kind = "fft", axes = [0]}, {kind = "transpose"}, {kind = "fft", axes = [1]}]
"""


def test_a_transform_that_some_layouts_cannot_do(tmp_path):
    """By slabs: after the transpose a layout and its binary twin differ in their ways."""
    file = tmp_path / "slabs.toml"
    file.write_text(SLABS, encoding="utf-8")
    assert cli("advise", file).fine()
    found = [step for _, step in steps(cli("advise", file, "--json").json()["steps"])]
    assert any(step["how"] for step in found)
    assert not any(step["what"].endswith("by ") for step in found)
