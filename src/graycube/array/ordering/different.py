"""The different elements of arrays.

Every rank sorts its own, and ``merging`` cuts all of them exactly.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graycube.array.held import Held
from graycube.array.ordering.cuts import cuts_of
from graycube.array.ordering.merging import SMALL, traded
from graycube.array.ordering.sorting import agreed_on
from graycube.array.ranks import spread
from graycube.array.reducing.weighted import each_once
from graycube.array.sharing import rows_of_all
from graycube.errors import InvalidValueError
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.ownership import Ownership
from graycube.run import no_way_back
from graycube.run.mpi import Comm

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]


def unique(a: _H, *, return_counts: bool = False) -> Any:  # noqa: ANN401 - one array or two
    """The different elements, sorted, in even blocks over the nodes; collective.

    With ``return_counts`` also how often each of them is there.

    >>> import graycube as gc
    >>> a = gc.CubeArray.from_numpy(np.array([7, 5, 7, 7]), gc.Layout.mesh((4,), nodes=(2,)))
    >>> found, counts = gc.unique(a, return_counts=True)
    >>> found.to_numpy().tolist(), counts.to_numpy().tolist()
    ([5, 7], [1, 3])
    """
    agreed_on(a, "unique", lambda: _nothing_wanted(a))
    over = spread(a.comm)
    found = np.unique(each_once(a), return_counts=True)
    if over is None:
        layout = in_blocks(found[0].shape, (a.layout.node_count,))
        blocks = [layout.scatter(each) for each in found]
    else:
        with no_way_back(lambda: "unique"):
            layout, blocks = _over_ranks(*found, over)
    values, times = (a.with_blocks(each, layout) for each in blocks)
    return (values, times) if return_counts else values


def _nothing_wanted(a: Held) -> dict[str, Any]:
    if not a.size:
        raise InvalidValueError(
            f"an array of shape {a.shape} is asked for its different elements",
            "an array over nodes has one element at least",
            "pass one that has some",
        )
    return {}


def _over_ranks(own: _Array, counts: _Array, comm: Comm) -> tuple[Ownership, list[_Array]]:
    """The different elements of all ranks in even blocks, and how often they are there.

    If there are few, all go to all ranks, which then do the same: start-ups decide.
    """
    lengths = comm.allgather(len(own))
    if sum(lengths) * (own.itemsize + counts.itemsize) > SMALL:
        return _balanced(_merged(own, counts, sum(lengths), comm), comm)
    every = _counted(*(rows_of_all(x, lengths, comm) for x in (own, counts)))
    layout = in_blocks(every[0].shape, (comm.size,))
    start, end = [0, *_starts(len(every[0]), comm), len(every[0])][comm.rank : comm.rank + 2]
    return layout, [x[None, start:end].copy() for x in every]


def _counted(values: _Array, counts: _Array) -> tuple[_Array, _Array]:
    """Each value once, in order, and how often it is there; NaN is one value.

    >>> _counted(np.array([2, 3, 1, 2]), np.array([1, 1, 1, 4]))
    (array([1, 2, 3]), array([1, 5, 1]))
    """
    if not len(values):
        return values, counts
    order = np.argsort(values, kind="stable")  # of runs that are sorted: it merges them
    values, counts = values[order], counts[order]
    number = values == values  # noqa: PLR0124 - but for NaN
    starts = np.append(True, (values[1:] != values[:-1]) & (number[1:] | number[:-1]))
    first = np.flatnonzero(starts)
    return values[first], np.add.reduceat(counts, first)


def _merged(own: _Array, counts: _Array, total: int, comm: Comm) -> tuple[_Array, _Array]:
    """Different elements of each rank, sorted, made those of all: equal ones on one rank."""
    cuts = cuts_of([own[None]], _starts(total, comm), comm)[0]
    values, sums = _counted(*(_joined(x, cuts, comm) for x in (own, counts)))
    ends = comm.allgather((values[:1], sums[:1], values[-1:], len(values)))
    last = comm.rank  # of the ranks in a row that have the last value of this one
    while len(values) and last + 1 < comm.size:
        first, more, _, length = ends[last + 1]
        if length and not _same(first, values[-1:]):
            break
        sums[-1:] += more.sum()
        last += 1
        if length > 1:
            break
    before = next((end for _, _, end, length in ends[: comm.rank][::-1] if length), values[:0])
    kept = slice(int(len(values) > 0 and len(before) > 0 and _same(before, values[:1])), None)
    return values[kept], sums[kept]


def _joined(own: _Array, cuts: NDArray[np.intp], comm: Comm) -> _Array:
    """The pieces of one line that belong to this rank."""
    return np.concatenate(traded(own[None], cuts, comm)[0])


def _starts(length: int, comm: Comm) -> list[int]:
    """Where the blocks of all ranks but the first begin."""
    block = -(-length // comm.size)
    return [min(length, block * k) for k in range(1, comm.size)]


def _same(one: _Array, other: _Array) -> bool:
    return len(np.unique(np.concatenate([one, other]))) == 1  # NaN is one value there


def _balanced(parts: Sequence[_Array], comm: Comm) -> tuple[Ownership, list[_Array]]:
    """What all ranks have in a row, in even blocks."""
    lengths = comm.allgather(len(parts[0]))
    layout = in_blocks((sum(lengths),), (comm.size,))
    starts = np.array(_starts(sum(lengths), comm), np.intp) - sum(lengths[: comm.rank])
    cuts = np.clip(starts, 0, lengths[comm.rank])[None]
    return layout, [_joined(part, cuts, comm)[None] for part in parts]
