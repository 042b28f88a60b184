"""The command line called in this process, and what every answer of it keeps to."""

import json
import os
import pty
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import click
import pytest

from graycube.cli.main import main, verbs

COMMAND = str(Path(sys.executable).with_name("graycube"))
VERBS = ("demo", "plan", "verify", "view", "advise", "place", "calibrate", "bench", "reproduce")
PROGRAM = """
shape = [16, 16]
nodes = 4
machine = "ipsc1"
[[phases]]
kind = "loop"
times = 10
phases = [{kind = "elementwise"}, {kind = "fft"}, {kind = "stencil"}]
"""


def command_of(verb):
    return verbs.get_command(click.Context(verbs), verb)


@dataclass(frozen=True)
class Ran:
    """What a call gave back and printed."""

    status: int
    out: str
    err: str

    def fine(self):
        """Standard output of a call that did what it should."""
        assert self.status == 0, self
        assert "error:" not in self.err
        return self.out

    def complained(self, status):
        """The complaint: one line, or two of which the second names the help."""
        assert self.status == status, self
        first, *rest = self.err.splitlines()
        assert first.startswith("error: "), self
        assert all(line.startswith("See: graycube") for line in rest), self
        assert len(rest) <= 1
        assert rest or "; " in first or "write " in first, "it says not what to do"
        assert len(first) < 700
        return first

    def refused(self):
        """The complaint about input that cannot be used; nothing else is printed."""
        assert self.out == ""
        return self.complained(2)

    def json(self, status=0):
        """The one JSON document on standard output, of finite numbers only."""
        assert self.status == status, self
        return json.loads(self.out, parse_constant=_no_json)


def _no_json(constant):
    pytest.fail(f"{constant} is no JSON")


def cli(*arguments):
    """``graycube ARGUMENTS`` in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = main([str(argument) for argument in arguments])
    return Ran(status, out.getvalue(), err.getvalue())


def spawn(*arguments, command=(COMMAND,), **settings):
    """``graycube ARGUMENTS`` in a process of its own."""
    done = subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **settings,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def on_terminal(*arguments):
    """The same, with standard error on a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=theirs, text=True
    ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        out = process.stdout.read()
    os.close(ours)
    return Ran(process.returncode, out, shown.decode())


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other side is closed
        return b""


def tree(folder):
    """All files under a folder with their bytes; folders and pipes have none."""
    paths = sorted(folder.rglob("*"))
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None for p in paths}
