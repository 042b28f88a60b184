"""What nodes send each other when a map moves everything, so that each message is one piece.

Rules.

1. A node has as many givers as takers, itself perhaps among them, and what it sends to one is a
   letter. All letters have the same length, and a node keeps those that go out one after the
   other, and likewise those that came.
2. The rows of a letter are in the order of the slots that they go to, without the slot bits
   that tell givers apart. Both ends work that out alone, for it follows from the map.
3. So what came is a block whose slot bits are in another order. Where each has a stride of its
   own, the result is a view of it: whoever reads the result can read it there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from graycube.gf2 import AffineMap, Matrix, Span
from graycube.run.fetch import KEPT, Fetch, at_places, positions


@dataclass(frozen=True, slots=True, eq=False)
class Letters:
    """What a node sends and gets.

    ``packing`` says where in the block each row that is sent is, ``fetch`` where in what came
    each row of the result is. ``takers`` and ``givers`` are nodes, in the order of the letters.

    >>> made = letters(AffineMap(Matrix.permutation([1, 0, 2])), 1, 0)
    >>> made.takers, made.givers, made.packing.strides, made.fetch.strides
    ((0, 1), (0, 1), (2, 1), (2, 1))
    """

    packing: Fetch
    fetch: Fetch
    takers: tuple[int, ...]
    givers: tuple[int, ...]

    @property
    def as_they_are(self) -> bool:
        """Whether the rows of the block are in the order in which they are sent.

        >>> letters(AffineMap(Matrix.permutation([2, 1, 0])), 1, 0).as_they_are
        True
        """
        strides = self.packing.strides
        in_order = tuple(1 << bit for bit in range(len(strides or ())))
        return self.packing.start == 0 and strides == in_order


@lru_cache(maxsize=KEPT)
def letters(move: AffineMap, n: int, node: int) -> Letters:
    """The letters of a node, if everything goes where a map of addresses says.

    >>> letters(AffineMap(Matrix.permutation([0, 2, 1])), 1, 1).takers  # nothing leaves
    (1,)
    """
    back, low, slots = move.inverse(), (1 << n) - 1, move.width - n
    coming = [column & low for column in back.matrix.columns[n:]]
    going = [column & low for column in move.matrix.columns[n:]]
    telling = _independent(coming)
    others = [bit for bit in range(slots) if bit not in telling]
    inside, number = len(others), positions(coming, n)
    came = [_kept(1 << bit, others) | number(coming[bit]) << inside for bit in range(slots)]
    there, number = move.matrix.columns[n:], positions(going, n)
    sent = [
        _kept(column >> n, others) | number(change) << inside
        for column, change in zip(there, going, strict=True)
    ]
    first = _kept(move(node) >> n, others)
    packing = AffineMap(Matrix(tuple(sent), slots), first).inverse()
    return Letters(
        at_places(packing, 0, crosses=False),
        at_places(AffineMap(Matrix(tuple(came), slots)), 0, crosses=True),
        _nodes(move(node) & low, going),
        _nodes(back(node) & low, coming),
    )


def _independent(changes: Sequence[int]) -> list[int]:
    """The first bits whose changes no others make up."""
    span = Span()
    return [bit for bit, change in enumerate(changes) if span.add(change)]


def _kept(slot: int, bits: Sequence[int]) -> int:
    """The number that some bits of a slot make."""
    return sum((slot >> bit & 1) << k for k, bit in enumerate(bits))


def _nodes(first: int, changes: Sequence[int]) -> tuple[int, ...]:
    """The nodes that changes lead to, in the order of their positions."""
    found = [first]
    for bit in _independent(changes):
        found += [node ^ changes[bit] for node in found]
    return tuple(found)
