"""Rules of the command line that hold for every verb."""

import inspect
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from cli_runs import COMMAND, VERBS, Ran, cli, command_of, on_terminal, spawn

import graycube as gc
from graycube.__main__ import script
from graycube.cli import console
from graycube.cli.main import main, verbs
from graycube.errors import InvalidValueError, MissingExtraError

PLAN = ("plan", "gray", "binary", "--dims", 3, "--block", 64)
PAPER = """
[paper]
key = "TR-1"
title = "T"
authors = "A"
report = "R"
year = 1990
[paper.numbered]
[[claim]]
kind = "lemma"
number = "1"
where = "section 1"
statement = "one is one"
sizes = { n = "1..3" }
check = "one_is_one:check"
"""


@pytest.fixture
def papers(tmp_path):
    folder = tmp_path / "papers" / "tr-1"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(PAPER)
    check = "from graycube.papers import tried\ncheck = tried(lambda n: n > 0)\n"
    (folder / "one_is_one.py").write_text(check)
    return folder.parent


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("plan --dimz 3", "--dimz is no option; say --dims or --itemsize"),
        ("plan --xyzzy", "--xyzzy is no option"),
        ("--xyzzy", "--xyzzy is no option"),
        ("plna", "'plna' is no verb; say graycube plan"),
        ("xyzzy", "'xyzzy' is no verb"),
        ("plan gray binary --dims", "--dims has no value; write one behind it"),
        ("plan gray binary --json=yes", "--json takes no value; write it alone"),
        ("plan gray", "TARGET is missing; write it behind the verb"),
        ("plan gray binary --dims x", "--dims: 'x' is not a whole number"),
        ("plan gray binary --dims 300", "--dims: 300 is not in the range 0<=x<=256"),
        ("plan gray binary --search x", "--search: 'x' is not a number"),
        ("plan a b --block x", "--block: 'x' is no amount: write 4096, 64KiB or 1.5MB"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_as_in_other_errors(line, words):
    ran = cli(*line.split())
    said, see = ran.err.splitlines()
    assert (ran.status, ran.out, said) == (2, "", f"error: {words}")
    assert see.startswith("See: graycube")


@pytest.mark.long
def test_a_shell_completes_a_line_with_a_wrong_verb_in_silence():
    given = {"_GRAYCUBE_COMPLETE": "bash_complete", "COMP_WORDS": "graycube xyzzy --d"}
    made = subprocess.run(
        [COMMAND, "xyzzy"],
        env={**os.environ, **given, "COMP_CWORD": "2"},
        capture_output=True,
        check=False,
    )
    assert made.stderr == b""


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_shows_an_example_and_fits_a_terminal(verb, flag):
    text = cli(verb, flag).fine()
    assert max(map(len, text.splitlines())) <= 80
    usage, shown = text.split("\n", 1)
    assert usage.startswith(f"Usage: graycube {verb} ")
    examples = [line for line in shown.splitlines() if line.startswith(f"  graycube {verb}")]
    assert examples
    for line in examples:  # that they parse; what they need may not be there
        words = shlex.split(line)[2:]
        assert "-h" not in words
        command_of(verb).make_context(verb, words)


def test_the_help_lists_all_verbs():
    text = cli("--help").fine()
    assert max(map(len, text.splitlines())) <= 80
    listed = text.split("Commands:\n")[1].splitlines()
    assert tuple(line.split()[0] for line in listed) == VERBS
    assert all(line.endswith(".") for line in listed), "a text is cut"


def test_the_examples_of_the_help_parse():
    lines = inspect.cleandoc(verbs.help).splitlines()
    found = [
        shlex.split(line.split("   ")[0]) for line in lines if line.startswith("graycube ")
    ]
    for _, verb, *words in found:
        if verb != "VERB":
            command_of(verb).make_context(verb, words)
    assert [words[1] for words in found] == ["demo", "plan", "VERB"]


def test_without_a_verb_the_help_is_shown_and_nothing_is_done():
    ran = cli()
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == cli("--help").out


def test_the_version():
    assert cli("--version").fine() == f"graycube {gc.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuch"], "nosuch"),
        ([""], "is no verb"),
        (["--nosuch"], "--nosuch"),
        (["plan"], "SOURCE"),
        (["plan", "gray"], "TARGET"),
        (["verify"], "FILES"),
        (["view"], "FILE"),
        (["advise"], "WORKLOAD"),
        (["calibrate"], "NAME"),
        (["bench"], "FILE"),
        (["bench", "plan.json", "--rounds", "many"], "--rounds"),
        (["--completion", "tcsh"], "--completion"),
        *(([verb, "--nosuch"], "--nosuch") for verb in VERBS),
        *(([verb, "a", "b", "c", "d"], "argument") for verb in ("demo", "calibrate", "advise")),
    ],
)
def test_a_call_that_cannot_be_read_names_the_help(arguments, words):
    complaint = cli(*arguments)
    assert words in complaint.refused()
    assert complaint.err.splitlines()[1].endswith(" --help")


