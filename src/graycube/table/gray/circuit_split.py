"""Two ports and circuits: parts of a block by other paths (TR-20-92 section 3.5).

Rules.

1. *Three parts in two rounds.* First, part 0 goes directly and part 1 to the neighbour across
   the top dimensions of all fields. Then part 2 goes directly and part 1 from there: there all
   conditions are the complementary ones, so its path uses the links that the direct paths
   leave idle. Paths take the dimensions in the order in which every condition has the top bit.
2. *Two parts in one round*, if no field has more than two bits. A block that has to cross the
   lower bit of a field has the top bit 1: one half does so on the other side of the top bit,
   there and back. Field by field, what a path has done is known from where it is.
"""

from collections.abc import Iterator, Sequence

from graycube.machine import Machine
from graycube.schedule import Schedule, Step, Task, Way, hop
from graycube.table.algorithm import Algorithm
from graycube.table.conversion import (
    Field,
    Rounds,
    always,
    converted,
    in_rounds,
    where_not,
    why_no_detour,
)

MOST_PAIRS = 6
"""So many fields of two bits, at most: each doubles the number of ways."""


def applicable(task: Task, machine: Machine) -> str | None:
    """Two ports, circuits, and a cube of two dimensions or more."""
    if machine.switching != "circuit" or machine.links_at_once < 2:
        return "it needs circuits and two ports"
    return why_no_detour(task, machine)


def emit(task: Task, machine: Machine) -> Schedule:  # noqa: ARG001 - the same on all machines
    """In one round if it can be, else in two."""
    fields = converted(task)
    if _are_pairs([field.width for field in fields]):
        ways = tuple(_by_pairs(task, fields))
        half = -(-task.block // 2)
        return Schedule(task, "circuit-split", (0,), half, ways)
    first, second = -(-task.block // 3), -(-(2 * task.block) // 3)
    direct = tuple(exchange for field in fields for exchange in field.steps())
    aside = tuple(always(field.top) for field in fields)
    back = (*map(where_not, direct), *aside)
    rounds: Rounds = [(first, [direct, aside, ()]), (second - first, [(), back, direct])]
    shares = [(0, first), (first, second), (second, task.block)]
    return in_rounds(task, "circuit-split", shares, rounds)


def _are_pairs(widths: Sequence[int]) -> bool:
    return max(widths) == 2 and widths.count(2) <= MOST_PAIRS


def _by_pairs(task: Task, fields: tuple[Field, ...]) -> Iterator[Way]:
    """Both halves of the blocks of nodes with the same top bits."""
    half = -(-task.block // 2)
    tops = [field.top for field in fields]
    mask = sum(1 << top for top in tops)
    for number in range(1 << len(tops)):
        value = sum(1 << top for k, top in enumerate(tops) if number >> k & 1)
        crossing = [field.dims for field in fields if value >> field.top & 1]
        if not crossing:
            yield Way(0, task.block, (), mask, value)
            continue
        short = [low for low, _ in crossing]
        long = [d for low, top in crossing for d in (top, low, top)]
        for start, stop, dims in ((0, half, short), (half, task.block, long)):
            if start < stop:
                yield Way(start, stop, _circuit(dims, task.n), mask, value)


def _circuit(dims: Sequence[int], n: int) -> tuple[Step, ...]:
    return tuple(hop(0, always(d), n) for d in dims)


def _cycles(widths: Sequence[int], block: int) -> int:
    return -(-block // 2) if _are_pairs(widths) else -(-2 * block // 3)


ALGORITHM = Algorithm(
    name="circuit-split",
    paper="TR-20-92 section 3.5",
    ports=2,
    formula="2 s + 2 K t / 3; s + K t / 2 for n = 2",
    applicable=applicable,
    emit=emit,
    cycles=_cycles,
)
