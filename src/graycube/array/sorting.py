"""Sorted arrays, the order that sorts them, their quantiles, and their different elements.

Rules.

1. An axis whose lines other axes can take over all nodes is brought to memory, sorted there by
   NumPy, and brought back.
2. Else every rank sorts its part of each line, and :mod:`graycube.array.merging` cuts all parts
   at the ends of blocks: each element crosses once, and blocks are what they were before.
3. What is equal stays in the order of its indices, as in NumPy's stable sorts. NaN comes last.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.held import Held
from graycube.array.merging import cuts_of, traded
from graycube.array.moving import straight
from graycube.array.ranks import facts_of, spread, together
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.owned_mesh import in_blocks
from graycube.layout.ownership import Ownership
from graycube.layout.placement import Placement
from graycube.layout.required import require_axis
from graycube.run import no_way_back

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_H = TypeVar("_H", bound=Held)
_Array = NDArray[Any]
_KINDS = {None, "quicksort", "heapsort", "mergesort", "stable"}
_ORDERED = "biufcSUmM"  # numbers, texts and times


def sort(a: _H, axis: int = -1, kind: str | None = None) -> _H:
    """The array with the lines of an axis sorted, in the same layout; collective.

    Any ``kind`` of NumPy's is taken, and all give the same.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[3, 1], [2, 0]]), Layout.cyclic(2, 1))
    >>> sort(a).blocks.tolist()  # 0 and 2 are on node 0
    [[0, 2], [1, 3]]
    """
    return _along(a, "sort", axis, kind, _sorted, np.sort)


def argsort(a: _H, axis: int = -1, kind: str | None = None) -> _H:
    """The indices that sort the lines of an axis, equal ones in their order; collective.

    >>> from graycube.layout import Layout
    >>> argsort(Held(np.array([[7, 5], [7, 5]]), Layout.consecutive(2, 1))).blocks.tolist()
    [[1, 3], [0, 2]]
    """
    return _along(a, "argsort", axis, kind, _order, _stable)


def unique(a: _H, *, return_counts: bool = False) -> Any:  # noqa: ANN401 - one array or two
    """The different elements, sorted, in even blocks over the nodes; collective.

    With ``return_counts`` also how often each of them is there.

    >>> from graycube.layout import Layout
    >>> found, counts = unique(Held(np.array([[7], [7]]), Layout.nodes(1)), return_counts=True)
    >>> found.layout.shape, counts.blocks.ravel().tolist()
    ((1,), [2])
    """
    over = spread(a.comm)
    _agree(a, "unique", _nothing)
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


# Along an axis


def _along(  # noqa: PLR0913, PLR0917 - which lines, and two ways to sort them
    a: _H,
    name: str,
    axis: int,
    kind: str | None,
    over_ranks: Callable[[_Array, int, "Intracomm"], _Array],
    in_memory: Callable[..., _Array],
) -> _H:
    d = len(a.layout.shape)

    def wanted() -> dict[str, Any]:
        if axis is None:
            raise InvalidTypeError("axis is None", "lines of one axis are sorted", "name it")
        if kind not in _KINDS:
            raise InvalidValueError(
                f"kind is {kind!r:.30}", "NumPy has no such", "leave it out"
            )
        return {"axis": require_axis(axis, a.ndim)}

    place = _agree(a, name, wanted)["axis"]
    if place >= d:
        return a.with_blocks(in_memory(a.blocks, place - d + 2))
    over = spread(a.comm)
    if over is None:
        whole = a.layout.gather(a.blocks)
        return a.with_blocks(a.layout.scatter(in_memory(whole, place)))
    layout = _work(a.layout, place)
    own = straight(a.blocks, a.layout, layout, over)
    boxes = own.reshape(*layout.boxes(a.nodes)[2:], *a.payload)
    with no_way_back(lambda: name):
        if layout.axes[place].parts == 1:
            made = in_memory(boxes, place)
        else:
            lines = np.moveaxis(boxes, place, -1)
            flat = lines.reshape(prod(lines.shape[:-1]), lines.shape[-1])
            done = over_ranks(flat, layout.shape[place], over)
            made = np.moveaxis(done.reshape(lines.shape), -1, place)
    blocks = np.ascontiguousarray(made).reshape(*own.shape)
    return a.with_blocks(straight(blocks, layout, a.layout, over))


@lru_cache(maxsize=128)
def _work(layout: Placement, axis: int) -> Ownership:
    """Blocks with the axis in memory, if another one is long enough for all nodes."""
    count, nodes = layout.node_count, [1] * len(layout.shape)
    others = [k for k in range(len(layout.shape)) if k != axis]
    longest = max(others, key=lambda k: layout.shape[k], default=axis)
    nodes[longest if layout.shape[longest] >= count else axis] = count
    return in_blocks(layout.shape, nodes)


def _stable(x: _Array, axis: int) -> _Array:
    return np.argsort(x, axis, kind="stable")


def _sorted(lines: _Array, length: int, comm: "Intracomm") -> _Array:
    """Lines sorted over all ranks, where each keeps as many of their elements as it has."""
    own = np.sort(lines, axis=1)
    found = traded(own, cuts_of(own, _starts(length, comm), comm), comm)
    found.sort(axis=1)
    return found


def _order(lines: _Array, length: int, comm: "Intracomm") -> _Array:
    """The indices that sort lines over all ranks; equal elements keep their order."""
    order = np.argsort(lines, axis=1, kind="stable")
    keys = np.take_along_axis(lines, order, axis=1)
    order += (0, *_starts(length, comm))[comm.rank]
    cuts = cuts_of(keys, _starts(length, comm), comm)
    keys, index = traded(keys, cuts, comm), traded(order, cuts, comm)
    return np.take_along_axis(index, np.argsort(keys, axis=1, kind="stable"), axis=1)


def _starts(length: int, comm: "Intracomm") -> list[int]:
    """Where the blocks of all ranks but the first begin."""
    block = -(-length // comm.size)
    return [min(length, block * k) for k in range(1, comm.size)]


# Of all elements


def _agree(a: Held, what: str, wanted: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What is wanted, if all ranks want the same, and it can be had."""

    def prepare() -> tuple[dict[str, Any], dict[str, object]]:
        require_plain(a.dtype)
        if a.dtype.kind not in _ORDERED:
            raise InvalidTypeError(
                f"the array has dtype {a.dtype}",
                "it has no order",
                "sort by a field, or by .view",
            )
        found = wanted()
        return found, {**facts_of(what, a.layout, a.blocks), **found}

    return together(a.comm, prepare)


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
    cuts = cuts_of(own[None], _starts(total, comm), comm)
    values, times = (traded(x[None], cuts, comm)[0] for x in (own, counts))
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


