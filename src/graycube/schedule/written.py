"""The written format of schedules: JSON, versioned, validated, never executed.

The grammar is in ``docs/format.md``. Layouts are written as address fields and exchanges as
they print, so that a person can read and write a file. Reading checks all types and sizes
before anything large is built.
"""

import json
from typing import Any

import numpy as np

from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.gf2.exchange import MAX_BITS
from graycube.layout import Layout
from graycube.parsing import parsed_json
from graycube.schedule.direct import Delivery, Direct
from graycube.schedule.emulation import Crossing, Emulation, Turn
from graycube.schedule.forms import AnySchedule
from graycube.schedule.moves import COLUMNS, Moves
from graycube.schedule.program import Stage
from graycube.schedule.schedule import Hop, Schedule, Strand
from graycube.schedule.task import MAX_COUNT, Task

FORMAT = "graycube schedule"
VERSION = 1
MAX_TEXT = 1 << 24  # bytes of a file
MAX_HOPS = 1 << 12
"""Most hops of a strand that are read, and most steps of an emulation: proofs compare them."""
MAX_EFFORT = 1 << 24
"""Most hops of all strands times address bits, and times rounds that are listed."""
MAX_STEPS, MAX_TURNS, MAX_STRANDS = 9 << 20, 5 << 18, 1 << 26
"""Most steps or strands times the square of address bits, and turns times address bits."""
MAX_DELIVERIES = 1 << 20
"""Most deliveries times the square of the dimensions."""


def dump(schedule: AnySchedule | Moves) -> str:
    """The text of a schedule.

    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> strand = Strand(0, 8, (Hop(0, Exchange(flip=1, when=2)),))
    >>> text = dump(Schedule(task, "gb1", rounds=(0,), cycles=8, strands=(strand,)))
    >>> load(text).strands[0].hops[0].exchange
    Exchange(flip=1, when=2, want=1)
    """
    return json.dumps(content_of(schedule), indent=1)


def content_of(schedule: AnySchedule | Moves) -> dict[str, Any]:
    """What the text of a schedule says.

    >>> task = Task(Layout.nodes(2), Layout.nodes(2), block=8)
    >>> content_of(Schedule(task, "nothing to do", rounds=(), cycles=0, strands=()))["task"]
    {'source': '(|| b1 b0)', 'target': '(|| b1 b0)', 'block': 8, 'itemsize': 1}
    """
    task = schedule.task
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "task": {
            "source": str(task.source),
            "target": str(task.target),
            "block": task.block,
            "itemsize": task.itemsize,
        },
        "algorithm": schedule.algorithm,
        "rounds": _dump_rounds(schedule.rounds),
        "cycles": schedule.cycles,
    }
    if schedule.relabel is not None:
        content["relabel"] = _dump_map(schedule.relabel)
    if isinstance(schedule, Moves):
        content["moves"] = {name: getattr(schedule, name).tolist() for name in COLUMNS}
    elif isinstance(schedule, Direct):
        content["circuits"] = schedule.circuits
        content["deliveries"] = [_dump_delivery(d) for d in schedule.deliveries]
    elif isinstance(schedule, Emulation):
        content["steps"] = [_dump_step(step) for step in schedule.steps]
    else:
        content["strands"] = [_dump_strand(strand, task.n) for strand in schedule.strands]
    return content


def _dump_rounds(rounds: tuple[int, ...] | range) -> list[int] | dict[str, int]:
    return {"every": rounds.step} if isinstance(rounds, range) else list(rounds)


def _dump_map(move: AffineMap) -> dict[str, Any]:
    return {"columns": list(move.matrix.columns), "constant": move.constant}


def _dump_delivery(delivery: Delivery) -> dict[str, Any]:
    return {
        "move": _dump_map(delivery.move),
        "partner": list(delivery.partner.columns),
        "classes": list(delivery.classes),
        "dims": list(delivery.dims),
        "parts": list(delivery.parts),
    }


def _dump_step(step: Exchange | Crossing | Stage) -> dict[str, Any]:
    if isinstance(step, Stage):
        return {"stage": step.bit}
    if isinstance(step, Exchange):
        return {"exchange": str(step)}
    turns = [{"delay": t.delay, "when": t.when, "want": t.want} for t in step.turns]
    return {"exchange": str(step.exchange), "start": step.start, "turns": turns}


def _dump_strand(strand: Strand, n: int) -> dict[str, Any]:
    hops = [{"cycle": hop.cycle, "exchange": str(hop.exchange)} for hop in strand.hops]
    entry: dict[str, Any] = {"elements": [strand.start, strand.stop], "hops": hops}
    if strand.mask:
        fixed = (strand.mask >> j & 1 for j in range(n - 1, -1, -1))
        bits = f"{strand.value:0{n}b}"
        entry["nodes"] = "".join(b if f else "." for b, f in zip(bits, fixed, strict=True))
    return entry


