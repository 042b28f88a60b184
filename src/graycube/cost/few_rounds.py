"""Bounds by tolls that change from round to round: the bytes that so many rounds need.

Rule: put a toll on every link, and on sending and on receiving at every node, in each of R
rounds. A round of length L, the elements of its longest message, carries at most L over a link
and, with p ports, p L from a node and p L to it. So in that round tolls earn at most L times
their sum, those of nodes times p; and in all rounds at most the sum of the lengths times the
largest of these sums. Hop by hop an element crosses one link a round, or stays. It pays at
least the tolls of the cheapest way to its target in R rounds. So the lengths add up to what all
elements have to pay, over that largest sum, or to more.

A schedule of fewer rounds is one of R rounds, some of them empty. So what R rounds need, fewer
rounds need too.

Tolls do not know that a port serves one link in a round. A whole block that has to go as far as
D links tells more. In D rounds all of it crosses a link in each, from at most p links on, and
to at most p. In D + 1 rounds on one port each of its elements waits once. Before that all take
the same link in a round, since the node sends over one; behind it too, since the node receives
over one. If a part a(j) crosses link j before it waits, round j takes a(j) and
1 - a(j - 1) of a block at least, so more than their mean. These add up to (D + 1) / 2.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graycube.machine import Machine
from graycube.schedule import Task

KEPT_DIMS = range(2, 8)
"""Dimensions of the cubes for which the library has such tolls."""

_Ints = NDArray[np.int64]
_FAR = np.int64(1) << 61


def volume(tolls: _Ints, targets: Sequence[int] | _Ints, ports: int) -> Fraction:
    """What the lengths of the rounds add up to, or more, for each element of a block.

    ``tolls[round, node]`` are those of the node's links, in the order of their dimensions, and
    then of sending and of receiving there; integers >= 0. The whole block of node u has to go
    to ``targets[u]``, which is not too far for so many rounds.

    >>> swap = np.zeros((1, 2, 3), dtype=int)  # one round, two nodes, one dimension
    >>> swap[0, :, 0] = 1
    >>> volume(swap, [1, 0], ports=1)
    Fraction(1, 1)
    """
    _, size, width = tolls.shape
    nodes = np.arange(size)
    way = np.where(nodes[:, None] == nodes, np.int64(0), _FAR)  # [where it is, its home]
    for now in tolls.astype(np.int64):
        paid = way.copy()
        for d in range(width - 2):
            stop = nodes ^ 1 << d
            fee = now[:, d] + now[:, -2] + now[stop, -1]
            paid[stop] = np.minimum(paid[stop], way + fee[:, None])
        way = paid
    links, ends = tolls[:, :, :-2].sum(axis=(1, 2)), tolls[:, :, -2:].sum(axis=(1, 2))
    return Fraction(int(way[targets, nodes].sum()), int((links + ports * ends).max()))


@cache
def conversion_volumes(n: int, ports: int) -> tuple[tuple[int, Fraction], ...]:
    """Numbers of rounds, and the blocks in sequence that Gray to binary code needs in them.

    Binary to Gray code needs the same: that is a schedule backwards.

    >>> [(rounds, str(least)) for rounds, least in conversion_volumes(3, 3)[:3]]
    [(3, '1'), (4, '7/10'), (5, '2/3')]
    """
    targets = np.arange(1 << n)
    for d in range(1, n):
        targets ^= np.arange(1 << n) >> d
    with np.load(Path(__file__).parent / "certificates" / f"rounds_{n}.npz") as kept:
        names = [name for name in kept.files if name.startswith(f"{ports}_")]
        # the tolls of nodes that differ in the lowest bit are the same
        proved = (volume(np.repeat(kept[name], 2, axis=1), targets, ports) for name in names)
        rounds = (int(name.partition("_")[2]) for name in names)
        return tuple(sorted(zip(rounds, proved, strict=True)))


def least_volumes(
    task: Task, machine: Machine, farthest: int
) -> tuple[tuple[int, Fraction], ...]:
    """Numbers of rounds, and the blocks in sequence that a task needs in so many or fewer.

    Hop by hop. If a field of node bits is converted, tolls are known, whatever is done with
    other bits: nodes that differ only there count as one, with the mean of what they carry.
    ``farthest`` is how far some whole block has to go, 0 if blocks are parted.

    >>> from graycube.layout import Layout
    >>> task = Task(Layout.nodes(9, "gray"), Layout.nodes(9), block=1)
    >>> [(most, str(share)) for most, share in least_volumes(task, Machine(9), 8)]
    [(8, '8'), (9, '9/2')]
    """
    if machine.switching == "circuit":
        return ()
    ports, width = machine.links_at_once, min(converted_width(task), KEPT_DIMS.stop - 1)
    known = list[tuple[int, Fraction]]()
    if width in KEPT_DIMS:
        known += conversion_volumes(width, min(width, ports))
    if farthest:
        known.append((farthest, without_pause(farthest, ports)))
        if ports == 1:
            known.append((farthest + 1, Fraction(farthest + 1, 2)))
    front = list[tuple[int, Fraction]]()
    for most, share in sorted(known, reverse=True):
        if not front or share > front[-1][1]:
            front.append((most, share))
    return tuple(front[::-1])


def without_pause(distance: int, ports: int) -> Fraction:
    """What a block takes that crosses a link in every round, as many as it has to.

    >>> [str(without_pause(4, ports)) for ports in (1, 2, 3, 4)]
    ['4', '3/2', '8/9', '2/3']
    """
    reached = [
        min(comb(distance, k), ports**k, ports ** (distance - k)) for k in range(distance + 1)
    ]
    links = (
        min(reached[k] * min(ports, distance - k), reached[k + 1] * min(ports, k + 1))
        for k in range(distance)
    )
    return sum((Fraction(1, most) for most in links), Fraction(0))


def converted_width(task: Task) -> int:
    """Bits of the widest field of the node number that goes from Gray to binary code, or back.

    Parts of fields count from the top, in any dimensions.

    >>> from graycube.layout import Layout
    >>> shape = (8, 4)
    >>> gray, binary = (Layout.mesh(shape, nodes=shape, code=c) for c in ("gray", "binary"))
    >>> converted_width(Task(gray, binary, block=1))
    3
    """
    # where a bit is the sum of itself and others: by these others
    sums: dict[int, list[int]] = {}
    for d, row in enumerate(task.move.matrix.rows[: task.n]):
        if row >> d & 1 and not task.move.constant >> d & 1:
            sums.setdefault(row ^ 1 << d, []).append(d)
    return max(
        (_below(top, sums, whole=whole) for top in sums.get(0, ()) for whole in (True, False)),
        default=0,
    )


def _below(top: int, sums: dict[int, list[int]], *, whole: bool) -> int:
    """Bits of a field from its top: each below is added to the one above it, or to all."""
    above, width = 1 << top, 1
    while above in sums:
        d = sums[above][0]
        above, width = (above if whole else 0) | 1 << d, width + 1
    return width
