"""Plans as files: the machine and the schedule, in the written format of schedules."""

import json
from dataclasses import asdict
from pathlib import Path

from graycube.errors import GraycubeError, InvalidValueError
from graycube.machine import Machine
from graycube.schedule import AnySchedule, Moves, dump, load
from graycube.schedule.written import MAX_TEXT, unique_keys
from graycube.whole_files import write_whole


def write_plan(path: str | Path, schedule: AnySchedule, machine: Machine) -> None:
    """Write a plan, all of it or nothing."""
    content = {"machine": asdict(machine), "schedule": json.loads(dump(schedule))}
    text = json.dumps({"format": "graycube plan", "version": 1, **content}, indent=1)
    write_whole(path, text)


def read_plan(path: str | Path) -> tuple[AnySchedule, Machine]:
    """The schedule and the machine of a plan file."""
    if Path(path).stat().st_size > MAX_TEXT:
        raise _unreadable(path, f"it is larger than {MAX_TEXT} bytes")
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=unique_keys)
    except GraycubeError as error:
        raise _unreadable(path, str(error)) from None
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, f"no JSON ({str(error)[:80]})") from None
    if not isinstance(content, dict) or content.get("format") != "graycube plan":
        raise _unreadable(path, "its format is not 'graycube plan'")
    if type(content.get("version")) is not int or content["version"] != 1:
        raise InvalidValueError(
            f"{path} has version {content.get('version')!r:.20}",
            "this graycube reads version 1",
            "use a newer graycube, or write the plan again",
        )
    if set(content) != {"format", "version", "machine", "schedule"}:
        raise _unreadable(path, "it must have a machine and a schedule and nothing else")
    try:
        schedule = load(json.dumps(content["schedule"]))
    except GraycubeError as error:
        raise _unreadable(path, str(error)) from None
    if isinstance(schedule, Moves):
        raise _unreadable(path, "a plan needs a symbolic schedule, not single moves")
    return schedule, _read_machine(path, content["machine"])


def _read_machine(path: str | Path, entry: object) -> Machine:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise _unreadable(path, "its machine is no object with a name")
    try:
        return Machine(**entry)
    except (TypeError, InvalidValueError) as error:
        raise _unreadable(path, f"its machine is wrong ({error})") from None


def _unreadable(path: str | Path, why: str) -> InvalidValueError:
    return InvalidValueError(f"{path} is no plan", why, "see docs/format.md")
