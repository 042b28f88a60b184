"""A side of a torus or mesh: a ring of nodes or a path, and the ways of messages along it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.errors import InvalidValueError
from graycube.gf2 import gray, require_ints
from graycube.machine.figures import bits_of
from graycube.texts import as_given

MAX_SIDE = 1 << 10
"""No side is longer: messages along it are followed link by link."""
Places = NDArray[np.integer]


class TorusSide(NamedTuple):
    """A ring of nodes, or a path of them if it is not joined.

    >>> TorusSide(4, joined=True).is_cube, TorusSide(8, joined=True).is_cube
    (True, False)
    """

    length: int
    joined: bool

    @property
    def bits(self) -> int:
        """How many dimensions it has."""
        return self.length.bit_length() - 1

    @property
    def is_cube(self) -> bool:
        """Whether its links are those of a cube."""
        return self.length <= 2 or (self.length == 4 and self.joined)

    def number(self, place: int) -> int:
        """The number in the cube of the node at a place along the side.

        >>> [TorusSide(4, joined=True).number(place) for place in range(4)]
        [0, 1, 3, 2]
        """
        return gray(place) if self.is_cube else place

    def ways(self, here: Places, there: Places) -> tuple[NDArray[np.bool_], Places]:
        """Whether messages between places go up, and over how many links.

        Of two ways round that are as long, nodes in the first and third quarter go up, so that
        exchanges over half a ring load all its links alike.
        """
        ahead, up = (there - here) % self.length, there > here
        if self.joined:
            half = 2 * ahead == self.length
            up = np.where(half, here * 4 // self.length % 2 == 0, 2 * ahead < self.length)
        return up, np.where(up, ahead, (here - there) % self.length)

    def route(self, source: int, target: int) -> list[tuple[int, int]]:
        """The links between two places, each as a place and the step from there.

        >>> TorusSide(8, joined=True).route(7, 1), TorusSide(8, joined=False).route(2, 0)
        ([(7, 1), (0, 1)], [(2, -1), (1, -1)])
        """
        up, hops = self.ways(np.array(source), np.array(target))
        step = 1 if up else -1
        return [((source + k * step) % self.length, step) for k in range(int(hops))]

    def loads(
        self, here: Places, there: Places, amounts: NDArray[np.floating], line: Places
    ) -> Iterator[NDArray[np.floating]]:
        """What links carry, upwards and then downwards, of messages along parallel sides.

        >>> around = np.arange(4)
        >>> side = TorusSide(4, joined=True)
        >>> up, down = side.loads(around, (around + 1) % 4, np.ones(4), around * 0)
        >>> up.tolist(), down.tolist()
        ([[1.0, 1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0, 0.0]])
        """
        lines, width = int(line.max(initial=0)) + 1, 2 * self.length + 1
        up, hops = self.ways(here, there)
        for towards, start in ((up, here), (~up, -here % self.length)):  # mirrored downwards
            some = np.flatnonzero(towards & (hops > 0))
            begin, size = line[some] * width + start[some], amounts[some]
            changes = np.bincount(
                np.concatenate([begin, begin + hops[some]]),
                np.concatenate([size, -size]),
                lines * width,
            )
            sums = changes.reshape(lines, width).cumsum(axis=1, dtype=float)
            yield sums[:, : self.length] + sums[:, self.length : -1]


def require_joined(joined: object, sides: int) -> tuple[bool, ...]:
    """Whether each of so many sides is joined.

    >>> require_joined([True, False], 2)
    (True, False)
    """
    each = tuple(joined) if isinstance(joined, list | tuple) else (joined,)
    if len(each) != sides or not all(isinstance(one, bool) for one in each):
        raise InvalidValueError(
            f"joined is {as_given(joined)}",
            f"there are {sides} sides, and each is joined or not",
            "give True or False for each",
        )
    return each


def of_sides(given: object, name: str, sides: int) -> Any:  # noqa: ANN401 - looked at later
    """One figure for all sides, or one for each.

    >>> of_sides(2.0, "per_byte", 3), of_sides(np.array([2.0, 1.0]), "per_byte", 2)
    (2.0, [2.0, 1.0])
    """
    figures = given.tolist() if isinstance(given, np.ndarray) else given
    if isinstance(figures, list | tuple) and len(figures) != sides:
        raise InvalidValueError(
            f"{name} has {len(figures)} figures",
            f"the torus has {sides} sides",
            "give one figure, or one for each side",
        )
    return figures


def figures_of_torus(
    sides: Sequence[int], joined: object, startup: object, per_byte: object
) -> dict[str, Any]:
    """What a machine says of each dimension, by what is said of sides, the first one outside.

    >>> figures_of_torus((2, 4), True, 1.0, (3.0, 5.0))  # doctest: +NORMALIZE_WHITESPACE
    {'dims': 3, 'startup': 1.0, 'per_byte': (5.0, 5.0, 3.0), 'sides': (2, 4),
     'joined': (True, True)}
    """
    lengths = require_ints(sides, "the sides")
    bits = bits_of(lengths, "side", "Interconnect.torus")

    def each(cost: object, name: str) -> object:  # the machine looks at the figures
        figures = of_sides(cost, name, len(bits))
        if not isinstance(figures, list | tuple):
            return figures
        inner_first = zip(figures[::-1], bits[::-1], strict=True)
        return tuple(figure for figure, many in inner_first for _ in range(many))

    return {
        "dims": sum(bits),
        "startup": each(startup, "startup"),
        "per_byte": each(per_byte, "per_byte"),
        "sides": lengths,
        "joined": (joined,) * len(bits) if isinstance(joined, bool) else joined,
    }
