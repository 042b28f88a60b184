"""The different elements of arrays, and their quantiles.

Every rank sorts what it has, and :mod:`graycube.array.merging` cuts all of it exactly.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.held import Held
from graycube.array.merging import cuts_of, traded
from graycube.array.ranks import spread
from graycube.array.sorting import agreed_on
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.ownership import Ownership
from graycube.run import no_way_back

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]


def unique(a: _H, *, return_counts: bool = False) -> Any:  # noqa: ANN401 - one array or two
    """The different elements, sorted, in even blocks over the nodes; collective.

    With ``return_counts`` also how often each of them is there.

    >>> from graycube.layout import Layout
    >>> found, counts = unique(Held(np.array([[7], [7]]), Layout.nodes(1)), return_counts=True)
    >>> found.layout.shape, counts.blocks.ravel().tolist()
    ((1,), [2])
    """
    agreed_on(a, "unique", _nothing)
    over = spread(a.comm)
    found = np.unique(_elements(a), return_counts=True)
    if over is None:
        layout = in_blocks(found[0].shape, (a.layout.node_count,))
        blocks = [layout.scatter(each) for each in found]
    else:
        with no_way_back(lambda: "unique"):
            layout, blocks = _balanced(_merged(*found, over), over)
    values, times = (a.with_blocks(each, layout) for each in blocks)
    return (values, times) if return_counts else values


def quantile(a: Held, q: ArrayLike, axis: int | None = None, *, method: str = "linear") -> Any:  # noqa: ANN401 - one or several
    """The quantiles of all elements, as NumPy interpolates them; collective.

    >>> from graycube.layout import Layout
    >>> quantile(Held(np.array([[4.0, 1.0], [2.0, 3.0]]), Layout.cyclic(2, 1)), [0, 0.5])
    array([1. , 2.5])
    """
    return _quantile(a, q, axis, method, whole=1)


def median(a: Held, axis: int | None = None) -> Any:  # noqa: ANN401 - a number
    """The median of all elements; collective.

    >>> from graycube.layout import Layout
    >>> median(Held(np.array([[4.0, 1.0], [2.0, 3.0]]), Layout.cyclic(2, 1)))
    np.float64(2.5)
    """
    return _quantile(a, 0.5, axis, "linear", whole=1)


def percentile(
    a: Held, q: ArrayLike, axis: int | None = None, *, method: str = "linear"
) -> Any:  # noqa: ANN401 - as quantile
    """The quantiles of all elements, in percent; collective.

    >>> from graycube.layout import Layout
    >>> percentile(Held(np.array([[4.0, 1.0], [2.0, 3.0]]), Layout.cyclic(2, 1)), 100)
    np.float64(4.0)
    """
    return _quantile(a, q, axis, method, whole=100)


def _nothing() -> dict[str, Any]:
    return {}


def _elements(a: Held) -> _Array:
    """What is here of all elements, each of them on one rank."""
    over = spread(a.comm)
    if over is None:
        return a.layout.gather(a.blocks).ravel()
    if a.layout.nodes_like(over.rank)[0] != over.rank:
        return a.blocks[:, :0].ravel()
    return a.blocks.ravel()


def _merged(own: _Array, counts: _Array, comm: "Intracomm") -> tuple[_Array, _Array]:
    """Different elements of each rank, sorted, made those of all: equal ones on one rank."""
    total = sum(comm.allgather(len(own)))
    cuts = cuts_of([own[None]], _starts(total, comm), comm)[0]
    values, times = (_joined(x, cuts, comm) for x in (own, counts))
    values, places = np.unique(values, return_inverse=True)
    sums = np.zeros(len(values), counts.dtype)
    np.add.at(sums, places, times)
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


def _joined(own: _Array, cuts: NDArray[np.intp], comm: "Intracomm") -> _Array:
    """The pieces of one line that belong to this rank."""
    return np.concatenate(traded(own[None], cuts, comm)[0])


def _starts(length: int, comm: "Intracomm") -> list[int]:
    """Where the blocks of all ranks but the first begin."""
    block = -(-length // comm.size)
    return [min(length, block * k) for k in range(1, comm.size)]


def _same(one: _Array, other: _Array) -> bool:
    return len(np.unique(np.concatenate([one, other]))) == 1  # NaN is one value there


def _balanced(parts: Sequence[_Array], comm: "Intracomm") -> tuple[Ownership, list[_Array]]:
    """What all ranks have in a row, in even blocks."""
    lengths = comm.allgather(len(parts[0]))
    layout = in_blocks((sum(lengths),), (comm.size,))
    starts = np.array(_starts(sum(lengths), comm), np.intp) - sum(lengths[: comm.rank])
    cuts = np.clip(starts, 0, lengths[comm.rank])[None]
    return layout, [_joined(part, cuts, comm)[None] for part in parts]


def _quantile(a: Held, q: ArrayLike, axis: int | None, method: str, *, whole: int) -> Any:  # noqa: ANN401 - one or several
    def wanted() -> dict[str, Any]:
        if axis is not None or method != "linear":
            raise InvalidValueError(
                f"axis is {axis!r:.20}, and the method {method!r:.20}",
                "quantiles and medians are those of all elements, interpolated linearly",
                "sort along the axis, and read a line: np.sort(u, 1).read[:, k]",
            )
        if a.dtype.kind not in "biuf":
            raise InvalidTypeError(
                f"the array has dtype {a.dtype}", "quantiles are of real numbers", "use np.sort"
            )
        shares = np.asarray(q, float) / whole
        if not all(0 <= each <= 1 for each in shares.flat):
            raise InvalidValueError(
                f"q is {q!r:.60}", f"it is 0..{whole}", "use np.quantile, or np.percentile"
            )
        if not a.size:
            raise InvalidValueError("the array is empty", "it has no quantiles", "pass another")
        return {"q": shares.tolist()}

    shares = np.array(agreed_on(a, "quantile", wanted)["q"])
    over, own = spread(a.comm), np.sort(_elements(a))
    if over is None:
        return np.quantile(own, shares)
    with no_way_back(lambda: "quantile"):
        return _quantiles(own, shares, a.size, over)


def _quantiles(own: _Array, wanted: _Array, size: int, comm: "Intracomm") -> Any:  # noqa: ANN401 - one or several
    """As NumPy interpolates between the two elements around each."""
    low = np.floor(wanted.ravel() * (size - 1)).astype(np.intp)
    places = np.unique([low, np.minimum(low + 1, size - 1), np.full_like(low, size - 1)])
    cuts = cuts_of([own[None]], places.tolist(), comm)[0, 0]
    here = [own[k : k + 1] for k in cuts]
    found = [
        np.sort(np.concatenate(each))[0] for each in zip(*comm.allgather(here), strict=True)
    ]
    known = dict(zip(places.tolist(), found, strict=True))
    if known[size - 1] != known[size - 1]:  # it is NaN, which is last
        return np.full(wanted.shape, known[size - 1])[()]
    pairs = [[known[k], known[min(k + 1, size - 1)]] for k in low.tolist()]
    parts = wanted.ravel() * (size - 1) - low
    made = [np.quantile(pair, part) for pair, part in zip(pairs, parts, strict=True)]
    return np.array(made).reshape(wanted.shape)[()]
