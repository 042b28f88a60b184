"""Messages divided into as few permutations as there can be.

Rule (König). If nobody sends more than k messages, nor receives more, then k permutations are
enough. Messages are taken one by one; one that fits nowhere changes places along a path on
which two permutations alternate.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

Pair = tuple[int, int]


class _Matching:
    """The permutation of each pair so far, from both ends."""

    def __init__(self) -> None:
        self.to = defaultdict[int, dict[int, int]](dict)
        """Sender by sender, the receiver in each permutation."""
        self.by = defaultdict[int, dict[int, int]](dict)
        """Receiver by receiver, the sender in each permutation."""

    def add(self, pair: Pair, number: int) -> None:
        source, target = pair
        self.to[source][number], self.by[target][number] = target, source

    def exchange(self, target: int, first: int, second: int) -> None:
        """The pairs from a receiver on that are in two permutations by turns change these."""
        found = list[tuple[Pair, int]]()
        while (source := self.by[target].pop(first, None)) is not None:
            found.append(((source, target), second))
            del self.to[source][first]
            if (after := self.to[source].pop(second, None)) is None:
                break
            target = after
            found.append(((source, target), first))
            del self.by[target][second]
        for pair, number in found:
            self.add(pair, number)


def matchings(pairs: Iterable[Pair]) -> list[tuple[Pair, ...]]:
    """The pairs of senders and receivers, in lists in which nobody sends or receives twice.

    >>> matchings([(0, 1), (1, 0), (0, 2), (2, 0), (3, 1)])
    [((0, 1), (1, 0)), ((0, 2), (2, 0), (3, 1))]
    """
    given = [*pairs]
    degrees = [Counter(ends) for ends in zip(*given, strict=True)]
    most = max((max(degree.values()) for degree in degrees), default=0)
    made = _Matching()
    for source, target in given:
        sent, got = made.to[source], made.by[target]
        free = next((k for k in range(most) if k not in sent and k not in got), None)
        if free is None:
            free, other = (
                next(k for k in range(most) if k not in used) for used in (sent, got)
            )
            made.exchange(target, free, other)
        made.add((source, target), free)
    every = sorted(made.to.items())
    return [tuple((s, ends[k]) for s, ends in every if k in ends) for k in range(most)]
