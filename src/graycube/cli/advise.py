"""``graycube advise``: which layout each phase of a program should use."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import graycube as gc
from graycube.advice import Advice
from graycube.advice.paths import Repeated, Trace
from graycube.cli.console import print_json, say
from graycube.cli.machines import MachineOptions, machine_options


@click.command(short_help="Say which layout each phase of a program should use.")
@click.argument("workload", type=click.Path(path_type=Path))
@machine_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def advise(workload: Path, *, as_json: bool, **machine: Any) -> None:  # noqa: ANN401
    """Say which layout each phase of the program in WORKLOAD should use, and when to convert.

    WORKLOAD is a TOML file with the array, the machine and the phases; see docs/advice.md. The
    options change its machine, or name another one.

    \b
    graycube advise navier_stokes.toml --machine ipsc2
    """
    program = gc.load_workload(workload)
    own = program.machine
    program = replace(program, machine=MachineOptions(**machine).machine(own.dims, own))
    found = program.advise()
    if as_json:
        print_json(_as_dict(found))
    else:
        say(found.explain())


def _as_dict(found: Advice) -> dict[str, object]:
    return {
        "strategy": found.strategy,
        "seconds": found.cost,
        "lower_bound": found.lower_bound,
        "steps": _steps(found, found.steps),
        "without_conversions": dict(found.alternatives),
        "layouts": {str(place): str(place.layout) for place in found.places},
    }


def _steps(found: Advice, trace: Trace) -> list[dict[str, object]]:
    return [
        {"times": step.times, "steps": _steps(found, step.steps)}
        if isinstance(step, Repeated)
        else {
            **_done(step.label),
            "from": str(found.places[step.before]),
            "to": str(found.places[step.after]),
            "seconds": step.cost,
        }
        for step in trace
    ]


def _done(label: object) -> dict[str, str | None]:
    """What is done, and how if that is told."""
    what, how = label if isinstance(label, tuple) else (label, "")
    return {"what": str(what), "how": str(how) or None}
