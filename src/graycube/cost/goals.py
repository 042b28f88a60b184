"""To how many nodes a block goes, and how many messages in sequence that takes.

Rules. A node *knows* of a block when it has, or had, a part of it.

1. The slots of a node add all sums of their columns to where it sends: 2^r goals, the same
   number for all nodes. If a node is none of its own goals, 2^r + 1 nodes know in the end.
2. In a round each node sends to as many others as it has ports, hop by hop or on circuits. So
   with p ports (p + 1)^R nodes know after R rounds, at most.
"""

from graycube.gf2 import AffineMap, Span


def goals_of(displacement: AffineMap) -> tuple[int, int]:
    """The r for which a block goes to 2^r nodes, and how many nodes know of one in the end.

    >>> from graycube.gf2 import Matrix
    >>> goals_of(AffineMap(Matrix((1, 2, 1, 2), 2)))  # two node bits, two slot bits
    (2, 4)
    >>> goals_of(AffineMap(Matrix((1, 0, 2), 2)))  # nodes 1 and 3 keep nothing
    (1, 3)
    """
    n, columns = displacement.height, displacement.matrix.columns
    goals = Span(columns[n:])
    none_kept = any(v not in goals for v in (*columns, displacement.constant))
    return len(goals), (1 << len(goals)) + none_kept


def rounds_to_know(nodes: int, ports: int) -> int:
    """The fewest rounds after which so many nodes can know of one block.

    >>> [rounds_to_know(nodes, ports=1) for nodes in (2, 4, 5)], rounds_to_know(9, ports=2)
    ([1, 2, 3], 2)
    """
    rounds, knowing = 0, 1
    while knowing < nodes:
        rounds, knowing = rounds + 1, knowing * (ports + 1)
    return rounds
