"""A plan: the schedule that was chosen, and what can be asked of it and done with it."""

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.cost import Bound, Traffic, lower_bounds
from graycube.errors import InvalidValueError
from graycube.host import host_array
from graycube.machine import Machine, require_machine
from graycube.planning.candidate import Candidate, all_candidates
from graycube.planning.explain import sheet_of
from graycube.planning.files import parsed_plan, plan_text, unreadable
from graycube.planning.others import counted, require_schedule
from graycube.run import (
    Execution,
    agreed,
    apply,
    bind,
    execute,
    renumbered,
    require_comm,
    scripts,
)
from graycube.run.agreement import Told
from graycube.run.local import require_blocks, require_out
from graycube.run.script import Script
from graycube.schedule import Action, Moves, Replication, Schedule, Task, actions, dump, expand
from graycube.show import Shown, text
from graycube.verify import Report, check_schedule
from graycube.whole_files import write_whole

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MANY_ROUNDS = 1 << 10
"""More rounds than this are worth a warning where the machine says that rounds cost nothing."""


@dataclass(frozen=True)
class Plan(Shown):
    """A task, a machine, the chosen schedule, its price, its bound, and the rivals.

    ``untried`` is what :func:`synthesize` left untried when its time ran out. The task, and
    blocks and ranks where the plan is carried out, have the numbers of nodes that users know;
    on a torus with squares the ``schedule`` and its moves have those of the cube,
    ``machine.numbers`` of them.

    >>> import graycube as gc
    >>> machine = gc.Machine(dims=6, startup=1e-3, per_byte=3.57e-7)
    >>> gray, binary = gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6)
    >>> chosen = gc.plan(gray, binary, block=65536, machine=machine)
    >>> chosen.algorithm, chosen.rounds, chosen.cycles
    ('gb3', 6, 196608)
    >>> round(chosen.cost, 4), round(chosen.lower_bound, 4), bool(chosen.verify())
    (0.0762, 0.072, True)
    """

    task: Task
    machine: Machine
    schedule: Schedule | Replication
    traffic: Traffic
    bounds: tuple[Bound, ...]
    untried: tuple[str, ...] = ()

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The whole table, priced for the task; what was not needed before, when asked for.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4)
        >>> made = gc.plan(gray, binary, block=8, machine="ideal")
        >>> made.candidates[2]
        <Candidate gb1: 24 s>
        """
        in_cube = self.task.numbered(self.machine.numbers)
        return all_candidates(in_cube, self.machine, self._priced)

    @cached_property
    def _priced(self) -> list[Candidate]:
        """Those of which this plan took the cheapest."""
        return []

    def __reduce__(self) -> tuple[Any, ...]:
        """A plan goes to other processes as the text of its file, and is checked there."""
        return Plan.from_text, (plan_text(self.schedule, self.machine), "what was sent")

    def __repr__(self) -> str:
        gap = f", {self.cost / self.lower_bound:.3g} x bound" if self.lower_bound else ""
        where = f"{1 << self.task.n} nodes"
        unit = "s" if self.machine.priced else "bytes in sequence"
        price = f"{self.rounds} rounds, {self.cost:.4g} {unit}"
        return f"<Plan {self.algorithm}: {price}{gap}, {where}>"

    @property
    def algorithm(self) -> str:
        """Name of the chosen algorithm."""
        return self.schedule.algorithm

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return self.traffic.cycles

    @property
    def rounds(self) -> int:
        """Number of rounds in which something moves."""
        return self.traffic.nonempty

    @property
    def cost(self) -> float:
        """Seconds on the machine."""
        return self.traffic.time(self.machine)

    @cached_property
    def in_step(self) -> int:
        """Of how many rounds each begins for all ranks at once; 0 where ranks go ahead.

        >>> import graycube as gc
        >>> rows, columns = (gc.Layout.mesh((8, 8), nodes=n) for n in ((8, 1), (1, 8)))
        >>> ring = gc.Machine.torus((8,), startup=1e-5, per_byte=1e-9)
        >>> made = gc.plan(rows, columns, 1 << 20, machine=ring, algorithm="exchange")
        >>> made.rounds, made.in_step
        (3, 3)
        """
        return len(self.schedule.rounds) if self.traffic.meetings(self.machine) else 0

    @property
    def lower_bound(self) -> float:
        """Seconds that no schedule can beat which leaves the ranks as they are."""
        return max(bound.seconds for bound in self.bounds)

    @property
    def optimal(self) -> bool:
        """Whether the cost is the bound, but for rounding: nothing is cheaper.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)
        >>> gc.plan(gray, binary, 7, machine=gc.Machine(dims=2, startup=3.0)).optimal
        True
        """
        return self.cost <= self.lower_bound * (1 + 1e-12)

    @property
    def can_renumber(self) -> bool:
        """Whether new node numbers would save some or all of the moving.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> gc.plan(gray, binary, 4, machine="ideal").can_renumber
        True
        """
        relabel = (c for c in self.candidates if c.algorithm.name == "relabel")
        return any(candidate.traffic is not None for candidate in relabel)

    def explain(self, *, why: bool = False) -> str:
        """What was chosen and why, what was rejected, the bound and the gap, as a table.

        Algorithms that do not apply are counted; with ``why`` each has its reason.

        >>> import graycube as gc
        >>> machine = gc.Machine(dims=4, startup=100.0, per_byte=1.0)
        >>> gray, binary = gc.Layout.nodes(4, "gray"), gc.Layout.nodes(4)
        >>> print(gc.plan(gray, binary, 64, machine=machine).explain())
        64 elements of 1 byte on each of 16 nodes; 1 port, store-and-forward
        candidate    rounds  cycles  link bytes  seconds
        relabel           0       0           0        0  if the ranks may be renumbered
        gb1               3     192        1536      492  chosen
        gb2               5     160        2560      660  1.341 times the chosen one
        gb3               4     128        2048      528  1.073 times the chosen one
        any-order         3     192        1536      492  as gb1 here
        few-ports         3     192        1536      492  as gb1 here
        lower bound                                  492  start-ups and bytes (3 start-ups,
                                                          and 3 blocks, which up to 3
                                                          rounds need)
        The chosen schedule meets the bound: it is optimal.
        The plan takes 3 start-ups (300 s) and 192 bytes in sequence (192 s).
        Next is gb3: 1 start-up more (100 s), 64 bytes less (64 s). With about 101 elements or
        more, gb3 is cheaper.
        24 other algorithms do not apply: explain(why=True) says why.
        """
        return text(sheet_of(self, counted_only=not why))

    _sheet = sheet_of

    def verify(self) -> Report:
        """Prove the schedule by algebra and, where affordable, element by element.

        It raises nothing: the report is true when nothing is wrong. Where algebra does not
        decide, the elements do, if they are at most 2^18; the report says so.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(30, "gray"), gc.Layout.nodes(30)
        >>> print(gc.plan(gray, binary, block=64, machine=gc.Machine(dims=30)).verify())
        by algebra: nothing is wrong (share, end, time, link, ports, round);
        a node holds at most 64 elements
        """
        return check_schedule(self.schedule, self.machine, twice=True)

    def moves(self) -> Moves:
        """The schedule written out: every crossing of a link by an element.

        >>> import graycube as gc
        >>> machine = gc.Machine(dims=3)
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> len(gc.plan(gray, binary, 4, machine=machine).moves())
        48
        """
        return expand(self.schedule)

    def actions(self, node: int) -> tuple[Action, ...]:
        """What one node does, which it can tell from its own address.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> for action in gc.plan(gray, binary, block=4, machine=gc.Machine(dims=3)).actions(7):
        ...     print(action)
        cycles 0 to 1: exchange positions 2 to 3 over dimension 1
        cycles 2 to 3: exchange positions 2 to 3 over dimension 0
        cycles 4 to 5: exchange positions 0 to 1 over dimension 1
        """
        return actions(self.schedule, self._in_cube(node))

    def apply(self, blocks: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Carry the plan out in this process; the first axis of ``blocks`` is the node.

        ``out`` may be ``blocks`` itself. Whatever follows the elements of a block is payload.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2)
        >>> blocks = gray.scatter([10, 11, 12, 13])
        >>> moved = gc.plan(gray, binary, block=1, machine=gc.Machine(dims=2)).apply(blocks)
        >>> moved.ravel().tolist()
        [10, 11, 12, 13]
        """
        if not self.machine.renumbers:
            return apply(self.schedule, blocks, out)
        given, order = host_array(blocks), self.machine.numbers(np.arange(1 << self.task.n))
        require_blocks(self.task, given)
        in_cube = np.empty_like(given)
        in_cube[order] = given
        moved = apply(self.schedule, in_cube)[order]
        if out is None:
            return moved
        require_out(out, given)
        out[...] = moved
        return out

    def _in_cube(self, node: int) -> int:
        """The number in the cube of a node, if there is such a node."""
        return self.machine.numbers(node) if 0 <= node < 1 << self.task.n else node

    def execute(
        self, block: ArrayLike, comm: "Intracomm", out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """The block of this rank in, its new block out; collective over a rank for each node.

        Node u is rank u. All ranks agree first that they have the same plan, shape and dtype;
        if any of them has not, all raise the same error. To run it again and again on one
        array, :meth:`bind` it.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> def program(comm):  # under mpiexec -n 8
        ...     chosen = gc.plan(gray, binary, block=4, itemsize=8, machine="ideal")
        ...     return chosen.execute([comm.rank] * 4, comm)
        """
        return execute(self.task, self._told, self.identity, block, comm=comm, out=out)

    def bind(
        self, block: ArrayLike, comm: "Intracomm", out: NDArray[Any] | None = None
    ) -> Execution:
        """The plan bound to arrays: ``bound.run()`` carries it out as often as wanted.

        Buffers and requests are made once. What is in ``block`` when it runs is what is sent,
        and ``bound.result``, which is ``out`` if given, has the new block.

        >>> import graycube as gc
        >>> def program(comm, block):
        ...     gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        ...     chosen = gc.plan(binary, gray, 4, machine="ideal")
        ...     bound = chosen.bind(block, comm)
        ...     for _ in range(100):
        ...         block += bound.run()
        """
        return bind(self.task, self._told, self.identity, block, comm=comm, out=out)

    def _told(self, node: int) -> Script:
        """The script of a node; the first one tells how many rounds there are, if too many.

        It does so while the ranks still agree: where warnings are errors, all ranks raise it.
        """
        if node == 0 and self.rounds > MANY_ROUNDS and self.machine.startup == 0:
            warn(
                f"the plan has {self.rounds} rounds, since its machine has no start-up; "
                "measure the real one with graycube.calibrate, or say Machine(startup=...)",
                stacklevel=6,  # who called bind or execute
            )
        return self._script(node)

    def renumbered(self, comm: "Intracomm") -> "Intracomm":
        """The communicator in which ranks have the new node numbers; collective.

        That is ``comm`` itself unless the schedule renumbers nodes, as ``relabel`` does: then
        the block that :meth:`execute` gives belongs to the rank's number in the new one. It
        is made once, the one that ``CubeArray.relayout`` has, and freed with ``comm``.

        >>> import graycube as gc
        >>> def program(comm, block):
        ...     gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        ...     chosen = gc.plan(gray, binary, 4, machine="ideal", algorithm="relabel")
        ...     return chosen.execute(block, comm), chosen.renumbered(comm)
        """
        nodes = 1 << self.task.n
        own = agreed(comm, lambda: (require_comm(comm, nodes), self._alike))
        return own if self._numbers is None else renumbered(own, self._numbers)

    @cached_property
    def _alike(self) -> Told:
        """What all ranks must have alike that only need the plan."""
        return Told(plan=self.identity)

    @cached_property
    def _numbers(self) -> list[int] | None:
        """The new numbers of the nodes, if they get any."""
        relabel, numbers = self.schedule.relabel, self.machine.numbers
        if relabel is None:
            return None
        nodes = np.arange(1 << self.task.n)
        moved = relabel(numbers(nodes)) & len(nodes) - 1
        found: list[int] = numbers.inverse()(moved).tolist()
        return found

    def _script(self, node: int) -> Script:
        if node not in self._scripts:
            at = self._in_cube(node)
            (made,) = scripts(self.schedule, range(at, at + 1))
            back = self.machine.numbers.inverse()
            made = replace(made, in_step=self.in_step)
            self._scripts[node] = made.numbered(back) if self.machine.renumbers else made
        return self._scripts[node]

    @cached_property
    def _scripts(self) -> dict[int, Script]:
        return {}

    @cached_property
    def identity(self) -> str:
        """What two plans have alike if they have the same schedule, and both go in step or not.

        >>> import graycube as gc
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> gc.plan(gray, binary, 4, machine="ideal").identity.partition(",")[0]
        'minimum-path'
        """
        digest = sha256(dump(self.schedule).encode()).hexdigest()
        how = ", in step" if self.in_step else ""
        return f"{self.algorithm}, digest {digest[:16]}{how}"

    @classmethod
    def from_text(cls, text: str, path: str | Path) -> "Plan":
        """The plan that a text says; errors say that it is from the path.

        >>> Plan.from_text("[]", "notes.txt")
        Traceback (most recent call last):
        ...
        graycube.errors.InvalidValueError: notes.txt is no plan: its format is not
        'graycube plan'; see docs/format.md
        """
        schedule, machine = parsed_plan(text, path)
        try:
            return cls.from_schedule(schedule, machine)
        except InvalidValueError as error:  # they do not fit
            raise unreadable(path, str(error)) from None

    @classmethod
    def from_schedule(
        cls, schedule: Schedule | Replication | Moves, machine: Machine | str
    ) -> "Plan":
        """The plan that anybody's schedule is on a machine; whether it is right, ask `verify`.

        It is priced and compared with the table, and can be drawn, saved and carried out as all
        plans. On a torus with squares the schedule has the cube's numbers. Moves become ways of
        single nodes and slots.

        >>> import graycube as gc
        >>> from graycube.gf2 import Exchange
        >>> from graycube.schedule import Way, hop
        >>> task = gc.Task(gc.Layout.nodes(2, "gray"), gc.Layout.nodes(2), block=8)
        >>> way = Way(0, 8, (hop(0, Exchange(flip=0b01, when=0b10), n=2),))
        >>> mine = Plan.from_schedule(gc.Schedule(task, "mine", (0,), 8, (way,)), "ideal")
        >>> mine, bool(mine.verify())
        (<Plan mine: 1 rounds, 8 bytes in sequence, 1.6 x bound, 4 nodes>, True)
        """
        schedule = require_schedule(schedule)
        in_cube = schedule.task
        machine = require_machine(machine, in_cube.n)
        task = in_cube.numbered(machine.numbers.inverse())
        return cls(task, machine, schedule, counted(schedule), lower_bounds(in_cube, machine))

    def save(self, path: str | Path) -> None:
        """Write the plan to a file, which :func:`load_plan` reads: all of it or nothing.

        >>> import graycube as gc
        >>> import tempfile
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> chosen = gc.plan(gray, binary, block=1, machine="ideal")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     chosen.save(Path(folder) / "plan.json")
        ...     (Path(folder) / "plan.json").exists()
        True
        """
        write_whole(path, plan_text(self.schedule, self.machine))
