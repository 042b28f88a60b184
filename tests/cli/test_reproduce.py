"""``graycube reproduce``: papers of our own, right and wrong, and what is said of them."""

import json
import os
import signal
import subprocess
import time
from html.parser import HTMLParser
from pathlib import Path
from subprocess import PIPE

import pytest
from cli_runs import COMMAND, cli, tree

from graycube.papers import as_dict, papers, reproduce

HEAD = """
[paper]
key = "{key}"
title = "On <ones>"
authors = "A"
report = "R"
year = 1990
[paper.numbered]
"""
CLAIM = """
[[claim]]
kind = "lemma"
number = "{number}"
where = "section 1"
statement = "n is {what}"
sizes = {{ n = "1..9" }}
quick = {{ n = "{quick}" }}
check = "{module}:{check}"
verdict = "{verdict}"
"""
CHECKS = """
import time
from pathlib import Path
from graycube.papers import compared, tried

positive = tried(lambda n: n > 0)
small = tried(lambda n: n < 3)

def endless(claim):
    with Path("started").open("a") as file:
        print(file=file)
    time.sleep(60)

def broken(claim):
    Path("computed").touch()
    raise ZeroDivisionError("a bad day")
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes a paper of claims: (check, verdict), and a folder to run in."""
    monkeypatch.chdir(tmp_path)

    def paper(key, *claims):
        folder = tmp_path / "papers" / key
        folder.mkdir(parents=True)
        module = f"claims_{abs(hash(folder)):x}"  # modules of all papers have their own names
        (folder / f"{module}.py").write_text(CHECKS, encoding="utf-8")
        parts = [
            CLAIM.format(
                number=k, what=check, quick="1..2", module=module, check=check, verdict=verdict
            )
            for k, (check, verdict) in enumerate(claims, start=1)
        ]
        text = "".join([HEAD.format(key=key), *parts])
        (folder / "claims.toml").write_text(text, encoding="utf-8")

    return paper


def run(*words):
    return cli("reproduce", "--papers", "papers", "-j", 1, *words)


def timeless(found):
    for paper in found["papers"]:
        for claim in paper["claims"]:
            assert claim.pop("seconds") >= 0
    return found


def test_claims_that_hold(write):
    write("TR-1", ("positive", "holds"))
    write("TR-2", ("positive", "holds"), ("small", "fails"))
    ran = run()
    assert (ran.status, ran.err) == (0, "")
    last = ran.out.splitlines()[-1]
    assert last.endswith("3 claims: 2 hold, 0 hold with a correction, 0 not reached, 1 fail")
    found = run("--json")
    assert found.err == ""
    known = papers(Path("papers"))
    results = [(paper, [reproduce(paper, claim) for claim in paper.claims]) for paper in known]
    assert timeless(found.json()) == timeless(json.loads(json.dumps(as_dict(results))))


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (("small", "holds"), "TR-1 Lemma 2: fails, recorded: holds"),
        (("positive", "fails"), "TR-1 Lemma 2: holds, recorded: fails"),
        (("broken", "fails"), "TR-1 Lemma 2: ZeroDivisionError: a bad day"),
        (("missing", "holds"), "TR-1 Lemma 2: AttributeError"),
    ],
)
def test_what_comes_out_otherwise_has_status_1(write, claim, words):
    write("TR-1", ("positive", "holds"), claim)
    ran = run()
    assert ran.status == 1
    (line,) = ran.err.splitlines()
    assert line.startswith(f"error: {words}")
    found = run("--json")
    assert found.json(status=1)["as_recorded"] is False
    assert found.err == ran.err
    assert run("--claim", "lemma-1").status == 0


@pytest.mark.long
@pytest.mark.parametrize("to_all", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_an_interrupt_ends_all_processes_quietly(write, to_all):
    write("TR-1", *4 * [("endless", "holds")])
    """Of Ctrl-C all processes hear, of a signal to one the workers do not."""
    words = [COMMAND, "reproduce", "--papers", "papers", "-j", "2"]
    started = Path("started")
    with subprocess.Popen(
        words, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True
    ) as process:
        while process.poll() is None and not (started.exists() and started.stat().st_size == 2):
            time.sleep(0.01)
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=50)  # until nobody can write any more
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")


def test_quick_sizes_are_fewer(write):
    write("TR-1", ("small", "fails"))
    tried = [run(*words, "--json").json(status)["papers"][0]["claims"][0]["tried"]
             for words, status in (((), 0), (("--quick",), 1))]  # fmt: skip
    assert tried == [9, 2]


