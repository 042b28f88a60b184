"""Version 1 of the written format, which is read for ever: strands, deliveries or steps.

A strand is a way of exchanges, each with its first cycle. Deliveries are steps of everything,
see :class:`~graycube.schedule.Delivery`. Steps are one way in which elements take turns, and
their times count payloads.
"""

from typing import Any

from graycube.gf2 import Matrix
from graycube.schedule.direct import Delivery, delivered
from graycube.schedule.reading import (
    MAX_DELIVERIES,
    MAX_HOPS,
    delays_of,
    exchange_of,
    keys,
    limit,
    map_of,
    number,
    numbers,
    pattern_of,
    span_of,
    stage_of,
    typed,
)
from graycube.schedule.task import Task
from graycube.schedule.way import Delay, Step, Way, hop

FORMS = ("deliveries", "steps", "strands")


def ways_of(form: str, content: dict[str, Any], task: Task) -> tuple[Way, ...]:
    """The ways of one of the three forms.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
    >>> hops = [{"cycle": 0, "exchange": "flip 0 where a1 = 1"}]
    >>> content = {"strands": [{"elements": [0, 8], "hops": hops}]}
    >>> print(ways_of("strands", content, task)[0].steps[0])
    cycle 0: flip 0 where a1 = 1
    """
    entries = typed(content[form], list, f"the {form}")
    if form == "strands":
        return tuple(_strand(entry, task.n) for entry in entries)
    if form == "deliveries":
        circuits = typed(content["circuits"], bool, "circuits")
        limit("deliveries times n^2", len(entries) * task.n**2, MAX_DELIVERIES)
        listed = [_delivery(entry, task.n) for entry in entries]
        return delivered(task, "read", listed, circuits=circuits).ways
    limit("steps in a way", len(entries), MAX_HOPS)
    return (Way(0, task.block, tuple(_step(entry, task) for entry in entries)),)


def _strand(entry: object, n: int) -> Way:
    written = typed(entry, dict, "the strand")
    mask, value = pattern_of(written.get("nodes", "." * n), n, "nodes")
    strand = keys(written, {"elements", "hops"} | (written.keys() & {"nodes"}), "strand")
    start, stop = span_of(strand["elements"])
    hops = []
    limit("hops in a strand", len(typed(strand["hops"], list, "the hops")), MAX_HOPS)
    for one in strand["hops"]:
        written = keys(one, {"cycle", "exchange"}, "hop")
        exchange = exchange_of(written["exchange"])
        hops.append(hop(number(written["cycle"], "a cycle"), exchange, n))
    return Way(start, stop, tuple(hops), mask, value)


def _delivery(entry: object, n: int) -> Delivery:
    written = keys(entry, {"move", "partner", "classes", "dims", "parts"}, "delivery")
    classes, dims, parts = (numbers(written[k], k) for k in ("classes", "dims", "parts"))
    partner = Matrix(numbers(written["partner"], "the partner", 1 << n), n)
    return Delivery(map_of(written["move"], "move"), partner, classes, dims, parts)


def _step(entry: object, task: Task) -> Step:
    written = typed(entry, dict, "the step")
    if "stage" in written:
        return stage_of(written)
    names = {"exchange"} if len(written) == 1 else {"exchange", "start", "turns"}
    step = keys(written, names, "step")
    exchange = exchange_of(step["exchange"])
    if names == {"exchange"}:
        return Step(exchange)
    start = number(step["start"], "the start") * task.payload
    turns = delays_of(step["turns"], ("delay", "when"))
    delays = tuple(Delay(late.cycles * task.payload, late.mask, late.want) for late in turns)
    return hop(start, exchange, task.n, delays)
