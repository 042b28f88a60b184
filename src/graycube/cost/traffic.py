"""What a schedule costs: its messages, round by round, whatever its form is."""

from dataclasses import dataclass
from fractions import Fraction

from graycube.machine import Machine
from graycube.schedule import Replication, Schedule


@dataclass(frozen=True, slots=True)
class RoundTraffic:
    """The messages of one round, counted in elements, and of ``times - 1`` more like it.

    ``longest`` is the longest message on any link, ``crossings`` the sum over all links,
    ``links`` how many links are used, and ``busiest`` the most that one node sends on. Where
    rounds are alike but for the links they use, crossings and links are the mean.

    >>> RoundTraffic(longest=4, crossings=16, links=4, busiest=1).longest
    4
    """

    longest: int
    crossings: int | Fraction
    links: int | Fraction
    busiest: int
    times: int = 1


@dataclass(frozen=True)
class Traffic:
    """The traffic of a schedule, round by round; rounds that are alike stand together.

    >>> import graycube as gc
    >>> machine = gc.Machine(dims=3, startup=10.0, per_byte=1.0)
    >>> gray, binary = gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)
    >>> traffic = gc.plan(gray, binary, block=8, itemsize=4, machine=machine).traffic
    >>> traffic.cycles, traffic.crossings, traffic.bytes
    (12, 96, 384)
    >>> traffic.startups(machine), traffic.time(machine), round(traffic.utilisation, 3)
    (3, 78.0, 0.333)
    """

    schedule: Schedule | Replication
    rounds: tuple[RoundTraffic, ...]

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
    def utilisation(self) -> float:
        """Part of all link cycles that is used."""
        n = self.schedule.task.n
        available = self.cycles * n << n
        return self.crossings / available if available else 0.0

    def startups(self, machine: Machine) -> int:
        """Start-ups in sequence: one per round, or per packet of the longest message."""
        return sum(machine.startups(self._nbytes(r)) * r.times for r in self.rounds)

    def time(self, machine: Machine) -> float:
        """Seconds: the sum over the rounds of the time of the longest message."""
        times = (machine.message_time(self._nbytes(r)) * r.times for r in self.rounds)
        return sum(times, 0.0)

    def _nbytes(self, traffic: RoundTraffic) -> int:
        return traffic.longest * self.schedule.task.itemsize
