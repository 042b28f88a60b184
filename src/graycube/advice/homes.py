"""The layouts that a program may choose from, and what makes two of them the same to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from graycube.gf2 import AffineMap, Matrix
from graycube.layout import Layout
from graycube.layout.grids import tidied
from graycube.layout.mesh import Allocation, CodeName


@dataclass(frozen=True, slots=True)
class Place:
    """A layout with a name. Those that put everything on the same nodes are the same place.

    >>> print(Place(Layout.cyclic(5, 2), "cyclic"))
    cyclic
    """

    layout: Layout
    name: str

    @property
    def key(self) -> object:
        """What it is compared by: on which node everything is."""
        n, address = self.layout.n, self.layout.map
        return n, address.matrix.rows[:n], address.constant & (1 << n) - 1, self.layout.axes

    def __str__(self) -> str:
        return self.name


def homes(shape: Sequence[int], n: int) -> tuple[Place, ...]:
    """The usual layouts of an array on 2^n nodes.

    The nodes are divided among some of the axes as evenly as can be, in binary or Gray code;
    the allocation is consecutive or cyclic.

    >>> for place in homes((64, 32), 4)[:4]:
    ...     print(place)
    binary 4 x 4
    gray 4 x 4
    binary 4 x 4, cyclic
    gray 4 x 4, cyclic
    >>> len(homes((64, 32), 4))
    12
    """
    found: dict[object, Place] = {}
    for nodes in _splits(shape, n):
        for allocation in ("consecutive", "cyclic"):
            for code in ("binary", "gray"):
                place = _home(shape, nodes, allocation, code)
                found.setdefault(place.key, place)
    return tuple(found.values())


def _home(
    shape: Sequence[int], nodes: tuple[int, ...], allocation: Allocation, code: CodeName
) -> Place:
    layout = Layout.mesh(tuple(shape), nodes, code=code, allocation=allocation, ownership=False)
    over = " x ".join(map(str, nodes))
    return Place(layout, f"{code} {over}" + (", cyclic" if allocation == "cyclic" else ""))


def _splits(shape: Sequence[int], n: int) -> Iterator[tuple[int, ...]]:
    """Numbers of nodes for the axes: over all of them, then over fewer."""
    room = [(length & -length).bit_length() - 1 for length in shape]
    for count in range(len(shape), 0, -1):
        for axes in combinations(range(len(shape)), count):
            bits = [0] * len(shape)
            for _ in range(n):
                free = [a for a in axes if bits[a] < room[a]]
                if not free:
                    break
                bits[min(free, key=lambda a: (bits[a], a))] += 1
            if sum(bits) == n:
                yield tuple(1 << b for b in bits)


def transposed(layout: Layout, axes: Sequence[int] | None = None) -> Layout:
    """The same data, seen as an array whose axis k is axis ``axes[k]``; by default in reverse.

    >>> print(transposed(Layout.mesh((8, 4), nodes=(4, 1))))
    (b0:1 b0:0 b1:0 || b1:2 b1:1)
    """
    axes = range(len(layout.axes))[::-1] if axes is None else axes
    columns = layout.map.matrix.columns
    order = [bit for axis in reversed(axes) for bit in layout.word_bits(axis)]
    matrix = Matrix(tuple(columns[bit] for bit in order), layout.p)
    moved = tuple(layout.axes[axis] for axis in axes)
    return tidied(Layout(AffineMap(matrix, layout.map.constant), layout.n, moved))


def reversed_digits(layout: Layout, axis: int) -> Layout:
    """The layout of an array whose index along an axis has its address bits reversed.

    >>> print(reversed_digits(Layout.cyclic(4, 2), 0))
    (b0 b1 || b2 b3)
    """
    bits = layout.word_bits(axis)
    targets = list(range(layout.p))
    for bit in bits:
        targets[bit] = bits[0] + bits[-1] - bit
    return layout @ AffineMap(Matrix.permutation(targets))
