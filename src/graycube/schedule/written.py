"""The written format of schedules: JSON, versioned, validated, never executed.

The grammar is in ``docs/format.md``. Layouts are written as address fields and exchanges as
they print, so that a person can read and write a file. Reading checks all types and sizes
before anything large is built. Version 2 is written, and version 1 read too.
"""

import json
from itertools import groupby
from typing import Any

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Exchange
from graycube.layout import Layout
from graycube.parsing import parsed_json
from graycube.schedule import version1
from graycube.schedule.moves import COLUMNS, Moves
from graycube.schedule.reading import (
    MAX_DELIVERIES,
    MAX_HOPS,
    column_of,
    delays_of,
    exchange_of,
    keys,
    limit,
    malformed,
    map_of,
    number,
    numbers,
    pattern_of,
    span_of,
    stage_of,
    typed,
)
from graycube.schedule.replication import Replication
from graycube.schedule.schedule import Schedule
from graycube.schedule.task import Task
from graycube.schedule.way import Crossing, Delay, Step, Way, hop

FORMAT = "graycube schedule"
VERSION = 2
MAX_TEXT = 1 << 24  # bytes of a file
MAX_EFFORT = 1 << 24
"""Most steps of all ways times address bits, and times rounds that are listed."""
MAX_STEPS, MAX_TURNS, MAX_WAYS = 9 << 20, 5 << 18, 1 << 26
"""Most steps that wait, and ways, times the square of address bits; delays times these bits."""


def dump(schedule: Schedule | Replication | Moves) -> str:
    """The text of a schedule.

    >>> from graycube.schedule import hop
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> way = Way(0, 8, (hop(0, Exchange(flip=1, when=2), n=2),))
    >>> text = dump(Schedule(task, "gb1", rounds=(0,), cycles=8, ways=(way,)))
    >>> load(text).ways[0].steps[0].move
    Exchange(flip=1, when=2, want=1)
    """
    return json.dumps(content_of(schedule), indent=1)


def content_of(schedule: Schedule | Replication | Moves) -> dict[str, Any]:
    """What the text of a schedule says.

    >>> task = Task(Layout.nodes(2), Layout.nodes(2), block=8)
    >>> content_of(Schedule(task, "nothing to do", (), 0, ways=()))["task"]
    {'source': '(|| b1 b0)', 'target': '(|| b1 b0)', 'block': 8, 'itemsize': 1}
    """
    task, rounds = schedule.task, schedule.rounds
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "task": {
            "source": str(task.source),
            "target": str(task.target),
            "block": task.block,
            "itemsize": task.itemsize,
            **({"stages": list(task.stages), "free": task.free} if task.stages else {}),
        },
        "algorithm": schedule.algorithm,
        "rounds": {"every": rounds.step} if isinstance(rounds, range) else list(rounds),
        "cycles": schedule.cycles,
    }
    if schedule.relabel is not None:
        content["relabel"] = _dump_map(schedule.relabel)
    if isinstance(schedule, Moves):
        content["moves"] = {name: getattr(schedule, name).tolist() for name in COLUMNS}
    elif isinstance(schedule, Replication):
        content["copies"] = [str(layout) for layout in schedule.layouts]
    else:
        content["ways"] = [_dump_way(way, task.n, task.p) for way in schedule.ways]
    return content


def _dump_map(move: AffineMap) -> dict[str, Any]:
    return {"columns": list(move.matrix.columns), "constant": move.constant}


def _dump_way(way: Way, n: int, p: int) -> dict[str, Any]:
    steps = [_dump_step(step) for step in way.steps]
    name = "payload" if way.per_slot else "elements"
    entry: dict[str, Any] = {name: [way.start, way.stop], "steps": steps}
    for name, low, high in (("nodes", 0, n), ("slots", n, p)):
        bits = range(high - 1, low - 1, -1)
        pattern = (str(way.value >> j & 1) if way.mask >> j & 1 else "." for j in bits)
        if (way.mask & (1 << high) - 1) >> low:
            entry[name] = "".join(pattern)
    return entry


