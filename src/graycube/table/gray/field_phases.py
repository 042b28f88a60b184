"""Several fields on all ports, in three fifths of the block and a few cycles for each field.

The phases. F fields share out the block in F shares. In phase p share j converts field j + p,
modulo F, over the links of this field alone, so shares never meet. A conversion takes nodes to
nodes one to one, so in every phase each node has a share of just one home. A phase takes as
long as its slowest field alone takes for one share: three fifths of it and some cycles more,
which makes 3K/5 for all phases. Where all fields have two bits, a half of a share is enough.

The fifths. A fifth of a share follows one list of exchanges on all nodes, or one in each of two
or four subcubes that top bits tell apart (:mod:`graycube.table.gray.class_routes`). Which fifth
is which goes round from field to field: so none depends on many bits, and ways are few.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, product

from graycube.machine import Machine
from graycube.schedule import Schedule, Task, Way, hop
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import Field, converted, why_no_conversion
from graycube.table.gray import class_routes, two_cube
from graycube.table.gray.routes import Route, too_few_ports, unit_size, widths_of

MAX_FIELDS = 4
"""Four take 120 ways; six would take several hundred, which are slow to price."""
_FIFTHS = 5
_TWO = 2


def applicable(task: Task, machine: Machine) -> str | None:
    """Several fields, but not too many."""
    reason = why_no_conversion(task, machine)
    if reason is not None:
        return reason
    widths = widths_of(task)
    if not _TWO <= len(widths) <= MAX_FIELDS:
        return f"it converts {_TWO} to {MAX_FIELDS} fields"
    return too_few_ports(machine, sum(widths))


def emit(task: Task, machine: Machine) -> Schedule:
    """The ways of all parts of all shares."""
    fields, widths = converted(task), widths_of(task)
    unit = unit_size(task, machine, lambda units: sum(_phases(widths, units)))
    units = -(-task.block // unit)
    starts = list(accumulate(_phases(widths, units), initial=0))
    ways, first = list[Way](), 0
    for j, share in enumerate(_shared(units, len(fields))):
        for part, size in enumerate(_parts(widths, share)):
            start, stop = unit * first, min(task.block, unit * (first + size))
            first += size
            for routes in _ways(fields, j, part, share) if start < stop else ():
                hops = tuple(
                    hop(unit * (phase + at), exchange, task.n)
                    for phase, route in zip(starts, routes, strict=False)
                    for at, exchange in route.steps
                )
                mask, value = sum(r.mask for r in routes), sum(r.value for r in routes)
                ways.append(Way(start, stop, hops, mask, value))
    cycles = unit * starts[-1]
    return Schedule(task, "field-phases", range(0, cycles, unit), cycles, tuple(ways))


def _ways(
    fields: Sequence[Field], j: int, part: int, share: int
) -> Iterator[tuple[Route, ...]]:
    """What a part of share j does on each of the subcubes where it differs: a route a phase."""
    widths = [field.width for field in fields]
    choices = []
    for p in range(len(fields)):
        f = (j + p) % len(fields)
        routes = class_routes.routes(fields[f], *_case(widths, f, share))
        choices.append(routes[_turned(widths, part, f)])
    yield from product(*choices)


def _phases(widths: Sequence[int], units: int) -> list[int]:
    """The rounds of every phase: those of its slowest field."""
    shares = list(enumerate(_shared(units, len(widths))))
    return [
        max(_rounds(widths, (j + p) % len(widths), share) for j, share in shares)
        for p in range(len(widths))
    ]


def _rounds(widths: Sequence[int], f: int, share: int) -> int:
    table, sizes = _case(widths, f, share)
    return class_routes.rounds(table, sizes, max(0, widths[f] - 3))


def _case(widths: Sequence[int], f: int, share: int) -> tuple[str, tuple[int, ...]]:
    """The table for a field, and the sizes of the parts of a share that follow its lists."""
    parts = _parts(widths, share)
    sizes = tuple(parts[_turned(widths, k, -f)] for k in range(len(parts)))
    cut = "fifths" if len(parts) == _FIFTHS else "halves"
    return f"{cut} of {'two' if widths[f] == _TWO else 'three'} bits", sizes


def _turned(widths: Sequence[int], part: int, f: int) -> int:
    """The list that a part follows in field number f."""
    return part if max(widths) == _TWO else (part + 2 * f) % _FIFTHS


def _parts(widths: Sequence[int], share: int) -> list[int]:
    """Fifths of a share; or halves: the second goes a longer way, and is the smaller one."""
    if max(widths) > _TWO:
        return _shared(share, _FIFTHS)
    short = min(share, two_cube.rounds(share))
    return [short, share - short]


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
    cycles=lambda widths, block: sum(_phases(widths, block)),
)
