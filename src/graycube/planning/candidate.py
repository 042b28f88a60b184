"""The candidates for a task: every algorithm of the table, with its traffic or a reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isclose

from graycube.cost import Traffic, simulate
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.machine import Link, Machine, require_machine
from graycube.planning.others import counted, offered
from graycube.schedule import Replication, Schedule, Task
from graycube.schedule.replication import of_ways
from graycube.table import Algorithm, algorithms
from graycube.table.known import TABLE
from graycube.table.relabel import without_renumbering

_ASIDE = ("relabel", "convert first")
"""What does something else before, which whoever asks for a part of a program decides."""
_SMALL = "give every node two elements or more"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An algorithm considered for a task: its traffic and price, or why it does not apply.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> for candidate in all_candidates(task, Machine(dims=4))[:4]:
    ...     print(candidate.algorithm.name, candidate.cost)
    relabel 0.0
    direct inf
    gb1 24.0
    gb2 20.0
    """

    algorithm: Algorithm
    traffic: Traffic | None
    cost: float
    reason: str | None

    def __repr__(self) -> str:
        price = f"{self.cost:.4g} s" if self.reason is None else f"left out, {self.reason}"
        return f"<Candidate {self.algorithm.name}: {price}>"


def all_candidates(
    task: Task, machine: Machine, priced: Sequence[Candidate] = ()
) -> tuple[Candidate, ...]:
    """All algorithms for such a task on a machine of the same cube; some are priced already."""
    machine = require_machine(machine, task.n)
    known = {candidate.algorithm.name: candidate for candidate in priced}
    return tuple(known.get(a.name) or _candidate(a, task, machine) for a in _table(task))


def _table(task: Task) -> list[Algorithm]:
    """Networks for butterflies, and conversions for what is only moved."""
    return [algorithm for algorithm in algorithms() if algorithm.network == bool(task.stages)]


def cheapest(task: Task, machine: Machine, algorithm: str = "auto") -> Candidate | None:
    """The cheapest candidate that takes data and ranks as they are, or the named one, if any.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> cheapest(task, Machine(dims=4)).algorithm.name
    'gb3'
    """
    named = (a for a in _table(task) if algorithm in ("auto", a.name))
    found = _promising([a for a in named if a.name not in _ASIDE], task, machine)
    best = min(found, key=lambda candidate: candidate.cost, default=None)
    return None if best is None or best.traffic is None else best


def choose(task: Task, machine: Machine, name: str) -> tuple[Traffic, list[Candidate]]:
    """What the cheapest candidate sends, earlier ones first, and the candidates for that.

    They are all that take data and ranks as they are, or the one of that name.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(4, "gray"), Layout.nodes(4), block=8)
    >>> choose(task, Machine(dims=4), "tight")
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: 'tight' cannot do this: it needs 4 ports; take 'auto', or
    one that can: gb1, gb2, gb3, any-order, few-ports, relabel
    """
    known = [algorithm.name for algorithm in _table(task)]
    if not isinstance(name, str):
        raise InvalidTypeError(
            f"the algorithm is {name!r:.60}", "it is chosen by its name", "pass its name"
        )
    if name not in ("auto", *known):
        raise InvalidValueError(
            f"the algorithm is {name!r:.60}",
            f"the known ones are {', '.join(known)}",
            "choose one of them, or 'auto'",
        )
    nothing_moves = not task.stages and task.move == AffineMap.identity(task.p)
    named = [
        algorithm
        for algorithm in _table(task)
        if algorithm.name == name
        or (name == "auto" and (nothing_moves or algorithm.name != "relabel"))
    ]
    wanted = _promising(named, task, machine)
    priced = [(c.cost, c.traffic) for c in wanted if c.traffic is not None]
    if not priced:
        raise _nothing(all_candidates(task, machine, wanted), wanted, task, name)
    return min(priced, key=lambda entry: entry[0])[1], wanted


def _promising(named: Sequence[Algorithm], task: Task, machine: Machine) -> list[Candidate]:
    """The candidates in the order of the table, without those that cannot be the cheapest."""
    floors = [
        (a.floor(task, machine) if a.floor and a in TABLE and machine.alike else 0.0, k)
        for k, a in enumerate(named)
    ]
    found, (best, first) = dict[int, Candidate](), (inf, 0)
    for floor, k in sorted(floors):
        if k > first if isclose(floor, best) else floor > best:
            continue
        found[k] = _candidate(named[k], task, machine)
        best, first = min((best, first), (found[k].cost, k))
    return [found[k] for k in sorted(found)]


