"""What equal parts leave over: fewer units than there are parts, dealt to them by address.

Rules.

1. A part that takes a unit more sends it in every round, and all wait. So each part takes some
   addresses of a unit that is left over: those that agree in a few bits follow one list of
   exchanges, and are a *hand*.
2. The bits are those that tell who crosses the first few dimensions, from wherever it comes. So
   whatever a link carries, each part may have its share of it.
3. A hand follows the list that has least on the links that it takes. What each link carries is
   counted, address by address.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graycube.gf2 import Exchange, bit_indices
from graycube.table.exchanges.arranged import Arrangement

HANDS = 1 << 9
"""So many at most: each has a way of its own."""
TURNS = 3  # to choose a list
FOLLOWED = 1 << 12
"""So many addresses at most are followed."""


RoundAndDim = tuple[int, int]


class Hand(NamedTuple):
    """A unit at the addresses with this ``value`` of the bits that tell hands apart.

    It follows one list, and waits until so many have crossed in each of its rounds; None where
    nothing of it crosses.
    """

    unit: int
    value: int
    which: int
    late: tuple[int | None, ...]


class Leftover(NamedTuple):
    """What is left over, dealt by the bits of ``mask``.

    In round r the longest message over dimension d is ``longest[r, d]``, and all hands are
    through after ``through[r, d]``: some links may have nothing for a while. Counted are
    addresses that differ in the bits of nodes and in the ``slots`` that exchanges look at.
    """

    slots: int
    mask: int
    hands: tuple[Hand, ...]
    longest: Counter[RoundAndDim]
    through: Counter[RoundAndDim]

    def elements(self, counts: Counter[RoundAndDim], unit: int) -> Counter[RoundAndDim]:
        """The same in elements, of which a unit has so many."""
        return Counter({at: unit * count >> self.slots for at, count in counts.items()})


class _Traced(NamedTuple):
    """For each exchange over a link: its dimension, who crosses it, and from where."""

    dims: tuple[int, ...]
    crosses: tuple[NDArray[np.bool_], ...]
    nodes: tuple[NDArray[np.int64], ...]


@lru_cache(maxsize=1 << 5)
def dealt(laid: Arrangement, n: int, units: int) -> Leftover | None:
    """So many units, dealt to the lists of parts that begin together, each over all dimensions.

    >>> from graycube.gf2 import AffineMap, Matrix
    >>> from graycube.table.exchanges.arranged import arrangements
    >>> swap = AffineMap(Matrix.permutation([3, 4, 5, 0, 1, 2]))
    >>> laid = next(a for a in arrangements(swap, 3, most=3) if len(a.parts) == 3)
    >>> max(dealt(laid, 3, units=1).longest.values())  # a part with one unit more has 4
    2
    """
    used = _looked_at([e for one in laid.lists for e in one.exchanges], n)
    if 1 << len(used) > FOLLOWED or any(len(cell) > 1 for o in laid.lists for cell in o.cells):
        return None
    at = _spread(np.arange(1 << len(used)), used)
    followed = [_follow(one.exchanges, at, n) for one in laid.lists]
    bits = _telling(followed, used, HANDS // units)
    mask = sum(1 << b for b in bits)
    values, hand = np.unique(at & mask, return_inverse=True)
    rounds = [list(rounds) for _, rounds in laid.parts]
    links = (1 + max(map(max, rounds)), n << n)
    carried = np.array(
        [
            _carried(one, some, hand, (len(values), *links), n)
            for one, some in zip(followed, rounds, strict=True)
        ]
    )
    lists = _shared_out(carried, _patterns(followed[0], hand), units)
    ahead, sent, hands = np.zeros(links, np.int64), np.zeros(links, np.int64), list[Hand]()
    for unit, number in product(range(units), range(len(values))):
        which = lists[unit, number]
        mine, late = carried[which, number], list[int | None]()
        sent += mine
        for r in rounds[which]:
            where = mine[r].nonzero()[0]
            wait = int(ahead[r, where].max(initial=0))
            ahead[r, where] = wait + mine[r].max()
            late.append(wait if len(where) else None)
        hands.append(Hand(unit, int(values[number]), which, tuple(late)))
    return Leftover(len(used) - n, mask, tuple(hands), _most(sent, n), _most(ahead, n))


def _most(counts: NDArray[np.int64], n: int) -> Counter[RoundAndDim]:
    """In each round, the most of any node over each dimension."""
    most = counts.reshape(-1, n, 1 << n).max(axis=2)
    return Counter({(int(r), int(d)): int(most[r, d]) for r, d in np.argwhere(most)})


def _patterns(one: _Traced, hand: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each hand the number of its pattern: how many of it cross each dimension."""
    counts = np.array([np.bincount(hand, crosses) for crosses in one.crosses])
    return np.unique(counts, axis=1, return_inverse=True)[1].ravel()


