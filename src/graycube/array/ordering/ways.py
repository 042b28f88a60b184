"""What each way sends to sort lines over all nodes by messages, and which one is taken.

Rules.

1. Few keys, up to ``SMALL`` bytes in all, go to all nodes, from 2, 4, 8, ... nodes at a time.
2. Of many, each crosses once. Before that lines are cut in turns; keys in random order take as
   many as the length has bits. In each, all nodes learn keys and counts from all others. Then
   a node sends each other one an equal part.
3. In merge-splits a node trades all it has in n (n + 1) / 2 rounds. They are for equal parts
   on 2^n nodes, and are taken where they take less time than the way above.
4. A call knows no machine. So times are those of one on which a start-up takes as long as
   ``STARTUP`` bytes, and to merge a byte as long as to send it. All ranks find the same.
"""

from dataclasses import dataclass

from graycube.array.ordering import merging
from graycube.array.ordering.splits import rounds

STARTUP = 20_000
"""Bytes that take as long as a start-up: 2 us at 10 GB/s."""
_COUNT = 8  # bytes of a number that counts elements


@dataclass(frozen=True, slots=True)
class SortWay:
    """What a node sends, and how often it merges what it has.

    ``trades`` are how often two nodes trade, how their places differ, and bytes, one after the
    other. ``parts`` are bytes to each other node, in two exchanges. What is ``in_place``, as
    merge-splits are, goes along Gray code, too.

    >>> sort_way(4, lines=1, length=64, itemsize=8).trades
    ((1, 1, 128), (1, 2, 256))
    """

    told: str
    trades: tuple[tuple[int, int, int], ...]
    parts: tuple[int, ...] = ()
    merges: int = 0
    in_place: bool = False

    def in_bytes(self, nodes: int, each: int) -> int:
        """How many bytes take as long, by rule 4, for so many bytes on each node.

        >>> sort_way(2, lines=1, length=64, itemsize=8).in_bytes(2, 256)
        20512
        """
        traded = sum(times * (STARTUP + nbytes) for times, _, nbytes in self.trades)
        sent = sum((nodes - 1) * (STARTUP + nbytes) for nbytes in self.parts)
        return traded + sent + self.merges * each


def sort_way(
    nodes: int, lines: int, length: int, itemsize: int, *, gray: bool = False
) -> SortWay:
    """The way that sorts equal parts of lines, keys alone, over 2^n nodes.

    >>> for nodes in (4, 256):
    ...     print(sort_way(nodes, 1, 1 << 20, 8).told)
    each key once as they are many
    merge-splits as nodes are many
    """
    n, each = nodes.bit_length() - 1, lines * length // nodes * itemsize
    room = merging.padded(each)
    if room << n <= merging.SMALL:
        trades = [(1, 1 << k, room << k) for k in range(n)]
        usual = SortWay("all keys to all nodes as they are few", (*trades,), merges=n)
    else:
        cuts, turns, trades = lines * (nodes - 1), length.bit_length() - 1, []
        for k in range(n):
            trades.append((1, 1 << k, _COUNT << k))
            for size in (itemsize, 2 * _COUNT):
                trades.append((turns, 1 << k, size * cuts << k))
        part = max(1, -(-lines * length // nodes >> n)) * itemsize
        usual = SortWay(
            "each key once as they are many", (*trades,), (lines * _COUNT, part), merges=n
        )
    made = [(1, change, each) for change, *_ in rounds(n, gray=gray)]
    told = "merge-splits as nodes are many"
    splits = SortWay(told, (*made,), merges=len(made), in_place=True)
    return splits if is_quicker(splits, usual, nodes, each) else usual


def is_quicker(way: SortWay, other: SortWay, nodes: int, each: int) -> bool:
    """Whether a way takes less time than another one, for so many bytes on each node.

    >>> few, many = (sort_way(4, 1, length, 8) for length in (64, 1 << 20))
    >>> is_quicker(few, many, 4, 128)
    True
    """
    return way.in_bytes(nodes, each) < other.in_bytes(nodes, each)
