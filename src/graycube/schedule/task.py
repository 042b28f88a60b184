"""The task: what has to be moved, apart from how."""

from dataclasses import dataclass, replace
from functools import cached_property

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Matrix, require_int, require_ints
from graycube.layout import Layout
from graycube.layout.in_bits import in_bits
from graycube.layout.required import require_single
from graycube.texts import in_digits

MAX_COUNT = (1 << 62) - 1
"""Most elements of a block and bytes of an element; more could not be written to a file."""


@dataclass(frozen=True)
class Task:
    """Take ``block`` elements per node, ``itemsize`` bytes each, from one layout to another.

    Behind each element that the layout gives to a node stands the same number of payload
    elements; all of them together are the block. On the way there may be ``stages`` of a
    butterfly network: the bits of the index that they are for, the first one first. If such a
    task is ``free``, the elements may end wherever the network leaves them.

    >>> task = Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=64, itemsize=8)
    >>> task.n, task.payload, task.block_bytes
    (3, 64, 512)
    >>> task.move(0b111)  # gray(5) = 7: the block of index 5 goes from node 7 to node 5
    5
    >>> cyclic = Layout.cyclic(3, 2)
    >>> Task(cyclic, cyclic, block=2, stages=(2, 1, 0), free=True).stages
    (2, 1, 0)
    """

    source: Layout
    target: Layout
    block: int
    itemsize: int = 1
    stages: tuple[int, ...] = ()
    free: bool = False

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            layout = in_bits(getattr(self, name), f"the {name} of a plan")
            require_single(layout, "a task")
            object.__setattr__(self, name, layout)
        for name in ("block", "itemsize"):
            object.__setattr__(self, name, require_int(getattr(self, name), name, least=1))
            if getattr(self, name) > MAX_COUNT:
                raise InvalidValueError(
                    f"{name} is {in_digits(getattr(self, name))}",
                    f"it must be at most {MAX_COUNT}",
                    "use fewer elements",
                )
        self._require_stages()
        _ = self.move  # raises unless the layouts have the same elements and nodes
        held = self.source.block_size
        if self.block % held:
            below = self.block // held * held
            raise InvalidValueError(
                f"block is {self.block} for layouts of {held} elements on a node",
                "every one of them needs the same payload",
                f"the nearest that fit: {f'{below} and ' if below else ''}{below + held}",
            )

    def _require_stages(self) -> None:
        stages = require_ints(self.stages, "the stages")
        object.__setattr__(self, "stages", stages)
        if len({*stages}) < len(stages) or any(not 0 <= b < self.source.p for b in stages):
            raise InvalidValueError(
                f"the stages are {stages!s:.60}",
                f"an index has the bits 0 to {self.source.p - 1}, and each has one stage",
                "list some of them",
            )
        if self.free is not bool(self.free and stages):
            raise InvalidValueError(
                f"free is {self.free!r:.60} for {len(stages)} stages",
                "only butterflies may leave the elements where they like: True or False",
                "say where the elements have to go",
            )

    @property
    def n(self) -> int:
        """Dimension of the cube.

        >>> Task(Layout.nodes(3, "gray"), Layout.nodes(3), block=1).n
        3
        """
        return self.source.n

    @property
    def p(self) -> int:
        """Number of address bits.

        >>> Task(Layout.cyclic(5, 3), Layout.consecutive(5, 3), block=4).p
        5
        """
        return self.source.p

    @property
    def payload(self) -> int:
        """Number of elements behind each slot.

        >>> Task(Layout.cyclic(5, 3), Layout.consecutive(5, 3), block=40).payload
        10
        """
        return self.block >> (self.p - self.n)

    @property
    def block_bytes(self) -> int:
        """Number of bytes that a node holds.

        >>> Task(Layout.nodes(1), Layout.nodes(1), block=100, itemsize=16).block_bytes
        1600
        """
        return self.block * self.itemsize

    @cached_property
    def move(self) -> AffineMap:
        """The map from each machine address to the one its content has to reach.

        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1)
        >>> [task.move(a) for a in range(4)]
        [0, 1, 3, 2]
        """
        return self.source.conversion(self.target)

    def numbered(self, numbers: AffineMap) -> "Task":
        """The same task where nodes have other numbers, which the map gives for the old ones.

        >>> from graycube.gf2 import AffineMap, Matrix
        >>> swap = AffineMap(Matrix.permutation([1, 0]))
        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=1).numbered(swap)
        >>> [task.move(a) for a in range(4)]
        [0, 3, 2, 1]
        """
        if numbers == AffineMap.identity(self.n):
            return self
        wide = numbers.widened(self.p)
        source, target = (
            replace(layout, map=wide @ layout.map) for layout in (self.source, self.target)
        )
        return replace(self, source=source, target=target)

    def refined(self, bits: int = 1) -> "Task":
        """The same task with so many bits of the payload made slot bits, the lowest ones.

        The same elements go from the same positions to the same nodes; but shares of a payload
        can then take different ways.

        >>> task = Task(Layout.nodes(2, "gray"), Layout.nodes(2), block=8)
        >>> task.refined().p, task.refined().payload, task.refined().move == task.move
        (3, 4, False)
        >>> task.refined().move(0b111)
        6
        """
        bits = require_int(bits, "bits", least=0)
        if self.payload % (1 << bits):
            raise InvalidValueError(
                f"a payload of {self.payload} elements is to have {bits} bits of its own",
                f"it must be a multiple of {1 << bits}",
                "use fewer bits, or another block",
            )
        if not bits:  # the same layouts, with their axes
            return self
        source, target = (_refined(layout, bits) for layout in (self.source, self.target))
        stages = tuple(bit + bits for bit in self.stages)
        return replace(self, source=source, target=target, stages=stages)


def _refined(layout: Layout, bits: int) -> Layout:
    """The layout of address bits alone, with new ones between node and slot."""
    n, node = layout.n, (1 << layout.n) - 1

    def spread(address: int) -> int:
        return (address >> n) << n + bits | address & node

    columns = (
        *(1 << n + j for j in range(bits)),
        *(spread(column) for column in layout.map.matrix.columns),
    )
    matrix = Matrix(columns, layout.p + bits)
    return Layout(AffineMap(matrix, spread(layout.map.constant)), n)
