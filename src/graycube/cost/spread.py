"""How few nodes can be near a set of nodes, and how many can be near all of it.

Rules.

1. Of all sets of a size, a ball has the fewest nodes next to it: all nodes up to a distance of
   one node and, for what is left over, those one farther off that come first in one order
   (L. H. Harper, Optimal numberings and isoperimetric problems on graphs, 1966). The
   neighbours of such a set are a set of the same kind, so this can be repeated.
2. How many neighbours the rest has is the theorem of Kruskal and Katona: of C(a, r) +
   C(a', r - 1) + ... sets with r members, so written, at least C(a, r - 1) + C(a', r - 2) + ...
   are had by leaving one member out. Here the members are the dimensions that a node does not
   differ in.
3. Nodes within a distance of all of a set A are the complements of those that are farther than
   what is left of n from all of A: so there are as many as A does not reach by then.
"""

from collections.abc import Iterator
from itertools import islice
from math import comb

EXACT = 128
"""With more dimensions than this only the ball is counted, not the rest: fewer still."""


def reach(n: int, size: int) -> Iterator[int]:
    """At least so many of 2^n nodes are within 0, 1, 2, ... of a set of ``size`` (1 or more).

    >>> list(islice(reach(4, 1), 5)), list(islice(reach(4, 6), 3))
    ([1, 5, 11, 15, 16], [6, 13, 16])
    """
    radius, ball, next_layer = 0, 1, n
    while next_layer and ball + next_layer <= size:
        radius, ball = radius + 1, ball + next_layer
        next_layer = next_layer * (n - radius) // (radius + 1)
    rest = size - ball if n <= EXACT else 0
    while True:
        yield ball + rest
        rest = _one_left_out(rest, n - radius - 1, n)
        radius, ball = radius + 1, ball + next_layer
        next_layer = next_layer * (n - radius) // (radius + 1)


def near_all(n: int, size: int) -> list[int]:
    """At most so many of 2^n nodes are within 0, 1, ..., n - 1 of all nodes of a set.

    >>> near_all(4, 1), near_all(4, 2), near_all(4, 16)
    ([1, 5, 11, 15], [0, 2, 8, 14], [0, 0, 0, 0])
    """
    return [(1 << n) - reached for reached in islice(reach(n, size), n)][::-1]


def _one_left_out(count: int, members: int, n: int) -> int:
    """The fewest sets that ``count`` sets of so many of n members have without one of them."""
    found, a = 0, n
    while count and members:
        while comb(a, members) > count:
            a -= 1
        found += comb(a, members - 1)
        count -= comb(a, members)
        members -= 1
    return found
