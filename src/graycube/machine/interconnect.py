"""Tori, meshes and trees of any number of nodes, on which ranks can be placed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from graycube.errors import GraycubeError, InvalidValueError
from graycube.gf2 import require_int, require_ints
from graycube.machine.figures import require_cost
from graycube.machine.profile_text import no_profile
from graycube.machine.profiles import read_profile
from graycube.machine.routes import RouteLink
from graycube.machine.sides import MAX_SIDE, TorusSide, of_sides, require_joined
from graycube.machine.trees import rates_of_tree
from graycube.machine.wires import Link
from graycube.texts import in_digits

MOST = 1 << 24
"""Most nodes of one."""


@dataclass(frozen=True, slots=True)
class Interconnect:
    """Nodes and the links between them, for :func:`graycube.place` alone: any number of them.

    A :class:`Machine` has 2^dims nodes, since plans are made for cubes. To place ranks no cube
    is needed, and only the rates of links count. :meth:`torus` and :meth:`tree` make some.

    >>> Interconnect.torus((5, 3), joined=(True, False))  # the second side is open
    <Interconnect torus of 5 x 3o: 15 nodes>
    >>> Interconnect.tree((4, 3), per_byte=(1e-10, 1e-9))
    <Interconnect tree of 4 x 3: 12 nodes, 1e-10, 1e-09 s a byte>
    """

    sizes: tuple[int, ...]
    per_byte: tuple[float, ...]
    joined: tuple[bool, ...] | None = None
    """Of the sides of a torus; of a tree it is ``None``."""

    def __repr__(self) -> str:
        kind = "tree" if self.joined is None else "torus"
        joined = self.joined or (True,) * len(self.sizes)
        lengths = (
            f"{n}{'' if ring else 'o'}" for n, ring in zip(self.sizes, joined, strict=True)
        )
        rates = ", ".join(f"{rate:.4g}" for rate in self.per_byte)
        told = f", {rates} s a byte" if self.priced else ""
        return f"<Interconnect {kind} of {' x '.join(lengths)}: {self.nodes} nodes{told}>"

    @classmethod
    def torus(
        cls,
        sides: Sequence[int],
        *,
        joined: bool | Sequence[bool] = True,
        per_byte: float | Sequence[float] = 1.0,
    ) -> "Interconnect":
        """A torus or mesh, numbered row by row, like :meth:`Machine.torus`.

        >>> [len(Interconnect.torus((5,)).route(0, node)) for node in range(5)]
        [0, 1, 2, 2, 1]
        """
        lengths = _sizes(sides, "the sides", 1)
        if max(lengths) > MAX_SIDE:
            raise InvalidValueError(
                f"a side is {in_digits(max(lengths))}",
                f"it must be at most {MAX_SIDE}",
                "take a smaller one",
            )
        count = len(lengths)
        each = [joined] * count if isinstance(joined, bool) else joined
        given: Any = per_byte
        rates = given.tolist() if isinstance(given, np.ndarray) else given
        rates = rates if isinstance(rates, list | tuple) else [rates]
        rates = of_sides(rates if len(rates) != 1 else rates * count, "per_byte", count)
        costs = (require_cost(rate, f"per_byte of side {k}") for k, rate in enumerate(rates))
        return cls(lengths, tuple(costs), require_joined(each, count))

    @classmethod
    def tree(
        cls,
        sizes: Sequence[int],
        *,
        per_byte: float | Sequence[float] = 1.0,
        oversubscribed: float = 1.0,
    ) -> "Interconnect":
        """A tree of switches, the inner level first, like :meth:`Machine.tree`.

        >>> [hop.name for hop in Interconnect.tree((4, 3)).route(3, 9)]
        [(3, 'up', 0), (0, 'up', 1), (8, 'down', 1), (9, 'down', 0)]
        """
        counts = _sizes(sizes, "the sizes", 2)
        return cls(counts, tuple(rates_of_tree(counts, per_byte, oversubscribed)))

    @classmethod
    def profile(cls, name: str) -> "Interconnect":
        """One that was saved by :func:`save_profile`, by its name.

        >>> Interconnect.profile("cm2")
        Traceback (most recent call last):
        ...
        graycube.errors.InvalidValueError: the profile 'cm2' is a Machine: an Interconnect has
        sizes, and no more than rates; use Machine.profile
        """
        entries, where = read_profile(name)
        if "sizes" not in entries:
            raise InvalidValueError(
                f"the profile {name!r} is a Machine",
                "an Interconnect has sizes, and no more than rates",
                "use Machine.profile",
            )
        try:
            return cls.checked(**entries)
        except GraycubeError as error:
            raise no_profile(where, str(error)) from None

    @classmethod
    def checked(
        cls,
        sizes: Sequence[int],
        per_byte: float | Sequence[float],
        *,
        joined: bool | Sequence[bool] | None = None,
    ) -> "Interconnect":
        """The torus or tree with these figures, wherever they come from.

        >>> Interconnect.checked([4, 3], [1e-10, 1e-9])
        <Interconnect tree of 4 x 3: 12 nodes, 1e-10, 1e-09 s a byte>
        """
        if joined is None:
            return cls.tree(sizes, per_byte=per_byte)
        return cls.torus(sizes, joined=joined, per_byte=per_byte)

    @property
    def nodes(self) -> int:
        """How many there are.

        >>> Interconnect.torus((5, 3)).nodes
        15
        """
        return prod(self.sizes)

    @property
    def priced(self) -> bool:
        """Whether rates are known; if none are given, a second stands for a byte on a link.

        >>> Interconnect.torus((5, 3)).priced, Interconnect.torus((5, 3), per_byte=1e-9).priced
        (False, True)
        """
        return {*self.per_byte} != {1.0}

    @property
    def sides(self) -> tuple[TorusSide, ...]:
        """Those of a torus.

        >>> [side.length for side in Interconnect.torus((5, 3)).sides]
        [5, 3]
        """
        return tuple(map(TorusSide, self.sizes, self.joined or ()))

    @property
    def strides(self) -> tuple[int, ...]:
        """The numbers of nodes that are next along a side, or in the next part, differ so much.

        >>> Interconnect.torus((5, 3)).strides, Interconnect.tree((4, 3)).strides
        ((3, 1), (1, 4))
        """
        levels = range(len(self.sizes))
        if self.joined is None:
            return tuple(prod(self.sizes[:level]) for level in levels)
        return tuple(prod(self.sizes[level + 1 :]) for level in levels)

    def route(self, source: int, target: int) -> tuple[RouteLink, ...]:
        """The links from a node to another, named as those of :meth:`Machine.route` are.

        In a tree a part is named by its first node, and a level by its number.

        >>> [hop.name for hop in Interconnect.torus((5, 3)).route(0, 14)]
        [(0, 1, -1), (2, 0, -1)]
        """
        for node in (source, target):
            if not 0 <= require_int(node, "a node") < self.nodes:
                raise InvalidValueError(
                    f"a node is {in_digits(node)}",
                    f"the interconnect has {self.nodes} nodes",
                    "number them from 0",
                )
        return tuple(self._up_and_down(source, target) if self.joined is None
                     else self._along(source, target))  # fmt: skip

    def _along(self, node: int, target: int) -> list[RouteLink]:
        found = []
        for axis in reversed(range(len(self.sizes))):
            side, stride = self.sides[axis], self.strides[axis]
            here, there = (of // stride % side.length for of in (node, target))
            for place, step in side.route(here, there):
                at = node + (place - here) * stride
                found.append(RouteLink((at, axis, step), Link(0.0, self.per_byte[axis])))
            node += (there - here) * stride
        return found

    def _up_and_down(self, source: int, target: int) -> list[RouteLink]:
        apart = [
            (level, size)
            for level, size in enumerate(self.strides)
            if source // size != target // size
        ]
        up, down = (
            [
                RouteLink((node // size * size, way, level), Link(0.0, self.per_byte[level]))
                for level, size in apart
            ]
            for node, way in ((source, "up"), (target, "down"))
        )
        return up + down[::-1]


def _sizes(given: Sequence[int], name: str, least: int) -> tuple[int, ...]:
    sizes = require_ints(given, name)
    if not sizes or min(sizes) < least or prod(sizes) > MOST:
        raise InvalidValueError(
            f"{name} are ({', '.join(map(in_digits, sizes)):.60})",
            f"each is {least} or more, and there are at most {MOST} nodes",
            "give numbers such as (4, 3)",
        )
    return sizes