def _dump_step(step: Step) -> dict[str, Any]:
    if step.move is None:
        return {"stage": step.stage}
    entry: dict[str, Any] = {"exchange": str(step.move)}
    if isinstance(step.move, AffineMap):
        entry = {"map": _dump_map(step.move)}
    elif len(step.crossings) == 1:
        (crossing,) = step.crossings
        late = {"delays": _dump_delays(crossing.delays)} if crossing.delays else {}
        return {**entry, "start": crossing.start, **late}
    if step.crossings:
        entry["crossings"] = [
            {
                "dims": [crossing.dim for crossing in alike],
                "starts": [crossing.start for crossing in alike],
                "delays": _dump_delays(delays),
            }
            for delays, group in groupby(step.crossings, key=lambda crossing: crossing.delays)
            for alike in [list(group)]
        ]
    return entry


def _dump_delays(delays: tuple[Delay, ...]) -> list[dict[str, int]]:
    return [{"cycles": late.cycles, "mask": late.mask, "want": late.want} for late in delays]


def load(text: str) -> Schedule | Replication | Moves:
    """The schedule of a text, after checking all of it.

    >>> load('{"format": "graycube schedule", "version": 7}')
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the file has version 7:
    this graycube reads versions 1, 2; use a newer graycube, or write the file again
    """
    if not isinstance(text, str):
        raise InvalidTypeError(
            f"got a {type(text).__name__}", "a schedule is text", "pass a str"
        )
    if len(text) > MAX_TEXT:
        raise malformed(f"it has {len(text)} characters, and at most {MAX_TEXT} are read")
    return schedule_of(parsed_json(text, malformed))


