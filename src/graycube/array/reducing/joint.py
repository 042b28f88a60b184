"""What several fields have together: covariances, and histograms of more than one.

Rule: fields are the components of one array, or arrays of one layout. Each element is an
observation, and counts once. What comes about is plain, and on all ranks.
"""

from collections.abc import Sized
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graycube.array.held import Held
from graycube.array.local import local
from graycube.array.moving import brought
from graycube.array.payload import require_same_layout
from graycube.array.ranks import facts_of, together
from graycube.array.reducing.reductions import reduced
from graycube.array.reducing.weighted import added, each_once, of_elements, told
from graycube.array.sharing import require_plain
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.layout.owned_mesh import in_blocks
from graycube.run.agreement import Facts
from graycube.warned import warn

_Array = NDArray[Any]


def histogram2d(  # noqa: PLR0913, PLR0917 - NumPy's
    x: Held,
    y: Held,
    bins: Any = 10,  # noqa: ANN401 - as NumPy's
    range: Any = None,  # noqa: A002, ANN401
    density: bool | None = None,  # noqa: FBT001
    weights: object = None,
) -> tuple[_Array, _Array, _Array]:
    """How many elements of two fields are in each box of bins, on all ranks; collective.

    The fields have any shape.

    >>> from graycube.layout import Layout
    >>> x = Held(np.array([[0, 1], [2, 3]]), Layout.cyclic(2, 1))
    >>> histogram2d(x, x.with_blocks(x.blocks % 2), 2)[0].tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    alike = isinstance(bins, Sized) and len(bins) not in {1, 2}
    edges = [bins, bins] if alike else bins
    found, (along, across) = histogramdd([x, y], edges, range, density, weights)
    return found, along, across


def histogramdd(
    sample: Any,  # noqa: ANN401 - as NumPy's
    bins: Any = 10,  # noqa: ANN401
    range: Any = None,  # noqa: A002, ANN401
    density: bool | None = None,  # noqa: FBT001
    weights: object = None,
) -> tuple[_Array, tuple[_Array, ...]]:
    """How many elements are in each box of bins, and the edges, on all ranks; collective.

    ``sample`` is an array with components, or a list of fields of any shape.

    >>> from graycube.layout import Layout
    >>> v = Held(np.array([[[0, 0], [1, 1]], [[2, 0], [3, 1]]]), Layout.cyclic(2, 1))
    >>> histogramdd(v, (2, 2))[0].tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    fields = _fields(sample)
    first, nothing = fields[0], np.empty((0, len(fields)))

    def prepare() -> tuple[tuple[list[Held], Held | None], Facts]:
        every = [first, *(of_elements(x, first) for x in fields[1:])]
        if any(x.dtype.kind not in "biuf" for x in every):
            raise InvalidTypeError(
                f"the fields have dtypes {', '.join(str(x.dtype) for x in every):.60}",
                "real numbers are counted",
                "take their real parts",
            )
        np.histogramdd(nothing, bins, range)
        made = None if weights is None else of_elements(weights, first)
        named = {"bins": _listed(bins), "range": _listed(range), "density": density}
        named |= {"fields": [str(x.dtype) for x in every], **told(weights)}
        return (every, made), {**facts_of("histogram", first.layout, first.blocks), **named}

    every, beside = together(first.comm, prepare)
    ends = [None] * len(every) if range is None else [*range]
    found = [
        (float(reduced(x, np.minimum)), float(reduced(x, np.maximum))) if end is None else end
        for x, end in zip(every, ends, strict=True)
    ]

    def counts() -> _Array:
        points = np.stack([each_once(x) for x in every], axis=-1)
        taken = None if beside is None else each_once(beside)
        return np.histogramdd(points, bins, found, weights=taken)[0]

    total: Any = added(first, counts, np.dtype(float))
    edges = np.histogramdd(nothing, bins, found)[1]
    if density:
        widths = np.ix_(*(np.diff(edge) for edge in edges))
        total = total / prod(widths) / total.sum()
    return total, tuple(edges)


def _fields(sample: Any) -> list[Held]:  # noqa: ANN401
    """The fields of a sample: the components of an array, or those of a list."""
    if isinstance(sample, Held) and len(sample.payload) == 1:
        return [sample.with_blocks(sample.blocks[..., k]) for k in range(sample.payload[0])]
    if isinstance(sample, Held) or not all(isinstance(x, Held) for x in sample):
        kinds = (
            "an array of shape " + str(sample.shape) if isinstance(sample, Held) else "others"
        )
        raise InvalidTypeError(
            f"the sample is {kinds}",
            "it is an array with components, or a list of CubeArrays",
            "pass [u, w], or gc.stack([u, w])",
        )
    return [*sample]


def _listed(x: Any) -> Any:  # noqa: ANN401
    if isinstance(x, list | tuple):
        return [_listed(each) for each in x]
    return x.tolist() if isinstance(x, np.ndarray) else x


