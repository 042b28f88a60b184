"""The nodes that share an axis, and how they send parts of it to each other.

Rules.

1. Where all ranks share memory, each writes what it sends there, all meet, and each reads what
   comes from where it lies. So nothing is copied but once. Else messages are sent.
2. Teams that work side by side do the same exchanges at the same time. They may have more or
   less behind each point, so the room is that of the widest.
"""

from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graycube.array.sharing import as_bytes
from graycube.run import mpi, no_way_back, private
from graycube.run.agreement import different
from graycube.run.mpi import Comm
from graycube.run.roll import DATA
from graycube.run.windows import Windows, windows

_Lines = NDArray[Any]
_EVEN = 64  # bytes that parts of a buffer are multiples of


@dataclass(frozen=True, slots=True)
class Blocked:
    """An axis of so many elements, in blocks of a size.

    >>> Blocked.over(9, 4), Blocked(9, 4).own(2)
    (Blocked(length=9, block=3), range(8, 9))
    """

    length: int
    block: int

    @classmethod
    def over(cls, length: int, nodes: int) -> "Blocked":
        """The blocks of an axis that is shared out to some nodes."""
        return cls(length, -(-length // nodes))

    def own(self, who: int) -> range:
        """The places of one node."""
        return range(*(min(k * self.block, self.length) for k in (who, who + 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Team:
    """The nodes that share an axis, in the order of its blocks; this one is number ``me``.

    Behind each point a node of any team has at most ``width`` numbers.
    """

    nodes: list[int]
    me: int
    comm: Comm
    width: int

    def blocks(self, length: int) -> Blocked:
        """Their blocks of an axis of some length."""
        return Blocked.over(length, len(self.nodes))

    def share(self, length: int, who: int) -> range:
        """The block of one of them."""
        return self.blocks(length).own(who)

    def filled(
        self, sent: list[list[_Lines]], places: list[list[_Lines]], like: _Lines, most: int
    ) -> None:
        """Send parts to each of them, and put what each one sends into its places, in order.

        A part may have several axes of points; behind them it has what ``like`` has behind one.
        """
        leaving = [_packed(parts, like) for parts in sent]
        counts = [[_count(place, like) for place in parts] for parts in places]
        shapes = [(sum(each), *like.shape[1:]) for each in counts]
        came = self.exchanged(leaving, shapes, most)
        for parts, each, found in zip(places, counts, came, strict=True):
            ends = pairwise(accumulate(each, initial=0))
            for place, (start, stop) in zip(parts, ends, strict=True):
                place[...] = found[start:stop].reshape(place.shape)

    def exchanged(
        self, sent: list[_Lines], shapes: list[tuple[int, ...]], most: int
    ) -> list[_Lines]:
        """What each of them sends to each; the shapes are those of what comes.

        No node sends more than ``most`` points. What comes may lie in the memory of others: it
        is to be read before the next exchange, and not to be changed.
        """
        shared = windows(self.comm)
        head = _even(8 * (len(self.nodes) + 1))
        itemsize = np.result_type(sent[0].dtype, 1j).itemsize  # parts of numbers count as whole
        room = head + _even(most * self.width * itemsize)
        with no_way_back(lambda: "a transform"):
            if shared is None or not shared.reserve(self.comm.size * room):
                return self._by_messages(sent, shapes)
            buffer = shared.buffers[shared.turn]
            others = [lines if k != self.me else lines[:0] for k, lines in enumerate(sent)]
            _written(others, buffer[self.nodes[self.me] * room :][:room], head)
        self._met(shared, most)
        return [
            sent[k]
            if k == self.me
            else _read(buffer[node * room :][:room], self.me, shapes[k], sent[k].dtype)
            for k, node in enumerate(self.nodes)
        ]

    def _met(self, shared: Windows, most: int) -> None:
        if not shared.meet((0, most, self.width)):
            raise different(shared.comm, {"operation": "a transform", "points": most})

    def _by_messages(self, sent: list[_Lines], shapes: list[tuple[int, ...]]) -> list[_Lines]:
        own, kind = private(self.comm).comm, sent[0].dtype
        found = [np.empty(shape, kind) for shape in shapes]
        sent = [np.ascontiguousarray(lines) for lines in sent]
        others = [k for k in range(len(self.nodes)) if k != self.me]
        requests = [own.Irecv(as_bytes(found[k]), self.nodes[k], DATA) for k in others]
        requests += [own.Isend(as_bytes(sent[k]), self.nodes[k], DATA) for k in others]
        found[self.me] = sent[self.me]
        mpi().Request.Waitall(requests)
        return found


def _packed(parts: list[_Lines], like: _Lines) -> _Lines:
    """Parts, one after the other."""
    flat = [part.reshape(_count(part, like), *like.shape[1:]) for part in parts]
    return flat[0] if len(flat) == 1 else np.concatenate([like[:0], *flat])


def _count(part: _Lines, like: _Lines) -> int:
    return prod(part.shape[: part.ndim - like.ndim + 1])


def _written(sent: list[_Lines], part: NDArray[np.uint8], head: int) -> None:
    """What a node sends, one after the other, and before it where each begins and ends."""
    ends = [*accumulate((lines.nbytes for lines in sent), initial=head)]
    part[: 8 * len(ends)].view(np.int64)[:] = ends
    for lines, (start, stop) in zip(sent, pairwise(ends), strict=True):
        np.copyto(part[start:stop].view(lines.dtype).reshape(lines.shape), lines)


def _read(
    part: NDArray[np.uint8], who: int, shape: tuple[int, ...], dtype: "np.dtype[Any]"
) -> _Lines:
    """What one of the nodes is sent."""
    start, stop = part[8 * who : 8 * who + 16].view(np.int64)
    found: _Lines = part[start:stop].view(dtype).reshape(shape)
    return found


def _even(nbytes: int) -> int:
    return -(-nbytes // _EVEN) * _EVEN
