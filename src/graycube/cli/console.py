"""What is printed where: figures to standard output, words for people to standard error.

Rule: nothing but this module writes to a terminal, and it writes out what cannot be seen: so no
text of a file moves the cursor, hides a line or adds one.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import isfinite
from typing import TextIO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from graycube.show import Piece, Sheet, text
from graycube.texts import one_line, visible

_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")


def show(*pieces: Piece) -> None:
    """Pieces of a sheet on standard output, as wide as the terminal; in a file nothing is cut.

    >>> from graycube.show import Table
    >>> show("Two ways:", Table(("n", "what"), [(3, "cycles"), (12, "rounds")], "rl"))
    Two ways:
     n  what
     3  cycles
    12  rounds
    """
    width = shutil.get_terminal_size().columns if _is_terminal(sys.stdout) else None
    click.echo(text(Sheet("", *pieces), width, partial(click.style, bold=True)))


def print_json(content: object) -> None:
    """JSON on standard output; a figure that is infinite is null.

    >>> print_json({"cycles": 3})
    {
      "cycles": 3
    }
    """
    text = json.dumps(_finite(content), indent=2, allow_nan=False)  # ASCII only
    click.echo(text.replace("\x7f", "\\u007f"))


def _finite(content: object) -> object:
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not isfinite(content) else content


def say(text: str, *, bold: bool = False) -> None:
    """Lines of figures and what they mean, on standard output.

    >>> say("8 cycles\\x1b[8m")
    8 cycles\\x1b[8m
    """
    click.secho(visible(text), bold=bold or None)


def tell(text: str) -> None:
    """A line for people, on standard error."""
    click.echo(visible(text), err=True)


def complain(text: str, *more: str) -> None:
    """An error, on standard error; of many ranks the first one speaks."""
    if any(os.environ.get(name, "0") != "0" for name in _RANKS):
        return
    mark = click.style("error:", fg="red", bold=True)
    lines = "\n".join(map(one_line, (text, *more)))
    click.echo(f"{mark} {lines}", err=True)


def progress() -> Progress:
    """A bar on standard error, for work of many steps; nothing where there is no terminal.

    >>> with progress() as bar:
    ...     for _ in bar.track(range(3), description="counting"):
    ...         pass
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    there = _is_terminal(sys.stderr)
    return Progress(
        *columns, console=Console(file=sys.stderr), transient=True, disable=not there
    )


@contextmanager
def status(text: str) -> Iterator[Callable[[str], object]]:
    """A line on standard error that says what is being done; nothing without a terminal.

    >>> with status("searching") as show:
    ...     show("for something")
    """
    console = Console(file=sys.stderr)
    if not _is_terminal(sys.stderr):
        yield lambda line: None  # noqa: ARG005
        return
    with console.status(text) as shown:
        yield lambda line: shown.update(Text(one_line(f"{text}: {line}")))


def _is_terminal(stream: TextIO | None) -> bool:
    """A stream that was closed before we began is ``None``."""
    return stream is not None and stream.isatty()
