"""What a check found."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graycube.errors import InvalidValueError
from graycube.machine import Machine
from graycube.schedule import Task
from graycube.show import Folded, Lines, Sheet, Shown, Table

RULES = {
    "range": "cycles, nodes, dimensions and elements exist",
    "share": "every element of a block belongs to exactly one way",
    "start": "an element starts where the task says",
    "presence": "an element is where it is sent from",
    "time": "an element moves on only after it has arrived",
    "end": "an element ends where the task says",
    "stage": "every bit of an axis has one stage, in order, with its pairs on one node",
    "pair": "both of a pair are on one node when their earlier stages are over",
    "copy": "a node computes from its own point and copies of its neighbours' points",
    "link": "a directed link carries at most one element per cycle",
    "ports": "a node sends and receives at most as many elements per cycle as it has ports",
    "round": "a node sends a message per port and round, and forwards it in a later one",
}
"""The rules of the game, by name."""
MAX_LISTED = 1000
"""Most violations of one rule that a report lists."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that is broken, and where; -1 stands for what does not apply.

    >>> print(Violation("link", cycle=3, node=5, element=17, detail="dimension 2 is taken"))
    link: cycle 3, node 5, element 17: dimension 2 is taken
    """

    rule: str
    cycle: int = -1
    node: int = -1
    element: int = -1
    detail: str = ""

    def __str__(self) -> str:
        places = (("cycle", self.cycle), ("node", self.node), ("element", self.element))
        where = ", ".join(f"{name} {value}" for name, value in places if value >= 0)
        return f"{self.rule}: {where or 'everywhere'}: {self.detail or RULES[self.rule]}"


@dataclass(frozen=True, slots=True)
class Report(Shown):
    """What a check found: true when nothing is wrong.

    ``violations`` has the first ones of every broken rule and ``counts`` how many there are;
    ``peak`` is the most elements that a node holds, -1 where that was not counted.

    >>> report = Report("by hand", ("start", "end"), (), peak=8)
    >>> bool(report)
    True
    >>> print(report)
    by hand: nothing is wrong (start, end); a node holds at most 8 elements
    """

    method: str
    rules: tuple[str, ...]
    violations: tuple[Violation, ...]
    counts: tuple[tuple[str, int], ...] = ()
    peak: int = -1

    def joined(self, other: "Report") -> "Report":
        """The two reports as one.

        >>> one = Report("by hand", ("start",), ())
        >>> other = Report("twice", ("end",), (), peak=3)
        >>> print(one.joined(other))
        by hand and twice: nothing is wrong (start, end); a node holds at most 3 elements
        """
        return Report(
            f"{self.method} and {other.method}",
            tuple(dict.fromkeys((*self.rules, *other.rules))),
            (*self.violations, *other.violations),
            tuple((Counter(dict(self.counts)) + Counter(dict(other.counts))).items()),
            max(self.peak, other.peak),
        )

    def __bool__(self) -> bool:
        return not self.violations

    def __str__(self) -> str:
        rules = f" ({', '.join(self.rules)})" if self else ""
        first = f"{self.method}: {self.summary}{rules}{self._held}"
        return "\n  ".join([first, *map(str, self.violations)])

    def __repr__(self) -> str:
        return f"<Report {self.method}: {self.summary}{self._held}>"

    @property
    def summary(self) -> str:
        """How often which rules are broken, in a few words.

        >>> Report("by hand", ("end",), (Violation("end", node=2),), (("end", 7),)).summary
        '7 x end'
        """
        if self:
            return "nothing is wrong"
        return ", ".join(f"{count} x {rule}" for rule, count in self.counts)

    def _sheet(self) -> Sheet:
        broken = dict.fromkeys(self.rules, 0) | dict(self.counts)
        rows = [
            (rule, f"broken {count} x" if count else "kept", RULES.get(rule, ""))
            for rule, count in broken.items()
        ]
        marks = {k: "strong" for k, count in enumerate(broken.values()) if count}
        mark = "\N{CHECK MARK}" if self else "\N{BALLOT X}"
        return Sheet(
            f"{mark} {bool(self)}: {self.summary}",
            f"checked {self.method}{self._held}",
            *([Lines(list(map(str, self.violations)))] if self.violations else ()),
            Folded(f"Rules checked: {len(self.rules)}", Table((), rows, "lll", marks)),
        )

    @property
    def _held(self) -> str:
        return f"; a node holds at most {self.peak} elements" if self.peak >= 0 else ""


def require_same_cube(task: Task, machine: Machine) -> None:
    """Refuse to judge a schedule on a machine of another size."""
    if machine.dims != task.n:
        raise InvalidValueError(
            f"the machine has {machine.dims} dimensions",
            f"the schedule is for a {task.n}-cube",
            "check it on a machine of that size",
        )


def tally(method: str, rules: Sequence[str], found: Iterable[Violation]) -> Report:
    """The report of a check that finds every violation: all are counted, the first are kept."""
    totals, first = Counter[str](), list[Violation]()
    for violation in found:
        totals[violation.rule] += 1
        if totals[violation.rule] <= MAX_LISTED:
            first.append(violation)
    return Report(method, tuple(rules), tuple(first), tuple(totals.items()))
