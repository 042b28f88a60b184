"""One axis of an array that is shared out by ownership: any length on any number of nodes.

The axis is cut into parts: blocks of ceil(length / parts) elements, of which the last ones hold
fewer or none, or every so-manieth element. A node has the part whose number, or whose number in
Gray code, is its coordinate along the axis: ``node // stride % parts``.
"""

from dataclasses import dataclass
from sys import maxsize
from typing import Any

from graycube.errors import InvalidValueError
from graycube.gf2 import gray, gray_inverse, is_power_of_two, require_int
from graycube.texts import in_digits


@dataclass(frozen=True, slots=True)
class SharedAxis:
    """An axis of ``length`` elements on ``parts`` nodes.

    >>> axis = SharedAxis(9, parts=4)
    >>> [axis.own(node) for node in range(4)]
    [range(0, 3), range(3, 6), range(6, 9), range(9, 9)]
    >>> SharedAxis(9, parts=4, cyclic=True, gray=True).own(3)
    range(2, 9, 4)
    """

    length: int
    parts: int = 1
    cyclic: bool = False
    gray: bool = False
    stride: int = 1

    def __post_init__(self) -> None:
        for name in ("length", "parts", "stride"):
            object.__setattr__(self, name, require_int(getattr(self, name), name, least=1))
        if max(self.length, self.parts * self.stride) > maxsize:
            raise InvalidValueError(
                f"an axis of {in_digits(self.length)} is on {in_digits(self.parts)} nodes",
                f"indices reach {maxsize}",
                "use fewer, or Layout.mesh(..., ownership=False) for powers of two",
            )
        if self.gray and not is_power_of_two(self.parts):
            high = 1 << self.parts.bit_length()
            raise InvalidValueError(
                f"an axis is on {self.parts} nodes in Gray code",
                "a Gray code has 2^k numbers",
                f"use code='binary' for this axis, or {high // 2} and {high} nodes along it",
            )
        if self.parts == 1:  # what puts every element in the same place is equal
            object.__setattr__(self, "stride", 1)
        if self.length <= self.parts or self.parts == 1:
            object.__setattr__(self, "cyclic", False)
        if self.parts <= 2:
            object.__setattr__(self, "gray", False)

    @property
    def block(self) -> int:
        """Most elements of a part."""
        return -(-self.length // self.parts)

    def own(self, node: int) -> range:
        """The coordinates that a node has."""
        part = node // self.stride % self.parts
        if self.gray:
            part = gray_inverse(part)
        if self.cyclic:
            return range(part, self.length, self.parts)
        return range(*(min(k * self.block, self.length) for k in (part, part + 1)))

    def place(self, coordinate: Any) -> Any:  # noqa: ANN401 - an integer, or an array of them
        """What a coordinate, or each of many, adds to the number of its node.

        >>> SharedAxis(9, parts=4, gray=True, stride=2).place(8)
        6
        """
        part = coordinate % self.parts if self.cyclic else coordinate // self.block
        return (gray(part) if self.gray else part) * self.stride

    def on_nodes(self, parts: int, stride: int) -> "SharedAxis":
        """The same axis in blocks on other nodes.

        >>> SharedAxis(9, parts=4).on_nodes(2, stride=4)
        SharedAxis(length=9, parts=2, cyclic=False, gray=False, stride=4)
        """
        return SharedAxis(self.length, parts, stride=stride)

    def __str__(self) -> str:
        words = [str(self.length)]
        if self.parts > 1:
            words += ["on", str(self.parts)]
            words += ["cyclic"] * self.cyclic + ["gray"] * self.gray
        return " ".join(words)
