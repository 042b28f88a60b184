"""Fewer bytes for more start-ups: between the papers' schedules and the best flow.

GB3 moves n K / 2 bytes in sequence in n rounds. Flows with less exist: 76/29 K for n = 6 on one
port, say, which only endless schedules reach. The tables have schedules between the two, found
by linear programs (``tools/tr_20_92/fewer_bytes.py`` writes them): in a round some nodes use
one dimension and some another, and each node shares out its block over several ways.

On all ports every link may be used in every round, so the linear program has the least there is
for so many rounds: 0.9, 0.69, 0.637 and 37/60 K in 4 to 7 rounds for n = 5. The flow is 3/5 K.
On fewer ports the links of each round are chosen, one round after the other (``search/dive``).

For larger cubes on few ports they are those of the classes of nodes with the same top bits. In
the middle all lower dimensions are done in ascending order, a round for each. Half of what does
so at a class has come over an even number of links and half over an odd one. The conditions of
the lower exchanges are complementary for the two halves, so every node sends one of them, on
one port (TR-20-91 Theorem 7). On p ports p shares of the block do so, each a round behind the
one before it: they use different dimensions. A dimension more adds a round of 1/2p blocks.

On all ports several fields take turns (:mod:`graycube.table.gray.phases`): in each phase every
one converts its share of the block by a point of its own table.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, chain, zip_longest
from math import ceil, floor, inf
from operator import itemgetter
from typing import Literal, NamedTuple

from graycube.gf2 import Exchange, bit_indices
from graycube.machine import Machine
from graycube.schedule import Schedule, Task
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Field,
    always,
    converted,
    in_sequence,
    why_no_conversion,
)
from graycube.table.gray import field_phases
from graycube.table.gray.phases import in_phases, too_many
from graycube.table.gray.routes import dimensions, hop_by_hop, too_few_ports, widths_of
from graycube.table.lanes import (
    LaneStep,
    LaneWay,
    backwards,
    cycles,
    end_of,
    in_lanes,
    lengths,
    shares_of,
    turned,
)
from graycube.table.whole_shares import Lane, LaneShare

_TWO = 2
_Ports = int | Literal["all"]
SIZES: dict[_Ports, range] = {
    1: range(4, 7),
    2: range(4, 9),
    3: range(4, 9),
    4: range(5, 9),
    5: range(6, 9),
    6: range(7, 9),
    7: range(8, 9),
    "all": range(3, 9),
}
"""Fields with tables of their own."""
TOP = 5
TOP_PORTS = range(1, 8)
"""Ports for which there are tables of the five top bits of larger fields."""
TWO_BITS = (1, *range(3, 11))
"""Rounds of the points for fields of two bits, beside other fields."""
MAX_FIELDS = 4
MAX_WAYS = 3000
"""Several fields whose ways are more take too long to price."""
ROUNDED = 0.02
"""What a share may be longer by, in elements: weights are rounded."""
SMALL = 1 << 12
"""Most elements of a block that is small."""
TRIED = 12
"""So many points are written out at most."""

_Rows = list[tuple[int, int, tuple[tuple[int, int], ...]]]


class _TablePoint(NamedTuple):
    """The ways from each word of so many bits, or class of nodes with these top bits.

    A row is a word, a weight, and hops as rounds and dimensions. Dimension ``bits`` is all
    lower ones, a round for each from that round on.
    """

    bits: int
    rows: _Rows


_Choice = tuple[int, ...]
"""A point of the table of each field."""


def applicable(task: Task, machine: Machine) -> str | None:
    """Fields that there are tables for, where simpler schedules cost more."""
    if reason := _why_no_table(task, machine):
        return reason
    fields, prices = converted(task), _prices(task, machine)
    if not prices:
        return f"it would need more than {MAX_WAYS} ways"
    price = min(prices)
    if price >= _gb3(fields, task, machine):
        return "its start-ups cost more than it saves"
    if len(fields) > 1 and price >= _all_at_once(fields, task, machine):
        return "schedules for all fields at once cost no more"
    return None


def _why_no_table(task: Task, machine: Machine) -> str | None:
    """The reason why it is no conversion, or why there are no tables for its fields."""
    if reason := why_no_conversion(task, machine):
        return reason
    widths = widths_of(task)
    if not 1 <= len(widths) <= MAX_FIELDS:
        return f"it converts one field to {MAX_FIELDS}"
    if len(widths) > 1:
        last = SIZES["all"][-1]
        few = too_few_ports(machine, sum(widths))
        return few or (
            None if max(widths) <= last else f"it converts fields of 2 to {last} bits"
        )
    (width,) = widths
    ports = _table_ports(machine, width)
    if _is_known(width, ports):
        return None
    sizes = SIZES[ports]
    if width < sizes[0]:
        return f"it converts fields of {sizes[0]} bits or more"
    return f"on {ports} ports it converts {sizes[0]} to {sizes[-1]} bits"


def emit(task: Task, machine: Machine) -> Schedule:
    """The schedule of the table that is cheapest on the machine.

    A round of whole elements is hardly shorter than its share: so what costs more, if shares
    are rounded down, than what was found is not written out. The cheapest one, if they are
    rounded up, comes first.
    """
    fields, choices = converted(task), _choices(task, machine)
    prices, most = _prices(task, machine, floor), _prices(task, machine)

    def price(k: int) -> float:
        return in_sequence(cycles(_shares(fields, *choices[k]), task.block), task, machine)

    first = min(range(len(most)), key=most.__getitem__)
    found, least = first, inf
    for k in [first, *sorted(range(len(prices)), key=prices.__getitem__)[:TRIED]]:
        if prices[k] < least:
            found, least = min((found, least), (k, price(k)), key=itemgetter(1))
    return in_lanes(task, "fewer-bytes", _of_fields(fields, *choices[found]))


def least(task: Task, machine: Machine) -> float:
    """What no point of the tables takes less than: their shares, rounded down.

    Circuits mostly have cheaper schedules: that their tables are read is not worth it.
    """
    seconds = hop_by_hop(task, machine)
    if machine.switching == "circuit" or _why_no_table(task, machine):
        return seconds
    return max(seconds, min(_prices(task, machine, floor), default=seconds))


def _of_fields(fields: Sequence[Field], ports: _Ports, choice: _Choice) -> list[LaneWay]:
    """The ways of a point of the table of each field."""
    each = [_of_field(field, ports, k) for field, k in zip(fields, choice, strict=True)]
    return each[0] if len(each) == 1 else in_phases(each)


def _shares(fields: Sequence[Field], ports: _Ports, choice: _Choice) -> list[LaneShare]:
    """What these ways take of blocks and lanes, without their exchanges if that will do."""
    if len(fields) > 1:
        return shares_of(_of_fields(fields, ports, choice))
    (field,), (k,) = fields, choice
    return _of_point(_table(field.width, ports)[k], field.width, to_binary=field.to_binary)


def _of_field(field: Field, ports: _Ports, point: int) -> list[LaneWay]:
    ways = _ways(_table(field.width, ports)[point], Field(field.dims, to_binary=True))
    return ways if field.to_binary else backwards(ways)


def front(task: Task, machine: Machine) -> list[tuple[int, float]]:
    """The rounds, and the blocks in sequence, of what there is in the table for a task.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1000)
    >>> [(rounds, round(blocks, 4)) for rounds, blocks in front(task, Machine(3, "all"))][:3]
    [(2, 1.0), (4, 0.7), (6, 0.6371)]
    """
    if _why_no_table(task, machine):
        return []
    fields, ports = converted(task), _ports(task, machine)[0]
    parts = [_parts(fields, ports, choice) for choice in _of_table(fields, ports)]
    return sorted((len(rounds), sum(rounds)) for rounds in parts)


def _choices(task: Task, machine: Machine) -> list[tuple[_Ports, _Choice]]:
    """Points of all tables that may be the cheapest."""
    fields = converted(task)
    return [(p, choice) for p in _ports(task, machine) for choice in _of_table(fields, p)]


def _ports(task: Task, machine: Machine) -> list[_Ports]:
    """Those of the tables; several fields have all that they can use.

    In whole elements the table for fewer ports may be the better one for a small block.
    """
    fields = converted(task)
    if len(fields) > 1:
        return ["all"]
    (width,) = widths_of(task)
    ports = _table_ports(machine, width)
    if task.block > SMALL or ports == 1:
        return [ports]
    most = width if ports == "all" else int(ports)
    return [ports, *(p for p in range(most - 1, 1, -1) if _is_known(width, p))]


def _table_ports(machine: Machine, width: int) -> _Ports:
    """All that a field can use, or as many of the machine's as there is a table for."""
    links = machine.links_at_once
    if links >= width and (width in SIZES["all"] or width not in SIZES[2]):
        return "all"
    known = (p for p in range(links, 1, -1) if _is_known(width, p))
    return next(known, 1 if links == 1 else 2)


