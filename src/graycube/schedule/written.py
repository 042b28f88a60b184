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
from graycube.schedule.moves import COLUMNS, Moves
from graycube.schedule.schedule import Hop, Schedule, Strand
from graycube.schedule.task import MAX_COUNT, Task

FORMAT = "graycube schedule"
VERSION = 1
MAX_TEXT = 1 << 28  # characters of a file


def dump(schedule: Schedule | Moves) -> str:
    """The text of a schedule.

    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> strand = Strand(0, 8, (Hop(0, Exchange(flip=1, when=2)),))
    >>> text = dump(Schedule(task, "gb1", rounds=(0,), cycles=8, strands=(strand,)))
    >>> load(text).strands[0].hops[0].exchange
    Exchange(flip=1, when=2, want=1)
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
        columns, constant = schedule.relabel.matrix.columns, schedule.relabel.constant
        content["relabel"] = {"columns": list(columns), "constant": constant}
    if isinstance(schedule, Moves):
        content["moves"] = {name: getattr(schedule, name).tolist() for name in COLUMNS}
    else:
        content["strands"] = [_dump_strand(strand, task.n) for strand in schedule.strands]
    return json.dumps(content, indent=1)


def _dump_rounds(rounds: tuple[int, ...] | range) -> list[int] | dict[str, int]:
    return {"every": rounds.step} if isinstance(rounds, range) else list(rounds)


def _dump_strand(strand: Strand, n: int) -> dict[str, Any]:
    hops = [{"cycle": hop.cycle, "exchange": str(hop.exchange)} for hop in strand.hops]
    entry: dict[str, Any] = {"elements": [strand.start, strand.stop], "hops": hops}
    if strand.mask:
        fixed = (strand.mask >> j & 1 for j in range(n - 1, -1, -1))
        bits = f"{strand.value:0{n}b}"
        entry["nodes"] = "".join(b if f else "." for b, f in zip(bits, fixed, strict=True))
    return entry


def load(text: str) -> Schedule | Moves:
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
        raise InvalidValueError(
            f"the file has {len(text)} characters",
            f"at most {MAX_TEXT} are read",
            "store the symbolic form, or a smaller schedule",
        )
    try:
        content = json.loads(text, object_pairs_hook=unique_keys)
    except GraycubeError:
        raise
    except (ValueError, RecursionError) as error:
        raise _malformed(f"no JSON ({str(error)[:80]})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _malformed(f"its format is not {FORMAT!r}")
    if type(content.get("version")) is not int or content["version"] != VERSION:
        raise InvalidValueError(
            f"the file has version {content.get('version')!r:.20}",
            f"this graycube reads version {VERSION}",
            "use a newer graycube, or write the file again",
        )
    return _read(content)


def _read(content: dict[str, Any]) -> Schedule | Moves:
    form = "moves" if "moves" in content else "strands"
    relabel = _read_map(content.pop("relabel")) if "relabel" in content else None
    _keys(content, {"format", "version", "task", "algorithm", "rounds", "cycles", form}, "file")
    cycles = _number(content["cycles"], "cycles")
    head = (
        _read_task(content["task"]),
        _typed(content["algorithm"], str, "the algorithm"),
        _read_rounds(content["rounds"], cycles),
        cycles,
    )
    if form == "strands":
        entries = _typed(content["strands"], list, "the strands")
        strands = tuple(_read_strand(entry, head[0].n) for entry in entries)
        return Schedule(*head, strands, relabel=relabel)
    columns = _keys(content["moves"], set(COLUMNS), "moves")
    table = [_read_column(columns[name], name) for name in COLUMNS]
    return Moves(*head, *table, relabel=relabel)


def _read_rounds(entry: object, cycles: int) -> tuple[int, ...] | range:
    if not isinstance(entry, dict):
        return tuple(_number(r, "a round") for r in _typed(entry, list, "the rounds"))
    step = _number(_keys(entry, {"every"}, "rounds")["every"], "the length of the rounds")
    if step == 0:
        raise _malformed("the rounds have 0 cycles")
    return range(0, cycles, step)


def _read_map(entry: object) -> AffineMap:
    written = _keys(entry, {"columns", "constant"}, "relabel")
    columns = _typed(written["columns"], list, "the columns")
    if len(columns) > MAX_BITS:
        raise _malformed(f"the relabel has {len(columns)} columns")
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
    for written in _typed(strand["hops"], list, "the hops"):
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
        raise _malformed(f"{what} is {str(value)[:40]}, not an integer from 0 to {limit - 1}")
    return value


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, refused where a key is given twice.

    >>> unique_keys([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise _malformed(f"a key is given twice among {[key[:40] for key, _ in pairs][:9]}")
    return entries


def _malformed(why: str) -> GraycubeError:
    return InvalidValueError(
        f"the file is no schedule: {why}",
        f"it must follow the grammar of version {VERSION}",
        "see docs/format.md",
    )
