"""What ufuncs do beyond single elements: reductions and scans by them, products of payload."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graycube.array.held import Held
from graycube.array.payload import require_same_layout
from graycube.array.reducing.reductions import reduced
from graycube.array.scanning.scans import cumprod, cumsum, scan
from graycube.errors import InvalidTypeError

_ASSOCIATIVE = {
    *(np.add, np.multiply, np.minimum, np.maximum, np.fmin, np.fmax, np.gcd, np.lcm),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logaddexp, np.logaddexp2),
    *(np.bitwise_and, np.bitwise_or, np.bitwise_xor),
}
_SCANS = {np.add: cumsum, np.multiply: cumprod}


def combined(
    ufunc: np.ufunc, method: str, inputs: Sequence[object], options: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - an array of the kind of the first one, or a plain one
    """What a method of a ufunc gives, or one that takes more than single elements.

    >>> from graycube.layout import Layout
    >>> a = Held(np.array([[3], [5]]), Layout.nodes(1))
    >>> combined(np.maximum, "reduce", [a], {}), combined(np.add, "accumulate", [a], {}).blocks
    (np.int64(5), array([[3],
           [8]]))
    """
    first, known = inputs[0], {"axis", "dtype", "keepdims", "initial", "where"}
    given = {"axis": 0, **options}
    if isinstance(first, Held):
        if method == "reduce" and ufunc in _ASSOCIATIVE and given.keys() <= known:
            return reduced(first, ufunc, **given)
        if method == "accumulate" and ufunc in _SCANS and given.keys() <= {"axis", "dtype"}:
            return _SCANS[ufunc](first, **given)
        if method == "accumulate" and ufunc in _ASSOCIATIVE and given.keys() == {"axis"}:
            return scan(ufunc, first, given["axis"])
    if method == "__call__" and not options:
        ours = [x for x in inputs if isinstance(x, Held) and x.ndim == 1]
        if len(ours) == 2 and ufunc in {np.matmul, np.vecdot}:
            return _of_lines(*ours, conjugate=ufunc is np.vecdot)
        return _of_payload(ufunc, inputs)
    name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    raise InvalidTypeError(
        f"{name} is given a CubeArray" + (f", with {', '.join(options)}" if options else ""),
        "over nodes, reduce and accumulate combine what is associative, and products are those "
        "of payload",
        "use u.sum(axis) and the like, gc.scan, or np.einsum over the payload"
        if method != "at"
        else f"call {name} on the w.meshes of a window w = u.halo(1), and then w.add_back()",
    )


def _of_lines(a: Held, b: Held, *, conjugate: bool) -> Any:  # noqa: ANN401 - a number
    """The sum of the products of two lines; collective."""

    def of() -> Held:
        require_same_layout(a, b)
        return a.with_blocks((a.blocks.conj() if conjugate else a.blocks) * b.blocks)

    return reduced(a, np.add, dtype=np.result_type(a.dtype, b.dtype), of=of)


def _of_payload(ufunc: np.ufunc, inputs: Sequence[Any]) -> Any:  # noqa: ANN401
    """A product of vectors and matrices that are payload, at every element."""
    cores = [core.count(",") + 1 for core in str(ufunc.signature).split("->")[0].split("),(")]
    ours = [x for x in inputs if isinstance(x, Held)]
    first = ours[0]
    if len(ours) == 1 and first is inputs[0] and np.ndim(inputs[-1]) <= cores[-1]:
        cores[0] = 1 if ufunc is np.matmul else cores[0]  # rows, of what may be vectors
    inner = [
        len(x.payload) - core if isinstance(x, Held) else max(np.ndim(x) - core, 0)
        for x, core in zip(inputs, cores, strict=True)
    ]
    most = max(n for x, n in zip(inputs, inner, strict=True) if isinstance(x, Held))
    if min(inner) < 0 or max(inner) > most:
        raise InvalidTypeError(
            f"numpy.{ufunc.__name__} is given arrays of shapes "
            f"{' and '.join(str(np.shape(x)) for x in inputs)}",
            f"it multiplies payload, of shapes {' and '.join(str(x.payload) for x in ours)}: "
            "axes of layouts are no part of vectors and matrices",
            "name axes of the payload with np.einsum('...ij,...j->...i', a, b), or sum "
            "elements with np.vdot(a, b)",
        )
    for x in ours[1:]:
        require_same_layout(first, x)
    values = [
        x.blocks.reshape(*x.blocks.shape[:2], *(1,) * (most - n), *x.payload)
        if isinstance(x, Held)
        else x
        for x, n in zip(inputs, inner, strict=True)
    ]
    return first.with_blocks(ufunc(*values))