def _shared_out(
    carried: NDArray[np.int64], patterns: NDArray[np.intp], units: int
) -> NDArray[np.intp]:
    """The list that each hand of each unit follows; those with one pattern follow one list.

    Each takes the list that has least on its links, and thinks twice.
    """
    every = range(1 + int(patterns.max()))
    some = np.array([carried[:, patterns == k].sum(axis=1) for k in every]).astype(float)
    total, lists = np.zeros(some.shape[2:]), np.zeros((units, len(every)), dtype=np.intp)
    for turn in range(TURNS):
        for unit, k in product(range(units), every):
            if turn:
                total -= some[k, lists[unit, k]]
            most = np.einsum("krl,krl->k", some[k], some[k] + 2 * total)
            lists[unit, k] = most.argmin()
            total += some[k, lists[unit, k]]
    return lists[:, patterns]


def _looked_at(exchanges: Sequence[Exchange], n: int) -> list[int]:
    """The bits of nodes, and those of slots that any exchange tests or changes."""
    mask = (1 << n) - 1
    for exchange in exchanges:
        mask |= exchange.flip | exchange.when
    return list(bit_indices(mask))


def _spread(numbers: NDArray[np.int64], bits: Sequence[int]) -> NDArray[np.int64]:
    """Addresses that have the bits of numbers at these places."""
    return sum((numbers >> k & 1) << b for k, b in enumerate(bits)) + np.zeros_like(numbers)


def _follow(exchanges: Sequence[Exchange], at: NDArray[np.int64], n: int) -> _Traced:
    dims, crosses, nodes = list[int](), list[NDArray[np.bool_]](), list[NDArray[np.int64]]()
    for exchange in exchanges:
        moved = np.bitwise_count(at & exchange.when) & 1 == exchange.want
        if link := exchange.flip & (1 << n) - 1:
            dims.append(link.bit_length() - 1)
            crosses.append(moved)
            nodes.append(at & (1 << n) - 1)
        at = at ^ exchange.flip * moved
    return _Traced(tuple(dims), tuple(crosses), tuple(nodes))


def _telling(followed: Sequence[_Traced], used: Sequence[int], most: int) -> list[int]:
    """The bits that tell who crosses the first dimensions, for so many hands at most."""
    bits = set[int]()
    for d in followed[0].dims:
        more = set(bits)
        for one in followed:
            crosses = one.crosses[one.dims.index(d)]
            more.update(b for k, b in enumerate(used) if crosses[1 << k] != crosses[0])
        if 1 << len(more) > most:
            break
        bits = more
    return sorted(bits)


def _carried(
    one: _Traced,
    rounds: Sequence[int],
    hand: NDArray[np.intp],
    shape: tuple[int, int, int],
    n: int,
) -> NDArray[np.int64]:
    """What each hand would have on each link in each round, if it followed a list."""
    found = np.zeros(shape, dtype=np.int64)
    for r, d, crosses, nodes in zip(rounds, *one, strict=True):
        np.add.at(found[:, r], (hand[crosses], (d << n) + nodes[crosses]), 1)
    return found
