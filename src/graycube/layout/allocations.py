"""The eight allocations of TR-764 Table 1, as one table.

In the two rows that code the entire address at once, the low field sees the parity of the
high one: where the coded high part has odd parity, the low part is the code of the
*complement* of its index bits. The paper's print has lost those complement bars.
"""

from dataclasses import dataclass

from graycube.layout.layout import Layout
from graycube.layout.mesh import Allocation as Kind, CodeName


@dataclass(frozen=True, slots=True)
class Allocation:
    """A row of the table: a rule that gives a layout for every p and n.

    >>> row = ALLOCATIONS[6]
    >>> row.kind, row.encoding
    ('cyclic', 'Binary || Gray')
    >>> print(row.layout(5, 3))
    (b4 b3 || b2 g1 g0)
    """

    kind: Kind
    encoding: str
    whole: CodeName | None
    slots: CodeName
    nodes: CodeName

    def layout(self, p: int, n: int) -> Layout:
        """2^p elements on 2^n nodes, allocated by this row.

        >>> print(ALLOCATIONS[0].layout(5, 3))
        (g1 g0 || b4 g3 g2)
        """
        build = Layout.consecutive if self.kind == "consecutive" else Layout.cyclic
        return build(p, n, nodes=self.nodes, slots=self.slots, whole=self.whole)


ALLOCATIONS = (
    #          allocation     encoding            whole    slots     nodes
    Allocation("consecutive", "Gray", "gray", "binary", "binary"),
    Allocation("consecutive", "Gray || Gray", None, "gray", "gray"),
    Allocation("consecutive", "Binary || Gray", None, "binary", "gray"),
    Allocation("consecutive", "Binary", None, "binary", "binary"),
    Allocation("cyclic", "Gray", "gray", "binary", "binary"),
    Allocation("cyclic", "Gray || Gray", None, "gray", "gray"),
    Allocation("cyclic", "Binary || Gray", None, "binary", "gray"),
    Allocation("cyclic", "Binary", None, "binary", "binary"),
)
