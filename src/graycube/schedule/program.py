"""The program: a layout, the exchanges and the butterflies done on it, without any timing.

Composing the exchanges gives the final layout exactly, at any size, without moving a byte: that
is the proof of an algorithm. A schedule says when its exchanges happen and to which elements.

A :class:`Stage` pairs the elements whose indices differ in one bit. It is local where both of a
pair are on one node, that is where no node bit depends on the bit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from graycube.errors import InvalidTypeError
from graycube.gf2 import Exchange, compose, require_int
from graycube.layout import Layout

_Kind = TypeVar("_Kind")


def require_all(
    given: Iterable[_Kind], kinds: type | tuple[type, ...], what: str
) -> tuple[_Kind, ...]:
    """The given things as a tuple, if all of them are of these kinds."""
    try:
        entries = tuple(given)
    except TypeError:
        entries = None
    if entries == ():
        return entries
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if entries is None or not all(isinstance(entry, kinds) for entry in entries):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidTypeError(
            f"{what} are {given!r:.60}", f"they are a sequence of {names}", "pass a tuple"
        )
    return entries


@dataclass(frozen=True, slots=True)
class Stage:
    """The butterflies of all pairs of elements whose words differ in one ``bit``.

    >>> print(Stage(3))
    butterflies of bit 3
    """

    bit: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "bit", require_int(self.bit, "the bit of a stage", least=0))

    def __str__(self) -> str:
        return f"butterflies of bit {self.bit}"


@dataclass(frozen=True)
class Program:
    """A layout and a list of exchanges and stages.

    >>> from graycube.gf2 import gray_to_binary
    >>> program = Program(Layout.nodes(4, "gray"), gray_to_binary(4))
    >>> program.result() == Layout.nodes(4, "binary")
    True
    >>> for layout in program.layouts():
    ...     print(layout)
    (|| b3 g2 g1 g0)
    (|| b3 b2 g1 g0)
    (|| b3 b2 b1 g0)
    (|| b3 b2 b1 b0)
    """

    layout: Layout
    steps: tuple[Exchange | Stage, ...]

    def __post_init__(self) -> None:
        steps = require_all(self.steps, (Exchange, Stage), "the steps")
        object.__setattr__(self, "steps", steps)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges alone.

        >>> program = Program(Layout.cyclic(2, 1), (Stage(1), Exchange(flip=3, when=3)))
        >>> len(program.steps), len(program.exchanges)
        (2, 1)
        """
        return tuple(step for step in self.steps if isinstance(step, Exchange))

    def result(self) -> Layout:
        """The layout after all exchanges.

        >>> swap = Exchange(flip=3, when=3)  # of bits 0 and 1
        >>> print(Program(Layout.cyclic(2, 1), (swap,)).result())
        (b0 || b1)
        """
        return compose(self.exchanges, self.layout.p) @ self.layout

    def layouts(self) -> Iterator[Layout]:
        """The layout before the first exchange and after each one, as in TR-764 Figure 3."""
        layout = self.layout
        yield layout
        for exchange in self.exchanges:
            layout = exchange.affine(layout.p) @ layout
            yield layout

    def remote_stages(self) -> tuple[Stage, ...]:
        """The stages whose pairs are not on one node when it is their turn.

        >>> layout = Layout.cyclic(2, 1)
        >>> Program(layout, (Stage(1), Stage(0))).remote_stages()
        (Stage(bit=0),)
        >>> Program(layout, (Stage(1), Exchange(flip=3, when=3), Stage(0))).remote_stages()
        ()
        """
        layout, remote = self.layout, []
        for step in self.steps:
            if isinstance(step, Exchange):
                layout = step.affine(layout.p) @ layout
            elif layout.node_change(1 << step.bit):
                remote.append(step)
        return tuple(remote)
