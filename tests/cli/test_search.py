"""``graycube plan --search`` and ``--certificate``, and ``graycube verify`` of certificates."""

import json

import pytest
from cli_runs import cli

import graycube as gc

PLAN = ("plan", "gray", "binary", "--dims", "3", "--block", "24", "--ports", "2")


@pytest.fixture(autouse=True)
def _kept_apart(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAYCUBE_CACHE", str(tmp_path / "kept"))


def test_a_search_is_never_worse_and_its_plan_can_be_kept(tmp_path):
    path = tmp_path / "plan.json"
    task = ("plan", "gray", "binary", "--dims", "3", "--block", "11", "--ports", "all")
    known = json.loads(cli(*task, "--json").fine())
    found = json.loads(cli(*task, "--search", "60", "-o", str(path), "--json").fine())
    assert found["lower_bound"] <= found["seconds"] < known["seconds"]
    assert found["untried"] == known["untried"] == []
    assert "flow" in {bound["name"] for bound in found["bounds"]}
    assert gc.load_plan(path).cost == found["seconds"]
    assert "nothing is wrong" in cli("verify", str(path)).fine()
    text = cli(*task, "--search", "60").fine()  # it was kept, and is shown beside the table
    assert "chosen, not of the table" in text
    assert "cut short" not in text


@pytest.mark.long
def test_a_search_that_is_cut_short_says_so():
    task = ("plan", "gray", "binary", "--dims", "6", "--block", "1000")
    what = "everything: the least flow is not known"
    text = cli(*task, "--search", "0.001").fine()
    assert f"Untried: {what}. Give it more seconds." in " ".join(text.split())
    assert json.loads(cli(*task, "--search", "0.001", "--json").fine())["untried"] == [what]


def test_a_certificate_is_saved_and_proved_again(tmp_path):
    path = tmp_path / "bound.json"
    ran = cli(*PLAN, "--certificate", str(path))
    ran.fine()
    assert "fewer than 3/4 K cycles" in ran.err
    assert "proved: no schedule" in cli("verify", str(path)).fine()
    (entry,) = json.loads(cli("verify", str(path), "--json").fine())
    assert entry == {"file": str(path), "share": "3/4", "right": True}


def test_a_certificate_that_claims_more_is_refused(tmp_path):
    good, bad = tmp_path / "bound.json", tmp_path / "more.json"
    cli(*PLAN, "--certificate", str(good)).fine()
    bad.write_text(good.read_text().replace('"3/4"', '"4/5"'))
    ran = cli("verify", str(good), str(bad))
    assert ran.status == 1
    assert "refused" in ran.out
    assert "its tolls prove 3/4" in ran.out
    entries = json.loads(cli("verify", str(good), str(bad), "--json").out)
    assert [entry["right"] for entry in entries] == [True, False]


@pytest.mark.parametrize(
    "options",
    [
        ("--search", "0"),
        ("--search", "soon"),
        ("--search", "5", "--algorithm", "gb3"),
        ("--certificate", "/nowhere/at/all.json"),
        ("-o", "/nowhere/at/all.json", "--search", "1000"),
        ("-o", "same.json", "--certificate", "same.json"),
        ("-o", "-"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(options):
    ran = cli(*PLAN, *options)
    assert ran.status == 2
    assert ran.err.startswith("error: ")


def test_layouts_that_part_blocks_have_certificates_and_no_search(tmp_path):
    meshes = ("plan", "gray", "binary-cyclic", "--shape", "16x16", "--nodes", "4x2")
    ran = cli(*meshes, "--search", "5")
    assert ran.status == 2
    assert "stays together" in ran.err
    cli(*meshes, "--certificate", str(tmp_path / "bound.json")).fine()
