"""In which order parts of a block do the exchanges of a map, and in which rounds.

Rules.

1. A map of addresses is a product of exchanges, whatever dimension comes first
   (:func:`graycube.gf2.factor.in_order`). So each part of a block may have an order of its own:
   part k begins with the k-th dimension of one common order, or farther on, and goes round.
2. Many parts may have one order instead: each begins a round after the one before it, and as
   many as there are ports are on their way at a time.
3. Node bits that trade places, as in a transpose, do it in one exchange over two dimensions.
   What an exchange crosses is a *cell*: one dimension, or two.
4. Nodes that send over the first dimension of a trade are not those that send over the second.
   So parts follow each other in *waves*: while one crosses the second dimension, the next
   crosses the first. Where two parts trade the same bits, one begins with the second.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, permutations
from typing import NamedTuple

from graycube.gf2 import AffineMap, Exchange
from graycube.gf2.factor import factor, in_order
from graycube.table.shares import MAX_BITS

ALL_ORDERS, ALL_TURNS = 3, 6
"""Up to so many dimensions all orders are tried, and all rotations of one, both ways."""
MANY = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
"""So many parts are tried in one order."""
WAVES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""So many parts follow each other where node bits trade places."""

_Dims = tuple[int, ...]


class Traversal(NamedTuple):
    """A crossing of a list of exchanges.

    Parts on one ``side`` of a dimension are sent by the same nodes, or may be; those on the
    other one by all others. ``half`` of a part moves, or all of it.
    """

    dim: int
    side: int
    half: bool

    @property
    def link(self) -> tuple[int, int]:
        """What parts take one after the other."""
        return self.dim, self.side


class Listed(NamedTuple):
    """Exchanges of the whole map, and what they cross: a cell is one dimension, or two."""

    exchanges: tuple[Exchange, ...]
    cells: tuple[_Dims, ...]
    crossed: tuple[Traversal, ...]


class Arrangement(NamedTuple):
    """Which of the lists each part has, and the rounds of its crossings.

    No list looks at the slot bits that are ``free``.
    """

    lists: tuple[Listed, ...]
    free: _Dims
    parts: tuple[tuple[int, Sequence[int]], ...]


def crossing(exchanges: Iterable[Exchange], n: int) -> list[Exchange]:
    """Those that cross links."""
    return [exchange for exchange in exchanges if exchange.flip & (1 << n) - 1]


def dimensions(move: AffineMap, n: int) -> _Dims:
    """The dimensions that exchanges for a map of addresses cross, in their order.

    >>> from graycube.gf2 import Matrix
    >>> dimensions(AffineMap(Matrix.permutation([2, 3, 0, 1])), 2)
    (0, 1)
    """
    flips = (exchange.flip & (1 << n) - 1 for exchange in factor(move, n))
    return tuple(dict.fromkeys(flip.bit_length() - 1 for flip in flips if flip))