def cov(  # noqa: PLR0913 - NumPy's
    m: Held,
    y: Held | None = None,
    rowvar: bool = True,  # noqa: FBT001, FBT002
    bias: bool = False,  # noqa: FBT001, FBT002
    ddof: int | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Any:  # noqa: ANN401 - a matrix, or a number
    """The covariances of variables, as ``numpy.cov``, on all ranks; collective.

    Variables are the rows or, without ``rowvar``, the columns of an array of two axes. They
    may also be components: then each element is an observation, whatever axes there are.

    >>> from graycube.layout import Layout
    >>> v = Held(np.array([[[0.0, 0], [1, 2]], [[2, 4], [3, 6]]]), Layout.cyclic(2, 1))
    >>> cov(v, rowvar=False, bias=True).tolist()
    [[1.25, 2.5], [2.5, 5.0]]
    """

    def prepare() -> tuple[tuple[list[Held], np.dtype[Any]], Facts]:
        given = [x for x in (m, y) if x is not None]
        for x in given:
            _require_variables(x, m, rowvar=rowvar)
        if ddof is not None and ddof != int(ddof):
            raise InvalidValueError(f"ddof is {ddof!r:.20}", "it is an integer", "use 0 or 1")
        kind = np.result_type(*(x.dtype for x in given), float) if dtype is None else dtype
        named: dict[str, object] = {"dtypes": [str(x.dtype) for x in given], "ddof": ddof}
        named |= {"kind": np.dtype(kind), "rowvar": bool(rowvar), "bias": bool(bias)}
        named |= {"payloads": [x.payload for x in given]}
        return (given, np.dtype(kind)), {**facts_of("cov", m.layout, m.blocks), **named}

    given, kind = together(m.comm, prepare)
    own = np.concatenate([_observed(x, rowvar=rowvar) for x in given], axis=1).astype(kind)
    count = m.size // _observed_in(m, rowvar=rowvar)
    mean = added(m, lambda: own.sum(axis=0), kind) / count

    def products() -> NDArray[Any]:  # what it raises on a rank is raised on all
        apart = own - mean
        return apart.T @ apart.conj()

    found: Any = added(m, products, kind)
    left = count - (int(not bias) if ddof is None else int(ddof))
    if left <= 0:
        warn("Degrees of freedom <= 0 for slice")
    with np.errstate(divide="ignore", invalid="ignore"):
        found = found * np.true_divide(1, max(left, 0))
    return found.squeeze()


def corrcoef(
    x: Held,
    y: Held | None = None,
    rowvar: bool = True,  # noqa: FBT001, FBT002 - NumPy's
    *,
    dtype: DTypeLike | None = None,
) -> Any:  # noqa: ANN401 - a matrix, or a number
    """The correlation coefficients of variables, which are those of :func:`cov`; collective.

    >>> from graycube.layout import Layout
    >>> v = Held(np.array([[[0.0, 0], [1, 2]], [[2, 4], [3, 6]]]), Layout.cyclic(2, 1))
    >>> corrcoef(v, rowvar=False).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    found = cov(x, y, rowvar, dtype=dtype)
    if found.ndim == 0:
        return found / found
    spread = np.sqrt(np.diag(found).real)
    found = found / spread[:, None] / spread
    np.clip(found.real, -1, 1, out=found.real)
    if found.dtype.kind == "c":
        np.clip(found.imag, -1, 1, out=found.imag)
    return found


def _require_variables(x: Held, like: Held, *, rowvar: bool) -> None:
    """Refuse arrays in which it is not clear what is a variable."""
    require_plain(x.dtype)
    require_same_layout(like, x)
    d, inside = len(x.layout.shape), len(x.payload)
    fits = inside == 1 and not rowvar if inside else d <= 2
    if not fits or (inside != len(like.payload) and d > 1):
        raise InvalidValueError(
            f"the covariance of an array of shape {x.shape} with {inside} axes of payload is "
            f"asked for, rowvar is {rowvar!r:.20}",
            "variables are rows, columns, or components with rowvar=False",
            "stack them: np.cov(gc.stack([u, w]), rowvar=False)",
        )


def _observed_in(x: Held, *, rowvar: bool) -> int:
    """The number of variables."""
    if x.payload or x.ndim == 1:
        return prod(x.payload)
    return x.shape[0 if rowvar else 1]


def _observed(x: Held, *, rowvar: bool) -> _Array:
    """What is here of all observations, each of them on one rank, and all of its variables."""
    if x.payload or x.ndim == 1:
        return each_once(x).reshape(-1, prod(x.payload))
    nodes = (1, x.layout.node_count) if rowvar else (x.layout.node_count, 1)
    box = local(brought(x, in_blocks(x.shape, nodes)))
    return box.T if rowvar else box
