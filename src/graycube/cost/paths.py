"""Bounds from the ways that lead from one node to another, and from one to many.

Rules.

1. d links of a node lead closer to a node at distance d, all others farther away. Of
   the elements that have to arrive within T cycles, one that leaves for good over a link of the
   first kind does so in cycle T - d at the latest, over the others two cycles before that
   (TR-20-91 section 2: d disjoint paths have d hops and n - d have d + 2).
2. In a round each node sends to as many others as it has ports, hop by hop or on circuits. So
   with p ports (p + 1)^R nodes know of a block after R rounds, at most.
"""


def disjoint_paths(n: int, distance: int, block: int, ports: int) -> int:
    """Cycles until ``block`` elements can be at a node so far away, over paths of any length.

    On a 2-cube this is the paper's optimum, K/2 + 1.

    >>> [disjoint_paths(2, 1, block, ports=2) for block in (1, 2, 8, 9)]
    [1, 2, 5, 6]
    """
    closer, all_links = min(ports, distance), min(ports, n)
    if block <= closer:
        return distance
    return distance + 1 + max(0, -(-(block - 2 * closer) // all_links))


def shortest_paths(distance: int, block: int, ports: int) -> int:
    """The same if only paths of minimum length may be used (TR-20-91 Theorem 2).

    >>> shortest_paths(1, block=64, ports=6)
    64
    """
    return distance - 1 + -(-block // min(ports, distance))


def rounds_to_know(nodes: int, ports: int) -> int:
    """The fewest rounds after which so many nodes can know of one block.

    >>> [rounds_to_know(nodes, ports=1) for nodes in (2, 4, 5)], rounds_to_know(9, ports=2)
    ([1, 2, 3], 2)
    """
    rounds, knowing = 0, 1
    while knowing < nodes:
        rounds, knowing = rounds + 1, knowing * (ports + 1)
    return rounds
