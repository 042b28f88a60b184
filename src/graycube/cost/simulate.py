"""What a schedule costs: its messages, round by round, whatever its form is."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from graycube.cost.copies import copy_loads, copy_rounds
from graycube.cost.in_step import meeting_seconds, meetings
from graycube.cost.messages import by_turns, message_loads, message_rounds
from graycube.cost.pipelines import pipeline_loads, pipeline_rounds
from graycube.cost.shared import shared_seconds
from graycube.cost.straight import straight_loads, straight_rounds
from graycube.cost.stretches import together
from graycube.cost.traffic import RoundTraffic
from graycube.cost.written_out import moves_loads, moves_rounds
from graycube.machine import Machine
from graycube.schedule import Moves, Replication, Schedule
from graycube.schedule.way import are_straight


@dataclass(frozen=True)
class Traffic:
    """The traffic of a schedule, round by round; rounds that are alike stand together.

    ``moves`` are the schedule written out, where it was counted from them.

    >>> import graycube as gc
    >>> machine = gc.Machine(dims=3, startup=10.0, per_byte=1.0)
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> traffic = gc.plan(gray, binary, block=8, itemsize=4, machine=machine).traffic
    >>> traffic.cycles, traffic.crossings, traffic.bytes
    (12, 96, 384)
    >>> traffic.startups(machine), traffic.time(machine)
    (3, 78.0)
    """

    schedule: Schedule | Replication
    rounds: tuple[RoundTraffic, ...]
    moves: Moves | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        counts = f"{self.nonempty} rounds, {self.cycles} cycles, {self.bytes} link bytes"
        return f"<Traffic of {self.schedule.algorithm}: {counts}>"

    @property
    def cycles(self) -> int:
        """Element transfers in sequence."""
        return sum(r.longest * r.times for r in self.rounds)

    @property
    def crossings(self) -> int:
        """Crossings of links by elements, over all nodes."""
        return int(sum(r.crossings * r.times for r in self.rounds))

    @property
    def nonempty(self) -> int:
        """Number of rounds in which something crosses a link."""
        return sum(r.times for r in self.rounds if r.longest)

    @property
    def bytes(self) -> int:
        """Bytes that cross links, over all nodes."""
        return self.crossings * self.schedule.task.itemsize

    @property
    def rows(self) -> int:
        """Scattered stretches of memory that the longest messages gather, in sequence.

        A message that is one stretch is sent from where it is. Shares of positions, where
        nothing tells slots apart, are few and long: they do not count.

        >>> import graycube as gc
        >>> machine = gc.Machine(dims=2, switching="circuit", startup=9.0)
        >>> rows, columns = (gc.Layout.mesh((8, 8), nodes=n) for n in ((4, 1), (1, 4)))
        >>> gc.plan(rows, columns, 16, machine=machine, algorithm="all-to-all").traffic.rows
        6
        """
        if isinstance(self.schedule, Replication):
            return 0
        stretch = together(self.schedule)
        return sum(r.times * (r.longest // stretch) for r in self.rounds if r.longest > stretch)

    def startups(self, machine: Machine) -> int:
        """Start-ups in sequence: one per round, or per packet of the longest message."""
        return sum(machine.startups(self._nbytes(r)) * r.times for r in self.rounds)

    def time(self, machine: Machine) -> float:
        """Seconds: in each round the slowest message, and what its rows and a meeting take."""
        gathering = machine.per_row * self.rows if machine.per_row else 0.0
        if machine.alike:
            times = (machine.message_time(self._nbytes(r)) * r.times for r in self.rounds)
            return sum(times, gathering)
        rounds, seconds = self._timed(machine)
        meeting = meetings(rounds, seconds, machine)
        return gathering + seconds + (meeting and meeting * meeting_seconds(machine))

    def meetings(self, machine: Machine) -> int:
        """How often all nodes meet, so that the next round begins for all of them at once.

        >>> import graycube as gc
        >>> ring = gc.Machine.torus((8,), startup=1.0)
        >>> rows, columns = (gc.Layout.mesh((8, 8), nodes=n) for n in ((8, 1), (1, 8)))
        >>> traffic = gc.plan(rows, columns, 8000, machine=ring, algorithm="exchange").traffic
        >>> traffic.nonempty, traffic.meetings(ring)
        (3, 2)
        """
        return 0 if machine.alike else meetings(*self._timed(machine), machine)

    def _timed(self, machine: Machine) -> tuple[int, float]:
        """How many rounds there are, and what they take."""
        each = [(count, max(of.values())) for count, of in self.seconds(machine)]
        return sum(count for count, _ in each), sum(count * slowest for count, slowest in each)

    def seconds(self, machine: Machine) -> Iterator[tuple[int, dict[int, float]]]:
        """Rounds that are alike: how many, and what each dimension takes in one of them.

        Of circuits only the slowest dimension is listed, which all others wait for. Dimensions
        whose messages share links stand together, under the first of them.

        >>> import graycube as gc
        >>> machine = gc.Machine(dims=3, startup=1.0, per_byte=(1.0, 1.0, 8.0))
        >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
        >>> traffic = gc.plan(gray, binary, 4, machine=machine, algorithm="gb1").traffic
        >>> list(traffic.seconds(machine)), traffic.time(machine)
        ([(1, {0: 5.0}), (1, {1: 5.0})], 10.0)
        """
        if machine.leads:
            waits = shared_seconds(self._counted, machine)
            yield from ((count, used) for count, used in waits if count and used)
            return
        itemsize = self.schedule.task.itemsize
        for count, loads in _loads(self._counted, machine):
            used = {d: machine.message_time(m * itemsize, d) for d, m in loads.items() if m}
            if count and used:
                yield count, used

    @property
    def _counted(self) -> Schedule | Replication | Moves:
        return self.schedule if self.moves is None else self.moves

    def _nbytes(self, traffic: RoundTraffic) -> int:
        return traffic.longest * self.schedule.task.itemsize


def simulate(schedule: Schedule | Replication, moves: Moves | None = None) -> Traffic:
    """Count the messages of every round.

    Steps with delays, or over several dimensions, are counted as :func:`check_algebra` proves
    them: for one way of whole blocks, in rounds of its messages. Of all others give the
    ``moves``, the schedule written out.

    >>> from graycube.table.gray import gb3
    >>> from graycube.layout import Layout
    >>> from graycube.machine import Machine
    >>> from graycube.schedule import Task
    >>> machine = Machine(dims=40)
    >>> task = Task(Layout.nodes(40, "gray"), Layout.nodes(40), block=64)
    >>> traffic = simulate(gb3.emit(task, machine))
    >>> traffic.cycles, len(traffic.rounds), traffic.rounds[1].links == 2**40
    (1280, 40, True)
    """
    return Traffic(schedule, tuple(_rounds(schedule if moves is None else moves)), moves)


def _rounds(schedule: Schedule | Replication | Moves) -> Iterator[RoundTraffic]:
    """By the shape of the steps: exchanges without delays, or with some, or any maps."""
    if isinstance(schedule, Replication):
        return copy_rounds(schedule)
    if isinstance(schedule, Moves):
        return moves_rounds(schedule)
    if are_straight(schedule.ways):
        return straight_rounds(schedule)
    return message_rounds(schedule) if by_turns(schedule) else pipeline_rounds(schedule)


def _loads(
    schedule: Schedule | Replication | Moves, machine: Machine
) -> Iterator[tuple[int, dict[int, int]]]:
    """The same: how many rounds are alike, and the longest message on each dimension."""
    if isinstance(schedule, Replication):
        return copy_loads(schedule)
    if isinstance(schedule, Moves):
        return moves_loads(schedule)
    if are_straight(schedule.ways):
        return straight_loads(schedule)
    return message_loads(schedule, machine) if by_turns(schedule) else pipeline_loads(schedule)