def test_the_help_that_is_named_is_there():
    line = cli("plan", "gray").err.splitlines()[1]
    assert cli(*shlex.split(line.removeprefix("See: graycube "))).fine()


@pytest.mark.parametrize("status", [0, 1, 2, 130, 141])
def test_the_exit_status_is_that_of_main(status):
    with patch("graycube.cli.main", return_value=status), pytest.raises(SystemExit) as end:
        script()
    assert end.value.code == status


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (
            InvalidValueError("x is 1", "it is 2", "say 2"),
            2,
            "error: x is 1: it is 2; say 2",
        ),
        (OSError(28, "No space left"), 2, "error: standard output: No space left; make room"),
        (FileExistsError(17, "File exists", "here"), 2, "error: here: File exists; check"),
        (MemoryError("no 8 TiB"), 2, "error: no 8 TiB; choose a smaller block or shape"),
        (MemoryError(), 2, "error: the memory is full; choose"),
        (MissingExtraError("a", "b", "c"), 2, "error: a: b; c"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
    ],
)
def test_what_a_verb_raises_becomes_a_line_and_a_status(error, status, words):
    with patch.object(gc, "plan", side_effect=error):
        ran = cli(*PLAN)
    assert (ran.status, ran.out) == (status, "")
    assert ran.err.strip().startswith(words)


def test_a_fault_of_our_own_is_not_hidden():
    fault = patch.object(gc, "plan", side_effect=ZeroDivisionError)
    with fault, pytest.raises(ZeroDivisionError):
        cli(*PLAN)


