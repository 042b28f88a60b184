"""The program: a layout and the exchanges that are done to it, without any timing.

Composing the exchanges gives the final layout exactly, at any size, without moving a byte: that
is the proof of an algorithm. A schedule says when its exchanges happen and to which elements.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from graycube.gf2 import Exchange, compose
from graycube.layout import Layout


@dataclass(frozen=True)
class Program:
    """A layout and a list of exchanges.

    >>> from graycube.codes import gray_to_binary
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
    exchanges: tuple[Exchange, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "exchanges", tuple(self.exchanges))

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