def _is_known(width: int, ports: _Ports) -> bool:
    """Whether there is a table of a field, or of its top bits."""
    return width in SIZES.get(ports, ()) or _has_top(width, ports)


def _has_top(width: int, ports: _Ports) -> bool:
    """Whether there are as many lower bits as shares of their table, or one less."""
    return ports in TOP_PORTS and width >= TOP + max(1, int(ports) - 1)


def _prices(task: Task, machine: Machine, whole: Callable[[float], int] = ceil) -> list[float]:
    """What the choices cost on the machine."""

    def price(parts: Sequence[float]) -> float:
        sizes = (max(0, whole(part * task.block - ROUNDED)) for part in parts)
        return in_sequence(sizes, task, machine)

    fields = converted(task)
    return [price(_parts(fields, *choice)) for choice in _choices(task, machine)]


def _gb3(fields: Sequence[Field], task: Task, machine: Machine) -> float:
    """What GB3 costs: so many rounds of half a block."""
    rounds = sum(field.width for field in fields)
    return rounds * machine.message_time(-(-task.block // 2) * task.itemsize)


def _all_at_once(fields: Sequence[Field], task: Task, machine: Machine) -> float:
    """What shortest paths cost in as few rounds as can be, or many short rounds."""
    rounds = dimensions([field.width for field in fields])
    least = rounds * machine.message_time(-(-task.block // rounds) * task.itemsize)
    return min(least, field_phases.price(task, machine))


def _of_point(point: _TablePoint, width: int, *, to_binary: bool = True) -> list[LaneShare]:
    """What the classes of nodes send in the rounds: words but for the lowest bit.

    What is used in a lane is a dimension by a class. Two more, above those of the table, stand
    for all lower ones: for what came over an even number of links, and over an odd one. The
    table has as many lower ones as shares that cross them.
    """
    bits, rows = point
    starts = {start for start, _, _ in rows}
    begins = {number for _, _, hops in rows for number, d in hops if d == bits}
    last = max(begins, default=inf)
    longer, lower = width - bits - len(begins), width - bits
    shares = [LaneShare(1, k, ()) for k in range(1 << bits - 1) if k << 1 not in starts]
    for start, weight, hops in rows:
        word, odd, lanes = start, False, list[Lane]()
        for number, d in hops:
            if d == bits:
                lanes.append((number, lower, (word >> 1, d + odd)))
                continue
            lanes.append((number + longer if number > last else number, 1, (word >> 1, d)))
            word, odd = word ^ 1 << d, not odd
        shares.append(LaneShare(weight, (start if to_binary else word) >> 1, tuple(lanes)))
    if to_binary:
        return shares
    end = end_of(chain(*(share.lanes for share in shares)))
    return [
        share._replace(lanes=tuple([turned(lane, end) for lane in reversed(share.lanes)]))
        for share in shares
    ]


def _ways(point: _TablePoint, field: Field) -> list[LaneWay]:
    """The ways of all nodes, by their top bits."""
    top = field.dims[-point.bits :]
    mask = sum(1 << d for d in top[1:])
    over: list[tuple[Exchange, ...]] = [(always(d),) for d in top]
    over += (field.below(point.bits, odd=odd) for odd in (False, True))
    ways = []
    for weight, word, lanes in _of_point(point, field.width):
        steps = tuple([LaneStep(over[lane[2][1]], lane) for lane in lanes])
        value = sum(1 << top[j + 1] for j in bit_indices(word))
        ways.append(LaneWay(weight, steps, mask, value))
    return ways


@lru_cache(maxsize=1 << 8)
def _of_table(fields: tuple[Field, ...], ports: _Ports) -> list[_Choice]:
    """Points that go together: each of one table, or of all tables those of as many rounds."""
    tables = [_table(field.width, ports) for field in fields]
    if len(fields) == 1:
        return [(k,) for k in range(len(tables[0]))]
    rounds = [[_rounds(point) for point in table] for table in tables]
    found = dict.fromkeys(
        tuple(sum(length <= most for length in some) - 1 for some in rounds)
        for most in sorted({*chain(*rounds)})
    )
    return [choice for choice in found if min(choice) >= 0 and _is_small(fields, ports, choice)]


def _is_small(fields: Sequence[Field], ports: _Ports, choice: _Choice) -> bool:
    """Whether the ways are few enough."""
    both = [*zip(fields, choice, strict=True)]
    nodes = sum(field.width - 1 for field in fields)
    least = max(len(_table(f.width, ports)[k].rows) << nodes - f.width + 1 for f, k in both)
    if least * len(fields) > MAX_WAYS:
        return False
    return not too_many([_of_field(field, ports, k) for field, k in both], MAX_WAYS)


def _rounds(point: _TablePoint) -> int:
    return 1 + max(number for _, _, hops in point.rows for number, _ in hops)


@lru_cache(maxsize=1 << 10)
def _parts(fields: tuple[Field, ...], ports: _Ports, choice: _Choice) -> tuple[float, ...]:
    """What the rounds carry of a block; those of a phase last as long as their longest."""
    each = []
    for field, k in zip(fields, choice, strict=True):
        parts, _ = _priced(field.width, ports)[k]
        each.append(parts if field.to_binary else parts[::-1])
    phase = (max(parts) for parts in zip_longest(*each, fillvalue=0.0))
    return tuple(part / len(fields) for part in phase) * len(fields)


def _table(width: int, ports: _Ports) -> list[_TablePoint]:
    """The points of a table, from few rounds to many; with those of the top bits if less."""
    return [point for _, point in _priced(width, ports)]


@cache
def _priced(width: int, ports: _Ports) -> list[tuple[tuple[float, ...], _TablePoint]]:
    """What the rounds of each point carry of a block, and the point."""
    points = _own(width, ports)
    top = _has_top(width, ports)
    if top:
        points = [*points, *_read(f"top{TOP}_{ports}", TOP)]
    priced = [(lengths(_of_point(point, width)), point) for point in points]
    if not top:
        return priced
    priced.sort(key=lambda both: (len(both[0]), sum(both[0])))
    least = accumulate((sum(parts) for parts, _ in priced), min, initial=inf)
    return [both for both, most in zip(priced, least, strict=False) if sum(both[0]) < most]


def _own(width: int, ports: _Ports) -> list[_TablePoint]:
    """The points of the table of a field of so many bits, if there is one."""
    if width == _TWO:
        return [_TablePoint(_TWO, _two_bits(rounds)) for rounds in TWO_BITS]
    return _read(f"{width}_{ports}", width) if width in SIZES.get(ports, ()) else []


def _read(name: str, bits: int) -> list[_TablePoint]:
    text = (files(__package__) / "tables" / f"fewer_bytes_{name}.json").read_text()
    return [
        _TablePoint(
            bits,
            [
                (start, weight, tuple(zip(hops[::2], hops[1::2], strict=True)))
                for start, weight, hops in routes
            ],
        )
        for routes in json.loads(text)
    ]


def _two_bits(rounds: int) -> _Rows:
    """Word 2 to word 3 and back, in every round and by detours that take three."""
    short = [(2, 1, ((r, 0),)) for r in range(rounds)]
    return short + [(2, 1, ((r, 1), (r + 1, 0), (r + 2, 1))) for r in range(rounds - 2)]


ALGORITHM = Algorithm(
    name="fewer-bytes",
    paper="beyond the papers",
    ports="any",
    formula="by table: on all ports 7 s + 37 K t / 60, on one 60 s + 2.743 K t (n = 6)",
    applicable=applicable,
    emit=emit,
    floor=least,
)
