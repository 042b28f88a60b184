"""``graycube verify``: whether a plan is right, whoever wrote it."""

from dataclasses import asdict
from pathlib import Path

import click

import graycube as gc
from graycube.cli.console import print_json
from graycube.cli.files import read_plan

WRONG = 1


@click.command(short_help="Prove a plan, whoever wrote it.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(files: tuple[Path, ...], *, as_json: bool) -> int:
    """Check plans: each element ends where it should, no link or port is used twice at once.

    By algebra at any size, and element by element where there are not too many. Nothing in a
    file is ever executed. The exit status is 1 if a plan is wrong.

    \b
    graycube verify plan.json
    """
    plans = [read_plan(path) for path in files]
    reports = [made.verify() for made in plans]
    if as_json:
        print_json([_entry(*each) for each in zip(files, plans, reports, strict=True)])
    else:
        for path, made, report in zip(files, plans, reports, strict=True):
            click.echo(f"{path}: {made!r}\n{report}")
    return 0 if all(reports) else WRONG


def _entry(path: Path, made: gc.Plan, report: gc.Report) -> dict[str, object]:
    return {
        "file": str(path),
        "algorithm": made.algorithm,
        "right": bool(report),
        "report": asdict(report),
    }
