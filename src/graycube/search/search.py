"""Schedules for a task on a machine that no table has: all that programs find in time.

Rules. What is found is a list of candidates, and what they cost is for the simulator to say.

1. *Units*: for few units on a small cube, an integer program finds the fewest cycles, with
   circuits too. A unit is a single element where the program is not too large for that.
2. *Periods*: groups of a few units, as many as are cheapest on the machine.
3. *Rounds*: the shortest schedules that dives find, from few rounds to many, as long as their
   start-ups may pay.

Units take up to half of the time, a few seconds each, and periods a third of the rest. What
rounds leave is for the units that are still undecided. What cannot be cheaper than the best
known is left out; what time does not allow is written down.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf

import numpy as np

from graycube.errors import UndecidedError
from graycube.machine import Machine
from graycube.schedule import Moves, Schedule, Task
from graycube.search.demand import require_whole
from graycube.search.dive import shorter
from graycube.search.flow import Flow
from graycube.search.limits import deadline_after, left, part_of, silent
from graycube.search.optimum import arcs, feasible, flows_of
from graycube.search.periodic import Period, period
from graycube.search.rounds import Point, shares
from graycube.search.ways import Share, schedule_of

VERSION = 2
"""Of the search: plans that an older one found do not stop this one."""
MAX_WAYS = 20_000
"""Most ways of a schedule of many groups."""
_CHECKED = 500  # ways in a second, on a busy machine
_SEARCHING = 0.9  # of the time; the rest is for the checks of what is found last
_UNITS = (1, 2, 3, 4, 5, 6, 8)  # and the block itself
_ARCS = 1 << 16  # of a program of units
_SECONDS = 10.0  # for a number of units at first, and four times as many each time after
_AGAIN = 8  # times: up to a week for a number of units
_GROUP = 13  # units of a group, at most
_MORE = 4  # rounds than there are dimensions; on few ports so many times as many
_STEP = 5  # one round more, or one in so many, between one number of rounds and the next
_TRIES = 12  # dives in a row without a gain
_AT_FLOW = 1 + 1e-6  # times the flow: nothing is shorter

Tell = Callable[[str], object]


@dataclass
class ScheduleSearch:
    """What is searched for, until when, what the best so far costs, and what is left untried.

    Who takes schedules from :func:`candidates` sets ``cost``: nothing dearer is looked for, and
    nothing at all when it is down to ``floor``, which no schedule beats.

    >>> from graycube.layout import Layout
    >>> from graycube.search.flow import least_flow
    >>> task, machine = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=4), Machine(dims=2)
    >>> ScheduleSearch(task, machine, least_flow(task, machine)).untried
    []
    """

    task: Task
    machine: Machine
    flow: Flow
    deadline: float = inf
    tell: Tell = silent
    cost: float = inf
    floor: float = 0.0
    untried: list[str] = field(default_factory=list)
    proved: int = 0
    """Fewer cycles than these are impossible, if elements go one by one."""
    stop: float = field(init=False)
    """When the last solver has to end."""

    def __post_init__(self) -> None:
        self.stop = part_of(self.deadline, _SEARCHING)

    @property
    def over(self) -> bool:
        """Whether nothing better can be found, or not in time."""
        return self.cost <= self.floor or left(self.stop) <= 0

    @property
    def most_ways(self) -> int:
        """The most ways of a schedule that there is time to check."""
        return int(min(MAX_WAYS, _CHECKED * max(0.0, left(self.deadline))))

    def skip(self, what: str, why: str = "time ran out") -> None:
        """Write down what was not tried to its end."""
        self.untried.append(what)
        self.tell(f"{what}: {why}")


def candidates(search: ScheduleSearch) -> Iterator[Schedule]:
    """Schedules, in no order of price; none where blocks do not stay whole.

    >>> from graycube.layout import Layout
    >>> from graycube.search.flow import least_flow
    >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=4)
    >>> machine = Machine(dims=2)
    >>> search = ScheduleSearch(task, machine, least_flow(task, machine))
    >>> sorted({schedule.algorithm for schedule in candidates(search)})
    ['integer program', 'periods', 'rounds']
    >>> search.untried
    []
    """
    task, demand = search.task, search.flow.demand
    require_whole(task, search.machine)
    if not len(demand.homes):
        yield schedule_of(task, "nothing moves", demand, ())
        return
    waiting, seconds = _numbers(search), _SECONDS
    yield from _in_units(search, waiting, part_of(search.stop, 0.5), seconds)
    if search.machine.switching != "circuit":
        yield from _in_periods(search, part_of(search.stop, 1 / 3))
        yield from _in_rounds(search)
    for _ in range(_AGAIN):
        seconds *= 4
        if not search.over:
            yield from _in_units(search, waiting, search.stop, seconds)
    for entry in waiting:
        fewest, most = entry.least, _worth(search, entry)
        cycles = f"{fewest} to {most}" if fewest < most else f"{most}"
        search.skip(f"{entry.units} units in {cycles} cycles")
    if search.cost <= search.floor:
        search.untried.clear()


@dataclass
class _Units:
    """So many units of a block: from ``least`` to ``most`` cycles may do, and help."""

    units: int
    least: int
    most: int


def _numbers(search: ScheduleSearch) -> list[_Units]:
    """Numbers of units that may be cheaper than what is known, the cheapest first."""
    task, found = search.task, []
    slots = task.source.block_size
    for units in {task.block, *(few * slots for few in _UNITS)}:
        if units <= task.block:
            flows = flows_of(replace(task, block=units), search.machine)
            least = max(flows.least, ceil(units * search.flow.bound))
            if units == task.block:
                search.proved = least
            found.append(_Units(units, least, flows.enough))
    found.sort(key=lambda entry: entry.least * _shortest(search, entry.units))
    return [entry for entry in found if entry.least <= _worth(search, entry)]


def _shortest(search: ScheduleSearch, units: int) -> float:
    """What a round of single units costs at least; some have an element more than others."""
    return search.machine.message_time(search.task.block // units * search.task.itemsize)


def _worth(search: ScheduleSearch, entry: _Units) -> int:
    """The most cycles that are tried: what is cheaper than the best, and not too large."""
    most = min(entry.most, _ARCS // arcs(search.task.n, 1))
    if search.cost < inf:
        most = min(most, ceil(search.cost / _shortest(search, entry.units)) - 1)
    return most


def _in_units(
    search: ScheduleSearch, waiting: list[_Units], deadline: float, seconds: float
) -> Iterator[Schedule]:
    """The fewest cycles of the units that wait, so many seconds each; who is decided leaves."""
    for number, entry in enumerate(entries := waiting.copy()):
        equal = part_of(deadline, 1 / (len(entries) - number))
        yield from _fewest(search, entry, min(equal, deadline_after(seconds)))
        if entry.least > _worth(search, entry):
            waiting.remove(entry)


def _fewest(search: ScheduleSearch, entry: _Units, until: float) -> Iterator[Schedule]:
    """Fewer and fewer cycles, by halves; what is not known in time counts as too few."""
    task = replace(search.task, block=entry.units)
    nodes = np.arange(1 << task.n)
    apart = replace(search.flow.demand, classes=nodes, alike=nodes[:1])
    low = entry.least
    while low <= (high := _worth(search, entry)) and left(until) > 0:
        cycles = (low + high) // 2
        what = f"{entry.units} units in {cycles} cycles"
        seconds = left(until) / (high - low + 1).bit_length()
        try:
            moves = feasible(task, search.machine, cycles, time_limit=seconds)
        except UndecidedError:
            search.tell(f"{what}: not known in {seconds:.3g} s")
            low = cycles + 1
            continue
        search.tell(f"{what}: {'impossible' if moves is None else 'found'}")
        if moves is None:
            entry.least = low = cycles + 1
            if entry.units == search.task.block:
                search.proved = entry.least
        else:
            entry.most = cycles - 1
            yield schedule_of(search.task, "integer program", apart, _of_moves(moves))


def _of_moves(moves: Moves) -> Iterator[Share]:
    """The ways of single elements."""
    hops: dict[int, list[tuple[int, int]]] = {}
    order = np.argsort(moves.cycle, kind="stable")
    for row in order.tolist():
        hop = int(moves.cycle[row]), int(moves.dimension[row])
        hops.setdefault(int(moves.element[row]), []).append(hop)
    for element, way in sorted(hops.items()):
        yield Share(element // moves.task.block, 1, tuple(way))


def _in_periods(search: ScheduleSearch, deadline: float) -> Iterator[Schedule]:
    """Groups of few units, whose periods are nearly as short as the flow allows."""
    task, machine, demand = search.task, search.machine, search.flow.demand
    least = machine.cheapest
    share = float(search.flow.bound)
    fits = sorted(range(1, _GROUP + 1), key=lambda units: ceil(units * share) / units)
    for units, fraction in zip(fits[:2], (0.5, 1.0), strict=True):
        what, until = f"groups of {units} units", part_of(deadline, fraction)
        if search.over:
            search.skip(what)
            continue
        try:
            found = period(demand, machine.links_at_once, units, deadline=until)
        except UndecidedError as error:
            search.skip(what, str(error.found))
            continue
        if not found.ended:
            search.skip(f"better {what}")
        groups = _groups(search, found)
        search.tell(f"{groups} {what}, one every {found.rounds} rounds")
        size = task.block * task.itemsize / (groups * units)
        if found.total(groups) * (least.startup + size * least.per_byte) < search.cost:
            yield schedule_of(task, "periods", demand, found.shares(groups))


def _groups(search: ScheduleSearch, found: Period) -> int:
    """As many groups as are cheapest, and as there is time to check."""
    task = search.task

    def price(groups: int) -> float:
        size = ceil(task.block / (groups * found.units))
        return found.total(groups) * search.machine.message_time(size * task.itemsize)

    most = max(1, min(task.block // found.units, search.most_ways // max(1, len(found.ways))))
    counts = {min(most, ceil(1.3**k)) for k in range(60)}
    return min(sorted(counts), key=price)


def _in_rounds(search: ScheduleSearch) -> Iterator[Schedule]:
    """The cheapest of each number of rounds, until more of them cannot pay."""
    task, machine, demand = search.task, search.machine, search.flow.demand
    ports, flow, least = machine.links_at_once, float(search.flow.bound), machine.cheapest
    bytes_ = flow * task.block * task.itemsize * least.per_byte
    best: Point | None = None

    def price(point: Point, whole: Callable[[float], int] = ceil) -> float:
        sizes = (whole(part * task.block) for part in point.steps.lengths)
        return sum(machine.message_time(size * task.itemsize) for size in sizes)

    for rounds in _numbers_of_rounds(search):
        if best is not None and best.steps.volume <= flow * _AT_FLOW:
            return
        if rounds * least.startup + bytes_ >= search.cost:
            return
        name = f"{rounds} rounds"
        if search.over:
            search.skip(f"{name} or more")
            return
        dives = shorter(demand, ports, rounds, after=best, tries=_TRIES, deadline=search.stop)
        points = list(_in_time(search, name, dives))
        if not points:
            continue
        best = points[-1]
        cheapest = min(points, key=price)
        if price(cheapest, floor) >= search.cost:
            continue
        ways = list(shares(demand, cheapest.steps))
        if len(ways) > search.most_ways:
            search.skip(f"{len(ways)} ways in {name}", "there is no time to check them")
            continue
        yield schedule_of(task, "rounds", demand, ways)


def _numbers_of_rounds(search: ScheduleSearch) -> Iterator[int]:
    """From the fewest on, first one by one."""
    n = search.task.n
    rounds, few = _farthest(search.task), search.machine.links_at_once < n
    while rounds <= (_MORE * n if few else n + _MORE):
        yield rounds
        rounds += max(1, rounds // _STEP)


def _in_time(search: ScheduleSearch, name: str, points: Iterable[Point]) -> Iterator[Point]:
    """The points that are found before time runs out."""
    try:
        for point in points:
            search.tell(f"{name}: {point.steps.volume:.4f} blocks")
            yield point
    except UndecidedError as error:
        search.skip(name, error.found)


def _farthest(task: Task) -> int:
    return max((u ^ task.move(u)).bit_count() for u in range(1 << task.n))
