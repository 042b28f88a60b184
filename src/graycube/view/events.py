"""A plan as a trace: a file that Perfetto and chrome://tracing open.

Rules.

1. The file is JSON in the trace event format: metadata that names tracks, and complete events
   (``"ph": "X"``) with a start ``ts`` and a length ``dur`` in microseconds.
2. What is no round comes first: rows that are gathered, and meetings. Rounds follow each other
   without gaps, and all together last as long as the plan costs. A message begins with its
   round and is not longer. Without costs a byte takes a second.
3. A plan with too many messages for a file has its rounds alone, and the file says so.
"""

import json
from collections.abc import Iterator
from itertools import accumulate, chain, islice
from typing import Any

import numpy as np

from graycube.cost.in_step import meeting_seconds
from graycube.planning import Plan
from graycube.planning.explain import NO_COSTS, used
from graycube.schedule import Replication
from graycube.texts import counted, one_line
from graycube.view.rows import require_plan

MAX_EVENTS = 100_000
MAX_CROSSINGS = 1 << 22
ROUNDS, NODES, LINKS = 1, 2, 3
_Event = dict[str, Any]
_MICROSECONDS = 1e6


def trace(plan: Plan) -> str:
    """The text of a trace: rounds, nodes and links over time.

    >>> import json
    >>> import graycube as gc
    >>> machine = gc.Machine(dims=2, startup=1e-6, per_byte=1e-9)
    >>> plan = gc.plan(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), 500, machine=machine)
    >>> events = json.loads(gc.view.trace(plan))["traceEvents"]
    >>> [(e["name"], e["ts"], e["dur"]) for e in events if e.get("cat") == "link"]
    [('500 elements', 0.0, 1.5), ('500 elements', 0.0, 1.5)]
    """
    require_plan(plan, "a trace shows a Plan")
    timed = [(count, max(of.values())) for count, of in plan.traffic.seconds(plan.machine)]
    aside = {
        "rows gathered, in all rounds": plan.machine.per_row * plan.traffic.rows,
        "meetings, between all rounds": plan.traffic.meetings(plan.machine)
        * meeting_seconds(plan.machine),
    }
    copied = isinstance(plan.schedule, Replication)
    rows = None if copied else _messages(plan)
    first = sum(aside.values())
    if rows is None:
        events = _summed(timed, first)
        why = f"{plan.traffic.crossings} moves are too many for a trace"
        note = f"(no messages: {'whole blocks are copied' if copied else why})"
    else:
        seconds = list(chain.from_iterable([each] * count for count, each in timed))
        starts = list(accumulate(seconds, initial=first))
        events = chain(_rounds(rows, seconds, starts), _sent(plan, rows, seconds, starts))
        note = ""
    content = {
        "displayTimeUnit": "ns",
        "otherData": _about(plan, note),
        "traceEvents": [*_processes(note), *_aside(aside), *events],
    }
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _about(plan: Plan, note: str) -> dict[str, object]:
    task = plan.task
    said = {
        "algorithm": plan.algorithm,
        "source": str(task.source),
        "target": str(task.target),
        "machine": used(plan.machine),
        "note": " ".join(filter(None, (note, "" if plan.machine.priced else NO_COSTS))),
    }
    return {
        **{name: one_line(text) for name, text in said.items()},
        "nodes": 1 << task.n,
        "block": task.block,
        "itemsize": task.itemsize,
        "seconds": plan.cost,
        "lower_bound": plan.lower_bound,
    }


def _messages(plan: Plan) -> dict[str, list[int]] | None:
    """Which link carries how many elements in which round, if they are few enough."""
    if plan.traffic.crossings > MAX_CROSSINGS:
        return None
    n, moves = plan.task.n, plan.moves()
    link = moves.node.astype(np.int64) * n + moves.dimension
    key, sizes = np.unique(moves.round * max(1, n << n) + link, return_counts=True)
    numbers, link = np.divmod(key, max(1, n << n))
    # each link and each node has a name and a place, each message an event of either
    if 2 * len(key) + 2 * (n + 1 << n) + plan.rounds > MAX_EVENTS:
        return None
    busy = np.unique(numbers, return_inverse=True)[1]
    node, dimension = np.divmod(link, max(1, n))
    columns = {
        "round": numbers,
        "busy": busy,
        "node": plan.machine.numbers.inverse()(node),
        "partner": plan.machine.numbers.inverse()(node ^ 1 << dimension),
        "dimension": dimension,
        "elements": sizes,
    }
    return {name: column.tolist() for name, column in columns.items()}