def _same(one: _Array, other: _Array) -> bool:
    return len(np.unique(np.concatenate([one, other]))) == 1  # NaN is one value there


def _balanced(parts: Sequence[_Array], comm: "Intracomm") -> tuple[Ownership, list[_Array]]:
    """What all ranks have in a row, in even blocks."""
    lengths = comm.allgather(len(parts[0]))
    layout = in_blocks((sum(lengths),), (comm.size,))
    starts = np.array(_starts(sum(lengths), comm), np.intp) - sum(lengths[: comm.rank])
    cuts = np.clip(starts, 0, lengths[comm.rank])[None]
    return layout, [traded(part[None], cuts, comm) for part in parts]


def _quantile(a: Held, q: ArrayLike, axis: int | None, method: str, *, whole: int) -> Any:  # noqa: ANN401 - one or several
    def wanted() -> dict[str, Any]:
        if axis is not None or method != "linear":
            raise InvalidValueError(
                f"axis is {axis!r:.20} and method {method!r:.20}",
                "over nodes it is of all elements, and interpolated linearly",
                "take lines of np.sort(u, axis), or call it on to_numpy()",
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

    shares = np.array(_agree(a, "quantile", wanted)["q"])
    over, own = spread(a.comm), np.sort(_elements(a))
    if over is None:
        return np.quantile(own, shares)
    with no_way_back(lambda: "quantile"):
        return _quantiles(own, shares, a.size, over)


def _quantiles(own: _Array, wanted: _Array, size: int, comm: "Intracomm") -> Any:  # noqa: ANN401 - one or several
    """As NumPy interpolates between the two elements around each."""
    low = np.floor(wanted.ravel() * (size - 1)).astype(np.intp)
    places = np.unique([low, np.minimum(low + 1, size - 1), np.full_like(low, size - 1)])
    cuts = cuts_of(own[None], places.tolist(), comm)[0]
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
