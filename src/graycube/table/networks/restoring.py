"""Bringing everything to where it has to be: the phases after the last stage of a network.

The same phases, without a network before them, take any layout to any other.
"""

from collections.abc import Iterator, Sequence

from graycube.errors import InvalidValueError
from graycube.gf2 import AffineMap, Span
from graycube.gf2.factor import heirs_of
from graycube.table.networks.state import Phase, Run, memory_of, traded


def way_back(run: Run, home: AffineMap, dims: Sequence[int]) -> Iterator[Phase]:
    """Phases that give every dimension the sum of index bits that it has to have.

    A sum that is in memory trades places with what is on its dimension, as many at once as
    the radix says. If none is in memory, something else makes way for one first: that which
    most of the others need. It comes back last, so that nobody has to wait for that.
    """
    wanted, aside = _sums(home.matrix.rows, home.constant, run.n), list[int]()
    for _ in range(3 * run.p):  # what comes back makes way again at most twice
        held, known = _sums(run.place.rows, run.place.constant, run.n), Span()
        wrong = [d for d in dims if held[d] != wanted[d]]
        if not wrong:
            return
        first = [d for d in wrong if d not in aside]
        trades = [(d, *wanted[d]) for d in first if known.add(run.slots_of(wanted[d][0]))]
        if first and not trades:
            trades = _made_way(run, _most_needed(run, home, wrong, first))
        trades = trades or [
            (d, *wanted[d]) for d in wrong if known.add(run.slots_of(wanted[d][0]))
        ]
        trades = trades or _made_way(run, _most_needed(run, home, wrong, wrong))
        if not trades:
            break
        aside += [d for d, row, _ in trades if row != wanted[d][0]]
        yield traded(run, trades[: run.wishes.radix])
    if _sums(run.place.rows, run.place.constant, run.n) != wanted:
        raise InvalidValueError(
            f"every node has {memory_of(run)}",
            "without memory bits nothing trades places",
            "use fewer nodes, or a conversion that needs no memory",
        )


def _most_needed(run: Run, home: AffineMap, wrong: Sequence[int], among: Sequence[int]) -> int:
    """The dimension whose bits most of the others need."""
    needs, mask = (home @ run.place.inverse()).matrix.columns, sum(1 << d for d in wrong)
    return max(among, key=lambda d: heirs_of(needs, mask, d).bit_count())


def _made_way(run: Run, dim: int) -> list[tuple[int, int, int]]:
    """A trade of a dimension with a memory bit, if there is one."""
    run.finished = list(range(run.p))
    return [(dim, 1 << bit, 0) for bit in run.available()[:1]]


def _sums(rows: Sequence[int], constant: int, n: int) -> list[tuple[int, int]]:
    """The sum of index bits, and the constant, that every dimension has."""
    return [(rows[d], constant >> d & 1) for d in range(n)]
