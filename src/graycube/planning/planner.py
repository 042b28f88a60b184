"""From a task and a machine to a plan.

Rules. Every algorithm of the table is a candidate: it emits its schedule, and its price is what
the simulator counts, not a formula. "auto" takes the cheapest, earlier in the table first; what
is known to cost more than another one is not written out.
Only renumbering the ranks is never taken by itself, since it is up to the program whether rank
numbers are free.
"""

from collections.abc import Sequence
from pathlib import Path

from graycube.cost import lower_bounds
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.required import require_axis, require_bits
from graycube.machine import Machine, require_machine
from graycube.planning.candidate import choose
from graycube.planning.files import read_plan_text
from graycube.planning.plan import Plan
from graycube.schedule import Task


def plan(  # noqa: PLR0913
    source: Layout,
    target: Layout,
    block: int,
    *,
    itemsize: int = 1,
    machine: Machine | str,
    algorithm: str = "auto",
) -> Plan:
    """The cheapest way from one layout to another, for blocks of ``block`` elements.

    ``machine`` is a :class:`Machine` or the name of a profile; ``algorithm`` is "auto" or a
    name from the table.

    >>> gray, binary = Layout.nodes(6, "gray"), Layout.nodes(6)
    >>> plan(gray, binary, block=1 << 16, machine="ipsc2").algorithm
    'direct'
    """
    return _made(Task(source, target, block, itemsize), machine, algorithm)


def plan_fft(
    layout: Layout,
    axis: int = -1,
    *,
    itemsize: int = 16,
    machine: Machine | str,
    algorithm: str = "auto",
) -> Plan:
    """The cheapest way to do the exchanges of a transform along an axis of a layout.

    ``itemsize`` is in bytes. :func:`graycube.fft` carries the plan out; arithmetic is not
    counted.

    >>> for ports in (1, "all"):
    ...     machine = Machine(dims=4, ports=ports, startup=1e-4, per_byte=1e-9)
    ...     print(plan_fft(Layout.cyclic(20, 4, nodes="gray"), machine=machine).algorithm)
    bi-sectioning, phase by phase
    16-sectioning
    """
    layout = in_bits(layout, "a plan of a transform")
    stages = tuple(reversed(layout.word_bits(require_axis(axis, len(layout.axes)))))
    return _staged(layout, stages, itemsize, machine, algorithm)


def plan_butterfly(  # noqa: PLR0913
    layout: Layout,
    axis: int = -1,
    bits: Sequence[int] | None = None,
    *,
    itemsize: int = 8,
    machine: Machine | str,
    algorithm: str = "auto",
) -> Plan:
    """The cheapest way to do the exchanges of a butterfly along an axis of a layout.

    The stages are those of ``bits``, in this order; by default all, from the highest down.
    :func:`graycube.butterfly` and :func:`graycube.hadamard` carry the plan out.

    >>> machine = Machine(dims=4, ports="all", startup=1e-6, per_byte=1e-9)
    >>> layout = Layout.consecutive(12, 4, nodes="gray")
    >>> for bits in (range(12), range(11, -1, -1)):  # up, and down
    ...     print(plan_butterfly(layout, bits=bits, machine=machine).cycles)
    256
    640
    """
    layout = in_bits(layout, "a plan of a butterfly")
    k = require_axis(axis, len(layout.axes))
    stages = tuple(layout.word_bits(k).start + bit for bit in require_bits(layout, k, bits))
    return _staged(layout, stages, itemsize, machine, algorithm)


def _staged(
    layout: Layout,
    stages: tuple[int, ...],
    itemsize: int,
    machine: Machine | str,
    algorithm: str,
) -> Plan:
    """The plan of a network with these stages, whose result may be anywhere."""
    task = Task(layout, layout, layout.block_size, itemsize, stages, bool(stages))
    return _made(task, machine, algorithm)


def _made(task: Task, machine: Machine | str, algorithm: str) -> Plan:
    machine = require_machine(machine, task.n)
    in_cube = task.numbered(machine.numbers)
    chosen, priced = choose(in_cube, machine, algorithm)
    made = Plan(task, machine, chosen.schedule, chosen, lower_bounds(in_cube, machine))
    made.__dict__["_priced"] = priced
    return made


def load_plan(path: str | Path) -> Plan:
    """Read a plan, checking all of it; nothing in the file is ever executed.

    The candidates are priced afresh, when they are asked for. A schedule that nobody verified
    loads as well: ask ``plan.verify()``.

    >>> import tempfile
    >>> chosen = plan(Layout.nodes(4, "gray"), Layout.nodes(4), block=64, machine="ipsc1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     chosen.save(Path(folder) / "plan.json")
    ...     load_plan(Path(folder) / "plan.json").schedule == chosen.schedule
    True
    """
    return Plan.from_text(read_plan_text(path), path)
