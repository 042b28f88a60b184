"""Plans as files: the machine and the schedule, in the written format of schedules."""

import json
from functools import partial
from importlib.resources import files
from pathlib import Path

from graycube.errors import GraycubeError, InvalidValueError
from graycube.machine import Machine, entries_of
from graycube.parsing import parsed_json
from graycube.schedule import Moves, Replication, Schedule
from graycube.schedule.written import MAX_TEXT, content_of, schedule_of
from graycube.whole_files import read_text


def plan_text(schedule: Schedule | Replication, machine: Machine) -> str:
    """The text of a plan, if it is one that can be read."""
    content = {"machine": entries_of(machine), "schedule": content_of(schedule)}
    text = json.dumps({"format": "graycube plan", "version": 1, **content}, indent=1)
    if len(text) > MAX_TEXT:
        raise InvalidValueError(
            f"the plan has {len(text)} characters as a file",
            f"at most {MAX_TEXT} are read",
            "write down what it was planned for, and plan it again there",
        )
    return text


def plan_schema() -> str:
    """The JSON Schema of the files that plans are written to, for other programs.

    >>> json.loads(plan_schema())["required"]
    ['format', 'version', 'machine', 'schedule']
    """
    return (files(__package__) / "plan.schema.json").read_text(encoding="utf-8")


def read_plan_text(path: str | Path) -> str:
    """The text of a file that may be a plan."""
    return read_text(path, MAX_TEXT, partial(unreadable, path))


def parsed_plan(text: str, path: str | Path) -> tuple[Schedule | Replication, Machine]:
    """The schedule and the machine of a text; errors say that it is from the path."""
    content = parsed_json(text, partial(unreadable, path))
    if not isinstance(content, dict) or content.get("format") != "graycube plan":
        raise unreadable(path, "its format is not 'graycube plan'")
    if type(content.get("version")) is not int or content["version"] != 1:
        raise InvalidValueError(
            f"{path} has version {content.get('version')!r:.20}",
            "this graycube reads version 1",
            "use a newer graycube, or write the plan again",
        )
    if set(content) != {"format", "version", "machine", "schedule"}:
        raise unreadable(path, "it must have a machine and a schedule and nothing else")
    try:
        schedule = schedule_of(content["schedule"])
    except GraycubeError as error:
        raise unreadable(path, str(error)) from None
    if isinstance(schedule, Moves):
        raise unreadable(path, "a plan needs a symbolic schedule, not single moves")
    return schedule, _read_machine(path, content["machine"])


def _read_machine(path: str | Path, entry: object) -> Machine:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise unreadable(path, "its machine is no object with a name")
    try:
        return Machine(**entry)
    except (TypeError, InvalidValueError) as error:
        raise unreadable(path, f"its machine is wrong ({error})") from None


def unreadable(path: str | Path, why: str) -> InvalidValueError:
    """What is raised where a file is no plan.

    >>> print(unreadable("notes.txt", "it is empty"))
    notes.txt is no plan: it is empty; see docs/format.md
    """
    return InvalidValueError(f"{path} is no plan", why, "see docs/format.md")
