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

    def path(self, target: int, first: int, second: int) -> list[tuple[Pair, int]]:
        """The pairs from a receiver on, by turns in one permutation and in another one."""
        found = list[tuple[Pair, int]]()
        while (source := self.by[target].get(first)) is not None:
            found.append(((source, target), first))
            if (after := self.to[source].get(second)) is None:
                break
            target = after
            found.append(((source, target), second))
        return found

    def exchange(self, path: Iterable[tuple[Pair, int]], total: int) -> None:
        """Pairs of a path change permutations; ``total`` is the sum of their two numbers."""
        given = [*path]
        for (source, target), number in given:
            del self.to[source][number], self.by[target][number]
        for pair, number in given:
            self.add(pair, total - number)


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
        here, there = ([k for k in range(most) if k not in used] for used in (sent, got))
        common = next((k for k in here if k in there), None)
        if common is None:
            common = here[0]
            made.exchange(made.path(target, here[0], there[0]), here[0] + there[0])
        made.add((source, target), common)
    numbers = {(s, t): k for s, ends in made.to.items() for k, t in ends.items()}
    return [tuple(sorted(p for p in numbers if numbers[p] == k)) for k in range(most)]
