"""Several fields on all ports, in three fifths of the block and one fill of the pipelines.

The phases. F fields share out the block in F shares. In phase p share j converts field j + p,
modulo F, over the links of this field alone, so shares never meet in a phase. A conversion
takes nodes to nodes one to one, so after every phase each node has a share of just one home.

The fifths. A fifth of a share follows one list of exchanges on all nodes, or one in each of two
or four subcubes that top bits tell apart (:mod:`graycube.table.gray.class_routes`). Which fifth
is which goes round from field to field: so none depends on many bits, and ways are few. Where
all fields have two bits, a half of a share is enough.

The time. A link serves phase after phase, and in each of them three fifths of a share: that
makes 3K/5. It begins with the next phase at once: what it waits for has arrived, unless a fifth
of a share is smaller than the widest field. So the pipelines fill only once.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Field, converted, why_no_conversion
from graycube.table.gray import class_routes
from graycube.table.gray.class_routes import Begun, Link
from graycube.table.gray.routes import Route, too_few_ports, unit_size, widths_of

MAX_FIELDS = 4
"""Four take 120 ways; six would take several hundred, which are slow to price."""
_FIFTHS = 5
_TWO = 2
_DETOUR = 3


def applicable(task: Task, machine: Machine) -> str | None:
    """Several fields, but not too many."""
    if reason := why_no_conversion(task, machine):
        return reason
    widths = widths_of(task)
    if not _TWO <= len(widths) <= MAX_FIELDS:
        return f"it converts {_TWO} to {MAX_FIELDS} fields"
    return too_few_ports(machine, sum(widths))


def emit(task: Task, machine: Machine) -> Schedule:
    """The ways of all parts of all shares."""
    fields, unit = converted(task), _unit(task, machine)
    units = -(-task.block // unit)
    begun = _begun(fields, units)
    ways, first = list[Way](), 0
    for j, share in enumerate(_shared(units, len(fields))):
        for part, size in enumerate(_parts(fields, share)):
            start, stop = unit * first, min(task.block, unit * (first + size))
            first += size
            for routes in _routes(fields, j, part, share, begun[j]) if start < stop else ():
                hops = (
                    hop(unit * at, exchange, task.n)
                    for route in routes
                    for at, exchange in route.steps
                )
                mask, value = sum(r.mask for r in routes), sum(r.value for r in routes)
                ways.append(Way(start, stop, tuple(hops), mask, value))
    cycles = unit * _last(begun)
    return Schedule(task, "field-phases", range(0, cycles, unit), cycles, tuple(ways))


def price(task: Task, machine: Machine) -> float:
    """What its schedule costs."""
    unit = _unit(task, machine)
    rounds = _rounds(converted(task), -(-task.block // unit))
    return rounds * machine.message_time(unit * task.itemsize)


def _unit(task: Task, machine: Machine) -> int:
    """The elements of a unit."""
    fields = converted(task)
    return unit_size(task, machine, lambda units: _rounds(fields, units))


def _routes(
    fields: Sequence[Field], j: int, part: int, share: int, begun: Sequence[Begun]
) -> Iterator[tuple[Route, ...]]:
    """What a part of share j does on each of the subcubes where it differs: a route a phase."""
    choices = []
    for p, phase in enumerate(begun):
        f = (j + p) % len(fields)
        routes = class_routes.routes(fields[f], *_case(fields, f, share), phase.starts)
        choices.append(routes[_turned(fields, part, f)])
    yield from product(*choices)


@lru_cache(maxsize=1 << 12)
def _rounds(fields: tuple[Field, ...], units: int) -> int:
    """The rounds for so many units.

    Once parts are larger than the widest field, a unit more in each part of each share takes
    as many rounds more as these units take on the busiest link.
    """
    parts, busiest = (2, 1) if _all_narrow(fields) else (5, 3)
    group = parts * len(fields)
    spare = units // group - 1 - max(_DETOUR, *(field.width for field in fields))
    if spare > 0:
        return _rounds(fields, units - spare * group) + spare * busiest * len(fields)
    return _last(_begun(fields, units))


def _last(begun: Sequence[Sequence[Begun]]) -> int:
    """The rounds until all have arrived."""
    return max(phase.rounds for share in begun for phase in share)


def _begun(fields: Sequence[Field], units: int) -> list[list[Begun]]:
    """When each share begins what in each phase."""
    shares = _shared(units, len(fields))
    ready = [[0] * len(_parts(fields, share)) for share in shares]
    free: list[dict[Link, int]] = [{} for _ in fields]
    found: list[list[Begun]] = [[] for _ in shares]
    for p, (j, share) in product(range(len(fields)), enumerate(shares)):
        f = (j + p) % len(fields)
        turned = [_turned(fields, part, -f) for part in range(len(ready[j]))]
        when = [ready[j][part] for part in turned]
        found[j].append(class_routes.begin(fields[f], *_case(fields, f, share), when, free[f]))
        for part, through in zip(turned, found[j][p].through, strict=True):
            ready[j][part] = through
    return found


def _case(fields: Sequence[Field], f: int, share: int) -> tuple[str, list[int]]:
    """The table for a field, and the sizes of the parts of a share that follow its lists."""
    parts = _parts(fields, share)
    sizes = [parts[_turned(fields, k, -f)] for k in range(len(parts))]
    cut = "halves" if _all_narrow(fields) else "fifths"
    return f"{cut} of {'two' if fields[f].width == _TWO else 'three'} bits", sizes


def _turned(fields: Sequence[Field], part: int, f: int) -> int:
    """The list that a part follows in field number f."""
    return part if _all_narrow(fields) else (part + 2 * f) % _FIFTHS


def _parts(fields: Sequence[Field], share: int) -> list[int]:
    """Fifths of a share; or halves, the second for what is not through before a detour ends."""
    if not _all_narrow(fields):
        return _shared(share, _FIFTHS)
    short = max(share - share // 2, min(share, _DETOUR))
    return [short, share - short]


def _all_narrow(fields: Sequence[Field]) -> bool:
    return all(field.width == _TWO for field in fields)


def _shared(units: int, count: int) -> list[int]:
    """Shares that differ by at most one."""
    return [(units + count - 1 - j) // count for j in range(count)]


ALGORITHM = Algorithm(
    name="field-phases",
    paper="beyond the papers",
    ports="all",
    formula="about 3K/5 cycles for several fields, K/2 if all have two bits",
    applicable=applicable,
    emit=emit,
)
