"""What the conversion algorithms share: recognising the task, and laying out rounds.

A schedule for Gray to binary, run backwards, is one for binary to Gray: every exchange is its
own inverse, so the reversed list undoes the composition, and a round uses the same links.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal

from graycube.codes import gray_matrix, gray_to_binary
from graycube.gf2 import AffineMap, Exchange, Matrix
from graycube.machine import Machine
from graycube.schedule import Hop, Schedule, Strand, Task

Direction = Literal["gray to binary", "binary to gray"]
Steps = Sequence[tuple[int, Exchange]]
"""Exchanges with the rounds they happen in."""


def direction(task: Task) -> Direction | None:
    """Which conversion of the whole node number the task is, if it is one.

    >>> from graycube.layout import Layout
    >>> direction(Task(Layout.cyclic(6, 4, nodes="gray"), Layout.cyclic(6, 4), block=4))
    'gray to binary'
    """
    slots = Matrix.identity(task.p - task.n)
    gray = gray_matrix(task.n)
    if task.move == AffineMap(Matrix.block_diagonal([gray.inverse(), slots])):
        return "gray to binary"
    if task.move == AffineMap(Matrix.block_diagonal([gray, slots])):
        return "binary to gray"
    return None


def why_no_conversion(task: Task, machine: Machine) -> str | None:
    """The reason why a one-port conversion algorithm does not apply, or None."""
    if machine.dims != task.n:
        return f"the machine has {machine.dims} dimensions and the task {task.n}"
    if task.n == 0:
        return "a cube of one node has nothing to convert"
    if direction(task) is None:
        return "only one Gray or binary field over all node bits can be converted so far"
    return None


def why_no_detour(task: Task, machine: Machine) -> str | None:
    """The same for the algorithms that send a part over one more dimension."""
    return why_no_conversion(task, machine) or ("n is below 2" if task.n < 2 else None)


def complementary_steps(n: int) -> tuple[Steps, Steps]:
    """GB1's exchanges in rounds 1, 2, ..., and the same on the links that it leaves idle."""
    normal = list(enumerate(gray_to_binary(n, "ascending"), start=1))
    return normal, [(r, where_not(exchange)) for r, exchange in normal]


def in_rounds(
    task: Task, name: str, lengths: Sequence[int], strands: Iterable[tuple[int, int, Steps]]
) -> Schedule:
    """The schedule of strands ``(start, stop, steps)`` in rounds of the given lengths.

    The steps are those of Gray to binary; they are turned round if the task is the other
    direction. Rounds without cycles are left out, and so are strands without elements.
    """
    backwards = direction(task) == "binary to gray"
    if backwards:
        lengths = lengths[::-1]
    starts = list(accumulate(lengths, initial=0))
    timed = []
    for start, stop, steps in strands:
        ordered = [(len(lengths) - 1 - r, e) for r, e in steps][::-1] if backwards else steps
        hops = tuple(Hop(starts[r], exchange) for r, exchange in ordered)
        if start < stop:
            timed.append(Strand(start, stop, hops))
    rounds = tuple(s for s, length in zip(starts, lengths, strict=False) if length)
    return Schedule(task, name, rounds, starts[-1], tuple(timed))


def where_not(exchange: Exchange) -> Exchange:
    """The same flip under the complementary condition.

    >>> print(where_not(Exchange(flip=1, when=2)))
    flip 0 where a1 = 0
    """
    return Exchange(exchange.flip, exchange.when, 1 - exchange.want)


def always(dimension: int) -> Exchange:
    """The flip of one dimension everywhere.

    >>> print(always(3))
    flip 3 where 0 = 0
    """
    return Exchange(1 << dimension, when=0, want=0)
