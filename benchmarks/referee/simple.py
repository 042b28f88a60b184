"""What anybody would try: schedules from a page of text, counted element by element.

Rules. Nothing here knows of graycube. A task is how many elements go from each node to each
other one. A construction is the lengths of its rounds: the elements of the longest messages.

1. *In orders*: a part of everything crosses the dimensions in an order of its own, all nodes
   together. It may cross one more dimension first, and come back over it.
2. *Pipelines*: small parts follow each other, each a round behind the last.
3. *Farthest first*: in every round each link takes one message of those that have farthest to
   go, over any dimension that brings it nearer.
4. *Circuits*: messages are put, the longest first, into the first round that has the links of
   their path and the ports to spare; at once, or within subcubes and then between them.
5. *Pairs in turn*: where bits trade places, as in a transpose, parts go through the pairs of
   dimensions in rotated orders, several behind each other, or over the other one first.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Rounds = Counter[int]
"""How many rounds have their longest message of so many elements."""
MANY = 1 << 9
"""More messages than this are not followed one by one."""
ALL_ORDERS = 3  # dimensions at most
WAVES = (1, 2, 4, 16)


class Wanted(NamedTuple):
    """So many elements go from ``start`` to ``goal``, on a cube of n dimensions."""

    n: int
    start: Ints
    goal: Ints
    amount: Ints

    @property
    def used(self) -> list[int]:
        """The dimensions in which some element has to change sides."""
        changed = int(np.bitwise_or.reduce(self.start ^ self.goal, initial=0))
        return [d for d in range(self.n) if changed >> d & 1]

    def part(self, k: int, of: int) -> "Wanted":
        """One of so many equal parts; who has an element more goes round."""
        turn = (k + np.arange(len(self.amount))) % of
        cuts = (turn + 1) * self.amount // of - turn * self.amount // of
        return self._replace(amount=cuts)


class Part(NamedTuple):
    """What crosses a dimension in each of its rounds, or none; ``first`` is crossed anyway."""

    wanted: Wanted
    order: Sequence[int | None]
    first: int | None = None


def wanted_of(n: int, start: Ints, goal: Ints, behind: int) -> Wanted:
    """A task whose elements go from the nodes ``start`` to ``goal``, so many behind each."""
    moving = start != goal
    pairs, count = np.unique(start[moving] << n | goal[moving], return_counts=True)
    return Wanted(n, pairs >> n, pairs & (1 << n) - 1, count * behind)


def constructions(
    wanted: Wanted, ports: int, *, circuits: bool
) -> Iterator[tuple[str, Rounds]]:
    """All of them for a machine, by name."""
    if not len(wanted.start):
        return
    orders = _orders(wanted.used)
    for order in orders:
        yield "in order", lengths([Part(wanted, order)])
        for first in order:
            yield "half by a detour", lengths(_halves(wanted, order, first))
        for parts in range(2, min(ports, len(order)) + 1):
            yield "rotated orders", lengths(_rotated(wanted, order, parts))
    for order in (orders[0], orders[1]):
        yield from _pipelines(wanted, order, ports)
    yield from _pairs_in_turn(wanted, ports)
    for parts in range(1, ports + 1):
        if len(wanted.start) * parts <= MANY:
            yield "farthest first", farthest_first(wanted, ports, parts)
    if circuits:
        yield from _on_circuits(wanted, ports)


def _orders(dims: list[int]) -> list[list[int]]:
    if len(dims) <= ALL_ORDERS:
        return [list(order) for order in permutations(dims)] * (2 if len(dims) == 1 else 1)
    return [way[k:] + way[:k] for k in range(len(dims)) for way in (dims, dims[::-1])]


def _halves(wanted: Wanted, order: Sequence[int], first: int) -> list[Part]:
    """Half of everything goes over one dimension first, and at last over that again."""
    rest = [d for d in order if d != first]
    plain = Part(wanted.part(0, 2), [None, *rest, first])
    return [plain, Part(wanted.part(1, 2), [first, *rest, first], first)]


def _rotated(wanted: Wanted, order: Sequence[int], parts: int) -> list[Part]:
    turns = [k * len(order) // parts for k in range(parts)]
    return [
        Part(wanted.part(k, parts), [*order[turn:], *order[:turn]])
        for k, turn in enumerate(turns)
    ]


def lengths(parts: Sequence[Part]) -> Rounds:
    """The longest message of each round, where all parts go on together."""
    found: Rounds = Counter()
    places = [part.wanted.start.copy() for part in parts]
    for number in range(max(len(part.order) for part in parts)):
        n = parts[0].wanted.n
        load = np.zeros(n << n, dtype=np.int64)
        for part, place in zip(parts, places, strict=True):
            d = part.order[number]
            if d is None:
                continue
            crosses = (place ^ part.wanted.goal) >> d & 1 == 1
            if number == 0 and part.first is not None:
                crosses[:] = True
            np.add.at(load, place[crosses] * n + d, part.wanted.amount[crosses])
            place[crosses] ^= 1 << d
        found[int(load.max())] += 1
    for part, place in zip(parts, places, strict=True):
        if not (place == part.wanted.goal).all():
            raise AssertionError(part.order)
    return found


def _pipelines(
    wanted: Wanted, order: Sequence[int], ports: int
) -> Iterator[tuple[str, Rounds]]:
    """As many parts as ports follow each other; the next ones when these are through."""
    n, most = len(order), int(wanted.amount.max())
    at_once = min(ports, n)
    if at_once == 1:
        return
    count = 2
    while count <= min(most, 1 << 12):
        largest = wanted._replace(amount=-(-wanted.amount // count))
        steps = [
            max(lengths([Part(largest, [*order])]).elements())  # of any of its rounds
        ]
        waves, rest = divmod(count, at_once)
        rounds = (waves - 1) * n + n + at_once - 1 if not rest else waves * n + n + rest - 1
        yield "pipeline", Counter({steps[0]: rounds})
        count *= 2


def farthest_first(wanted: Wanted, ports: int, parts: int = 1) -> Rounds:
    """Messages, each cut in so many parts, hop by hop until all have arrived."""
    n = wanted.n
    some = [wanted.part(k, parts) for k in range(parts)]
    place = np.concatenate([one.start for one in some]).tolist()
    goal = np.concatenate([one.goal for one in some]).tolist()
    amount = np.concatenate([one.amount for one in some]).tolist()
    going = [k for k, size in enumerate(amount) if size]
    found: Rounds = Counter()
    while going:
        going.sort(key=lambda k: (-(place[k] ^ goal[k]).bit_count(), k))
        sends, takes = Counter[int](), Counter[int]()
        taken: set[tuple[int, int]] = set()
        longest = 0
        for k in going:
            u = place[k]
            for d in range(n):
                v = u ^ 1 << d
                free = sends[u] < ports and takes[v] < ports and (u, d) not in taken
                if free and (u ^ goal[k]) >> d & 1:
                    sends[u] += 1
                    takes[v] += 1
                    taken.add((u, d))
                    place[k], longest = v, max(longest, amount[k])
                    break
        found[longest] += 1
        going = [k for k in going if place[k] != goal[k]]
    return found


def _on_circuits(wanted: Wanted, ports: int) -> Iterator[tuple[str, Rounds]]:
    used = wanted.used
    for order in (used, used[::-1]):
        for cut in range(len(order)):
            phases = list(_phases(wanted, order, cut))
            name = "circuits in subcubes" if cut else "circuits"
            if sum(len(phase.start) for phase in phases) <= 8 * MANY:
                yield name, sum((_packed(p, order, ports) for p in phases), Counter())
        for parts in range(2, ports + 1):
            if len(wanted.start) * parts <= MANY:
                yield "parts on circuits", _packed(wanted, order, ports, parts)
    yield "turns of circuits", _turns(wanted, ports)


def _phases(wanted: Wanted, order: Sequence[int], cut: int) -> Iterator[Wanted]:
    """To the right place in the dimensions behind the cut, and then in those before it."""
    later = sum(1 << d for d in order[:cut])
    between = wanted.start & later | wanted.goal & ~later
    for start, goal in ((wanted.start, between), (between, wanted.goal)):
        pairs, where = np.unique(start << wanted.n | goal, return_inverse=True)
        sums = np.zeros(len(pairs), dtype=np.int64)
        np.add.at(sums, where, wanted.amount)
        one = Wanted(wanted.n, pairs >> wanted.n, pairs & (1 << wanted.n) - 1, sums)
        away = one.start != one.goal
        if away.any():
            yield Wanted(one.n, one.start[away], one.goal[away], one.amount[away])


def _packed(wanted: Wanted, order: Sequence[int], ports: int, parts: int = 1) -> Rounds:
    """Each message, cut in so many parts on paths of their own, in the first round it fits."""
    messages = []
    for k in range(parts):
        turn = k * len(order) // parts
        one, path = wanted.part(k, parts), [*order[turn:], *order[:turn]]
        ends = zip(one.amount.tolist(), one.start.tolist(), one.goal.tolist(), strict=True)
        messages += [(size, u, v, _links(u, v, path, wanted.n)) for size, u, v in ends if size]
    messages.sort(key=lambda message: -message[0])
    length, links = list[int](), list[int]()
    sends, takes = list[Counter[int]](), list[Counter[int]]()
    for size, u, v, path_links in messages:
        k = 0
        while k < len(length) and (
            links[k] & path_links or sends[k][u] == ports or takes[k][v] == ports
        ):
            k += 1
        if k == len(length):
            length.append(size)
            links.append(0)
            sends.append(Counter())
            takes.append(Counter())
        links[k] |= path_links
        sends[k][u] += 1
        takes[k][v] += 1
    return Counter(length)


def _links(u: int, v: int, path: Sequence[int], n: int) -> int:
    links = 0
    for d in path:
        if (u ^ v) >> d & 1:
            links |= 1 << u * n + d
            u ^= 1 << d
    return links


def _turns(wanted: Wanted, ports: int) -> Rounds:
    """All nodes send over one pattern of dimensions; patterns that share none, at once."""
    apart = wanted.start ^ wanted.goal
    sizes = {int(x): int(wanted.amount[apart == x].max()) for x in np.unique(apart)}
    rounds: list[list[int]] = []  # the dimensions, the patterns, the length
    for x, size in sorted(sizes.items(), key=lambda item: (-item[1], -item[0].bit_count())):
        for entry in rounds:
            if not entry[0] & x and entry[1] < ports:
                entry[0] |= x
                entry[1] += 1
                break
        else:
            rounds.append([x, 1, size])
    return Counter(length for _, _, length in rounds)


def _pairs_in_turn(wanted: Wanted, ports: int) -> Iterator[tuple[str, Rounds]]:
    """As many parts as ports, in waves: a part that has half of a pair makes way for the next.

    In a pair a node sends over one dimension or the other: who differs in it over the first,
    who does not over the second. So waves take one port, and a pause until all are through a
    pair, or all ports and none.
    """
    pairs = _pairs(wanted)
    count = min(ports, 2 * len(pairs))
    for waves in WAVES if pairs else ():
        orders = list[list[int | None]]()
        for k in range(count):
            turn = k * len(pairs) // count
            way = 1 if k == 0 or turn > (k - 1) * len(pairs) // count else -1
            some = [pair[::way] for pair in pairs[turn:] + pairs[:turn]]
            for late in range(waves):
                before, after = [None] * late, [None] * (waves - 1 - late)
                orders.append([d for a, b in some for d in (*before, a, b, *after)])
        yield "pairs in turn", lengths(_each(wanted, orders))
    if count == wanted.n:
        one = [order for order in orders[:: WAVES[-1]] for _ in range(2)]
        plain = [[d for d in order if d is not None] for order in one]
        both = [[*[None] * (k % 2), *way, *[None] * (1 - k % 2)] for k, way in enumerate(plain)]
        yield "pairs in turn", lengths(_each(wanted, both))


def _pairs(wanted: Wanted) -> list[tuple[int, int]]:
    """Dimensions that trade places, if that is all that is wanted."""
    start, goal, dims = wanted.start, wanted.goal, wanted.used
    pairs = [
        (a, b)
        for a, b in combinations(dims, 2)
        if not ((start >> a ^ goal >> b) & 1).any() and not ((start >> b ^ goal >> a) & 1).any()
    ]
    return pairs if 2 * len(pairs) == len(dims) else []


def _each(wanted: Wanted, orders: Sequence[Sequence[int | None]]) -> list[Part]:
    return [Part(wanted.part(k, len(orders)), order) for k, order in enumerate(orders)]