@lru_cache(maxsize=1 << 6)  # whatever the block, and what a message costs
def arrangements(move: AffineMap, n: int, most: int) -> tuple[Arrangement, ...]:
    """For all numbers of parts and orders to try on so many ports, what each part does.

    >>> from graycube.gf2 import Matrix
    >>> swap = AffineMap(Matrix.permutation([1, 0]))
    >>> [[*rounds] for _, rounds in arrangements(swap, 2, most=1)[1].parts]
    [[0, 1], [1, 2]]
    """
    dims = dimensions(move, n)
    made = [*_in_trades(move, n, dims, most)]
    if most < 2 or (made and move.width == n):  # else bits trade places over memory, too
        return tuple(dict.fromkeys(made))
    orders = [dims, dims[::-1]]
    if len(dims) <= ALL_ORDERS:
        orders = [*permutations(dims)]
    elif len(dims) <= ALL_TURNS:
        ways = (tuple(sorted(dims)), tuple(sorted(dims, reverse=True)))
        orders = [way[k:] + way[:k] for k in range(len(dims)) for way in ways]
    ports = min(most, len(dims))
    for parts in range(2, ports + 1):
        for order in orders:
            turns = (k * len(order) // parts for k in range(parts))
            made.append(_laid(move, n, [order[t:] + order[:t] for t in turns]))
    for order in orders[:2]:
        one = _laid(move, n, [order])
        rounds = len(one.lists[0].crossed)
        for parts in MANY:
            begin = (k // ports * rounds + k % ports for k in range(parts))
            some = tuple((0, range(start, start + rounds)) for start in begin)
            made.append(one._replace(parts=some))
    return tuple(dict.fromkeys(made))


def _in_trades(move: AffineMap, n: int, dims: _Dims, most: int) -> Iterator[Arrangement]:
    """In waves, if there are bits that trade places in one exchange.

    Where each dimension has a port, waves follow each other without a pause.
    """
    cells = _cells(in_order(move, n, dims, trades=True), dims, n)
    if max(map(len, cells)) < 2:
        return
    used = len({*chain.from_iterable(cells)})
    alike, ports = used == 2 * len(cells), min(most, used)
    for order in (cells,) if alike else (cells, cells[::-1]):
        for parts in range(ports if alike else 1, ports + 1):
            one = _laid(move, n, [*_turned(order, parts)], trades=True)
            for waves in WAVES:
                yield _in_waves(one, waves, pauses=True)
                if parts == used:
                    yield _in_waves(one, waves, pauses=False)


def _cells(exchanges: Sequence[Exchange], order: _Dims, n: int) -> tuple[_Dims, ...]:
    """The dimensions that each exchange crosses, in an order."""
    return tuple(tuple(d for d in order if e.flip >> d & 1) for e in crossing(exchanges, n))


def _turned(cells: tuple[_Dims, ...], parts: int) -> Iterator[_Dims]:
    """Orders of dimensions for parts: from another cell on, or the other way within cells."""
    turns = [k * len(cells) // parts for k in range(parts)]
    for k, turn in enumerate(turns):
        way = -1 if turns[:k].count(turn) % 2 else 1
        found = (d for cell in cells[turn:] + cells[:turn] for d in cell[::way])
        yield tuple(dict.fromkeys(found))


def _in_waves(one: Arrangement, waves: int, *, pauses: bool) -> Arrangement:
    """As many parts with each list as there are waves.

    They trade the same bits one after the other, and the next ones when all are through: then
    they use one port. Without ``pauses`` two begin together, and the next two when these are
    through.
    """
    parts = list[tuple[int, Sequence[int]]]()
    for which, some in enumerate(one.lists):
        count = len(some.crossed)
        for wave in range(waves):
            begin, rounds = 0, list[int]()
            for cell in some.cells:
                late = wave if len(cell) > 1 else 0
                rounds += (begin + late + k for k in range(len(cell)))
                begin += len(cell) + (waves - 1 if len(cell) > 1 else 0)
            first = wave // 2 * count + wave % 2
            parts.append((which, tuple(rounds) if pauses else range(first, first + count)))
    return one._replace(parts=tuple(parts))


def _laid(
    move: AffineMap, n: int, orders: Sequence[_Dims], *, trades: bool = False
) -> Arrangement:
    """Parts in orders of dimensions of their own, all from the first round on."""
    lists = [in_order(move, n, order, trades=trades) for order in orders]
    cells = [_cells(some, order, n) for some, order in zip(lists, orders, strict=True)]
    used, tests = 0, defaultdict[int, set[int]](set)
    for some, crossed in zip(lists, cells, strict=True):
        for exchange, cell in zip(crossing(some, n), crossed, strict=True):
            used |= exchange.flip | exchange.when
            for d in cell:
                tests[d].add(exchange.when)
    told = {d for d, some in tests.items() if len(some) == 1 and not max(some) >> n}
    made = []
    for some, crossed in zip(lists, cells, strict=True):
        found = list[Traversal]()
        for exchange, cell in zip(crossing(some, n), crossed, strict=True):
            side, half = exchange.want, bool(exchange.when >> n)
            for d in cell:
                found.append(Traversal(d, side if d in told else 0, half))
                side ^= exchange.when >> d & 1
        made.append(Listed(some, crossed, tuple(found)))
    free = tuple(j for j in range(move.width - 1, n - 1, -1) if not used >> j & 1)
    parts = ((k, range(len(some.crossed))) for k, some in enumerate(made))
    return Arrangement(tuple(made), free[:MAX_BITS], tuple(parts))