@pytest.mark.parametrize("name", console._RANKS)
def test_of_many_ranks_the_first_one_complains(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    silent = cli("verify", "nowhere.json")
    assert (silent.status, silent.err) == (2, "")
    monkeypatch.setenv(name, "0")
    assert cli("verify", "nowhere.json").refused()


@pytest.mark.long
def test_as_a_module_it_is_the_command():
    module = (sys.executable, "-m", "graycube")
    for words, status in ((("verify", "nowhere.json"), 2), ((*PLAN, "--json"), 0)):
        ours = cli(*words)
        assert ours == spawn(*words, command=module)
        assert ours.status == status


@pytest.mark.long
@pytest.mark.parametrize("flags", [[], ["--json"]], ids=str)
def test_a_pipe_that_nobody_reads_ends_it_quietly(flags):
    words = [COMMAND, "plan", "gray", "binary", "--dims", "6", "--block", "64KiB", *flags]
    line = f"{shlex.join(words)} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["/bin/bash", "-c", line], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("141\n", "")


@pytest.mark.long
def test_the_first_line_of_a_pipe(tmp_path):
    line = f"{COMMAND} plan gray binary --dims 6 --block 64KiB | head -1"
    done = subprocess.run(
        ["/bin/bash", "-c", line], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout == "from  (|| b5 g4 g3 g2 g1 g0)\n"
    assert done.stderr == ""


def test_without_standard_streams(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main([str(word) for word in PLAN]) == 0
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["verify", "nowhere.json"]) == 2
    with console.progress() as bar:
        assert list(bar.track(range(3))) == [0, 1, 2]


@pytest.mark.long
def test_an_interrupt_leaves_nothing_but_its_status(tmp_path, papers):
    wait = "import time\ndef check(claim):\n    print('here', flush=True)\n    time.sleep(60)\n"
    (papers / "tr-1" / "one_is_one.py").write_text(wait)
    words = ["reproduce", "--papers", papers, "--quick", "-o", tmp_path / "report.html"]
    with subprocess.Popen(
        [COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, "", "interrupted")
    assert not (tmp_path / "report.html").exists()


@pytest.mark.long
def test_an_interrupt_ends_the_processes_of_a_pool_and_is_told_once(papers):
    wait = """
import os, signal, time

def check(claim):
    deaf = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    os.write(1, b"here\\n" if deaf else b"it would print where it was\\n")
    time.sleep(60)
"""
    (papers / "tr-1" / "one_is_one.py").write_text(wait)
    words = ["reproduce", "--papers", papers, "--jobs", 2]
    with subprocess.Popen(
        [COMMAND, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout.readline() == "here\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out.replace("here\n", "")) == (130, "")
    assert err.strip() == "interrupted"


def test_processes_of_a_pool_end_with_the_one_that_started_them(papers):
    wait = """
import os, time

def check(claim):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(60)
"""
    (papers / "tr-1" / "one_is_one.py").write_text(wait)
    words = ["reproduce", "--papers", papers, "--jobs", 2]
    with subprocess.Popen([COMMAND, *map(str, words)], stdout=subprocess.PIPE) as process:
        inner = int(process.stdout.readline())
        process.kill()
        assert process.stdout.read() == b""  # until nobody has the pipe any more
        assert not Path(f"/proc/{inner}/exe").exists()


def test_an_interrupt_while_graycube_is_imported_is_told_in_a_line():
    code = """
import sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "graycube.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from graycube.__main__ import script
script()
"""
    ran = spawn(command=(sys.executable, "-c", code))
    assert ran == Ran(130, "", "interrupted\n")


@pytest.mark.long
def test_progress_is_shown_on_a_terminal_only(papers):
    words = ("reproduce", "--papers", papers, "--quick", "--json")
    shown, silent = on_terminal(*words), spawn(*words)
    assert "/1" in shown.err
    assert "computing" in shown.err
    assert silent.err == ""
    for ran in (shown, silent):
        assert ran.json()["as_recorded"] is True


@pytest.mark.long
def test_an_error_is_coloured_on_a_terminal_only():
    assert "\x1b[" in on_terminal("verify", "nowhere.json").err
    assert "\x1b" not in spawn("verify", "nowhere.json").err


def completed(line, shell="bash_complete", **more):
    environment = {**os.environ, "_GRAYCUBE_COMPLETE": shell, "COMP_WORDS": line, **more}
    return spawn(env=environment).fine().split("\n")[:-1]


@pytest.mark.long
def test_bash_completes_a_verb_and_an_option(tmp_path):
    environment = {**os.environ, "PATH": f"{Path(COMMAND).parent}:{os.environ['PATH']}"}
    text = r"""
    source <(graycube --completion bash)
    complete -p graycube
    for words in "re" "plan --al"; do
        COMPREPLY=()
        COMP_WORDS=(graycube $words)
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _graycube_completion graycube
        echo "${COMPREPLY[@]}"
    done
    """
    done = subprocess.run(
        ["/bin/bash", "-c", text],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    )
    setup, *found = done.stdout.splitlines()
    assert "-F _graycube_completion graycube" in setup
    assert found == ["reproduce", "--algorithm"]
    assert done.stderr == ""


@pytest.mark.long
def test_zsh_and_fish_get_what_their_scripts_ask_for():
    for shell in ("zsh", "fish"):
        text = cli("--completion", shell).fine()
        assert f"_GRAYCUBE_COMPLETE={shell}_complete" in text
        if found := shutil.which(shell):
            subprocess.run([found, "-n"], input=text, text=True, check=True, timeout=60)
    lines = completed("graycube re", "zsh_complete", COMP_CWORD="1")
    assert lines[:2] == ["plain", "reproduce"]
    (line,) = completed("graycube re", "fish_complete", COMP_CWORD="re")
    assert line.startswith("plain,reproduce\t")


def test_json_has_null_for_what_is_not_finite(capsys):
    console.print_json({"a": float("inf"), "b": (float("nan"), 1.5, [-float("inf")])})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": None, "b": [None, 1.5, [None]]}
