"""What anybody would try with circuits on several ports, counted element by element.

Rules. As in ``simple.py``: nothing here knows of graycube.

1. *Detours*: each part of a message takes the shortest path that is free, in the first round.
2. *Strides*: in a round all nodes send over the same few patterns of dimensions, no two of
   which have one in common; what is for others is passed on (Bruck, on several ports).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from simple import MANY, Rounds, Wanted

DRAWS = 10  # of strides


def on_several_ports(wanted: Wanted, ports: int) -> Iterator[tuple[str, Rounds]]:
    """All of them, by name."""
    if ports == 1 or not len(wanted.start):
        return
    for parts in range(2, 2 * ports):
        if len(wanted.start) * parts <= MANY:
            yield "parts by detours", _by_detours(wanted, ports, parts)
    for draw in range(DRAWS):
        yield "strides", _over(wanted, _strides(wanted, ports, draw))


def _by_detours(wanted: Wanted, ports: int, parts: int) -> Rounds:
    """Part after part of all messages: the shortest free path of the first round with one."""
    rounds: list[tuple[set[tuple[int, int]], Counter[int], Counter[int]]] = []
    lengths: list[int] = []
    for one in (wanted.part(k, parts) for k in range(parts)):
        ends = zip(one.start.tolist(), one.goal.tolist(), one.amount.tolist(), strict=True)
        for u, v, size in (end for end in ends if end[2]):
            for k in range(len(rounds) + 1):
                if k == len(rounds):
                    rounds.append((set(), Counter(), Counter()))
                    lengths.append(0)
                taken, sends, takes = rounds[k]
                path = _free_path(u, v, wanted.n, taken)
                if path and sends[u] < ports and takes[v] < ports:
                    break
            taken.update(path)
            sends[u] += 1
            takes[v] += 1
            lengths[k] = max(lengths[k], size)
    return Counter(lengths)


def _free_path(u: int, v: int, n: int, taken: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """The links of a shortest path over links that are not taken, if there is one."""
    came: dict[int, tuple[int, int]] = {}
    front = [u]
    while front and v not in came:
        links = [(w, d) for w in front for d in range(n) if (w, d) not in taken]
        front = []
        for w, d in links:
            if w ^ 1 << d != u and w ^ 1 << d not in came:
                came[w ^ 1 << d] = w, d
                front.append(w ^ 1 << d)
    path: list[tuple[int, int]] = []
    while v in came:
        path.append(came[v])
        v = came[v][0]
    return path


def _strides(wanted: Wanted, ports: int, draw: int) -> list[list[int]]:
    """Patterns for each round, until all that are wanted are sums of some: drawn, the best."""
    rng = np.random.default_rng(draw)
    goals = set((wanted.start ^ wanted.goal).tolist())
    rounds, reached = list[list[int]](), {0}
    while not goals <= reached:
        best = list[int]()
        for _ in range(1 << wanted.n):
            at = np.sort(rng.choice(ports + 1, wanted.n))  # some dimensions may be left out
            at = rng.permutation(at)
            some = [sum(1 << d for d in range(wanted.n) if at[d] == k) for k in range(ports)]
            best = max(
                best, some, key=lambda s: len({x ^ g for x in reached for g in s} - reached)
            )
        rounds.append([g for g in best if g])
        reached |= {x ^ g for x in reached for g in best}
    return rounds


def _over(wanted: Wanted, rounds: Sequence[Sequence[int]]) -> Rounds:
    """What the fullest pattern of each round carries, if the least full ways are taken."""
    ways: dict[int, list[tuple[tuple[int, int], ...]]] = {0: [()]}
    for number, some in enumerate(rounds):
        for x, found in list(ways.items()):
            for g in some:
                more = [(*way, (number, g)) for way in found if not way or way[-1][0] < number]
                ways.setdefault(x ^ g, []).extend(more)
    load = Counter[tuple[int, int, int]]()
    ends = zip(wanted.start.tolist(), wanted.goal.tolist(), wanted.amount.tolist(), strict=True)
    for u, v, size in ends:
        best = min(ways[u ^ v], key=lambda way: sum(load[k, u, g] for k, g in way) + len(way))
        at = u
        for k, g in best:
            load[k, at, g] += size
            at ^= g
    longest = [0] * len(rounds)
    for (k, _, _), size in load.items():
        longest[k] = max(longest[k], size)
    return Counter(filter(None, longest))