def test_some_papers_and_some_claims(write):
    write("TR-1", *4 * [("positive", "holds")])
    write("TR-2", ("broken", "holds"))
    found = run("tr-1", "--claim", "lemma-[23]", "--json").json()
    (paper,) = found["papers"]
    assert [claim["key"] for claim in paper["claims"]] == ["lemma-2", "lemma-3"]
    listed = run("--list", "--json").json()
    assert [(row["paper"], row["claim"]) for row in listed] == [
        *(("TR-1", f"lemma-{k}") for k in range(1, 5)),
        ("TR-2", "lemma-1"),
    ]
    lines = [x for x in run("--list").fine().splitlines() if x.startswith("TR-")]
    assert [line.split()[:2] for line in lines] == [
        [row["paper"], row["claim"]] for row in listed
    ]


CORRECTION = """
formula = "4"
relation = ">="
[claim.correction]
statement = "It is n."
erratum = "TR-1, Lemma 1"
formula = "n"
exceptions = 3
"""
COMPUTES = "counts = compared(lambda n: n)\n"


def test_a_claim_that_is_asked_for_is_told_in_full(write):
    write("TR-1", ("counts", "holds with a correction"), ("positive", "holds"))
    file = Path("papers/TR-1/claims.toml")
    first, last = file.read_text(encoding="utf-8").rsplit("\n[[claim]]", 1)
    file.write_text(f"{first}{CORRECTION}\n[[claim]]{last}", encoding="utf-8")
    (module,) = Path("papers/TR-1").glob("*.py")
    module.write_text(CHECKS + COMPUTES, encoding="utf-8")
    told = run("--claim", "lemma-1").fine().splitlines()
    assert told[:5] == [
        "TR-1 Lemma 1, section 1: holds with a correction",
        "n is counts",
        "Formula: 4",
        "Right is: It is n. n (errata: TR-1, Lemma 1)",
        "9 cases tried, n = 1..9; 3 contradict it.",
    ]
    assert [line.split() for line in told[5:9]] == [
        ["contradicted", "at", "paper", "computed"],
        *(["n", "=", str(n), ">=", "4", str(n), "\N{BALLOT X}"] for n in (1, 2, 3)),
    ]
    assert "positive" not in "".join(told)
    assert run().fine().startswith("TR-1: 2 claims")


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.text = ""

    def handle_data(self, data):
        self.text += data


def test_a_page_is_written(write):
    write("TR-1", ("positive", "holds"))
    ran = run("-o", "a report é.html", "--json")
    assert ran.json()["as_recorded"] is True
    assert ran.err == "written as a report é.html\n"
    page = _Tags()
    page.feed(Path("a report é.html").read_text(encoding="utf-8"))
    assert "On <ones>" in page.text
    assert "9 cases tried" in page.text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nosuch"], "TR-1"),
        ([""], "TR-1"),
        (["TR-1", "é"], "TR-1"),
        (["--claim", ""], "--list"),
        (["--claim", "nosuch-*"], "--list"),
        (["--claim", "["], "--list"),
        (["-j", 0], "--jobs"),
        (["-j", "x"], "--jobs"),
        (["--papers", "nowhere"], "claims.toml"),
        (["--papers", ""], "claims.toml"),
        (["--papers", "papers/TR-1/claims.toml"], "claims.toml"),
        (["-o", "nowhere/x.html"], "a folder that exists"),
        (["-o", "-"], "files do not go to standard output"),
        (["-o", "."], "must name a file"),
        (["-o", ""], "must name a file"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused_before_anything_is_computed(write, words, complaint):
    write("TR-1", ("broken", "fails"))  # it would leave a file
    before = tree(Path())
    assert complaint in run(*words).refused()
    assert tree(Path()) == before


@pytest.mark.parametrize("text", ["", "{", "[paper]\n", "x = 1", "\0", HEAD, "[[claim]]\n" * 3])
def test_other_files_are_no_papers(write, text):
    write("TR-1", ("positive", "holds"))
    Path("papers/TR-1/claims.toml").write_text(text, encoding="utf-8")
    assert "claims.toml" in run().refused()


def test_a_file_of_other_bytes_is_no_paper(write):
    write("TR-1", ("positive", "holds"))
    Path("papers/TR-1/claims.toml").write_bytes(b"\xff\xfe\x00")
    assert "claims.toml" in run().refused()


def test_a_failing_write_leaves_the_old_page(write, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    write("TR-1", ("positive", "holds"))
    Path("report.html").write_text("old", encoding="utf-8")
    run()  # Python keeps what it compiled
    before = tree(Path())
    monkeypatch.setattr(Path, "replace", fail)
    assert "No space left" in run("-o", "report.html", "--json").refused()
    assert tree(Path()) == before