def _rounds(
    rows: dict[str, list[int]], seconds: list[float], starts: list[float]
) -> Iterator[_Event]:
    numbers = sorted(set(rows["round"]))
    for k, start, length in zip(numbers, starts[:-1], seconds, strict=True):
        yield _event(ROUNDS, 1, "round", f"round {k}", start, length)


def _summed(timed: list[tuple[int, float]], start: float) -> Iterator[_Event]:
    """Rounds that are alike in one event, and neighbours too where they are still too many."""
    some, rest = -(-len(timed) // MAX_EVENTS), iter(timed)
    first = 0
    while alike := list(islice(rest, some)):
        count = sum(times for times, _ in alike)
        length = sum(times * each for times, each in alike)
        named = f"round {first}" if count == 1 else f"rounds {first} to {first + count - 1}"
        args = {"rounds": count, "longest round": max(each for _, each in alike)}
        yield _event(ROUNDS, 1, "round", named, start, length, args)
        first, start = first + count, start + length


def _aside(aside: dict[str, float]) -> Iterator[_Event]:
    """What is no round, before all of them."""
    start = 0.0
    for what, seconds in aside.items():
        if seconds:
            yield _event(ROUNDS, 1, "aside", what, start, seconds)
            start += seconds


def _sent(
    plan: Plan, rows: dict[str, list[int]], seconds: list[float], starts: list[float]
) -> Iterator[_Event]:
    """Tracks of nodes and of the links that are used, and their messages."""
    n, itemsize, machine = plan.task.n, plan.task.itemsize, plan.machine
    for u in range(1 << n):
        yield from _named("thread", NODES, 2 + u, f"node {u}")
    named = set[int]()
    for number, k, node, partner, dimension, size in zip(*rows.values(), strict=True):
        track = 2 + (1 << n) + node * n + dimension
        if track not in named:
            named.add(track)
            name = f"{node} to {partner} (dimension {dimension})"
            yield from _named("thread", LINKS, track, name)
        alone = machine.message_time(size * itemsize, dimension)
        length = seconds[k] if machine.leads else min(alone, seconds[k])
        what, args = counted(size, "element"), {"round": number, "elements": size}
        args |= {"bytes": size * itemsize, "from": node, "to": partner}
        yield _event(LINKS, track, "link", what, starts[k], length, args)
    yield from _by_node(rows, seconds, starts)


def _by_node(
    rows: dict[str, list[int]], seconds: list[float], starts: list[float]
) -> Iterator[_Event]:
    """What each node sends in each round, over all of its links."""
    sent: dict[tuple[int, int], dict[str, int]] = {}
    for k, node, size in zip(rows["busy"], rows["node"], rows["elements"], strict=True):
        row = sent.setdefault((node, k), {"elements": 0, "links": 0})
        row["elements"], row["links"] = row["elements"] + size, row["links"] + 1
    for (node, k), row in sorted(sent.items()):
        said = f"{counted(row['elements'], 'element')} over {counted(row['links'], 'link')}"
        yield _event(NODES, 2 + node, "node", said, starts[k], seconds[k], row)


def _event(  # noqa: PLR0913, PLR0917 - the fields of the format
    process: int,
    track: int,
    kind: str,
    name: str,
    start: float,
    length: float,
    args: dict[str, Any] | None = None,
) -> _Event:
    ts, dur = start * _MICROSECONDS, length * _MICROSECONDS
    fields = {"name": name, "cat": kind, "ph": "X", "ts": ts, "dur": dur}
    return {**fields, "pid": process, "tid": track, "args": args or {}}


def _processes(note: str) -> Iterator[_Event]:
    """The names of the three, and their order from the top."""
    for process, name in (
        (ROUNDS, f"rounds {note}".strip()),
        (NODES, "nodes"),
        (LINKS, "links"),
    ):
        if process == ROUNDS or not note:
            yield from _named("process", process, process, name)
    yield from _named("thread", ROUNDS, 1, "all nodes")


def _named(kind: str, process: int, track: int, name: str) -> Iterator[_Event]:
    """The name of a process, or of a thread in it, and its place among them.

    Without places, Chromium puts node 10 before node 2.
    """
    said: dict[str, dict[str, object]] = {
        f"{kind}_name": {"name": name},
        f"{kind}_sort_index": {"sort_index": track},
    }
    at = {"ph": "M", "ts": 0, "pid": process, "tid": track}
    yield from ({"name": what, **at, "args": args} for what, args in said.items())