def _nothing(
    candidates: Sequence[Candidate], wanted: Sequence[Candidate], task: Task, name: str
) -> InvalidValueError:
    """Why none of the wanted candidates applies, and which one does."""
    found = f"no schedule from {task.source} to {task.target}"
    if task.stages:
        found = f"no network for {len(task.stages)} bits of {task.source}"
    reasons = "; ".join(dict.fromkeys(str(c.reason) for c in wanted))  # each one once
    applying = [c.algorithm.name for c in candidates if c.traffic is not None]
    others = sorted(applying, key=lambda other: other == "relabel")
    if task.stages and not others:
        return InvalidValueError(found, reasons, "take fft, which finds a way without a plan")
    if others in ([], ["relabel"]):
        hint = "renumber the ranks with algorithm='relabel'" if others else _SMALL
        return InvalidValueError(found, reasons, hint)
    hint = f"take 'auto', or one that can: {', '.join(others)}"
    return InvalidValueError(f"{name!r} cannot do this", reasons, hint)


def _candidate(algorithm: Algorithm, task: Task, machine: Machine) -> Candidate:
    if algorithm.name == "relabel" and algorithm.applicable(task, machine) is not None:
        return _relabelled(algorithm, task, machine)
    priced = list[Candidate]()
    for on in _as_if_alike(machine):
        made = _made(algorithm, task, machine, on, priced)
        if made is not None:
            priced.append(made)
    return min(priced, key=lambda candidate: candidate.cost)


def _made(
    algorithm: Algorithm, task: Task, machine: Machine, on: Machine, known: Sequence[Candidate]
) -> Candidate | None:
    """What an algorithm does for a machine like ``on``, and its cost on ours, unless known."""
    try:
        offer = _offered(algorithm, task, on)
        if isinstance(offer, str):
            return Candidate(algorithm, None, inf, offer)
        if any(one.traffic is not None and one.traffic.schedule == offer for one in known):
            return None
        traffic = simulate(offer) if algorithm in TABLE else counted(offer)
        cost = traffic.time(machine)
    except GraycubeError as error:  # too large for this form of schedule
        return Candidate(algorithm, None, inf, str(error))
    return Candidate(algorithm, traffic, cost, None)


def _offered(
    algorithm: Algorithm, task: Task, machine: Machine
) -> Schedule | Replication | str:
    """The schedule of an algorithm, or why there is none; only those of others are proved."""
    if algorithm not in TABLE:
        return offered(algorithm, task, machine)
    reason = algorithm.applicable(task, machine)
    return algorithm.emit(task, machine) if reason is None else reason


@lru_cache(maxsize=8)  # every algorithm asks for them
def _as_if_alike(machine: Machine) -> tuple[Machine, ...]:
    """The machine, and if its links differ, machines on which all are as one of them.

    Algorithms choose the sizes of messages by how many bytes a start-up is worth, and use as
    many links at once as they may: where links are shared or differ, fewer can be better.
    """
    if machine.alike:
        return (machine,)
    made = [machine]
    links = sorted({*machine.links, machine.cheapest, machine.dearest, *_when_shared(machine)})
    worth = {link.startup / link.per_byte if link.per_byte else inf: link for link in links}
    most = machine.links_at_once
    for link in worth.values():
        for ports in sorted({1, *(wires.ports for wires in machine.wires), most}):
            plain = replace(machine, ports=ports, share=1, sides=(), joined=(), nested=False)
            made.append(replace(plain, startup=link.startup, per_byte=link.per_byte))
    return tuple(made)


def _when_shared(machine: Machine) -> Iterator[Link]:
    """What links that are shared seem to cost where all nodes send."""
    for wires in machine.wires:
        for d in wires.dims:
            crowds = wires.crowds(1 << d)
            rate = sum(crowds) * wires.link.per_byte / wires.ports
            yield Link(len(crowds) * wires.link.startup, rate)


def _relabelled(algorithm: Algorithm, task: Task, machine: Machine) -> Candidate:
    """The cheapest move after which new numbers do the rest."""
    left, numbers = without_renumbering(task)
    if numbers == AffineMap.identity(task.p):
        return Candidate(algorithm, None, inf, "new numbers save nothing")
    best = cheapest(left, machine)
    if best is None or best.traffic is None:
        return Candidate(algorithm, None, inf, f"nothing takes {left.source} there")
    schedule = of_ways(best.traffic.schedule)
    bits = schedule.task.p - task.p
    finer = task.refined(bits) if bits else task
    name = f"{schedule.algorithm}+relabel"
    nodes = AffineMap(Matrix(numbers.matrix.columns[: task.n], task.n), numbers.constant)
    wide = nodes.widened(finer.p)
    renamed = replace(schedule, task=finer, relabel=wide, algorithm=name)
    return Candidate(algorithm, replace(best.traffic, schedule=renamed), best.cost, None)