def load(text: str) -> AnySchedule | Moves:
    """The schedule of a text, after checking all of it.

    >>> load('{"format": "graycube schedule", "version": 7}')
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the file has version 7: this graycube reads version 1;
    use a newer graycube, or write the file again
    """
    if not isinstance(text, str):
        raise InvalidTypeError(
            f"got a {type(text).__name__}", "a schedule is text", "pass a str"
        )
    if len(text) > MAX_TEXT:
        raise _malformed(f"it has {len(text)} characters, and at most {MAX_TEXT} are read")
    return schedule_of(parsed_json(text, _malformed))


def schedule_of(content: object) -> AnySchedule | Moves:
    """The schedule of a text that was parsed, after checking all of it.

    >>> schedule_of([])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the file is no schedule: its format is not
    'graycube schedule': it must follow the grammar of version 1; see docs/format.md
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _malformed(f"its format is not {FORMAT!r}")
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise InvalidValueError(
            f"the file has version {content.get('version')!r:.20}",
            f"this graycube reads version {VERSION}",
            "use a newer graycube, or write the file again",
        )
    return _read(content)


def _read(content: dict[str, Any]) -> AnySchedule | Moves:
    forms = [form for form in ("moves", "deliveries", "steps") if form in content]
    form = forms[0] if forms else "strands"
    more = {"circuits"} if form == "deliveries" else set()
    relabel = _read_map(content.pop("relabel"), "relabel") if "relabel" in content else None
    head = {"format", "version", "task", "algorithm", "rounds", "cycles", form}
    _keys(content, head | more, "file")
    cycles = _number(content["cycles"], "cycles")
    task = _read_task(content["task"])
    algorithm = _typed(content["algorithm"], str, "the algorithm")
    head_of_all = (task, algorithm, _read_rounds(content["rounds"], cycles), cycles)
    if form == "moves":
        columns = _keys(content["moves"], set(COLUMNS), "moves")
        table = [_read_column(columns[name], name) for name in COLUMNS]
        return Moves(*head_of_all, *table, relabel=relabel)
    entries = _typed(content[form], list, f"the {form}")
    if form == "deliveries":
        _limit("deliveries times n^2", len(entries) * task.n**2, MAX_DELIVERIES)
        deliveries = tuple(_read_delivery(entry, task.n) for entry in entries)
        circuits = _typed(content["circuits"], bool, "circuits")
        return Direct(*head_of_all, deliveries, circuits, relabel=relabel)
    if form == "steps":
        _limit("steps of an emulation", len(entries), MAX_HOPS)
        _limit("steps times the square of address bits", len(entries) * task.p**2, MAX_STEPS)
        steps = tuple(map(_read_step, entries))
        turns = sum(len(step.turns) for step in steps if isinstance(step, Crossing))
        _limit("turns times address bits", turns * task.p, MAX_TURNS)
        return Emulation(*head_of_all, steps, relabel=relabel)
    _limit("strands times the square of address bits", len(entries) * task.p**2, MAX_STRANDS)
    strands = tuple(_read_strand(entry, task.n) for entry in entries)
    hops, rounds = sum(len(strand.hops) for strand in strands), head_of_all[2]
    listed = 0 if isinstance(rounds, range) else len(rounds)
    _limit("hops times address bits, or times rounds", hops * max(task.p, listed), MAX_EFFORT)
    return Schedule(*head_of_all, strands, relabel=relabel)


def _read_delivery(entry: object, n: int) -> Delivery:
    written = _keys(entry, {"move", "partner", "classes", "dims", "parts"}, "delivery")
    lists = {name: _numbers(written[name], name) for name in ("classes", "dims", "parts")}
    partner = Matrix(_numbers(written["partner"], "the partner", 1 << n), n)
    return Delivery(_read_map(written["move"], "move"), partner, **lists)


def _read_step(entry: object) -> Exchange | Crossing | Stage:
    written = _typed(entry, dict, "the step")
    if "stage" in written:
        return Stage(_number(_keys(written, {"stage"}, "step")["stage"], "a stage", MAX_BITS))
    names = {"exchange"} if len(written) == 1 else {"exchange", "start", "turns"}
    step = _keys(written, names, "step")
    exchange = Exchange.parse(_typed(step["exchange"], str, "an exchange"))
    if names == {"exchange"}:
        return exchange
    turns = tuple(
        _read_turn(turn) for turn in _typed(step["turns"], list, "the turns of a crossing")
    )
    return Crossing(exchange, _number(step["start"], "the start"), turns)


def _read_turn(entry: object) -> Turn:
    turn = _keys(entry, {"delay", "when", "want"}, "turn")
    when = _number(turn["when"], "a mask", 1 << MAX_BITS)
    return Turn(_number(turn["delay"], "a delay"), when, _number(turn["want"], "want", 2))


def _numbers(entry: object, what: str, limit: int = 1 << MAX_BITS) -> tuple[int, ...]:
    return tuple(_number(value, what, limit) for value in _typed(entry, list, f"the {what}"))


def _read_rounds(entry: object, cycles: int) -> tuple[int, ...] | range:
    if not isinstance(entry, dict):
        return tuple(_number(r, "a round") for r in _typed(entry, list, "the rounds"))
    step = _number(_keys(entry, {"every"}, "rounds")["every"], "the length of the rounds")
    if step == 0:
        raise _malformed("the rounds have 0 cycles")
    return range(0, cycles, step)


def _read_map(entry: object, what: str) -> AffineMap:
    written = _keys(entry, {"columns", "constant"}, what)
    columns = _typed(written["columns"], list, "the columns")
    if len(columns) > MAX_BITS:
        raise _malformed(f"the {what} has {len(columns)} columns")
    limit = 1 << len(columns)
    matrix = Matrix(tuple(_number(c, "a column", limit) for c in columns), len(columns))
    return AffineMap(matrix, _number(written["constant"], "the constant", limit))


def _read_task(entry: object) -> Task:
    task = _keys(entry, {"source", "target", "block", "itemsize"}, "task")
    return Task(
        Layout.parse(_typed(task["source"], str, "the source")),
        Layout.parse(_typed(task["target"], str, "the target")),
        _number(task["block"], "block"),
        _number(task["itemsize"], "itemsize"),
    )


def _read_strand(entry: object, n: int) -> Strand:
    written = _typed(entry, dict, "the strand")
    pattern = _typed(written.get("nodes", "." * n), str, "the nodes of a strand")
    if len(pattern) != n or set(pattern) - set("01."):
        raise _malformed(f"the nodes {pattern[:40]!r} are not {n} times 0, 1 or .")
    mask = int("0" + pattern.replace("0", "1").replace(".", "0"), 2)
    value = int("0" + pattern.replace(".", "0"), 2)
    strand = _keys(written, {"elements", "hops"} | (written.keys() & {"nodes"}), "strand")
    bounds = _typed(strand["elements"], list, "the elements of a strand")
    if len(bounds) != 2:
        raise _malformed("the elements of a strand are not [start, stop]")
    hops = []
    _limit("hops in a strand", len(_typed(strand["hops"], list, "the hops")), MAX_HOPS)
    for written in strand["hops"]:
        hop = _keys(written, {"cycle", "exchange"}, "hop")
        exchange = Exchange.parse(_typed(hop["exchange"], str, "an exchange"))
        hops.append(Hop(_number(hop["cycle"], "a cycle"), exchange))
    start, stop = _number(bounds[0], "start"), _number(bounds[1], "stop")
    return Strand(start, stop, tuple(hops), mask, value)


def _read_column(entry: object, name: str) -> Any:  # noqa: ANN401 - Moves makes it an array
    largest = np.iinfo(COLUMNS[name]).max
    column = [_number(value, name) for value in _typed(entry, list, f"the column {name}")]
    if max(column, default=0) > largest:
        raise _malformed(f"a {name} of {max(column)} does not fit {np.dtype(COLUMNS[name])}")
    return column


def _keys(entry: object, names: set[str], what: str) -> dict[str, Any]:
    mapping: dict[str, Any] = _typed(entry, dict, f"the {what}")
    if set(mapping) != names:
        wrong = min(set(mapping) ^ names)
        raise _malformed(
            f"the {what} has the keys {sorted(mapping)[:9]}; look at {wrong[:40]!r}"
        )
    return mapping


def _typed(value: object, kind: type, what: str) -> Any:  # noqa: ANN401 - checked right here
    if not isinstance(value, kind):
        raise _malformed(f"{what} is {str(value)[:40]!r}, not a {kind.__name__}")
    return value


def _number(value: object, what: str, limit: int = MAX_COUNT + 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < limit:
        most = limit - 1 if limit <= MAX_COUNT + 1 else f"2^{limit.bit_length() - 1} - 1"
        raise _malformed(f"{what} is {str(value)[:40]}, not an integer from 0 to {most}")
    return value


def _limit(what: str, count: int, most: int) -> None:
    """Refuse what would take minutes to prove; no schedule that graycube makes is near."""
    if count > most:
        raise InvalidValueError(
            f"there are {count} {what}", f"at most {most} are read", "write a shorter schedule"
        )


def _malformed(why: str) -> GraycubeError:
    return InvalidValueError(
        f"the file is no schedule: {why}",
        f"it must follow the grammar of version {VERSION}",
        "see docs/format.md",
    )
