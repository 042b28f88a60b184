"""Which plan is drawn: the whole one, a smaller one of the same kind, or rounds alone.

Rules. A page has so many crossings at most; prices and proofs are always those of the whole
plan. A smaller block, or an array without what both layouts keep in memory, keeps the shape of
the schedule if the start-up shrinks with it, because then messages are cut in the same way. A
smaller plan is drawn only where the algorithm of the table made the schedule: what else came
from a file cannot be made again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from graycube.errors import GraycubeError
from graycube.machine import Machine
from graycube.planning import Plan, plan as make_plan
from graycube.schedule import Moves, Task
from graycube.texts import counted
from graycube.view.page.shrunk import shrunk

MAX_CROSSINGS = 40_000
MAX_CYCLES = 20_000
MAX_ELEMENTS = 1 << 14
_LEGIBLE = 8  # elements of a block, where that is possible
_USUAL = 16
_RELABEL = "relabel"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The plan that is drawn, its crossings, or ``None`` where only rounds are shown.

    ``note`` says what is not as in the whole plan.
    """

    plan: Plan
    moves: Moves | None
    note: str


def drawn(plan: Plan, block: int | None = None) -> Drawn:
    """What can be drawn of a plan, with so many elements of a block if that is possible.

    >>> from graycube import Layout, Machine, plan
    >>> machine = Machine(dims=6, startup=1e-3, per_byte=4e-7)
    >>> large = plan(Layout.nodes(6, "gray"), Layout.nodes(6), 65536, machine=machine)
    >>> small = drawn(large)
    >>> large.algorithm, small.plan.algorithm, small.plan.task.block, small.plan.rounds
    ('gb3', 'gb3', 8, 6)
    >>> print(small.note)
    Drawn with 8 elements on each node instead of 65536, so that each stands for 8192; the
    prices are those of the whole plan.
    """
    whole = fits(plan)
    smaller = None if whole and block in (None, plan.task.block) else _smaller(plan, block)
    if smaller is not None:
        return Drawn(smaller, smaller.moves(), _note(smaller, plan))
    return Drawn(plan, plan.moves(), "") if whole else Drawn(plan, None, _why_rounds(plan))


def fits(plan: Plan) -> bool:
    """Whether all elements of a plan can be drawn.

    >>> from graycube import Layout, plan
    >>> gray, binary = Layout.nodes(4, "gray"), Layout.nodes(4)
    >>> [fits(plan(gray, binary, block, machine="ideal")) for block in (16, 1 << 20)]
    [True, False]
    """
    return next(_excesses(plan), None) is None


def _excesses(plan: Plan) -> Iterator[str]:
    """What there is too much of to be drawn."""
    for count, most, what in (
        (plan.task.block << plan.task.n, MAX_ELEMENTS, "elements"),
        (plan.schedule.cycles, MAX_CYCLES, "cycles"),
        (plan.traffic.crossings, MAX_CROSSINGS, "moves"),
    ):
        if count > most:
            yield f"there are {count} {what}, a page shows at most {most}"


def _note(smaller: Plan, plan: Plan) -> str:
    amount = counted(smaller.task.block, "element")
    changes = [f"{amount} on each node instead of {plan.task.block}"]
    shapes = [" x ".join(map(str, p.task.source.shape)) for p in (smaller, plan)]
    if shapes[0] != shapes[1]:
        changes.append(f"an array of {shapes[0]} instead of {shapes[1]}")
    if smaller.rounds != plan.rounds:
        changes.append(f"in {smaller.rounds} rounds instead of {plan.rounds}")
    share, rest = divmod(plan.task.block, smaller.task.block)
    if len(changes) == 1 and not rest and smaller.cycles * share == plan.cycles:
        changes[0] += f", so that each stands for {share}"
    return f"Drawn with {', '.join(changes)}; the prices are those of the whole plan."


def _why_rounds(plan: Plan) -> str:
    why = "no smaller array moves in the same way"
    if not _from_table(plan):
        why = "the schedule is from a file, and cannot be made for a smaller block"
    return f"Nothing is drawn: {next(_excesses(plan))}, and {why}. A table has the rounds."


def _smaller(plan: Plan, block: int | None) -> Plan | None:
    """The same for another block: with as many rounds if possible, and as small as that."""
    if not _from_table(plan):
        return None
    tasks = chain(_smaller_blocks(plan.task, block), _smaller_arrays(plan.task, block))
    found = [made for task in tasks if (made := _remade(plan, task)) is not None]
    alike = [made for made in found if made.rounds == plan.rounds]
    usual = [made for made in found if made.task.block >= _USUAL]
    return next(iter((*alike, *usual, *reversed(found))), None)


def _from_table(plan: Plan) -> bool:
    made = (c.traffic.schedule for c in plan.candidates if c.traffic is not None)
    return plan.schedule in made


def _smaller_blocks(task: Task, block: int | None) -> Iterator[Task]:
    """The layouts with a smaller payload."""
    sizes = _sizes(task) if block is None else [block]
    yield from (
        replace(task, block=size) for size in sizes if size % task.source.block_size == 0
    )


def _smaller_arrays(task: Task, block: int | None) -> Iterator[Task]:
    """Layouts of smaller arrays, without a payload, in ascending order."""
    most = MAX_ELEMENTS >> task.n
    for source, target in reversed(list(shrunk(task))):
        size = source.block_size
        if size == block or (block is None and _LEGIBLE <= size <= most):
            yield Task(source, target, size, task.itemsize)


def _sizes(task: Task) -> list[int]:
    """Smaller blocks in ascending order: divisors of the block if there are any."""
    held = task.source.block_size
    payload, most = task.block // held, (MAX_ELEMENTS >> task.n) // held
    payloads = [m for m in range(1, min(most, payload - 1) + 1) if payload % m == 0]
    if payloads[-1:] in ([], [1]):  # of a prime payload any share is as good
        payloads = [m for m in (1, 2, 4, 8, 16, 32, 64) if m < payload and m <= most]
    sizes = [m * held for m in payloads]
    return [size for size in sizes if size >= _LEGIBLE] or sizes


def _remade(plan: Plan, task: Task) -> Plan | None:
    name = plan.algorithm
    algorithm = _RELABEL if name.endswith(_RELABEL) else name
    machine = _scaled(plan.machine, task.block, plan.task.block)
    try:
        made = make_plan(
            task.source,
            task.target,
            task.block,
            itemsize=task.itemsize,
            machine=machine,
            algorithm=algorithm,
        )
    except GraycubeError:  # it does not apply to so small a block
        return None
    return made if made.algorithm == name and fits(made) else None


def _scaled(machine: Machine, block: int, whole: int) -> Machine:
    """The machine on which a smaller block is cut into messages as the whole one is here."""
    packet = machine.packet and max(1, machine.packet * block // whole)
    startup = tuple(link.startup * block / whole for link in machine.links)
    return replace(machine, startup=startup or 0.0, packet=packet)
