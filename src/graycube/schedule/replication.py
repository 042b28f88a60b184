"""Butterflies with one point on a node: copies instead of exchanges.

Rule. In every cycle each node sends a copy of its point to neighbours and computes, from what
it has and what it got, one output of one butterfly: which one decides where the outputs are
(TR-764 section 5). So the placement before and after each stage says everything.
"""

from dataclasses import dataclass

from graycube.errors import InvalidValueError
from graycube.layout import Layout


@dataclass(frozen=True)
class Replication:
    """Stage k takes ``layouts[k]`` to ``layouts[k + 1]`` in one cycle, by copies.

    >>> swap = Replication((Layout.nodes(1), Layout.nodes(1)), (0,))
    >>> swap.cycles, swap.sources(0, node=1)
    (1, (0, 1))
    """

    layouts: tuple[Layout, ...]
    stages: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "layouts", tuple(self.layouts))
        object.__setattr__(self, "stages", tuple(self.stages))
        if len(self.layouts) != len(self.stages) + 1 or not self.layouts:
            raise InvalidValueError(
                f"there are {len(self.layouts)} layouts for {len(self.stages)} stages",
                "one is needed before every stage and one at the end",
                "list them in order",
            )
        first = self.layouts[0]
        for layout in self.layouts:
            if layout.p != layout.n or layout.n != first.n:
                raise InvalidValueError(
                    f"there is the layout {layout}",
                    "every node of one cube has one point",
                    "use an emulation where nodes have memory bits",
                )
        if any(not 0 <= bit < first.p for bit in self.stages):
            raise InvalidValueError(
                f"the stages are {self.stages}", f"an index has {first.p} bits", "use those"
            )

    @property
    def cycles(self) -> int:
        """Element transfers in sequence: one for each stage."""
        return len(self.stages)

    def sources(self, stage: int, node: int) -> tuple[int, int]:
        """The nodes that hold the two inputs of what a node computes in a stage.

        The one whose index bit is 0 comes first.
        """
        word = self.layouts[stage + 1].inverse_map(node)
        low = word & ~(1 << self.stages[stage])
        before = self.layouts[stage].map
        return before(low), before(low | 1 << self.stages[stage])
