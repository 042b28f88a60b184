"""``graycube verify``: whether a plan or a certificate is right, whoever wrote it."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

import click

import graycube as gc
from graycube.cli.console import complain, print_json, say
from graycube.cli.files import text_of
from graycube.cost.certificate import FORMAT, parsed_certificate
from graycube.errors import InvalidValueError
from graycube.planning import Plan
from graycube.planning.explain import entries, moved, used
from graycube.texts import counted, one_line

WRONG = 1
UNREADABLE = 2


class _Finding(NamedTuple):
    """What there is to say about a file, and the same for JSON."""

    right: bool
    text: str
    content: dict[str, object]


@click.command(short_help="Prove a plan or a bound, whoever wrote it.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(files: tuple[Path, ...], *, as_json: bool) -> int:
    """Check plans: each element ends where it should, no link or port is used twice at once.

    It says first what a plan is for: the layouts, the blocks and the machine.

    By algebra at any size, and element by element where there are not too many. Of certificates
    the bound is proved again, in exact numbers. Nothing in a file is ever executed. The exit
    status is 1 if one is wrong, and 2 if one cannot be read, after all others were checked.

    \b
    graycube verify plan.json
    """
    found: list[tuple[Path, _Finding]] = []
    for path in files:
        try:
            finding = _finding(path)
        except gc.GraycubeError as error:
            complain(str(error))
            continue
        found.append((path, finding))
        if not as_json:
            say(f"{one_line(path)}: {finding.text}")
    if as_json and found:
        print_json([{"file": str(path), **finding.content} for path, finding in found])
    if len(found) < len(files):
        return UNREADABLE
    return 0 if all(finding.right for _, finding in found) else WRONG


def _finding(path: Path) -> _Finding:
    text = text_of(path)
    return _certificate(text, path) if FORMAT in text[:100] else _plan(text, path)


def _plan(text: str, path: Path) -> _Finding:
    """What is proved is proved for this task, so that is told first; a name might lie."""
    made = Plan.from_text(text, path)
    report = made.verify()
    task, machine, right = made.task, replace(made.machine, name="custom"), bool(report)
    of = f"from  {task.source}\nto    {task.target}\n{moved(task)}; {used(machine)}"
    content = {
        "algorithm": made.algorithm,
        **entries(task, made.machine),
        "right": right,
        "report": asdict(report),
    }
    return _Finding(right=right, text=f"{made!r}\n{of}\n{report}", content=content)


def _certificate(text: str, path: Path) -> _Finding:
    """Reading it is proving it."""
    try:
        proof = parsed_certificate(text, path)
    except InvalidValueError as error:
        return _Finding(
            right=False, text=f"refused: {error}", content={"right": False, "why": str(error)}
        )
    ports = counted(proof.machine.links_at_once, "port")
    text = (
        f"proved: no schedule from {proof.source} to {proof.target} on {ports} "
        f"takes fewer than {proof.share} K cycles"
    )
    return _Finding(right=True, text=text, content={"share": str(proof.share), "right": True})
