"""Butterflies with one element on a node: copies instead of exchanges.

Rule. In every stage each node sends a copy of its element to neighbours and computes, from what
it has and what it got, one output of one butterfly: which one decides where the outputs are
(TR-764 section 5). So the placement before and after each stage says everything.
"""

from dataclasses import dataclass

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.schedule.schedule import Schedule, Timetable


@dataclass(frozen=True, repr=False)
class Replication(Timetable):
    """Stage k of the task takes ``layouts[k]`` to ``layouts[k + 1]``, by copies.

    All stages take equally many rounds: one, or two where copies go one after the other.

    >>> from graycube.schedule import Task
    >>> one = Layout.nodes(1)
    >>> task = Task(one, one, 1, stages=(0,), free=True)
    >>> swap = Replication(task, "copies", (0,), 1, (one, one))
    >>> swap.turns, swap.sources(0, node=1)
    (1, (0, 1))
    """

    layouts: tuple[Layout, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "layouts", tuple(self.layouts))
        stages, first = self.stages, self.task.source
        if len(self.layouts) != len(stages) + 1 or self.layouts[0] != first:
            raise InvalidValueError(
                f"there are {len(self.layouts)} layouts for {len(stages)} stages",
                "the source comes first, and one follows after every stage",
                "list them in order",
            )
        for layout in self.layouts:
            if layout.p != layout.n or layout.n != first.n:
                raise InvalidValueError(
                    f"there is the layout {layout}",
                    "every node of one cube has one element",
                    "use an emulation where nodes have memory bits",
                )
        if self.relabel is not None:
            raise InvalidValueError(
                "nodes are renumbered after copies",
                "the last layout says where they end",
                "list the layouts in the new numbers",
            )
        if len(self.rounds) % (len(stages) or 1):
            raise InvalidValueError(
                f"there are {len(self.rounds)} rounds for {len(stages)} stages",
                "all stages have equally many",
                "use one or two for each",
            )

    @property
    def stages(self) -> tuple[int, ...]:
        """The bits of the index that are paired, the first one first."""
        return self.task.stages

    @property
    def turns(self) -> int:
        """Rounds of a stage."""
        return len(self.rounds) // (len(self.stages) or 1)

    def inputs(self, stage: int) -> tuple[AffineMap, AffineMap]:
        """From a node to those that hold the two inputs of what it computes in a stage.

        The one whose index bit is 0 comes first.

        >>> from graycube.table.networks import one_point
        >>> low, high = one_point(Layout.nodes(2)).inputs(0)  # of bit 1
        >>> [(low(node), high(node)) for node in range(4)]
        [(0, 2), (1, 3), (0, 2), (1, 3)]
        """
        bit, p = self.stages[stage], self.task.p
        rest = AffineMap(Matrix(tuple(1 << j if j != bit else 0 for j in range(p)), p))
        before, after = (self.layouts[stage + k].map for k in range(2))
        low = before @ rest @ after.inverse()
        return low, AffineMap(low.matrix, low.constant ^ before.matrix(1 << bit))

    def sources(self, stage: int, node: int) -> tuple[int, int]:
        """The nodes that hold the two inputs of what a node computes in a stage."""
        low, high = self.inputs(stage)
        return low(node), high(node)


def of_ways(schedule: Schedule | Replication) -> Schedule:
    """The schedule, if it has ways: what is copied has none.

    >>> from graycube.schedule import Task
    >>> task = Task(Layout.nodes(1), Layout.nodes(1), 1)
    >>> of_ways(Schedule(task, "nothing to do", (), 0, ways=())).algorithm
    'nothing to do'
    """
    if isinstance(schedule, Replication):
        raise InvalidValueError(
            f"{schedule.algorithm!r} sends copies of whole blocks",
            "elements that are copied have no way of their own",
            "carry it out with graycube.fft(a, plan=plan)",
        )
    return schedule