def schedule_of(content: object) -> Schedule | Replication | Moves:
    """The schedule of a text that was parsed, after checking all of it.

    >>> schedule_of([])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the file is no schedule: its format is not
    'graycube schedule': it must follow its grammar; see docs/format.md
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise malformed(f"its format is not {FORMAT!r}")
    version = content.get("version")
    if type(version) is not int or version not in (1, VERSION):
        raise InvalidValueError(
            f"the file has version {version!r:.20}",
            f"this graycube reads versions 1, {VERSION}",
            "use a newer graycube, or write the file again",
        )
    forms = version1.FORMS if version == 1 else ("copies", "ways")
    return _read(content, ("moves", *forms))


def _read(content: dict[str, Any], forms: tuple[str, ...]) -> Schedule | Replication | Moves:
    form = next((form for form in forms if form in content), forms[-1])
    more = {"circuits"} if form == "deliveries" else set()
    relabel = map_of(content.pop("relabel"), "relabel") if "relabel" in content else None
    head = {"format", "version", "task", "algorithm", "rounds", "cycles", form}
    keys(content, head | more, "file")
    cycles = number(content["cycles"], "cycles")
    task = _read_task(content["task"])
    algorithm = typed(content["algorithm"], str, "the algorithm")
    rounds = _read_rounds(content["rounds"], cycles)
    head_of_all = (task, algorithm, rounds, cycles)
    if form == "moves":
        columns = keys(content["moves"], set(COLUMNS), "moves")
        table = [column_of(columns[name], name) for name in COLUMNS]
        return Moves(*head_of_all, *table, relabel=relabel)
    if form == "copies":
        texts = typed(content["copies"], list, "the copies")
        layouts = (Layout.parse(typed(text, str, "a layout")) for text in texts)
        return Replication(*head_of_all, tuple(layouts), relabel=relabel)
    if form == "ways":
        entries = typed(content["ways"], list, "the ways")
        ways = tuple(_read_way(entry, task.n, task.p) for entry in entries)
    else:
        ways = version1.ways_of(form, content, task)
    _require_affordable(ways, task, 0 if isinstance(rounds, range) else len(rounds))
    return Schedule(*head_of_all, ways, relabel=relabel)


def _require_affordable(ways: tuple[Way, ...], task: Task, listed: int) -> None:
    """Refuse what takes minutes to prove."""
    steps = [step for way in ways for step in way.steps]
    waiting = [step for step in steps if step.stage is not None or _delays(step)]
    maps = sum(isinstance(step.move, AffineMap) for step in steps)
    delays = sum(map(_delays, steps))
    square = task.p**2
    limit("steps in a way", max((len(way.steps) for way in ways), default=0), MAX_HOPS)
    limit("ways times the square of address bits", len(ways) * square, MAX_WAYS)
    limit("steps that wait times the square of address bits", len(waiting) * square, MAX_STEPS)
    limit("delays times address bits", delays * task.p, MAX_TURNS)
    limit("maps times n^2", maps * task.n**2, MAX_DELIVERIES)
    limit("steps times address bits, or rounds", len(steps) * max(task.p, listed), MAX_EFFORT)


def _delays(step: Step) -> int:
    """How many delays it has; crossings that wait alike count once."""
    return sum(
        len(delays) for delays, _ in groupby(crossing.delays for crossing in step.crossings)
    )


def _read_rounds(entry: object, cycles: int) -> tuple[int, ...] | range:
    if not isinstance(entry, dict):
        return tuple(number(r, "a round") for r in typed(entry, list, "the rounds"))
    step = number(keys(entry, {"every"}, "rounds")["every"], "the length of the rounds")
    if step == 0:
        raise malformed("the rounds have 0 cycles")
    return range(0, cycles, step)


def _read_task(entry: object) -> Task:
    network = {"stages", "free"} & typed(entry, dict, "the task").keys()
    task = keys(entry, {"source", "target", "block", "itemsize"} | network, "task")
    return Task(
        Layout.parse(typed(task["source"], str, "the source")),
        Layout.parse(typed(task["target"], str, "the target")),
        number(task["block"], "block"),
        number(task["itemsize"], "itemsize"),
        numbers(task.get("stages", []), "a stage"),
        typed(task.get("free", False), bool, "free"),
    )


def _read_way(entry: object, n: int, p: int) -> Way:
    written = typed(entry, dict, "the way")
    mask, value = pattern_of(written.get("nodes", "." * n), n, "nodes")
    slots, which = pattern_of(written.get("slots", "." * (p - n)), p - n, "slots")
    mask, value = mask | slots << n, value | which << n
    span = "payload" if "payload" in written else "elements"
    way = keys(written, {span, "steps"} | (written.keys() & {"nodes", "slots"}), "way")
    start, stop = span_of(way[span])
    limit("steps in a way", len(typed(way["steps"], list, "the steps")), MAX_HOPS)
    steps = tuple(_read_step(step, n) for step in way["steps"])
    return Way(start, stop, steps, mask, value, per_slot=span == "payload")


def _read_step(entry: object, n: int) -> Step:
    written = typed(entry, dict, "the step")
    if "stage" in written:
        return stage_of(written)
    kind = "map" if "map" in written else "exchange"
    if "start" in written:
        step = keys(written, {"exchange", "start"} | (written.keys() & {"delays"}), "step")
        exchange = exchange_of(step["exchange"])
        delays = delays_of(step.get("delays", []), ("cycles", "mask"))
        return hop(number(step["start"], "the start"), exchange, n, delays)
    step = keys(written, {kind} | (written.keys() & {"crossings"}), "step")
    move: AffineMap | Exchange
    move = map_of(step["map"], "map") if kind == "map" else exchange_of(step["exchange"])
    groups = typed(step.get("crossings", []), list, "the crossings")
    return Step(
        move, tuple(crossing for group in groups for crossing in _read_crossings(group))
    )


def _read_crossings(entry: object) -> list[Crossing]:
    group = keys(entry, {"dims", "starts", "delays"}, "crossings")
    dims, starts = numbers(group["dims"], "a dimension"), numbers(group["starts"], "a start")
    delays = delays_of(group["delays"], ("cycles", "mask"))
    if len(dims) != len(starts):
        raise malformed(f"{len(dims)} dimensions have {len(starts)} starts")
    return [Crossing(d, start, delays) for d, start in zip(dims, starts, strict=True)]
