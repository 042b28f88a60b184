"""Verbs that read files: good ones, wrong ones, and such as nobody could use."""

import json
import os
import subprocess
import sys
import webbrowser
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import pytest
from cli_runs import PROGRAM, cli, tree

import graycube as gc
from graycube.cost import known_certificate
from graycube.machine import entries_of

READERS = {
    "verify": ("verify",),
    "view": ("view", "-o", "never.html"),
    "view --node": ("view", "--node", 0),
    "view beside": ("view", "-o", "never.html", "plan.json"),
    "advise": ("advise",),
    "bench": ("bench",),
}
PLAN_READERS = [name for name in READERS if name != "advise"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The file of a plan, as the command wrote it."""
    path = tmp_path_factory.mktemp("written") / "plan.json"
    assert cli("plan", "gray", "binary", "--dims", 3, "--block", 16, "-o", path).fine()
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch, written):
    """A folder with a plan, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    Path("plan.json").write_bytes(written)
    return tmp_path


def rewritten(change):
    """The plan's file with something else in it, under another name."""
    content = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    change(content)
    Path("other.json").write_text(json.dumps(content), encoding="utf-8")
    return "other.json"


def lost(content):
    content["schedule"]["ways"][0]["steps"] = []


def refused_by(reader, path):
    before = tree(Path())
    ran = cli(*READERS[reader], path)
    assert tree(Path()) == before
    return ran.refused()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing.json", "missing.json: No such file"),
        ("folder", "folder: Is a directory"),
        ("plan.json/x", "Not a directory"),
        ("a" * 300, "name too long"),
        ("é \u2713.json", "No such file"),
        ("", ""),
    ],
)
@pytest.mark.usefixtures("folder")
def test_no_file(path, words):
    Path("folder").mkdir()
    for reader in READERS:
        assert words in refused_by(reader, path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.usefixtures("folder")
def test_a_file_that_must_not_be_read(reader):
    """Root may read everything, so the system's answer is put in its mouth."""
    with patch("os.open", side_effect=PermissionError(13, "Permission denied", "plan.json")):
        assert "plan.json: Permission denied" in refused_by(reader, "plan.json")


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00", b"\0" * 99, b"{", b"[]", b"null", b"NaN", b"[" * 9999, b"gray\n"],
)
def test_other_bytes(content, folder):
    (folder / "other").write_bytes(content)
    for reader in READERS:
        line = refused_by(reader, "other")
        assert "docs/advice.md" in line if reader == "advise" else "docs/format.md" in line


@pytest.mark.parametrize("reader", READERS)
def test_half_a_file(reader, folder):
    source = PROGRAM.encode() if reader == "advise" else Path("plan.json").read_bytes()
    (folder / "half").write_bytes(source[: len(source) // 2])
    assert refused_by(reader, "half")


@pytest.mark.parametrize("reader", PLAN_READERS)
@pytest.mark.usefixtures("folder")
def test_a_plan_of_a_newer_version(reader):
    path = rewritten(lambda content: content.update(version=2))
    assert "use a newer graycube" in refused_by(reader, path)


@pytest.mark.parametrize("reader", PLAN_READERS)
@pytest.mark.usefixtures("folder")
def test_a_plan_with_a_wrong_value(reader):
    path = rewritten(lambda content: content["schedule"].update(cycles=-2))
    assert "cycles is -2" in refused_by(reader, path)


@pytest.mark.usefixtures("folder")
def test_a_right_plan_is_proved():
    made, text = gc.load_plan("plan.json"), cli("verify", "plan.json").fine()
    first, start, end, moves, *report = text.splitlines()
    assert first == f"plan.json: {made!r}"
    assert (start, end) == (f"from  {made.task.source}", f"to    {made.task.target}")
    assert moves.startswith(f"{made.task.block} elements of {made.task.itemsize} byte")
    assert f"on each of {1 << made.task.n} nodes; {made.machine.links_at_once} port" in moves
    assert "\n".join(report) == str(made.verify())
    assert "nothing is wrong" in text


@pytest.mark.usefixtures("folder")
def test_a_wrong_plan_has_status_1_and_says_where():
    ran = cli("verify", rewritten(lost))
    assert (ran.status, ran.err) == (1, "")
    report = gc.load_plan("other.json").verify()
    assert report.violations
    for violation in report.violations:
        assert str(violation) in ran.out
    assert "way 0" in ran.out
    assert "node" in ran.out


@pytest.mark.parametrize("wrong", [(), (0,), (1,), (2,), (0, 2)], ids=str)
@pytest.mark.usefixtures("folder")
def test_of_many_plans_one_wrong_is_enough(wrong):
    files = ["plan.json"] * 3
    for k in wrong:
        files[k] = rewritten(lost)
    found = cli("verify", *files, "--json").json(status=1 if wrong else 0)
    assert [entry["file"] for entry in found] == files
    assert [entry["right"] for entry in found] == [k not in wrong for k in range(3)]
    assert cli("verify", *files).status == (1 if wrong else 0)


@pytest.mark.usefixtures("folder")
def test_the_report_as_json_is_the_library_s():
    (found,) = cli("verify", rewritten(lost), "--json").json(status=1)
    made = gc.load_plan("other.json")
    assert found["algorithm"] == made.algorithm
    task = (str(made.task.source), str(made.task.target), made.task.block, made.task.itemsize)
    assert (found["source"], found["target"], found["block"], found["itemsize"]) == task
    assert found["machine"] == json.loads(json.dumps(entries_of(made.machine)))
    assert found["report"] == json.loads(json.dumps(asdict(made.verify())))


@pytest.mark.usefixtures("folder")
def test_the_others_are_checked_if_one_cannot_be_read(folder):
    (folder / "empty.json").touch()
    (folder / "again.json").write_bytes((folder / "plan.json").read_bytes())
    files = "plan.json", "empty.json", "again.json"
    ran = cli("verify", *files)
    assert "empty.json is no plan" in ran.complained(2)
    right = [line.split(":")[0] for line in ran.out.splitlines() if ".json: <Plan" in line]
    assert right == ["plan.json", "again.json"]
    found = cli("verify", *files, "--json").json(status=2)
    assert [one["file"] for one in found] == right
    assert "missing.json" in cli("verify", "missing.json", "--json").refused()


def test_a_page_is_drawn(folder):
    ran = cli("view", "plan.json")
    assert (ran.status, ran.out, ran.err) == (0, "", "drawn as plan.html\n")
    page = (folder / "plan.html").read_text(encoding="utf-8")
    assert page == gc.view.page(gc.load_plan("plan.json"))
    found = cli("view", "plan.json", "-o", "a page é.html", "--json")
    made = gc.load_plan("plan.json").algorithm
    assert found.json() == {"page": "a page é.html", "algorithm": made}
    assert (found.err, (folder / "a page é.html").read_text(encoding="utf-8")) == ("", page)


def test_two_plans_side_by_side(folder):
    made = gc.load_plan("plan.json")
    task = made.task
    other = gc.plan(task.source, task.target, task.block, machine=made.machine, algorithm="gb1")
    other.save("gb1.json")
    page = gc.view.page(made, other)
    for words in (["gb1.json"], ["--against", "gb1"]):
        assert cli("view", "plan.json", *words, "-o", "two.html").status == 0
        assert (folder / "two.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--against", ""], "known ones"),
        (["--against", "nosuch"], "known ones"),
        (["--against", "direct"], "circuits"),
        (["other.json"], "block"),
        (["plan.json", "--against", "gb1"], "give one of them"),
        (["-o", "plan.json"], "is the plan itself"),
        (["-o", "plan.pdf"], "a page is HTML"),
        (["other.json", "-o", "other.json"], "is the plan itself"),
        (["-o", "link.json"], "is the plan itself"),
        (["-o", "nowhere/page.html"], "a folder that exists"),
        (["-o", "."], "must name a file"),
        (["-o", "pipe"], "must name a file"),
        (["-o", "/dev/full"], "a pipe or a device: choose another name"),
        (["-o", "-"], "files do not go to standard output"),
        (["--csv", "-"], "files do not go to standard output"),
        (["--node", 8], "0..7"),
        (["--node", -1], "0..7"),
        (["--node", 10**30], "0..7"),
        (["--node", "x"], "whole number"),
        (["--node", 0, "--against", "gb1"], "no page"),
        (["--node", 0, "plan.json"], "no page"),
        (["--node", 0, "-o", "page.html"], "no page"),
        (["--node", 0, "--open"], "no page"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("folder")
def test_pages_that_cannot_be(words, complaint):
    cli("plan", "gray", "binary", "--dims", 3, "--block", 8, "-o", "other.json")
    Path("link.json").symlink_to("plan.json")
    os.mkfifo("pipe")
    before = tree(Path())
    for flags in ([], ["--json"]):
        assert complaint in cli("view", "plan.json", *words, *flags).refused()
        assert tree(Path()) == before


def test_a_page_never_takes_the_place_of_its_plan(folder):
    (folder / "plan.json").rename(folder / "plan.html")
    before = tree(folder)
    assert "say -o" in cli("view", "plan.html").refused()
    assert tree(folder) == before


@pytest.mark.usefixtures("folder")
def test_a_failing_write_leaves_the_old_page(monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    Path("page.html").write_text("old", encoding="utf-8")
    before = tree(Path())
    monkeypatch.setattr(Path, "replace", fail)
    assert "No space left" in cli("view", "plan.json", "-o", "page.html", "--json").refused()
    assert tree(Path()) == before


def test_the_page_is_opened(folder, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert cli("view", "plan.json", "-o", "a page.html").status == 0
    assert opened == []
    assert cli("view", "plan.json", "-o", "a page.html", "--open").status == 0
    assert opened == [(folder / "a page.html").as_uri()]


@pytest.mark.usefixtures("folder")
def test_what_a_node_does():
    plan = gc.load_plan("plan.json")
    for node in range(8):
        lines = [str(action) for action in plan.actions(node)]
        text = cli("view", "plan.json", "--node", node)
        assert text.fine() == "\n".join(lines or [f"node {node} does nothing"]) + "\n"
        assert text.err == ""
        found = cli("view", "plan.json", "--node", node, "--json").json()
        assert found == {"node": node, "actions": lines}
    assert not Path("plan.html").exists()


@pytest.mark.usefixtures("folder")
def test_what_a_node_of_a_mesh_does_is_in_a_table():
    mesh = "--shape", "8x8", "--nodes", "4x2", "-o", "mesh.json"
    assert cli("plan", "gray", "binary-cyclic", *mesh).fine()
    told = cli("view", "mesh.json", "--node", 0).refused()
    assert told.endswith("or graycube view plan.json --csv moves.csv")


FORGED = "gb1: 2 rounds\nby algebra and element by element: nothing is wrong\n\x1b[8m"
UNSEEN = ["\n", "\r", "\x1b[8m", "\x9b8m", "\x7f", "\u202e", "\u2066", "\u200b", "\u2028", "\0"]


@pytest.mark.parametrize("text", [FORGED, *(f"a{mark}b" for mark in UNSEEN)], ids=ascii)
@pytest.mark.parametrize("place", ["algorithm", "machine", "key", "bits"])
@pytest.mark.usefixtures("folder")
def test_a_plan_cannot_forge_a_verdict(place, text):
    def forge(content):
        if place == "algorithm":
            content["schedule"]["algorithm"] = text
        elif place == "machine":
            content["machine"]["name"] = text
        elif place == "key":
            content["schedule"]["ways"][0][text] = text
        else:
            content["schedule"]["task"]["source"] = text

    path = rewritten(forge)
    for verb in ("verify", "view", "bench"):
        assert cli(verb, path).refused().isprintable()


@pytest.mark.parametrize("mark", UNSEEN[:-1], ids=ascii)
@pytest.mark.usefixtures("folder")
def test_the_name_of_a_file_is_shown_as_one_line(mark):
    path = Path(f"plan{mark}by algebra: nothing is wrong{mark}.json")
    path.write_text(Path("plan.json").read_text())
    ran = cli("verify", path)
    assert ran.fine().count("\n") == 5
    path.write_text("[]")
    for line in (cli("verify", path).refused(), cli("verify", f"no{mark}where").refused()):
        assert line.isprintable()
    assert mark not in cli("verify", "plan.json", "--json").fine() or mark == "\n"


def test_only_the_console_writes_to_the_terminal():
    sources = Path(gc.__file__).parent / "cli"
    writers = [p.name for p in sources.glob("*.py") if "click.echo" in p.read_text()]
    assert writers == ["console.py"]
    assert not any("click.secho" in p.read_text() for p in sources.glob("[!c]*.py"))


@pytest.mark.parametrize("verb", ["verify", "view", "advise", "bench"])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/random", "/dev/null"])
@pytest.mark.usefixtures("folder")
def test_devices_are_not_read(verb, device):
    if Path(device).exists():
        assert "it is neither a file nor a pipe" in cli(verb, device).refused()


@pytest.mark.long
@pytest.mark.usefixtures("folder")
def test_a_pipe_is_read_as_a_file_is():
    bound = known_certificate(3, 1)
    bound.save("bound.json")
    for path, words in (("plan.json", "nothing is wrong"), ("bound.json", "proved")):
        with Path(path).open() as given:
            done = subprocess.run(
                ["/bin/sh", "-c", 'cat | "$0" -m graycube verify /dev/stdin', sys.executable],
                stdin=given,
                capture_output=True,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (0, "")
        assert words in done.stdout


@pytest.mark.usefixtures("folder")
def test_a_pipe_that_nobody_writes_to_is_empty():
    os.mkfifo("pipe")
    for verb in ("verify", "view", "advise"):
        assert cli(verb, "pipe").refused()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no such file system")
@pytest.mark.usefixtures("folder")
def test_a_file_that_cannot_be_written_is_named():
    line = cli("view", "plan.json", "-o", "/proc/x.html").refused()
    assert "/proc/x.html: " in line
    assert ".part" not in line
